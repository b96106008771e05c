// A profile as records: what is compared of whole programs, and stored.
#include "profile/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright::profile {
namespace records_test {

using testing::ElementsAre;
using testing::IsEmpty;

KernelUse kernel(std::uint64_t launches, double seconds) {
    KernelUse k;
    k.name = "_Z4stepPfi";
    k.grid = {64, 1, 1}, k.block = {256, 1, 1};
    for (std::uint64_t n = 0; n < launches; ++n) k.times.add(seconds);
    k.counted = launches;
    k.predicted = record::Predicted{seconds, record::Predicted::kSimulated};
    return k;
}

Profile emulated(std::vector<KernelUse> kernels) {
    Profile p;
    p.model = "h200";
    p.program = {"/tmp/build/app.cu"};
    p.kernels = std::move(kernels);
    return p;
}

record::Counts loads(std::uint64_t n) {
    record::Counts c;
    c[record::Count::global_load_sectors] = n;
    return c;
}

TEST(Records, AreOneForEachLaunchThatDiffers) {
    KernelUse k = kernel(3, 1e-6);
    k.dynamic_shared = 128;
    k.launches = {{2, 1e-6, loads(4)}, {1, 2e-6, loads(5)}};
    const auto all = records_of(emulated({k}));
    ASSERT_EQ(all.records.size(), 2u);
    EXPECT_THAT(all.launches, ElementsAre(2, 1));
    const auto& second = all.records[1];
    EXPECT_EQ(second.experiment, "app.cu");
    EXPECT_EQ(second.kernel, "step(float*, int)");
    EXPECT_EQ(second.device, "emulated");
    EXPECT_THAT(second.axes,
                ElementsAre(record::Axis{"grid", std::string("64x1x1")}, record::Axis{"block", std::string("256x1x1")},
                            record::Axis{"shared", std::int64_t{128}}, record::Axis{"launch", std::int64_t{2}}));
    EXPECT_EQ(second.counts, loads(5));
    EXPECT_DOUBLE_EQ(second.predicted->seconds, 2e-6);
    EXPECT_EQ(second.predicted->method, record::Predicted::kSimulated);
    EXPECT_FALSE(second.time);
}

// The error of all launches together is each one's in proportion, rounded up.
TEST(Records, CountsOfASampleHaveTheirError) {
    KernelUse k = kernel(3, 1e-6);
    k.launches = {{2, 1e-6, loads(1000)}, {1, 2e-6, loads(2001)}};
    k.counts = loads(4001);
    k.sample.launches = 3, k.sample.blocks = 30, k.sample.run = 3;
    k.sample.half_width[static_cast<unsigned>(record::Count::global_load_sectors)] = 36;
    auto all = records_of(emulated({k})).records;
    EXPECT_EQ(all[0].counts_error, loads(9));
    EXPECT_EQ(all[1].counts_error, loads(19));
    k.sample.run = 30;
    EXPECT_FALSE(records_of(emulated({k})).records[0].counts_error) << "all blocks ran";
}

// An average launch stands for all, where single ones are not kept.
TEST(Records, WithoutSingleLaunchesTheAverageStandsForAll) {
    KernelUse k = kernel(2, 1e-6);
    k.counts = loads(10);
    EXPECT_EQ(records_of(emulated({k})).records[0].counts, loads(5));
    k.launches = {{1, 1e-6, loads(4)}};
    k.launches_left_out = 1;
    const auto all = records_of(emulated({k}));
    ASSERT_EQ(all.records.size(), 1u);
    EXPECT_EQ(all.records[0].counts, loads(5));
    EXPECT_THAT(all.launches, ElementsAre(2));
    EXPECT_EQ(all.records[0].axes.size(), 2u);
}

TEST(Records, ABoundIsNoPrediction) {
    KernelUse k = kernel(1, 1e-6);
    k.predicted.reset();
    k.launches = {{1, 3e-6, loads(4)}};
    const auto r = records_of(emulated({k})).records[0];
    EXPECT_FALSE(r.predicted);
    EXPECT_DOUBLE_EQ(r.bound->seconds, 3e-6);
}

TEST(Records, OfARealGpuTimesAreMeasured) {
    Profile p = emulated({kernel(4, 1e-6)});
    p.device = "NVIDIA H200";
    p.copies = {{"[CUDA memcpy HtoD]", p.kernels[0].times, 4096}};
    const auto all = records_of(p);
    ASSERT_EQ(all.records.size(), 2u);
    EXPECT_EQ(all.records[0].device, "cuda");
    EXPECT_DOUBLE_EQ(all.records[0].time->median_s, 1e-6);
    EXPECT_EQ(all.records[0].time->samples, 4u);
    EXPECT_FALSE(all.records[0].predicted);
    EXPECT_EQ(all.records[1].title, "[CUDA memcpy HtoD]");
    EXPECT_THAT(all.launches, ElementsAre(4, 4));
}

TEST(Records, AProgramIsCalledByItsFileOrScript) {
    Profile p;
    EXPECT_EQ(program_name(p), "program");
    p.program = {"/usr/bin/python3", "/home/a/train.py", "--fast"};
    EXPECT_EQ(program_name(p), "train.py");
    p.program = {"/usr/bin/python3", "-c", "pass"};
    EXPECT_EQ(program_name(p), "python3");
}

// The same text in each run: nothing of threads and addresses.
TEST(Records, FindingsAreLinesThatStayTheSame) {
    Profile p = emulated({});
    EXPECT_THAT(findings_of(p), IsEmpty());
    record::Finding f;
    f.kind = record::FindingKind::out_of_bounds;
    f.message = "a load of 4 bytes at 0x7f00", f.kernel = "_Z4stepPfi";
    f.at.file = "/tmp/x/app.cu", f.at.line = 7;
    p.findings = {f, f};
    p.faults = {{"_Z4stepPfi", "out of bounds at 0x7f00"}};
    p.calls = {{"cudaMemcpy", {}, 2}, {"cudaMalloc", {}, 0}};
    EXPECT_THAT(findings_of(p), ElementsAre("an error ended step(float*, int)", "cudaMemcpy failed",
                                            "out-of-bounds at app.cu:7 in step(float*, int)"));
}

}  // namespace records_test
}  // namespace warpwright::profile
