// A lane's memory at generic addresses, byte by byte, for the services that the runtime does for kernels.
#pragma once

#include <cstdint>
#include <string>

#include "engine/shared/executor.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

/// Host memory behind a generic address; `bytes` 0 where there is none. A lane's local memory is not such memory.
struct HostView {
    std::uint8_t* at = nullptr;
    std::uint64_t bytes = 0;
    bool writable = true;
};
HostView host_view(BlockContext* c, std::uint64_t address);
/// Text that ends with 0, at most 1 MiB of it.
std::string text_at(BlockContext* c, std::uint64_t address);
/// The text that printf prints for a lane, at most 1 MiB; given are the addresses of its format and its arguments.
std::string print_text(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t format, std::uint64_t arguments);
bool read_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, void* to, unsigned bytes);
bool write_lane(BlockContext* c, WarpFrame* f, unsigned lane, std::uint64_t address, const void* from, unsigned bytes);

/// Sites that remember the allocation at `address` must look it up again.
void forget_sites(Executor& executor, std::uint64_t address);
/// The source location of a block of the program.
Location block_location(const KernelCode& code, std::uint32_t block);
/// Ends the launch with a fault at a block of the program.
void fail_at(BlockContext* c, std::uint32_t block, Cause cause, std::string what, std::string hint = "");

/// One lane's call of the runtime library on the device. `in`: its inputs, `stride` apart. False: the launch has ended.
bool device_call(BlockContext* c, WarpFrame* f, std::uint32_t which, std::uint32_t block, unsigned lane,
                 const std::uint64_t* in, unsigned stride, std::uint64_t& out);

}  // namespace warpwright::engine
