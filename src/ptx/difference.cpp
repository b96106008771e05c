// Whether two modules have the same meaning. Functions and module variables are paired by name (names are unique in a
// module), items local to a function by their order.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "ptx/print_names.hpp"
#include "ptx/printer.hpp"

namespace warpwright::ptx {
namespace {

class Comparison {
public:
    Comparison(const Module& a, const Module& b)
        : a_(a), b_(b), owned_a_(ModuleNames(a).owned), owned_b_(ModuleNames(b).owned) {}
    std::string run();

private:
    bool differ(std::string what) {
        if (found_.empty()) found_ = where_.empty() ? std::move(what) : where_ + ": " + std::move(what);
        return true;
    }
    bool pair_symbols();
    bool pair_locals(SymbolId a, SymbolId b);
    bool variables();
    bool variable(const Variable& a, const Variable& b);
    bool function(const Function& a, const Function& b);
    bool instruction(const Instruction& a, const Instruction& b);
    bool operands(const std::vector<Operand>& a, const std::vector<Operand>& b);
    bool operand(const Operand& a, const Operand& b);
    bool same_variable(SymbolId a, SymbolId b) const;
    bool same_function(SymbolId a, SymbolId b) const;

    const Module& a_;
    const Module& b_;
    std::vector<std::vector<SymbolId>> owned_a_, owned_b_;
    std::vector<SymbolId> variable_of_, function_of_;  ///< from a's index to b's
    std::string where_, found_;
};

bool Comparison::same_variable(SymbolId a, SymbolId b) const {
    return a == kNoId || b == kNoId ? a == b : variable_of_[a] == b;
}

bool Comparison::same_function(SymbolId a, SymbolId b) const {
    return a == kNoId || b == kNoId ? a == b : function_of_[a] == b;
}

bool Comparison::pair_symbols() {
    if (a_.functions.size() != b_.functions.size()) return differ("number of functions");
    if (a_.variables.size() != b_.variables.size()) return differ("number of variables");
    std::unordered_map<std::string_view, SymbolId> names;
    for (SymbolId i = 0; i < b_.functions.size(); ++i) names.emplace(b_.functions[i].name, i);
    for (const Function& f : a_.functions) {
        auto it = names.find(f.name);
        if (it == names.end()) return differ("function " + f.name + " is missing");
        function_of_.push_back(it->second);
    }
    names.clear();
    variable_of_.assign(a_.variables.size(), kNoId);
    for (SymbolId i = 0; i < b_.variables.size(); ++i)
        if (b_.variables[i].function == kNoId) names.emplace(b_.variables[i].name, i);
    for (SymbolId i = 0; i < a_.variables.size(); ++i) {
        if (a_.variables[i].function != kNoId) continue;
        auto it = names.find(a_.variables[i].name);
        if (it == names.end()) return differ("variable " + a_.variables[i].name + " is missing");
        variable_of_[i] = it->second;
    }
    for (SymbolId i = 0; i < a_.functions.size(); ++i)
        if (pair_locals(i, function_of_[i])) return true;
    return false;
}

bool Comparison::pair_locals(SymbolId a, SymbolId b) {
    const Function& fa = a_.functions[a];
    const Function& fb = b_.functions[b];
    where_ = fa.name;
    std::unordered_set<SymbolId> taken;
    auto match = [&](const std::vector<SymbolId>& x, const std::vector<SymbolId>& y) {
        if (x.size() != y.size()) return differ("number of parameters");
        for (std::size_t i = 0; i < x.size(); ++i) {
            variable_of_[x[i]] = y[i];
            taken.insert(y[i]);
        }
        return false;
    };
    if (match(fa.results, fb.results) || match(fa.parameters, fb.parameters)) return true;
    if (fa.prototypes.size() != fb.prototypes.size()) return differ("number of prototypes");
    for (std::size_t i = 0; i < fa.prototypes.size(); ++i) {
        const Prototype &pa = fa.prototypes[i], &pb = fb.prototypes[i];
        if (match(pa.results, pb.results) || match(pa.parameters, pb.parameters)) return true;
        if (pa.noreturn != pb.noreturn) return differ("noreturn of a prototype");
    }
    std::size_t next = 0;
    const std::vector<SymbolId>& rest = owned_b_[b];
    for (SymbolId i : owned_a_[a]) {
        if (variable_of_[i] != kNoId) continue;
        while (next < rest.size() && taken.contains(rest[next])) ++next;
        if (next == rest.size()) return differ("variable " + a_.variables[i].name + " is missing");
        variable_of_[i] = rest[next++];
    }
    where_.clear();
    return false;
}

bool Comparison::variables() {
    for (SymbolId i = 0; i < a_.variables.size(); ++i) {
        where_ = "variable " + a_.variables[i].name;
        if (variable(a_.variables[i], b_.variables[variable_of_[i]])) return true;
    }
    return false;
}

bool Comparison::variable(const Variable& a, const Variable& b) {
    if (a.space != b.space) return differ("space");
    if (a.type != b.type) return differ("type");
    if (a.align != b.align) return differ("alignment");
    if (a.vector != b.vector) return differ("vector width");
    if (a.size != b.size) return differ(fmt::format("size: {} and {}", a.size, b.size));
    if (a.linkage != b.linkage) return differ("linkage");
    if (a.init != b.init) return differ("initial value");
    if (a.reg != b.reg) return differ("register");
    if (a.managed != b.managed) return differ("managed");
    if (a.is_pointer != b.is_pointer || a.pointer_space != b.pointer_space || a.pointer_align != b.pointer_align)
        return differ(".ptr");
    if (!same_function(a.function, b.function)) return differ("owner");
    if (a.relocations.size() != b.relocations.size()) return differ("number of addresses in the initial value");
    for (std::size_t i = 0; i < a.relocations.size(); ++i) {
        Relocation x = a.relocations[i];
        const Relocation& y = b.relocations[i];
        x.symbol = x.is_function ? function_of_[x.symbol] : variable_of_[x.symbol];
        if (x != y) return differ(fmt::format("address {} of the initial value", i));
    }
    return false;
}

bool Comparison::function(const Function& a, const Function& b) {
    if (a.entry != b.entry || a.defined != b.defined || a.linkage != b.linkage) return differ("kind");
    if (!same_function(a.alias_of, b.alias_of)) return differ("alias");
    const Directives &x = a.directives, &y = b.directives;
    if (!(x == y)) return differ("directives");
    if (a.registers.size() != b.registers.size()) return differ("number of registers");
    for (std::size_t i = 0; i < a.registers.size(); ++i)
        if (a.registers[i].type != b.registers[i].type) return differ("type of register " + a.registers[i].name);
    if (a.labels.size() != b.labels.size()) return differ("number of labels");
    for (std::size_t i = 0; i < a.labels.size(); ++i)
        if (a.labels[i].instruction != b.labels[i].instruction) return differ("place of label " + a.labels[i].name);
    if (a.source != b.source) return differ("source line");
    if (a.body.size() != b.body.size()) return differ("number of instructions");
    for (std::size_t i = 0; i < a.body.size(); ++i) {
        where_ = fmt::format("{}, instruction {} ({})", a.name, i, a.body[i].spelling());
        if (instruction(a.body[i], b.body[i])) return true;
    }
    return false;
}

bool Comparison::instruction(const Instruction& a, const Instruction& b) {
    if (a.op != b.op || a.mods != b.mods || a.types != b.types) return differ("opcode and " + b.spelling());
    if (a.guard.has_value() != b.guard.has_value()) return differ("guard");
    if (a.guard && (a.guard->reg != b.guard->reg || a.guard->negated != b.guard->negated)) return differ("guard");
    if (a.source != b.source || a.inlined_at != b.inlined_at) return differ("source line");
    if (a.branch_targets != b.branch_targets) return differ("branch targets");
    if (a.call.has_value() != b.call.has_value()) return differ("call");
    if (a.call) {
        const Call &x = *a.call, &y = *b.call;
        if (operands(x.results, y.results) || operands(x.arguments, y.arguments) || operand(x.target, y.target))
            return true;
        if (x.uniform != y.uniform || x.prototype != y.prototype) return differ("call");
        if (x.targets.size() != y.targets.size()) return differ("call targets");
        for (std::size_t i = 0; i < x.targets.size(); ++i)
            if (!same_function(x.targets[i], y.targets[i])) return differ("call targets");
    }
    return operands(a.operands, b.operands);
}

bool Comparison::operands(const std::vector<Operand>& a, const std::vector<Operand>& b) {
    if (a.size() != b.size()) return differ("number of operands");
    for (std::size_t i = 0; i < a.size(); ++i)
        if (operand(a[i], b[i])) return true;
    return false;
}

bool Comparison::operand(const Operand& a, const Operand& b) {
    bool same = a.kind == b.kind && a.base == b.base && a.negated == b.negated && a.minus == b.minus &&
                a.is_f32_bits == b.is_f32_bits && a.special == b.special && a.reg == b.reg && a.label == b.label &&
                a.offset == b.offset && a.value == b.value;
    // A text operand names a table, and tables are compared by their contents.
    if (a.kind != Operand::Kind::text) same = same && a.text == b.text;
    same = same &&
           (a.kind == Operand::Kind::function ? same_function(a.symbol, b.symbol) : same_variable(a.symbol, b.symbol));
    if (!same) return differ("an operand");
    return operands(a.elements, b.elements);
}

std::string Comparison::run() {
    if (a_.version_major != b_.version_major || a_.version_minor != b_.version_minor) return "version";
    if (a_.target != b_.target) return "target";
    if (a_.address_size != b_.address_size) return "address size";
    if (a_.files != b_.files) return "files";
    if (pair_symbols() || variables()) return found_;
    for (SymbolId i = 0; i < a_.functions.size(); ++i) {
        where_ = a_.functions[i].name;
        if (function(a_.functions[i], b_.functions[function_of_[i]])) return found_;
    }
    return {};
}

}  // namespace

std::string difference(const Module& a, const Module& b) { return Comparison(a, b).run(); }

}  // namespace warpwright::ptx
