// The programs of these tests run without predicted times, which cost processor time; the tests that look at times set
// WARPWRIGHT_PREDICT themselves.
#include <cstdlib>

#include <gtest/gtest.h>

namespace {

class OwnSettings : public testing::Environment {
public:
    void SetUp() override { ::setenv("WARPWRIGHT_PREDICT", "off", 1); }
};

const auto* const own_settings = testing::AddGlobalTestEnvironment(new OwnSettings);

}  // namespace
