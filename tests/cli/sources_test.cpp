// What launch, check and run do with a source, before anything runs.
#include <gmock/gmock.h>

#include "common/program.hpp"

namespace warpwright::cli {
namespace sources_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class Sources : public testing::Test {
protected:
    std::string source(const std::string& name, const std::string& text) const {
        return folder_.write(name, text).string();
    }
    /// As a process of its own, which finds the libraries.
    test::Said run(const std::string& words) const {
        return test::shell("COLUMNS=400 WARPWRIGHT_LIBCUDA=/nowhere " WARPWRIGHT_PROGRAM " " + words);
    }
    const test::Folder folder_{"sources"};
    const std::string scale_ =
        source("scale.cu",
               "__global__ void scale(const float* in, float* out, int n) {\n  int i = blockIdx.x * blockDim.x + "
               "threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];\n}\n");
};

TEST_F(Sources, ABufferOfDoublesIsNoneOfFloats) {
    for (const char* command : {"launch", "check"}) {
        const auto o = test::program(
            {command, scale_, "--block", "64", "--arg", "f64[64]=ones", "--arg", "f32[64]=zero", "--arg", "64"});
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_THAT(o.error, AllOf(HasSubstr("argument 0 ('f64[64]=ones') does not fit: 'in' is const float*, whose "
                                             "elements have 4 bytes"),
                                   HasSubstr("a buffer of f32: f32[64]=ones")));
    }
    const auto bytes = test::program({"launch", scale_, "--block", "64", "--arg", "u8[256]=zero", "--arg",
                                      "f32[64]=zero", "--arg", "64", "--bounds"});
    EXPECT_EQ(bytes.code, 0) << bytes.error;
}

TEST_F(Sources, ALaunchTakesWhatRunTakes) {
    const auto file = source("nohead.cu",
                             "__global__ void k(int* p) { *p = 1; }\nvoid other() {\n  int* p = (int*)malloc(4);\n"
                             "  memset(p, rand(), 4);\n  free(p);\n}\n");
    const auto o = test::program({"launch", file, "--arg", "i32[1]=zero", "--bounds"});
    EXPECT_EQ(o.code, 0) << o.error;
}

TEST_F(Sources, WarningsAreToldOnce) {
    const auto file = source("warns.cu",
                             "#include <cstdio>\n__global__ void k(int* p, int n) {\n  if (n = 3) *p = 1;\n}\n"
                             "int main() { int unused; puts(\"ran\"); }\n");
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t n = 0;
        for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
        return n;
    };
    const std::string condition = "warns.cu:3:9: warning: use of \"=\" where \"==\" may have been intended";
    const std::string unused = "variable \"unused\" was declared but never referenced";
    for (const std::string& words :
         {"run --quiet " + file, "check " + file, "launch " + file + " --arg i32[1]=zero --arg 1 --bounds",
          "build " + file + " -o " + (folder_ / "app").string()}) {
        const auto o = run(words);
        EXPECT_EQ(count(o.error, condition), 1u) << words << ": " << o.error;
        EXPECT_EQ(count(o.error, unused), 1u) << words << ": " << o.error;
    }
    for (const std::string& words :
         {"run --quiet -Wall " + file, "build -Xcompiler -Wall " + file + " -o " + (folder_ / "app").string()}) {
        const auto o = run(words);
        EXPECT_EQ(o.code, 0) << o.error;
        EXPECT_EQ(count(o.error, unused), 1u) << words << ": " << o.error;
    }
}

TEST_F(Sources, AMissingLibraryIsNamedByItsFlag) {
    const auto file = source("blas.cu",
                             "extern \"C\" int cublasCreate_v2(void**);\n"
                             "int main() { void* h; return cublasCreate_v2(&h); }\n");
    const auto without = run("run --quiet " + file);
    EXPECT_EQ(without.code, 2);
    EXPECT_THAT(without.error, AllOf(HasSubstr("undefined reference to `cublasCreate_v2'"), HasSubstr("add -lcublas")));
    const auto with = run("run --quiet " + file + " -lcublas");
    EXPECT_THAT(with.error, Not(HasSubstr("undefined reference")));
}

TEST_F(Sources, AKernelThatTwoFilesDefineIsNamed) {
    const auto kernel = source("kernel.cu", "__global__ void twice(int* p) { *p = 1; }\n");
    const auto both = source("both.cu", "#include \"kernel.cu\"\nint main() { twice<<<1, 1>>>(nullptr); }\n");
    const auto o = run("build " + both + " " + kernel + " -o " + (folder_ / "app").string());
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, AllOf(HasSubstr("multiple definition of `twice(int*)'"),
                               HasSubstr("two of the files define it: one may include the other")));
}

TEST_F(Sources, AQualifierDirectlyBehindAStringIsHinted) {
    const auto file = source("linkage.cu", "extern \"C\"__global__ void k() {}\nint main() {}\n");
    const auto o = run("run --quiet " + file);
    EXPECT_THAT(o.error, HasSubstr("clang wants a blank behind the string: extern \"C\" __global__"));
}

TEST_F(Sources, AFunctionOfAnotherFileIsHinted) {
    const auto file = source("part.cu", "void elsewhere();\nint main() { elsewhere(); }\n");
    const auto o = run("run --quiet " + file);
    EXPECT_THAT(o.error, HasSubstr("if it is defined in another file, name that too"));
}

TEST_F(Sources, ALaunchWithBlanksBetweenItsSignsIsHinted) {
    const auto file = source("blanks.cu", "__global__ void k() {}\nint main() { k << <1, 1>> >(); }\n");
    const auto o = run("run --quiet " + file);
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, HasSubstr("clang wants a launch's signs without blanks: kernel<<<grid, block>>>(arguments)"));
}

TEST_F(Sources, TheTimeOfDayNeedsNoHeader) {
    const auto file = source("time.cu", "int main() { struct timeval t; return gettimeofday(&t, 0); }\n");
    const auto o = run("run --quiet " + file);
    EXPECT_EQ(o.code, 0) << o.error;
}

}  // namespace sources_test
}  // namespace warpwright::cli
