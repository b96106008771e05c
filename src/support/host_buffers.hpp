// What the runtime library asks of the library that `run` and `check` load first (src/takeover): to be told of the
// memory that a program hands to the system, in read(), write() and their like. Memory that is closed to the program
// while the device may use it would be refused there (EFAULT), where an access by the program's own code is only noted.
#pragma once

#include <sys/uio.h>

#include <cstdint>

namespace warpwright {

struct HostBufferFunctions {
    /// The system is about to use these buffers; `stores`: it writes to them. They stay open until the other call. Null
    /// where none of them concerns the device: then there is no other call.
    void* (*begin)(const iovec* buffers, int count, bool stores);
    /// It has used so many bytes of them, from the first on.
    void (*end)(void* begun, std::int64_t bytes);
};

/// The function that takes them, by its name in the process; and its type.
inline constexpr const char* kHostBuffers = "warpwright_host_buffers";
using TakeHostBuffers = void(const HostBufferFunctions*);

}  // namespace warpwright
