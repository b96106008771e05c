// Kernels in the forms that nvcc gives them: device functions of the toolkit's headers that are called (-G) or inlined
// (-lineinfo), and grid groups, which ask special registers for the grid's barrier. The PTX is written by hand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/program/cli.hpp"
#include "record/finding.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::check {
namespace nvcc_test {

class FormsOfNvcc : public testing::Test {
protected:
    /// Checks kernel `name` of `text` with two buffers of `count` words of zeros.
    std::vector<record::Finding> check(const std::string& text, const std::string& name,
                                       const std::vector<std::string>& options, const std::string& count) {
        const auto file = (std::filesystem::path(folder_.path()) / "kernel.ptx").string();
        std::ofstream(file) << ".version 8.5\n.target sm_90\n.address_size 64\n" << text;
        std::vector<std::string> words{"warpwright", "check", file,     "--kernel", name,
                                       "--timeout",  "120",   "--json", "-"};
        words.insert(words.end(), options.begin(), options.end());
        for (int k = 0; k < 2; ++k) words.insert(words.end(), {"--arg", "i32[" + count + "]=zero"});
        std::vector<const char*> argv;
        for (const auto& w : words) argv.push_back(w.c_str());
        std::FILE *out = std::tmpfile(), *error = std::tmpfile();
        cli::Console console(out, error);
        (void)cli::run(static_cast<int>(argv.size()), argv.data(), console);
        std::string json;
        for (auto* f : {out, error}) {
            std::rewind(f);
            std::string all;
            char buffer[4096];
            for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) all.append(buffer, n);
            std::fclose(f);
            if (f == out) json = all;
            said_ += all;
        }
        auto findings = record::read_findings(json);
        EXPECT_TRUE(findings) << said_;
        return findings ? *findings : std::vector<record::Finding>{};
    }

    TemporaryFolder folder_{"nvcc-forms"};
    std::string said_;
};

const std::string kFiles =
    "\t.file\t1 \"/home/me/app.cu\"\n\t.file\t2 "
    "\"/usr/local/cuda/bin/../targets/x86_64-linux/include/atomic_functions.hpp\"\n";

// What -G leaves: a function of a header, called from two lines of which one is right.
const std::string kCalled = R"(
.func add_block(.param .b64 add_block_0)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    .loc 2 298 0
    ld.param.u64 %rd1, [add_block_0];
    .loc 2 300 3
    atom.cta.add.u32 %r1, [%rd1], 1;
    ret;
}
.visible .entry count(.param .u64 count_0, .param .u64 count_1)
{
    .reg .b64 %rd<6>;
    .reg .b32 %r<2>;
    .loc 1 10 0
    ld.param.u64 %rd1, [count_0];
    ld.param.u64 %rd2, [count_1];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    .loc 1 11 5
    { .param .b64 param0; st.param.b64 [param0+0], %rd4; call.uni add_block, (param0); }
    .loc 1 12 5
    { .param .b64 param0; st.param.b64 [param0+0], %rd1; call.uni add_block, (param0); }
    ret;
}
)";

TEST_F(FormsOfNvcc, calledFunctionsOfHeadersAreToldAtTheProgramsLine) {
    const auto found = check(kCalled + kFiles, "count", {"--grid", "4", "--block", "32"}, "4");
    ASSERT_EQ(found.size(), 1u) << said_;
    EXPECT_EQ(found[0].kind, record::FindingKind::race_global);
    EXPECT_EQ(found[0].at.file, "/home/me/app.cu");
    EXPECT_EQ(found[0].at.line, 12u);
    ASSERT_TRUE(found[0].other);
    EXPECT_EQ(found[0].other->line, 12u);
}

// What -lineinfo leaves: two functions of the header's, one within the other, inlined.
TEST_F(FormsOfNvcc, inlinedFunctionsOfHeadersAreToldAtTheProgramsLine) {
    const std::string text = R"(
.visible .entry count(.param .u64 count_0, .param .u64 count_1)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    .loc 1 10 0
    ld.param.u64 %rd1, [count_0];
    .loc 1 12 5
    .loc 2 400 3, function_name $L__info_string0, inlined_at 1 12 5
    .loc 2 300 3, function_name $L__info_string1, inlined_at 2 400 3
    atom.cta.add.u32 %r1, [%rd1], 1;
    ret;
}
)";
    const auto found = check(text + kFiles, "count", {"--grid", "4", "--block", "32"}, "4");
    ASSERT_EQ(found.size(), 1u) << said_;
    EXPECT_EQ(found[0].at.file, "/home/me/app.cu");
    EXPECT_EQ(found[0].at.line, 12u);
}

// Each block writes its word; then the grid meets: the first thread of each block adds with release and waits with
// acquire for the highest bit to turn. Where the barrier lies is in %envreg1 and %envreg2. Then each block reads its
// neighbour's word.
std::string grid_kernel(bool meets) {
    return std::string(R"(
.visible .entry exchange(.param .u64 exchange_0, .param .u64 exchange_1)
{
    .reg .pred %p<4>;
    .reg .b32 %r<20>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [exchange_0];
    ld.param.u64 %rd2, [exchange_1];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %nctaid.x;
    mad.lo.u32 %r5, %r1, %r3, %r2;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    st.global.u32 [%rd4], %r5;
    mov.u32 %r6, %envreg2;
    mov.u32 %r7, %envreg1;
    cvt.u64.u32 %rd6, %r6;
    cvt.u64.u32 %rd7, %r7;
    bfi.b64 %rd8, %rd7, %rd6, 32, 32;
    setp.ne.s64 %p1, %rd8, 0;
    @%p1 bra THERE;
    trap;
THERE:
    barrier.sync 0;
)") +
           (meets ? R"(
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra MET;
    sub.u32 %r8, 0x80000001, %r4;
    setp.eq.u32 %p3, %r1, 0;
    selp.b32 %r9, %r8, 1, %p3;
    atom.add.release.gpu.u32 %r10, [%rd8+4], %r9;
AGAIN:
    ld.acquire.gpu.u32 %r11, [%rd8+4];
    xor.b32 %r12, %r11, %r10;
    setp.gt.s32 %p3, %r12, -1;
    @%p3 bra AGAIN;
MET:
    barrier.sync 0;
)"
                  : "") +
           R"(
    add.u32 %r13, %r5, %r3;
    mul.lo.u32 %r14, %r3, %r4;
    rem.u32 %r15, %r13, %r14;
    mul.wide.u32 %rd9, %r15, 4;
    add.s64 %rd10, %rd1, %rd9;
    ld.global.u32 %r16, [%rd10];
    add.u32 %r16, %r16, 1;
    st.global.u32 [%rd5], %r16;
    ret;
}
)";
}

TEST_F(FormsOfNvcc, aGridsBarrierIsThereAndOrders) {
    const std::vector<std::string> options{"--grid", "6", "--block", "64", "--cooperative"};
    EXPECT_TRUE(check(grid_kernel(true), "exchange", options, "384").empty()) << said_;
    const auto found = check(grid_kernel(false), "exchange", options, "384");
    ASSERT_EQ(found.size(), 1u) << said_;
    EXPECT_EQ(found[0].kind, record::FindingKind::race_global);
}

TEST_F(FormsOfNvcc, aGridThatWasNotLaunchedAsOneHasNoBarrier) {
    const auto found = check(grid_kernel(true), "exchange", {"--grid", "6", "--block", "64"}, "384");
    ASSERT_EQ(found.size(), 1u) << said_;
    EXPECT_EQ(found[0].kind, record::FindingKind::fault);
}

}  // namespace nvcc_test
}  // namespace warpwright::check
