// Pointers to what has been freed: no later allocation, and nothing the device needs itself, comes to lie there soon.
#include <fstream>
#include <set>

#include <unistd.h>

#include "support.hpp"

namespace pointers_test {

using namespace device_tests;

const std::string kStore = module("u64 a", "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], 1; // here\n");

void expect_stale(Gpu& gpu, Address a) {
    const auto r = gpu.try_launch(kStore, {1}, {32}, parameters(a));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::fault) << r.error().text();
    EXPECT_EQ(r.error().where.line, line_of(kStore, "// here")) << r.error().text();
}

// A function that takes its parameter's address and reads by that: clang writes so where a structure is passed.
TEST(Parameters, AreReadByAddressInFunctions) {
    const std::string function =
        ".func last(.param .align 8 .b8 s[24], .param .b32 i)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<6>;\n"
        "mov.b64 %rd1, s;\nmov.u64 %rd2, %rd1;\nld.param.v2.u32 {%r1, %r2}, [%rd2+8];\nadd.u32 %r1, %r1, %r2;\n"
        "ld.param.u32 %r3, [i];\nmul.wide.u32 %rd4, %r3, 4;\nld.param.u64 %rd3, [%rd2+16];\nadd.u64 %rd3, %rd3, "
        "%rd4;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";
    // Inlined, and called for itself.
    for (const char* call : {"call last, (p0, p1);", "mov.u64 %rd9, last;\ncall %rd9, (p0, p1), proto;"}) {
        const auto body = std::string("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n") +
                          "proto: .callprototype _ (.param .align 8 .b8 _[24], .param .b32 _);\n" +
                          "{\n.param .align 8 .b8 p0[24];\n.param .b32 p1;\nst.param.b64 [p0], 7;\n"
                          "st.param.b32 [p0+8], %r1;\nst.param.b32 [p0+12], 100;\nst.param.b64 [p0+16], %rd1;\n"
                          "st.param.b32 [p1], %r1;\n" +
                          call + "\n}\n";
        Gpu gpu;
        const auto a = gpu.device->allocate(128).value();
        const auto r = gpu.try_launch(kHeader + function + kernel("u64 a", body), {1}, {32}, parameters(a));
        ASSERT_TRUE(r.ok()) << call << ": " << r.error().text();
        std::vector<std::uint32_t> out(32);
        ASSERT_TRUE(gpu.device->read(std::as_writable_bytes(std::span(out)), a).ok());
        for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 100 + i) << call;
    }
}

TEST(StalePointers, AreNotTheParameters) {
    for (const std::uint64_t bytes : {64u, 16384u, 20000u, 1u << 20}) {
        Gpu gpu;
        const auto a = gpu.device->allocate(bytes).value();
        ASSERT_TRUE(gpu.device->release(a).ok());
        expect_stale(gpu, a);
        // Also not the parameters of a launch that has ended.
        ASSERT_TRUE(gpu.try_launch(module("", ""), {1}, {32}, {}).ok());
        expect_stale(gpu, a);
    }
}

TEST(StalePointers, AreNotTheNextAllocation) {
    Gpu gpu;
    std::set<Address> freed;
    auto live = gpu.device->allocate(4096).value();
    for (unsigned i = 0; i < 200; ++i) {
        const auto a = gpu.device->allocate(4096).value();
        EXPECT_TRUE(freed.insert(a).second) << i;
        ASSERT_TRUE(gpu.device->release(a).ok());
        if (i % 50 == 0) {
            const auto next = gpu.device->allocate(4096).value();
            expect_stale(gpu, a);
            EXPECT_TRUE(gpu.device->release(next).ok());
            freed.insert(next);
        }
    }
    EXPECT_EQ(freed.count(live), 0u);
    ASSERT_TRUE(gpu.try_launch(kStore, {1}, {32}, parameters(live)).ok());
    for (auto a : freed) EXPECT_FALSE(gpu.device->release(a).ok());
}

TEST(StalePointers, AllMemoryCanBeUsedAgainAndAgain) {
    Gpu gpu(1, "", std::uint64_t{1} << 26);
    const std::uint64_t most = (std::uint64_t{1} << 26) - (1 << 20);
    for (unsigned i = 0; i < 12; ++i) {
        // One large piece, then many small ones, every second freed before the others, then the large piece again.
        auto large = gpu.device->allocate(most);
        ASSERT_TRUE(large.ok()) << i << ": " << large.error().text();
        EXPECT_FALSE(gpu.device->allocate(most).ok());
        EXPECT_EQ(gpu.device->allocate(most).error().kind, ErrorKind::limit);
        ASSERT_TRUE(gpu.device->release(*large).ok());
        std::vector<Address> pieces;
        for (unsigned k = 0; k < 60; ++k) {
            auto p = gpu.device->allocate(1 << 20);
            ASSERT_TRUE(p.ok()) << i << " " << k << ": " << p.error().text();
            pieces.push_back(*p);
        }
        for (unsigned k = 0; k < 60; k += 2) ASSERT_TRUE(gpu.device->release(pieces[k]).ok());
        for (unsigned k = 1; k < 60; k += 2) ASSERT_TRUE(gpu.device->release(pieces[k]).ok());
    }
}

std::uint64_t resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t total = 0, resident = 0;
    in >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(StalePointers, KeepNoMemoryOfTheHost) {
    Gpu gpu;
    const auto before = resident_bytes();
    for (unsigned i = 0; i < 400000; ++i) ASSERT_TRUE(gpu.device->release(gpu.device->allocate(600).value()).ok());
    EXPECT_LT(resident_bytes(), before + (64u << 20));  // they were 240 MB in all
}

TEST(StalePointers, FreedByTheKernelItself) {
    // The store is one the site knows: it has been there before the free.
    const std::string supplied =
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n";
    for (const auto* type : {"", ".global"}) {
        Gpu gpu;
        const auto text = kHeader + supplied + kernel("u64 n", R"(
{ .param .b64 a; .param .b64 b; st.param.b64 [a], 64; call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }
mov.u32 %r1, 0;
AGAIN:
st)" + std::string(type) + R"(.u32 [%rd5], 1; // here
setp.ne.u32 %p1, %r1, 1; @%p1 bra KEEP;
{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }
KEEP:
add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 4; @%p2 bra AGAIN;)");
        const auto r = gpu.try_launch(text, {1}, {1}, parameters(std::uint64_t{0}));
        ASSERT_FALSE(r.ok()) << type;
        EXPECT_EQ(r.error().kind, ErrorKind::fault);
        EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
    }
}

TEST(StalePointers, FreedAfterRequestsLikeOneAnother) {
    // Lanes take places that only memory knows, in the same order each time: generated code moves them itself.
    const auto text = kHeader +
                      ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n" +
                      kernel("u64 n", R"(
.shared .align 8 .b8 box[8];
.shared .align 4 .b8 order[128];
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0; @%p1 bra MADE;
{ .param .b64 a; .param .b64 b; st.param.b64 [a], 4096; call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }
st.shared.u64 [box], %rd5;
MADE:
xor.b32 %r2, %r1, 1; mov.u32 %r3, order; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r2;
bar.sync 0;
ld.shared.u64 %rd5, [box]; ld.shared.u32 %r2, [%r3];
mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd6, %rd5; add.u64 %rd6, %rd6, 2048;
mov.u32 %r2, 0;
AGAIN:
setp.ne.u32 %p2, %r2, 8; or.pred %p2, %p2, %p1; @%p2 bra KEEP;
{ .param .b64 a; st.param.b64 [a], %rd5; call.uni free, (a); }
KEEP:
bar.sync 0;
st.global.u32 [%rd6], %r2; // here
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 12; @%p2 bra AGAIN;)");
    Gpu gpu;
    const auto r = gpu.try_launch(text, {1}, {32}, parameters(std::uint64_t{0}));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::fault);
    EXPECT_EQ(r.error().where.line, line_of(text, "// here")) << r.error().text();
}

}  // namespace pointers_test
