// Kernels that end with a loop which spins on memory: loops before it run as in any other kernel, whatever lanes take
// part in them, and loops after it do right where lanes come out of it one by one.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace before_spins_test {

using namespace warpwright;

constexpr unsigned kThreads = 96, kWords = 64;

/// k(u64 out, u64 in, u32 n): each thread adds in[0..n), or the first words of it, and adds the sum to out[96] by
/// compare-and-swap; where `after`, a loop like the first follows.
std::string kernel(const std::string& guard, const std::string& leave, bool after) {
    const auto loop = [&](const std::string& name, const std::string& out) {
        return "mov.u32 %sum, 0; mov.u32 %j, 0; mov.u64 %at, %in;\n" + name +
               ":\nld.global.nc.u32 %x, [%at]; mad.lo.u32 %sum, %x, %t, %sum; add.s64 %at, %at, 4; add.u32 %j, %j, "
               "1;\n" +
               leave + "@%q bra " + name + "_END;\nsetp.lt.u32 %q, %j, %n; @%q bra " + name + ";\n" + name +
               "_END:\nst.global.u32 [%own+" + out + "], %sum;\n";
    };
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param "
           ".u32 n)\n{\n.reg .pred %p, %q; .reg .b32 %t, %n, %sum, %j, %x, %old, %new; .reg .b64 %out, %in, %at, "
           "%own;\n"
           "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;\n"
           "mul.wide.u32 %own, %t, 4; add.s64 %own, %own, %out;\n" +
           guard + "\n" + loop("FIRST", "0") +
           "ld.global.u32 %old, [%out+2048];\nSPIN:\nmov.u32 %x, %old; add.u32 %new, %old, %sum;\n"
           "atom.global.cas.b32 %old, [%out+2048], %x, %new; setp.ne.u32 %p, %old, %x; @%p bra SPIN;\n" +
           (after ? loop("SECOND", "512") : "") + "END: ret;\n}\n";
}

struct Ran {
    std::vector<std::uint32_t> out;
    std::string error;
};

Ran run(const std::string& text, bool affine_off, std::uint32_t n) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 26, options.affine_off = affine_off;
    auto e = engine::Engine::create(options);
    if (!e) return {{}, e.error().text()};
    auto program = (*e)->load("spins.ptx", text);
    if (!program) return {{}, program.error().text()};
    const auto out = (*e)->memory().allocate(4096).value(), in = (*e)->memory().allocate(4 * kWords).value();
    std::memset(reinterpret_cast<void*>(out), 0, 4096);
    for (std::uint32_t k = 0; k < kWords; ++k) reinterpret_cast<std::uint32_t*>(in)[k] = k * 2654435761u;
    std::byte parameters[20];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &in, 8), std::memcpy(parameters + 16, &n, 4);
    engine::LaunchRequest request;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    auto reply = (*e)->launch(**program, 0, request);
    if (!reply) return {{}, reply.error().text()};
    std::vector<std::uint32_t> words(1024);
    std::memcpy(words.data(), reinterpret_cast<const void*>(out), 4096);
    return {words, ""};
}

struct Part {
    const char *guard, *leave;
    std::uint32_t (*turns)(std::uint32_t t, std::uint32_t n);  ///< 0: the thread does nothing
};

const Part kParts[] = {
    {"", "setp.ne.u32 %q, %n, %n; ", [](std::uint32_t, std::uint32_t n) { return n; }},
    {"setp.gt.u32 %p, %t, 40; @%p bra END;", "setp.ne.u32 %q, %n, %n; ",
     [](std::uint32_t t, std::uint32_t n) { return t > 40 ? 0 : n; }},
    {"", "setp.gt.u32 %q, %j, %t; ", [](std::uint32_t t, std::uint32_t n) { return std::min(t + 1, n); }},
    {"and.b32 %x, %t, 1; setp.eq.u32 %p, %x, 1; @%p bra END;", "and.b32 %x, %t, 7; setp.gt.u32 %q, %j, %x; ",
     [](std::uint32_t t, std::uint32_t n) { return t & 1 ? 0 : std::min((t & 7) + 1, n); }},
};

TEST(BeforeSpins, SumsAndSwaps) {
    for (const auto& part : kParts)
        for (const bool after : {false, true})
            for (const std::uint32_t n : {1u, 7u, 50u}) {
                const auto text = kernel(part.guard, part.leave, after);
                const auto plain = run(text, false, n), irregular = run(text, true, n);
                ASSERT_EQ(plain.error + irregular.error, "") << text;
                std::vector<std::uint32_t> expected(1024);
                for (std::uint32_t t = 0; t < kThreads; ++t) {
                    for (std::uint32_t k = 0; k < part.turns(t, n); ++k) expected[t] += k * 2654435761u * t;
                    if (after) expected[128 + t] = expected[t];
                    expected[512] += expected[t];
                }
                EXPECT_EQ(plain.out, expected) << text;
                EXPECT_EQ(irregular.out, expected) << text;
            }
}

/// A loop around the one that spins begins before it, and its lanes come apart within it.
TEST(BeforeSpins, ALoopAroundOneThatSpinsIsNotBeforeIt) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "
        "n)\n{\n.reg .pred %p; .reg .b32 %t, %n, %turn, %sum, %x, %y, %old; .reg .b64 %out, %own;\n"
        "ld.param.u64 %out, [out]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mul.wide.u32 %own, %t, 4;\n"
        "add.s64 %own, %own, %out; mov.u32 %turn, 0; mov.u32 %sum, 0;\n"
        "AROUND:\nmul.lo.u32 %y, %turn, 10;\n"
        "LOCK:\natom.global.cas.b32 %old, [%out+2048], 0, 1; setp.ne.u32 %p, %old, 0; @%p bra LOCK;\n"
        "atom.global.exch.b32 %old, [%out+2048], 0;\n"
        "and.b32 %x, %t, 1; setp.eq.u32 %p, %x, 0; @%p bra EVEN;\nadd.u32 %sum, %sum, 3; bra LATCH;\n"
        "EVEN:\nadd.u32 %sum, %sum, 5;\n"
        "LATCH:\nadd.u32 %sum, %sum, %y; add.u32 %turn, %turn, 1; setp.lt.u32 %p, %turn, %n; @%p bra AROUND;\n"
        "st.global.u32 [%own], %sum;\nret;\n}\n";
    constexpr std::uint32_t kTurns = 4;
    const auto ran = run(text, false, kTurns);
    ASSERT_EQ(ran.error, "");
    for (std::uint32_t t = 0; t < kThreads; ++t)
        EXPECT_EQ(ran.out[t], (t & 1 ? 3 : 5) * kTurns + 10 * (0 + 1 + 2 + 3)) << t;
}

}  // namespace before_spins_test
