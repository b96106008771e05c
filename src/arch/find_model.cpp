// The folders in which device models may be, the search through them by the names that people write ("GeForce GTX
// 580"), and the hint for a name that none has.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arch/model.hpp"
#include "support/closest.hpp"
#include "support/data_folders.hpp"
#include "support/settings.hpp"

namespace warpwright::arch {

namespace fs = std::filesystem;

std::string user_model_folder() { return user_data_folder_of(Data::devices); }

std::vector<std::string> model_folders() {
    std::vector<std::string> out = data_folders(Data::devices);
    std::error_code ec;
    std::erase_if(out, [&](const std::string& folder) { return !fs::is_directory(folder, ec); });
    return out;
}

std::vector<std::string> list_models() {
    std::set<std::string> names;
    for (const std::string& folder : model_folders()) {
        std::error_code ec;
        for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
            if (it->path().extension() == ".toml") names.insert(it->path().stem().string());
    }
    return {names.begin(), names.end()};
}

Result<DeviceModel> load_model(const std::string& name_or_path) {
    auto path = find_model(name_or_path);
    if (!path) return std::move(path).error();
    return read_model(*path);
}

namespace {

/// "GeForce GTX 580" and "Tesla K40c" as our files are named: gtx580, k40c.
std::string plain_name(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    for (const std::string_view word : {"nvidia", "geforce", "tesla", "amd", "radeon"})
        if (const auto at = name.find(word); at != std::string::npos) name.erase(at, word.size());
    std::erase_if(name, [](char c) { return c == ' ' || c == '-' || c == '_'; });
    return name;
}

}  // namespace

Result<std::string> find_model(const std::string& name_or_path) {
    if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) return name_or_path;
    std::string name = name_or_path;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    for (const std::string& folder : model_folders())
        for (const std::string& stem : {name_or_path, name, plain_name(name_or_path)}) {
            const std::string path = folder + '/' + stem + ".toml";
            std::error_code ec;
            if (!stem.empty() && fs::is_regular_file(path, ec)) return path;
        }
    Error error;
    error.kind = ErrorKind::usage;
    error.what = fmt::format("there is no device model '{}'", name_or_path);
    const auto known = list_models();
    if (known.empty()) {
        error.hint =
            fmt::format("no model files were found; set {} to their folder", settings::variable(Setting::devices));
        return error;
    }
    error.hint = did_you_mean(name_or_path, known);
    error.hint += fmt::format("{}known models: {}", error.hint.empty() ? "" : " ", fmt::join(known, ", "));
    return error;
}

}  // namespace warpwright::arch
