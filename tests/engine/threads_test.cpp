// Launches on several host threads at once: what they share while they run, when one of them stops the others, and when
// somebody outside stops them all. The preset tsan looks at the same launches for races of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "engine/run/alone.hpp"
#include "engine/run/engine.hpp"
#include "support/cause.hpp"

namespace threads_test {

using namespace warpwright;
using namespace std::chrono_literals;

constexpr unsigned kThreads = 4;

std::string text(const std::string& body, const std::string& before = "") {
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 out, .param .u64 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 "
           "%rd<32>;\nld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n];\nmov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "
           "mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, "
           "%rd3;\n" +
           body + "\nret;\n}\n";
}

class Threads : public testing::Test {
protected:
    void make(std::uint32_t checkers = 0, unsigned converged_from = 200) {
        engine::EngineOptions o;
        o.threads = kThreads;
        o.memory = std::uint64_t{1} << 28;
        o.zeroed = true;
        o.checkers = checkers;
        o.converged_from = converged_from;
        engine_ = engine::Engine::create(o).value();
    }
    Result<launch::EmulatedResult> launch(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads = 64,
                                          std::chrono::milliseconds timeout = 60s, std::uint32_t cluster = 1) {
        auto program = engine_->load("threads.ptx", ptx);
        if (!program) return program.error();
        return launch(**program, blocks, blocks, threads, timeout, cluster);
    }
    Result<launch::EmulatedResult> launch(engine::Program& program, std::uint32_t blocks, std::uint64_t n,
                                          std::uint32_t threads = 64, std::chrono::milliseconds timeout = 60s,
                                          std::uint32_t cluster = 1) {
        const std::uint64_t bytes = std::uint64_t{4} * blocks * threads;
        if (!out_) out_ = engine_->memory().allocate(bytes).value();
        engine_->written(out_, bytes);
        std::byte parameters[16];
        std::memcpy(parameters, &out_, 8), std::memcpy(parameters + 8, &n, 8);
        engine::LaunchRequest request;
        request.config.grid.x = blocks;
        request.config.block.x = threads;
        request.config.cluster.x = cluster;
        request.parameters = parameters;
        request.options.timeout = timeout;
        ptx::SymbolId kernel = 0;
        while (!program.module.functions[kernel].entry) ++kernel;
        return engine_->launch(program, kernel, request);
    }
    std::uint32_t word(std::uint64_t i) const { return reinterpret_cast<const std::uint32_t*>(out_)[i]; }

    std::unique_ptr<engine::Engine> engine_;
    std::uint64_t out_ = 0;
};

constexpr const char* kAddsUp = "atom.global.add.u32 %r5, [%rd1], 1; vote.sync.any.pred %p1, 1, -1;";

TEST_F(Threads, AddTheirCountsUp) {
    make();
    auto reply = launch(text(kAddsUp), 512);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_EQ(word(0), 512u * 64);
    EXPECT_EQ(reply->result.counts->total[record::Count::global_atomic_requests], 512u * 2);
}

// What took a moment runs on one thread when it comes again; the others join when it takes longer then.
TEST_F(Threads, JoinALaunchThatIsLongerThanTheOnesBefore) {
    make();
    const auto program = engine_->load("threads.ptx", text("mov.u64 %rd5, 0;\nL: atom.global.add.u32 %r5, [%rd4], 1;\n"
                                                           "add.u64 %rd5, %rd5, 1; setp.lt.u64 %p1, %rd5, %rd2;\n"
                                                           "@%p1 bra L;"));
    ASSERT_TRUE(program.ok()) << program.error().text();
    std::uint32_t sum = 0;
    for (const std::uint64_t n : {1, 1, 1, 5000, 1, 1}) {
        const auto reply = launch(**program, 8, n);
        ASSERT_TRUE(reply.ok()) << reply.error().text();
        sum += static_cast<std::uint32_t>(n);
        for (const std::uint64_t i : {0, 63, 64, 511}) EXPECT_EQ(word(i), sum) << n;
        EXPECT_EQ(reply->result.counts->total[record::Count::global_atomic_requests], n * 8 * 2);
    }
    const auto out = std::exchange(out_, 64);
    const auto refused = launch(**program, 8, 1);
    out_ = out;
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::fault);
    EXPECT_TRUE(launch(**program, 8, 1).ok());
}

// Whoever is alone runs few blocks before it looks at the clock, whatever they took the last time.
TEST(Alone, GoesOnWhileThereIsRoom) {
    EXPECT_EQ(engine::next_alone(0, 0, 64), 1u);
    EXPECT_EQ(engine::next_alone(0, 0, 0), 0u);
    EXPECT_EQ(engine::next_alone(1, 1.6e-6, 63), 17u);
    EXPECT_EQ(engine::next_alone(1, 1e-7, 7), 4u) << "half of them, then it looks again";
    EXPECT_EQ(engine::next_alone(7, 1e-6, 1), 1u);
    EXPECT_EQ(engine::next_alone(2, 25e-6, 62), 0u) << "none fits";
    EXPECT_EQ(engine::next_alone(1, 1.0, 63), 0u);
    EXPECT_EQ(engine::next_alone(1, 0, 1000), 500u) << "a clock that stood still";
}

// A kernel whose lanes part where the first code has no masked copy: one thread compiles it whole for all.
TEST_F(Threads, ChangeToTheWholeCode) {
    make(0, 1);
    auto reply = launch(text("setp.lt.u32 %p1, %r1, 7; mov.u32 %r5, 1; @%p1 bra A; mov.u32 %r5, 2; A: bar.sync 0; "
                             "st.global.u32 [%rd4], %r5;"),
                        256);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_EQ(word(0), 1u);
    EXPECT_EQ(word(255 * 64 + 63), 2u);
}

TEST_F(Threads, OfClustersReachEachOthersMemory) {
    make();
    auto reply = launch(text("mov.u32 %r5, s; xor.b32 %r6, %r2, 1; and.b32 %r6, %r6, 1; mapa.shared::cluster.u32 %r7, "
                             "%r5, %r6; st.shared::cluster.u32 [%r7], %r2; barrier.cluster.arrive; "
                             "barrier.cluster.wait; ld.shared.u32 %r8, [%r5]; st.global.u32 [%rd4], %r8; "
                             "barrier.cluster.arrive; barrier.cluster.wait;",
                             ".shared .align 4 .b8 s[4];"),
                        128, 32, 60s, 2);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    for (std::uint32_t b = 0; b < 128; ++b) EXPECT_EQ(word(b * 32), b ^ 1);
}

// Real calls run on stacks of their own.
TEST_F(Threads, CallThroughPointers) {
    make();
    auto reply = launch(text("mov.u64 %rd5, f; { .param .b32 a; st.param.b32 [a], %r4; .param .b32 r; "
                             "prototype: .callprototype (.param .b32 _) _ (.param .b32 _); "
                             "call (r), %rd5, (a), prototype; ld.param.b32 %r5, [r]; } st.global.u32 [%rd4], %r5;",
                             ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [a]; "
                             "add.u32 %r1, %r1, 1; bar.warp.sync -1; st.param.b32 [r], %r1;\nret;\n}\n"),
                        64, 32);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_EQ(word(7), 8u);
}

TEST_F(Threads, StopTogetherAtAnError) {
    make();
    auto reply =
        launch(text("setp.ne.u32 %p1, %r2, 2; @%p1 bra L; trap; L: setp.eq.u32 %p2, %r1, %r1; @%p2 bra L;"), 256);
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().cause, Cause::trap) << reply.error().text();
}

TEST_F(Threads, TellTheErrorOfTheLowestBlock) {
    for (int again = 0; again < 20; ++again) {
        make();
        auto reply = launch(text("setp.lt.u32 %p1, %r2, 5; @%p1 bra END; st.global.u32 [%rd4+1048576], %r1; END:"), 64);
        ASSERT_FALSE(reply.ok());
        EXPECT_THAT(reply.error().what, testing::HasSubstr("block (5,0,0)"));
    }
}

TEST_F(Threads, FindALoopThatNothingLeaves) {
    make();
    auto reply = launch(text("mov.u32 %r5, 0; setp.eq.u32 %p1, %r2, 7; @!%p1 bra END; L: add.u32 %r5, %r5, 1; "
                             "st.global.u32 [%rd4], %r5; bra L; END:"),
                        16);
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().cause, Cause::deadlock);
    EXPECT_THAT(reply.error().text(),
                testing::AllOf(testing::HasSubstr("endless loop"), testing::HasSubstr("block (7,0,0)")));
}

// Whoever waits for a launch hears where it is; here that ends it.
TEST_F(Threads, SayWhereALongLaunchIs) {
    engine::EngineOptions o;
    o.threads = kThreads;
    o.memory = std::uint64_t{1} << 28;
    o.slow_after = 20ms;
    std::string said;
    o.tell = [&](const std::string& line) { said = line, engine_->cancel(); };
    const char* const alone = "L: setp.eq.u32 %p2, %r1, %r1; @%p2 bra L;";
    const char* const waiting = "L: ld.volatile.global.u32 %r5, [%rd1]; setp.ne.u32 %p2, %r5, 77; @%p2 bra L;";
    for (const auto& [body, where] : {std::pair(alone, "is in the loop at"), {waiting, "16 blocks stand at"}}) {
        engine_ = engine::Engine::create(o).value();
        out_ = 0;
        auto reply = launch(text(body), 16);
        ASSERT_FALSE(reply.ok());
        EXPECT_EQ(reply.error().cause, Cause::cancelled) << reply.error().text();
        EXPECT_THAT(said, testing::HasSubstr(where));
        EXPECT_THAT(said, testing::HasSubstr("kernel k has run"));
    }
}

TEST_F(Threads, StopWhenTheirTimeIsOver) {
    make();
    auto reply = launch(text("L: setp.eq.u32 %p2, %r1, %r1; @%p2 bra L;"), 16, 64, 50ms);
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().cause, Cause::time_limit) << reply.error().text();
}

TEST_F(Threads, StopWhenTheLaunchIsCancelled) {
    make();
    std::atomic<bool> started = false;
    std::thread other([&] {
        started = true;
        std::this_thread::sleep_for(20ms);
        engine_->cancel();
    });
    auto reply = launch(text("L: setp.eq.u32 %p2, %r1, %r1; @%p2 bra L;"), 16);
    other.join();
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().cause, Cause::cancelled) << reply.error().text();
}

TEST_F(Threads, LaunchSideBySide) {
    make();
    out_ = engine_->memory().allocate(4 * 64 * 64).value();
    std::vector<std::thread> several;
    std::atomic<unsigned> done = 0;
    for (int k = 0; k < 3; ++k) several.emplace_back([&] { done += launch(text(kAddsUp), 64).ok(); });
    for (auto& t : several) t.join();
    EXPECT_EQ(done, 3u);
    EXPECT_EQ(word(0), 3u * 64 * 64);
}

class CheckedThreads : public Threads {
protected:
    void SetUp() override { make(record::kKernelCheckers); }
    std::vector<record::FindingKind> kinds() {
        std::vector<record::FindingKind> out;
        for (const auto& f : engine_->findings().all()) out.push_back(f.kind);
        return out;
    }
};

/// Words, single bytes and whole lines of memory that all blocks read, and some of their own that they write.
constexpr const char* kReadsAndWrites =
    "and.b32 %r5, %r1, 31; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r6, [%rd5+128]; "
    "ld.global.u8 %r7, [%rd5+257]; ld.global.u64 %rd6, [%rd1+512]; setp.lt.u32 %p1, %r2, 16; @%p1 bra E; "
    "st.global.u32 [%rd4], %r6; st.global.u8 [%rd4+1], %r7; ld.global.u32 %r8, [%rd4]; E:";

TEST_F(CheckedThreads, FindNothingWhereAllIsInOrder) {
    auto reply = launch(text(kReadsAndWrites), 256);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_TRUE(kinds().empty());
}

TEST_F(CheckedThreads, FindARaceOfBlocks) {
    auto reply = launch(text("add.u32 %r5, %r4, 1; st.global.u32 [%rd1], %r5; st.global.u8 [%rd1+64], %r2; "
                             "ld.global.u32 %r6, [%rd1+64]; st.global.u32 [%rd4], %r6;"),
                        64);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_THAT(kinds(), testing::Contains(record::FindingKind::race_global));
}

// A message through memory: a store, a fence and a flag, by whichever threads the blocks are on.
TEST_F(CheckedThreads, HandOverThroughAFlag) {
    auto reply =
        launch(text("setp.ne.u32 %p1, %r1, 0; @%p1 bra E; setp.ne.u32 %p2, %r2, 0; @%p2 bra W; "
                    "st.global.u32 [%rd1+256], 7; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd1], 1; bra E; "
                    "W: ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p3, %r5, 0; @%p3 bra W; "
                    "ld.global.u32 %r6, [%rd1+256]; E:"),
               32);
    ASSERT_TRUE(reply.ok()) << reply.error().text();
    EXPECT_TRUE(kinds().empty());
}

}  // namespace threads_test
