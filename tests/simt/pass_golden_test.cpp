// Golden texts of each pass: passes/PASS/NAME.ptx and what the pass leaves of its kernel, passes/PASS/NAME.txt.
// WARPWRIGHT_UPDATE_GOLDEN=1 in the environment writes the .txt files again.
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
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(WARPWRIGHT_SOURCE_DIR) / "tests/simt/passes";

std::string read(const fs::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
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
std::string after(const std::string& pass, const fs::path& path) {
    auto module = ptx::parse(read(path), path.filename().string());
    if (!module) return module.error().text() + "\n";
    const auto& functions = module->functions;
    const auto kernel = std::find_if(functions.begin(), functions.end(), [](const auto& f) { return f.entry; });
    std::string text;
    LowerOptions options;
    options.verify_each = true;
    options.after = [&](std::string_view name, const Function& f) {
        if (name != pass) return;
        text = print(f);
        if (f.registers_estimate) text += "registers " + std::to_string(f.registers_estimate) + "\n";
    };
    auto lowered = lower(*module, static_cast<ptx::SymbolId>(kernel - functions.begin()), options);
    return lowered ? text : lowered.error().text() + "\n";
}

class PassGolden : public testing::TestWithParam<std::string> {};

TEST_P(PassGolden, LeavesWhatTheTextsSay) {
    const auto inputs = texts(GetParam());
    EXPECT_FALSE(inputs.empty()) << "no text for " << GetParam();
    for (const auto& input : inputs) {
        const auto text = after(GetParam(), input);
        auto golden = input;
        golden.replace_extension(".txt");
        if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(golden) << text;
        EXPECT_EQ(text, read(golden)) << golden;
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

}  // namespace
}  // namespace warpwright::simt
