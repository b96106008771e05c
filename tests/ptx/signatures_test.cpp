// Kernels' signatures, read without their bodies.
#include <gmock/gmock.h>

#include "ptx/signatures.hpp"

namespace warpwright::ptx {
namespace signatures_test {

using ::testing::HasSubstr;

constexpr const char* kText = R"(.version 9.0
.target sm_90a
.address_size 64
.global .align 4 .b8 table[4] = {1, 2, 3, 4};
.func (.param .b32 r) helper(.param .b32 x) { ret; }
.extern .entry later(.param .u64 a);
.visible .entry first(
	.param .u64 .ptr .global .align 16 out,
	.param .u8 flag,
	.param .f64 scale,
	.param .align 64 .b8 map[128],
	.param .u32 n
)
.reqntid 128
.reqnctapercluster 2, 1, 1
.minnctapersm 1
{
	.loc 1 3 5
	{ an.instruction.nobody.knows %r1, {%r2, %r3}; }
	call.uni (r), vprintf, (p0, p1);
	ret;
}
.entry second .maxntid 16, 8
{
	ret;
}
)";

TEST(Signatures, parameters_lie_where_the_abi_puts_them) {
    auto entries = read_signatures(kText, "k.ptx");
    ASSERT_TRUE(entries.ok()) << entries.error().text();
    ASSERT_EQ(entries->size(), 2u);
    const EntrySignature& e = entries->front();
    EXPECT_EQ(e.name, "first");
    ASSERT_EQ(e.parameters.size(), 5u);
    const std::uint32_t offsets[] = {0, 8, 16, 64, 192}, sizes[] = {8, 1, 8, 128, 4}, aligns[] = {8, 1, 8, 64, 4};
    const char* types[] = {"u64", "u8", "f64", "b8", "u32"};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(e.parameters[i].offset, offsets[i]) << i;
        EXPECT_EQ(e.parameters[i].size, sizes[i]) << i;
        EXPECT_EQ(e.parameters[i].align, aligns[i]) << i;
        EXPECT_EQ(e.parameters[i].type, types[i]) << i;
    }
    EXPECT_EQ(e.parameters[3].name, "map");
}

TEST(Signatures, demands_on_the_launch) {
    auto entries = read_signatures(kText, "k.ptx");
    ASSERT_TRUE(entries.ok());
    const EntrySignature &first = entries->front(), &second = entries->back();
    EXPECT_EQ(first.required_block[0], 128u);
    EXPECT_EQ(first.required_block[2], 1u);
    EXPECT_EQ(first.required_cluster[0], 2u);
    EXPECT_EQ(first.max_threads, 0u);
    EXPECT_TRUE(first.has_line_information);
    EXPECT_TRUE(first.prints);
    EXPECT_EQ(second.name, "second");
    EXPECT_TRUE(second.parameters.empty());
    EXPECT_EQ(second.max_threads, 128u);
    EXPECT_EQ(second.required_block[0], 0u);
    EXPECT_FALSE(second.has_line_information);
    EXPECT_FALSE(second.prints);
}

TEST(Signatures, malformed_text_is_an_error_with_its_place) {
    for (const auto& [text, words] : {std::pair{".entry k(.param .u64 a) {", "1:26: error: a '{' is not closed"},
                                      std::pair{".entry k(.param a) { ret; }", "has no type"},
                                      std::pair{".entry k(.param .b8 a[99999999999999999999]) { ret; }", "error"},
                                      std::pair{".entry k(.param .b8 a[70000]) { ret; }", "64 KiB"},
                                      std::pair{".entry k(.param .align 3 .b8 a[3]) { ret; }", "power of two"},
                                      std::pair{".entry k(.param .u32 a)", "has no body"}}) {
        auto entries = read_signatures(text, "k.ptx");
        ASSERT_FALSE(entries.ok()) << text;
        EXPECT_EQ(entries.error().kind, ErrorKind::input);
        EXPECT_THAT(entries.error().text(), HasSubstr(words));
    }
}

}  // namespace signatures_test
}  // namespace warpwright::ptx
