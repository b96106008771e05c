// Which libraries were stripped with the static runtime in them, and what is said when one of them starts it.
#include "takeover/stripped.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <set>

namespace warpwright::takeover {
namespace {

std::mutex lock;

std::set<std::string>& noted() {
    static auto* all = new std::set<std::string>;
    return *all;
}

}  // namespace

void say(const std::string& text) { std::fprintf(stderr, "warpwright: %s\n", text.c_str()); }

void note_stripped(const std::string& file) {
    const std::lock_guard held(lock);
    noted().insert(file);
}

void opens_driver(const void* caller) {
    Dl_info info{};
    if (!::dladdr(caller, &info) || !info.dli_fname) return;
    {
        const std::lock_guard held(lock);
        if (noted().erase(info.dli_fname) == 0) return;
    }
    say(std::string(info.dli_fname) +
        " begins to use its static CUDA runtime, but has no symbol table: it was stripped, so that its kernels cannot "
        "be run here");
}

}  // namespace warpwright::takeover
