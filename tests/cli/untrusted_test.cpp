// --untrusted through the program: kernels run, and what they may not have is refused with one line.
#include <gmock/gmock.h>

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>

#include "common/files.hpp"
#include "common/program.hpp"
#include "confine/confine.hpp"

namespace warpwright::cli {
namespace untrusted_test {

using testing::HasSubstr;

test::Said program(const std::string& words) {
    return test::shell("WARPWRIGHT_LIBCUDA=/nowhere timeout -k 1 200 " WARPWRIGHT_PROGRAM " " + words);
}

constexpr const char* kPtx =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n"
    "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 7;\nret;\n}\n";

class Untrusted : public testing::Test {
protected:
    void SetUp() override {
        if (auto ok = confine::supported(); !ok) GTEST_SKIP() << ok.error().text();
    }
    const test::Folder folder_;
};

TEST_F(Untrusted, ptx_runs_and_is_checked) {
    const std::string file = folder_.write("k.ptx", kPtx);
    const auto said = program("launch --untrusted " + file + " --arg u32[1]=zero --json");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("\"global_store_requests\""));
    const auto checked = program("check --untrusted " + file + " --arg u32[1]=zero");
    EXPECT_EQ(checked.code, 0) << checked.error;
    const auto bad = program("check --untrusted " + file + " --arg u8[2]=zero");
    EXPECT_EQ(bad.code, 1) << bad.error;
    EXPECT_THAT(bad.out, HasSubstr("k.ptx:8"));
}

TEST_F(Untrusted, cuda_is_compiled_and_cannot_include_what_it_was_not_given) {
    const std::string file = folder_.write("k.cu", "__global__ void k(int* p) { *p = 7; }\nint main() { return 1; }\n");
    const auto said = program("launch --untrusted " + file + " --arg i32[1]=zero");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("after the run, i32[1]: 7;"));
    folder_.write("other/secret.h", "int told = 1;\n");
    for (const char* name : {"/etc/passwd", "other/secret.h"}) {
        const std::string spy =
            folder_.write("spy.cu", std::string("#include \"") + name + "\"\n__global__ void k(int* p) {}\n");
        const auto refused = program("launch --untrusted " + spy + " --arg i32[1]=zero");
        EXPECT_EQ(refused.code, 2) << name << refused.error;
        EXPECT_THAT(refused.error, HasSubstr("spy.cu:1")) << name;
        EXPECT_THAT(refused.error, testing::Not(HasSubstr("root:"))) << name;
    }
}

TEST_F(Untrusted, a_link_to_a_file_elsewhere_is_not_followed) {
    const auto secret = folder_.write("mine/secret", "the word of it\n");
    const std::string own = folder_.write("theirs/k.ptx", kPtx), spy = folder_ / "theirs/spy.ptx",
                      other = folder_ / "theirs/other.ptx";
    std::filesystem::create_symlink(secret, spy);
    std::filesystem::create_symlink("k.ptx", other);
    for (const std::string& words : {spy + " --arg u32[1]=zero", own + " --arg u8[15]=file:" + spy}) {
        const auto spied = program("launch --untrusted " + words);
        EXPECT_EQ(spied.code, 2);
        EXPECT_THAT(spied.error, HasSubstr("spy.ptx: error: is a link to a file in another folder"));
        EXPECT_THAT(spied.error, testing::Not(HasSubstr("word")));
    }
    EXPECT_EQ(program("launch --untrusted " + other + " --arg u32[1]=zero").code, 0);
}

TEST_F(Untrusted, memory_ends_at_its_limit) {
    const std::string file = folder_.write("k.ptx", kPtx);
    const auto said = program("launch --untrusted " + file + " --arg u8[8589934592]=zero");
    EXPECT_EQ(said.code, 2) << said.error;
    EXPECT_EQ(std::count(said.error.begin(), said.error.end(), '\n'), 1) << said.error;
}

TEST_F(Untrusted, files_and_devices_outside_are_usage_errors) {
    const std::string file = folder_.write("k.ptx", kPtx);
    for (const std::string& words :
         {"launch --untrusted " + file + " --arg u32[1]=zero --out 0:x.npy",
          "launch --untrusted " + file + " --arg u32[1]=zero --json=x.json",
          "launch --untrusted " + file + " --arg u32[1]=zero --device cuda",
          "check --untrusted " + file + " --kernel k --log x.txt",
          std::string("check --untrusted --ladder reduce --json=x.json"),
          std::string("lab --untrusted reduce --csv=x.csv"), std::string("lab --untrusted reduce --report x.html"),
          std::string("lab --untrusted reduce --db x.db"), std::string("lab --untrusted reduce --resume"),
          std::string("lab --untrusted reduce --device cuda"), std::string("lab --untrusted"),
          std::string("lab --untrusted reduce --models h200,a100")}) {
        const auto said = program(words);
        EXPECT_EQ(said.code, 2) << words;
        EXPECT_THAT(said.error, HasSubstr("--untrusted exclude each other")) << words;
    }
}

/// A ladder of one rung, `more` in the rung's table; its kernel doubles numbers, by a macro of the size.
std::string ladder_text(const std::string& source, const std::string& more = "") {
    return "schema = 1\nname = \"twice\"\ntitle = \"y = 2 x\"\n[problem]\nsizes = [\"n\"]\ndefault = [64, 96]\n"
           "[[buffer]]\nname = \"x\"\ntype = \"f32\"\ncount = \"n\"\ncontents = \"iota\"\n"
           "[[buffer]]\nname = \"y\"\ntype = \"f32\"\ncount = \"n\"\nrole = \"output\"\n"
           "[reference]\nelementwise = \"2*x\"\ninputs = [\"x\"]\noutput = \"y\"\n[tolerance]\nrelative = \"1e-6\"\n"
           "[[rung]]\nname = \"right\"\nsource = \"" +
           source +
           "\"\nentry = \"twice\"\narguments = [\"x\", \"y\"]\ngrid = [1]\nblock = [\"n\"]\nflops = \"n\"\n"
           "bytes = \"8*n\"\ndefines = { LAST = \"n\" }\n" +
           more;
}

constexpr const char* kTwice =
    "extern \"C\" __global__ void twice(const float* x, float* y) {\n"
    "    if (threadIdx.x < LAST) y[threadIdx.x] = 2 * x[threadIdx.x];\n}\n";

class UntrustedLadder : public Untrusted {
protected:
    std::string ladder(const std::string& kernel, const std::string& source = "twice.cu") const {
        folder_.write("ladder/twice.cu", kernel);
        folder_.write("ladder/ladder.toml", ladder_text(source));
        return folder_ / "ladder";
    }
};

TEST_F(UntrustedLadder, its_rungs_run_and_are_checked) {
    const std::string path = ladder(kTwice);
    const auto said = program("lab --untrusted " + path + " --csv");
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("right"));
    const auto checked = program("check --untrusted --ladder " + path);
    EXPECT_EQ(checked.code, 0) << checked.error;
    ladder("extern \"C\" __global__ void twice(const float* x, float* y) { y[LAST] = 2 * x[threadIdx.x]; }\n");
    const auto bad = program("check --untrusted --ladder " + path);
    EXPECT_EQ(bad.code, 1) << bad.error;
    EXPECT_THAT(bad.out, HasSubstr("twice.cu:1"));
}

TEST_F(UntrustedLadder, stores_nothing) {
    const std::string home = folder_ / "home";
    std::filesystem::create_directories(home);
    const auto said = test::shell("HOME=" + home + " XDG_DATA_HOME=" + home + "/data timeout -k 1 200 " +
                                  WARPWRIGHT_PROGRAM " lab --untrusted " + ladder(kTwice));
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_FALSE(std::filesystem::exists(home + "/data"));
}

TEST_F(UntrustedLadder, reads_nothing_outside_its_folder) {
    folder_.write("other/secret.h", "#error hunter2\n");
    folder_.write("other/secret.cu", "hunter2\n");
    const std::string kernel = kTwice;
    for (const std::string command : {"lab --untrusted ", "check --untrusted --ladder "}) {
        for (const char* name : {"/etc/passwd", "../other/secret.h"}) {
            const auto said = program(command + ladder("#include \"" + std::string(name) + "\"\n" + kernel));
            EXPECT_NE(said.code, 0) << name;
            EXPECT_THAT(said.error, HasSubstr("twice.cu:1")) << name;
            EXPECT_THAT(said.out + said.error, testing::Not(HasSubstr("root:"))) << name;
            EXPECT_THAT(said.out + said.error, testing::Not(HasSubstr("hunter2"))) << name;
        }
        const auto said = program(command + ladder(kernel, "../other/secret.cu"));
        EXPECT_NE(said.code, 0);
        EXPECT_THAT(said.out + said.error, testing::Not(HasSubstr("hunter2")));
    }
}

TEST_F(Untrusted, programs_are_built_and_run_as_ever) {
    const std::string file =
        folder_.write("app.cu",
                      "#include <cstdio>\n__global__ void k(int* p) { *p = 7; }\n"
                      "int main() {\n    int *p, v = 0;\n    cudaMalloc(&p, 4);\n    k<<<1, 1>>>(p);\n"
                      "    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);\n    std::printf(\"%d\\n\", v);\n}\n");
    const std::string app = folder_ / "app";
    const auto built = program("build --untrusted " + file + " -o " + app);
    ASSERT_EQ(built.code, 0) << built.error;
    const auto ran = test::shell(app);
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out, "7\n");
    const std::string object = folder_ / "app.o";
    EXPECT_EQ(program("build --untrusted --compile-flag=-c " + file + " -o " + object).code, 0);
    EXPECT_TRUE(std::filesystem::is_regular_file(object));
    EXPECT_EQ(program("build --untrusted " + file + " -o " + (folder_ / "no" / "app").string()).code, 2);
}

TEST_F(Untrusted, builds_take_in_nothing_that_was_not_given) {
    const std::string app = folder_ / "app";
    folder_.write("other/secret.h", "#error hunter2\n");
    folder_.write("other/secret.bin", "hunter2");
    const std::string secret = folder_ / "other";
    for (const std::string& line : {"#include \"" + secret + "/secret.h\"", std::string("#include \"/etc/passwd\""),
                                    "__asm__(\".incbin \\\"" + secret + "/secret.bin\\\"\");",
                                    "__asm__(\".include \\\"" + secret + "/secret.h\\\"\");"}) {
        const auto said =
            program("build --untrusted " + folder_.write("spy.cu", line + "\nint main() {}\n").string() + " -o " + app);
        EXPECT_EQ(said.code, 2) << line << said.error;
        EXPECT_THAT(said.out + said.error, testing::Not(HasSubstr("hunter2"))) << line;
        EXPECT_THAT(said.out + said.error, testing::Not(HasSubstr("root:"))) << line;
        EXPECT_FALSE(std::filesystem::exists(app)) << line;
    }
    // What is called an object and is a script for the linker.
    const std::string file = folder_.write("main.cpp", "int main() {}\n");
    const std::string script = folder_.write("x.o", "INPUT(" + secret + "/secret.bin)\n");
    const auto said = program("build --untrusted " + file + " " + script + " -o " + app);
    EXPECT_EQ(said.code, 2) << said.error;
    EXPECT_FALSE(std::filesystem::exists(app));
}

TEST_F(Untrusted, pipes_and_folders_are_called_what_they_are) {
    const std::string pipe = folder_ / "k.ptx", folder = folder_ / "f.ptx";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_directories(folder);
    for (const std::string command : {"launch ", "launch --untrusted ", "check --kernel k ", "check "}) {
        const auto said = program(command + pipe);
        EXPECT_EQ(said.code, 2) << command << said.error;
        EXPECT_THAT(said.error, HasSubstr("is a pipe, not a regular file")) << command;
        EXPECT_THAT(program(command + folder).error, HasSubstr("is a folder, not a regular file")) << command;
        EXPECT_THAT(program(command + "missing.ptx").error, HasSubstr("there is no file 'missing.ptx'")) << command;
    }
}

}  // namespace untrusted_test
}  // namespace warpwright::cli
