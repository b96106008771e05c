// Names of functions as people write them.
#include "support/demangle.hpp"

#include <gtest/gtest.h>

namespace warpwright {
namespace demangle_test {

TEST(Demangle, FunctionsWithTheirParameters) {
    EXPECT_EQ(demangle("_Z5scalePfi"), "scale(float*, int)");
    // A static kernel of a file among several.
    EXPECT_EQ(demangle("_ZL5scalePfi__intern__762a4bbc2a40415d"), "scale(float*, int)");
    EXPECT_EQ(demangle("scale__static__762a4bbc2a40415d"), "scale");
    EXPECT_EQ(demangle("_ZL3ownPi__intern__8a75049dd100df5"), "own(int*)");
    EXPECT_EQ(demangle("scale__intern__762a4bbc2a40415d1"), "scale__intern__762a4bbc2a40415d1");
    EXPECT_EQ(demangle("scale__intern__"), "scale__intern__");
    EXPECT_EQ(demangle("_ZN3app4fillILi16EEEvPf"), "void app::fill<16>(float*)");
}

TEST(Demangle, TagsOfTheAbiAreLeftOut) { EXPECT_EQ(demangle("_ZN8__main__3addB2v1B3cw5Ei"), "__main__::add(int)"); }

TEST(Demangle, OtherNamesComeBackAsTheyAre) {
    for (const char* name : {"scale", "", "f", "x", "kernel$1"}) EXPECT_EQ(demangle(name), name);
}

}  // namespace demangle_test
}  // namespace warpwright
