// Registers read before they are written are zero, whatever shape the values have that other paths bring.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace undefined_test {

using namespace warpwright;

std::vector<std::uint32_t> run(const std::string& body, bool affine_off, std::uint32_t n) {
    engine::EngineOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 28;
    options.affine_off = affine_off;
    auto made = engine::Engine::create(options);
    if (!made) return {};
    auto& e = **made;
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
        ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"
        "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 "
        "%rd2, %rd1, %rd2;\n"
        "setp.ne.u32 %p1, %r1, 0;\n" +
        body + "\nst.global.u32 [%rd2], %r10;\nret;\n}\n";
    auto program = e.load("undefined.ptx", text);
    if (!program) {
        ADD_FAILURE() << program.error().text();
        return {};
    }
    const auto out = e.memory().allocate(4 * 64).value();
    std::byte parameters[12];
    std::memcpy(parameters, &out, 8);
    std::memcpy(parameters + 8, &n, 4);
    engine::LaunchRequest request;
    request.config.block.x = 64;
    request.parameters = parameters;
    request.options.timeout = std::chrono::seconds(60);
    auto reply = e.launch(**program, 0, request);
    if (!reply) {
        ADD_FAILURE() << reply.error().text();
        return {};
    }
    std::vector<std::uint32_t> values(64);
    std::memcpy(values.data(), reinterpret_cast<const void*>(out), 4 * 64);
    return values;
}

/// `of(lane)`: what the kernel gives when n is 1; zero, whatever the lane, when n is 0.
void expect_zero_or(const std::string& body, std::uint32_t (*of)(std::uint32_t)) {
    for (const bool affine_off : {false, true})
        for (const std::uint32_t n : {0u, 1u}) {
            const auto values = run(body, affine_off, n);
            ASSERT_EQ(values.size(), 64u);
            for (std::uint32_t i = 0; i < 64; ++i)
                EXPECT_EQ(values[i], n ? of(i) : 0u)
                    << body << "\nlane " << i << " n " << n << " affine_off " << affine_off;
        }
}

TEST(Undefined, WrittenOnOnePathOnly) {
    expect_zero_or("@!%p1 bra L;\nmov.u32 %r10, %tid.x;\nL:", [](std::uint32_t i) { return i; });
    expect_zero_or("@!%p1 bra L;\nmad.lo.u32 %r10, %r2, %r1, 7;\nL:", [](std::uint32_t i) { return i + 7; });
    expect_zero_or("@%p1 mov.u32 %r10, %r2;", [](std::uint32_t i) { return i; });
    expect_zero_or("@!%p1 bra L;\nmov.u32 %r10, 5;\nL:", [](std::uint32_t) { return 5u; });
    expect_zero_or("@!%p1 bra L;\nmul.lo.u32 %r10, %r2, %r2;\nL:", [](std::uint32_t i) { return i * i; });
}

TEST(Undefined, Wide) {
    expect_zero_or("@!%p1 bra L;\nmul.wide.u32 %rd5, %r2, 12;\nL:\ncvt.u32.u64 %r10, %rd5;",
                   [](std::uint32_t i) { return 12 * i; });
    expect_zero_or("@!%p1 bra L;\nsub.s64 %rd5, %rd2, %rd1;\nL:\ncvt.u32.u64 %r10, %rd5;",
                   [](std::uint32_t i) { return 4 * i; });
}

TEST(Undefined, InALane) {
    expect_zero_or("setp.ge.u32 %p2, %r2, 40; @%p2 bra L;\n@!%p1 bra L;\nadd.u32 %r10, %r2, 9;\nL:",
                   [](std::uint32_t i) { return i < 40 ? i + 9 : 0; });
    expect_zero_or(
        "setp.ge.u32 %p2, %r2, 40; @%p2 bra L;\n@!%p1 bra M;\nadd.u32 %r10, %r2, 9;\nM: add.u32 %r10, %r10, %r10;\nL:",
        [](std::uint32_t i) { return i < 40 ? 2 * (i + 9) : 0; });
}

TEST(Undefined, AroundALoop) {
    // Written in the second round at the earliest.
    expect_zero_or(
        "mov.u32 %r5, 0;\nLOOP:\nadd.u32 %r11, %r11, %r10;\nmov.u32 %r10, %r11;\n@!%p1 bra SKIP;\nmov.u32 %r11, "
        "%r2;\nSKIP:\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 3;\n@%p3 bra LOOP;",
        [](std::uint32_t i) { return 2 * i; });
    expect_zero_or(
        "mov.u32 %r5, 0;\nLOOP:\nmov.u32 %r10, %r12;\n@!%p1 bra SKIP;\nmov.u32 %r12, %r2;\nSKIP:\nadd.u32 %r5, %r5, 1; "
        "setp.lt.u32 %p3, %r5, 2;\n@%p3 bra LOOP;",
        [](std::uint32_t i) { return i; });
}

TEST(Undefined, OtherTypes) {
    expect_zero_or("@!%p1 bra L;\nsetp.lt.u32 %p4, %r2, 9;\nL:\nselp.u32 %r10, 3, 0, %p4;",
                   [](std::uint32_t i) { return i < 9 ? 3u : 0u; });
    expect_zero_or("@!%p1 bra L;\ncvt.rn.f32.u32 %f1, %r2;\nL:\ncvt.rzi.u32.f32 %r10, %f1;",
                   [](std::uint32_t i) { return i; });
    expect_zero_or("@!%p1 bra L;\ncvt.u16.u32 %h1, %r2;\nL:\ncvt.u32.u16 %r10, %h1;",
                   [](std::uint32_t i) { return i; });
}

}  // namespace undefined_test
