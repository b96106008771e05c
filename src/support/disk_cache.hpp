// A folder of entries under content-hash keys, shared by processes: compiled PTX, compiled host code. A cache never
// makes a program fail: a problem is a warning, and the caller does the work itself. Its contents are executed, so it
// accepts only entries that this user has written: OwnFolder, and a checksum made with the user's secret.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/user_secret.hpp"

namespace warpwright {

class DiskCache {
public:
    /// Entries live in `directory` (created with the first entry), their files end in `extension` (".ptx-entry").
    /// Beyond `limit_bytes` in total, the least recently used entries are removed. An empty directory name is a cache
    /// that holds nothing.
    DiskCache(std::string directory, std::string extension, std::uint64_t limit_bytes = std::uint64_t{512} << 20);

    /// Warnings that nobody took about ignored entries go to warn().
    ~DiskCache();
    DiskCache(const DiskCache&) = delete;
    DiskCache& operator=(const DiskCache&) = delete;

    /// The bytes stored under `key`, or nothing. An entry that is damaged, belongs to another user, or was stored under
    /// another key is removed, reported in take_warnings(), and counts as missing; so does everything if the folder or
    /// the entry does not belong to this user alone.
    std::optional<std::string> get(std::string_view key);

    /// Stores under `key` (hexadecimal or other file-name characters), through a temporary file and a rename, so that
    /// no reader sees a partial entry. False, with a warning, if it could not be stored.
    bool put(std::string_view key, std::string_view bytes);

    /// Removes an entry, if it exists.
    void remove(std::string_view key);

    /// The problems since the last call, one line each.
    std::vector<std::string> take_warnings();

    const std::string& directory() const { return directory_; }

    /// An entry by its key and extension, and its bytes.
    using Entries = std::map<std::string, std::string>;
    /// From now on all that this process gets from its caches, or puts there, is noted.
    static void note_entries();
    /// What was noted of caches with this extension.
    static Entries noted(std::string_view extension);
    /// A process that has no folder for its caches (a confined one) finds these in them.
    static void hand_down(Entries entries);
    /// One more of them.
    static void hand_down(std::string name, std::string bytes);

private:
    struct Warning {
        std::string text;
        bool distrust;  ///< there was an entry that was not trusted
    };
    std::string checksum(const Secret& secret, std::string_view key, std::string_view bytes) const;
    void evict();

    std::string directory_, extension_;
    std::uint64_t limit_;
    std::vector<Warning> warnings_;
};

/// $WARPWRIGHT_CACHE, else $XDG_CACHE_HOME/warpwright, else $HOME/.cache/warpwright; empty when none is set
/// or WARPWRIGHT_CACHE is set to nothing.
std::string default_cache_directory();

}  // namespace warpwright
