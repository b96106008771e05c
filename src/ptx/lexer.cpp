// One pass over the text with a table of what each byte may be. Places are counted while it goes, and the first wrong
// byte ends the parsing with a ParseFailure that names its place.
#include "ptx/lexer.hpp"

#include <array>
#include <bit>
#include <charconv>

namespace warpwright::ptx {
namespace {

enum : unsigned char { kBlank = 1, kDigit = 2, kStart = 4, kPart = 8 };

constexpr std::array<unsigned char, 256> kClass = [] {
    std::array<unsigned char, 256> out{};
    for (char c : {' ', '\t', '\r', '\n', '\f', '\v'}) out[static_cast<unsigned char>(c)] = kBlank;
    for (int c = '0'; c <= '9'; ++c) out[c] = kDigit | kPart;
    for (int c = 'a'; c <= 'z'; ++c) out[c] = out[c - 'a' + 'A'] = kStart | kPart;
    for (char c : {'_', '$'}) out[static_cast<unsigned char>(c)] = kStart | kPart;
    return out;
}();

unsigned char class_of(char c) { return kClass[static_cast<unsigned char>(c)]; }

bool word_char(char c) { return (class_of(c) & kPart) != 0; }

int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string name)
    : name_(std::move(name)), begin_(text.data()), at_(begin_), end_(begin_ + text.size()), line_begin_(begin_) {
    // Texts taken from a fat binary end in zero bytes.
    while (end_ != begin_ && end_[-1] == '\0') --end_;
    scan();
}

void Lexer::fail(const Token& at, std::string what, std::string hint) const {
    throw ParseFailure{Error{ErrorKind::input, std::move(what), Location{name_, at.line, at.column}, std::move(hint)}};
}

void Lexer::fail_here(std::string what) const {
    Token here;
    here.line = line_;
    here.column = static_cast<std::uint32_t>(at_ - line_begin_) + 1;
    fail(here, std::move(what));
}

std::string Lexer::describe(const Token& token) {
    std::string text(token.text.substr(0, 64));
    if (token.text.size() > 64) text += "...";
    switch (token.kind) {
        case Token::Kind::end:
            return "the end of the text";
        case Token::Kind::dot:
            return "'." + text + "'";
        case Token::Kind::string:
            return "a string";
        default:
            return "'" + text + "'";
    }
}

void Lexer::expect(char c, std::string_view where) {
    if (!accept(c)) {
        std::string what = "expected '";
        what += c;
        what += "' ";
        what += where;
        fail(what + ", found " + describe(current_));
    }
}

Token Lexer::expect_word(std::string_view what) {
    if (!current_.is_word()) fail("expected " + std::string(what) + ", found " + describe(current_));
    return take();
}

std::uint64_t Lexer::expect_integer(std::string_view what) {
    if (current_.kind != Token::Kind::integer) fail("expected " + std::string(what) + ", found " + describe(current_));
    return take().value;
}

void Lexer::skip_blank() {
    while (at_ != end_) {
        char c = *at_;
        if (c == '\n') {
            ++line_;
            line_begin_ = ++at_;
        } else if (class_of(c) & kBlank) {
            ++at_;
        } else if (c == '/' && at_ + 1 != end_ && at_[1] == '/') {
            while (at_ != end_ && *at_ != '\n') ++at_;
        } else if (c == '/' && at_ + 1 != end_ && at_[1] == '*') {
            const char* from = at_;
            at_ += 2;
            while (end_ - at_ >= 2 && !(at_[0] == '*' && at_[1] == '/')) {
                if (*at_ == '\n') {
                    ++line_;
                    line_begin_ = at_ + 1;
                }
                ++at_;
            }
            if (end_ - at_ < 2) {
                at_ = from < line_begin_ ? line_begin_ : from;
                fail_here("a comment is not closed");
            }
            at_ += 2;
        } else if (c == '#' && at_ == line_begin_) {
            // A line that the C preprocessor left.
            while (at_ != end_ && *at_ != '\n') ++at_;
        } else {
            return;
        }
    }
}

void Lexer::scan() {
    const char* before = at_;
    skip_blank();
    Token& t = current_;
    t.space_before = at_ != before;
    t.is_unsigned = false;
    t.value = 0;
    t.line = line_;
    t.column = static_cast<std::uint32_t>(at_ - line_begin_) + 1;
    const char* from = at_;
    if (at_ == end_) {
        t.kind = Token::Kind::end;
        t.text = {};
        return;
    }
    char c = *at_;
    unsigned char cls = class_of(c);
    if ((cls & kStart) || (c == '%' && at_ + 1 != end_ && word_char(at_[1]))) {
        ++at_;
        while (at_ != end_ && word_char(*at_)) ++at_;
        t.kind = Token::Kind::word;
    } else if (cls & kDigit) {
        scan_number();
        return;
    } else if (c == '.' && at_ + 1 != end_ && word_char(at_[1])) {
        ++at_;
        ++from;
        while (at_ != end_ &&
               (word_char(*at_) || (*at_ == ':' && end_ - at_ > 2 && at_[1] == ':' && word_char(at_[2]))))
            at_ += *at_ == ':' ? 2 : 1;
        t.kind = Token::Kind::dot;
    } else if (c == '"') {
        scan_string();
        return;
    } else {
        static constexpr std::string_view kSingle = "{}[]()<>,;:+-*/%&|^~!?=@.";
        if (kSingle.find(c) == std::string_view::npos) {
            static constexpr char kHex[] = "0123456789abcdef";
            auto byte = static_cast<unsigned char>(c);
            if (byte > 32 && byte < 127) fail_here(std::string("unexpected character '") + c + "'");
            fail_here(std::string("unexpected byte 0x") + kHex[byte >> 4] + kHex[byte & 15]);
        }
        ++at_;
        if (at_ != end_) {
            std::string_view two(from, 2);
            for (std::string_view pair : {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"})
                if (two == pair) {
                    ++at_;
                    break;
                }
        }
        t.kind = Token::Kind::punct;
    }
    t.text = std::string_view(from, static_cast<std::size_t>(at_ - from));
}

void Lexer::scan_string() {
    const char* from = ++at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\n') {
        if (*at_ == '\\' && at_ + 1 != end_ && at_[1] != '\n') ++at_;
        ++at_;
    }
    if (at_ == end_ || *at_ == '\n') {
        at_ = from - 1;
        fail_here("a string is not closed");
    }
    current_.kind = Token::Kind::string;
    current_.text = std::string_view(from, static_cast<std::size_t>(at_ - from));
    ++at_;
}

void Lexer::scan_decimal_real() {
    double value = 0;
    auto [end, error] = std::from_chars(at_, end_, value);
    if (error == std::errc::invalid_argument) fail_here("malformed number");
    if (error == std::errc::result_out_of_range) fail_here("the number does not fit in 64-bit floating point");
    at_ = end;
    current_.kind = Token::Kind::real64;
    current_.value = std::bit_cast<std::uint64_t>(value);
}

void Lexer::scan_number() {
    Token& t = current_;
    const char* from = at_;
    t.kind = Token::Kind::integer;
    char second = end_ - at_ > 1 ? at_[1] : '\0';
    if (*at_ == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        bool single = second == 'f' || second == 'F';
        int digits = single ? 8 : 16;
        at_ += 2;
        for (int i = 0; i < digits; ++i, ++at_) {
            if (at_ == end_ || digit_value(*at_) > 15) {
                at_ = from;
                fail_here(single ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
            }
            t.value = t.value << 4 | static_cast<unsigned>(digit_value(*at_));
        }
        t.kind = single ? Token::Kind::real32 : Token::Kind::real64;
    } else {
        unsigned base = 10;
        if (*at_ == '0' && (second == 'x' || second == 'X')) base = 16;
        if (*at_ == '0' && (second == 'b' || second == 'B')) base = 2;
        if (*at_ == '0' && second >= '0' && second <= '9') base = 8;
        if (base == 16 || base == 2) at_ += 2;
        const char* digits = at_;
        bool overflow = false;
        while (at_ != end_ && static_cast<unsigned>(digit_value(*at_)) < (base == 8 ? 10 : base)) {
            auto digit = static_cast<unsigned>(digit_value(*at_));
            overflow |= __builtin_mul_overflow(t.value, std::uint64_t{base}, &t.value);
            overflow |= __builtin_add_overflow(t.value, std::uint64_t{digit}, &t.value);
            if (digit >= base) overflow = true;  // an 8 or 9 among octal digits; fine only in a real number
            ++at_;
        }
        bool real = (base == 10 || base == 8) && at_ != end_ &&
                    ((*at_ == '.' && at_ + 1 != end_ && (class_of(at_[1]) & kDigit)) || *at_ == 'e' || *at_ == 'E');
        if (real) {
            at_ = from;
            scan_decimal_real();
        } else {
            if (at_ == digits) {
                at_ = from;
                fail_here("malformed number");
            }
            if (overflow) {
                at_ = from;
                fail_here(base == 8 ? "malformed octal number" : "the number does not fit in 64 bits");
            }
            t.is_unsigned = t.value >> 63 != 0;
            if (at_ != end_ && *at_ == 'U') {
                t.is_unsigned = true;
                ++at_;
            }
        }
    }
    if (at_ != end_ && word_char(*at_)) {
        at_ = from;
        fail_here("malformed number");
    }
    t.text = std::string_view(from, static_cast<std::size_t>(at_ - from));
}

}  // namespace warpwright::ptx
