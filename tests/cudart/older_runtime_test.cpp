#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/process.hpp"

namespace warpwright {
namespace older_runtime_test {

using testing::HasSubstr;

// Functions whose parameters CUDA 13 changed report a kernel's fault, and a wrong argument, as all others do.
TEST(OlderRuntime, AProgramOfCuda12PassesItsOwnChecks) {
    const auto ran = compile::run_process({WARPWRIGHT_TEST_OLDER_RUNTIME});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
}

}  // namespace older_runtime_test
}  // namespace warpwright
