// The settings of the environment: their types, what is refused, and that table, page and code say the same.
#include "support/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>

#include "common/files.hpp"

namespace warpwright {
namespace settings_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A variable for as long as a test looks at it.
class Variable {
public:
    Variable(Setting setting, const char* value) : name_(settings::variable(setting)) {
        if (const char* before = std::getenv(name_)) before_ = before, had_ = true;
        ::setenv(name_, value, 1);
    }
    ~Variable() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::string before_;
    bool had_ = false;
};

std::vector<std::string> wrong() {
    std::vector<std::string> out;
    for (const Error& e : settings::wrong()) {
        EXPECT_EQ(e.kind, ErrorKind::usage);
        out.push_back(e.text());
    }
    return out;
}

TEST(Settings, WhatIsNotSetIsTheDefault) {
    ::unsetenv(settings::variable(Setting::threads));
    EXPECT_FALSE(settings::is_set(Setting::threads));
    EXPECT_EQ(settings::whole(Setting::threads, 7), 7u);
    const Variable empty(Setting::threads, "");
    EXPECT_TRUE(settings::is_set(Setting::threads));
    EXPECT_EQ(settings::whole(Setting::threads, 7), 7u);
    EXPECT_THAT(wrong(), IsEmpty());
}

TEST(Settings, Numbers) {
    const Variable threads(Setting::threads, "12"), timeout(Setting::timeout, "0.5"), flag(Setting::events, "1"),
        launches(Setting::launches, "18446744073709551615");
    EXPECT_EQ(settings::whole(Setting::threads, 0), 12u);
    EXPECT_EQ(settings::number(Setting::timeout, 0), 0.5);
    EXPECT_EQ(settings::whole(Setting::launches, 0), ~std::uint64_t{0});
    EXPECT_TRUE(settings::flag(Setting::events, false));
    EXPECT_THAT(wrong(), IsEmpty());
}

TEST(Settings, WrongValuesAreToldAndTheDefaultStands) {
    for (const char* bad : {"abc", "-1", "1.5", "4097", "12 ", " 12", "0x10", "99999999999999999999", "+1"}) {
        const Variable threads(Setting::threads, bad);
        EXPECT_EQ(settings::whole(Setting::threads, 3), 3u) << bad;
        EXPECT_THAT(wrong(), ElementsAre(HasSubstr(std::string("error: WARPWRIGHT_THREADS='") + bad +
                                                   "' is not a whole number from 0 to 4096 (host threads")));
    }
    for (const char* bad : {"nan", "inf", "-0.5", "1e10", "1s", "1e400"}) {
        const Variable timeout(Setting::timeout, bad);
        EXPECT_EQ(settings::number(Setting::timeout, 3), 3) << bad;
        EXPECT_THAT(wrong(), ElementsAre(HasSubstr("' is not a number from 0 to 1e+09")));
    }
    for (const char* bad : {"2", "yes", "true"}) {
        const Variable flag(Setting::per_line, bad);
        EXPECT_FALSE(settings::flag(Setting::per_line, false));
        EXPECT_THAT(wrong(), ElementsAre(HasSubstr("' is not 0 or 1")));
    }
    const Variable launches(Setting::launches, "x"), count(Setting::device_count, "17");
    EXPECT_THAT(wrong(), ElementsAre(HasSubstr("a whole number from 1 to 16"), HasSubstr("a whole number from 0 on")));
}

TEST(Settings, Lists) {
    const Variable list(Setting::devices, ":/a::/b/c:");
    EXPECT_THAT(settings::paths(Setting::devices), ElementsAre("/a", "/b/c"));
    const Variable nothing(Setting::kernels, "");
    EXPECT_THAT(settings::paths(Setting::kernels), IsEmpty());
}

/// docs/settings.md, made from the table.
std::string page() {
    std::string out =
        "# Settings of the environment\n\n"
        "Options of the command line go before settings where both say the same. A value that does not fit its type is "
        "refused: `warpwright`\nends with one line and exit code 2; a program on our runtime library says the line and "
        "goes on with the default. Set to nothing counts as\nnot set, but for `WARPWRIGHT_CACHE`.\n\n"
        "This page is made from `src/support/settings.inc` "
        "(`WARPWRIGHT_UPDATE_GOLDEN=1 ww_test_support --gtest_filter='Settings.*'`).\n";
    const char* group = nullptr;
    for (const settings::Info& i : settings::all()) {
        if (!group || std::string(group) != i.group) {
            group = i.group;
            out += std::string("\n## ") + group + "\n\n| variable | value | default | meaning | used by |\n" +
                   "|---|---|---|---|---|\n";
        }
        const auto limit = [](double v) {
            std::ostringstream text;
            text << v;
            return text.str();
        };
        std::string type;
        switch (i.kind) {
            case settings::Kind::text:
                type = "text";
                break;
            case settings::Kind::path:
                type = "path";
                break;
            case settings::Kind::paths:
                type = "paths, joined by `:`";
                break;
            case settings::Kind::flag:
                type = "0 or 1";
                break;
            case settings::Kind::whole:
                type = i.most > 1e18 ? "whole number" : limit(i.least) + " to " + limit(i.most);
                break;
            case settings::Kind::number:
                type = "number, " + limit(i.least) + " to " + limit(i.most);
                break;
        }
        out += std::string("| `") + i.variable + "` | " + type + " | " + i.otherwise + " | " + i.meaning + " | " +
               i.users + " |\n";
    }
    return out;
}

TEST(Settings, ThePageIsTheTable) {
    const fs::path file = fs::path(WARPWRIGHT_SOURCE_DIR) / "docs/settings.md";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file) << page();
    EXPECT_EQ(test::text_of(file), page());
}

TEST(Settings, EachVariableStandsOnce) {
    std::set<std::string> seen;
    for (const settings::Info& i : settings::all()) {
        EXPECT_TRUE(seen.insert(i.variable).second) << i.variable;
        EXPECT_EQ(&settings::info(i.setting), &i);
        EXPECT_NE(std::string(i.meaning), "");
        EXPECT_NE(std::string(i.users), "");
    }
}

/// Text of every source file of src/.
std::vector<std::pair<std::string, std::string>> sources() {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WARPWRIGHT_SOURCE_DIR) / "src"))
        if (const auto end = entry.path().extension(); end == ".cpp" || end == ".hpp" || end == ".inc")
            out.emplace_back(fs::relative(entry.path(), WARPWRIGHT_SOURCE_DIR).generic_string(),
                             test::text_of(entry.path()));
    return out;
}

TEST(Settings, NothingElseReadsTheEnvironment) {
    for (const auto& [name, text] : sources())
        if (name != "src/support/settings.cpp") {
            EXPECT_EQ(text.find("getenv"), std::string::npos)
                << name << " reads the environment itself: support/settings.inc";
        }
}

/// The names that follow each place where `lead` stands.
std::set<std::string> names_after(const std::string& text, const std::string& lead) {
    std::set<std::string> out;
    for (std::size_t at = text.find(lead); at != std::string::npos; at = text.find(lead, at)) {
        at += lead.size();
        std::size_t end = at;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
        out.insert(text.substr(at, end - at));
    }
    return out;
}

TEST(Settings, TheTableHasEveryVariableThatTheCodeNamesAndUses) {
    // Names of macros, which the compiled program has.
    std::set<std::string> variables{"WARPWRIGHT_TEXTURE_REFERENCES", "WARPWRIGHT_SURFACE_REFERENCES"}, reads;
    // What the compile room asks our pass in clang's process (toolchain/pass): it replaces what a user has set.
    variables.insert("WARPWRIGHT_PASS_ASKS");
    for (const settings::Info& i : settings::all()) variables.insert(i.variable);
    for (const auto& [name, text] : sources()) {
        for (const std::string& rest : names_after(text, "\"WARPWRIGHT_"))
            EXPECT_TRUE(variables.contains("WARPWRIGHT_" + rest)) << name << ": WARPWRIGHT_" << rest;
        if (name != "src/support/settings.inc") reads.merge(names_after(text, "Setting::"));
    }
    const std::string table = test::text_of(fs::path(WARPWRIGHT_SOURCE_DIR) / "src/support/settings.inc");
    for (const std::string& row : names_after(table, "\nWARPWRIGHT_SETTING("))
        EXPECT_TRUE(reads.contains(row)) << "nobody reads " << row;
}

}  // namespace settings_test
}  // namespace warpwright
