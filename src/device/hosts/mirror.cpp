// Pages that were written are the process's own. They are compared with the file in lines of 64 bytes; lines side by
// side are one change.
#include "device/hosts/mirror.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/memory.hpp"

namespace warpwright::device {

namespace {

constexpr std::uint64_t kLine = 64;
/// A change is no longer, so that a message has several.
constexpr std::uint64_t kMostChange = std::uint64_t{1} << 18;

}  // namespace

Result<std::unique_ptr<Mirror>> Mirror::over(const engine::DeviceMemory& memory) {
    const auto bytes = memory.range();
    const int file = host::unnamed_file("warpwright-mirror");
    void* kept = MAP_FAILED;
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0)
        kept = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* here = MAP_FAILED;
    if (kept != MAP_FAILED)
        here = ::mmap(reinterpret_cast<void*>(memory.base()), bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, file, 0);
    const int why = errno;
    if (file >= 0) ::close(file);
    if (here == MAP_FAILED)
        return Error{ErrorKind::limit,
                     std::string("no copy of the device's memory can be made: ") + std::strerror(why),
                     {},
                     "lower the limit on address space"};
    return std::unique_ptr<Mirror>(new Mirror(memory, static_cast<std::uint8_t*>(kept)));
}

Mirror::~Mirror() { ::munmap(kept_, memory_.range()); }

void Mirror::put(std::uint64_t address, const std::vector<char>& bytes) {
    if (!covers(memory_.base(), memory_.range(), address, bytes.size())) return;
    std::memcpy(kept_ + (address - memory_.base()), bytes.data(), bytes.size());
}

void Mirror::find(std::uint64_t first, std::uint64_t last, const std::function<void(engine::Change)>& each) const {
    const auto line = [&](std::uint64_t at) { return std::min(kLine, last - at); };
    const auto differs = [&](std::uint64_t at) {
        return std::memcmp(reinterpret_cast<const void*>(at), kept_ + (at - memory_.base()), line(at)) != 0;
    };
    for (auto at = first; at < last; at += kLine) {
        if (!differs(at)) continue;
        auto end = at + kLine;
        while (end < last && end - at < kMostChange && differs(end)) end += kLine;
        end = std::min(end, last);
        const auto* now = reinterpret_cast<const std::uint8_t*>(at);
        const auto* before = kept_ + (at - memory_.base());
        each({at, {before, before + (end - at)}, {now, now + (end - at)}});
        at += (end - at + kLine - 1) / kLine * kLine - kLine;
    }
}

void Mirror::changes(const std::vector<engine::Allocation>& allocations,
                     const std::function<void(engine::Change)>& each) const {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    for (const auto& a : allocations) {
        if (!memory_.in_range(a.address) || a.use == engine::MemoryUse::constant) continue;
        // What lies behind the end is a piece of its own: another host may hold it against the allocation.
        const auto end = a.address + a.bytes, tail = end + memory_.tail(a.bytes);
        const auto begin = a.address / page * page;
        const auto own = host::own_pages(begin, tail - begin).value_or(std::vector{host::MemoryRange{begin, tail}});
        for (const auto& r : own) {
            const auto first = std::max(r.first, a.address), last = std::min(r.last, tail);
            if (first < std::min(last, end)) find(first, std::min(last, end), each);
            if (std::max(first, end) < last) find(std::max(first, end), last, each);
        }
    }
}

void Mirror::forget() { (void)host::give_back(reinterpret_cast<void*>(memory_.base()), memory_.range()); }

}  // namespace warpwright::device
