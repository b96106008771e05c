// What a finding is, once: the rows of record/findings.inc, the words of `--checkers`, the table of docs/check.md,
// which WARPWRIGHT_UPDATE_GOLDEN=1 writes again, and findings as JSON, there and back.
#include "record/finding.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "common/made_text.hpp"

namespace warpwright::record {
namespace finding_test {

TEST(FindingsJson, KeepsAllThatAFindingHas) {
    Finding f = finding_of(FindingKind::unwritten_copy);
    f.message = "m";
    f.kernel = "k";
    f.at.file = "app.cu", f.at.line = 7, f.at.column = 3, f.at.access = "load of 4 bytes";
    f.at.block = {1, 2, 3}, f.at.thread = {4, 5, 6};
    f.space = "global";
    f.address = 4100;
    f.bytes = 4;
    f.allocation = {4096, 64};
    f.allocated = FindingPlace{};
    f.allocated->file = "app.cu", f.allocated->line = 8;
    f.allocated_as = "c";
    f.array = FindingArray{"s", "s[7][12]", "float s[8][33]", 5, 1056};
    f.count = 3;
    const auto text = findings_json({f});
    const auto back = read_findings(text);
    ASSERT_TRUE(back) << back.error().text();
    ASSERT_EQ(back->size(), 1u);
    const auto& g = back->front();
    EXPECT_EQ(g.kind, FindingKind::unwritten_copy);
    EXPECT_EQ(g.severity, Severity::warning);
    EXPECT_EQ(g.at.text(), "app.cu:7:3");
    EXPECT_EQ(g.at.thread_text(), "thread (4,5,6) of block (1,2,3)");
    ASSERT_TRUE(g.allocation);
    EXPECT_EQ(g.allocation->bytes, 64u);
    ASSERT_TRUE(g.allocated);
    EXPECT_EQ(g.allocated->line, 8u);
    EXPECT_FALSE(g.allocated->thread);
    EXPECT_EQ(g.allocated_as, "c");
    ASSERT_TRUE(g.array);
    EXPECT_EQ(g.array->element, "s[7][12]");
    EXPECT_EQ(g.array->declaration, "float s[8][33]");
    EXPECT_EQ(g.array->line, 5u);
    EXPECT_EQ(g.array->bytes, 1056u);
    EXPECT_FALSE(g.other);
    EXPECT_EQ(findings_json(*back), text);
}

TEST(FindingsJson, LeavesOutWhatDoesNotApply) {
    const auto text = findings_json({finding_of(FindingKind::api_error)});
    for (const char* absent : {"other", "space", "address", "allocation", "array", "column", "thread", "block"})
        EXPECT_EQ(text.find("\"" + std::string(absent) + "\""), std::string::npos) << absent << " in " << text;
    EXPECT_NE(text.find("\"kernel\": \"\""), std::string::npos) << text;
}

TEST(FindingsJson, WhatIsNoFindingIsRefused) {
    const auto refused = [](const std::string& finding) {
        const auto read = read_findings(R"({"schema":1,"findings":[)" + finding + "]}");
        return read ? "taken" : read.error().what;
    };
    EXPECT_EQ(refused(R"({"kind":"leak","severity":"error","array":{"name":1}})"),
              "these are no findings: 'findings[0].array.name' must be a string");
    EXPECT_EQ(refused(R"({"kind":"leek"})"),
              "these are no findings: 'findings[0].kind' is not a kind of finding: 'leek'");
    EXPECT_EQ(refused(R"({"kind":"leak","severity":"bad"})"),
              "these are no findings: 'findings[0].severity' must be \"error\" or \"warning\"");
    EXPECT_EQ(refused(R"({"kind":"leak","at":{"thread":[1,2]}})"),
              "these are no findings: 'findings[0].at.thread' must be a list of 3");
    EXPECT_FALSE(read_findings("{"));
    EXPECT_FALSE(read_findings(R"({"schema":2,"findings":[]})"));
}

TEST(FindingKinds, EachHasANameASentenceAndAChecker) {
    std::set<std::string_view> names;
    for (std::size_t k = 0; k < finding_kinds().size(); ++k) {
        const auto& row = finding_kinds()[k];
        EXPECT_EQ(static_cast<std::size_t>(row.kind), k) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_EQ(row.name.find('_'), std::string_view::npos) << row.name;
        EXPECT_FALSE(row.title.empty()) << row.name;
        EXPECT_FALSE(row.meaning.empty()) << row.name;
        EXPECT_NE(row.advice.empty(), row.kind != FindingKind::fault)
            << row.name << ": only a fault says itself what to do";
        EXPECT_FALSE(name_of(row.checker).empty()) << row.name;
    }
    EXPECT_EQ(info(FindingKind::race_shared).name, "race-shared");
}

TEST(Checkers, AreChosenByName) {
    std::uint32_t all = 0;
    for (const auto& c : checkers()) {
        const auto set = parse_checkers(c.name);
        ASSERT_TRUE(set) << c.name;
        EXPECT_EQ(*set, static_cast<std::uint32_t>(c.checker));
        EXPECT_EQ((*set & kKernelCheckers) != 0, c.scope == CheckerScope::kernels) << c.name;
        all |= *set;
    }
    EXPECT_EQ(all, kAllCheckers);
    EXPECT_EQ(*parse_checkers("all"), kAllCheckers);
    EXPECT_EQ(*parse_checkers("memory,race"),
              static_cast<std::uint32_t>(Checker::memory) | static_cast<std::uint32_t>(Checker::race));
    EXPECT_EQ(checker_names(*parse_checkers("race,memory"), ","), "memory,race");
    const auto wrong = parse_checkers("memory,rice");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().what, "'rice' is not a checker");
    EXPECT_EQ(wrong.error().hint, "memory, init, race, sync, leak, api or all");
    EXPECT_FALSE(parse_checkers(""));
}

// Texts that no C++ code makes.
TEST(Checkers, TheHelpOfPythonAndOfTheHeaderNamesThem) {
    const std::string names = checker_names(kKernelCheckers, ",");
    for (const char* file : {"include/warpwright/warpwright.hpp", "python/src/warpwright/_session.py",
                             "python/src/warpwright/_magic.py", "python/src/warpwright/pytest_plugin.py"}) {
        std::ostringstream text;
        text << std::ifstream(std::string(WARPWRIGHT_SOURCE_DIR) + "/" + file, std::ios::binary).rdbuf();
        EXPECT_NE(text.str().find(names), std::string::npos) << file << " does not name the checkers " << names;
    }
}

std::string kind_table() {
    std::string out = "| kind | checker | severity | what |\n|---|---|---|---|\n";
    for (const auto& k : finding_kinds())
        out += "| " + test::code(k.name) + " | " + std::string(name_of(k.checker)) + " | " +
               std::string(name_of(k.severity)) + " | " + std::string(k.meaning) + " |\n";
    return out;
}

TEST(FindingKinds, TheDocumentationHasThisTable) {
    test::expect_made("check.md", "record/findings.inc: kinds", kind_table());
}

}  // namespace finding_test
}  // namespace warpwright::record
