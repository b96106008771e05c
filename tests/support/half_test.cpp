#include "support/half.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace warpwright {
namespace half_test {

TEST(Half, ValuesAreThoseOfTheFormat) {
    EXPECT_EQ(half_value(0x3c00), 1.0);
    EXPECT_EQ(half_value(0xc100), -2.5);
    EXPECT_EQ(half_value(0x7bff), 65504.0);
    EXPECT_EQ(half_value(0x0400), 0x1p-14);
    EXPECT_EQ(half_value(0x0001), 0x1p-24);
    EXPECT_EQ(half_value(0x83ff), -1023 * 0x1p-24);
    EXPECT_EQ(half_value(0x7c00), std::numeric_limits<double>::infinity());
    EXPECT_EQ(half_value(0xfc00), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(half_value(0x8000)), std::uint64_t{1} << 63);
}

TEST(Half, ValuesRiseWithTheirBits) {
    for (std::uint16_t bits = 1; bits < 0x7bff; ++bits) {
        ASSERT_LT(half_value(bits - 1), half_value(bits)) << bits;
        ASSERT_EQ(half_value(bits | 0x8000), -half_value(bits)) << bits;
    }
}

// As the processors convert them.
TEST(Half, NaNsKeepTheirPayloadAndAreQuiet) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(half_value(0x7e00)), 0x7ff8000000000000u);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(half_value(0xfc01)), 0xfff8040000000000u);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(half_value(0x7fff)), 0x7ffffc0000000000u);
}

}  // namespace half_test
}  // namespace warpwright
