// Addresses, vectors, bits and what is left of unrolled loops are as in nvcc's code; the figures are those of nvcc 13.0
// for the same source. That results stay what they are is tests/cudart/programs/passes.cu's to check.
#include "kernels_of.hpp"

namespace warpwright::compile {
namespace as_nvcc_addresses_test {

/// The instructions of the first loop of one block that reads memory `reads` times in a round.
std::vector<std::string> loop_of(const std::string& ptx, long reads) {
    std::vector<std::string> body;
    std::istringstream all(ptx);
    for (std::string line; std::getline(all, line);) {
        if (line.starts_with("$L__BB")) body.clear();
        if (line.starts_with("\t") && line.find("\t.") == std::string::npos) body.push_back(line);
        if (count({line}, kBranch) != 0 && count(body, R"(\tld\.)") == reads) return body;
    }
    return {};
}

std::string ptx_of(const std::string& source) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = source;
    request.line_info = false;
    const auto made = compile(request);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made ? made->ptx : "";
}

TEST(AsNvccAddresses, IndicesOfConstantStridesStayIndices) {
    struct Case {
        const char *name, *read;
        long reads, size, widened;
    };
    // Beside a walk by the counter itself, or by strides that the launch knows, addresses are pointers that walk.
    const Case cases[] = {{"constant", "a[j * 512 + t]", 4, 16, 1},
                          {"two", "a[j * 512 + t] * a[j * 512 + n]", 8, 22, 2},
                          {"beside_counter", "a[j * 512 + t] * a[j]", 8, 18, 0},
                          {"known_later", "a[j * n + t]", 4, 16, 0},
                          {"rows", "a[t * n + j]", 4, 13, 0}};
    for (const Case& c : cases) {
        const auto ptx = ptx_of(std::string("extern \"C\" __global__ void k(float* o, const float* a, int n) { int t = "
                                            "threadIdx.x; float s = 0; for (int j = 0; j < n; ++j) s += ") +
                                c.read + "; o[t] = s; }");
        const auto body = loop_of(ptx, c.reads);
        EXPECT_EQ(static_cast<long>(body.size()), c.size) << c.name << "\n" << ptx;
        EXPECT_EQ(count(body, R"(\tmul\.wide)"), c.widened) << c.name;
    }
}

TEST(AsNvccAddresses, RoundsThatAreLeftAreWrittenOutInLoopsThatStandInOthers) {
    const std::string loop = "for (int j = 0; j < n; ++j) s += a[t * n + j]; o[t] = s;";
    const std::string head = "(float* o, const float* a, int n, int m) { int t = threadIdx.x; float s = 0; ";
    auto kernels =
        kernels_of("extern \"C\" __global__ void alone" + head + loop + " }\n" + "extern \"C\" __global__ void inner" +
                   head + "for (int i = 0; i < m; ++i) { " + loop + " o += 64; } }\n");
    EXPECT_EQ(count(kernels["alone"], R"(\tld\.global)"), 5);  // four, and a loop
    EXPECT_EQ(count(kernels["inner"], R"(\tld\.global)"), 7);  // four, and three with an exit each
}

TEST(AsNvccAddresses, OneDivisionCountsTheRoundsOfAStridedLoop) {
    auto kernels = kernels_of(
        "extern \"C\" __global__ void strided(float* o, const float* a, int n, int m) { float s = 0; for (int i = "
        "threadIdx.x; i "
        "< n; i += m) s += a[i]; o[threadIdx.x] = s; }");
    EXPECT_EQ(count(kernels["strided"], R"(\tdiv\.u32)"), 1);
    EXPECT_EQ(count(kernels["strided"], R"(\t(max|selp)\.)"), 0);
}

TEST(AsNvccAddresses, PartsOfAVectorAreReadAsTheWhole) {
    std::string source;
    const auto kernel = [&](const std::string& name, const std::string& type, const std::string& body) {
        source += "extern \"C\" __global__ void " + name + "(" + type + "* p, int i, float* o) { " + body + " }\n";
    };
    kernel("three", "float4", "o[0] = p[i].x + p[i].y + p[i].z;");
    kernel("ends", "float4", "o[0] = p[i].x + p[i].w;");
    kernel("two", "float4", "o[0] = p[i].x + p[i].y;");
    kernel("later", "float4", "o[0] = p[i].y + p[i].w;");
    kernel("written", "float4", "o[0] = p[i].x; o[1] = p[i].z;");
    kernel("halves", "short4", "o[0] = p[i].x + p[i].z;");
    kernel("doubles", "double2", "o[0] = p[i].x;");
    source += "struct Loose { float a, b, c, d; };\n";
    kernel("loose", "Loose", "o[0] = p[i].a + p[i].c;");
    auto kernels = kernels_of(source);
    const std::map<std::string, std::pair<long, long>> reads{
        {"three", {1, 1}},   {"ends", {1, 1}},   {"two", {1, 0}},     {"later", {2, 0}},
        {"written", {2, 0}}, {"halves", {1, 1}}, {"doubles", {1, 0}}, {"loose", {2, 0}}};
    for (const auto& [name, wanted] : reads) {
        EXPECT_EQ(count(kernels[name], R"(\tld\.global)"), wanted.first) << name;
        EXPECT_EQ(count(kernels[name], R"(\tld\.global\.(nc\.)?v4)"), wanted.second) << name;
    }
}

TEST(AsNvccAddresses, NothingBehindTheEndOfAnObjectIsRead) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void inside(float* o, int n) { __shared__ __align__(16) float s[8]; s[n] = n; __syncthreads(); o[0] = s[4] + s[6]; }
extern "C" __global__ void behind(float* o, int n) { __shared__ __align__(16) float s[7]; s[n] = n; __syncthreads(); o[0] = s[4] + s[6]; }
extern "C" __global__ void array(float* o, int n) { __shared__ float4 s[8]; s[n].x = s[n].z = n; __syncthreads(); o[0] = s[o[1] > 0].x + s[o[1] > 0].z; }
extern "C" __global__ void outside(float* o, int n) { extern __shared__ __align__(16) float s[]; s[n] = n; __syncthreads(); o[0] = s[4] + s[6]; }
extern "C" __global__ void sum(float* o, const float4* p, int n) { o[0] = p[n].x + p[n].y + p[n].z; }
extern "C" __global__ void owner(float4* p, int n) { float s = p[n].x + p[n].y + p[n].z; p[threadIdx.x].w = s; }
extern "C" __global__ void assumed(float* o, const float* a) { auto* p = (const float*)__builtin_assume_aligned(a, 16); o[0] = p[0] + p[2]; }
)");
    // (Of a variable in shared memory, which the source names, nothing is joined.)
    EXPECT_EQ(count(kernels["inside"], R"(\tld\.shared\.v4)"), 0);
    EXPECT_EQ(count(kernels["behind"], R"(\tld\.shared\.v4)"), 0);
    EXPECT_EQ(count(kernels["array"], R"(\tld\.shared\.v4)"), 1);
    EXPECT_EQ(count(kernels["outside"], R"(\tld\.shared\.v4)"), 0);
    EXPECT_EQ(count(kernels["sum"], R"(\tld\.global\.(nc\.)?v4)"), 1);
    EXPECT_EQ(count(kernels["owner"], R"(\tld\.global\.(nc\.)?v4)"), 0);  // others write w meanwhile
    EXPECT_EQ(count(kernels["assumed"], R"(\tld\.global\.(nc\.)?v4)"), 0);
}

TEST(AsNvccAddresses, BitsAreCountedAndTakenOutAlike) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void loop(const unsigned long* d, int* o) { unsigned long x = d[0]; char c; for (c = 0; x; c++) x &= x - 1; o[0] = c; }
extern "C" __global__ void no_count(const unsigned* d, int* o) { int c = 0; for (unsigned x = d[0]; x; x &= x - 2) c++; o[0] = c; }
extern "C" __global__ void written(const unsigned* d, unsigned* o) { unsigned x = d[0]; x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u); x = x + (x >> 4) & 0x0f0f0f0fu; o[0] = x * 0x01010101u >> 24; }
extern "C" __global__ void fields(const unsigned* d, int* o) { unsigned x = d[0]; o[0] = (x >> 8 & 0xff) * (x >> 3 & 31) + ((int)x << 8 >> 24); }
extern "C" __global__ void bytes(const unsigned char* __restrict__ d, unsigned long* o) { o[0] = d[0] * 7ul + d[1]; }
extern "C" __global__ void by_name(const unsigned* d, unsigned* o) { unsigned r; asm("bfe.u32 %0, %1, 8, 5;" : "=r"(r) : "r"(d[0])); o[0] = r; }
)");
    EXPECT_EQ(count(kernels["loop"], R"(\tpopc\.b64)"), 1);
    EXPECT_EQ(count(kernels["loop"], kBranch), 0);
    EXPECT_EQ(count(kernels["no_count"], "popc"), 0);
    EXPECT_EQ(count(kernels["written"], "popc"), 0);
    EXPECT_EQ(count(kernels["fields"], R"(\tbfe)"), 0);
    EXPECT_EQ(count(kernels["fields"], R"(\tsh[lr]\.)"), 4);
    EXPECT_EQ(count(kernels["bytes"], R"(\tcvt\.u32\.u16)"), 1);
    EXPECT_EQ(count(kernels["bytes"], R"(\tand\.b32.*255;)"), 1);
    EXPECT_EQ(count(kernels["by_name"], "bfe"), 1);  // what the source asks for
}

TEST(AsNvccAddresses, SharedAddressesOnSeveralWaysAreComputedOnce) {
    auto kernels = kernels_of(R"(
extern "C" __global__ void ways(float* o, int n) { __shared__ float u[32][33]; int x = threadIdx.x, y = threadIdx.y;
    if (n > x) u[y][x] = n / x; else u[y + 8][x] = o[n]; __syncthreads(); o[x] = u[x][y]; }
extern "C" __global__ void one(int* o, int n) { __shared__ int u[256]; unsigned t = threadIdx.x, x = o[t]; u[t] = n; __syncthreads();
    int a = u[128 - x]; int* p = u + 128 + 1; o[t] = a + p[~x]; }
extern "C" __global__ void written(int* o, int n) { __shared__ int u[256]; unsigned t = threadIdx.x, x = o[t]; u[t] = n; __syncthreads();
    int a = u[128 - x]; u[t + 1] = a + 1; int* p = u + 128 + 1; o[t] = a + p[~x]; }
)");
    EXPECT_EQ(count(kernels["ways"], R"(\tmad\.lo\.s32.*132)"), 2);  // of the two sides, and of what is read
    EXPECT_EQ(count(kernels["one"], R"(\tld\.shared)"), 1);
    EXPECT_EQ(count(kernels["written"], R"(\tld\.shared)"), 2);
}

TEST(AsNvccAddresses, PowersOfOneNumberShareItsLogarithm) {
    auto kernels = kernels_of(
        "extern \"C\" __global__ void k(float* a) { float x = a[threadIdx.x]; a[threadIdx.x] = powf(x, 2.0f) + powf(x, "
        "0.5f); }");
    EXPECT_EQ(count(kernels["k"], R"(\trcp\.)"), 1);
    EXPECT_EQ(count(kernels["k"], R"(\tex2\.)"), 2);
    EXPECT_EQ(count(kernels["k"], kBranch), 8);  // as many as nvcc's
}

}  // namespace as_nvcc_addresses_test
}  // namespace warpwright::compile
