// Calls that Linux alone has, some of them without a function of the C library; /proc has a folder for each process.
#include "host/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace warpwright::host {

void end_with_parent(int signal) { (void)::prctl(PR_SET_PDEATHSIG, signal); }
void fix_addresses() { (void)::personality(ADDR_NO_RANDOMIZE); }
void adopt_orphans() { (void)::prctl(PR_SET_CHILD_SUBREAPER, 1); }
bool open_pipe(int (&descriptors)[2]) { return ::pipe2(descriptors, O_CLOEXEC) == 0; }
void become(const char* program, char* const* words, char* const* environment) {
    ::execvpe(program, words, environment);
}
void close_from(int first) { (void)::syscall(SYS_close_range, static_cast<unsigned>(first), ~0u, 0u); }
int end_of(pid_t child) { return static_cast<int>(::syscall(SYS_pidfd_open, child, 0)); }

namespace {

/// The fields of /proc/PID/stat behind the name, which may hold anything: "PID (NAME) STATE PARENT ...".
std::string behind_name(const std::string& process) {
    std::ifstream in("/proc/" + process + "/stat");
    std::string text;
    std::getline(in, text, '\0');
    const auto end = text.rfind(')');
    return end == std::string::npos ? "" : text.substr(end + 1);
}

}  // namespace

std::map<pid_t, pid_t> parents() {
    std::map<pid_t, pid_t> out;
    DIR* all = ::opendir("/proc");
    if (!all) return out;
    while (const dirent* entry = ::readdir(all)) {
        const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
        if (pid <= 0) continue;
        std::istringstream fields(behind_name(entry->d_name));
        std::string state;
        pid_t parent = 0;
        if (fields >> state >> parent) out[pid] = parent;
    }
    ::closedir(all);
    return out;
}

bool runs(pid_t process) {
    if (::kill(process, 0) != 0 && errno == ESRCH) return false;
    std::istringstream fields(behind_name(std::to_string(process)));
    std::string state, other;
    if (!(fields >> state)) return true;
    constexpr int kBetween = 16;
    for (int k = 0; k < kBetween; ++k) fields >> other;
    long threads = 0;  // others may go on when the first has ended
    fields >> threads;
    return (state != "Z" && state != "X") || threads > 1;
}

namespace {

/// An entry of a folder as the system's call gives it. (readdir allocates memory.)
struct Entry {
    ino64_t number;
    off64_t next;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

}  // namespace

bool each_entry(int folder, void (*each)(int, const char*, int), int depth) {
    if (::lseek(folder, 0, SEEK_SET) != 0) return false;
    alignas(Entry) char buffer[2048];
    for (long n = 0; (n = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
        for (long at = 0; at < n;) {
            const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
            at += entry->bytes;
            const char* name = entry->name;
            if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0) each(folder, name, depth);
        }
    return true;
}

}  // namespace warpwright::host
