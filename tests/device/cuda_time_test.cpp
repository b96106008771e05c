// The CUDA device's clock over a driver that is made up: samples, foreign work, flushed caches, clocks and throttling.
#include "cuda_support.hpp"
#include "device/cuda/flush.hpp"
#include "device/emulated/emulated.hpp"

namespace device_tests {
namespace cuda_time_test {

using namespace cuda_device;

TEST(CudaTime, samples_hold_all_repeats_whether_or_not_the_driver_has_graphs) {
    for (bool modern : {true, false}) {
        auto l = loaded(modern);
        ASSERT_TRUE(l.device->timer());
        const Step step{l.module, "k", {{2, 1, 1}, {32, 1, 1}}, block()};
        const Step steps[] = {step, step};
        auto seconds = l.device->timer()->time(steps, {5, 3});
        ASSERT_TRUE(seconds.ok()) << seconds.error().text();
        ASSERT_EQ(seconds->size(), 3u);
        for (double s : *seconds) EXPECT_NEAR(s, 10e-6, 1e-9);
        EXPECT_EQ(fake().graphs, modern ? 3u : 0u);
        EXPECT_EQ(fake().launches.size(), modern ? 10u : 30u);
    }
}

TEST(CudaTime, without_a_graph_each_repeat_is_queued_by_itself) {
    auto l = loaded();
    const Step step{l.module, "k", {{2, 1, 1}, {32, 1, 1}}, block()};
    TimeRequest request{5, 2};
    request.graph = false;
    auto seconds = l.device->timer()->time({&step, 1}, request);
    ASSERT_TRUE(seconds.ok()) << seconds.error().text();
    for (double s : *seconds) EXPECT_NEAR(s, 5e-6, 1e-9);
    EXPECT_EQ(fake().graphs, 0u);
    EXPECT_EQ(fake().launches.size(), 10u);
}

TEST(CudaTime, a_fault_while_timing_is_an_error) {
    auto l = loaded();
    fake().next_wait = cuda::status::misaligned_address;
    const Step step{l.module, "k", {{2, 1, 1}, {32, 1, 1}}, block()};
    auto seconds = l.device->timer()->time({&step, 1}, {1, 3});
    ASSERT_FALSE(seconds.ok());
    EXPECT_EQ(seconds.error().kind, ErrorKind::fault);
    EXPECT_EQ(l.device->timer()->time({}, {1, 1}).error().kind, ErrorKind::usage);
}

/// A launch as a vendor's library would make it: in the native stream, not through the device.
ForeignWork foreign(Device& device, bool captures = true) {
    return {"their sum", [&device, captures, b = block()]() mutable -> Result<void> {
                if (fake().capturing && !captures) return Error{ErrorKind::internal, "cannot be captured", {}, ""};
                auto queue = device.vendor_queue()->native_queue();
                if (!queue) return std::move(queue).error();
                EXPECT_NE(queue->context, nullptr);
                void* parameters[] = {b.data(), b.data() + 8, b.data() + 12};
                EXPECT_EQ(fake_table().launch(reinterpret_cast<cuda::Function>(std::uintptr_t{1}), 1, 1, 1, 32, 1, 1, 0,
                                              static_cast<cuda::Stream>(queue->stream), parameters, nullptr),
                          0);
                return {};
            }};
}

TEST(CudaTime, foreign_work_is_timed_in_a_graph_or_where_it_cannot_be_captured_in_a_loop) {
    for (bool captures : {true, false}) {
        auto l = loaded();
        auto seconds = l.device->vendor_queue()->time_work(foreign(*l.device, captures), {5, 3});
        ASSERT_TRUE(seconds.ok()) << seconds.error().text();
        ASSERT_EQ(seconds->size(), 3u);
        for (double s : *seconds) EXPECT_NEAR(s, 5e-6, 1e-9);
        EXPECT_EQ(fake().graphs, captures ? 3u : 0u);
        EXPECT_EQ(fake().launches.size(), captures ? 5u : 15u);
    }
}

TEST(CudaTime, a_sample_ahead_is_run_but_not_counted) {
    auto l = loaded();
    auto seconds = l.device->vendor_queue()->time_work(foreign(*l.device), {5, 2, std::chrono::milliseconds(0), true});
    ASSERT_TRUE(seconds.ok()) << seconds.error().text();
    EXPECT_EQ(seconds->size(), 2u);
    EXPECT_EQ(fake().graphs, 3u);
    EXPECT_EQ(fake().uploads, 1u);
}

TEST(CudaTime, caches_are_flushed_before_each_sample_outside_its_time) {
    auto l = loaded();
    fake().memory = std::size_t{1} << 28;
    fake().kernels.push_back("warpwright_flush");
    TimeRequest request{5, 3};
    request.flush = true;
    for (int again = 0; again < 2; ++again) {
        auto seconds = l.device->vendor_queue()->time_work(foreign(*l.device), request);
        ASSERT_TRUE(seconds.ok()) << seconds.error().text();
        for (double s : *seconds) EXPECT_NEAR(s, 5e-6, 1e-9);
    }
    EXPECT_THAT(fake().flushed, testing::ElementsAre(5, 6, 7, 13, 14, 15));
    EXPECT_EQ(fake().loads, 2u);
    EXPECT_EQ(fake().allocated, 2u * 62914560);
    // Nothing to flush with is an error, not a time.
    auto small = loaded();
    fake().kernels.push_back("warpwright_flush");
    EXPECT_EQ(small.device->vendor_queue()->time_work(foreign(*small.device), request).error().kind, ErrorKind::limit);
    EXPECT_TRUE(fake().launches.size() == 5u) << "captured, not run";
    EXPECT_EQ(fake().graphs, 0u);
}

TEST(CudaTime, the_flush_reads_every_byte_and_writes_none) {
    EmulatedOptions options;
    options.threads = 1;
    auto device = make_emulated(options);
    ASSERT_TRUE(device.ok());
    auto module = (*device)->load("flush", cuda::flush_ptx());
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto memory = (*device)->allocate(16 * 1000);
    ASSERT_TRUE((*device)->fill(*memory, 0, 16 * 1000).ok());
    const std::uint64_t parameters[] = {*memory, 1000};
    auto run = (*device)->launch(**module, "warpwright_flush", {{3, 1, 1}, {64, 1, 1}},
                                 std::as_bytes(std::span(parameters)), {});
    ASSERT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(run->counts->total[record::Count::global_load_sectors], 16u * 1000 / 32);
    EXPECT_EQ(run->counts->total[record::Count::global_store_requests], 0u);
}

TEST(CudaWatch, facts_and_state_are_the_drivers) {
    auto driver = fake_driver();
    auto nvml = cuda::Nvml::start(fake_nvml());
    ASSERT_TRUE(nvml.ok());
    auto device = make_cuda({0, "", driver, *nvml});
    ASSERT_TRUE(device.ok());
    const DeviceFacts facts = (*device)->facts();
    EXPECT_EQ(facts.title, "Fake 9000");
    EXPECT_EQ(facts.driver, "CUDA 12.8, driver 580.65.06");
    EXPECT_EQ(facts.cache, 62914560u);
    EXPECT_EQ(facts.clock_mhz, 1980);
    EXPECT_EQ(facts.unwatched, "");
    auto state = (*device)->state();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->clock_mhz, 1755);
    EXPECT_EQ(state->memory_clock_mhz, 3201);
    EXPECT_DOUBLE_EQ(state->power_w.value_or(0), 698.5);
    EXPECT_FALSE(state->temperature_c) << "it does not say";
    EXPECT_THAT(state->throttle, testing::ElementsAre("power cap"));
}

TEST(CudaWatch, without_nvml_the_device_works_and_says_why_it_is_not_watched) {
    auto device = make(fake_driver());
    EXPECT_FALSE(device->state());
    EXPECT_EQ(device->facts().driver, "CUDA 12.8");
    EXPECT_EQ(device->facts().unwatched, "there is no NVML");
    auto old = fake_driver(false);  // which does not tell where the device is
    auto nvml = cuda::Nvml::start(fake_nvml());
    auto unknown = make_cuda({0, "", old, *nvml});
    EXPECT_FALSE((*unknown)->state());
    EXPECT_EQ((*unknown)->facts().unwatched, "NVML does not know cuda:0");
    fake().nvml_status = 9;
    EXPECT_EQ(cuda::Nvml::start(fake_nvml()).error().text(), "error: NVML does not start (its status is 9)");
    EXPECT_EQ(cuda::Nvml::open({"libnvidia-ml-that-is-not-there.so", "/nowhere/x.so"}).error().text(),
              "error: libnvidia-ml.so.1 was not found");
    EXPECT_THAT(cuda::Nvml::open({"libc.so.6"}).error().text(), HasSubstr("not NVML"));
    ::setenv("WARPWRIGHT_NVML", "/some/where/libnvidia-ml.so", 1);
    EXPECT_THAT(cuda::nvml_candidates(), testing::ElementsAre("/some/where/libnvidia-ml.so"));
    ::unsetenv("WARPWRIGHT_NVML");
}

TEST(CudaWatch, reasons_have_names_and_idleness_is_none) {
    EXPECT_TRUE(cuda::throttle_reasons(0x1).empty());
    EXPECT_THAT(cuda::throttle_reasons(0x1fe).size(), 8);
    EXPECT_THAT(cuda::throttle_reasons(0x28), testing::ElementsAre("hardware slowdown", "heat"));
}

TEST(CudaTime, an_error_of_foreign_work_is_the_error_and_nothing_runs_after_a_hang) {
    auto l = loaded();
    const ForeignWork broken{"their sum",
                             []() -> Result<void> { return Error{ErrorKind::limit, "their status 7", {}, ""}; }};
    EXPECT_EQ(l.device->vendor_queue()->time_work(broken, {5, 3}).error().what, "their status 7");
    fake().hangs = true;
    auto late = l.device->vendor_queue()->time_work(foreign(*l.device), {1, 1, std::chrono::milliseconds(20)});
    ASSERT_FALSE(late.ok());
    EXPECT_THAT(late.error().text(), HasSubstr("'their sum' is still running after 20 ms"));
    EXPECT_EQ(l.device->vendor_queue()->native_queue().error().kind, ErrorKind::no_device);
    EXPECT_EQ(l.device->vendor_queue()->time_work(foreign(*l.device), {1, 1}).error().kind, ErrorKind::no_device);
}

TEST(CudaTime, the_emulated_device_has_no_clock) {
    EmulatedOptions options;
    options.threads = 1;
    auto device = make_emulated(options);
    ASSERT_TRUE(device.ok());
    EXPECT_FALSE((*device)->timer());
    const auto timer = (*device)->need(&Device::timer);
    ASSERT_FALSE(timer.ok());
    EXPECT_EQ(timer.error().kind, ErrorKind::usage);
    EXPECT_EQ(timer.error().what, "the device 'emulated' has no clock");
    EXPECT_FALSE((*device)->need(&Device::vendor_queue).ok());
    EXPECT_TRUE((*device)->need(&Device::tensor_maps).ok());
}

}  // namespace cuda_time_test
}  // namespace device_tests
