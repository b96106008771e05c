// Facts that stand once: names of settings, the default model, names of our libraries, the folders of our data.
// Elsewhere the code asks the table.
#include <gtest/gtest.h>

#include <regex>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace once_test {

namespace fs = std::filesystem;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

/// Literals of src/ (below `folders`, if any are named) in which `pattern` is found, a line each, but for those of the
/// files in `allowed`.
std::vector<std::string> found(const std::string& pattern, const std::set<std::string>& allowed,
                               const std::vector<std::string>& folders = {"src"}) {
    const std::regex form(pattern);
    std::vector<std::string> out;
    for (const std::string& folder : folders)
        for (const auto& file : files_under(kRoot / folder, {".cpp", ".hpp", ".inc"})) {
            const std::string name = fs::relative(file, kRoot).generic_string();
            if (allowed.contains(name)) continue;
            for (const Literal& l : literals(read_text(file)))
                if (std::regex_search(l.text, form)) out.push_back(name + ":" + std::to_string(l.line) + ": " + l.text);
        }
    return out;
}

std::string lines(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& one : list) out += "\n" + one;
    return out;
}

// What goes too deep for the parser is refused there.
TEST(Toml, IsReadInOnePlace) {
    for (const auto& file : files_under(kRoot / "src", {".cpp", ".hpp"})) {
        const std::string name = fs::relative(file, kRoot).generic_string();
        if (name == "src/support/toml_text.hpp") continue;
        EXPECT_EQ(code_only(read_text(file)).find("toml::parse"), std::string::npos) << name << ": ask read_toml()";
    }
}

TEST(Literals, AreFoundWithTheirLinesAndCommentsAreNot) {
    const auto all = literals("// \"no\"\nf(\"one\", 'x');\n/* \"no\" */ g(R\"(two)\");\nint big = 1'000;\n");
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].text, "one");
    EXPECT_EQ(all[0].line, 2u);
    EXPECT_EQ(all[1].text, "x");
    EXPECT_EQ(all[2].line, 3u);
    EXPECT_NE(all[2].text.find("two"), std::string::npos);
}

TEST(Once, TheNamesOfSettings) {
    // Every variable of the program itself, by its row.
    std::string names;
    const std::regex row("\nWARPWRIGHT_SETTING\\(\\w+, \"(WARPWRIGHT_\\w+)\"");
    const std::string table = read_text(kRoot / "src/support/settings.inc");
    for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at)
        names += (names.empty() ? "" : "|") + (*at)[1].str();
    ASSERT_NE(names.find("WARPWRIGHT_CACHE"), std::string::npos);
    const auto raw = found("\\b(" + names + ")\\b", {"src/support/settings.inc"});
    EXPECT_TRUE(raw.empty()) << "settings::variable(Setting::...) gives the name:" << lines(raw);
}

TEST(Once, TheDefaultModel) {
    // The pages of tensor cores and of the sum's steps list models by name.
    const auto named =
        found("^h200$", {"src/arch/model.hpp", "src/lab/experiments/tensor.cpp", "src/lab/experiments/reduce.cpp"});
    EXPECT_TRUE(named.empty()) << "arch::kDefaultModel is the default:" << lines(named);
}

TEST(Once, TheNamesOfOurLibraries) {
    // These rooms are about ours. Others look for NVIDIA's libraries, which have the same names.
    const auto named = found(
        "lib(cuda|cudart|nvidia-ml|nvrtc|nvJitLink|cublas|cublasLt|curand|cudnn|cufft|cupti|cusolver)\\.so\\.[0-9]",
        {"src/profile/cupti.cpp"},  // NVIDIA's, for real GPUs
        {"src/takeover", "src/profile", "src/cli", "src/cudart", "src/capi", "src/compile/program"});
    EXPECT_TRUE(named.empty()) << "support/libraries.hpp has the name:" << lines(named);
}

TEST(Once, TheFoldersOfOurData) {
    const auto named = found("share/warpwright", {"src/support/data_folders.cpp", "src/support/settings.inc",
                                                  "src/support/user_folders.cpp"});
    EXPECT_TRUE(named.empty()) << "data_folders() has the folders:" << lines(named);
}

}  // namespace once_test
}  // namespace warpwright::architecture
