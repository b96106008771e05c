// Launches that did the same kind of work, and such as did not.
#include <gtest/gtest.h>

#include "record/alike.hpp"

namespace warpwright::record {
namespace alike_test {

Counts loads(std::uint64_t requests, std::uint64_t sectors) {
    Counts c;
    c[Count::global_load_requests] = requests, c[Count::global_load_sectors] = sectors;
    c[Count::instructions] = 100, c[Count::thread_instructions] = 3200;
    return c;
}

TEST(Alike, ratios_decide_and_not_how_much_was_done) {
    EXPECT_TRUE(alike(loads(100, 400), loads(700, 2800)));
    EXPECT_TRUE(alike(loads(100, 400), loads(100, 430)));
    EXPECT_FALSE(alike(loads(100, 400), loads(100, 500)));
    EXPECT_FALSE(alike(loads(100, 400), loads(0, 0)));
}

TEST(Alike, lanes_and_bank_conflicts_differ_too) {
    Counts few = loads(100, 400), conflicts = loads(100, 400), none = conflicts;
    few[Count::thread_instructions] = 1600;
    EXPECT_FALSE(alike(few, loads(100, 400)));
    none[Count::shared_load_requests] = conflicts[Count::shared_load_requests] = 10;
    none[Count::shared_load_wavefronts] = 10, conflicts[Count::shared_load_wavefronts] = 320;
    EXPECT_FALSE(alike(none, conflicts));
    EXPECT_TRUE(alike(none, none));
}

}  // namespace alike_test
}  // namespace warpwright::record
