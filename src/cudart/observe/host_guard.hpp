// Memory that the host shares with work which may still be using it is closed to the program: its first accesses there
// end in a handler, which opens a page again and keeps where that was. It is closed for three purposes: page-locked
// memory to which a copy may still be writing; managed and page-locked memory that a queued kernel may use; and all
// such memory for the thread that runs a host function, whose accesses are its part in the order of work. Allocations
// under the checkers lie so far apart that no page belongs to two of them. What the program hands to the system, in
// write() and its like, is opened for the call, and noted as far as the system used it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <sys/uio.h>

#include "cudart/memory/memory_table.hpp"
#include "cudart/observe/guard_slots.hpp"
#include "cudart/state/call_stack.hpp"
#include "cudart/work/stream/stream_order.hpp"

namespace warpwright::cudart {

class HostGuard {
public:
    enum class For : int { copy, kernel, function };
    static HostGuard& get();

    /// From now on the host may not touch these bytes of the block, as far as whole pages hold nothing else of it.
    void close(std::uint64_t at, std::uint64_t bytes, const Block& block);
    /// The work for which the host has to wait, for what was closed by the calling thread last.
    void set_work(const IssuedWork& by);
    /// Kernels are about to be queued by the calling thread that may use these blocks; and this is their work.
    void close_for_kernels(const std::vector<Block>& blocks);
    void set_kernels(const IssuedWork& by);
    bool is_closed_for(const IssuedWork& by);
    /// A kernel runs, and has ended: memory is open to it, and so to the host, meanwhile.
    void begin_kernel();
    void end_kernel();
    /// Work is about to access memory; and has done so.
    void open_for_work(std::uint64_t at, std::uint64_t bytes);
    void close_again();
    /// Opens what is closed for work that `known` says yes of.
    template <class Known>
    void open_known(Known&& known) {
        std::lock_guard lock(mutex_);
        collect();
        for (auto& c : closed_) {
            if (c.by.empty()) continue;
            std::erase_if(c.by, [&](const auto& by) { return known(*by); });
            if (c.by.empty()) open(c);
        }
        std::erase_if(closed_, [](const Closed& c) { return c.slot < 0; });
    }
    void open_all();

    /// An access by the program's own code to memory that was closed.
    struct Touch {
        For purpose = For::copy;
        std::uint64_t address = 0;
        std::uint64_t bytes = 1;
        bool write = false;
        bool by_system = false;      ///< in a call of the system that the program made
        CallStack stack;             ///< from the access itself outwards
        std::vector<IssuedWork> by;  ///< for which the memory was closed
        std::uint64_t thread = 0;    ///< of a host function
    };
    /// Those since the last call.
    std::vector<Touch> touches();
    /// "load by the host", "store by a call of the system"
    static std::string access_name(const Touch& touch);
    /// How often closed memory was touched until now.
    static std::uint64_t touched();

    /// While a host function runs, its thread's accesses to these blocks are noted.
    void begin_function(const std::vector<Block>& blocks);
    std::vector<Touch> end_function();

    /// From now on memory that the program hands to the system, in read(), write() and their like, is open for the
    /// call, and touched as far as the system used it. Where that cannot be nothing is closed.
    static void hear_of_calls();

private:
    struct Closed {
        int slot = -1;  ///< in the handler's table
        For purpose = For::copy;
        std::vector<IssuedWork> by;
    };
    static void* begin_call(const iovec* buffers, int count, bool stores);
    static void end_call(void* begun, std::int64_t bytes);
    int close_pages(std::uint64_t first, std::uint64_t last, std::uint64_t at, std::uint64_t end, For purpose);
    int close_block(const Block& block, For purpose);
    void open(Closed& c);
    void close_slot(guard::Slot& s);
    void collect();
    std::mutex mutex_;
    std::vector<Closed> closed_;
    std::vector<Touch> noted_;
    int running_ = 0;
};

}  // namespace warpwright::cudart
