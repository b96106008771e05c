// A launch of which some blocks run with code that tells of its course, and the others with code that only counts,
// which has other counters: its counts are those of a launch that has one code.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace two_codes_test {

using namespace warpwright;

/// k(u64 out, u64 in, u32 n): n turns of four loads at any place in a sector.
const char* const kText = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
.reg .pred %p;
.reg .b32 %t, %n, %k, %sum, %a, %b, %c, %d;
.reg .b64 %out, %in, %wide;
ld.param.u64 %out, [out];
ld.param.u64 %in, [in];
ld.param.u32 %n, [n];
mov.u32 %t, %tid.x;
mul.wide.u32 %wide, %t, 4;
add.u64 %in, %in, %wide;
add.u64 %out, %out, %wide;
mov.u32 %k, 0;
mov.u32 %sum, 0;
AGAIN:
ld.global.u32 %a, [%in];
ld.global.u32 %b, [%in+4];
ld.global.u32 %c, [%in+12];
ld.global.u32 %d, [%in+20];
add.u32 %a, %a, %b;
add.u32 %c, %c, %d;
add.u32 %sum, %sum, %a;
add.u32 %sum, %sum, %c;
add.u64 %in, %in, 4;
add.u32 %k, %k, 1;
setp.lt.u32 %p, %k, %n;
@%p bra AGAIN;
st.global.u32 [%out], %sum;
ret;
}
)";

TEST(TwoCodes, CountAsOneDoes) {
    for (const bool quick : {true, false}) {
        engine::EngineOptions options;
        options.threads = 2;
        options.memory = std::uint64_t{1} << 26;
        options.quick_from = quick ? 0 : ~std::size_t{0};
        options.better_after = -1;
        auto made = engine::Engine::create(options);
        ASSERT_TRUE(made) << made.error().text();
        auto& e = **made;
        auto program = e.load("two.ptx", kText);
        ASSERT_TRUE(program) << program.error().text();
        const std::uint32_t turns = 50;
        const auto out = e.memory().allocate(512).value(), in = e.memory().allocate(1024).value();
        std::memset(reinterpret_cast<void*>(in), 1, 1024);
        std::byte parameters[20];
        std::memcpy(parameters, &out, 8);
        std::memcpy(parameters + 8, &in, 8);
        std::memcpy(parameters + 16, &turns, 4);
        const auto counts = [&](bool traced) {
            engine::LaunchRequest request;
            request.config.grid.x = 300, request.config.block.x = 128;
            request.parameters = parameters;
            if (traced) request.options.trace = {132, 3};
            auto reply = e.launch(**program, 0, request);
            EXPECT_TRUE(reply);
            return reply && reply->result.counts ? reply->result.counts->total.values
                                                 : decltype(record::Counts{}.values){};
        };
        const auto plain = counts(false);  // its code is there from now on
        EXPECT_GT(plain[static_cast<unsigned>(record::Count::global_load_sectors)], 0u);
        EXPECT_EQ(counts(true), plain) << "quick code: " << quick;
    }
}

}  // namespace two_codes_test
