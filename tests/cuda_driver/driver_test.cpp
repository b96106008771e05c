// The driver library: a program that checks itself, and the page that lists its functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compile/process.hpp"
#include "occurrences.hpp"

namespace warpwright {
namespace driver_test {

using testing::HasSubstr;

TEST(Driver, AProgramOfBothLibrariesPassesItsOwnChecks) {
    auto ran = compile::run_process({WARPWRIGHT_TEST_DRIVER_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
    // What is not here is said, and once.
    EXPECT_EQ(occurrences(ran->errors, "cuGreenCtxCreate is not supported"), 1u) << ran->errors;
    EXPECT_EQ(occurrences(ran->errors, "private table"), 1u) << ran->errors;
    EXPECT_THAT(ran->errors, HasSubstr("null pointer: global store"));
}

TEST(Driver, HandlesByChanceAreRefusedOrRight) {
    auto ran = compile::run_process({WARPWRIGHT_TEST_DRIVER_HANDLES});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
}

TEST(Driver, TheRuntimeLibrarysFirstCallInitialisesIt) {
    auto ran = compile::run_process({WARPWRIGHT_TEST_DRIVER_PROGRAM, "runtime-first"});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->exit_code, 0) << ran->output << ran->errors;
    EXPECT_THAT(ran->output, HasSubstr("passed"));
}

TEST(Driver, ItsCallsStandInTheProfile) {
    const std::string file = testing::TempDir() + "ww-driver-profile-" + std::to_string(::getpid());
    auto ran = compile::run_process({"/usr/bin/env", "WARPWRIGHT_PROFILE=" + file, WARPWRIGHT_TEST_DRIVER_PROGRAM});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    std::stringstream profile;
    profile << std::ifstream(file).rdbuf();
    EXPECT_THAT(profile.str(), HasSubstr("\"cuLaunchKernel\""));
    EXPECT_THAT(profile.str(), HasSubstr("\"cudaMalloc\""));
    std::remove(file.c_str());
}

struct Row {
    const char *kind, *name, *symbol;
    int version;
};
const Row kRows[] = {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments) {#kind, #name, #symbol, version},
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
};

std::string page() {
    std::map<std::string, std::string> forms;
    for (const auto& r : kRows) {
        auto& f = forms[r.name];
        std::string symbol = "`" + std::string(r.symbol) + "` (" + std::to_string(r.version / 1000) + "." +
                             std::to_string(r.version % 1000 / 10) + ")";
        f += (f.empty() ? "" : ", ") + symbol;
    }
    std::ostringstream out;
    out << "# Functions of the driver library\n\n"
           "This page is made from the table `toolchain/include/warpwright/driver_api.inc` by the tests of "
           "`cuda_driver`\n"
           "(`WARPWRIGHT_UPDATE_GOLDEN=1` writes it again). [driver.md](driver.md) says how the library behaves. For "
           "each\n"
           "function there are the symbols of its forms, each with the version of CUDA from which `cuGetProcAddress` "
           "gives\n"
           "it. Those that work in a stream have a form `_ptsz` or `_ptds` as well, for which stream 0 is the thread's "
           "own.\n\n"
           "| function | forms |\n|---|---|\n";
    for (const auto& [name, text] : forms) out << "| `" << name << "` | " << text << " |\n";
    return out.str();
}

TEST(Driver, ThePageListsTheTable) {
    const std::string file = WARPWRIGHT_SOURCE_DIR "/docs/driver-functions.md";
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << page();
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_TRUE(text.str() == page()) << "docs/driver-functions.md is old: WARPWRIGHT_UPDATE_GOLDEN=1 writes it again";
}

TEST(Driver, NoFunctionStandsTwice) {
    std::set<std::string> symbols, missing;
    for (const auto& r : kRows) EXPECT_TRUE(symbols.insert(r.symbol).second) << r.symbol;
    for (const char* name : {
#define WW_CU_ROW(kind, rule, version, name, symbol, parameters, arguments)
#define WW_CU_MISSING(name) #name,
#include "warpwright/driver_api.inc"
#undef WW_CU_ROW
         }) {
        EXPECT_TRUE(missing.insert(name).second) << name;
        EXPECT_FALSE(symbols.count(name)) << name;
    }
}

}  // namespace driver_test
}  // namespace warpwright
