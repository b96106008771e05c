// Kernels in which some lanes spin on memory between barriers of the block: loops behind a barrier run as in any other
// kernel, and what lanes have of their own survives that they came to the barrier one after the other.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace after_barriers_test {

using namespace warpwright;

constexpr unsigned kWords = 64, kCount = 513;

struct Kernel {
    unsigned threads = 96;
    std::string guard;   ///< lanes that leave at once
    std::string takes;   ///< %p: who does not take the lock
    std::string leave;   ///< %q: who leaves the loop behind the barrier
    bool turns = false;  ///< an atomic in that loop, before which a warp's turn ends
    std::uint32_t (*takers)(std::uint32_t t) = nullptr;
    std::uint32_t (*steps)(std::uint32_t t, std::uint32_t n) = nullptr;
};

/// k(u64 out, u64 in, u32 n), n rounds: a loop over in[0..n); some threads take a lock and count; all meet; a loop over
/// in[0..n) or the first of them.
std::string text(const Kernel& k) {
    const auto loop = [&](const std::string& name, const std::string& leave, const std::string& more) {
        return "mov.u32 %j, 0; mov.u64 %at, %in;\n" + name +
               ":\nld.global.u32 %x, [%at]; mad.lo.u32 %sum, %x, %t, %sum; add.u32 %sum, %sum, %round; add.s64 %at, "
               "%at, 4;\n"
               "add.u32 %j, %j, 1;\n" +
               more + leave + "@%q bra " + name + "_END;\nsetp.lt.u32 %q, %j, %n; @%q bra " + name + ";\n" + name +
               "_END:\n";
    };
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param "
           ".u32 n)\n{\n.reg .pred %p, %q; .reg .b32 %t, %n, %sum, %j, %x, %y, %round; .reg .b64 %out, %in, %at, "
           "%own;\n"
           "ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x;\n"
           "mul.wide.u32 %own, %t, 4; add.s64 %own, %own, %out; mov.u32 %sum, 0; mov.u32 %round, 0;\n" +
           k.guard + "\nROUND:\n" + loop("FIRST", "setp.ne.u32 %q, %n, %n; ", "") + k.takes +
           "\n@%p bra MET;\nLOCK:\natom.global.cas.b32 %x, [%out+2048], 0, 1; setp.ne.u32 %p, %x, 0; @%p bra LOCK;\n"
           "ld.volatile.global.u32 %y, [%out+2052]; add.u32 %y, %y, 1; st.volatile.global.u32 [%out+2052], %y;\n"
           "add.u32 %sum, %sum, 7; atom.global.exch.b32 %x, [%out+2048], 0;\nMET:\nbar.sync 0;\n" +
           loop("SECOND", k.leave, k.turns ? "red.global.add.u32 [%out+2052], 0;\n" : "") +
           "add.u32 %round, %round, 1; setp.lt.u32 %p, %round, %n; @%p bra ROUND;\n"
           "st.global.u32 [%own], %sum;\nEND: ret;\n}\n";
}

struct Ran {
    std::vector<std::uint32_t> out;
    std::string error;
};

/// A launch for each number of rounds.
std::vector<Ran> run(const Kernel& k, bool affine_off, const std::vector<std::uint32_t>& rounds) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 26, options.affine_off = affine_off;
    auto e = engine::Engine::create(options).value();
    auto program = e->load("barriers.ptx", text(k));
    if (!program) return {rounds.size(), Ran{{}, program.error().text()}};
    const auto out = e->memory().allocate(4096).value(), in = e->memory().allocate(4 * kWords).value();
    for (std::uint32_t i = 0; i < kWords; ++i) reinterpret_cast<std::uint32_t*>(in)[i] = i * 2654435761u;
    std::vector<Ran> ran;
    for (const auto n : rounds) {
        std::memset(reinterpret_cast<void*>(out), 0, 4096);
        std::byte parameters[20];
        std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, &in, 8), std::memcpy(parameters + 16, &n, 4);
        engine::LaunchRequest request;
        request.config.block.x = k.threads;
        request.parameters = parameters;
        request.options.timeout = std::chrono::seconds(60);
        auto reply = e->launch(**program, 0, request);
        std::vector<std::uint32_t> words(1024);
        std::memcpy(words.data(), reinterpret_cast<const void*>(out), 4096);
        ran.push_back({words, reply ? "" : reply.error().text()});
    }
    return ran;
}

std::vector<std::uint32_t> expected(const Kernel& k, std::uint32_t n) {
    std::vector<std::uint32_t> out(1024);
    for (std::uint32_t t = 0; t < k.threads; ++t) {
        if (k.steps(t, n) == 0) continue;
        for (std::uint32_t round = 0; round < n; ++round) {
            const auto add = [&](std::uint32_t steps) {
                for (std::uint32_t j = 0; j < steps; ++j) out[t] += j * 2654435761u * t + round;
            };
            add(n);
            if (k.takers(t)) out[t] += 7, ++out[kCount];
            add(k.steps(t, n));
        }
    }
    return out;
}

const char *const kAll = "setp.ne.u32 %q, %n, %n; ", *const kFew = "and.b32 %x, %t, 7; setp.gt.u32 %q, %j, %x; ";
std::uint32_t all(std::uint32_t, std::uint32_t n) { return n; }
std::uint32_t few(std::uint32_t t, std::uint32_t n) { return std::min((t & 7) + 1, n); }

std::vector<Kernel> kernels() {
    const std::string first = "setp.ne.u32 %p, %t, 0;", some = "and.b32 %x, %t, 3; setp.ne.u32 %p, %x, 0;",
                      none_of_warp = "shr.u32 %x, %t, 5; setp.ne.u32 %p, %x, 1;";
    const auto is_first = [](std::uint32_t t) { return std::uint32_t{t == 0}; };
    const auto is_some = [](std::uint32_t t) { return std::uint32_t{(t & 3) == 0}; };
    const auto is_second_warp = [](std::uint32_t t) { return std::uint32_t{t / 32 == 1}; };
    std::vector<Kernel> out;
    for (const bool turns : {false, true}) {
        out.push_back({96, "", first, kAll, turns, is_first, all});
        out.push_back({96, "", some, kAll, turns, is_some, all});
        out.push_back({96, "", some, kFew, turns, is_some, few});
        out.push_back({70, "", none_of_warp, kFew, turns, is_second_warp, few});
        out.push_back({96, "and.b32 %x, %t, 1; setp.eq.u32 %p, %x, 1; @%p bra END;", some, kFew, turns, is_some,
                       [](std::uint32_t t, std::uint32_t n) { return t & 1 ? 0 : few(t, n); }});
    }
    return out;
}

TEST(AfterBarriers, SumsAndLocks) {
    const std::vector<std::uint32_t> rounds{1, 5, 12};
    for (const auto& k : kernels()) {
        const auto plain = run(k, false, rounds), irregular = run(k, true, rounds);
        for (std::size_t i = 0; i < rounds.size(); ++i) {
            ASSERT_EQ(plain[i].error + irregular[i].error, "") << text(k);
            EXPECT_EQ(plain[i].out, expected(k, rounds[i])) << text(k);
            EXPECT_EQ(irregular[i].out, expected(k, rounds[i])) << text(k);
        }
    }
}

}  // namespace after_barriers_test
