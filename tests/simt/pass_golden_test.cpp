// One text file is one case: passes/PASS/NAME.ptx has a kernel and, behind it in comments that begin with "//=", what
// the pass leaves of it. To add a case, put a file there; WARPWRIGHT_UPDATE_GOLDEN=1 in the environment (tools/dev
// accept simt) writes the comments.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "simt/passes.hpp"

namespace warpwright::simt {
namespace pass_golden_test {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(WARPWRIGHT_SOURCE_DIR) / "tests/simt/passes";

constexpr std::string_view kMark = "//=";

/// A case: the PTX text, and what is expected of it.
struct Case {
    std::string text, expected;
};

Case read(const fs::path& path) {
    Case out;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kMark))
            out.expected += line.substr(std::min(kMark.size() + 1, line.size())) + "\n";
        else
            out.text += line + "\n";
    }
    return out;
}

void write(const fs::path& path, const Case& made) {
    std::ofstream file(path);
    file << made.text;
    std::istringstream lines(made.expected);
    for (std::string line; std::getline(lines, line);) file << kMark << (line.empty() ? "" : " ") << line << "\n";
}

/// The texts of a pass, by name.
std::vector<fs::path> texts(const std::string& pass) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(kFolder / pass))
        if (entry.path().extension() == ".ptx") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

/// What the pass leaves of the one kernel of a text.
std::string after(const std::string& pass, const Case& given, const fs::path& path) {
    auto module = ptx::parse(given.text, path.filename().string());
    if (!module) return module.error().text() + "\n";
    const auto& functions = module->functions;
    const auto kernel = std::find_if(functions.begin(), functions.end(), [](const auto& f) { return f.entry; });
    std::string text;
    LowerOptions options;
    options.verify_each = true;
    options.after = [&](std::string_view name, const Function& f) {
        if (name != pass) return;
        text = print(f);
    };
    auto lowered = lower(*module, static_cast<ptx::SymbolId>(kernel - functions.begin()), options);
    return lowered ? text : lowered.error().text() + "\n";
}

class PassGolden : public testing::TestWithParam<std::string> {};

TEST_P(PassGolden, LeavesWhatTheTextsSay) {
    const auto inputs = texts(GetParam());
    EXPECT_FALSE(inputs.empty()) << "no text for " << GetParam();
    for (const auto& input : inputs) {
        auto given = read(input);
        const auto text = after(GetParam(), given, input);
        if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) given.expected = text, write(input, given);
        EXPECT_EQ(text, given.expected) << input;
    }
}

std::vector<std::string> pass_names() {
    std::vector<std::string> names{std::string(kBuild)};
    for (const auto& pass : passes()) names.emplace_back(pass.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Passes, PassGolden, testing::ValuesIn(pass_names()), [](const auto& info) {
    auto name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST(Passes, HaveNamesOfTheirOwnAndNoFolderIsLeftOver) {
    std::set<std::string> names;
    for (const auto& name : pass_names()) {
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_TRUE(is_pass(name));
    }
    EXPECT_FALSE(is_pass("order"));
    for (const auto& entry : fs::directory_iterator(kFolder))
        EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
}

}  // namespace pass_golden_test
}  // namespace warpwright::simt
