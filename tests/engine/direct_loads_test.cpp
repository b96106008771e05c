// Loads of a word at any address, again and again, of which nothing repeats: after some of them the runtime no longer
// looks for what does. Sums, sectors and faults are those of lanes looked at one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace direct_loads_test {

using namespace warpwright;

constexpr std::uint32_t kThreads = 96, kRounds = 150, kWords = 4096;

/// Round j of thread t, but where (7 t + j) mod `among` is 0, adds a word of one of two tables; %far: added to the
/// index in the last round but one.
const char* const kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 first, .param .u64 second, .param .u32 among, .param .u32 far)
{
.reg .pred %p<4>;
.reg .b32 %t, %j, %i, %m, %v, %sum, %among, %far;
.reg .b64 %out, %first, %second, %in, %at;
ld.param.u64 %out, [out]; ld.param.u64 %first, [first]; ld.param.u64 %second, [second];
ld.param.u32 %among, [among]; ld.param.u32 %far, [far];
mov.u32 %t, %tid.x; mov.u32 %j, 0; mov.u32 %sum, 0;
AGAIN:
mad.lo.u32 %m, %t, 7, %j; rem.u32 %m, %m, %among; setp.eq.u32 %p0, %m, 0; @%p0 bra NEXT;
mul.lo.u32 %i, %t, 1031; mad.lo.u32 %i, %j, 977, %i; and.b32 %i, %i, 4095;
setp.eq.u32 %p1, %j, 148; @%p1 add.u32 %i, %i, %far;
and.b32 %m, %j, 32; setp.ne.u32 %p2, %m, 0; selp.b64 %in, %second, %first, %p2;
mul.wide.u32 %at, %i, 4; add.s64 %at, %in, %at; ld.global.u32 %v, [%at]; add.u32 %sum, %sum, %v;
NEXT:
add.u32 %j, %j, 1; setp.lt.u32 %p3, %j, 150; @%p3 bra AGAIN;
mul.wide.u32 %at, %t, 4; add.s64 %out, %out, %at; st.global.u32 [%out], %sum;
ret;
}
)";

struct Ran {
    std::vector<std::uint32_t> sums;
    std::uint64_t sectors = 0, requests = 0;
    std::string error;
};

std::uint32_t word(unsigned table, std::uint32_t index) { return index * 2654435761u + table; }

Ran run(std::uint32_t among, std::uint32_t far) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 26;
    auto e = engine::Engine::create(options).value();
    auto program = e->load("direct.ptx", kText).value();
    const auto out = e->memory().allocate(4 * kThreads).value();
    std::uint64_t tables[2];
    for (unsigned k = 0; k < 2; ++k) {
        tables[k] = e->memory().allocate(4 * kWords).value();
        for (std::uint32_t i = 0; i < kWords; ++i) reinterpret_cast<std::uint32_t*>(tables[k])[i] = word(k, i);
    }
    std::byte parameters[32];
    std::memcpy(parameters, &out, 8), std::memcpy(parameters + 8, tables, 16);
    std::memcpy(parameters + 24, &among, 4), std::memcpy(parameters + 28, &far, 4);
    engine::LaunchRequest request;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    auto reply = e->launch(*program, 0, request);
    if (!reply) return {{}, 0, 0, reply.error().text()};
    Ran ran;
    ran.sums.resize(kThreads);
    std::memcpy(ran.sums.data(), reinterpret_cast<const void*>(out), 4 * kThreads);
    ran.sectors = reply->result.counts->total[record::Count::global_load_sectors];
    ran.requests = reply->result.counts->total[record::Count::global_load_requests];
    return ran;
}

TEST(DirectLoads, SumsAndSectors) {
    for (const std::uint32_t among : {2u, 3u, 7u, 1000u}) {
        SCOPED_TRACE(among);
        Ran want;
        want.sums.assign(kThreads, 0);
        for (std::uint32_t warp = 0; warp < kThreads / 32; ++warp)
            for (std::uint32_t j = 0; j < kRounds; ++j) {
                std::set<std::uint32_t> sectors;
                for (std::uint32_t t = 32 * warp; t < 32 * warp + 32; ++t) {
                    if ((7 * t + j) % among == 0) continue;
                    const auto index = (t * 1031 + j * 977) & 4095;
                    want.sums[t] += word(j / 32 % 2, index);
                    sectors.insert(index / 8);
                }
                want.sectors += sectors.size();
                want.requests += !sectors.empty();
            }
        const auto ran = run(among, 0);
        EXPECT_EQ(ran.error, "");
        EXPECT_EQ(ran.sums, want.sums);
        EXPECT_EQ(ran.sectors, want.sectors);
        EXPECT_EQ(ran.requests, want.requests);
    }
}

TEST(DirectLoads, FarOff) {
    const auto error = run(3, 1u << 28).error;
    EXPECT_NE(error.find("out-of-bounds global load of 4 bytes"), std::string::npos) << error;
    EXPECT_NE(error.find("by thread (0,0,0)"), std::string::npos) << error;
}

}  // namespace direct_loads_test
