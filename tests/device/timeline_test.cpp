// The modelled timeline: which work overlaps with which, by the rules of streams and engines.
#include <gmock/gmock.h>

#include <cstring>

#include "device/stream.hpp"
#include "device/timeline/timeline.hpp"

namespace device_tests {
namespace {

using namespace warpwright;
using namespace warpwright::device;
constexpr auto kFree = StreamKind::independent, kBlocking = StreamKind::blocking, kDefault = StreamKind::legacy_default;

/// 1 GB/s both ways, half of it pageable; nothing else takes time.
TimelineModel simple() {
    TimelineModel m;
    m.to_device = m.to_host = 1e9;
    m.pageable_to_device = m.pageable_to_host = 5e8;
    m.memory = 1e10;
    return m;
}
constexpr std::uint64_t kSecond = 1'000'000'000;

/// Copy, kernel, copy back of 1 s each in `n` streams of a kind, depth first; the end of all.
double in_streams(const TimelineModel& model, int n, StreamKind kind, bool pageable = false, double share = 1) {
    Timeline t(model);
    std::vector<std::size_t> streams;
    for (int i = 0; i < n; ++i) streams.push_back(t.add_stream(kind));
    double end = 0;
    for (auto s : streams) {
        t.copy(s, CopyKind::to_device, kSecond, pageable);
        t.kernel(s, {1, share});
        t.copy(s, CopyKind::to_host, kSecond, pageable);
    }
    for (auto s : streams) end = std::max(end, t.mark(s));
    return end;
}

TEST(Timeline, two_copy_engines_make_a_pipeline_of_three_stages) {
    for (int n = 1; n <= 8; ++n) EXPECT_DOUBLE_EQ(in_streams(simple(), n, kFree), n + 2) << n;
}

TEST(Timeline, one_copy_engine_takes_both_directions_in_turns) {
    auto m = simple();
    m.copy_engines = 1;
    // Copies alone are 2 n seconds of one engine; a copy back is ready late, but others fill the gap.
    EXPECT_DOUBLE_EQ(in_streams(m, 1, kFree), 3);
    EXPECT_DOUBLE_EQ(in_streams(m, 4, kFree), 8);
    // With one hardware queue the copy back of the first stream holds up the copies of the next: nothing overlaps.
    m.hardware_queues = 1;
    EXPECT_DOUBLE_EQ(in_streams(m, 4, kFree), 12);
}

TEST(Timeline, what_breaks_the_overlap) {
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kDefault), 12) << "the default stream is one, however often it is taken";
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kFree, true), 4 * (2 + 1 + 2)) << "the host stays with a pageable copy";
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kBlocking), 6);
    // One piece of work in the default stream between those of two others.
    for (auto [kind, end] : {std::pair{kBlocking, 3.0}, std::pair{kFree, 1.0}}) {
        Timeline t(simple());
        auto a = t.add_stream(kind), b = t.add_stream(kind), zero = t.add_stream(kDefault);
        t.copy(a, CopyKind::to_device, kSecond, false);
        t.kernel(zero, {1, 1});
        t.copy(b, CopyKind::to_host, kSecond, false);
        EXPECT_DOUBLE_EQ(t.mark(b), end);
    }
}

TEST(Timeline, kernels_run_at_once_while_they_fit) {
    Timeline t(simple());
    std::vector<double> ends;
    for (double share : {0.5, 0.5, 0.25, 1.0}) {
        auto s = t.add_stream(kFree);
        t.kernel(s, {1, share});
        ends.push_back(t.mark(s));
    }
    EXPECT_THAT(ends, testing::ElementsAre(1, 1, 2, 3));
}

TEST(Timeline, events_and_the_host_hold_work_back) {
    auto m = simple();
    m.latency = 0.5;
    m.call = 0.125;
    Timeline t(m);
    auto a = t.add_stream(kFree), b = t.add_stream(kFree);
    t.copy(a, CopyKind::to_device, kSecond, false);
    EXPECT_DOUBLE_EQ(t.mark(a), 0.125 + 0.5 + 1);
    t.hold(b, t.mark(a));
    t.copy(b, CopyKind::on_device, kSecond, false);
    EXPECT_DOUBLE_EQ(t.mark(b), 1.625 + 0.2);
    EXPECT_DOUBLE_EQ(t.host(), 0.25);
    t.wait(t.mark(b));
    t.copy(a, CopyKind::fill, kSecond, false);
    EXPECT_DOUBLE_EQ(t.mark(a), 1.825 + 0.125 + 0.1);
}

TEST(Timeline, the_emulated_device_tells_modelled_times) {
    EmulatedOptions options;
    options.threads = 1;
    auto model = simple();
    model.kernel = [](const Step& step, const LaunchResult& result) {
        EXPECT_TRUE(result.counts);
        return KernelTime{static_cast<double>(step.config.block.x), 1};
    };
    options.timeline = std::make_shared<TimelineModel>(model);
    auto device = make_emulated(options);
    ASSERT_TRUE(device.ok());
    EXPECT_TRUE((*device)->models_time());
    EXPECT_FALSE((*device)->has_clock());
    auto module = (*device)->load(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\t.reg .b64 %r<2>; "
        ".reg .b32 %x<2>;\n\tld.param.u64 %r1, [p]; mov.u32 %x1, 7; st.global.u32 [%r1], %x1; ret;\n}\n");
    ASSERT_TRUE(module.ok()) << module.error().text();
    auto stream = (*device)->make_stream();
    auto first = (*device)->make_event(), second = (*device)->make_event(), third = (*device)->make_event(),
         never = (*device)->make_event();
    auto pinned = (*device)->allocate_host(1'000'000);
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

}  // namespace
}  // namespace device_tests
