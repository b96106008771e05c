// Lines of files that a message names: which are shown, and that devices and pipes are never opened.
#include "support/source_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/result.hpp"
#include "support/temporary_folder.hpp"

namespace source_files_test {

using warpwright::only_below;
using warpwright::only_file;
using warpwright::printable;
using warpwright::SourceFiles;

class SourceLines : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("ww_source_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_ / "below");
        std::ofstream(folder_ / "a.cu") << "first\nsecond\n";
        std::ofstream(folder_ / "below" / "b.cu") << "third\n";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::filesystem::path folder_;
};

TEST_F(SourceLines, OnlyOfFilesThatMayBeShown) {
    EXPECT_EQ(SourceFiles().line(path("a.cu"), 2), "second");
    EXPECT_FALSE(SourceFiles().line(path("a.cu"), 3));
    EXPECT_FALSE(SourceFiles().line(path("a.cu"), 0));
    EXPECT_FALSE(SourceFiles().line(path("none.cu"), 1));
    EXPECT_EQ(SourceFiles(only_file(path("a.cu"))).line(path("below/../a.cu"), 1), "first");
    EXPECT_FALSE(SourceFiles(only_file(path("a.cu"))).line(path("below/b.cu"), 1));
    EXPECT_EQ(SourceFiles(only_below(path("below"))).line(path("below/b.cu"), 1), "third");
    EXPECT_FALSE(SourceFiles(only_below(path("below"))).line(path("below/../a.cu"), 1));
    std::filesystem::create_symlink(path("a.cu"), path("below/link.cu"));
    EXPECT_FALSE(SourceFiles(only_below(path("below"))).line(path("below/link.cu"), 1));
}

TEST_F(SourceLines, NoDevicesAndNoPipes) {
    EXPECT_FALSE(SourceFiles().line("/dev/zero", 1));
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_FALSE(SourceFiles().line(path("pipe"), 1));
    EXPECT_FALSE(SourceFiles().line(folder_.string(), 1));
}

TEST(Printable, ControlCharactersAreEscaped) {
    EXPECT_EQ(printable("a.cu"), "a.cu");
    EXPECT_EQ(printable("\x1b]0;pwn\x07\x1b[31mRED\n"), "\\x1b]0;pwn\\x07\\x1b[31mRED\\x0a");
    EXPECT_EQ(printable("caf\xc3\xa9 \xc2\x9b"), "caf\xc3\xa9 \\x9b");
    EXPECT_EQ((warpwright::Location{"a\x1b.cu", 3, 0}.text()), "a\\x1b.cu:3");
}

TEST(Printable, LinesStayLines) {
    EXPECT_EQ(warpwright::printable_lines("a\tb\r\nc\rd\x1b"), "a\tb\r\nc\\x0dd\\x1b");
    const warpwright::Error error{
        warpwright::ErrorKind::input, "a\x1b[2J\n  b: error: c", {"k.cu", 1, 0}, "do\x07 this"};
    EXPECT_EQ(error.text(), "k.cu:1: error: a\\x1b[2J\n  b: error: c (do\\x07 this)");
}

TEST(Printable, AStreamMayPartACharacter) {
    const std::string text = "a\xc2\x9b\r\nb\rc\x1b[1m\xc3\xa9\r";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        warpwright::PrintableStream stream;
        std::string out;
        for (std::size_t at = 0; at < text.size(); at += piece)
            out += stream.next(std::string_view(text).substr(at, piece));
        EXPECT_EQ(out + stream.rest(), warpwright::printable_lines(text)) << piece;
    }
}

}  // namespace source_files_test
