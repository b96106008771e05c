// warpwright digest: which launch is the first after which two runs differ.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/program.hpp"

namespace warpwright::cli {
namespace digest_test {

namespace fs = std::filesystem;
using test::program;
using testing::AllOf;
using testing::HasSubstr;

class Digest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("ww-digest-" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string file(const std::string& name, const std::string& lines, const std::string& how = "fixed") {
        std::ofstream(folder_ / name) << "# warpwright digest 1, addresses " << how << "\n" << lines;
        return folder_ / name;
    }
    test::Said compare(const std::string& a, const std::string& b, const std::string& how = "fixed") {
        return program({"digest", file("a", a), file("b", b, how)});
    }
    fs::path folder_;
};

const std::string kFill = "1\tfill(int*)\t1x1x1\t64x1x1\taa\tallocation 1:256=01\n";
const std::string kSum = "2\tsum(int*)\t4x1x1\t64x1x1\tbb\tallocation 2:4=02\n";

TEST_F(Digest, runs_that_leave_the_same) {
    const auto same = compare(kFill + kSum, kFill + kSum);
    EXPECT_EQ(same.code, 0);
    EXPECT_EQ(same.out, "2 launches, each leaves the same memory\n");
    EXPECT_EQ(same.error, "");
}

TEST_F(Digest, the_first_launch_that_differs) {
    const auto other = compare(kFill + kSum, kFill + "2\tsum(int*)\t4x1x1\t64x1x1\tcc\tallocation 2:4=03\n");
    EXPECT_EQ(other.code, 1);
    EXPECT_THAT(other.out, AllOf(HasSubstr("launch 2 of 2 is the first"), HasSubstr("sum(int*) <<<4x1x1, 64x1x1>>>"),
                                 HasSubstr("allocation 2:4")));
}

TEST_F(Digest, another_launch_or_number_of_launches) {
    const auto another = compare(kFill + kSum, kFill + "2\tmax(int*)\t4x1x1\t64x1x1\tbb\n");
    EXPECT_EQ(another.code, 1);
    EXPECT_THAT(another.out, AllOf(HasSubstr("launch 2 is another one"), HasSubstr("max(int*)")));
    const auto fewer = compare(kFill + kSum, kFill);
    EXPECT_EQ(fewer.code, 1);
    EXPECT_THAT(fewer.out, HasSubstr("the first 1 leave the same memory"));
}

TEST_F(Digest, addresses_that_are_drawn_anew_are_told) {
    const auto told = compare(kFill, kFill, "drawn anew");
    EXPECT_EQ(told.code, 0);
    EXPECT_THAT(told.error, HasSubstr("memory that holds pointers"));
}

TEST_F(Digest, files_that_are_none) {
    const auto none = program({"digest", folder_ / "none", folder_ / "none"});
    EXPECT_EQ(none.code, 2);
    std::ofstream(folder_ / "text") << "something else\n";
    const auto text = program({"digest", folder_ / "text", folder_ / "text"});
    EXPECT_EQ(text.code, 2);
    EXPECT_THAT(text.error, HasSubstr("not a file of digests"));
    const auto cut = compare(kFill, kFill + "2\tsum");
    EXPECT_EQ(cut.code, 2);
    EXPECT_THAT(cut.error, HasSubstr("b:3"));
}

}  // namespace digest_test
}  // namespace warpwright::cli
