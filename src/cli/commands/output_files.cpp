// Looks at the rights of the folder, since a file is written beside its place and renamed; nothing is opened or made,
// so a command that is refused leaves all as it was.
#include "cli/commands/output_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "text/words.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;
namespace {

Error failed(const std::string& path, const char* what, int code) {
    return Error{ErrorKind::input, std::string(what) + ": " + std::strerror(code), Location{path, 0, 0}, ""};
}

/// 0, or errno: whether new files can be made in the folder.
int wrong_with_folder(const fs::path& folder) {
    struct stat there{};
    if (::stat(folder.c_str(), &there) != 0) return errno;
    if (!S_ISDIR(there.st_mode)) return ENOTDIR;
    return ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

fs::path folder_of(const fs::path& file) {
    const fs::path parent = file.parent_path();
    return parent.empty() ? fs::path(".") : parent;
}

}  // namespace

Result<void> check_writable(const std::string& file) {
    if (file.empty() || file == "-") return {};
    struct stat there{};
    const bool exists = ::stat(file.c_str(), &there) == 0;
    int wrong = 0;
    if (exists && S_ISDIR(there.st_mode)) {
        wrong = EISDIR;
    } else if (exists && !S_ISREG(there.st_mode)) {
        wrong = ::access(file.c_str(), W_OK) == 0 ? 0 : errno;
    } else {
        // It is written beside its place and renamed (support/write_file.hpp): the folder counts, through a link.
        std::error_code ec;
        const fs::path place = exists ? fs::canonical(file, ec) : fs::path(file);
        wrong = place.filename().empty() ? EISDIR : wrong_with_folder(folder_of(place));
    }
    if (wrong != 0) return failed(file, "cannot be written", wrong);
    return {};
}

Result<void> check_writable(std::initializer_list<std::optional<std::string>> files) {
    for (const auto& file : files)
        if (auto ok = check_writable(file.value_or("")); !ok) return ok;
    return {};
}

Result<void> check_folder(const std::optional<std::string>& folder) {
    if (!folder) return {};
    std::error_code ec;
    fs::path at = fs::path(*folder).lexically_normal();
    while (at.has_relative_path() && !fs::exists(at, ec)) at = folder_of(at);
    if (const int wrong = wrong_with_folder(at); wrong != 0) return failed(*folder, "the folder cannot be made", wrong);
    return {};
}

Result<void> check_language(const std::string& language) {
    if (language.empty()) return {};
    auto words = Words::load(language);
    if (!words) return std::move(words).error();
    return {};
}

}  // namespace warpwright::cli
