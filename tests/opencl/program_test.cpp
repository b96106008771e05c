// A program of C, unmodified, under `run`: it checks its own results and every code that it gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef WARPWRIGHT_TEST_OPENCL_PROGRAM
    #include "compile/process.hpp"

namespace program_test {

using testing::HasSubstr;

TEST(OpenclProgram, RunsAndIsProfiled) {
    const auto ran = warpwright::compile::run_process({WARPWRIGHT_TEST_PROGRAM, "run", WARPWRIGHT_TEST_OPENCL_PROGRAM});
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("0 wrong"));
    EXPECT_THAT(ran->output, HasSubstr("item 120 of kernel 1.50"));
    EXPECT_THAT(ran->errors, HasSubstr("clEnqueueNDRangeKernel"));
    EXPECT_THAT(ran->errors, HasSubstr("twice"));
}

}  // namespace program_test
#endif
