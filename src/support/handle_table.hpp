// Handles that a program is given for objects of ours. A handle is a number, never an address: nothing is read through
// it, and no later object has the number of one that is gone, so that a stale handle is an error for ever.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace warpwright {

/// A handle that nothing had before. Where handles are pointers, the numbers are addresses that no program can have, so
/// that one that is used as a pointer faults at once; they are even, as programs expect of what looks like a pointer.
/// Where they are integers, the numbers count from one; a process does not live to see them wrap.
template <class Handle>
Handle fresh_handle() {
    if constexpr (std::is_integral_v<Handle>) {
        static std::atomic<Handle> last{0};
        return static_cast<Handle>(last.fetch_add(1) + 1);
    } else {
        static std::atomic<std::uint64_t> last{0x5741'0000'0000'0000};
        return reinterpret_cast<Handle>(last.fetch_add(16) + 16);
    }
}

/// Objects by their handles, for any number of threads. Who has found an object keeps it while another thread takes it
/// out of the table.
template <class Handle, class Object>
class HandleTable {
public:
    Handle add(std::shared_ptr<Object> object) {
        const auto handle = fresh_handle<Handle>();
        const std::lock_guard lock(mutex_);
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    /// Null where there is none.
    std::shared_ptr<Object> find(Handle handle) const {
        const std::lock_guard lock(mutex_);
        const auto at = objects_.find(handle);
        return at == objects_.end() ? nullptr : at->second;
    }
    /// The same, and the handle is stale from now on. Of two threads that take it one has it.
    std::shared_ptr<Object> take(Handle handle) {
        const std::lock_guard lock(mutex_);
        const auto node = objects_.extract(handle);
        return node.empty() ? nullptr : node.mapped();
    }

private:
    mutable std::mutex mutex_;
    std::map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace warpwright
