// What a launch is refused for: each limit at its edge and one beyond, with the runtime's error for it.
#include "launch/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/pack.hpp"
#include "support/cause.hpp"

namespace warpwright::launch {
namespace check_test {

using testing::HasSubstr;

/// A launch that the H200 allows; each test changes one thing of it.
class Check : public testing::Test {
protected:
    void SetUp() override {
        auto model = arch::load_model("h200");
        ASSERT_TRUE(model) << model.error().text();
        limits = limits_of(*model);
        kernel.name = "k";
        kernel.registers = 32;
        config.grid = {4, 1, 1};
        config.block = {128, 1, 1};
    }
    Result<Extent> check() const { return launch::check(kernel, config, limits, parameter_bytes(kernel), {"k.ptx"}); }
    /// The refusal, as "cause: message".
    std::string refusal() const {
        const auto result = check();
        if (result) return "allowed";
        EXPECT_EQ(result.error().where.file, "k.ptx");
        return std::string(info(result.error().cause).name) + ": " + result.error().what;
    }

    Limits limits;
    KernelInfo kernel;
    LaunchConfig config;
};

TEST_F(Check, allows_what_is_within_all_limits) {
    const auto cluster = check();
    ASSERT_TRUE(cluster) << cluster.error().text();
    EXPECT_EQ(*cluster, (Extent{1, 1, 1}));
}

TEST_F(Check, refuses_empty_and_large_grids_and_blocks) {
    config.grid = {0, 1, 1};
    EXPECT_EQ(refusal(), "launch-limit: launch of 'k': the grid has a dimension of 0");
    config.grid = {1, 65535, 1};
    EXPECT_TRUE(check());
    config.grid = {1, 65536, 1};
    EXPECT_EQ(refusal(), "launch-limit: launch of 'k': grid.y is 65536, the device allows 65535");
    config.grid = {1, 1, 1};
    config.block = {1, 1, 65};
    EXPECT_EQ(refusal(), "launch-limit: launch of 'k': block.z is 65, the device allows 64");
    config.block = {1024, 1, 1};
    EXPECT_TRUE(check());
    config.block = {1024, 2, 1};
    EXPECT_EQ(refusal(), "launch-limit: launch of 'k': threads per block is 2048, the device allows 1024");
}

TEST_F(Check, refuses_blocks_that_the_kernel_does_not_allow) {
    kernel.max_threads = 64;
    EXPECT_THAT(refusal(), HasSubstr("threads per block (.maxntid of the kernel) is 128, the device allows 64"));
    kernel.max_threads = 0;
    kernel.required_block = {64, 2, 1};
    EXPECT_EQ(refusal(), "launch-limit: launch of 'k': the kernel requires blocks of 64x2x1");
}

TEST_F(Check, refuses_more_shared_memory_than_a_block_may_have) {
    kernel.static_shared = 1024;
    config.dynamic_shared = 226 * 1024;
    EXPECT_TRUE(check());
    config.dynamic_shared += 1;
    EXPECT_EQ(refusal(),
              "shared-limit: launch of 'k': shared memory per block in bytes is 232449, the device allows 232448");
    config.dynamic_shared = ~std::uint64_t{0};  // the sum would wrap
    EXPECT_THAT(refusal(), HasSubstr("shared-limit"));
}

TEST_F(Check, refuses_shared_memory_beyond_the_default_without_an_opt_in) {
    config.dynamic_shared = 48 * 1024 + 4;
    EXPECT_TRUE(check()) << "the launch opts in itself";
    config.opted_in_shared = 0;
    EXPECT_EQ(refusal(),
              "shared-limit: launch of 'k': shared memory per block in bytes is 49156, the device allows 49152");
    EXPECT_THAT(check().error().hint, HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize allows up to 232448"));
    config.opted_in_shared = config.dynamic_shared;
    EXPECT_TRUE(check());
    config.dynamic_shared = 48 * 1024;
    config.opted_in_shared = 0;
    EXPECT_TRUE(check()) << "the default needs none";
}

TEST_F(Check, refuses_too_few_bytes_of_parameters) {
    kernel.parameters = {{"x", 0, 8, 8, "u64"}, {"n", 8, 4, 4, "u32"}};
    EXPECT_TRUE(launch::check(kernel, config, limits, 12, {}));
    const auto few = launch::check(kernel, config, limits, 8, {});
    ASSERT_FALSE(few);
    EXPECT_EQ(few.error().kind, ErrorKind::usage);
    EXPECT_THAT(few.error().what, HasSubstr("takes 12 bytes of parameters, 8 were given"));
}

TEST_F(Check, compares_registers_with_the_register_file_where_they_are_known) {
    kernel.registers = 181;
    config.block = {512, 1, 1};
    EXPECT_TRUE(check()) << "an estimate refuses no launch";
    kernel.registers_source = "ptxas 13.0";
    EXPECT_EQ(refusal(), "register-limit: launch of 'k': 94208 registers per block, the limit is 65536");
    EXPECT_THAT(check().error().hint, HasSubstr("a thread has 181 registers"));
    EXPECT_EQ(info(check().error().cause).cuda, 701);  // cudaErrorLaunchOutOfResources
    config.block = {256, 1, 1};
    EXPECT_TRUE(check());
    limits.model = nullptr;
    config.block = {512, 1, 1};
    EXPECT_TRUE(check()) << "a real device asks its driver";
}

TEST_F(Check, finds_the_cluster_and_refuses_what_does_not_fit) {
    config.cluster = {2, 1, 1};
    EXPECT_EQ(*check(), (Extent{2, 1, 1}));
    config.cluster = {3, 1, 1};
    EXPECT_EQ(refusal(), "cluster-size: launch of 'k': clusters of 3x1x1 do not divide the grid of 4x1x1");
    config.grid = {32, 1, 1}, config.cluster = {32, 1, 1};
    EXPECT_EQ(refusal(), "cluster-size: launch of 'k': blocks per cluster are 32, allowed are 16");
    config.cluster = {2, 0, 1};
    EXPECT_EQ(refusal(), "cluster-size: launch of 'k': the cluster has a dimension of 0");
    config.cluster = {0, 0, 0};
    kernel.required_cluster = {4, 1, 1};
    EXPECT_EQ(*check(), (Extent{4, 1, 1}));
    config.cluster = {2, 1, 1};
    EXPECT_EQ(refusal(), "cluster-size: launch of 'k': the kernel requires clusters of 4x1x1, not 2x1x1");
    kernel.required_cluster = {0, 0, 0}, config.cluster = {0, 0, 0}, kernel.explicit_cluster = true;
    EXPECT_THAT(refusal(), HasSubstr("the launch must say how many blocks a cluster has"));
}

TEST_F(Check, refuses_a_cooperative_grid_that_cannot_be_resident) {
    config.cooperative = true;
    config.block = {1024, 1, 1};
    config.grid = {264, 1, 1};
    EXPECT_TRUE(check()) << "two of them fit on each of 132 multiprocessors";
    config.grid = {265, 1, 1};
    EXPECT_EQ(
        refusal(),
        "cooperative-limit: launch of 'k': a cooperative grid of 265 blocks, of which 264 can be resident at once");
    config.cooperative = false;
    EXPECT_TRUE(check());
}

TEST(Limits, AFigureThatTheModelLacksKeepsItsDefault) {
    arch::DeviceModel model;
    model.limits.threads_per_block = 512;
    const Limits limits = limits_of(model);
    EXPECT_EQ(limits.threads_per_block, 512u);
    EXPECT_EQ(limits.block, Limits().block);
    EXPECT_EQ(limits.grid, Limits().grid);
    EXPECT_EQ(limits.registers_per_thread, Limits().registers_per_thread);
    ASSERT_TRUE(limits.model);
    EXPECT_EQ(limits.model->limits.threads_per_block, 512u);
}

}  // namespace check_test
}  // namespace warpwright::launch
