// data/text as a whole: every language has what English has, and the program uses what there is.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/find.hpp"
#include "ladder/ladder.hpp"
#include "support/content_hash.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace texts_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

std::string read(const fs::path& file) {
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// A language's own texts: load() fills up what it lacks with English.
std::map<std::string, std::string> own_texts(const std::string& language) {
    const auto words = Words::load(language);
    EXPECT_TRUE(words) << words.error().text();
    if (!words) return {};
    std::map<std::string, std::string> out;
    std::set<std::string> keys;
    static const std::regex key("^(\"[^\"]*\"|[A-Za-z0-9_.-]+) = \".*"), table("^\\[([^\\]]*)\\]");
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "data/text" / language)) {
        if (entry.path().extension() != ".toml") continue;
        const std::string folder = entry.path().parent_path().filename().string();
        std::string prefix = folder == language ? "" : entry.path().stem().string() + ".";
        if (folder == "ladders") prefix = "ladders." + prefix;
        std::istringstream lines(read(entry.path()));
        std::string inner;
        std::smatch match;
        for (std::string line; std::getline(lines, line);) {
            if (std::regex_search(line, match, table)) inner = match[1].str() + ".";
            if (!std::regex_match(line, match, key)) continue;
            std::string name = match[1];
            std::erase(name, '"');
            const std::string full = prefix + inner + name;
            EXPECT_TRUE(words->has(full)) << entry.path() << ": " << full;
            if (words->has(full)) out[full] = words->texts().at(full);
        }
    }
    return out;
}

/// Rules of plurals and scripts are a language's own.
bool of_language(const std::string& key) { return key.starts_with("plural.") || key.starts_with("script."); }

/// What English has elsewhere: in ladders, in the code's names, and in src/timing/stalls.inc.
bool translated_only(const std::string& key) {
    return key.starts_with("ladders.") || key.starts_with("name.") || key.starts_with("stall.");
}

std::set<std::string> arguments(const std::string& text) {
    static const std::regex name("\\{([a-z_0-9]+)[:}]");
    std::set<std::string> out;
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) out.insert((*it)[1]);
    return out;
}

TEST(Texts, every_language_has_the_same_keys_with_the_same_arguments) {
    const auto english = own_texts("en");
    std::map<std::string, std::string>
        translated;  // key -> a language that has it, of those that English has elsewhere
    for (const std::string& language : Words::languages())
        for (const auto& [key, text] : own_texts(language))
            if (translated_only(key)) translated.emplace(key, language);
    ASSERT_GT(english.size(), 1400u);
    for (const std::string& language : Words::languages()) {
        const auto own = own_texts(language);
        for (const auto& [key, text] : english) {
            if (of_language(key)) continue;
            ASSERT_TRUE(own.contains(key)) << "data/text/" << language << " lacks " << key << ", shown in English";
            EXPECT_EQ(arguments(own.at(key)), arguments(text)) << language << ": " << key;
        }
        for (const auto& [key, text] : own)
            EXPECT_TRUE(english.contains(key) || translated_only(key) || of_language(key))
                << "data/text/" << language << " has " << key << ", which English lacks";
        for (const auto& [key, other] : translated)
            EXPECT_TRUE(language == "en" || own.contains(key))
                << "data/text/" << language << " lacks " << key << ", which " << other << " has";
    }
}

TEST(Texts, nouns_have_as_many_forms_as_the_language_has_plurals) {
    static const std::regex forms("\\{[a-z_0-9]+\\?([^}]*)\\}");
    std::size_t found = 0;
    for (const std::string& language : Words::languages()) {
        const auto words = Words::load(language);
        ASSERT_TRUE(words) << words.error().text();
        for (const auto& [key, text] : own_texts(language))
            for (std::sregex_iterator it(text.begin(), text.end(), forms), end; it != end; ++it, ++found) {
                const std::string list = (*it)[1];
                EXPECT_EQ(static_cast<std::size_t>(std::count(list.begin(), list.end(), '|')) + 1,
                          words->plurals().forms())
                    << language << ": " << key << ": " << text;
            }
    }
    EXPECT_GT(found, 50u);
}

/// The strings of the rooms that say texts, each with what stands behind it.
std::vector<std::pair<std::string, char>> strings_of_code() {
    std::vector<std::pair<std::string, char>> out;
    for (const char* room : {"cli", "explain", "lab", "learn", "record", "report", "text"})
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src" / room)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            if (entry.path().filename() == "page_json.cpp") continue;  // places in a file: "report.pages"
            const std::string code = read(entry.path());
            static const std::regex string("\"((?:[a-z_0-9]+\\.)+[a-z_0-9{}.]*)\"\\)?\\s*(.)");
            for (std::sregex_iterator it(code.begin(), code.end(), string), end; it != end; ++it)
                out.emplace_back((*it)[1], (*it)[2].str()[0]);
        }
    return out;
}

TEST(Texts, the_code_uses_every_key_and_no_other) {
    const auto english = own_texts("en");
    std::set<std::string> tables;
    for (const auto& [key, text] : english) tables.insert(key.substr(0, key.find('.') + 1));
    std::set<std::string> used;
    const auto use_all = [&](const std::string& prefix) {
        bool any = false;
        for (auto it = english.lower_bound(prefix); it != english.end() && it->first.starts_with(prefix); ++it)
            used.insert(it->first), any = true;
        return any;
    };
    for (const auto& [string, behind] : strings_of_code()) {
        if (!tables.contains(string.substr(0, string.find('.') + 1))) continue;
        if (english.contains(string)) used.insert(string);
        const std::string prefix = string.substr(0, string.find('{'));
        const bool goes_on = behind == '+' || prefix.size() < string.size() || string.ends_with('.');
        if (goes_on) EXPECT_TRUE(use_all(prefix)) << "no text begins with " << prefix;
        // Names of files look like keys: "banks.cpp".
        const bool file = string.ends_with(".hpp") || string.ends_with(".cpp") || string.ends_with(".md");
        if (!goes_on && !file) EXPECT_TRUE(english.contains(string)) << "there is no text " << string;
    }
    // Chosen by a name that the program has: counts, units, titles of texts, and the opening of each page; those of the
    // page of the course, which asks for all of its own.
    for (const char* prefix : {"counts.", "unit.", "text.", "basis.", "serve."}) use_all(prefix);
    static const std::regex opening("[a-z_]+\\.(title|purpose|task)");
    for (const auto& [key, text] : english)
        EXPECT_TRUE(used.contains(key) || of_language(key) || std::regex_match(key, opening))
            << "nothing says " << key << ": \"" << text << "\"";
}

/// The C++ of all rooms with strings that go on in the next line joined.
std::string all_code() {
    std::string out;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src"))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") out += read(entry.path());
    return std::regex_replace(out, std::regex("\"\\s*\n\\s*\""), "");
}

// Sentences that records and errors carry in English are recognised by their texts: an edit of one alone would leave
// readers of other languages with English.
TEST(Texts, carried_sentences_are_those_of_the_code) {
    const std::string code = all_code();
    std::size_t looked = 0;
    for (const auto& [key, text] : own_texts("en")) {
        const bool ended = key.starts_with("fault.") || key.starts_with("learn.error.") || key.starts_with("standing.");
        if (!ended && !key.starts_with("note.") && !key.starts_with("left_out.") && !key.starts_with("prediction.why."))
            continue;
        std::string longest;
        // The longest clause: the code may put a sentence together of several.
        static const std::regex between("\\{[^}]*\\}|, "), parts("\\{[^}]*\\}|, |: | of block | block | of ");
        for (std::sregex_token_iterator it(text.begin(), text.end(), ended ? parts : between, -1), end; it != end; ++it)
            if (it->length() > static_cast<std::ptrdiff_t>(longest.size())) longest = *it;
        EXPECT_NE(code.find(longest), std::string::npos) << key << ": no code says \"" << longest << "\"";
        ++looked;
    }
    EXPECT_GT(looked, 20u);
}

/// English as it stands, by the keys of translations: that of data/text/en, and that of ladders.
std::map<std::string, std::string> english_of_all() {
    std::map<std::string, std::string> out = own_texts("en");
    for (const ladder::LadderPlace& place : ladder::list_ladders()) {
        const auto ladder = ladder::read_ladder(place.file);
        EXPECT_TRUE(ladder) << ladder.error().text();
        if (!ladder) continue;
        const std::string prefix = "ladders." + ladder->name + ".";
        out[prefix + "title"] = ladder->title, out[prefix + "about"] = ladder->about;
        for (const ladder::Rung& rung : ladder->rungs) {
            const std::string own = prefix + "rung." + rung.name + ".";
            out[own + "title"] = rung.title, out[own + "why"] = rung.why, out[own + "require"] = rung.require_says;
        }
    }
    return out;
}

/// Titles that are names or formulas are the same everywhere.
bool is_name(const std::string& text) {
    return text.find(' ') == std::string::npos || text.find_first_of("=*:>") != std::string::npos ||
           text == "cuBLAS geam";
}

TEST(Texts, ladders_are_in_every_language) {
    const auto english = english_of_all();
    std::size_t sentences = 0;
    for (const std::string& language : Words::languages()) {
        if (language == "en") continue;
        const auto own = own_texts(language);
        for (const auto& [key, text] : english)
            if (key.starts_with("ladders.") && !text.empty() && !(key.ends_with(".title") && is_name(text))) {
                EXPECT_TRUE(own.contains(key)) << "data/text/" << language << " lacks " << key << ": " << text;
                ++sentences;
            }
        for (const auto& [key, text] : own)
            if (key.starts_with("ladders."))
                EXPECT_TRUE(english.contains(key)) << "data/text/" << language << ": no ladder has " << key;
    }
    EXPECT_GT(sentences, 800u);
}

std::string short_hash(const std::string& text) { return content_hash(text).substr(0, 8); }

/// The lines of made_from.txt: a key and a hash.
std::map<std::string, std::string> hashes(const std::string& text) {
    std::map<std::string, std::string> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const auto blank = line.find(' '); !line.starts_with('#') && blank != std::string::npos)
            out[line.substr(0, blank)] = line.substr(blank + 1);
    return out;
}

// data/text/<language>/made_from.txt says of each translation which English it was made from, by a short hash. Where
// the English has changed the translation stays and is named here: look at it, then `tools/dev accept text`.
TEST(Texts, translations_are_of_the_English_that_stands) {
    const auto english = english_of_all();
    for (const std::string& language : Words::languages()) {
        if (language == "en") continue;
        const fs::path file = kRoot / "data/text" / language / "made_from.txt";
        std::string wanted =
            "# The English that each text was translated from, by a short hash. tests/text/texts_test.cpp reads it.\n";
        for (const auto& [key, text] : own_texts(language))
            if (const auto it = english.find(key); it != english.end() && !of_language(key))
                wanted += key + " " + short_hash(it->second) + "\n";
        if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file) << wanted;
        const auto had = hashes(read(file));
        for (const auto& [key, hash] : hashes(wanted))
            EXPECT_TRUE(had.contains(key) && had.at(key) == hash)
                << "data/text/" << language << ": look at " << key
                << ", which was translated from other English than \"" << english.at(key) << "\"";
    }
}

/// docs/glossary.md: for each language the words that its texts do not use, since another stands for the same thing.
std::map<std::string, std::set<std::string>> refused_words() {
    std::map<std::string, std::set<std::string>> out;
    std::istringstream lines(read(kRoot / "docs/glossary.md"));
    std::vector<std::string> columns;
    static const std::map<std::string, std::string> languages{{"Russian", "ru"}, {"Chinese", "zh"}, {"Finnish", "fi"}};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| ")) continue;
        std::istringstream cells(line.substr(2));
        std::vector<std::string> row;
        for (std::string cell; std::getline(cells, cell, '|');) {
            cell.erase(cell.find_last_not_of(' ') + 1).erase(0, cell.find_first_not_of(' '));
            row.push_back(cell);
        }
        if (row[0] == "English") columns = row;
        for (std::size_t i = 1; i < row.size() && i < columns.size() && row[0] != "English"; ++i) {
            const auto open = row[i].find('('), close = row[i].find(')');
            if (open == std::string::npos || close == std::string::npos) continue;
            std::istringstream words(row[i].substr(open + 1, close - open - 1));
            for (std::string word; std::getline(words, word, ',');)
                out[languages.at(columns[i])].insert(word.substr(word.find_first_not_of(' ')));
        }
    }
    return out;
}

/// Whether a text has the word, and not as a part of another; in a script without blanks, anywhere.
bool has_word(const std::string& text, const std::string& word, bool anywhere) {
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || (c & 0x80) != 0; };
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
        const std::size_t end = at + word.size();
        if (anywhere || ((at == 0 || !letter(text[at - 1])) && (end == text.size() || !letter(text[end])))) return true;
    }
    return false;
}

TEST(Texts, UseOneWordForOneThing) {
    const auto refused = refused_words();
    ASSERT_EQ(refused.size(), 3u);
    for (const auto& [language, words] : refused) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / "data/text" / language))
            if (entry.path().extension() == ".toml") files.push_back(entry.path());
        for (const auto& entry : fs::directory_iterator(kRoot / "course"))
            if (const auto file = entry.path() / (language + ".toml"); fs::exists(file)) files.push_back(file);
        EXPECT_GT(files.size(), 50u);
        for (const fs::path& file : files) {
            const std::string text = read(file);
            for (const std::string& word : words)
                EXPECT_FALSE(has_word(text, word, language == "zh")) << file << " says '" << word << "'";
        }
    }
}

}  // namespace texts_test
}  // namespace warpwright
