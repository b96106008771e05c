// A folder for files that are needed only during some work.
#pragma once

#include <string>

#include "support/early_end.hpp"

namespace warpwright {

/// $TMPDIR, $TMP, $TEMP or $TEMPDIR, the first that is set, else /tmp; absolute.
std::string temporary_root();

/// Makes a new folder under the system's temporary one (TMPDIR), and removes it with its contents at the end, also
/// where a limit or a signal ends the process (support/early_end). It is locked until then; so of a process that was
/// killed the next one that makes such a folder knows that nobody uses it, and removes it.
class TemporaryFolder {
public:
    /// `purpose`: a part of its name.
    explicit TemporaryFolder(const std::string& purpose);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Empty if none could be made; errno says why.
    const std::string& path() const { return path_; }

private:
    std::string path_;
    int lock_ = -1;
    early_end::Place place_ = early_end::none;
};

/// Removes this user's folders of processes that were killed, from the system's temporary one. Those that were made in
/// the last `seconds` stay: their makers may not have locked them yet.
void remove_left_folders(int seconds = 60);

}  // namespace warpwright
