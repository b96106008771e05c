// A folder of entries under content-hash keys, shared by processes: compiled PTX, compiled host code. A cache never
// makes a program fail: what goes wrong is a warning, and the caller does the work itself. What it holds is executed,
// so it takes only what this user has put there: OwnFolder, and a checksum made with the user's secret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/user_secret.hpp"

namespace warpwright {

class DiskCache {
public:
    /// Entries live in `directory` (made when the first entry is put), their files end in `extension` (".ptx-entry").
    /// Past `limit_bytes` in all, the entries used longest ago go. An empty directory is a cache that holds nothing.
    DiskCache(std::string directory, std::string extension, std::uint64_t limit_bytes = std::uint64_t{512} << 20);

    /// What nobody took of the warnings about entries that were passed over goes to warn().
    ~DiskCache();
    DiskCache(const DiskCache&) = delete;
    DiskCache& operator=(const DiskCache&) = delete;

    /// The bytes put under `key`, or nothing. An entry that is damaged, or is another's, or was put under another key,
    /// is removed, reported in take_warnings(), and counts as none; so does all that is there when the folder or the
    /// entry is not this user's alone.
    std::optional<std::string> get(std::string_view key);

    /// Stores under `key` (hexadecimal or other file-name characters), through a temporary file and a rename, so that
    /// no reader sees half an entry. False, with a warning, when it could not be stored.
    bool put(std::string_view key, std::string_view bytes);

    /// Removes an entry; missing ones are fine.
    void remove(std::string_view key);

    /// What went wrong since the last call, one line each.
    std::vector<std::string> take_warnings();

    const std::string& directory() const { return directory_; }

private:
    struct Warning {
        std::string text;
        bool distrust;  ///< something was there that we do not take
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
