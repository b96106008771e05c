// Quick code keeps vectors in memory and leaves work on them to functions: vectors that change places at each turn of a
// loop, are read after what they came from has changed, and differ in what lanes run, are what they should be.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

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

/// Runs the text's kernel k(data) over these numbers; returns what it leaves.
template <class T>
std::vector<T> left_by(const std::string& text, bool quick, std::vector<T> numbers) {
    engine::EngineOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 26;
    options.quick_from = quick ? 0 : ~std::size_t{0};
    options.better_after = -1;
    auto made = engine::Engine::create(options);
    EXPECT_TRUE(made.ok());
    auto program = (*made)->load("quick.ptx", text);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
    if (!program.ok()) return {};
    const auto bytes = numbers.size() * sizeof(T);
    const auto data = (*made)->memory().allocate(bytes).value();
    std::memcpy(reinterpret_cast<void*>(data), numbers.data(), bytes);
    std::byte parameters[8];
    std::memcpy(parameters, &data, 8);
    engine::LaunchRequest request;
    request.config.block.x = kThreads;
    request.parameters = parameters;
    auto reply = (*made)->launch(**program, 0, request);
    EXPECT_TRUE(reply.ok()) << (reply.ok() ? "" : reply.error().text());
    if (!reply.ok()) return {};
    EXPECT_EQ(reply->result.quick_code, quick);
    std::memcpy(numbers.data(), reinterpret_cast<const void*>(data), bytes);
    return numbers;
}

TEST(QuickCode, VectorsChangePlacesInALoop) {
    std::vector<Pair> pairs(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) pairs[t] = {t * 40503u, (t % 3) * 77777777u + t};
    for (const bool quick : {true, false}) {
        const auto left = left_by(kText, quick, pairs);
        ASSERT_EQ(left.size(), pairs.size());
        for (unsigned t = 0; t < kThreads; ++t) {
            EXPECT_EQ(left[t].a, expected(pairs[t]).a) << "thread " << t << ", quick code: " << quick;
            EXPECT_EQ(left[t].b, expected(pairs[t]).b) << "thread " << t << ", quick code: " << quick;
        }
    }
}

/// Each step needs the one before alone, and the same other numbers: nothing but its length ends such a chain.
TEST(QuickCode, ChainsOfThousands) {
    constexpr unsigned kSteps = 20000;
    std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
.reg .b32 %t, %a, %b;
.reg .b64 %data, %wide;
ld.param.u64 %data, [data];
mov.u32 %t, %tid.x;
mul.wide.u32 %wide, %t, 8;
add.u64 %data, %data, %wide;
ld.global.u32 %a, [%data];
ld.global.u32 %b, [%data+4];
)";
    for (unsigned k = 0; k < kSteps; ++k) text += "mad.lo.u32 %a, %a, %b, %t;\n";
    text += "st.global.u32 [%data], %a;\nret;\n}\n";
    std::vector<Pair> pairs(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) pairs[t] = {t * 40503u, 2 * t + 1};
    const auto left = left_by(text, true, pairs);
    ASSERT_EQ(left.size(), pairs.size());
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        auto a = pairs[t].a;
        for (unsigned k = 0; k < kSteps; ++k) a = a * pairs[t].b + t;
        EXPECT_EQ(left[t].a, a) << "thread " << t;
    }
}

/// Words of two and four elements at places that differ, a choice between predicates, and one that a loop hands on.
TEST(QuickCode, BundlesAndPredicates) {
    const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data)
{
.reg .pred %p, %q, %r, %s;
.reg .b32 %t, %a, %b, %c, %d, %k;
.reg .b64 %data, %wide, %at;
ld.param.u64 %data, [data];
mov.u32 %t, %tid.x;
mul.lo.u32 %c, %t, 37;
rem.u32 %c, %c, 100;
mul.wide.u32 %wide, %c, 16;
add.u64 %at, %data, %wide;
ld.global.v4.u32 {%a, %b, %c, %d}, [%at];
bar.sync 0;
setp.gt.u32 %p, %a, %b;
setp.gt.u32 %q, %c, %d;
setp.lt.u32 %s, %t, 50;
mov.u32 %k, 0;
AGAIN:
and.pred %r, %p, %s;
not.pred %p, %q;
@%r bra ODD;
xor.pred %q, %q, %s;
bra NEXT;
ODD:
mov.pred %q, %r;
add.u32 %a, %a, %d;
NEXT:
@%p add.u32 %b, %b, %k;
@%q add.u32 %d, %d, 3;
add.u32 %k, %k, 1;
setp.lt.u32 %r, %k, 5;
@%r bra AGAIN;
st.global.v2.u32 [%at], {%a, %b};
st.global.v2.u32 [%at+8], {%d, %c};
ret;
}
)";
    struct Four {
        std::uint32_t a, b, c, d;
    };
    std::vector<Four> fours(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) fours[t] = {t * 40503u % 97, t * 31 % 89, t * 7 % 83, t * 11 % 79};
    auto want = fours;
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        auto& at = want[t * 37 % 100];
        auto [a, b, c, d] = at;
        bool p = a > b, q = c > d;
        const bool s = t < 50;
        for (std::uint32_t k = 0; k < 5; ++k) {
            const bool r = p && s;
            p = !q;
            if (r)
                q = r, a += d;
            else
                q = q != s;
            if (p) b += k;
            if (q) d += 3;
        }
        at = {a, b, d, c};
    }
    for (const bool quick : {true, false}) {
        const auto left = left_by(text, quick, fours);
        ASSERT_EQ(left.size(), want.size());
        for (unsigned t = 0; t < kThreads; ++t)
            EXPECT_EQ(std::memcmp(&left[t], &want[t], sizeof(Four)), 0) << "thread " << t << ", quick code: " << quick;
    }
}

}  // namespace quick_code_test
