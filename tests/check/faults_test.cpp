// Seeded bugs: each file of faults/ has a kernel `wrong`, whose bug is found at the lines that say so, and its repaired
// twin `right`, in which nothing is found. Through the program, as a user would.
//
// "// check:" in a file gives the launch's options; "// FINDING kind ..." ends a line on which a finding of these kinds
// must stand. A race stands on two lines, of which one is enough; every finding must be on a line that names its kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "common/program.hpp"
#include "record/finding.hpp"

namespace warpwright::check {
namespace faults_test {

namespace fs = std::filesystem;

std::vector<std::string> files() {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(WARPWRIGHT_SOURCE_DIR "/tests/check/faults"))
        if (e.path().extension() == ".cu") out.push_back(e.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

struct Source {
    std::vector<std::string> options;
    std::map<unsigned, std::set<std::string>> findings;  ///< by line
};

Source read(const fs::path& file) {
    Source s;
    std::ifstream in(file);
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto words = [&](const std::string& lead) {
            std::vector<std::string> out;
            const auto at = line.find(lead);
            if (at == std::string::npos) return out;
            std::istringstream text(line.substr(at + lead.size()));
            for (std::string w; text >> w;) out.push_back(w);
            return out;
        };
        for (auto& w : words("// check:")) s.options.push_back(w);
        for (auto& w : words("// FINDING")) s.findings[number].insert(w);
    }
    return s;
}

std::vector<record::Finding> check(const fs::path& file, const std::string& kernel, const Source& source, int& code,
                                   std::string& said) {
    std::vector<std::string> words{"check", file.string(), "--kernel", kernel, "--timeout", "120", "--json", "-"};
    words.insert(words.end(), source.options.begin(), source.options.end());
    const test::Said o = test::program(words);
    code = o.code, said = o.out + o.error;
    auto findings = record::read_findings(o.out);
    EXPECT_TRUE(findings) << said;
    return findings ? *findings : std::vector<record::Finding>{};
}

class Faults : public testing::TestWithParam<std::string> {};

TEST_P(Faults, wrong) {
    const fs::path file = fs::path(WARPWRIGHT_SOURCE_DIR "/tests/check/faults") / (GetParam() + ".cu");
    const auto source = read(file);
    ASSERT_FALSE(source.findings.empty());
    int code = 0;
    std::string said;
    const auto found = check(file, "wrong", source, code, said);
    std::set<std::pair<unsigned, std::string>> there;
    bool error = false;
    for (const auto& f : found) {
        const std::string kind(record::info(f.kind).name);
        error |= f.severity == record::Severity::error;
        there.insert({f.at.line, kind});
        if (f.other) there.insert({f.other->line, kind});
        const auto expected = [&](unsigned line) {
            return source.findings.contains(line) && source.findings.at(line).contains(kind);
        };
        EXPECT_TRUE(expected(f.at.line) || (f.other && expected(f.other->line)))
            << kind << " at line " << f.at.line << ": " << f.message;
        EXPECT_FALSE(f.message.empty());
        EXPECT_FALSE(f.advice.empty()) << f.message;
        if (GetParam() == "tiled_matmul") EXPECT_THAT(f.advice, testing::StartsWith("put __syncthreads()")) << kind;
        if (GetParam() == "last_warp") EXPECT_THAT(f.advice, testing::StartsWith("put __syncwarp()")) << kind;
        if (GetParam() == "plain_first_load")
            EXPECT_THAT(f.advice, testing::ContainsRegex("^make the load at .*plain_first_load.cu:5")) << kind;
        EXPECT_GE(f.count, 1u);
    }
    for (const auto& [line, kinds] : source.findings)
        for (const auto& kind : kinds)
            EXPECT_TRUE(there.contains({line, kind})) << kind << " is not found at line " << line << "\n" << said;
    EXPECT_EQ(code, error ? 1 : 0);
}

TEST_P(Faults, right) {
    const fs::path file = fs::path(WARPWRIGHT_SOURCE_DIR "/tests/check/faults") / (GetParam() + ".cu");
    int code = 0;
    std::string said;
    EXPECT_TRUE(check(file, "right", read(file), code, said).empty()) << said;
    EXPECT_EQ(code, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, Faults, testing::ValuesIn(files()), [](const auto& i) { return i.param; });

}  // namespace faults_test
}  // namespace warpwright::check
