// Pages of ladders: what changed between rungs, which rung is the better one, and a whole page of a small ladder.
#include "lab/page/ladder_page.hpp"

#include <gmock/gmock.h>

#include "lab/experiments/accesses.hpp"
#include "lab/page/sentence_figures.hpp"
#include "page_of.hpp"

namespace warpwright::lab::test {
namespace {

using record::Count;

TEST(Figures, Texts) {
    EXPECT_EQ(seconds_text(1.0384e-6), "1.04 µs");
    EXPECT_EQ(seconds_text(0.9999), "1.00 s");
    EXPECT_EQ(seconds_text(0), "0 s");
    EXPECT_EQ(bytes_text(72 * 1024), "72 KiB");
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");
    EXPECT_EQ(rate_text(1.524e11, "FLOP/s"), "152 GFLOP/s");
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(times_text(48.34), "48.3");
    EXPECT_EQ(number_text(-1234.5), "-1,235");
}

TEST(Changes, TellWhatMovedMost) {
    record::Counts before, after;
    before[Count::instructions] = after[Count::instructions] = 100000;
    before[Count::global_load_sectors] = 40000;
    after[Count::global_load_sectors] = 5000;
    before[Count::global_load_requests] = 10000;  // moves with its sectors
    after[Count::global_load_requests] = 1250;
    before[Count::divergent_branches] = 1;  // too few to matter
    after[Count::divergent_branches] = 90;
    before[Count::barriers] = 100;
    after[Count::barriers] = 200;
    before[Count::shared_load_wavefronts] = 50000;  // nearly the same
    after[Count::shared_load_wavefronts] = 51000;
    const auto found = changes(before, after, 4);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].count, Count::global_load_sectors);
    EXPECT_EQ(found[0].before, 40000u);
    EXPECT_EQ(found[0].after, 5000u);
    EXPECT_EQ(found[1].count, Count::barriers);
    EXPECT_EQ(changes(before, after, 1).size(), 1u);
    EXPECT_TRUE(changes(before, before, 4).empty());
}

record::Record predicted(double seconds, double rest) {
    record::Record r;
    r.counts = record::Counts{};
    r.bound = record::Bound{};
    r.bound->seconds = seconds;
    r.bound->terms = {{"DRAM", seconds, 1, "", {}}, {"issue", rest, rest / seconds, "", {}}};
    return r;
}

TEST(Better, LeastOfAllResourcesBreaksTiesOfTheModel) {
    const record::Record a = predicted(1e-6, 8e-7), b = predicted(1.001e-6, 1e-7), c = predicted(9e-7, 9e-7);
    EXPECT_TRUE(is_better(b, a));
    EXPECT_FALSE(is_better(a, b));
    EXPECT_TRUE(is_better(c, b));
    record::Record measured;
    measured.time = record::Time{1.0001e-6, 1e-6};
    record::Record faster;
    faster.time = record::Time{1.0e-6, 1e-6};
    EXPECT_TRUE(is_better(faster, measured));
    EXPECT_FALSE(is_better(measured, faster));
}

TEST(LadderPage, OfATranspose) {
    Choices choices;
    choices.sizes = {{64, 64}, {128, 64}};
    choices.rungs = {"naive_read", "tiled", "padded"};
    choices.axes = {{"T", {"float32"}}};
    auto made = ladder_page(emulated(), english(), "transpose", choices);
    ASSERT_TRUE(made) << made.error().text();
    const record::Page& page = *made;
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    EXPECT_EQ(part<record::Table>(page, "rungs-1").rows.size(), 3u);
    EXPECT_EQ(part<record::Table>(page, "rungs-1").title, english()("ladder.table.rungs", {{"problem", "M = N = 64"}}));
    EXPECT_EQ(part<record::Table>(page, "rungs-2").title,
              english()("ladder.table.rungs", {{"problem", "M 128, N 64"}}));
    // Padding takes the conflicts of a column away: 31 of 32 passes of each load.
    const auto& steps = part<record::Table>(page, "steps");
    bool padded = false, said = false;
    for (const auto& r : steps.rows) {
        if (!text(r[0]).empty()) padded = text(r[0]) == "padded";
        if (padded && text(r[3]) == "`shared_load_bank_conflicts`") {
            EXPECT_EQ(number(r[4]), 128 * 64 / 32 * 31);
            EXPECT_EQ(number(r[5]), 0);
            said = true;
        }
    }
    EXPECT_TRUE(said);
    EXPECT_EQ(part<record::Plot>(page, "sizes").series.size(), 3u);
    EXPECT_EQ(all<record::Listing>(page).size(), 2u);  // tiled and padded are one source
    for (const auto* listing : all<record::Listing>(page)) {
        EXPECT_FALSE(listing->lines.empty()) << listing->file;
        EXPECT_FALSE(listing->shown.empty()) << listing->file;
    }
    EXPECT_EQ(page.records.size(), 6u);
    for (const record::Record& r : page.records) EXPECT_TRUE(r.lines.empty());
}

TEST(Better, AKernelThatDoesNotFitHasNoTime) {
    record::Record large = predicted(1e-9, 1e-10), fits = predicted(1e-6, 1e-7);
    large.occupancy = record::OccupancyRecord{};
    large.occupancy->blocks = 0;
    EXPECT_FALSE(fits_model(large));
    EXPECT_FALSE(seconds_of(large));
    ProblemView problem;
    problem.records = {&large, &fits};
    large.rung = "large", fits.rung = "fits";
    EXPECT_EQ(best_kernel(problem), &fits);
}

TEST(Better, ALeastTimeOverAMeasuredOneIsNoSpeedUp) {
    record::Record cpu, slow, fast;
    cpu.device = "cpu";
    cpu.time = record::Time{1, 1};
    slow = predicted(4e-6, 1e-7), fast = predicted(1e-6, 1e-7);
    EXPECT_FALSE(times_faster(cpu, fast));
    EXPECT_DOUBLE_EQ(*times_faster(slow, fast), 4);
}

TEST(LadderPage, RecommendsNothingByLeastTimes) {
    Choices choices;
    choices.sizes = {{64, 64}};
    choices.rungs = {"naive_read", "tiled"};
    choices.axes = {{"T", {"float32"}}};
    auto made = ladder_page(emulated(), english(), "transpose", choices);
    ASSERT_TRUE(made) << made.error().text();
    const std::string measure = english()("ladder.recommend.measure");
    EXPECT_THAT(made->recommendations, testing::Contains(measure));
    for (const std::string& r : made->recommendations) EXPECT_THAT(r, testing::Not(testing::HasSubstr("Use `")));
}

TEST(LadderPage, OfAnUnknownLadder) {
    auto made = ladder_page(emulated(), english(), "nothing", {});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::usage);
}

TEST(Accesses, CountReadsAlone) {
    record::Record r;
    EXPECT_FALSE(elements_read(r, 8));
    r.counts = record::Counts{};
    (*r.counts)[Count::global_bytes_requested] = 4 * (2 * 512 + 64);
    EXPECT_EQ(elements_read(r, 8), 1024);
}

}  // namespace
}  // namespace warpwright::lab::test
