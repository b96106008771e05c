// The ranges of memory that are closed to the program, as the handler of its faults finds them: a fixed table of atomic
// words, since it may interrupt anything. What it notes stands in another one.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "support/host_buffers.hpp"

namespace warpwright::cudart::guard {

constexpr int kSlots = 128, kNotes = 256, kFrames = 24, kCalls = 256, kParts = 8;

enum State : int { free_slot, open_slot, closed_slot, touched_slot };

/// A closed range: its pages, and the very bytes.
struct Slot {
    std::atomic<int> state{free_slot};
    std::atomic<std::uint64_t> first{0}, last{0}, at{0}, end{0};
    std::atomic<bool> by_page{false};      ///< a page opens when it is touched, not all of it
    std::atomic<std::uint64_t> thread{0};  ///< whose accesses are noted; 0: of all that do none of the device's work
    std::atomic<int> pages{0};             ///< that were touched
};
extern Slot slots[kSlots];

/// An access to a closed range.
struct Note {
    enum Stage : int { free, being_written, ready };
    std::atomic<int> stage{free};
    int slot = -1;
    std::uint64_t address = 0;
    std::uint64_t bytes = 1;
    bool write = false;
    bool by_system = false;  ///< in a call of the system, whose caller is the first frame that is not this library's
    int frames = 0;
    void* frame[kFrames] = {};
};
extern Note notes[kNotes];
extern std::atomic<std::uint64_t> touched;
/// Keeps an access, with the stack of whoever calls this. Nothing is allocated and no lock taken.
void note(int slot, std::uint64_t address, std::uint64_t bytes, bool write, bool by_system);

/// A call of the system that goes on: what it is given, and the closed ranges in that. Changed under PageLock.
struct Call {
    struct Range {
        std::uint64_t at = 0, end = 0;
    };
    struct Touch {
        int slot = -1;
        std::uint64_t address = 0, bytes = 0;
        std::uint64_t before = 0;  ///< bytes that the call uses before those
    };
    bool in_use = false, stores = false;
    std::uint64_t thread = 0;
    /// Where the thread's stack ended when it began; 0 on a handler's stack of its own. A call that a handler left by
    /// siglongjmp() never ends: it is over when its thread begins one from no deeper.
    std::uint64_t depth = 0;
    int parts = 0, touches = 0;
    Range part[kParts];
    Touch touch[kParts];
};
extern Call calls[kCalls];

/// Who opens or closes pages, and who is in the table of calls, holds this. Handlers of signals take it too, whatever
/// they have interrupted: so no signal comes to a thread that holds it, which allocates nothing meanwhile and takes no
/// other lock.
class PageLock {
public:
    PageLock();
    ~PageLock();
    PageLock(const PageLock&) = delete;
    PageLock& operator=(const PageLock&) = delete;

private:
    sigset_t before_;
};

std::uint64_t page_size();
/// 0 for none, or PROT_READ and PROT_WRITE.
void set_access(const Slot& s, int access);
void set_access(std::uint64_t first, std::uint64_t last, int access);
/// Whether faults come to the handler, and calls of the system are told. Where a program has a handler of its own they
/// do not, nor where the library that tells is not loaded.
bool is_ready();
/// From now on `functions` hears of the memory that the program hands to the system, if that library is there.
void hear_of_calls(const HostBufferFunctions& functions);
/// The thread's own number.
std::uint64_t this_thread();

}  // namespace warpwright::cudart::guard
