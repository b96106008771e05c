#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace warpwright {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
    std::error_code ec;
    std::string pattern = (fs::temp_directory_path(ec) / ("warpwright-" + purpose + "-XXXXXX")).string();
    if (!ec && ::mkdtemp(pattern.data())) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
}

}  // namespace warpwright
