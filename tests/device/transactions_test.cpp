// Device models that move whole lines: their loads and stores count all sectors of the lines that they touch.
#include "launch/limits.hpp"
#include "support.hpp"

namespace transactions_test {

using namespace device_tests;

/// Thread t loads b[t * stride + offset], of the first n threads of each warp, and stores a[t].
const std::string kStrided = module("u64 a, u64 b, u32 stride, u32 offset, u32 n", R"(
mov.u32 %r1, %tid.x;
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u32 %r2, [stride];
ld.param.u32 %r3, [offset];
ld.param.u32 %r4, [n];
mad.lo.s32 %r5, %r1, %r2, %r3;
mul.wide.s32 %rd3, %r5, 4;
add.s64 %rd4, %rd2, %rd3;
mul.wide.s32 %rd5, %r1, 4;
add.s64 %rd6, %rd1, %rd5;
and.b32 %r6, %r1, 31;
setp.ge.u32 %p1, %r6, %r4;
@%p1 bra END;
ld.global.u32 %r7, [%rd4];
st.global.u32 [%rd6], %r7;
atom.global.add.u32 %r8, [%rd6], 1;
END:)");

struct Case {
    unsigned stride, offset, n;
    std::uint64_t sectors, lines;  ///< of the load
};

Counts counts_on(const char* model, const Case& c) {
    Gpu gpu(1, "", std::uint64_t{1} << 30, warpwright::launch::limits_of(warpwright::arch::load_model(model).value()));
    const auto a = gpu.buffer(std::vector<std::uint32_t>(32)), b = gpu.buffer(std::vector<std::uint32_t>(4096));
    return gpu.counts(kStrided, {1}, {32}, parameters(a, b, c.stride, c.offset, c.n));
}

TEST(Transactions, AreWholeLinesOnComputeCapabilityTwo) {
    for (const Case& c : {Case{1, 0, 32, 4, 1}, Case{1, 1, 32, 5, 2}, Case{2, 0, 32, 8, 2}, Case{32, 0, 32, 32, 32},
                          Case{0, 3, 32, 1, 1}, Case{1, 0, 5, 1, 1}, Case{33, 7, 32, 32, 32}, Case{16, 8, 7, 7, 4}}) {
        SCOPED_TRACE(testing::Message() << c.stride << " " << c.offset << " " << c.n);
        const Counts sectors = counts_on("h200", c), lines = counts_on("gtx580", c);
        EXPECT_EQ(sectors[Count::global_load_sectors], c.sectors);
        EXPECT_EQ(lines[Count::global_load_sectors], 4 * c.lines);
        EXPECT_EQ(lines[Count::global_store_sectors], 4u);
        EXPECT_EQ(lines[Count::global_atomic_sectors], sectors[Count::global_atomic_sectors]);
        EXPECT_EQ(lines[Count::global_load_requests], 1u);
        EXPECT_EQ(lines[Count::instructions], sectors[Count::instructions]);
        EXPECT_EQ(lines[Count::global_bytes_requested], sectors[Count::global_bytes_requested]);
    }
}

TEST(Transactions, AreSectorsOnComputeCapabilityThree) {
    EXPECT_EQ(counts_on("k40c", {1, 1, 32, 5, 2})[Count::global_load_sectors], 5u);
}

}  // namespace transactions_test
