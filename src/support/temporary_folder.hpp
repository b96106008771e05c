// A folder for files that nobody wants once the work is done.
#pragma once

#include <string>

namespace warpwright {

/// $TMPDIR, $TMP, $TEMP or $TEMPDIR, the first that is set, else /tmp.
std::string temporary_root();

/// Makes a folder of its own under the system's temporary one (TMPDIR), and removes it with all that is in it at the
/// end.
class TemporaryFolder {
public:
    /// `purpose`: a part of its name.
    explicit TemporaryFolder(const std::string& purpose);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    /// Empty where none could be made; errno says why.
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace warpwright
