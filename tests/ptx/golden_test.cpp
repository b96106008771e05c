// Small texts and what the printer makes of them, kept side by side: golden/NAME.ptx, golden/NAME.printed.
// WARPWRIGHT_UPDATE_GOLDEN=1 in the environment writes the .printed files again.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support.hpp"

namespace warpwright::ptx::test {
namespace golden_test {

TEST(Golden, PrintedTexts) {
    std::vector<std::filesystem::path> inputs;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() + "golden"))
        if (entry.path().extension() == ".ptx") inputs.push_back(entry.path());
    ASSERT_GE(inputs.size(), 5u);
    for (std::filesystem::path path : inputs) {
        Module module = parsed(read_file(path.string()));
        EXPECT_EQ(round_trip(module), "") << path;
        std::string text = print(module);
        path.replace_extension(".printed");
        if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) std::ofstream(path) << text;
        EXPECT_EQ(text, read_file(path.string())) << path;
    }
}

TEST(Golden, OneFunctionAndOneInstruction) {
    Module module = parsed(read_file(data_folder() + "golden/calls.ptx"));
    const Function& odd = module.functions[module.find_function("odd")];
    EXPECT_NE(print(module).find(print(module, odd)), std::string::npos);
    EXPECT_EQ(print(module, odd, odd.body[2]), "call.uni (retval0), even, (param0);");
    const Function& even = module.functions[module.find_function("even")];
    EXPECT_EQ(print(module, even, even.body[3]), "@%p1 bra SLOW;");
}

}  // namespace golden_test
}  // namespace warpwright::ptx::test
