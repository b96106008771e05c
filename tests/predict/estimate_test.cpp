// The predicted time that variants are ranked by: what makes one slower, all else being equal.
#include <gtest/gtest.h>

#include "predict/bound.hpp"
#include "predict/estimate.hpp"

namespace warpwright::predict {
namespace estimate_test {

using record::Count;

class Estimate : public testing::Test {
protected:
    void SetUp() override {
        auto loaded = arch::load_model("h200");
        ASSERT_TRUE(loaded.ok());
        model = *loaded;
        work.grid = {132 * 8, 1, 1};
        work.block = {256, 1, 1};
        work.registers = 32;
        work.counts[Count::instructions] = 132 * 100'000;
        work.counts[Count::mix_fp32] = 132 * 50'000;
        work.counts[Count::global_load_requests] = 132 * 1000;
        work.counts[Count::global_load_sectors] = 132 * 4000;
        work.touched = record::Touched{1'000'000, 0};
    }
    double seconds(const Work& w) {
        record::Record r;
        r.counts = w.counts, r.grid = w.grid, r.block = w.block;
        annotate(r, w, model);
        const auto p = estimate(r, model);
        EXPECT_TRUE(p);
        if (!p) return 0;
        EXPECT_GE(p->seconds, r.bound->seconds) << "no prediction is below what cannot be beaten";
        EXPECT_FALSE(p->method.empty());
        return p->seconds;
    }
    arch::DeviceModel model;
    Work work;
};

TEST_F(Estimate, the_busiest_multiprocessor_is_waited_for) {
    Work uneven = work;
    uneven.grid = {132 * 8 + 1, 1, 1};  // one more block: nine somewhere, eight elsewhere
    EXPECT_GT(seconds(uneven), 1.05 * seconds(work));
}

TEST_F(Estimate, latency_counts_where_few_warps_are_resident) {
    Work few = work;
    few.shared = 200 * 1024;  // one block at a time
    EXPECT_GT(seconds(few), 1.2 * seconds(work));
}

TEST_F(Estimate, more_of_anything_is_slower) {
    for (const Count c : {Count::instructions, Count::global_load_requests, Count::shared_load_requests}) {
        Work more = work;
        more.counts[c] = more.counts[c] * 4 + 132 * 20'000;
        EXPECT_GT(seconds(more), seconds(work)) << record::count_key(c);
    }
}

TEST_F(Estimate, without_counts_or_where_nothing_is_resident_there_is_none) {
    record::Record r;
    EXPECT_FALSE(estimate(r, model));
    r.counts = work.counts, r.grid = work.grid, r.block = work.block;
    EXPECT_FALSE(estimate(r, model)) << "no bound yet";
    Work large = work;
    large.shared = 10 << 20;
    annotate(r, large, model);
    EXPECT_FALSE(estimate(r, model)) << "no block of it fits";
}

}  // namespace estimate_test
}  // namespace warpwright::predict
