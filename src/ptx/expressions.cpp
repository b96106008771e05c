// Constant expressions: 64-bit integers (signed unless a U suffix or a cast says otherwise) and
// floating-point numbers, with C's operators and precedences.
#include <bit>

#include "ptx/parser_state.hpp"

namespace warpwright::ptx {
namespace {

// 0: not a binary operator.
unsigned precedence(const Token& t) {
    if (t.kind != Token::Kind::punct) return 0;
    if (t.text.size() == 2) {
        if (t.text == "||") return 1;
        if (t.text == "&&") return 2;
        if (t.text == "==" || t.text == "!=") return 6;
        if (t.text == "<=" || t.text == ">=") return 7;
        return 8;  // << >>
    }
    switch (t.text[0]) {
        case '|':
            return 3;
        case '^':
            return 4;
        case '&':
            return 5;
        case '<':
        case '>':
            return 7;
        case '+':
        case '-':
            return 9;
        case '*':
        case '/':
        case '%':
            return 10;
        default:
            return 0;
    }
}

constexpr unsigned kTernary = 0;

Constant from_real(double value) { return {Constant::Kind::real64, false, std::bit_cast<std::uint64_t>(value)}; }

Constant from_bool(bool value) { return {Constant::Kind::integer, false, value ? 1u : 0u}; }

}  // namespace

double Constant::real() const {
    switch (kind) {
        case Kind::real32:
            return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        case Kind::real64:
            return std::bit_cast<double>(bits);
        default:
            return is_unsigned ? static_cast<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
    }
}

bool Parser::starts_constant() const {
    const Token& t = lex_.peek();
    switch (t.kind) {
        case Token::Kind::integer:
        case Token::Kind::real32:
        case Token::Kind::real64:
            return true;
        case Token::Kind::word:
            return t.text == "WARP_SZ";
        case Token::Kind::punct:
            return t.is('+') || t.is('-') || t.is('~') || t.is('(') || t.is('!');
        default:
            return false;
    }
}

std::uint64_t Parser::integer_expression(std::string_view what) {
    Token at = lex_.peek();
    if (!starts_constant()) lex_.fail("expected " + std::string(what) + ", found " + Lexer::describe(at));
    Constant value = expression();
    if (!value.is_integer()) lex_.fail(at, "expected " + std::string(what) + ", found a floating-point number");
    return value.bits;
}

Constant Parser::expression() { return binary(kTernary, 0); }

Constant Parser::binary(unsigned min_precedence, unsigned depth) {
    if (depth > kMaxExpressionDepth) lex_.fail("the expression is nested too deep");
    return continued(unary(depth), min_precedence, depth);
}

Constant Parser::continued(Constant left, unsigned min_precedence, unsigned depth) {
    while (unsigned p = precedence(lex_.peek())) {
        if (p <= min_precedence) break;
        Token op = lex_.take();
        left = apply(op.text, left, binary(p, depth + 1), op);
    }
    if (min_precedence == kTernary && lex_.peek().is('?')) {
        lex_.take();
        Constant yes = binary(kTernary, depth + 1);
        lex_.expect(':', "in the conditional expression");
        Constant no = binary(kTernary, depth + 1);
        bool taken = left.is_integer() ? left.bits != 0 : left.real() != 0;
        return taken ? yes : no;
    }
    return left;
}

Constant Parser::unary(unsigned depth) {
    if (depth > kMaxExpressionDepth) lex_.fail("the expression is nested too deep");
    Token t = lex_.take();
    switch (t.kind) {
        case Token::Kind::integer:
            return {Constant::Kind::integer, t.is_unsigned, t.value};
        case Token::Kind::real32:
            return {Constant::Kind::real32, false, t.value};
        case Token::Kind::real64:
            return {Constant::Kind::real64, false, t.value};
        case Token::Kind::word:
            if (t.text == "WARP_SZ") return {Constant::Kind::integer, false, 32};
            break;
        default:
            break;
    }
    if (t.is('(')) {
        if (lex_.peek().is_dot("s64") || lex_.peek().is_dot("u64")) {
            bool is_unsigned = lex_.take().text == "u64";
            lex_.expect(')', "after the cast");
            Constant value = unary(depth + 1);
            if (!value.is_integer()) lex_.fail(t, "only integers can be cast");
            value.is_unsigned = is_unsigned;
            return value;
        }
        Constant value = binary(kTernary, depth + 1);
        lex_.expect(')', "after the expression");
        return value;
    }
    if (t.is('+')) return unary(depth + 1);
    if (t.is('-')) {
        Constant value = unary(depth + 1);
        if (value.kind == Constant::Kind::real32)
            value.bits ^= 0x80000000u;
        else if (value.kind == Constant::Kind::real64)
            value.bits ^= std::uint64_t{1} << 63;
        else
            value.bits = std::uint64_t{0} - value.bits;
        return value;
    }
    if (t.is('~') || t.is('!')) {
        Constant value = unary(depth + 1);
        if (!value.is_integer()) lex_.fail(t, "'" + std::string(t.text) + "' takes an integer");
        if (t.is('!')) return from_bool(value.bits == 0);
        value.bits = ~value.bits;
        return value;
    }
    lex_.fail(t, "expected a constant, found " + Lexer::describe(t));
}

Constant Parser::apply(std::string_view op, Constant a, Constant b, const Token& at) {
    if (!a.is_integer() || !b.is_integer()) {
        double x = a.real(), y = b.real();
        if (op == "+") return from_real(x + y);
        if (op == "-") return from_real(x - y);
        if (op == "*") return from_real(x * y);
        if (op == "/") return from_real(x / y);
        if (op == "<") return from_bool(x < y);
        if (op == ">") return from_bool(x > y);
        if (op == "<=") return from_bool(x <= y);
        if (op == ">=") return from_bool(x >= y);
        if (op == "==") return from_bool(x == y);
        if (op == "!=") return from_bool(x != y);
        lex_.fail(at, "'" + std::string(op) + "' takes integers");
    }
    std::uint64_t x = a.bits, y = b.bits;
    auto sx = static_cast<std::int64_t>(x), sy = static_cast<std::int64_t>(y);
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    auto out = [&](std::uint64_t value) { return Constant{Constant::Kind::integer, is_unsigned, value}; };
    if (op == "+") return out(x + y);
    if (op == "-") return out(x - y);
    if (op == "*") return out(x * y);
    if (op == "/" || op == "%") {
        if (y == 0) lex_.fail(at, "division by zero");
        bool divide = op == "/";
        if (is_unsigned) return out(divide ? x / y : x % y);
        if (sy == -1) return out(divide ? std::uint64_t{0} - x : 0);  // the one quotient that overflows
        return out(static_cast<std::uint64_t>(divide ? sx / sy : sx % sy));
    }
    if (op == "<<" || op == ">>") {
        a.bits = op == "<<"      ? (y > 63 ? 0 : x << y)
                 : a.is_unsigned ? (y > 63 ? 0 : x >> y)
                                 : static_cast<std::uint64_t>(sx >> (y > 63 ? 63 : y));
        return a;
    }
    if (op == "&") return out(x & y);
    if (op == "|") return out(x | y);
    if (op == "^") return out(x ^ y);
    if (op == "&&") return from_bool(x != 0 && y != 0);
    if (op == "||") return from_bool(x != 0 || y != 0);
    if (op == "==") return from_bool(x == y);
    if (op == "!=") return from_bool(x != y);
    if (op == "<") return from_bool(is_unsigned ? x < y : sx < sy);
    if (op == ">") return from_bool(is_unsigned ? x > y : sx > sy);
    if (op == "<=") return from_bool(is_unsigned ? x <= y : sx <= sy);
    return from_bool(is_unsigned ? x >= y : sx >= sy);
}

}  // namespace warpwright::ptx
