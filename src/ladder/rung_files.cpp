// Takes the TOML out of a source's first comment and inserts it among the ladder's rungs, where it says behind which.
// Lines of errors are those of the source file.
#include "ladder/rung_files.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "support/read_file.hpp"

namespace warpwright::ladder {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOpening = "/* [rung]";

Error wrong(const RungFile& file, const toml::source_region& at, std::string what, std::string hint = {}) {
    return Error{ErrorKind::input, std::move(what), Location{file.path, at.begin.line, at.begin.column},
                 std::move(hint)};
}

/// The place after the rung called `name`; the array's end if no name is given.
Result<std::size_t> place_behind(const toml::array& rungs, const toml::node* after, const RungFile& file) {
    if (!after) return rungs.size();
    const auto* name = after->as_string();
    if (!name) return wrong(file, after->source(), "'after' must be the name of a rung");
    for (std::size_t i = 0; i < rungs.size(); ++i)
        if (const toml::table* rung = rungs[i].as_table())
            if ((*rung)["name"].value<std::string>() == name->get()) return i + 1;
    return wrong(file, after->source(), "there is no rung '" + name->get() + "' that this one could follow");
}

Result<void> insert_rung(toml::array& rungs, const RungFile& file) {
    auto text = read_toml(file.toml, file.path);
    if (!text) return std::move(text).error();
    toml::table* rung = (*text)["rung"].as_table();
    if (!rung || text->size() != 1)
        return wrong(file, text->source(), "the comment must hold the table [rung] and nothing else");
    if (const toml::node* source = rung->get("source"))
        return wrong(file, source->source(), "'source' is this file itself", "leave the key out");
    auto place = place_behind(rungs, rung->get("after"), file);
    if (!place) return std::move(place).error();
    rung->erase("after");
    rung->insert("source", fs::path(file.path).filename().string());
    rungs.insert(rungs.cbegin() + static_cast<std::ptrdiff_t>(*place), std::move(*rung));
    return {};
}

}  // namespace

Result<std::string> rung_comment(const std::string& source, const std::string& path) {
    const std::size_t first = source.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || source.compare(first, kOpening.size(), kOpening) != 0) return std::string();
    const std::size_t begin = first + 3;  // behind "/* "
    const std::size_t end = source.find("*/", begin);
    const auto lines = std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    if (end == std::string::npos)
        return Error{ErrorKind::input, "the comment that describes the rung does not end",
                     Location{path, static_cast<unsigned>(lines) + 1, 1}, "close it with */"};
    return std::string(static_cast<std::size_t>(lines), '\n') + source.substr(begin, end - begin);
}

Result<std::vector<RungFile>> rung_files(const std::string& folder) {
    std::vector<RungFile> files;
    std::error_code ec;
    std::vector<fs::path> sources;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, ec), end; !ec && it != end; it.increment(ec)) {
        std::error_code ignored;
        const auto extension = it->path().extension();
        if ((extension == ".cu" || extension == ".cl") && it->is_regular_file(ignored)) sources.push_back(it->path());
    }
    std::sort(sources.begin(), sources.end());
    for (const fs::path& source : sources) {
        auto text = read_file(source.string(), file_limit::source);
        if (!text) return std::move(text).error();
        auto comment = rung_comment(*text, source.string());
        if (!comment) return std::move(comment).error();
        if (!comment->empty()) files.push_back({source.string(), std::move(*comment)});
    }
    return files;
}

Result<void> insert_rungs(toml::table& root, const std::vector<RungFile>& files) {
    if (files.empty()) return {};
    if (!root.contains("rung")) root.insert("rung", toml::array{});
    toml::array* rungs = root["rung"].as_array();
    if (!rungs) return {};  // the ladder's own parser reports the error
    for (const RungFile& file : files)
        if (auto ok = insert_rung(*rungs, file); !ok) return ok;
    return {};
}

}  // namespace warpwright::ladder
