// Modules are optimised once whatever they need: the compiler that is started here notes whether it came to write a
// text.
#include "compile/kernel/early_needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "compile/kernel/command.hpp"
#include "compile/kernel/compile.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace early_needs_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class EarlyNeedsOf : public testing::Test {
protected:
    void SetUp() override {
        const auto tools = find_tools({});
        ASSERT_TRUE(tools) << tools.error().text();
        if (tools->pass.empty()) GTEST_SKIP() << "no pass was built";
        options.compiler = folder.path() + "/noting";
        std::ofstream(options.compiler)
            << "#!/bin/sh\n'" << tools->compiler << "' \"$@\"; code=$?\n"
            << "for word in \"$@\"; do [ \"$before\" = -o ] && out=$word; before=$word; done\n"
            << "[ -s \"$out\" ] && echo wrote >> '" << list() << "' || echo ended >> '" << list() << "'\nexit $code\n";
        fs::permissions(options.compiler, fs::perms::owner_all);
    }
    std::string list() const { return folder.path() + "/list"; }
    /// The text of a kernel with this body; afterwards `runs` has what each run of the compiler did.
    std::string ptx_of(const std::string& body, const std::string& before = {}) {
        fs::remove(list());
        CompileRequest request;
        request.path = "kernel.cu";
        request.text = before + "\n__global__ void k(double* p) {\n    __shared__ double s[32];\n" +
                       "    s[threadIdx.x] = p[0];\n    __syncthreads();\n    p[1] = s[threadIdx.x ^ 1];\n" + body +
                       "\n}\n";
        auto made = compile(request, options);
        EXPECT_TRUE(made) << made.error().text();
        runs.clear();
        std::ifstream in(list());
        for (std::string line; std::getline(in, line);) runs.push_back(line);
        return made ? made->ptx : std::string();
    }

    TemporaryFolder folder{"needs"};
    CompileOptions options;
    std::vector<std::string> runs;
};

TEST_F(EarlyNeedsOf, a_kernel_without_any_is_compiled_in_one_run) {
    EXPECT_THAT(ptx_of(""), testing::ContainsRegex("st.shared.f64 \t\\[%r[0-9]"));
    EXPECT_THAT(runs, ElementsAre("wrote"));
}

TEST_F(EarlyNeedsOf, one_that_calls_the_library_is_optimised_once) {
    const auto ptx = ptx_of("    p[2] = exp(p[3]);");
    EXPECT_THAT(runs, ElementsAre("ended", "wrote"));
    EXPECT_THAT(ptx, Not(HasSubstr(".extern .func")));
    EXPECT_THAT(ptx, Not(HasSubstr("warpwright")));
    EXPECT_THAT(ptx, HasSubstr("fma.rn.f64"));
}

TEST_F(EarlyNeedsOf, calls_that_the_optimiser_removes_change_nothing) {
    const auto plain = ptx_of("    p[2] = p[3];");
    const auto ptx = ptx_of("    p[2] = p[3]; double unused = exp(p[3]); (void)unused;");
    EXPECT_THAT(runs, ElementsAre("ended", "wrote", "wrote"));
    EXPECT_EQ(ptx, plain);
}

/// Functions of a source's own types are internal as the library's are, and have names like them.
TEST_F(EarlyNeedsOf, a_sources_internal_functions_are_none_of_the_library) {
    const std::string own =
        "namespace { struct Add { __device__ double operator()(double x) const { return x + 1; } }; }\n"
        "template <class F> __device__ __attribute__((noinline)) double apply(F f, double x) { return f(x); }\n"
        "__device__ __attribute__((noinline)) double twice(Add f, double x) { return f(f(x)); }\n";
    const std::string calls = "    p[2] = apply(Add(), p[3]) + twice(Add(), p[4]);";
    const auto plain = ptx_of(calls, own);
    EXPECT_THAT(runs, ElementsAre("wrote"));
    const auto ptx = ptx_of(calls + " double unused = exp(p[3]); (void)unused;", own);
    EXPECT_THAT(runs, ElementsAre("ended", "wrote", "wrote"));
    EXPECT_EQ(ptx, plain);
}

/// The pass' line is lost behind messages of which nobody reads so many.
TEST_F(EarlyNeedsOf, many_warnings_hide_no_need) {
    const auto words = "#warning " + std::string(1000, 'w') + "\n";
    std::string many;
    for (unsigned i = 0; i < 6000; ++i) many += words;
    EXPECT_THAT(ptx_of("    p[2] = exp(p[3]);", many), HasSubstr("fma.rn.f64"));
}

TEST_F(EarlyNeedsOf, constants_that_a_macro_hides_are_seen_early) {
    const auto ptx = ptx_of("    p[2] = table[threadIdx.x];",
                            "#define WORD(a, b) a##b\nWORD(__const, ant__) double table[64] = {1};");
    EXPECT_THAT(runs, ElementsAre("ended", "wrote"));
    EXPECT_THAT(ptx, testing::ContainsRegex("ld.const.f64 \t%fd[0-9]+, \\[%rd"));
    (void)ptx_of("    p[2] = table[threadIdx.x];", "__constant__ double table[64] = {1};");
    EXPECT_THAT(runs, ElementsAre("wrote")) << "the source says it";
}

TEST(EarlyNeeds, lines_are_taken_out_of_what_is_shown) {
    std::string messages = "kernel.cu:1:2: warning: x\nwarpwright: may call the library\nwarpwright: has constants\n";
    const auto needs = take_needs(messages);
    EXPECT_TRUE(needs.library && needs.constants);
    EXPECT_EQ(messages, "kernel.cu:1:2: warning: x\n");
    EXPECT_FALSE(take_needs(messages).any());
    messages = "quoted: warpwright: may call the library\n";
    EXPECT_FALSE(take_needs(messages).any());
    messages = "warpwright: used the library\nkernel.cu:1:2: warning: x\n";
    EXPECT_TRUE(take_library_use(messages));
    EXPECT_EQ(messages, "kernel.cu:1:2: warning: x\n");
    EXPECT_FALSE(take_library_use(messages));
}

}  // namespace early_needs_test
}  // namespace warpwright::compile
