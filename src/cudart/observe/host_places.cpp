// The lines of the program's own calls. Looking one up reads debugging information, so it is done for what is reported
// alone.
#include "cudart/observe/host_places.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "cudart/state/python.hpp"
#include "debuginfo/host_code.hpp"
#include "support/declarations.hpp"

namespace warpwright::cudart {
namespace {

/// The runtime's own headers and the system's: a call there belongs to the code that included them.
bool of_a_header(const std::string& file) {
    const auto name = std::filesystem::path(file).filename().string();
    return name == "cuda_runtime.h" || name == "cuda_runtime_api.h" || name == "runtime_templates.h" ||
           name == "crt1.stub.c" || file.starts_with("/usr/");
}

/// The C library, which makes the first call of a program's functions, and ours that stands before it: with debugging
/// information they have lines, which are of no use to the user.
bool is_c_library(const void* address) {
    Dl_info info{};
    if (!::dladdr(address, &info) || !info.dli_fname) return false;
    const auto name = std::filesystem::path(info.dli_fname).filename().string();
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-linux") ||
           name.starts_with("libpthread") || name.starts_with("libwarpwright_takeover");
}

/// The host function that the compiler generates for a kernel.
bool is_stub(const std::string& function) { return function.find("__device_stub__") != std::string::npos; }

/// The program's line from which this library was called, and the function that it is in.
std::pair<record::FindingPlace, std::string> look_up(const CallStack& stack, bool stub) {
    record::FindingPlace place;
    std::string function;
    int skip = stub ? 1 : 0;
    if (!stack.empty())
        if (const auto* line = python::place_of(stack.front())) {
            place.file = short_path(line->file), place.line = line->line;
            return {place, line->function};
        }
    for (const void* address : stack) {
        if (is_c_library(address)) continue;
        for (const auto& p : debuginfo::host_places(address)) {
            if (skip > 0) {
                // nvcc generates two functions there, the second one beside the kernel, and below them a template of
                // its header.
                if (!p.file.ends_with(".stub.c") && !of_a_header(p.file) && !p.function.starts_with("cudaLaunchKernel"))
                    --skip;
                continue;
            }
            if (is_stub(p.function) || p.function == "_start") continue;
            if (function.empty() || (place.file.empty() && !p.file.empty() && !of_a_header(p.file)))
                function = p.function;
            if (p.file.empty() || p.line == 0 || of_a_header(p.file)) continue;
            place.file = short_path(p.file), place.line = p.line, place.column = p.column;
            return {place, p.function};
        }
    }
    return {place, function};
}

}  // namespace

/// A file in the working folder or below is named from there, as kernels' files are.
std::string short_path(const std::string& file) {
    std::error_code ec;
    const auto here = std::filesystem::current_path(ec);
    if (ec || !std::filesystem::path(file).is_absolute()) return file;
    const auto from_here = std::filesystem::path(file).lexically_relative(here).string();
    return from_here.empty() || from_here.starts_with("..") ? file : from_here;
}

/// Kept, because at the very end of a process no library should be asked for new information.
std::pair<record::FindingPlace, std::string> host_place(const CallStack& stack, bool stub) {
    static auto& mutex = *new std::mutex;
    static auto& known = *new std::map<CallStack, std::pair<record::FindingPlace, std::string>>;
    std::lock_guard lock(mutex);
    auto found = known.find(stack);
    if (found == known.end()) found = known.emplace(stack, look_up(stack, stub)).first;
    return found->second;
}

/// The variable that an allocating call sets. Takes the column away, which nothing else needs.
std::string set_by(SourceFiles& sources, record::FindingPlace& place) {
    const unsigned column = std::exchange(place.column, 0);
    const auto line = sources.line(place.file, place.line);
    return line ? allocated_variable(*line, column) : "";
}

}  // namespace warpwright::cudart
