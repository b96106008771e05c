// Golden texts of the LLVM code of kernels before it is optimised, as WARPWRIGHT_DUMP_LLVM prints it: ir/NAME.ptx and
// ir/NAME.ll. The code must not depend on the compiler that built the engine, for instance on the order in which it
// evaluates the arguments of a call. WARPWRIGHT_UPDATE_GOLDEN=1 in the environment writes the .ll files again.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/run/engine.hpp"

namespace warpwright::engine {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(WARPWRIGHT_SOURCE_DIR) / "tests/engine/ir";

std::string read(const std::filesystem::path& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

/// What a launch of the text's kernel prints with the setting, for a processor that all build machines have.
Result<std::string> dumped(const std::string& name) {
    EngineOptions options;
    options.cpu = "avx2";
    options.threads = 1;
    options.memory = std::uint64_t{1} << 28;
    options.better_after = -1;
    auto engine = Engine::create(options);
    if (!engine) return std::move(engine).error();
    auto program = (*engine)->load(name + ".ptx", read(kFolder / (name + ".ptx")));
    if (!program) return std::move(program).error();
    const auto data = (*engine)->memory().allocate(8192);
    if (!data) return data.error();
    std::memset(reinterpret_cast<void*>(*data), 1, 8192);
    std::byte parameters[16]{};
    const std::uint32_t n = 50;
    std::memcpy(parameters, &*data, 8);
    std::memcpy(parameters + 8, &n, 4);
    LaunchRequest request;
    request.block[0] = 64;
    request.parameters =
        std::span(parameters).first((*program)->module.functions.front().parameters.size() == 1 ? 8 : 12);
    request.timeout = std::chrono::seconds(60);
    ::setenv("WARPWRIGHT_DUMP_LLVM", "1", 1);
    testing::internal::CaptureStderr();
    const auto reply = (*engine)->launch(**program, 0, request);
    std::string text = testing::internal::GetCapturedStderr();
    ::unsetenv("WARPWRIGHT_DUMP_LLVM");
    if (!reply) return reply.error();
    return text;
}

class IrGolden : public testing::TestWithParam<const char*> {};

TEST_P(IrGolden, IsTheSameWhateverCompilerBuiltTheEngine) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "the golden texts are for x86-64";
#endif
    const std::string name = GetParam();
    const auto text = dumped(name);
    if (!text && text.error().kind == ErrorKind::usage) GTEST_SKIP() << text.error().text();
    ASSERT_TRUE(text) << text.error().text();
    const auto optimised = text->find("; optimised\n");
    ASSERT_TRUE(text->starts_with("; before it is optimised\n")) << text->substr(0, 200);
    ASSERT_NE(optimised, std::string::npos) << "both texts are printed";
    const std::string before = text->substr(0, optimised);
    const auto golden = kFolder / (name + ".ll");
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(golden) << before;
    EXPECT_EQ(before, read(golden)) << golden;
}

INSTANTIATE_TEST_SUITE_P(Kernels, IrGolden, testing::Values("arithmetic", "waits"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace warpwright::engine
