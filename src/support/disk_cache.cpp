// The files of a cache: each has a keyed checksum that is tried when it is read, and the oldest are removed when the
// folder is larger than its limit.
#include "support/disk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

#include "support/content_hash.hpp"
#include "support/own_file.hpp"
#include "support/settings.hpp"
#include "support/warnings.hpp"

namespace warpwright {
namespace fs = std::filesystem;
namespace {

// An entry file: magic, keyed checksum (64 digits) of kind, extension, key and payload, newline, payload.
constexpr std::string_view kMagic = "warpwright-cache-2\n", kOldMagic = "warpwright-cache-1\n";
constexpr std::size_t kDigits = 64, kHeader = kMagic.size() + kDigits + 1;

/// What the process has noted, and what was handed down to it.
struct Kept {
    std::mutex mutex;
    bool noting = false;
    DiskCache::Entries noted, handed_down;

    void note(std::string name, std::string_view bytes) {
        std::lock_guard lock(mutex);
        if (noting) noted.insert_or_assign(std::move(name), bytes);
    }
};
Kept& kept() {
    static Kept all;
    return all;
}

}  // namespace

void DiskCache::note_entries() {
    std::lock_guard lock(kept().mutex);
    kept().noting = true;
}

DiskCache::Entries DiskCache::noted(std::string_view extension) {
    std::lock_guard lock(kept().mutex);
    Entries out;
    for (const auto& [name, bytes] : kept().noted)
        if (name.ends_with(extension)) out.emplace(name, bytes);
    return out;
}

void DiskCache::hand_down(Entries entries) {
    std::lock_guard lock(kept().mutex);
    kept().handed_down = std::move(entries);
}

void DiskCache::hand_down(std::string name, std::string bytes) {
    std::lock_guard lock(kept().mutex);
    kept().handed_down.insert_or_assign(std::move(name), std::move(bytes));
}

namespace {

/// Whether a folder is to be listed after a put. A process that has listed it does so again only when it has written
/// `enough` bytes since: the folder may have tens of thousands of entries, and a program hundreds of kernels.
bool is_time_to_list(const std::string& directory, const std::string& extension, std::string_view key,
                     std::uint64_t bytes, std::uint64_t enough) {
    struct Written {
        std::uint64_t bytes = 0;
        bool listed = false;
    };
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::string>, Written> all;
    std::lock_guard lock(mutex);
    auto& written = all[{directory, extension}];
    written.bytes += bytes;
    if (written.bytes <= enough && (written.listed || content_hash(key).front() != '0')) return false;
    written = {0, true};
    return true;
}

}  // namespace

DiskCache::DiskCache(std::string directory, std::string extension, std::uint64_t limit_bytes)
    : directory_(std::move(directory)), extension_(std::move(extension)), limit_(limit_bytes) {}

DiskCache::~DiskCache() {
    for (const Warning& w : warnings_)
        if (w.distrust) warn(w.text);
}

std::string DiskCache::checksum(const Secret& secret, std::string_view key, std::string_view bytes) const {
    return keyed_checksum(secret, {"cache entry", extension_, key, bytes});
}

std::optional<std::string> DiskCache::get(std::string_view key) {
    const std::string name = std::string(key) + extension_;
    if (directory_.empty()) {
        std::lock_guard lock(kept().mutex);
        const auto& all = kept().handed_down;
        const auto it = all.find(name);
        return it == all.end() ? std::nullopt : std::optional(it->second);
    }
    const auto pass_over = [&](const Error& why) {
        warnings_.push_back({"the cache of compiled kernels: " + why.text(), true});
        return std::nullopt;
    };
    auto folder = OwnFolder::open(directory_);
    if (!folder) return pass_over(folder.error());
    if (!*folder) return std::nullopt;
    auto bytes = (*folder)->read(name, limit_);
    if (!bytes) return pass_over(bytes.error());
    if (!*bytes) return std::nullopt;
    const std::string_view text = **bytes;
    if (text.starts_with(kOldMagic)) {  // of an earlier version, without a key
        (*folder)->remove(name);
        return std::nullopt;
    }
    auto secret = user_secret();
    if (!secret) return pass_over(secret.error());
    if (text.size() < kHeader || !text.starts_with(kMagic) ||
        !same_checksum(text.substr(kMagic.size(), kDigits), checksum(*secret, key, text.substr(kHeader)))) {
        warnings_.push_back({fmt::format("cache entry {}/{} is damaged or was not made by this user, and was dropped",
                                         directory_, name),
                             true});
        (*folder)->remove(name);
        return std::nullopt;
    }
    std::string out = (*bytes)->substr(kHeader);
    kept().note(name, out);
    return out;
}

bool DiskCache::put(std::string_view key, std::string_view bytes) {
    kept().note(std::string(key) + extension_, bytes);
    if (directory_.empty()) return false;
    const auto failed = [&](const Error& why) {
        warnings_.push_back({"compiled kernels are not kept: " + why.text(), false});
        return false;
    };
    auto folder = OwnFolder::make(directory_);
    if (!folder) return failed(folder.error());
    auto secret = user_secret();
    if (!secret) return failed(secret.error());
    std::string text = fmt::format("{}{}\n", kMagic, checksum(*secret, key, bytes));
    text += bytes;
    if (auto written = folder->write(std::string(key) + extension_, text); !written) return failed(written.error());
    if (is_time_to_list(directory_, extension_, key, text.size(), limit_ / 64)) evict();
    return true;
}

void DiskCache::remove(std::string_view key) {
    if (directory_.empty()) return;
    if (auto folder = OwnFolder::open(directory_); folder && *folder) (*folder)->remove(std::string(key) + extension_);
}

std::vector<std::string> DiskCache::take_warnings() {
    std::vector<std::string> out;
    for (Warning& w : std::exchange(warnings_, {})) out.push_back(std::move(w.text));
    return out;
}

/// Lists the whole folder, which costs more than a small entry: is_time_to_list() says when. Of processes that write
/// few entries one put in sixteen does so.
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
        // Files that a killed process left incomplete.
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
        // Down to nine tenths, so that a full cache does not list its folder at every put.
        if (total <= limit_ - limit_ / 10) break;
        std::error_code one;
        fs::remove(entry.path, one);
        total -= entry.size;
    }
}

std::string default_cache_directory() {
    if (settings::is_set(Setting::cache)) return settings::text(Setting::cache);
    if (const std::string xdg = settings::text(Setting::xdg_cache_home); !xdg.empty()) return xdg + "/warpwright";
    if (const std::string home = settings::text(Setting::home); !home.empty()) return home + "/.cache/warpwright";
    return {};
}

}  // namespace warpwright
