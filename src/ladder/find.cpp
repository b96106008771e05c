// Looks for a ladder by a path or a name in the kernels' folders, and lists all, those of a user before ours.
#include "ladder/find.hpp"

#include <filesystem>
#include <map>

#include "support/data_folders.hpp"
#include "support/read_file.hpp"

namespace warpwright::ladder {

namespace fs = std::filesystem;

std::vector<std::string> kernel_folders() { return data_folders(Data::kernels); }

std::vector<LadderPlace> list_ladders() {
    std::error_code ec;
    std::map<std::string, std::string> found;
    for (const std::string& folder : kernel_folders())
        for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
            if (fs::is_regular_file(it->path() / "ladder.toml", ec))
                found.emplace(it->path().filename().string(), (it->path() / "ladder.toml").string());
    std::vector<LadderPlace> out;
    for (auto& [name, file] : found) out.push_back({name, file});
    return out;
}

Result<std::string> ladder_file(const std::string& name_or_path) {
    std::string known;
    for (const LadderPlace& place : list_ladders()) {
        if (place.name == name_or_path) return place.file;
        known += (known.empty() ? "" : ", ") + place.name;
    }
    std::error_code ec;
    if (!fs::exists(name_or_path, ec))
        return Error{
            ErrorKind::usage, "there is no ladder '" + name_or_path + "'", Location{},
            known.empty() ? "no ladders are installed" : "ladders: " + known + "; or a folder with a ladder.toml"};
    fs::path file = name_or_path;
    if (fs::is_directory(file, ec)) file /= "ladder.toml";
    if (!fs::is_regular_file(file, ec))
        return Error{ErrorKind::usage, "there is no ladder '" + file.string() + "'", Location{}, ""};
    return file.string();
}

Result<Ladder> find_ladder(const std::string& name_or_path) {
    auto file = ladder_file(name_or_path);
    if (!file) return std::move(file).error();
    return read_ladder(*file);
}

Result<Ladder> read_ladder(const std::string& path) {
    std::error_code ignored;
    fs::path file = fs::is_directory(path, ignored) ? fs::path(path) / "ladder.toml" : fs::path(path);
    if (!fs::is_regular_file(file, ignored))
        return Error{ErrorKind::usage, "there is no ladder '" + file.string() + "'", Location{}, ""};
    auto text = read_file(file.string(), file_limit::table);
    if (!text) return std::move(text).error();
    auto rungs = rung_files(file.parent_path().string());
    if (!rungs) return std::move(rungs).error();
    return parse_ladder(*text, file.string(), *rungs);
}

}  // namespace warpwright::ladder
