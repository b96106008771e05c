// Whose figures of registers the kernels of the emulated device have.
#include <cstdlib>

#include "arch/model.hpp"
#include "common/fake_ptxas.hpp"
#include "launch/limits.hpp"
#include "support.hpp"
#include "support/cause.hpp"

namespace registers_source_test {

using namespace device_tests;
using namespace warpwright;

class RegistersSource : public testing::Test {
protected:
    void TearDown() override { ::setenv("WARPWRIGHT_PTXAS", "off", 1); }
    /// The kernels of a module on a device with the script as its ptxas.
    std::shared_ptr<device::Module> load(const std::string& ptxas, const std::string& ptx, bool lazy = false) {
        ::setenv("WARPWRIGHT_PTXAS", ptxas.c_str(), 1);
        device::EmulatedOptions options;
        options.lazy = lazy;
        device_ = std::move(*device::make_emulated(options));
        return std::move(*device_->load("k.ptx", ptx));
    }
    const test::Folder folder_{"ptxas-test"};
    std::unique_ptr<device::Device> device_;
    const std::string two_ = kHeader + kernel("u64 p", "", "a") + kernel("u64 p", "", "b");
};

TEST_F(RegistersSource, EstimatedWithoutAnAssembler) {
    const auto module = load("off", two_);
    EXPECT_EQ(module->kernels()[0].registers_source, "estimated");
    EXPECT_EQ(module->kernels()[0].registers, 16u);
}

TEST_F(RegistersSource, FiguresTakeThePlaceOfTheEstimate) {
    const auto fake = test::fake_ptxas(folder_, test::ptxas_says("a", 99, 24, 8, 8) + test::ptxas_says("b", 8));
    const auto module = load(fake, two_);
    const auto& a = module->kernels()[0];
    EXPECT_EQ(a.registers, 99u);
    EXPECT_EQ(a.registers_source, "ptxas 99.1");
    EXPECT_EQ(a.local, 24u);
    EXPECT_EQ(module->kernels()[1].registers, 16u) << "no launch has fewer";
    EXPECT_EQ(test::text_of(folder_ / "calls").find("--entry"), std::string::npos);
}

TEST_F(RegistersSource, AKernelThatItDoesNotNameIsEstimated) {
    const auto module = load(test::fake_ptxas(folder_, test::ptxas_says("a", 99)), two_);
    EXPECT_EQ(module->kernels()[0].registers_source, "ptxas 99.1");
    EXPECT_EQ(module->kernels()[1].registers_source, "estimated");
}

TEST_F(RegistersSource, OfManyKernelsThoseThatAreUsed) {
    std::string many = kHeader;
    for (int k = 0; k < 20; ++k) many += kernel("u64 p", "", "k" + std::to_string(k));
    const auto module = load(test::fake_ptxas(folder_, test::ptxas_says("k7", 33)), many, true);
    EXPECT_EQ(test::text_of(folder_ / "calls"), "") << "nothing was asked for yet";
    EXPECT_EQ((*module->kernel("k7"))->registers, 33u);
    EXPECT_EQ((*module->kernel("k7"))->registers_source, "ptxas 99.1");
    const auto calls = test::text_of(folder_ / "calls");
    EXPECT_THAT(calls, testing::HasSubstr("--entry k7 "));
    EXPECT_EQ(std::count(calls.begin(), calls.end(), '\n'), 1);
}

/// 40 kernels, of which two are assembled at a time.
std::string forty_kernels() {
    std::string many = kHeader;
    for (int k = 0; k < 40; ++k) many += kernel("u64 p", "", "k" + std::to_string(k));
    return many;
}

TEST_F(RegistersSource, AModuleOfHundredsIsReadAFewTimesAndNotForEachKernel) {
    const auto fake = test::fake_ptxas(folder_, test::ptxas_says("k6", 31) + test::ptxas_says("k7", 33));
    const auto module = load(fake, forty_kernels(), true);
    EXPECT_EQ((*module->kernel("k7"))->registers, 33u);
    EXPECT_EQ((*module->kernel("k6"))->registers, 31u);
    const auto calls = test::text_of(folder_ / "calls");
    EXPECT_THAT(calls, testing::HasSubstr("--entry k6,k7 "));
    EXPECT_EQ(std::count(calls.begin(), calls.end(), '\n'), 1);
}

TEST_F(RegistersSource, AKernelThatItCannotAssembleDoesNotTakeOthersWithIt) {
    const auto fake = test::fake_ptxas(folder_, test::ptxas_says("k7", 33), "case \"$*\" in *k6,k7*) exit 1;; esac");
    const auto module = load(fake, forty_kernels(), true);
    EXPECT_EQ((*module->kernel("k7"))->registers, 33u);
    EXPECT_THAT(test::text_of(folder_ / "calls"), testing::HasSubstr("--entry k7 "));
}

TEST_F(RegistersSource, WhatCannotBeUsedIsAnErrorUnlessEstimatesAreAskedFor) {
    ::setenv("WARPWRIGHT_PTXAS", "/nowhere/ptxas", 1);
    device::EmulatedOptions options;
    const auto made = device::make_emulated(options);
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.error().text(), testing::HasSubstr("WARPWRIGHT_PTXAS: there is no program '/nowhere/ptxas'"));
    options.estimated_registers = true;
    EXPECT_TRUE(device::make_emulated(options).ok());
}

TEST_F(RegistersSource, KnownOnesBeyondTheRegisterFileRefuseTheLaunch) {
    ::setenv("WARPWRIGHT_PTXAS", test::fake_ptxas(folder_, test::ptxas_says("a", 181)).c_str(), 1);
    device::EmulatedOptions options;
    options.limits = launch::limits_of(arch::load_model("h200").value());
    auto device = device::make_emulated(options);
    ASSERT_TRUE(device) << device.error().text();
    auto module = (*device)->load("k.ptx", two_);
    ASSERT_TRUE(module) << module.error().text();
    const auto with = parameters(std::uint64_t{0});
    const auto ran = (*device)->launch(**module, "a", {{1, 1, 1}, {512, 1, 1}}, with, {});
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().what, "launch of 'a': 94208 registers per block, the limit is 65536");
    EXPECT_EQ(info(ran.error().cause).cuda, 701);  // cudaErrorLaunchOutOfResources
    EXPECT_TRUE((*device)->launch(**module, "a", {{1, 1, 1}, {256, 1, 1}}, with, {}));
    EXPECT_TRUE((*device)->launch(**module, "b", {{1, 1, 1}, {512, 1, 1}}, with, {})) << "an estimate refuses nothing";
}

}  // namespace registers_source_test
