// An instruction's types and operands against what the table of opcodes says of them (OpFacts::types and ::operands),
// by the ISA's rules: untyped registers and instructions agree with every type of their width, signed with unsigned
// integers, floating-point types with themselves alone. What passes here makes code whose types fit.
#include "ptx/parser_state.hpp"

namespace warpwright::ptx {
namespace {

/// The type that a register must agree with; none: nothing is checked.
Type checked_type(char letter, const Instruction& i) {
    return letter == 't' || letter == 'u' ? Type::none : type_of(letter, i.types, i.has(Mod::wide));
}

bool agree(Type has, Type wants) {
    if (bits(has) != bits(wants) || (has == Type::pred) != (wants == Type::pred)) return false;
    return is_untyped(has) || is_untyped(wants) || is_float(has) == is_float(wants);
}

std::string names_of(TypeSet set) {
    std::string out;
    for (unsigned t = 1; t <= static_cast<unsigned>(Type::surfref); ++t)
        if (set.has(static_cast<Type>(t))) (out += out.empty() ? "." : ", .") += spelling(static_cast<Type>(t));
    return out;
}

}  // namespace

void Parser::check_types(const Instruction& instruction, const Token& at) {
    const OpFacts& allowed = facts(instruction.op);
    if (allowed.types[0].empty() || instruction.types.empty()) return;
    std::size_t most = 0;
    while (most < 3 && !allowed.types[most].empty()) ++most;
    const std::size_t count = instruction.types.size();
    if (count < allowed.fewest_types || count > most)
        lex_.fail(at, "'" + instruction.spelling() + "' has " + std::to_string(count) +
                          (count == 1 ? " type" : " types") + "; '" + std::string(spelling(instruction.op)) +
                          "' takes " +
                          (allowed.fewest_types == most ? "" : std::to_string(+allowed.fewest_types) + " to ") +
                          std::to_string(most));
    for (std::size_t i = 0; i < count; ++i)
        if (!allowed.types[i].has(instruction.types[i]))
            lex_.fail(at, "'" + std::string(spelling(instruction.op)) + "' has no form of type ." +
                              std::string(spelling(instruction.types[i])) + "; this type may be " +
                              names_of(allowed.types[i]));
    const Type type = instruction.type();
    if (instruction.has(Mod::wide) && type != Type::none && (is_float(type) || bits(type) > 32))
        lex_.fail(at, "'" + instruction.spelling() + "': .wide takes integers of 16 or 32 bits");
}

void Parser::check_operand_type(const Instruction& instruction, std::size_t index, const Operand& operand, Type type,
                                const Token& at) {
    auto fail = [&](const std::string& what) {
        lex_.fail(at, "operand " + std::to_string(index + 1) + " of '" + instruction.spelling() + "': " + what);
    };
    const std::string wanted = "." + std::string(spelling(type));
    switch (operand.kind) {
        case Operand::Kind::reg: {
            const Register& reg = current().registers[operand.reg];
            if (agree(reg.type, type)) return;
            if (type == Type::pred && index == 0)
                lex_.fail(at, "'" + instruction.spelling() + "' writes a predicate register, '" + reg.name + "' is ." +
                                  std::string(spelling(reg.type)));
            if (type == Type::pred)
                fail("a predicate is expected, register '" + reg.name + "' is ." + std::string(spelling(reg.type)));
            const std::string has =
                "register '" + reg.name + "' is ." + std::string(spelling(reg.type)) + ", " + wanted;
            if (bits(reg.type) != bits(type) || reg.type == Type::pred)
                fail(has + " takes " + std::to_string(bits(type)) + " bits");
            fail(has + " takes a register of its own kind or an untyped one");
            return;
        }
        case Operand::Kind::integer:
            if (is_float(type)) fail("an integer constant where " + wanted + " takes a floating-point one, like 4.0");
            return;
        case Operand::Kind::real:
            if (type == Type::f32 || type == Type::f64 || type == Type::b32 || type == Type::b64) return;
            fail("a floating-point constant where " + wanted + " takes none");
            return;
        case Operand::Kind::special:
        case Operand::Kind::variable:
        case Operand::Kind::function:
            if (is_float(type) || type == Type::pred)
                fail("an address or special register where " + wanted + " takes none");
            return;
        default:
            return;
    }
}

/// mov between a register and a vector: the parts are equally wide and fill the whole.
void Parser::check_moved_vector(const Instruction& instruction, const Token& at) {
    const Type type = instruction.type();
    for (std::size_t index = 0; index < 2; ++index) {
        const Operand& operand = instruction.operands[index];
        if (operand.kind != Operand::Kind::vector) {
            check_operand_type(instruction, index, operand, type, at);
            continue;
        }
        const std::size_t parts = operand.elements.size();
        for (const Operand& part : operand.elements) {
            if (part.kind != Operand::Kind::reg) continue;
            const Register& reg = current().registers[part.reg];
            if (bits(reg.type) * parts != bits(type) || reg.type == Type::pred)
                lex_.fail(at, "operand " + std::to_string(index + 1) + " of '" + instruction.spelling() +
                                  "': register '" + reg.name + "' is ." + std::string(spelling(reg.type)) + ", the " +
                                  std::to_string(parts) + " parts of ." + std::string(spelling(type)) + " have " +
                                  std::to_string(bits(type) / std::max<std::size_t>(parts, 1)) + " bits each");
        }
    }
}

void Parser::check_operand_types(const Instruction& instruction, const Token& at) {
    const std::string_view letters = facts(instruction.op).operands;
    const auto& operands = instruction.operands;
    if (instruction.op == Op::mov &&
        (operands[0].kind == Operand::Kind::vector || operands[1].kind == Operand::Kind::vector))
        return check_moved_vector(instruction, at);
    for (std::size_t i = 0; i < operands.size() && i < letters.size(); ++i) {
        const Operand& operand = operands[i];
        if (letters[i] == 'n' && operand.kind != Operand::Kind::integer)
            lex_.fail(at, "operand " + std::to_string(i + 1) + " of '" + instruction.spelling() +
                              "': an integer constant is expected");
        const Type type = checked_type(letters[i], instruction);
        if (type == Type::none) continue;
        if (operand.kind == Operand::Kind::vector) {  // of vectors of the memory instructions
            for (const Operand& element : operand.elements) check_operand_type(instruction, i, element, type, at);
        } else if (operand.kind == Operand::Kind::pair) {
            check_operand_type(instruction, i, operand.elements[0], type, at);
            check_operand_type(instruction, i, operand.elements[1], Type::pred, at);
        } else {
            check_operand_type(instruction, i, operand, type, at);
        }
    }
}

}  // namespace warpwright::ptx
