// Arrays by the text of a line.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "predict/array_on_line.hpp"

namespace warpwright::predict {
namespace array_on_line_test {

using Names = std::vector<std::string>;

TEST(ArrayOnLine, sides_of_an_assignment) {
    EXPECT_EQ(arrays_on_line("  out[j * n + i] = tile[threadIdx.x][k];", true), Names{"out"});
    EXPECT_EQ(arrays_on_line("  out[j * n + i] = tile[threadIdx.x][k];", false), Names{"tile"});
    EXPECT_EQ(arrays_on_line("sum += a[i * n + k];", false), Names{"a"});
    EXPECT_EQ(arrays_on_line("p[i].x += dt;", false), Names{"p"}) << "what += stores it also reads";
    EXPECT_EQ(arrays_on_line("for (int k = 0; k < n; k++) s = s + row[k];", false), Names{"row"});
    EXPECT_EQ(arrays_on_line("if (a[i] == 1) return;", false), Names{"a"});
    EXPECT_EQ(arrays_on_line("if (a[i] > 0) b[i] = 1;", false), Names{"a"}) << "the condition reads";
    EXPECT_EQ(arrays_on_line("b[i] = 1;", false), Names{});
}

TEST(ArrayOnLine, several_or_none) {
    EXPECT_EQ(arrays_on_line("c[i] = a[i] + b[i] * a[i + 1];", false), (Names{"a", "b"}));
    EXPECT_EQ(arrays_on_line("c[i] = a[i] + b[i];", true), Names{"c"});
    EXPECT_EQ(arrays_on_line("x = sinf(y); // a[i]", false), Names{});
    EXPECT_EQ(arrays_on_line("", true), Names{});
}

TEST(ArrayOnLine, an_atomic_function_changes_its_first_argument) {
    EXPECT_EQ(array_of_atomic("atomicAdd(&bins[in[i] & 63], 1);"), "bins");
    EXPECT_EQ(array_of_atomic("atomicAdd(out, in[i] * in[n + i]);"), "out");
    EXPECT_EQ(array_of_atomic("if (in[i] > 0.5f) old = atomicMax( (int*)&box->top, v);"), "box");
    EXPECT_EQ(array_of_atomic("x = atomic[i];  // atomicAdd(y, 1)"), "");
}

TEST(ArrayOnLine, an_atomic_function_changes_what_is_cast) {
    EXPECT_EQ(array_of_atomic("atomicAdd((unsigned long long int*)sum, 1ull);"), "sum");
    EXPECT_EQ(array_of_atomic("atomicMin(reinterpret_cast<int*>(&best[i]), v);"), "best");
    EXPECT_EQ(array_of_atomic("atomicAdd(&(cells[i].count), 1);"), "cells");
    EXPECT_EQ(array_of_atomic("atomicAdd(&((*box).top), 1);"), "box");
    EXPECT_EQ(array_of_atomic("atomicAdd(&this->total[k], 1);"), "total");
    EXPECT_EQ(array_of_atomic("atomicAdd((bins) + i, 1);"), "bins");
}

TEST(ArrayOnLine, an_atomic_function_may_change_what_no_name_tells) {
    EXPECT_EQ(array_of_atomic("atomicAdd(i < n ? &a[i] : &b[i], 1);"), "") << "one of two";
    EXPECT_EQ(array_of_atomic("atomicAdd((i & 1 ? a : b) + k, 1);"), "");
    EXPECT_EQ(array_of_atomic("atomicAdd(place(a, i), 1);"), "") << "a function's";
    EXPECT_EQ(array_of_atomic("atomicAdd("), "") << "the next line has it";
    EXPECT_EQ(array_of_atomic("atomicAdd((("), "");
    EXPECT_EQ(array_of_atomic("atomicAdd(reinterpret_cast<int*>"), "");
    EXPECT_EQ(array_of_atomic("atomicAdd(a[i ? 0 : 1], 1);"), "");
}

TEST(ArrayOnLine, names_in_shared_memory) {
    std::set<std::string> names;
    add_shared_names("    __shared__ float as[32][32], bs[32][33];", names);
    add_shared_names("    extern __shared__ float4 own[];", names);
    add_shared_names("    __shared__ int length;", names);
    add_shared_names("    float other[4];  // __shared__ no[1]", names);
    EXPECT_EQ(names, (std::set<std::string>{"as", "bs", "own", "length"}));
}

TEST(ArrayOnLine, branches_with_their_conditions) {
    EXPECT_EQ(branch_on_line("    if ((x + y) % 2 == 0) out[i] = f(in[i]);"), "if ((x + y) % 2 == 0)");
    EXPECT_EQ(branch_on_line("} else if (k < n) {"), "if (k < n)");
    EXPECT_EQ(branch_on_line("for (int k = 0; k < n; ++k)"), "for (int k = 0; k < n; ++k)");
    EXPECT_EQ(branch_on_line("v = notif(a) + 1;  // if (a)"), "");
    EXPECT_TRUE(branch_on_line("while (" + std::string(200, 'x') + ")").ends_with("x ..."));
    EXPECT_EQ(branch_on_line("for (int k = 0; k < 8; ++k) if (a[k] > x) ++n;"), "") << "one of two";
    EXPECT_EQ(branch_on_line("if ("), "if ( ...");
    // A character of two bytes lies on the 60th byte.
    EXPECT_EQ(branch_on_line("if (" + std::string(58, 'x') + "\xc3\xa9 == 1)"), "if (" + std::string(58, 'x') + " ...");
}

TEST(ArrayOnLine, exact_functions_are_known_by_their_names) {
    EXPECT_EQ(calls_of_math("x = sinf(x) + __expf(-x);"), 1);
    EXPECT_EQ(calls_of_math("y = pow (a, 0.3) * sinf(a);"), 2);
    EXPECT_EQ(calls_of_math("x = __sinf(x) + rsqrtf(y); // sinf(x)"), 0);
    EXPECT_EQ(calls_of_math("float explain(int log);"), 0);
}

}  // namespace array_on_line_test
}  // namespace warpwright::predict
