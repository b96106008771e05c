// 128-bit elements: loads, stores and moves of .b128 registers (PTX 8.3).
#include "support.hpp"

namespace wide_test {

using namespace device_tests;

const std::string kWideHeader = ".version 8.3\n.target sm_90\n.address_size 64\n";

std::string wide(const std::string& parameters, const std::string& body) {
    return kWideHeader + kernel(parameters, ".reg .b128 %q<8>;\n" + body);
}

const std::string kPlace = R"(
ld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [in]; mov.u32 %r2, %tid.x;
mul.wide.u32 %rd4, %r2, 16; add.s64 %rd2, %rd1, %rd4; add.s64 %rd5, %rd3, %rd4;
)";

TEST(Wide, CopyThroughEverySpace) {
    for (const auto* way :
         {"st.global.b128 [%rd2], %q1;", "st.b128 [%rd2], %q1;",
          "st.shared.b128 [%r6], %q1; bar.sync 0; ld.shared.b128 %q2, [%r6]; st.global.b128 [%rd2], %q2;",
          "st.local.b128 [%rd9], %q1; ld.local.b128 %q3, [%rd9]; st.global.b128 [%rd2], %q3;",
          "mov.b128 %q4, %q1; mov.b128 {%rd20, %rd21}, %q4; mov.b128 %q5, {%rd20, %rd21}; st.global.b128 [%rd2], %q5;",
          "setp.lt.u32 %p1, %r2, 64; @!%p1 bra OTHER; mov.b128 %q6, %q1; bra JOIN; OTHER: ld.global.b128 %q6, [%rd5]; "
          "JOIN: st.global.b128 [%rd2], %q6;"}) {
        Gpu gpu;
        auto in = gpu.buffer(iota(4 * 40)), out = gpu.buffer(std::vector<std::uint32_t>(4 * 40));
        const auto c = gpu.counts(
            wide("u64 out, u64 in", ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n" + kPlace +
                                        "mov.u32 %r5, s; shl.b32 %r6, %r2, 4; add.u32 %r6, %r5, %r6; mov.u64 %rd9, l; "
                                        "add.s64 %rd9, %rd9, 16;\n"
                                        "ld.global.b128 %q1, [%rd5];\n" +
                                        way),
            {1}, {40}, parameters(out, in));
        EXPECT_EQ(gpu.read<std::uint32_t>(out, 160), iota(160)) << way;
        EXPECT_EQ(c[Count::global_store_requests], 2u) << way;
        EXPECT_EQ(c[Count::global_store_sectors], 20u) << way;
        EXPECT_EQ(c[Count::global_load_sectors], 20u) << way;
        EXPECT_EQ(c[Count::global_bytes_requested], 2u * 40 * 16) << way;
        if (std::string(way).find("shared") != std::string::npos) {
            EXPECT_EQ(c[Count::shared_load_requests], 2u);
            EXPECT_EQ(c[Count::shared_load_wavefronts], 4u + 1);
        }
        if (std::string(way).find("local") != std::string::npos) {
            EXPECT_EQ(c[Count::local_load_requests], 2u * 4);
        }
    }
}

TEST(Wide, HalvesSwappedAndTwoAtOnce) {
    Gpu gpu;
    auto in = gpu.buffer(iota<std::uint64_t>(64)), out = gpu.buffer(std::vector<std::uint64_t>(64));
    gpu.launch(wide("u64 out, u64 in", kPlace + R"(
ld.global.nc.b128 %q1, [%rd5];
mov.b128 {%rd10, %rd11}, %q1;
mov.b128 %q2, {%rd11, %rd10};
st.global.b128 [%rd2], %q2;)"),
               {1}, {32}, parameters(out, in));
    auto values = gpu.read<std::uint64_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i ^ 1u);
    gpu.launch(wide("u64 out, u64 in", R"(
ld.param.u64 %rd1, [out]; ld.param.u64 %rd3, [in]; mov.u32 %r2, %tid.x;
mul.wide.u32 %rd4, %r2, 32; add.s64 %rd2, %rd1, %rd4; add.s64 %rd5, %rd3, %rd4;
ld.global.v2.b128 {%q1, %q2}, [%rd5];
st.global.v2.b128 [%rd2], {%q2, %q1};)"),
               {1}, {16}, parameters(out, in));
    values = gpu.read<std::uint64_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(values[i], i ^ 2u);
}

TEST(Wide, MisalignedOrOutOfBounds) {
    Gpu gpu;
    auto in = gpu.buffer(iota(4 * 32)), out = gpu.buffer(std::vector<std::uint32_t>(4 * 32));
    const auto text =
        wide("u64 out, u64 in", kPlace + "ld.global.b128 %q1, [%rd5]; // here\nst.global.b128 [%rd2], %q1;");
    for (const auto at : {in + 8, in + 16}) {
        const auto r = gpu.try_launch(text, {1}, {32}, parameters(out, at));
        ASSERT_FALSE(r.ok());
        EXPECT_EQ(r.error().where.line, line_of(text, "// here"));
        EXPECT_THAT(r.error().what, testing::HasSubstr("load of 16 bytes"));
    }
}

TEST(Wide, AtomicsAreNamed) {
    for (const auto* atomic :
         {"atom.global.exch.b128 %q1, [%rd2], %q2;", "atom.global.cas.b128 %q1, [%rd2], %q2, %q3;"}) {
        Gpu gpu;
        auto out = gpu.buffer(std::vector<std::uint32_t>(128));
        const auto text = wide("u64 out, u64 in", kPlace + "ld.global.b128 %q2, [%rd5]; mov.b128 %q3, %q2;\n" + atomic +
                                                      " // here\nst.global.b128 [%rd2], %q1;");
        const auto r = gpu.try_launch(text, {1}, {32}, parameters(out, out));
        ASSERT_FALSE(r.ok());
        EXPECT_EQ(r.error().kind, ErrorKind::input);
        EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
        EXPECT_THAT(r.error().what, testing::HasSubstr("b128")) << r.error().text();
        EXPECT_THAT(r.error().what, testing::HasSubstr("128-bit")) << r.error().text();
    }
}

}  // namespace wide_test
