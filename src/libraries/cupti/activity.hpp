// What a program has asked CUPTI to record, and the records until it takes them.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include "cudart/state/activity.hpp"
#include "libraries/cupti/callback_ids.hpp"
#include "libraries/cupti/records.hpp"

namespace warpwright::libraries::cupti {

using BufferRequest = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
using BufferComplete = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                std::size_t valid);

class Activity {
public:
    static Activity& get();

    /// Begins or ends the recording of a kind.
    Result enable(std::uint32_t kind, bool on);
    /// The same for one function of a domain.
    Result enable_function(Domain domain, std::uint32_t id, bool on);
    Result set_buffers(BufferRequest request, BufferComplete complete);
    /// Records until now are handed over by the clock before. Null: the system's.
    void set_clock(std::uint64_t (*of_program)());
    /// Hands all records over, in buffers of the program's.
    Result flush();
    std::uint64_t take_dropped() { return dropped_.exchange(0); }
    /// Nothing is recorded any more, what was is forgotten, and the program has its buffers back.
    void reset();
    bool wants_calls() const { return calls_wanted_; }

    void begins(const cudart::activity::ApiCall& call);
    void ends(const cudart::activity::ApiCall& call);
    void done(cudart::activity::Done done);

private:
    /// Work, and the kind by which it was asked for.
    struct Work {
        cudart::activity::Done done;
        std::uint32_t kind;
    };
    using Record = std::variant<ApiRecord, ExternalRecord, Work>;
    std::uint32_t kind_of(const cudart::activity::Done& done) const;
    void keep(Record record);
    bool records(std::uint32_t kind) const { return kinds_[kind].load(std::memory_order_relaxed); }
    void tell_wanted();
    template <class Put>
    void write(const Work& work, double rate, Put put);
    const char* kept_name(const std::string& name);

    std::array<std::atomic<bool>, kKinds> kinds_{};
    std::array<std::bitset<kMostFunctions>, kDomains> functions_;  ///< recorded, under mutex_
    std::atomic<bool> calls_wanted_{false};
    std::atomic<std::uint64_t> dropped_{0};
    std::mutex mutex_;
    std::recursive_mutex flushing_;  ///< the program's functions are called under it, and may ask again
    std::deque<Record> records_;
    std::atomic<BufferRequest> request_{nullptr};
    BufferComplete complete_ = nullptr;  ///< under flushing_
    struct Buffer {
        std::uint8_t* at = nullptr;
        std::size_t bytes = 0, most = 0;
    };
    Buffer new_buffer();
    /// Under mutex_: a buffer of the program's is asked for with the first record that is kept, since some programs
    /// take records only then. Two where records were taken meanwhile.
    std::deque<Buffer> buffers_;
    bool has_asked_ = false;
    std::unordered_set<std::string> names_;  ///< records point to them as long as the process lasts
    std::map<std::pair<unsigned, std::size_t>, std::uint64_t> ends_;  ///< of each stream's last work; under flushing_
};

/// Identifiers of the program's for what its thread does, by their kind.
void push_external(std::uint32_t kind, std::uint64_t id);
/// False: there is none.
bool pop_external(std::uint32_t kind, std::uint64_t* last);

/// Listens as long as somebody wants records or callbacks.
void listen();

}  // namespace warpwright::libraries::cupti
