// The functions by which a program hands memory to the system. Memory that is closed to the program while the device
// may use it (cudart/observe/host_guard) is opened for each of them, and what they used of it is told to the runtime
// library. Nobody else notices: without that library, or without such memory, they are the C library's.
//
// They are called between fork or vfork and exec too, and in handlers of signals, which may have interrupted anything:
// here nothing is allocated and no lock taken, and the C library's functions are found beforehand. Nor does the runtime
// library allocate; it looks at buffers that lie between the first and the last byte of memory that was ever shared
// with the device (HostGuard::begin_call), closed now or not, since it may be closed before the call is over. Its one
// lock (PageLock) is held for short, while no signal comes to its thread; in the child of a fork not even that is
// taken.
#undef _FORTIFY_SOURCE
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/host_buffers.hpp"
#include "takeover/next.hpp"

namespace warpwright::takeover {
namespace {

std::atomic<const HostBufferFunctions*> functions{nullptr};

/// What the system uses during a call of the program's.
class InUse {
public:
    InUse(const iovec* buffers, int count, bool stores) : told_(functions.load(std::memory_order_acquire)) {
        if (told_ && buffers && count > 0) begun_ = told_->begin(buffers, count, stores);
    }
    InUse(const void* at, std::size_t bytes, bool stores) : told_(functions.load(std::memory_order_acquire)) {
        if (!told_ || !at || bytes == 0) return;
        const iovec all{const_cast<void*>(at), bytes};
        begun_ = told_->begin(&all, 1, stores);
    }
    InUse(const InUse&) = delete;
    ~InUse() { (void)used(0); }
    /// Passes on the result of a call which says how many bytes it used; the program looks at errno next.
    template <class Count>
    Count used(Count bytes) {
        if (!begun_) return bytes;
        const int error = errno;
        told_->end(begun_, static_cast<std::int64_t>(bytes));
        begun_ = nullptr;
        errno = error;
        return bytes;
    }
    /// The same where it counts elements.
    std::size_t used(std::size_t elements, std::size_t each) { return used(elements * each), elements; }

private:
    const HostBufferFunctions* told_;
    void* begun_ = nullptr;
};

constexpr bool kStores = true, kLoads = false;

/// The bytes of elements; none where no memory has so many.
std::size_t bytes_of(std::size_t each, std::size_t elements) {
    std::size_t bytes = 0;
    return __builtin_mul_overflow(each, elements, &bytes) ? 0 : bytes;
}

std::size_t length_of(const char* text) { return text ? std::strlen(text) : 0; }

}  // namespace
}  // namespace warpwright::takeover

using namespace warpwright::takeover;

#define WW_EXPORT __attribute__((visibility("default")))

extern "C" {

WW_EXPORT void warpwright_host_buffers(const warpwright::HostBufferFunctions* to) {
    functions.store(to, std::memory_order_release);
}

#define WW_FOUND(name, type)              \
    static Next<type> next_##name(#name); \
    __attribute__((constructor)) static void find_##name() { (void)next_##name(); }

// A function that uses one buffer, or several, and says how many bytes: its name, the result, its parameters, the
// buffers, whether it stores there, and its arguments.
#define WW_USES(name, result, parameters, buffers, stores, arguments) \
    WW_FOUND(name, result parameters)                                 \
    WW_EXPORT result name parameters {                                \
        InUse use(WW_LIST buffers, stores);                           \
        return use.used(next_##name() arguments);                     \
    }
#define WW_LIST(...) __VA_ARGS__

WW_USES(read, ssize_t, (int file, void* to, size_t n), (to, n), kStores, (file, to, n))
WW_USES(write, ssize_t, (int file, const void* from, size_t n), (from, n), kLoads, (file, from, n))
WW_USES(pread, ssize_t, (int file, void* to, size_t n, off_t at), (to, n), kStores, (file, to, n, at))
WW_USES(pread64, ssize_t, (int file, void* to, size_t n, off64_t at), (to, n), kStores, (file, to, n, at))
WW_USES(pwrite, ssize_t, (int file, const void* from, size_t n, off_t at), (from, n), kLoads, (file, from, n, at))
WW_USES(pwrite64, ssize_t, (int file, const void* from, size_t n, off64_t at), (from, n), kLoads, (file, from, n, at))
WW_USES(readv, ssize_t, (int file, const iovec* to, int n), (to, n), kStores, (file, to, n))
WW_USES(writev, ssize_t, (int file, const iovec* from, int n), (from, n), kLoads, (file, from, n))
WW_USES(preadv, ssize_t, (int file, const iovec* to, int n, off_t at), (to, n), kStores, (file, to, n, at))
WW_USES(preadv64, ssize_t, (int file, const iovec* to, int n, off64_t at), (to, n), kStores, (file, to, n, at))
WW_USES(pwritev, ssize_t, (int file, const iovec* from, int n, off_t at), (from, n), kLoads, (file, from, n, at))
WW_USES(pwritev64, ssize_t, (int file, const iovec* from, int n, off64_t at), (from, n), kLoads, (file, from, n, at))
WW_USES(preadv2, ssize_t, (int file, const iovec* to, int n, off_t at, int flags), (to, n), kStores,
        (file, to, n, at, flags))
WW_USES(preadv64v2, ssize_t, (int file, const iovec* to, int n, off64_t at, int flags), (to, n), kStores,
        (file, to, n, at, flags))
WW_USES(pwritev2, ssize_t, (int file, const iovec* from, int n, off_t at, int flags), (from, n), kLoads,
        (file, from, n, at, flags))
WW_USES(pwritev64v2, ssize_t, (int file, const iovec* from, int n, off64_t at, int flags), (from, n), kLoads,
        (file, from, n, at, flags))
WW_USES(recv, ssize_t, (int socket, void* to, size_t n, int flags), (to, n), kStores, (socket, to, n, flags))
WW_USES(send, ssize_t, (int socket, const void* from, size_t n, int flags), (from, n), kLoads, (socket, from, n, flags))
WW_USES(recvfrom, ssize_t, (int socket, void* to, size_t n, int flags, sockaddr* who, socklen_t* size), (to, n),
        kStores, (socket, to, n, flags, who, size))
WW_USES(sendto, ssize_t, (int socket, const void* from, size_t n, int flags, const sockaddr* who, socklen_t size),
        (from, n), kLoads, (socket, from, n, flags, who, size))
WW_USES(recvmsg, ssize_t, (int socket, msghdr* to, int flags),
        (to ? to->msg_iov : nullptr, static_cast<int>(to ? to->msg_iovlen : 0)), kStores, (socket, to, flags))
WW_USES(sendmsg, ssize_t, (int socket, const msghdr* from, int flags),
        (from ? from->msg_iov : nullptr, static_cast<int>(from ? from->msg_iovlen : 0)), kLoads, (socket, from, flags))
WW_USES(getrandom, ssize_t, (void* to, size_t n, unsigned flags), (to, n), kStores, (to, n, flags))

// What the C library's headers call where a compiler knows how much room there is.
WW_USES(__read_chk, ssize_t, (int file, void* to, size_t n, size_t room), (to, n), kStores, (file, to, n, room))
WW_USES(__pread_chk, ssize_t, (int file, void* to, size_t n, off_t at, size_t room), (to, n), kStores,
        (file, to, n, at, room))
WW_USES(__pread64_chk, ssize_t, (int file, void* to, size_t n, off64_t at, size_t room), (to, n), kStores,
        (file, to, n, at, room))
WW_USES(__recv_chk, ssize_t, (int socket, void* to, size_t n, size_t room, int flags), (to, n), kStores,
        (socket, to, n, room, flags))
WW_USES(__recvfrom_chk, ssize_t,
        (int socket, void* to, size_t n, size_t room, int flags, sockaddr* who, socklen_t* size), (to, n), kStores,
        (socket, to, n, room, flags, who, size))

// Those of stdio: large pieces go between the program's memory and the file past the stream's buffer.
#define WW_COUNTS(name, parameters, memory, stores, arguments) \
    WW_FOUND(name, size_t parameters)                          \
    WW_EXPORT size_t name parameters {                         \
        InUse use(memory, bytes_of(each, n), stores);          \
        return use.used(next_##name() arguments, each);        \
    }
WW_COUNTS(fread, (void* to, size_t each, size_t n, FILE* file), to, kStores, (to, each, n, file))
WW_COUNTS(fread_unlocked, (void* to, size_t each, size_t n, FILE* file), to, kStores, (to, each, n, file))
WW_COUNTS(__fread_chk, (void* to, size_t room, size_t each, size_t n, FILE* file), to, kStores,
          (to, room, each, n, file))
WW_COUNTS(__fread_unlocked_chk, (void* to, size_t room, size_t each, size_t n, FILE* file), to, kStores,
          (to, room, each, n, file))
WW_COUNTS(fwrite, (const void* from, size_t each, size_t n, FILE* file), from, kLoads, (from, each, n, file))
WW_COUNTS(fwrite_unlocked, (const void* from, size_t each, size_t n, FILE* file), from, kLoads, (from, each, n, file))

#define WW_PUTS(name, parameters, arguments)        \
    WW_FOUND(name, int parameters)                  \
    WW_EXPORT int name parameters {                 \
        const auto bytes = length_of(text);         \
        InUse use(text, bytes, kLoads);             \
        const int result = next_##name() arguments; \
        (void)use.used(result < 0 ? 0 : bytes);     \
        return result;                              \
    }
WW_PUTS(puts, (const char* text), (text))
WW_PUTS(fputs, (const char* text, FILE* file), (text, file))
WW_PUTS(fputs_unlocked, (const char* text, FILE* file), (text, file))
}
