// Each kernel of progress.cu ends with the right result, alone and under the checkers (which find nothing), on one host
// thread and on many. Each of deadlocks.cu is found and explained under the checkers, on one host thread and on many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "warpwright/testing.hpp"

namespace warpwright {
namespace progress_test {

using test::must;

struct How {
    const char* checkers;
    unsigned threads;
};

std::string name_of(const ::testing::TestParamInfo<How>& i) {
    return std::string(*i.param.checkers ? "checked" : "run") + "_" + std::to_string(i.param.threads);
}

class On : public ::testing::TestWithParam<How> {
protected:
    void SetUp() override {
        DeviceOptions options;
        options.threads = GetParam().threads;
        options.checkers = GetParam().checkers;
        gpu_.emplace(must(Device::open(options)));
    }

    void load(const char* file) {
        program_.emplace(must(gpu_->compile(std::string(WARPWRIGHT_SOURCE_DIR "/tests/progress/") + file)));
    }

    Buffer words(std::size_t count, int value = 0) { return put(std::vector<int>(count, value)); }
    Buffer put(const std::vector<int>& values) { return must(gpu_->upload(std::span<const int>(values))); }
    std::vector<int> get(const Buffer& b, std::size_t count) { return must(gpu_->download<int>(b, count)); }

    /// It must end by itself, with nothing found.
    void ends(const char* kernel, unsigned blocks, unsigned threads, const std::vector<Argument>& arguments,
              bool cooperative = false) {
        LaunchOptions options;
        options.counters = false;
        options.timeout = std::chrono::seconds(240);
        options.cooperative = cooperative;
        auto ran = gpu_->launch(*program_, kernel, {blocks}, {threads}, arguments, options);
        ASSERT_TRUE(ran) << kernel << ": " << ran.error().text();
        for (const auto& f : gpu_->findings()) ADD_FAILURE() << kernel << ": " << f.message << " at line " << f.at.line;
    }

    std::optional<Device> gpu_;
    std::optional<Program> program_;
};

class Progress : public On {
protected:
    void SetUp() override { On::SetUp(), load("progress.cu"); }
};

TEST_P(Progress, locks) {
    for (const char* kernel : {"lock_by_lane", "lock_with_pause"}) {
        const Buffer lock = words(1), sum = words(1);
        ends(kernel, 6, 64, {lock, sum});
        EXPECT_EQ(get(sum, 1)[0], 6 * 64) << kernel;
        EXPECT_EQ(get(lock, 1)[0], 0) << kernel;
    }
    const Buffer counters = words(2), order = words(256, -1);
    ends("tickets", 4, 64, {counters, order});
    auto served = get(order, 256);
    std::sort(served.begin(), served.end());
    for (int i = 0; i < 256; ++i) EXPECT_EQ(served[static_cast<std::size_t>(i)], i);
}

TEST_P(Progress, flags_between_blocks) {
    const Buffer flags = words(40), values = words(40, -1);
    ends("later_blocks", 40, 64, {flags, values});
    const auto v = get(values, 40);
    for (int b = 0; b < 40; ++b) EXPECT_EQ(v[static_cast<std::size_t>(b)], 39 - b);
}

TEST_P(Progress, lanes_of_a_warp) {
    const Buffer out = words(32, -1);
    ends("lanes_in_turn", 1, 32, {out});
    const auto v = get(out, 32);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(v[static_cast<std::size_t>(t)], 31 - t);
}

TEST_P(Progress, look_back) {
    const std::size_t tiles = 70, n = tiles * 128;
    std::vector<int> in(n), expected(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<int>(i * 7 % 11) - 5;
    std::partial_sum(in.begin(), in.end(), expected.begin());
    const Buffer a = put(in), out = words(n, -1), state = words(2 * tiles), next = words(1);
    ends("look_back", tiles, 128, {a, out, state, next});
    EXPECT_EQ(get(out, n), expected);
}

TEST_P(Progress, grid_barriers) {
    for (const bool by_hand : {true, false}) {
        const int blocks = 12, n = blocks * 64;
        std::vector<int> a(n), b(n);
        for (int i = 0; i < n; ++i) a[static_cast<std::size_t>(i)] = i * i % 101;
        const Buffer da = put(a), db = words(n), state = words(2);
        for (int round = 0; round < 4; round += 2) {
            for (int i = 0; i < n; ++i) b[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>((i + 1) % n)] + 1;
            for (int i = 0; i < n; ++i)
                a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>((i + n - 3) % n)] + 1;
        }
        if (by_hand)
            ends("grid_barrier", blocks, 64, {da, db, state});
        else
            ends("cooperative", blocks, 64, {da, db}, true);
        EXPECT_EQ(get(da, n), a) << by_hand;
    }
}

TEST_P(Progress, producer_and_consumer_warps) {
    const int rounds = 37;
    std::vector<int> in(rounds * 32), twice(rounds * 32);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) * 3, twice[i] = in[i] * 2;
    for (const char* kernel : {"ring", "named_barriers"}) {
        const Buffer a = put(in), out = words(in.size(), -1);
        ends(kernel, 1, 64, {a, out, rounds});
        EXPECT_EQ(get(out, in.size()), twice) << kernel;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Progress, ::testing::Values(How{"", 1}, How{"", 8}, How{"all", 1}, How{"all", 8}),
                         name_of);

class Deadlocks : public On {
protected:
    void SetUp() override { On::SetUp(), load("deadlocks.cu"); }

    void found(const std::string& kernel, unsigned blocks, unsigned threads) {
        LaunchOptions options;
        options.counters = false;
        options.timeout = std::chrono::seconds(240);  // a test that fails must end
        auto ran = gpu_->launch(*program_, kernel, {blocks}, {threads}, {words(4)}, options);
        ASSERT_FALSE(ran) << kernel;
        EXPECT_EQ(ran.error().kind, ErrorKind::fault);
        EXPECT_THAT(ran.error().what, ::testing::HasSubstr("deadlock")) << kernel;
        EXPECT_EQ(ran.error().where.line, line_of("// " + kernel)) << ran.error().text();
        EXPECT_FALSE(ran.error().hint.empty()) << kernel;
    }

    static unsigned line_of(const std::string& words) {
        std::ifstream in(WARPWRIGHT_SOURCE_DIR "/tests/progress/deadlocks.cu");
        unsigned number = 0;
        for (std::string line; std::getline(in, line);)
            if (++number;
                line.size() >= words.size() && line.compare(line.size() - words.size(), words.size(), words) == 0)
                return number;
        return 0;
    }
};

TEST_P(Deadlocks, are_found_and_explained) {
    found("same_lock_twice", 1, 32);
    found("opposite_locks", 2, 32);
    found("lane_for_lane", 1, 32);
    found("one_item_more", 2, 32);
    found("grid_too_large", 7, 64);
    found("half_a_barrier", 3, 64);
}

INSTANTIATE_TEST_SUITE_P(All, Deadlocks, ::testing::Values(How{"all", 1}, How{"all", 8}), name_of);

/// Where nothing but barriers is waited for, it is found without checkers as well.
class BarrierDeadlocks : public Deadlocks {};
TEST_P(BarrierDeadlocks, are_found_and_explained) { found("half_a_barrier", 3, 64); }
INSTANTIATE_TEST_SUITE_P(All, BarrierDeadlocks, ::testing::Values(How{"", 1}, How{"", 8}), name_of);

}  // namespace progress_test
}  // namespace warpwright
