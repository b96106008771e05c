// A table says for each kind of data which setting names its folder and where it lies in an installation and in the
// sources. The prefix of an installation is derived from the file that contains this code, so that it may be moved.
#include "support/data_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "host/self.hpp"
#include "support/settings.hpp"
#include "support/user_folders.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

struct Place {
    Data what;
    std::optional<Setting> setting;
    bool setting_alone;      ///< where it is set, no other folder is searched
    bool of_users;           ///< users have a folder of their own
    const char* name;        ///< of its folder in share/warpwright
    const char* in_sources;  ///< of its folder in the source tree
};

constexpr Place kPlaces[] = {
    {Data::devices, Setting::devices, false, true, "devices", "data/devices"},
    {Data::kernels, Setting::kernels, false, false, "kernels", "kernels"},
    {Data::text, Setting::texts, false, false, "text", "data/text"},
    {Data::toolchain, Setting::toolchain, true, false, "toolchain", "toolchain"},
    {Data::course, std::nullopt, false, false, "course", "course"},
};

const Place& place_of(Data what) {
    return *std::find_if(std::begin(kPlaces), std::end(kPlaces), [&](const Place& p) { return p.what == what; });
}

std::vector<std::string> chosen(std::optional<Setting> choice) {
    if (!choice) return {};
    const Setting setting = *choice;
    if (settings::info(setting).kind == settings::Kind::paths) return settings::paths(setting);
    std::string one = settings::text(setting);
    return one.empty() ? std::vector<std::string>() : std::vector<std::string>{std::move(one)};
}

/// The file of the program or library in which this code is.
fs::path own_file() {
    std::error_code ec;
    const host::LoadedFile file = host::file_with(reinterpret_cast<const void*>(&own_file));
    if (file.path.empty() || file.path == host::kOwnProgram) return host::own_program();
    return fs::weakly_canonical(file.path, ec);
}

/// The folders that may be the prefix of an installed file: what its folder is in, and what a folder bin, lib or lib64
/// above it is in (lib/warpwright/compilers/bin/nvcc). No other: a build tree somewhere below a prefix is not installed
/// there.
std::vector<fs::path> prefixes_of(const fs::path& file) {
    std::vector<fs::path> out{file.parent_path().parent_path()};
    for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (const fs::path name = folder.filename(); name == "bin" || name == "lib" || name == "lib64")
            out.push_back(folder.parent_path());
    return out;
}

}  // namespace

std::string share_of(const std::string& file) {
    const auto prefixes = prefixes_of(file);
    std::error_code ec;
    for (const fs::path& prefix : prefixes)
        if (fs::is_directory(prefix / "share/warpwright", ec)) return (prefix / "share/warpwright").string();
    return (prefixes.front() / "share/warpwright").string();
}

std::string user_data_folder_of(Data what) {
    const std::string data = user_data_folder();
    return data.empty() ? data : data + "/" + place_of(what).name;
}

std::vector<std::string> data_folders(Data what) {
    const Place& place = place_of(what);
    std::vector<std::string> all = chosen(place.setting);
    if (place.setting_alone && !all.empty()) return all;
    if (place.of_users) all.push_back(user_data_folder_of(what));
    static const fs::path file = own_file();
    if (!file.empty()) all.push_back(share_of(file.string()) + "/" + place.name);
    // The source tree comes before the configured prefix, so that a build that was never installed does not read an
    // older installation's files.
    all.push_back(std::string(WARPWRIGHT_SOURCE_TREE "/") + place.in_sources);
    all.push_back(std::string(WARPWRIGHT_INSTALLED_SHARE "/") + place.name);
    std::vector<std::string> out;
    for (std::string& folder : all)
        if (!folder.empty() && std::find(out.begin(), out.end(), folder) == out.end()) out.push_back(std::move(folder));
    return out;
}

}  // namespace warpwright
