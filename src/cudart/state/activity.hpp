// What a program hears of its own calls and work while it profiles itself (libcupti): who listens, and by which numbers
// calls and the work that they queue belong together. Nothing is kept, and no number given, while nobody listens.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "timeline/work.hpp"

namespace warpwright::cudart::activity {

/// A call of the program's into one of our libraries.
struct ApiCall {
    unsigned number = 0;            ///< of its function (names.hpp)
    std::uint32_t correlation = 0;  ///< from 1 on
    std::uint64_t started = 0;      ///< on the listener's clock
    void* parameters = nullptr;     ///< one after the other, as a C structure of them has them; null: not known
    const int* result = nullptr;    ///< once it has ended
    std::uint64_t data = 0;         ///< the listener's own, from the beginning to the end
};

/// A kernel, copy or fill that was done.
struct Done {
    std::string name;  ///< linkage name of a kernel, or what the profile calls it
    timeline::Kind kind = timeline::Kind::kernel;
    double seconds = 0;             ///< predicted, alone on the device
    std::uint32_t correlation = 0;  ///< of the call that queued it
    std::uint64_t queued = 0;       ///< when it did, on the listener's clock
    unsigned device = 0, to = 0;    ///< of copies between devices: from which, to which
    std::size_t stream = 0;         ///< ThreadState::stream
    std::uint64_t bytes = 0;
    bool pageable = false;
    std::array<std::uint32_t, 3> grid{}, block{}, cluster{};
    std::uint64_t static_shared = 0, dynamic_shared = 0;
    std::uint32_t registers = 0;
};

/// Who listens. Called by any thread, by several at once.
struct Listener {
    std::uint64_t (*now)();
    void (*begins)(ApiCall&);
    void (*ends)(ApiCall&);
    void (*done)(Done);
};
/// Null: nobody does. A listener lasts as long as the process.
extern std::atomic<const Listener*> listener;

/// A call as those that its work belongs to know it.
struct CallId {
    std::uint32_t correlation = 0;
    std::uint64_t queued = 0;
};
/// What is queued now belongs to the call in which the thread is.
CallId queued_now();

/// The values of a call's parameters in memory, each at an address that is a multiple of its size's alignment.
class Parameters {
public:
    template <class... A>
    void operator()(const A&... values) {
        (add(values), ...);
    }
    void* data() { return whole_ && size_ ? bytes_ : nullptr; }

private:
    template <class T>
    void add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t at = (size_ + alignof(T) - 1) / alignof(T) * alignof(T);
        whole_ = whole_ && at < sizeof bytes_ && sizeof(T) <= sizeof bytes_ - at;
        if (!whole_) return;
        std::memcpy(bytes_ + at, &value, sizeof(T));
        size_ = at + sizeof(T);
    }
    alignas(16) std::byte bytes_[512];
    std::size_t size_ = 0;
    bool whole_ = true;
};

/// For calls that tell none.
inline constexpr auto no_parameters = [](Parameters&) {};

/// While it lives, the thread is in this call. A call within a call is none of the program's.
class Call {
public:
    /// `pack` gives the parameters to Parameters.
    template <class Pack>
    Call(unsigned number, const void* result, Pack pack) {
        if (const auto* l = listener.load(std::memory_order_acquire)) begin(*l, number, result, pack);
    }
    Call(unsigned number, const void* result) : Call(number, result, no_parameters) {}
    ~Call() {
        if (listener_) end();
    }
    Call(const Call&) = delete;

private:
    template <class Pack>
    void begin(const Listener& l, unsigned number, const void* result, Pack pack) {
        if (!enter(number, result)) return;
        pack(parameters_.emplace());
        call_.parameters = parameters_->data();
        listener_ = &l;
        l.begins(call_);
    }
    bool enter(unsigned number, const void* result);
    void end();

    const Listener* listener_ = nullptr;
    ApiCall call_;
    std::optional<Parameters> parameters_;
};

}  // namespace warpwright::cudart::activity
