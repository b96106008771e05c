// The parent adds up the blocks of the child's folder now and then, since limits on a file's size bound neither the
// number of files nor their sum. It also sees to it that the disk keeps some free space.
#include "confine/disk.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace warpwright::confine {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{512} << 20;  ///< bytes that a child must leave free for others
constexpr std::uint64_t kMostFiles = 20000;                   ///< a compilation has some ten
constexpr std::uint64_t kBlock = 512;                         ///< the unit of st_blocks

}  // namespace

DiskWatch::DiskWatch(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {
    free_at_start_ = free_bytes();
}

std::uint64_t DiskWatch::free_bytes() const {
    struct statvfs info{};
    if (::statvfs(folder_.c_str(), &info) != 0) return UINT64_MAX;
    return std::uint64_t{info.f_bavail} * info.f_frsize;
}

std::string DiskWatch::passed() const {
    std::uint64_t bytes = 0, files = 0;
    std::error_code error;
    // The child changes the folder meanwhile: what has gone again is not counted.
    for (std::filesystem::recursive_directory_iterator at(folder_, error), end; !error && at != end;
         at.increment(error)) {
        struct stat info{};
        if (++files > kMostFiles) return "it made more than " + std::to_string(kMostFiles) + " files";
        if (::lstat(at->path().c_str(), &info) == 0) bytes += static_cast<std::uint64_t>(info.st_blocks) * kBlock;
        if (bytes > most_) return "its files took more than " + std::to_string(most_ >> 20) + " MiB";
    }
    // Less than the reserve may have been free before: then a child may take half of that.
    const std::uint64_t reserve = std::min(kReserve, free_at_start_ / 2);
    if (free_bytes() < reserve)
        return "the disk of its temporary folder has less than " + std::to_string(reserve >> 20) + " MiB left";
    return "";
}

}  // namespace warpwright::confine
