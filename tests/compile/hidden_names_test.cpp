// A program's macros do not reach into our headers, whatever their names.
#include <gmock/gmock.h>

#include <set>

#include "compile/kernel/command.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace hidden_names_test {

/// The names that warpwright/hide_names.h sets aside: those of all our headers.
std::vector<std::string> hidden_names() {
    auto tools = find_tools({});
    if (!tools) return {};
    for (const std::string& folder : tools->headers) {
        auto text = warpwright::read_file(folder + "/warpwright/hide_names.h", file_limit::source);
        if (!text) continue;
        std::vector<std::string> names;
        constexpr std::string_view kMark = "push_macro(\"";
        for (std::size_t at = 0; (at = text->find(kMark, at)) != std::string::npos;) {
            at += kMark.size();
            names.push_back(text->substr(at, text->find('"', at) - at));
        }
        return names;
    }
    return {};
}

/// Compiles a text that includes headers of ours, with a macro that breaks all code for each of the names.
Result<CompiledPtx> compile_with_all(const std::string& text) {
    CompileRequest request;
    request.path = "macros.cu";
    request.text = text;
    const std::set<std::string> of_text{"int", "void"};
    for (const std::string& name : hidden_names())
        if (!of_text.contains(name)) request.defines.push_back(name + "=) broken (");
    return compile(request);
}

TEST(HiddenNames, AreThoseOfParametersAndTemplates) {
    const auto names = hidden_names();
    EXPECT_GT(names.size(), 1000u);
    for (const char* name : {"U", "P", "T", "tid", "x", "size", "block", "op", "lane"})
        EXPECT_THAT(names, testing::Contains(name));
    // What our headers define themselves, and what the C library does while they are read, stays.
    for (const char* name : {"INFINITY", "M_PI", "assert", "offsetof", "NULL"})
        EXPECT_THAT(names, testing::Not(testing::Contains(name)));
}

TEST(HiddenNames, AMacroForEachBreaksNoHeader) {
    for (const char* header : {"cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h",
                               "cooperative_groups/memcpy_async.h", "mma.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_fp6.h",
                               "cuda_fp4.h", "cuda_bf16.h", "cuda_pipeline.h"}) {
        const auto made =
            compile_with_all(std::string("#include <") + header + ">\n__global__ void Of_the_user(int*) {}\n");
        EXPECT_TRUE(made) << header << ": " << (made ? "" : made.error().text());
    }
}

TEST(HiddenNames, AMacroIsTheProgramsOwnAgainBehindThem) {
    CompileRequest request;
    request.path = "macros.cu";
    request.text = "#include <cuda_fp16.h>\n__global__ void k(T* out) { out[0] = U; assert(out); }\n";
    request.defines = {"U=2", "T=float", "device=1", "global=1", "aligned=1"};
    const auto made = compile(request);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_THAT(made->ptx, testing::HasSubstr("1073741824"));  // the bits of 2.0f
}

}  // namespace hidden_names_test
}  // namespace warpwright::compile
