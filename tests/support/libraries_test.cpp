// Our drop-in libraries: what a file of NVIDIA's is replaced by, and the page that lists them.
#include "support/libraries.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/made_text.hpp"

namespace warpwright {
namespace libraries_test {

std::string in_place_of(std::string_view file) {
    const DropIn* ours = drop_in_for(file);
    return ours ? ours->path() : "none";
}

TEST(Libraries, AFileIsReplacedByTheVersionThatItNames) {
    EXPECT_EQ(in_place_of("libcublas.so.12"), "libraries/libcublas.so.12");
    EXPECT_EQ(in_place_of("libcublas.so.12.8.4"), "libraries/libcublas.so.12");
    EXPECT_EQ(in_place_of("libcublas.so.13"), "libraries/libcublas.so.13");
    EXPECT_EQ(in_place_of("libcudart.so.12"), "cudart12/libcudart.so.12");
    EXPECT_EQ(in_place_of("libnvrtc.alt.so.12"), "compilers/libnvrtc.so.12");
    EXPECT_EQ(in_place_of("libcublas.so.11"), "none");
    EXPECT_EQ(in_place_of("libcudart.so.11.0"), "none");
}

TEST(Libraries, WithoutAVersionItIsTheNewest) {
    EXPECT_EQ(in_place_of("libcublas.so"), "libraries/libcublas.so.13");
    EXPECT_EQ(in_place_of("libnvrtc.so."), "compilers/libnvrtc.so.13");
    EXPECT_EQ(newest_drop_in("nvrtc.alt"), newest_drop_in("nvrtc"));
}

TEST(Libraries, TheOnlyVersionServesForAll) {
    EXPECT_EQ(in_place_of("libcuda.so.535.54"), "cuda/libcuda.so.1");
    EXPECT_EQ(in_place_of("libcurand.so.9"), "libraries/libcurand.so.10");
}

TEST(Libraries, OthersAreNotReplaced) {
    for (const char* other :
         {"libcuda.sock", "libcusparseLt.so.0", "libnvshmem_host.so.3", "cublas.so.13", "libm.so.6", "lib"})
        EXPECT_EQ(in_place_of(other), "none") << other;
    EXPECT_EQ(newest_drop_in("m"), nullptr);
}

// The newest version stands first: what has no number is led there.
TEST(Libraries, RowsAreInOrder) {
    std::set<std::string> files;
    const DropIn* before = nullptr;
    for (const DropIn& d : kDropIns) {
        EXPECT_TRUE(files.insert(d.file()).second) << d.file();
        if (before && std::string_view(before->name) == d.name) {
            EXPECT_GT(before->major, d.major) << d.file();
            EXPECT_STREQ(before->title, d.title);
        } else {
            EXPECT_EQ(newest_drop_in(d.name), &d);
        }
        before = &d;
    }
}

TEST(Libraries, ThePageListsThem) {
    std::string table = "| file | folder of `lib/warpwright` | what it is |\n|---|---|---|\n";
    for (const DropIn& d : kDropIns)
        table += "| `" + d.file() + "` | `" + d.folder + "` | [" + d.title + "](" + d.page + ") |\n";
    test::expect_made("libraries.md", "support/libraries.inc", table);
}

}  // namespace libraries_test
}  // namespace warpwright
