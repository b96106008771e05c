// Tables of the documentation that are made from the tables of the record room.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace warpwright::record::test {

/// A word of code; empty where there is none.
inline std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

/// Compares what a page has between "<!-- made from NAME -->" and "<!-- end -->"; WARPWRIGHT_UPDATE_GOLDEN=1 writes it.
inline void expect_in(const std::string& page, const std::string& name, const std::string& want) {
    const std::string path = std::string(WARPWRIGHT_SOURCE_DIR) + "/docs/" + page;
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    std::string text = all.str();
    const std::string begin = "<!-- made from " + name + " -->\n", end = "<!-- end -->\n";
    auto from = text.find(begin);
    ASSERT_NE(from, std::string::npos) << page << " has no place for the table '" << name << "'";
    from += begin.size();
    const auto to = text.find(end, from);
    ASSERT_NE(to, std::string::npos) << page;
    if (std::getenv("WARPWRIGHT_UPDATE_GOLDEN")) {
        std::ofstream(path, std::ios::binary) << text.replace(from, to - from, want);
        return;
    }
    EXPECT_EQ(text.substr(from, to - from), want) << page << ": WARPWRIGHT_UPDATE_GOLDEN=1 writes the table again";
}

}  // namespace warpwright::record::test
