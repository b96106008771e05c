// What a warp's frame has of values that stay the same from barrier to barrier, or change between two: in loops, by all
// lanes or by some of them.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace kept_values_test {

using namespace warpwright;

constexpr std::uint32_t kThreads = 96;

/// k(u64 out, u32 n): of each thread, sums over rounds with four barriers each. %a changes in every second round, %b
/// never, %c for the lanes that `some` says in %p, %s in each round; a neighbour's %s comes through shared memory.
std::string text(const std::string& some) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
           ".shared .align 4 .b8 box[384];\n.reg .pred %p, %q; .reg .b32 %t, %n, %a, %b, %c, %s, %x, %y, %round, %at, "
           "%to; "
           ".reg .b64 %out, %own;\n"
           "ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %own, %t, 4; add.s64 "
           "%own, %own, "
           "%out;\nmad.lo.u32 %a, %t, 7, 3; mul.lo.u32 %b, %a, %a; mov.u32 %c, 1; mov.u32 %s, %t; mov.u32 %round, 0;\n"
           "shl.b32 %at, %t, 2; mov.u32 %x, box; add.u32 %at, %at, %x; xor.b32 %to, %t, 33; rem.u32 %to, %to, 96; "
           "shl.b32 %to, "
           "%to, 2; add.u32 %to, %to, %x;\n"
           "ROUND:\nst.shared.u32 [%at], %s; bar.sync 0;\nld.shared.u32 %y, [%to]; bar.sync 0;\n" +
           some +
           "\n@!%p bra SAME;\nmad.lo.u32 %c, %c, 5, %y;\nSAME:\nbar.sync 0;\nmad.lo.u32 %s, %s, 3, %c; add.u32 %s, %s, "
           "%b; and.b32 "
           "%x, %round, 1; setp.eq.u32 %q, %x, 0; @%q bra STAYS;\nadd.u32 %a, %a, %s;\nSTAYS:\nbar.sync 0;\nxor.b32 "
           "%s, %s, %a; "
           "add.u32 %round, %round, 1; setp.lt.u32 %q, %round, %n; @%q bra ROUND;\n"
           "st.global.u32 [%own], %s;\nret;\n}\n";
}

struct Ran {
    std::vector<std::uint32_t> out;
    std::string error;
};

/// A launch for each number of rounds.
std::vector<Ran> run(const std::string& ptx, const engine::EngineOptions& options,
                     const std::vector<std::uint32_t>& rounds) {
    auto e = engine::Engine::create(options).value();
    auto program = e->load("kept.ptx", ptx);
    if (!program) return {rounds.size(), Ran{{}, program.error().text()}};
    const auto out = e->memory().allocate(4 * kThreads).value();
    std::vector<Ran> ran;
    for (const auto n : rounds) {
        std::byte parameters[12];
        std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &n, 4);
        engine::LaunchRequest request;
        request.config.block.x = kThreads;
        request.parameters = parameters;
        request.options.timeout = std::chrono::seconds(60);
        auto reply = e->launch(**program, 0, request);
        std::vector<std::uint32_t> words(kThreads);
        std::memcpy(words.data(), reinterpret_cast<const void*>(out), 4 * kThreads);
        ran.push_back({words, reply ? "" : reply.error().text()});
    }
    return ran;
}

std::vector<std::uint32_t> expected(bool (*some)(std::uint32_t t, std::uint32_t round), std::uint32_t n) {
    std::vector<std::uint32_t> a(kThreads), b(kThreads), c(kThreads, 1), s(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) a[t] = 7 * t + 3, b[t] = a[t] * a[t], s[t] = t;
    for (std::uint32_t round = 0; round < n; ++round) {
        const auto before = s;
        for (std::uint32_t t = 0; t < kThreads; ++t) {
            if (some(t, round)) c[t] = 5 * c[t] + before[(t ^ 33) % kThreads];
            s[t] = 3 * s[t] + c[t] + b[t];
            if (round & 1) a[t] += s[t];
            s[t] ^= a[t];
        }
    }
    return s;
}

struct Part {
    const char* some;
    bool (*is)(std::uint32_t t, std::uint32_t round);
};

const Part kParts[] = {
    {"setp.eq.u32 %p, %n, %n;", [](std::uint32_t, std::uint32_t) { return true; }},
    {"setp.ne.u32 %p, %n, %n;", [](std::uint32_t, std::uint32_t) { return false; }},
    {"setp.lt.u32 %p, %t, 64;", [](std::uint32_t t, std::uint32_t) { return t < 64; }},
    {"and.b32 %x, %t, 3; setp.eq.u32 %p, %x, 1;", [](std::uint32_t t, std::uint32_t) { return (t & 3) == 1; }},
    {"xor.b32 %x, %t, %round; and.b32 %x, %x, 1; setp.eq.u32 %p, %x, 1;",
     [](std::uint32_t t, std::uint32_t round) { return ((t ^ round) & 1) == 1; }},
    {"shr.u32 %x, %t, 5; setp.eq.u32 %p, %x, %round;",
     [](std::uint32_t t, std::uint32_t round) { return t / 32 == round; }},
};

TEST(KeptValues, RoundsOfBarriers) {
    const std::vector<std::uint32_t> rounds{1, 2, 3, 9};
    const auto options = [](bool affine_off, unsigned converged_from, const char* cpu) {
        engine::EngineOptions o;
        o.threads = 1, o.memory = std::uint64_t{1} << 26, o.affine_off = affine_off;
        o.converged_from = converged_from, o.cpu = cpu;
        return o;
    };
    for (const auto& part : kParts)
        for (const auto& how : {options(false, 0, ""), options(false, ~0u, "x86-64"), options(true, ~0u, "")}) {
            const auto ptx = text(part.some);
            const auto ran = run(ptx, how, rounds);
            for (std::size_t i = 0; i < rounds.size(); ++i) {
                ASSERT_EQ(ran[i].error, "") << ptx;
                EXPECT_EQ(ran[i].out, expected(part.is, rounds[i])) << rounds[i] << "\n" << ptx;
            }
        }
}

}  // namespace kept_values_test
