// Kernels that launch kernels: PTX as compilers write it for the device's side of the runtime library.
#include <algorithm>
#include <map>
#include <mutex>

#include "device/emulated/device_runtime.hpp"
#include "device/emulated/emulated.hpp"
#include "device/emulated/sampled_launch.hpp"
#include "support.hpp"
#include "timeline/timeline.hpp"

namespace nested_test {

using namespace device_tests;
using testing::ElementsAre;
using testing::HasSubstr;
using warpwright::device::KernelInfo;
using warpwright::device::NestedPlace;
using warpwright::device::Question;

const std::string kCalls = kHeader + R"(
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a, .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);
.extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 a, .param .b64 b, .param .align 4 .b8 c[12], .param .align 4 .b8 d[12], .param .b32 e, .param .b64 f);
.extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) __cudaCDP2StreamDestroy(.param .b64 a);
.extern .func (.param .b32 r) __cudaCDP2EventCreateWithFlags(.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) __cudaCDP2EventRecord(.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) __cudaCDP2StreamWaitEvent(.param .b64 a, .param .b64 b, .param .b32 c);
.extern .func (.param .b32 r) __cudaCDP2GetLastError();
.extern .func (.param .b32 r) __cudaCDP2PeekAtLastError();
.extern .func (.param .b32 r) cudaDeviceSynchronize();
.extern .func (.param .b32 r) __cudaCDP2MemsetAsync(.param .b64 a, .param .b32 b, .param .b64 c, .param .b64 d);
.extern .func (.param .b32 r) __cudaCDP2MemcpyAsync(.param .b64 a, .param .b64 b, .param .b64 c, .param .b32 d, .param .b64 e);
.extern .func (.param .b32 r) __cudaCDP2DeviceGetAttribute(.param .b64 a, .param .b32 b, .param .b32 c);
)";

struct Word {
    std::string type, value;
};
Word u32(const std::string& v) { return {"b32", v}; }
Word u64(const std::string& v) { return {"b64", v}; }
Word dim(const std::string& x) { return {"dim", x}; }

/// result = name(arguments...), as a compiler writes it.
std::string call(const std::string& result, const std::string& name, const std::vector<Word>& arguments,
                 const std::string& type = "b32") {
    std::string text = "{ .param ." + type + " ret; ", list;
    int n = 0;
    for (const auto& a : arguments) {
        const auto p = "p" + std::to_string(n++);
        if (a.type == "dim")
            text += ".param .align 4 .b8 " + p + "[12]; st.param.b32 [" + p + "], " + a.value + "; st.param.b32 [" + p +
                    "+4], 1; st.param.b32 [" + p + "+8], 1; ";
        else
            text += ".param ." + a.type + " " + p + "; st.param." + a.type + " [" + p + "], " + a.value + "; ";
        list += (list.empty() ? "" : ", ") + p;
    }
    return text + "call.uni (ret), " + name + ", (" + list + "); ld.param." + type + " " + result + ", [ret]; }\n";
}

/// child<<<grid, block, shared, stream>>>(%rd1, number) with the child's address in %rd40; its buffer's in %rd41.
std::string launch(const std::string& child, const std::string& number, const std::string& stream = "0",
                   const std::string& grid = "1", const std::string& block = "1", const std::string& shared = "0") {
    static int label = 0;
    const auto skip = "SKIP" + std::to_string(label++);
    return "mov.u64 %rd40, " + child + ";\n" +
           call("%rd41", "__cudaCDP2GetParameterBufferV2", {u64("%rd40"), dim(grid), dim(block), u32(shared)}, "b64") +
           "setp.eq.s64 %p15, %rd41, 0; @%p15 bra " + skip + ";\nst.u64 [%rd41], %rd1; st.u32 [%rd41+8], " + number +
           ";\n" + call("%r60", "__cudaCDP2LaunchDeviceV2", {u64("%rd41"), u64(stream)}) + skip + ":\n";
}

const std::string kParameters = "u64 log, u32 n";
const std::string kLoad = "ld.param.u64 %rd1, [log]; ld.param.u32 %r1, [n];\n";
/// log[++log[0]] = n, by every thread.
const std::string kNote = kernel(kParameters, kLoad + R"(
atom.global.add.u32 %r2, [%rd1], 1; add.u32 %r2, %r2, 1; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;)",
                                 "note");

/// What is told of a launch.
struct Side final : warpwright::device::KernelSide {
    struct Child {
        std::string name;
        Counts counts;
        NestedPlace place;
    };
    std::mutex mutex;
    std::vector<Child> children;
    std::vector<std::pair<bool, std::uint64_t>> moves;
    static warpwright::timeline::Work takes(double seconds, double share) {
        warpwright::timeline::Work work;
        work.kind = warpwright::timeline::Kind::kernel;
        work.seconds = seconds, work.share = share;
        return work;
    }
    std::uint64_t most_dynamic_shared(warpwright::device::Module&, const KernelInfo&) override { return 0; }
    warpwright::timeline::Work ended(warpwright::device::Module&, const KernelInfo& k, const LaunchConfig&,
                                     const LaunchResult& r, const NestedPlace& place) override {
        std::lock_guard lock(mutex);
        children.push_back({k.name, r.counts ? r.counts->total : Counts{}, place});
        auto work = takes(1.0, 0.25);
        work.tag = place.id;
        return work;
    }
    warpwright::timeline::Work moved(bool fill, std::uint64_t bytes) override {
        std::lock_guard lock(mutex);
        moves.emplace_back(fill, bytes);
        return takes(0.5, 1);
    }
    std::uint32_t ask(Question q, warpwright::device::Module&, const KernelInfo*, const std::uint64_t* a,
                      std::vector<std::byte>& answer) override {
        if (q != Question::attribute || a[0] != 16) return 1;
        answer.resize(4);
        const std::int32_t n = 77;
        std::memcpy(answer.data(), &n, 4);
        return 0;
    }
};

struct Nested {
    explicit Nested(const std::string& body, unsigned threads = 1, std::uint32_t checkers = 0) {
        warpwright::device::EmulatedOptions options;
        options.threads = threads;
        options.memory = std::uint64_t{1} << 30;
        options.checkers = checkers;
        options.zeroed = true;
        device = std::move(*warpwright::device::make_emulated(options));
        auto m = device->load("nested.ptx", kCalls + kNote + kernel(kParameters, kLoad + body));
        EXPECT_TRUE(m.ok()) << m.error().text();
        if (m) module = *m;
        log = *device->allocate(kWords * 4);
    }
    /// What stands in the log; empty where the launch failed.
    std::vector<std::uint32_t> run(std::uint32_t n = 0, Extent grid = {1, 1, 1}, Extent block = {1, 1, 1}) {
        EXPECT_TRUE(device->fill(log, 0, kWords * 4).ok());
        LaunchConfig c;
        c.grid = grid, c.block = block;
        LaunchOptions options;
        options.timeout = std::chrono::seconds(60);
        auto r = device->sampler()->launch_sample(*module, "k", c, parameters(log, n), options, 0, &side);
        error = r ? "" : r.error().text();
        if (!r) return {};
        spans.clear();
        warpwright::timeline::Timeline line({}, [&](const warpwright::timeline::Span& span) { spans.push_back(span); });
        line.issue_known(line.add_stream(warpwright::timeline::StreamKind::independent), r->whole({}));
        line.finish();
        seconds = line.host();
        counts = r->result.counts->total;
        std::vector<std::uint32_t> words(kWords);
        EXPECT_TRUE(device->read(std::as_writable_bytes(std::span(words)), log).ok());
        const auto n_words = std::min<std::uint32_t>(words[0], kWords - 1);
        all = words;
        return {words.begin() + 1, words.begin() + 1 + n_words};
    }
    static constexpr std::uint32_t kWords = 8192;
    std::unique_ptr<warpwright::device::Device> device;
    std::shared_ptr<warpwright::device::Module> module;
    Address log = 0;
    Side side;
    std::string error;
    double seconds = 0;  ///< modelled, from the end of the kernel's own part to the end of all that came of it
    std::vector<warpwright::timeline::Span> spans;
    Counts counts;
    std::vector<std::uint32_t> all;
};

TEST(NestedLaunch, AStreamsGridsRunInOrderAndTheTailLast) {
    Nested t(launch("note", "9", "3") + launch("note", "1") + launch("note", "2") + launch("note", "3"));
    EXPECT_THAT(t.run(), ElementsAre(1, 2, 3, 9)) << t.error;
    // Three after each other, and one as the tail; one second each.
    EXPECT_DOUBLE_EQ(t.seconds, 4.0);
    ASSERT_EQ(t.side.children.size(), 4u);
    ASSERT_EQ(t.spans.size(), 4u);
    EXPECT_EQ(t.spans[1].begin, 1.0);
    EXPECT_EQ(t.spans[3].begin, 3.0);
}

TEST(NestedLaunch, GridsInNoOrderOverlapInTheModel) {
    std::string body;
    for (int k = 0; k < 8; ++k) body += launch("note", std::to_string(k), "4");
    Nested t(body);
    EXPECT_EQ(t.run().size(), 8u) << t.error;
    EXPECT_DOUBLE_EQ(t.seconds, 2.0);  // eight seconds, a quarter of the device each
}

TEST(NestedLaunch, CountsOfEveryGridAreExact) {
    Nested t(launch("note", "1", "0", "3", "40"), 2);
    EXPECT_EQ(t.run(0, {5, 1, 1}).size(), 600u) << t.error;
    ASSERT_EQ(t.side.children.size(), 5u);
    for (const auto& c : t.side.children) {
        EXPECT_EQ(c.name, "note");
        EXPECT_EQ(c.counts[Count::global_atomic_requests], 6u);  // three blocks of two warps
        EXPECT_EQ(c.counts[Count::global_store_requests], 6u);
    }
    EXPECT_EQ(t.counts[Count::global_atomic_requests], 0u);
    EXPECT_EQ(t.counts[Count::global_store_requests], 10u);  // the parameters
}

TEST(NestedLaunch, StreamsAndEvents) {
    const std::string streams =
        ".local .b64 handles[3]; mov.u64 %rd3, handles; cvta.local.u64 %rd3, %rd3;\n" +
        call("%r50", "__cudaCDP2StreamCreateWithFlags", {u64("%rd3"), u32("1")}) + "add.s64 %rd4, %rd3, 8;\n" +
        call("%r50", "__cudaCDP2StreamCreateWithFlags", {u64("%rd4"), u32("1")}) + "add.s64 %rd4, %rd3, 16;\n" +
        call("%r50", "__cudaCDP2EventCreateWithFlags", {u64("%rd4"), u32("2")}) +
        "ld.u64 %rd5, [%rd3]; ld.u64 %rd6, [%rd3+8]; ld.u64 %rd7, [%rd3+16];\n";
    Nested t(streams + launch("note", "1", "%rd5") + call("%r50", "__cudaCDP2EventRecord", {u64("%rd7"), u64("%rd5")}) +
             call("%r50", "__cudaCDP2StreamWaitEvent", {u64("%rd6"), u64("%rd7"), u32("0")}) +
             launch("note", "2", "%rd6") + call("%r50", "__cudaCDP2StreamDestroy", {u64("%rd6")}) +
             launch("note", "3", "%rd6") + call("%r51", "__cudaCDP2GetLastError", {}) +
             "st.global.u32 [%rd1+400], %r51;");
    EXPECT_THAT(t.run(), ElementsAre(1, 2)) << t.error;
    EXPECT_EQ(t.all[100], 400u);  // the stream is gone
    EXPECT_DOUBLE_EQ(t.seconds, 2.0);
}

TEST(NestedLaunch, ErrorsAreTheThreadsOwn) {
    // A block too large, no grid, too much shared memory, no kernel; then peek, get, get.
    const auto read = [](const std::string& function, int word) {
        return call("%r50", function, {}) + "st.global.u32 [%rd1+" + std::to_string(4 * word) + "], %r50;\n";
    };
    const std::string get = "__cudaCDP2GetLastError", peek = "__cudaCDP2PeekAtLastError";
    Nested t(launch("note", "1", "0", "1", "2000") + read(peek, 100) + read(get, 101) + read(get, 102) +
             launch("note", "1", "0", "0") + read(get, 103) + launch("note", "1", "0", "1", "1", "100000") +
             read(get, 104) + launch("%rd1", "1") + read(get, 105) + launch("note", "1", "4660") + read(get, 106));
    EXPECT_TRUE(t.run().empty()) << t.error;
    EXPECT_EQ(t.error, "");
    EXPECT_THAT(std::vector(t.all.begin() + 100, t.all.begin() + 107), ElementsAre(9, 9, 0, 9, 1, 98, 400));
}

TEST(NestedLaunch, NoMoreMayWaitThanTheLimit) {
    Nested t("mov.u32 %r3, 0; mov.u32 %r4, 0;\nLOOP:\n" + launch("note", "%r3") +
             call("%r50", "__cudaCDP2GetLastError", {}) +
             "setp.ne.u32 %p1, %r50, 0; @%p1 add.u32 %r4, %r4, 1; @%p1 st.global.u32 [%rd1+20000], %r50;\n"
             "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP;\nst.global.u32 [%rd1+20004], %r4;");
    EXPECT_EQ(t.run(2050).size(), 2048u) << t.error;
    EXPECT_EQ(t.all[5000], 69u);
    EXPECT_EQ(t.all[5001], 2u);
    EXPECT_EQ(t.run(2048).size(), 2048u) << t.error;
    EXPECT_EQ(t.all[5000], 0u);
}

TEST(NestedLaunch, TwentyFourDeep) {
    Nested t("max.u32 %r2, %r1, %r1; st.global.u32 [%rd1+400], %r1; add.u32 %r2, %r1, 1;\n" + launch("k", "%r2") +
             call("%r50", "__cudaCDP2GetLastError", {}) + "st.global.u32 [%rd1+404], %r50;");
    t.run();
    EXPECT_EQ(t.error, "");
    EXPECT_EQ(t.all[100], 24u);
    EXPECT_EQ(t.all[101], 65u);
}

TEST(NestedLaunch, TailsFollowEachOtherWithoutEnd) {
    // Each notes its number and launches the next one as its tail; grids that it launched otherwise come before that.
    Nested t("setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\nsub.u32 %r2, %r1, 1;\n" + launch("k", "%r2", "3") +
             launch("note", "%r1") + "DONE:");
    const auto order = t.run(1500);
    ASSERT_EQ(order.size(), 1500u) << t.error;
    for (std::uint32_t k = 0; k < 1500; ++k) ASSERT_EQ(order[k], 1500 - k);
}

TEST(NestedLaunch, TheOlderFormMayWait) {
    const std::string older =
        "mov.u64 %rd40, note;\n" + call("%rd41", "cudaGetParameterBuffer", {u64("8"), u64("12")}, "b64") +
        "st.u64 [%rd41], %rd1; st.u32 [%rd41+8], 5;\n" +
        call("%r50", "cudaLaunchDevice", {u64("%rd40"), u64("%rd41"), dim("2"), dim("1"), u32("0"), u64("0")});
    Nested t(older + "ld.global.u32 %r3, [%rd1];\n" + call("%r50", "cudaDeviceSynchronize", {}) +
             "ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd1+400], %r3; st.global.u32 [%rd1+404], %r4;");
    EXPECT_THAT(t.run(), ElementsAre(5, 5)) << t.error;
    EXPECT_EQ(t.all[100], 0u);
    EXPECT_EQ(t.all[101], 2u);
}

TEST(NestedLaunch, ABlockThatLooksForItsChildSeesIt) {
    Nested t(launch("note", "5") +
             "WAIT: ld.volatile.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra WAIT; st.global.u32 "
             "[%rd1+400], %r3;");
    EXPECT_THAT(t.run(), ElementsAre(5)) << t.error;
    EXPECT_EQ(t.all[100], 1u);
}

TEST(NestedLaunch, CopiesAndFillsStandInTheirStream) {
    Nested t("add.s64 %rd3, %rd1, 400; add.s64 %rd4, %rd1, 800;\n" +
             call("%r50", "__cudaCDP2MemsetAsync", {u64("%rd3"), u32("7"), u64("8"), u64("0")}) +
             call("%r50", "__cudaCDP2MemcpyAsync", {u64("%rd4"), u64("%rd3"), u64("6"), u32("3"), u64("0")}));
    t.run();
    EXPECT_EQ(t.error, "");
    EXPECT_EQ(t.all[101], 0x07070707u);
    EXPECT_EQ(t.all[200], 0x07070707u);
    EXPECT_EQ(t.all[201], 0x0707u);
    EXPECT_THAT(t.side.moves, ElementsAre(std::pair(true, std::uint64_t{8}), std::pair(false, std::uint64_t{6})));
    EXPECT_DOUBLE_EQ(t.seconds, 1.0);
}

TEST(NestedLaunch, QuestionsAreAnsweredFromOutside) {
    Nested t("add.s64 %rd3, %rd1, 400;\n" +
             call("%r50", "__cudaCDP2DeviceGetAttribute", {u64("%rd3"), u32("16"), u32("0")}) +
             call("%r51", "__cudaCDP2DeviceGetAttribute", {u64("%rd3"), u32("17"), u32("0")}) +
             "st.global.u32 [%rd1+404], %r50; st.global.u32 [%rd1+408], %r51;");
    t.run();
    EXPECT_THAT(std::vector(t.all.begin() + 100, t.all.begin() + 103), ElementsAre(77, 0, 1));
}

TEST(NestedLaunch, AChildsFaultEndsAllOfIt) {
    Nested t("mov.u64 %rd1, 16;\n" + launch("note", "1"));
    EXPECT_TRUE(t.run().empty());
    EXPECT_THAT(t.error, HasSubstr("null pointer"));
}

/// Many more launches than there are marks for: a parent and its children are in order, and blocks of one child may
/// race.
TEST(NestedLaunch, CheckersSeeRacesOfChildrenAndNoOthers) {
    const std::string parents =
        "mov.u32 %r3, %ctaid.x; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+4], %r3;\n" +
        launch("note", "%r3") + launch("note", "%r3");
    Nested clean(parents, 2, warpwright::record::kAllCheckers);
    EXPECT_EQ(clean.run(0, {700, 1, 1}).size(), 1400u) << clean.error;
    EXPECT_EQ(clean.run(0, {700, 1, 1}).size(), 1400u) << clean.error;
    EXPECT_THAT(clean.device->finding_log()->findings(), testing::IsEmpty())
        << clean.device->finding_log()->findings()[0].message;

    const std::string racing =
        kernel(kParameters, kLoad + "mov.u32 %r2, %ctaid.x; st.global.u32 [%rd1+400], %r2;", "racing");
    Nested t(launch("note", "1"), 1, warpwright::record::kAllCheckers);
    auto m =
        t.device->load("racing.ptx", kCalls + racing + kernel(kParameters, kLoad + launch("racing", "1", "0", "2")));
    ASSERT_TRUE(m.ok()) << m.error().text();
    t.module = *m;
    t.run();
    ASSERT_EQ(t.device->finding_log()->findings().size(), 1u);
    EXPECT_EQ(t.device->finding_log()->findings()[0].kind, warpwright::record::FindingKind::race_global);
    EXPECT_EQ(t.device->finding_log()->findings()[0].kernel, "racing");
}

}  // namespace nested_test
