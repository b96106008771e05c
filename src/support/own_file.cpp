// Reads and writes through the descriptor of a folder that was checked, so that no other process can exchange the
// folder between the check and the use. Files appear complete or not at all.
#include "support/own_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "host/machine.hpp"
#include "support/read_file.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

Error problem(const std::string& path, std::string what, std::string hint = {}) {
    return Error{ErrorKind::input, std::move(what), Location{path, 0, 0}, std::move(hint)};
}

Error system_problem(const std::string& path, const char* what, int error) {
    return problem(path, std::string(what) + ": " + std::strerror(error));
}

/// The reason why a file or a folder does not belong to this user alone.
std::optional<Error> foreign(const std::string& path, const struct stat& info) {
    if (info.st_uid != ::geteuid())
        return problem(path, "belongs to another user (number " + std::to_string(info.st_uid) + ") and is not used");
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return problem(path, "may be written by others and is not used", "chmod go-w '" + path + "'");
    return std::nullopt;
}

/// Whether a group is the user's private one, of the user's own name and without other members: many distributions make
/// one for each user, and let the group write to what the user makes.
bool is_private_group(gid_t group) {
    char names[2][4096];
    struct group of_group{}, *found_group = nullptr;
    struct passwd of_user{}, *found_user = nullptr;
    if (::getgrgid_r(group, &of_group, names[0], sizeof names[0], &found_group) != 0 || !found_group) return false;
    if (::getpwuid_r(::geteuid(), &of_user, names[1], sizeof names[1], &found_user) != 0 || !found_user) return false;
    if (std::string_view(found_group->gr_name) != found_user->pw_name || found_user->pw_gid != group) return false;
    for (char** member = found_group->gr_mem; *member; ++member)
        if (std::string_view(*member) != found_user->pw_name) return false;
    return true;
}

/// A name for a temporary file that no one can predict.
std::string temporary_name() {
    unsigned char random[8] = {};
    if (!host::random_bytes(random, sizeof random)) return {};
    std::string name = "tmp-";
    for (const unsigned char byte : random) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        name += digits;
    }
    return name;
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// Like `mkdir -p`, for the user alone; 0 or errno.
int make_folders(const fs::path& path) {
    if (path.empty()) return 0;
    if (::mkdir(path.c_str(), 0700) == 0) return 0;
    if (errno == EEXIST) return 0;
    if (errno != ENOENT || !path.has_parent_path() || path.parent_path() == path) return errno;
    if (const int error = make_folders(path.parent_path())) return error;
    return ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace

std::optional<Error> not_own(const std::string& path) {
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? std::nullopt
                   : std::optional<Error>(system_problem(path, "cannot be opened", errno));
    if (S_ISLNK(info.st_mode)) return problem(path, "is a link and is not used");
    if ((info.st_mode & S_IWGRP) && is_private_group(info.st_gid)) info.st_mode &= ~static_cast<mode_t>(S_IWGRP);
    return foreign(path, info);
}

Result<std::optional<OwnFolder>> OwnFolder::open(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        if (errno == ENOENT || errno == ENOTDIR) return std::optional<OwnFolder>();
        return system_problem(path, "cannot be opened", errno);
    }
    OwnFolder folder(path, descriptor);
    struct stat info{};
    if (::fstat(descriptor, &info) != 0) return system_problem(path, "cannot be opened", errno);
    if (auto wrong = foreign(path, info)) return std::move(*wrong);
    return std::optional<OwnFolder>(std::move(folder));
}

Result<OwnFolder> OwnFolder::make(const std::string& path) {
    if (const int error = make_folders(fs::path(path).lexically_normal()))
        return system_problem(path, "cannot be made", error);
    auto folder = open(path);
    if (!folder) return std::move(folder).error();
    if (!*folder) return system_problem(path, "cannot be made", ENOTDIR);
    return std::move(**folder);
}

OwnFolder::~OwnFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<std::string>> OwnFolder::read(const std::string& name, std::uint64_t most, Readers readers) const {
    const std::string path = path_ + "/" + name;
    const int file = ::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENOENT) return std::optional<std::string>();
        if (errno == ELOOP) return problem(path, "is a link and is not used");
        return system_problem(path, "cannot be read", errno);
    }
    struct stat info{};
    Result<std::optional<std::string>> out = std::optional<std::string>();
    if (::fstat(file, &info) != 0) {
        out = system_problem(path, "cannot be read", errno);
    } else if (auto wrong = foreign(path, info)) {
        out = std::move(*wrong);
    } else if (readers == Readers::user_only && (info.st_mode & (S_IRWXG | S_IRWXO))) {
        out = problem(path, "may be read by others and is not used", "remove it: a new one is made");
    } else if (auto bytes = read_open_file(file, path, most); !bytes) {
        out = std::move(bytes).error();
    } else {
        (void)::futimens(file, nullptr);  // the least recently used entries are removed first
        out = std::optional<std::string>(std::move(*bytes));
    }
    ::close(file);
    return out;
}

Result<bool> OwnFolder::write(const std::string& name, std::string_view bytes, bool replace) const {
    const std::string path = path_ + "/" + name, temporary = temporary_name();
    const int file = temporary.empty() ? -1
                                       : ::openat(descriptor_, temporary.c_str(),
                                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return system_problem(path, "cannot be written", errno);
    bool done = write_all(file, bytes) && (replace || ::fsync(file) == 0);
    int error = errno;
    if (::close(file) != 0 && done) done = false, error = errno;
    bool there = false;
    if (done && replace) {
        done = ::renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) == 0;
        error = errno;
    } else if (done) {
        // A link cannot replace a file that another process has put there in the meantime.
        there = ::linkat(descriptor_, temporary.c_str(), descriptor_, name.c_str(), 0) != 0 && errno == EEXIST;
        if (!there && ::faccessat(descriptor_, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
            // No hard links on this file system.
            done = ::renameat2(descriptor_, temporary.c_str(), descriptor_, name.c_str(), RENAME_NOREPLACE) == 0;
            error = errno;
            if (!done && error == EEXIST) done = there = true;
        }
    }
    if (!done || !replace) (void)::unlinkat(descriptor_, temporary.c_str(), 0);
    if (!done) return system_problem(path, "cannot be written", error);
    return !there;
}

void OwnFolder::remove(const std::string& name) const { (void)::unlinkat(descriptor_, name.c_str(), 0); }

}  // namespace warpwright
