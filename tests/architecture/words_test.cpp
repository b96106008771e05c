// The rules of CONTRIBUTING.md for words, as far as a rule can be exact: rates say "per", and links of the docs lead
// somewhere. (rooms_test.cpp has the test that every header begins with a comment.)
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace words_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

std::string from_root(const fs::path& file) { return file.lexically_relative(kRoot).string(); }

TEST(Words, RatesSayPer) {
    const std::set<std::string> texts{".md", ".toml", ".hpp", ".cpp", ".inc", ".cu", ".cuh", ".cl"};
    auto files = files_under(kRoot / "docs", texts);
    for (const char* folder : {"data", "include", "kernels", "src"})
        for (const auto& file : files_under(kRoot / folder, texts)) files.push_back(file);
    for (const char* page : {"README.md", "CONTRIBUTING.md", "SECURITY.md"}) files.push_back(kRoot / page);
    for (const auto& file : files) {
        const std::string name = from_root(file);
        for (const auto& rate : rates_without_per(read_text(file)))
            ADD_FAILURE() << name << ":" << rate << ": a rate says \"per\"";
    }
}

/// Texts in quotes of a TOML file, each with its file: those of pages, phrases and ladders that users read.
std::vector<std::string> quoted(const fs::path& file) {
    std::vector<std::string> out;
    std::istringstream lines(read_text(file));
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with('#')) text += line + "\n";
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at)) {
        const std::string mark = text.compare(at, 3, "\"\"\"") == 0 ? "\"\"\"" : "\"";
        std::size_t end = text.find(mark, at + mark.size());
        while (mark.size() == 1 && end != std::string::npos && text[end - 1] == '\\') end = text.find('"', end + 1);
        if (end == std::string::npos) break;
        out.push_back(text.substr(at + mark.size(), end - at - mark.size()));
        at = end + mark.size();
    }
    return out;
}

/// What stands between back quotes is code.
std::string without_code(const std::string& text) {
    std::string out;
    bool code = false;
    for (const char c : text) {
        if (c == '`') code = !code, out += code ? "CODE" : "";
        if (c != '`' && !code) out += c;
    }
    return out;
}

/// The strings of pages, phrases and ladders in one list, beside the test (user-strings.txt): to be read at once. What
/// a rule can say of them is tested here.
TEST(Words, TheStringsThatUsersReadAreOneList) {
    std::ofstream list(WARPWRIGHT_STRINGS);
    std::size_t strings = 0;
    for (const char* folder : {"data/text", "kernels"})
        for (const auto& file : files_under(kRoot / folder, {".toml"})) {
            const bool ladder = file.filename() == "ladder.toml";
            for (const std::string& text : quoted(file)) {
                const std::string prose = without_code(text);
                // A ladder also has expressions and names, which are no prose.
                if (std::count(prose.begin(), prose.end(), ' ') < (ladder ? 4 : 0) || text.empty()) continue;
                if (ladder && prose.find_first_of("?<>&%=") != std::string::npos) continue;
                list << from_root(file) << ": " << text << "\n";
                ++strings;
                const auto wrong = [&](const char* why) {
                    ADD_FAILURE() << from_root(file) << ": " << why << ": " << text;
                };
                if (std::count(text.begin(), text.end(), '`') % 2 != 0) wrong("a back quote is open");
                if (prose.find("  ") != std::string::npos && prose.find("__") == std::string::npos) wrong("two spaces");
                for (const char* mark : {" ,", " ;", " ."})
                    if (const auto at = prose.find(mark);
                        at != std::string::npos && (at + 2 == prose.size() || prose[at + 2] == ' '))
                        wrong("a space before a mark");
                for (const char* words : {" tenths", " hundredths", "the the ", " a a ", "(s)"})
                    if (prose.find(words) != std::string::npos) wrong(words);
            }
        }
    EXPECT_GT(strings, 2000u);
}

TEST(Words, LinksOfTheDocsLeadSomewhere) {
    auto pages = files_under(kRoot / "docs", {".md"});
    for (const char* page : {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"})
        pages.push_back(kRoot / page);
    for (const auto& page : pages)
        for (const auto& link : broken_links(page)) ADD_FAILURE() << from_root(page) << ":" << link;
}

}  // namespace words_test
}  // namespace warpwright::architecture
