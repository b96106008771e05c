// Two filters are loaded: the first allows a list of calls and answers others as unknown, the second refuses known
// calls that reach outside. Calls that take the number of a process are allowed for this process and its group alone.
#include "confine/calls.hpp"

#include <asm/sockios.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

namespace warpwright::confine {
namespace {

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

Error failed(int code) {
    return Error{ErrorKind::no_device, std::string("cannot confine this process: seccomp: ") + std::strerror(-code),
                 Location{}, "run without --untrusted only what you trust"};
}

/// Calls that reach beyond the process, and that programs try: each is refused as what it is (EPERM), not as unknown.
constexpr const char* kOutside[] = {
    // the network, and sockets of any kind
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
    // queues that do what other calls would
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd",
    "pidfd_send_signal", "kcmp", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "shmget", "shmat", "shmctl", "msgget",
    "msgsnd", "msgrcv", "semget", "semop", "semtimedop", "mq_open",
    // the system
    "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "mount", "umount2", "pivot_root",
    "chroot", "unshare", "setns", "fsopen", "fsmount", "move_mount", "open_tree", "mount_setattr", "init_module",
    "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "syslog",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname", "quotactl",
    "open_by_handle_at", "name_to_handle_at", "memfd_create", "memfd_secret", "personality", "iopl", "ioperm",
    "fanotify_init", "mknod", "mknodat"};

/// All that a compiler, a kernel and a report need of the system. A call that is not here does not exist for the child
/// (ENOSYS), so that a C library newer than this list takes an older way.
constexpr const char* kInside[] = {
    // files; Landlock says which
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "open",
    "openat", "openat2", "creat", "close", "close_range", "stat", "fstat", "lstat", "newfstatat", "fstatat64", "statx",
    "statfs", "fstatfs", "lseek", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd", "chdir",
    "fchdir", "getdents", "getdents64", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "unlink",
    "unlinkat", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes",
    "utimensat", "umask", "truncate", "ftruncate", "fallocate", "fsync", "fdatasync", "flock", "fcntl", "ioctl", "dup",
    "dup2", "dup3", "pipe", "pipe2", "sendfile", "copy_file_range", "fadvise64", "readahead",
    // waiting for them
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
    "epoll_pwait2", "eventfd", "eventfd2",
    // memory
    "mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "msync", "mincore", "mlock", "mlock2", "munlock",
    "membarrier", "get_mempolicy", "set_mempolicy", "mbind", "pkey_alloc", "pkey_free", "pkey_mprotect",
    // threads, and the compiler's processes while they are allowed
    "clone", "fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "futex", "futex_waitv",
    "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "arch_prctl", "prctl", "seccomp", "sched_yield",
    "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min",
    "getpriority", "getcpu", "getpgid", "getpgrp", "getsid",
    // signals
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigpending", "rt_sigtimedwait",
    "sigaltstack", "restart_syscall", "pause",
    // what it is and what it has
    "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid",
    "capget", "getrlimit", "setrlimit", "getrusage", "times", "sysinfo", "uname", "getrandom",
    // time
    "nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time", "alarm", "getitimer",
    "setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_delete", "timer_getoverrun", "timerfd_create",
    "timerfd_settime", "timerfd_gettime"};

/// A filter that does `otherwise` with what it does not name; a call by another architecture's numbers ends the
/// process.
Result<void> load(std::uint32_t otherwise, const std::function<int(scmp_filter_ctx)>& fill) {
    const Filter filter(seccomp_init(otherwise), seccomp_release);
    if (!filter) return failed(-ENOMEM);
    if (const int code = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1); code != 0) return failed(code);
    if (const int code = fill(filter.get()); code != 0) return failed(code);
    if (const int code = seccomp_load(filter.get()); code != 0) return failed(code);
    return {};
}

/// The rule for a call that this architecture may not have at all.
template <class... Conditions>
int refuse(scmp_filter_ctx filter, const char* name, int error, Conditions... conditions) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR || call < 0) return 0;
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, sizeof...(conditions),
                            conditions...);
}

/// Calls that reach other processes by their numbers, and are allowed for this process alone; signals also for its
/// group, which is all that it has started.
int allow_for_self(scmp_filter_ctx filter) {
    constexpr std::uint64_t kPid = 0xffffffff;  // the bits of a number; the kernel does not look at those above
    const auto self = static_cast<std::uint64_t>(::getpid());
    const auto allow = [&](const char* name, unsigned argument, std::uint64_t value) {
        const int call = seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR || call < 0) return 0;
        return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
                                SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, kPid, value & kPid));
    };
    for (const std::uint64_t to : {self, std::uint64_t{0}, 0 - self})
        if (const int code = allow("kill", 0, to); code != 0) return code;
    if (const int code = allow("tgkill", 0, self); code != 0) return code;
    for (const char* name : {"prlimit64", "sched_setaffinity"})
        if (const int code = allow(name, 0, 0); code != 0) return code;
    return 0;
}

}  // namespace

bool filters_supported() {
    // Without an argument it fails either way: EFAULT where filters are known.
    return ::prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, nullptr, 0, 0) != 0 && errno == EFAULT;
}

Result<void> refuse_outside_calls() {
    // Two filters, of which the stricter one decides; of two refusals that of the later filter.
    const auto inside = load(SCMP_ACT_ERRNO(ENOSYS), [](scmp_filter_ctx filter) {
        for (const char* name : kInside) {
            const int call = seccomp_syscall_resolve_name(name);
            if (call == __NR_SCMP_ERROR || call < 0) continue;  // not of this architecture
            if (const int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); code != 0) return code;
        }
        return allow_for_self(filter);
    });
    if (!inside) return inside;
    return load(SCMP_ACT_ALLOW, [](scmp_filter_ctx filter) {
        for (const char* name : kOutside)
            if (const int code = refuse(filter, name, EPERM); code != 0) return code;
        // Its flags lie in memory, where a filter cannot see them; the C library then takes clone.
        if (const int code = refuse(filter, "clone3", ENOSYS); code != 0) return code;
        for (const std::uint64_t flag :
             {std::uint64_t{CLONE_NEWUSER}, std::uint64_t{CLONE_NEWNS}, std::uint64_t{CLONE_NEWPID},
              std::uint64_t{CLONE_NEWNET}, std::uint64_t{CLONE_NEWIPC}, std::uint64_t{CLONE_NEWUTS},
              std::uint64_t{CLONE_NEWCGROUP}})
            if (const int code = refuse(filter, "clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)); code != 0)
                return code;
        // Signals that a file sends to whom it is told.
        for (const std::uint64_t command : {F_SETOWN, F_SETOWN_EX, F_SETSIG})
            if (const int code = refuse(filter, "fcntl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, command));
                code != 0)
                return code;
        for (const std::uint64_t command : {FIOSETOWN, SIOCSPGRP})
            if (const int code = refuse(filter, "ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, command));
                code != 0)
                return code;
        // Typing into the terminal that we were started from, or pasting (TIOCSTI, TIOCLINUX).
        for (const std::uint64_t command : {0x5412, 0x541c})
            if (const int code = refuse(filter, "ioctl", EPERM, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffffu, command));
                code != 0)
                return code;
        return 0;
    });
}

Result<void> refuse_new_processes(bool may_become) {
    const auto self = static_cast<std::uint64_t>(::getpid());
    return load(SCMP_ACT_ALLOW, [self, may_become](scmp_filter_ctx filter) {
        for (const char* name : {"execve", "execveat"})
            if (const int code = may_become ? 0 : refuse(filter, name, EPERM); code != 0) return code;
        for (const char* name : {"fork", "vfork"})
            if (const int code = refuse(filter, name, EPERM); code != 0) return code;
        if (const int code =
                refuse(filter, "clone", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, std::uint64_t{CLONE_THREAD}, 0));
            code != 0)
            return code;
        for (const char* name : {"kill", "tgkill"})
            if (const int code = refuse(filter, name, EPERM, SCMP_A0(SCMP_CMP_NE, self)); code != 0) return code;
        if (const int code = refuse(filter, "tkill", EPERM); code != 0) return code;
        // It ends with the process that started it, whatever it would rather do.
        for (const std::uint64_t what : {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_MM})
            if (const int code = refuse(filter, "prctl", EPERM, SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffffu, what));
                code != 0)
                return code;
        return refuse(filter, "prlimit64", EPERM, SCMP_A0(SCMP_CMP_NE, 0));
    });
}

}  // namespace warpwright::confine
