// Variables, parameters and registers.
#include "ptx/parser_state.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {
namespace {

unsigned vector_width(std::string_view word) {
    if (word == "v2") return 2;
    if (word == "v4") return 4;
    if (word == "v8") return 8;
    return 0;
}

bool space_word(std::string_view word, Space& space) {
    if (word == "param")
        space = Space::param;
    else if (word == "global")
        space = Space::global;
    else if (word == "shared")
        space = Space::shared;
    else if (word == "local")
        space = Space::local;
    else if (word == "const")
        space = Space::constant;
    else
        return false;
    return true;
}

bool is_opaque(Type type) { return type == Type::texref || type == Type::samplerref || type == Type::surfref; }

}  // namespace

Linkage Parser::linkage() {
    if (lex_.accept_dot("extern")) return Linkage::external;
    if (lex_.accept_dot("visible")) return Linkage::visible;
    if (lex_.accept_dot("weak")) return Linkage::weak;
    if (lex_.accept_dot("common")) return Linkage::common;
    return Linkage::none;
}

void Parser::attributes(Variable* variable) {
    while (lex_.accept_dot("attribute")) {
        Token open = lex_.peek();
        lex_.expect('(', "after '.attribute'");
        for (unsigned depth = 1; depth != 0;) {
            Token t = lex_.take();
            if (t.kind == Token::Kind::end) lex_.fail(open, "'.attribute' is not closed");
            if (t.is('(')) ++depth;
            if (t.is(')')) --depth;
            if (t.is_dot("managed") && variable) variable->managed = true;
        }
    }
}

bool Parser::variable_space(Space& space) {
    const Token& t = lex_.peek();
    if (t.kind != Token::Kind::dot) return false;
    if (t.text == "tex") {  // the old way to declare a texture reference; it stands for its type too
        space = Space::global;
        return true;
    }
    if (t.text == "reg") {
        space = Space::reg;
        return true;
    }
    if (!space_word(t.text, space)) return false;
    bool constant = space == Space::constant;
    lex_.take();
    if (constant && lex_.accept('[')) {
        lex_.expect_integer("a constant bank");
        lex_.expect(']', "after the constant bank");
    }
    return true;
}

std::uint32_t Parser::alignment() {
    Token at = lex_.peek();
    std::uint64_t value = lex_.expect_integer("an alignment");
    if (value == 0 || (value & (value - 1)) != 0 || value > (1u << 30))
        lex_.fail(at, "an alignment is a power of two from 1 to 2^30");
    return static_cast<std::uint32_t>(value);
}

Type Parser::fundamental_type(std::string_view what) {
    const Token& t = lex_.peek();
    Type type = t.kind == Token::Kind::dot ? type_from(t.text) : Type::none;
    if (type == Type::none || bits(type) > 128 || (bits(type) < 8 && type != Type::pred))
        lex_.fail("expected the type of " + std::string(what) + ", found " + Lexer::describe(t));
    lex_.take();
    return type;
}

Parser::Shape Parser::array_shape() {
    Shape out;
    while (lex_.accept('[')) {
        Token at = lex_.peek();
        if (out.extents.size() >= kMaxDimensions)
            lex_.fail("an array has over " + std::to_string(kMaxDimensions) + " dimensions");
        std::uint64_t extent = 0;
        bool said = !lex_.peek().is(']');
        if (said) {
            extent = integer_expression("the size of an array");
            if (__builtin_mul_overflow(out.elements, extent, &out.elements) || out.elements > kMaxVariableBytes)
                lex_.fail(at, "the array is too large");
        } else if (!out.extents.empty()) {
            lex_.fail(at, "only the first dimension of an array may be left out");
        }
        lex_.expect(']', "after the size of an array");
        out.open = out.open || !said;
        out.extents.push_back(extent);
        out.is_array = true;
    }
    return out;
}

void Parser::set_size(Variable& variable, const Shape& shape, const Token& at) {
    if (shape.open) {
        variable.size = 0;
        return;
    }
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(shape.elements, std::uint64_t{bytes(variable.type)} * variable.vector, &size) ||
        size > kMaxVariableBytes)
        lex_.fail(at, "variable '" + variable.name + "' is too large");
    variable.size = size;
}

void Parser::variable_declaration(Linkage linkage, Space space) {
    Variable base;
    base.space = space;
    base.linkage = linkage;
    base.type = Type::none;
    if (lex_.accept_dot("tex")) base.type = Type::texref;
    while (lex_.peek().kind == Token::Kind::dot) {
        if (lex_.accept_dot("align"))
            base.align = alignment();
        else if (lex_.peek().is_dot("attribute"))
            attributes(&base);
        else if (unsigned width = vector_width(lex_.peek().text)) {
            base.vector = static_cast<std::uint8_t>(width);
            lex_.take();
        } else {
            Type type = fundamental_type("the variable");
            if (!is_opaque(base.type)) base.type = type;
        }
    }
    if (base.type == Type::none) lex_.fail("expected the type of the variable, found " + Lexer::describe(lex_.peek()));
    if (base.type == Type::pred) lex_.fail("only registers may be .pred");
    do {
        Token name = lex_.expect_word("the name of a variable");
        Variable variable = base;
        variable.name = std::string(name.text);
        variable.line = name.line;
        Shape shape = array_shape();
        set_size(variable, shape, name);
        store_variable(std::move(variable), shape, name);
    } while (lex_.accept(','));
    lex_.expect(';', "after the declaration");
}

void Parser::store_variable(Variable&& variable, Shape& shape, const Token& at) {
    bool at_module = names_.depth() == 0;
    if (!at_module) variable.function = body_.id;
    std::size_t index = module_.variables.size();
    auto found = names_.find(at.text);
    if (found && found->depth == names_.depth()) {
        // `.extern` may be said again, and be followed by the definition.
        bool again = found->kind == Name::Kind::variable;
        if (again) {
            const Variable& before = module_.variables[found->id];
            again = before.space == variable.space &&
                    (before.linkage == Linkage::external || variable.linkage == Linkage::external);
        }
        if (!again) lex_.fail(at, "'" + variable.name + "' is declared twice");
        index = found->id;
    } else if (!names_.declare(at.text, {Name::Kind::variable, 1, static_cast<std::uint32_t>(index), 0})) {
        lex_.fail(at, "'" + variable.name + "' is declared twice");
    }
    if (lex_.accept('=')) {
        if (variable.linkage == Linkage::external) lex_.fail(at, "an .extern variable has no initial value");
        if (variable.space != Space::global && variable.space != Space::constant)
            lex_.fail(at, "only .global and .const variables have initial values");
        initialiser(variable, shape, index);
    } else if (shape.open && variable.linkage != Linkage::external && variable.space != Space::param) {
        lex_.fail(at, "array '" + variable.name + "' has no size", "only .extern arrays go without");
    }
    if (index == module_.variables.size())
        module_.variables.push_back(std::move(variable));
    else if (variable.linkage != Linkage::external)
        module_.variables[index] = std::move(variable);
}

RegId Parser::add_register(std::string name, Type type, const Token& at) {
    if (registers_ >= kMaxRegisters) lex_.fail(at, "over " + std::to_string(kMaxRegisters) + " registers are declared");
    ++registers_;
    auto id = static_cast<RegId>(current().registers.size());
    current().registers.push_back({std::move(name), type});
    return id;
}

void Parser::register_declaration() {
    unsigned width = 1;
    if (lex_.peek().kind == Token::Kind::dot)
        if (unsigned w = vector_width(lex_.peek().text)) {
            width = w;
            lex_.take();
        }
    Type type = fundamental_type("the register");
    if (is_opaque(type)) lex_.fail("a register cannot hold ." + std::string(spelling(type)));
    do {
        Token name = lex_.expect_word("the name of a register");
        auto twice = [&] { lex_.fail(name, "register '" + std::string(name.text) + "' is declared twice"); };
        if (special_from(name.text)) lex_.fail(name, "'" + std::string(name.text) + "' is a special register");
        if (lex_.accept('<')) {
            if (width != 1) lex_.fail(name, "vector registers have no ranges");
            Token number = lex_.peek();
            std::uint64_t count = lex_.expect_integer("a number of registers");
            lex_.expect('>', "after the number of registers");
            if (count > kMaxRegisters || registers_ + count > kMaxRegisters)
                lex_.fail(number, "over " + std::to_string(kMaxRegisters) + " registers are declared");
            auto first = static_cast<RegId>(current().registers.size());
            bool ends_in_digit = name.text.back() >= '0' && name.text.back() <= '9';
            current().registers.reserve(first + count);
            for (std::uint64_t i = 0; i < count; ++i) {
                std::string full = std::string(name.text) + std::to_string(i);
                if (i < 100 && special_from(full)) lex_.fail(name, "'" + full + "' is a special register");
                if (ends_in_digit) {  // `%r1<5>` is %r10 ... %r14, which no prefix tells apart from %r<...>
                    made_names_.push_back(full);
                    if (!names_.declare(made_names_.back(), {Name::Kind::reg, 1, first + static_cast<RegId>(i), 0}))
                        twice();
                }
                add_register(std::move(full), type, name);
            }
            if (!ends_in_digit && !names_.declare_range(name.text, first, static_cast<std::uint32_t>(count))) twice();
        } else if (width == 1) {
            RegId id = add_register(std::string(name.text), type, name);
            if (!names_.declare(name.text, {Name::Kind::reg, 1, id, 0})) twice();
        } else {
            auto first = static_cast<RegId>(current().registers.size());
            for (unsigned i = 0; i < width; ++i) {
                std::string full =
                    std::string(name.text) + "$" + (width <= 4 ? std::string(1, "xyzw"[i]) : std::to_string(i));
                made_names_.push_back(full);
                RegId id = add_register(std::move(full), type, name);
                if (!names_.declare(made_names_.back(), {Name::Kind::reg, 1, id, 0})) twice();
            }
            if (!names_.declare(name.text, {Name::Kind::vector_reg, static_cast<std::uint8_t>(width), first, 0}))
                twice();
        }
    } while (lex_.accept(','));
    lex_.expect(';', "after the registers");
}

void Parser::parameter_list(std::vector<Variable>& out, bool entry) {
    lex_.expect('(', "before the parameters");
    if (lex_.accept(')')) return;
    do {
        if (out.size() >= kMaxParameters) lex_.fail("over " + std::to_string(kMaxParameters) + " parameters");
        out.push_back(parameter(entry));
    } while (lex_.accept(','));
    lex_.expect(')', "after the parameters");
}

Variable Parser::parameter(bool entry) {
    Variable out;
    out.space = Space::param;
    out.type = Type::none;
    if (lex_.accept_dot("reg")) {
        if (entry) lex_.fail("the parameters of an .entry are .param");
        out.space = Space::reg;
    } else if (!lex_.accept_dot("param")) {
        lex_.fail("expected '.param', found " + Lexer::describe(lex_.peek()));
    }
    while (lex_.peek().kind == Token::Kind::dot) {
        Space space{};
        std::string_view word = lex_.peek().text;
        if (lex_.accept_dot("align")) {
            (out.is_pointer ? out.pointer_align : out.align) = alignment();
        } else if (lex_.accept_dot("ptr")) {
            out.is_pointer = true;
        } else if (out.is_pointer && space_word(word, space)) {
            out.pointer_space = space;
            lex_.take();
        } else if (unsigned width = vector_width(word)) {
            out.vector = static_cast<std::uint8_t>(width);
            lex_.take();
        } else {
            out.type = fundamental_type("the parameter");
        }
    }
    if (out.type == Type::none) lex_.fail("expected the type of the parameter, found " + Lexer::describe(lex_.peek()));
    if (out.type == Type::pred && out.space != Space::reg) lex_.fail("a parameter cannot be .pred");
    if (out.space == Space::reg && (out.vector != 1 || is_opaque(out.type)))
        lex_.fail("a register parameter is one scalar");
    Token name = lex_.expect_word("the name of the parameter");
    out.name = std::string(name.text);
    out.line = name.line;
    Shape shape = array_shape();
    if (shape.is_array && out.space == Space::reg) lex_.fail(name, "a register parameter is one scalar");
    set_size(out, shape, name);
    return out;
}

}  // namespace warpwright::ptx
