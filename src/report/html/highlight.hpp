// Cuts source text into tokens for colouring: CUDA C++, OpenCL C, C++ and PTX. Knows words, not grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwright::report {

enum class Token { plain, keyword, type, builtin, number, text, comment, directive };

struct Piece {
    Token token = Token::plain;
    std::string_view text;
};

/// The pieces of each line, in order; together they are the line. A comment or raw string may go over lines.
std::vector<std::vector<Piece>> highlight(const std::vector<std::string>& lines, std::string_view language);

}  // namespace warpwright::report
