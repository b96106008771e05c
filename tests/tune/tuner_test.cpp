// The tuner over a made-up ladder on a made-up device: what it tries, what it says of failures, when it ends, what it
// keeps.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../ladder/twice.hpp"
#include "arch/model.hpp"
#include "tune/tuner.hpp"

namespace warpwright::tune {
namespace tuner_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kLadder = ladder::test::twice(R"toml(
[defaults]
entry = "twice"
arguments = ["x", "y", "n", "BLOCK", "EACH"]
flops = "n"
bytes = "8*n"
[[rung]]
name = "plain"
source = "twice.ptx"
arguments = ["x", "y", "n", "32", "1"]
grid = [1]
block = [32]
[[rung]]
name = "shaped"
source = "twice.ptx"
axes = { BLOCK = [32, 64, 128, 256, 512, 1024, 2048], EACH = [1, 2, 3, 4] }
grid = ["ceil_div(n, BLOCK*EACH)"]
block = ["BLOCK"]
require = "EACH != 4 || BLOCK < 128"
require_says = "four a thread are for small blocks"
[[rung]]
name = "other"
source = "twice.ptx"
axes = { BLOCK = [32, 64] }
let = { EACH = "1" }
grid = [1]
block = ["BLOCK"]
)toml",
                                                {}, 64);

/// Doubles numbers; wrong with EACH 3 of BLOCK 64, a fault with BLOCK 1024. Its clock knows which launch it times.
class Doubler final : public ladder::test::FakeDevice, public device::Timer {
public:
    Doubler() {
        kernels.push_back(ladder::test::kernel("twice", {"u64", "u64", "u64", "u64", "u64"}));
        body = [this](const Call& call) -> Result<void> {
            const auto n = call.get<std::uint64_t>(16), block = call.get<std::uint64_t>(24),
                       each = call.get<std::uint64_t>(32);
            if (block == 1024) return Error{ErrorKind::fault, "an address that is none", {}, ""};
            for (std::size_t i = 0; i < n; ++i)
                call.pointer<float>(8)[i] = 2 * call.pointer<const float>(0)[i] + (block == 64 && each == 3 ? 1 : 0);
            if (after) after();
            return {};
        };
    }
    device::Timer* timer() override { return clock ? this : nullptr; }
    Result<std::vector<double>> time(std::span<const device::Step> steps, const device::TimeRequest& request) override {
        // Fastest at 128 threads.
        const double off = std::log2(static_cast<double>(steps.front().config.block.x)) - 7;
        return std::vector<double>(request.samples, 1e-4 * (1 + off * off) * request.repeat);
    }
    bool clock = false;
    std::function<void()> after;
};

struct Log final : lab::Observer {
    void progress(const lab::Progress& p) override {
        EXPECT_LE(p.done, p.total);
        last = p.label;
    }
    void failed(const Error& e) override { errors.push_back(e.text()); }
    void finished(const record::Record& r) override { records.push_back(r); }
    std::optional<record::Record> stored(const record::Record& wanted) override {
        for (const record::Record& r : kept)
            if (r.rung == wanted.rung && r.axes == wanted.axes) return ++taken, r;
        return std::nullopt;
    }
    std::vector<std::string> errors;
    std::vector<record::Record> records, kept;
    std::string last;
    std::size_t taken = 0;
};

class TunerTest : public testing::Test {
protected:
    void SetUp() override {
        auto read = ladder::read_ladder(folder.string());
        ASSERT_TRUE(read.ok()) << read.error().text();
        ladder = *read;
    }
    Result<Tuning> run(const std::vector<std::string>& rungs, const lab::Axes& axes = {},
                       const std::vector<lab::Size>& sizes = {}) {
        lab::Context c{device, model, true, std::make_shared<lab::Target>()};
        c.observer = &log;
        c.cancel = &cancel;
        return tune(c, ladder, rungs, axes, sizes, options);
    }
    ladder::test::TwiceFolder folder{kLadder};
    ladder::Ladder ladder;
    Doubler device;
    arch::DeviceModel model = *arch::load_model("h200");
    Log log;
    Options options;
    std::atomic<bool> cancel = false;
};

std::string best(const Outcome& o) { return o.best ? choices_text(o.tried[*o.best].axes) : "none"; }

TEST_F(TunerTest, every_candidate_is_verified_and_what_fails_is_kept_with_its_reason) {
    device.clock = true;
    auto t = run({"shaped"});
    ASSERT_TRUE(t.ok()) << t.error().text();
    ASSERT_EQ(t->outcomes.size(), 1u);
    const Outcome& o = t->outcomes[0];
    EXPECT_TRUE(t->measured);
    EXPECT_EQ(o.combinations, 28u);
    // 2048 threads with any EACH; four a thread of 128 to 1024.
    EXPECT_EQ(o.refused.size(), 8u);
    std::size_t threads = 0, require = 0;
    for (const auto& [axes, why] : o.refused)
        threads += why.find("a block of 2048 threads") == 0, require += why == "four a thread are for small blocks";
    EXPECT_EQ(threads, 3u);
    EXPECT_EQ(require, 5u);
    ASSERT_EQ(o.tried.size(), 20u);
    EXPECT_EQ(best(o), "BLOCK=128 EACH=1") << "the first of those that are as fast";
    EXPECT_NEAR(*o.tried[*o.best].seconds, 1e-4, 1e-7);
    EXPECT_EQ(o.ended, "every candidate was tried");
    std::size_t wrong = 0, faults = 0;
    for (const Candidate& c : o.tried) {
        const record::Record& r = t->set.records[c.record];
        EXPECT_EQ(r.axes[1].text(), c.axes[0].second);
        EXPECT_EQ(c.seconds.has_value(), c.problem.empty());
        wrong += c.problem.find("the result is wrong") == 0 && choices_text(c.axes) == "BLOCK=64 EACH=3";
        faults += c.problem.find("an address that is none") != std::string::npos;
        EXPECT_FALSE(r.speedup) << "not over others of its batch";
    }
    EXPECT_EQ(wrong, 1u);
    EXPECT_EQ(faults, 3u);
    EXPECT_EQ(t->set.records.size(), 20u);
    EXPECT_EQ(log.records.size(), 20u) << "each is told as it is done";
    EXPECT_THAT(log.errors, IsEmpty());
    EXPECT_THAT(log.last, HasSubstr("best BLOCK=128"));
    EXPECT_TRUE(device.memory.empty());
}

TEST_F(TunerTest, without_a_clock_candidates_are_ranked_by_the_models_prediction) {
    auto t = run({"shaped"}, {{"EACH", {"1"}}, {"BLOCK", {"64", "32"}}});
    ASSERT_TRUE(t.ok()) << t.error().text();
    EXPECT_FALSE(t->measured);
    const Outcome& o = t->outcomes[0];
    ASSERT_EQ(o.tried.size(), 2u);
    EXPECT_EQ(o.tried[0].axes[0].second, "32") << "numbers in their order";
    for (const Candidate& c : o.tried) {
        const record::Record& r = t->set.records[c.record];
        EXPECT_FALSE(r.time);
        ASSERT_TRUE(r.predicted);
        EXPECT_EQ(c.seconds, r.predicted->seconds);
        EXPECT_GE(r.predicted->seconds, r.bound->seconds);
    }
    for (const record::Record& r : log.records) EXPECT_TRUE(r.predicted) << "what is stored at once has it as well";
}

TEST_F(TunerTest, all_rungs_with_axes_and_all_sizes_are_tuned_each_by_itself) {
    auto t = run({}, {{"BLOCK", {"32", "64"}}, {"EACH", {"1"}}}, {{64}, {128}});
    ASSERT_TRUE(t.ok()) << t.error().text();
    std::vector<std::string> names;
    for (const Outcome& o : t->outcomes)
        names.push_back(o.rung + " " + std::to_string(o.size[0]) + " " + std::to_string(o.tried.size()));
    EXPECT_THAT(names, ElementsAre("shaped 64 2", "other 64 2", "shaped 128 2", "other 128 2"));
    options.method = Method::exhaustive;
    const auto entries = best_entries(*t, "twice", options);
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(entries[2].rung, "shaped");
    EXPECT_THAT(entries[2].size, ElementsAre(128));
    EXPECT_EQ(entries[2].device, "fake");
    EXPECT_EQ(entries[2].model, "h200");
    EXPECT_FALSE(entries[2].measured);
    EXPECT_EQ(entries[2].search, "exhaustive");
}

TEST_F(TunerTest, candidates_are_counted_and_a_search_of_its_own_length_is_a_third) {
    for (const Method method : {Method::exhaustive, Method::random, Method::evolutionary, Method::model}) {
        options.method = method;
        options.candidates = 5;
        auto t = run({"shaped"});
        ASSERT_TRUE(t.ok());
        EXPECT_LE(t->outcomes[0].tried.size(), 5u) << method_name(method);
        EXPECT_THAT(t->outcomes[0].ended, HasSubstr("5 candidates were tried")) << method_name(method);
    }
    options.candidates = 0;
    options.method = Method::random;
    EXPECT_EQ(run({"shaped"})->outcomes[0].tried.size(), 8u);
}

TEST_F(TunerTest, the_same_seed_tries_the_same_candidates) {
    const auto tried = [&](std::uint64_t seed) {
        options.method = Method::evolutionary, options.candidates = 12, options.seed = seed;
        auto t = run({"shaped"});
        std::vector<std::string> out;
        for (const Candidate& c : t->outcomes[0].tried) out.push_back(choices_text(c.axes));
        return out;
    };
    EXPECT_EQ(tried(3), tried(3));
    EXPECT_NE(tried(3), tried(4));
}

TEST_F(TunerTest, interrupted_it_gives_what_there_is) {
    device.after = [&] {
        if (device.calls.size() == 6) cancel = true;
    };
    auto t = run({"shaped", "other"});
    ASSERT_TRUE(t.ok());
    EXPECT_TRUE(t->cancelled);
    ASSERT_EQ(t->outcomes.size(), 1u) << "the next rung is not begun";
    EXPECT_EQ(t->outcomes[0].ended, "interrupted");
    EXPECT_EQ(t->set.records.size(), 6u);
    EXPECT_TRUE(t->outcomes[0].best);
    EXPECT_EQ(t->set.incomplete, "stopped after 6 candidates");
    EXPECT_EQ(best_entries(*t, "twice", options).size(), 1u);
}

TEST_F(TunerTest, when_the_time_is_over_it_gives_what_there_is) {
    options.budget = 1e-9;
    auto t = run({"shaped"});
    ASSERT_TRUE(t.ok());
    EXPECT_FALSE(t->cancelled);
    EXPECT_EQ(t->outcomes[0].ended, "the time is over");
    EXPECT_LT(t->outcomes[0].tried.size(), 20u);
}

TEST_F(TunerTest, what_is_stored_is_taken_and_the_search_is_the_same) {
    options.method = Method::model, options.candidates = 9;
    auto first = run({"shaped"});
    ASSERT_TRUE(first.ok());
    log.kept = first->set.records;
    const std::size_t before = device.calls.size();
    auto second = run({"shaped"});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(log.taken, 9u);
    EXPECT_EQ(device.calls.size(), before);
    EXPECT_EQ(best(second->outcomes[0]), best(first->outcomes[0]));
}

TEST_F(TunerTest, where_another_process_stopped_it_goes_on_with_failures_not_repeated) {
    auto first = run({"shaped"}, {{"BLOCK", {"1024"}}});
    ASSERT_TRUE(first.ok());
    ASSERT_EQ(first->set.records.size(), 3u);
    EXPECT_EQ(best(first->outcomes[0]), "none");
    options.standing.records = first->set.records;
    const std::size_t before = device.calls.size();
    auto second = run({"shaped"}, {{"BLOCK", {"512", "1024"}}});
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->set.records.size(), 6u);
    EXPECT_EQ(device.calls.size() - before, 3u);
}

TEST_F(TunerTest, what_was_best_before_is_tried_last_and_said_where_it_lies_outside) {
    Entry e;
    e.ladder = "twice", e.rung = "shaped", e.size = {64}, e.device = "fake", e.model = "h200";
    e.axes = {{"BLOCK", "512"}, {"EACH", "2"}};
    options.before = {e};
    options.candidates = 2;
    auto t = run({"shaped"});
    ASSERT_TRUE(t.ok());
    ASSERT_EQ(t->outcomes[0].tried.size(), 3u);
    EXPECT_EQ(choices_text(t->outcomes[0].tried[2].axes), "BLOCK=512 EACH=2");
    EXPECT_FALSE(t->outcomes[0].earlier);
    auto narrow = run({"shaped"}, {{"BLOCK", {"32"}}});
    EXPECT_EQ(narrow->outcomes[0].earlier, "BLOCK=512 EACH=2");
    options.before[0].size = {65};
    EXPECT_EQ(run({"shaped"})->outcomes[0].tried.size(), 2u) << "another size";
}

TEST_F(TunerTest, words_that_cannot_be_are_usage) {
    EXPECT_EQ(run({"nothing"}).error().kind, ErrorKind::usage);
    EXPECT_THAT(run({"plain"}).error().text(),
                testing::AllOf(HasSubstr("have no axes of their own"), HasSubstr("rungs with axes: shaped other")));
    EXPECT_THAT(run({}, {{"WIDTH", {"1"}}}).error().text(), HasSubstr("no axis 'WIDTH'"));
    EXPECT_THAT(run({"shaped"}, {{"BLOCK", {"wide"}}}).error().text(), HasSubstr("no value 'wide'"));
    EXPECT_EQ(run({"shaped"}, {}, {{5000}}).error().kind, ErrorKind::usage) << "the ladder does not take the size";
    std::vector<std::string> many;
    for (int i = 1; i <= 400; ++i) many.push_back(std::to_string(i));
    EXPECT_THAT(run({"shaped"}, {{"BLOCK", many}, {"EACH", many}}).error().text(),
                HasSubstr("more than 20000 combinations"));
}

TEST_F(TunerTest, its_json_has_the_records_and_the_searches) {
    auto t = run({"shaped"}, {{"BLOCK", {"32", "1024", "2048"}}, {"EACH", {"1"}}});
    ASSERT_TRUE(t.ok());
    const std::string text = to_json(*t, "twice", options);
    const auto set = record::from_json(text, "out");
    ASSERT_TRUE(set.ok()) << set.error().text();
    EXPECT_EQ(set->records.size(), 2u);
    const auto j = nlohmann::json::parse(text);
    ASSERT_EQ(j["tuned"].size(), 1u);
    const auto& s = j["tuned"][0];
    EXPECT_EQ(s["rung"], "shaped");
    EXPECT_EQ(s["basis"], "predicted");
    EXPECT_EQ(s["best"]["axes"]["BLOCK"], "32");
    EXPECT_EQ(s["best"]["record"], 0);
    EXPECT_EQ(s["tried"].size(), 2u);
    EXPECT_THAT(s["tried"][1]["problem"].get<std::string>(), HasSubstr("an address that is none"));
    EXPECT_EQ(s["refused"].size(), 1u);
}

}  // namespace tuner_test
}  // namespace warpwright::tune
