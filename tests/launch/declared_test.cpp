// What a kernel's source declares its parameters to be, and which arrays fit them.
#include "launch/declared.hpp"

#include <gtest/gtest.h>

namespace warpwright::launch {
namespace declared_test {

using Sizes = std::vector<unsigned>;

TEST(Declared, ALinkageNameHasTheTypes) {
    // saxpy(float, float const*, double*, unsigned int)
    const auto d = declared_parameters("_Z5saxpyfPKfPdj", 4);
    ASSERT_EQ(d.size(), 4u);
    EXPECT_EQ(d[1].type, "const float*");
    EXPECT_EQ(d[0].element_bytes, Sizes{});
    EXPECT_EQ(d[1].element_bytes, Sizes{4});
    EXPECT_EQ(d[2].element_bytes, Sizes{8});
    EXPECT_EQ(d[3].element_bytes, Sizes{});
    EXPECT_EQ(elements_wanted(d[1]), "the parameter is const float*, whose elements have 4 bytes");
    EXPECT_EQ(element_to_pass(d[1]), "f32");
    EXPECT_EQ(element_to_pass(d[2]), "f64");
}

TEST(Declared, ATemplateHasThoseOfItsInstance) {
    // void fill<short>(short*, short)
    const auto d =
        declared_parameters("_Z4fillIsEvPT_S0_", 2, "template <class T> __global__ void fill(T* out, T v) {}");
    EXPECT_EQ(d[0].type, "short*");
    EXPECT_EQ(d[0].name, "out");
    EXPECT_EQ(d[0].element_bytes, Sizes{2});
    EXPECT_EQ(element_to_pass(d[0]), "i16");
}

TEST(Declared, CHasThemInItsSource) {
    const char* source =
        "extern \"C\" __global__ void scale(const float* __restrict__ x, // one, two\n"
        "    unsigned long long* sums, char *raw, void* any, int n) { scale_one(x, n); }";
    const auto d = declared_parameters("scale", 5, source);
    EXPECT_EQ(d[0].name, "x");
    EXPECT_EQ(elements_wanted(d[0]), "'x' is const float*, whose elements have 4 bytes");
    EXPECT_EQ(d[1].element_bytes, Sizes{8});
    EXPECT_EQ(element_to_pass(d[1]), "u64");
    EXPECT_EQ(d[2].element_bytes, Sizes{}) << "bytes are raw memory";
    EXPECT_EQ(d[3].element_bytes, Sizes{});
    EXPECT_EQ(d[4].name, "n");
}

TEST(Declared, OpenCLHasThemToo) {
    const auto d =
        declared_parameters("sum", 2, "__kernel void sum(__global const float4* in, __local float* part) {}");
    EXPECT_EQ(d[0].element_bytes, (Sizes{4, 16}));
    EXPECT_TRUE(takes_elements(d[0], 4));
    EXPECT_FALSE(takes_elements(d[0], 8));
}

TEST(Declared, WhatIsNotPlainIsUnknown) {
    const auto any = [](const std::string& name, std::size_t count, const char* source) {
        for (const Declared& d : declared_parameters(name, count, source))
            if (!d.element_bytes.empty()) return false;
        return true;
    };
    EXPECT_TRUE(any("f", 1, ""));
    EXPECT_TRUE(any("f", 1, "extern \"C\" __global__ void f(thing* x) {}"));
    EXPECT_TRUE(any("f", 1, "extern \"C\" __global__ void f(float** x) {}"));
    EXPECT_TRUE(any("f", 1, "extern \"C\" __global__ void f(float* x, int n) {}")) << "another number of them";
    EXPECT_TRUE(any("f", 1, "void f(float* x) {} "));
    EXPECT_TRUE(any("f", 1,
                    "#if A\nextern \"C\" __global__ void f(float* x) {}\n#else\n"
                    "extern \"C\" __global__ void f(double* x) {}\n#endif"))
        << "which of the two is compiled is not known";
}

TEST(Declared, BytesFitEveryPointer) {
    const auto d = declared_parameters("_Z1fPf", 1);
    EXPECT_TRUE(takes_elements(d[0], 1));
    EXPECT_TRUE(takes_elements(d[0], 4));
    EXPECT_FALSE(takes_elements(d[0], 8));
    EXPECT_FALSE(takes_elements(d[0], 2));
}

}  // namespace declared_test
}  // namespace warpwright::launch
