// Links between devices: by a model, and what is asked of a driver.
#include <gmock/gmock.h>

#include "device/peers.hpp"
#include "fake_driver.hpp"

namespace device_tests {
namespace peers_test {

using namespace warpwright;
using namespace warpwright::device;
using ::testing::HasSubstr;

TEST(ModelledPeers, take_latency_and_bytes_over_the_rate) {
    LinkModel m;
    m.rate = 1e9;
    m.latency = 1e-6;
    m.within = 1e10;
    auto peers = make_modelled_peers(3, "x", m);
    EXPECT_EQ(peers->count(), 3u);
    EXPECT_EQ(peers->name(2), "x:2");
    EXPECT_FALSE(peers->measured());
    EXPECT_TRUE(peers->direct(0, 2));
    EXPECT_DOUBLE_EQ(*peers->copy({0, 1, 1'000'000'000}), 1 + 1e-6);
    EXPECT_DOUBLE_EQ(*peers->copy({0, 1, 1'000'000'000, true}), 1 + 1e-6) << "both directions have the whole rate";
    EXPECT_DOUBLE_EQ(*peers->copy({1, 1, 1'000'000'000}), 0.2) << "read and written";
    m.duplex = false;
    EXPECT_DOUBLE_EQ(*make_modelled_peers(2, "x", m)->copy({0, 1, 1'000'000'000, true}), 2 + 1e-6);
    EXPECT_EQ(peers->copy({0, 3, 1}).error().kind, ErrorKind::usage);
}

TEST(CudaPeers, each_pair_is_opened_and_timed) {
    auto driver = fake_driver();
    fake().devices = 3;
    auto peers = make_cuda_peers(8, driver);
    ASSERT_TRUE(peers.ok()) << peers.error().text();
    EXPECT_EQ((*peers)->count(), 3u);
    EXPECT_TRUE((*peers)->measured());
    EXPECT_TRUE((*peers)->direct(0, 1));
    auto one = (*peers)->copy({0, 1, 1024, false, 4});
    ASSERT_TRUE(one.ok()) << one.error().text();
    EXPECT_NEAR(*one, 1e-6, 1e-9);
    EXPECT_EQ(fake().peer_copies, 4u);
    auto both = (*peers)->copy({1, 2, 1024, true, 3});
    ASSERT_TRUE(both.ok()) << both.error().text();
    EXPECT_EQ(fake().peer_copies, 4u + 6);
    auto within = (*peers)->copy({2, 2, 2048, false, 1});
    ASSERT_TRUE(within.ok()) << within.error().text();
    EXPECT_EQ((*peers)->copy({0, 5, 16}).error().kind, ErrorKind::usage);
    EXPECT_EQ((*peers)->copy({0, 1, std::uint64_t{1} << 40}).error().kind, ErrorKind::limit);
    peers->reset();
    EXPECT_TRUE(fake().sizes.empty()) << "memory is given back";
}

TEST(CudaPeers, without_direct_ways_the_driver_goes_over_the_host) {
    auto driver = fake_driver();
    fake().devices = 2;
    fake().peers = 0;
    auto peers = make_cuda_peers(8, driver);
    ASSERT_TRUE(peers.ok()) << peers.error().text();
    EXPECT_FALSE((*peers)->direct(0, 1));
    EXPECT_TRUE((*peers)->direct(1, 1));
    EXPECT_TRUE((*peers)->copy({0, 1, 64}).ok());
    auto old = make_cuda_peers(8, fake_driver(false));
    ASSERT_FALSE(old.ok());
    EXPECT_THAT(old.error().text(), HasSubstr("a newer driver"));
}

TEST(CudaPeers, a_copy_that_does_not_end_is_given_up) {
    auto driver = fake_driver();
    fake().devices = 2;
    auto peers = make_cuda_peers(2, driver);
    ASSERT_TRUE(peers.ok());
    fake().hangs = true;
    PeerCopy copy{0, 1, 64};
    copy.timeout = std::chrono::milliseconds(20);
    auto late = (*peers)->copy(copy);
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().kind, ErrorKind::fault);
    EXPECT_EQ((*peers)->copy(copy).error().kind, ErrorKind::no_device);
}

}  // namespace peers_test
}  // namespace device_tests
