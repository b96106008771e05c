// What a launch keeps of its course for the model of time: the blocks that were asked for, and counts and results that
// do not depend on whether anything is kept.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <set>

#include "engine/run/engine.hpp"

namespace warpwright::engine {
namespace trace_test {

struct Ran {
    launch::EmulatedResult reply;
    std::vector<std::uint32_t> out;
    std::vector<std::string> codes;  ///< the keys of the code that was made
};

Ran run(const std::string& body, std::uint32_t blocks, launch::TraceRequest trace, const std::string& cache = "",
        std::size_t quick_from = EngineOptions().quick_from) {
    EngineOptions options;
    options.cache_directory = cache;
    options.quick_from = quick_from;
    options.threads = 2;
    options.memory = std::uint64_t{1} << 28;
    auto e = std::move(Engine::create(options).value());
    auto program = e->load("trace.ptx",
                           ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 c[64];\n.visible .entry "
                           "k(.param .u64 out)\n{\n"
                           ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s[1024];\n"
                           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
                           "mad.lo.u32 %r3, %r1, 64, %r2; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2;\n" +
                               body + "\nret;\n}\n");
    Ran ran;
    if (!program) {
        ADD_FAILURE() << program.error().text();
        return ran;
    }
    const auto out = e->memory().allocate(std::uint64_t{256} * blocks).value();
    std::memset(reinterpret_cast<void*>(out), 0, 256 * blocks);
    std::byte parameters[8];
    std::memcpy(parameters, &out, 8);
    LaunchRequest request;
    request.config.grid.x = blocks, request.config.block.x = 64;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    request.options.trace = trace;
    auto reply = e->launch(**program, 0, request);
    if (!reply) {
        ADD_FAILURE() << reply.error().text();
        return ran;
    }
    ran.reply = std::move(*reply);
    for (const auto& [shape, code] : (*program)->code) ran.codes.push_back(shape);
    ran.out.resize(64 * blocks);
    std::memcpy(ran.out.data(), reinterpret_cast<const void*>(out), 256 * blocks);
    return ran;
}

const char* kLoop =
    "and.b32 %r4, %r1, 7; mov.u32 %r5, 0;\nL:\nadd.u32 %r5, %r5, %r2; setp.ne.u32 %p1, %r4, 0; sub.u32 %r4, %r4, 1;\n"
    "@%p1 bra L;\nst.global.u32 [%rd2], %r5;";

TEST(Trace, OfBlocksThatRunAtOnceItKeepsThoseWithMostToDo) {
    // Block b goes b times round: of blocks 0, 2, 4 and 6, which are kept, the last has most to do.
    const auto ran = run(
        "mov.u32 %r4, %ctaid.x; mov.u32 %r5, 0;\nL:\nadd.u32 %r5, %r5, %r2; setp.ne.u32 %p1, %r4, 0; sub.u32 %r4, %r4, "
        "1;\n@%p1 bra L;\nst.global.u32 [%rd2], %r5;",
        8, {8, 3});
    ASSERT_TRUE(ran.reply.result.trace);
    const auto& t = *ran.reply.result.trace;
    ASSERT_EQ(t.work.size(), 8u);
    for (std::size_t b = 1; b < 8; ++b) {
        EXPECT_EQ(t.work[b].most - t.work[b - 1].most, 4u) << "a turn has four instructions";
        EXPECT_EQ(t.work[b].all, 2 * t.work[b].most) << "two warps do the same";
    }
    EXPECT_EQ(t.first, 6u);
    ASSERT_EQ(t.sample.size(), 1u);
    EXPECT_EQ(t.sample[0].index, 6u);
}

TEST(Trace, KeepsTheBlocksOfOneMultiprocessor) {
    const auto ran = run(kLoop, 40, {8, 3});
    ASSERT_TRUE(ran.reply.result.trace);
    const auto& t = *ran.reply.result.trace;
    EXPECT_EQ(t.blocks, 40u);
    ASSERT_EQ(t.sample.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(t.sample[k].index, 8 * k);
        ASSERT_EQ(t.sample[k].warps.size(), 2u);
        for (const auto& w : t.sample[k].warps) EXPECT_FALSE(w.events.empty());
    }
}

/// Copies a word of each thread from memory of the host, of which the device has `mapped` bytes around it.
launch::EmulatedResult copy_from_host(std::size_t before, std::size_t mapped, bool in_device) {
    EngineOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 26;
    auto e = std::move(Engine::create(options).value());
    auto program =
        e->load("copy.ptx",
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 "
                "b)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
                "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;\n"
                "mad.lo.u32 %r3, %r1, 64, %r2; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3;\n"
                "add.s64 %rd5, %rd2, %rd3; ld.global.u32 %r4, [%rd4]; st.global.u32 [%rd5], %r4;\nret;\n}\n");
    if (!program) {
        ADD_FAILURE() << program.error().text();
        return {};
    }
    constexpr std::size_t kBytes = 256 * 64;
    std::vector<std::byte> room(mapped + 4096);
    const auto base = (reinterpret_cast<std::uint64_t>(room.data()) + 4095) / 4096 * 4096;
    std::uint64_t pointers[2] = {base + before, base + before + kBytes};
    if (in_device)
        for (auto& p : pointers) p = e->memory().allocate(kBytes).value();
    else if (!e->memory().adopt(base, mapped))
        ADD_FAILURE() << "the device does not take the memory";
    LaunchRequest request;
    request.config.grid.x = 64, request.config.block.x = 64;
    request.parameters = std::as_bytes(std::span(pointers));
    request.options.trace = {8, 8};
    auto reply = e->launch(**program, 0, request);
    if (!reply) ADD_FAILURE() << reply.error().text();
    return reply ? std::move(*reply) : launch::EmulatedResult{};
}

TEST(Trace, MemoryOfTheHostHasSectorsAndAreasAsMemoryOfTheDeviceHas) {
    const auto sectors_of = [](const machine::LaunchTrace& t) {
        std::vector<std::uint64_t> out;  // from the begin of the area that holds them
        for (const auto& block : t.sample)
            for (const auto& warp : block.warps)
                for (const auto& event : warp.events)
                    machine::each_global_sector(block, event, [&](std::uint32_t s) {
                        const auto& area = t.areas[t.area_of(s)];
                        EXPECT_LT(s - area.first, area.sectors);
                        out.push_back(s - area.first);
                    });
        return out;
    };
    const auto device = copy_from_host(0, 1 << 20, true), host = copy_from_host(8192, 1 << 20, false),
               far = copy_from_host(1 << 19, 1 << 22, false);
    ASSERT_TRUE(device.result.trace && host.result.trace && far.result.trace);
    EXPECT_FALSE(sectors_of(*device.result.trace).empty());
    EXPECT_EQ(sectors_of(*host.result.trace), sectors_of(*device.result.trace));
    EXPECT_EQ(sectors_of(*far.result.trace), sectors_of(*device.result.trace));
    // The mapping is three pieces: before the pointers among the parameters, and from each of them on.
    const auto pieces = [](const machine::LaunchTrace& t) {
        std::size_t n = 0;
        for (const auto& a : t.areas) n += a.loose;
        return n;
    };
    EXPECT_EQ(pieces(*far.result.trace), 3u);
    EXPECT_EQ(pieces(*device.result.trace), 0u) << "each is an allocation of its own";
}

TEST(Trace, CountsAndResultsAreThoseOfALaunchWithoutIt) {
    const auto with = run(kLoop, 40, {8, 3}), without = run(kLoop, 40, {});
    EXPECT_FALSE(without.reply.result.trace);
    EXPECT_EQ(with.out, without.out);
    EXPECT_EQ(with.reply.result.counts->total.values, without.reply.result.counts->total.values);
    EXPECT_EQ(with.reply.result.touched.written, without.reply.result.touched.written);
}

// (Few blocks: on a loaded machine those that are kept may take so long that other code for the rest pays.)
TEST(Trace, ASmallGridRunsWithTheCodeOfItsKeptBlocksAlone) { EXPECT_EQ(run(kLoop, 10, {8, 3}).codes.size(), 1u); }

TEST(Trace, BlocksThatRunLongGetCodeThatOnlyCounts) {
    // Each block takes milliseconds at least, and there are 4,000.
    const char* const body =
        "mov.u32 %r5, 0; mov.u32 %r4, 100000;\nL:\nmad.lo.u32 %r5, %r5, %r5, %r2; sub.u32 %r4, %r4, 1;\n"
        "setp.ne.u32 %p1, %r4, 0; @%p1 bra L;\nst.global.u32 [%rd2], %r5;";
    const auto with = run(body, 4000, {132, 1}), without = run(body, 4000, {});
    EXPECT_EQ(with.codes.size(), 2u);
    EXPECT_EQ(with.out, without.out);
    EXPECT_EQ(with.reply.result.counts->total.values, without.reply.result.counts->total.values);
}

/// The files of a folder by their inodes: one that is written again has another.
std::set<ino_t> inodes(const std::filesystem::path& folder) {
    std::set<ino_t> out;
    for (const auto& f : std::filesystem::recursive_directory_iterator(folder)) {
        struct stat s{};
        if (f.is_regular_file() && ::stat(f.path().c_str(), &s) == 0) out.insert(s.st_ino);
    }
    return out;
}

TEST(Trace, BetterCodeInTheCacheServesWhereQuickCodeWould) {
    const auto cache =
        std::filesystem::path(testing::TempDir()) / ("warpwright_trace_cache_" + std::to_string(::getpid()));
    std::filesystem::remove_all(cache);
    const auto never_quick = ~std::size_t{0};
    const auto better = run(kLoop, 2, {1, 2}, cache, never_quick);
    const auto made = inodes(cache);
    EXPECT_EQ(made.size(), 1u);
    const auto again = run(kLoop, 2, {1, 2}, cache);
    EXPECT_EQ(inodes(cache), made);
    EXPECT_EQ(better.out, again.out);
    std::filesystem::remove_all(cache);
}

TEST(Trace, TellsOfEveryAccess) {
    const auto ran = run("st.global.u32 [%rd2], %r2;", 4, {1, 4});
    ASSERT_TRUE(ran.reply.result.trace);
    const auto& t = *ran.reply.result.trace;
    unsigned accesses = 0;
    for (const auto& b : t.sample)
        for (const auto& w : b.warps)
            for (const auto& e : w.events)
                if (e.what & machine::Event::kAccess) {
                    ++accesses;
                    EXPECT_EQ(e.count, 4u);  // 32 lanes of 4 bytes
                    EXPECT_EQ(e.passes, 1u);
                }
    EXPECT_EQ(accesses, 8u);
}

/// The only access of the first warp besides that of its result.
machine::Event access_of(const Ran& ran) {
    for (const auto& e : ran.reply.result.trace->sample[0].warps[0].events)
        if (e.what & machine::Event::kAccess) return e;
    ADD_FAILURE() << "no access";
    return {};
}

TEST(Trace, AnAtomicSaysHowOftenItsBusiestWordIsWanted) {
    // Eight words of one sector: four lanes want each. One word: 32 do.
    const auto eight =
        access_of(run("and.b32 %r4, %r2, 7; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3;\n"
                      "red.global.add.u32 [%rd3], %r2;",
                      1, {1, 1}));
    EXPECT_TRUE(eight.what & machine::Event::kAtomic);
    EXPECT_EQ(eight.count, 4u);
    const auto one =
        access_of(run("mul.wide.u32 %rd3, %r2, 0; add.s64 %rd3, %rd1, %rd3;\n"
                      "atom.global.cas.b32 %r5, [%rd3], 0, %r2;",
                      1, {1, 1}));
    EXPECT_EQ(one.count, 32u);
}

TEST(Trace, AnAtomicAtOneKnownAddressGoesThereOnce) {
    EXPECT_EQ(access_of(run("red.global.add.u32 [%rd1], 1;", 1, {1, 1})).count, 1u);
}

TEST(Trace, AFragmentIsLoadedByPieces) {
    // Sixteen rows of 32 bytes: a word of a lane and eight rows a piece, each word once though registers hold it twice.
    const auto pieces = [](const std::string& operand) {
        return access_of(run(
            "wmma.load." + operand +
                ".m16n16k16.global.f16 {%r10,%r11,%r12,%r13,%r14,%r15,%r16,%r17}, [%rd1];\nst.global.u32 [%rd2], %r10;",
            2, {1, 2}));
    };
    const auto rows = pieces("a.sync.aligned.row"), columns = pieces("b.sync.aligned.row");
    EXPECT_EQ(rows.count, 4 * 8);
    EXPECT_EQ(rows.passes % 4, 0);
    EXPECT_GE(rows.passes, 4);
    EXPECT_EQ(columns.count, 8 * 4) << "halves of four rows each, eight columns side by side";
}

TEST(Trace, AnIndexedConstantSaysHowManyAddressesItHas) {
    const auto e =
        access_of(run("and.b32 %r4, %r2, 15; mul.wide.u32 %rd3, %r4, 4; mov.u64 %rd4, c;\n"
                      "add.s64 %rd4, %rd4, %rd3; ld.const.u32 %r5, [%rd4]; st.global.u32 [%rd2], %r5;",
                      1, {1, 1}));
    EXPECT_TRUE(e.what & machine::Event::kConstant);
    EXPECT_EQ(e.passes, 16u);
}

TEST(Trace, KnowsWhatIsLeftOfTheTimeLimit) {
    const auto ran = run(kLoop, 2, {1, 2});
    EXPECT_GT(ran.reply.result.trace->seconds_left, 0);
    EXPECT_LE(ran.reply.result.trace->seconds_left, 60);
}

TEST(Trace, CountsAddUpToThoseOfTheSample) {
    const auto ran = run(kLoop, 8, {1, 8});
    std::uint64_t n = 0;
    for (const auto& b : ran.reply.result.trace->sample)
        for (const auto& w : b.warps)
            for (const auto& e : w.events)
                if (!(e.what & machine::Event::kAccess)) n += ran.reply.result.trace->code->blocks[e.what].counted;
    EXPECT_EQ(n, ran.reply.result.counts->total[record::Count::instructions]);
}

TEST(Trace, BlocksThatWaitForEachOtherRunTogether) {
    // Block 1 waits until block 0 has written, block 0 until block 1 has: only together can they end.
    const auto ran =
        run("xor.b32 %r4, %r1, 1; mul.wide.u32 %rd3, %r4, 256; add.s64 %rd3, %rd1, %rd3;\n"
            "st.volatile.global.u32 [%rd2], 1;\nL:\nld.volatile.global.u32 %r5, [%rd3]; setp.eq.u32 %p1, %r5, 0;\n"
            "@%p1 bra L;",
            2, {1, 2});
    ASSERT_TRUE(ran.reply.result.trace);
    EXPECT_EQ(ran.reply.result.trace->sample.size(), 2u);
}

/// Launches of one kernel over memory whose first word changes from launch to launch.
struct Again {
    std::unique_ptr<Engine> engine = std::move(Engine::create(options()).value());
    std::shared_ptr<Program> program;
    std::uint64_t at = 0;

    explicit Again(const std::string& body) {
        program = engine
                      ->load("again.ptx",
                             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param "
                             ".u32 n)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"
                             "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, "
                             "%tid.x;\nmad.lo.u32 %r3, %r2, 64, %r3; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, "
                             "%rd2;\nld.global.u32 %r4, [%rd1]; mov.u32 %r5, 0;\n" +
                                 body + "\nret;\n}\n")
                      .value();
        at = engine->memory().allocate(1 << 16).value();
        std::memset(reinterpret_cast<void*>(at), 0, 1 << 16);
    }
    static EngineOptions options() {
        EngineOptions o;
        o.threads = 1, o.memory = std::uint64_t{1} << 26;
        return o;
    }
    /// Of 40 blocks, of which some are not kept: they have code without a trace.
    std::shared_ptr<const machine::LaunchTrace> launch(std::uint32_t n, std::uint32_t word, bool traced = true) {
        std::memcpy(reinterpret_cast<void*>(at), &word, 4);
        std::byte parameters[12];
        std::memcpy(parameters, &at, 8), std::memcpy(parameters + 8, &n, 4);
        LaunchRequest request;
        request.config.grid.x = 40, request.config.block.x = 64;
        request.parameters = parameters;
        if (traced) request.options.trace = {8, 3};
        auto reply = engine->launch(*program, 0, request);
        if (!reply) return nullptr;
        counts = reply->result.counts->total;
        return reply->result.trace;
    }
    record::Counts counts;
};

std::size_t events(const machine::LaunchTrace& t) { return t.sample[0].warps[0].events.size(); }

const char* kTurns = "L:\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, ";
const char* kStore = ";\n@%p1 bra L;\nadd.u32 %r5, %r5, %r4; st.global.u32 [%rd2], %r5;";

TEST(Trace, IsTheSameObjectWhereTheArgumentsDecideTheCourse) {
    Again again(kTurns + std::string("%r1") + kStore);
    again.launch(3, 1, false);  // code without a trace is there, by which a launch can do without
    const auto first = again.launch(3, 1);
    const auto counts = again.counts;
    ASSERT_TRUE(first);
    EXPECT_EQ(again.launch(3, 2), first) << "what memory has does not matter";
    EXPECT_EQ(again.counts, counts);
    const auto other = again.launch(5, 2);
    ASSERT_TRUE(other);
    EXPECT_NE(other, first);
    EXPECT_GT(events(*other), events(*first));
    EXPECT_EQ(again.launch(3, 3), first) << "the one before the last is still known";
    // Another allocation changes what the launch's pointers may reach.
    ASSERT_TRUE(again.engine->memory().allocate(4096));
    const auto moved = again.launch(3, 3);
    ASSERT_TRUE(moved);
    EXPECT_NE(moved, first);
    EXPECT_EQ(events(*moved), events(*first));
}

TEST(Trace, IsMadeAnewWhereMemoryDecidesTheCourse) {
    Again again(kTurns + std::string("%r4") + kStore);
    again.launch(3, 2, false);
    const auto first = again.launch(3, 2), second = again.launch(3, 7);
    ASSERT_TRUE(first && second);
    EXPECT_NE(first, second);
    EXPECT_LT(events(*first), events(*second));
}

TEST(Trace, AccessesOfALoopHaveTheSectorsOfTheirOwnPlace) {
    // Each lane a word, from 16 bytes further on in each turn: four sectors from the begin of one, else five; two lines
    // but where it begins with one.
    const auto ran = run(
        "and.b32 %r3, %r2, 31; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, %rd2; mov.u32 %r4, 0;\nL:\n"
        "ld.global.u32 %r5, [%rd2]; add.s64 %rd2, %rd2, 16; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 20;\n@%p1 bra "
        "L;\nst.global.u32 [%rd1], %r5;",
        4, {1, 1});
    ASSERT_TRUE(ran.reply.result.trace);
    const auto& block = ran.reply.result.trace->sample[0];
    std::uint32_t turn = 0;
    for (const auto& e : block.warps[0].events) {
        if (!machine::is_global(e) || (e.what & machine::Event::kStore)) continue;
        EXPECT_EQ(e.count, turn % 2 ? 5 : 4) << turn;
        for (unsigned k = 0; k < e.count; ++k)
            EXPECT_EQ(block.sectors[e.first + k], block.sectors[0] + turn / 2 + k) << turn;
        EXPECT_EQ(e.passes, 1) << turn;
        ++turn;
    }
    EXPECT_EQ(turn, 20u);
}

TEST(HostCode, isToldWhereItWasQuickToMake) {
    EXPECT_TRUE(run("st.global.u32 [%rd2], %r3;", 1, {}, "", 0).reply.result.quick_code);
    EXPECT_FALSE(run("st.global.u32 [%rd2], %r3;", 1, {}, "", ~std::size_t{0}).reply.result.quick_code);
}

}  // namespace trace_test
}  // namespace warpwright::engine
