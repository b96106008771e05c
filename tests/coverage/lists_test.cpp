// The lists themselves: nothing is missing or stands twice, nothing is refused that need not be, and docs/ptx.md says
// what they say. WARPWRIGHT_UPDATE_GOLDEN=1 writes its table again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "kernel_text.hpp"

namespace lists_test {

using namespace coverage_tests;

std::set<std::string> texts(const std::string& file) {
    std::set<std::string> out;
    for (const auto& line : read_list(file))
        EXPECT_TRUE(out.insert(line.text).second) << line.text << " stands twice in " << file;
    return out;
}

TEST(Lists, AreWhole) {
    auto executed = texts("spellings.txt");
    const auto objects = texts("objects.txt"), refused = texts("later.txt");
    for (const auto& text : objects) EXPECT_TRUE(executed.insert(text).second) << text << " is in both lists";
    for (const auto& text : refused) EXPECT_EQ(executed.count(text), 0u) << text << " is in both lists";
    EXPECT_EQ(executed.size() + refused.size(), 657u + 15u + 23u);  // instructions, functions, special registers
    // What the parser's tests know to be written by nvcc is here too.
    std::istringstream in(read_text(WARPWRIGHT_SOURCE_DIR "/tests/ptx/spellings.txt"));
    for (std::string text; in >> text;) EXPECT_EQ(executed.count(text) + refused.count(text), 1u) << text;
}

TEST(Lists, NothingElseIsRefused) {
    const std::map<std::string, std::vector<std::string>> allowed;  // by now nothing of the list
    for (const auto& line : read_list("later.txt")) {
        ASSERT_EQ(allowed.count(line.group), 1u) << line.text << ": " << line.group;
        const auto& prefixes = allowed.at(line.group);
        EXPECT_TRUE(std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& p) {
            return line.text.starts_with(p);
        })) << line.text;
    }
}

/// "cp.async.bulk" of "cp.async.bulk.commit_group": the instruction, as the manual's chapters name it.
std::string instruction_of(const Spelling& line) {
    if (line.is_callee())
        return "calls of " + std::string(line.text.find("cuda") == std::string::npos
                                             ? "vprintf, __assertfail, malloc, free"
                                             : "the device runtime");
    if (line.is_register()) return "special registers";
    for (const std::string longer : {"cp.async.bulk", "cp.async.mbarrier", "cp.async", "barrier.cluster", "bar.warp"})
        if (line.text.starts_with(longer)) return longer;
    return line.base();
}

std::string table() {
    struct Row {
        unsigned executed = 0, listed = 0, programs = 0;
    };
    std::map<std::string, Row> rows;
    Row all;
    for (const auto* file : {"spellings.txt", "objects.txt", "later.txt"})
        for (const auto& line : read_list(file)) {
            auto& row = rows[instruction_of(line)];
            const unsigned run = line.group.empty() ? 1 : 0;
            row.executed += run, row.listed += 1;
            row.programs = std::max(row.programs, static_cast<unsigned>(std::stoul(line.programs)));
            all.executed += run, all.listed += 1;
        }
    std::vector<std::pair<std::string, Row>> order(rows.begin(), rows.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.programs > b.second.programs; });
    std::string s = "| instruction | executed / listed | programs |\n|---|---|---|\n";
    for (const auto& [name, row] : order) {
        const std::string mark = name.find(' ') == std::string::npos ? "`" : "";
        s += "| " + mark + name + mark + " | " + std::to_string(row.executed) + " / " + std::to_string(row.listed) +
             " | " + std::to_string(row.programs) + " |\n";
    }
    return s + "| all | " + std::to_string(all.executed) + " / " + std::to_string(all.listed) + " | |\n";
}

TEST(Lists, TheDocumentSaysWhatTheySay) {
    const std::string path = WARPWRIGHT_SOURCE_DIR "/docs/ptx.md", begin = "<!-- table: tests/coverage -->\n",
                      end = "<!-- end of table -->\n";
    auto text = read_text(path);
    const auto from = text.find(begin), to = text.find(end);
    ASSERT_NE(from, std::string::npos);
    ASSERT_NE(to, std::string::npos);
    const auto start = from + begin.size();
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) {
        std::ofstream(path) << text.substr(0, start) + table() + text.substr(to);
        return;
    }
    EXPECT_EQ(text.substr(start, to - start), table()) << "WARPWRIGHT_UPDATE_GOLDEN=1 writes the table again";
}

}  // namespace lists_test
