// Where ranks meet that are not queued together: those of other processes on this machine, and those that other threads
// queue. It is an unnamed file that all map, so nothing of it is left when they end: each rank's part of what is
// exchanged lies there for a moment. The identifier of a communicator names the process that made it, the file's
// descriptor and a key.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "nccl.h"

namespace warpwright::libraries::nccl {

class Meeting {
public:
    static constexpr unsigned kMostRanks = 64;
    static constexpr std::size_t kSlotBytes = std::size_t{1} << 20;  ///< of a rank, for exchanges of all
    static constexpr std::size_t kBoxBytes = std::size_t{64} << 10;  ///< of each pair, from one to the other

    /// A new one, and its identifier; null where the system gives no memory.
    static std::shared_ptr<Meeting> make(ncclUniqueId& id);
    /// That of an identifier; null: there is none (any more).
    static std::shared_ptr<Meeting> open(const ncclUniqueId& id);
    ~Meeting();
    Meeting(const Meeting&) = delete;

    /// Takes the place of a rank; false: another has it, or came with another number of ranks.
    bool join(unsigned ranks, unsigned rank);
    /// Whether every rank has come: nobody asks for the file again.
    bool complete() const;
    /// The rank does nothing any more: whoever waits for it waits in vain.
    void leave(unsigned rank);

    /// All ranks have come to this point. `gives_up` is asked from time to time; false: it has, or a rank has left
    /// or its process ended.
    bool meet(const std::function<bool()>& gives_up);
    std::byte* slot(unsigned rank) const;

    /// A box from one rank to another, which holds one piece at a time.
    struct Box {
        std::atomic<std::uint32_t> bytes;  ///< of the piece; 0: it is empty
    };
    Box& box(unsigned from, unsigned to) const;
    std::byte* piece(unsigned from, unsigned to) const;
    /// False: the rank has left, or its process has ended. One that has not come yet lives.
    bool lives(unsigned rank) const;

private:
    bool all_live() const;
    struct Header;
    Meeting(Header* header, int file) : header_(header), file_(file) {}
    static std::shared_ptr<Meeting> map(int file);

    Header* header_;
    int file_;  ///< of the process that made it; else -1
};

}  // namespace warpwright::libraries::nccl
