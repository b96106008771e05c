// The system calls and their structures are declared here, because the headers of distributions are older than the
// kernels that run. Rights that a kernel's version lacks are left out of the request.
#include "confine/landlock.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace warpwright::confine {
namespace {

namespace fs = std::filesystem;

// The kernel's interface (include/uapi/linux/landlock.h), here because distributions' headers are older than kernels.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
struct RulesetAttr {
    std::uint64_t fs = 0, net = 0, scoped = 0;
};
struct __attribute__((packed)) PathAttr {
    std::uint64_t allowed = 0;
    std::int32_t folder = -1;
};
constexpr std::uint64_t kExecute = 1u << 0, kWriteFile = 1u << 1, kReadFile = 1u << 2, kReadDir = 1u << 3;
constexpr std::uint64_t kTruncate = 1u << 14, kIoctlDevice = 1u << 15;
/// Rights of version 3: from execute to truncate.
constexpr std::uint64_t kAllOfThree = (1u << 15) - 1;
/// Those of them that a file itself can have.
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;
/// Below the own folder: everything but starting programs, devices and sockets.
constexpr std::uint64_t kOwn =
    kWriteFile | kReadFile | kReadDir | kTruncate | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 12 | 1u << 13;

Error failed(const std::string& what) {
    return Error{ErrorKind::no_device, "cannot confine this process: " + what + ": " + std::strerror(errno), Location{},
                 "run without --untrusted only what you trust"};
}

/// A path that is not there needs no rule.
Result<void> allow(int ruleset, const std::string& path, std::uint64_t rights) {
    const int at = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (at < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? Result<void>{} : failed(path);
    struct stat info{};
    if (::fstat(at, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= kOfFiles;
    const PathAttr rule{rights, at};
    const bool fine = ::syscall(kAddRule, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0) == 0;
    const auto error = fine ? Result<void>{} : failed("Landlock refuses a rule for " + path);
    ::close(at);
    return error;
}

/// What cannot be resolved cannot be hidden for certain: an error, but where there is nothing.
Result<std::vector<fs::path>> canonical(const std::vector<std::string>& paths) {
    std::vector<fs::path> out;
    for (const std::string& path : paths) {
        std::error_code ec;
        fs::path real = fs::canonical(path, ec);
        if (ec == std::errc::no_such_file_or_directory) real = fs::weakly_canonical(path, ec);
        if (!ec)
            out.push_back(std::move(real));
        else if (ec != std::errc::no_such_file_or_directory)
            return Error{ErrorKind::no_device, "cannot confine this process: " + path + ": " + ec.message(), Location{},
                         "what is to be hidden must be known"};
    }
    return out;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// Landlock knows no exceptions: where something hidden lies in a folder, its other entries have a rule each.
Result<void> allow_reading(int ruleset, const std::string& path, const std::vector<fs::path>& hidden) {
    std::error_code ec;
    const fs::path real = fs::canonical(path, ec);
    const auto is_it = [&](const fs::path& h) { return h == real; };
    const auto is_in_it = [&](const fs::path& h) { return lies_in(h, real); };
    if (!ec && std::any_of(hidden.begin(), hidden.end(), is_it)) return {};
    if (ec || std::none_of(hidden.begin(), hidden.end(), is_in_it)) return allow(ruleset, path, kReadFile | kReadDir);
    for (fs::directory_iterator it(real, ec), end; !ec && it != end; it.increment(ec))
        // (A link leads to what has a rule of its own, or to what has none.)
        if (!it->is_symlink(ec))
            if (auto ok = allow_reading(ruleset, it->path().string(), hidden); !ok) return ok;
    return {};
}

Result<void> fill(int ruleset, const std::vector<std::string>& read, const std::vector<fs::path>& hidden,
                  const std::vector<std::string>& programs, const std::string& own) {
    for (const std::string& path : read)
        if (auto ok = allow_reading(ruleset, path, hidden); !ok) return ok;
    for (const std::string& path : programs)
        if (auto ok = allow(ruleset, path, kReadFile | kExecute); !ok) return ok;
    if (auto ok = allow(ruleset, "/dev/null", kReadFile | kWriteFile); !ok) return ok;
    if (auto ok = allow(ruleset, own, kOwn); !ok) return ok;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
    if (::syscall(kRestrictSelf, ruleset, 0) != 0) return failed("Landlock");
    return {};
}

}  // namespace

int landlock_version() {
    const long version = ::syscall(kCreateRuleset, nullptr, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    return version < 0 ? 0 : static_cast<int>(version);
}

Result<void> landlock(const std::vector<std::string>& read, const std::vector<std::string>& hidden,
                      const std::vector<std::string>& programs, const std::string& own) {
    const auto unseen = canonical(hidden);
    if (!unseen) return unseen.error();
    const int version = landlock_version();
    RulesetAttr attr;
    attr.fs = kAllOfThree | (version >= 5 ? kIoctlDevice : 0);
    if (version >= 4) attr.net = 3;     // binding and connecting TCP ports
    if (version >= 6) attr.scoped = 3;  // abstract sockets and signals
    const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const int ruleset = static_cast<int>(::syscall(kCreateRuleset, &attr, size, 0));
    if (ruleset < 0) return failed("Landlock");
    auto done = fill(ruleset, read, *unseen, programs, own);
    ::close(ruleset);
    return done;
}

}  // namespace warpwright::confine
