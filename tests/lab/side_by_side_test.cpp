// Predictions beside the figures of the texts.
#include "lab/experiments/side_by_side.hpp"
#include "lab/experiments/resident_warps.hpp"

#include "lab/sweep/sweep.hpp"
#include "page_of.hpp"

namespace warpwright::lab::test {
namespace side_by_side_test {

/// The emulated context with predictions, as long as this lives.
struct Predicting {
    Context& context = emulated();
    Predicting() { context.options.simulate = predict::Simulate::all; }
    ~Predicting() { context.options.simulate = predict::Simulate::none; }
};

TEST(SideBySide, ASampleGivesTheTimeOfTheWholeGrid) {
    const Predicting predicting;
    auto devices = OtherDevices::of(predicting.context);
    ASSERT_TRUE(devices) << devices.error().text();
    const arch::DeviceModel& h200 = predicting.context.model;
    auto sampled = devices->seconds({"matmul", "tiled_unrolled", {{"UNROLL", {"16"}}}, {512, 512, 512}}, {&h200, 1});
    ASSERT_TRUE(sampled) << sampled.error().text();
    auto whole = run_ladder(predicting.context, "matmul", {"tiled_unrolled"}, {{"UNROLL", {"16"}}}, {{512, 512, 512}});
    ASSERT_TRUE(whole) << whole.error().text();
    ASSERT_TRUE(whole->records.at(0).predicted);
    const double expected = whole->records[0].predicted->seconds;
    EXPECT_NEAR(sampled->at(0), expected, 0.03 * expected);
}

TEST(SideBySide, ASlowerDeviceTakesLonger) {
    const Predicting predicting;
    auto devices = OtherDevices::of(predicting.context);
    ASSERT_TRUE(devices) << devices.error().text();
    const std::vector<arch::DeviceModel> models{arch::load_model("gt640").value(), arch::load_model("gtx780").value()};
    auto seconds = devices->seconds({"matmul", "naive", {}, {512, 512, 512}}, models);
    ASSERT_TRUE(seconds) << seconds.error().text();
    ASSERT_EQ(seconds->size(), 2u);
    EXPECT_GT(seconds->at(0), 3 * seconds->at(1)) << "2 multiprocessors against 12";
}

TEST(ResidentWarps, MoreOfThemMoveMoreAndNoneBeatLittlesLaw) {
    const Predicting predicting;
    const auto c2050 = arch::load_model("c2050").value();
    const auto rates = simulated_copies(predicting.context, c2050, {2, 16}, 1 << 18);
    ASSERT_TRUE(rates) << rates.error().text();
    ASSERT_EQ(rates->size(), 4u) << "one and four elements per thread, each with 2 and 16 warps";
    EXPECT_GT(rates->at({1, 16}), 4 * rates->at({1, 2}));
    EXPECT_GT(rates->at({4, 2}), 2 * rates->at({1, 2})) << "loads of one thread do not wait for each other";
    for (const auto& [key, rate] : *rates)
        EXPECT_LE(rate, littles_copy(c2050, 128.0 * static_cast<double>(key.first * key.second))) << key.second;
    EXPECT_LE(rates->at({4, 16}), c2050.dram_bandwidth());
}

TEST(ResidentWarps, BoundsAloneSimulateNothing) {
    const auto rates = simulated_copies(emulated(), arch::load_model("c2050").value(), {2}, 1 << 16);
    ASSERT_FALSE(rates);
    EXPECT_EQ(rates.error().kind, ErrorKind::usage);
}

TEST(Spills, AKernelWithTooFewRegistersTellsThem) {
    const Predicting predicting;
    auto set = run_ladder(predicting.context, "spaces", {"register", "spilled"}, {{"SPREAD", {"0"}}}, {{4096}});
    ASSERT_TRUE(set) << set.error().text();
    ASSERT_EQ(set->records.size(), 2u);
    const auto &enough = set->records[0].predicted, &few = set->records[1].predicted;
    ASSERT_TRUE(enough && few);
    EXPECT_EQ(enough->spill_stores, 0);
    EXPECT_EQ(enough->spill_loads, 0);
    EXPECT_GE(few->spill_stores.value_or(0), 4) << "one value at least";
    EXPECT_GE(few->spill_loads, few->spill_stores) << "what is stored is loaded again";
    EXPECT_GT(few->machine_instructions, enough->machine_instructions);
    EXPECT_EQ((*set->records[1].counts)[record::Count::local_load_requests], 0u) << "PTX knows nothing of them";
}

TEST(SideBySide, AxesThatChooseSeveralVariantsAreRefused) {
    const Predicting predicting;
    auto devices = OtherDevices::of(predicting.context);
    ASSERT_TRUE(devices);
    const auto model = arch::load_model("gt640").value();
    EXPECT_FALSE(
        devices->seconds({"matmul", "tiled_unrolled", {{"UNROLL", {"1", "16"}}}, {512, 512, 512}}, {&model, 1}));
}

TEST(SideBySide, BoundsAloneHaveNothingBeside) { EXPECT_FALSE(OtherDevices::of(emulated())); }

TEST(SideBySide, SaysWhichFigureIsFurthest) {
    BesideText beside;
    beside.add("near", "A", std::vector<TextFigure>{{"first", 1.0, 1.1}, {"second", 2.0, 1.7}});
    beside.add("far", "B", std::vector<TextFigure>{{"first", 1.0, 1.1}, {"second", 2.0, 0.5}});
    beside.add("none", "C", Error{ErrorKind::limit, "too large", {}, ""});
    beside.add("empty", "D", std::vector<TextFigure>{});
    ASSERT_EQ(beside.tables.size(), 2u);
    EXPECT_DOUBLE_EQ(number(beside.tables[1].rows.at(1).at(3)), 0.25);
    ASSERT_EQ(beside.conclusions.size(), 3u);
    EXPECT_EQ(
        english().render(beside.conclusions[0]),
        "A: all 2 figures of the text are predicted within 25 %; the furthest is second, predicted 0.85 times the "
        "text's.");
    EXPECT_THAT(english().render(beside.conclusions[1]),
                testing::HasSubstr("1 of 2; the furthest is second, predicted 0.25 times"));
    EXPECT_THAT(english().render(beside.conclusions[2]), testing::HasSubstr("too large"));
}

TEST(SideBySide, SaysWhatWouldExplainTheTextsTimes) {
    const auto gt640 = arch::load_model("gt640").value();  // 28.5 GB/s
    const auto said = [&](std::vector<TextFigure> figures) {
        BesideText beside;
        beside.add("x", "D", std::move(figures), "s", "beside.caption", &gt640);
        return english().render(beside.conclusions.at(1));
    };
    const TextFigure tiled{"tiled", 1.0, 0.9, {}, 2.85e9};
    EXPECT_THAT(said({{"naive", 2.0, 1.0, {}, 57e9}, {"larger", 8.0, 4.4, {}, 200e9}, tiled}),
                testing::HasSubstr("If every sector that warps ask for came from device memory at 28.5 GB/s"));
    EXPECT_THAT(said({{"naive", 2.0, 1.0, {}, 1e9}, {"larger", 8.0, 4.2, {}, 1e9}, {"tiled", 1.0, 0.5, {}, 1e9}}),
                testing::HasSubstr("If all took 2.00 times as long"))
        << "few sectors explain nothing";
}

TEST(SideBySide, TheProductsPageHasTheTextsDevices) {
    const Predicting predicting;
    Choices choices;
    choices.sizes = {{512, 512, 512}};
    choices.rungs = {"naive"};
    const record::shown::Page page = page_of("matmul", choices);
    expect_sound(page);
    const auto& table = part<record::shown::Table>(page, "text-tiles-predicted");
    ASSERT_EQ(table.rows.size(), 3u) << "naive, tiled, unrolled";
    EXPECT_DOUBLE_EQ(number(table.rows[0][1]), 18.5e-3);
    for (const auto& r : table.rows) {
        EXPECT_GT(number(r[2]), 0);
        EXPECT_DOUBLE_EQ(number(r[3]), number(r[2]) / number(r[1]));
    }
    EXPECT_THAT(page.conclusions, testing::Contains(testing::HasSubstr("GeForce GT 640: ")));
    for (const auto* t : all<record::shown::Table>(page))
        EXPECT_NE(t->id, "text-gtx780-predicted") << "the text has N 2048";
}

TEST(SideBySide, EveryLanguageHasTheTexts) {
    BesideText beside;
    beside.add("a", "A", std::vector<TextFigure>{{"first", 1.0, 1.1}});
    beside.add("b", "B", std::vector<TextFigure>{{"first", 1.0, 1.1}, {"second", 2.0, 0.5}});
    beside.add("c", "C", std::vector<TextFigure>{{"first", 1.0, 1.1}, {"second", 2.0, 2.0}});
    beside.add("d", "D", Error{ErrorKind::limit, "too large", {}, ""});
    beside.add("e", "E", std::vector<TextFigure>{{"first", 1.0, 1.1}}, "B/s", "beside.caption_copies");
    for (const std::string& language : Words::languages()) {
        const Words words = Words::load(language).value();
        for (const Text& text : beside.conclusions)
            EXPECT_FALSE(has_key(words.render(text))) << language << ": " << words.render(text);
        for (const record::Table& t : beside.tables)
            for (const Text& text : {t.title, t.caption, t.columns[0].name, t.columns[3].name})
                EXPECT_FALSE(has_key(words.render(text))) << language << ": " << words.render(text);
    }
}

/// What a page says of these figures: the key of its last conclusion's last part, and the table.
std::string said(const std::vector<TextFigure>& figures, BesideText& beside) {
    const arch::DeviceModel k40c = arch::load_model("k40c").value();
    beside.add("t", "K40c", figures, "s", "beside.caption", &k40c);
    return Words::plain().render(beside.conclusions.back());
}

TEST(SideBySide, OneFactorOrOneConstantMayExplainTheText) {
    BesideText beside;
    EXPECT_THAT(said({{"a", 2, 1, 0}, {"b", 4.1, 2, 0}, {"c", 6, 3.1, 0}}, beside),
                testing::HasSubstr("If all took 2.00 times as long, 3 of 3 would be within 25 %"));
    const record::Table& t = beside.tables.at(0);
    ASSERT_EQ(t.columns.size(), 6u) << "with the speed-ups over the first version";
    EXPECT_DOUBLE_EQ(std::get<double>(t.rows[1][5]), 0.5);
    EXPECT_THAT(said({{"a", 1.2, 0.2, 0}, {"b", 1.1, 0.1, 0}, {"c", 1.5, 0.5, 0}}, beside),
                testing::HasSubstr("With 1.00 s more for each"));
    EXPECT_THAT(said({{"a", 1, 3, 0}, {"b", 3, 1, 0}, {"c", 10, 1, 0}, {"d", 1, 20, 0}}, beside),
                testing::HasSubstr("single versions differ"));
    EXPECT_THAT(said({{"a", 1, 1, 0}, {"b", 2, 2.1, 0}}, beside), testing::EndsWith("without the host's code."));
}

}  // namespace side_by_side_test
}  // namespace warpwright::lab::test
