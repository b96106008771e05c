// Page-locked memory to which a copy may still be writing is closed to the program: its first access there ends in a
// handler, which opens the memory again and keeps where that was. Allocations under the checkers lie so far apart that
// no page belongs to two of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/work/stream/stream_order.hpp"

namespace warpwright::cudart {

class HostGuard {
public:
    static HostGuard& get();

    /// From now on the host may not touch these bytes of the block, as far as whole pages hold nothing else of it.
    void close(std::uint64_t at, std::uint64_t bytes, const Block& block);
    /// The work for which the host has to wait, for what was closed by the calling thread last.
    void set_work(const IssuedWork& by);
    /// Work is about to access memory; and has done so.
    void open_for_work(std::uint64_t at, std::uint64_t bytes);
    void close_again();
    /// Opens what is closed for work that `known` says yes of.
    template <class Known>
    void open_known(Known&& known) {
        std::lock_guard lock(mutex_);
        for (auto& c : closed_)
            if (c.by && known(*c.by)) open(c);
        std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
    }
    void open_all();

    /// An access by the program's own code to memory that was closed.
    struct Touch {
        std::uint64_t address = 0;
        bool write = false;
        CallStack stack;  ///< from the access itself outwards
        IssuedWork by;
    };
    /// Those since the last call.
    std::vector<Touch> touches();

private:
    struct Closed {
        int slot = -1;  ///< in the handler's table
        IssuedWork by;
    };
    void open(Closed& c);
    std::mutex mutex_;
    std::vector<Closed> closed_;
    int last_ = -1;
};

}  // namespace warpwright::cudart
