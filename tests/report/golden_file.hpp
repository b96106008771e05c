// Compares text with a file of tests/report/golden; WARPWRIGHT_UPDATE_GOLDEN=1 writes the file instead.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace warpwright::test {

inline void expect_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(WARPWRIGHT_SOURCE_DIR) + "/tests/report/golden/" + name;
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    std::ifstream in(path, std::ios::binary);
    std::ostringstream want;
    want << in.rdbuf();
    ASSERT_TRUE(in) << path;
    EXPECT_EQ(text, want.str()) << "run with WARPWRIGHT_UPDATE_GOLDEN=1 after reading the difference";
}

}  // namespace warpwright::test
