// A prediction that was kept, in memory or on disk, is the one that is made anew, to the bit; and what was kept of
// another launch, or is damaged or old, counts for nothing.
#include "predict/known_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/files.hpp"
#include "predict/earlier_simulations.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"
#include "support/cause.hpp"

namespace warpwright::predict {
namespace known_simulation_test {

using record::Count;
namespace fs = std::filesystem;

/// A kernel of many loads; its trace is of one block.
class KnownSimulations : public testing::Test {
protected:
    void SetUp() override {
        auto loaded = arch::load_model("h100");
        ASSERT_TRUE(loaded.ok());
        model = *loaded;
        load_at.op = simt::Op::ld;
        load_at.types = {simt::Type::f32};
        load_at.source = {0, 3};
        kernel.name = "k", kernel.registers = 32, kernel.static_shared = 128;
        config.grid = {4, 1, 1}, config.block = {32, 1, 1};
    }

    std::shared_ptr<machine::Code> code() const {
        auto out = std::make_shared<machine::Code>();
        out->files = {"k.cu"};
        machine::Block block;
        for (unsigned i = 0; i < 40; ++i) {
            machine::Op op;
            op.pipe = i % 4 ? machine::Pipe::fp32 : machine::Pipe::memory;
            if (i % 4 == 0) op.effect = machine::Effect::load, op.access = static_cast<std::int16_t>(i / 4);
            if (i % 4 == 0) op.space = simt::Space::global, op.bytes = 4;
            op.in = {i}, op.out = {i + 1};
            op.ptx = &load_at;
            block.ops.push_back(op);
        }
        block.accesses = 10;
        block.slots = block.counted = out->instructions = 40;
        out->values = 41;
        out->blocks.push_back(block);
        return out;
    }
    /// `stride`: sectors from one access to the next.
    std::shared_ptr<machine::LaunchTrace> trace(std::uint32_t stride = 32, const std::string& course = "c") const {
        auto out = std::make_shared<machine::LaunchTrace>();
        out->code = code();
        out->blocks = 4, out->stride = model.sm.multiprocessors;
        out->course = course;
        auto& block = out->sample.emplace_back();
        auto& warp = block.warps.emplace_back();
        warp.events.push_back({0, 32, 0, 0, 0});
        for (std::uint32_t a = 0; a < 10; ++a) {
            warp.events.push_back({machine::Event::kAccess, 32, a * 32, 32, 16});
            for (std::uint32_t k = 0; k < 32; ++k) block.sectors.push_back(a * 4096 + k * stride);
        }
        block.events = 11;
        out->areas = {{0, 1 << 20}};
        return out;
    }
    launch::LaunchResult result(std::shared_ptr<const machine::LaunchTrace> of) const {
        launch::LaunchResult out;
        out.counts.emplace();
        auto& total = out.counts->total;
        total[Count::instructions] = 160, total[Count::mix_fp32] = 120;
        total[Count::global_load_requests] = 40, total[Count::global_load_sectors] = 1280;
        out.touched = {1 << 25, 0, {}};
        out.trace = std::move(of);
        return out;
    }
    Work work(std::shared_ptr<const machine::LaunchTrace> of) const {
        return launch_work(kernel, config, result(std::move(of)));
    }
    SourceLine source() const {
        return [this](const std::string&, unsigned) { return std::optional<std::string>(line); };
    }
    Predictor predictor(const std::string& directory) const { return {model, Simulate::all, source(), directory}; }
    record::Predicted predicted(Predictor& by, const Work& w) const {
        auto p = by.predict("k", Work(w));
        EXPECT_TRUE(p) << (p ? "" : p.error().text());
        return p ? *p : record::Predicted{};
    }
    record::Predicted anew(const Work& w) const {
        auto none = predictor("");
        return predicted(none, w);
    }
    std::string cache() const { return (folder.path() / "cache").string(); }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> out;
        std::error_code none;
        for (const auto& f : fs::directory_iterator(cache(), none)) out.push_back(f.path());
        return out;
    }

    test::Folder folder{"known"};
    arch::DeviceModel model;
    simt::Details load_at;
    std::string line = "  sum += in[row * n + k];";
    launch::KernelInfo kernel;
    launch::LaunchConfig config;
};

KnownSimulation some() {
    KnownSimulation k;
    k.sampled = 3, k.read = 0.1, k.written = 2, k.atomics = 4, k.turns = 5;
    k.work.counts[Count::instructions] = 7;
    k.work.grid = {1, 2, 3}, k.work.block = {4, 5, 6};
    k.work.registers = 8, k.work.registers_source = "somebody", k.work.shared = 9, k.work.local = 10;
    k.work.touched = record::Touched{1, 2, {3, 4, 5, 6}};
    k.work.allocations = record::Touched{7, 8, {}};
    k.work.launches = 11, k.work.in_a_row = k.work.per_line = true;
    k.work.compulsory_bytes = 12.5, k.work.tensor_type = "bf16";
    auto& p = k.predicted;
    p.seconds = 1e-5, p.method = record::Predicted::kSimulated;
    double n = 0;
    for (const auto& figure : record::figures()) p.*figure.value = n += 0.1;
    p.peaks = {{"DRAM", 0.3}}, p.stalls = {{"selected", 1}, {"wait", 0.1}};
    p.causes = {{"scattered", 0.5, "k.cu", 3, "in", "rows", {{"needed", 4}}, {{"unit", "L2"}}}};
    p.lines = {{"k.cu", 3, {{"wait", 0.1}}}};
    p.launches = 13, p.simulated = 1, p.error = 0.056, p.error_class = "memory", p.outside = "of it";
    k.asked.lines = {{"k.cu", {3, 7}}}, k.asked.answers = "hash";
    return k;
}

TEST(KnownSimulation, ComesBackWhole) {
    const auto k = some();
    const auto back = decoded(encoded(k));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->work, k.work);
    EXPECT_EQ(back->predicted, k.predicted);
    EXPECT_EQ(back->asked.lines, k.asked.lines);
    EXPECT_EQ(back->asked.answers, k.asked.answers);
    EXPECT_EQ(encoded(*back), encoded(k)) << "the outline too";
    EXPECT_EQ(back->turns, 5);
}

TEST(KnownSimulation, OfOtherBytesThereIsNoneOrAnother) {
    const auto bytes = encoded(some());
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_FALSE(decoded(std::string_view(bytes).substr(0, n))) << n;
        for (const int byte : {0, 1, 0xff}) {
            auto damaged = bytes;
            damaged[n] = static_cast<char>(byte);
            if (const auto other = decoded(damaged)) EXPECT_TRUE(encoded(*other) == damaged) << n;
        }
    }
}

TEST_F(KnownSimulations, OnDiskGiveTheSamePrediction) {
    const Work w = work(trace());
    const auto fresh = anew(w);
    ASSERT_FALSE(fresh.causes.empty());
    auto first = predictor(cache());
    EXPECT_EQ(predicted(first, w), fresh) << "an empty cache";
    EXPECT_EQ(entries().size(), 2u) << "by content, and by what the course follows from";
    auto second = predictor(cache());
    EXPECT_EQ(predicted(second, w), fresh) << "a full one";
    EXPECT_EQ(predicted(second, work(trace())), fresh) << "in memory";
    EXPECT_EQ(entries().size(), 2u);
}

TEST_F(KnownSimulations, AreTakenFromTheDisk) {
    auto first = predictor(cache());
    (void)predicted(first, work(trace()));
    // What was kept for a slower trace stands in the place of this one's: whoever takes it is found out.
    const auto before = entries();
    auto slower = predictor((folder.path() / "slower").string());
    const auto other = predicted(slower, work(trace(256, "")));
    ASSERT_NE(other, anew(work(trace())));
    auto known = *decoded(encoded(some()));
    known.work = work(trace());
    known.work.trace = nullptr;
    EarlierSimulations of(model, cache(), "causes");
    LinesAsked asked;
    (void)asked.noting(source())("k.cu", 3);
    asked.close(source());
    of.keep(work(trace()), {}, other, asked);
    EXPECT_EQ(entries().size(), before.size());
    auto again = predictor(cache());
    EXPECT_EQ(predicted(again, work(trace())), other);
}

TEST_F(KnownSimulations, AreOfOneLaunchModelAndSource) {
    const Work w = work(trace());
    auto first = predictor(cache());
    (void)predicted(first, w);
    const auto is_fresh = [&](const Work& of, const char* what) {
        const auto before = entries().size();
        auto by = predictor(cache());
        EXPECT_EQ(predicted(by, of), anew(of)) << what;
        EXPECT_GT(entries().size(), before) << what << ": an entry of its own";
    };
    is_fresh(work(trace(256, "")), "another trace");
    auto other = w;
    other.registers = 64, is_fresh(other, "registers");
    other = w, other.in_a_row = true, is_fresh(other, "launches in a row");
    other = w, other.per_line = true, is_fresh(other, "stalls by line");
    other = w, other.counts[Count::mix_fp32] += 32, is_fresh(other, "counts");
    auto code = std::make_shared<machine::Code>(*w.trace->code);
    code->blocks[0].ops[1].work = 4;
    auto changed = std::make_shared<machine::LaunchTrace>(*w.trace);
    changed->code = code, changed->course = "";
    is_fresh(work(changed), "code");
    model.timing.line_latency = 480;
    is_fresh(w, "a figure of the model");
}

TEST_F(KnownSimulations, AreForgottenWhereTheSourceHasChanged) {
    const Work w = work(trace());
    auto first = predictor(cache());
    const auto before = predicted(first, w);
    line = "  sum += other[row * n + k];";
    const auto after = anew(w);
    ASSERT_NE(before, after) << "the array's name is told";
    auto second = predictor(cache());
    EXPECT_FALSE(second.known_course(kernel, config)("c"));
    EXPECT_EQ(predicted(second, w), after);
    auto third = predictor(cache());
    EXPECT_TRUE(third.known_course(kernel, config)("c")) << "the new one took its place";
}

TEST_F(KnownSimulations, StandInPlaceOfATrace) {
    const Work w = work(trace());
    const auto fresh = anew(w);
    auto first = predictor(cache());
    EXPECT_FALSE(first.known_course(kernel, config)("c"));
    (void)predicted(first, w);
    auto second = predictor(cache());
    for (auto* by : {&first, &second}) {
        const auto outline = by->known_course(kernel, config)("c");
        ASSERT_TRUE(outline);
        EXPECT_TRUE(outline->sample.empty());
        const Work without = work(outline);
        EXPECT_EQ(without.touched, w.touched) << "what is used of its memory";
        EXPECT_EQ(without.allocations, w.allocations);
        EXPECT_EQ(bound(without, model).seconds, bound(w, model).seconds);
        EXPECT_EQ(predicted(*by, without), fresh);
    }
    EXPECT_FALSE(second.known_course(kernel, config)("d")) << "another course";
    auto larger = config;
    larger.grid.x = 8;
    EXPECT_FALSE(second.known_course(kernel, larger)("c"));
    auto registers = kernel;
    registers.registers = 64;
    EXPECT_FALSE(second.known_course(registers, config)("c"));
    auto none = predictor("");
    EXPECT_FALSE(none.known_course(kernel, config)("c"));
}

TEST_F(KnownSimulations, WithinABudgetAreCountedAsTheSimulationsWere) {
    const auto seconds = [&](const std::string& directory) {
        Predictor by(model, Simulate::within_budget, source(), directory);
        std::vector<double> out;
        for (int number = 1; number <= 9; ++number) {
            const bool traced = by.trace_request(kernel, config).blocks > 0;
            std::shared_ptr<const machine::LaunchTrace> of;
            if (traced) of = by.known_course(kernel, config)("c");
            if (traced && !of) of = trace();
            Work w = work(of);
            out.push_back(by.predict("k", w)->seconds);
            out.push_back(static_cast<double>(w.touched->read));
        }
        return out;
    };
    const auto without = seconds("");
    EXPECT_EQ(seconds(cache()), without);
    EXPECT_EQ(seconds(cache()), without);
}

TEST_F(KnownSimulations, OfALaunchThatDiffersThereIsNoTime) {
    auto first = predictor(cache());
    (void)predicted(first, work(trace()));
    Work other = work(first.known_course(kernel, config)("c"));
    other.counts[Count::instructions] += 1;
    EXPECT_THAT(first.predict("k", other).error().what, testing::HasSubstr("differs"));
    EXPECT_FALSE(first.known_course(kernel, config)("c")) << "the next launch is traced";
    auto second = predictor(cache());
    EXPECT_FALSE(second.known_course(kernel, config)("c")) << "it is gone from the disk too";
}

TEST_F(KnownSimulations, UnderATimeLimitAreNotKept) {
    auto limited = std::make_shared<machine::LaunchTrace>(*trace());
    limited->seconds_left = 100;
    auto first = predictor(cache());
    (void)predicted(first, work(limited));
    auto second = predictor(cache());
    EXPECT_FALSE(second.known_course(kernel, config)("c"));
}

TEST_F(KnownSimulations, ThatRunOutOfTimeSayThatItWasTheLimit) {
    auto limited = std::make_shared<machine::LaunchTrace>(*trace());
    limited->seconds_left = 1e-9;
    // The simulation looks at the clock from time to time only.
    auto& events = limited->sample[0].warps[0].events;
    const auto once = events;
    for (int k = 0; k < 400; ++k) events.insert(events.end(), once.begin(), once.end());
    limited->sample[0].events = events.size();
    auto first = predictor("");
    const auto none = first.predict("k", work(limited));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().cause, Cause::time_limit) << none.error().text();
}

TEST_F(KnownSimulations, ThatAreDamagedAreMadeAnew) {
    const Work w = work(trace());
    const auto fresh = anew(w);
    auto first = predictor(cache());
    (void)predicted(first, w);
    const auto whole = entries();
    ASSERT_EQ(whole.size(), 2u);
    const auto with_all = [&](auto&& change) {
        for (const auto& file : whole) {
            auto text = test::text_of(file);
            change(text);
            std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
        }
        auto by = predictor(cache());
        EXPECT_FALSE(by.known_course(kernel, config)("c"));
        EXPECT_EQ(predicted(by, w), fresh);
        auto next = predictor(cache());
        EXPECT_TRUE(next.known_course(kernel, config)("c")) << "it is there again";
    };
    with_all([](std::string& text) { text.clear(); });
    with_all([](std::string& text) { text.resize(text.size() / 2); });
    with_all([](std::string& text) { text.back() ^= 1; });
    with_all([](std::string& text) { text += "more"; });
    // One in another one's place.
    const auto one = test::text_of(whole[0]);
    with_all([&](std::string& text) { text = text == one ? text + " " : one; });
}

}  // namespace known_simulation_test
}  // namespace warpwright::predict
