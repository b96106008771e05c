// Mappings: a system call of newer kernels answers for one address, and otherwise the list of mappings is read as text.
// Neighbouring mappings without a gap count as one range.
#include "host/memory.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace warpwright::host {

bool give_back(void* first, std::uint64_t bytes) { return ::madvise(first, bytes, MADV_DONTNEED) == 0; }

bool give_back_from_file(void* first, std::uint64_t bytes) { return ::madvise(first, bytes, MADV_REMOVE) == 0; }

void prefer_large_pages(void* first, std::uint64_t bytes, bool large) {
    (void)::madvise(first, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

bool move_pages(void* from, std::uint64_t bytes, void* to) {
    return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

std::optional<std::vector<MemoryRange>> own_pages(std::uint64_t first, std::uint64_t bytes) {
    // A word for each page: whether it is there, in a swap file, or a file's.
    constexpr std::uint64_t kThere = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62,
                            kOfFile = std::uint64_t{1} << 61;
    const int map = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (map < 0) return std::nullopt;
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::vector<MemoryRange> out;
    std::vector<std::uint64_t> words(4096);
    bool told = true;
    for (std::uint64_t at = first; told && at < first + bytes;) {
        const auto many = std::min<std::uint64_t>(words.size(), (first + bytes - at + page - 1) / page);
        const auto size = static_cast<ssize_t>(many * sizeof words[0]);
        told =
            ::pread(map, words.data(), many * sizeof words[0], static_cast<off_t>(at / page * sizeof words[0])) == size;
        for (std::uint64_t k = 0; told && k < many; ++k, at += page) {
            if (!(words[k] & (kThere | kSwapped)) || (words[k] & kOfFile)) continue;
            if (!out.empty() && out.back().last == at)
                out.back().last += page;
            else
                out.push_back({at, at + page});
        }
    }
    ::close(map);
    if (!told) return std::nullopt;
    return out;
}

int unnamed_file(const char* name) { return ::memfd_create(name, MFD_CLOEXEC); }

bool is_unnamed_file(int descriptor, const char* name) {
    std::error_code failed;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), failed).string();
    return !failed && path.starts_with("/memfd:" + std::string(name));
}

int open_descriptor_of(std::int32_t process, int descriptor) {
    const auto path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
    return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

namespace {

/// The argument of PROCMAP_QUERY, which Linux has from 6.11 on, in the kernel's layout. It gives one mapping in a
/// microsecond; a Python process has a thousand of them in its list.
struct MappingQuery {
    std::uint64_t size, wanted, address, first, last, flags, page, offset, inode;
    std::uint32_t major, minor, name_size, build_size;
    std::uint64_t name, build;
};
constexpr unsigned long kQuery = _IOWR('f', 17, MappingQuery);
constexpr std::uint64_t kReadable = 1, kWritable = 2;

/// False: this kernel has no such call. Without a mapping there that may be read and written, `out` is empty.
bool ask_kernel(std::uint64_t address, MemoryRange& out) {
    static const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    out = {};
    MappingQuery q{};
    q.size = sizeof q, q.address = address, q.wanted = kReadable | kWritable;
    if (::ioctl(maps, kQuery, &q) == 0) {
        out = {q.first, q.last};
        return true;
    }
    return errno == ENOENT;
}

/// The same from the list, with the neighbours that follow without a gap.
MemoryRange from_list(std::uint64_t address) {
    std::ifstream maps("/proc/self/maps");
    MemoryRange run;
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t first = 0, last = 0;
        char dash = 0, read = 0, write = 0;
        std::istringstream words(line);
        if (!(words >> std::hex >> first >> dash >> last >> read >> write)) continue;
        if (read != 'r' || write != 'w') continue;
        if (first != run.last) {
            if (run.holds(address)) break;
            run.first = first;
        }
        run.last = last;
    }
    return run.holds(address) ? run : MemoryRange{};
}

/// So many mappings without a gap are taken as one.
constexpr int kMostNeighbours = 256;

}  // namespace

MemoryRange writable_range(const void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    MemoryRange range, next;
    if (!ask_kernel(address, range)) return from_list(address);
    for (int k = 0; range.last && k < kMostNeighbours && ask_kernel(range.last, next) && next.last; ++k)
        range.last = next.last;
    for (int k = 0; range.first && k < kMostNeighbours && ask_kernel(range.first - 1, next) && next.last; ++k)
        range.first = next.first;
    return range;
}

std::uint64_t readable_bytes(const void* address) {
    const auto from = reinterpret_cast<std::uint64_t>(address);
    std::ifstream maps("/proc/self/maps");
    std::uint64_t end = 0;
    for (std::string line; std::getline(maps, line);) {
        std::uint64_t first = 0, last = 0;
        char dash = 0, readable = 0;
        std::istringstream words(line);
        if (!(words >> std::hex >> first >> dash >> last >> readable)) continue;
        if (readable != 'r') continue;
        // The mapping that holds the address, then those that follow without a gap.
        if (end == 0 ? from >= first && from < last : first == end) end = last;
    }
    return end ? end - from : 0;
}

}  // namespace warpwright::host
