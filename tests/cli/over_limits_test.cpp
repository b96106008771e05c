// `launch` and `check` refuse launches over a limit of the device model.
#include "common/over_limits.hpp"

#include <gmock/gmock.h>

#include "common/program.hpp"

namespace warpwright::cli {
namespace over_limits_test {

std::string extent(const std::uint32_t (&e)[3]) {
    return std::to_string(e[0]) + "x" + std::to_string(e[1]) + "x" + std::to_string(e[2]);
}

TEST(OverLimits, TheCommandsRefuseThem) {
    const test::Folder folder("over-limits");
    const std::string file = folder.write("k.ptx", test::kAnyKernel);
    for (const char* command : {"launch", "check"})
        for (const auto& over : test::kOverLimits) {
            std::vector<std::string> words{
                command,           file,      "--kernel",         "k",        "--grid",
                extent(over.grid), "--block", extent(over.block), "--shared", std::to_string(over.dynamic_shared)};
            if (over.cooperative) words.push_back("--cooperative");
            const auto said = test::program(words);
            EXPECT_EQ(said.code, 2) << command << ": " << over.words;
            EXPECT_THAT(said.error, testing::HasSubstr(over.words)) << command;
        }
}

}  // namespace over_limits_test
}  // namespace warpwright::cli
