// Whoever knows a launch's time from an equal one lets it do without a trace: when that is asked for, by what name, and
// that results and counts stay what they are.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>

#include "common/files.hpp"
#include "engine/run/engine.hpp"

namespace warpwright::engine {
namespace known_course_test {

const char* kTurns = "L:\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, ";
const char* kStore =
    ";\n@%p1 bra L;\nadd.u32 %r5, %r5, %r4; ld.global.u32 %r6, [v]; add.u32 %r5, %r5, %r6; st.global.u32 [%rd2], %r5;";
const std::string kOfArguments = kTurns + std::string("%r1") + kStore, kOfMemory = kTurns + std::string("%r4") + kStore;

/// An engine with one kernel; what it asks for is noted, and answered from `known`.
struct Launches {
    explicit Launches(const std::string& body, const std::string& cache = "", unsigned variables_before = 0,
                      bool tolerant = false) {
        EngineOptions o;
        o.threads = 1, o.memory = std::uint64_t{1} << 26, o.cache_directory = cache, o.tolerant = tolerant;
        engine = std::move(Engine::create(o).value());
        for (unsigned k = 0; k < variables_before; ++k) (void)engine->memory().allocate(256).value();
        program = engine
                      ->load("course.ptx",
                             ".version 8.0\n.target sm_90\n.address_size 64\n.global .align 4 .u32 v;\n"
                             ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
                             ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"
                             "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, "
                             "%tid.x;\nmad.lo.u32 %r3, %r2, 64, %r3; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd1, "
                             "%rd2;\nld.global.u32 %r4, [%rd1]; mov.u32 %r5, 0;\n" +
                                 body + "\nret;\n}\n")
                      .value();
        at = engine->memory().allocate(1 << 16).value();
        std::memset(reinterpret_cast<void*>(at), 0, 1 << 16);
        request.config.grid.x = 40, request.config.block.x = 64;
        request.options.trace = {8, 3};
        request.options.known_course = [this](const std::string& course) {
            asked.push_back(course);
            const auto found = known.find(course);
            return found == known.end() ? nullptr : found->second;
        };
    }
    /// The reply of a launch with `n`, over memory whose first word is `word`.
    launch::LaunchResult launch(std::uint32_t n, std::uint32_t word) {
        std::memcpy(reinterpret_cast<void*>(at), &word, 4);
        std::byte parameters[12];
        std::memcpy(parameters, &at, 8), std::memcpy(parameters + 8, &n, 4);
        request.parameters = parameters;
        auto reply = engine->launch(*program, 0, request);
        request.parameters = {};
        if (!reply) {
            ADD_FAILURE() << reply.error().text();
            return {};
        }
        out.resize(40 * 64);
        std::memcpy(out.data(), reinterpret_cast<const void*>(at), 40 * 64 * 4);
        return std::move(reply->result);
    }
    /// Code without a trace, by which a launch can do without one.
    void make_plain_code() {
        const auto trace = std::exchange(request.options.trace, {});
        (void)launch(3, 1);
        request.options.trace = trace;
    }
    void know(const std::string& course) {
        auto trace = std::make_shared<machine::LaunchTrace>();
        trace->course = course;
        trace->outline = std::make_shared<machine::TraceOutline>();
        known[course] = trace;
    }
    static bool is_outline(const launch::LaunchResult& r) { return r.trace && r.trace->outline; }

    std::unique_ptr<Engine> engine;
    std::shared_ptr<Program> program;
    std::uint64_t at = 0;
    LaunchRequest request;
    std::vector<std::string> asked;
    std::map<std::string, std::shared_ptr<const machine::LaunchTrace>> known;
    std::vector<std::uint32_t> out;
};

TEST(KnownCourse, IsAskedForByWhatTheTraceIsCalled) {
    Launches l(kOfArguments);
    const auto first = l.launch(3, 1);
    ASSERT_TRUE(first.trace);
    EXPECT_FALSE(first.trace->outline);
    ASSERT_EQ(l.asked.size(), 1u);
    EXPECT_EQ(first.trace->course, l.asked[0]);
    const auto again = l.launch(3, 2);
    EXPECT_EQ(again.trace->course, first.trace->course) << "what memory has does not matter";
    EXPECT_NE(l.launch(5, 2).trace->course, first.trace->course);
}

TEST(KnownCourse, TakesThePlaceOfTheTrace) {
    Launches l(kOfArguments);
    l.make_plain_code();
    const auto first = l.launch(3, 1);
    const auto out = l.out;
    l.know(l.asked[0]);
    const auto again = l.launch(3, 1);
    EXPECT_TRUE(Launches::is_outline(again));
    EXPECT_EQ(l.out, out);
    EXPECT_EQ(again.counts->total, first.counts->total);
    EXPECT_EQ(again.touched, first.touched);
    EXPECT_FALSE(Launches::is_outline(l.launch(4, 1)));
}

TEST(KnownCourse, InAnotherProcessIsTheSame) {
    const test::Folder cache("course");
    std::string course;
    launch::LaunchResult traced;
    std::vector<std::uint32_t> out;
    bool has_plain = false;
    {
        Launches first(kOfArguments, cache.string());
        traced = first.launch(3, 1);
        course = first.asked.at(0), out = first.out;
        // Where blocks take long (an emulated processor), code without a trace has been made for most of them.
        has_plain = first.program->code.size() == 2;
    }
    {
        Launches next(kOfArguments, cache.string());
        next.know(course);
        const auto r = next.launch(3, 1);
        ASSERT_EQ(next.asked.at(0), course);
        EXPECT_EQ(Launches::is_outline(r), has_plain) << "where only the traced code is there, nothing is compiled";
        EXPECT_EQ(next.program->code.size(), 1u);
        next.make_plain_code();
        EXPECT_TRUE(Launches::is_outline(next.launch(3, 1)));
        EXPECT_EQ(next.program->code.size(), has_plain ? 1u : 2u);
    }
    Launches last(kOfArguments, cache.string());
    last.know(course);
    const auto r = last.launch(3, 1);
    EXPECT_TRUE(Launches::is_outline(r));
    EXPECT_EQ(last.program->code.size(), 1u) << "no code that traces was made";
    EXPECT_EQ(r.counts->total, traced.counts->total);
    EXPECT_EQ(r.touched, traced.touched);
    EXPECT_EQ(last.out, out);
}

TEST(KnownCourse, DiffersWithAllThatTheCourseFollowsFrom) {
    std::set<std::string> courses;
    std::size_t n = 0;
    const auto differs = [&](Launches& l, const char* what) {
        (void)l.launch(3, 1);
        ASSERT_FALSE(l.asked.empty()) << what;
        courses.insert(l.asked.back());
        EXPECT_EQ(courses.size(), ++n) << what;
    };
    Launches l(kOfArguments);
    differs(l, "the first");
    ASSERT_TRUE(l.engine->memory().allocate(4096));
    differs(l, "memory that pointers may reach");
    l.request.config.grid.x = 32;
    differs(l, "the grid");
    l.request.config.block.x = 32;
    differs(l, "the block");
    l.request.config.dynamic_shared = 64;
    differs(l, "shared memory");
    l.request.options.trace = {8, 4};
    differs(l, "more blocks");
    l.request.options.per_line = true;
    differs(l, "counts by line");
    l.program->tell_spills("k", {8, 4, 4});
    differs(l, "what an assembler said");
    Launches shorter(kOfArguments);
    ASSERT_TRUE(shorter.engine->memory().allocate(4090));
    differs(shorter, "the bytes of memory, also where the sectors are as many");
    Launches moved(kOfArguments, "", 1);
    differs(moved, "where variables are");
    Launches other(kOfArguments + "\nst.global.u32 [%rd2], %r3;");
    differs(other, "the code");
    Launches tolerant(kOfArguments, "", 0, true);
    differs(tolerant, "how accesses are checked");
}

TEST(KnownCourse, IsNoneWhereSomethingElseDecides) {
    Launches l(kOfMemory);
    EXPECT_TRUE(l.launch(3, 2).trace->course.empty());
    EXPECT_EQ(l.asked.size(), 1u) << "nothing is known of the code yet";
    EXPECT_TRUE(l.launch(3, 2).trace->course.empty());
    EXPECT_EQ(l.asked.size(), 1u);

    Launches limited(kOfArguments);
    limited.request.options.timeout = std::chrono::seconds(60);
    EXPECT_TRUE(limited.launch(3, 1).trace->course.empty());
    EXPECT_TRUE(limited.asked.empty()) << "a limit decides whether there is a time";
    Launches uncounted(kOfArguments);
    uncounted.request.options.counters = false;
    EXPECT_FALSE(uncounted.launch(3, 1).trace);
    EXPECT_TRUE(uncounted.asked.empty());
    Launches untraced(kOfArguments);
    untraced.request.options.trace = {};
    EXPECT_FALSE(untraced.launch(3, 1).trace);
    EXPECT_TRUE(untraced.asked.empty());
}

TEST(KnownCourse, IsNoneWhereMemoryOfTheHostWasMet) {
    std::vector<std::byte> room(3 << 16);
    const auto base = (reinterpret_cast<std::uint64_t>(room.data()) + 4095) / 4096 * 4096;
    Launches l(kOfArguments);
    ASSERT_TRUE(l.engine->memory().adopt(base, 1 << 16));
    l.at = base;
    EXPECT_TRUE(l.launch(3, 1).trace->course.empty());
}

}  // namespace known_course_test
}  // namespace warpwright::engine
