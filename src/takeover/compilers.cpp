// NVIDIA's compilers that a program starts by their path, past the stand-ins that `run` puts into PATH: what they make
// is machine code, which runs on their GPUs alone. A ptxas is led to ours, which gives the PTX back. An nvcc stays,
// since it knows what clang does not, and is asked for PTX where it was to make machine code of one file (--cubin).
// What an nvcc starts itself stays as it is: it makes a program whose PTX lies beside its machine code. So does what is
// started without this library, as our runtime library starts a ptxas that it asks for registers.
//
// The functions are called between fork or vfork and exec too, so they allocate nothing and take no lock.
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "takeover/redirect.hpp"

namespace warpwright::takeover {
namespace {

/// The last part of a path.
const char* name_of(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// Our stand-ins; found when the program starts. Empty: this build has none.
char our_ptxas[4096], our_folder[4096];

bool is_ours(const char* path) {
    const std::size_t length = std::strlen(our_folder);
    return std::strncmp(path, our_folder, length) == 0 && path[length] == '/';
}

/// The process that started another; 0: not known.
int parent_of(int process) {
    char file[64], text[512];
    std::snprintf(file, sizeof file, "/proc/%d/stat", process);
    const int from = ::open(file, O_RDONLY | O_CLOEXEC);
    if (from < 0) return 0;
    const auto bytes = ::read(from, text, sizeof text - 1);
    ::close(from);
    if (bytes <= 0) return 0;
    text[bytes] = '\0';
    // "PID (NAME) STATE PARENT": a name may have anything in it.
    const char* end = std::strrchr(text, ')');
    return end && std::strlen(end) > 4 ? std::atoi(end + 4) : 0;
}

/// Whether this process, its parent or the parent of that (a shell stands between) is an nvcc.
bool under_nvcc() {
    constexpr int kGenerations = 3;
    int process = ::getpid();
    for (int k = 0; k < kGenerations && process > 1; ++k, process = parent_of(process)) {
        char file[64], program[4096];
        std::snprintf(file, sizeof file, "/proc/%d/exe", process);
        const auto bytes = ::readlink(file, program, sizeof program - 1);
        if (bytes <= 0) continue;
        program[bytes] = '\0';
        if (std::strcmp(name_of(program), "nvcc") == 0) return true;
    }
    return false;
}

/// Whether what is started has this library loaded first.
bool is_with_us(char* const* environment) {
    constexpr char kVariable[] = "LD_PRELOAD=";
    for (; environment && *environment; ++environment)
        if (std::strncmp(*environment, kVariable, sizeof kVariable - 1) == 0)
            return std::strstr(*environment, "libwarpwright_takeover.so") != nullptr;
    return false;
}

enum class Lead { nowhere, to_ptxas, to_ptx };

/// Where to lead what is to be started.
Lead lead_of(const char* path, char* const* environment) {
    if (!path || !*our_folder || !std::strchr(path, '/') || is_ours(path)) return Lead::nowhere;
    const char* const name = name_of(path);
    const bool ptxas = std::strcmp(name, "ptxas") == 0, nvcc = std::strcmp(name, "nvcc") == 0;
    // One that is not there is looked for elsewhere by who starts it.
    if ((!ptxas && !nvcc) || !is_with_us(environment) || ::access(path, X_OK) != 0 || under_nvcc())
        return Lead::nowhere;
    return ptxas ? Lead::to_ptxas : Lead::to_ptx;
}

bool asks_for_machine_code(const char* word) {
    return std::strcmp(word, "--cubin") == 0 || std::strcmp(word, "-cubin") == 0;
}

std::size_t count_of(char* const* words) {
    std::size_t n = 0;
    while (words && words[n]) ++n;
    return n;
}

/// The words with PTX in the place of machine code. `to` has room for all, and the null behind them.
void ask_for_ptx(char* const* words, std::size_t n, char** to) {
    static char ptx[] = "--ptx";
    for (std::size_t k = 0; k < n; ++k) to[k] = asks_for_machine_code(words[k]) ? ptx : words[k];
    to[n] = nullptr;
}

template <class F>
F* real(F*& function, const char* name) {
    if (!function) function = reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
    return function;
}

decltype(::execve)* real_execve = nullptr;
decltype(::execv)* real_execv = nullptr;
decltype(::execvp)* real_execvp = nullptr;
decltype(::execvpe)* real_execvpe = nullptr;
decltype(::posix_spawn)* real_spawn = nullptr;
decltype(::posix_spawnp)* real_spawnp = nullptr;

/// All is found beforehand: where it is needed, the loader must not be asked.
__attribute__((constructor)) void find_all() {
    (void)real(real_execve, "execve"), (void)real(real_execv, "execv"), (void)real(real_execvp, "execvp");
    (void)real(real_execvpe, "execvpe"), (void)real(real_spawn, "posix_spawn");
    (void)real(real_spawnp, "posix_spawnp");
    const std::string folder = own_folder() + "/compilers/bin", file = folder + "/ptxas";
    if (file.size() >= sizeof our_ptxas || ::access(file.c_str(), X_OK) != 0) return;
    std::memcpy(our_ptxas, file.c_str(), file.size() + 1);
    std::memcpy(our_folder, folder.c_str(), folder.size() + 1);
}

/// Calls `start` with the path and the words to start.
template <class F>
int led(const char* path, char* const* words, char* const* environment, F start) {
    const Lead lead = lead_of(path, environment);
    if (lead == Lead::to_ptxas) return start(our_ptxas, words);
    if (lead == Lead::nowhere || !words) return start(path, words);
    const std::size_t n = count_of(words);
    auto** const changed = static_cast<char**>(::alloca((n + 1) * sizeof(char*)));
    ask_for_ptx(words, n, changed);
    return start(path, const_cast<char* const*>(changed));
}

}  // namespace
}  // namespace warpwright::takeover

using namespace warpwright::takeover;

extern "C" {

#define WW_EXPORT __attribute__((visibility("default")))

WW_EXPORT int execve(const char* path, char* const words[], char* const environment[]) noexcept {
    return led(path, words, environment,
               [&](const char* to, char* const* w) { return real(real_execve, "execve")(to, w, environment); });
}

WW_EXPORT int execv(const char* path, char* const words[]) noexcept {
    return led(path, words, environ, [&](const char* to, char* const* w) { return real(real_execv, "execv")(to, w); });
}

WW_EXPORT int execvp(const char* file, char* const words[]) noexcept {
    return led(file, words, environ,
               [&](const char* to, char* const* w) { return real(real_execvp, "execvp")(to, w); });
}

WW_EXPORT int execvpe(const char* file, char* const words[], char* const environment[]) noexcept {
    return led(file, words, environment,
               [&](const char* to, char* const* w) { return real(real_execvpe, "execvpe")(to, w, environment); });
}

WW_EXPORT int posix_spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const words[],
                          char* const environment[]) noexcept {
    return led(path, words, environment, [&](const char* to, char* const* w) {
        return real(real_spawn, "posix_spawn")(process, to, actions, attributes, w, environment);
    });
}

WW_EXPORT int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                           const posix_spawnattr_t* attributes, char* const words[],
                           char* const environment[]) noexcept {
    return led(file, words, environment, [&](const char* to, char* const* w) {
        return real(real_spawnp, "posix_spawnp")(process, to, actions, attributes, w, environment);
    });
}
}
