// Accesses to the kernel's own variables in shared memory, near their ends: those that are known to be inside are not
// looked at, and every other one that is outside ends the launch, whatever the compiler knows of its address.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"

namespace shared_bounds_test {

using namespace warpwright;

/// k(u64 out): %r1 is the thread, of 64, %r2 its offset in words of box[64]; stores and loads box[] at an address.
std::string text(const std::string& address) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
           ".shared .align 4 .b8 box[256];\n.reg .pred %p; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; "
           "shl.b32 %r2, %r1, "
           "2; mov.u32 %r7, 9; st.shared.u32 [box], %r7;\n" +
           address + "\nst.global.u32 [%rd1], %r7;\nret;\n}\n";
}

std::string run(const std::string& address, std::vector<std::uint32_t>& words) {
    engine::EngineOptions options;
    options.threads = 1, options.memory = std::uint64_t{1} << 26;
    auto e = engine::Engine::create(options).value();
    auto program = e->load("bounds.ptx", text(address));
    if (!program) return program.error().text();
    const auto out = e->memory().allocate(256).value();
    engine::LaunchRequest request;
    request.config.block.x = 64;
    std::byte parameters[8];
    std::memcpy(parameters, &out, 8);
    request.parameters = parameters;
    auto reply = e->launch(**program, 0, request);
    if (!reply) return reply.error().text();
    words.resize(64);
    std::memcpy(words.data(), reinterpret_cast<const void*>(out), 256);
    return "";
}

TEST(SharedBounds, Inside) {
    std::vector<std::uint32_t> words;
    for (const auto* address : {"st.shared.u32 [box+252], %r7; ld.shared.u32 %r7, [box+252];",
                                "mov.u32 %r3, box; add.u32 %r3, %r3, %r2; st.shared.u32 "
                                "[%r3], %r7; ld.shared.u32 %r7, [%r3];",
                                "and.b32 %r3, %r2, 127; st.shared.u32 [%r3+128], %r7; ld.shared.u32 %r7, [%r3+128];",
                                "st.shared.u8 [box+255], %r7; ld.shared.u8 %r7, [box+255];"}) {
        EXPECT_EQ(run(address, words), "") << address;
        EXPECT_EQ(words, std::vector<std::uint32_t>(64, 9)) << address;
    }
}

/// Of lanes that follow each other only the active ones must be inside: the others of a warp may lie on either side.
TEST(SharedBounds, InsideAsFarAsActive) {
    const std::string all = "st.shared.u32 [%r2], %r7; bar.sync 0; ", load = "; @%p ld.shared.u32 %r7, [%r2+";
    std::vector<std::uint32_t> words;
    for (const auto* active : {"setp.ge.u32 %p, %r1, 4 -16]", "setp.lt.u32 %p, %r1, 40 96]",
                               "setp.eq.u32 %p, %r1, 63 0]", "setp.eq.u32 %p, %r1, 5 -20]"}) {
        const std::string both = active;
        const auto at = both.rfind(' ');
        EXPECT_EQ(run(all + both.substr(0, at) + load + both.substr(at + 1) + ";", words), "") << active;
        EXPECT_EQ(words, std::vector<std::uint32_t>(64, 9)) << active;
    }
    for (const auto* active :
         {"setp.ge.u32 %p, %r1, 3 -16]", "setp.lt.u32 %p, %r1, 41 96]", "setp.eq.u32 %p, %r1, 63 4]",
          "setp.eq.u32 %p, %r1, 4 -20]", "setp.ge.u32 %p, %r1, 4 -14]"}) {
        const std::string both = active;
        const auto at = both.rfind(' ');
        EXPECT_NE(run(all + both.substr(0, at) + load + both.substr(at + 1) + ";", words), "") << active;
    }
}

TEST(SharedBounds, Outside) {
    std::vector<std::uint32_t> words;
    for (const auto* address :
         {"ld.shared.u32 %r7, [box+256];", "ld.shared.u32 %r7, [%r2+4];", "st.shared.u32 [%r2+4], %r7;",
          "ld.shared.v2.u32 {%r7, %r8}, [%r2];", "ld.shared.u32 %r7, [%r2+2];", "ld.shared.u32 %r7, [box+255];",
          "shl.b32 %r3, %r2, 1; ld.shared.u32 %r7, [%r3];", "sub.u32 %r3, %r2, 4; ld.shared.u32 %r7, [%r3];",
          "and.b32 %r3, %r2, 127; ld.shared.u32 %r7, [%r3+132];", "neg.s32 %r3, %r2; ld.shared.u32 %r7, [%r3];",
          // Small numbers of signed types that become large where they are extended.
          "mov.u32 %r3, 200; cvt.s32.s8 %r4, %r3; and.b32 %r5, %r2, 3; add.u32 %r4, %r4, %r5; ld.shared.u32 %r7, "
          "[%r4];",
          "mov.u32 %r3, 40000; cvt.u16.u32 %h1, %r3; cvt.s32.s16 %r4, %h1; ld.shared.u32 %r7, [%r4];",
          "mov.u32 %r3, 160; cvt.s8.s32 %r4, %r3; ld.shared.u32 %r7, [%r4];"})
        EXPECT_NE(run(address, words), "") << address;
}

}  // namespace shared_bounds_test
