// Statements that are instructions: guard, opcode with its suffixes, operands, calls.
#include <algorithm>
#include <utility>

#include "ptx/near.hpp"
#include "ptx/parser_state.hpp"
#include "ptx/suffix.hpp"

namespace warpwright::ptx {

Guard Parser::guard() {
    lex_.take();
    Guard out;
    out.negated = lex_.accept('!');
    Token name = lex_.expect_word("a predicate after '@'");
    auto found = names_.find(name.text);
    if (!found) undeclared(name);
    if (found->kind != Name::Kind::reg || current().registers[found->id].type != Type::pred)
        lex_.fail(name, "the guard '" + std::string(name.text) + "' is not a predicate register");
    out.reg = found->id;
    return out;
}

namespace {

std::string joined(std::span<const std::string_view> words) {
    std::string text(words[0]);
    for (const std::string_view word : words.subspan(1)) (text += '.') += word;
    return text;
}

}  // namespace

std::size_t read_spelling(std::span<const std::string_view> words, Instruction& out) {
    std::size_t used = std::min<std::size_t>(dotted_words(words[0]), words.size());
    for (; used > 1; --used)
        if (out.op = op_from(joined(words.first(used))); out.op != Op::size_) break;
    if (used <= 1) out.op = op_from(words[0]);
    if (out.op == Op::size_) return 0;
    for (std::size_t i = used; i < words.size(); ++i) {
        Suffix suffix;
        if (i + 1 < words.size() && begins_dotted_modifier(words[i])) {
            suffix = suffix_from(joined(words.subspan(i, 2)));
            if (suffix.kind != Suffix::Kind::unknown) ++i;
        }
        if (suffix.kind == Suffix::Kind::unknown) suffix = suffix_from(words[i]);
        if (suffix.kind == Suffix::Kind::unknown) return i;
        if (suffix.kind == Suffix::Kind::mod) {
            out.mods.push_back(suffix.mod);
            continue;
        }
        if (out.types.empty()) out.types_at = static_cast<std::uint8_t>(std::min<std::size_t>(out.mods.size(), 0xfe));
        out.types.push_back(suffix.type);
    }
    if (out.types_at >= out.mods.size()) out.types_at = 0xff;
    return words.size();
}

std::optional<Instruction> spelled(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t dot = std::min(text.find('.', at), text.size());
        words.push_back(text.substr(at, dot - at));
        at = dot + 1;
    }
    Instruction out;
    if (read_spelling(words, out) != words.size()) return std::nullopt;
    return out;
}

void Parser::opcode(Instruction& out, const Token& first) {
    words_.clear();
    words_.push_back(first);
    while (lex_.peek().kind == Token::Kind::dot) words_.push_back(lex_.take());
    word_texts_.clear();
    for (const Token& word : words_) word_texts_.push_back(word.text);
    const std::size_t unknown = read_spelling(word_texts_, out);
    if (unknown == 0) {
        std::string what = "unknown opcode '" + std::string(first.text.substr(0, 64)) + "'";
        if (lex_.peek().is('(') || lex_.peek().is('='))
            what = "expected a statement, found '" + std::string(first.text.substr(0, 64)) + "'";
        lex_.fail(first, std::move(what), near_opcodes(first.text));
    }
    if (unknown < words_.size())
        lex_.fail(words_[unknown],
                  "opcode '" + std::string(spelling(out.op)) + "' has the unknown modifier '." +
                      std::string(words_[unknown].text.substr(0, 64)) + "'",
                  near_suffixes(words_[unknown].text));
}

void Parser::instruction(std::optional<Guard> guard, const Token& first) {
    Function& function = current();
    if (++instructions_ > kMaxInstructions)
        lex_.fail(first, "the module has over " + std::to_string(kMaxInstructions) + " instructions");
    auto index = static_cast<std::uint32_t>(function.body.size());
    Instruction& out = function.body.emplace_back();
    out.guard = guard;
    out.line = first.line;
    out.column = first.column;
    out.source = body_.source;
    out.inlined_at = body_.inlined_at;
    out.nounroll = std::exchange(body_.nounroll, false);
    note_inlined(index);
    opcode(out, first);
    if (out.op == Op::call) {
        call(out);
    } else if (out.op == Op::bra) {
        Token name = lex_.expect_word("a label to branch to");
        Operand target;
        target.kind = Operand::Kind::label;
        target.label = label_reference(name);
        out.operands.push_back(std::move(target));
        body_.branches.push_back(index);
    } else if (out.op == Op::brx) {
        out.operands.push_back(operand());
        lex_.expect(',', "after the index");
        Token name = lex_.expect_word("a list of branch targets");
        Operand table;
        table.kind = Operand::Kind::text;
        table.text = std::string(name.text);
        out.operands.push_back(std::move(table));
        body_.scopes.back().uses.push_back({index, name});
        body_.branches.push_back(index);
    } else if (!lex_.peek().is(';')) {
        out.operands.reserve(4);
        do {
            if (out.operands.size() >= kMaxOperands)
                lex_.fail("'" + out.spelling() + "' has over " + std::to_string(kMaxOperands) + " operands");
            out.operands.push_back(operand());
        } while (lex_.accept(','));
    }
    if (!lex_.peek().is(';'))
        lex_.fail("expected ',' or ';' after an operand of '" + out.spelling() + "', found " +
                  Lexer::describe(lex_.peek()));
    check(out, first);
    lex_.take();
}

void Parser::call_operands(std::vector<Operand>& out) {
    lex_.expect('(', "before the arguments of the call");
    if (lex_.accept(')')) return;
    do {
        if (out.size() >= kMaxParameters)
            lex_.fail("the call has over " + std::to_string(kMaxParameters) + " arguments");
        Token at = lex_.peek();
        Operand one = primary_operand();
        if (one.kind == Operand::Kind::address || one.kind == Operand::Kind::vector)
            lex_.fail(at, "an argument of a call is a parameter, a register or a number");
        out.push_back(std::move(one));
    } while (lex_.accept(','));
    lex_.expect(')', "after the arguments of the call");
}

void Parser::call(Instruction& out) {
    auto index = static_cast<std::uint32_t>(current().body.size() - 1);
    Call call;
    call.uniform = out.has(Mod::uni);
    if (lex_.peek().is('(')) {
        call_operands(call.results);
        lex_.expect(',', "after the results of the call");
    }
    Token name = lex_.expect_word("the function to call");
    auto found = names_.find(name.text);
    if (!found) lex_.fail(name, "function '" + std::string(name.text) + "' is not declared");
    call.target = named_operand(name);
    bool direct = call.target.kind == Operand::Kind::function;
    if (!direct && call.target.kind != Operand::Kind::reg)
        lex_.fail(name, "'" + std::string(name.text) + "' is neither a function nor a register");
    bool has_arguments = false;
    while (lex_.accept(',')) {
        if (lex_.peek().is('(') && !has_arguments) {
            call_operands(call.arguments);
            has_arguments = true;
            continue;
        }
        Token table = lex_.expect_word("a list of call targets or a prototype");
        body_.scopes.back().uses.push_back({index, table});
        break;
    }
    if (direct) {
        const Function& callee = module_.functions[call.target.symbol];
        // A last parameter without a size means variable arguments.
        bool variadic = !callee.parameters.empty() && module_.variables[callee.parameters.back()].size == 0;
        bool fits = call.results.size() == callee.results.size() &&
                    (variadic || call.arguments.size() == callee.parameters.size());
        if (!fits)
            lex_.fail(name, "'" + callee.name + "' is called with " + std::to_string(call.arguments.size()) +
                                " arguments and " + std::to_string(call.results.size()) + " results; it has " +
                                std::to_string(callee.parameters.size()) + " and " +
                                std::to_string(callee.results.size()));
    }
    out.call = std::move(call);
}

}  // namespace warpwright::ptx
