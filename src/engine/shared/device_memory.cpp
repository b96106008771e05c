// Free pieces are searched from where the last search ended, and neighbours are joined when they are freed. Whole pages
// go back to the host then, so that the next user gets fresh memory.
#include "engine/shared/device_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "engine/shared/guard.hpp"
#include "host/memory.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

namespace {

constexpr std::uint64_t kAlign = 256;
/// Bytes kept free behind each allocation, so that neighbours never touch.
constexpr std::uint64_t kGap = 256;
/// What a GPU's allocations are rounded up to.
constexpr std::uint64_t kGranule = 512;
/// Bytes behind that which kernels may reach where the memory is tolerant.
constexpr std::uint64_t kTolerated = 512;
static_assert(kGranule % kAlign == 0);
/// Freed allocations that are remembered, for messages.
constexpr std::size_t kMostFreed = 1024;
/// Above this size pages come from the kernel when first touched, instead of being filled here.
constexpr std::uint64_t kFillLimit = 64 << 20;

/// The gap where accesses are checked: an access beyond the end should not reach the next allocation.
constexpr std::uint64_t kCheckedGap = 32768;

/// From this size on an allocation begins at a page, as a GPU's do (theirs at one of 2 MiB); Taichi counts on that.
constexpr std::uint64_t kLarge = 1 << 20, kPage = 4096;

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

std::uint64_t DeviceMemory::footprint(std::uint64_t bytes) const {
    if (guarded_) return round_up(bytes, guard::page()) + (shadow_ ? kCheckedGap : guard::page());
    if (shadow_) return round_up(bytes, kAlign) + kCheckedGap;
    return tolerant_ ? round_up(bytes, kGranule) + kTolerated : round_up(bytes, kAlign) + kGap;
}

DeviceMemory::DeviceMemory(std::uint64_t base, std::uint64_t range, std::uint64_t bytes, bool zeroed, bool tolerant,
                           bool guarded, bool in_file)
    : base_(base),
      range_(range),
      bytes_(bytes),
      zeroed_(zeroed),
      tolerant_(tolerant && !guarded),
      guarded_(guarded),
      in_file_(in_file),
      next_(base) {
    // (The page before the first allocation is a guard as well.)
    const auto first = guarded ? guard::page() : 0;
    free_[base + first] = range - first;
    if (guarded) guard::watch(*this);
}

namespace {

/// A file without a name in that folder, which is gone with the process: -1 where there can be none, and errno says
/// why.
int nameless_file(const std::string& folder, std::uint64_t bytes) {
    int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        std::string name = folder + "/warpwright-memory-XXXXXX";
        file = ::mkostemp(name.data(), O_CLOEXEC);
        if (file >= 0) ::unlink(name.c_str());
    }
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
        const int why = errno;
        ::close(file);
        errno = why;
        return -1;
    }
    return file;
}

}  // namespace

Result<std::unique_ptr<DeviceMemory>> DeviceMemory::reserve(std::uint64_t bytes, bool zeroed, bool tolerant,
                                                            bool guarded, const std::string& folder) {
    const bool in_file = !folder.empty() && !guarded;
    // A place that is mostly free, so that a process's first device has the same addresses in each run: programs print
    // and compare pointers. Where it is not free the system takes another one.
    void* const place = reinterpret_cast<void*>(std::uintptr_t{0x2000} << 32);
    for (const std::uint64_t range : {2 * bytes, bytes}) {
        const int file = in_file ? nameless_file(folder, range + kNowhereBytes) : -1;
        if (in_file && file < 0) continue;
        void* p = ::mmap(place, range + kNowhereBytes, guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                         (in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE, file, 0);
        if (file >= 0) ::close(file);
        if (p == MAP_FAILED) continue;
        if (guarded) (void)::mprotect(static_cast<std::uint8_t*>(p) + range, kNowhereBytes, PROT_READ | PROT_WRITE);
        return std::unique_ptr<DeviceMemory>(
            new DeviceMemory(reinterpret_cast<std::uint64_t>(p), range, bytes, zeroed, tolerant, guarded, in_file));
    }
    if (in_file)
        return Error{ErrorKind::input,
                     "no file of " + std::to_string(bytes >> 20) + " MiB for device memory can be made in '" + folder +
                         "': " + std::strerror(errno),
                     {},
                     "name a folder on a disk of this machine that may be written"};
    return Error{ErrorKind::limit,
                 "cannot reserve " + std::to_string(bytes >> 20) + " MiB of address space: " + std::strerror(errno),
                 {},
                 "lower the limit on address space or the memory size"};
}

DeviceMemory::~DeviceMemory() {
    if (guarded_) guard::forget(*this);
    ::munmap(reinterpret_cast<void*>(base_), range_ + kNowhereBytes);
}

Result<void> DeviceMemory::open(std::uint64_t first, std::uint64_t bytes) {
    if (::mprotect(reinterpret_cast<void*>(first), round_up(bytes, guard::page()), PROT_READ | PROT_WRITE) == 0)
        return {};
    return Error{ErrorKind::limit,
                 std::string("guard mode cannot open an allocation's pages: ") + std::strerror(errno),
                 {},
                 "make fewer allocations, or raise vm.max_map_count",
                 Cause::out_of_memory};
}

void DeviceMemory::close(std::uint64_t first, std::uint64_t bytes) {
    auto* const at = reinterpret_cast<void*>(first);
    host::give_back(at, round_up(bytes, guard::page()));
    ::mprotect(at, round_up(bytes, guard::page()), PROT_NONE);
}

Result<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, MemoryUse use) {
    std::unique_lock lock(mutex_);
    const auto none = [&] {
        return Error{ErrorKind::limit,
                     "out of device memory: " + std::to_string(bytes) + " bytes asked for, " + std::to_string(in_use_) +
                         " in use",
                     {},
                     "the emulated device has " + std::to_string(bytes_ >> 20) + " MiB",
                     Cause::out_of_memory};
    };
    if (bytes > bytes_ || in_use_ > bytes_ - bytes) return none();
    if (use == MemoryUse::heap && heap_pieces_ >= kMostHeapPieces) return none();
    const auto need = footprint(bytes), step = !guarded_ && bytes >= kLarge ? kPage : kAlign;
    // Where in a free piece the allocation would begin, in bytes from the piece's own begin.
    const auto skipped = [&](const auto& piece) { return round_up(piece.first, step) - piece.first; };
    const auto holds = [&](const auto& piece) {
        return piece.second >= skipped(piece) && piece.second - skipped(piece) >= need;
    };
    auto fits = [&](auto at) { return at != free_.end() && holds(*at); };
    // The search starts where the last one ended, then at the start of the range.
    auto at = free_.lower_bound(next_);
    while (at != free_.end() && !fits(at)) ++at;
    if (at == free_.end()) {
        at = free_.begin();
        while (at != free_.end() && !fits(at)) ++at;
    }
    if (at == free_.end()) {
        // Joins free pieces that the start of the search had kept separate.
        for (at = free_.begin(); at != free_.end();) {
            auto after = std::next(at);
            if (after == free_.end() || at->first + at->second != after->first) {
                at = after;
                continue;
            }
            at->second += after->second;
            free_.erase(after);
        }
        at = std::find_if(free_.begin(), free_.end(), holds);
    }
    if (at == free_.end()) return none();
    const auto before = skipped(*at), place = at->first + before;
    // In guard mode the end is what lies at the end of a page.
    const auto address = guarded_ ? place + round_up(bytes, guard::page()) - round_up(bytes, kAlign) : place;
    if (guarded_)
        if (auto opened = open(place, bytes); !opened) return opened.error();
    const auto rest = at->second - before - need;
    if (before)
        at->second = before;
    else
        free_.erase(at);
    if (rest) free_[place + need] = rest;
    next_ = place + need;
    live_[address] = {bytes, use, need};
    in_use_ += bytes;
    heap_pieces_ += use == MemoryUse::heap;
    std::erase_if(freed_, [&](const Allocation& a) { return a.address - place < need || place - a.address < a.bytes; });
    if (shadow_) shadow_->forget(place, need);
    if (zeroed_ && guarded_) {
        // Its pages are fresh ones.
    } else if (zeroed_) {
        // Whole pages were returned to the host when they were freed; a page shared with a neighbour may hold old data.
        static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        const auto end = address + need, first = std::min(end, round_up(address, page)),
                   last = std::max(first, end / page * page);
        std::memset(reinterpret_cast<void*>(address), 0, first - address);
        std::memset(reinterpret_cast<void*>(last), 0, end - last);
    } else if (bytes <= kFillLimit)
        std::memset(reinterpret_cast<void*>(address), 0xCD, bytes);
    return address;
}

Result<void> DeviceMemory::release(std::uint64_t address) {
    if (address == 0) return {};
    std::unique_lock lock(mutex_);
    auto at = live_.find(address);
    if (at == live_.end() || !in_range(address))
        return Error{ErrorKind::fault, "freeing an address that is not allocated", {}, "", Cause::invalid_free};
    return release_locked(at);
}

Result<void> DeviceMemory::release_heap(std::uint64_t address) {
    if (address == 0) return {};
    std::unique_lock lock(mutex_);
    auto at = live_.find(address);
    if (at == live_.end() || !in_range(address))
        return Error{ErrorKind::fault, "freeing an address that is not allocated", {}, "", Cause::invalid_free};
    if (at->second.use != MemoryUse::heap)
        return Error{ErrorKind::fault,
                     "freeing memory that the host has allocated",
                     {},
                     "a kernel frees what a kernel has allocated",
                     Cause::invalid_free};
    return release_locked(at);
}

void DeviceMemory::discard(std::uint64_t first, std::uint64_t bytes) const {
    auto* const at = reinterpret_cast<void*>(first);
    // Not every file system gives parts of a file back.
    if (in_file_ && !host::give_back_from_file(at, bytes)) std::memset(at, 0, bytes);
    if (!in_file_) (void)host::give_back(at, bytes);
}

void DeviceMemory::zero_pages(std::uint64_t first, std::uint64_t last) const {
    constexpr std::uint64_t kAtOnce = std::uint64_t{256} << 20;
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> there(std::min(kAtOnce, last - first) / page);
    for (; first < last; first += std::min(kAtOnce, last - first)) {
        const auto pages = std::min(kAtOnce, last - first) / page;
        if (::mincore(reinterpret_cast<void*>(first), pages * page, there.data()) != 0) {
            std::memset(reinterpret_cast<void*>(first), 0, pages * page);
            continue;
        }
        for (std::uint64_t k = 0, end = 0; k < pages; k = end) {
            for (end = k + 1; end < pages && (there[end] & 1) == (there[k] & 1);) ++end;
            if (there[k] & 1)
                std::memset(reinterpret_cast<void*>(first + k * page), 0, (end - k) * page);
            else
                discard(first + k * page, (end - k) * page);
        }
    }
}

void DeviceMemory::zero(std::uint64_t address, std::uint64_t bytes) {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const auto first = round_up(address, page), last = (address + bytes) / page * page;
    if (bytes < kLarge || !in_range(address) || first >= last) {
        std::memset(reinterpret_cast<void*>(address), 0, bytes);
        return;
    }
    std::memset(reinterpret_cast<void*>(address), 0, first - address);
    zero_pages(first, last);
    std::memset(reinterpret_cast<void*>(last), 0, address + bytes - last);
}

void DeviceMemory::set_use(std::uint64_t address, MemoryUse use) {
    std::unique_lock lock(mutex_);
    const auto at = live_.find(address);
    if (at == live_.end()) return;
    shared_pieces_ -= at->second.use == MemoryUse::shared;
    shared_pieces_ += use == MemoryUse::shared;
    at->second.use = use;
}

void DeviceMemory::set_owner(std::uint64_t address, const Owner& owner) {
    std::unique_lock lock(mutex_);
    if (auto at = live_.find(address); at != live_.end()) at->second.owner = owner;
}

void DeviceMemory::set_owner_of_part(std::uint64_t address, std::uint64_t bytes, const Owner& owner) {
    std::unique_lock lock(mutex_);
    parts_[address] = {bytes, owner};
}

void DeviceMemory::forget_parts(std::uint64_t address, std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    forget_parts_locked(address, bytes);
}

void DeviceMemory::forget_parts_locked(std::uint64_t address, std::uint64_t bytes) {
    for (auto part = parts_.lower_bound(address); part != parts_.end() && part->first - address < bytes;)
        part = parts_.erase(part);
}

Result<void> DeviceMemory::release_locked(std::map<std::uint64_t, Piece>::iterator at) {
    // Guard mode: the allocation's end is what lies at a page's end.
    const auto address = guarded_ ? at->first / guard::page() * guard::page() : at->first;
    const auto size = at->second.taken;
    forget_parts_locked(address, at->second.bytes);
    if (guarded_) close(address, at->second.bytes);
    in_use_ -= at->second.bytes;
    heap_pieces_ -= at->second.use == MemoryUse::heap;
    shared_pieces_ -= at->second.use == MemoryUse::shared;
    freed_.push_back({at->first, at->second.bytes});
    if (freed_.size() > kMostFreed) freed_.pop_front();
    live_.erase(at);
    // Free neighbours are joined, except that the place of the next search stays the start of a free piece.
    auto first = address, last = address + size;
    auto after = free_.lower_bound(address);
    const bool joins_after = after != free_.end() && after->first == last,
               joins_before = after != free_.begin() && [&] {
                   auto before = std::prev(after);
                   return before->first + before->second == first;
               }();
    // Whole free pages are returned to the host, also those shared with a free neighbour: the next user gets fresh
    // memory.
    std::uint64_t from = first, to = last;
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (joins_before) from = std::max(std::prev(after)->first, first / page * page);
    if (joins_after) to = std::min(after->first + after->second, (last + page - 1) / page * page);
    from = (from + page - 1) / page * page, to = to / page * page;
    if (to > from) discard(from, to - from);
    if (joins_after && last != next_) {
        last = after->first + after->second;
        after = free_.erase(after);
    }
    if (joins_before && first != next_) {
        auto before = std::prev(after);
        first = before->first;
        free_.erase(before);
    }
    free_[first] = last - first;
    return {};
}

Result<void> DeviceMemory::adopt(std::uint64_t address, std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    auto after = live_.lower_bound(address);
    const bool meets_before =
        after != live_.begin() && address - std::prev(after)->first < std::prev(after)->second.bytes;
    if (bytes == 0 || bytes > 0 - address || in_range(address) || meets_before ||
        (after != live_.end() && after->first - address < bytes))
        return Error{ErrorKind::usage, "memory that the device has already, or none", {}, ""};
    live_[address] = {bytes, MemoryUse::shared, 0};
    ++shared_pieces_;
    return {};
}

void DeviceMemory::set_host_shadow(std::uint64_t address, std::shared_ptr<shadow::Shadow> shadow) {
    std::unique_lock lock(mutex_);
    if (!in_range(address) && live_.contains(address)) host_shadows_[address] = std::move(shadow);
}

shadow::Shadow* DeviceMemory::host_shadow(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    const auto after = host_shadows_.upper_bound(address);
    if (after == host_shadows_.begin()) return nullptr;
    const auto& [first, shadow] = *std::prev(after);
    const auto piece = live_.find(first);
    return piece != live_.end() && address - first < piece->second.bytes ? shadow.get() : nullptr;
}

std::map<std::uint64_t, std::shared_ptr<shadow::Shadow>> DeviceMemory::host_shadows() const {
    std::shared_lock lock(mutex_);
    return host_shadows_;
}

Result<void> DeviceMemory::disown(std::uint64_t address) {
    std::unique_lock lock(mutex_);
    const auto at = live_.find(address);
    if (in_range(address) || at == live_.end())
        return Error{ErrorKind::usage, "memory that was not handed to the device", {}, ""};
    host_shadows_.erase(address);
    shared_pieces_ -= at->second.use == MemoryUse::shared;
    live_.erase(at);
    return {};
}

std::optional<Allocation> DeviceMemory::find(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return std::nullopt;
    --at;
    if (address - at->first >= at->second.bytes) return std::nullopt;
    Allocation out{at->first, at->second.bytes, at->second.use, at->second.owner};
    if (parts_.empty()) return out;
    auto part = parts_.lower_bound(out.address);
    out.mixed = part != parts_.end() && out.covers(part->first, 1);
    part = parts_.upper_bound(address);
    if (out.mixed && part != parts_.begin() &&
        warpwright::covers(std::prev(part)->first, std::prev(part)->second.bytes, address, 1))
        out.owner = std::prev(part)->second.owner;
    return out;
}

bool DeviceMemory::tolerates(std::uint64_t address, std::uint64_t bytes, bool store) const {
    if (!tolerant_ || shadow_ || !in_range(address)) return false;
    std::shared_lock lock(mutex_);
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return false;
    --at;
    const Allocation whole{at->first, round_up(at->second.bytes, kGranule) + kTolerated, at->second.use};
    return whole.allows(address, bytes, store);
}

std::optional<Allocation> DeviceMemory::freed(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    for (auto a = freed_.rbegin(); a != freed_.rend(); ++a)
        if (address - a->address < a->bytes) return *a;
    return std::nullopt;
}

std::vector<Allocation> DeviceMemory::live() const {
    std::shared_lock lock(mutex_);
    std::vector<Allocation> out;
    for (const auto& [address, piece] : live_) out.push_back({address, piece.bytes, piece.use});
    return out;
}

void DeviceMemory::mirror(const std::vector<Allocation>& allocations) {
    std::unique_lock lock(mutex_);
    live_.clear();
    for (const auto& a : allocations) live_[a.address] = {a.bytes, a.use, 0};
}

std::uint64_t DeviceMemory::tail(std::uint64_t bytes) const { return tolerant_ ? footprint(bytes) - bytes : 0; }

std::optional<Allocation> DeviceMemory::nearest(std::uint64_t address) const {
    std::shared_lock lock(mutex_);
    if (live_.empty() || address - base_ >= range_) return std::nullopt;
    const auto allocation = [](const auto& at) { return Allocation{at->first, at->second.bytes, at->second.use}; };
    const auto after = live_.upper_bound(address);
    if (after == live_.begin()) return allocation(after);
    const auto before = std::prev(after);
    const auto from_start = address - before->first;
    const auto past = from_start - std::min(from_start, before->second.bytes);
    return allocation(after != live_.end() && after->first - address < past ? after : before);
}

}  // namespace warpwright::engine
