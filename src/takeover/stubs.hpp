// Leads functions elsewhere: a jump over the first bytes of each, to a stub near by that jumps to where the function is
// to lead. Stubs find that out when they are first called, because a library must not be loaded while the loader is at
// work.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::takeover {

/// Bytes at a function's beginning that are written over.
inline constexpr std::size_t kJumpBytes = 5;

/// Gives the address to which a stub leads; called once for each, with what it was made with.
using Resolve = void* (*)(const char* name, int version);

/// Makes stubs near an address, for functions of one object.
class Stubs {
public:
    /// Room for `count` stubs within reach of `near`; not ok() if there is none.
    Stubs(std::uint64_t near, std::size_t count);
    bool ok() const { return region_ != nullptr; }
    /// Leads the function at `address` to what `resolve` gives. False: its code cannot be written.
    bool lead(std::uint64_t address, const char* name, int version, Resolve resolve);
    /// Leads it to a function at once.
    bool lead(std::uint64_t address, void (*to)());
    /// No more stubs: from now on they can only be run.
    void seal();

private:
    bool put(std::uint64_t address, std::uint32_t number, void* to);
    std::uint8_t* region_ = nullptr;
    std::size_t bytes_ = 0, used_ = 0;
};

}  // namespace warpwright::takeover
