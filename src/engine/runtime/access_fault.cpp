// An access is classified in a fixed order: misaligned, beyond shared or local memory, a null pointer, read-only,
// freed, and last out of bounds. The nearest allocation and the array's name complete the message.
#include "engine/runtime/access_fault.hpp"

#include <algorithm>
#include <cstdio>

#include "engine/runtime/checked/array_names.hpp"
#include "engine/runtime/checked/checked_launch.hpp"
#include "engine/runtime/texts.hpp"
#include "shadow/findings.hpp"

namespace warpwright::engine {

namespace {

using record::FindingKind;

/// An access this close to an allocation is described as beside it.
constexpr std::uint64_t kBeside = 1u << 20;
/// Addresses below this are those of null pointers and of members of the structures they should point at.
constexpr std::uint64_t kNullBytes = 4096;

/// Lines past whose accesses nothing more is noted in launches that go on.
constexpr std::size_t kMostNoted = 100;

const char* space_name(const SiteInfo& info, simt::Space space) {
    if (space == simt::Space::shared) return "shared";
    if (space == simt::Space::local) return "local";
    return info.space == simt::Space::constant ? "constant" : "global";
}

/// The position of an address relative to the nearest allocation; empty: far away.
std::string beside(const Allocation& near, std::uint64_t address) {
    const auto size = bytes_text(near.bytes);
    if (address < near.address)
        return near.address - address >= kBeside
                   ? ""
                   : bytes_text(near.address - address) + " before an allocation of " + size;
    const auto in = address - near.address;
    if (in == near.bytes) return "at the end of an allocation of " + size;
    if (in < near.bytes) return "reaches past the end of an allocation of " + size;
    return in - near.bytes >= kBeside ? "" : bytes_text(in - near.bytes) + " past the end of an allocation of " + size;
}

/// How an access to global memory is wrong, and what is near.
struct GlobalFault {
    Cause cause = Cause::out_of_bounds;
    FindingKind kind = FindingKind::out_of_bounds;
    std::optional<Allocation> near;
    std::string beside;  ///< where the address lies; out of bounds only, empty: far from all memory
};

GlobalFault classify_global(const LaunchShared& launch, bool checked, const SiteInfo& info, std::uint64_t address,
                            std::uint64_t bytes) {
    const auto& memory = *launch.memory;
    if (address < kNullBytes) return {Cause::null_pointer, FindingKind::null_pointer, {}, ""};
    const auto there = memory.find(address);
    if (there && !launch.reaches(*there)) return {Cause::no_peer_access, FindingKind::peer_memory, there, ""};
    if (there && there->covers(address, bytes) && writes(info))
        return {Cause::read_only, FindingKind::read_only, there, ""};
    if (const auto freed = checked ? memory.freed(address) : std::nullopt)
        return {Cause::out_of_bounds, FindingKind::use_after_free, freed, ""};
    GlobalFault out;
    out.near = memory.nearest(address);
    if (out.near) out.beside = beside(*out.near, address);
    if (out.beside.empty()) out.near.reset();
    return out;
}

void describe_global(WrongAccess& w, const LaunchShared& launch, bool checked, const SiteInfo& info,
                     std::uint64_t address, std::uint64_t bytes, const std::string& lead) {
    const GlobalFault fault = classify_global(launch, checked, info, address, bytes);
    w.cause = fault.cause, w.kind = fault.kind, w.near = fault.near;
    if (w.kind == FindingKind::null_pointer) {
        w.what = "null pointer: " + lead + " at " + hex_text(address);
        return;
    }
    const bool names_space = w.kind == FindingKind::use_after_free || w.kind == FindingKind::out_of_bounds;
    w.array = array_of(launch, names_space ? w.space : "global", address, w.near, info);
    const std::string at = lead + " at " + hex_text(address);
    if (w.kind == FindingKind::peer_memory) {
        w.what = at + in_brackets(w.array) + not_reached(launch, *w.near);
    } else if (w.kind == FindingKind::read_only) {
        w.what = at + ", in constant memory or parameters, which kernels only read";
    } else if (w.kind == FindingKind::use_after_free) {
        w.what = at + in_brackets(w.array) + ", in memory that was freed (" + bytes_text(address - w.near->address) +
                 " into " + std::to_string(w.near->bytes) + ")";
    } else {
        w.far = fault.beside.empty();
        w.what = "out-of-bounds " + at + in_brackets(w.array);
        w.where = w.far ? ", where no memory is allocated" : ": " + fault.beside;
        if (w.far)
            w.advice =
                "if the pointer is one of the host's own memory: kernels reach what cudaMalloc and cudaMallocManaged "
                "give, so copy the data there first; else check the index";
    }
}

}  // namespace

std::string hex_text(std::uint64_t x) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
    return text;
}

std::string not_reached(const LaunchShared& launch, const Allocation& there) {
    return ", in memory of device " + std::to_string(there.owner.device) + ", to which device " +
           std::to_string(launch.device) + " has no access";
}

std::string in_brackets(const std::optional<record::FindingArray>& array) {
    return array ? " (" + array->element + ")" : "";
}

std::string bytes_text(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

const char* access_name(const SiteInfo& info) {
    switch (info.kind) {
        case SiteInfo::Kind::load:
            return "load";
        case SiteInfo::Kind::store:
            return "store";
        case SiteInfo::Kind::atomic:
            return "atomic";
        case SiteInfo::Kind::copy:
            return "asynchronous copy";
    }
    return "access";
}

void WrongAccess::put_into(record::Finding& found, std::uint64_t address, std::uint64_t bytes) const {
    found.cause = cause;
    found.space = space;
    found.address = address;
    found.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
    found.at.access = access;
    if (near) found.allocation = {near->address, near->bytes};
    found.array = array;
    found.message = message() + ", by " + found.at.thread_text();
    if (!advice.empty()) found.advice = advice;
}

void in_host_memory(WrongAccess& wrong) {
    wrong.where = ", in the host's own memory";
    wrong.advice =
        "a pointer of the host was passed to the kernel: copy the data to memory that cudaMalloc or cudaMallocManaged "
        "gave, and pass that";
}

record::FindingKind wrong_kind(const BlockContext* c, const SiteInfo& info, simt::Space space, std::uint64_t address,
                               unsigned bytes) {
    if (address % bytes != 0) return FindingKind::misaligned;
    if (space == simt::Space::shared || space == simt::Space::local) return FindingKind::out_of_bounds;
    const auto& launch = c->executor->launch;
    return classify_global(launch, launch.check != nullptr, info, address, bytes).kind;
}

WrongAccess wrong_access(const BlockContext* c, const WarpFrame* f, const SiteInfo& info, simt::Space space,
                         std::uint64_t address, unsigned bytes) {
    WrongAccess w;
    w.space = space_name(info, space);
    w.access = std::string(access_name(info)) + " of " + bytes_text(bytes);
    const auto lead = std::string(w.space) + " " + w.access;
    if (space == simt::Space::shared) address &= 0xffffffffu;
    if (address % bytes != 0) {
        w.cause = Cause::misaligned, w.kind = FindingKind::misaligned;
        w.what = "misaligned " + lead + " at " + hex_text(address);
    } else if (space == simt::Space::shared) {
        w.array = shared_array(c->executor->launch, address, info);
        w.what = "out-of-bounds " + lead + " at offset " + std::to_string(address) + in_brackets(w.array) +
                 ": the block has " + bytes_text(c->shared_size);
    } else if (space == simt::Space::local) {
        w.what = "out-of-bounds " + lead + " at offset " + std::to_string(address) + ": the thread has " +
                 bytes_text(f->local_size);
    } else {
        const auto& launch = c->executor->launch;
        describe_global(w, launch, launch.check != nullptr, info, address, bytes, lead);
    }
    return w;
}

void note_past_end(BlockContext* c, const WarpFrame* f, const SiteInfo& info, std::uint64_t address,
                   std::uint64_t bytes, unsigned lane) {
    auto& collector = *c->executor->launch.findings;
    if (collector.again(FindingKind::out_of_bounds, info.ptx, nullptr) || collector.size() >= kMostNoted) return;
    WrongAccess wrong;
    wrong.space = space_name(info, simt::Space::global);
    wrong.access = std::string(access_name(info)) + " of " + bytes_text(bytes);
    describe_global(wrong, c->executor->launch, false, info, address, bytes,
                    std::string(wrong.space) + " " + wrong.access);
    auto found = finding_at(c, f, lane, FindingKind::out_of_bounds, info.ptx);
    found.severity = record::Severity::warning;
    wrong.put_into(found, address, bytes);
    collector.add(std::move(found), info.ptx, nullptr);
}

void access_fault(BlockContext* c, WarpFrame* f, const SiteInfo& info, simt::Space space, std::uint64_t address,
                  unsigned bytes, unsigned lane) {
    auto& launch = c->executor->launch;
    const auto w = wrong_access(c, f, info, space, address, bytes);
    launch.fail({ErrorKind::fault, w.message() + ", by " + thread_text(*c, *f, lane),
                 location(*launch.code->module, info.ptx),
                 w.cause == Cause::no_peer_access ? std::string(record::info(w.kind).advice) : std::string(), w.cause});
}

}  // namespace warpwright::engine
