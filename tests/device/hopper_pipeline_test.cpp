// All of it together: a matrix product as kernels for Hopper are written. One warp loads tiles through tensor maps into
// a ring of stages, a warpgroup multiplies them with wgmma, full and empty mbarriers hand the stages over.
#include <tuple>

#include "support.hpp"

namespace hopper_pipeline_test {

using namespace device_tests;
using warpwright::device::TensorMap;

/// C[m][n] = sum over k of A[m][k] B[n][k]: bf16, f32 out; tiles of 64 x 64, 64 of k a stage, four stages.
std::string product_kernel() {
    std::string list, clear, store;
    for (unsigned w = 0; w < 32; ++w) {
        list += (w ? ", %f" : "%f") + std::to_string(w);
        clear += "mov.f32 %f" + std::to_string(w) + ", 0f00000000;\n";
    }
    for (unsigned w = 0; w < 32; w += 2)
        store += "st.global.v2.f32 [%rd" + std::string(w % 4 ? "21" : "20") + "+" + std::to_string(w / 4 * 32) +
                 "], {%f" + std::to_string(w) + ", %f" + std::to_string(w + 1) + "};\n";
    std::string multiply;
    for (unsigned step = 0; step < 4; ++step)
        multiply += "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" + list +
                    "}, %rd10, %rd11, 1, 1, 1, 0, 0;\nadd.s64 %rd10, %rd10, 2; add.s64 %rd11, %rd11, 2;\n";
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
           ".visible .entry k(.param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128], .param .u64 out, .param .u32 "
           "n, .param .u32 steps)\n{\n"
           ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .f32 %f<32>; .reg .b64 %rd<32>;\n"
           R"(
mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r3, s; add.u32 %r4, %r3, 65536; add.u32 %r5, %r4, 32;
ld.param.u32 %r6, [steps]; mov.u32 %r7, %ctaid.x; shl.b32 %r7, %r7, 6; mov.u32 %r8, %ctaid.y; shl.b32 %r8, %r8, 6;
mov.u32 %r9, 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
INIT:
shl.b32 %r10, %r9, 3; add.u32 %r11, %r4, %r10; add.u32 %r12, %r5, %r10;
mbarrier.init.shared::cta.b64 [%r11], 1;
mbarrier.init.shared::cta.b64 [%r12], 128;
add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 4;
@%p2 bra INIT;
fence.mbarrier_init.release.cluster;
READY:
bar.sync 0;
mov.u32 %r9, 0;
setp.ge.u32 %p3, %r1, 128;
@!%p3 bra MULTIPLY;
setmaxnreg.dec.sync.aligned.u32 24;
setp.ne.u32 %p4, %r1, 128;
@%p4 bra END;
mov.b64 %rd1, ma; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, mb; cvta.param.u64 %rd2, %rd2;
LOAD:
and.b32 %r13, %r9, 3; shr.u32 %r14, %r9, 2; and.b32 %r14, %r14, 1; xor.b32 %r14, %r14, 1;
shl.b32 %r15, %r13, 3; add.u32 %r16, %r4, %r15; add.u32 %r17, %r5, %r15;
WAIT_EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r17], %r14;
@!%p5 bra WAIT_EMPTY;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r16], 16384;
shl.b32 %r18, %r13, 14; add.u32 %r18, %r3, %r18; add.u32 %r19, %r18, 8192; shl.b32 %r20, %r9, 6;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r18], [%rd1, {%r20, %r8}], [%r16];
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r19], [%rd2, {%r20, %r7}], [%r16];
add.u32 %r9, %r9, 1; setp.lt.u32 %p6, %r9, %r6;
@%p6 bra LOAD;
ret;
MULTIPLY:
setmaxnreg.inc.sync.aligned.u32 240;
)" + clear +
           R"(
NEXT:
and.b32 %r13, %r9, 3; shr.u32 %r14, %r9, 2; and.b32 %r14, %r14, 1;
shl.b32 %r15, %r13, 3; add.u32 %r16, %r4, %r15; add.u32 %r17, %r5, %r15;
WAIT_FULL: mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r16], %r14;
@!%p5 bra WAIT_FULL;
shl.b32 %r18, %r13, 14; add.u32 %r18, %r3, %r18; and.b32 %r18, %r18, 0x3ffff; shr.u32 %r18, %r18, 4;
cvt.u64.u32 %rd10, %r18; or.b64 %rd10, %rd10, 0x4000004000010000; add.s64 %rd11, %rd10, 512;
wgmma.fence.sync.aligned;
)" + multiply +
           R"(
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mbarrier.arrive.shared::cta.b64 %rd12, [%r17];
add.u32 %r9, %r9, 1; setp.lt.u32 %p6, %r9, %r6;
@%p6 bra NEXT;
ld.param.u64 %rd13, [out]; ld.param.u32 %r21, [n];
and.b32 %r22, %r1, 31; shr.u32 %r23, %r22, 2; shl.b32 %r24, %r2, 4; add.u32 %r23, %r23, %r24; add.u32 %r23, %r23, %r8;
and.b32 %r25, %r22, 3; shl.b32 %r25, %r25, 1; add.u32 %r25, %r25, %r7;
mad.lo.u32 %r26, %r23, %r21, %r25; mul.wide.u32 %rd14, %r26, 4; add.s64 %rd20, %rd13, %rd14;
shl.b32 %r27, %r21, 5; cvt.u64.u32 %rd15, %r27; add.s64 %rd21, %rd20, %rd15;
)" + store +
           "END:\nret;\n}\n";
}

TEST(Pipeline, ProductThroughTensorMapsAndWgmma) {
    for (const auto& [size, k, threads] : {std::tuple{128u, 704u, 1u}, {192u, 64u, 2u}, {512u, 512u, 4u}}) {
        Gpu gpu(threads);
        std::vector<std::uint16_t> a(size * k), b(size * k);
        std::vector<int> av(a.size()), bv(b.size());
        unsigned seed = 1;
        auto fill = [&](std::vector<std::uint16_t>& bits, std::vector<int>& values) {
            for (std::size_t i = 0; i < bits.size(); ++i) {
                seed = seed * 1664525 + 1013904223;
                values[i] = static_cast<int>(seed >> 16) % 9 - 4;
                bits[i] =
                    static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, static_cast<float>(values[i])) >> 16);
            }
        };
        fill(a, av);
        fill(b, bv);
        auto da = gpu.buffer(a), db = gpu.buffer(b), out = gpu.buffer(std::vector<float>(size * size));
        auto map = [&](Address at) {
            return *gpu.device->tensor_maps()->encode_tensor_map(
                {at, "bf16", {k, size}, {k * 2}, {64, 64}, {}, TensorMap::Swizzle::b128, false});
        };
        std::vector<std::byte> with;
        for (const auto& m : {map(da), map(db)}) with.insert(with.end(), m.begin(), m.end());
        const auto rest = parameters(out, size, k / 64);
        with.insert(with.end(), rest.begin(), rest.end());
        const auto result = gpu.launch(product_kernel(), {size / 64, size / 64}, {160}, with, {}, 65536 + 64);
        const auto c = gpu.read<float>(out, size * size);
        unsigned bad = 0;
        for (unsigned i = 0; i < size; i += size > 256 ? 5 : 1)
            for (unsigned j = 0; j < size; ++j) {
                int sum = 0;
                for (unsigned s = 0; s < k; ++s) sum += av[i * k + s] * bv[j * k + s];
                if (c[i * size + j] != static_cast<float>(sum) && bad++ < 5)
                    ADD_FAILURE() << size << ": " << i << " " << j << ": " << c[i * size + j] << ", not " << sum;
            }
        EXPECT_EQ(bad, 0u);
        ASSERT_TRUE(result.counts);
        EXPECT_EQ(result.counts->total[Count::flops_tensor], std::uint64_t{2} * size * size * k);
        // Every tile is read once: rows of 128 bytes, four sectors each.
        EXPECT_EQ(result.counts->total[Count::global_load_sectors],
                  std::uint64_t{2} * (size / 64) * (size / 64) * (k / 64) * 64 * 4);
    }
}

}  // namespace hopper_pipeline_test
