// Pages are moved into anonymous files at their own addresses, and another process opens these through the process file
// system. Every size and key that another process wrote is checked before it is used.
#include "cudart/memory/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "cudart/memory/extents.hpp"
#include "cudart/state/runtime.hpp"
#include "host/machine.hpp"
#include "host/memory.hpp"

namespace warpwright::cudart {
namespace {

constexpr std::uint64_t kMagic = 0x5757'4950'4331'0001;  ///< the layout of handles and lists below
constexpr std::uint64_t kMostPieces = 4096;

/// The contents of a handle: the process that shares, and the file of that process that holds the list of pieces.
struct Handle {
    std::uint64_t magic, key;
    std::int32_t process, file;
};
static_assert(sizeof(Handle) <= sizeof(cudaIpcMemHandle_t));

/// A run of pages in a file of the process that shares.
struct Piece {
    std::int32_t file;
    std::uint64_t offset, bytes;
};

/// The head of the list that a handle's file holds; the pieces follow.
struct List {
    std::uint64_t magic, key, first_byte, bytes, pieces;
};

std::uint64_t page() {
    static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

int make_file(const void* from, std::uint64_t bytes) {
    const int file = host::unnamed_file("warpwright-shared");
    if (file < 0) return -1;
    const auto* at = static_cast<const std::byte*>(from);
    bool good = ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
    for (std::uint64_t done = 0; good && done < bytes;) {
        const auto n = ::pwrite(file, at + done, bytes - done, static_cast<off_t>(done));
        good = n > 0;
        if (good) done += static_cast<std::uint64_t>(n);
    }
    if (good) return file;
    ::close(file);
    return -1;
}

template <class T>
bool read_at(int file, std::uint64_t offset, T* to, std::uint64_t count) {
    const auto bytes = count * sizeof(T);
    return ::pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// Pages of this process that are shared, and allocations that others may open.
class Sharing {
public:
    static Sharing& get() {
        static auto* sharing = new Sharing;
        return *sharing;
    }

    cudaError_t share(const Block& block, Handle& handle) {
        std::lock_guard lock(mutex_);
        auto known = shared_.find(block.address);
        if (known == shared_.end()) {
            Export e;
            e.first = block.address / page() * page();
            e.last = (block.address + std::max<std::uint64_t>(block.bytes, 1) + page() - 1) / page() * page();
            std::vector<Piece> pieces;
            if (!map_shared(e.first, e.last, pieces) || !host::random_bytes(&e.key, sizeof e.key))
                return cudaErrorMemoryAllocation;
            const List list{kMagic, e.key, block.address - e.first, block.bytes, pieces.size()};
            std::vector<std::byte> text(sizeof list + pieces.size() * sizeof(Piece));
            std::memcpy(text.data(), &list, sizeof list);
            std::memcpy(text.data() + sizeof list, pieces.data(), pieces.size() * sizeof(Piece));
            e.list = make_file(text.data(), text.size());
            if (e.list < 0) return cudaErrorMemoryAllocation;
            known = shared_.emplace(block.address, e).first;
        }
        handle = {kMagic, known->second.key, ::getpid(), known->second.list};
        return cudaSuccess;
    }

    void unshare(const Block& block) {
        std::lock_guard lock(mutex_);
        const auto known = shared_.find(block.address);
        if (known == shared_.end()) return;
        const auto e = known->second;
        ::close(e.list);
        shared_.erase(known);
        // Reused memory begins with zeros, and processes that had it mapped must not see it.
        std::memset(reinterpret_cast<void*>(block.address), 0, block.bytes);
        for (auto r = regions_.begin(); r != regions_.end();) {
            const bool used = std::any_of(shared_.begin(), shared_.end(), [&](const auto& other) {
                return other.second.first < r->second.last && r->first < other.second.last;
            });
            const bool was = e.first < r->second.last && r->first < e.last;
            if (was && !used && make_private(r->first, r->second.last)) {
                ::close(r->second.file);
                r = regions_.erase(r);
            } else {
                ++r;
            }
        }
    }

private:
    struct Region {
        std::uint64_t last = 0;
        int file = -1;
    };
    struct Export {
        std::uint64_t first = 0, last = 0, key = 0;
        int list = -1;
    };

    /// Moves every page of [first, last) into a file, at the same addresses; neighbours share the page at their border.
    bool map_shared(std::uint64_t first, std::uint64_t last, std::vector<Piece>& pieces) {
        for (auto at = first; at < last;) {
            auto next = regions_.upper_bound(at);
            if (next != regions_.begin() && std::prev(next)->second.last > at) {
                const auto& [begin, region] = *std::prev(next);
                const auto end = std::min(region.last, last);
                pieces.push_back({region.file, at - begin, end - at});
                at = end;
                continue;
            }
            const auto end = next == regions_.end() ? last : std::min(last, next->first);
            const int file = make_file(reinterpret_cast<void*>(at), end - at);
            if (file < 0) return false;
            if (::mmap(reinterpret_cast<void*>(at), end - at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                       0) == MAP_FAILED) {
                ::close(file);
                return false;
            }
            regions_[at] = {end, file};
            pieces.push_back({file, 0, end - at});
            at = end;
        }
        return true;
    }

    /// Moves the same contents to pages of this process alone.
    static bool make_private(std::uint64_t first, std::uint64_t last) {
        const auto bytes = last - first;
        void* copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (copy == MAP_FAILED) return false;
        std::memcpy(copy, reinterpret_cast<void*>(first), bytes);
        return host::move_pages(copy, bytes, reinterpret_cast<void*>(first));
    }

    std::mutex mutex_;
    std::map<std::uint64_t, Region> regions_;  ///< by their first byte; they do not overlap
    std::map<std::uint64_t, Export> shared_;   ///< by the allocation's address
};

/// The memory of other processes that this one has opened.
class Imports {
public:
    static Imports& get() {
        static auto* imports = new Imports;
        return *imports;
    }

    cudaError_t open(const Handle& handle, void*& pointer) {
        std::lock_guard lock(mutex_);
        if (const auto known = open_.find(handle.key); known != open_.end()) {
            ++known->second.times;
            pointer = reinterpret_cast<void*>(known->second.address);
            return cudaSuccess;
        }
        Import made;
        if (auto e = map(handle, made); e != cudaSuccess) return e;
        if (auto e = MemoryTable::get().import(reinterpret_cast<void*>(made.address), made.bytes); e != cudaSuccess) {
            ::munmap(reinterpret_cast<void*>(made.first), made.span);
            return e;
        }
        open_[handle.key] = made;
        pointer = reinterpret_cast<void*>(made.address);
        return cudaSuccess;
    }

    cudaError_t close(void* pointer) {
        std::lock_guard lock(mutex_);
        const auto known = std::find_if(open_.begin(), open_.end(), [&](const auto& i) {
            return i.second.address == reinterpret_cast<std::uint64_t>(pointer);
        });
        if (known == open_.end()) return cudaErrorInvalidValue;
        if (--known->second.times > 0) return cudaSuccess;
        const auto gone = known->second;
        open_.erase(known);
        const auto e = MemoryTable::get().disown(pointer);
        ::munmap(reinterpret_cast<void*>(gone.first), gone.span);
        return e;
    }

private:
    struct Import {
        std::uint64_t address = 0, bytes = 0;  ///< of the allocation
        std::uint64_t first = 0, span = 0;     ///< of the pages
        unsigned times = 1;
    };

    /// Another process wrote the list, so all of its sizes are checked.
    static cudaError_t map(const Handle& handle, Import& made) {
        const int file = host::open_descriptor_of(handle.process, handle.file);
        if (file < 0) return cudaErrorInvalidValue;
        List list{};
        std::vector<Piece> pieces;
        bool good = read_at(file, 0, &list, 1) && list.magic == kMagic && list.key == handle.key && list.pieces > 0 &&
                    list.pieces <= kMostPieces;
        if (good) {
            pieces.resize(list.pieces);
            good = read_at(file, sizeof list, pieces.data(), pieces.size());
        }
        ::close(file);
        std::uint64_t span = 0;
        for (const auto& p : pieces) {
            good = good && p.bytes > 0 && p.bytes % page() == 0 && p.offset % page() == 0;
            span = sum(span, p.bytes);
        }
        if (!good || span == kNoSize || !within(list.first_byte, list.bytes, span)) return cudaErrorInvalidValue;
        void* all = ::mmap(nullptr, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) return cudaErrorMemoryAllocation;
        auto* at = static_cast<std::byte*>(all);
        for (const auto& p : pieces) {
            const int part = host::open_descriptor_of(handle.process, p.file);
            struct stat status{};
            good = good && part >= 0 && ::fstat(part, &status) == 0 &&
                   within(p.offset, p.bytes, static_cast<std::uint64_t>(status.st_size)) &&
                   ::mmap(at, p.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, part,
                          static_cast<off_t>(p.offset)) != MAP_FAILED;
            if (part >= 0) ::close(part);
            at += p.bytes;
        }
        if (!good) {
            ::munmap(all, span);
            return cudaErrorInvalidValue;
        }
        made.first = reinterpret_cast<std::uint64_t>(all), made.span = span;
        made.address = made.first + list.first_byte, made.bytes = list.bytes;
        return cudaSuccess;
    }

    std::mutex mutex_;
    std::map<std::uint64_t, Import> open_;  ///< by the handle's key
};

}  // namespace

cudaError_t share_memory(const Block& block, cudaIpcMemHandle_t& handle) {
    Handle h{};
    if (auto e = Sharing::get().share(block, h); e != cudaSuccess) return e;
    std::memset(&handle, 0, sizeof handle);
    std::memcpy(&handle, &h, sizeof h);
    return cudaSuccess;
}

void unshare_memory(const Block& block) { Sharing::get().unshare(block); }

cudaError_t open_shared_memory(const cudaIpcMemHandle_t& handle, void*& pointer) {
    Handle h{};
    std::memcpy(&h, &handle, sizeof h);
    if (h.magic != kMagic) return cudaErrorInvalidValue;
    if (h.process == ::getpid()) return cudaErrorDeviceUninitialized;
    return Imports::get().open(h, pointer);
}

cudaError_t close_shared_memory(void* pointer) { return Imports::get().close(pointer); }

namespace {

/// The page of an event: its key, so that an outdated handle opens nothing, and the counters.
struct EventPage {
    std::uint64_t magic, key;
    SharedEvent::Counters counters;
};

EventPage* map_event(int file) {
    void* at = ::mmap(nullptr, page(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? nullptr : static_cast<EventPage*>(at);
}

EventPage* page_of(SharedEvent::Counters* counters) {
    return reinterpret_cast<EventPage*>(reinterpret_cast<std::uint64_t>(counters) / page() * page());
}

}  // namespace

std::shared_ptr<SharedEvent> SharedEvent::make() {
    auto event = std::make_shared<SharedEvent>();
    const std::vector<std::byte> zeros(page());
    event->file = make_file(zeros.data(), zeros.size());
    auto* at = event->file < 0 ? nullptr : map_event(event->file);
    if (!at || !host::random_bytes(&event->key, sizeof event->key)) return nullptr;
    new (at) EventPage{kMagic, event->key, {0, 0}};
    event->counters = &at->counters;
    return event;
}

cudaError_t SharedEvent::open(const cudaIpcEventHandle_t& handle, std::shared_ptr<SharedEvent>& event) {
    Handle h{};
    std::memcpy(&h, &handle, sizeof h);
    if (h.magic != kMagic) return cudaErrorInvalidValue;
    const int file = host::open_descriptor_of(h.process, h.file);
    if (file < 0) return cudaErrorInvalidValue;
    struct stat status{};
    auto* at =
        ::fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= page() ? map_event(file) : nullptr;
    ::close(file);
    if (!at || at->magic != kMagic || at->key != h.key) {
        if (at) ::munmap(at, page());
        return cudaErrorInvalidValue;
    }
    event = std::make_shared<SharedEvent>();
    event->counters = &at->counters;
    event->key = h.key;
    return cudaSuccess;
}

cudaError_t SharedEvent::handle(cudaIpcEventHandle_t& handle) const {
    if (file < 0) return cudaErrorInvalidResourceHandle;
    const Handle h{kMagic, key, ::getpid(), file};
    std::memset(&handle, 0, sizeof handle);
    std::memcpy(&handle, &h, sizeof h);
    return cudaSuccess;
}

SharedEvent::~SharedEvent() {
    if (counters) ::munmap(page_of(counters), page());
    if (file >= 0) ::close(file);
}

void SharedEvent::reach(std::uint64_t number) {
    auto now = counters->reached.load();
    while (now < number && !counters->reached.compare_exchange_weak(now, number)) {
    }
}

void SharedEvent::wait(std::uint64_t number) const {
    while (counters->reached.load() < number && !Runtime::get().ending())
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace warpwright::cudart
