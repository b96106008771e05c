// What a release says of itself: NOTICE names whatever the build links, and the version stands in one place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace release_test {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

std::vector<fs::path> build_files() {
    auto files = files_under(kRoot / "cmake", {".cmake"});
    files.push_back(kRoot / "CMakeLists.txt");
    for (const auto& file : files_under(kRoot / "src", {".txt"}))
        if (file.filename() == "CMakeLists.txt") files.push_back(file);
    return files;
}

/// The packages, libraries and files that a list of CMake looks for, and what it links by a name of its own.
std::set<std::string> foreign_names(const std::string& list) {
    static const std::regex comment("#[^\n]*");
    static const std::regex found(R"(find_(package|library|path|file)\s*\(([^)]*)\))");
    static const std::regex target(R"((\w+)::\w+)");
    static const std::regex linked(R"((?:target_link_libraries\s*\(\S+|\bLIBRARIES|PRIVATE_LIBRARIES)([^)]*)\))");
    const std::string text = std::regex_replace(list, comment, "");
    std::set<std::string> names;
    const auto each = [&](const std::regex& what, auto take) {
        for (auto it = std::sregex_iterator(text.begin(), text.end(), what); it != std::sregex_iterator(); ++it)
            take(*it);
    };
    const auto is_keyword = [](const std::string& word) {
        return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos;
    };
    // find_package names a package first, the others a variable, then a name, or NAMES and several.
    each(found, [&](const std::smatch& call) {
        std::istringstream words(call[2].str());
        std::string word;
        words >> word;
        if (call[1] != "package") words >> word;
        if (word != "NAMES") names.insert(word);
        if (word == "NAMES")
            while (words >> word && !is_keyword(word)) names.insert(word);
    });
    each(target, [&](const std::smatch& match) { names.insert(match[1].str()); });
    each(linked, [&](const std::smatch& match) {
        static const std::regex plain(R"(^[A-Za-z][\w.+-]*$)");
        std::istringstream words(match[1].str());
        for (std::string word; words >> word;)
            if (std::regex_match(word, plain) && !word.starts_with("warpwright_") && !is_keyword(word))
                names.insert(word);
    });
    return names;
}

/// The rows of NOTICE's table of what is linked: the second column, a list of names, or "by NAME".
std::vector<std::string> notice_names(const std::string& notice) {
    static const std::regex gap(" {2,}");
    std::vector<std::string> rows;
    std::istringstream lines(notice);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  name ")) {
            inside = true;
            continue;
        }
        if (inside && line.empty()) break;
        if (!inside || line.starts_with("    ")) continue;
        std::vector<std::string> cells(std::sregex_token_iterator(line.begin() + 2, line.end(), gap, -1), {});
        EXPECT_GE(cells.size(), 4u) << line;
        if (cells.size() > 1) rows.push_back(cells[1]);
    }
    return rows;
}

TEST(Notice, NamesWhateverTheBuildLinksAndNothingElse) {
    std::set<std::string> linked, named;
    for (const auto& file : build_files()) linked.merge(foreign_names(read_text(file)));
    ASSERT_GE(linked.size(), 15u);
    linked.erase("warpwright");  // our own, as users find it
    linked.erase("std");         // of a source that a script writes
    static const std::regex comma(", *");
    const auto rows = notice_names(read_text(kRoot / "NOTICE"));
    for (const auto& row : rows) {
        if (row.starts_with("by ")) {
            EXPECT_TRUE(linked.contains(row.substr(3))) << "NOTICE: " << row;
            continue;
        }
        for (auto it = std::sregex_token_iterator(row.begin(), row.end(), comma, -1);
             it != std::sregex_token_iterator(); ++it)
            named.insert(*it);
    }
    for (const auto& name : linked) EXPECT_TRUE(named.contains(name)) << "NOTICE does not name " << name;
    for (const auto& name : named) EXPECT_TRUE(linked.contains(name)) << "the build does not look for " << name;
}

TEST(Notice, IsComparedWithAllWaysToLink) {
    const auto names = foreign_names(
        "find_package(PNG REQUIRED) # find_package(Not)\nfind_library(WW_LZ4 lz4 REQUIRED)\n"
        "find_file(WW_JS NAMES a.js b.js PATHS /usr)\nfind_path(X_INCLUDE x.h)\n"
        "ww_room(values WORDS LIBRARIES fmt::fmt ${WW_LZ4} PRIVATE_LIBRARIES SQLiteCpp)\n"
        "target_link_libraries(a PRIVATE warpwright_b Boost::context)\nww_room(c ROOMS d)\n");
    EXPECT_THAT(names, UnorderedElementsAre("PNG", "lz4", "a.js", "b.js", "x.h", "fmt", "SQLiteCpp", "Boost"));
    EXPECT_THAT(notice_names("text\n  name  in CMake  licence  use\n  a b   x, y   MIT   z\n  c  by x  MIT  w\n"
                             "                     more\n\nother\n"),
                testing::ElementsAre("x, y", "by x"));
}

/// What project() of the first CMake list says: the version.
std::string version() {
    static const std::regex line(R"(project\(warpwright VERSION (\d+\.\d+\.\d+))");
    const std::string text = read_text(kRoot / "CMakeLists.txt");
    std::smatch match;
    return std::regex_search(text, match, line) ? match[1].str() : "";
}

// Programs, the package, the wheel and pages take the version from there; the changelog tells what each version has.
TEST(Version, StandsInOnePlace) {
    const std::string now = version();
    ASSERT_FALSE(now.empty());
    std::string pattern = "(^|[^0-9.])";
    for (const char c : now) pattern += c == '.' ? std::string("\\.") : std::string(1, c);
    const std::regex written(pattern + "([^0-9]|$)"), asked(R"(find_package\(warpwright \d)");
    std::vector<fs::path> files{kRoot / "README.md", kRoot / "CONTRIBUTING.md", kRoot / "setup", kRoot / "tools/wheel"};
    for (const char* folder : {"src", "include", "cmake", "docs", "examples", "python", "toolchain"})
        for (const auto& file : files_under(
                 kRoot / folder, {".cpp", ".hpp", ".h", ".inc", ".txt", ".cmake", ".in", ".md", ".py", ".toml"}))
            files.push_back(file);
    EXPECT_GT(files.size(), 1000u);
    for (const auto& file : files) {
        const std::string text = read_text(file);
        if (text.find(now) != std::string::npos)
            EXPECT_FALSE(std::regex_search(text, written)) << file << " writes the version " << now << " again";
        EXPECT_FALSE(std::regex_search(text, asked)) << file << " asks for a version by its number";
    }
}

TEST(Version, HasASectionInTheChangelogBelowWhatIsUnreleased) {
    std::vector<std::string> headings;
    std::istringstream lines(read_text(kRoot / "CHANGELOG.md"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("## ")) headings.push_back(line);
    ASSERT_GE(headings.size(), 2u);
    EXPECT_EQ(headings[0], "## Unreleased");
    EXPECT_THAT(headings[1], testing::MatchesRegex("## " + version() + " \\([0-9]{4}-[0-9]{2}-[0-9]{2}\\)"));
}

}  // namespace release_test
}  // namespace warpwright::architecture
