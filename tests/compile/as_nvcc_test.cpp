// Kernels are compiled as nvcc compiles them: what a text teaches about a kernel's cost is still there to be counted.
// The figures beside the tests are those of nvcc 13.0 for the same source.
#include "kernels_of.hpp"

namespace warpwright::compile {
namespace as_nvcc_test {

TEST(AsNvcc, DivisionsByALoopsVariableStay) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void signed_rest(int* a) {
    for (int s = 1; s < blockDim.x; s *= 2) { if (threadIdx.x % (2 * s) == 0) a[threadIdx.x] += a[threadIdx.x + s]; __syncthreads(); }
}
extern "C" __global__ void whole(int* a, int n) { int x = 0; for (int s = 1; s < n; s *= 2) x += (int)threadIdx.x / s; a[threadIdx.x] = x; }
__device__ int of(int a, int b) { return a % b; }
extern "C" __global__ void constant(unsigned* a) { for (int i = 0; i < 2; ++i) a[i] = threadIdx.x % (1u << i + 1); a[2] = of(a[0], 8); }
extern "C" __global__ __attribute__((optnone, noinline)) void plain(int* a, int n) { for (int s = 1; s < n; s *= 2) a[s] = n % s; }
extern "C" __global__ void both(int* a, int n) { int v = a[1]; for (int s = 1; s < n; s += a[0]) { a[s] = v / s; a[s + 1] = v % s; } }
)");
    EXPECT_EQ(count(kernels["signed_rest"], R"(\trem\.)"), 1);
    EXPECT_EQ(count(kernels["whole"], R"(\tdiv\.s32)"), 1);
    // Divisors that turn out to be constants are none of a loop's.
    EXPECT_EQ(count(kernels["constant"], R"(\t(rem|div)\.)"), 0);
    // clang's own merging of a quotient and its rest still works.
    EXPECT_EQ(count(kernels["both"], R"(\tdiv\.)") + count(kernels["both"], R"(\trem\.)"), 1);
    for (const auto& [name, lines] : kernels) EXPECT_EQ(count(lines, "call"), 0) << name;
}

TEST(AsNvcc, LoopsAreUnrolledAlike) {
    std::string source;
    const auto kernel = [&](const std::string& name, const std::string& rounds, int size, const std::string& more) {
        source += "extern \"C\" __global__ void " + name + "(float* o, float a, int m) { float x = o[threadIdx.x];\n";
        if (more.starts_with("#")) source += more + "\n";
        source += "for (int k = 0; k < " + rounds + "; ++k) {";
        for (int k = 0; k < size; ++k) source += "x = x * a + " + std::to_string(k) + ".5f;";
        source += (more.starts_with("#") ? "" : more) + "} o[threadIdx.x] = x; }\n";
    };
    struct Case {
        const char *name, *rounds;
        int size;
        const char* more;
        int copies;
    };
    const Case cases[] = {{"launch_24", "m", 24, "", 5},
                          {"launch_28", "m", 28, "", 3},
                          {"launch_40", "m", 40, "", 3},
                          {"launch_48", "m", 48, "", 1},
                          {"barrier_24", "m", 24, "__syncthreads();", 5},
                          {"asked", "m", 4, "#pragma unroll", 5},
                          {"given", "m", 4, "#pragma unroll 8", 9},
                          {"one", "m", 4, "#pragma unroll 1", 1},
                          {"whole", "16", 12, "", 16},
                          {"part_of_16", "16", 14, "", 4},
                          {"part_of_100", "100", 2, "", 4},
                          {"part_of_512", "512", 2, "", 32},
                          {"part_of_99", "99", 10, "", 4}};
    for (const Case& c : cases) kernel(c.name, c.rounds, c.size, c.more);
    auto kernels = kernels_of(source);
    for (const Case& c : cases) EXPECT_EQ(count(kernels[c.name], R"(\tfma\.)"), c.copies * c.size) << c.name;
}

TEST(AsNvcc, WhatIsTaughtIsNotOptimisedAway) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void sum(int* o, int n) { int x = 0; for (int k = 0; k < n; k++) x += k * threadIdx.x; o[0] = x; }
extern "C" __global__ void parity(double* a, double* b, double x, double y) {
    int i = threadIdx.x; if (i % 2 == 0) a[i] = x / y; else b[i] = 1.0; }
extern "C" __global__ void zeros(int* o) { for (int k = 0; k < 64; k++) o[k] = 0; }
extern "C" __global__ void bound(int* o) { int t = threadIdx.x; for (int i = t; i < 8192; i += blockDim.x) o[i] = i % 8; }
extern "C" __global__ void ways(int* o, const int* a) { switch (a[threadIdx.x] & 3) {
    case 0: o[1] = 13; break; case 1: o[2] = 5; break; case 2: o[3] = 77; break; case 3: o[9] = 1; break; } }
)");
    // The sum of a series is a loop, unrolled by four: four, and one for the rest.
    EXPECT_EQ(count(kernels["sum"], R"(\tadd\.s32)") >= 5, true);
    EXPECT_EQ(count(kernels["sum"], kBranch), 5);
    // Both sides of a branch store for themselves.
    EXPECT_EQ(count(kernels["parity"], R"(\tst\.)"), 2);
    EXPECT_EQ(count(kernels["parity"], kBranch), 1);
    EXPECT_EQ(count(kernels["zeros"], R"(\tst\.global\.u32)"), 64);
    // That threadIdx is below 1024 is no reason to leave out a test, nor that it is positive one to divide otherwise.
    EXPECT_EQ(count(kernels["bound"], R"(setp\.gt\.s32)"), 1);
    EXPECT_EQ(count(kernels["bound"], R"(\tshr\.)"), 2);
    EXPECT_EQ(count(kernels["ways"], "exit"), 0);
}

TEST(AsNvcc, SidesOfBranchesAreChosenFromAtTheSameSizes) {
    std::string source;
    const auto kernel = [&](const std::string& name, const std::string& body) {
        source += "extern \"C\" __global__ void " + name +
                  "(int* o, const int* a, const float* f, int n, int m) {"
                  " int i = threadIdx.x, v = a[i], w = a[i + 64], r = w; float x = f[i]; " +
                  body + " o[i] = r; }\n";
    };
    kernel("one_of_five", "if (v > w) r = ((v * 3 + 7 ^ 5) * 11) + 13;");
    kernel("one_of_six", "if (v > w) r = ((v * 3 + 7 ^ 5) * 11) + 13 ^ 21;");
    kernel("both_of_three", "if (n > v) r = v * 3 + 7 ^ 5; else r = ((w ^ 9) * 5) + 3;");
    kernel("four_and_one", "if (n > v) r = (v * 3 + 7 ^ 5) * 11; else r = w ^ 9;");
    kernel("conversion", "if (v > w) r = (int)x;");
    kernel("absolute", "if (v > w) x = fabsf(x); r = __float_as_int(x);");
    kernel("quotient", "if (v > w) r = v / 7;");
    kernel("four_values",
           "int p = 2, q = 3, s = 4; if (v < n) { r = v; p = n; q = m; s = i; } o[i + 32] = p; o[i + 64] = q; o[i + "
           "96] = s;");
    kernel("and_of_four", "if (i < n && (i * m * 3 + 7 ^ 5) > m) o[i + 32] = 1;");
    kernel("and_of_five", "if (i < n && (i * m * 3 + 7 ^ 5) * 11 > m) o[i + 32] = 1;");
    const std::map<std::string, long> branches{
        {"one_of_five", 0}, {"one_of_six", 1}, {"both_of_three", 0}, {"four_and_one", 1}, {"conversion", 1},
        {"absolute", 1},    {"quotient", 1},   {"four_values", 0},   {"and_of_four", 1},  {"and_of_five", 2}};
    auto kernels = kernels_of(source);
    for (const auto& [name, wanted] : branches) EXPECT_EQ(count(kernels[name], kBranch), wanted) << name;
}

TEST(AsNvcc, WhatALoopsAddressesAddToItsSize) {
    std::string source;
    const auto kernel = [&](const std::string& name, int accesses, const std::string& address,
                            const std::string& loop) {
        source += "extern \"C\" __global__ void " + name +
                  "(float* o, const float* a, int n, int m) { __shared__ float t[64][65], u[256];"
                  " int i = threadIdx.x; float s = 0; t[i][i] = m; u[i] = n; __syncthreads(); " +
                  loop + " {";
        for (int k = 0; k < accesses; ++k)
            source += "s += " + address + (address.ends_with("[") ? "" : " + ") + std::to_string(k) + "];";
        source += "__syncthreads(); } o[i] = s; }\n";
    };
    const std::string rounds = "for (int k = 0; k < m; k++)";
    kernel("global_9", 9, "a[k * n", rounds), kernel("global_10", 10, "a[k * n", rounds);
    kernel("shared_12", 12, "u[k * n", rounds), kernel("shared_13", 13, "u[k * n", rounds);
    kernel("row_15", 15, "t[k & 31][", rounds), kernel("row_16", 16, "t[k & 31][", rounds);
    // An unsigned counter whose bound is far enough from the last number cannot pass it.
    kernel("down", 1, "u[k", "for (unsigned k = a[i]; k > 12; k -= 12)");
    kernel("unknown", 1, "u[k", "for (unsigned k = 0; k < (unsigned)n; k += 8)");
    // An inner loop that has gone leaves an address for each access: tiles of 16 are left as they are.
    source +=
        "extern \"C\" __global__ void tile(float* o, const float* a, int n, int m) { __shared__ float t[64][33]; int i "
        "= threadIdx.x;"
        " float s = 0; for (int k = 0; k < n; k++) { t[i][k & 31] = a[k * m + i]; __syncthreads();"
        " for (int j = 0; j < 16; j++) s += t[j][i] * t[i][j]; __syncthreads(); } o[i] = s; }\n";
    const std::map<std::string, long> copies{{"tile", 1},      {"global_9", 5},  {"global_10", 3},
                                             {"shared_12", 5}, {"shared_13", 3}, {"row_15", 5},
                                             {"row_16", 3},    {"down", 5},      {"unknown", 1}};
    auto kernels = kernels_of(source);
    for (const auto& [name, wanted] : copies) EXPECT_EQ(count(kernels[name], R"(bar\.sync)") - 1, wanted) << name;
}

TEST(AsNvcc, AddressesCostWhatTheyCost) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void column(float* c, const float* a, const float* b, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum; }
extern "C" __global__ void rows(float* o, int n) { __shared__ float t[8][32]; int x = threadIdx.x; float s = 0;
    for (int k = 0; k < n; ++k) { t[k & 7][x] = k; __syncthreads();
        s += t[0][x] + t[1][x] + t[2][x] + t[3][x] + t[4][x] + t[5][x] + t[6][x] + t[7][x]; __syncthreads(); }
    o[x] = s; }
extern "C" __global__ void joined(float* o, int n) { __shared__ __align__(16) float t[2][32][32]; int y = threadIdx.x / 32;
    t[0][y][threadIdx.x % 32] = n; __syncthreads(); float s = 0;
    for (int i = 0; i < n; ++i) { const int w = i & 1; float* p = &t[w][y][0];
#pragma unroll
        for (int k = 0; k < 32; ++k) s += p[k]; __syncthreads(); }
    o[threadIdx.x] = s; }
)");
    // One multiplication each for the first addresses and n, none in the loop of four.
    EXPECT_LE(count(kernels["column"], R"(\tmul\.wide)"), 8);
    EXPECT_LE(count(kernels["column"], R"(\t)"), 85);  // 77 by nvcc
    // The rows' constant distances are part of the accesses.
    EXPECT_GE(count(kernels["rows"], R"(ld\.shared\.f32.*\+896\])"), 1);
    EXPECT_GE(count(kernels["joined"], R"(ld\.shared\.v4)"), 8);
}

TEST(AsNvcc, WhatARestrictedPointerReadsIsLoadedOnce) {
    const std::string body =
        "{ __shared__ float t[64]; float s = 0; for (int k = 0; k < n; ++k) { t[threadIdx.x] = s; __syncthreads(); "
        "s += in[2] * t[63 - threadIdx.x]; __syncthreads(); } out[threadIdx.x] = s; }\n";
    auto kernels = kernels_of(
        "extern \"C\" __global__ void only_read(float* out, const float* __restrict__ in, int n) " + body +
        "extern \"C\" __global__ void may_change(float* out, const float* in, int n) " + body +
        "extern \"C\" __global__ void written(float* __restrict__ out, int n) { for (int k = 0; k < n; ++k) { "
        "out[k] = out[2] + 1; __syncthreads(); } }\n");
    EXPECT_EQ(count(kernels["only_read"], R"(\tld\.global)"), 1);
    EXPECT_EQ(count(kernels["may_change"], R"(\tld\.global)"), 5);  // four rounds, and the loop for the rest
    EXPECT_GT(count(kernels["written"], R"(\tld\.global)"), 1);
}

TEST(AsNvcc, RotationsCountAsTwoShiftsInALoopsSize) {
    const std::string rotate =
        "#define ROTATE(x, k) (((x) << (k)) | ((x) >> (32 - (k))))\n"
        "template <int N> __device__ unsigned turn(unsigned a, unsigned b) {\n#pragma unroll\n"
        "for (int i = 0; i < N; ++i) a = ROTATE(a, 5 + i % 3) ^ b; return a; }\n"
        "template <int N> __device__ unsigned funnel(unsigned a, unsigned b, unsigned c) {\n#pragma unroll\n"
        "for (int i = 0; i < N; ++i) a = __funnelshift_l(a, b, 5) ^ c; return a; }\n";
    const auto kernel = [](const std::string& name, const std::string& step) {
        return "extern \"C\" __global__ void " + name +
               "(unsigned* o, unsigned b, int m) { unsigned a = threadIdx.x; "
               "for (int k = 0; k < m; ++k) a = " +
               step + "; o[threadIdx.x] = a; }\n";
    };
    auto kernels = kernels_of(rotate + kernel("r12", "turn<12>(a, b)") + kernel("r13", "turn<13>(a, b)") +
                              kernel("f24", "funnel<24>(a, b, k)") + kernel("f26", "funnel<26>(a, b, k)"));
    EXPECT_EQ(count(kernels["r12"], R"(\txor\.b32)"), 60);
    EXPECT_EQ(count(kernels["r13"], R"(\txor\.b32)"), 39);
    EXPECT_EQ(count(kernels["f24"], R"(\txor\.b32)"), 120);
    EXPECT_EQ(count(kernels["f26"], R"(\txor\.b32)"), 78);
}

TEST(AsNvcc, NeighboursInAStencilShareAnAddress) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void stencil(int n, const float* a, float* b) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        b[i * 4096 + j] = a[(i - 1) * 4096 + j - 1] + a[(i - 1) * 4096 + j + 1] + a[i * 4096 + j] +
                          a[(i + 1) * 4096 + j - 1] + a[(i + 1) * 4096 + j + 1];
})");
    EXPECT_EQ(count(kernels["stencil"], R"(\tmul\.wide|\tcvt\.[su]64)"),
              2);  // the first one's, and what has no constant
    EXPECT_EQ(count(kernels["stencil"], R"(\tld\.global\.f32.*\+[0-9]+\])"), 3);
}

TEST(AsNvcc, ConstantsGoToRegistersWhereNvccsDo) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void sum(float* a) {
    float v = a[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(~0u, v, by);
    a[threadIdx.x] = v;
}
extern "C" __global__ void by_name(float* a) { a[threadIdx.x] = fmaf(a[threadIdx.x], 2.5f, 1.5f); })");
    EXPECT_EQ(count(kernels["sum"], R"(\tmov\.u32\s+%r\d+, -?\d+;)"), 7);  // five distances, 31 and the mask
    EXPECT_EQ(count(kernels["sum"], R"(\tshfl\.sync\.down\.b32.*%r\d+, %r\d+, %r\d+, %r\d+, %r\d+;)"), 5);
    EXPECT_EQ(count(kernels["by_name"], R"(\tmov\.f32\s+%f\d+, 0f)"), 2);
}

TEST(AsNvcc, ParametersAreLoadedWhereAKernelBegins) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void early(int n, const float* a, float* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i];
})");
    const auto& lines = kernels["early"];
    const auto branch = std::ranges::find_if(lines, [](const std::string& l) { return l.find(" bra") != l.npos; });
    EXPECT_EQ(count({lines.begin(), branch}, R"(\tld\.param)"), 3);
    EXPECT_EQ(count({branch, lines.end()}, R"(\tld\.param)"), 0);
}

}  // namespace as_nvcc_test
}  // namespace warpwright::compile
