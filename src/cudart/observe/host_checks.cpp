// A failed call whose result the program does not use is noted with its stack, and forgotten when the program asks for
// the error. Source lines are looked up only for what is reported, because that reads debugging information.
#include "cudart/observe/host_checks.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cudart/memory/memory_table.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/observe/unwritten.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/operation.hpp"
#include "debuginfo/host_code.hpp"
#include "device/host_sharing.hpp"
#include "report/findings.hpp"
#include "shadow/findings.hpp"
#include "support/declarations.hpp"
#include "support/source_files.hpp"

extern "C" const char* cudaGetErrorName(cudaError_t error);
extern "C" const char* cudaGetErrorString(cudaError_t error);

namespace warpwright::cudart {
namespace {

constexpr std::size_t kMostFailures = 1000;

/// The runtime's own headers and the system's: a call there belongs to the code that included them.
bool of_a_header(const std::string& file) {
    const auto name = std::filesystem::path(file).filename().string();
    return name == "cuda_runtime.h" || name == "cuda_runtime_api.h" || name == "runtime_templates.h" ||
           name == "crt1.stub.c" || file.starts_with("/usr/");
}

/// The C library, which makes the first call of a program's functions: with its debugging information installed it has
/// lines, which are of no use to the user.
bool is_c_library(const void* address) {
    Dl_info info{};
    if (!::dladdr(address, &info) || !info.dli_fname) return false;
    const auto name = std::filesystem::path(info.dli_fname).filename().string();
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-linux") ||
           name.starts_with("libpthread");
}

/// The host function that the compiler generates for a kernel.
bool is_stub(const std::string& function) { return function.find("__device_stub__") != std::string::npos; }

/// A file in the working folder or below is named from there, as kernels' files are.
std::string short_path(const std::string& file) {
    std::error_code ec;
    const auto here = std::filesystem::current_path(ec);
    if (ec || !std::filesystem::path(file).is_absolute()) return file;
    const auto from_here = std::filesystem::path(file).lexically_relative(here).string();
    return from_here.empty() || from_here.starts_with("..") ? file : from_here;
}

/// The program's line from which this library was called, and the function that it is in.
std::pair<record::FindingPlace, std::string> look_up(const CallStack& stack, bool stub) {
    record::FindingPlace place;
    std::string function;
    int skip = stub ? 1 : 0;
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

/// Kept, because at the very end of a process no library should be asked for new information.
std::pair<record::FindingPlace, std::string> place_of(const CallStack& stack, bool stub = false) {
    static auto& known = *new std::map<CallStack, std::pair<record::FindingPlace, std::string>>;
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

std::string in(const record::FindingPlace& place, const std::string& function) {
    return place.line || function.empty() ? "" : " in " + function + " (compile with -g to see the line)";
}

std::string name_of(unsigned api) {
    const std::string name = api_name(api);
    return name == "cudaLaunchKernel" ? "a kernel's launch" : name;
}

}  // namespace

Checks& Checks::get() {
    static auto* checks = new Checks;
    return *checks;
}

bool Checks::on() {
    static const bool on = Runtime::get().settings.checks();
    return on;
}

bool Checks::unread(const CallStack& stack) {
    if (auto known = unread_.find(stack); known != unread_.end()) return known->second;
    return unread_[stack] = !debuginfo::result_is_read(stack);
}

void Checks::failed(unsigned api, cudaError_t error, bool stub) {
    auto& runtime = Runtime::get();
    // The kernel's own fault is reported, and a function that this library lacks is not the program's error.
    if (!(runtime.settings.checkers & static_cast<std::uint32_t>(record::Checker::api)) || runtime.ending() ||
        error == runtime.sticky() || error == cudaErrorNotReady || error == cudaErrorNotSupported)
        return;
    auto stack = calling_place();
    std::lock_guard lock(mutex_);
    if (!unread(*stack)) return;
    auto& failures = failures_[std::this_thread::get_id()];
    for (auto& f : failures)
        if (f.api == api && f.error == error && *f.stack == *stack) {
            ++f.count;
            return;
        }
    if (failures.size() < kMostFailures) failures.push_back({api, error, std::move(stack), 1, stub});
    write(false);
}

void Checks::asked() {
    std::lock_guard lock(mutex_);
    failures_.erase(std::this_thread::get_id());
}

/// Where the memory was allocated that an access missed or hit. Kept from the first time on, for it may be freed later.
void Checks::name_allocation(record::Finding& finding) {
    if (!finding.allocation || finding.allocated) return;
    const auto [address, bytes] = *finding.allocation;
    auto known = allocated_at_.find(*finding.allocation);
    if (known == allocated_at_.end()) {
        const auto block = MemoryTable::get().find(reinterpret_cast<const void*>(address));
        if (!block || !block->from || block->address != address || block->bytes != bytes) return;
        auto place = place_of(*block->from).first;
        if (place.line == 0) return;
        place.access = "allocation of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
        known = allocated_at_.emplace(*finding.allocation, std::move(place)).first;
    }
    finding.allocated = known->second;
    finding.allocated_as = set_by(sources_, *finding.allocated);
}

void Checks::copying(const Copy& copy) {
    if (!copy.call || copy.kind != cudaMemcpyDeviceToHost) return;
    auto& runtime = Runtime::get();
    auto* sharing = runtime.device()->host_sharing();
    if (!(runtime.settings.checkers & static_cast<std::uint32_t>(record::Checker::init)) || !sharing) return;
    Stretches unwritten;
    for (std::size_t z = 0; z < copy.depth; ++z)
        for (std::size_t y = 0; y < copy.height; ++y) {
            const auto* row = copy.from.at + z * copy.from.slice + y * copy.from.pitch;
            const auto of_row = sharing->unwritten(reinterpret_cast<device::Address>(row), copy.width);
            unwritten.insert(unwritten.end(), of_row.begin(), of_row.end());
        }
    if (unwritten.empty() || are_padding(unwritten)) return;
    const auto block = MemoryTable::get().find(reinterpret_cast<const void*>(unwritten[0].first));
    if (!block || block->kind != Block::Kind::device) return;
    std::lock_guard lock(mutex_);
    record::Finding found = record::finding_of(record::FindingKind::unwritten_copy);
    found.space = "global";
    found.allocation = {block->address, block->bytes};
    found.at = place_of(*copy.call).first;
    found.at.column = 0;
    found.at.access = "copy of " + std::to_string(copy.bytes()) + " bytes to the host";
    name_allocation(found);
    describe_unwritten(found, unwritten, writer_beside(*sharing, *block, unwritten), copy.bytes());
    runtime.device()->finding_log()->add_finding(std::move(found));
}

std::vector<record::Finding> Checks::findings(bool ended) {
    auto& runtime = Runtime::get();
    shadow::Collector all;
    if (runtime.started())
        for (auto& f : runtime.device()->finding_log()->findings()) {
            name_allocation(f);
            all.add(std::move(f));
        }
    kept_ = all.all().size();
    for (const auto& [thread, failures] : failures_)
        for (const auto& f : failures) {
            record::Finding found = record::finding_of(record::FindingKind::api_error);
            std::string function;
            std::tie(found.at, function) = place_of(*f.stack, f.stub);
            found.at.column = 0;
            found.at.access = api_name(f.api);
            found.message = name_of(f.api) + " returned " + cudaGetErrorName(f.error) + " (" +
                            cudaGetErrorString(f.error) + "), and the program did not check it" +
                            in(found.at, function);
            found.count = f.count;
            all.add(std::move(found));
        }
    // A faulty kernel ends most programs early, so allocations that they had no time to free are not reported.
    if (ended && (runtime.settings.checkers & static_cast<std::uint32_t>(record::Checker::leak)) &&
        runtime.sticky() == cudaSuccess) {
        // A loop that the compiler unrolled allocates at several addresses of its code, and at one line.
        struct Leak {
            record::FindingPlace at;
            std::string function;
            std::uint64_t bytes = 0;
            std::vector<Block> blocks;
        };
        std::map<std::array<std::string, 3>, Leak> places;
        for (const auto& b : MemoryTable::get().left()) {
            auto [at, function] = place_of(*b.from);
            const std::string variable = set_by(sources_, at);
            auto& leak = places[{at.text(), function, variable}];
            leak.at = std::move(at), leak.function = std::move(function);
            leak.bytes += b.bytes;
            leak.blocks.push_back(b);
        }
        for (const auto& [key, leak] : places) {
            const auto& [at, function, bytes, blocks] = leak;
            record::Finding found = record::finding_of(record::FindingKind::leak);
            found.at = at;
            found.allocated_as = key[2];
            const char* kind = blocks[0].kind == Block::Kind::pinned    ? "page-locked"
                               : blocks[0].kind == Block::Kind::managed ? "managed"
                                                                        : "device";
            found.at.access = "allocation";
            found.message = std::to_string(bytes) + " bytes of " + kind + " memory" +
                            (found.allocated_as.empty() ? "" : " (" + found.allocated_as + ")") + " are never freed" +
                            (blocks.size() > 1 ? ", in " + std::to_string(blocks.size()) + " allocations" : "") +
                            in(found.at, function);
            found.space = "global";
            found.address = blocks[0].address;
            found.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xffffffffu));
            found.allocation = {blocks[0].address, blocks[0].bytes};
            found.count = blocks.size();
            all.add(std::move(found));
        }
    }
    return all.all();
}

void Checks::write(bool ended) {
    const auto& file = Runtime::get().settings.findings;
    if (file.empty() || Runtime::get().forked()) return;
    const std::string part = file + ".part";
    {
        std::ofstream out(part, std::ios::binary);
        out << record::findings_json(findings(ended));
        if (!out.flush()) return;
    }
    std::rename(part.c_str(), file.c_str());
}

void Checks::over() {
    std::lock_guard lock(mutex_);
    if (Runtime::get().device()->finding_log()->findings().size() != kept_) write(false);
}

void Checks::end(bool last) {
    auto& runtime = Runtime::get();
    if (!on() || runtime.forked()) return;
    std::lock_guard lock(mutex_);
    if (!runtime.settings.findings.empty()) return write(true);
    if (!last) return;
    const auto found = findings(true);
    std::fflush(stdout);
    const auto text = printable_lines(report::findings_text(found, false));
    std::fprintf(stderr, "warpwright: %s", text.c_str());
}

}  // namespace warpwright::cudart
