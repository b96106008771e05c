// An exercise is looked for beside the course's file first, so that an instructor's exercise may hide one of ours.
#include "learn/course.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "ladder/toml_reader.hpp"
#include "support/closest.hpp"
#include "support/data_folders.hpp"
#include "support/read_file.hpp"

namespace warpwright::learn {
namespace {

namespace fs = std::filesystem;

/// The folder that a course means by a name.
std::string find_exercise(const fs::path& beside, const std::string& name) {
    std::error_code ec;
    if (fs::is_regular_file(beside / name / "exercise.toml", ec)) return (beside / name).lexically_normal().string();
    if (name.find('/') != std::string::npos) return "";
    for (const std::string& folder : data_folders(Data::course))
        if (fs::is_regular_file(fs::path(folder) / name / "exercise.toml", ec))
            return (fs::path(folder) / name).string();
    return "";
}

void read_share(const toml::table& table, const char* key, ladder::TomlReader& toml, double& out) {
    const auto* node = table.get(key);
    if (!node) return;
    const auto value = node->value<double>();
    if (!value || *value < 0 || *value > 1)
        toml.fail(toml.at(*node), fmt::format("'{}' is a share from 0 to 1", key));
    else
        out = *value;
}

void read_grading(const toml::table& table, ladder::TomlReader& toml, Grading& out) {
    toml.keys(table, {"seed", "right", "late_per_day", "late_at_most"}, "[grading]");
    if (const auto* node = table.get("seed")) {
        const auto* seed = node->as_integer();
        if (!seed || seed->get() < 0)
            toml.fail(toml.at(*node), "'seed' is a whole number");
        else
            out.seed = static_cast<std::uint64_t>(seed->get());
    }
    read_share(table, "right", toml, out.right);
    read_share(table, "late_per_day", toml, out.late_per_day);
    read_share(table, "late_at_most", toml, out.late_at_most);
}

/// [points] and [due], whose keys are exercises.
void read_by_exercise(const toml::table& root, ladder::TomlReader& toml, Course& out) {
    const auto names = out.names();
    const auto known = [&](const toml::key& key) {
        if (std::find(names.begin(), names.end(), key.str()) != names.end()) return true;
        toml.fail(toml.at(key.source()), "the course has no exercise '" + std::string(key.str()) + "'",
                  did_you_mean(key.str(), names));
        return false;
    };
    if (const auto* table = toml.table(root.get("points"), "points"))
        for (auto&& [key, node] : *table) {
            const auto value = node.value<double>();
            if (!known(key)) break;
            if (!value || *value < 0 || *value > 1e6)
                toml.fail(toml.at(node), "points are a number from 0 to a million");
            else
                out.points[std::string(key.str())] = *value;
        }
    if (const auto* table = toml.table(root.get("due"), "due"))
        for (auto&& [key, node] : *table) {
            if (!known(key)) break;
            const auto* text = node.as_string();
            if (!text || !seconds_of(text->get()))
                toml.fail(toml.at(node), "a deadline is a text such as \"2026-10-01T22:00:00Z\"");
            else
                out.due[std::string(key.str())] = text->get();
        }
}

}  // namespace

std::optional<std::int64_t> seconds_of(const std::string& iso) {
    std::tm parts{};
    const char* end = ::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (!end || *end) return std::nullopt;
    return static_cast<std::int64_t>(::timegm(&parts));
}

std::vector<std::string> Course::names() const {
    std::vector<std::string> out;
    for (const std::string& folder : folders) out.push_back(fs::path(folder).filename().string());
    return out;
}

Result<std::string> Course::folder_of(const std::string& exercise) const {
    for (const std::string& folder : folders)
        if (fs::path(folder).filename() == exercise) return folder;
    const std::string guess = did_you_mean(exercise, names());
    return Error{ErrorKind::usage, "there is no exercise '" + exercise + "'", Location{},
                 (guess.empty() ? "" : guess + " ") + "warpwright learn status lists them"};
}

Result<std::string> own_course() {
    std::error_code ec;
    for (const std::string& folder : data_folders(Data::course))
        if (fs::is_regular_file(fs::path(folder) / "course.toml", ec))
            return (fs::path(folder) / "course.toml").string();
    return Error{ErrorKind::input, "the course is not installed: no course.toml was found", Location{},
                 "--course FILE names another"};
}

Result<Course> read_course(const std::string& path) {
    std::error_code ec;
    const fs::path file = fs::is_directory(path, ec) ? fs::path(path) / "course.toml" : fs::path(path);
    auto text = read_file(file.string(), file_limit::table);
    if (!text) return std::move(text).error();
    Course out;
    out.file = file.string();
    auto parsed = read_toml(*text, file.string());
    if (!parsed) return std::move(parsed).error();
    const toml::table& root = *parsed;
    ladder::TomlReader toml(file.string());
    toml.keys(root, {"schema", "title", "titles", "exercises", "grading", "points", "due"}, "a course");
    out.title = toml.text(root.get("title"), "title").value_or("");
    if (const auto* titles = toml.table(root.get("titles"), "titles"))
        for (auto&& [language, text] : *titles)
            out.titles[std::string(language.str())] = toml.text(&text, language.str()).value_or("");
    const auto* list = root.get_as<toml::array>("exercises");
    if (!list || list->empty()) toml.fail(toml.at(root), "'exercises' must be a list of names");
    if (list)
        for (const toml::node& item : *list) {
            const auto name = toml.text(&item, "exercises");
            if (!name) break;
            std::string folder = find_exercise(file.parent_path(), *name);
            if (folder.empty())
                toml.fail(toml.at(item), "there is no exercise '" + *name + "'",
                          "a folder with an exercise.toml, beside the course or one of ours");
            // Progress, points and submissions go by the name.
            const auto there = out.names();
            if (std::find(there.begin(), there.end(), fs::path(folder).filename()) != there.end())
                toml.fail(toml.at(item), "'" + *name + "' is named twice");
            out.folders.push_back(std::move(folder));
        }
    if (const auto* table = toml.table(root.get("grading"), "grading")) read_grading(*table, toml, out.grading);
    read_by_exercise(root, toml, out);
    if (toml.error()) return *toml.error();
    return out;
}

}  // namespace warpwright::learn
