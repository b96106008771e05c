// Streams, events and host memory: on the emulated device, and what they ask of a driver.
#include <gmock/gmock.h>

#include "device/cuda/cuda_device.hpp"
#include "device/emulated/emulated.hpp"
#include "device/stream.hpp"
#include "fake_driver.hpp"

namespace device_tests {
namespace stream_test {

using namespace warpwright;
using namespace warpwright::device;
using ::testing::HasSubstr;

const std::string kAdd = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data, .param .u32 n) {
	.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
	mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; setp.ge.u32 %p, %r1, %r2; @%p bra DONE;
	ld.param.u64 %rd1, [data]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
DONE:
	ret; }
)";

Step add_one(std::shared_ptr<Module> module, Address data, std::uint32_t n) {
    Step s{std::move(module), "k", {{1, 1, 1}, {64, 1, 1}}, std::vector<std::byte>(12)};
    std::memcpy(s.parameters.data(), &data, 8);
    std::memcpy(s.parameters.data() + 8, &n, 4);
    return s;
}

TEST(EmulatedStream, two_streams_and_an_event_between_them) {
    EmulatedOptions options;
    options.threads = 1;
    auto made = make_emulated(options);
    ASSERT_TRUE(made.ok());
    Device& device = **made;
    auto module = device.load("k.ptx", kAdd);
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto first = device.streams().make_stream(), second = device.streams().make_stream();
    auto uploaded = device.streams().make_event(), done = device.streams().make_event();
    auto in = device.streams().allocate_host(40), out = device.streams().allocate_host(40);
    ASSERT_TRUE(first.ok() && second.ok() && uploaded.ok() && done.ok() && in.ok() && out.ok());
    ASSERT_EQ((*in)->bytes().size(), 40u);
    for (std::uint32_t i = 0; i < 10; ++i) std::memcpy((*in)->bytes().data() + 4 * i, &i, 4);
    auto a = device.allocate(40), b = device.allocate(40);
    EXPECT_TRUE((*first)->write(*a, (*in)->bytes()).ok());
    EXPECT_TRUE((*first)->record(**uploaded).ok());
    EXPECT_TRUE((*second)->wait(**uploaded).ok());
    EXPECT_TRUE((*second)->copy(*b, *a, 40).ok());
    EXPECT_TRUE((*second)->launch(add_one(*module, *b, 9)).ok());
    EXPECT_TRUE((*second)->read((*out)->bytes(), *b).ok());
    EXPECT_TRUE((*second)->record(**done).ok());
    EXPECT_TRUE((*done)->wait().ok());
    EXPECT_TRUE((*second)->finish().ok());
    for (std::uint32_t i = 0; i < 10; ++i) {
        std::uint32_t value = 0;
        std::memcpy(&value, (*out)->bytes().data() + 4 * i, 4);
        EXPECT_EQ(value, i < 9 ? i + 1 : i);
    }
    auto time = (*done)->since(**uploaded);
    ASSERT_TRUE(time.ok());
    EXPECT_FALSE(*time) << "its time is no GPU's";
    EXPECT_EQ((*first)->fill(*a + 20, 0, 40).error().kind, ErrorKind::fault);
    EXPECT_EQ((*first)->launch(add_one(*module, *a + 2, 9)).error().kind, ErrorKind::fault);
}

TEST(EmulatedStream, copies_that_overlap_keep_what_is_still_to_be_read) {
    EmulatedOptions options;
    options.threads = 1;
    auto device = make_emulated(options);
    const std::size_t n = (std::size_t{33} << 20) + 5;
    std::vector<std::byte> in(n), out(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = std::byte(i * 2654435761u >> 24);
    auto a = (*device)->allocate(n + 7);
    for (const auto& [to, from] :
         {std::pair{std::size_t{7}, std::size_t{0}}, std::pair{std::size_t{0}, std::size_t{7}}}) {
        ASSERT_TRUE((*device)->write(*a + from, in).ok());
        ASSERT_TRUE((*device)->copy(*a + to, *a + from, n).ok());
        ASSERT_TRUE((*device)->read(out, *a + to).ok());
        EXPECT_TRUE(in == out);
    }
}

struct Cuda {
    std::unique_ptr<Device> device;
    std::shared_ptr<Module> module;
    Cuda() {
        auto made = make_cuda({0, "", fake_driver()});
        fake().parameter_sizes = {8, 4};
        device = std::move(*made);
        module = *device->load("k.ptx", kAdd);
    }
};

TEST(CudaStream, work_goes_into_its_own_stream_in_order) {
    Cuda c;
    {
        auto first = c.device->streams().make_stream(), second = c.device->streams().make_stream();
        auto event = c.device->streams().make_event();
        ASSERT_TRUE(first.ok() && second.ok() && event.ok());
        std::vector<std::byte> bytes(16);
        auto a = c.device->allocate(64);
        EXPECT_TRUE((*second)->wait(**event).ok()) << "not recorded: no wait";
        EXPECT_TRUE((*first)->write(*a, bytes).ok());
        EXPECT_TRUE((*first)->record(**event).ok());
        EXPECT_TRUE((*second)->wait(**event).ok());
        EXPECT_TRUE((*second)->launch(add_one(c.module, *a, 4)).ok());
        EXPECT_TRUE((*second)->copy(*a + 32, *a, 16).ok());
        EXPECT_TRUE((*first)->read(bytes, *a).ok());
        const auto waits = fake().waits;
        EXPECT_THAT(fake().queued,
                    testing::ElementsAre("0 write", "0 record", "1 wait", "1 launch", "1 copy", "0 read"));
        EXPECT_EQ(waits, 0u) << "nothing waited on the host";
        EXPECT_TRUE((*second)->finish().ok());
        EXPECT_EQ(fake().waits, 1u);
        EXPECT_EQ((*first)->write(*a + 60, bytes).error().kind, ErrorKind::fault);
    }
    EXPECT_EQ(fake().streams_destroyed, 2u);
}

TEST(CudaStream, events_tell_the_time_between_them) {
    Cuda c;
    auto stream = c.device->streams().make_stream();
    auto before = c.device->streams().make_event(), after = c.device->streams().make_event();
    auto a = c.device->allocate(64);
    EXPECT_EQ((*after)->since(**before).error().kind, ErrorKind::usage);
    ASSERT_TRUE((*stream)->record(**before).ok());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE((*stream)->launch(add_one(c.module, *a, 4)).ok());
    ASSERT_TRUE((*stream)->record(**after).ok());
    ASSERT_TRUE((*after)->wait().ok());
    auto seconds = (*after)->since(**before);
    ASSERT_TRUE(seconds.ok());
    EXPECT_NEAR(seconds->value_or(0), 3e-6, 1e-9);
}

TEST(CudaStream, a_fault_comes_out_when_it_is_waited_for_and_takes_the_streams_along) {
    Cuda c;
    auto stream = c.device->streams().make_stream();
    auto event = c.device->streams().make_event();
    auto a = c.device->allocate(64);
    ASSERT_TRUE((*stream)->launch(add_one(c.module, *a, 4)).ok());
    fake().next_wait = cuda::status::illegal_address;
    auto failed = (*stream)->finish();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().kind, ErrorKind::fault);
    EXPECT_THAT(failed.error().text(), HasSubstr("k.ptx: error: kernel 'k'"));
    EXPECT_TRUE(c.device->allocate(64).ok()) << "a new context";
    EXPECT_THAT((*stream)->record(**event).error().text(), HasSubstr("create it again"));
    EXPECT_TRUE(c.device->streams().make_stream().ok());
}

TEST(CudaStream, past_the_time_limit_nothing_is_waited_for_any_more) {
    Cuda c;
    {
        auto stream = c.device->streams().make_stream();
        auto a = c.device->allocate(64);
        ASSERT_TRUE((*stream)->launch(add_one(c.module, *a, 4)).ok());
        fake().hangs = true;
        auto late = (*stream)->finish(std::chrono::milliseconds(20));
        ASSERT_FALSE(late.ok());
        EXPECT_THAT(late.error().text(), HasSubstr("kernel 'k' is still running after 20 ms"));
        EXPECT_EQ((*stream)->finish().error().kind, ErrorKind::no_device);
    }
    EXPECT_EQ(fake().streams_destroyed, 0u);
}

TEST(CudaStream, pinned_memory_is_given_back_and_too_much_of_it_is_a_limit) {
    Cuda c;
    {
        auto memory = c.device->streams().allocate_host(100);
        ASSERT_TRUE(memory.ok());
        EXPECT_EQ((*memory)->bytes().size(), 100u);
        EXPECT_EQ(fake().pinned, 1u);
    }
    EXPECT_EQ(fake().pinned, 0u);
    auto none = c.device->streams().allocate_host(std::uint64_t{1} << 40);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().kind, ErrorKind::limit);
    EXPECT_THAT(none.error().text(), HasSubstr("pinned host memory"));
}

}  // namespace stream_test
}  // namespace device_tests
