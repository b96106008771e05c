// A folder that mkdtemp makes, where TMPDIR and its like say, and that goes with the object.
#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "support/settings.hpp"

namespace warpwright {
namespace fs = std::filesystem;
namespace {

/// No other folder has such a name: one that is not locked is nobody's.
constexpr const char* kPrefix = "warpwright_tmp-";
/// A process looks at so many entries of the system's temporary folder, however many there are.
constexpr int kMostEntries = 20000;

/// An open folder with its lock; -1 where another process has it.
int lock_folder(const std::string& path, int wait) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    if (::flock(folder, LOCK_EX | wait) == 0) return folder;
    ::close(folder);
    return -1;
}

}  // namespace

std::string temporary_root() {
    for (const Setting place : {Setting::tmpdir, Setting::tmp, Setting::temp, Setting::tempdir})
        if (std::string folder = settings::text(place); !folder.empty()) {
            std::error_code ec;
            if (auto whole = fs::absolute(folder, ec); !ec) return whole.string();
            return folder;
        }
    return "/tmp";
}

void remove_left_folders(int seconds) {
    std::error_code ec;
    int looked = 0;
    const std::string root = temporary_root();
    for (fs::directory_iterator it(root, ec), end; !ec && it != end && ++looked < kMostEntries; it.increment(ec)) {
        const std::string path = it->path().string();
        struct stat info{};
        if (!it->path().filename().string().starts_with(kPrefix) || ::lstat(path.c_str(), &info) != 0 ||
            !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0 ||
            info.st_mtime > std::time(nullptr) - seconds)
            continue;
        const int folder = lock_folder(path, LOCK_NB);
        if (folder < 0) continue;
        std::error_code one;
        fs::remove_all(path, one);
        ::close(folder);
    }
}

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
    static std::once_flag swept;
    std::call_once(swept, [] { remove_left_folders(); });
    std::string pattern = temporary_root() + "/" + kPrefix + purpose + "-XXXXXX";
    if (!::mkdtemp(pattern.data())) return;
    path_ = pattern;
    lock_ = lock_folder(path_, LOCK_NB);
    place_ = early_end::add_folder(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
    early_end::remove_folder(place_);
    if (lock_ >= 0) ::close(lock_);
}

}  // namespace warpwright
