// Children and folders are kept in fixed arrays of atomics, because a signal handler may neither lock nor allocate. For
// the same reason folders are emptied with system calls alone.
#include "support/early_end.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "host/processes.hpp"

namespace warpwright::early_end {
namespace {

struct ToEnd {
    pid_t pid = 0;  ///< with a minus: of a group; 0: the place is free
    int signal = 0;
};
std::array<std::atomic<ToEnd>, 128> children;
std::array<std::atomic<char*>, 256> folders;
static_assert(std::atomic<ToEnd>::is_always_lock_free && std::atomic<char*>::is_always_lock_free,
              "read by handlers of signals");

template <class List, class Value>
Place put(List& list, Value value) {
    for (Place place = 0; place < list.size(); ++place) {
        Value free{};
        if (list[place].compare_exchange_strong(free, value)) return place;
    }
    return none;
}

constexpr int kDeepest = 12, kPasses = 3;

/// Removes what is in an open folder. The functions of the standard library allocate memory, which a handler may not.
void empty_folder(int folder, int depth);
void remove_entry(int folder, const char* name, int depth) {
    if (::unlinkat(folder, name, 0) == 0 || depth == kDeepest) return;
    const int below = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0) return;
    empty_folder(below, depth + 1);
    ::close(below);
    (void)::unlinkat(folder, name, AT_REMOVEDIR);
}

void empty_folder(int folder, int depth) {
    // While entries go, a folder may hide some of the rest: it is read again.
    for (int pass = 0; pass < kPasses; ++pass)
        if (!host::each_entry(folder, remove_entry, depth)) return;
}

void on_signal(int signal) { end_by(signal); }

}  // namespace

Place add_child(pid_t pid, bool group, int signal) { return put(children, ToEnd{group ? -pid : pid, signal}); }
void remove_child(Place place) {
    if (place != none) children[place] = ToEnd{};
}

Place add_folder(const std::string& path) {
    char* copy = ::strdup(path.c_str());
    const Place place = put(folders, copy);
    if (place == none) std::free(copy);
    return place;
}
void remove_folder(Place place) {
    if (place != none) std::free(folders[place].exchange(nullptr));
}

void leave_nothing() {
    const int error = errno;
    for (auto& child : children)
        if (const auto [pid, signal] = child.exchange(ToEnd{}); pid != 0) (void)::kill(pid, signal);
    for (auto& place : folders) {
        // The text is not freed: a handler may not.
        const char* path = place.exchange(nullptr);
        if (!path) continue;
        const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) continue;
        empty_folder(folder, 0);
        ::close(folder);
        (void)::rmdir(path);
    }
    errno = error;
}

void end_by(int signal) {
    leave_nothing();
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    (void)::sigaction(signal, &action, nullptr);
    sigset_t only;
    ::sigemptyset(&only);
    ::sigaddset(&only, signal);
    (void)::raise(signal);
    (void)::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    ::_exit(128 + signal);
}

void on_signals() {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) {
        struct sigaction before{};
        if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
        struct sigaction action{};
        action.sa_handler = on_signal;
        ::sigemptyset(&action.sa_mask);
        (void)::sigaction(signal, &action, nullptr);
    }
}

void forget() {
    for (auto& child : children) child = ToEnd{};
    for (auto& folder : folders) folder = nullptr;
}

}  // namespace warpwright::early_end
