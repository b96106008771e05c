// OpenCL devices, through whatever platform the machine has (PoCL in the tests' packages).
#include <gmock/gmock.h>

#include <cstring>

#include "device/opencl/driver.hpp"
#include "device/opencl/opencl_device.hpp"

#if __has_include(<CL/cl.h>)
    #define CL_TARGET_OPENCL_VERSION 120
    #include <CL/cl.h>
#endif

namespace device_tests {
namespace opencl_test {

using namespace warpwright;
using namespace warpwright::device;
using ::testing::HasSubstr;

#ifdef CL_TARGET_OPENCL_VERSION
// Our declarations against those of Khronos.
static_assert(opencl::info::device_name == CL_DEVICE_NAME &&
              opencl::info::compute_units == CL_DEVICE_MAX_COMPUTE_UNITS);
static_assert(opencl::info::group_size == CL_DEVICE_MAX_WORK_GROUP_SIZE &&
              opencl::info::item_sizes == CL_DEVICE_MAX_WORK_ITEM_SIZES);
static_assert(opencl::info::largest_allocation == CL_DEVICE_MAX_MEM_ALLOC_SIZE &&
              opencl::info::address_alignment == CL_DEVICE_MEM_BASE_ADDR_ALIGN);
static_assert(opencl::info::cache_bytes == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE &&
              opencl::info::local_bytes == CL_DEVICE_LOCAL_MEM_SIZE);
static_assert(opencl::info::memory_bytes == CL_DEVICE_GLOBAL_MEM_SIZE &&
              opencl::info::extensions == CL_DEVICE_EXTENSIONS);
static_assert(opencl::info::kernel_names == CL_PROGRAM_KERNEL_NAMES && opencl::info::build_log == CL_PROGRAM_BUILD_LOG);
static_assert(opencl::info::kernel_group_size == CL_KERNEL_WORK_GROUP_SIZE &&
              opencl::info::required_group_size == CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
static_assert(opencl::info::argument_space == CL_KERNEL_ARG_ADDRESS_QUALIFIER &&
              opencl::info::argument_type == CL_KERNEL_ARG_TYPE_NAME);
static_assert(opencl::info::profiling_start == CL_PROFILING_COMMAND_START &&
              opencl::info::profiling_end == CL_PROFILING_COMMAND_END);
static_assert(opencl::Count(opencl::Space::local) == CL_KERNEL_ARG_ADDRESS_LOCAL &&
              opencl::kProfiling == CL_QUEUE_PROFILING_ENABLE);
static_assert(opencl::kReadWrite == CL_MEM_READ_WRITE && opencl::kRegion == CL_BUFFER_CREATE_TYPE_REGION);
static_assert(opencl::status::invalid_buffer_size == CL_INVALID_BUFFER_SIZE &&
              opencl::status::invalid_work_group_size == CL_INVALID_WORK_GROUP_SIZE);
static_assert(sizeof(opencl::Region) == sizeof(cl_buffer_region));
#endif

const std::string kSource = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void scale(__global float *x, const float by, const int n) {
    int i = get_global_id(0);
    if (i < n) x[i] *= by;
}
__kernel void turn(__global const int *in, __global int *out, __local int *part) {
    int l = get_local_id(0), g = get_local_size(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = part[g - 1 - l];
}
__kernel void place(__global int *out) { out[get_group_id(1) * 2 + get_group_id(0)] = 10 * get_num_groups(1) + get_local_size(0); }
)";

class Opencl : public testing::Test {
protected:
    void SetUp() override {
        auto made = make_opencl(0);
        if (!made) {
            ASSERT_EQ(made.error().kind, ErrorKind::no_device) << made.error().text();
            GTEST_SKIP() << made.error().text();
        }
        device_ = std::move(*made);
    }
    template <class... T>
    static std::vector<std::byte> pack(const KernelInfo& k, T... values) {
        std::vector<std::byte> out(k.parameters.empty() ? 0 : k.parameters.back().offset + k.parameters.back().size);
        std::size_t i = 0;
        (std::memcpy(out.data() + k.parameters[i++].offset, &values, sizeof(values)), ...);
        return out;
    }
    template <class T>
    std::vector<T> values(Address at, std::size_t n) {
        std::vector<T> out(n);
        auto ok = device_->read(std::as_writable_bytes(std::span(out)), at);
        EXPECT_TRUE(ok.ok()) << ok.error().text();
        return out;
    }
    std::unique_ptr<Device> device_;
};

TEST_F(Opencl, runs_a_kernel_with_numbers_and_a_pointer) {
    auto module = device_->load("scale.cl", kSource);
    ASSERT_TRUE(module.ok()) << module.error().text();
    const KernelInfo* k = nullptr;
    for (const auto& info : (*module)->kernels())
        if (info.name == "scale") k = &info;
    ASSERT_TRUE(k);
    ASSERT_EQ(k->parameters.size(), 3u);
    EXPECT_EQ(k->parameters[0].type, "u64");
    EXPECT_EQ(k->parameters[1].type, "f32");
    EXPECT_EQ(k->parameters[2].offset, 12u);
    std::vector<float> x(100);
    for (int i = 0; i < 100; ++i) x[i] = static_cast<float>(i);
    auto at = device_->allocate(400);
    ASSERT_TRUE(device_->write(*at, std::as_bytes(std::span(x))).ok());
    auto run = device_->launch(**module, "scale", {{4, 1, 1}, {32, 1, 1}}, pack(*k, *at, 3.0f, std::int32_t{90}), {});
    ASSERT_TRUE(run.ok()) << run.error().text();
    EXPECT_FALSE(run->counts);
    auto out = values<float>(*at, 100);
    EXPECT_EQ(out[89], 267);
    EXPECT_EQ(out[90], 90);
    const Step step{*module, "scale", {{4, 1, 1}, {32, 1, 1}}, pack(*k, *at, 1.0f, std::int32_t{100})};
    TimeRequest request;
    request.samples = 3;
    request.repeat = 2;
    request.ahead = request.flush = true;
    auto times = device_->timer()->time(std::span(&step, 1), request);
    ASSERT_TRUE(times.ok()) << times.error().text();
    EXPECT_EQ(times->size(), 3u);
    EXPECT_TRUE(device_->timer());
}

TEST_F(Opencl, local_memory_is_what_the_launch_asks_for_and_groups_have_two_dimensions) {
    auto module = device_->load("turn.cl", kSource);
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto in = device_->allocate(64 * 4), out = device_->allocate(64 * 4);
    std::vector<std::int32_t> x(64);
    for (int i = 0; i < 64; ++i) x[i] = i;
    ASSERT_TRUE(device_->write(*in, std::as_bytes(std::span(x))).ok());
    LaunchConfig config{{4, 1, 1}, {16, 1, 1}};
    config.dynamic_shared = 64;
    for (const auto& k : (*module)->kernels()) {
        if (k.name == "turn") {
            auto run = device_->launch(**module, "turn", config, pack(k, *in, *out, std::uint64_t{0}), {});
            ASSERT_TRUE(run.ok()) << run.error().text();
            EXPECT_EQ(values<std::int32_t>(*out, 64)[17], 16 + 14);
        }
        if (k.name == "place") {
            auto run = device_->launch(**module, "place", {{2, 3, 1}, {5, 1, 1}}, pack(k, *out), {});
            ASSERT_TRUE(run.ok()) << run.error().text();
            EXPECT_THAT(values<std::int32_t>(*out, 6), testing::Each(35));
        }
    }
}

TEST_F(Opencl, says_what_is_wrong_and_where) {
    auto bad =
        device_->load("bad.cl", "#line 1 \"/some/bad.cl\"\n__kernel void k(__global int *x) {\n    x[0] = y;\n}\n");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().kind, ErrorKind::input);
    EXPECT_EQ(bad.error().where.line, 2u) << bad.error().text();
    EXPECT_THAT(bad.error().text(), HasSubstr("bad.cl:2"));
    auto module = device_->load("turn.cl", kSource);
    ASSERT_TRUE(module.ok());
    const KernelInfo* k = nullptr;
    for (const auto& info : (*module)->kernels())
        if (info.name == "place") k = &info;
    EXPECT_EQ(device_->launch(**module, "place", {{1, 1, 1}, {1, 1, 1}}, pack(*k, Address{12345}), {}).error().kind,
              ErrorKind::fault);
    LaunchConfig large{{1, 1, 1}, {1u << 20, 1, 1}};
    EXPECT_EQ(device_->launch(**module, "place", large, pack(*k, Address{0}), {}).error().kind, ErrorKind::limit);
    LaunchConfig cluster{{2, 1, 1}, {1, 1, 1}};
    cluster.cluster = {2, 1, 1};
    auto at = device_->allocate(64);
    EXPECT_EQ(device_->launch(**module, "place", cluster, pack(*k, *at), {}).error().kind, ErrorKind::limit);
    std::vector<std::byte> bytes(65);
    EXPECT_EQ(device_->write(*at, bytes).error().kind, ErrorKind::fault);
    EXPECT_EQ(device_->read(bytes, *at).error().kind, ErrorKind::fault);
    EXPECT_EQ(device_->release(*at + 1).error().kind, ErrorKind::fault);
    EXPECT_TRUE(device_->release(*at).ok());
    EXPECT_EQ(device_->write(*at, std::span(bytes).first(4)).error().kind, ErrorKind::fault) << "it was given back";
    EXPECT_EQ(device_->allocate(std::uint64_t{1} << 60).error().kind, ErrorKind::limit);
    EXPECT_EQ(make_opencl(1000).error().kind, ErrorKind::no_device);
}

TEST_F(Opencl, a_kernel_past_its_time_ends_the_device_not_the_program) {
    auto module = device_->load(
        "long.cl", "__kernel void k(__global volatile int *x) { for (long i = 0; i < 3000000000; ++i) x[0] += 1; }");
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto at = device_->allocate(4);
    LaunchOptions options;
    options.timeout = std::chrono::milliseconds(50);
    auto late = device_->launch(**module, "k", {{1, 1, 1}, {1, 1, 1}}, pack((*module)->kernels()[0], *at), options);
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().kind, ErrorKind::fault);
    EXPECT_THAT(late.error().text(), HasSubstr("still running after 50 ms"));
    EXPECT_EQ(device_->allocate(4).error().kind, ErrorKind::no_device);
}

TEST(OpenclLoader, what_is_missing_is_one_clear_line) {
    auto none = opencl::load_driver({"/there/is/no/libOpenCL.so"});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::no_device);
    EXPECT_THAT(none.error().text(), HasSubstr("WARPWRIGHT_OPENCL"));
    auto other = opencl::load_driver({"libm.so.6"});
    ASSERT_FALSE(other.ok());
    EXPECT_THAT(other.error().text(), HasSubstr("clGetPlatformIDs"));
}

}  // namespace opencl_test
}  // namespace device_tests
