// Quick code keeps vectors in memory and leaves work on them to functions: vectors that change places at each turn of a
// loop, are read after what they came from has changed, and differ in what lanes run, are what they should be.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "engine/run/engine.hpp"

namespace quick_code_test {

using namespace warpwright;

constexpr unsigned kThreads = 100, kTurns = 7;

/// k(u64 data): two numbers of each thread change places for kTurns turns.
const char* const kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
.reg .pred %p, %q, %r;
.reg .b32 %t, %a, %b, %c, %k, %old;
.reg .b64 %data, %wide;
ld.param.u64 %data, [data];
mov.u32 %t, %tid.x;
mul.wide.u32 %wide, %t, 8;
add.u64 %data, %data, %wide;
ld.global.u32 %a, [%data];
ld.global.u32 %b, [%data+4];
mov.u32 %k, 0;
AGAIN:
mov.u32 %c, %a;
mov.u32 %a, %b;
add.u32 %b, %c, %k;
ld.global.u32 %old, [%data];
st.global.u32 [%data], %b;
xor.b32 %a, %a, %old;
setp.gt.u32 %q, %a, %b;
setp.lt.u32 %r, %c, 1000000;
and.pred %q, %q, %r;
@%q bra SKIP;
popc.b32 %c, %a;
mad.lo.u32 %b, %b, 2654435761, %c;
SKIP:
add.u32 %k, %k, 1;
setp.lt.u32 %p, %k, 7;
@%p bra AGAIN;
st.global.u32 [%data], %a;
st.global.u32 [%data+4], %b;
ret;
}
)";

struct Pair {
    std::uint32_t a, b;
};

/// What a thread leaves.
Pair expected(Pair x) {
    auto [a, b] = x;
    std::uint32_t memory = a;
    for (std::uint32_t k = 0; k < kTurns; ++k) {
        const std::uint32_t c = a, old = memory;
        a = b;
        b = c + k;
        memory = b;
        a ^= old;
        if (!(a > b && c < 1000000)) b = b * 2654435761u + static_cast<std::uint32_t>(std::popcount(a));
    }
    return {a, b};
}

TEST(QuickCode, VectorsChangePlacesInALoop) {
    for (const bool quick : {true, false}) {
        engine::EngineOptions options;
        options.threads = 1;
        options.memory = std::uint64_t{1} << 26;
        options.quick_from = quick ? 0 : ~std::size_t{0};
        options.better_after = -1;
        auto made = engine::Engine::create(options);
        ASSERT_TRUE(made) << made.error().text();
        auto program = (*made)->load("quick.ptx", kText);
        ASSERT_TRUE(program) << program.error().text();
        const auto data = (*made)->memory().allocate(sizeof(Pair) * kThreads).value();
        std::vector<Pair> pairs(kThreads);
        for (std::uint32_t t = 0; t < kThreads; ++t) pairs[t] = {t * 40503u, (t % 3) * 77777777u + t};
        std::memcpy(reinterpret_cast<void*>(data), pairs.data(), sizeof(Pair) * kThreads);
        std::byte parameters[8];
        std::memcpy(parameters, &data, 8);
        engine::LaunchRequest request;
        request.config.block.x = kThreads;
        request.parameters = parameters;
        auto reply = (*made)->launch(**program, 0, request);
        ASSERT_TRUE(reply) << reply.error().text();
        EXPECT_EQ(reply->result.quick_code, quick);
        const auto* left = reinterpret_cast<const Pair*>(data);
        for (unsigned t = 0; t < kThreads; ++t) {
            EXPECT_EQ(left[t].a, expected(pairs[t]).a) << "thread " << t << ", quick code: " << quick;
            EXPECT_EQ(left[t].b, expected(pairs[t]).b) << "thread " << t << ", quick code: " << quick;
        }
    }
}

}  // namespace quick_code_test
