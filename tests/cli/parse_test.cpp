#include <gmock/gmock.h>

#include "cli/options/argument_words.hpp"

namespace warpwright::cli {
namespace parse_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sizes, one_number_or_one_for_each) {
    EXPECT_THAT(*parse_size("192", 3), ElementsAre(192, 192, 192));
    EXPECT_THAT(*parse_size("64x32x128", 3), ElementsAre(64, 32, 128));
    EXPECT_THAT(*parse_size("2^20", 1), ElementsAre(1 << 20));
    EXPECT_THAT(*parse_size("0", 1), ElementsAre(0));
    EXPECT_THAT(*parse_size("max(3,4)", 1), ElementsAre(4));
    for (const char* bad : {"", "-1", "1.5", "1x2", "x", "12a", "1x", "1e30"})
        EXPECT_FALSE(parse_size(bad, 3).ok()) << bad;
    EXPECT_THAT(split_list({"192,193", "max(1,2)"}), ElementsAre("192", "193", "max(1,2)"));
}

TEST(Extents, up_to_three_numbers_from_1_on) {
    EXPECT_EQ(*parse_extent("64", "grid"), (launch::Extent{64, 1, 1}));
    EXPECT_EQ(*parse_extent("16x16", "block"), (launch::Extent{16, 16, 1}));
    EXPECT_EQ(*parse_extent("1x2x3", "block"), (launch::Extent{1, 2, 3}));
    EXPECT_EQ(*parse_extent("1,2,3", "block"), (launch::Extent{1, 2, 3}));
    for (const char* bad : {"", "0", "16x", "x16", "1x1x1x1", "-1", "16 x 16", "4294967296", "a"})
        EXPECT_FALSE(parse_extent(bad, "grid").ok()) << bad;
}

TEST(Axes, values_of_an_axis_come_together) {
    auto a = parse_axes({"T=int32", "B=8,16", "T=float32"});
    ASSERT_TRUE(a.ok());
    EXPECT_THAT(a->at("T"), ElementsAre("int32", "float32"));
    EXPECT_THAT(a->at("B"), ElementsAre("8", "16"));
    for (const char* bad : {"T", "=1", "T="}) EXPECT_FALSE(parse_axes({bad}).ok()) << bad;
}

TEST(Arguments, buffers) {
    auto a = parse_argument("f32[1024*1024]=random");
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->kind, LaunchArgument::Kind::buffer);
    EXPECT_EQ(a->count, 1024u * 1024);
    EXPECT_EQ(a->contents.kind, values::Contents::Kind::random);
    EXPECT_EQ(parse_argument("i32[0]=zero")->count, 0u);
    EXPECT_EQ(parse_argument("f32[64x32]=zero")->count, 2048u);
    EXPECT_EQ(parse_argument("f32[8x4x2]=zero")->count, 64u);
    EXPECT_EQ(parse_argument("u8[4]=file:a=b].bin")->contents.path, "a=b].bin");
    auto error = [](const char* text) {
        auto r = parse_argument(text);
        return r ? std::string("no error") : r.error().text();
    };
    EXPECT_THAT(error("f32[10]"), HasSubstr("argument 'f32[10]': does not say what the buffer holds"));
    EXPECT_THAT(error("f33[10]=zero"), HasSubstr("'f33' is not an element type"));
    EXPECT_THAT(error("f32[-1]=zero"), HasSubstr("-1 elements"));
    EXPECT_THAT(error("f32[3/2]=zero"), HasSubstr("not a whole number"));
    EXPECT_THAT(error("f32[n]=zero"), HasSubstr("'n' is not a number"));
    EXPECT_THAT(error("f32[10=zero"), HasSubstr("']' is missing"));
    EXPECT_THAT(error("f32[10]=zeros"), HasSubstr("'zeros' does not say"));
    EXPECT_THAT(error("f64[2^50]=zero"), HasSubstr("over 1 TiB"));
}

TEST(Arguments, numbers) {
    EXPECT_EQ(parse_argument("1024")->number, 1024);
    EXPECT_FALSE(parse_argument("1024")->number_element);
    EXPECT_EQ(parse_argument("f32:1.5")->number, 1.5);
    EXPECT_EQ(parse_argument("f32:1.5")->number_element, values::Element::f32);
    EXPECT_EQ(parse_argument("-7")->number, -7);
    EXPECT_EQ(parse_argument("0xffffffffffffffff")->number, 18446744073709551615.0L);
    EXPECT_EQ(parse_argument("ptr:null")->kind, LaunchArgument::Kind::null);
    for (const char* bad : {"", "abc", "f32:", "f31:1", "1 2", " 1", "12f"})
        EXPECT_FALSE(parse_argument(bad).ok()) << bad;
}

TEST(Outputs, index_and_file) {
    EXPECT_EQ(*parse_output("1:out.npy"), (std::pair<std::size_t, std::string>{1, "out.npy"}));
    EXPECT_EQ(parse_output("0:c:d")->second, "c:d");
    for (const char* bad : {"", "1", "1:", ":x", "a:x", "-1:x", "1.5:x"}) EXPECT_FALSE(parse_output(bad).ok()) << bad;
}

}  // namespace parse_test
}  // namespace warpwright::cli
