// Arrays by the text of a line.
#include <gtest/gtest.h>

#include "predict/array_on_line.hpp"

namespace warpwright::predict {
namespace array_on_line_test {

TEST(ArrayOnLine, sides_of_an_assignment) {
    EXPECT_EQ(array_on_line("  out[j * n + i] = tile[threadIdx.x][k];", true), "out");
    EXPECT_EQ(array_on_line("  out[j * n + i] = tile[threadIdx.x][k];", false), "tile");
    EXPECT_EQ(array_on_line("sum += a[i * n + k];", false), "a");
    EXPECT_EQ(array_on_line("p[i].x += dt;", false), "p") << "what += stores it also reads";
    EXPECT_EQ(array_on_line("for (int k = 0; k < n; k++) s = s + row[k];", false), "row");
    EXPECT_EQ(array_on_line("if (a[i] == 1) return;", false), "a");
}

TEST(ArrayOnLine, several_or_none_are_not_named) {
    EXPECT_EQ(array_on_line("c[i] = a[i] + b[i];", false), "");
    EXPECT_EQ(array_on_line("c[i] = a[i] + b[i];", true), "c");
    EXPECT_EQ(array_on_line("x = sinf(y); // a[i]", false), "");
    EXPECT_EQ(array_on_line("", true), "");
}

TEST(ArrayOnLine, exact_functions_are_known_by_their_names) {
    EXPECT_EQ(calls_of_math("x = sinf(x) + __expf(-x);"), 1);
    EXPECT_EQ(calls_of_math("y = pow (a, 0.3) * sinf(a);"), 2);
    EXPECT_EQ(calls_of_math("x = __sinf(x) + rsqrtf(y); // sinf(x)"), 0);
    EXPECT_EQ(calls_of_math("float explain(int log);"), 0);
}

}  // namespace array_on_line_test
}  // namespace warpwright::predict
