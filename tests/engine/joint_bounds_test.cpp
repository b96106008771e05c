// Kernels whose accesses have a base and constant distances, drawn at random: code that checks their bounds together,
// and code that checks each alone (quick code does). Memory, counts and faults are the same, for accesses that are all
// within bounds, for some that are not, and for neighbours that lie in two allocations.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "common/processors.hpp"
#include "engine/run/engine.hpp"

namespace joint_bounds_test {

using namespace warpwright;

constexpr unsigned kBlocks = 3, kThreads = 64, kWords = 1024;

/// What the accesses of a drawn kernel may do wrong.
enum class Wrong { nothing, past_the_end, before_the_start, misaligned };

struct Kernel {
    std::mt19937 random;
    std::string body;
    unsigned next = 0;

    unsigned pick(unsigned n) { return static_cast<unsigned>(random() % n); }

    /// Loads and stores of one base in `space`, among them at most one at a distance that is wrong.
    void group(const std::string& space, const std::string& base, Wrong wrong) {
        const unsigned accesses = 3 + pick(6), bad = pick(accesses), width = 1 + pick(2);
        for (unsigned k = 0; k < accesses; ++k) {
            int at = static_cast<int>(pick(24)) * 4 * static_cast<int>(width);
            if (k == bad && wrong == Wrong::past_the_end) at = 4 * kWords + at - 64;
            if (k == bad && wrong == Wrong::before_the_start) at = -at - 256 * static_cast<int>(pick(2)) - 4;
            if (k == bad && wrong == Wrong::misaligned) at += 2;
            const std::string where = "[" + base + (at < 0 ? "" : "+") + std::to_string(at) + "]",
                              type = width == 2 ? ".v2.u32" : ".u32";
            const auto v = std::to_string(next++);
            const std::string values = width == 2 ? "{%v" + v + ", %w" + v + "}" : "%v" + v;
            if (pick(3) == 0) {
                body += "add.u32 %v" + v + ", %sum, " + v + ";\nadd.u32 %w" + v + ", %sum, 7;\nst." + space + type +
                        " " + where + ", " + values + ";\n";
            } else {
                body += "ld." + space + type + " " + values + ", " + where + ";\nadd.u32 %sum, %sum, %v" + v + ";\n";
                if (width == 2) body += "xor.b32 %sum, %sum, %w" + v + ";\n";
            }
            // An address that is computed on the way.
            if (pick(5) == 0 && space == "global") body += "add.s64 " + base + ", " + base + ", %step;\n";
        }
    }

    /// k(u64 out, u64 in, u32 step): a loop of three turns over two groups.
    std::string text(Wrong wrong) {
        const bool uniform = pick(3) == 0, in_shared = pick(2) == 0;
        group("global", "%in", in_shared ? Wrong::nothing : wrong);
        group("shared", "%near", in_shared ? wrong : Wrong::nothing);
        const std::string index = uniform ? "mov.u32 %i, %ctaid.x;\n" : "mov.u32 %i, %tid.x;\n";
        return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
               ".param .u32 step)\n{\n.shared .align 8 .b8 tile[" +
               std::to_string(4 * kWords) +
               "];\n.reg .pred %p;\n.reg .b32 %sum, %i, %near, %turn, %at, %n;\n.reg .b32 %v<400>, %w<400>;\n"
               ".reg .b64 %in, %out, %wide, %step;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
               "ld.param.u32 %at, [step];\ncvt.u64.u32 %step, %at;\nmov.u32 %sum, 1;\nmov.u32 %turn, 0;\n" +
               index +
               "mul.wide.u32 %wide, %i, 8;\nadd.s64 %in, %in, %wide;\nmov.u32 %near, tile;\nmad.lo.u32 %near, %i, 8, "
               "%near;\nAGAIN:\n" +
               body +
               "add.u32 %turn, %turn, 1;\nsetp.lt.u32 %p, %turn, 3;\n@%p bra AGAIN;\nmov.u32 %i, %tid.x;\n"
               "mov.u32 %at, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %at, %n, %i;\nmul.wide.u32 %wide, %i, "
               "4;\nadd.s64 %out, %out, %wide;\nst.global.u32 [%out], %sum;\nret;\n}\n";
    }
};

struct Ran {
    std::vector<std::uint32_t> words;
    record::Counts counts;
    std::string error;
};

/// `apart`: by code that checks each access alone.
Ran run(const std::string& text, bool apart, std::uint32_t step, const std::string& cpu = "native") {
    engine::EngineOptions options;
    options.cpu = cpu;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 28;
    options.quick_from = apart ? 0 : ~std::size_t{0};
    options.better_after = -1;
    options.tolerant = false;  // what lies closely behind an allocation is out of bounds too
    auto engine = engine::Engine::create(options);
    if (!engine) return {{}, {}, engine.error().text()};
    auto& e = **engine;
    auto program = e.load("joint.ptx", text);
    if (!program) return {{}, {}, program.error().text()};
    const auto in = e.memory().allocate(4 * kWords).value(), out = e.memory().allocate(4 * kBlocks * kThreads).value();
    auto* words = reinterpret_cast<std::uint32_t*>(in);
    for (unsigned i = 0; i < kWords; ++i) words[i] = i * 2654435761u;
    std::memset(reinterpret_cast<void*>(out), 0, 4 * kBlocks * kThreads);
    std::byte parameters[20];
    std::memcpy(parameters, &out, 8);
    std::memcpy(parameters + 8, &in, 8);
    std::memcpy(parameters + 16, &step, 4);
    engine::LaunchRequest request;
    request.config.grid.x = kBlocks;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    auto reply = e.launch(**program, 0, request);
    Ran ran;
    if (!reply)
        ran.error = reply.error().text();
    else if (reply->result.counts)
        ran.counts = reply->result.counts->total;
    ran.words.assign(words, words + kWords);
    const auto* more = reinterpret_cast<const std::uint32_t*>(out);
    ran.words.insert(ran.words.end(), more, more + kBlocks * kThreads);
    return ran;
}

class DrawnBounds : public testing::TestWithParam<unsigned> {};

TEST_P(DrawnBounds, AsWhereEachIsCheckedAlone) {
    const auto seed = GetParam();
    for (const auto wrong : {Wrong::nothing, Wrong::past_the_end, Wrong::before_the_start, Wrong::misaligned}) {
        Kernel kernel;
        kernel.random.seed(seed);
        const auto text = kernel.text(wrong);
        const std::uint32_t step = 16 * (seed % 4);
        const auto lesser = test::lesser_processors();
        const std::string cpu = seed % 3 == 0 ? lesser[1] : seed % 3 == 1 ? "native" : lesser[0];
        const auto together = run(text, false, step, cpu), apart = run(text, true, step, cpu);
        EXPECT_EQ(together.error, apart.error) << text;
        EXPECT_EQ(together.words, apart.words) << text;
        EXPECT_EQ(together.counts.values, apart.counts.values) << text;
        if (wrong == Wrong::nothing) EXPECT_EQ(together.error, "") << text;
        if (wrong == Wrong::misaligned) EXPECT_NE(together.error, "") << text;
    }
}

/// Offsets whose distances wrap around: as numbers with a sign the one that comes last is the lowest.
TEST(JointBounds, OfOffsetsThatWrapAround) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
        "step)\n{\n.reg .pred %p;\n.reg .b32 %a, %b, %c, %d, %at, %turn;\n.reg .b64 %q, %wide;\nld.param.u64 %q, "
        "[in];\nld.param.u32 %at, [step];\ncvt.u64.u32 %wide, %at;\nadd.s64 %q, %q, 8;\nadd.s64 %q, %q, "
        "-9223372036854775808;\nmov.u32 %turn, 0;\nAGAIN:\nld.global.u32 %a, [%q+9223372036854775800];\n"
        "ld.global.u32 %b, [%q+9223372036854775804];\nld.global.u32 %c, [%q+9223372036854775808];\n"
        "ld.global.u32 %d, [%q+9223372036854779808];\nadd.s64 %q, %q, %wide;\nadd.u32 %turn, %turn, 1;\n"
        "setp.lt.u32 %p, %turn, 2;\n@%p bra AGAIN;\nret;\n}\n";
    EXPECT_EQ(run(text, false, 64).error, "");
    const auto past = run(text, false, 4 * kWords - 12);
    EXPECT_NE(past.error, "") << "4000 bytes behind the last word";
    EXPECT_EQ(past.error, run(text, true, 4 * kWords - 12).error);
}

/// Rows at multiples of a pitch: which of them is the lowest, and whether all are aligned, is the pitch's to say.
TEST(JointBounds, OfRowsAtMultiplesOfAPitch) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
        "step)\n{\n.reg .pred %p;\n.reg .b32 %a, %b, %c, %d, %at, %turn, %i;\n.reg .b64 %q, %r, %s, %wide, %t;\n"
        "ld.param.u64 %q, [in];\nld.param.s32 %at, [step];\ncvt.s64.s32 %wide, %at;\nadd.s64 %q, %q, 1024;\n"
        "mov.u32 %i, %tid.x;\nmul.wide.u32 %t, %i, 4;\nadd.s64 %q, %q, %t;\nmov.u32 %turn, 0;\nAGAIN:\n"
        "add.s64 %r, %q, %wide;\nadd.s64 %s, %r, %wide;\nld.global.u32 %a, [%q+8];\nld.global.u32 %b, [%r+4];\n"
        "ld.global.u32 %c, [%s];\nadd.u32 %a, %a, %b;\nadd.u32 %a, %a, %c;\nst.global.u32 [%q], %a;\n"
        "st.global.u32 [%r+12], %a;\nst.global.u32 [%s+4], %a;\nadd.u32 %turn, %turn, 1;\n"
        "setp.lt.u32 %p, %turn, 2;\n@%p bra AGAIN;\nret;\n}\n";
    for (const int step :
         {0, 4, 8, 64, 1024, -4, -256, 2, -2, 1, 1404, 1406, 1408, 2048, -512, -516, 1 << 30, -(1 << 30)}) {
        const auto together = run(text, false, static_cast<std::uint32_t>(step));
        const auto apart = run(text, true, static_cast<std::uint32_t>(step));
        EXPECT_EQ(together.error, apart.error) << step;
        EXPECT_EQ(together.words, apart.words) << step;
        EXPECT_EQ(together.counts.values, apart.counts.values) << step;
        EXPECT_EQ(together.error.empty(), step % 4 == 0 && step >= -512 && step <= 1404) << step << together.error;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DrawnBounds, testing::Range(1u, 11u));

}  // namespace joint_bounds_test
