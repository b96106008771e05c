// Operands of instructions.
#include <bit>

#include "ptx/parser_state.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {

Operand Parser::operand() {
    Operand first = primary_operand();
    if (!lex_.peek().is('|')) return first;
    // `p|q`, and `{a, b, c, d}|p` of texture fetches.
    bool may =
        first.kind == Operand::Kind::reg || first.kind == Operand::Kind::sink || first.kind == Operand::Kind::vector;
    if (!may) lex_.fail("'|' joins two registers");
    lex_.take();
    Operand out;
    out.kind = Operand::Kind::pair;
    out.elements.reserve(2);
    out.elements.push_back(std::move(first));
    Token at = lex_.peek();
    out.elements.push_back(primary_operand());
    Operand::Kind second = out.elements.back().kind;
    if (second != Operand::Kind::reg && second != Operand::Kind::sink) lex_.fail(at, "'|' joins two registers");
    return out;
}

Operand Parser::primary_operand() {
    const Token& t = lex_.peek();
    if (t.is_word() && t.text != "WARP_SZ") {
        Token name = lex_.take();
        return named_operand(name);
    }
    if (t.is('[')) return address_operand();
    if (t.is('{')) return vector_operand();
    if (t.is('!') || t.is('-')) {
        Token sign = lex_.take();
        if (lex_.peek().is_word() && lex_.peek().text != "WARP_SZ") {
            Token name = lex_.take();
            Operand out = named_operand(name);
            if (out.kind != Operand::Kind::reg)
                lex_.fail(name,
                          "'" + std::string(sign.text) + "' takes a register, not '" + std::string(name.text) + "'");
            (sign.is('!') ? out.negated : out.minus) = true;
            return out;
        }
        return signed_constant(sign);
    }
    if (starts_constant()) return from_constant(expression());
    lex_.fail("expected an operand, found " + Lexer::describe(t));
}

Operand Parser::from_constant(const Constant& value) {
    Operand out;
    out.kind = value.is_integer() ? Operand::Kind::integer : Operand::Kind::real;
    out.is_f32_bits = value.kind == Constant::Kind::real32;
    out.value = value.bits;
    return out;
}

// The sign of a constant is already taken, since a register might have followed.
Operand Parser::signed_constant(const Token& sign) {
    Constant value = unary(0);
    if (sign.is('!')) {
        if (!value.is_integer()) lex_.fail(sign, "'!' takes an integer");
        value = {Constant::Kind::integer, false, value.bits == 0 ? 1u : 0u};
    } else if (value.kind == Constant::Kind::real32) {
        value.bits ^= 0x80000000u;
    } else if (value.kind == Constant::Kind::real64) {
        value.bits ^= std::uint64_t{1} << 63;
    } else {
        value.bits = std::uint64_t{0} - value.bits;
    }
    return from_constant(continued(value, 0, 0));
}

unsigned Parser::component(std::string_view text) const {
    if (text == "x" || text == "r") return 0;
    if (text == "y" || text == "g") return 1;
    if (text == "z" || text == "b") return 2;
    if (text == "w" || text == "a") return 3;
    return 99;
}

Operand Parser::register_operand(RegId reg) const {
    Operand out;
    out.kind = Operand::Kind::reg;
    out.reg = reg;
    return out;
}

void Parser::undeclared(const Token& name) { lex_.fail(name, "'" + std::string(name.text) + "' is not declared"); }

/// An operand that names something declared in the text.
Operand Parser::declared_operand(const Token& name, const Name& found) {
    switch (found.kind) {
        case Name::Kind::reg: {
            Operand out = register_operand(found.id);
            // `%r1.b2`, `%r1.h0`: the part that a video instruction takes.
            if (lex_.peek().kind == Token::Kind::dot && !lex_.peek().space_before) out.text = video_selector();
            return out;
        }
        case Name::Kind::vector_reg: {
            if (lex_.peek().kind == Token::Kind::dot) {
                unsigned which = component(lex_.peek().text);
                if (which >= found.width)
                    lex_.fail("'" + std::string(name.text) + "' has no component ." + std::string(lex_.peek().text));
                lex_.take();
                return register_operand(found.id + which);
            }
            Operand out;
            out.kind = Operand::Kind::vector;
            for (unsigned i = 0; i < found.width; ++i) out.elements.push_back(register_operand(found.id + i));
            return out;
        }
        case Name::Kind::function: {
            Operand out;
            out.kind = Operand::Kind::function;
            out.symbol = found.id;
            return out;
        }
        case Name::Kind::variable: {
            Operand out;
            out.kind = Operand::Kind::variable;
            out.symbol = found.id;
            if (lex_.accept('[')) {  // `array[3]`: its fourth element
                const Variable& variable = module_.variables[found.id];
                std::uint64_t element = std::uint64_t{bytes(variable.type)} * variable.vector;
                out.offset = static_cast<std::int64_t>(integer_expression("an index") * element);
                lex_.expect(']', "after the index");
            } else {
                address_offset(out);
            }
            return out;
        }
    }
    undeclared(name);
}

Operand Parser::named_operand(const Token& name) {
    if (name.text == "_") return {};
    if (auto found = names_.find(name.text)) return declared_operand(name, *found);
    std::string full(name.text);
    if (name.text.front() == '%') {
        if (lex_.peek().kind == Token::Kind::dot && !lex_.peek().space_before) {
            full += '.';
            full += lex_.peek().text;
        }
        if (auto special = special_from(full)) {
            if (full.size() != name.text.size()) lex_.take();
            Operand out;
            out.kind = Operand::Kind::special;
            out.special = *special;
            return out;
        }
    }
    undeclared(name);
}

std::string Parser::video_selector() {
    Token selector = lex_.peek();
    bool ok =
        selector.text.size() >= 2 && selector.text.size() <= 5 && (selector.text[0] == 'b' || selector.text[0] == 'h');
    for (char c : selector.text.substr(1)) ok = ok && c >= '0' && c <= '7';
    if (!ok)
        lex_.fail("'." + std::string(selector.text) + "' is not a part of a register",
                  "b0 to b3, h0, h1, or lists of them");
    lex_.take();
    return std::string(selector.text);
}

Operand Parser::vector_operand() {
    Operand out;
    out.kind = Operand::Kind::vector;
    lex_.take();
    out.elements.reserve(4);
    if (lex_.accept('}')) return out;
    do {
        if (out.elements.size() >= kMaxVectorElements)
            lex_.fail("a vector has over " + std::to_string(kMaxVectorElements) + " elements");
        if (lex_.peek().is('{') || lex_.peek().is('[')) lex_.fail("an element of a vector is a scalar");
        out.elements.push_back(primary_operand());
    } while (lex_.accept(','));
    lex_.expect('}', "after the elements");
    return out;
}

// `+ 8`, `- 4`, `+ -4`, any number of them.
void Parser::address_offset(Operand& out) {
    while (lex_.peek().is('+') || lex_.peek().is('-')) {
        bool minus = lex_.take().is('-');
        Token at = lex_.peek();
        if (!starts_constant()) lex_.fail("expected an offset, found " + Lexer::describe(at));
        Constant value = binary(9, 0);  // binds tighter than + and -
        if (!value.is_integer()) lex_.fail(at, "an offset is an integer");
        std::uint64_t offset = static_cast<std::uint64_t>(out.offset);
        out.offset = static_cast<std::int64_t>(minus ? offset - value.bits : offset + value.bits);
    }
}

Operand Parser::address_operand() {
    Operand out;
    out.kind = Operand::Kind::address;
    lex_.take();
    Token first = lex_.peek();
    if (first.is_word() && first.text != "WARP_SZ") {
        lex_.take();
        Operand base = named_operand(first);
        if (base.kind == Operand::Kind::reg && base.text.empty()) {
            out.base = Operand::Base::reg;
            out.reg = base.reg;
        } else if (base.kind == Operand::Kind::variable) {
            out.base = Operand::Base::variable;
            out.symbol = base.symbol;
            out.offset = base.offset;
        } else {
            lex_.fail(first, "'" + std::string(first.text) + "' cannot be the base of an address",
                      "a register, a variable or a number can");
        }
        address_offset(out);
    } else {
        out.offset = static_cast<std::int64_t>(integer_expression("an address"));
    }
    while (lex_.accept(',')) {
        if (out.elements.size() >= kMaxOperands) lex_.fail("too many parts in an address");
        if (lex_.peek().is('[')) lex_.fail("an address stands inside an address");
        out.elements.push_back(primary_operand());
    }
    lex_.expect(']', "after the address");
    return out;
}

}  // namespace warpwright::ptx
