// Who says how many registers a kernel has, wherever the program shows them.
#include <gmock/gmock.h>

#include <algorithm>

#include "common/fake_ptxas.hpp"
#include "common/program.hpp"

namespace warpwright::cli {
namespace registers_test {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 7;\nret;\n}\n";
constexpr const char* kProgram =
    "#include <cstdio>\nextern \"C\" __global__ void k(int* p) { *p = 7; }\nint main() {\n  int* p;\n"
    "  cudaMalloc(&p, 4);\n  k<<<1, 32>>>(p);\n  cudaFuncAttributes a;\n  cudaFuncGetAttributes(&a, k);\n"
    "  printf(\"%d registers, %d bytes\\n\", a.numRegs, (int)a.localSizeBytes);\n"
    "  return cudaDeviceSynchronize() != cudaSuccess;\n}\n";

class Registers : public testing::Test {
protected:
    /// `setting`: of WARPWRIGHT_PTXAS.
    test::Said program(const std::string& setting, const std::string& words) const {
        return test::shell("COLUMNS=400 WARPWRIGHT_PTXAS='" + setting +
                           "' WARPWRIGHT_LIBCUDA=/nowhere WARPWRIGHT_CACHE='" + cache_.string() +
                           "' timeout -k 1 200 " WARPWRIGHT_PROGRAM " " + words);
    }
    const test::Folder folder_{"registers"}, cache_{"registers-cache"};
    const std::string launch_ = "launch " + folder_.write("k.ptx", kPtx).string() + " --arg u32[1]=zero --predict";
    const std::string fake_ = test::fake_ptxas(folder_, test::ptxas_says("k", 72, 40, 12, 20));
};

TEST_F(Registers, ALaunchTellsTheAssembler) {
    const auto table = program(fake_, launch_);
    EXPECT_EQ(table.code, 0) << table.error;
    EXPECT_THAT(table.out, HasSubstr("72 registers per thread by ptxas 99.1"));
    const auto json = program(fake_, launch_ + " --json");
    for (const char* wanted : {"\"registers\": 72", "\"registers_estimated\": false",
                               "\"registers_source\": \"ptxas 99.1\"", "\"spill_stores\": 12", "\"spill_loads\": 20"})
        EXPECT_THAT(json.out, HasSubstr(wanted));
    EXPECT_THAT(program(fake_, launch_ + " --csv").out, HasSubstr(",72,ptxas 99.1,"));
    const auto calls = test::text_of(folder_ / "calls");
    EXPECT_EQ(std::count(calls.begin(), calls.end(), '\n'), 1) << calls;
}

TEST_F(Registers, TheOptionComesBeforeTheSetting) {
    for (const auto& said : {program(fake_, launch_ + " --ptxas off"), program("off", launch_)}) {
        EXPECT_EQ(said.code, 0) << said.error;
        EXPECT_THAT(said.out, HasSubstr("16 registers per thread, estimated"));
    }
    EXPECT_THAT(program("off", launch_ + " --ptxas " + fake_).out, HasSubstr("72 registers per thread by ptxas 99.1"));
    EXPECT_THAT(program("off", launch_ + " --json").out, HasSubstr("\"registers_source\": \"estimated\""));
}

TEST_F(Registers, WhatIsNamedAndNoAssemblerIsAnErrorInOneLine) {
    const std::string run = "run " + folder_.write("k.cu", kProgram).string();
    for (const std::string& words : {launch_, run})
        for (const char* wrong : {"/nowhere/ptxas", "/bin/true", WARPWRIGHT_STAND_IN}) {
            const auto said = program(wrong, words);
            EXPECT_EQ(said.code, 3) << said.error;
            EXPECT_THAT(said.error, HasSubstr(std::string("WARPWRIGHT_PTXAS: ")));
            EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;
        }
    EXPECT_THAT(program(WARPWRIGHT_STAND_IN, launch_).error, HasSubstr("is Warpwright's stand-in"));
}

TEST_F(Registers, AnAssemblerThatFailsIsANoteAndTheEstimateStands) {
    const auto broken = test::fake_ptxas(folder_, "ptxas fatal   : out of ideas\n", "exit 1");
    const auto said = program(broken, launch_);
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("16 registers per thread, estimated"));
    EXPECT_THAT(said.error, HasSubstr("its registers are estimated: out of ideas"));
}

TEST_F(Registers, AProgramTellsItInAllItsForms) {
    const std::string file = " " + folder_.write("k.cu", kProgram).string();
    const auto said = program(fake_, "run" + file);
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out + said.error, HasSubstr("72 registers, 40 bytes"));
    const auto json = program(fake_, "run --json=" + (folder_ / "p.json").string() + file);
    EXPECT_EQ(json.code, 0) << json.error;
    EXPECT_THAT(test::text_of(folder_ / "p.json"), HasSubstr("\"registers_source\":\"ptxas 99.1\""));
    const auto trace = program(fake_, "run --print-gpu-trace" + file);
    EXPECT_THAT(trace.out + trace.error, HasSubstr("Regs: registers per thread, by ptxas 99.1."));
    const auto estimated = program("off", "run --print-gpu-trace" + file);
    EXPECT_THAT(estimated.out + estimated.error,
                HasSubstr("Regs: registers per thread, estimated on the emulated GPU."));
}

TEST_F(Registers, ThoseOfUntrustedKernelsAreEstimated) {
    const auto said = program(fake_, launch_ + " --untrusted");
    if (said.code == 3) GTEST_SKIP() << said.error;
    EXPECT_THAT(said.out, HasSubstr("registers per thread, estimated"));
    EXPECT_EQ(program("", launch_ + " --untrusted --ptxas " + fake_).code, 2);
    EXPECT_EQ(test::text_of(folder_ / "calls"), "");
}

}  // namespace registers_test
}  // namespace warpwright::cli
