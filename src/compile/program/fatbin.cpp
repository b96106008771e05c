// The layout of the container as programs have it, read with every offset and size checked, since it comes from foreign
// programs; and the choice of the entry that suits a device.
#include "compile/program/fatbin.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "compile/failure.hpp"
#include "support/cause.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kHeader = 16, kLeastEntry = 64;
constexpr std::uint64_t kMostText = file_limit::source;  // as where PTX is a file: it may be packed a thousandfold
/// Bits of an entry's flags.
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;
/// Our flags, in fat binaries that write_fat_binary made.
constexpr std::uint64_t kAnyDevice = std::uint64_t{1} << 62, kRelocatable = std::uint64_t{1} << 61;
/// The most bytes that LZ4 can make of one.
constexpr std::uint64_t kMostByLz4 = 255;

template <class T>
T at(const std::byte* data, std::uint64_t offset) {
    T value;
    std::memcpy(&value, data + offset, sizeof value);
    return value;
}

template <class T>
void put(std::string& to, std::uint64_t offset, T value) {
    std::memcpy(to.data() + offset, &value, sizeof value);
}

Error corrupt(const std::string& what) {
    return failure(ErrorKind::input, "the fat binary is corrupt: " + what, {}, "build the program again");
}

Result<std::string> unpack(const FatEntry& e) {
    if (e.packing == FatEntry::Packing::plain)
        return std::string(reinterpret_cast<const char*>(e.payload.data()), e.payload.size());
    if (e.unpacked == 0 || e.unpacked > kMostText)
        return corrupt("its PTX would be " + std::to_string(e.unpacked) + " bytes");
    // The file states the size: it must agree with the packed data before memory is allocated for it.
    const bool by_zstd = e.packing == FatEntry::Packing::zstd;
    if (by_zstd ? ZSTD_getFrameContentSize(e.payload.data(), e.payload.size()) != e.unpacked
                : e.unpacked / kMostByLz4 > e.payload.size())
        return corrupt("its PTX cannot be " + std::to_string(e.unpacked) + " bytes");
    std::string text(e.unpacked, '\0');
    if (by_zstd) {
        const auto n = ZSTD_decompress(text.data(), text.size(), e.payload.data(), e.payload.size());
        if (ZSTD_isError(n))
            return corrupt(std::string("its PTX cannot be unpacked (zstd: ") + ZSTD_getErrorName(n) + ")");
        text.resize(n);
    } else {
        const int n = LZ4_decompress_safe(reinterpret_cast<const char*>(e.payload.data()), text.data(),
                                          static_cast<int>(e.payload.size()), static_cast<int>(text.size()));
        if (n < 0) return corrupt("its PTX cannot be unpacked (LZ4)");
        text.resize(static_cast<std::size_t>(n));
    }
    return text;
}

}  // namespace

Result<std::vector<FatEntry>> read_fat_binary(const std::byte* data, std::uint64_t most) {
    if (most < kHeader) return corrupt("it ends in its header");
    if (at<std::uint32_t>(data, 0) != kMagic) return corrupt("it does not start as one");
    const std::uint64_t header = at<std::uint16_t>(data, 6), size = at<std::uint64_t>(data, 8);
    if (header < kHeader || header > most || size > most - header) return corrupt("its size is wrong");
    std::vector<FatEntry> entries;
    for (std::uint64_t offset = header, end = header + size; offset < end;) {
        if (end - offset < kLeastEntry) return corrupt("it ends in an entry's header");
        const std::byte* p = data + offset;
        const std::uint64_t head = at<std::uint32_t>(p, 4), bytes = at<std::uint64_t>(p, 8);
        if (head < kLeastEntry || head > end - offset || bytes > end - offset - head)
            return corrupt("an entry's size is wrong");
        FatEntry e;
        const auto kind = at<std::uint16_t>(p, 0);
        e.kind = kind == 1 ? FatEntry::Kind::ptx : kind == 2 ? FatEntry::Kind::machine : FatEntry::Kind::other;
        e.arch = at<std::uint32_t>(p, 28);
        const auto flags = at<std::uint64_t>(p, 40);
        e.any_device = (flags & kAnyDevice) != 0;
        e.relocatable = (flags & kRelocatable) != 0;
        const std::uint64_t packed = at<std::uint32_t>(p, 16);
        e.unpacked = at<std::uint64_t>(p, 56);
        std::uint64_t used = bytes;
        if (flags & (kZstd | kLz4)) {
            e.packing = flags & kZstd ? FatEntry::Packing::zstd : FatEntry::Packing::lz4;
            if (packed == 0 || packed > bytes) return corrupt("an entry's packed size is wrong");
            used = packed;
        }
        e.payload = {p + head, used};
        entries.push_back(e);
        offset += head + bytes;
    }
    return entries;
}

namespace {

/// "compute_80, compute_120", in order.
std::string names_of(const std::set<unsigned>& architectures, const char* prefix) {
    std::string list;
    for (auto a : architectures) list += (list.empty() ? "" : ", ") + std::string(prefix) + std::to_string(a);
    return list;
}

Error no_code_for(const std::vector<FatEntry>& entries, unsigned compute_capability) {
    std::set<unsigned> machine, ptx;
    for (const auto& e : entries)
        if (e.kind != FatEntry::Kind::other) (e.kind == FatEntry::Kind::ptx ? ptx : machine).insert(e.arch);
    const auto capability = std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
    std::string what = "the fat binary has no code";
    if (!ptx.empty())
        what = "the program has PTX for " + names_of(ptx, "compute_") +
               (machine.empty() ? "" : ", and machine code for " + names_of(machine, "sm_")) +
               ": none of it runs on the device model of compute capability " + capability;
    else if (!machine.empty())
        what = "the program has machine code (" + names_of(machine, "sm_") +
               ") and no PTX; the emulated GPU runs only PTX";
    auto error =
        failure(ErrorKind::input, what, {}, "build it with -arch=compute_" + std::to_string(compute_capability));
    error.cause = Cause::no_ptx;
    return error;
}

/// Whether PTX whose .target has a suffix ("sm_90a", "sm_100f") runs on this device.
bool suits(std::string_view text, unsigned compute_capability) {
    const auto arch = ptx_arch(text);
    const auto at = text.find(".target sm_");
    if (at == std::string_view::npos) return true;
    const auto end = text.find_first_not_of("0123456789", at + sizeof ".target sm_" - 1);
    const char suffix = end == std::string_view::npos ? '\0' : text[end];
    if (suffix == 'a') return arch == compute_capability;
    if (suffix == 'f') return arch / 10 == compute_capability / 10;
    return true;
}

}  // namespace

Result<std::string> ptx_of(const std::vector<FatEntry>& entries, unsigned compute_capability) {
    std::vector<const FatEntry*> fitting;
    for (const auto& e : entries)
        if (e.kind == FatEntry::Kind::ptx && (e.arch <= compute_capability || e.any_device)) fitting.push_back(&e);
    std::stable_sort(fitting.begin(), fitting.end(),
                     [](const FatEntry* a, const FatEntry* b) { return a->arch > b->arch; });
    for (const auto* e : fitting) {
        auto text = unpack(*e);
        if (!text) return text;
        if (const auto end = text->find('\0'); end != std::string::npos) text->resize(end);
        if (text->find(".version") == std::string::npos) return corrupt("what should be PTX is something else");
        if (e->any_device || suits(*text, compute_capability)) return text;
    }
    return no_code_for(entries, compute_capability);
}

unsigned ptx_arch(std::string_view text) {
    constexpr std::string_view kTarget = ".target sm_";
    unsigned arch = 0;
    if (const auto at = text.find(kTarget); at != std::string_view::npos)
        std::from_chars(text.data() + at + kTarget.size(), text.data() + text.size(), arch);
    return arch;
}

std::string write_fat_binary(const std::string& ptx, unsigned arch, bool any_device, bool relocatable) {
    const std::uint64_t text = (ptx.size() + 1 + 7) / 8 * 8;
    std::string out(kHeader + kLeastEntry + text, '\0');
    put<std::uint32_t>(out, 0, kMagic);
    put<std::uint16_t>(out, 4, 1);
    put<std::uint16_t>(out, 6, kHeader);
    put<std::uint64_t>(out, 8, kLeastEntry + text);
    put<std::uint16_t>(out, kHeader, 1);
    put<std::uint16_t>(out, kHeader + 2, 0x0101);
    put<std::uint32_t>(out, kHeader + 4, kLeastEntry);
    put<std::uint64_t>(out, kHeader + 8, text);
    put<std::uint32_t>(out, kHeader + 28, arch);
    // Made for a 64-bit host under Linux.
    put<std::uint64_t>(out, kHeader + 40, 0x11 | (any_device ? kAnyDevice : 0) | (relocatable ? kRelocatable : 0));
    std::memcpy(out.data() + kHeader + kLeastEntry, ptx.data(), ptx.size());
    return out;
}

}  // namespace warpwright::compile
