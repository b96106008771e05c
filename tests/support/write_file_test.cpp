// Files that are whole or not there.
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files.hpp"
#include "support/write_file.hpp"

namespace warpwright {
namespace write_file_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

using test::text_of;

class WriteFile : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "warpwright-write-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { fs::remove_all(folder); }
    std::size_t files() const {
        return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    fs::path folder;
};

TEST_F(WriteFile, NewAndOver) {
    const fs::path file = folder / "a.txt";
    ASSERT_TRUE(write_file(file, "one"));
    fs::permissions(file, fs::perms(0640));
    ASSERT_TRUE(write_file(file, "two"));
    EXPECT_EQ(text_of(file), "two");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
    EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, ALinkStaysALink) {
    ASSERT_TRUE(write_file(folder / "real", "one"));
    fs::create_symlink("real", folder / "link");
    ASSERT_TRUE(write_file(folder / "link", "two"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(text_of(folder / "real"), "two");
}

// As on a full disk: the file may not grow beyond a limit.
TEST_F(WriteFile, AShortWriteLeavesTheOldFile) {
    const fs::path file = folder / "a.txt";
    ASSERT_TRUE(write_file(file, "old"));
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 1000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto over = write_file(file, std::string(5000, 'x')),
               fresh = write_file(folder / "b.txt", std::string(5000, 'x'));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(over);
    EXPECT_THAT(over.error().text(), HasSubstr("a.txt: error: cannot be written: "));
    EXPECT_FALSE(fresh);
    EXPECT_EQ(text_of(file), "old");
    EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, DevicesAreWrittenTo) {
    EXPECT_TRUE(write_file("/dev/null", "text"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const auto full = write_file("/dev/full", "text");
    ASSERT_FALSE(full);
    EXPECT_THAT(full.error().what, HasSubstr("No space left"));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFile, PlacesThatCannotBe) {
    EXPECT_FALSE(write_file(folder, "text"));
    EXPECT_FALSE(write_file(folder / "no" / "a.txt", "text"));
    ASSERT_TRUE(write_file(folder / "file", "text"));
    EXPECT_FALSE(make_folder(folder / "file"));
    EXPECT_FALSE(make_folder(folder / "file" / "inner"));
    EXPECT_TRUE(make_folder(folder / "x" / "y"));
    EXPECT_TRUE(make_folder(folder / "x" / "y"));
    EXPECT_EQ(files(), 2u);
}

}  // namespace write_file_test
}  // namespace warpwright
