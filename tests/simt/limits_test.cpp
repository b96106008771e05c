// Kernels made to blow the lowering up: calls that double at each level, loops nested without end, text without end.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "simt/limits.hpp"
#include "simt/passes.hpp"
#include "support/cause.hpp"

namespace warpwright::simt {
namespace limits_test {

using testing::HasSubstr;

const std::string kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

struct Lowered {
    std::unique_ptr<ptx::Module> module;
    Result<Function> function;
};

/// The function `name` of a text, with every pass verified.
Lowered lowered(const std::string& text, const std::string& name = "k") {
    auto parsed = ptx::parse(kHeader + text, "made.ptx");
    if (!parsed) return {nullptr, parsed.error()};
    auto module = std::make_unique<ptx::Module>(std::move(*parsed));
    LowerOptions options;
    options.verify_each = true;
    auto f = lower(*module, module->find_function(name), options);
    return {std::move(module), std::move(f)};
}

std::string kernel(const std::string& body) {
    return ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n" + body +
           "ret;\n}\n";
}

/// Levels of functions that each call the next one twice.
std::string doubling(unsigned levels) {
    std::string text;
    for (unsigned k = 0; k <= levels; ++k) text += ".func f" + std::to_string(k) + "();\n";
    for (unsigned k = 0; k < levels; ++k) {
        const auto next = "call f" + std::to_string(k + 1) + "; ";
        text += ".func f" + std::to_string(k) + "() { " + next + next + "ret; }\n";
    }
    return text + ".func f" + std::to_string(levels) + "() { ret; }\n" + kernel("call f0;\n");
}

TEST(Limits, TimeIsAskedForAfterEachPass) {
    auto module = ptx::parse(kHeader + kernel("add.u32 %r1, %r2, %r3;\n"), "made.ptx");
    ASSERT_TRUE(module.ok());
    const std::size_t all = passes().size() + 1;
    for (std::size_t end = 1; end <= all + 1; ++end) {
        std::size_t asked = 0, done = 0;
        LowerOptions options;
        options.limit = WorkLimit([&] { return ++asked >= end; });
        options.after = [&](std::string_view, const Function&) { ++done; };
        const auto f = lower(*module, module->find_function("k"), options);
        EXPECT_EQ(asked, std::min(end, all));
        EXPECT_EQ(done, std::min(end, all));
        EXPECT_EQ(f.ok(), end > all);
        if (!f) EXPECT_EQ(f.error().cause, Cause::time_limit);
    }
}

TEST(Limits, CallsThatDoubleAtEachLevelBecomeRealOnes) {
    const auto k = lowered(doubling(40));
    ASSERT_TRUE(k.function) << k.function.error().text();
    EXPECT_TRUE(k.function->has_calls);
    EXPECT_LT(k.function->blocks.size(), 4 * kMaxInlinedBlocks);
    // Each of the functions that are called for real is as small.
    for (const auto* name : {"f0", "f20", "f32"}) {
        const auto f = lowered(doubling(40), name);
        ASSERT_TRUE(f.function) << f.function.error().text();
        EXPECT_LT(f.function->blocks.size(), 4 * kMaxInlinedBlocks) << name;
    }
    EXPECT_FALSE(lowered(doubling(5)).function->has_calls) << "a few levels are inlined";
}

TEST(Limits, ManyCallsOfOneFunctionAreInlinedUpToALimit) {
    std::string callee = ".func f() {\n.reg .b32 %r<4>;\n";
    for (unsigned k = 0; k < 5000; ++k) callee += "add.u32 %r1, %r1, 1;\n";
    std::string calls;
    for (unsigned k = 0; k < 60; ++k) calls += "call f;\n";
    const auto k = lowered(callee + "ret; }\n" + kernel(calls));
    ASSERT_TRUE(k.function) << k.function.error().text();
    std::size_t instructions = 0, real = 0;
    for (const auto& b : k.function->blocks)
        for (const auto& i : b.insts) ++instructions, real += i.kind == InstKind::call;
    EXPECT_LE(instructions, kMaxGrowth + 1000);
    EXPECT_GT(instructions, kMaxGrowth - 10000) << "as many as fit";
    EXPECT_EQ(real, 60 - kMaxGrowth / 5001);
}

TEST(Limits, SharedVariablesHaveOnePlaceWhereACallIsRealForItsSize) {
    // The callee uses one of two variables: a kernel that inlined it would place that one alone.
    std::string callee =
        ".shared .align 4 .b8 unused[64];\n.shared .align 4 .b8 used[64];\n.func f() {\n"
        ".reg .b32 %r<4>;\nst.shared.u32 [used], %r1;\n";
    for (unsigned k = 0; k <= kMaxInlinedInstructions; ++k) callee += "add.u32 %r1, %r1, 1;\n";
    const auto text = callee + "ret; }\n" + kernel("call f;\nst.shared.u32 [used], %r1;\n");
    const auto k = lowered(text), f = lowered(text, "f");
    ASSERT_TRUE(k.function && f.function);
    ASSERT_TRUE(k.function->has_calls);
    const auto variable = k.module->variables.size();
    for (std::size_t v = 0; v < variable; ++v)
        EXPECT_EQ(k.function->placements[v].offset, f.function->placements[v].offset) << k.module->variables[v].name;
    EXPECT_EQ(k.function->static_shared, f.function->static_shared);
}

TEST(Limits, CallChainsOfAnyLength) {
    std::string text;
    const unsigned length = 20000;
    for (unsigned k = 0; k <= length; ++k) text += ".func f" + std::to_string(k) + "();\n";
    for (unsigned k = 0; k < length; ++k)
        text += ".func f" + std::to_string(k) + "() { call f" + std::to_string(k + 1) + "; ret; }\n";
    text += ".func f" + std::to_string(length) + "() { ret; }\n" + kernel("call f0;\n");
    const auto k = lowered(text);
    EXPECT_TRUE(k.function) << k.function.error().text();
}

TEST(Limits, LoopsNestedTooDeepAreALocatedError) {
    const auto nest = [](unsigned depth) {
        std::string body;
        for (unsigned k = 0; k < depth; ++k) body += "L" + std::to_string(k) + ":\nadd.u32 %r1, %r1, 1;\n";
        for (unsigned k = depth; k-- > 0;)
            body += "setp.ne.u32 %p1, %r1, " + std::to_string(k) + ";\n@%p1 bra L" + std::to_string(k) + ";\n";
        return kernel(body);
    };
    const auto fine = lowered(nest(kMaxLoopDepth));
    ASSERT_TRUE(fine.function) << fine.function.error().text();
    EXPECT_EQ(fine.function->loops.size(), kMaxLoopDepth);
    const auto deep = lowered(nest(kMaxLoopDepth + 1));
    ASSERT_FALSE(deep.function);
    EXPECT_THAT(deep.function.error().text(),
                HasSubstr("made.ptx:4: error: loops are nested more than 256 deep in 'k'"));
}

TEST(Limits, TooManyBlocksAreALocatedError) {
    std::string body = "L:\n";
    for (std::uint64_t k = 0; k <= kMaxBlocks; ++k) body += "@%p1 bra L;\n";
    const auto k = lowered(kernel(body));
    ASSERT_FALSE(k.function);
    EXPECT_THAT(k.function.error().text(), HasSubstr("'k' has more than 131072 blocks of code"));
    EXPECT_EQ(k.function.error().where.file, "made.ptx");
    EXPECT_GT(k.function.error().where.line, kMaxBlocks);
}

/// A generator of our own: the same kernels on every machine.
struct Random {
    std::uint64_t state = 1;
    std::uint64_t below(std::uint64_t n) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (state >> 33) % n;
    }
};

std::string label(std::uint64_t k) { return "L" + std::to_string(k); }

TEST(Limits, ManyForwardBranches) {
    Random random;
    std::string body;
    const unsigned n = 20000;
    for (unsigned k = 0; k < n; ++k)
        body += label(k) + ":\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra " +
                label(k + 1 + random.below(n - k)) + ";\n";
    const auto k = lowered(kernel(body + label(n) + ":\nld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r1;\n"));
    ASSERT_TRUE(k.function) << k.function.error().text();
    EXPECT_GT(k.function->blocks.size(), n / 2);
    EXPECT_EQ(frontiers(*k.function, std::vector<bool>(k.function->blocks.size(), false)).size(),
              k.function->blocks.size());
}

TEST(Limits, ManyBranchesToOneLabel) {
    std::string body;
    for (unsigned k = 0; k < 50000; ++k)
        body += "add.u32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, " + std::to_string(k) + ";\n@%p1 bra OUT;\n";
    const auto k = lowered(kernel(body + "OUT:\nld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r1;\n"));
    ASSERT_TRUE(k.function) << k.function.error().text();
    EXPECT_EQ(k.function->blocks.back().preds.size(), 50001u);
}

TEST(Limits, ManyBackBranches) {
    Random random;
    std::string body;
    for (unsigned k = 0; k < 2000; ++k)
        body += label(k) + ":\nadd.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra " + label(random.below(k + 1)) +
                ";\n";
    const auto k = lowered(kernel(body));  // lowered, or refused by name: the labels are as they fall
    if (!k.function) EXPECT_THAT(k.function.error().text(), HasSubstr("loops are nested more than 256 deep"));
}

TEST(Limits, ManyWaitsInOneBlock) {
    std::string body;
    const unsigned n = 20000;
    for (unsigned k = 0; k < n; ++k) body += "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;\n";
    const auto k = lowered(kernel(body + "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], %r1;\n"));
    ASSERT_TRUE(k.function) << k.function.error().text();
    EXPECT_EQ(k.function->blocks.size(), n + 1u);
}

/// An instruction whose suffixes make it another form than the number of its operands is for.
TEST(Limits, InstructionsWithoutTheOperandsOfTheirFormAreErrors) {
    for (const char* line : {"wmma.u32 %r2, %r1;", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %r2, %r1;",
                             "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {};"}) {
        const auto k = lowered(kernel(std::string(line) + "\n"));
        ASSERT_FALSE(k.function) << line;
        EXPECT_THAT(k.function.error().text(), HasSubstr("made.ptx:9:")) << line;
        EXPECT_THAT(k.function.error().text(), testing::Not(HasSubstr("is broken"))) << line;
    }
}

}  // namespace limits_test
}  // namespace warpwright::simt
