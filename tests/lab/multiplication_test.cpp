// The experiments on products of matrices: accesses as counted against the texts' formulas, exactly.
#include "page_of.hpp"

namespace warpwright::lab::test {
namespace multiplication_test {

TEST(Multiply, AccessesAndChecks) {
    Choices choices;
    choices.sizes = {{64}};
    choices.axes = {{"S", {"8", "16"}}, {"THREADS", {"32", "64"}}, {"UNROLL", {"1", "4"}}};
    const record::shown::Page page = page_of("multiply", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    const auto& accesses = part<record::shown::Table>(page, "accesses");
    EXPECT_EQ(accesses.rows.size(), 2u * 7);
    for (const auto& r : accesses.rows) EXPECT_EQ(number(r[2]), number(r[4])) << text(r[1]);
    const double cube = 64.0 * 64 * 64;
    EXPECT_EQ(number(row(accesses, 1, "naive (S 8)")[2]), 2 * cube);
    EXPECT_EQ(number(row(accesses, 1, "row_buffer (THREADS 32)")[2]), cube + 64 * 64);
    EXPECT_EQ(number(row(accesses, 1, "row_buffer_parts (THREADS 32)")[2]), cube + 2 * 64 * 64);
    EXPECT_EQ(number(row(accesses, 1, "blocks (S 16)")[2]), 2 * cube / 16);  // not 2 N^2
    const auto& check = part<record::shown::Table>(page, "check");
    EXPECT_EQ(check.rows.size(), 14u);
    for (const auto& r : check.rows) {
        EXPECT_EQ(number(r[1]), number(r[2])) << text(r[0]);
        EXPECT_EQ(number(r[4]), 0) << text(r[0]);
        EXPECT_LT(number(r[3]), 1e-4) << text(r[0]);
    }
    EXPECT_EQ(part<record::shown::Plot>(page, "unroll-time").series.size(), 4u);
    EXPECT_EQ(part<record::shown::Plot>(page, "launch-rate").series.size(), 4u);
    EXPECT_EQ(part<record::shown::Table>(page, "results-1").rows.size(), 14u);
    EXPECT_EQ(part<record::shown::Table>(page, "unrolled").rows.size(), 10u);
}

TEST(Multiply, IsTheWholeReportOfTheText) {
    Choices choices;
    choices.sizes = {{32}};
    choices.rungs = {"cpu_serial", "naive", "row_buffer", "column_buffer", "blocks"};
    choices.axes = {{"S", {"16"}}, {"THREADS", {"32"}}};
    const record::shown::Page page = page_of("multiply", choices);
    EXPECT_GE(page.front.size(), 4u);
    ASSERT_EQ(page.questions.size(), 5u) << "as many as the text asks";
    for (const record::shown::Question& q : page.questions) {
        EXPECT_EQ(q.question.back(), '?');
        EXPECT_GT(q.answer.size(), 60u) << q.question;
    }
    EXPECT_THAT(page.questions[3].answer, testing::HasSubstr("column_buffer"));
    EXPECT_EQ(text(row(part<record::shown::Table>(page, "equipment"), 0, "multiprocessors")[1]), "132");
    EXPECT_THAT(part<record::shown::Listing>(page, "source-host").text, testing::HasSubstr("cudaEventElapsedTime"));
}

TEST(Matmul, TheTextsRemarkOnALargerGpu) {
    Choices choices;
    choices.sizes = {{32, 32, 32}};
    choices.rungs = {"naive"};
    const record::shown::Page page = page_of("matmul", choices);
    const auto& gtx780 = part<record::shown::Table>(page, "text-gtx780");
    ASSERT_EQ(gtx780.rows.size(), 1u);
    EXPECT_NEAR(number(gtx780.rows[0][3]), 152.4e9, 0.05e9);
    EXPECT_NEAR(number(gtx780.rows[0][5]), 3.8, 0.2) << "the text takes about 4 TFLOP/s as the peak";
}

TEST(Multiply, EdgesThatFillNoBlock) {
    Choices choices;
    choices.sizes = {{37}};
    choices.rungs = {"naive", "row_buffer", "column_buffer_parts", "blocks"};
    choices.axes = {{"S", {"16"}}, {"THREADS", {"32"}}};
    const record::shown::Page page = page_of("multiply", choices);
    EXPECT_TRUE(page.problems.empty());
    for (const record::Record& r : page.records) EXPECT_EQ(r.verified, true) << r.rung;
}

TEST(Matmul, TablesOfTheText) {
    Choices choices;
    choices.sizes = {{32, 32, 32}, {64, 64, 64}};
    choices.rungs = {"naive", "row_buffer", "column_buffer", "tiled"};
    const record::shown::Page page = page_of("matmul", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    EXPECT_EQ(part<record::shown::Table>(page, "cpu").rows.size(), 2u);
    const auto& quoted = part<record::shown::Table>(page, "text-cpu");
    ASSERT_EQ(quoted.rows.size(), 4u);
    EXPECT_NEAR(number(quoted.rows[3][5]), 61, 0.1);  // as the text rounds it
    EXPECT_NEAR(number(quoted.rows[0][3]), 14.5e9, 0.05e9);
    const auto& accesses = part<record::shown::Table>(page, "accesses");
    for (const auto& r : accesses.rows) EXPECT_EQ(number(r[5]), 1) << text(r[1]);
    EXPECT_EQ(number(row(accesses, 1, "tiled (TILE 32)")[2]), 2 * 32 * 32);
    const auto& intensity = part<record::shown::Table>(page, "intensity");
    const double n = 64;
    EXPECT_DOUBLE_EQ(number(row(intensity, 0, "naive")[1]), 2 * n * n * n / (2 * n * n * n + n * n));
}

TEST(Tiles, PhasesOfTheText) {
    Choices choices;
    choices.sizes = {{64}};
    const record::shown::Page page = page_of("tiles", choices);
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    const auto& phases = part<record::shown::Table>(page, "phases");
    ASSERT_EQ(phases.rows.size(), 4u);
    EXPECT_EQ(text(row(phases, 0, "(1, 0)")[3]), "`A[0][3]` -> `tile_a[0][1]`");
    EXPECT_EQ(text(row(phases, 0, "(0, 1)")[4]), "`B[3][0]` -> `tile_b[1][0]`");
    // Block (2, 1) of 4 x 4, tiles of 4: rows 4 to 7 of A, columns 8 to 11 of B.
    const auto& a = part<record::shown::CellMap>(page, "phases-a");
    const auto& b = part<record::shown::CellMap>(page, "phases-b");
    EXPECT_EQ(a.rows[4][0].text, "1");
    EXPECT_EQ(a.rows[7][15].text, "4");
    EXPECT_EQ(a.rows[3][0].text, "");
    EXPECT_EQ(b.rows[15][11].text, "4");
    EXPECT_EQ(b.rows[0][7].text, "");
    for (const auto& cells : part<record::shown::CellMap>(page, "loads").rows)
        for (const record::shown::Cell& cell : cells) EXPECT_EQ(cell.text, "4");
    const auto& memory = part<record::shown::Table>(page, "memory");
    ASSERT_EQ(memory.rows.size(), 7u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(number(memory.rows[i][2]), number(memory.rows[i + 3][2]));  // the same bytes, static or dynamic
        EXPECT_EQ(number(memory.rows[i][6]), number(memory.rows[i + 3][6]));
        EXPECT_LT(number(memory.rows[i][5]), number(memory.rows[i + 3][5]));
    }
    EXPECT_EQ(number(row(memory, 0, "large")[2]), 72 * 1024);
}

}  // namespace multiplication_test
}  // namespace warpwright::lab::test
