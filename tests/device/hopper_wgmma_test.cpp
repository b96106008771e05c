// wgmma.mma_async: every layout of the matrix descriptor, registers as A, transposes, signs, types; against sums in
// double of small integers, which every accumulator holds exactly.
#include <cmath>
#include <functional>

#include "support.hpp"
#include "values/element.hpp"

namespace hopper_wgmma_test {

using namespace device_tests;
using ::testing::HasSubstr;

struct Case {
    unsigned n = 64;
    std::string d = "f32", a = "f16", b = "f16";
    unsigned bytes = 2;  ///< of an element
    unsigned a_swizzle = 128, b_swizzle = 128;
    bool a_transposed = false, b_transposed = false, a_registers = false;
    int a_sign = 1, b_sign = 1;
    bool accumulate = false;
    bool sparse = false;  ///< A is stored at half its width
    unsigned selector = 0;
    unsigned k() const { return (sparse ? 64 : 32) / bytes; }
    unsigned stored() const { return 32 / bytes; }
};

std::uint64_t descriptor(std::uint64_t at, std::uint64_t leading, std::uint64_t stride, unsigned swizzle) {
    const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return at >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62;
}

/// Where the element (outer, k) of a matrix lies, and the strides that say so. K-major: blocks of 8 rows follow each
/// other; transposed: blocks of 8 k, each with all of the outer dimension in pieces as wide as the swizzle.
struct Layout {
    unsigned swizzle, bytes, outer;
    bool transposed;
    unsigned width = 32;  ///< bytes along k
    std::uint64_t leading() const { return transposed ? (swizzle ? 8u * swizzle : 16u * outer) : 128; }
    std::uint64_t stride() const {
        return transposed ? (swizzle ? 8u * 2 * outer : 128) : swizzle ? 8u * swizzle : 8u * width;
    }
    std::uint64_t size() const {
        return transposed ? width * outer : std::uint64_t{outer} * (swizzle ? swizzle : width);
    }
    std::uint64_t place(unsigned o, unsigned k) const {
        if (!transposed) {
            const unsigned at = k * bytes, piece = at / 16;
            if (swizzle == 0) return o / 8 * 8 * width + piece * 128 + o % 8 * 16 + at % 16;
            const unsigned row = o % 8 * swizzle, line = row / 128;  // which 128-byte line of its group of rows
            return o / 8 * 8 * swizzle + row / 128 * 128 +
                   ((row % 128 / 16 + piece) ^ (swizzle == 128 ? o % 8 : line % (swizzle / 16))) * 16 + at % 16;
        }
        if (swizzle == 0) return k / 8 * 16 * outer + o / 8 * 128 + k % 8 * 16 + o % 8 * 2;
        // A k of a block has `swizzle` bytes of the outer dimension; eight of them make a unit, units follow along the
        // outer one.
        const unsigned across = swizzle / 2, unit = o / across, inside = o % across * 2, at = k % 8 * swizzle + inside;
        const unsigned line = at / 128, piece = at % 128 / 16 ^ (line & (swizzle / 16 - 1));
        return std::uint64_t{k / 8} * 16 * outer + unit * 8 * swizzle + line * 128 + piece * 16 + at % 16;
    }
};

std::uint32_t encode(const std::string& type, int v) {
    const float f = static_cast<float>(v);
    const auto bits = __builtin_bit_cast(std::uint32_t, f);
    if (type == "f16") {
        std::uint16_t half = 0;
        warpwright::values::store_element(warpwright::values::Element::f16, reinterpret_cast<std::byte*>(&half), f);
        return half;
    }
    if (type == "bf16") return bits >> 16;
    if (type == "tf32") return bits;
    if (type == "s8" || type == "u8") return static_cast<std::uint8_t>(v);
    if (v == 0) return 0;
    const int exponent = std::ilogb(f), mantissa_bits = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15;
    const auto mantissa =
        static_cast<std::uint32_t>(std::ldexp(std::abs(f), mantissa_bits - exponent)) & ((1u << mantissa_bits) - 1);
    return (v < 0 ? 0x80u : 0u) | static_cast<std::uint32_t>(exponent + bias) << mantissa_bits | mantissa;
}

std::string wgmma_kernel(const Case& c) {
    const unsigned words = c.n / (c.d == "f16" ? 4 : 2);
    const std::string reg = c.d == "f32" ? "%f" : "%q";
    std::string list, zero, store;
    for (unsigned w = 0; w < words; ++w) {
        list += (w ? ", " : "") + reg + std::to_string(w);
        zero += "ld.global." + std::string(c.d == "f32" ? "f32 " : "u32 ") + reg + std::to_string(w) + ", [%rd5+" +
                std::to_string(w * 512) + "];\n";
        store += "st.global." + std::string(c.d == "f32" ? "f32" : "u32") + " [%rd5+" + std::to_string(w * 512) +
                 "], " + reg + std::to_string(w) + ";\n";
    }
    std::string tail = c.sparse ? ", %r10, " + std::to_string(c.selector) + ", %p2" : ", %p2";
    const bool integer = c.a == "s8" || c.a == "u8";
    if (!integer) tail += ", " + std::to_string(c.a_sign) + ", " + std::to_string(c.b_sign);
    if (c.bytes == 2)
        tail += c.a_registers ? ", " + std::to_string(c.b_transposed)
                              : ", " + std::to_string(c.a_transposed) + ", " + std::to_string(c.b_transposed);
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
           ".visible .entry k(.param .u64 image, .param .u64 out, .param .u64 regs, .param .u64 da, .param .u64 db, "
           ".param .u32 bytes, .param .u32 acc, .param .u64 meta)\n{\n"
           ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b32 %q<128>; .reg .f32 %f<128>; .reg .b64 %rd<16>;\n"
           R"(
mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [da]; ld.param.u64 %rd4, [db];
ld.param.u32 %r2, [bytes]; ld.param.u32 %r3, [acc]; mov.u32 %r4, s; add.u32 %r5, %r4, %r2;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
mbarrier.init.shared::cta.b64 [%r5], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], %r2;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], %r2, [%r5];
READY:
bar.sync 0;
W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r5], 0;
@!%p3 bra W;
mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd2, %rd5;
setp.ne.u32 %p2, %r3, 0;
ld.param.u64 %rd6, [regs]; mul.wide.u32 %rd7, %r1, 16; add.s64 %rd6, %rd6, %rd7;
ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd6];
ld.param.u64 %rd8, [meta]; mul.wide.u32 %rd9, %r1, 4; add.s64 %rd8, %rd8, %rd9; ld.global.u32 %r10, [%rd8];
)" + zero + "wgmma.fence.sync.aligned;\nwgmma.mma_async" +
           (c.sparse ? ".sp" : "") + ".sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(c.k()) + "." +
           c.d + "." + c.a + "." + c.b + " {" + list + "}, " +
           (c.a_registers ? std::string("{%r6, %r7, %r8, %r9}") : std::string("%rd3")) + ", %rd4" + tail +
           ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" + store + "ret;\n}\n";
}

void check(const Case& c) {
    SCOPED_TRACE(c.d + " " + c.a + " " + c.b + " n" + std::to_string(c.n) + " swizzle " + std::to_string(c.a_swizzle) +
                 "/" + std::to_string(c.b_swizzle) + (c.a_transposed ? " ta" : "") + (c.b_transposed ? " tb" : "") +
                 (c.a_registers ? " registers" : "") + (c.sparse ? " sparse " + std::to_string(c.selector) : ""));
    const unsigned k = c.k(), words = c.n / (c.d == "f16" ? 4 : 2);
    const Layout a{c.a_swizzle, c.bytes, 64, c.a_transposed},
        b{c.b_swizzle, c.bytes, c.n, c.b_transposed, c.sparse ? 64u : 32u};
    const auto b_at = (a.size() + 1023) / 1024 * 1024, total = b_at + (b.size() + 1023) / 1024 * 1024;
    std::vector<std::uint8_t> image(total, 0x5a), flat(128 * 16);
    std::vector<int> av(64 * k), bv(c.n * k), dv(64 * c.n);
    std::vector<std::uint32_t> metadata(128, 0xeeeeeeee);
    const unsigned unit = c.bytes == 4 ? 2 : 4;  // of `unit` neighbours half are stored
    unsigned seed = 12345;
    auto next = [&](int low, int high) {
        seed = seed * 1664525 + 1013904223;
        return low + static_cast<int>(seed >> 12) % (high - low + 1);
    };
    unsigned place_of[2] = {};
    const int low_a = c.a == "u8" ? 0 : -7, low_b = c.b == "u8" ? 0 : -7;
    for (unsigned r = 0; r < 64; ++r)
        for (unsigned s = 0; s < c.stored(); ++s) {
            unsigned column = s;
            if (c.sparse && s % (unit / 2) == 0) {
                // Which two of four (tf32: which of two), and where the ISA has the 4 bits that say so.
                const unsigned four = s / (unit / 2),
                               first = static_cast<unsigned>(next(0, static_cast<int>(unit / 2))),
                               second = unit == 2 ? 0 : static_cast<unsigned>(next(static_cast<int>(first) + 1, 3));
                const unsigned at_first = unit == 2 ? first % 2 : first;
                const std::uint32_t nibble = unit == 2 ? (at_first ? 0xe : 0x4) : at_first | second << 2;
                const unsigned quad = r / 16 * 32 + r % 8 * 4, high = r % 16 / 8;
                const unsigned thread = c.bytes == 1 ? quad + high + four / 8 * 2 : quad + c.selector * 2 + four / 4;
                const unsigned bit = c.bytes == 1 ? four % 8 * 4 : high * 16 + four % 4 * 4;
                metadata[thread] = (metadata[thread] & ~(15u << bit)) | nibble << bit;
                place_of[0] = four * unit + at_first, place_of[1] = four * unit + second;
            }
            if (c.sparse) column = place_of[s % (unit / 2)];
            const int v = av[r * k + column] = next(low_a, 7);
            const auto e = encode(c.a, v);
            std::memcpy(&image[a.place(r, s)], &e, c.bytes);
            // As registers: warp r / 16, rows g and g + 8, 4 bytes a word, the second half of k in words 2 and 3.
            const unsigned at = s * c.bytes, lane = r % 8 * 4 + at % 16 / 4, word = r % 16 / 8 + at / 16 * 2;
            std::memcpy(&flat[((r / 16 * 32 + lane) * 4 + word) * 4 + at % 4], &e, c.bytes);
        }
    for (unsigned j = 0; j < c.n; ++j)
        for (unsigned s = 0; s < k; ++s) {
            const auto e = encode(c.b, bv[j * k + s] = next(low_b, 7));
            std::memcpy(&image[b_at + b.place(j, s)], &e, c.bytes);
        }
    std::vector<std::uint32_t> start(128 * words);
    auto where = [&](unsigned r, unsigned j, unsigned& half) {
        const unsigned thread = r / 16 * 32 + r % 8 * 4 + j % 8 / 2, element = j / 8 * 4 + r % 16 / 8 * 2 + j % 2;
        half = element % 2;
        return (c.d == "f16" ? element / 2 : element) * 128 + thread;
    };
    auto value = [&](int v) -> std::uint32_t {
        return c.d == "s32"   ? static_cast<std::uint32_t>(v)
               : c.d == "f16" ? encode("f16", v)
                              : __builtin_bit_cast(std::uint32_t, static_cast<float>(v));
    };
    for (unsigned r = 0; r < 64; ++r)
        for (unsigned j = 0; j < c.n; ++j) {
            unsigned half;
            const auto at = where(r, j, half);
            const int v = dv[r * c.n + j] = next(-50, 50);
            start[at] |= value(v) << (c.d == "f16" ? 16 * half : 0);
        }
    Gpu gpu;
    auto in = gpu.buffer(image), regs = gpu.buffer(flat), out = gpu.buffer(start), meta = gpu.buffer(metadata);
    const auto result =
        gpu.launch(wgmma_kernel(c), {1}, {128},
                   parameters(in, out, regs, descriptor(0, a.leading(), a.stride(), c.a_swizzle),
                              descriptor(b_at, b.leading(), b.stride(), c.b_swizzle), static_cast<std::uint32_t>(total),
                              static_cast<std::uint32_t>(c.accumulate), meta),
                   {}, total + 8);
    const auto got = gpu.read<std::uint32_t>(out, start.size());
    unsigned bad = 0;
    for (unsigned r = 0; r < 64; ++r)
        for (unsigned j = 0; j < c.n; ++j) {
            int sum = 0;
            for (unsigned s = 0; s < k; ++s) sum += av[r * k + s] * bv[j * k + s];
            sum = sum * c.a_sign * c.b_sign + (c.accumulate ? dv[r * c.n + j] : 0);
            unsigned half;
            auto x = got[where(r, j, half)];
            if (c.d == "f16") x = x >> (16 * half) & 0xffff;
            if (x != value(sum) && bad++ < 3)
                ADD_FAILURE() << "row " << r << " column " << j << ": " << std::hex << x << ", not " << value(sum);
        }
    EXPECT_EQ(bad, 0u);
    if (result.counts) {
        EXPECT_EQ(result.counts->total[Count::flops_tensor], 2u * 64 * c.n * k);
    }
}

TEST(Wgmma, LayoutsAlongK) {
    for (const unsigned a : {0u, 32u, 64u, 128u})
        for (const unsigned b : {0u, 32u, 64u, 128u}) {
            if (a != 128 && b != 128 && a != b) continue;
            Case c;
            c.a_swizzle = a, c.b_swizzle = b, c.n = 24;
            check(c);
        }
}

TEST(Wgmma, TransposedLayouts) {
    for (const unsigned swizzle : {0u, 32u, 64u, 128u}) {
        Case c;
        c.a = c.b = "bf16";
        c.a_swizzle = c.b_swizzle = swizzle, c.a_transposed = c.b_transposed = true, c.n = 128;
        check(c);
    }
    Case c;
    c.b_transposed = true, c.a_registers = true, c.accumulate = true, c.n = 64;
    check(c);
}

TEST(Wgmma, Types) {
    auto with = [](const char* d, const char* a, const char* b, unsigned bytes, unsigned n) {
        Case c;
        c.d = d, c.a = a, c.b = b, c.bytes = bytes, c.n = n, c.accumulate = true;
        return c;
    };
    check(with("f32", "f16", "f16", 2, 256));
    check(with("f16", "f16", "f16", 2, 8));
    check(with("f32", "bf16", "bf16", 2, 40));
    check(with("f32", "tf32", "tf32", 4, 64));
    check(with("f32", "e4m3", "e5m2", 1, 32));
    check(with("f16", "e5m2", "e4m3", 1, 16));
    check(with("s32", "s8", "u8", 1, 96));
    check(with("s32", "u8", "s8", 1, 8));
    for (const char* type : {"f16", "tf32", "e4m3", "s8"}) {
        auto c = with(std::string(type) == "s8" ? "s32" : "f32", type, type,
                      std::string(type) == "f16"    ? 2
                      : std::string(type) == "tf32" ? 4
                                                    : 1,
                      32);
        c.a_registers = true;
        check(c);
    }
}

TEST(Wgmma, SignsAndStart) {
    for (const int a : {1, -1})
        for (const int b : {1, -1}) {
            Case c;
            c.a_sign = a, c.b_sign = b, c.n = 16, c.accumulate = a > 0;
            check(c);
        }
}

TEST(Wgmma, Sparse) {
    for (const unsigned selector : {0u, 1u})
        for (const bool registers : {false, true})
            for (const char* type : {"f16", "bf16", "tf32", "e4m3", "s8"}) {
                Case c;
                c.sparse = true, c.selector = selector, c.a_registers = registers, c.accumulate = true, c.n = 40;
                c.a = c.b = type;
                c.d = c.a == "s8" ? "s32" : "f32", c.bytes = c.a == "tf32" ? 4 : c.a == "e4m3" || c.a == "s8" ? 1 : 2;
                c.a_swizzle = registers ? 128 : 0, c.b_swizzle = registers ? 128 : 0;
                if (c.a == "s8") c.n = 48;
                if (selector == 0 || c.bytes != 1) check(c);
            }
    Case c;
    c.sparse = true, c.b_transposed = true, c.a_transposed = true, c.n = 64;
    check(c);
    c = {};
    c.sparse = true, c.d = "f16", c.a_swizzle = 64, c.n = 256, c.a_sign = -1;
    check(c);
}

TEST(Wgmma, SparsitySelectorsThatAreNone) {
    Gpu gpu;
    Case c;
    c.n = 8, c.sparse = true, c.selector = 2;
    auto out = gpu.buffer(std::vector<std::uint32_t>(2048));
    auto r = gpu.try_launch(wgmma_kernel(c), {1}, {128},
                            parameters(out, out, out, std::uint64_t{0}, std::uint64_t{0}, 1024u, 0u, out), {}, 9000);
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("the sparsity selector must be 0 or 1"));
}

TEST(Wgmma, DescriptorsAreChecked) {
    Gpu gpu;
    Case c;
    c.n = 8;
    auto out = gpu.buffer(std::vector<std::uint32_t>(2048));
    auto r = gpu.try_launch(
        wgmma_kernel(c), {1}, {128},
        parameters(out, out, out, descriptor(0, 0, 1024, 128), descriptor(204800, 0, 1024, 128), 1024u, 0u, out), {},
        9000);
    ASSERT_FALSE(r);
    EXPECT_THAT(r.error().text(), HasSubstr("the descriptor of B reaches shared offset 204800"));
}

}  // namespace hopper_wgmma_test
