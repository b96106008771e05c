// The files of NVIDIA's driver in /dev. Packages look whether they are there before they ask the driver library (JAX
// for /dev/nvidia0), so the calls by which a program asks for a file find them, one for each emulated device: in the
// place of each stands /dev/null, which opens, reads nothing and has none of the driver's functions. Nothing is made in
// /dev, and no other name is touched: a listing of the folder shows what the machine has.
#include <dlfcn.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "support/settings.hpp"

namespace warpwright::takeover {
namespace {

/// What follows "/dev/nvidia" in the name of a file that a driver with the emulated devices would have.
bool is_of_driver(std::string_view rest) {
    if (rest == "ctl" || rest == "-uvm" || rest == "-uvm-tools") return true;
    unsigned number = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (problem != std::errc{} || end != rest.data() + rest.size()) return false;
    if (rest.size() > 1 && rest[0] == '0') return false;
    return number < settings::whole(Setting::device_count, 1);
}

long not_there() {
    errno = ENOSYS;
    return -1;
}

}  // namespace
}  // namespace warpwright::takeover

/// Called before each of the functions below: gives the file to ask for, and finds the C library's function.
extern "C" __attribute__((used, visibility("hidden"))) const char* ww_device_file(const char* path, void** real,
                                                                                  const char* name) {
    using namespace warpwright::takeover;
    if (!__atomic_load_n(real, __ATOMIC_ACQUIRE)) {
        void* found = ::dlsym(RTLD_NEXT, name);
        __atomic_store_n(real, found ? found : reinterpret_cast<void*>(&not_there), __ATOMIC_RELEASE);
    }
    constexpr std::string_view kBegin = "/dev/nvidia";
    if (!path || std::strncmp(path, kBegin.data(), kBegin.size()) != 0) return path;
    return is_of_driver(path + kBegin.size()) ? "/dev/null" : path;
}

// Each keeps all arguments but the path, which is in the register that its row names, and jumps: some have arguments
// that are there or not (the mode of open).
// clang-format off
__asm__(
    ".macro ww_asks name, path\n"
    "    .pushsection .data\n"
    "    .p2align 3\n"
    "ww_real_\\name: .quad 0\n"
    "    .popsection\n"
    "    .pushsection .rodata\n"
    "ww_name_\\name: .string \"\\name\"\n"
    "    .popsection\n"
    "    .text\n"
    "    .p2align 4\n"
    "    .globl \\name\n"
    "    .type \\name, @function\n"
    "\\name:\n"
    "    endbr64\n"
    "    pushq %rdi\n"
    "    pushq %rsi\n"
    "    pushq %rdx\n"
    "    pushq %rcx\n"
    "    pushq %r8\n"
    "    pushq %r9\n"
    "    subq $8, %rsp\n"
    "    movq %\\path, %rdi\n"
    "    leaq ww_real_\\name(%rip), %rsi\n"
    "    leaq ww_name_\\name(%rip), %rdx\n"
    "    call ww_device_file\n"
    "    addq $8, %rsp\n"
    "    popq %r9\n"
    "    popq %r8\n"
    "    popq %rcx\n"
    "    popq %rdx\n"
    "    popq %rsi\n"
    "    popq %rdi\n"
    "    movq %rax, %\\path\n"
    "    jmp *ww_real_\\name(%rip)\n"
    "    .size \\name, .-\\name\n"
    ".endm\n"
    "ww_asks access, rdi\n"
    "ww_asks faccessat, rsi\n"
    "ww_asks stat, rdi\n"
    "ww_asks stat64, rdi\n"
    "ww_asks lstat, rdi\n"
    "ww_asks lstat64, rdi\n"
    "ww_asks fstatat, rsi\n"
    "ww_asks fstatat64, rsi\n"
    "ww_asks statx, rsi\n"
    "ww_asks __xstat, rsi\n"
    "ww_asks __xstat64, rsi\n"
    "ww_asks __lxstat, rsi\n"
    "ww_asks __lxstat64, rsi\n"
    "ww_asks __fxstatat, rdx\n"
    "ww_asks __fxstatat64, rdx\n"
    "ww_asks open, rdi\n"
    "ww_asks open64, rdi\n"
    "ww_asks openat, rsi\n"
    "ww_asks openat64, rsi\n"
    "ww_asks __open_2, rdi\n"
    "ww_asks __open64_2, rdi\n");
// clang-format on
