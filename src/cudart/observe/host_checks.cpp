// A failed call whose result the program does not use is noted with its stack, and forgotten when the program asks for
// the error. Source lines are looked up only for what is reported, because that reads debugging information.
#include "cudart/observe/host_checks.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "cudart/memory/host_tensors.hpp"
#include "cudart/memory/memory_table.hpp"
#include "cudart/observe/host_places.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/observe/stream_checks.hpp"
#include "cudart/observe/unwritten.hpp"
#include "cudart/state/names.hpp"
#include "cudart/state/python.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/work/stream/operation.hpp"
#include "debuginfo/host_code.hpp"
#include "device/host_sharing.hpp"
#include "report/findings.hpp"
#include "shadow/findings.hpp"
#include "support/source_files.hpp"
#include "text/counted.hpp"

extern "C" const char* cudaGetErrorName(cudaError_t error);
extern "C" const char* cudaGetErrorString(cudaError_t error);

namespace warpwright::cudart {
namespace {

constexpr std::size_t kMostFailures = 1000;

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
    // Python's bindings look at every result.
    if (!stack.empty() && python::place_of(stack.front())) return false;
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
    if (const auto tensor = HostTensors::get().known(address)) {
        if (tensor->given) {
            finding.allocated.emplace();
            finding.allocated->file = short_path(tensor->given->file), finding.allocated->line = tensor->given->line;
            finding.allocated->access = "tensor of " + counted(bytes, "bytes");
        }
        finding.allocated_as = tensor->name;
        return;
    }
    auto known = allocated_at_.find(*finding.allocation);
    if (known == allocated_at_.end()) {
        const auto block = MemoryTable::get().find(reinterpret_cast<const void*>(address));
        if (!block || !block->from || block->address != address || block->bytes != bytes) return;
        auto place = host_place(*block->from).first;
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
    found.at = host_place(*copy.call).first;
    found.at.column = 0;
    found.at.access = "copy of " + std::to_string(copy.bytes()) + " bytes to the host";
    name_allocation(found);
    describe_unwritten(found, unwritten, writer_beside(*sharing, *block, unwritten), copy.bytes());
    runtime.device()->finding_log()->add_finding(std::move(found));
}

std::vector<record::Finding> Checks::findings(bool ended) {
    auto& runtime = Runtime::get();
    shadow::Collector all;
    kept_ = 0;
    if (runtime.started())
        for (auto& f : runtime.device()->finding_log()->findings()) {
            name_allocation(f);
            for (auto& told : places_.told(f, sources_)) all.add(std::move(told));
            ++kept_;
        }
    for (const auto& [thread, failures] : failures_)
        for (const auto& f : failures) {
            record::Finding found = record::finding_of(record::FindingKind::api_error);
            std::string function;
            std::tie(found.at, function) = host_place(*f.stack, f.stub);
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
        runtime.sticky() == cudaSuccess && !python::is_there()) {
        // A loop that the compiler unrolled allocates at several addresses of its code, and at one line.
        struct Leak {
            record::FindingPlace at;
            std::string function;
            std::uint64_t bytes = 0;
            std::vector<Block> blocks;
        };
        std::map<std::array<std::string, 3>, Leak> places;
        for (const auto& b : MemoryTable::get().left()) {
            auto [at, function] = host_place(*b.from);
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

void Checks::ends(const Launch& launch) {
    const auto findings = Runtime::get().device()->finding_log()->findings();
    if (findings.empty()) return;
    std::lock_guard lock(mutex_);
    places_.ended(launch, findings);
}

void Checks::over() {
    std::lock_guard lock(mutex_);
    if (Runtime::get().device()->finding_log()->findings().size() != kept_) write(false);
}

void Checks::end(bool last) {
    auto& runtime = Runtime::get();
    if (!on() || runtime.forked()) return;
    if (runtime.started()) StreamChecks::get().finish();
    std::lock_guard lock(mutex_);
    if (!runtime.settings.findings.empty()) return write(true);
    if (!last) return;
    const auto found = findings(true);
    std::fflush(stdout);
    const auto text = printable_lines(report::findings_text(found, false));
    std::fprintf(stderr, "warpwright: %s", text.c_str());
}

}  // namespace warpwright::cudart
