// Names and values that a compiler, an assembler or a linker would take for options: "@x" stands for the options in a
// file x, and clang hands some parts of its command line on as words of their own, where the same holds again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compile/kernel/compile.hpp"
#include "compile/process.hpp"
#include "compile/program/build_program.hpp"
#include "support/temporary_folder.hpp"

namespace names_test {

namespace fs = std::filesystem;
using namespace warpwright;
using testing::HasSubstr;

constexpr const char* kKernel = "extern \"C\" __global__ void k(int* p) { p[0] = 1; }\n";
/// What a file beside the source says: clang refuses it where it reads it as options.
constexpr const char* kOptions = "-nonsense-of-a-stranger\n";

/// A stranger's folder, in which the command runs.
class Names : public testing::Test {
protected:
    Names() : folder_("names"), before_(fs::current_path()) { fs::current_path(folder_.path()); }
    ~Names() override { fs::current_path(before_); }

    static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
    static Result<compile::CompiledPtx> compiled(compile::CompileRequest request) {
        return compile::compile(request, {});
    }

    TemporaryFolder folder_;
    fs::path before_;
};

TEST_F(Names, OfSourcesAreNames) {
    write("r.cu", kOptions);
    write("nonsense.cu", kOptions);
    fs::create_directories("@folder");
    for (const char* name : {"@r.cu", "-nonsense.cu", "--", "-", "@folder/k.cu", "@folder/@r.cu", "k.cu"}) {
        SCOPED_TRACE(name);
        write(fs::absolute(name).string(), kKernel);
        compile::CompileRequest request;
        request.path = name;
        const auto ptx = compiled(request);
        ASSERT_TRUE(ptx.ok()) << ptx.error().text();
        EXPECT_THAT(ptx->entries, testing::ElementsAre("k"));
        EXPECT_THAT(ptx->ptx, HasSubstr(std::string("\"") + name)) << "line information names it as the user does";
        request.path = fs::absolute(name).string();
        EXPECT_TRUE(compiled(request).ok());
    }
}

TEST_F(Names, OfSourcesOfOpenClAndOfTexts) {
    write("r.cl", kOptions);
    write("@r.cl", "__kernel void k(__global int* p) { p[0] = 1; }\n");
    compile::CompileRequest cl;
    cl.path = "@r.cl";
    cl.language = "opencl";
    EXPECT_TRUE(compiled(cl).ok());
    // As NVRTC's programs are named.
    compile::CompileRequest text;
    text.path = "@r.cl";
    text.text = kKernel;
    EXPECT_TRUE(compiled(text).ok());
}

TEST_F(Names, ErrorsStandAtTheUsersName) {
    write("@r.cu", "__global__ void k() { wrong }\n");
    compile::CompileRequest request;
    request.path = "@r.cu";
    const auto ptx = compiled(request);
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.error().where.file, "@r.cu");
    EXPECT_EQ(ptx.error().where.line, 1u);
}

TEST_F(Names, OfFoldersAndMacros) {
    write("in", kOptions);
    fs::create_directories("@in");
    write("@in/part.h", "#define VALUE 3\n");
    write("k.cu", "#include \"part.h\"\nextern \"C\" __global__ void k(int* p) { p[0] = VALUE; }\n");
    compile::CompileRequest request;
    request.path = "k.cu";
    for (const char* how : {"-I", "-isystem", "-iquote", "-idirafter"}) {
        request.flags = {how, "@in"};
        EXPECT_TRUE(compiled(request).ok()) << how;
        request.flags = {std::string(how) + "@in"};
        EXPECT_TRUE(compiled(request).ok()) << how;
    }
    request.flags.clear();
    request.include_dirs = {"@in"};
    EXPECT_TRUE(compiled(request).ok());
    request.flags = {"-include", "@in/part.h"};
    EXPECT_TRUE(compiled(request).ok());
    request.flags.clear();
    for (const char* macro : {"@in", "@in=3"}) {
        request.defines = {macro};
        const auto ptx = compiled(request);
        ASSERT_FALSE(ptx.ok());
        EXPECT_EQ(ptx.error().kind, ErrorKind::usage) << ptx.error().text();
        EXPECT_THAT(ptx.error().what, testing::Not(HasSubstr("nonsense")));
    }
}

TEST_F(Names, OfWhatIsBuilt) {
    write("r.cu", kOptions);
    write("o.o", kOptions);
    write("@r.cu", kKernel);
    compile::WholeRequest request;
    request.sources = {"@r.cu"};
    request.program = "@o.o";
    request.flags = {"-c"};
    auto ok = compile::build_program(request, {});
    ASSERT_TRUE(ok.ok()) << ok.error().text();
    EXPECT_TRUE(fs::exists("@o.o"));
    write("a.a", kOptions);
    request.sources = {"@o.o"};
    request.program = "@a.a";
    request.flags = {"-lib"};
    ok = compile::build_program(request, {});
    ASSERT_TRUE(ok.ok()) << ok.error().text();
    EXPECT_TRUE(fs::exists("@a.a"));
}

TEST(Words, NoneIsAResponseFile) {
    const auto safe =
        compile::without_response_files({"clang", "@a", "-I@b", "-isystem", "@c", "-x", "cuda", "-DA=@b"});
    ASSERT_TRUE(safe.ok());
    EXPECT_THAT(*safe, testing::ElementsAre("clang", "./@a", "-I./@b", "-isystem", "./@c", "-x", "cuda", "-DA=@b"));
    EXPECT_FALSE(compile::without_response_files({"clang", "-D@a"}).ok());
    EXPECT_FALSE(compile::without_response_files({"clang", "-U@a"}).ok());
}

}  // namespace names_test
