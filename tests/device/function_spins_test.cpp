// Threads that wait for each other through memory inside functions that are called for real (by pointer, recursively).
#include "support.hpp"

namespace function_spins_test {

using namespace device_tests;

/// A function called by pointer, so that it is not inlined: f(address, number).
std::string with_function(const std::string& function, const std::string& body) {
    return kHeader + ".func f(.param .b64 a, .param .b32 n)\n{\n" + kRegisters +
           "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n];\n" + function + "\nret;\n}\n" +
           kernel("u64 a",
                  "P: .callprototype _ (.param .b64 _, .param .b32 _);\nld.param.u64 %rd1, [a]; mov.u32 %r2, %tid.x; "
                  "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
                  "mad.lo.u32 %r5, %r3, %r4, %r2; mov.u64 %rd9, f;\n" +
                      body);
}
std::string call_with(const std::string& number) {
    return "{ .param .b64 p; .param .b32 q; st.param.b64 [p], %rd1; st.param.b32 [q], " + number +
           "; call %rd9, (p, q), P; }\n";
}

/// Waits until [a] is n, then writes n - 1 there and adds to the sum behind it.
const std::string kPassDown = R"(
WAIT:
ld.volatile.global.u32 %r2, [%rd1];
setp.ne.u32 %p1, %r2, %r1;
@%p1 bra WAIT;
ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, %r1; st.volatile.global.u32 [%rd1+4], %r3;
membar.gl;
sub.u32 %r4, %r1, 1; st.volatile.global.u32 [%rd1], %r4;
)";

TEST(FunctionSpins, LanesOfAWarpPassAToken) {
    // From the last lane down: every lane but one waits for a lane that comes after it.
    for (const unsigned threads : {2u, 32u, 80u})
        for (const unsigned workers : {1u, 3u}) {
            Gpu gpu(workers);
            const unsigned all = 2 * threads;
            auto state = gpu.buffer(std::vector<std::uint32_t>{all - 1, 0});
            gpu.launch(with_function(kPassDown, call_with("%r5")), {2}, {threads}, parameters(state));
            EXPECT_EQ(gpu.read<std::uint32_t>(state, 2)[1], all * (all - 1) / 2) << threads;
        }
}

TEST(FunctionSpins, LocksTakenInAFunction) {
    Gpu gpu(2);
    auto state = gpu.buffer(std::vector<std::uint32_t>(2));
    gpu.launch(with_function(R"(
TRY:
atom.global.cas.b32 %r2, [%rd1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra TRY;
ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, %r1; st.volatile.global.u32 [%rd1+4], %r3;
membar.gl;
atom.global.exch.b32 %r4, [%rd1], 0;)",
                             call_with("3") + call_with("%r5")),
               {3}, {48}, parameters(state));
    EXPECT_EQ(gpu.read<std::uint32_t>(state, 2), (std::vector<std::uint32_t>{0, 3 * 144 + 144 * 143 / 2}));
}

TEST(FunctionSpins, InsideRecursion) {
    // Each lane goes as deep as its number before it waits; the token comes down from the deepest.
    Gpu gpu;
    auto state = gpu.buffer(std::vector<std::uint32_t>{31, 0});
    gpu.launch(kHeader + ".func f(.param .b64 a, .param .b32 n, .param .b32 left)\n{\n" + kRegisters + R"(
ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.param.u32 %r8, [left];
setp.eq.u32 %p2, %r8, 0; @%p2 bra HERE;
sub.u32 %r9, %r8, 1;
{ .param .b64 p; .param .b32 q; .param .b32 r; st.param.b64 [p], %rd1; st.param.b32 [q], %r1; st.param.b32 [r], %r9; call f, (p, q, r); }
ret;
HERE:)" + kPassDown +
                   "ret;\n}\n" + kernel("u64 a", R"(
ld.param.u64 %rd1, [a]; mov.u32 %r2, %tid.x; mov.u32 %r3, 4;
{ .param .b64 p; .param .b32 q; .param .b32 r; st.param.b64 [p], %rd1; st.param.b32 [q], %r2; st.param.b32 [r], %r3; call f, (p, q, r); })"),
               {1}, {32}, parameters(state));
    EXPECT_EQ(gpu.read<std::uint32_t>(state, 2)[1], 31u * 32 / 2);
}

TEST(FunctionSpins, BlocksWaitForEachOther) {
    // More blocks than host threads, each of which waits for one with a higher number.
    Gpu gpu(2);
    auto state = gpu.buffer(std::vector<std::uint32_t>{24, 0});
    gpu.launch(with_function(kPassDown, "setp.ne.u32 %p3, %r2, 0; @%p3 bra END;\nadd.u32 %r3, %r3, 1;\n" +
                                            call_with("%r3") + "END:\nbar.sync 0;\n"),
               {24}, {64}, parameters(state));
    EXPECT_EQ(gpu.read<std::uint32_t>(state, 2), (std::vector<std::uint32_t>{0, 24 * 25 / 2}));
}

TEST(FunctionSpins, EndlessOnesAreLocated) {
    LaunchOptions options;
    options.timeout = std::chrono::milliseconds(500);
    auto expect_located = [&](const std::string& text, Extent grid, Extent block) {
        Gpu gpu(2);
        auto state = gpu.buffer(std::vector<std::uint32_t>(2));
        auto r = gpu.try_launch(text, grid, block, parameters(state), options);
        // A warp whose turn ends before the load when the time is over has no line: seldom, and not twice in a row.
        for (int again = 0; again < 3 && !r.ok() && r.error().where.line == 0; ++again)
            r = gpu.try_launch(text, grid, block, parameters(state), options);
        ASSERT_FALSE(r.ok());
        EXPECT_EQ(r.error().kind, ErrorKind::fault);
        EXPECT_THAT(r.error().what, testing::HasSubstr("did not end in time"));
        EXPECT_EQ(r.error().where.file, "test.ptx");
        EXPECT_GE(r.error().where.line, line_of(text, "WAIT:")) << r.error().text();
        EXPECT_LE(r.error().where.line, line_of(text, "bra WAIT")) << r.error().text();
    };
    // Nobody ever writes what is waited for; and: the lane that would is waiting outside for the others to come back.
    const std::string wait = "WAIT:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\n";
    expect_located(with_function(wait, call_with("%r5")), {1}, {32});
    expect_located(with_function(wait, call_with("%r5")), {5}, {40});
    expect_located(with_function(wait, "setp.eq.u32 %p1, %r2, 31; @%p1 bra WRITE;\n" + call_with("%r5") +
                                           "ret;\nWRITE: st.volatile.global.u32 [%rd1], 1;"),
                   {1}, {32});
}

}  // namespace function_spins_test
