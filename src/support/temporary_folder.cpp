// A folder that mkdtemp makes, where TMPDIR and its like say, and that goes with the object.
#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "support/settings.hpp"

namespace warpwright {
namespace fs = std::filesystem;

std::string temporary_root() {
    for (const Setting place : {Setting::tmpdir, Setting::tmp, Setting::temp, Setting::tempdir})
        if (std::string folder = settings::text(place); !folder.empty()) return folder;
    return "/tmp";
}

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
    std::string pattern = temporary_root() + "/warpwright-" + purpose + "-XXXXXX";
    if (::mkdtemp(pattern.data())) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
}

}  // namespace warpwright
