// Faults name the kernel's own source line, which .loc gives.
#include "support.hpp"

namespace source_lines_test {

using namespace device_tests;

/// A kernel as a compiler writes it: .file, and .loc before each statement.
const std::string kWithLines = kHeader + kernel("u64 a", R"(
.loc 1 10 5
ld.param.u64 %rd1, [a];
.loc 1 11 9
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd2, %rd1, %rd2;
.loc 2 77 3
ld.global.u32 %r2, [%rd2];
.loc 1 12 3
add.u32 %r2, %r2, 1;
.loc 1 13 3
st.global.u32 [%rd2+4], %r2;
.loc 1 14 3
bar.sync 1, 96;
.loc 1 15 1)") + ".file 1 \"source/kernel.cu\"\n.file 2 \"source/inline.cuh\"\n";

warpwright::Error fault(Gpu& gpu, const std::string& text, Address a, unsigned threads) {
    LaunchOptions options;
    options.timeout = std::chrono::seconds(60);
    const auto r = gpu.try_launch(text, {1}, {threads}, parameters(a), options);
    if (!r.ok()) return r.error();
    ADD_FAILURE() << "no fault";
    return {};
}

TEST(SourceLines, OfFaults) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(32));
    auto e = fault(gpu, kWithLines, a + 4, 32);  // the load
    EXPECT_EQ(e.where.file, "source/inline.cuh");
    EXPECT_EQ(e.where.line, 77u);
    EXPECT_THAT(e.text(), testing::HasSubstr("source/inline.cuh:77"));
    e = fault(gpu, kWithLines, a, 32);  // the store, one element further on
    EXPECT_EQ(e.where.file, "source/kernel.cu");
    EXPECT_EQ(e.where.line, 13u);
    e = fault(gpu, kWithLines, a, 31);  // the barrier
    EXPECT_EQ(e.where.file, "source/kernel.cu");
    EXPECT_EQ(e.where.line, 14u);
    EXPECT_THAT(e.what, testing::HasSubstr("deadlock"));
    e = fault(gpu, kWithLines, a + 2, 31);  // misaligned
    EXPECT_EQ(e.where.line, 77u);
    EXPECT_EQ(e.where.file, "source/inline.cuh");
}

TEST(SourceLines, OfInlinedFunctions) {
    // As clang writes them with -gline-tables-only: the line inside the function, and where it was inlined.
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto text = kHeader + kernel("u64 a", R"(
.loc 1 10 5
ld.param.u64 %rd1, [a];
mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;
.loc 2 31 3, function_name $L__info_string0, inlined_at 1 11 9
st.global.u32 [%rd2], %r1;
.loc 1 12 1)") +
                      ".file 1 \"kernel.cu\"\n.file 2 \"helper.cuh\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 "
                      "115, 116, 0\n}\n";
    const auto e = fault(gpu, text, a, 33);
    EXPECT_EQ(e.where.file, "helper.cuh") << e.text();
    EXPECT_EQ(e.where.line, 31u);
}

TEST(SourceLines, OfLoopsThatDoNotEnd) {
    Gpu gpu;
    auto flag = gpu.buffer(std::vector<std::uint32_t>(1));
    for (const auto* load : {"ld.volatile.global.u32", "ld.global.u32"}) {
        const auto text =
            kHeader +
            kernel("u64 a", "ld.param.u64 %rd1, [a];\n.loc 1 20 1\nW:\n.loc 1 21 3\n" + std::string(load) +
                                " %r1, [%rd1];\n.loc 1 21 3\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\n.loc 1 22 1") +
            ".file 1 \"kernel.cu\"\n";
        for (const unsigned blocks : {1u, 7u}) {
            LaunchOptions options;
            options.timeout = std::chrono::milliseconds(300);
            const auto r = gpu.try_launch(text, {blocks}, {64}, parameters(flag), options);
            ASSERT_FALSE(r.ok());
            EXPECT_THAT(r.error().what, testing::HasSubstr("did not end in time"));
            EXPECT_EQ(r.error().where.file, "kernel.cu") << r.error().text();
            EXPECT_EQ(r.error().where.line, 21u) << r.error().text();
        }
    }
}

TEST(SourceLines, OfCountsByLine) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(34));
    LaunchOptions options;
    options.per_line = true;
    auto text = kWithLines;
    text.replace(text.find("bar.sync 1, 96;"), 15, "bar.sync 0;");
    const auto r = gpu.launch(text, {1}, {33}, parameters(a), options);
    ASSERT_TRUE(r.counts.has_value());
    ASSERT_EQ(r.counts->lines.size(), 7u);  // inline.cuh:77, kernel.cu:10 to 15
    EXPECT_EQ(r.counts->lines[0].file, "source/inline.cuh");
    EXPECT_EQ(r.counts->lines[0].line, 77u);
    EXPECT_EQ(r.counts->lines[0].counts[Count::global_load_sectors], 5u);
    EXPECT_EQ(r.counts->lines[4].line, 13u);
    EXPECT_EQ(r.counts->lines[4].counts[Count::global_store_requests], 2u);
}

}  // namespace source_lines_test
