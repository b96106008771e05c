// What the simulation takes from a device model: defaults where the table [timing] gives nothing, its figures where it
// does; and the page that lists them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "timing/parameters.hpp"

namespace warpwright::timing {
namespace {

arch::DeviceModel model(const std::string& name) {
    auto m = arch::load_model(name);
    EXPECT_TRUE(m.ok());
    return *m;
}

/// A value that no figure has by itself, and that its range has room for.
double other(std::string_view key) { return key == "dram_efficiency" || key == "farther" ? 0.5 : 13; }

TEST(Parameters, EachFigureOfTheTableReplacesItsDefault) {
    const arch::DeviceModel plain = model("h200");
    for (const TakenFigure& f : taken_figures(plain)) {
        EXPECT_FALSE(f.given) << f.key;
        const std::string key(f.key);
        const std::string text = "schema = 1\ninherit = \"h200\"\n[timing]\nsource = \"a test's\"\n" + key + " = " +
                                 std::to_string(other(key)) + "\n";
        const auto changed = arch::parse_model(text, "m.toml");
        ASSERT_TRUE(changed.ok()) << changed.error().text();
        for (const TakenFigure& now : taken_figures(*changed)) {
            EXPECT_EQ(now.given, now.key == f.key) << now.key;
            double expected = other(key);
            for (const TakenFigure& before : taken_figures(plain))
                if (before.key == now.key && now.key != f.key) expected = before.value;
            EXPECT_NEAR(now.value, expected, 1e-9) << key << ": " << now.key;
        }
    }
}

TEST(Parameters, WhatFollowsFromTheTableFollows) {
    arch::DeviceModel m = model("h200");
    const Parameters before = parameters(m);
    EXPECT_DOUBLE_EQ(before.memory_bytes, 0.92 * m.memory.bandwidth / m.clocks.bound);
    m.timing.dram_efficiency = 0.5;
    m.timing.product_of_warp = 2;
    const Parameters after = parameters(m);
    EXPECT_DOUBLE_EQ(after.memory_bytes, 0.5 * m.memory.bandwidth / m.clocks.bound);
    const auto bf16 = static_cast<std::size_t>(machine::MatrixType::bf16);
    EXPECT_DOUBLE_EQ(after.warp_product[bf16], 2 * after.warpgroup_product[bf16]);
    EXPECT_DOUBLE_EQ(before.warp_product[bf16], 1.54 * before.warpgroup_product[bf16]);
}

TEST(Parameters, ThePageListsEachFigureWithItsDefault) {
    std::ifstream page(WARPWRIGHT_SOURCE_DIR "/docs/devices.md");
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    for (const TakenFigure& f : taken_figures(model("h200"))) {
        const std::string row = "\n| " + std::string(f.key) + " | ";
        const std::size_t at = text.find(row);
        ASSERT_NE(at, std::string::npos) << f.key;
        std::size_t cell = at + row.size();
        for (int k = 0; k < 2; ++k) cell = text.find(" | ", cell) + 3;
        const std::string said = text.substr(cell, text.find(" | ", cell) - cell);
        // Words stand where the default follows from other figures.
        if (const char* begin = said.c_str(); said[0] >= '0' && said[0] <= '9') {
            char* end = nullptr;
            const double value = std::strtod(begin, &end);
            if (*end == 0 || *end == ';') EXPECT_NEAR(f.value, value, 1e-9) << f.key << ": " << said;
        }
    }
}

}  // namespace
}  // namespace warpwright::timing
