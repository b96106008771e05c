// The default file of tuned values on disk, which is read unasked: its last line is a checksum with the user's secret,
// so that only what `tune` wrote for this user is taken. Files that a user names need none.
#include <filesystem>

#include "support/own_file.hpp"
#include "support/read_file.hpp"
#include "support/user_secret.hpp"
#include "support/warnings.hpp"
#include "tune/tuned.hpp"

namespace warpwright::tune {

namespace fs = std::filesystem;

namespace {

// The last line of the default file: a comment, so that the file stays TOML.
constexpr std::string_view kSigned = "# checksum of this user: ";

std::string folder_of(const std::string& file) {
    const std::string folder = fs::path(file).parent_path().string();
    return folder.empty() ? "." : folder;
}

std::string name_of(const std::string& file) { return fs::path(file).filename().string(); }

Result<std::string> signature(std::string_view text) {
    auto secret = user_secret();
    if (!secret) return std::move(secret).error();
    return keyed_checksum(*secret, {"tuned values", text});
}

/// The text without its last line; nothing if that is not the checksum of the rest.
Result<std::optional<std::string>> checked(const std::string& text) {
    const std::size_t at = text.rfind(kSigned);
    if (at == std::string::npos || (at > 0 && text[at - 1] != '\n')) return std::optional<std::string>();
    auto wanted = signature(std::string_view(text).substr(0, at));
    if (!wanted) return std::move(wanted).error();
    if (!same_checksum(std::string_view(text).substr(at + kSigned.size()), *wanted + "\n"))
        return std::optional<std::string>();
    return std::optional(text.substr(0, at));
}

/// The checked text of the default file, nothing if there is none, or the reason why it is not accepted.
Result<std::optional<std::string>> own_text(const std::string& file) {
    auto folder = OwnFolder::open(folder_of(file));
    if (!folder) return std::move(folder).error();
    if (!*folder) return std::optional<std::string>();
    auto bytes = (*folder)->read(name_of(file), file_limit::table);
    if (!bytes) return std::move(bytes).error();
    if (!*bytes) return std::optional<std::string>();
    auto text = checked(**bytes);
    if (!text) return std::move(text).error();
    if (!*text)
        return Error{ErrorKind::input, "was not written by `warpwright tune` of this user, or was changed since",
                     Location{file, 0, 0}, "--tuned FILE takes it as it is"};
    return text;
}

}  // namespace

Result<std::vector<Entry>> read_tuned(const std::string& file) {
    std::error_code ec;
    if (!fs::exists(file, ec)) return std::vector<Entry>{};
    auto text = read_file(file, file_limit::table);
    if (!text) {
        Error error = std::move(text).error();
        error.what = "the file of tuned values " + error.what;
        error.hint = "lab --no-tuned leaves it out";
        return error;
    }
    return parse_tuned(*text, file);
}

Result<std::vector<Entry>> read_own_tuned(const std::string& file) {
    if (file.empty()) return std::vector<Entry>{};
    auto text = own_text(file);
    if (!text) {
        warn("tuned values are not taken: " + text.error().text());
        return std::vector<Entry>{};
    }
    if (!*text) return std::vector<Entry>{};
    return parse_tuned(**text, file);
}

Result<void> make_own_place(const std::string& file) {
    auto folder = OwnFolder::make(folder_of(file));
    if (!folder) return std::move(folder).error();
    return {};
}

Result<void> write_own_tuned(const std::string& file, const std::vector<Entry>& entries) {
    auto folder = OwnFolder::make(folder_of(file));
    if (!folder) return std::move(folder).error();
    if (auto before = own_text(file); !before) {
        std::error_code ec;
        std::string aside;
        for (int n = 1; aside.empty() || fs::exists(fs::symlink_status(aside, ec)); ++n)
            aside = file + ".not-taken-" + std::to_string(n);
        fs::rename(file, aside, ec);
        if (ec) return Error{ErrorKind::input, "cannot be set aside: " + ec.message(), Location{file, 0, 0}, ""};
        warn(file + " is kept as " + aside);
    }
    const std::string text = tuned_text(entries) + "\n";
    auto sum = signature(text);
    if (!sum) return std::move(sum).error();
    auto written = folder->write(name_of(file), text + std::string(kSigned) + *sum + "\n");
    if (!written) return std::move(written).error();
    return {};
}

}  // namespace warpwright::tune
