// Where our data is looked for, and in which order.
#include "support/data_folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "common/files.hpp"
#include "support/settings.hpp"

namespace warpwright {
namespace data_folders_test {

using testing::Contains;
using testing::ElementsAre;

/// A variable for as long as a test looks at it.
class Variable {
public:
    Variable(Setting setting, const std::string& value) : name_(settings::variable(setting)) {
        if (const char* before = std::getenv(name_)) before_ = before, had_ = true;
        ::setenv(name_, value.c_str(), 1);
    }
    ~Variable() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::string before_;
    bool had_ = false;
};

TEST(DataFolders, TheSettingThenTheUsersThenThePrefixThenTheSources) {
    const Variable own(Setting::devices, "/mine:/yours"), home(Setting::xdg_data_home, "/home/me/data");
    const auto folders = data_folders(Data::devices);
    ASSERT_GE(folders.size(), 5u);
    EXPECT_EQ(folders[0], "/mine");
    EXPECT_EQ(folders[1], "/yours");
    EXPECT_EQ(folders[2], "/home/me/data/warpwright/devices");
    EXPECT_TRUE(folders[3].ends_with("/share/warpwright/devices")) << folders[3];
    EXPECT_EQ(folders[4], WARPWRIGHT_SOURCE_DIR "/data/devices");
    if (folders.size() > 5) EXPECT_TRUE(folders[5].ends_with("/warpwright/devices")) << folders[5];
}

TEST(DataFolders, EachHasItsFolderInTheSources) {
    const Variable kernels(Setting::kernels, ""), text(Setting::texts, ""), toolchain(Setting::toolchain, "");
    EXPECT_THAT(data_folders(Data::kernels), Contains(WARPWRIGHT_SOURCE_DIR "/kernels"));
    EXPECT_THAT(data_folders(Data::text), Contains(WARPWRIGHT_SOURCE_DIR "/data/text"));
    EXPECT_THAT(data_folders(Data::toolchain), Contains(WARPWRIGHT_SOURCE_DIR "/toolchain"));
}

TEST(DataFolders, ASettingOfTheToolchainIsTheOnlyPlace) {
    const Variable toolchain(Setting::toolchain, "/headers");
    EXPECT_THAT(data_folders(Data::toolchain), ElementsAre("/headers"));
}

TEST(DataFolders, EachStandsOnce) {
    const Variable own(Setting::devices, "/mine:/mine");
    auto folders = data_folders(Data::devices);
    std::sort(folders.begin(), folders.end());
    EXPECT_EQ(std::adjacent_find(folders.begin(), folders.end()), folders.end());
}

// Wherever a prefix was moved to, what is installed in it finds its share.
TEST(DataFolders, ThePrefixOfAnInstalledFile) {
    const test::Folder prefix;
    prefix.write("share/warpwright/devices/a.toml", "");
    const std::string share = (prefix / "share/warpwright").string();
    for (const char* file : {"bin/warpwright", "lib/libwarpwright.so", "lib/x86_64-linux-gnu/libwarpwright.so",
                             "lib/warpwright/libwarpwright_cuda.so", "lib/warpwright/compilers/libnvrtc.so.13",
                             "lib64/warpwright/compilers/bin/nvcc"})
        EXPECT_EQ(share_of((prefix / file).string()), share) << file;
}

// A build tree below a prefix where another version is installed does not read that one's files.
TEST(DataFolders, ABuildTreeBelowAPrefixIsNotInstalledThere) {
    const test::Folder prefix;
    prefix.write("share/warpwright/devices/a.toml", "");
    const auto build = prefix / "src/warpwright/build";
    EXPECT_EQ(share_of((build / "warpwright").string()), (prefix / "src/warpwright/share/warpwright").string());
    EXPECT_EQ(share_of((build / "compilers/bin/nvcc").string()), (build / "compilers/share/warpwright").string());
}

}  // namespace data_folders_test
}  // namespace warpwright
