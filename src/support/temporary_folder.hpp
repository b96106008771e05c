// A folder for files that are needed only during some work.
#pragma once

#include <string>

namespace warpwright {

/// $TMPDIR, $TMP, $TEMP or $TEMPDIR, the first that is set, else /tmp.
std::string temporary_root();

/// Makes a new folder under the system's temporary one (TMPDIR), and removes it with its contents at the
/// end.
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
};

}  // namespace warpwright
