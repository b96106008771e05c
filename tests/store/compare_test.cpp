// Two runs side by side: verdicts by noise, counts exactly, points that only one has.
#include "store/compare.hpp"
#include "store/compare_ci.hpp"

#include <gtest/gtest.h>

namespace warpwright::store {
namespace compare_test {

record::Record point(const std::string& rung, double seconds, double spread = 0.01, std::int64_t n = 1024) {
    record::Record r;
    r.experiment = "reduce";
    r.rung = rung;
    r.device = "cuda:0";
    r.axes = {{"n", n}};
    r.verified = true;
    if (seconds > 0) r.time = record::Time{seconds, seconds, spread, 9};
    return r;
}

record::RecordSet set(std::vector<record::Record> records) { return {{}, std::move(records)}; }

TEST(Compare, times_differ_when_they_are_further_apart_than_the_noise) {
    const auto d = compare(set({point("a", 1.0), point("b", 1.0), point("c", 1.0), point("d", 1.0, 0.2)}),
                           set({point("a", 1.02), point("b", 1.04), point("c", 0.9), point("d", 1.5)}));
    ASSERT_EQ(d.size(), 4u);
    EXPECT_EQ(d[0].verdict, Verdict::same);
    EXPECT_EQ(d[1].verdict, Verdict::slower);
    EXPECT_EQ(d[2].verdict, Verdict::faster);
    EXPECT_NEAR(*d[2].ratio, 1 / 0.9, 1e-12);
    EXPECT_EQ(d[3].verdict, Verdict::same);
    EXPECT_NEAR(d[3].noise, 0.6, 1e-12);
}

TEST(Compare, a_least_change_can_be_asked_for) {
    CompareOptions options;
    options.least = 0.1;
    EXPECT_EQ(compare(set({point("a", 1)}), set({point("a", 1.08)}), options)[0].verdict, Verdict::same);
    EXPECT_EQ(compare(set({point("a", 1)}), set({point("a", 1.12)}), options)[0].verdict, Verdict::slower);
}

TEST(Compare, measured_and_predicted_times_are_never_set_against_each_other) {
    record::Record predicted = point("a", 0);
    predicted.predicted = record::Predicted{9, "roofline"};
    const auto d = compare(set({point("a", 1)}), set({predicted}));
    EXPECT_FALSE(d[0].ratio);
    EXPECT_EQ(d[0].verdict, Verdict::same);
}

TEST(Compare, counts_are_compared_exactly) {
    record::Record a = point("a", 1), b = point("a", 1);
    a.counts.emplace();
    b.counts = a.counts;
    (*b.counts)[record::Count::global_load_sectors] = 1;
    const auto d = compare(set({a}), set({b}));
    EXPECT_EQ(d[0].verdict, Verdict::counts);
    ASSERT_EQ(d[0].counts.size(), 1u);
    EXPECT_EQ(d[0].counts[0], (CountDifference{record::Count::global_load_sectors, 0, 1}));
    b.counts.reset();
    EXPECT_TRUE(compare(set({a}), set({b}))[0].counts.empty());
}

TEST(Compare, counts_of_a_sample_are_equal_within_its_error) {
    const auto c = record::Count::instructions;
    const auto of = [&](std::uint64_t n, std::uint64_t open) {
        record::Record r = point("a", 0);
        r.bound.emplace();
        r.bound->seconds = static_cast<double>(n);
        r.counts.emplace(), (*r.counts)[c] = n;
        if (open) r.counts_error.emplace(), (*r.counts_error)[c] = open;
        return r;
    };
    const auto near = compare(set({of(1000, 0)}), set({of(1018, 20)}))[0];
    EXPECT_TRUE(near.sampled);
    EXPECT_TRUE(near.counts.empty());
    EXPECT_EQ(near.verdict, Verdict::same) << "the bound follows from the counts";
    const auto far = compare(set({of(1000, 0)}), set({of(1030, 20)}))[0];
    EXPECT_EQ(far.counts.size(), 1u);
    EXPECT_EQ(far.verdict, Verdict::slower);
    // Of two samples both may be off.
    EXPECT_TRUE(compare(set({of(1000, 20)}), set({of(1025, 20)}))[0].counts.empty());
    EXPECT_FALSE(compare(set({of(1000, 20)}), set({of(1030, 20)}))[0].counts.empty());
    EXPECT_FALSE(compare(set({of(1000, 0)}), set({of(1001, 0)}))[0].counts.empty());
}

TEST(Compare, points_are_matched_by_axes_and_kind_of_device) {
    record::Record other = point("a", 1);
    other.device = "cuda:3";
    record::Record emulated = point("a", 1);
    emulated.device = "emulated";
    const auto d = compare(set({point("a", 1, 0.01, 1), point("a", 1, 0.01, 2), point("a", 1)}),
                           set({point("a", 1, 0.01, 2), other, emulated}));
    ASSERT_EQ(d.size(), 4u);
    EXPECT_EQ(d[0].verdict, Verdict::only_a);
    EXPECT_EQ(d[1].verdict, Verdict::same);
    EXPECT_EQ(d[2].verdict, Verdict::same);
    EXPECT_EQ(d[3].verdict, Verdict::only_b);
    EXPECT_EQ(d[3].device, "emulated");
}

TEST(Compare, what_fails_now_is_broken_whatever_its_time) {
    record::Record bad = point("a", 0.5);
    bad.verified = false;
    EXPECT_EQ(compare(set({point("a", 1)}), set({bad}))[0].verdict, Verdict::broken);
    EXPECT_EQ(compare(set({bad}), set({point("a", 1)}))[0].verdict, Verdict::mended);
    bad.known_incorrect = true;  // shown for being wrong: no news
    EXPECT_NE(compare(set({point("a", 1)}), set({bad}))[0].verdict, Verdict::broken);
}

TEST(Compare, only_what_was_chosen) {
    CompareOptions options;
    options.names = {"v*"};
    options.axes = {{"n", std::string("7")}};
    const auto a = set({point("vector", 1, 0, 7), point("vector", 1, 0, 8), point("tree", 1, 0, 7)});
    EXPECT_EQ(compare(a, a, options).size(), 1u);
}

TEST(Compare, a_run_is_the_same_as_itself_also_with_points_twice) {
    const auto a = set({point("a", 1), point("a", 2), point("a", 3)});
    for (const Difference& d : compare(a, a)) {
        EXPECT_EQ(d.verdict, Verdict::same);
        EXPECT_DOUBLE_EQ(*d.ratio, 1);
    }
}

TEST(FailOn, words_are_read) {
    const auto on = parse_fail_on("slower:5%,counts");
    ASSERT_TRUE(on);
    EXPECT_TRUE(on->slower && on->counts && !on->missing && !on->broken);
    EXPECT_DOUBLE_EQ(on->slower_by, 0.05);
    EXPECT_TRUE(parse_fail_on("any")->broken);
    for (const char* wrong : {"", "slow", "slower:", "slower:x", "slower:-1", "any,", "slower:5%%"})
        EXPECT_FALSE(parse_fail_on(wrong)) << wrong;
}

TEST(FailOn, a_gate_looks_at_what_was_asked) {
    const auto d =
        compare(set({point("a", 1), point("b", 1), point("gone", 1)}), set({point("a", 1.04), point("b", 1.2)}));
    const auto failed = [&](const char* text) {
        std::string out;
        for (const Difference& x : d)
            if (fails(x, *parse_fail_on(text))) out += x.name + " ";
        return out;
    };
    EXPECT_EQ(failed("slower"), "a b ");
    EXPECT_EQ(failed("slower:10%"), "b ");
    EXPECT_EQ(failed("missing"), "gone ");
    EXPECT_EQ(failed("counts"), "");
    EXPECT_EQ(failed("any"), "a b gone ");
}

/// A kernel of a program, launched so often, held back by that.
record::Record launched(const std::string& kernel, double seconds, const std::string& cause) {
    record::Record r;
    r.experiment = "app", r.kernel = kernel, r.device = "emulated";
    r.predicted = record::Predicted{seconds, "simulated"};
    if (!cause.empty()) r.predicted->causes = {{.cause = cause, .share = 0.5}};
    r.counts.emplace();
    return r;
}
RunData run(std::vector<record::Record> records, std::vector<std::uint64_t> launches,
            std::vector<std::string> findings = {}) {
    return {set(std::move(records)), std::move(launches), std::move(findings)};
}

TEST(Compare, programs_differ_by_launches_causes_and_findings) {
    const RunData a = run({launched("k", 1, "divergence"), launched("m", 1, "spills")}, {3, 1}, {"old", "both"});
    const RunData b = run({launched("k", 1, "bank_conflicts"), launched("m", 1, "spills")}, {3, 2}, {"both", "new"});
    const Comparison c = compare(a, b);
    ASSERT_EQ(c.differences.size(), 2u);
    EXPECT_EQ(c.differences[0].verdict, Verdict::causes);
    EXPECT_EQ(c.differences[0].a_cause + " " + c.differences[0].b_cause, "divergence bank_conflicts");
    EXPECT_EQ(c.differences[1].verdict, Verdict::counts);
    EXPECT_TRUE(c.differences[1].launches_differ());
    EXPECT_EQ(c.new_findings, std::vector<std::string>{"new"});
    EXPECT_EQ(c.gone_findings, std::vector<std::string>{"old"});
    const auto failed = [&](const std::string& words) { return judge(c, *parse_fail_on(words), words); };
    EXPECT_EQ(failed("causes").reasons, std::vector<std::string>{"1 of 2 points fail the gate 'causes'"});
    EXPECT_EQ(failed("counts").failed, 1u);
    EXPECT_EQ(failed("findings").reasons, std::vector<std::string>{"B has a finding that A lacks: new"});
    EXPECT_TRUE(failed("slower,broken,missing").reasons.empty());
    EXPECT_EQ(failed("any").reasons.size(), 2u);
    // Versions of a program may have other names.
    RunData renamed = a;
    for (auto& r : renamed.set.records) r.experiment = "app2";
    EXPECT_TRUE(judge(compare(a, renamed), *parse_fail_on("any"), "any").reasons.empty());
    renamed.set.records[0].kernel = "other";
    EXPECT_EQ(compare(a, renamed).differences.back().verdict, Verdict::only_b);
    EXPECT_EQ(compare(a, renamed).differences.back().experiment, "app");
    // The same against itself passes, whatever is asked.
    EXPECT_TRUE(judge(compare(a, a), *parse_fail_on("any"), "any").reasons.empty());
}

// A gate that looked at nothing is no clean run.
TEST(Compare, a_gate_that_has_nothing_to_look_at_fails) {
    record::Record bare = launched("k", 0, "");
    bare.predicted.reset(), bare.counts.reset();
    const Comparison c = compare(run({bare}, {1}), RunData{set({bare})});
    for (const std::string words : {"slower", "counts", "causes", "findings"}) {
        const Gate gate = judge(c, *parse_fail_on(words), words);
        ASSERT_EQ(gate.reasons.size(), 1u) << words;
        EXPECT_NE(gate.reasons[0].find("the gate '" + words + "' has looked at nothing"), std::string::npos);
        EXPECT_EQ(gate.empty, gate.reasons);
    }
    EXPECT_TRUE(judge(c, *parse_fail_on("broken"), "broken").reasons.empty());
    EXPECT_TRUE(judge(c, {}, "").reasons.empty());
    const Comparison apart = compare(run({launched("k", 1, "")}, {1}), run({launched("l", 1, "")}, {1}));
    EXPECT_EQ(judge(apart, *parse_fail_on("broken"), "broken").empty.size(), 1u);
}

TEST(Compare, ci_servers_get_a_test_for_each_point_and_a_page) {
    record::Record slow = launched("void k<T*>(int | \"x\")", 2, "");
    const RunData a = run({launched("void k<T*>(int | \"x\")", 1, ""), launched("m", 1, "")}, {1, 1});
    const RunData b = run({slow, launched("m", 1, ""), launched("only", 1, "")}, {1, 1, 1}, {"past-end at a.cu:3"});
    const Comparison c = compare(a, b);
    const FailOn on = *parse_fail_on("slower,findings");
    const Gate gate = judge(c, on, "slower,findings");
    const std::string xml = to_junit(c, on, gate);
    EXPECT_NE(xml.find("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("name=\"void k&lt;T*&gt;(int | &quot;x&quot;)\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("message=\"slower: ~1 s -&gt; ~2 s, 2.000 times\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("message=\"past-end at a.cu:3\""), std::string::npos) << xml;
    const std::string page = to_markdown(c, gate, "main", "branch");
    EXPECT_NE(page.find("### Warpwright: main and branch\n\n**1 of 3 points fail"), std::string::npos) << page;
    EXPECT_NE(page.find("| void k&lt;T\\*\\>\\(int \\| \"x\"\\) |  | \\~1 s | \\~2 s | 2.000 | slower |  |"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("2 of 3 points differ (1 the same)"), std::string::npos) << page;
    EXPECT_NE(page.find("Found now and not before:\n\n- past-end at a.cu:3\n"), std::string::npos) << page;
}

}  // namespace compare_test
}  // namespace warpwright::store
