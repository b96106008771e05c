// NaNs that a kernel has computed have a GPU's bits wherever an instruction passes them on, whatever the host's own
// instructions give. The operands come from memory, so that no compiler computes with them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace nan_test {

using namespace warpwright;

constexpr unsigned kWords = 16;

/// Runs `body` in one thread and returns what it has stored at [%out]. %in has the operands: f32 infinity at 0, 1 at 4;
/// f64 infinity at 8, 0 at 16, a signalling NaN (payload 1) at 24, a quiet negative NaN (payload 2) at 32, 2 at 40.
std::vector<std::uint64_t> stored(const std::string& body) {
    engine::EngineOptions options;
    options.threads = 1;
    options.memory = std::uint64_t{1} << 28;
    auto engine = engine::Engine::create(options);
    EXPECT_TRUE(engine) << engine.error().text();
    auto& e = **engine;
    const std::string ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q) {\n"
        ".reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .b64 %out, %in;\n.reg .b32 %b;\n"
        "ld.param.u64 %out, [p];\nld.param.u64 %in, [q];\nld.global.f32 %f1, [%in];\nld.global.f32 %f2, [%in+4];\n"
        "ld.global.f64 %d1, [%in+8];\nld.global.f64 %d2, [%in+16];\nld.global.f64 %d3, [%in+24];\n"
        "ld.global.f64 %d4, [%in+32];\nld.global.f64 %d5, [%in+40];\n" +
        body + "\nret;\n}\n";
    auto program = e.load("nan.ptx", ptx);
    EXPECT_TRUE(program) << program.error().text();
    if (!program) return {};
    const auto out = e.memory().allocate(8 * kWords).value(), in = e.memory().allocate(8 * kWords).value();
    std::memset(reinterpret_cast<void*>(out), 0, 8 * kWords);
    const std::uint64_t operands[] = {0x3f8000007f800000, 0x7ff0000000000000, 0,
                                      0x7ff0000000000001, 0xfff8000000000002, 0x4000000000000000};
    std::memcpy(reinterpret_cast<void*>(in), operands, sizeof operands);
    std::byte parameters[16];
    std::memcpy(parameters, &out, 8);
    std::memcpy(parameters + 8, &in, 8);
    engine::LaunchRequest request;
    request.parameters = parameters;
    auto reply = e.launch(**program, 0, request);
    EXPECT_TRUE(reply) << reply.error().text();
    std::vector<std::uint64_t> words(kWords);
    std::memcpy(words.data(), reinterpret_cast<const void*>(out), 8 * kWords);
    return words;
}

// An f32 NaN that is computed is 0x7fffffff.
TEST(Nan, OfSinglePrecisionIsCanonicalWhereItsBitsArePassedOn) {
    const auto w = stored(
        "sub.f32 %f3, %f1, %f1;\n"
        "cvt.f64.f32 %d6, %f3;\nst.global.f64 [%out], %d6;\n"
        "copysign.f32 %f4, %f3, %f2;\nst.global.f32 [%out+8], %f4;\n"
        "max.xorsign.abs.f32 %f5, %f3, %f2;\nst.global.f32 [%out+16], %f5;\n"
        "cvt.rna.tf32.f32 %b, %f3;\nst.global.b32 [%out+24], %b;\n"
        "st.global.f32 [%out+32], %f3;");
    EXPECT_EQ(w[0], 0x7fffffffe0000000u);
    EXPECT_EQ(w[1], 0x3f800000u) << "copysign: 1 with the sign of the NaN, which is positive";
    EXPECT_EQ(w[2], 0x3f800000u) << "max.xorsign.abs";
    EXPECT_EQ(w[3] & 0x80000000u, 0u) << "tf32";
    EXPECT_EQ(w[4], 0x7fffffffu);
}

// With a constant the code is another one: a number wins over a NaN, and of two zeros the one on the result's side.
TEST(Nan, AConstantIsTheMaximumBesideIt) {
    const auto w = stored(
        "sub.f32 %f3, %f1, %f1;\nneg.f64 %d7, %d2;\ncvt.rn.f32.f64 %f4, %d7;\ncvt.rn.f32.f64 %f5, %d2;\n"
        "max.f32 %f6, %f3, 0f3F800000;\nst.global.f32 [%out], %f6;\n"
        "min.f32 %f6, 0f3F800000, %f3;\nst.global.f32 [%out+4], %f6;\n"
        "max.f32 %f6, %f4, 0f00000000;\nst.global.f32 [%out+8], %f6;\n"
        "max.f32 %f6, %f5, 0f80000000;\nst.global.f32 [%out+12], %f6;\n"
        "min.f32 %f6, %f4, 0f00000000;\nst.global.f32 [%out+16], %f6;\n"
        "min.f32 %f6, %f5, 0f80000000;\nst.global.f32 [%out+20], %f6;\n"
        "max.NaN.f32 %f6, %f3, 0f3F800000;\nst.global.f32 [%out+24], %f6;\n"
        "max.f32 %f6, %f2, 0f7FC00001;\nst.global.f32 [%out+28], %f6;\n"
        "max.f64 %d6, %d3, 0d3FF0000000000000;\nst.global.f64 [%out+32], %d6;\n"
        "min.f64 %d6, %d2, 0d8000000000000000;\nst.global.f64 [%out+40], %d6;\n"
        "max.f64 %d6, 0d3FF0000000000000, %d5;\nst.global.f64 [%out+48], %d6;\n"
        "max.f64 %d6, %d3, 0d7FF8000000000002;\nst.global.f64 [%out+56], %d6;");
    EXPECT_EQ(w[0], 0x3f8000003f800000u) << "beside a NaN";
    EXPECT_EQ(w[1], 0u) << "+0 is the maximum";
    EXPECT_EQ(w[2], 0x8000000080000000u) << "-0 is the minimum";
    EXPECT_EQ(w[3], 0x3f8000007fffffffu) << ".NaN, and a constant that is none";
    EXPECT_EQ(w[4], 0x3ff0000000000000u);
    EXPECT_EQ(w[5], 0x8000000000000000u);
    EXPECT_EQ(w[6], 0x4000000000000000u);
    EXPECT_EQ(w[7], 0x7ff8000000000002u) << "two NaNs";
}

// As on an H200: an invalid operation gives the negative quiet NaN, and of several operands one comes through.
TEST(Nan, OfDoublePrecisionIsTheGpus) {
    constexpr std::uint64_t kInvalid = 0xfff8000000000000, kOne = 0x7ff8000000000001, kTwo = 0xfff8000000000002;
    const auto w = stored(
        "sub.f64 %d6, %d1, %d1;\nst.global.f64 [%out], %d6;\n"
        "mul.f64 %d6, %d1, %d2;\nst.global.f64 [%out+8], %d6;\n"
        "div.rn.f64 %d6, %d2, %d2;\nst.global.f64 [%out+16], %d6;\n"
        "fma.rn.f64 %d6, %d1, %d2, %d5;\nst.global.f64 [%out+24], %d6;\n"
        "neg.f64 %d7, %d5;\nsqrt.rn.f64 %d6, %d7;\nst.global.f64 [%out+32], %d6;\n"
        "add.rz.f64 %d7, %d1, %d1;\nsub.rp.f64 %d6, %d1, %d7;\nst.global.f64 [%out+40], %d6;\n"
        "add.f64 %d6, %d3, %d4;\nst.global.f64 [%out+48], %d6;\n"
        "add.f64 %d6, %d4, %d3;\nst.global.f64 [%out+56], %d6;\n"
        "div.rn.f64 %d6, %d3, %d4;\nst.global.f64 [%out+64], %d6;\n"
        "div.rn.f64 %d6, %d4, %d3;\nst.global.f64 [%out+72], %d6;\n"
        "fma.rn.f64 %d6, %d3, %d5, %d4;\nst.global.f64 [%out+80], %d6;\n"
        "mul.f64 %d6, %d3, %d5;\nst.global.f64 [%out+88], %d6;\n"
        "sqrt.rn.f64 %d6, %d3;\nst.global.f64 [%out+96], %d6;\n"
        "div.rz.f64 %d6, %d2, %d2;\nst.global.f64 [%out+104], %d6;");
    for (const unsigned k : {0u, 1u, 2u, 3u, 4u, 5u, 13u}) EXPECT_EQ(w[k], kInvalid) << k;
    EXPECT_EQ(w[6], kTwo) << "add: the second operand's";
    EXPECT_EQ(w[7], kOne);
    EXPECT_EQ(w[8], kOne) << "div: the first operand's";
    EXPECT_EQ(w[9], kTwo);
    EXPECT_EQ(w[10], kTwo) << "fma: c's before a's";
    EXPECT_EQ(w[11], kOne);
    EXPECT_EQ(w[12], kOne);
}

}  // namespace nan_test
