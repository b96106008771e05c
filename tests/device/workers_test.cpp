// The number of host threads that is asked for is the number that run, however many cores there are.
#include "support.hpp"

namespace workers_test {

using namespace device_tests;

/// Every block counts itself in and stays, without stepping aside, until `blocks` of them are there (or it has looked
/// for very long): they must all be running at once.
const std::string kTogether = module("u64 out, u64 state, u32 blocks", R"(
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [state]; ld.param.u32 %r5, [blocks];
mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd1, %rd1, %rd3;
red.global.add.u32 [%rd2], 1;
mov.u32 %r2, 0;
WAIT:
red.global.add.u32 [%rd2+4], 1;
ld.global.u32 %r3, [%rd2];
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r3, %r5; setp.lt.u32 %p2, %r2, 50000000; and.pred %p1, %p1, %p2;
@%p1 bra WAIT;
st.global.u32 [%rd1], %r3;)");

TEST(Workers, AsManyAsAskedForRunAtOnce) {
    for (const unsigned workers : {2u, 4u, 7u}) {
        Gpu gpu(workers);
        auto out = gpu.buffer(std::vector<std::uint32_t>(workers)), state = gpu.buffer(std::vector<std::uint32_t>(2));
        gpu.launch(kTogether, {workers}, {1}, parameters(out, state, workers));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, workers), std::vector<std::uint32_t>(workers, workers));
    }
}

TEST(Workers, OneIsOne) {
    // The same kernel on one host thread: the first block never sees a second.
    auto once = kTogether;
    once.replace(once.find("50000000"), 8, "50");
    Gpu gpu(1);
    auto out = gpu.buffer(std::vector<std::uint32_t>(3)), state = gpu.buffer(std::vector<std::uint32_t>(2));
    gpu.launch(once, {3}, {1}, parameters(out, state, 4u));
    EXPECT_EQ(gpu.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace workers_test
