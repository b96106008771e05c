// The CUDA device on a real GPU; without one each test fails. ctest --preset gpu runs them, the other presets leave
// them out.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/program.hpp"
#include "device/cuda/cuda_device.hpp"

namespace warpwright::device {
namespace gpu_test {

using ::testing::HasSubstr;

const std::string kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 table[4] = {1, 2, 3, 4};
.visible .entry axpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
	.reg .pred %p; .reg .b32 %r<6>; .reg .b64 %rd<5>; .reg .f32 %f<4>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r1, %r2, %r3, %r1;
	ld.param.u32 %r4, [n];
	setp.ge.u32 %p, %r1, %r4;
	@%p bra DONE;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a];
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
	ld.global.f32 %f2, [%rd1]; ld.global.f32 %f3, [%rd2];
	fma.rn.f32 %f3, %f1, %f2, %f3;
	st.global.f32 [%rd2], %f3;
DONE:
	ret;
}
.extern .shared .align 4 .b8 pool[];
.visible .entry last_word(.param .u64 out, .param .u32 offset)
{
	.reg .b32 %r<4>; .reg .b64 %rd<2>;
	mov.u32 %r1, pool; ld.param.u32 %r2, [offset]; add.u32 %r1, %r1, %r2;
	mov.u32 %r3, 4711;
	st.shared.u32 [%r1], %r3;
	ld.shared.u32 %r3, [%r1];
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r3;
	ret;
}
.visible .entry stray(.param .u64 out)
{
	.reg .b32 %r<2>; .reg .b64 %rd<2>;
	mov.u64 %rd1, 16; mov.u32 %r1, 1;
	st.global.u32 [%rd1], %r1;
	ret;
}
)";

template <class... T>
std::vector<std::byte> arguments(T... values) {
    std::vector<std::byte> out;
    const auto put = [&](auto v) {
        out.resize((out.size() + sizeof v - 1) / sizeof v * sizeof v);
        out.resize(out.size() + sizeof v);
        std::memcpy(out.data() + out.size() - sizeof v, &v, sizeof v);
    };
    (put(values), ...);
    return out;
}

class Gpu : public testing::Test {
protected:
    void SetUp() override {
        auto device = make_cuda({});
        if (!device) FAIL() << device.error().text();
        device_ = std::move(*device);
        auto module = device_->load("test.ptx", kPtx);
        ASSERT_TRUE(module.ok()) << module.error().text();
        module_ = *module;
    }
    template <class T>
    Address upload(const std::vector<T>& values) {
        auto address = device_->allocate(values.size() * sizeof(T));
        EXPECT_TRUE(address.ok()) << address.error().text();
        EXPECT_TRUE(device_->write(*address, std::as_bytes(std::span(values))).ok());
        return *address;
    }
    template <class T>
    std::vector<T> download(Address from, std::size_t count) {
        std::vector<T> out(count);
        auto ok = device_->read(std::as_writable_bytes(std::span(out)), from);
        EXPECT_TRUE(ok.ok()) << ok.error().text();
        return out;
    }
    void expect_axpy() {
        const std::size_t n = 100003;
        std::vector<float> x(n), y(n, 1);
        for (std::size_t i = 0; i < n; ++i) x[i] = float(i % 1000);
        const Address dx = upload(x), dy = upload(y);
        auto ran = device_->launch(*module_, "axpy", {{unsigned(n + 255) / 256, 1, 1}, {256, 1, 1}},
                                   arguments(dx, dy, 2.0f, std::uint32_t(n)), {});
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        EXPECT_GT(ran->device_seconds.value_or(0), 0);
        const auto out = download<float>(dy, n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 1 + 2 * x[i]) << i;
        EXPECT_TRUE(device_->release(dx).ok());
        EXPECT_TRUE(device_->release(dy).ok());
    }

    std::unique_ptr<Device> device_;
    std::shared_ptr<Module> module_;
};

TEST_F(Gpu, every_device_tells_its_limits) {
    auto list = list_cuda();
    ASSERT_TRUE(list.ok()) << list.error().text();
    for (const CudaDeviceInfo& d : *list) {
        EXPECT_FALSE(d.name.empty());
        EXPECT_GE(d.limits.compute_capability, 50);
        EXPECT_GE(d.limits.shared_per_block_optin, d.limits.shared_per_block);
        EXPECT_GT(d.memory, 0u);
    }
}

TEST_F(Gpu, a_kernel_runs_and_its_facts_are_known) {
    ASSERT_EQ(module_->kernels().size(), 3u);
    EXPECT_GT(module_->kernels()[0].registers, 0u);
    EXPECT_EQ(module_->kernels()[0].registers_source, "driver");
    expect_axpy();
    auto table = module_->variable("table");
    ASSERT_TRUE(table.ok()) << table.error().text();
    EXPECT_EQ(table->second, 16u);
    EXPECT_THAT(download<std::uint32_t>(table->first, 4), testing::ElementsAre(1, 2, 3, 4));
}

TEST_F(Gpu, fills_are_bytes) {
    auto a = device_->allocate(64);
    ASSERT_TRUE(a.ok());
    ASSERT_TRUE(device_->fill(*a, 0xab, 64).ok());
    for (auto b : download<std::uint8_t>(*a, 64)) EXPECT_EQ(b, 0xab);
}

TEST_F(Gpu, all_the_shared_memory_there_is_can_be_had) {
    const auto most = static_cast<std::uint32_t>(device_->limits().shared_per_block_optin);
    const Address out = upload(std::vector<std::uint32_t>{0});
    auto ran = device_->launch(*module_, "last_word", {{1, 1, 1}, {1, 1, 1}, most}, arguments(out, most - 4), {});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(download<std::uint32_t>(out, 1)[0], 4711u);
    EXPECT_EQ(
        device_->launch(*module_, "last_word", {{1, 1, 1}, {1, 1, 1}, most + 4}, arguments(out, 0u), {}).error().kind,
        ErrorKind::limit);
}

TEST_F(Gpu, cooperative_launches_and_those_that_are_too_large) {
    const Address x = upload(std::vector<float>(256, 1)), y = upload(std::vector<float>(256, 1));
    LaunchConfig config{{1, 1, 1}, {256, 1, 1}, 0, true};
    auto ran = device_->launch(*module_, "axpy", config, arguments(x, y, 3.0f, 256u), {});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(download<float>(y, 1)[0], 4);
    config.grid.x = 1u << 20;
    EXPECT_EQ(device_->launch(*module_, "axpy", config, arguments(x, y, 3.0f, 256u), {}).error().kind,
              ErrorKind::limit);
}

TEST_F(Gpu, time_grows_with_the_repeats) {
    const std::size_t n = 1 << 22;
    const Address x = upload(std::vector<float>(n, 1)), y = upload(std::vector<float>(n, 1));
    const Step step{module_, "axpy", {{n / 256, 1, 1}, {256, 1, 1}}, arguments(x, y, 0.0f, std::uint32_t(n))};
    auto one = device_->timer()->time({&step, 1}, {1, 5}), many = device_->timer()->time({&step, 1}, {50, 5});
    ASSERT_TRUE(one.ok() && many.ok());
    ASSERT_EQ(many->size(), 5u);
    for (double s : *many) EXPECT_GT(s, 0);
    EXPECT_GT(many->back(), one->back());
}

TEST_F(Gpu, none_left_is_a_limit_and_the_device_goes_on) {
    auto a = device_->allocate(std::uint64_t{1} << 50);
    ASSERT_FALSE(a.ok());
    EXPECT_EQ(a.error().kind, ErrorKind::limit);
    expect_axpy();
}

TEST_F(Gpu, text_that_is_wrong_names_its_line) {
    std::string bad = kPtx;
    bad.replace(bad.find("fma.rn.f32"), 10, "fnord.f32 ");
    auto module = device_->load("bad.ptx", bad);
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.error().kind, ErrorKind::input);
    EXPECT_EQ(module.error().where.line,
              unsigned(1 + std::count(bad.begin(), bad.begin() + long(bad.find("fnord")), 0x0a)));
}

// Whether a process may go on after a fault is the driver's business; this says whether ours does.
/// As an H200's driver (CUDA 13.0) has it: a fault stays with the process, also in a context made anew.
TEST_F(Gpu, a_fault_is_reported_and_what_comes_next_says_to_start_again) {
    auto ran = device_->launch(*module_, "stray", {{1, 1, 1}, {1, 1, 1}}, arguments(Address{0}), {});
    ASSERT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().kind, ErrorKind::fault);
    EXPECT_THAT(ran.error().text(), HasSubstr("kernel 'stray'"));
    auto next = device_->allocate(256);
    if (next.ok()) return expect_axpy();  // a driver that can go on
    EXPECT_EQ(next.error().kind, ErrorKind::no_device);
    EXPECT_THAT(next.error().hint, HasSubstr("start the program again"));
}

TEST_F(Gpu, the_lab_times_verified_rungs) {
    module_.reset();
    device_.reset();
    const auto [code, json, notes] = test::program({"lab", "matmul", "--device", "cuda:0", "--size", "512", "--json"});
    EXPECT_EQ(code, 0) << notes;
    EXPECT_THAT(json, HasSubstr("\"device\": \"cuda:0\""));
    EXPECT_THAT(json, HasSubstr("\"median_s\""));
    EXPECT_THAT(json, HasSubstr("\"speedup\""));
    EXPECT_THAT(json, testing::Not(HasSubstr("\"counts\"")));
    EXPECT_THAT(json, testing::Not(HasSubstr("emulation_s")));
    EXPECT_THAT(notes, HasSubstr("kernels compiled by "));
}

}  // namespace gpu_test
}  // namespace warpwright::device
