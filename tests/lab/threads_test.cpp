// The experiment `threads`: the maps are what kernels wrote, and the text's figures come out.
#include "page_of.hpp"

namespace warpwright::lab::test {
namespace threads_test {

TEST(Threads, PictureOfTheText) {
    const record::shown::Page page = page_of("threads");
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    // 76 x 62 under 16 x 16: 5 x 4 blocks, 80 x 64 threads, 408 without a pixel.
    const auto& waste = row(part<record::shown::Table>(page, "waste"), 0, "16 x 16");
    EXPECT_EQ(text(waste[1]), "5 x 4");
    EXPECT_EQ(number(waste[2]), 5120);
    EXPECT_EQ(number(waste[3]), 5120 - 76 * 62);
    EXPECT_EQ(number(waste[5]), 160);
    // A warp is two rows of 16; the last of five columns of blocks has 12 of 16, the last row of blocks 14 of 16 lines.
    EXPECT_EQ(number(waste[6]), 31);
    EXPECT_EQ(number(waste[7]), 5);
    const auto& picture = part<record::shown::CellMap>(page, "picture");
    ASSERT_EQ(picture.rows.size(), 32u);
    ASSERT_EQ(picture.rows[0].size(), 40u);
    EXPECT_EQ(picture.rows[30][37].tone, 1);  // of block (4, 3)
    EXPECT_EQ(picture.rows[31][37].tone, 2);
    EXPECT_EQ(picture.rows[30][38].tone, 2);
}

TEST(Threads, MapsAndWarps) {
    const record::shown::Page page = page_of("threads");
    const auto& two = part<record::shown::CellMap>(page, "two");
    ASSERT_EQ(two.rows.size(), 16u);
    EXPECT_EQ(two.rows[9][10].tone, 3);     // block (1, 1)
    EXPECT_EQ(two.rows[9][10].text, "10");  // thread (2, 1) of 8 a row
    const auto& one = part<record::shown::CellMap>(page, "one");
    ASSERT_EQ(one.rows.size(), 4u);
    EXPECT_EQ(one.rows[3][11].text, "59");
    EXPECT_EQ(one.rows[3][12].tone, 6);  // no element
    const auto& three = part<record::shown::CellMap>(page, "three");
    ASSERT_EQ(three.rows.size(), 16u);
    EXPECT_EQ(three.rows[13][5].tone, 5);     // z 3, y 1, x 5: block (1, 0, 1) of 2 x 2 x 2
    EXPECT_EQ(three.rows[13][5].text, "13");  // thread (1, 1, 1) of 4 x 2 x 2
    const auto& warps = part<record::shown::Table>(page, "warps");
    EXPECT_EQ(number(row(warps, 0, "32 x 4")[3]), 1);
    EXPECT_EQ(number(row(warps, 0, "16 x 8")[3]), 2);
    EXPECT_EQ(number(row(warps, 0, "8 x 8")[3]), 4);
    EXPECT_EQ(number(row(warps, 0, "20 x 5")[2]), 4);
    EXPECT_EQ(number(row(warps, 0, "20 x 5")[4]), 28);
}

TEST(Threads, SaysWhereBoundsAreMissing) {
    const record::shown::Page page = page_of("threads");
    std::string warning;
    for (const auto* p : all<record::shown::Paragraph>(page))
        if (p->kind == record::shown::Paragraph::Kind::warning) warning = p->text;
    EXPECT_THAT(warning, testing::HasSubstr("kernels/threads/indices.cu:"));
    EXPECT_THAT(warning, testing::HasSubstr("bounds"));
}

TEST(Threads, RefusesWhatItHasNot) {
    Choices choices;
    choices.rungs = {"naive"};
    auto page = in_english(find_experiment("threads")->run(emulated(), choices));
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, ErrorKind::usage);
    choices = {};
    choices.sizes = {{0, 5}};
    page = in_english(find_experiment("threads")->run(emulated(), choices));
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, ErrorKind::usage);
}

}  // namespace threads_test
}  // namespace warpwright::lab::test
