// The modelled clock: which work overlaps with which, by the rules of streams, engines and the host.
#include "timeline/timeline.hpp"

#include <gmock/gmock.h>

namespace timeline_test {

using namespace warpwright::timeline;
using testing::DoubleEq;
using testing::ElementsAre;
constexpr auto kFree = StreamKind::independent, kBlocking = StreamKind::blocking, kDefault = StreamKind::legacy_default;

/// 1 GB/s both ways, half of it pageable, 10 GB/s within the device; nothing else takes time.
Model simple() {
    Model m;
    m.to_device = m.to_host = 1e9;
    m.pageable_to_device = m.pageable_to_host = 5e8;
    m.copied = m.filled = 1e10;
    m.host_copied = 1e9;
    return m;
}
constexpr std::uint64_t kSecond = 1'000'000'000;

Work copy(Kind kind, std::uint64_t bytes = kSecond, bool pageable = false) {
    Work w;
    w.kind = kind, w.bytes = bytes, w.pageable = pageable;
    return w;
}
Work kernel(double seconds, double share = 1, std::vector<std::uint32_t> after = {}) {
    Work w;
    w.kind = Kind::kernel, w.seconds = seconds, w.share = share, w.after = std::move(after);
    return w;
}
Work group(std::vector<Work> inner) {
    Work w;
    w.inner = std::move(inner);
    return w;
}

/// When it ends, once the host has waited for it.
double end_of(Timeline& t, const Mark& mark) {
    t.wait(mark);
    return Timeline::end(mark).value_or(-1);
}
double end_of_stream(Timeline& t, std::size_t stream) { return end_of(t, t.mark(stream)); }

/// Copy, kernel, copy back of 1 s each in `n` streams of a kind, depth first; the end of all.
double in_streams(const Model& model, int n, StreamKind kind, bool pageable = false, double share = 1) {
    Timeline t(model);
    for (int i = 0; i < n; ++i) {
        const auto s = t.add_stream(kind);
        t.issue_known(s, copy(Kind::to_device, kSecond, pageable));
        t.issue_known(s, kernel(1, share));
        t.issue_known(s, copy(Kind::to_host, kSecond, pageable));
    }
    t.finish();
    return t.host();
}

TEST(Timeline, TwoCopyEnginesMakeAPipelineOfThreeStages) {
    for (int n = 1; n <= 8; ++n) EXPECT_DOUBLE_EQ(in_streams(simple(), n, kFree), n + 2) << n;
}

TEST(Timeline, CopiesInSeveralStreamsTakeTurnsOnTheLink) {
    Timeline t(simple());
    std::vector<double> ends;
    std::vector<Mark> marks;
    for (int i = 0; i < 4; ++i) marks.push_back(t.issue_known(t.add_stream(kFree), copy(Kind::to_device)));
    for (const auto& m : marks) ends.push_back(end_of(t, m));
    EXPECT_THAT(ends, ElementsAre(1, 2, 3, 4));
}

TEST(Timeline, OneCopyEngineTakesBothDirectionsInTurns) {
    auto m = simple();
    m.copy_engines = 1;
    // Copies alone are 2 n seconds of one engine; a copy back is ready late, but others fill the gap.
    EXPECT_DOUBLE_EQ(in_streams(m, 1, kFree), 3);
    EXPECT_DOUBLE_EQ(in_streams(m, 4, kFree), 8);
    // With one hardware queue the copy back of the first stream holds up the copies of the next: nothing overlaps.
    m.hardware_queues = 1;
    EXPECT_DOUBLE_EQ(in_streams(m, 4, kFree), 12);
}

TEST(Timeline, WhatBreaksTheOverlap) {
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kDefault), 12) << "the default stream is one, however often it is taken";
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kFree, true), 4 * (2 + 1 + 2)) << "the host stays with a pageable copy";
    EXPECT_DOUBLE_EQ(in_streams(simple(), 4, kBlocking), 6);
    // One piece of work in the default stream between those of two others.
    for (auto [kind, end] : {std::pair{kBlocking, 3.0}, std::pair{kFree, 1.0}}) {
        Timeline t(simple());
        auto a = t.add_stream(kind), b = t.add_stream(kind), zero = t.add_stream(kDefault);
        t.issue_known(a, copy(Kind::to_device));
        t.issue_known(zero, kernel(1));
        t.issue_known(b, copy(Kind::to_host));
        EXPECT_DOUBLE_EQ(end_of_stream(t, b), end);
    }
}

TEST(Timeline, KernelsRunAtOnceWhileTheyFit) {
    Timeline t(simple());
    std::vector<Mark> marks;
    for (double share : {0.5, 0.5, 0.25, 1.0}) marks.push_back(t.issue_known(t.add_stream(kFree), kernel(1, share)));
    std::vector<double> ends;
    for (const auto& m : marks) ends.push_back(end_of(t, m));
    EXPECT_THAT(ends, ElementsAre(1, 1, 2, 3));
}

TEST(Timeline, TheStreamOfHigherPriorityGoesFirst) {
    Timeline t(simple());
    const auto low = t.add_stream(kFree), high = t.add_stream(kFree, -5);
    t.issue_known(low, kernel(1));
    const auto second = t.issue_known(t.add_stream(kFree), kernel(1));
    const auto urgent = t.issue_known(high, kernel(1));
    EXPECT_EQ(end_of(t, urgent), 1) << "all three are issued at once";
    EXPECT_EQ(end_of(t, second), 3);
}

TEST(Timeline, EventsAndTheHostHoldWorkBack) {
    auto m = simple();
    m.copy_latency = 0.5;
    m.call = 0.5, m.copy_call = 0.125;
    m.kernel = 0.25;
    Timeline t(m);
    auto a = t.add_stream(kFree), b = t.add_stream(kFree);
    const auto up = t.issue_known(a, copy(Kind::to_device));
    t.hold(b, t.mark(a));
    const auto within = t.issue_known(b, copy(Kind::on_device));
    EXPECT_DOUBLE_EQ(t.host(), 0.25) << "two calls; marks are free";
    EXPECT_DOUBLE_EQ(end_of(t, up), 0.125 + 0.5 + 1);
    EXPECT_DOUBLE_EQ(end_of(t, within), 1.625 + 0.25 + 0.2);
    EXPECT_DOUBLE_EQ(t.host(), 2.075) << "it has waited";
    EXPECT_DOUBLE_EQ(end_of(t, t.issue_known(a, copy(Kind::fill))), 2.075 + 0.125 + 0.25 + 0.1);
    EXPECT_DOUBLE_EQ(end_of(t, t.issue_known(a, kernel(0))), 2.55 + 0.5 + 0.25) << "no kernel takes less";
    EXPECT_DOUBLE_EQ(end_of(t, t.issue_known(a, copy(Kind::on_host))), 3.3 + 0.125 + 1);
}

/// The host's own order counts, not the order in which it becomes known what the work was.
TEST(Timeline, DoesNotDependOnWhoIsDoneFirst) {
    std::vector<std::vector<double>> all;
    for (int order = 0; order < 6; ++order) {
        Timeline t(simple());
        const auto a = t.add_stream(kFree), b = t.add_stream(kFree);
        std::vector<Mark> marks = {t.issue(a), t.issue(b), t.issue(a)};
        std::vector<Work> work = {kernel(3), kernel(1), copy(Kind::to_host)};
        std::vector<std::size_t> give = {0, 1, 2};
        for (int k = 0; k < order; ++k) std::next_permutation(give.begin(), give.end());
        for (auto k : give) {
            EXPECT_FALSE(Timeline::end(marks[0]));
            t.give(marks[k], work[k]);
        }
        all.push_back({});
        for (const auto& m : marks) all.back().push_back(end_of(t, m));
        EXPECT_THAT(all.back(), ElementsAre(3, 4, 4));
    }
}

/// A kernel that waits for the host must not keep the host from a time it asks for.
TEST(Timeline, ATimeCanBeHadBesideWorkWithoutEnd) {
    Timeline t(simple());
    const auto a = t.add_stream(kFree), b = t.add_stream(kFree);
    const auto endless = t.issue(a), behind = t.issue_known(a, kernel(1)), other = t.issue_known(b, kernel(2));
    t.wait(other);
    EXPECT_FALSE(Timeline::end(other)) << "what the first one is might hold it up";
    t.overtake();
    EXPECT_EQ(Timeline::end(other), 2);
    EXPECT_FALSE(Timeline::end(behind));
    t.give(endless, kernel(1));
    EXPECT_EQ(end_of(t, behind), 4);
}

TEST(Timeline, AGraphIsOverWhenAllOfItIs) {
    // Two chains, a copy and a kernel each, that meet in a last kernel; behind it the stream's next work.
    auto second = kernel(1, 0.5, {0}), fourth = kernel(1, 0.5, {2});
    Timeline t(simple());
    const auto s = t.add_stream(kFree);
    std::vector<Span> spans;
    Timeline seen(simple(), [&](const Span& span) { spans.push_back(span); });
    for (auto* line : {&t, &seen}) {
        if (line == &seen) (void)line->add_stream(kFree);
        const auto graph = line->issue_known(
            s, group({copy(Kind::to_device), second, copy(Kind::to_device), fourth, kernel(1, 1, {1, 3})}));
        const auto next = line->issue_known(s, copy(Kind::to_host));
        EXPECT_EQ(end_of(*line, graph), 4);
        EXPECT_EQ(end_of(*line, next), 5);
    }
    std::vector<double> begins;
    for (const auto& span : spans) begins.push_back(span.begin);
    EXPECT_THAT(begins, ElementsAre(0, 1, 1, 2, 3, 4));
}

/// A grid's own part, then what it launched; its tail comes last.
TEST(Timeline, GridsThatAKernelLaunches) {
    auto parent = kernel(1);
    for (int k = 0; k < 8; ++k) parent.inner.push_back(kernel(1, 0.25));
    Timeline t(simple());
    const auto s = t.add_stream(kFree);
    EXPECT_EQ(end_of(t, t.issue_known(s, sequence({parent, kernel(1)}))), 1 + 2 + 1);
}

TEST(Timeline, AnEventRecordedInAGraphIsTold) {
    Timeline t(simple());
    const auto s = t.add_stream(kFree), other = t.add_stream(kFree);
    Work record;
    record.mark = std::make_shared<Moment>();
    record.after = {0};
    const Mark mark = record.mark;
    t.issue_known(s, group({kernel(2), record, kernel(3, 1, {1})}));
    const auto waits = t.issue_known(other, copy(Kind::to_host), {mark});
    EXPECT_EQ(end_of(t, waits), 3);
    EXPECT_EQ(Timeline::end(mark), 2);
}

TEST(Timeline, ManyPiecesOfWorkInARow) {
    Timeline t(simple());
    const auto s = t.add_stream(kFree);
    Mark last;
    for (int k = 0; k < 50000; ++k) last = t.issue_known(s, kernel(1));
    EXPECT_EQ(end_of(t, last), 50000);
    Timeline never(simple());
    const auto n = never.add_stream(kFree);
    for (int k = 0; k < 50000; ++k) last = never.mark(n);
}

TEST(TimelineModel, FiguresOfADeviceModelAndWhatStandsInForThem) {
    warpwright::arch::DeviceModel d;
    auto m = model_of(d);
    EXPECT_EQ(m.copy_engines, 1u);
    EXPECT_EQ(m.hardware_queues, 1u);
    EXPECT_EQ(m.to_device, Defaults::kLink);
    EXPECT_EQ(m.pageable_to_host, Defaults::kLink * Defaults::kPageable);
    EXPECT_EQ(m.copied, Defaults::kMemory);
    EXPECT_EQ(m.call, Defaults::kCall);
    EXPECT_EQ(m.copy_call, Defaults::kCopyCall);
    EXPECT_EQ(m.kernel, Defaults::kKernel);
    EXPECT_EQ(m.copy_latency, Defaults::kCopyLatency);
    d.links.pcie = 64e9, d.links.copy_engines = 2, d.links.hardware_queues = 32, d.links.copy_latency = 1.5e-6;
    d.memory.bandwidth = 4e12;
    d.ceilings.to_host = 55e9, d.ceilings.pageable_to_host = 15e9, d.ceilings.dram_copy = 3e12,
    d.ceilings.dram_write = 4e12;
    d.launches.queued = 2e-6, d.launches.graph = 0.5e-6;
    m = model_of(d);
    EXPECT_EQ(m.copy_engines, 2u);
    EXPECT_EQ(m.hardware_queues, 32u);
    EXPECT_EQ(m.to_device, 64e9);
    EXPECT_EQ(m.to_host, 55e9) << "what was measured goes before the data sheet";
    EXPECT_EQ(m.pageable_to_device, 32e9);
    EXPECT_EQ(m.pageable_to_host, 15e9);
    EXPECT_EQ(m.copied, 3e12);
    EXPECT_EQ(m.filled, 4e12);
    EXPECT_EQ(m.call, 2e-6);
    EXPECT_EQ(m.kernel, 0.5e-6);
    EXPECT_EQ(m.copy_latency, 1.5e-6);
}

// The host's own work takes its time where it is told of, and the device's beside it.
TEST(Timeline, WhatTheHostDoesItselfOverlapsTheDevice) {
    Model m = simple();
    m.call = m.copy_call = 0.25;
    Timeline t(m);
    const auto s = t.add_stream(kFree);
    t.issue_known(s, kernel(2));
    t.pass(1);
    EXPECT_DOUBLE_EQ(t.host(), 1.25);
    EXPECT_DOUBLE_EQ(end_of_stream(t, s), 2.25);
    // The device has been idle for a second when the next begins.
    t.pass(1);
    t.issue_known(s, kernel(2));
    EXPECT_DOUBLE_EQ(end_of_stream(t, s), 2.25 + 1 + 0.25 + 2);
}

// While a size is not known, the host is no earlier than all that it has done in any case.
TEST(Timeline, TheHostIsAtLeastWhereItsOwnWorkHasBroughtIt) {
    Model m = simple();
    m.call = 0.5, m.copy_call = 0.25;
    Timeline t(m);
    const auto s = t.add_stream(kFree);
    const Mark first = t.issue(s);
    t.pass(3);
    (void)t.issue(s, {}, Timeline::Call::free);
    EXPECT_DOUBLE_EQ(t.host(), 0);
    EXPECT_DOUBLE_EQ(t.host_at_least(), 3.25);
    t.give(first, kernel(1));
    EXPECT_DOUBLE_EQ(t.host_at_least(), 3.5);
    t.finish();
    EXPECT_DOUBLE_EQ(t.host_at_least(), t.host());
}

// A second clock has the same work, with moments of its own.
TEST(Timeline, WorkHasATwinOnASecondClock) {
    Work inner = kernel(1);
    inner.mark = std::make_shared<Moment>();
    Work waits = kernel(1);
    waits.marks = {inner.mark};
    Timeline one(simple()), two(simple());
    const auto s = one.add_stream(kFree), t = two.add_stream(kFree);
    two.pass(5);
    const Mark whole = one.issue(s);
    whole->twin = two.issue(t);
    const Work work = group({inner, waits});
    two.give(whole->twin, twin_of(work));
    one.give(whole, work);
    EXPECT_DOUBLE_EQ(end_of(one, whole), 2);
    EXPECT_DOUBLE_EQ(end_of(two, whole->twin), 7);
    EXPECT_DOUBLE_EQ(Timeline::end(inner.mark).value_or(0), 1);
    EXPECT_DOUBLE_EQ(Timeline::end(inner.mark->twin).value_or(0), 6);
    EXPECT_EQ(twin_of(Mark()), nullptr);
}

/// A copy between two devices of a model with links of 2 GB/s, or without: over those to the host.
Model linked(bool own_links) {
    Model m = simple();
    m.peer = 2e9, m.peer_access = 1e9, m.peer_latency = 0.25;
    m.staged = 5e8, m.staged_latency = 0.5;
    m.own_links = own_links;
    return m;
}
Work between(unsigned from, unsigned to, bool staged = false) {
    Work w = copy(Kind::between);
    w.device = static_cast<std::uint8_t>(from), w.to = static_cast<std::uint8_t>(to), w.staged = staged;
    return w;
}
/// The end of works that are issued at once, each in a stream of its own.
double all_at_once(const Model& model, const std::vector<Work>& works) {
    Timeline t(model);
    for (const Work& w : works) t.issue_known(t.add_stream(kFree), w, {}, Timeline::Call::free);
    t.finish();
    return t.host();
}

TEST(SeveralDevices, CopiesBetweenThemTakeTurnsWhereTheyMeet) {
    const auto m = linked(true);
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 1)}), 0.75);
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 1), between(1, 0)}), 0.75) << "a direction each";
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 1), between(2, 3)}), 0.75);
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 1), between(0, 2)}), 1.5) << "one sends both";
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 2), between(1, 2)}), 1.5) << "one receives both";
    EXPECT_DOUBLE_EQ(all_at_once(m, {between(0, 1, true)}), 2.5) << "through the host";
    // Links of their own leave those to the host alone; through the host they meet the host's copies.
    Work up = copy(Kind::to_device);
    up.device = 1;
    EXPECT_DOUBLE_EQ(all_at_once(m, {up, between(0, 1)}), 1);
    EXPECT_DOUBLE_EQ(all_at_once(m, {up, between(0, 1, true)}), 3.5);
    EXPECT_DOUBLE_EQ(all_at_once(linked(false), {up, between(0, 1)}), 1.75);
}

TEST(SeveralDevices, EachHasItsMultiprocessorsAndItsDefaultStream) {
    const auto m = linked(true);
    Work on1 = kernel(1);
    on1.device = 1;
    EXPECT_DOUBLE_EQ(all_at_once(m, {kernel(1), on1}), 1);
    EXPECT_DOUBLE_EQ(all_at_once(m, {kernel(1), kernel(1)}), 2);
    Timeline t(m);
    const auto first = t.add_stream(kDefault, 0, 0), second = t.add_stream(kDefault, 0, 1);
    const auto of_second = t.add_stream(kBlocking, 0, 1);
    t.issue_known(first, kernel(4), {}, Timeline::Call::free);
    t.issue_known(second, on1, {}, Timeline::Call::free);
    EXPECT_DOUBLE_EQ(end_of(t, t.issue_known(of_second, on1, {}, Timeline::Call::free)), 2) << "not behind device 0";
}

TEST(SeveralDevices, AKernelTakesAtLeastWhatItsAccessesTakeOverTheLink) {
    const auto m = linked(true);
    EXPECT_DOUBLE_EQ(m.over_link(0, 0), 0);
    EXPECT_DOUBLE_EQ(m.over_link(kSecond, 0), 1.25);
    EXPECT_DOUBLE_EQ(m.over_link(kSecond, 2 * kSecond), 2.25) << "a direction each";
}

}  // namespace timeline_test
