// What holds a launch back, as data and as texts: the rows of record/causes.inc, JSON, several launches together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "record/bottleneck.hpp"
#include "record/bottleneck_text.hpp"
#include "record/record.hpp"
#include "text/words.hpp"

namespace warpwright::record {
namespace bottleneck_test {

using testing::HasSubstr;

Bottleneck conflicts(double share) {
    Bottleneck b;
    b.cause = "bank_conflicts", b.share = share;
    b.file = "/home/me/k.cu", b.line = 12, b.variable = "tile";
    b.evidence = {{"wavefronts_per_request", 32}, {"needed", 1}};
    return b;
}

TEST(Bottleneck, every_cause_has_its_texts) {
    for (const BottleneckInfo& row : causes()) {
        const std::string key = "cause." + std::string(row.name) + ".";
        for (const char* text : {"title", "says", "fix"}) EXPECT_TRUE(Words::plain().has(key + text)) << key << text;
        EXPECT_TRUE(is_cause(row.name));
    }
    EXPECT_FALSE(is_cause("bad_luck"));
}

TEST(Bottleneck, sentences_have_the_numbers_of_the_evidence) {
    const Bottleneck b = conflicts(0.4);
    EXPECT_EQ(evidence_english(b), "32 wavefronts per request to shared memory where 1 would do");
    EXPECT_THAT(fix_english(b), HasSubstr("[32][33]"));
    EXPECT_EQ(Words::plain().render(place_text(b)), "k.cu:12, array tile");
    Bottleneck whole = b;
    whole.cause = "low_occupancy", whole.way = "shared";
    whole.evidence = {{"warps", 4}, {"most", 64}, {"waiting_percent", 81.4}, {"shared", 49152}};
    whole.names = {{"limiter", "shared memory"}};
    EXPECT_EQ(evidence_english(whole),
              "4 of 64 possible warps are resident, limited by shared memory; 81.4 % of their time they wait for "
              "results");
    EXPECT_THAT(fix_english(whole), HasSubstr("49,152 bytes"));
}

TEST(Bottleneck, amounts_have_the_unit_that_suits_them) {
    Bottleneck b;
    b.cause = "transfers";
    const auto begin_of = [&](const char* name, double amount) {
        b.evidence = {{name, amount}, {"percent", 75}};
        const std::string text = evidence_english(b);
        return text.substr(0, text.find(" are"));
    };
    EXPECT_EQ(begin_of("copied", 999.6), "1 kB");
    EXPECT_EQ(begin_of("copied", 12), "12 B");
    EXPECT_EQ(begin_of("copied", 12.5e6), "12.5 MB");
    // As older profiles have it.
    EXPECT_EQ(begin_of("megabytes", 12.5), "12.5 MB");
}

TEST(Bottleneck, comes_back_from_json_beside_the_predicted_time) {
    RecordSet set;
    set.records.emplace_back();
    set.records[0].predicted = Predicted{};
    set.records[0].predicted->causes = {conflicts(0.4)};
    set.records[0].predicted->causes[0].names = {{"limiter", "registers"}};
    const std::string json = to_json(set);
    EXPECT_THAT(json, HasSubstr("\"causes\""));
    EXPECT_THAT(json, HasSubstr("32 wavefronts per request"));
    const auto back = from_json(json, "set");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->records[0].predicted->causes, set.records[0].predicted->causes);

    std::string unknown = json;
    unknown.replace(unknown.find("bank_conflicts"), 14, "bad_luck");
    const auto refused = from_json(unknown, "set");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(), HasSubstr("is no cause: 'bad_luck'"));
}

TEST(Bottleneck, of_several_launches_shares_go_by_time_and_the_limit_is_the_last_word_only_alone) {
    Bottleneck limit;
    limit.cause = kNearTheLimit;
    std::vector<Bottleneck> a{conflicts(0.4)}, b{limit};
    join(a, b, 3, 1);
    ASSERT_EQ(a.size(), 1u);
    EXPECT_EQ(a[0].cause, "bank_conflicts");
    EXPECT_DOUBLE_EQ(a[0].share, 0.3);

    Bottleneck heavier = conflicts(0.8);
    heavier.line = 20;
    join(a, {heavier}, 0.5, 0.5);
    EXPECT_DOUBLE_EQ(a[0].share, 0.55);
    EXPECT_EQ(a[0].line, 20u) << "the one that weighs more gives the place";

    std::vector<Bottleneck> small{conflicts(0.01)};
    join(small, b, 1, 1);
    EXPECT_EQ(small.size(), 2u) << "less than what is told leaves the limit standing";
}

TEST(Bottleneck, the_order_is_by_share_but_for_what_costs_something_else) {
    std::vector<Bottleneck> all(5);
    const char* names[] = {"launch_overhead", "slow_math", "no_reuse", "barriers", "divergence"};
    const double shares[] = {0.9, 0.7, 0.15, 0.3, 0.5};
    for (std::size_t k = 0; k < 5; ++k) all[k].cause = names[k], all[k].share = shares[k];
    order(all);
    std::string told;
    for (const Bottleneck& b : all) told += b.cause + " ";
    EXPECT_EQ(told, "divergence barriers slow_math no_reuse launch_overhead ");
}

TEST(Bottleneck, docs_have_the_table) {
    std::ifstream in(std::string(WARPWRIGHT_SOURCE_DIR) + "/docs/causes.md");
    std::stringstream text;
    text << in.rdbuf();
    for (const BottleneckInfo& row : causes()) {
        const std::string line = "| `" + std::string(row.name) + "` | " +
                                 (row.of == CauseOf::launch ? "launch" : "program") + " | " + std::string(row.meaning) +
                                 " | " + std::string(row.told) + " |\n";
        EXPECT_THAT(text.str(), HasSubstr(line));
    }
}

}  // namespace bottleneck_test
}  // namespace warpwright::record
