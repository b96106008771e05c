// NVIDIA's ptxas, which a script stands for: where it is found, what is read of what it says, and what it may do wrong.
#include "compile/ptxas/ptxas.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "common/fake_ptxas.hpp"
#include "support/library_search.hpp"
#include "support/settings.hpp"
#include "support/warnings.hpp"

namespace warpwright::compile {
namespace ptxas_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PtxasInfo, FiguresOfEachFunction) {
    const auto m = read_ptxas_info(
        test::text_of(std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/fuzz/corpus/ptxas_info/two_kernels.txt"));
    ASSERT_EQ(m.size(), 2u);
    EXPECT_EQ(m.at("_Z1bPdi"), (AssembledFunction{40, 48, 16, 24}));
    EXPECT_EQ(m.at("_Z1aPfi"), (AssembledFunction{10, 0, 0, 0}));
}

TEST(PtxasInfo, AFunctionThatIsCalledHasNoRegistersOfItsOwn) {
    const auto m =
        read_ptxas_info(test::text_of(std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/fuzz/corpus/ptxas_info/called.txt"));
    EXPECT_EQ(m.at("k"), (AssembledFunction{24, 400, 4, 4})) << "with what the function spills that it calls";
    EXPECT_EQ(m.at("_Z1ff"), (AssembledFunction{std::nullopt, 408, 4, 4}));
}

TEST(PtxasInfo, WhatNoThreadHasIsPassedOver) {
    const std::string head = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n";
    for (const char* used : {"256", "99999999999999999999999", "-1", "x", ""})
        EXPECT_FALSE(
            read_ptxas_info(head + "ptxas info    : Used " + used + " registers\n").at("k").registers.has_value())
            << used;
    EXPECT_THAT(read_ptxas_info("ptxas info    : Used 8 registers\n"), IsEmpty());
    EXPECT_THAT(read_ptxas_info("ptxas info    : Compiling entry function 'a\x1b[2J' for 'sm_90'\n"), IsEmpty());
}

TEST(PtxasInfo, Versions) {
    const auto theirs = read_ptxas_version(
        "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88\n");
    ASSERT_TRUE(theirs);
    EXPECT_EQ(theirs->release, "13.0");
    EXPECT_EQ(theirs->build, "13.0.88");
    EXPECT_FALSE(theirs->ours);
    EXPECT_FALSE(read_ptxas_version("gcc (Debian) 14, release 13.0, V13.0.88"));
    EXPECT_FALSE(read_ptxas_version("Ptx optimizing assembler, release , V"));
}

/// The environment and the warnings of a test.
class PtxasTest : public testing::Test {
protected:
    void SetUp() override {
        on_warning([this](const std::string& text) { warnings_.push_back(text); });
        for (const Setting s : {Setting::ptxas, Setting::ptxas_timeout, Setting::cuda_home, Setting::cuda_path})
            ::unsetenv(settings::variable(s));
    }
    void TearDown() override {
        on_warning({});
        ::setenv("WARPWRIGHT_PTXAS", "off", 1);
    }
    Result<std::shared_ptr<Ptxas>> named(const std::string& path) {
        settings::choose(Setting::ptxas, path);
        return Ptxas::of_process(cache_.string());
    }
    std::optional<AssembledModule> figures(const std::string& path, const std::string& entry = "") {
        auto ptxas = named(path);
        EXPECT_TRUE(ptxas.ok());
        return ptxas.ok() ? said((*ptxas)->figures(text_, 90, entry)) : std::nullopt;
    }
    /// What was said, where time did not run out.
    static std::optional<AssembledModule> said(Result<std::optional<AssembledModule>> figures) {
        EXPECT_TRUE(figures) << figures.error().text();
        return figures ? std::move(*figures) : std::nullopt;
    }
    std::ptrdiff_t calls() const {
        const auto text = test::text_of(folder_ / "calls");
        return std::count(text.begin(), text.end(), '\n');
    }

    const test::Folder folder_{"ptxas-test"}, cache_{"ptxas-cache"};
    const std::string ptx_ = ".version 8.0\n.target sm_90\n";
    const AssembleText text_{"k.ptx", ptx_, "sm_90"};
    const std::string old_ptx_ = ".version 8.0\n.target sm_90a\n";
    const AssembleText old_{"k.ptx", old_ptx_, ""};  ///< it has no other target to be assembled for
    std::vector<std::string> warnings_;
};

TEST_F(PtxasTest, FiguresAreTakenAndKept) {
    const auto path = test::fake_ptxas(folder_, test::ptxas_says("k", 77, 16, 8, 12));
    auto ptxas = named(path);
    ASSERT_TRUE(ptxas.ok());
    for (int turn = 0; turn < 2; ++turn) {
        const auto module = said((*ptxas)->figures(text_, 90, ""));
        ASSERT_TRUE(module);
        EXPECT_EQ(module->at("k"), (AssembledFunction{77, 16, 8, 12}));
    }
    EXPECT_EQ((*ptxas)->source(), "ptxas 99.1");
    EXPECT_TRUE(figures(path)) << "another process would read what is kept";
    EXPECT_EQ(calls(), 1);
    EXPECT_THAT(test::text_of(folder_ / "calls"), HasSubstr("-v -arch=sm_90 -o /dev/null /"));
    EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(PtxasTest, AnotherTargetOrKernelIsAnotherText) {
    auto ptxas = named(test::fake_ptxas(folder_, test::ptxas_says("k", 77)));
    ASSERT_TRUE(ptxas.ok());
    EXPECT_TRUE(said((*ptxas)->figures(text_, 90, "")));
    EXPECT_TRUE(said((*ptxas)->figures(text_, 80, "")));
    EXPECT_TRUE(said((*ptxas)->figures(text_, 90, "k")));
    EXPECT_TRUE(said((*ptxas)->figures({"k.ptx", ptx_, "sm_90a"}, 90, "")));
    EXPECT_EQ(calls(), 4);
    const auto words = test::text_of(folder_ / "calls");
    for (const char* wanted : {"-arch=sm_90 ", "-arch=sm_80 ", "--entry k ", "-arch=sm_90a "})
        EXPECT_THAT(words, HasSubstr(wanted));
}

TEST_F(PtxasTest, WhatItRefusesIsSaidOnce) {
    const auto path = test::fake_ptxas(folder_, "ptxas fatal   : no \x1b[2Jmemory\n", "exit 1");
    auto ptxas = named(path);
    ASSERT_TRUE(ptxas.ok());
    EXPECT_FALSE(said((*ptxas)->figures(old_, 30, "")));
    EXPECT_FALSE(said((*ptxas)->figures(old_, 35, "")));
    EXPECT_THAT(warnings_,
                ElementsAre("ptxas 99.1 (" + path +
                            ") cannot assemble 'k.ptx' for sm_30, so its registers are estimated: no ?[2Jmemory"));
    EXPECT_EQ(calls(), 2);
    EXPECT_FALSE(said((*named(path))->figures(old_, 30, "")));
    EXPECT_EQ(calls(), 3) << "it may have been for want of memory";
}

TEST_F(PtxasTest, ADeviceThatItDoesNotKnowIsNamed) {
    const auto path =
        test::fake_ptxas(folder_, "ptxas fatal   : Value 'sm_30' is not defined for option 'gpu-name'\n", "exit 1");
    EXPECT_FALSE(said((*named(path))->figures(old_, 30, "")));
    EXPECT_THAT(warnings_, ElementsAre("ptxas 99.1 (" + path + ") does not know sm_30, so registers are estimated"));
}

TEST_F(PtxasTest, AnErrorOfTheTextIsKept) {
    const auto path = test::fake_ptxas(folder_, "ptxas k.ptx, line 3; error   : Unknown symbol 'x'\n", "exit 255");
    for (int process = 0; process < 2; ++process) EXPECT_FALSE(said((*named(path))->figures(old_, 90, "")));
    EXPECT_EQ(calls(), 1);
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("so its registers are estimated: Unknown symbol 'x'")));
}

TEST_F(PtxasTest, ATextWithMoreThanItsTargetHasIsAssembledForTheDevice) {
    // It refuses what does not name the target that has all.
    const auto path = test::fake_ptxas(folder_, test::ptxas_says("k", 77),
                                       "for f; do :; done; grep -q '^.target sm_90a, debug$' $f || exit 255; exit 0");
    const std::string ptx = ".version 8.0\n.target sm_80, debug\n// sm_80\n";
    auto ptxas = named(path);
    ASSERT_TRUE(ptxas.ok());
    const auto module = said((*ptxas)->figures({"k.ptx", ptx, "sm_80"}, 90, ""));
    ASSERT_TRUE(module);
    EXPECT_EQ(module->at("k").registers, 77u);
    EXPECT_THAT(warnings_, IsEmpty());
    EXPECT_THAT(test::text_of(folder_ / "calls"), HasSubstr("-arch=sm_90a "));
    EXPECT_FALSE(said((*ptxas)->figures({"k.ptx", ptx, "sm_80"}, 89, ""))) << "no device has it under this name";
}

TEST_F(PtxasTest, WhatSaysNothingOfUseIsNotTaken) {
    for (const char* words : {"", "Used many registers\n", "\xff\xfe\n"}) {
        const test::Folder folder("ptxas-test");
        warnings_.clear();
        settings::choose(Setting::ptxas, test::fake_ptxas(folder, words));
        EXPECT_FALSE(said((*Ptxas::of_process(cache_.string()))->figures(text_, 90, ""))) << words;
        EXPECT_THAT(warnings_, ElementsAre(HasSubstr("its output does not name registers")));
    }
    EXPECT_TRUE(figures(test::fake_ptxas(folder_, test::ptxas_says("k", 77)))) << "nonsense is not kept";
}

// Estimates in the place of what it did not say in time would make figures depend on what else the machine does.
TEST_F(PtxasTest, WhatHangsIsStoppedAndIsAnErrorOfEveryModule) {
    const auto path = test::fake_ptxas(folder_, test::ptxas_says("k", 77), "exec sleep 1000");
    settings::choose(Setting::ptxas_timeout, "0.2");
    for (int turn = 1; turn <= 2; ++turn) {  // another process tries it again
        auto ptxas = named(path);
        ASSERT_TRUE(ptxas.ok());
        const auto late = (*ptxas)->figures(text_, 90, "");
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().kind, ErrorKind::limit);
        EXPECT_THAT(late.error().text(), AllOf(HasSubstr("did not assemble 'k.ptx' within 0.2 s"),
                                               HasSubstr("WARPWRIGHT_PTXAS_TIMEOUT"), HasSubstr("--ptxas off")));
        EXPECT_FALSE((*ptxas)->figures(old_, 90, "")) << "a module after the other would take as long";
        EXPECT_EQ(calls(), turn);
    }
    EXPECT_THAT(warnings_, IsEmpty());
    ::unsetenv("WARPWRIGHT_PTXAS_TIMEOUT");
}

TEST_F(PtxasTest, WhatTheUserNamesMustBeOne) {
    const auto why = [&](const std::string& path) {
        const auto ptxas = named(path);
        return ptxas.ok() ? std::string("taken") : ptxas.error().text();
    };
    EXPECT_EQ(why((folder_ / "none").string()), "error: WARPWRIGHT_PTXAS: there is no program '" +
                                                    (folder_ / "none").string() +
                                                    "' (a path of NVIDIA's ptxas, or off)");
    EXPECT_THAT(why("/bin/true"), HasSubstr("'/bin/true' is not NVIDIA's ptxas"));
    const auto ours = test::fake_ptxas(folder_, "", "exit 0",
                                       "ptxas: NVIDIA (R) Ptx optimizing assembler, by the stand-in of Warpwright "
                                       "1\\nrelease 13.0, V13.0.0\\n, release "
                                       "13.0, V13.0.0\\n");
    EXPECT_THAT(why(ours), HasSubstr("is Warpwright's stand-in, not NVIDIA's ptxas"));
    EXPECT_EQ(*named("off"), nullptr);
}

TEST_F(PtxasTest, FoundInAToolkitBeforeThePathAndTheStandInIsPassedOver) {
    const test::Folder first("path"), second("path"), toolkit("toolkit");
    test::fake_ptxas(
        first, "", "exit 0",
        "ptxas: NVIDIA (R) Ptx optimizing assembler, by the stand-in of Warpwright 1\\nCuda, release 13.0, "
        "V13.0.0\\n");
    test::fake_ptxas(second, test::ptxas_says("k", 50));
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (first.string() + ":" + second.string() + ":" + before).c_str(), 1);
    EXPECT_EQ(figures("")->at("k").registers, 50u);
    const test::Folder other("ptxas-test");
    toolkit.write("bin/x", "");
    std::filesystem::rename(test::fake_ptxas(other, test::ptxas_says("k", 60)), toolkit / "bin/ptxas");
    ::setenv("CUDA_HOME", toolkit.string().c_str(), 1);
    auto ptxas = Ptxas::of_process("");
    EXPECT_EQ(said((*ptxas)->figures(text_, 90, ""))->at("k").registers, 60u);
    ::unsetenv("CUDA_HOME");
    ::setenv("PATH", before.c_str(), 1);
}

TEST_F(PtxasTest, OneThatIsFoundAndNoneIsSaidAndPassedOver) {
    const test::Folder first("path"), second("path");
    test::fake_ptxas(first, "", "exit 0", "I am a teapot\\n");
    test::fake_ptxas(second, test::ptxas_says("k", 50));
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", (first.string() + ":" + first.string() + ":" + second.string() + ":" + before).c_str(), 1);
    EXPECT_EQ(figures("")->at("k").registers, 50u);
    EXPECT_THAT(warnings_, ElementsAre("'" + (first / "ptxas").string() +
                                       "' is not NVIDIA's ptxas, so it is passed over (WARPWRIGHT_PTXAS=off "
                                       "looks for none)"));
    ::setenv("PATH", before.c_str(), 1);
}

TEST_F(PtxasTest, NvidiasOwnWhereItIsInstalled) {
    const std::string path = "/usr/local/cuda/bin/ptxas";
    if (find_program(path).empty()) GTEST_SKIP() << "there is no " << path;
    const std::string ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n"
        "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 7;\nret;\n}\n";
    auto ptxas = named(path);
    ASSERT_TRUE(ptxas.ok()) << ptxas.error().text();
    const auto module = said((*ptxas)->figures({"k.ptx", ptx, "sm_75"}, 90, "k"));
    ASSERT_TRUE(module);
    EXPECT_GE(module->at("k").registers.value_or(0), 4u);
    EXPECT_LE(module->at("k").registers.value_or(0), 16u);
}

}  // namespace ptxas_test
}  // namespace warpwright::compile
