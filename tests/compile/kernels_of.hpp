// What our compile makes of kernels, for tests that count its instructions.
#pragma once
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "compile/kernel/compile.hpp"

namespace warpwright::compile {

/// The instructions of each kernel of a source, one text each.
inline std::map<std::string, std::vector<std::string>> kernels_of(const std::string& source) {
    CompileRequest request;
    request.path = "k.cu";
    request.text = source;
    request.line_info = false;
    const auto made = compile(request);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    std::map<std::string, std::vector<std::string>> kernels;
    if (!made) return kernels;
    std::string name, line;
    std::istringstream lines(made->ptx);
    while (std::getline(lines, line)) {
        std::smatch found;
        if (std::regex_search(line, found, std::regex(R"(\.entry (\w+))"))) name = found[1];
        if (!name.empty() && line.starts_with("\t") && line.find("\t.") == std::string::npos)
            kernels[name].push_back(line);
    }
    return kernels;
}

inline long count(const std::vector<std::string>& lines, const std::string& pattern) {
    const std::regex wanted(pattern);
    return std::ranges::count_if(lines, [&](const std::string& line) { return std::regex_search(line, wanted); });
}

inline constexpr const char* kBranch = R"(^\t@.* bra)";

}  // namespace warpwright::compile
