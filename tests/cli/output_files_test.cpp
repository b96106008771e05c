// Files and languages that cannot be had: one line and exit code 2, before anything runs.
#include <gmock/gmock.h>

#include <fstream>

#include "cli/commands/output_files.hpp"
#include "common/program.hpp"

namespace warpwright::cli {
namespace output_files_test {

using Words = std::vector<std::string>;

/// The program would leave this file: whether anything ran.
struct Ran {
    test::Folder folder{"output-files"};
    std::string mark = (folder / "ran").string();
    bool operator()() const { return std::ifstream(mark).good(); }
};

TEST(OutputFiles, APlaceThatIsNotThereIsToldBeforeAProgramRuns) {
    const Ran ran;
    for (const std::string option : {"--html", "--json", "--csv", "--trace", "--log", "--digest", "-o"}) {
        const auto o = test::program({"run", option, "/nonexist/x.html", "touch", ran.mark});
        EXPECT_EQ(o.code, 2) << option;
        EXPECT_EQ(o.error, "warpwright: /nonexist/x.html: error: cannot be written: No such file or directory\n");
        EXPECT_FALSE(ran()) << option;
    }
}

TEST(OutputFiles, SoItIsOfTheOtherCommands) {
    const std::string ptx = WARPWRIGHT_SOURCE_DIR "/tests/cli/one.ptx";
    for (const Words& words :
         {Words{"lab", "reduce", "--size", "1000", "--report", "/nonexist/x.html"},
          Words{"lab", "reduce", "--size", "1000", "--json", "/nonexist/x.json"},
          Words{"lab", "reduce", "--size", "1000", "--csv", "/nonexist/x.csv"},
          Words{"lab", "reduce", "--size", "1000", "--svg", "/dev/null/pictures"},
          Words{"tune", "transpose", "--size", "64", "--output", "/nonexist/tuned.toml"},
          Words{"launch", ptx, "--csv", "/nonexist/x.csv"}, Words{"launch", ptx, "--timeline", "/nonexist/x.html"},
          Words{"check", ptx, "--sarif", "/nonexist/x.sarif"}, Words{"build", ptx, "-o", "/nonexist/app"}}) {
        const auto o = test::program(words);
        EXPECT_EQ(o.code, 2) << words[0] << " " << words.back();
        EXPECT_THAT(o.error, testing::AllOf(testing::HasSubstr(words.back()), testing::HasSubstr("cannot be ")));
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
        EXPECT_EQ(o.out, "");
    }
}

TEST(OutputFiles, AFolderIsNoFile) {
    const test::Folder folder("output-folder");
    const auto wrong = check_writable(folder.path());
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().what, "cannot be written: Is a directory");
    EXPECT_TRUE(check_writable((folder / "new.json").string()));
    EXPECT_TRUE(check_writable("new.json"));
    EXPECT_TRUE(check_writable("-"));
    EXPECT_TRUE(check_writable("/dev/null"));
    EXPECT_TRUE(check_folder((folder / "a" / "b").string()));
    std::ofstream(folder / "file") << "x";
    EXPECT_FALSE(check_folder((folder / "file" / "b").string()));
}

TEST(OutputFiles, ALanguageWithoutTextsIsRefusedWithThoseThereAre) {
    const Ran ran;
    for (const Words& words :
         {Words{"run", "--lang", "xx", "touch", ran.mark}, Words{"lab", "reduce", "--size", "1000", "--lang", "xx"},
          Words{"lab", "sum", "--lang", "xx"}}) {
        const auto o = test::program(words);
        EXPECT_EQ(o.code, 2) << words[1];
        EXPECT_THAT(o.error, testing::AllOf(testing::HasSubstr("'xx'"), testing::HasSubstr("en, fi, ru, zh")));
        EXPECT_EQ(o.out, "");
    }
    EXPECT_FALSE(ran());
}

}  // namespace output_files_test
}  // namespace warpwright::cli
