// The file of tuned values: written, read, wrong; and what a plan takes from it.
#include <unistd.h>

#include <gmock/gmock.h>

#include "common/mutate.hpp"

#include <filesystem>
#include <fstream>

#include "tune/tuned.hpp"

namespace warpwright::tune {
namespace tuned_test {

using testing::ElementsAre;
using testing::HasSubstr;

Entry entry() {
    Entry e;
    e.ladder = "it", e.rung = "wide", e.size = {64, 32};
    e.problem = {{"T", "f32"}};
    e.axes = {{"HOW", "up"}, {"W", "16"}};
    e.device = "emulated", e.model = "h200";
    e.seconds = 1.25e-6, e.search = "model", e.tried = 7, e.combinations = 12;
    e.date = "2026-01-01T00:00:00Z", e.version = "0.1.0";
    return e;
}

record::Environment emulated() {
    record::Environment e;
    e.device = "emulated", e.model = "h200";
    return e;
}

TEST(Tuned, what_is_written_is_read) {
    Entry strange = entry();
    strange.ladder = "a \"b\"\\\n\x01", strange.device = "NVIDIA H200", strange.model = "", strange.measured = true,
    strange.problem = {};
    auto read = parse_tuned(tuned_text({entry(), strange}), "f");
    ASSERT_TRUE(read.ok()) << read.error().text();
    ASSERT_EQ(read->size(), 2u);
    for (const auto& [got, want] : {std::pair{(*read)[0], entry()}, {(*read)[1], strange}}) {
        EXPECT_TRUE(got.same_place(want));
        EXPECT_EQ(got.axes, want.axes);
        EXPECT_EQ(got.seconds, want.seconds);
        EXPECT_EQ(got.measured, want.measured);
        EXPECT_EQ(got.search, want.search);
        EXPECT_EQ(got.tried, want.tried);
        EXPECT_EQ(got.combinations, want.combinations);
        EXPECT_EQ(got.date, want.date);
    }
    EXPECT_EQ((*read)[0].where.line, 5u);
    EXPECT_TRUE(parse_tuned(tuned_text({}), "f")->empty());
}

TEST(Tuned, an_entry_takes_the_place_of_the_one_that_it_is_about) {
    std::vector<Entry> all{entry()};
    Entry better = entry();
    better.axes = {{"HOW", "down"}, {"W", "8"}};
    put(all, better);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].axes, better.axes);
    for (auto change : std::vector<std::function<void(Entry&)>>{
             [](Entry& e) { e.size = {64, 33}; }, [](Entry& e) { e.device = "NVIDIA H200"; },
             [](Entry& e) { e.model = "v100"; }, [](Entry& e) { e.problem = {{"T", "f64"}}; },
             [](Entry& e) { e.rung = "narrow"; }, [](Entry& e) { e.ladder = "other"; }}) {
        Entry other = entry();
        change(other);
        EXPECT_EQ(find(all, other), nullptr);
        put(all, other);
    }
    EXPECT_EQ(all.size(), 7u);
}

TEST(Tuned, a_broken_file_is_one_error_with_its_line) {
    const auto error = [](const std::string& text) {
        auto read = parse_tuned(text, "tuned.toml");
        EXPECT_FALSE(read.ok()) << text;
        if (read.ok()) return std::string();
        EXPECT_EQ(read.error().kind, ErrorKind::input);
        EXPECT_EQ(read.error().text().find('\n'), std::string::npos);
        EXPECT_THAT(read.error().text(), HasSubstr("--no-tuned"));
        return read.error().text();
    };
    const std::string good = tuned_text({entry()});
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    EXPECT_THAT(error("schema = 1\n[[best]\n"), testing::StartsWith("tuned.toml:2"));
    EXPECT_THAT(error("\x89PNG"), testing::StartsWith("tuned.toml:1"));
    EXPECT_THAT(error(""), HasSubstr("no file of tuned values"));
    EXPECT_THAT(error(with("schema = 1", "schema = 2")), HasSubstr("'schema = 1' is missing"));
    EXPECT_THAT(error("schema = 1\nbest = 3"), HasSubstr("tuned.toml:2"));
    EXPECT_THAT(error("schema = 1\nbest = [3]"), HasSubstr("must be a list of tables"));
    EXPECT_THAT(error(with("rung = \"wide\"\n", "")), HasSubstr("'rung' is missing"));
    EXPECT_THAT(error(with("size = [64, 32]", "size = [\"64\"]")), HasSubstr("'size' must be a list of numbers"));
    EXPECT_THAT(error(with("size = [64, 32]", "size = 64")), HasSubstr("'size' must be a list of numbers"));
    EXPECT_THAT(error(with("\"up\"", "[1]")), HasSubstr("the value of 'HOW'"));
    EXPECT_THAT(error(with("basis = \"predicted\"", "basis = \"guessed\"")), HasSubstr("'basis'"));
    EXPECT_THAT(error(with("seconds = 1.25", "seconds = -1.25")), HasSubstr("'seconds' must be a number above 0"));
    EXPECT_THAT(error(with("tried = 7", "tried = \"x\"")), HasSubstr("'tried'"));
}

TEST(Tuned, whatever_the_text_is_it_is_read_or_an_error) {
    Entry e;
    e.ladder = "matmul", e.rung = "ti\"led", e.size = {1, 2, 3}, e.axes = {{"T", "16"}}, e.problem = {{"P", "f32"}};
    e.device = "emulated", e.model = "h200", e.seconds = 1e-3, e.search = "model";
    const std::string text = tuned_text({e, e});
    for (unsigned i = 0; i < 2000; ++i) {
        SCOPED_TRACE(i);
        const auto read = parse_tuned(test::Mutator(i)(text), "t.toml");
        if (!read) {
            EXPECT_EQ(read.error().kind, ErrorKind::input);
            EXPECT_NE(read.error().what, "");
        }
    }
}

TEST(Tuned, no_file_is_no_entries_and_a_folder_is_none) {
    EXPECT_TRUE(read_tuned(testing::TempDir() + "there_is_no_tuned.toml")->empty());
    auto folder = read_tuned(testing::TempDir());
    ASSERT_FALSE(folder.ok());
    EXPECT_THAT(folder.error().text(), HasSubstr("cannot be read"));
    EXPECT_EQ(default_tuned_file("/a/b/results.db"), "/a/b/tuned.toml");
    EXPECT_EQ(default_tuned_file(""), "");
}

TEST(Tuned, a_real_device_goes_by_its_title_and_the_emulated_one_by_its_model) {
    Entry e;
    set_device(e, emulated());
    EXPECT_EQ(e.device, "emulated");
    EXPECT_EQ(e.model, "h200");
    record::Environment real = emulated();
    real.device = "cuda:1", real.device_name = "NVIDIA H200";
    set_device(e, real);
    EXPECT_EQ(e.device, "NVIDIA H200");
    EXPECT_EQ(e.model, "");
}

constexpr const char* kLadder = R"toml(
schema = 1
name = "it"
title = "made up"
[problem]
sizes = ["n", "m"]
default = [[64, 32], [8, 8]]
[axes]
T = ["f32", "f64"]
[[buffer]]
name = "x"
type = "T"
count = "n"
role = "output"
[reference]
elementwise = "1"
output = "x"
[defaults]
arguments = ["x"]
grid = [1]
block = [32]
flops = "n"
bytes = "n"
[[rung]]
name = "wide"
source = "it.ptx"
entry = "k"
axes = { W = [8, 16, 32], HOW = ["up", "down"] }
[[rung]]
name = "plain"
source = "it.ptx"
entry = "k"
)toml";

class Apply : public testing::Test {
protected:
    void SetUp() override {
        folder = testing::TempDir() + "ww_test_tune_apply_" + std::to_string(::getpid());
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/ladder.toml") << kLadder;
        std::ofstream(folder + "/it.ptx") << "\n";
    }
    lab::Plan plan(const lab::Axes& axes = {}) {
        auto ladder = ladder::read_ladder(folder);
        EXPECT_TRUE(ladder.ok()) << ladder.error().text();
        auto out = lab::make_plan(*ladder, {}, axes, {});
        EXPECT_TRUE(out.ok()) << out.error().text();
        return *out;
    }
    static std::vector<std::string> words(const lab::Plan& plan, std::size_t problem) {
        std::vector<std::string> out;
        for (const lab::Step& s : plan.steps) {
            if (s.problem != problem) continue;
            out.push_back(s.rung->name);
            for (const auto& [name, value] : s.variant) out.back() += " " + value.text;
        }
        return out;
    }
    std::string folder;
};

TEST_F(Apply, the_tuned_variant_alone_is_left_where_the_size_the_problem_and_the_device_are_the_same) {
    lab::Plan p = plan();
    ASSERT_EQ(p.steps.size(), 28u);
    auto used = apply({entry()}, emulated(), {}, p);
    ASSERT_TRUE(used.ok()) << used.error().text();
    ASSERT_EQ(used->size(), 1u);
    EXPECT_FALSE(used->front().overridden);
    EXPECT_EQ(p.steps.size(), 23u);
    EXPECT_THAT(words(p, 0), ElementsAre("wide f32 16 up", "plain f32"));
    EXPECT_EQ(words(p, 1).size(), 7u) << "f64 is another problem";
    EXPECT_EQ(words(p, 2).size(), 7u) << "8 x 8 is another size";

    lab::Plan other = plan();
    record::Environment real = emulated();
    real.device_name = "NVIDIA H200";
    EXPECT_TRUE(apply({entry()}, real, {}, other)->empty()) << "another device";
    EXPECT_EQ(other.steps.size(), 28u);
}

TEST_F(Apply, values_that_the_user_chose_stand) {
    const lab::Axes chosen{{"W", {"8", "32"}}};
    lab::Plan p = plan(chosen);
    auto used = apply({entry()}, emulated(), chosen, p);
    ASSERT_TRUE(used.ok());
    ASSERT_EQ(used->size(), 1u);
    EXPECT_TRUE(used->front().overridden);
    EXPECT_THAT(words(p, 0),
                ElementsAre("wide f32 8 up", "wide f32 8 down", "wide f32 32 up", "wide f32 32 down", "plain f32"));
    // The ladder's own axes are the problem's: choosing one does not choose a value of the rung's.
    const lab::Axes problem{{"T", {"f32"}}};
    lab::Plan q = plan(problem);
    EXPECT_FALSE(apply({entry()}, emulated(), problem, q)->front().overridden);
    EXPECT_THAT(words(q, 0), ElementsAre("wide f32 16 up", "plain f32"));
}

TEST_F(Apply, what_the_rung_does_not_take_is_one_error_at_the_entrys_line) {
    const auto error = [&](const Choices& axes) {
        Entry e = entry();
        e.axes = axes;
        lab::Plan p = plan();
        auto used = apply(*parse_tuned(tuned_text({e}), "tuned.toml"), emulated(), {}, p);
        EXPECT_FALSE(used.ok());
        if (used.ok()) return std::string();
        EXPECT_EQ(used.error().kind, ErrorKind::input);
        return used.error().text();
    };
    EXPECT_THAT(error({{"W", "16"}, {"HOW", "sideways"}}),
                testing::AllOf(testing::StartsWith("tuned.toml:5"), HasSubstr("'HOW' has no value 'sideways'"),
                               HasSubstr("--no-tuned")));
    EXPECT_THAT(error({{"W", "16"}, {"HOW", "up"}, {"Z", "1"}}), HasSubstr("it has no axis 'Z'"));
    EXPECT_THAT(error({{"W", "16"}}), HasSubstr("there is none for its axis 'HOW'"));
    EXPECT_THAT(error({{"W", "many"}, {"HOW", "up"}}), HasSubstr("'W' has no value 'many'"));
}

TEST_F(Apply, a_number_that_the_ladder_does_not_list_is_taken) {
    Entry e = entry();
    e.axes = {{"W", "64"}, {"HOW", "down"}};
    lab::Plan p = plan();
    ASSERT_TRUE(apply({e}, emulated(), {}, p).ok());
    EXPECT_THAT(words(p, 0), ElementsAre("wide f32 64 down", "plain f32"));
}

TEST_F(Apply, records_say_where_their_values_come_from) {
    record::RecordSet set;
    record::Record r;
    r.experiment = "it", r.rung = "wide";
    r.axes = {{"n", std::int64_t{64}},
              {"m", std::int64_t{32}},
              {"T", std::string("f32")},
              {"W", std::int64_t{16}},
              {"HOW", std::string("up")}};
    set.records.push_back(r);
    r.axes[0].value = std::int64_t{65};
    set.records.push_back(r);
    note(set, {{entry(), false}}, "tuned.toml");
    EXPECT_THAT(set.records[0].notes, ElementsAre("HOW=up W=16 is tuned (model, predicted): tuned.toml"));
    EXPECT_TRUE(set.records[1].notes.empty());
    note(set, {{entry(), true}}, "tuned.toml");
    EXPECT_EQ(set.records[0].notes.size(), 1u) << "what the user chose is not tuned";
}

}  // namespace tuned_test
}  // namespace warpwright::tune
