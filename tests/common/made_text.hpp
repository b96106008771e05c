// Parts of the documentation that are made from tables of the source.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "common/files.hpp"

namespace warpwright::test {

/// A word of code; empty where there is none.
inline std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

/// What stands in docs/`page` between "<!-- made from `maker` -->" and "<!-- end -->" is `want`; with
/// WARPWRIGHT_UPDATE_GOLDEN=1 it is written there.
inline void expect_made(const std::string& page, const std::string& maker, const std::string& want) {
    const std::filesystem::path path = std::filesystem::path(WARPWRIGHT_SOURCE_DIR) / "docs" / page;
    std::string text = text_of(path);
    const std::string begin = "<!-- made from " + maker + " -->\n", end = "<!-- end -->\n";
    auto from = text.find(begin);
    ASSERT_NE(from, std::string::npos) << page << " has no place for what is made from " << maker;
    from += begin.size();
    const auto to = text.find(end, from);
    ASSERT_NE(to, std::string::npos) << page;
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) {
        std::ofstream(path, std::ios::binary) << text.replace(from, to - from, want);
        return;
    }
    EXPECT_EQ(text.substr(from, to - from), want) << page << ": WARPWRIGHT_UPDATE_GOLDEN=1 writes it again";
}

}  // namespace warpwright::test
