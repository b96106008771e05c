// Loops whose rounds step over many pages, as sums of every n-th element do: what the code asks for ahead of the next
// warp changes neither sums nor counts, also where rows end with their allocation.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace next_rows_test {

using namespace warpwright;

constexpr std::uint32_t kThreads = 128, kRows = 12;

struct Loop {
    const char* name;
    const char* before;
    const char* round;  ///< adds to %sum
};

// %i: the thread; %step: elements from row to row; %in: the rows. Each loop has kRows rounds, by %turn.
const Loop kLoops[] = {
    {"index of 32 bits", "mov.u32 %j, %i;",
     "mul.wide.s32 %at, %j, 4; add.s64 %at, %in, %at; ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; "
     "add.s32 %j, %j, %step;"},
    {"address", "mul.wide.u32 %at, %i, 4; add.s64 %at, %in, %at; mul.wide.s32 %by, %step, 4;",
     "ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; add.s64 %at, %at, %by;"},
    {"row by number", "",
     "mad.lo.s32 %j, %turn, %step, %i; mul.wide.s32 %at, %j, 4; add.s64 %at, %in, %at; ld.global.u32 %v, [%at]; "
     "add.u32 %sum, %sum, %v;"},
    {"from the last row on", "sub.s32 %j, 11, 0; mul.lo.s32 %j, %j, %step; add.s32 %j, %j, %i;",
     "mul.wide.s32 %at, %j, 4; add.s64 %at, %in, %at; ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; "
     "sub.s32 %j, %j, %step;"},
    {"four in a round", "mul.wide.u32 %at, %i, 4; add.s64 %at, %in, %at; mul.wide.s32 %by, %step, 4;",
     "ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; add.s64 %to, %at, %by; ld.global.u32 %v, [%to]; "
     "add.u32 %sum, %sum, %v; add.s64 %to, %to, %by; ld.global.u32 %v, [%to]; add.u32 %sum, %sum, %v; "
     "add.s64 %to, %to, %by; ld.global.u32 %v, [%to]; add.u32 %sum, %sum, %v; add.s64 %at, %to, %by; "
     "add.u32 %turn, %turn, 3;"},
    {"a step of its own in each round", "mov.u32 %j, %i; mov.u32 %w, %step;",
     "mul.wide.s32 %at, %j, 4; add.s64 %at, %in, %at; ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; "
     "add.s32 %j, %j, %w; xor.b32 %w, %w, 0;"},
};

std::string text(const Loop& loop) {
    return std::string(
               ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
               "in, .param .u32 step)\n{\n.reg .pred %p;\n.reg .b32 %i, %j, %v, %w, %sum, %step, %turn;\n"
               ".reg .b64 %in, %out, %at, %by, %to;\nld.param.u64 %in, [in]; ld.param.u64 %out, [out]; "
               "ld.param.u32 %step, [step];\nmov.u32 %i, %tid.x; mov.u32 %sum, 0; mov.u32 %turn, 0;\n") +
           loop.before + "\nAGAIN:\n" + loop.round +
           "\nadd.u32 %turn, %turn, 1; setp.lt.u32 %p, %turn, 12;\n@%p bra AGAIN;\n"
           "mul.wide.u32 %at, %i, 4; add.s64 %out, %out, %at; st.global.u32 [%out], %sum;\nret;\n}\n";
}

/// (PTX shifts by 64 to zero: each round reads the first row.)
const Loop kShifted = {"shift by all bits", "mul.wide.u32 %by, %i, 4; add.s64 %in, %in, %by;",
                       "cvt.u64.u32 %to, %turn; shl.b64 %to, %to, 64; add.s64 %at, %in, %to; ld.global.u32 %v, [%at]; "
                       "add.u32 %sum, %sum, %v;"};

struct Ran {
    std::vector<std::uint32_t> sums;
    std::uint64_t sectors = 0;
};

Ran run(const Loop& loop, std::uint32_t step, bool guarded) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 27, options.guarded = guarded;
    options.quick_from = ~0u;
    auto e = engine::Engine::create(options).value();
    auto program = e->load("rows.ptx", text(loop));
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const std::uint64_t words = std::uint64_t{step} * (kRows - 1) + kThreads;
    const auto in = e->memory().allocate(4 * words).value(), out = e->memory().allocate(4 * kThreads).value();
    for (std::uint64_t w = 0; w < words; ++w)
        reinterpret_cast<std::uint32_t*>(in)[w] = static_cast<std::uint32_t>(w * 7);
    std::byte parameters[20];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &in, 8), std::memcpy(parameters + 16, &step, 4);
    engine::LaunchRequest request;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    auto reply = e->launch(**program, 0, request);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().text());
    if (!reply.ok()) return {};
    Ran ran;
    ran.sums.resize(kThreads);
    std::memcpy(ran.sums.data(), reinterpret_cast<const void*>(out), 4 * kThreads);
    ran.sectors = reply->result.counts->total[record::Count::global_load_sectors];
    return ran;
}

TEST(NextRows, SumsAndCounts) {
    for (const auto& loop : kLoops)
        for (const std::uint32_t step : {128u, 8192u, 16384u, 65536u})
            for (const bool guarded : {false, true}) {
                SCOPED_TRACE(std::string(loop.name) + ", step " + std::to_string(step));
                const auto ran = run(loop, step, guarded);
                std::vector<std::uint32_t> want(kThreads);
                for (std::uint32_t t = 0; t < kThreads; ++t)
                    for (std::uint32_t r = 0; r < kRows; ++r) want[t] += (r * step + t) * 7;
                EXPECT_EQ(ran.sums, want);
                EXPECT_EQ(ran.sectors, kRows * kThreads / 8);
            }
}

TEST(NextRows, AShiftByAllBitsIsNoStep) {
    const auto ran = run(kShifted, 8192, false);
    std::vector<std::uint32_t> want(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) want[t] = kRows * t * 7;
    EXPECT_EQ(ran.sums, want);
}

}  // namespace next_rows_test
