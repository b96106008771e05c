#include "support/disk_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/content_hash.hpp"

namespace warpwright {
namespace fs = std::filesystem;
namespace {

// An entry file: magic, hash of the payload (32 digits), newline, payload.
constexpr std::string_view kMagic = "warpwright-cache-1\n";
constexpr std::size_t kHeader = kMagic.size() + 32 + 1;

/// The whole file, or errno in `error`.
std::optional<std::string> read_all(const std::string& path, int& error) {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error = errno;
        return std::nullopt;
    }
    std::string bytes;
    struct stat info{};
    if (::fstat(fd, &info) == 0 && info.st_size > 0) bytes.reserve(static_cast<std::size_t>(info.st_size));
    char buffer[1 << 16];
    for (;;) {
        ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            error = errno;
            ::close(fd);
            return std::nullopt;
        }
        if (n == 0) break;
        bytes.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(fd);
    return bytes;
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

DiskCache::DiskCache(std::string directory, std::string extension, std::uint64_t limit_bytes)
    : directory_(std::move(directory)), extension_(std::move(extension)), limit_(limit_bytes) {}

std::string DiskCache::path_of(std::string_view key) const {
    return fmt::format("{}/{}{}", directory_, key, extension_);
}

std::optional<std::string> DiskCache::get(std::string_view key) {
    if (directory_.empty()) return std::nullopt;
    const std::string path = path_of(key);
    int error = 0;
    auto bytes = read_all(path, error);
    if (!bytes) {
        if (error != ENOENT && error != ENOTDIR)
            warnings_.push_back(fmt::format("cache entry {} cannot be read: {}", path, std::strerror(error)));
        return std::nullopt;
    }
    const std::string_view text = *bytes;
    if (text.size() < kHeader || !text.starts_with(kMagic) ||
        text.substr(kMagic.size(), 32) != content_hash(text.substr(kHeader))) {
        warnings_.push_back(fmt::format("cache entry {} is damaged and was dropped", path));
        ::unlink(path.c_str());
        return std::nullopt;
    }
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // the eviction goes by last use
    return bytes->substr(kHeader);
}

bool DiskCache::put(std::string_view key, std::string_view bytes) {
    if (directory_.empty()) return false;
    std::error_code ec;
    fs::create_directories(directory_, ec);
    if (ec) {
        warnings_.push_back(fmt::format("cache directory {} cannot be made: {}", directory_, ec.message()));
        return false;
    }
    std::string temporary = fmt::format("{}/tmp-XXXXXX", directory_);
    int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) {
        warnings_.push_back(fmt::format("cache directory {} cannot be written: {}", directory_, std::strerror(errno)));
        return false;
    }
    std::string header = fmt::format("{}{}\n", kMagic, content_hash(bytes));
    bool written = write_all(fd, header) && write_all(fd, bytes);
    int error = errno;
    if (::close(fd) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && ::rename(temporary.c_str(), path_of(key).c_str()) != 0) {
        written = false;
        error = errno;
    }
    if (!written) {
        ::unlink(temporary.c_str());
        warnings_.push_back(fmt::format("cache entry {} cannot be written: {}", path_of(key), std::strerror(error)));
        return false;
    }
    evict();
    return true;
}

void DiskCache::remove(std::string_view key) {
    if (!directory_.empty()) ::unlink(path_of(key).c_str());
}

std::vector<std::string> DiskCache::take_warnings() { return std::exchange(warnings_, {}); }

void DiskCache::evict() {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        std::uint64_t size;
    };
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    std::error_code ec;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator it(directory_, ec), end; !ec && it != end; it.increment(ec)) {
        std::error_code one;
        const auto used = it->last_write_time(one);
        if (one) continue;
        const std::string name = it->path().filename().string();
        // What a killed process left half written.
        if (name.starts_with("tmp-") && now - used > std::chrono::hours(1)) fs::remove(it->path(), one);
        if (!name.ends_with(extension_)) continue;
        const std::uint64_t size = it->file_size(one);
        if (one) continue;
        total += size;
        entries.push_back({it->path(), used, size});
    }
    if (total <= limit_) return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
        // Down to nine tenths, so that a full cache does not list its folder's oldest file at every put.
        if (total <= limit_ - limit_ / 10) break;
        std::error_code one;
        fs::remove(entry.path, one);
        total -= entry.size;
    }
}

std::string default_cache_directory() {
    if (const char* own = std::getenv("WARPWRIGHT_CACHE")) return own;
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return std::string(xdg) + "/warpwright";
    if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/warpwright";
    return {};
}

}  // namespace warpwright
