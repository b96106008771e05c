// The searches, over made-up times: what they propose, that they end, and that the clever ones need fewer candidates.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tune/search.hpp"
#include "tune/surrogate.hpp"

namespace warpwright::tune {
namespace search_test {

ladder::Axis numbers(const std::string& name, const std::vector<int>& values) {
    ladder::Axis axis{name, {}, {}};
    for (int v : values) axis.values.push_back({std::to_string(v), static_cast<double>(v)});
    return axis;
}

ladder::Axis words(const std::string& name, const std::vector<std::string>& values) {
    ladder::Axis axis{name, {}, {}};
    for (const std::string& v : values) axis.values.push_back({v, std::nullopt});
    return axis;
}

/// 5 x 7 x 3 points.
Space grid() {
    return Space::of(
        {numbers("X", {1, 2, 4, 8, 16}), numbers("Y", {1, 2, 4, 8, 16, 32, 64}), words("W", {"up", "down", "left"})});
}

/// A valley with its bottom at X = 8, Y = 16, "down"; Y = 64 does not run.
std::optional<double> valley(const Space& space, std::size_t index) {
    const auto v = space.choices(index);
    const double x = std::log2(*v[0].second.number) - 3, y = std::log2(*v[1].second.number) - 4;
    if (y > 1) return std::nullopt;
    return 1e-6 * (1 + 0.3 * x * x + 0.2 * y * y + 0.1 * x * y + (v[2].second.text == "down" ? 0 : 0.4));
}

struct Trail {
    std::vector<std::size_t> tried;
    std::size_t until_best = 0;  ///< candidates up to the best of all
    std::string ended;
};

Trail search(Method method, const Space& space, std::uint64_t seed, std::size_t batch = 4, std::size_t at_once = 1) {
    double best = 1;
    for (std::size_t i : space.candidates()) best = std::min(best, valley(space, i).value_or(1));
    auto s = make_search(method, space, seed, at_once);
    Trail out;
    for (;;) {
        const auto points = s->next(batch);
        if (points.empty()) break;
        EXPECT_LE(points.size(), batch);
        for (std::size_t p : points) {
            out.tried.push_back(p);
            const auto seconds = valley(space, p);
            if (seconds && *seconds == best && out.until_best == 0) out.until_best = out.tried.size();
            s->tell(p, seconds);
        }
        if (out.tried.size() > space.size()) break;
    }
    out.ended = s->ended();
    return out;
}

TEST(Space, points_and_indices_are_the_same_thing) {
    const Space space = grid();
    EXPECT_EQ(space.size(), 105u);
    EXPECT_EQ(space.dimensions(), 3u);
    EXPECT_TRUE(space.ordered(0));
    EXPECT_FALSE(space.ordered(2));
    for (std::size_t i = 0; i < space.size(); ++i) {
        EXPECT_EQ(space.index(space.point(i)), i);
        EXPECT_EQ(space.find(space.choices(i)), i);
    }
    // The last axis runs fastest, as in a ladder's own order.
    EXPECT_EQ(space.choices(1)[2].second.text, "down");
    EXPECT_EQ(space.choices(3)[1].second.text, "2");
    EXPECT_EQ(space.find({{"X", {"3", 3}}, {"Y", {"1", 1}}, {"W", {"up", {}}}}), std::nullopt);
    EXPECT_EQ(space.find({{"X", {"1", 1}}, {"Y", {"1", 1}}}), std::nullopt) << "an axis without a value";
}

TEST(Space, features_go_from_0_to_1_and_words_are_all_as_far_from_each_other) {
    const Space space = grid();
    const auto rows = space.features();
    ASSERT_EQ(rows.size(), 105u);
    ASSERT_EQ(rows[0].size(), 5u);  // two numbers, three words
    EXPECT_DOUBLE_EQ(rows[0][0], 0);
    EXPECT_DOUBLE_EQ(rows[104][0], 1);
    EXPECT_DOUBLE_EQ(rows[space.index({1, 0, 0})][0], 0.25) << "powers of two are evenly apart";
    EXPECT_THAT(rows[0], testing::ElementsAre(0, 0, 1, 0, 0));
    EXPECT_THAT(rows[1], testing::ElementsAre(0, 0, 0, 1, 0));
}

TEST(Search, names_are_those_of_the_command_line) {
    for (const char* name : {"exhaustive", "random", "evolutionary", "model"})
        EXPECT_EQ(method_name(*find_method(name)), name);
    EXPECT_FALSE(find_method("clever"));
}

TEST(Search, none_proposes_a_point_twice_and_those_that_go_on_to_the_end_try_all) {
    const Space space = grid();
    for (const Method method : {Method::exhaustive, Method::random, Method::evolutionary, Method::model}) {
        const Trail run = search(method, space, 7);
        EXPECT_EQ(std::set(run.tried.begin(), run.tried.end()).size(), run.tried.size()) << method_name(method);
        EXPECT_GT(run.until_best, 0u) << method_name(method);
        if (method == Method::model) continue;
        EXPECT_EQ(run.tried.size(), space.size()) << method_name(method);
        EXPECT_EQ(run.ended, "") << method_name(method);
    }
    EXPECT_EQ(search(Method::exhaustive, space, 1).tried, space.candidates()) << "in the ladder's order";
}

TEST(Search, the_same_seed_is_the_same_search_and_another_is_another) {
    const Space space = grid();
    for (const Method method : {Method::random, Method::evolutionary}) {
        EXPECT_EQ(search(method, space, 5).tried, search(method, space, 5).tried) << method_name(method);
        EXPECT_NE(search(method, space, 5).tried, search(method, space, 6).tried) << method_name(method);
    }
    EXPECT_EQ(search(Method::model, space, 5).tried, search(Method::model, space, 5).tried);
    // How many are asked for at a time says nothing of the order, but where what is known comes into it.
    EXPECT_EQ(search(Method::random, space, 5, 4).tried, search(Method::random, space, 5, 1).tried);
}

/// Candidates up to the best, the mean over 40 seeds. By chance it is half of the space: 53.
TEST(Search, evolution_and_the_model_find_the_best_with_fewer_candidates_than_chance) {
    const Space space = grid();
    const auto mean = [&](Method method) {
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed)
            sum += static_cast<double>(search(method, space, seed).until_best);
        return sum / 40;
    };
    const double chance = mean(Method::random), evolution = mean(Method::evolutionary);
    EXPECT_GT(chance, 40);
    EXPECT_LT(evolution, 0.7 * chance);
    const Trail guided = search(Method::model, space, 1);
    EXPECT_GT(guided.until_best, 0u);
    EXPECT_LT(guided.until_best, 30u);
    EXPECT_LT(guided.tried.size(), 60u) << "it ends where it expects nothing better";
    EXPECT_THAT(guided.ended, testing::HasSubstr("expects nothing better"));
}

TEST(Search, several_at_once_from_the_same_knowledge_are_different_points) {
    const Space space = grid();
    const Trail run = search(Method::model, space, 1, 4, 4);
    EXPECT_EQ(std::set(run.tried.begin(), run.tried.end()).size(), run.tried.size());
    EXPECT_GT(run.until_best, 0u);
}

TEST(Search, where_nothing_runs_they_go_on_and_end) {
    const Space space = grid();
    for (const Method method : {Method::evolutionary, Method::model}) {
        auto s = make_search(method, space, 1);
        std::size_t tried = 0;
        for (auto points = s->next(4); !points.empty() && tried <= space.size(); points = s->next(4))
            for (std::size_t p : points) s->tell(p, std::nullopt), ++tried;
        EXPECT_EQ(tried, space.size()) << method_name(method);
    }
}

TEST(Search, a_single_point_is_a_space) {
    const Space space = Space::of({numbers("X", {3})});
    for (const Method method : {Method::exhaustive, Method::random, Method::evolutionary, Method::model}) {
        auto s = make_search(method, space, 1);
        EXPECT_THAT(s->next(4), testing::ElementsAre(0u)) << method_name(method);
        s->tell(0, 1e-6);
        EXPECT_TRUE(s->next(4).empty()) << method_name(method);
    }
}

TEST(Surrogate, goes_through_what_it_knows_and_doubts_what_is_far) {
    Surrogate model;
    std::vector<std::vector<double>> rows;
    std::vector<double> values;
    for (double x : {0.0, 0.2, 0.4, 0.6}) rows.push_back({x}), values.push_back(std::sin(3 * x));
    model.fit(rows, values);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(model.guess(rows[i]).mean, values[i], 0.05);
    EXPECT_NEAR(model.guess({0.3}).mean, std::sin(0.9), 0.1);
    EXPECT_LT(model.guess({0.3}).deviation, model.guess({1.0}).deviation);
    // Of two alike guesses the less certain promises more; one far above the best nothing.
    EXPECT_GT(Surrogate::expected_improvement({1, 0.2}, 1), Surrogate::expected_improvement({1, 0.1}, 1));
    EXPECT_NEAR(Surrogate::expected_improvement({5, 0.1}, 1), 0, 1e-12);
    EXPECT_DOUBLE_EQ(Surrogate::expected_improvement({0.5, 0}, 1), 0.5);
    EXPECT_NEAR(Surrogate::expected_improvement({1, 1}, 1), 0.3989422804, 1e-9)
        << "the density of the normal distribution at 0";
}

TEST(Surrogate, values_that_are_all_the_same_are_no_trouble) {
    Surrogate model;
    model.fit({{0}, {1}, {0}}, {2, 2, 2});
    EXPECT_NEAR(model.guess({0.5}).mean, 2, 1e-6);
}

}  // namespace search_test
}  // namespace warpwright::tune
