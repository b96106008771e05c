// Labels, and the scopes they live in. A label may be used before it is defined, and a label of an
// inner scope hides one outside even when it is defined later; so a mention makes a slot in its own
// scope, and a slot still undefined when the scope closes is handed to the scope around it.
#include <algorithm>

#include "ptx/parser_state.hpp"

namespace warpwright::ptx {

LabelId Parser::label_reference(const Token& name) {
    auto [it, fresh] = body_.scopes.back().labels.try_emplace(name.text, static_cast<LabelId>(body_.labels.size()));
    if (fresh) body_.labels.push_back({name.text, name, kNoId, kNoId, kNoId});
    return it->second;
}

void Parser::define_label(const Token& name) {
    if (lex_.peek().is_dot("branchtargets") || lex_.peek().is_dot("calltargets")) return branch_table(name);
    if (lex_.peek().is_dot("callprototype")) return prototype(name);
    LabelSlot& slot = body_.labels[label_reference(name)];
    if (slot.instruction != kNoId) lex_.fail(name, "label '" + std::string(name.text) + "' is defined twice");
    slot.instruction = static_cast<std::uint32_t>(current().body.size());
    slot.order = body_.defined_labels++;
}

void Parser::open_scope(const Token& at) {
    if (body_.scopes.size() >= kMaxScopes)
        lex_.fail(at, "scopes are nested over " + std::to_string(kMaxScopes) + " deep");
    body_.scopes.emplace_back();
    names_.open();
}

void Parser::close_scope() {
    Scope inner = std::move(body_.scopes.back());
    body_.scopes.pop_back();
    names_.close();
    bool outermost = body_.scopes.empty();
    for (const TableUse& use : inner.uses) {
        auto table = inner.tables.find(use.name.text);
        if (table != inner.tables.end())
            use_table(use, table->second);
        else if (outermost)
            lex_.fail(use.name, "'" + std::string(use.name.text) + "' is not a list of targets in this function");
        else
            body_.scopes.back().uses.push_back(use);
    }
    if (outermost) return settle_labels();
    for (const auto& [name, id] : inner.labels) {
        if (body_.labels[id].instruction != kNoId) continue;
        auto [outer, fresh] = body_.scopes.back().labels.try_emplace(name, id);
        if (!fresh) body_.labels[id].same_as = outer->second;
    }
}

LabelId Parser::settled(LabelId label) {
    LabelId root = label;
    while (body_.labels[root].same_as != kNoId) root = body_.labels[root].same_as;
    while (body_.labels[label].same_as != kNoId) {  // shorten the path for the next look
        LabelId next = body_.labels[label].same_as;
        if (next != root) body_.labels[label].same_as = root;
        label = next;
    }
    return root;
}

void Parser::settle_labels() {
    Function& function = current();
    function.labels.resize(body_.defined_labels);
    for (LabelId id = 0; id < body_.labels.size(); ++id) {
        const LabelSlot& slot = body_.labels[settled(id)];
        if (slot.instruction == kNoId)
            lex_.fail(body_.labels[id].first,
                      "label '" + std::string(slot.name) + "' is not defined in function '" + function.name + "'");
        Label& label = function.labels[slot.order];
        if (label.name.empty()) label = {std::string(slot.name), slot.instruction};
    }
    auto settle = [&](LabelId& label) { label = body_.labels[settled(label)].order; };
    for (std::uint32_t index : body_.branches) {
        Instruction& instruction = function.body[index];
        for (Operand& operand : instruction.operands)
            if (operand.kind == Operand::Kind::label) settle(operand.label);
        for (LabelId& label : instruction.branch_targets) settle(label);
    }
    auto first = std::find_if(function.body.begin(), function.body.end(),
                              [](const Instruction& i) { return i.source != SourceLine{}; });
    if (first != function.body.end()) function.source = first->source;
}

void Parser::branch_table(const Token& label) {
    TargetTable table;
    table.calls = lex_.take().text == "calltargets";
    do {
        Token name = lex_.expect_word("a target");
        if (!table.calls) {
            table.labels.push_back(label_reference(name));
            continue;
        }
        auto found = names_.find(name.text);
        if (!found || found->kind != Name::Kind::function)
            lex_.fail(name, "'" + std::string(name.text) + "' is not a function declared above");
        table.functions.push_back(found->id);
    } while (lex_.accept(','));
    lex_.expect(';', "after the list of targets");
    auto id = static_cast<std::uint32_t>(body_.tables.size());
    if (!body_.scopes.back().tables.try_emplace(label.text, id).second)
        lex_.fail(label, "'" + std::string(label.text) + "' is defined twice");
    body_.tables.push_back(std::move(table));
}

void Parser::prototype(const Token& label) {
    lex_.take();
    std::vector<Variable> results, parameters;
    if (lex_.peek().is('(')) parameter_list(results, false);
    lex_.expect_word("'_' in the prototype");
    if (lex_.peek().is('(')) parameter_list(parameters, false);
    Prototype out;
    out.label = std::string(label.text);
    while (lex_.peek().kind == Token::Kind::dot) {
        if (lex_.accept_dot("noreturn"))
            out.noreturn = true;
        else if (lex_.accept_dot("abi_preserve") || lex_.accept_dot("abi_preserve_control"))
            lex_.expect_integer("a number");
        else
            lex_.fail("unknown directive " + Lexer::describe(lex_.peek()) + " of a prototype");
    }
    lex_.expect(';', "after the prototype");
    auto place = [&](std::vector<Variable>& from, std::vector<SymbolId>& to) {
        for (Variable& variable : from) {
            variable.function = body_.id;
            to.push_back(static_cast<SymbolId>(module_.variables.size()));
            module_.variables.push_back(std::move(variable));
        }
    };
    place(results, out.results);
    place(parameters, out.parameters);
    TargetTable table;
    table.calls = table.is_prototype = true;
    table.prototype = static_cast<std::uint32_t>(current().prototypes.size());
    current().prototypes.push_back(std::move(out));
    auto id = static_cast<std::uint32_t>(body_.tables.size());
    if (!body_.scopes.back().tables.try_emplace(label.text, id).second)
        lex_.fail(label, "'" + std::string(label.text) + "' is defined twice");
    body_.tables.push_back(std::move(table));
}

void Parser::use_table(TableUse use, std::uint32_t index) {
    const TargetTable& table = body_.tables[index];
    Instruction& instruction = current().body[use.instruction];
    bool call = instruction.op == Op::call;
    if (call != table.calls)
        lex_.fail(use.name,
                  "'" + std::string(use.name.text) + "' is not a list of " + (call ? "call" : "branch") + " targets");
    branch_targets_ += table.labels.size() + table.functions.size();
    if (branch_targets_ > kMaxBranchTargets)
        lex_.fail(use.name, "the branches of the module have over " + std::to_string(kMaxBranchTargets) + " targets");
    if (call) {
        instruction.call->targets = table.functions;
        instruction.call->prototype = table.prototype;
    } else {
        instruction.branch_targets = table.labels;
    }
}

}  // namespace warpwright::ptx
