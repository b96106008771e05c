// Writes beside the file and renames, so that a reader sees the old file or the new one, and waits for the disk, which
// may be full without a write having failed. Devices and pipes are written directly.
#include "support/write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace warpwright {
namespace {

Error failed(const std::string& path, const char* what, int code) {
    return {ErrorKind::input, std::string(what) + ": " + std::strerror(code ? code : EIO), Location{path, 0, 0}, {}};
}

/// 0, or errno.
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        text.remove_prefix(std::size_t(n));
    }
    return 0;
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view text) {
    constexpr const char* what = "cannot be written";
    struct stat there{};
    const bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return failed(path, what, EISDIR);
    if (exists && !S_ISREG(there.st_mode)) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (file < 0) return failed(path, what, errno);
        const int wrong = write_all(file, text);
        const int closed = ::close(file) == 0 ? 0 : errno;
        if (wrong || closed) return failed(path, what, wrong ? wrong : closed);
        return {};
    }
    // Writes through a link, so that the link stays.
    std::error_code ec;
    const std::string place = exists ? std::filesystem::canonical(path, ec).string() : path;
    const std::string temporary = place + ".part" + std::to_string(::getpid());
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return failed(path, what, errno);
    int wrong = write_all(file, text);
    if (!wrong && exists) (void)::fchmod(file, there.st_mode & 0777);
    // Some file systems report a full disk only now.
    if (!wrong && ::fsync(file) != 0 && errno != EINVAL && errno != EROFS) wrong = errno;
    if (::close(file) != 0 && !wrong) wrong = errno;
    if (!wrong && ::rename(temporary.c_str(), place.c_str()) != 0) wrong = errno;
    if (!wrong) return {};
    (void)::unlink(temporary.c_str());
    return failed(path, what, wrong);
}

Result<void> make_folder(const std::string& path) {
    std::error_code ec;
    std::filesystem::create_directories(path, ec);
    if (ec) return failed(path, "the folder cannot be made", ec.value());
    if (!std::filesystem::is_directory(path, ec)) return failed(path, "the folder cannot be made", ENOTDIR);
    return {};
}

}  // namespace warpwright
