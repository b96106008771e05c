// Initial values of variables: numbers, nested braces (missing elements are zero), strings, and
// addresses (`sym`, `sym+8`, `generic(sym)`, and `0xFF00(sym)`: one byte of an address).
#include <bit>

#include "ptx/parser_state.hpp"

namespace warpwright::ptx {

void Parser::initialiser(Variable& variable, Shape& shape, std::size_t index) {
    Token at = lex_.peek();
    if (variable.type == Type::texref || variable.type == Type::samplerref || variable.type == Type::surfref) {
        // Sampler settings are skipped: a texture's object has its own.
        lex_.expect('{', "before the settings of the texture");
        while (!lex_.peek().is('}')) {
            if (lex_.peek().kind == Token::Kind::end) lex_.fail(at, "the settings are not closed");
            lex_.take();
        }
        lex_.take();
        return;
    }
    std::vector<std::uint64_t> extents = shape.extents;
    if (variable.vector > 1) extents.push_back(variable.vector);
    std::uint64_t used = 0;
    if (extents.empty() && !lex_.peek().is('{')) {
        init_value(variable, 0, index);
    } else if (lex_.peek().kind == Token::Kind::string && extents.size() == 1 && bytes(variable.type) == 1) {
        used = init_string(variable);
        if (!shape.open && used > extents[0]) lex_.fail(at, "the string is longer than the array");
    } else {
        if (extents.empty()) extents.push_back(1);
        if (!lex_.peek().is('{')) lex_.fail("expected '{', found " + Lexer::describe(lex_.peek()));
        used = init_level(variable, extents, 0, shape.open, 0, index);
    }
    if (shape.open) {
        std::uint64_t inner = 1;
        for (std::size_t i = 1; i < extents.size(); ++i) inner *= extents[i];
        if (inner == 0) lex_.fail(at, "the array has an extent of zero");
        std::uint64_t outer = (used + inner - 1) / inner;
        if (__builtin_mul_overflow(outer * inner, std::uint64_t{bytes(variable.type)}, &variable.size))
            lex_.fail(at, "variable '" + variable.name + "' is too large");
    }
    grow_init(variable, variable.size, at);
}

void Parser::grow_init(Variable& variable, std::uint64_t size, const Token& at) {
    if (size <= variable.init.size()) return;
    init_bytes_ += size - variable.init.size();
    if (size > kMaxInitBytes || init_bytes_ > kMaxInitBytes)
        lex_.fail(at, "the initial values of the module are over " + std::to_string(kMaxInitBytes >> 20) + " MiB");
    variable.init.resize(size);
}

// Reads one `{...}` that fills the elements from `first` on; returns how many it filled.
std::uint64_t Parser::init_level(Variable& variable, const std::vector<std::uint64_t>& extents, std::size_t dimension,
                                 bool open, std::uint64_t first, std::size_t index) {
    Token brace = lex_.peek();
    lex_.expect('{', "before the values");
    std::uint64_t inner = 1;
    for (std::size_t i = dimension + 1; i < extents.size(); ++i) inner *= extents[i];
    // If the first extent is not given, the limit on initialised bytes bounds it.
    std::uint64_t room = open ? kMaxInitBytes : extents[dimension] * inner;
    std::uint64_t used = 0;
    while (!lex_.accept('}')) {
        Token at = lex_.peek();
        bool nested = at.is('{');
        if (nested && dimension + 1 >= extents.size()) lex_.fail(at, "braces are nested deeper than the array");
        if (nested && inner != 0) used = (used + inner - 1) / inner * inner;
        if (used >= room) lex_.fail(at, "too many values for '" + variable.name + "'");
        if (nested) {
            init_level(variable, extents, dimension + 1, false, first + used, index);
            used += inner;
        } else {
            init_value(variable, (first + used) * bytes(variable.type), index);
            ++used;
        }
        if (lex_.accept(',')) continue;
        if (lex_.peek().kind == Token::Kind::end) lex_.fail(brace, "the values are not closed");
        lex_.expect('}', "or ',' after the value");
        break;
    }
    return used;
}

void Parser::put_bytes(Variable& variable, std::uint64_t offset, std::uint64_t value, unsigned count, const Token& at) {
    grow_init(variable, offset + count, at);
    for (unsigned i = 0; i < count; ++i)
        variable.init[offset + i] = i < 8 ? static_cast<std::uint8_t>(value >> (8 * i)) : std::uint8_t{0};
}

void Parser::init_value(Variable& variable, std::uint64_t offset, std::size_t index) {
    Token at = lex_.peek();
    if (!starts_constant()) return init_address(variable, offset, index, 0, false);
    Constant value = expression();
    if (value.is_integer() && lex_.accept('(')) {
        init_address(variable, offset, index, value.bits, true);
        lex_.expect(')', "after the address");
        return;
    }
    unsigned size = bytes(variable.type);
    if (variable.type == Type::f32 || variable.type == Type::f64) {
        std::uint64_t raw = variable.type == Type::f64 ? std::bit_cast<std::uint64_t>(value.real())
                            : value.kind == Constant::Kind::real32
                                ? value.bits
                                : std::bit_cast<std::uint32_t>(static_cast<float>(value.real()));
        return put_bytes(variable, offset, raw, size, at);
    }
    if (!value.is_integer()) lex_.fail(at, "a ." + std::string(spelling(variable.type)) + " takes an integer value");
    if (size < 8) {
        auto as_signed = static_cast<std::int64_t>(value.bits);
        std::int64_t limit = std::int64_t{1} << (8 * size);
        if (as_signed >= limit || as_signed < -(limit / 2))
            lex_.fail(at, "the value does not fit in ." + std::string(spelling(variable.type)));
    }
    put_bytes(variable, offset, value.bits, size, at);
}

void Parser::init_address(Variable& variable, std::uint64_t offset, std::size_t index, std::uint64_t mask,
                          bool masked) {
    Token at = lex_.peek();
    Relocation out;
    out.offset = offset;
    unsigned size = bytes(variable.type);
    if (masked) {
        unsigned shift = 0;
        while (shift < 64 && mask != std::uint64_t{0xff} << shift) shift += 8;
        if (shift == 64) lex_.fail(at, "a mask of an address is one byte: 0xFF, 0xFF00, ...");
        if (size != 1) lex_.fail(at, "a byte of an address is put into a variable of bytes");
        out.shift = static_cast<std::uint8_t>(shift);
    } else if (size != 8 && size != 4) {
        lex_.fail(at, "expected a value, found " + Lexer::describe(at),
                  at.is_word() ? "an address needs a variable of 4 or 8 bytes, or a mask like 0xFF(name)" : "");
    }
    out.size = static_cast<std::uint8_t>(size);
    Token name = lex_.expect_word("a value or a name");
    if (name.text == "generic" && lex_.accept('(')) {
        out.generic = true;
        name = lex_.expect_word("a variable");
        lex_.expect(')', "after the variable");
    }
    if (lex_.peek().is('+') || lex_.peek().is('-'))
        out.addend = static_cast<std::int64_t>(integer_expression("an offset"));
    put_bytes(variable, offset, 0, size, at);
    std::size_t place = variable.relocations.size();
    variable.relocations.push_back(out);
    if (!bind_address(variable.relocations.back(), name)) pending_.push_back({index, place, name});
}

// False when the name is not known (yet: a name of the module may come later).
bool Parser::bind_address(Relocation& out, const Token& name) {
    auto found = names_.find(name.text);
    if (!found) return false;
    bool is_function = found->kind == Name::Kind::function;
    bool fits = is_function;
    if (found->kind == Name::Kind::variable) {
        // (The variable being initialised is not stored yet; it is .global or .const.)
        Space space = found->id < module_.variables.size() ? module_.variables[found->id].space : Space::global;
        fits = space == Space::global || space == Space::constant || space == Space::shared;
    }
    if (!fits) lex_.fail(name, "'" + std::string(name.text) + "' has no address that is known at load time");
    out.is_function = is_function;
    out.symbol = found->id;
    return true;
}

std::uint64_t Parser::init_string(Variable& variable) {
    Token at = lex_.take();
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < at.text.size(); ++i, ++used) {
        char c = at.text[i];
        if (c == '\\') {
            static constexpr std::string_view kFrom = "ntr0\\\"'", kTo("\n\t\r\0\\\"'", 7);
            std::size_t which = ++i < at.text.size() ? kFrom.find(at.text[i]) : std::string_view::npos;
            if (which == std::string_view::npos) lex_.fail(at, "unknown escape in the string");
            c = kTo[which];
        }
        put_bytes(variable, used, static_cast<unsigned char>(c), 1, at);
    }
    put_bytes(variable, used, 0, 1, at);
    return used + 1;
}

void Parser::resolve_addresses() {
    for (const PendingAddress& address : pending_) {
        Relocation& relocation = module_.variables[address.variable].relocations[address.relocation];
        if (!bind_address(relocation, address.name))
            lex_.fail(address.name, "'" + std::string(address.name.text) + "' is not declared");
    }
    for (Variable& variable : module_.variables) merge_byte_relocations(variable);
}

// Eight masks that make up one whole address become one relocation, which is what compilers mean by them.
void Parser::merge_byte_relocations(Variable& variable) {
    std::vector<Relocation>& list = variable.relocations;
    std::vector<Relocation> merged;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t n = 0;
        while (n < 8 && i + n < list.size()) {
            Relocation want = list[i];
            want.offset += n;
            want.shift = static_cast<std::uint8_t>(8 * n);
            if (list[i].size != 1 || list[i + n] != want) break;
            ++n;
        }
        merged.push_back(list[i]);
        if (n == 8) merged.back().size = 8;
        i += n == 8 ? 8 : 1;
    }
    list = std::move(merged);
}

}  // namespace warpwright::ptx
