// The program's words, character by character: standard output, standard error and exit code against golden files.
// To accept a change: WARPWRIGHT_UPDATE_GOLDEN=1 ww_test_cli, and read the difference.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/program.hpp"
#include "record/record.hpp"

namespace warpwright::cli {
namespace program_test {

using test::program;
using Outcome = test::Said;

void expect_golden(const std::string& name, const Outcome& o) {
    std::string text =
        "exit code " + std::to_string(o.code) + "\n--- standard output\n" + o.out + "--- standard error\n" + o.error;
    // What depends on where the sources are does not belong in the file.
    for (std::size_t at; (at = text.find(WARPWRIGHT_SOURCE_DIR)) != std::string::npos;)
        text.replace(at, sizeof(WARPWRIGHT_SOURCE_DIR) - 1, "SOURCE");
    std::string path = WARPWRIGHT_SOURCE_DIR "/tests/cli/golden/" + name + ".txt";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(path) << text;
    std::ifstream in(path);
    std::stringstream golden;
    golden << in.rdbuf();
    EXPECT_EQ(golden.str(), text) << name;
}

TEST(Program, help) {
    expect_golden("help", program({"--help"}));
    expect_golden("help_lab", program({"lab", "--help"}));
    expect_golden("help_launch", program({"launch", "--help"}));
    expect_golden("help_device", program({"device", "--help"}));
    expect_golden("help_occupancy", program({"occupancy", "--help"}));
    expect_golden("help_explain", program({"explain", "--help"}));
    expect_golden("help_tune", program({"tune", "--help"}));
}

TEST(Program, lists) {
    expect_golden("lab", program({"lab"}));
    expect_golden("occupancy", program({"occupancy", "--registers", "64", "--shared", "16384"}));
    expect_golden("occupancy_all", program({"occupancy", "--all", "--registers", "40", "--block", "16x12"}));
    expect_golden("occupancy_over", program({"occupancy", "--over", "registers", "--model", "cc2.0"}));
    expect_golden("explain_shared",
                  program({"explain", "tile[threadIdx.x*32 + k]", "--block", "32x8", "--shared", "--type", "float"}));
    expect_golden("explain_global", program({"explain", "a[threadIdx.x*2 + 1]", "--global", "--model", "cc2.0"}));
}

/// A runner that is killed outright takes its program with it: the program writes on until then.
TEST(Program, a_program_ends_with_its_runner) {
    const test::Folder folder("runner");
    const std::string file = (folder / "alive").string();
    const auto o = test::shell("sh -c '" WARPWRIGHT_PROGRAM " run --quiet sh -c \"while true; do date +%N > " + file +
                               "; sleep 0.05; done\" & runner=$!; for k in $(seq 100); do [ -s " + file +
                               " ] && break; sleep 0.1; done; [ -s " + file +
                               " ] || exit 7; kill -KILL $runner; sleep 1; was=$(cat " + file +
                               "); sleep 0.5; [ \"$was\" = \"$(cat " + file + ")\" ]'");
    EXPECT_EQ(o.code, 0) << o.error;
}

TEST(Program, usage_errors) {
    expect_golden("error_no_command", program({}));
    expect_golden("error_explain", program({"explain", "tile[threadIdx.x*32 + ]"}));
    expect_golden("error_explain_index", program({"explain", "tile[3 - threadIdx.x]"}));
    expect_golden("error_explain_value", program({"explain", "tile[threadIdx.x*W]"}));
    expect_golden("error_explain_type", program({"explain", "tile[threadIdx.x]", "--type", "string"}));
    expect_golden("error_capability", program({"occupancy", "--model", "cc4.2"}));
    expect_golden("error_command", program({"labs"}));
    expect_golden("error_option", program({"lab", "--sise", "3"}));
    expect_golden("error_ladder", program({"lab", "nothing"}));
    expect_golden("error_rung", program({"lab", "reduce", "--rung", "nothing"}));
    expect_golden("error_axis", program({"lab", "reduce", "--axis", "U=int32"}));
    expect_golden("error_axis_value", program({"lab", "reduce", "--axis", "T=complex64"}));
    expect_golden("error_size", program({"lab", "matmul", "--size", "12,1x2"}));
    expect_golden("error_device", program({"lab", "matmul", "--device", "tpu:0"}));
    expect_golden("error_device_per_line", program({"lab", "matmul", "--device", "cuda", "--per-line"}));
    expect_golden("error_run_device", program({"run", "--device", "tpu", "/bin/true"}));
    expect_golden("error_run_device_option", program({"run", "--device", "cuda", "--cpu", "avx2", "/bin/true"}));
    expect_golden("error_run_metric", program({"run", "--metrics", "global_sector", "/bin/true"}));
    expect_golden("error_run_sample", program({"run", "--sample-error", "3", "/bin/true"}));
    expect_golden("error_run_sample_error", program({"run", "--sample", "--sample-error", "-3", "/bin/true"}));
    expect_golden("error_run_sample_counters", program({"run", "--sample", "--no-counters", "/bin/true"}));
    expect_golden("error_threads", program({"lab", "matmul", "--threads", "many"}));
    expect_golden("error_timeout", program({"lab", "matmul", "--timeout", "-1"}));
    expect_golden("error_two_outputs", program({"lab", "matmul", "--json", "-", "--csv", "-"}));
    expect_golden("error_launch_file", program({"launch", "missing.cu"}));
    expect_golden("error_launch_name", program({"launch", WARPWRIGHT_SOURCE_DIR "/CMakeLists.txt"}));
    expect_golden("error_launch_argument", program({"launch", "missing.cu", "--arg", "f32[10]"}));
    expect_golden("error_launch_dump_ir", program({"launch", "missing.cu", "--dump-ir=order"}));
    expect_golden("error_launch_grid", program({"launch", "missing.cu", "--grid", "0"}));
    expect_golden("error_launch_output", program({"launch", "missing.cu", "--arg", "1024", "--out", "0:x.npy"}));
    expect_golden("error_occupancy", program({"occupancy", "--block", "4096"}));
    expect_golden("error_occupancy_product", program({"occupancy", "--block", "4294967295x4294967295x4294967295"}));
    expect_golden("error_number_negative", program({"launch", "missing.cu", "--shared", "-1"}));
    expect_golden("error_number_large", program({"occupancy", "--shared", "99999999999999999999"}));
    expect_golden("error_seed", program({"lab", "matmul", "--seed", "18446744073709551616"}));
}

TEST(Program, a_missing_driver_is_one_line_and_auto_goes_on_without) {
    ::setenv("WARPWRIGHT_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    for (auto words :
         std::vector<std::vector<std::string>>{{"lab", "reduce", "--device", "cuda:0"}, {"device", "cuda:0"}}) {
        Outcome o = program(words);
        EXPECT_EQ(o.code, 3);
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, testing::AllOf(testing::StartsWith("warpwright: error: no NVIDIA driver: "),
                                            testing::HasSubstr("use --device emulated")));
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1);
    }
    Outcome list = program({"device"});
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.out, testing::AllOf(testing::StartsWith("no CUDA device: "), testing::HasSubstr("h200")));
    Outcome o = program({"lab", "reduce", "--size", "1000", "--rung", "cpu_serial", "--axis", "T=int32", "--json"});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.out, testing::HasSubstr("\"device\": \"emulated\""));
    EXPECT_EQ(o.error, "");
    ::unsetenv("WARPWRIGHT_LIBCUDA");
}

TEST(Program, a_size_that_cannot_be_does_not_end_a_sweep) {
    const Outcome o = program({"lab", "matmul", "--rung", "cpu_serial", "--size", "8,64x99999x99999,9", "--json"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, testing::HasSubstr("the ladder 'matmul' does not take the size 64 x 99999"));
    const auto set = record::from_json(o.out, "out");
    ASSERT_TRUE(set.ok()) << set.error().text();
    ASSERT_EQ(set->records.size(), 3u);
    EXPECT_EQ(set->records[0].verified, true);
    EXPECT_THAT(*set->records[1].error, testing::HasSubstr("99999"));
    EXPECT_EQ(set->records[1].axes.size(), 3u);
    EXPECT_EQ(set->records[2].verified, true);
    // Alone, it is the command's own error.
    EXPECT_EQ(program({"lab", "matmul", "--rung", "cpu_serial", "--size", "99999"}).out, "");
}

TEST(Program, measuring_needs_a_real_device) {
    ::setenv("WARPWRIGHT_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    for (auto words : std::vector<std::vector<std::string>>{{"device", "--measure"},
                                                            {"device", "--measure", "--device", "cuda:1"}}) {
        Outcome o = program(words);
        EXPECT_EQ(o.code, 3);
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, testing::StartsWith("warpwright: error: no NVIDIA driver: "));
    }
    ::unsetenv("WARPWRIGHT_LIBCUDA");
    for (auto words : std::vector<std::vector<std::string>>{
             {"device", "--measure", "emulated"}, {"device", "--measure", "--device", "emulated", "--json"}}) {
        Outcome o = program(words);
        EXPECT_EQ(o.code, 3);
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, testing::HasSubstr("'emulated' has no clock: there is nothing to measure"));
    }
}

TEST(Program, measuring_checks_its_words_first) {
    const auto error = [](std::vector<std::string> words, const char* says) {
        Outcome o = program(words);
        EXPECT_EQ(o.code, 2) << says;
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, testing::HasSubstr(says));
    };
    error({"device", "--measure", "h200"}, "'h200' is not a device that can be measured");
    error({"device", "--measure", "emulated", "--only", "memory,cash"}, "there is no group 'cash'");
    error({"device", "--measure", "emulated", "--model", "voodoo2"}, "no device model 'voodoo2'");
    error({"device", "--measure", "emulated", "--columns", "valeu"}, "there is no column 'valeu'");
    error({"device", "--measure", "emulated", "--json", "--csv"}, "both go to standard output");
    error({"device", "--measure", "emulated", "--json", "--output", "-"}, "both go to standard output");
    error({"device", "--measure", "emulated", "--device", "cuda:0"}, "two devices");
    error({"device", "--only", "memory"}, "--only goes with --measure");
    error({"device", "h200", "--json"}, "--json goes with --measure");
    error({"device", "--within", "9"}, "--within goes with --measure");
    error({"device", "--measure", "--within", "-1"}, "--within -1: seconds cannot be less than none");
    error({"device", "/nowhere/measured.toml"}, "cannot read the device model");
}

TEST(Program, a_measured_model_is_shown_with_its_spread) {
    const test::Folder folder;
    const std::string file =
        folder.write("measured.toml",
                     "schema = 1\ninherit = \"h200\"\n[ceilings]\n"
                     "dram_read = { value = 4.5e12, spread = 0.0125, source = \"measured by a test\" }\n");
    Outcome o = program({"device", file});
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.out, testing::HasSubstr("measured by a test, spread 1.2 %"));
    o = program({"lab", "reduce", "--size", "1000", "--rung", "sequential", "--axis", "T=int32", "--device", "emulated",
                 "--model", file, "--json"});
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.out, testing::HasSubstr("4500 GB/s"));
}

TEST(Program, an_unknown_model_names_the_known) {
    Outcome o = program({"lab", "matmul", "--model", "voodoo2"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, testing::AllOf(testing::HasSubstr("no device model 'voodoo2'"), testing::HasSubstr("h200")));
}

TEST(Program, a_closed_output_is_an_error_and_its_number_goes_to_no_other_file) {
    auto shell = [](const std::string& words) { return std::system((WARPWRIGHT_PROGRAM " " + words).c_str()); };
    int code = shell("occupancy >&- 2>/dev/null");
    EXPECT_TRUE(WIFEXITED(code) && WEXITSTATUS(code) == 1) << code;
    // With standard input closed as well, the first file opened would be 0, the second 1.
    const test::Folder folder;
    const std::string file = folder / "closed.csv";
    std::string launch = "launch " WARPWRIGHT_SOURCE_DIR "/tests/cli/one.ptx --csv " + file;
    ASSERT_EQ(shell(launch + " >/dev/null"), 0);
    const std::string open_text = test::text_of(file);
    (void)shell(launch + " <&- >&- 2>&-");
    const std::string closed_text = test::text_of(file);
    EXPECT_EQ(open_text.substr(0, open_text.find('\n')), closed_text.substr(0, closed_text.find('\n')));
}

TEST(Program, version_is_one_line) {
    Outcome o = program({"--version"});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.out, testing::MatchesRegex("warpwright [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    EXPECT_EQ(o.error, "");
}

TEST(Program, errors_are_one_line_on_standard_error_and_results_never_there) {
    for (auto words : std::vector<std::vector<std::string>>{
             {"lab", "nothing"}, {"launch"}, {"launch", "x.cu", "--arg", "a\nb"}, {"device", "x"}}) {
        Outcome o = program(words);
        EXPECT_EQ(o.code, 2);
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, testing::StartsWith("warpwright: error: "));
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1);
    }
}

}  // namespace program_test
}  // namespace warpwright::cli
