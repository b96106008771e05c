// Calls in this very program: on which line they stand, and whether their results are looked at.
#include <execinfo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <span>

#include "debuginfo/host_code.hpp"

namespace host_code_test {

using warpwright::debuginfo::result_is_read;

bool was_read;
volatile int sink;

/// Answers 7, and whether its caller looks at that.
__attribute__((noinline)) int seven() {
    void* stack[32];
    const int n = ::backtrace(stack, 32);
    was_read = result_is_read(std::span<void* const>(stack + 1, static_cast<std::size_t>(n - 1)));
    return 7;
}
__attribute__((noinline)) void another() { sink = sink + 1; }

__attribute__((noinline)) void drops() {
    seven();
    another();
}
__attribute__((noinline)) int drops_and_answers(int x) {
    seven();
    return x + 1;
}
__attribute__((noinline)) void drops_last() {
    seven();
    asm volatile("");
}
__attribute__((noinline)) void drops_before_branches(int x) {
    seven();
    if (x > 3) another();
    for (int k = 0; k < x; ++k) sink = k;
}
__attribute__((noinline)) bool tests() { return seven() == 0; }
__attribute__((noinline)) int stores() {
    const int x = seven();
    another();
    return x;
}
__attribute__((noinline)) void tests_on_one_way(int x) {
    const int e = seven();
    if (x > 3 && e) another();
}
__attribute__((noinline)) int hands_on() {
    const int e = seven();
    asm volatile("");
    return e;
}
__attribute__((noinline)) void caller_tests() {
    if (hands_on()) another();
}
__attribute__((noinline)) void caller_drops() {
    hands_on();
    another();
}
__attribute__((noinline)) void switches() {
    switch (seven()) {
        case 0:
            sink = 4;
            break;
        case 1:
            another();
            break;
        case 2:
            sink = 9;
            break;
        case 7:
            sink = 2;
            break;
        case 8:
            sink = 3;
            break;
        default:
            break;
    }
}

// On AArch64 the register of a result is also that of the next call's first argument.
__attribute__((noinline)) void takes(int x) { sink = x; }
__attribute__((noinline)) void hands_to_another() {
    takes(seven());
    another();
}
__attribute__((noinline)) void hands_to_the_systems() {
    sink = ::toupper(seven());
    another();
}
__attribute__((noinline)) void drops_before_the_systems() {
    seven();
    sink = ::getppid();
}

#if defined(__x86_64__)
// A compiler that knows a function of the same file to leave the register as it is keeps a result there (GCC's
// -fipa-ra): how it then calls.
extern "C" int ww_test_seven() {
    const int x = seven();
    asm volatile("");
    return x;
}
extern "C" int ww_test_keeps_it();
extern "C" int ww_test_drops_it();
asm(R"(.text
leaves_it:
    nop
    ret
.globl ww_test_keeps_it
ww_test_keeps_it:
    .cfi_startproc
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call ww_test_seven
    call leaves_it
    test %eax, %eax
    setne %al
    movzbl %al, %eax
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
.globl ww_test_drops_it
ww_test_drops_it:
    .cfi_startproc
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call ww_test_seven
    call leaves_it
    mov $3, %eax
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
)");
#endif

template <class F>
bool looked(F f) {
    was_read = false;
    f();
    return was_read;
}

TEST(HostCode, ResultsThatAreLookedAt) {
    EXPECT_TRUE(looked([] { sink = tests(); }));
    EXPECT_TRUE(looked([] { sink = stores(); }));
    EXPECT_TRUE(looked([] { tests_on_one_way(2); }));
    EXPECT_TRUE(looked([] { tests_on_one_way(4); }));
    EXPECT_TRUE(looked([] { caller_tests(); }));
    EXPECT_TRUE(looked([] { switches(); }));
    EXPECT_TRUE(looked([] { hands_to_another(); }));
    EXPECT_TRUE(looked([] { hands_to_the_systems(); }));
}

TEST(HostCode, ResultsThatAreDropped) {
    EXPECT_FALSE(looked([] { drops(); }));
    EXPECT_FALSE(looked([] { sink = drops_and_answers(3); }));
    EXPECT_FALSE(looked([] { drops_last(), another(); }));
    EXPECT_FALSE(looked([] { drops_before_branches(5), another(); }));
    EXPECT_FALSE(looked([] { caller_drops(); }));
    EXPECT_FALSE(looked([] { drops_before_the_systems(); }));
}

#if defined(__x86_64__)
TEST(HostCode, ACalleeMayLeaveTheResult) {
    EXPECT_TRUE(looked([] { sink = ww_test_keeps_it(); }));
    EXPECT_FALSE(looked([] { sink = ww_test_drops_it(); }));
}
#endif

TEST(HostCode, NothingIsSaidWithoutACaller) { EXPECT_TRUE(result_is_read({})); }

TEST(HostCode, NamesOfFunctions) {
    void* here[4];
    ASSERT_GT(::backtrace(here, 4), 0);
    const auto places = warpwright::debuginfo::host_places(here[0]);
    ASSERT_FALSE(places.empty());
    EXPECT_THAT(places[0].function, testing::HasSubstr("NamesOfFunctions"));
    EXPECT_TRUE(warpwright::debuginfo::host_places(nullptr).empty());
}

}  // namespace host_code_test
