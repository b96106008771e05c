// Calls: recursion, through pointers, and what the device supplies to kernels (printf, assert, malloc).
#include "support.hpp"

namespace calls_test {

using namespace device_tests;

const std::string kFactorial = R"(
.func (.param .b32 r) fact(.param .b32 n)
{
.reg .pred %p<4>; .reg .b32 %r<8>;
ld.param.u32 %r1, [n];
setp.le.u32 %p1, %r1, 1;
@%p1 bra BASE;
sub.u32 %r2, %r1, 1;
{ .param .b32 a; .param .b32 b;
st.param.b32 [a], %r2;
call.uni (b), fact, (a);
ld.param.b32 %r3, [b]; }
mul.lo.u32 %r4, %r3, %r1;
st.param.b32 [r], %r4;
ret;
BASE:
st.param.b32 [r], 1;
ret;
}
)";

TEST(Calls, RecursionOfDifferentDepths) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    gpu.launch(kHeader + kFactorial + kernel("u64 out", index_into("out") + R"(
rem.u32 %r5, %r1, 11;
{ .param .b32 a; .param .b32 b;
st.param.b32 [a], %r5;
call.uni (b), fact, (a);
ld.param.b32 %r6, [b]; }
st.global.u32 [%rd2], %r6;)"),
               {1}, {64}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) {
        std::uint32_t f = 1;
        for (unsigned k = 2; k <= i % 11; ++k) f *= k;
        EXPECT_EQ(values[i], f) << i;
    }
}

std::string unary(const std::string& name, const std::string& op) {
    return ".func (.param .b32 r) " + name + "(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n" + op +
           "\nst.param.b32 [r], %r2;\nret;\n}\n";
}

TEST(Calls, ThroughPointersThatDifferBetweenLanes) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    for (const auto* how : {"P", "T"}) {
        gpu.launch(
            kHeader + unary("twice", "shl.b32 %r2, %r1, 1;") + unary("square", "mul.lo.u32 %r2, %r1, %r1;") +
                unary("less", "sub.u32 %r2, %r1, 1;") +
                kernel("u64 out",
                       "P: .callprototype (.param .b32 _) _ (.param .b32 _);\nT: .calltargets twice, square, less;\n" +
                           index_into("out") + R"(
mov.u64 %rd5, twice; mov.u64 %rd6, square; mov.u64 %rd7, less;
rem.u32 %r5, %r1, 3;
setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %r5, 1;
selp.b64 %rd8, %rd6, %rd7, %p2; selp.b64 %rd8, %rd5, %rd8, %p1;
{ .param .b32 a; .param .b32 b;
st.param.b32 [a], %r1;
call (b), %rd8, (a), )" + how +
                           R"(;
ld.param.b32 %r6, [b]; }
st.global.u32 [%rd2], %r6;)"),
            {2}, {32}, parameters(out));
        const auto values = gpu.read<std::uint32_t>(out, 64);
        for (unsigned i = 0; i < 64; ++i)
            EXPECT_EQ(values[i], i % 3 == 0 ? 2 * i : i % 3 == 1 ? i * i : i - 1) << how << i;
    }
}

TEST(Calls, PointerThatIsNoFunction) {
    Gpu gpu;
    const auto r = gpu.try_launch(kHeader + unary("twice", "shl.b32 %r2, %r1, 1;") + kernel("u64 f", R"(
P: .callprototype (.param .b32 _) _ (.param .b32 _);
mov.u64 %rd2, twice;
ld.param.u64 %rd1, [f];
{ .param .b32 a; .param .b32 b;
st.param.b32 [a], 1;
call (b), %rd1, (a), P;
}
)"),
                                  {1}, {1}, parameters(std::uint64_t{12345}));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::fault);
}

const std::string kSupplied = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
)";

std::string text_variable(const std::string& name, const std::string& text) {
    std::string s = ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + 1) + "] = {";
    for (unsigned char c : text) s += std::to_string(c) + ", ";
    return s + "0};\n";
}

TEST(Supplied, Printf) {
    Gpu gpu;
    const auto r = gpu.launch(kHeader + kSupplied + text_variable("format", "%d|%5u|%.2f|%s|%x|%c|%lld%%\n") +
                                  text_variable("word", "abc") + kernel("", R"(
.local .align 8 .b8 args[56];
mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 2; @%p1 bra END;
mov.u64 %rd1, args;
st.local.u32 [%rd1], -7; st.local.u32 [%rd1+4], 42; st.local.f64 [%rd1+8], 0d4004000000000000;
mov.u64 %rd2, word; cvta.global.u64 %rd2, %rd2; st.local.u64 [%rd1+16], %rd2;
st.local.u32 [%rd1+24], 255; st.local.u32 [%rd1+28], 90; mov.u64 %rd5, -5000000000; st.local.u64 [%rd1+32], %rd5;
cvta.local.u64 %rd3, %rd1; mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
{ .param .b64 a; .param .b64 b; .param .b32 c;
st.param.b64 [a], %rd4; st.param.b64 [b], %rd3;
call.uni (c), vprintf, (a, b); }
END:)"),
                              {1}, {4}, {});
    EXPECT_EQ(r.output, "-7|   42|2.50|abc|ff|Z|-5000000000%\n");
}

// A GPU takes 32 arguments, and prints the conversions of further ones as they stand.
TEST(Supplied, PrintfOfMoreThan32Arguments) {
    Gpu gpu;
    std::string format, expected, stores;
    for (int k = 0; k < 34; ++k) {
        format += "%d,";
        expected += k < 32 ? std::to_string(k) + "," : "%d,";
        stores += "st.local.u32 [%rd1+" + std::to_string(4 * k) + "], " + std::to_string(k) + ";\n";
    }
    const auto r = gpu.launch(kHeader + kSupplied + text_variable("format", format + "%%\n") + kernel("", R"(
.local .align 8 .b8 args[136];
mov.u64 %rd1, args;
)" + stores + R"(
cvta.local.u64 %rd3, %rd1; mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
{ .param .b64 a; .param .b64 b; .param .b32 c;
st.param.b64 [a], %rd4; st.param.b64 [b], %rd3;
call.uni (c), vprintf, (a, b); })"),
                              {1}, {1}, {});
    EXPECT_EQ(r.output, expected + "%\n");
}

TEST(Supplied, Assert) {
    Gpu gpu;
    const auto r = gpu.try_launch(kHeader + kSupplied + text_variable("m", "i < 3") + text_variable("f", "my.cu") +
                                      text_variable("n", "void k()") + kernel("", R"(
mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra END;
mov.u64 %rd1, m; mov.u64 %rd2, f; mov.u64 %rd3, n;
{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 77; st.param.b64 [d], %rd3; st.param.b64 [e], 1;
call.uni __assertfail, (a, b, c, d, e); }
END:)"),
                                  {1}, {4}, {});
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::fault);
    EXPECT_EQ(r.error().where.file, "my.cu");
    EXPECT_EQ(r.error().where.line, 77u);
    EXPECT_THAT(r.error().what, testing::HasSubstr("i < 3"));
    EXPECT_THAT(r.error().what, testing::HasSubstr("thread (3,0,0) of block (0,0,0)"));
}

const std::string kMalloc =
    R"({ .param .b64 a; .param .b64 b; st.param.b64 [a], 64; call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }
)";
const std::string kFree = R"({ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }
)";

TEST(Supplied, MallocAndFree) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(40));
    gpu.launch(kHeader + kSupplied + kernel("u64 out", index_into("out") + kMalloc + R"(
st.u32 [%rd5+60], %r1; st.u32 [%rd5], 1000;
ld.u32 %r5, [%rd5+60]; ld.u32 %r6, [%rd5]; add.u32 %r5, %r5, %r6;
st.global.u32 [%rd2], %r5;
)" + kFree),
               {1}, {40}, parameters(out));
    const auto values = gpu.read<std::uint32_t>(out, 40);
    for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(values[i], 1000 + i);
}

TEST(Supplied, FreeTwiceAndUseAfterFreeAreFaults) {
    Gpu gpu;
    auto twice = gpu.try_launch(kHeader + kSupplied + kernel("", kMalloc + kFree + kFree), {1}, {1}, {});
    ASSERT_FALSE(twice.ok());
    EXPECT_EQ(twice.error().kind, ErrorKind::fault);
    const auto text = kHeader + kSupplied + kernel("", kMalloc + kFree + "\nst.u32 [%rd5], 1; // here\n");
    auto after = gpu.try_launch(text, {1}, {1}, {});
    ASSERT_FALSE(after.ok());
    EXPECT_EQ(after.error().kind, ErrorKind::fault);
    EXPECT_EQ(after.error().where.line, line_of(text, "// here"));
}

}  // namespace calls_test
