// The replaced dlopen is a jump in assembly, because the loader looks at the caller's address to find its search path.
// Libraries that a file needs are opened in advance, so that its built-in path finds ours.
#include "takeover/redirect.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "support/libraries.hpp"
#include "support/settings.hpp"
#include "takeover/elf_file.hpp"
#include "takeover/stripped.hpp"

namespace warpwright::takeover {

std::string own_folder() {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return ".";
    const std::string file = info.dli_fname;
    const auto slash = file.rfind('/');
    return slash == std::string::npos ? "." : file.substr(0, slash);
}

std::string redirected(const std::string& name, const std::string& folder) {
    const auto slash = name.rfind('/');
    const std::string file = slash == std::string::npos ? name : name.substr(slash + 1);
    const DropIn* const known = drop_in_for(file);
    if (!known) return "";
    const std::string ours = folder + "/" + known->path();
    return ::access(ours.c_str(), R_OK) == 0 ? ours : "";
}

namespace {

/// Our libraries in whose place the loader would map others for this file, and for what it needs from its own folders.
void find_needed(const std::string& file, const std::string& folder, std::set<std::string>& seen,
                 std::vector<std::string>& ours) {
    if (!seen.insert(file).second) return;
    const auto needs = needs_of(file);
    for (const auto& name : needs.libraries) {
        if (name.starts_with("libcuda.so") || name.starts_with("libcudart.so")) {
            if (const auto own = redirected(name, folder); !own.empty() && seen.insert(own).second) ours.push_back(own);
            continue;
        }
        for (const auto& place : needs.folders) {
            const auto path = place + "/" + name;
            if (::access(path.c_str(), R_OK) != 0) continue;
            find_needed(path, folder, seen, ours);
            break;
        }
    }
}

using Open = void*(const char*, int);

/// A library that is linked to the runtime or driver library may have a path inside itself (DT_RPATH) that leads to
/// another one, as PyTorch's has. The loader takes what is loaded already under the same name, so ours is loaded before
/// it.
void open_needed(const char* name, const std::string& folder, Open* open) {
    static std::mutex lock;
    static auto* const seen = new std::set<std::string>;
    std::vector<std::string> ours;
    {
        const std::lock_guard held(lock);
        find_needed(name, folder, *seen, ours);
    }
    for (const auto& file : ours)
        if (!open(file.c_str(), RTLD_NOW | RTLD_LOCAL))
            std::fprintf(stderr, "warpwright: %s, which %s needs, cannot be loaded: %s\n", file.c_str(), name,
                         ::dlerror());
}

}  // namespace
}  // namespace warpwright::takeover

extern "C" {

/// The loader's own function, to which ours jumps.
__attribute__((visibility("hidden"))) void* ww_loaders_dlopen = nullptr;

/// Called before each dlopen: gives the name to open. `caller` is the place to which dlopen returns.
__attribute__((visibility("hidden"))) const char* ww_dlopen_name(const char* name, const void* caller) {
    using namespace warpwright::takeover;
    if (!ww_loaders_dlopen) ww_loaders_dlopen = ::dlsym(RTLD_NEXT, "dlopen");
    if (!name || (name[0] != '/' && !std::strstr(name, "lib"))) return name;
    if (std::strstr(name, "libcuda.so")) opens_driver(caller);
    static const std::string* const folder = new std::string(own_folder());
    const std::string ours = redirected(name, *folder);
    if (ours.empty() && name[0] == '/' && ww_loaders_dlopen)
        open_needed(name, *folder, reinterpret_cast<Open*>(ww_loaders_dlopen));
    if (ours.empty() || ours == name) return name;
    // Where the program has NVIDIA's compiler, ours leaves the compiling to it (src/compilers/nvrtc/vendor.hpp).
    if (std::strstr(name, "libnvrtc.so") && name[0] == '/' && ::access(name, R_OK) == 0)
        ::setenv(warpwright::settings::variable(warpwright::Setting::nvrtc), name, 0);
    // It lives as long as the process: there are few such names.
    return ::strdup(ours.c_str());
}
}

// The loader looks at who called dlopen, to search that object's own path. So ours changes the first argument and
// jumps: the caller stays the caller.
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl dlopen\n"
    ".type dlopen, @function\n"
    "dlopen:\n"
    "    endbr64\n"
    "    pushq %rsi\n"
    "    movq 8(%rsp), %rsi\n"
    "    subq $16, %rsp\n"
    "    call ww_dlopen_name\n"
    "    addq $16, %rsp\n"
    "    popq %rsi\n"
    "    movq %rax, %rdi\n"
    "    movq ww_loaders_dlopen(%rip), %rax\n"
    "    jmp *%rax\n"
    ".size dlopen, .-dlopen\n");
