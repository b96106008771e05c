// The ranges of memory that are closed to the program, as the handler of its faults finds them: a fixed table of atomic
// words, since it may interrupt anything. What it notes stands in another one.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/host_buffers.hpp"

namespace warpwright::cudart::guard {

constexpr int kSlots = 128, kNotes = 256, kFrames = 24;

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
    bool write = false;
    int frames = 0;
    void* frame[kFrames] = {};
};
extern Note notes[kNotes];
extern std::atomic<std::uint64_t> touched;

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
