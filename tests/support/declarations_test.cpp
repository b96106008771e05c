#include "support/declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpwright {
namespace declarations_test {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kText{
    "#define TILE 16",
    "constexpr int kRows = 8;",
    "__device__ float table[16], other[2];",
    "void scale(int wrong, int names);",
    "// __global__ void scale(float* not_this, int one)",
    "template <typename T, int N> __global__ void __launch_bounds__(256, 2)",
    "scale(const T* __restrict__ in, std::pair<int, T> both, T (*p), unsigned n = f(1, 2), int) {",
    "    __shared__ float s[kRows][TILE * 2 + 1], t[N];",
    "    __shared__ alignas(16) unsigned char bytes[64];",
    "    extern __shared__ T dynamic[];",
    "}",
    "__global__ void second() {",
    "    __shared__ double s[4];",
    "}",
};

TEST(ParameterNames, are_those_of_the_kernel_with_as_many_parameters) {
    EXPECT_THAT(parameter_names(kText, "scale", 5), ElementsAre("in", "both", "", "n", ""));
    EXPECT_THAT(parameter_names(kText, "scale", 2), IsEmpty());
    EXPECT_THAT(parameter_names(kText, "unknown", 2), IsEmpty());
    EXPECT_THAT(parameter_names({"__kernel void k(__global float *a, int n) {"}, "k", 2), ElementsAre("a", "n"));
    EXPECT_THAT(parameter_names({"__global__ void k(float *a"}, "k", 1), IsEmpty());
}

TEST(ArrayDeclaration, has_its_type_and_the_extents_that_are_known) {
    auto s = array_declaration(kText, "s", 9);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->text, "float s[kRows][TILE*2+1]");
    EXPECT_THAT(s->extents, ElementsAre(8u, 33u));
    EXPECT_EQ(s->line, 8u);
    // Of two arrays of one name, that of the kernel in which the access is.
    s = array_declaration(kText, "s", 14);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->text, "double s[4]");
    const auto t = array_declaration(kText, "t", 9);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->text, "float t[N]");
    EXPECT_THAT(t->extents, IsEmpty());
    EXPECT_EQ(t->dimensions, 1u);
    EXPECT_EQ(array_declaration(kText, "bytes", 9)->type, "unsigned char");
    EXPECT_EQ(array_declaration(kText, "dynamic", 11)->type, "T");
    EXPECT_EQ(array_declaration(kText, "other", 11)->text, "float other[2]");
    EXPECT_FALSE(array_declaration(kText, "in", 9));
}

TEST(ReturnsBefore, looks_at_the_kernels_own_body) {
    const std::vector<std::string> text{
        "int f() { return 1; }",
        "__global__ void k(int n) {",
        "    if (n) { __syncthreads(); }",
        "    if (n > 1) return;",
        "    __syncthreads();",
        "}",
        "__global__ void later();",
        "__global__ void later() { __syncthreads(); }  // no return",
    };
    EXPECT_EQ(returns_before(text, "k", 3), false);
    EXPECT_EQ(returns_before(text, "k", 5), true);
    EXPECT_EQ(returns_before(text, "k", 1), true);  // the barrier is in a function that it calls
    EXPECT_EQ(returns_before(text, "later", 8), false);
    EXPECT_EQ(returns_before(text, "f", 1), std::nullopt);
}

TEST(TypeBytes, of_what_people_and_the_demangler_write) {
    EXPECT_EQ(type_bytes("float"), 4u);
    EXPECT_EQ(type_bytes("unsigned long long"), 8u);
    EXPECT_EQ(type_bytes("double2 const"), 16u);
    EXPECT_EQ(type_bytes("const float *"), 8u);
    EXPECT_EQ(type_bytes("Particle"), 0u);
}

TEST(PointedType, follows_the_signature) {
    EXPECT_EQ(pointed_type("void g<float>(float*, double2 const*, int)", 1), "double2 const");
    EXPECT_EQ(pointed_type("k(int, std::map<int, float>*, char*)", 2), "char");
    EXPECT_EQ(pointed_type("k(int, char*)", 0), "");
    EXPECT_EQ(pointed_type("k(int, char*)", 2), "");
    EXPECT_EQ(pointed_type("k", 0), "");
    EXPECT_EQ(pointed_type(")", 0), "");
}

TEST(AllocatedVariable, is_the_first_argument) {
    EXPECT_EQ(allocated_variable("    cudaMalloc(&c, 64 * 16);", 5), "c");
    EXPECT_EQ(allocated_variable("CHECK(cudaMalloc((void **)&b, 256 * 4));", 1), "b");
    EXPECT_EQ(allocated_variable("cudaMalloc(reinterpret_cast<void**>(&p->data), n)", 0), "p->data");
    EXPECT_EQ(allocated_variable("cudaMallocManaged<float>(&x[2], n);", 0), "x[2]");
    EXPECT_EQ(allocated_variable("cudaMalloc(&a, 1); cudaMalloc(&b, 2);", 20), "b");
    EXPECT_EQ(allocated_variable("cudaMalloc(&a, 1); cudaMalloc(&b, 2);", 0), "");
    // A column that begins no word is none of this text.
    EXPECT_EQ(allocated_variable("cudaMalloc(&a, 1); cudaMalloc(&b, 2);", 16), "");
    EXPECT_EQ(allocated_variable("    cudaMalloc(&a, 1);", 2), "a");
    EXPECT_EQ(allocated_variable("thrust::device_vector<int> v(5);", 1), "");
    EXPECT_EQ(allocated_variable("cudaMalloc(&a", 1), "");
    EXPECT_EQ(allocated_variable("cudaMalloc", 900), "");
}

}  // namespace declarations_test
}  // namespace warpwright
