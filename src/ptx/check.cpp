// What is checked of an instruction once it is read: the operand count of the table, that a type is
// there where one is needed, that destinations can be written, and register widths; check_types.cpp has what the
// table says of types. Whether a combination of modifiers means something is for the lowering to say.
#include "ptx/parser_state.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {
namespace {

bool needs_type(const Instruction& i) {
    return facts(i.op).typed && !(i.op == Op::st && i.has(Mod::bulk));  // st.bulk writes zeros
}

bool can_be_written(const Operand& o) {
    if (o.negated || o.minus) return false;
    if (o.kind == Operand::Kind::reg || o.kind == Operand::Kind::sink) return true;
    if (o.kind != Operand::Kind::vector && o.kind != Operand::Kind::pair) return false;
    for (const Operand& element : o.elements)
        if (!can_be_written(element)) return false;
    return !o.elements.empty();
}

}  // namespace

void Parser::check_operand_width(const Instruction& instruction, std::size_t index, Type type, bool exact,
                                 const Token& at) {
    auto one = [&](const Operand& operand) {
        if (operand.kind != Operand::Kind::reg) return;
        const Register& reg = current().registers[operand.reg];
        unsigned has = bits(reg.type), wants = bits(type);
        bool fits = exact ? has == wants : has >= wants;
        if ((reg.type == Type::pred) != (type == Type::pred)) fits = false;
        if (!fits)
            lex_.fail(at, "operand " + std::to_string(index + 1) + " of '" + instruction.spelling() + "': register '" +
                              reg.name + "' is ." + std::string(spelling(reg.type)) + ", ." +
                              std::string(spelling(type)) + " takes " + (exact ? "" : "at least ") +
                              std::to_string(wants) + " bits");
    };
    const Operand& operand = instruction.operands[index];
    if (operand.kind == Operand::Kind::vector) {
        if (!exact)
            for (const Operand& element : operand.elements) one(element);
    } else {
        one(operand);
    }
}

void Parser::check_widths(const Instruction& instruction, const Token& at) {
    std::size_t count = instruction.operands.size();
    Type type = instruction.type();
    bool plain = !instruction.has(Mod::async) && !instruction.has(Mod::bulk);
    if ((instruction.op == Op::ld || instruction.op == Op::ldu) && plain)
        check_operand_width(instruction, 0, type, false, at);
    if (instruction.op == Op::st && plain && count >= 2) check_operand_width(instruction, 1, type, false, at);
    if (instruction.op == Op::cvt && instruction.types.size() == 2) {
        check_operand_width(instruction, 0, type, false, at);
        for (std::size_t i = 1; i < count; ++i) check_operand_width(instruction, i, instruction.type(1), false, at);
    }
}

void Parser::check(const Instruction& instruction, const Token& at) {
    if (instruction.op == Op::call) return;
    std::size_t count = instruction.operands.size();
    const OpFacts& allowed = facts(instruction.op);
    if (count < allowed.fewest || count > allowed.most) {
        std::string want = std::to_string(+allowed.fewest);
        if (allowed.most != allowed.fewest) want += " to " + std::to_string(+allowed.most);
        lex_.fail(at, "'" + instruction.spelling() + "' has " + std::to_string(count) + " operands; '" +
                          std::string(spelling(instruction.op)) + "' takes " + want);
    }
    if (needs_type(instruction) && instruction.types.empty())
        lex_.fail(at, "'" + instruction.spelling() + "' needs a type, like '." +
                          (instruction.op == Op::cvt ? "f32.s32" : "u32") + "'");
    if (instruction.op == Op::cvt && instruction.types.size() < 2)
        lex_.fail(at, "'" + instruction.spelling() + "' needs two types, like '.f32.s32'");
    if (count > 0 && facts(instruction.op).destination == Destination::first &&
        !can_be_written(instruction.operands[0]))
        lex_.fail(at, "the first operand of '" + instruction.spelling() + "' cannot be written");
    for (const Operand& o : instruction.operands)
        if (o.kind == Operand::Kind::pair && o.elements[0].kind == Operand::Kind::vector && instruction.op != Op::tex &&
            instruction.op != Op::tld4)
            lex_.fail(at, "'|' joins two registers");
    check_types(instruction, at);
    check_widths(instruction, at);
    check_operand_types(instruction, at);
}

}  // namespace warpwright::ptx
