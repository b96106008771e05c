// Pages of ladders: what changed between rungs, which rung is the better one, and a whole page of a small ladder.
#include "lab/page/ladder_page.hpp"
#include "lab/page/apart.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "lab/experiments/accesses.hpp"
#include "lab/page/sentence_figures.hpp"
#include "ladder/find.hpp"
#include "page_of.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::lab::test {
namespace ladder_page_test {

using record::Count;

TEST(Figures, Texts) {
    EXPECT_EQ(seconds_text(1.0384e-6).text, "1.04 µs");
    EXPECT_EQ(seconds_text(0.9999).text, "1.00 s");
    EXPECT_EQ(seconds_text(0).text, "0 s");
    EXPECT_EQ(bytes_text(72 * 1024).text, "72 KiB");
    EXPECT_EQ(bytes_text(1536).text, "1.50 KiB");
    EXPECT_EQ(rate_text(1.524e11, "FLOP/s").text, "152 GFLOP/s");
    EXPECT_EQ(count_text(1234567).text, "1,234,567");
    EXPECT_EQ(count_text(999).text, "999");
    EXPECT_EQ(times_text(48.34).text, "48.3");
    EXPECT_EQ(number_text(-1234.5).text, "-1,235");
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

std::vector<std::string> paragraphs(const record::shown::Page& page) {
    std::vector<std::string> out;
    for (const record::shown::Section& section : page.sections)
        for (const record::shown::Block& block : section.blocks)
            if (const auto* paragraph = std::get_if<record::shown::Paragraph>(&block)) out.push_back(paragraph->text);
    return out;
}

TEST(LadderPage, OfATranspose) {
    Choices choices;
    choices.sizes = {{64, 64}, {128, 64}};
    choices.rungs = {"naive_read", "tiled", "padded"};
    choices.axes = {{"T", {"float32"}}};
    auto made = in_english(ladder_page(emulated(), "transpose", choices));
    ASSERT_TRUE(made) << made.error().text();
    const record::shown::Page& page = *made;
    expect_sound(page);
    EXPECT_TRUE(page.problems.empty());
    EXPECT_EQ(part<record::shown::Table>(page, "rungs-1").rows.size(), 3u);
    EXPECT_EQ(part<record::shown::Table>(page, "rungs-1").title,
              english()("ladder.table.rungs", {{"problem", "M = N = 64"}}));
    EXPECT_EQ(part<record::shown::Table>(page, "rungs-2").title,
              english()("ladder.table.rungs", {{"problem", "M 128, N 64"}}));
    // Padding takes the conflicts of a column away: 31 of 32 passes of each load.
    const auto& steps = part<record::shown::Table>(page, "steps");
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
    EXPECT_EQ(part<record::shown::Plot>(page, "sizes").series.size(), 3u);
    EXPECT_THAT(paragraphs(page),
                testing::Contains(testing::StartsWith("`tiled`: Rows are read and rows are written")));
    EXPECT_EQ(all<record::shown::Listing>(page).size(), 2u);  // tiled and padded are one source
    for (const auto* listing : all<record::shown::Listing>(page)) {
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

record::Record simulated(const char* rung, double seconds, double bound) {
    record::Record r = predicted(bound, bound / 2);
    r.rung = rung;
    r.predicted = record::Predicted{};
    r.predicted->seconds = seconds, r.predicted->method = record::Predicted::kSimulated;
    r.predicted->error = 0.1;
    return r;
}

TEST(Better, APredictedTimeGoesBeforeEveryBoundAndIsComparedWithNone) {
    const record::Record slow = simulated("slow", 5e-6, 1e-6), fast = simulated("fast", 4e-6, 3e-6);
    record::Record only_bound = predicted(1e-6, 1e-7);
    only_bound.rung = "only_bound";
    EXPECT_TRUE(is_better(fast, slow));
    EXPECT_TRUE(is_better(slow, only_bound));
    EXPECT_FALSE(is_better(only_bound, slow));
    EXPECT_FALSE(times_faster(only_bound, fast));
    EXPECT_EQ(seconds_of(only_bound)->word(), "bound");
    EXPECT_EQ(seconds_of(fast)->word(), "predicted");
    ProblemView problem;
    problem.records = {&only_bound, &slow, &fast};
    EXPECT_EQ(best_kernel(problem), &fast);
}

// How far apart two predicted times must be is read from the table of recorded pairs: at no distance they are not told,
// and ten times apart they are.
TEST(Better, PredictedTimesDecideWhereTheyAreFarEnoughApart) {
    LadderRun run;
    record::Record best = simulated("best", 1e-6, 1e-7), near = simulated("near", 1.0001e-6, 1e-7),
                   far = simulated("far", 10e-6, 1e-7);
    for (record::Record* r : {&best, &near, &far}) r->bound->binds = "issue";
    ProblemView problem;
    problem.records = {&best, &far};
    EXPECT_EQ(decides(run, problem, best), Decision::predicted);
    EXPECT_THAT(english().render(recommendation(run, problem, best)),
                testing::AllOf(testing::HasSubstr("Use `best`"), testing::HasSubstr("`far`, is predicted to take 10.0"),
                               testing::ContainsRegex("right in [0-9,]+ of [0-9,]+ pairs that far apart \\(NVIDIA")));
    problem.records.push_back(&near);
    EXPECT_EQ(decides(run, problem, best), Decision::too_close);
    EXPECT_THAT(
        english().render(recommendation(run, problem, best)),
        testing::AllOf(testing::HasSubstr("cannot tell it from `near`"), testing::Not(testing::HasSubstr("far`"))));
    run.set.incomplete = "stopped";
    EXPECT_EQ(decides(run, problem, best), Decision::incomplete);
    run.set.incomplete.clear();
    best.predicted.reset();
    EXPECT_EQ(decides(run, problem, best), Decision::bounds);
}

TEST(Better, VariantsThatAreTooCloseAreNamedAndDecideNothing) {
    LadderRun run;
    ladder::Rung rung;
    rung.name = "best";
    rung.axes.push_back({"TILE", {}});
    run.ladder.rungs.push_back(rung);
    record::Record best = simulated("best", 1e-6, 1e-7), variant = simulated("best", 1.0001e-6, 1e-7),
                   far = simulated("far", 10e-6, 1e-7);
    best.axes.push_back({"TILE", std::int64_t{16}});
    variant.axes.push_back({"TILE", std::int64_t{32}});
    ProblemView problem;
    problem.records = {&best, &variant, &far};
    EXPECT_EQ(decides(run, problem, best), Decision::predicted) << "a variant of the rung itself does not count";
    EXPECT_THAT(english().render(recommendation(run, problem, best)),
                testing::HasSubstr("Whether TILE 16 is better than `TILE 32`, the model cannot tell"));
}

TEST(Better, ADeviceThatTheModelWasNotComparedWithNeedsTwiceTheDistance) {
    record::Record a = simulated("a", 1e-6, 1e-7), b = simulated("b", 1e-6, 1e-7);
    double margin = 1;  // the least distance that is told, to a thousandth
    for (; cannot_tell(a, b) && margin < 100; margin *= 1.001) b.predicted->seconds = 1e-6 * margin;
    ASSERT_LT(margin, 100);
    for (record::Record* r : {&a, &b}) r->predicted->error.reset();
    EXPECT_TRUE(cannot_tell(a, b));
    b.predicted->seconds = 1e-6 * margin * margin * 1.01;
    EXPECT_FALSE(cannot_tell(a, b));
}

TEST(Better, TimesOfTwoKindsTellNothingAndMeasuredOnesAlways) {
    record::Record predicted = simulated("a", 1e-6, 1e-7), measured = simulated("b", 1e-6, 1e-7), other = measured;
    measured.time = record::Time{9e-6, 9e-6};
    other.time = record::Time{9.1e-6, 9.1e-6};
    EXPECT_FALSE(apart(predicted, measured));
    EXPECT_TRUE(cannot_tell(predicted, measured));
    EXPECT_FALSE(cannot_tell(measured, other));
}

TEST(Better, ABoundBetweenPredictedTimesHidesNoStep) {
    LadderRun run;
    record::Record bound = predicted(4e-6, 1e-7);
    bound.rung = "only_bound";
    run.set.records = {simulated("first", 10e-6, 1e-6), bound, simulated("best", 5e-6, 1e-6),
                       simulated("after", 6e-6, 1e-6)};
    for (record::Record& r : run.set.records) r.verified = true;
    record::Page made;
    conclude(made, run);
    const record::shown::Page page = in_english(made);
    EXPECT_THAT(page.conclusions,
                testing::Contains(testing::HasSubstr("The largest step is to `best`: 2.00 times faster than `first`")));
}

TEST(LadderPage, HasThePredictedTimeBesideTheBound) {
    Choices choices;
    choices.sizes = {{64, 64}};
    choices.rungs = {"naive_read"};
    choices.axes = {{"T", {"float32"}}};
    Context context = emulated();
    context.options.simulate = predict::Simulate::within_budget;
    auto made = in_english(ladder_page(context, "transpose", choices));
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_EQ(made->records.size(), 1u);
    const auto& r = made->records[0];
    ASSERT_TRUE(r.predicted) << r.unpredicted;
    EXPECT_GT(r.predicted->seconds, r.bound->seconds);
    const auto& table = part<record::shown::Table>(*made, "rungs-1");
    const auto column = [&](const char* key) {
        const auto at = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const auto& c) { return c.name == english()(key); });
        return at == table.columns.end() ? -1 : static_cast<int>(at - table.columns.begin());
    };
    ASSERT_GE(column("ladder.column.predicted"), 0);
    ASSERT_GE(column("ladder.column.least"), 0);
    EXPECT_EQ(number(table.rows[0][static_cast<std::size_t>(column("ladder.column.predicted"))]), r.predicted->seconds);
    EXPECT_EQ(number(table.rows[0][static_cast<std::size_t>(column("ladder.column.least"))]), r.bound->seconds);
}

TEST(LadderPage, RecommendsNothingByLeastTimes) {
    Choices choices;
    choices.sizes = {{64, 64}};
    choices.rungs = {"naive_read", "tiled"};
    choices.axes = {{"T", {"float32"}}};
    auto made = in_english(ladder_page(emulated(), "transpose", choices));
    ASSERT_TRUE(made) << made.error().text();
    const std::string measure = english()("ladder.recommend.measure");
    EXPECT_THAT(made->recommendations, testing::Contains(measure));
    for (const std::string& r : made->recommendations) EXPECT_THAT(r, testing::Not(testing::HasSubstr("Use `")));
}

TEST(LadderPage, OfAnUnknownLadder) {
    auto made = ladder_page(emulated(), "nothing", {});
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

TEST(LadderPage, OfAWholeReportTheBudgetIsWorkAndSaysWhatItLeftOut) {
    Choices choices;
    choices.quick = true;
    choices.sizes = {{2048, 2048, 2048}};  // 1.7e10 operations a rung: the second one is beyond the budget
    choices.rungs = {"naive", "tiled"};
    choices.axes = {{"TILE", {"16"}}};
    auto plan = make_plan(*ladder::find_ladder("matmul"), choices.rungs, choices.axes, choices.sizes);
    ASSERT_TRUE(plan);
    EXPECT_EQ(keep_to_budget(*plan), (std::vector<std::string>{"tiled"}));
    ASSERT_EQ(plan->steps.size(), 1u);
    EXPECT_EQ(plan->steps[0].rung->name, "naive") << "the ladder's order";
    LadderRun run;
    run.left_out = {"tiled", "padded"};
    run.repeat = {"warpwright lab matmul"};
    record::Page made;
    tell_problems(made, run);
    const record::shown::Page page = in_english(made);
    ASSERT_EQ(page.problems.size(), 1u);
    EXPECT_THAT(page.problems[0], testing::AllOf(testing::HasSubstr("no room for `tiled`, `padded`"),
                                                 testing::HasSubstr("`warpwright lab matmul --page`")));
    record::Record best = simulated("best", 1e-6, 1e-7);
    ProblemView problem;
    problem.records = {&best};
    EXPECT_EQ(decides(run, problem, best), Decision::incomplete) << "nothing is recommended of what did not run";
}

TEST(LadderPage, SaysWhyARungIsThereInThePagesLanguage) {
    Choices choices;
    choices.sizes = {{32, 32}};
    choices.rungs = {"naive_read", "tiled"};
    auto words = Words::load("fi");
    ASSERT_TRUE(words) << words.error().text();
    auto page = ladder_page(emulated(), "transpose", choices);
    ASSERT_TRUE(page) << page.error().text();
    EXPECT_THAT(paragraphs(record::in_language(*page, *words)),
                testing::Contains(testing::StartsWith("`tiled`: Rivejä luetaan")));
}

}  // namespace ladder_page_test
}  // namespace warpwright::lab::test
