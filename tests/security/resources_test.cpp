// Kernels and modules that ask for more than there is: of memory, of output, of time.
#include "security/attack.hpp"

namespace resources_test {

using namespace security_tests;

/// A device buffer with a text.
Address text(Victim& victim, const std::string& words) {
    const auto at = victim.device->allocate(words.size() + 1).value();
    EXPECT_TRUE(victim.device->write(at, std::as_bytes(std::span(words.c_str(), words.size() + 1))).ok());
    return at;
}

TEST(Resources, WidthsOfPrintedFieldsAreBounded) {
    Victim victim(false);
    const auto word = text(victim, "word");
    const struct {
        const char* format;
        std::uint64_t value;
        std::string expected;
    } formats[] = {{"%2000000000d", 7, std::string(4095, ' ') + "7"},
                   {"%.2000000000d", 7, std::string(4095, '0') + "7"},
                   {"%-2000000000u|", 7, "7" + std::string(4095, ' ') + "|"},
                   {"%99999999999999999999d", 7, std::string(4095, ' ') + "7"},
                   {"%8.3d %-6d| %+d %05d", 7, "     007 0     | +7 00000"},
                   {"%6.2s|%-6s|", word, "    wo|word  |"},
                   {"%lld %c%%", 65, "65 A%"},
                   {"%", 7, "%"},
                   {"%q", 7, "%q"}};
    for (const auto& f : formats) {
        const auto r = victim.run("wide_print.ptx", "print", parameters(text(victim, f.format), f.value, 1u), {1});
        ASSERT_TRUE(r.ok()) << r.error().text();
        EXPECT_EQ(r->output, f.expected) << f.format;
    }
    // %s of what is no text, and a width out of a register.
    for (const std::uint64_t value : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{0x7fffffff}})
        for (const char* format : {"%s", "%*d", "%.*f", "%*.*s", "%n", "%hhlln"}) {
            const auto r = victim.run("wide_print.ptx", "print", parameters(text(victim, format), value, 1u), {1});
            ASSERT_TRUE(r.ok()) << r.error().text();
            EXPECT_LE(r->output.size(), std::size_t{1} << 14) << format;
        }
}

TEST(Resources, WhatALaunchPrintsIsBounded) {
    Victim victim(false);
    std::string long_format;
    for (int k = 0; k < 1000; ++k) long_format += "%4096d";
    const auto r =
        victim.run("wide_print.ptx", "print", parameters(text(victim, long_format), std::uint64_t{1}, 600u), {1});
    ASSERT_TRUE(r.ok()) << r.error().text();
    EXPECT_LE(r->output.size(), (std::size_t{64} << 20) + 100);
    EXPECT_THAT(r->output, testing::HasSubstr("left out"));
}

TEST(Resources, TheTimeLimitEndsPrinting) {
    Victim victim(false);
    const auto r = victim.run("wide_print.ptx", "print", parameters(text(victim, "%d"), std::uint64_t{1}, 0u), {1},
                              std::chrono::milliseconds(500));
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().cause, Cause::time_limit) << r.error().text();
}

TEST(Resources, LocalMemoryOfAThreadIsLimited) {
    Victim victim(false);
    const auto with = [](const std::string& variables) {
        return ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n" + variables +
               "\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\nmov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; mov.u64 %rd1, a; "
               "add.s64 %rd1, %rd1, %rd2;\nst.local.u8 [%rd1], 1;\nret;\n}\n";
    };
    EXPECT_TRUE(victim.run_text("k.ptx", with(".local .b8 a[524288];"), "k", {}, {1}).ok());
    for (const char* size : {"524289", "536870912", "2147483647", "1099511627776", "9223372036854775807"}) {
        const auto r = victim.run_text("k.ptx", with(".local .b8 a[" + std::string(size) + "];"), "k", {}, {1});
        ASSERT_FALSE(r.ok()) << size;
        EXPECT_GT(r.error().where.line, 0u) << r.error().text();
        EXPECT_NE(r.error().kind, ErrorKind::internal) << r.error().text();
    }
    const auto two = with(
        ".local .b8 a[524288];\n.local .b8 b[16];\n.reg .b64 %q; mov.u64 %q, b; st.local.u8 [%q], 1; ld.local.u8 %q, "
        "[%q];\n");
    const auto r = victim.run_text("k.ptx", two, "k", {}, {1});
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().cause, Cause::launch_limit) << r.error().text();
}

TEST(Resources, ParametersAreLimited) {
    Victim victim(false);
    for (const char* size : {"40000", "4294967295", "4294967296", "1099511627776"}) {
        const auto r = victim.run_text("k.ptx",
                                       ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .b8 "
                                       "p[" +
                                           std::string(size) + "])\n{\nret;\n}\n",
                                       "k", std::vector<std::byte>(64), {1});
        ASSERT_FALSE(r.ok()) << size;
        EXPECT_GT(r.error().where.line, 0u) << r.error().text();
    }
}

}  // namespace resources_test
