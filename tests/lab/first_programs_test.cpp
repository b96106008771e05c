// The experiments on first programs: the sum of vectors, a picture, the sum of a vector.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "page_of.hpp"
#include "values/png.hpp"

namespace warpwright::lab::test {
namespace first_programs_test {

namespace fs = std::filesystem;

class PictureFiles : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }
    std::string file(const std::string& name) const { return (folder / name).string(); }
    fs::path folder = fs::temp_directory_path() / ("warpwright-picture-" + std::to_string(::getpid()));
};

TEST(Vecadd, EightSteps) {
    Choices choices;
    choices.sizes = {{1000}, {4096}};
    const record::shown::Page page = page_of("vecadd", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    const auto& steps = part<record::shown::Table>(page, "program-steps");
    ASSERT_EQ(steps.rows.size(), 8u);
    EXPECT_EQ(number(steps.rows[3][3]), 2 * 4 * 4096);
    EXPECT_EQ(number(steps.rows[6][3]), 4 * 4096);
    EXPECT_GT(number(steps.rows[3][4]), number(steps.rows[5][4]));  // the copies outweigh the kernel
    EXPECT_THAT(part<record::shown::Listing>(page, "program").text, testing::HasSubstr("cudaMemcpyDeviceToHost"));
    EXPECT_EQ(page.records.back().verified, true);
}

TEST_F(PictureFiles, ReadScaledWritten) {
    values::Picture in;
    in.width = 5;
    in.height = 3;
    for (int i = 0; i < 45; ++i) in.values.push_back(static_cast<std::uint8_t>(i * 5));
    for (int i = 0; i < 15; ++i) in.opacity.push_back(static_cast<std::uint8_t>(255 - i));
    ASSERT_TRUE(values::write_png(file("in.png"), in));
    Choices choices;
    choices.sizes = {{64, 16}};
    choices.input = file("in.png");
    choices.output = file("out.png");
    const record::shown::Page page = page_of("picture", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    const auto &before = part<record::shown::CellMap>(page, "before"),
               &after = part<record::shown::CellMap>(page, "after");
    EXPECT_TRUE(before.png.starts_with("iVBORw0KGgo")) << "the first bytes of each PNG file in base64";
    EXPECT_NE(before.png, after.png);
    EXPECT_EQ(before.png.size() % 4, 0u);
    EXPECT_GT(before.rows[0][0].heat, after.rows[2][4].heat) << "what is darker is deeper";
    auto out = values::read_png(file("out.png"));
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_EQ(out->width, 5u);
    EXPECT_EQ(out->channels, 3u);
    EXPECT_EQ(out->opacity, in.opacity);
    for (std::size_t i = 0; i < in.values.size(); ++i) EXPECT_EQ(out->values[i], std::min(255, 2 * in.values[i]));
}

TEST_F(PictureFiles, GreyStaysGrey) {
    values::Picture in;
    in.width = 2;
    in.height = 2;
    in.channels = 1;
    in.values = {0, 1, 128, 255};
    ASSERT_TRUE(values::write_png(file("grey.png"), in));
    auto back = values::read_png(file("grey.png"));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->channels, 1u);
    EXPECT_EQ(back->values, in.values);
    EXPECT_TRUE(back->opacity.empty());
}

TEST_F(PictureFiles, WhatIsNoPicture) {
    EXPECT_EQ(values::read_png(file("missing.png")).error().kind, ErrorKind::input);
    std::ofstream(file("text.png")) << "no picture";
    auto text = values::read_png(file("text.png"));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, ErrorKind::input);
    values::Picture in;
    in.width = in.height = 64;
    in.channels = 1;
    for (int i = 0; i < 64 * 64; ++i) in.values.push_back(static_cast<std::uint8_t>(i * 37));
    ASSERT_TRUE(values::write_png(file("whole.png"), in));
    fs::resize_file(file("whole.png"), fs::file_size(file("whole.png")) / 2);
    EXPECT_FALSE(values::read_png(file("whole.png")));
    EXPECT_FALSE(values::write_png(file("no/folder.png"), in));
    Choices choices;
    choices.input = file("text.png");
    auto page = in_english(find_experiment("picture")->run(emulated(), choices));
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().where.file, file("text.png"));
}

TEST(Reduce, CountsThatExplainTheText) {
    Choices choices;
    choices.sizes = {{8192}};
    choices.rungs = {"interleaved_modulo", "strided", "sequential", "first_add", "last_warp", "unrolled"};
    const record::shown::Page page = page_of("reduce", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    const auto& table = part<record::shown::Table>(page, "text");
    ASSERT_EQ(table.rows.size(), 6u);
    EXPECT_EQ(number(table.rows[0][7]), 1);
    for (const auto& r : table.rows) EXPECT_GT(number(r[5]), 0) << text(r[0]);
    const auto& counts = part<record::shown::Table>(page, "counts");
    const auto column = [&](const std::string& rung, std::size_t at) { return number(row(counts, 0, rung)[at]); };
    // Divergence goes with consecutive threads, conflicts come with them and go with sequential data.
    EXPECT_LT(column("strided", 3), column("interleaved_modulo", 3) / 4);
    EXPECT_EQ(column("interleaved_modulo", 7), 0);
    EXPECT_GT(column("strided", 7), 0);
    EXPECT_EQ(column("sequential", 7), 0);
    EXPECT_GT(column("strided", 2), column("interleaved_modulo", 2));
    // 8192 elements in blocks of 256: 32 blocks then 1, of 8 warps; half of them when a thread adds two on loading.
    EXPECT_EQ(column("sequential", 4), (32 + 1) * 8 * 9);
    EXPECT_EQ(column("first_add", 4), (16 + 1) * 8 * 9);
    EXPECT_LT(column("last_warp", 4), column("first_add", 4));
}

}  // namespace first_programs_test
}  // namespace warpwright::lab::test
