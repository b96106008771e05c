// Modelled times of the emulated device's own streams and events. The clock itself is tested in tests/timeline.
#include <gtest/gtest.h>

#include <cstring>

#include "device/emulated/emulated.hpp"
#include "device/modelled_time.hpp"
#include "device/stream.hpp"

namespace device_tests {
namespace timeline_test {

using namespace warpwright;
using namespace warpwright::device;

TEST(ModelledTime, TheEmulatedDeviceTellsTimes) {
    EmulatedOptions options;
    options.threads = 1;
    ModelledTime time;
    time.model.to_device = time.model.to_host = 1e9;
    time.model.pageable_to_device = time.model.pageable_to_host = 5e8;
    time.kernel = [](const Step& step, const LaunchResult& result) {
        EXPECT_TRUE(result.counts);
        timeline::Work work;
        work.kind = timeline::Kind::kernel;
        work.seconds = static_cast<double>(step.config.block.x);
        return work;
    };
    options.time = std::make_shared<ModelledTime>(time);
    auto device = make_emulated(options);
    ASSERT_TRUE(device.ok());
    EXPECT_TRUE((*device)->streams().models_time());
    EXPECT_FALSE((*device)->timer());
    auto module = (*device)->load(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\t.reg .b64 %r<2>; "
        ".reg .b32 %x<2>;\n\tld.param.u64 %r1, [p]; mov.u32 %x1, 7; st.global.u32 [%r1], %x1; ret;\n}\n");
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto stream = (*device)->streams().make_stream();
    auto first = (*device)->streams().make_event(), second = (*device)->streams().make_event(),
         third = (*device)->streams().make_event(), never = (*device)->streams().make_event();
    auto pinned = (*device)->streams().allocate_host(1'000'000);
    std::vector<std::byte> plain(1'000'000);
    auto at = (*device)->allocate(1'000'000);
    Step step{*module, "k", {{1, 1, 1}, {3, 1, 1}}, std::vector<std::byte>(8)};
    std::memcpy(step.parameters.data(), &*at, 8);
    ASSERT_TRUE((*stream)->record(**first).ok());
    ASSERT_TRUE((*stream)->write(*at, (*pinned)->bytes()).ok());
    ASSERT_TRUE((*stream)->launch(step).ok());
    ASSERT_TRUE((*stream)->record(**second).ok());
    ASSERT_TRUE((*stream)->read(plain, *at).ok());
    ASSERT_TRUE((*stream)->record(**third).ok());
    EXPECT_EQ(plain[0], std::byte{7}) << "the work is done";
    EXPECT_NEAR((*second)->since(**first)->value(), 3.001, 1e-12);
    EXPECT_NEAR((*third)->since(**second)->value(), 0.002, 1e-12) << "a difference of larger numbers";
    EXPECT_EQ((*never)->since(**first).error().kind, ErrorKind::usage);
}

}  // namespace timeline_test
}  // namespace device_tests
