// Whole programs under the checkers, through the command line: each file of programs/ has bugs on the lines that say so
// ("// FINDING kind ..."), which are found there and nowhere else; compiled with -DRIGHT it has none, and nothing is
// found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cli/program/cli.hpp"
#include "record/finding.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::check {
namespace programs_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kPrograms = WARPWRIGHT_SOURCE_DIR "/tests/check/programs";

std::map<unsigned, std::set<std::string>> expected_in(const fs::path& file) {
    std::map<unsigned, std::set<std::string>> out;
    std::ifstream in(file);
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto at = line.find("// FINDING ");
        if (at == std::string::npos) continue;
        std::istringstream words(line.substr(at + 11));
        for (std::string w; words >> w;) out[number].insert(w);
    }
    return out;
}

/// The options of the command that a file names: "OPTIONS --devices 2".
std::vector<std::string> options_in(const fs::path& file, std::vector<std::string> out = {}) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto at = line.find("OPTIONS ");
        if (at == std::string::npos) continue;
        std::istringstream words(line.substr(at + 8));
        for (std::string w; words >> w;) out.push_back(w);
    }
    return out;
}

struct Outcome {
    int code = 0;
    std::string out, said;
    std::vector<record::Finding> findings;
};

class CheckedPrograms : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_FALSE(own_.path().empty());
        folder_ = own_.path();
    }

    /// `words` after "warpwright"; a program's own output goes to `out`.
    Outcome run(std::vector<std::string> words) {
        Outcome o;
        words.insert(words.begin(), "warpwright");
        std::vector<const char*> argv;
        for (const auto& w : words) argv.push_back(w.c_str());
        std::FILE *own = std::tmpfile(), *error = std::tmpfile();
        cli::Console console(own, error);
        testing::internal::CaptureStdout();
        o.code = cli::run(static_cast<int>(argv.size()), argv.data(), console);
        o.out = testing::internal::GetCapturedStdout();
        for (auto* f : {own, error}) {
            std::rewind(f);
            char buffer[4096];
            for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) o.said.append(buffer, n);
            std::fclose(f);
        }
        return o;
    }

    Outcome check(const std::vector<std::string>& before, const fs::path& program,
                  const std::vector<std::string>& after = {}) {
        const auto json = (folder_ / "findings.json").string();
        fs::remove(json);
        std::vector<std::string> words{"check", "--timeout", "120", "--json", json};
        words.insert(words.end(), before.begin(), before.end());
        words.push_back(program.string());
        words.insert(words.end(), after.begin(), after.end());
        auto o = run(words);
        std::ifstream in(json);
        std::ostringstream text;
        text << in.rdbuf();
        auto read = record::read_findings(text.str());
        EXPECT_TRUE(read) << text.str() << o.said;
        if (read) o.findings = *read;
        return o;
    }

    TemporaryFolder own_{"check"};  ///< which goes, also where the test is ended
    fs::path folder_;
};

std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(kPrograms))
        if (e.path().extension() == ".cu") out.push_back(e.path().stem().string());
    std::sort(out.begin(), out.end());
    return out;
}

// Nothing is wrong with it but that its result depends on which block comes first.
TEST_F(CheckedPrograms, in_other_orders) {
    const std::string file = WARPWRIGHT_SOURCE_DIR "/tests/check/schedules/order.cu";
    const auto o = run({"check", "--checkers", "memory", "--schedules", "1", file});
    EXPECT_EQ(o.code, 1) << o.said;
    EXPECT_THAT(o.said,
                HasSubstr("with the schedule reverse, launch 2 is the first that leaves other memory: places("));
    EXPECT_THAT(o.said, HasSubstr("the element 0 of 4 bytes: 0x0 (0, as a float 0), and 0x7 (7,"));
    EXPECT_EQ(o.out, "said once\n");
    const auto refused = run({"check", "--schedules", "1", "--ladder", "reduce"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.said, HasSubstr("--schedules is for whole programs"));
}

class EachProgram : public CheckedPrograms, public testing::WithParamInterface<std::string> {};

TEST_P(EachProgram, wrong) {
    const auto file = kPrograms / (GetParam() + ".cu");
    const auto expected = expected_in(file);
    const auto o = check(options_in(file), file);
    if (expected.empty()) {  // a program without bugs
        EXPECT_TRUE(o.findings.empty());
        return;
    }
    std::set<std::pair<unsigned, std::string>> there;
    for (const auto& f : o.findings) {
        const std::string kind(record::info(f.kind).name);
        EXPECT_EQ(fs::path(f.at.file).filename(), file.filename()) << f.message;
        const auto is_expected = [&](unsigned line) {
            return expected.contains(line) && expected.at(line).contains(kind);
        };
        EXPECT_TRUE(is_expected(f.at.line) || (f.other && is_expected(f.other->line)))
            << kind << " at line " << f.at.line << ": " << f.message;
        EXPECT_FALSE(f.advice.empty());
        there.insert({f.at.line, kind});
        if (f.other) there.insert({f.other->line, kind});
    }
    bool any_of_deadlock = false;
    for (const auto& [line, kinds] : expected)
        for (const auto& kind : kinds) {
            const bool is_there = there.contains({line, kind});
            any_of_deadlock |= kind == "deadlock" && is_there;
            EXPECT_TRUE(is_there || kind == "deadlock") << kind << " is not found at line " << line << "\n" << o.said;
        }
    // A deadlock is told once, of one of those that wait.
    EXPECT_EQ(any_of_deadlock, GetParam() == "deadlock") << o.said;
    EXPECT_EQ(o.code, 1) << o.out << o.said;
}

TEST_P(EachProgram, right) {
    const auto file = kPrograms / (GetParam() + ".cu");
    const auto o = check(options_in(file, {"--define", "RIGHT"}), file, {"--", "--word"});
    EXPECT_TRUE(o.findings.empty()) << o.said;
    EXPECT_THAT(o.said, HasSubstr("nothing found"));
    EXPECT_EQ(o.code, GetParam() == "correct" ? 3 : 0) << o.out << o.said;
    if (GetParam() == "correct") {
        EXPECT_EQ(o.out, "--word 96 168 1\n");
    }
}

INSTANTIATE_TEST_SUITE_P(All, EachProgram, testing::ValuesIn(names()), [](const auto& i) { return i.param; });

TEST_F(CheckedPrograms, executables_and_exit_codes) {
    const auto app = (folder_ / "app").string();
    ASSERT_EQ(run({"build", (kPrograms / "out_of_bounds.cu").string(), "-o", app}).code, 0);
    auto o = check({}, app);
    ASSERT_EQ(o.findings.size(), 1u) << o.said;
    EXPECT_EQ(o.findings[0].kind, record::FindingKind::out_of_bounds);
    EXPECT_EQ(o.findings[0].at.line, 8u);
    // A file's own debugging information says where the memory came from, although the program has freed it.
    auto of_source = check({}, (kPrograms / "out_of_bounds.cu").string());
    ASSERT_EQ(of_source.findings.size(), 1u) << of_source.said;
    const auto& found = of_source.findings[0];
    ASSERT_TRUE(found.allocated);
    EXPECT_EQ(found.allocated->line, 15u);
    EXPECT_EQ(found.allocated->access, "allocation of 4000 bytes");
    EXPECT_EQ(found.allocated_as, "x");
    ASSERT_TRUE(found.array);
    EXPECT_EQ(found.array->element, "x[1000]");
    EXPECT_THAT(found.message, HasSubstr("(x[1000]): at the end of an allocation of 4000 bytes"));
    EXPECT_EQ(o.out, "1998\n");
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(check({"--error-exitcode", "42"}, app).code, 42);
    EXPECT_EQ(check({"--error-exitcode", "0"}, app).code, 0);
    // A checker that is not chosen does not look.
    o = check({"--checkers", "race,init"}, app);
    EXPECT_TRUE(o.findings.empty()) << o.said;
    EXPECT_EQ(o.code, 0);
    // Text beside the program's output, SARIF in a file.
    o = run({"check", "--sarif", (folder_ / "out.sarif").string(), app});
    EXPECT_EQ(o.out, "1998\n");
    EXPECT_THAT(o.said, HasSubstr("error[out-of-bounds]"));
    EXPECT_THAT(o.said, HasSubstr("if (i <= n) x[i] *= 2;"));
    std::ifstream sarif(folder_ / "out.sarif");
    std::ostringstream text;
    text << sarif.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("\"ruleId\": \"out-of-bounds\""));
}

TEST_F(CheckedPrograms, a_lonely_checker_of_the_host) {
    const auto o = check({"--checkers", "leak"}, kPrograms / "leak.cu");
    EXPECT_EQ(o.findings.size(), 2u) << o.said;
    for (const auto& f : o.findings) EXPECT_EQ(f.kind, record::FindingKind::leak);
    EXPECT_TRUE(check({"--checkers", "api"}, kPrograms / "leak.cu").findings.empty());
}

TEST_F(CheckedPrograms, a_program_without_a_kernel) {
    const auto file = folder_ / "no_kernel.cu";
    std::ofstream(file) << "__global__ void k() {}\nint main(int n, char**) { int* p; cudaMalloc(&p, 4); "
                           "if (n > 1) k<<<1, 4096>>>(); cudaGetLastError(); return cudaFree(p); }\n";
    auto o = check({}, file);
    EXPECT_EQ(o.code, 3) << o.said;
    EXPECT_THAT(o.said, HasSubstr("launched no kernel: nothing was checked in kernels"));
    EXPECT_EQ(check({"--checkers", "api,leak"}, file).code, 0);
    // Launches that fail are looked at as calls, and by nothing else.
    o = check({}, file, {"--", "launch"});
    EXPECT_EQ(o.code, 0) << o.said;
    EXPECT_THAT(o.said, HasSubstr("1 launch failed"));
    EXPECT_EQ(check({"--checkers", "memory,race"}, file, {"--", "launch"}).code, 3);
}

TEST_F(CheckedPrograms, variables_of_a_line_leak_apart_and_turns_of_a_loop_together) {
    const auto file = folder_ / "leaks.cu";
    std::ofstream(file) << "__global__ void k() {}\nint main() { int *p, *q; k<<<1, 1>>>();\n"
                           "if (cudaMalloc(&p, 64) || cudaMalloc(&q, 16)) return 2;\n"
                           "for (int i = 0; i < 2; ++i)\n"
                           "if (cudaMalloc(&p, 100 + i)) return 2;\nreturn cudaDeviceSynchronize(); }\n";
    const auto o = check({"--checkers", "leak"}, file);
    ASSERT_EQ(o.findings.size(), 3u) << o.said;
    EXPECT_THAT(o.findings[0].message, HasSubstr("64 bytes of device memory (p)"));
    EXPECT_THAT(o.findings[1].message, HasSubstr("16 bytes of device memory (q)"));
    EXPECT_THAT(o.findings[2].message, HasSubstr("201 bytes of device memory (p) are never freed, in 2 allocations"));
}

/// Lanes of one warp, at three lines of one array; warp 1 writes what warp 0 has read by then.
constexpr const char* kUnrolled = R"(__global__ void k(const int* in, int* out) {
    __shared__ int s[64];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
    }
    if (t == 0) out[0] = s[0];
}
int main() {
    int *in, *out, sum;
    if (cudaMalloc(&in, 256) || cudaMalloc(&out, 4) || cudaMemset(in, 0, 256)) return 2;
    k<<<1, 64>>>(in, out);
    return cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost) || cudaFree(in) || cudaFree(out);
}
)";

TEST_F(CheckedPrograms, races_on_one_array_are_told_together_and_explain_reads_before_the_write) {
    const auto file = folder_ / "unrolled.cu";
    std::ofstream(file) << kUnrolled;
    const auto o = check({}, file);
    EXPECT_GE(o.findings.size(), 4u);
    for (const auto& f : o.findings) EXPECT_NE(f.kind, record::FindingKind::uninitialised) << f.message;
    const auto headings = [&](const std::string& text) {
        std::size_t n = 0;
        for (auto at = o.said.find(text); at != std::string::npos; at = o.said.find(text, at + 1)) ++n;
        return n;
    };
    EXPECT_EQ(headings("error[race-lanes]"), 1u) << o.said;
    EXPECT_EQ(headings("error[race-shared]"), 1u) << o.said;
    EXPECT_GE(headings("    also: s["), 2u) << o.said;
    // Without the checker of races nothing explains the reads.
    EXPECT_THAT(check({"--checkers", "init"}, file).said, HasSubstr("error[uninitialised]"));
}

TEST_F(CheckedPrograms, leaks_without_lines_come_last_and_have_none) {
    const auto file = folder_ / "both.cu", app = folder_ / "both";
    std::ofstream(file) << "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
                           "int main() { int* p; if (cudaMalloc(&p, 64) != cudaSuccess) return 2; k<<<1, 32>>>(p); "
                           "return cudaDeviceSynchronize() == cudaSuccess; }\n";
    ASSERT_EQ(run({"build", file.string(), "-o", app.string()}).code, 0);
    const auto o = check({}, app);
    ASSERT_EQ(o.findings.size(), 2u) << o.said;
    EXPECT_EQ(o.findings[0].kind, record::FindingKind::out_of_bounds);
    EXPECT_EQ(o.findings[1].kind, record::FindingKind::leak);
    EXPECT_EQ(o.findings[1].at.line, 0u) << o.findings[1].at.file;
    EXPECT_THAT(o.findings[1].message, HasSubstr("in main (compile with -g to see the line)"));
}

/// A kernel with arrays of each kind, each accessed wrongly once.
constexpr const char* kArrays = R"(
__device__ float table[16];
__global__ void tile(const float* in, float* out, int n) {
    __shared__ float s[8][33];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[y * 32 + x];
    out[y * 32 + x] = s[7 - y][x] + table[x];
    if (x == 0) out[256 + n] = 3;
}
template <typename T> __global__ void moved(T* a, double2* b) {
    extern __shared__ T dynamic[];
    dynamic[threadIdx.x] = a[threadIdx.x];
    b[threadIdx.x + 1].x = dynamic[threadIdx.x ^ 32];
}
int main() {
    float *first, *second;
    double2* third;
    cudaMalloc(&first, 256 * 4); cudaMalloc((void**)&second, 256 * 4);
    cudaMalloc(&third, 64 * 16);
    cudaMemset(first, 0, 1024);
    tile<<<1, dim3(32, 8)>>>(first, second, 5);
    moved<float><<<1, 64, 256>>>(first, third);
    return cudaFree(first) + cudaFree(second) + cudaFree(third);
}
)";

TEST_F(CheckedPrograms, arrays_have_their_names) {
    const auto file = folder_ / "arrays.cu";
    std::ofstream(file) << kArrays;
    const auto o = check({}, file);
    std::map<std::pair<std::string, std::string>, record::Finding> of;
    for (const auto& f : o.findings)
        if (f.array) of[{std::string(record::info(f.kind).name), f.array->name}] = f;
    const auto element = [&](const char* kind, const char* name) {
        return of.contains({kind, name}) ? of.at({kind, name}).array->element : "nothing";
    };
    EXPECT_EQ(element("out-of-bounds", "table"), "table[16]") << o.said;
    EXPECT_EQ(element("out-of-bounds", "out"), "out[261]");
    EXPECT_EQ(element("out-of-bounds", "b"), "b[64]");
    EXPECT_THAT(element("race-shared", "dynamic"), testing::MatchesRegex("dynamic\\[[0-9]+\\]"));
    ASSERT_TRUE(of.contains({"race-shared", "s"})) << o.said;
    const auto& race = of.at({"race-shared", "s"});
    EXPECT_THAT(race.array->element, testing::MatchesRegex("s\\[[0-7]\\]\\[[0-9]+\\]"));
    EXPECT_EQ(race.array->declaration, "float s[8][33]");
    EXPECT_EQ(race.array->bytes, 8u * 33 * 4);
    EXPECT_THAT(race.message, HasSubstr("of " + race.array->element + " (shared memory at 0x"));
    // Two calls on a line are told apart by their columns.
    EXPECT_EQ((of[{"out-of-bounds", "out"}].allocated_as), "second");
    EXPECT_EQ((of[{"out-of-bounds", "b"}].allocated_as), "third");
    const auto text = run({"check", file.string()}).said;
    EXPECT_THAT(text, HasSubstr("    s: float s[8][33], 1056 bytes of shared memory, declared at "));
    EXPECT_THAT(text, HasSubstr("    second: 1024 bytes, allocated at "));
}

TEST_F(CheckedPrograms, elements_that_nothing_wrote) {
    const auto file = folder_ / "copies.cu";
    std::ofstream(file) << R"(
#include <cstdlib>
struct Padded { char c; int x; };
__global__ void few(int* p, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) p[i] = i; }
__global__ void structs(Padded* p) { p[threadIdx.x].c = 1; p[threadIdx.x].x = 2; }
int main(int, char** words) {
    int *p; int host[4096];
    cudaMalloc(&p, 16384);
    switch (std::atoi(words[1])) {
    case 0: few<<<4, 256>>>(p, 300); cudaMemcpy(host, p, 4096, cudaMemcpyDeviceToHost); break;
    case 1: cudaMemset(p, 0, 16384); few<<<1, 256>>>(p, 256); cudaMemcpy(host, p, 16384, cudaMemcpyDeviceToHost); break;
    case 2: few<<<1, 256>>>(p, 256); cudaMemcpy(host, p, 1024, cudaMemcpyDeviceToHost); break;
    case 3: structs<<<1, 1024>>>((Padded*)p); cudaMemcpy(host, p, 8192, cudaMemcpyDeviceToHost); break;
    case 4: few<<<1, 32>>>(p + 2048, 1); cudaMemcpy(host, p, 1024, cudaMemcpyDeviceToHost); break;
    case 5: few<<<1, 256>>>(p, 256); cudaMemcpy(p + 1024, p, 2048, cudaMemcpyDeviceToDevice);
            cudaMemcpyAsync(host, p + 1024, 2048, cudaMemcpyDeviceToHost); break;
    }
    cudaDeviceSynchronize();
    return cudaFree(p);
}
)";
    const auto found = [&](const char* word) {
        auto o = check({}, file, {"--", word});
        if (o.findings.size() == 1) {
            EXPECT_EQ(o.findings[0].kind, record::FindingKind::unwritten_copy) << o.said;
            EXPECT_EQ(o.code, o.findings[0].severity == record::Severity::error ? 1 : 0);
            return o.findings[0].message;
        }
        return o.findings.empty() ? std::string("nothing") : o.said;
    };
    // A buffer of which a part is used, it seems: a warning.
    EXPECT_THAT(found("0"),
                HasSubstr("elements 300 to 1023 of p are copied to the host, but nothing wrote them; few wrote "
                          "the memory beside, with 4 blocks of 256 threads"));
    EXPECT_EQ(found("1"), "nothing");  // all was set
    EXPECT_EQ(found("2"), "nothing");  // only what was written is copied
    EXPECT_EQ(found("3"), "nothing");  // padding
    EXPECT_THAT(found("4"),
                HasSubstr("bytes 0 to 1023 of p are copied to the host, but nothing wrote them: no kernel"));
    // A copy within the device carries over what was written; the copy knows no kernel.
    EXPECT_THAT(found("5"), HasSubstr("bytes 5120 to 6143 of p are copied to the host"));
}

TEST_F(CheckedPrograms, a_short_grid_is_an_error_with_the_grid_that_it_needs) {
    const auto o = check({}, kPrograms / "short_grid.cu");
    ASSERT_EQ(o.findings.size(), 1u) << o.said;
    const auto& f = o.findings[0];
    EXPECT_EQ(f.severity, record::Severity::error);
    EXPECT_THAT(f.message,
                HasSubstr("elements 768 to 999 of squares are copied to the host, but nothing wrote them; fill "
                          "wrote the memory beside, with 3 blocks of 256 threads"));
    EXPECT_THAT(f.advice, HasSubstr("1000 elements need 4 blocks of 256 threads"));
    EXPECT_EQ(f.kernel, "fill");
    EXPECT_EQ(f.allocated_as, "squares");
    EXPECT_EQ(f.bytes, 232u * 4);
}

TEST_F(CheckedPrograms, a_line_that_misses_two_arrays_has_two_findings) {
    const auto file = folder_ / "two.cu";
    std::ofstream(file) << "__global__ void k(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }\n"
                           "int main() { int *a, *b; cudaMalloc(&a, 64); cudaMalloc(&b, 64); cudaMemset(b, 0, 64); "
                           "k<<<1, 32>>>(a, b); cudaFree(a); return cudaFree(b); }\n";
    const auto o = check({}, file);
    ASSERT_EQ(o.findings.size(), 2u) << o.said;
    EXPECT_NE(o.findings[0].array->name, o.findings[1].array->name);
}

TEST_F(CheckedPrograms, all_errors_of_the_compiler_have_lines_of_their_own) {
    const auto file = folder_ / "errors.cu";
    std::ofstream(file) << "int main() { return first; }\nint f() { return second; }\n";
    const auto o = run({"check", file.string()});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.said, HasSubstr("errors.cu:1:21: error: use of undeclared identifier 'first' (2 errors)\n  "));
    EXPECT_THAT(o.said, HasSubstr("errors.cu:2:18: error: use of undeclared identifier 'second'\n"));
}

TEST_F(CheckedPrograms, a_pointer_of_the_host_is_recognised) {
    const auto file = folder_ / "host.cu";
    std::ofstream(file) << "#include <vector>\n__global__ void k(float* given) { given[threadIdx.x] = 1; }\n"
                           "int main() { std::vector<float> v(32); k<<<1, 32>>>(v.data()); "
                           "return cudaDeviceSynchronize() == 12345; }\n";
    const auto o = check({}, file);
    ASSERT_EQ(o.findings.size(), 1u) << o.said;
    EXPECT_THAT(o.findings[0].message, HasSubstr("(given[0]), in the host's own memory"));
    EXPECT_THAT(o.findings[0].advice, HasSubstr("a pointer of the host was passed to the kernel"));
}

TEST_F(CheckedPrograms, a_barrier_that_others_returned_from_depends_on_the_model) {
    const std::vector<std::string> words{"check",    WARPWRIGHT_SOURCE_DIR "/tests/check/faults/early_return.cu",
                                         "--kernel", "wrong",
                                         "--grid",   "2",
                                         "--block",  "64",
                                         "--arg",    "i32[96]=iota",
                                         "--arg",    "i32[96]=zero",
                                         "--arg",    "96"};
    auto o = run(words);
    EXPECT_EQ(o.code, 0) << o.said;
    EXPECT_THAT(o.said, HasSubstr("warning[barrier-exited]"));
    auto old = words;
    old.insert(old.end(), {"--model", "gt640"});
    o = run(old);
    EXPECT_EQ(o.code, 1) << o.said;
    EXPECT_THAT(o.said, HasSubstr("error[barrier-exited]"));
}

TEST_F(CheckedPrograms, run_points_to_check) {
    const auto file = folder_ / "launches.cu";
    std::ofstream(file) << "__global__ void k(int* p) { p[threadIdx.x * 4096] = 1; }\n"
                           "int main(int n, char**) { int* p; cudaMalloc(&p, 64); k<<<1, 4096>>>(p); "
                           "if (n > 1) k<<<1, 32>>>(p); return cudaDeviceSynchronize() == 12345; }\n";
    auto o = run({"run", file.string()});
    EXPECT_EQ(o.code, 0);
    EXPECT_THAT(o.said, HasSubstr("1 launch failed"));
    EXPECT_THAT(o.said, HasSubstr("warpwright check"));
    o = run({"run", file.string(), "--", "bad"});
    EXPECT_THAT(o.said, HasSubstr("1 launch failed, and a kernel was ended by an error"));
    // A copy in the wrong direction: the kernel then computes with something else.
    const auto copies = folder_ / "copies.cu";
    std::ofstream(copies) << "__global__ void k(int* p) { p[0] += 1; }\n"
                             "int main() { int h = 1, *p; cudaMalloc(&p, 4); cudaMemcpy(p, &h, 4, "
                             "cudaMemcpyDeviceToHost); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n";
    o = run({"run", copies.string()});
    EXPECT_EQ(o.code, 0) << o.said;
    EXPECT_THAT(o.said, HasSubstr("copies.cu: cudaMemcpy failed (warpwright check "));
}

TEST_F(CheckedPrograms, a_signal_is_not_taken_for_no_use_of_a_gpu) {
    const auto file = folder_ / "killed.cu";
    std::ofstream(file) << "#include <csignal>\n__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"
                           "int main() { int* p; cudaMalloc(&p, 128); k<<<1, 32>>>(p); cudaDeviceSynchronize(); "
                           "return raise(SIGKILL); }\n";
    for (const char* command : {"run", "check"}) {
        const auto o = run({command, file.string()});
        EXPECT_EQ(o.code, 137) << o.said;
        EXPECT_THAT(o.said, HasSubstr("was ended by signal 9"));
        EXPECT_THAT(o.said, testing::Not(HasSubstr("made no use of a GPU")));
        EXPECT_THAT(o.said, testing::Not(HasSubstr("launched no kernel")));
    }
}

TEST_F(CheckedPrograms, what_is_no_program_for_it) {
    auto o = run({"check", "/bin/true"});
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.said, HasSubstr("made no use of a GPU: nothing was checked"));
    // The exit code of a program that ends badly stays.
    EXPECT_EQ(run({"check", "/bin/false"}).code, 1);
    o = run({"check", "/nowhere/app"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.said, HasSubstr("there is no file '/nowhere/app'"));
    // A file of kernels takes no arguments of a program.
    o = run({"check", WARPWRIGHT_SOURCE_DIR "/tests/check/faults/lock.cu", "--", "5"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.said, HasSubstr("--arg"));
    EXPECT_EQ(run({"check", "--checkers", "leaks", "/bin/true"}).code, 2);
}

}  // namespace programs_test
}  // namespace warpwright::check
