// A sum of times does not depend on their order.
#include "support/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace exact_sum_test {

using warpwright::support::ExactSum;

TEST(ExactSum, IsTheSameInAnyOrder) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-9, 3);
    std::vector<double> terms(1000);
    for (double& t : terms) t = std::pow(10.0, exponent(random));
    double plain = 0;
    bool differs = false;
    ExactSum first;
    for (const double t : terms) first += t, plain += t;
    for (int k = 0; k < 20; ++k) {
        std::shuffle(terms.begin(), terms.end(), random);
        ExactSum sum;
        double again = 0;
        for (const double t : terms) sum += t, again += t;
        EXPECT_EQ(double(sum), double(first));
        differs |= again != plain;
    }
    EXPECT_TRUE(differs) << "numbers of this kind have sums that depend on the order";
    EXPECT_NEAR(first, plain, 1e-12 * plain);
}

TEST(ExactSum, IsExact) {
    ExactSum sum = 1e9;
    sum += 0x1p-30;
    sum += -1e9;
    EXPECT_EQ(double(sum), 0x1p-30);
    EXPECT_EQ(double(ExactSum()), 0);
}

}  // namespace exact_sum_test
