// Loops whose rounds step over many pages, as sums of every n-th element do: what the code asks for ahead of the next
// warp changes neither sums nor counts, also where rows end with their allocation. The same of blocks whose warps are
// rows, which ask for those of later blocks. What is asked for stands in the dump of the code's LLVM IR, and only where
// it is due.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/processors.hpp"
#include "engine/run/engine.hpp"
#include "support/settings.hpp"

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

/// (PTX shifts by 64 and more to zero: each round reads the first row. Modulo 64 the second one steps far.)
const Loop kShifted[] = {
    {"shift by all bits", "mul.wide.u32 %by, %i, 4; add.s64 %in, %in, %by;",
     "cvt.u64.u32 %to, %turn; shl.b64 %to, %to, 64; add.s64 %at, %in, %to; ld.global.u32 %v, [%at]; "
     "add.u32 %sum, %sum, %v;"},
    {"shift by more", "mul.wide.u32 %by, %i, 4; add.s64 %in, %in, %by;",
     "cvt.u64.u32 %to, %turn; shl.b64 %to, %to, 80; add.s64 %at, %in, %to; ld.global.u32 %v, [%at]; "
     "add.u32 %sum, %sum, %v;"},
};

struct Ran {
    std::vector<std::uint32_t> sums;
    std::uint64_t sectors = 0;
};

engine::EngineOptions options_of(bool guarded) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 27, options.guarded = guarded;
    options.quick_from = ~std::size_t{0}, options.better_after = -1;
    return options;
}

Ran run(const std::string& text, std::uint32_t step, const engine::EngineOptions& options, record::Extent block) {
    auto e = engine::Engine::create(options).value();
    auto program = e->load("rows.ptx", text);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const std::uint64_t words = std::uint64_t{step} * (kRows - 1) + 2 * kThreads;
    const auto in = e->memory().allocate(4 * words).value(), out = e->memory().allocate(8 * kThreads).value();
    for (std::uint64_t w = 0; w < words; ++w)
        reinterpret_cast<std::uint32_t*>(in)[w] = static_cast<std::uint32_t>(w * 7);
    e->written(in, 4 * words);
    std::byte parameters[20];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &in, 8), std::memcpy(parameters + 16, &step, 4);
    engine::LaunchRequest request;
    request.config.block = block;
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
                const auto ran = run(text(loop), step, options_of(guarded), {kThreads, 1, 1});
                std::vector<std::uint32_t> want(kThreads);
                for (std::uint32_t t = 0; t < kThreads; ++t)
                    for (std::uint32_t r = 0; r < kRows; ++r) want[t] += (r * step + t) * 7;
                EXPECT_EQ(ran.sums, want);
                EXPECT_EQ(ran.sectors, kRows * kThreads / 8);
            }
}

/// Elements from row to row that are enough for every step below.
constexpr std::uint32_t kRoom = 300'000;

/// Loads and stores that the launch's code asks for: a line each.
struct Asked {
    std::size_t loads = 0, stores = 0;
    bool operator==(const Asked&) const = default;
};
void PrintTo(const Asked& a, std::ostream* out) { *out << a.loads << " of loads, " << a.stores << " of stores"; }

Asked asked(const std::string& text, engine::EngineOptions options = options_of(false),
            record::Extent block = {kThreads, 1, 1}) {
    ::setenv(settings::variable(Setting::dump_llvm), "1", 1);
    testing::internal::CaptureStderr();
    run(text, kRoom, options, block);
    const auto dump = testing::internal::GetCapturedStderr();
    ::unsetenv(settings::variable(Setting::dump_llvm));
    const auto first = dump.find("\n; optimised\n");
    EXPECT_NE(first, std::string::npos);
    Asked found;
    const std::string call = "call void @llvm.prefetch", store = ", i32 1, i32 2, i32 1)";
    for (auto at = dump.find(call, first); at != std::string::npos; at = dump.find(call, at + 1)) {
        const auto line = dump.substr(at, dump.find('\n', at) - at);
        (line.find(store) != std::string::npos ? found.stores : found.loads) += 1;
    }
    return found;
}

/// A loop of loads, after which the address steps by so many bytes, either way.
std::string stepping(const std::string& bytes, const std::string& more = "") {
    const auto round = "ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v; " + more + "add.s64 %at, %at, " + bytes + ";";
    return text({"step", "mul.wide.u32 %at, %i, 4; add.s64 %at, %in, %at; add.s64 %at, %at, 1048576;", round.c_str()});
}

/// Each warp reads 128 bytes of each row: two lines.
TEST(NextRows, AreAskedForWhereALoopStepsFar) {
    for (const auto& loop : kLoops) {
        SCOPED_TRACE(loop.name);
        const std::string name = loop.name;
        const std::size_t rows = name == "four in a round" ? 4 : name == "a step of its own in each round" ? 0 : 1;
        EXPECT_EQ(asked(text(loop)), (Asked{2 * rows, 0}));
        auto quick = options_of(false);
        quick.quick_from = 0;
        EXPECT_EQ(asked(text(loop), quick), Asked{}) << "quick code";
        auto checked = options_of(false);
        checked.checkers = record::kKernelCheckers;
        EXPECT_EQ(asked(text(loop), checked), Asked{}) << "checked code";
    }
}

TEST(NextRows, StepsOfLessThanEightPagesAreNotFar) {
    for (const auto* bytes : {"32768", "-32768", "1048576"}) EXPECT_EQ(asked(stepping(bytes)), (Asked{2, 0})) << bytes;
    for (const auto* bytes : {"0", "128", "32764", "-32764"}) EXPECT_EQ(asked(stepping(bytes)), Asked{}) << bytes;
}

TEST(NextRows, NeighboursAreAskedForOnce) {
    const auto three = [](const std::string& second, const std::string& third) {
        std::string more;
        for (const auto& offset : {second, third})
            more += "ld.global.u32 %v, [%at+" + offset + "]; add.u32 %sum, %sum, %v; ";
        return asked(stepping("65536", more));
    };
    EXPECT_EQ(three("4", "124"), (Asked{2, 0}));
    EXPECT_EQ(three("128", "256"), (Asked{6, 0}));
}

/// Stores are asked for too, where no loop is: as stores.
TEST(NextRows, AreAskedForWhereEachWarpIsARowOfItsBlock) {
    std::string row = text({"row", "", ""});
    row = row.substr(0, row.find("\nAGAIN"));
    row +=
        "\nmov.u32 %j, %tid.y; mad.lo.u32 %j, %j, 32, %i; mul.wide.u32 %at, %j, 4; add.s64 %in, %in, %at; "
        "add.s64 %out, %out, %at; ld.global.u32 %v, [%in]; st.global.u32 [%out], %v;\nret;\n}\n";
    EXPECT_EQ(asked(row, options_of(false), {32, 4, 1}), (Asked{2, 2}));
    EXPECT_EQ(asked(row, options_of(false), {32, 1, 1}), Asked{}) << "one row";
    EXPECT_EQ(asked(row, options_of(false), {64, 2, 1}), Asked{}) << "rows of two warps";
    auto quick = options_of(false);
    quick.quick_from = 0;
    EXPECT_EQ(asked(row, quick, {32, 4, 1}), Asked{}) << "quick code";
}

TEST(NextRows, AShiftByAllBitsIsNoStep) {
    std::vector<std::uint32_t> want(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) want[t] = kRows * t * 7;
    for (const auto& loop : kShifted) {
        SCOPED_TRACE(loop.name);
        EXPECT_EQ(run(text(loop), 8192, options_of(false), {kThreads, 1, 1}).sums, want);
        EXPECT_EQ(asked(text(loop)), Asked{});
    }
}

/// Blocks of 32 x 8 threads: out[y][x] = in[y][x] + 3 * in[y + 1][x] + 5 * in[y + 2][x + 1], in rows of %pitch words.
const char* kBlocks =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
    "pitch)\n{\n.reg .b32 %x, %y, %a, %b, %c, %pitch;\n.reg .b64 %in, %out, %at, %by;\n"
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %pitch, [pitch];\n"
    "mov.u32 %x, %ctaid.x; mov.u32 %y, %tid.x; mad.lo.u32 %x, %x, 32, %y; mov.u32 %y, %ctaid.y; mov.u32 %a, %tid.y; "
    "mad.lo.u32 %y, %y, 8, %a;\nmad.lo.s32 %x, %y, %pitch, %x; mul.wide.s32 %at, %x, 4; mul.wide.s32 %by, %pitch, 4;\n"
    "add.s64 %in, %in, %at; add.s64 %out, %out, %at;\nld.global.u32 %a, [%in]; add.s64 %in, %in, %by; "
    "ld.global.u32 %b, [%in]; add.s64 %in, %in, %by; ld.global.u32 %c, [%in + 4];\n"
    "mad.lo.u32 %a, %b, 3, %a; mad.lo.u32 %a, %c, 5, %a; st.global.u32 [%out], %a;\nret;\n}\n";

constexpr std::uint32_t kPitch = 128, kHeight = 16, kOut = kPitch * kHeight, kIn = kOut + 2 * kPitch + 1;

struct RanBlocks {
    std::vector<std::uint32_t> out;
    std::string error;
    std::uint64_t loaded = 0, stored = 0;
};

/// Of `words` words to read; nothing behind them and behind the words to write may be touched.
RanBlocks run_blocks(const std::string& cpu, std::uint32_t words, bool quick) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 27, options.guarded = true, options.cpu = cpu;
    options.quick_from = quick ? 0 : ~0u;
    auto e = engine::Engine::create(options).value();
    auto program = e->load("blocks.ptx", kBlocks);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const auto in = e->memory().allocate(4 * words).value(), out = e->memory().allocate(4 * kOut).value();
    for (std::uint32_t w = 0; w < words; ++w) reinterpret_cast<std::uint32_t*>(in)[w] = w * w;
    std::byte parameters[20];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &in, 8), std::memcpy(parameters + 16, &kPitch, 4);
    engine::LaunchRequest request;
    request.config.block = {32, 8, 1};
    request.config.grid = {kPitch / 32, kHeight / 8, 1};
    request.parameters = parameters;
    auto reply = e->launch(**program, 0, request);
    RanBlocks ran;
    if (!reply.ok()) {
        ran.error = reply.error().text();
        return ran;
    }
    ran.out.resize(kOut);
    std::memcpy(ran.out.data(), reinterpret_cast<const void*>(out), 4 * kOut);
    const auto& total = reply->result.counts->total;
    ran.loaded = total[record::Count::global_load_sectors], ran.stored = total[record::Count::global_store_sectors];
    return ran;
}

TEST(NextRows, OfLaterBlocks) {
    std::vector<std::uint32_t> want(kOut);
    for (std::uint32_t w = 0; w < kOut; ++w) {
        const auto at = [&](std::uint32_t k) { return (w + k) * (w + k); };
        want[w] = at(0) + 3 * at(kPitch) + 5 * at(2 * kPitch + 1);
    }
    auto cpus = test::lesser_processors();
    cpus.push_back("native");
    for (const auto& cpu : cpus) {
        SCOPED_TRACE(cpu);
        const auto ran = run_blocks(cpu, kIn, false);
        EXPECT_EQ(ran.error, "");
        EXPECT_EQ(ran.out, want);
        EXPECT_EQ(ran.loaded, kOut / 32 * (4 + 4 + 5));
        EXPECT_EQ(ran.stored, kOut / 8);
    }
}

/// What is asked for ahead is no access: the last thread of all is the one that reads too far.
TEST(NextRows, OnlyAccessesFault) {
    const auto best = run_blocks("native", kIn - 1, false), quick = run_blocks("native", kIn - 1, true);
    EXPECT_NE(best.error, "");
    EXPECT_EQ(best.error, quick.error);
    EXPECT_NE(best.error.find("by thread (31,7,0) of block (3,1,0)"), std::string::npos) << best.error;
}

}  // namespace next_rows_test
