// Copies between the host's memory and a CUDA device's, over the driver that is made up: a byte takes a nanosecond.
#include <gmock/gmock.h>

#include "device/cuda.hpp"
#include "fake_driver.hpp"

namespace device_tests {
namespace {

using namespace warpwright;
using namespace warpwright::device;

std::unique_ptr<Device> make(bool modern = true) {
    auto device = make_cuda({0, "", fake_driver(modern)});
    EXPECT_TRUE(device.ok()) << device.error().text();
    return std::move(*device);
}

TEST(CudaTransfers, each_direction_by_itself_is_in_the_devices_stream) {
    auto device = make();
    for (bool pinned : {true, false}) {
        auto t = device->make_transfers(1000, pinned);
        ASSERT_TRUE(t.ok()) << t.error().text();
        EXPECT_EQ(fake().pinned, pinned ? 2 : 0);
        for (bool to_device : {true, false}) {
            fake().copies.clear();
            auto seconds = (*t)->time({to_device, !to_device, 3, 2, {}});
            ASSERT_TRUE(seconds.ok()) << seconds.error().text();
            ASSERT_EQ(seconds->size(), 2u);
            for (double s : *seconds) EXPECT_NEAR(s, 3e-6, 1e-9);
            ASSERT_EQ(fake().copies.size(), 6u);
            for (const auto& c : fake().copies) {
                EXPECT_EQ(c.to_device, to_device);
                EXPECT_EQ(c.bytes, 1000u);
                EXPECT_EQ(c.stream, fake().copies.front().stream);
            }
            EXPECT_TRUE(fake().stream_waits.empty());
        }
    }
    EXPECT_EQ(fake().pinned, 0) << "given back";
}

TEST(CudaTransfers, both_directions_are_in_streams_of_their_own_that_begin_and_end_together) {
    auto device = make();
    auto t = device->make_transfers(1000, true);
    ASSERT_TRUE(t.ok());
    auto seconds = (*t)->time({true, true, 2, 1, {}});
    ASSERT_TRUE(seconds.ok());
    EXPECT_NEAR(seconds->front(), 4e-6, 1e-9);  // the fake does one thing at a time
    ASSERT_EQ(fake().copies.size(), 4u);
    const auto there = fake().copies[0].stream, back = fake().copies[1].stream;
    EXPECT_TRUE(fake().copies[0].to_device);
    EXPECT_FALSE(fake().copies[1].to_device);
    EXPECT_NE(there, back);
    ASSERT_EQ(fake().stream_waits.size(), 2u);
    EXPECT_EQ(fake().stream_waits[0].first, back);
    EXPECT_EQ(fake().stream_waits[1].first, there);
    EXPECT_NE(fake().stream_waits[0].second, fake().stream_waits[1].second);
}

TEST(CudaTransfers, what_cannot_be_is_said) {
    auto device = make();
    EXPECT_EQ(device->make_transfers(0, true).error().kind, ErrorKind::usage);
    EXPECT_EQ(device->make_transfers(std::uint64_t{1} << 40, true).error().kind, ErrorKind::limit);
    auto t = device->make_transfers(16, true);
    ASSERT_TRUE(t.ok());
    EXPECT_EQ((*t)->time({false, false, 1, 1, {}}).error().kind, ErrorKind::usage);
    EXPECT_EQ((*t)->time({true, false, 0, 1, {}}).error().kind, ErrorKind::usage);
    fake().next_wait = cuda::status::ecc;
    EXPECT_FALSE((*t)->time({true, false, 1, 1, {}}).ok());
    auto gone = (*t)->time({true, false, 1, 1, {}});  // the context is a new one
    ASSERT_FALSE(gone.ok());
    auto old = make(false);
    EXPECT_EQ(old->make_transfers(16, true).error().kind, ErrorKind::no_device);
    auto emulated = make_emulated({});
    ASSERT_TRUE(emulated.ok());
    EXPECT_EQ((*emulated)->make_transfers(16, true).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace device_tests
