// The key of a compilation is a hash of all inputs that are known before it runs; the files that it turned out to
// include are kept in the entry with their hashes, and tried when the entry is read.
#include "compile/kernel/cached_compile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "support/content_hash.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

// To be raised when the meaning of a key changes, or the way PTX is made from the same inputs (rewrite_ptx.cpp).
constexpr std::string_view kFormat = "ptx-7";

/// Identifies a program without running it: its resolved path, size and time of change.
std::string identity(const std::string& program) {
    std::error_code ec;
    const std::string path = fs::canonical(program, ec).string();
    struct stat info{};
    if (ec || ::stat(path.c_str(), &info) != 0) return program;
    return fmt::format("{} {} {}.{}", path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string headers_hash(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        std::error_code one;
        if (it->is_regular_file(one)) files.push_back(it->path().string());
    }
    std::sort(files.begin(), files.end());
    ContentHasher hasher;
    for (const std::string& file : files) hasher.add(file.substr(folder.size())).add(read_file(file).value_or(""));
    return hasher.digest();
}

void put_text(std::string& out, std::string_view text) { out += fmt::format("{}\n{}\n", text.size(), text); }

bool take_text(std::string_view& rest, std::string& text) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const std::size_t used = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || used >= rest.size() || rest[used] != '\n') return false;
    rest.remove_prefix(used + 1);
    if (rest.size() < size || rest.size() - size < 1 || rest[size] != '\n') return false;
    text = rest.substr(0, size);
    rest.remove_prefix(size + 1);
    return true;
}

bool is_before(const timespec& a, const timespec& b) {
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
    auto text = warpwright::read_file(path, file_limit::source);
    if (!text) return std::nullopt;
    return std::move(*text);
}

std::string cache_key(const CompileRequest& request, const std::string& source, const Tools& tools,
                      const std::vector<std::string>& flags) {
    std::error_code ec;
    ContentHasher hasher;
    hasher.add(kFormat).add(request.language).add(source).add(request.path).add(request.text ? "text" : "file");
    hasher.add(fs::current_path(ec).string());  // relative names of includes, and of files in line information
    hasher.add(tools_hash(tools));
    for (const std::string& flag : flags) hasher.add(flag);
    if (request.may_need_host_headers) hasher.add("host headers");
    return hasher.digest();
}

std::string tools_hash(const Tools& tools) {
    ContentHasher hasher;
    hasher.add(identity(tools.compiler)).add(identity(tools.libclc)).add(identity(tools.pass));
    for (const std::string& folder : tools.headers) hasher.add(headers_hash(folder));
    return hasher.digest();
}

std::optional<std::string> by_contents(const std::string& word, const std::string& folder) {
    if (!word.starts_with(folder + "/")) return word;
    auto text = warpwright::read_file(word, file_limit::program);
    if (!text) return std::nullopt;
    for (std::size_t at = 0; (at = text->find(folder, at)) != std::string::npos;) text->erase(at, folder.size());
    return "a file: " + *text;
}

std::string encode_entry(const CacheEntry& entry) {
    std::string out;
    put_text(out, entry.output);
    put_text(out, entry.log);
    for (const auto& [file, hash] : entry.dependencies) {
        put_text(out, file);
        put_text(out, hash);
    }
    return out;
}

std::optional<CacheEntry> decode_entry(const std::string& bytes) {
    CacheEntry entry;
    std::string_view rest = bytes;
    if (!take_text(rest, entry.output) || !take_text(rest, entry.log)) return std::nullopt;
    while (!rest.empty()) {
        std::string file, hash;
        if (!take_text(rest, file) || !take_text(rest, hash)) return std::nullopt;
        entry.dependencies.emplace_back(std::move(file), std::move(hash));
    }
    return entry;
}

UnchangedSince::UnchangedSince() {
    // From the first tick after now on, so that what was changed just before is not in doubt. "Now" is by the fine
    // clock: since Linux 6.13 a file that was looked at gets its next time from that one, ahead of the ticks.
    constexpr timespec moment{0, 1'000'000};
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    for (int k = 0; k < 100; ++k) {
        ::clock_gettime(CLOCK_REALTIME_COARSE, &begin_);
        if (is_before(now, begin_)) return;
        (void)::nanosleep(&moment, nullptr);
    }
}

bool UnchangedSince::unchanged(const std::string& file) const {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0) return false;
    return is_before(info.st_ctim, begin_);
}

bool fill_dependencies(CacheEntry& entry, const std::vector<std::string>& files, const UnchangedSince& before) {
    for (const std::string& file : files) {
        auto text = read_file(file);
        // Looked at after the reading: what is hashed is then what the compiler read.
        if (!text || !before.unchanged(file)) return false;
        entry.dependencies.emplace_back(file, content_hash(*text));
    }
    return true;
}

bool dependencies_unchanged(const CacheEntry& entry) {
    for (const auto& [file, hash] : entry.dependencies) {
        auto text = read_file(file);
        if (!text || content_hash(*text) != hash) return false;
    }
    return true;
}

}  // namespace warpwright::compile
