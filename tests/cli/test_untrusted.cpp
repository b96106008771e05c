// --untrusted through the program: kernels run, and what they may not have is refused with one line.
#include <gmock/gmock.h>

#include <algorithm>

#include "common/files.hpp"
#include "common/program.hpp"
#include "confine/confine.hpp"

namespace warpwright::cli {
namespace {

using testing::HasSubstr;

test::Said program(const std::string& words) {
    return test::shell("WARPWRIGHT_LIBCUDA=/nowhere timeout -k 1 200 " WARPWRIGHT_PROGRAM " " + words);
}

constexpr const char* kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 7;\nret;\n}\n";

class Untrusted : public testing::Test {
protected:
    void SetUp() override {
        if (auto ok = confine::supported(); !ok) GTEST_SKIP() << ok.error().text();
    }
    const test::Folder folder_;
};

TEST_F(Untrusted, ptx_runs_and_is_checked) {
    const std::string file = folder_.write("k.ptx", kPtx);
    const auto said = program("launch --untrusted " + file + " --arg u32[1]=zero --json");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("\"global_store_requests\""));
    const auto checked = program("check --untrusted " + file + " --arg u32[1]=zero");
    EXPECT_EQ(checked.code, 0) << checked.error;
    const auto bad = program("check --untrusted " + file + " --arg u8[2]=zero");
    EXPECT_EQ(bad.code, 1) << bad.error;
    EXPECT_THAT(bad.out, HasSubstr("k.ptx:8"));
}

TEST_F(Untrusted, cuda_is_compiled_and_cannot_include_what_it_was_not_given) {
    const std::string file = folder_.write("k.cu", "__global__ void k(int* p) { *p = 7; }\nint main() { return 1; }\n");
    const auto said = program("launch --untrusted " + file + " --arg i32[1]=zero");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("after the run, i32[1]: 7;"));
    folder_.write("other/secret.h", "int told = 1;\n");
    for (const char* name : {"/etc/passwd", "other/secret.h"}) {
        const std::string spy =
            folder_.write("spy.cu", std::string("#include \"") + name + "\"\n__global__ void k(int* p) {}\n");
        const auto refused = program("launch --untrusted " + spy + " --arg i32[1]=zero");
        EXPECT_EQ(refused.code, 2) << name << refused.error;
        EXPECT_THAT(refused.error, HasSubstr("spy.cu:1")) << name;
        EXPECT_THAT(refused.error, testing::Not(HasSubstr("root:"))) << name;
    }
}

TEST_F(Untrusted, memory_ends_at_its_limit) {
    const std::string file = folder_.write("k.ptx", kPtx);
    const auto said = program("launch --untrusted " + file + " --arg u8[8589934592]=zero");
    EXPECT_EQ(said.code, 2) << said.error;
    EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;
}

TEST_F(Untrusted, files_and_devices_outside_are_usage_errors) {
    const std::string file = folder_.write("k.ptx", kPtx);
    for (const std::string& words :
         {"launch --untrusted " + file + " --arg u32[1]=zero --out 0:x.npy",
          "launch --untrusted " + file + " --arg u32[1]=zero --json=x.json",
          "launch --untrusted " + file + " --arg u32[1]=zero --device cuda",
          "check --untrusted " + file + " --kernel k --log x.txt", std::string("check --untrusted --ladder reduce")}) {
        const auto said = program(words);
        EXPECT_EQ(said.code, 2) << words;
        EXPECT_THAT(said.error, HasSubstr("--untrusted exclude each other")) << words;
    }
}

}  // namespace
}  // namespace warpwright::cli
