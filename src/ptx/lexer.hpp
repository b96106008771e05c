// Words of PTX text. The lexer hands out one token at a time and keeps one token of look-ahead;
// token texts are views into the text that was given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.hpp"

namespace warpwright::ptx {

/// Thrown and caught inside this room only: parse() turns it into its one Error.
struct ParseFailure {
    Error error;
};

struct Token {
    enum class Kind : std::uint8_t {
        end,
        word,     ///< identifier or opcode: `%r1`, `add`, `_`
        dot,      ///< dotted word, `text` without the dot: `f32`, `L2::128B`, `reg`
        integer,  ///< `value`; `is_unsigned` after a U suffix or when it does not fit in 63 bits
        real32,   ///< 0f........: `value` holds the 32 bits
        real64,   ///< 0d................ or 1.5: `value` holds the 64 bits
        string,   ///< `text` between the quotes
        punct,    ///< one or two characters in `text`
    };
    Kind kind = Kind::end;
    bool is_unsigned = false;
    bool space_before = false;
    std::string_view text;
    std::uint64_t value = 0;
    std::uint32_t line = 0, column = 0;

    bool is(char c) const { return kind == Kind::punct && text.size() == 1 && text[0] == c; }
    bool is(std::string_view t) const { return kind == Kind::punct && text == t; }
    bool is_dot(std::string_view t) const { return kind == Kind::dot && text == t; }
    bool is_word() const { return kind == Kind::word; }
};

class Lexer {
public:
    Lexer(std::string_view text, std::string name);

    const Token& peek() const { return current_; }
    Token take() {
        Token out = current_;
        scan();
        return out;
    }
    bool accept(char c) {
        if (!current_.is(c)) return false;
        scan();
        return true;
    }
    bool accept_dot(std::string_view word) {
        if (!current_.is_dot(word)) return false;
        scan();
        return true;
    }
    /// Takes `c` or fails; `where` says after what it is expected ("after the operand").
    void expect(char c, std::string_view where);
    /// A word that names something.
    Token expect_word(std::string_view what);
    /// A plain integer literal.
    std::uint64_t expect_integer(std::string_view what);

    [[noreturn]] void fail(const Token& at, std::string what, std::string hint = {}) const;
    [[noreturn]] void fail(std::string what, std::string hint = {}) const {
        fail(current_, std::move(what), std::move(hint));
    }
    /// How messages describe this token.
    static std::string describe(const Token& token);

private:
    void scan();
    void skip_blank();
    void scan_number();
    void scan_decimal_real();
    void scan_string();
    [[noreturn]] void fail_here(std::string what) const;

    std::string name_;
    const char* begin_;
    const char* at_;
    const char* end_;
    const char* line_begin_;
    std::uint32_t line_ = 1;
    Token current_;
};

}  // namespace warpwright::ptx
