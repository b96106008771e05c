// What may be large, slow or no file at all: one line and an exit code, within the time and the memory that are given.
#include <gmock/gmock.h>

#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "cli/commands/result_store.hpp"
#include "common/program.hpp"

namespace warpwright::cli {
namespace limits_test {

using testing::AllOf;
using testing::HasSubstr;

test::Said program(const std::string& words, const std::string& before = "") {
    return test::shell(
        before + " WARPWRIGHT_LIBCUDA=/nowhere WARPWRIGHT_CACHE= timeout -k 1 120 " WARPWRIGHT_PROGRAM " " + words);
}

/// One line on standard error and nothing on standard output; the line.
std::string refused(const std::string& words, int code, const std::string& before = "") {
    const test::Said said = program(words, before);
    EXPECT_EQ(said.code, code) << words << "\n" << said.error;
    EXPECT_EQ(said.out, "") << words;
    EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;
    return said.error;
}

constexpr const char* kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A kernel of so many instructions, each of which needs the one before: minutes of compiling where it is long enough.
std::string chain(int instructions) {
    std::string text = kHead;
    text +=
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n";
    for (int k = 0; k < instructions; ++k) text += "mad.lo.u32 %r1, %r1, %r1, %r2;\nxor.b32 %r2, %r2, %r1;\n";
    return text + "st.global.u32 [%d1], %r1;\nret;\n}\n";
}

TEST(Limits, the_timeout_holds_for_compiling_ptx) {
    const test::Folder folder;
    const std::string file = folder.write("chain.ptx", chain(200000));
    for (const char* command : {"launch ", "check "})
        EXPECT_THAT(refused(command + file + " --grid 1 --block 32 --arg u32[32]=zero --timeout 1", 1),
                    AllOf(HasSubstr("chain.ptx: error: "), HasSubstr("it takes longer than 1 s (a larger --timeout)")));
}

TEST(Limits, the_timeout_holds_for_all_of_compiling_together) {
    const test::Folder folder;
    std::string text = kHead;
    text +=
        ".visible .entry k(.param .u64 p)\n{\n.reg .pred %q;\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n";
    for (int k = 0; k < 20000; ++k) {
        const std::string n = std::to_string(k);
        text += "setp.eq.u32 %q, %r1, " + n + ";\n@%q bra L" + n + ";\nadd.u32 %r2, %r2, 1;\nL" + n + ":\n";
    }
    const std::string file = folder.write("branches.ptx", text + "st.global.u32 [%d1], %r2;\nret;\n}\n");
    for (const char* command : {"launch ", "check "})
        EXPECT_THAT(refused(command + file + " --grid 1 --block 32 --arg u32[32]=zero --timeout 1", 1),
                    AllOf(HasSubstr("branches.ptx: error: "), HasSubstr("compiling"),
                          HasSubstr("it takes longer than 1 s (a larger --timeout)")));
}

TEST(Limits, a_buffer_that_nobody_wrote_is_not_read_as_a_whole) {
    const test::Folder folder;
    const std::string file = folder.write("small.ptx", chain(1));
    const auto said = program("launch " + file + " --grid 1 --block 32 --arg u8[17179869184]=none");
    if (said.code == 2)
        EXPECT_THAT(said.error, HasSubstr("is larger than this machine's memory"));
    else
        EXPECT_THAT(said.out, HasSubstr("u8[17179869184]:")) << said.error;
    EXPECT_NE(said.code, 124) << "it took two minutes";
    if (said.code == 0) {
        EXPECT_THAT(said.out, HasSubstr("of the first 1073741824 values"));
    }
}

TEST(Limits, the_timeout_of_build_holds_for_the_compiler) {
    const test::Folder folder;
    const std::string file = folder.write("app.cu", "#include <cstdio>\nint main() { std::puts(\"\"); }\n");
    EXPECT_THAT(refused("build " + file + " -o " + (folder / "app").string() + " --timeout 0.001", 2),
                HasSubstr("the compiler was stopped after 0.001 s"));
    EXPECT_THAT(refused("build " + file + " -o " + (folder / "app").string() + " --timeout -1", 2),
                HasSubstr("--timeout is not a number of seconds"));
}

TEST(Limits, files_that_are_none_are_refused_at_once) {
    const test::Folder folder;
    const std::string pipe = folder / "pipe.toml";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& file : {std::string("/dev/full"), std::string("/dev/zero"), pipe, folder.string() + "/"})
        EXPECT_THAT(refused("device " + file, 2),
                    testing::AnyOf(HasSubstr("regular file"), HasSubstr("no device model")))
            << file;
    const std::string json = folder / "records.json";
    ASSERT_EQ(::mkfifo(json.c_str(), 0600), 0);
    EXPECT_THAT(refused("compare " + json + " " + json, 2), HasSubstr("cannot be read: it is not a regular file"));
}

TEST(Limits, a_source_that_is_too_large_is_refused) {
    const test::Folder folder;
    const std::string file = folder.write("large.ptx", kHead);
    std::filesystem::resize_file(file, (std::uint64_t{64} << 20) + 1);
    EXPECT_THAT(refused("launch " + file + " --grid 1 --block 32", 2), HasSubstr("it is larger than 64 MiB"));
}

TEST(Limits, buffers_that_this_machine_cannot_hold_are_refused) {
    const test::Folder folder;
    const std::string file =
        folder.write("one.ptx", std::string(kHead) + ".visible .entry k(.param .u64 p)\n{\nret;\n}\n");
    EXPECT_THAT(refused("launch " + file + " --grid 1 --block 32 --arg 'f32[200000000000]=none'", 2),
                HasSubstr("is larger than this machine's memory"));
}

TEST(Limits, no_more_cores_are_taken_than_the_process_may_use) {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    const std::string one = "taskset -c " + std::to_string(first) + " env";
    for (const char* threads : {"", " --threads 3"}) {
        const test::Said said = program(std::string("lab matmul --size 64 --rung naive") + threads, one);
        EXPECT_EQ(said.code, 0);
        EXPECT_EQ(said.error, "") << "a library's warning, say" << threads;
    }
}

TEST(Limits, a_number_that_no_double_holds_is_an_error) {
    const test::Folder folder;
    const std::string file =
        folder.write("a.json", R"({"schema": 1, "environment": {}, "records": [{"time": {"median_s": 1e400}}]})");
    EXPECT_THAT(refused("compare " + file + " " + file, 2), HasSubstr("a.json: error: not JSON that can be read"));
}

TEST(Limits, a_wrong_setting_is_refused_and_help_is_not) {
    EXPECT_THAT(refused("device", 2, "WARPWRIGHT_THREADS=abc"),
                HasSubstr("error: WARPWRIGHT_THREADS='abc' is not a whole number from 0 to 4096"));
    EXPECT_EQ(program("--version", "WARPWRIGHT_THREADS=abc").code, 0);
}

TEST(Resume, a_command_is_the_same_whatever_is_done_with_its_results) {
    const std::string plain = "warpwright lab reduce --size 1000";
    for (const char* more : {" --resume", " --json", " --json=-", " --json -", " --json out/a.json",
                             " --csv a.csv --brief", " --columns a,b --no-why", " --resume --label before --json"})
        EXPECT_EQ(without_output(plain + more), plain) << more;
    EXPECT_EQ(without_output("warpwright lab --json reduce --size 1000"), plain);
    EXPECT_NE(without_output(plain + " --seed 2"), plain);
    EXPECT_EQ(without_output("warpwright lab 'my ladder' --json 'a file.json'"), "warpwright lab 'my ladder'");
}

}  // namespace limits_test
}  // namespace warpwright::cli
