// Frames of this library and of the libraries around it are skipped by the folder of their file. Only addresses are
// kept, and without checkers nothing at all, because a stack is taken on many calls.
#include "cudart/state/call_stack.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "cudart/state/python.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {

/// Whether code is this library's or one of its faces', which stand in folders beside it (cudart13/, cuda/), or of the
/// library that stands between the program and the C library.
bool is_own(const void* address) {
    static const std::string folder = library_folder();
    Dl_info info{};
    if (!::dladdr(address, &info) || !info.dli_fname) return false;
    const auto name = std::filesystem::path(info.dli_fname).filename().string();
    if (!name.starts_with("libcudart.so") && !name.starts_with("libcuda.so") &&
        !name.starts_with("libwarpwright_cuda") && !name.starts_with("libwarpwright_takeover"))
        return false;
    std::error_code ec;
    const auto at = std::filesystem::weakly_canonical(info.dli_fname, ec).parent_path();
    return at == folder || at.parent_path() == folder;
}

}  // namespace

std::shared_ptr<const CallStack> calling_place() {
    if (!Runtime::get().settings.checks()) return nullptr;
    void* addresses[32];
    const int n = ::backtrace(addresses, 32);
    int first = 0;
    // A sanitizer's backtrace() stands before this function.
    while (first < n && !is_own(addresses[first])) ++first;
    while (first < n && is_own(addresses[first])) ++first;
    auto stack = std::make_shared<CallStack>(addresses + first, addresses + n);
    if (const auto* line = python::calling_line(first < n ? addresses[first] : nullptr))
        stack->insert(stack->begin(), const_cast<python::Place*>(line));
    return stack;
}

}  // namespace warpwright::cudart
