// What a kernel or a launch may do wrong: the kind of the error, its place, and what its text says.
#include "support.hpp"

namespace faults_test {

using namespace device_tests;
using testing::HasSubstr;

/// Expects a fault at the line marked "// here".
std::string expect_fault(Gpu& gpu, const std::string& ptx, Extent grid, Extent block, std::vector<std::byte> with,
                         LaunchOptions options = {}) {
    if (options.timeout.count() == 0) options.timeout = std::chrono::seconds(60);
    const auto r = gpu.try_launch(ptx, grid, block, std::move(with), options);
    if (r.ok()) {
        ADD_FAILURE() << "no fault in\n" << ptx;
        return "";
    }
    EXPECT_EQ(r.error().kind, ErrorKind::fault) << r.error().text();
    EXPECT_EQ(r.error().where.file, "test.ptx") << r.error().text();
    EXPECT_EQ(r.error().where.line, line_of(ptx, "// here")) << r.error().text();
    return r.error().what;
}

/// The access `what` on buffer element tid, in 2 warps, of which the last thread is one element out of bounds.
std::string one_past(const std::string& access, bool by_irregular_index = false) {
    Gpu gpu;
    auto before = gpu.buffer(std::vector<std::uint32_t>(64)), a = gpu.buffer(std::vector<std::uint32_t>(63)),
         after = gpu.buffer(std::vector<std::uint32_t>(64));
    (void)before, (void)after;
    const auto what =
        expect_fault(gpu,
                     module("u64 a", index_into("a") +
                                         (by_irregular_index ? "mul.lo.u32 %r9, %r2, %r2; sub.u32 %r9, %r9, 3906; "
                                                               "mul.wide.s32 %rd2, %r9, 4; add.s64 %rd2, %rd1, %rd2;\n"
                                                               "setp.ne.u32 %p1, %r2, 63; @%p1 bra END;\n"
                                                             : "") +
                                         access + " // here\nEND:"),
                     {1}, {64}, parameters(a));
    EXPECT_THAT(what, HasSubstr("thread (63,0,0) of block (0,0,0)"));
    EXPECT_THAT(what, HasSubstr("allocation of 252")) << what;
    return what;
}

TEST(Faults, GlobalOneElementPast) {
    EXPECT_THAT(one_past("ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r5;"),
                HasSubstr("out-of-bounds global load of 4 bytes"));
    EXPECT_THAT(one_past("st.global.u32 [%rd2], 1;"), HasSubstr("out-of-bounds global store of 4 bytes"));
    EXPECT_THAT(one_past("red.global.add.u32 [%rd2], 1;"), HasSubstr("out-of-bounds global atomic of 4 bytes"));
    EXPECT_THAT(one_past("st.global.u32 [%rd2], 1;", true), HasSubstr("out-of-bounds global store of 4 bytes"));
}

TEST(Faults, GlobalOneElementBefore) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(64));
    EXPECT_THAT(
        expect_fault(
            gpu, module("u64 a", index_into("a") + "ld.global.u32 %r5, [%rd2+-4]; // here\nst.global.u32 [%rd2], %r5;"),
            {1}, {64}, parameters(a)),
        HasSubstr("thread (0,0,0) of block (0,0,0)"));
}

TEST(Faults, PartOfAWideAccess) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(6));
    EXPECT_THAT(
        expect_fault(
            gpu,
            module("u64 a", "ld.param.u64 %rd1, [a];\nst.global.v4.u32 [%rd1+16], {%r1, %r1, %r1, %r1}; // here\n"),
            {1}, {1}, parameters(a)),
        HasSubstr("16 bytes"));
}

TEST(Faults, SharedOneElementPast) {
    for (const auto* access :
         {"ld.shared.u32 %r7, [%r6];", "st.shared.u32 [%r6], 1;", "atom.shared.add.u32 %r7, [%r6], 1;"}) {
        Gpu gpu;
        auto out = gpu.buffer(std::vector<std::uint32_t>(64));
        const auto what = expect_fault(
            gpu,
            module("u64 out", ".shared .align 4 .b8 s[124];\n" + index_into("out") +
                                  "mov.u32 %r5, s; shl.b32 %r6, %r2, 2; add.u32 %r6, %r5, %r6; mov.u32 %r7, 0;\n" +
                                  access + " // here\nst.global.u32 [%rd2], %r7;"),
            {1}, {32}, parameters(out));
        EXPECT_THAT(what, HasSubstr("out-of-bounds shared")) << access;
        EXPECT_THAT(what, HasSubstr("124 bytes")) << access;
        EXPECT_THAT(what, HasSubstr("thread (31,0,0)")) << access;
    }
}

TEST(Faults, LocalOutOfBounds) {
    Gpu gpu;
    auto out = gpu.buffer(std::vector<std::uint32_t>(64));
    const auto what = expect_fault(gpu,
                                   module("u64 out", ".local .align 16 .b8 l[128];\n" + index_into("out") +
                                                         "mov.u64 %rd5, l; mul.wide.u32 %rd6, %r2, 4; add.s64 %rd5, "
                                                         "%rd5, %rd6;\nst.local.u32 [%rd5], 1; // here\n"),
                                   {1}, {33}, parameters(out));
    EXPECT_THAT(what, HasSubstr("out-of-bounds local store"));
    EXPECT_THAT(what, HasSubstr("thread (32,0,0)"));
}

TEST(Faults, NullMisalignedAndFreed) {
    Gpu gpu;
    const auto store = module("u64 a", "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], 1; // here\n");
    EXPECT_THAT(expect_fault(gpu, store, {1}, {32}, parameters(std::uint64_t{0})), HasSubstr("null pointer"));
    auto a = gpu.buffer(std::vector<std::uint32_t>(64)), next = gpu.buffer(std::vector<std::uint32_t>(64));
    EXPECT_NE(a, next);  // what is freed lies between what is not
    EXPECT_THAT(expect_fault(gpu, store, {1}, {32}, parameters(a + 2)),
                HasSubstr("misaligned global store of 4 bytes"));
    EXPECT_THAT(expect_fault(gpu,
                             module("u64 a",
                                    "ld.param.u64 %rd1, [a];\nld.global.v2.u32 {%r1, %r2}, [%rd1+4]; // "
                                    "here\nst.global.v2.u32 [%rd1], {%r1, %r2};"),
                             {1}, {32}, parameters(a)),
                HasSubstr("misaligned global load of 8 bytes"));
    EXPECT_TRUE(gpu.try_launch(store, {1}, {32}, parameters(a)).ok());
    ASSERT_TRUE(gpu.device->release(a).ok());
    EXPECT_THAT(expect_fault(gpu, store, {1}, {32}, parameters(a)), HasSubstr("out-of-bounds global store"));
    EXPECT_FALSE(gpu.device->release(a).ok());
    EXPECT_EQ(gpu.device->release(a).error().kind, ErrorKind::fault);
}

TEST(Faults, HostCopiesAreChecked) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(4));
    std::vector<std::byte> bytes(17);
    EXPECT_EQ(gpu.device->write(a, bytes).error().kind, ErrorKind::fault);
    EXPECT_EQ(gpu.device->read(bytes, a).error().kind, ErrorKind::fault);
    EXPECT_EQ(gpu.device->fill(a + 8, 0, 9).error().kind, ErrorKind::fault);
    EXPECT_TRUE(gpu.device->fill(a + 8, 0, 8).ok());
    EXPECT_EQ(gpu.device->allocate(std::uint64_t{1} << 50).error().kind, ErrorKind::limit);
}

TEST(Faults, TheDeviceGoesOnAfterOne) {
    Gpu gpu;
    auto a = gpu.buffer(std::vector<std::uint32_t>(32));
    const auto store = module("u64 a", index_into("a") + "st.global.u32 [%rd2], %r1;");
    EXPECT_FALSE(gpu.try_launch(store, {2}, {32}, parameters(a)).ok());
    EXPECT_TRUE(gpu.try_launch(store, {1}, {32}, parameters(a)).ok());
    EXPECT_EQ(gpu.read<std::uint32_t>(a, 32), iota(32));
}

TEST(Faults, DeadlocksAreNamed) {
    Gpu gpu;
    // Warp 1 waits at barrier 1 for 96 threads, of which only 64 exist.
    auto what = expect_fault(gpu, module("", "bar.sync 1, 96; // here\n"), {1}, {64}, {});
    EXPECT_THAT(what, HasSubstr("deadlock"));
    // Two halves at different barriers, each for the whole block.
    what = expect_fault(gpu,
                        module("",
                               "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n@%p1 bra LOW;\nbar.sync 2, "
                               "64;\nret;\nLOW:\nbar.sync 1, 64; // here\n"),
                        {1}, {64}, {});
    EXPECT_THAT(what, HasSubstr("deadlock"));
    // Both sides, with where the other is.
    EXPECT_THAT(what, HasSubstr("32 threads (lanes 0-31 of warp 0) of block (0,0,0) wait at bar.sync"));
    EXPECT_THAT(what, HasSubstr("32 threads (lanes 0-31 of warp 1) wait at bar.sync, test.ptx:"));
    // A shuffle that names a lane which has left by another barrier for it.
    what = expect_fault(gpu,
                        module("",
                               "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nbar.warp.sync "
                               "0xffff0000;\nbar.sync 1, 64;\nret;\nLOW:\nbar.sync 1, 64; // here\n"),
                        {1}, {32}, {}, {});
    EXPECT_THAT(what, HasSubstr("deadlock"));
}

TEST(Faults, Trap) {
    Gpu gpu;
    EXPECT_THAT(
        expect_fault(gpu,
                     module("", "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra END;\ntrap; // here\nEND:"),
                     {5}, {32}, {}),
        HasSubstr("of block (3,0,0)"));
}

TEST(Faults, EndlessRecursion) {
    Gpu gpu;
    const auto r = gpu.try_launch(
        kHeader +
            ".func down(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\nadd.u32 %r1, %r1, 1;\n"
            "{ .param .b32 a; st.param.b32 [a], %r1; call.uni down, (a); }\nret;\n}\n" +
            kernel("", "{ .param .b32 a; st.param.b32 [a], 0; call.uni down, (a); }\n"),
        {1}, {32}, {});
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::fault);
    EXPECT_THAT(r.error().what, HasSubstr("recursion"));
    EXPECT_EQ(r.error().where.file, "test.ptx");
    EXPECT_GT(r.error().where.line, 0u);
}

TEST(Faults, TimeoutNamesTheLoop) {
    Gpu gpu(2);
    auto flag = gpu.buffer(std::vector<std::uint32_t>(1));
    LaunchOptions options;
    options.timeout = std::chrono::seconds(1);
    const auto ptx = module("u64 flag",
                            "ld.param.u64 %rd1, [flag];\nWAIT:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, "
                            "%r1, 0;\n@%p1 bra WAIT;\n");
    for (const Extent grid : {Extent{1}, Extent{9}}) {
        const auto r = gpu.try_launch(ptx, grid, {64}, parameters(flag), options);
        ASSERT_FALSE(r.ok());
        EXPECT_EQ(r.error().kind, ErrorKind::fault);
        EXPECT_THAT(r.error().what, HasSubstr("did not end in time"));
        EXPECT_EQ(r.error().where.file, "test.ptx");
    }
    const auto busy = gpu.try_launch(
        module("", "WAIT:\nadd.u32 %r1, %r1, 2;\nsetp.ne.u32 %p1, %r1, 1;\n@%p1 bra WAIT;\n"), {1}, {32}, {}, options);
    ASSERT_FALSE(busy.ok());
    EXPECT_THAT(busy.error().what, HasSubstr("did not end in time"));
    // What nothing leaves is told at once, whatever the limit.
    const auto never = gpu.try_launch(module("", "WAIT:\nadd.u32 %r1, %r1, 1;\nbra WAIT;\n"), {1}, {32}, {});
    ASSERT_FALSE(never.ok());
    EXPECT_THAT(never.error().what, HasSubstr("endless loop: nothing leaves it"));
    EXPECT_EQ(never.error().where.file, "test.ptx");
}

TEST(Launches, OverTheLimits) {
    Gpu gpu;
    const auto empty = module("", "");
    auto kind = [&](Extent grid, Extent block, std::uint64_t shared = 0) {
        auto r = gpu.try_launch(empty, grid, block, {}, {}, shared);
        return r.ok() ? std::string("ok")
                      : (r.error().kind == ErrorKind::limit   ? "limit: "
                         : r.error().kind == ErrorKind::usage ? "usage: "
                                                              : "other: ") +
                            r.error().what;
    };
    EXPECT_EQ(kind({1}, {1024}), "ok");
    EXPECT_THAT(kind({1}, {1025}), HasSubstr("limit: launch of 'k': block.x is 1025, the device allows 1024"));
    EXPECT_THAT(kind({1}, {32, 33}), HasSubstr("limit: launch of 'k': threads per block is 1056"));
    EXPECT_THAT(kind({1}, {1, 1, 65}), HasSubstr("limit: "));
    EXPECT_THAT(kind({1, 65536}, {1}), HasSubstr("limit: "));
    EXPECT_EQ(kind({1}, {32}, 227 * 1024), "ok");
    EXPECT_THAT(kind({1}, {32}, 227 * 1024 + 1), HasSubstr("limit: "));
    for (const Extent none : {Extent{0}, Extent{1, 0}, Extent{1, 1, 0}}) {
        EXPECT_THAT(kind(none, {32}), HasSubstr("usage: launch of 'k': the grid has a dimension of 0"));
        EXPECT_THAT(kind({1}, none), HasSubstr("usage: launch of 'k': the block has a dimension of 0"));
    }
    const auto required = kHeader + ".visible .entry k()\n.reqntid 64, 2\n{\nret;\n}\n";
    EXPECT_TRUE(gpu.try_launch(required, {1}, {64, 2}, {}).ok());
    EXPECT_EQ(gpu.try_launch(required, {1}, {128}, {}).error().kind, ErrorKind::limit);
    const auto most = kHeader + ".visible .entry k()\n.maxntid 96\n{\nret;\n}\n";
    EXPECT_TRUE(gpu.try_launch(most, {1}, {96}, {}).ok());
    EXPECT_EQ(gpu.try_launch(most, {1}, {97}, {}).error().kind, ErrorKind::limit);
}

TEST(Launches, WrongKernelOrParameters) {
    Gpu gpu;
    const auto two = kHeader + kernel("u64 a, u32 n", "", "first") + kernel("", "", "second");
    auto r = gpu.try_launch(two, {1}, {1}, {}, {}, 0, "third");
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::input);
    EXPECT_THAT(r.error().text(), HasSubstr("first, second"));
    EXPECT_THAT(r.error().text(), HasSubstr("third"));
    r = gpu.try_launch(two, {1}, {1}, parameters(std::uint64_t{0}), {}, 0, "first");
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::usage);
    EXPECT_THAT(r.error().what, HasSubstr("takes 12 bytes"));
    EXPECT_TRUE(gpu.try_launch(two, {1}, {1}, parameters(std::uint64_t{0}, 1u), {}, 0, "first").ok());
}

TEST(Launches, UnsupportedInstructionIsNamedAndTheOtherKernelsRun) {
    Gpu gpu;
    const auto text =
        kHeader +
        kernel("",
               "mov.u64 %rd1, 0;\ntex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1, %r1, %r1}]; // here\n",
               "bad") +
        kernel("", "", "good");
    const auto& ptx = text;
    const auto r = gpu.try_launch(ptx, {1}, {1}, {}, {}, 0, "bad");
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().kind, ErrorKind::input) << r.error().text();
    EXPECT_EQ(r.error().where.line, line_of(ptx, "// here")) << r.error().text();
    EXPECT_THAT(r.error().what, HasSubstr("tex.2dms"));
    const auto unknown = module("", "mov.u32 %r1, 0;\nfrobnicate.u32 %r1, %r1; // here\n");
    const auto u = gpu.device->load("test.ptx", unknown);
    ASSERT_FALSE(u.ok());
    EXPECT_EQ(u.error().kind, ErrorKind::input);
    EXPECT_EQ(u.error().where.line, line_of(unknown, "// here"));
    EXPECT_THAT(u.error().what, HasSubstr("frobnicate"));
}

}  // namespace faults_test
