// Nouns that are counted, in messages of English alone.
#include "text/counted.hpp"

#include <gtest/gtest.h>

namespace warpwright {
namespace counted_test {

TEST(Counted, one_is_singular) {
    EXPECT_EQ(counted(1, "requests"), "1 request");
    EXPECT_EQ(counted(0, "requests"), "0 requests");
    EXPECT_EQ(counted(1024, "launches"), "1,024 launches");
    EXPECT_EQ(counted(1, "branches"), "1 branch");
    EXPECT_EQ(counted(1, "accesses"), "1 access");
    EXPECT_EQ(noun_of(2, "bytes"), "bytes");
}

}  // namespace counted_test
}  // namespace warpwright
