// What the back end shares, and what it makes anew, is as in nvcc's code; the figures are those of nvcc 13.0 for the
// same source. That results stay what they are is tests/cudart/programs/passes.cu's to check.
#include "kernels_of.hpp"

namespace warpwright::compile {
namespace as_nvcc_back_end_test {

/// A kernel with a[threadIdx.x] in t, whose last line keeps t.
std::string kernel(const std::string& name, const std::string& body) {
    return "extern \"C\" __global__ void " + name + "(int* o, const int* a, int c, int n) { int t = a[threadIdx.x];\n" +
           body + " o[3] = t; }\n";
}

TEST(AsNvccBackEnd, BothSidesOfABranchNameTheirSharedArray) {
    const auto kernels = kernels_of(kernel("sides",
                                           "__shared__ int s[512]; if (c & 2) { s[t * 3] = c; } else { s[n * 5] = "
                                           "t; o[9] = c; } __syncthreads(); o[1] = s[c];"));
    EXPECT_EQ(count(kernels.at("sides"), R"(\tmov\.u32 \t%r\d+, \w*s;)"), 3);
}

TEST(AsNvccBackEnd, SumsWithConstantsAreMadeAnewForMemory) {
    const std::string uses = "o[9] = x; __syncthreads(); if (c & 2) { o[0] = x; } if (c & 4) { o[10] = x; o[11] = x; }";
    auto kernels =
        kernels_of(kernel("sum", "int x = t + 5; " + uses) + kernel("shift", "int x = t << 3; " + uses) +
                   kernel("operand", "int x = t + 5; o[9] = x; __syncthreads(); if (c & 2) o[0] = a[3] * x;") +
                   kernel("atomic", "int x = t + 5; o[9] = x; __syncthreads(); if (c & 2) atomicAdd(o, x);"));
    EXPECT_EQ(count(kernels["sum"], R"(\tadd\.s32)"), 4);
    EXPECT_EQ(count(kernels["shift"], R"(\tshl)"), 1);
    EXPECT_EQ(count(kernels["operand"], R"(\tadd\.s32)"), 1);
    EXPECT_EQ(count(kernels["atomic"], R"(\tadd\.s32)"), 2);
}

TEST(AsNvccBackEnd, ElementsOfSharedMemoryHaveTheAddressesOfNvcc) {
    struct Case {
        const char *name, *body;
        long size;
    };
    const Case cases[] = {
        {"up",
         "s[t + 5] = t; __syncthreads(); if (c & 2) { o[1] = s[t + 7]; } if (c & 4) { o[2] = s[t + 9] + s[t + 5]; }",
         31},
        {"down",
         "s[t + 5] = t; __syncthreads(); if (c & 2) { o[1] = s[t + 3]; } if (c & 4) { o[2] = s[t + 9] + s[t + 2]; }",
         28},
        {"zero",
         "s[t + 5] = t; __syncthreads(); if (c & 2) { o[1] = s[t]; } if (c & 4) { o[2] = s[t + 9] + s[t + 2]; }", 28},
        {"walk",
         "\n#pragma unroll 1\nfor (int i = 0; i < n; i++) { s[i + t] = 7; __syncthreads(); if (i < t) o[i] = s[i + t + "
         "5] + "
         "s[i + t + 8]; }",
         35},
    };
    for (const Case& c : cases) {
        const auto kernels = kernels_of(kernel(c.name, std::string("__shared__ int s[512]; ") + c.body));
        EXPECT_EQ(static_cast<long>(kernels.at(c.name).size()), c.size) << c.name;
    }
}

TEST(AsNvccBackEnd, LoadsStandInFrontOfTheirFirstUsers) {
    const auto order_of = [](const std::string& expression, const char* condition) {
        const auto kernels = kernels_of(
            "extern \"C\" __global__ void k(float* o, const float* a, const float* b, int n) { int i "
            "= blockIdx.x * blockDim.x + threadIdx.x; " +
            std::string(condition) + " { " + expression + " } }\n");
        std::string order;
        for (const auto& line : kernels.at("k")) {
            std::smatch found;
            static const std::regex step(R"(\t(ld|div|st)\.(?:global|rn)\S* \t.*?(?:\+(\d+)\])?;)");
            if (std::regex_search(line, found, step)) order += found.str(1) + found.str(2) + " ";
        }
        return order;
    };
    // `a[i + 1]` is read behind the quotient, b[i + 3] in front of b[i + 2].
    EXPECT_EQ(order_of("o[i] = a[i + 1] - b[i + 2] / b[i + 3];", "if (i < n)"), "ld12 ld8 div ld4 st ");
    EXPECT_EQ(order_of("o[i] = a[i + 1] - b[i + 2] / b[i + 3];", ""), "ld4 ld8 ld12 div st ");
    // A store may write what is read in front of it.
    EXPECT_EQ(order_of("float x = a[i + 1], y = b[i + 2]; o[i] = a[i + 3]; o[i + n] = x / y;", "if (i < n)"),
              "ld4 ld8 ld12 st div st ");
}

TEST(AsNvccBackEnd, WhatARoundHasWrittenIsReadAgain) {
    auto kernels = kernels_of(
        "extern \"C\" __global__ void k(float* __restrict__ w, const float* __restrict__ c, int n, int m) { int i = "
        "blockIdx.x * "
        "blockDim.x + threadIdx.x; w[i + m] = c[i]; for (int k = 1; k < n; k++) w[i + m * (k + 1)] = c[k] / (w[i + m * "
        "k] + "
        "1.0f); }\n");
    // One before the loop, one of `w` and four of `c` in four rounds, and a round's two.
    EXPECT_EQ(count(kernels["k"], R"(\tld\.global)"), 8);
}

TEST(AsNvccBackEnd, CountersThatMayOverflowDoNotWalkThroughSharedMemory) {
    const auto shifts_in = [](const std::string& loop) {
        CompileRequest request;
        request.path = "k.cu";
        request.text = kernel(
            "k", "__shared__ int s[2048];\n#pragma unroll 1\n" + loop + " s[w] = w; __syncthreads(); o[t] = s[t * 5];");
        request.line_info = false;
        const auto made = compile(request);
        EXPECT_TRUE(made) << (made ? "" : made.error().text());
        std::vector<std::string> block;
        std::istringstream lines(made ? made->ptx : "");
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("$L__BB")) block.clear();
            block.push_back(line);
            if (std::regex_search(line, std::regex(kBranch)) && count(block, R"(\tst\.shared)") == 1 &&
                block.size() > 1 && line.find(block.front().substr(0, block.front().find(':'))) != std::string::npos)
                return count(block, R"(\tshl\.b32)");
        }
        ADD_FAILURE() << "no loop";
        return -1L;
    };
    // Steps of a signed counter are scaled once, in front of the loop; an index of its own is scaled in each round.
    EXPECT_EQ(shifts_in("for (int w = t; w < n; w += c)"), 0);
    EXPECT_EQ(shifts_in("for (unsigned w = t; w < n; w += blockDim.x)"), 1);
    EXPECT_EQ(shifts_in("for (int w = t; w < n; w += blockDim.x)"), 1);  // an unsigned sum, too
}

}  // namespace as_nvcc_back_end_test
}  // namespace warpwright::compile
