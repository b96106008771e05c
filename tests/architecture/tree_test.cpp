// The lowering decodes a PTX instruction once (simt/details.hpp). What stands behind it asks the tree of PTX no more:
// it knows a module by its functions and variables, to load them, and no instruction of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "source_tree.hpp"

namespace warpwright::architecture {
namespace tree_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// Names of PTX's tree and tables in a source, beside those of a module that is loaded.
std::vector<std::string> names_of_the_tree(const std::string& source) {
    static const std::set<std::string> loaded = {"Module",   "Function", "Variable", "Linkage",
                                                 "SymbolId", "kNoId",    "parse",    "told_place"};
    static const std::regex name("\\bptx::(\\w+)");
    const std::string code = code_only(source);
    std::vector<std::string> out;
    for (std::sregex_iterator at(code.begin(), code.end(), name), end; at != end; ++at)
        if (!loaded.contains((*at)[1])) out.push_back((*at)[1]);
    return out;
}

TEST(Tree, ItsNamesAreFound) {
    EXPECT_THAT(names_of_the_tree("const ptx::Instruction& i; // ptx::Mod\nptx::SymbolId f; i.has(ptx::Mod::wide);"),
                ElementsAre("Instruction", "Mod"));
}

TEST(Tree, WhoeverStandsBehindTheLoweringAsksTheIr) {
    const fs::path root = WARPWRIGHT_SOURCE_DIR;
    for (const char* room : {"engine", "machine", "timing", "predict"})
        for (const auto& file : files_under(root / "src" / room, {".cpp", ".hpp", ".inc"}))
            EXPECT_THAT(names_of_the_tree(read_text(file)), IsEmpty())
                << file << ": simt/details.hpp has what was decoded, and the plain names";
}

}  // namespace tree_test
}  // namespace warpwright::architecture
