// Addresses of neighbours and of loops, parts of shared memory and copies of structures are as in nvcc's code; the
// figures are those of nvcc 13.0 for the same source. That results stay what they are is
// tests/cudart/programs/passes.cu's to check.
#include "kernels_of.hpp"

namespace warpwright::compile {
namespace as_nvcc_walks_test {

TEST(AsNvccWalks, NeighboursHaveTheirAddressesByTheRule) {
    struct Case {
        const char *name, *value;
        long instructions, widened;
    };
    const Case cases[] = {{"above", "a[i * 1024 + j] - a[(i - 1) * 1024 + j]", 32, 3},
                          {"below", "a[i * 1024 + j] - a[(i + 1) * 1024 + j]", 29, 2},
                          {"both", "a[(i - 1) * 1024 + j] - a[(i + 1) * 1024 + j]", 30, 2},
                          {"before", "a[i * 1024 + (j - 1)] * b[i * 1024 + (j - 1)]", 33, 2},
                          {"behind", "a[i * 1024 + (j + 1)] * a[i * 1024 + j] - a[i * 1024 + j - 1]", 31, 2},
                          {"variable", "a[i * n + (j + 1)] * a[i * n + j] - a[i * n + (j - 1)]", 30, 2},
                          {"added_last", "a[i * 1024 + j] - a[i * 1024 + j - 1]", 29, 2},
                          {"less_first", "a[i * 1024 + (j - 2)] * a[i * 1024 + (j - 1)]", 30, 2},
                          {"less_later", "a[i * 1024 + (j - 1)] * a[i * 1024 + (j - 2)]", 29, 2},
                          {"masked", "a[(i + n) & 31] + a[(i + n + 1) & 31]", 34, 1}};
    std::string source;
    for (const Case& c : cases)
        source += std::string("extern \"C\" __global__ void ") + c.name +
                  "(const float* a, const float* b, float* c, int n, int r, int w) { int j = blockIdx.x * blockDim.x + "
                  "threadIdx.x; int i = blockIdx.y * blockDim.y + threadIdx.y; if (i < n && j < w) c[j] = " +
                  c.value + "; }\n";
    auto kernels = kernels_of(source);
    for (const Case& c : cases) {
        EXPECT_EQ(static_cast<long>(kernels[c.name].size()), c.instructions) << c.name;
        EXPECT_EQ(count(kernels[c.name], R"(\tmul\.wide)"), c.widened) << c.name;
    }
}

/// The number of instructions in the loops of one block that read memory `reads` times in a round.
std::map<std::string, long> sizes_of_loops(const std::string& ptx, const std::map<std::string, long>& reads) {
    std::map<std::string, long> sizes;
    std::vector<std::string> body;
    std::string name, line;
    for (std::istringstream all(ptx); std::getline(all, line);) {
        std::smatch found;
        if (std::regex_search(line, found, std::regex(R"(\.entry (\w+))"))) name = found[1];
        if (line.starts_with("$L__BB")) body.clear();
        if (line.starts_with("\t") && line.find("\t.") == std::string::npos) body.push_back(line);
        const auto wanted = reads.find(name);
        if (wanted != reads.end() && count({line}, kBranch) != 0 && count(body, R"(\tld\.global)") == wanted->second)
            sizes.emplace(name, static_cast<long>(body.size()));
    }
    return sizes;
}

TEST(AsNvccWalks, UnrolledLoopsAddWhatTheyDoNotChangeInEachRound) {
    struct Case {
        const char *name, *loop;
        long reads, size;
    };
    const Case cases[] = {
        {"one", "for (int k = 0; k < n; k++) s += a[r + k];", 4, 13},
        {"two", "for (int k = 0; k < n; k++) s += a[r + k] * b[i + k];", 8, 19},
        {"counter", "for (int k = 0; k < n; k++) s += a[k] * b[i + k];", 8, 18},
        {"one_array", "for (int k = 0; k < n; k++) s += a[i + k] * a[r + k];", 8, 19},
        {"same", "for (int k = 0; k < n; k++) s += a[i + k] * b[i + k];", 8, 20},
        {"product", "for (int k = 0; k < n; k++) s += a[r * n + k] * b[k * n + i];", 8, 22},
        {"started", "for (int k = r; k < n; k++) s += a[j + k] * b[i + k];", 8, 18},
        {"known", "for (int k = 0; k < 1024; k++) s += a[r + k] * b[i + k];", 32, 55},
        {"inner", "for (int m = 0; m < n; m++) for (int k = 0; k < n; k++) s += a[m * n + k] * b[i * n + k];", 8, 19}};
    CompileRequest request;
    request.path = "k.cu";
    request.line_info = false;
    std::string source;
    std::map<std::string, long> reads;
    for (const Case& c : cases) {
        reads[c.name] = c.reads;
        source += std::string("extern \"C\" __global__ void ") + c.name +
                  "(const float* a, const float* b, float* c, int n, int r) { int i = threadIdx.x, j = blockIdx.x; "
                  "float s = j; " +
                  c.loop + " c[i] = s; }\n";
    }
    request.text = source;
    const auto made = compile(request);
    ASSERT_TRUE(made) << made.error().text();
    auto sizes = sizes_of_loops(made->ptx, reads);
    for (const Case& c : cases) EXPECT_EQ(sizes[c.name], c.size) << c.name;
}

TEST(AsNvccWalks, PartsOfSharedMemoryAreElementsOfTheWhole) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void whole_first(const float* p, float* o, int n, int m, int q) { extern __shared__ float s[]; int i = threadIdx.x;
    float *b = s + n, *c = b + n; s[i] = p[i + q]; b[i] = p[i]; c[i] = p[i + m]; __syncthreads();
    for (int k = 0; k < m; k++) { int j = (i + k) & q; s[i] += s[j] + b[j] + c[j]; __syncthreads(); } o[i] = s[i]; }
extern "C" __global__ void part_first(const float* p, float* o, int n, int m, int q) { extern __shared__ float s[]; int i = threadIdx.x;
    float *b = &s[n + 1], *c = &b[n + 1]; s[i] = p[i + q]; b[i] = p[i]; c[i] = p[i + m]; __syncthreads();
    for (int k = 0; k < m; k++) { int j = (i + k) & q; s[i] += b[j] + c[j]; __syncthreads(); } o[i] = s[i]; }
)");
    EXPECT_NEAR(static_cast<double>(kernels["whole_first"].size()), 131, 3);
    EXPECT_NEAR(static_cast<double>(kernels["part_first"].size()), 124, 3);
}

TEST(AsNvccWalks, StructuresThatAreCopiedDoNotLieInLocalMemory) {
    std::string source = "struct Words { float x, y, z; int id; char name[4]; };\n";
    for (const char* type : {"float4", "short4", "uchar4", "Words"})
        source += std::string("extern \"C\" __global__ void k_") + type + "(const " + type + "* p, " + type +
                  "* o) { int i = threadIdx.x; " + type + " v = p[i]; v.x += 1; o[i] = v; }\n";
    auto kernels = kernels_of(source);
    const std::map<std::string, long> accesses{{"k_float4", 1}, {"k_short4", 1}, {"k_uchar4", 1}, {"k_Words", 5}};
    for (const auto& [name, wanted] : accesses) {
        EXPECT_EQ(count(kernels[name], "%SP|__local_depot"), 0) << name;
        EXPECT_EQ(count(kernels[name], R"(\tld\.global)"), wanted) << name;
        EXPECT_EQ(count(kernels[name], R"(\tst\.global)"), wanted) << name;
    }
}

TEST(AsNvccWalks, ABreakLeavesItsLoopAtOnce) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void k(int* o, float x, float y, int most) { int count = 0; float a = 0, b = 0;
    for (int i = 0; i < most; ++i) { auto r = a; auto m = b; if (r * r + m * m >= 4.0f) { break; } a = r * r - m * m + x; b = 2 * r * m + y; ++count; }
    o[threadIdx.x] = count; }
)");
    EXPECT_EQ(count(kernels["k"], kBranch), 3);  // before the loop, out of it, and round it
    EXPECT_EQ(count(kernels["k"], R"(\tand\.pred)"), 0);
}

}  // namespace as_nvcc_walks_test
}  // namespace warpwright::compile
