// The checks of the architecture tests, tried on texts that break them: a check that cannot fail checks nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "rooms_picture.hpp"
#include "source_tree.hpp"

namespace warpwright::architecture {
namespace source_tree_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(SourceTree, ReadsTheRoomsOfACMakeList) {
    const auto rooms = parse_rooms(
        "find_package(TBB)\n# ww_room(other ROOMS a)\nww_room(engine HOT ROOMS simt counters\n"
        "    LINKED \"arch: its (few) figures\" PRIVATE_LIBRARIES TBB::tbb)\nww_room_folder(engine codegen)\n");
    ASSERT_EQ(rooms.size(), 1u);
    EXPECT_THAT(rooms.at("engine").rooms, UnorderedElementsAre("simt", "counters"));
    EXPECT_EQ(rooms.at("engine").linked.at("arch"), "its (few) figures");
    EXPECT_THAT(arrows_between(rooms).at("engine"), UnorderedElementsAre("simt", "counters", "arch"));
    EXPECT_THAT(parse_rooms("ww_room(support LIBRARIES fmt::fmt)").at("support").rooms, IsEmpty());
    EXPECT_THAT(parse_rooms("ww_room_arrows(nvml ROOMS cudart)").at("nvml").rooms, ElementsAre("cudart"));
}

TEST(SourceTree, ReadsTheFoldersOfARoom) {
    const auto rooms =
        parse_rooms("ww_room(engine FOLDERS . shared \"run: shared .\"\n    \"top: run\" ROOMS simt APART run)");
    const Arrows folders = rooms.at("engine").folders;
    ASSERT_EQ(folders.size(), 4u);
    EXPECT_THAT(folders.at("."), IsEmpty());
    EXPECT_THAT(folders.at("shared"), IsEmpty());
    EXPECT_THAT(folders.at("run"), UnorderedElementsAre("shared", "."));
    EXPECT_THAT(folders.at("top"), ElementsAre("run"));
    EXPECT_THAT(rooms.at("engine").rooms, ElementsAre("simt"));
}

TEST(SourceTree, NamesAnIncludeBetweenFolders) {
    EXPECT_EQ(folder_of("a.hpp"), ".");
    EXPECT_EQ(folder_of("run/deep/a.hpp"), "run");
    const Arrows folders{{".", {}}, {"low", {"."}}, {"middle", {"low"}}, {"high", {"middle"}}};
    EXPECT_THAT(wrong_folder_includes("r", "low", "#include \"r/a.hpp\"\n#include \"r/low/b.hpp\"\n", folders),
                IsEmpty());
    EXPECT_THAT(wrong_folder_includes("r", "low", "\n#include \"r/middle/b.hpp\"\n", folders),
                ElementsAre(HasSubstr("2: r/middle/b.hpp")));
    EXPECT_THAT(wrong_folder_includes("r", ".", "#include \"r/low/b.hpp\"\n", folders),
                ElementsAre(HasSubstr("no arrow to low")));
    // What a longer way implies is not allowed by it, unlike between rooms.
    EXPECT_THAT(wrong_folder_includes("r", "high", "#include \"r/low/b.hpp\"\n", folders),
                ElementsAre(HasSubstr("the folder high of src/r has no arrow to low")));
    EXPECT_THAT(wrong_folder_includes("r", "other", "#include \"r/low/b.hpp\"\n", folders),
                ElementsAre(HasSubstr("no arrow to low")));
}

TEST(SourceTree, NamesAnArrowThatNothingUses) {
    EXPECT_THAT(stale_arrows({{"a", {}}, {"b", {"a"}}, {"c", {"a", "b"}}}, {{"b", {"a"}}, {"c", {"b"}}}),
                ElementsAre("c -> a"));
    EXPECT_THAT(stale_arrows({{"a", {}}, {"b", {"a"}}}, {}), ElementsAre("b -> a"));
}

TEST(SourceTree, ReadsTheRoomsOfATable) {
    const Arrows drawn =
        parse_room_table("| room | what | knows |\n|---|---|---|\n| `a` | x, `y` | nothing |\n| `b` | z | a, c |\n");
    ASSERT_EQ(drawn.size(), 2u);
    EXPECT_THAT(drawn.at("a"), IsEmpty());
    EXPECT_THAT(drawn.at("b"), UnorderedElementsAre("a", "c"));
}

TEST(SourceTree, FindsASectionOfAPage) {
    const std::string page = "# P\n## A\n1\n### B\n2\n### C\n3\n## D\n4\n";
    EXPECT_EQ(section(page, "## A"), "1\n### B\n2\n### C\n3\n");
    EXPECT_EQ(section(page, "### B"), "2\n");
    EXPECT_EQ(section(page, "## D"), "4\n");
    EXPECT_EQ(section(page, "## E"), "");
}

TEST(SourceTree, FollowsArrowsAndFindsCycles) {
    const Arrows reach = reachable({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}, {"x", {"y"}}, {"y", {"x"}}});
    EXPECT_THAT(reach.at("c"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(reach.at("a"), IsEmpty());
    EXPECT_TRUE(reach.at("x").contains("x"));
}

TEST(SourceTree, PutsRoomsOnFloorsAndDropsImpliedArrows) {
    const Arrows arrows{{"a", {}}, {"b", {"a"}}, {"c", {"a", "b"}}};
    EXPECT_EQ(floors(arrows), (std::map<std::string, int>{{"a", 0}, {"b", 1}, {"c", 2}}));
    EXPECT_THAT(without_implied(arrows).at("c"), ElementsAre("b"));
    const std::string picture = draw_rooms(arrows, {{"a", "x < y"}});
    EXPECT_THAT(picture, HasSubstr("<title>x &lt; y</title>"));
    EXPECT_THAT(picture, HasSubstr(">c</text>"));
}

TEST(SourceTree, ReadsWhatATableSaysOfARoom) {
    const auto notes = parse_room_notes("| `a` | the `x` of [y](z.md) | nothing |\n");
    EXPECT_EQ(notes.at("a"), "the x of y");
}

TEST(SourceTree, NamesAnUpwardInclude) {
    const Arrows reach = reachable({{"low", {}}, {"high", {"low"}}});
    EXPECT_THAT(wrong_includes("high", "#include \"low/x.hpp\"\n#include <vector>\n", reach), IsEmpty());
    EXPECT_THAT(wrong_includes("low", "\n#include \"high/x.hpp\"\n", reach), ElementsAre(HasSubstr("2: high/x.hpp")));
    EXPECT_THAT(wrong_includes("low", "# include <high/x.hpp>\n", reach), ElementsAre(HasSubstr("no arrow to high")));
    EXPECT_THAT(wrong_includes("low", "#include \"../high/x.hpp\"\n", reach), ElementsAre(HasSubstr("..")));
}

TEST(SourceTree, KeepsForeignHeadersInTheirRoom) {
    const Arrows reach = reachable({{"engine", {}}, {"device", {"engine"}}, {"report", {}}});
    EXPECT_THAT(wrong_includes("engine", "#include <llvm/IR/Module.h>\n#include \"llvm-c/Core.h\"\n", reach),
                IsEmpty());
    EXPECT_THAT(wrong_includes("device", "#include <llvm/IR/Module.h>\n", reach),
                ElementsAre(HasSubstr("LLVM outside")));
    EXPECT_THAT(wrong_includes("engine", "#include <cuda.h>\n", reach), ElementsAre(HasSubstr("driver's header")));
    EXPECT_THAT(wrong_includes("device", "#include <sqlite3.h>\n", reach), ElementsAre(HasSubstr("SQLite")));
}

TEST(SourceTree, FindsRatesThatSayAForPer) {
    EXPECT_THAT(rates_without_per("x;\n\"32 registers a thread, estimated\""), ElementsAre("2: registers a thread"));
    EXPECT_THAT(rates_without_per("4 bytes a cycle and multiprocessor"), ElementsAre("1: bytes a cycle"));
    EXPECT_THAT(rates_without_per("title = \"four elements a thread\""), ElementsAre("1: elements a thread"));
    EXPECT_THAT(rates_without_per("the bytes a thread reads, and the blocks a multiprocessor holds\n"
                                  "of banks of 4 bytes a warp's request uses one\nregisters per thread"),
                IsEmpty());
}

TEST(SourceTree, FindsBrokenLinks) {
    const auto folder = std::filesystem::temp_directory_path() / "warpwright_broken_links";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "other.md") << "# Other\n\n## A `heading`, here\n";
    std::ofstream(folder / "page.md") << "# Page\n[a](other.md) [b](#page) [c](other.md#a-heading-here)\n"
                                      << "[d](none.md) [e](other.md#none) [f](https://example.org/x#y)\n";
    EXPECT_THAT(broken_links(folder / "page.md"), ElementsAre("3: none.md", "3: other.md#none"));
    std::filesystem::remove_all(folder);
}

TEST(SourceTree, BlanksCommentsAndLiterals) {
    EXPECT_EQ(code_only("a; // exit(1)\nb;"), "a;           \nb;");
    EXPECT_EQ(code_only("f(\"x\\\"y\", 'z') /* q\nr */;"), "f(\"    \", ' ')     \n    ;");
    EXPECT_EQ(code_only("1'000'000 + f(\"a\")"), "1'000'000 + f(\" \")");
    EXPECT_THAT(code_only("R\"(printf(\"x\"))\" + y"), ::testing::Not(HasSubstr("printf")));
}

TEST(SourceTree, FindsPrintingAndEndingCode) {
    EXPECT_THAT(printing_lines("x;\nstd::cout << 1;"), ElementsAre("2: std::cout"));
    EXPECT_THAT(printing_lines("  std::printf(\"a\");"), ElementsAre("1: std::printf("));
    EXPECT_THAT(printing_lines("if (bad) exit(2);"), ElementsAre("1: exit("));
    EXPECT_THAT(printing_lines("fmt::print(\"a\");"), ElementsAre("1: fmt::print("));
    EXPECT_THAT(printing_lines("snprintf(b, 2, \"a\"); fmt::format(\"a\"); block.exit(); run_printf(x); // printf()"),
                IsEmpty());
    EXPECT_THAT(printing_lines("lower::exit(op); pass->abort();"), IsEmpty());
}

TEST(SourceTree, MeasuresFunctions) {
    const auto sizes = function_sizes(
        "namespace a {\nint f(int x) {\n    if (x) {\n    }\n    return 1;\n}\nstruct S {\n};\nint g() { return 2; }\n"
        "void T::h(\n    int x) {\n}\n}\n");
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_EQ(sizes[0].name, "int f");
    EXPECT_EQ(sizes[0].lines, 5);
    EXPECT_EQ(sizes[1].name, "void T::h");
    EXPECT_EQ(sizes[1].line, 10u);
    EXPECT_EQ(sizes[1].lines, 3);
}

TEST(SourceTree, WantsACommentFirst) {
    EXPECT_TRUE(starts_with_comment("// what\n#pragma once\n"));
    EXPECT_TRUE(starts_with_comment("\n/* what */\n"));
    EXPECT_FALSE(starts_with_comment("#pragma once\n// late\n"));
    EXPECT_FALSE(starts_with_comment(""));
}

}  // namespace source_tree_test
}  // namespace warpwright::architecture
