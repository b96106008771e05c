// Walks a module in the order of its text: what is used before it is defined gets a prototype first, so that symbols
// keep their indices when the text is read again.
#include "ptx/printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ptx/print_names.hpp"

namespace warpwright::ptx {
namespace {

std::string_view space_text(Space space) {
    switch (space) {
        case Space::reg:
            return ".reg";
        case Space::param:
            return ".param";
        case Space::shared:
            return ".shared";
        case Space::local:
            return ".local";
        case Space::constant:
            return ".const";
        default:
            return ".global";
    }
}

std::string_view linkage_text(Linkage linkage) {
    switch (linkage) {
        case Linkage::external:
            return ".extern ";
        case Linkage::visible:
            return ".visible ";
        case Linkage::weak:
            return ".weak ";
        case Linkage::common:
            return ".common ";
        default:
            return "";
    }
}

class Printer {
public:
    explicit Printer(const Module& module) : module_(module), outer_(module) {}

    std::string whole();
    std::string one(const Function& function);
    std::string one(const Function& function, const Instruction& instruction);

private:
    template <class... A>
    void put(fmt::format_string<A...> format, A&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<A>(values)...);
    }
    const std::string& variable_name(SymbolId id) const {
        return names_ ? names_->variable(id) : module_.variables[id].name;
    }
    void declare_up_to(SymbolId last);
    SymbolId last_mentioned(const Function& function) const;
    void head(const Function& function);
    void parameters(const std::vector<SymbolId>& list);
    void parameter(SymbolId id);
    void directives(const Directives& d);
    void definition(const Function& function);
    void registers(const Function& function);
    void prototypes(const Function& function);
    void variable(SymbolId id);
    void initial_value(const Variable& variable);
    void element(const Variable& variable, std::uint64_t offset, const Relocation* relocation);
    void instruction(const Instruction& instruction, std::string_view table);
    void list(const std::vector<Operand>& operands);
    void operand(const Operand& operand);
    void address(const Operand& operand);

    const Module& module_;
    const ModuleNames outer_;
    const LocalNames* names_ = nullptr;
    SymbolId declared_ = 0;  ///< functions below this index are known to the reader of the text
    bool inlined_ = false;   ///< some `.loc` names the label that stands in .debug_str
    std::string out_;
};

std::string Printer::whole() {
    put(".version {}.{}\n", module_.version_major, module_.version_minor);
    if (!module_.target.empty()) put(".target {}\n", module_.target);
    put(".address_size {}\n", module_.address_size);
    for (std::size_t i = 0; i < module_.files.size(); ++i)
        if (!module_.files[i].empty() || (i != 0 && i + 1 == module_.files.size()))
            put(".file {} \"{}\"\n", i, module_.files[i]);
    SymbolId last = 0;
    for (const Variable& v : module_.variables)
        for (const Relocation& r : v.relocations)
            if (r.is_function) last = std::max(last, r.symbol + 1);
    declare_up_to(last);
    for (SymbolId i = 0; i < module_.variables.size(); ++i)
        if (module_.variables[i].function == kNoId) variable(i);
    for (SymbolId i = 0; i < module_.functions.size(); ++i) {
        const Function& function = module_.functions[i];
        if (function.defined) {
            SymbolId mentioned = last_mentioned(function);
            if (mentioned > i + 1) declare_up_to(mentioned);
            definition(function);
            declared_ = std::max(declared_, i + 1);
        } else {
            declare_up_to(i + 1);
        }
    }
    for (const Function& function : module_.functions)
        if (function.alias_of != kNoId)
            put(".alias {}, {};\n", function.name, module_.functions[function.alias_of].name);
    if (inlined_) out_ += ".section .debug_str { $L__inlined: .b8 0 }\n";
    return std::move(out_);
}

// Prototypes, in order, so that indices stay; an .entry that has a body needs none.
void Printer::declare_up_to(SymbolId last) {
    for (; declared_ < last; ++declared_) {
        const Function& function = module_.functions[declared_];
        if (function.entry && function.defined) continue;
        LocalNames names(module_, outer_, function);
        names_ = &names;
        head(function);
        out_ += ";\n";
        names_ = nullptr;
    }
}

SymbolId Printer::last_mentioned(const Function& function) const {
    SymbolId last = 0;
    auto see = [&](const Operand& o) {
        if (o.kind == Operand::Kind::function) last = std::max(last, o.symbol + 1);
    };
    for (const Instruction& i : function.body) {
        for (const Operand& o : i.operands) {
            see(o);
            for (const Operand& e : o.elements) see(e);
        }
        if (!i.call) continue;
        see(i.call->target);
        for (const Operand& o : i.call->arguments) see(o);
        for (SymbolId target : i.call->targets) last = std::max(last, target + 1);
    }
    return last;
}

void Printer::head(const Function& function) {
    put("{}{} ", linkage_text(function.linkage), function.entry ? ".entry" : ".func");
    if (!function.results.empty()) {
        parameters(function.results);
        out_ += ' ';
    }
    out_ += function.name;
    if (!function.parameters.empty()) parameters(function.parameters);
    directives(function.directives);
}

void Printer::parameters(const std::vector<SymbolId>& list) {
    out_ += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i != 0) out_ += ", ";
        parameter(list[i]);
    }
    out_ += ')';
}

void Printer::parameter(SymbolId id) {
    const Variable& v = module_.variables[id];
    out_ += space_text(v.space);
    if (v.align != 0) put(" .align {}", v.align);
    if (v.vector != 1) put(" .v{}", v.vector);
    put(" .{}", spelling(v.type));
    if (v.is_pointer) {
        out_ += " .ptr";
        if (v.pointer_space != Space::generic) put(" {}", space_text(v.pointer_space));
        if (v.pointer_align != 0) put(" .align {}", v.pointer_align);
    }
    put(" {}", variable_name(id));
    std::uint64_t element = std::uint64_t{bytes(v.type)} * v.vector;
    if (v.size == 0)
        out_ += "[]";
    else if (v.size != element)
        put("[{}]", v.size / element);
}

void Printer::directives(const Directives& d) {
    auto three = [&](const char* name, const std::uint32_t(&n)[3]) {
        if (n[0] != 0 || n[1] != 0 || n[2] != 0) put(" .{} {}, {}, {}", name, n[0], n[1], n[2]);
    };
    auto one = [&](const char* name, std::uint32_t n) {
        if (n != 0) put(" .{} {}", name, n);
    };
    three("maxntid", d.maxntid);
    three("reqntid", d.reqntid);
    one("minnctapersm", d.minnctapersm);
    one("maxnreg", d.maxnreg);
    three("reqnctapercluster", d.reqnctapercluster);
    one("maxclusterrank", d.maxclusterrank);
    if (d.explicitcluster) out_ += " .explicitcluster";
    if (d.blocksareclusters) out_ += " .blocksareclusters";
    if (d.noreturn) out_ += " .noreturn";
}

void Printer::definition(const Function& function) {
    LocalNames names(module_, outer_, function);
    names_ = &names;
    head(function);
    out_ += "\n{\n";
    registers(function);
    auto self = static_cast<SymbolId>(&function - module_.functions.data());
    std::unordered_set<SymbolId> elsewhere;  // parameters, also those of prototypes
    auto mark = [&](const std::vector<SymbolId>& list) { elsewhere.insert(list.begin(), list.end()); };
    mark(function.results);
    mark(function.parameters);
    for (const Prototype& p : function.prototypes) {
        mark(p.results);
        mark(p.parameters);
    }
    for (SymbolId id : outer_.owned[self])
        if (!elsewhere.contains(id)) variable(id);
    prototypes(function);
    SourceLine source, inlined_at;
    std::size_t label = 0;
    for (std::size_t i = 0; i <= function.body.size(); ++i) {
        for (; label < function.labels.size() && function.labels[label].instruction == i; ++label)
            put("{}:\n", names.label(static_cast<LabelId>(label)));
        if (i == function.body.size()) break;
        const Instruction& next = function.body[i];
        if (next.source != source || next.inlined_at != inlined_at) {
            source = next.source;
            inlined_at = next.inlined_at;
            bool inlined = inlined_at != SourceLine{};
            // The grammar wants the call site in a .loc of its own before, and a name for the function that was
            // inlined, of which the tree keeps none.
            if (inlined) put("\t.loc {} {} 0\n", inlined_at.file, inlined_at.line);
            put("\t.loc {} {} 0", source.file, source.line);
            if (inlined) put(", function_name $L__inlined, inlined_at {} {} 0", inlined_at.file, inlined_at.line);
            inlined_ = inlined_ || inlined;
            out_ += '\n';
        }
        std::string table;
        if (!next.branch_targets.empty()) {
            table = names.fresh("$targets");
            put("{}: .branchtargets ", table);
            for (std::size_t k = 0; k < next.branch_targets.size(); ++k)
                put("{}{}", k == 0 ? "" : ", ", names.label(next.branch_targets[k]));
            out_ += ";\n";
        } else if (next.call && !next.call->targets.empty()) {
            table = names.fresh("$targets");
            put("{}: .calltargets ", table);
            for (std::size_t k = 0; k < next.call->targets.size(); ++k)
                put("{}{}", k == 0 ? "" : ", ", module_.functions[next.call->targets[k]].name);
            out_ += ";\n";
        } else if (next.call && next.call->prototype != kNoId) {
            table = names.prototype(next.call->prototype);
        }
        out_ += '\t';
        instruction(next, table);
        out_ += '\n';
    }
    out_ += "}\n";
    names_ = nullptr;
}

void Printer::registers(const Function& function) {
    std::vector<bool> is_parameter(function.registers.size());
    for (const auto& list : {function.results, function.parameters})
        for (SymbolId id : list)
            if (RegId reg = module_.variables[id].reg; reg < is_parameter.size()) is_parameter[reg] = true;
    for (RegId i = 0; i < function.registers.size();) {
        if (is_parameter[i]) {
            ++i;
            continue;
        }
        Type type = function.registers[i].type;
        const std::string& first = names_->reg(i);
        std::string_view prefix(first.data(), first.size() - 1);
        RegId count = 1;
        if (first.back() == '0' && first.size() > 1 && !(prefix.back() >= '0' && prefix.back() <= '9'))
            while (i + count < function.registers.size() && !is_parameter[i + count] &&
                   function.registers[i + count].type == type &&
                   names_->reg(i + count) == fmt::format("{}{}", prefix, count))
                ++count;
        if (count > 1)
            put("\t.reg .{} {}<{}>;\n", spelling(type), prefix, count);
        else
            put("\t.reg .{} {};\n", spelling(type), first);
        i += count;
    }
}

void Printer::prototypes(const Function& function) {
    for (std::uint32_t i = 0; i < function.prototypes.size(); ++i) {
        const Prototype& p = function.prototypes[i];
        put("{}: .callprototype ", names_->prototype(i));
        parameters(p.results);
        out_ += " _ ";
        parameters(p.parameters);
        put("{};\n", p.noreturn ? " .noreturn" : "");
    }
}

void Printer::variable(SymbolId id) {
    const Variable& v = module_.variables[id];
    if (names_) out_ += '\t';
    put("{}{}", linkage_text(v.linkage), space_text(v.space));
    if (v.managed) out_ += " .attribute(.managed)";
    if (v.align != 0) put(" .align {}", v.align);
    if (v.vector != 1) put(" .v{}", v.vector);
    put(" .{} {}", spelling(v.type), variable_name(id));
    std::uint64_t element = std::uint64_t{bytes(v.type)} * v.vector;
    if (v.size == 0)
        out_ += v.linkage == Linkage::external || v.space == Space::param ? "[]" : "[0]";
    else if (v.size != element)
        put("[{}]", v.size / element);
    if (!v.init.empty()) initial_value(v);
    out_ += ";\n";
}

void Printer::initial_value(const Variable& v) {
    unsigned step = bytes(v.type);
    out_ += " = ";
    bool scalar = v.init.size() == step;
    std::size_t end = v.init.size();
    while (end > step && v.init[end - 1] == 0) --end;  // what is left out is zero
    for (const Relocation& r : v.relocations) end = std::max<std::size_t>(end, r.offset + r.size);
    if (!scalar) out_ += '{';
    std::size_t next = 0;
    for (std::size_t offset = 0; offset < end; offset += step) {
        if (offset != 0) out_ += ", ";
        while (next < v.relocations.size() && v.relocations[next].offset + v.relocations[next].size <= offset) ++next;
        bool here = next < v.relocations.size() && v.relocations[next].offset <= offset;
        element(v, offset, here ? &v.relocations[next] : nullptr);
    }
    if (!scalar) out_ += '}';
}

void Printer::element(const Variable& v, std::uint64_t offset, const Relocation* r) {
    unsigned step = bytes(v.type);
    if (r) {
        const std::string& name = r->is_function ? module_.functions[r->symbol].name : variable_name(r->symbol);
        std::string text = r->generic ? "generic(" + name + ")" : name;
        if (r->addend != 0) text += fmt::format("+{}", r->addend);
        if (step == 1)
            put("0x{:X}({})", std::uint64_t{0xff} << (r->shift + 8 * (offset - r->offset)), text);
        else
            out_ += text;
        return;
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < step && i < 8; ++i) value |= std::uint64_t{v.init[offset + i]} << (8 * i);
    if (v.type == Type::f32)
        put("0f{:08X}", value);
    else if (v.type == Type::f64)
        put("0d{:016X}", value);
    else
        put("{}", value);
}

void Printer::instruction(const Instruction& i, std::string_view table) {
    if (i.nounroll) out_ += ".pragma \"nounroll\";\n    ";
    if (i.guard) put("@{}{} ", i.guard->negated ? "!" : "", names_->reg(i.guard->reg));
    out_ += i.spelling();
    if (i.call) {
        const Call& call = *i.call;
        out_ += ' ';
        if (!call.results.empty()) {
            out_ += '(';
            list(call.results);
            out_ += "), ";
        }
        operand(call.target);
        if (!call.arguments.empty()) {
            out_ += ", (";
            list(call.arguments);
            out_ += ')';
        }
        if (!table.empty()) put(", {}", table);
    } else if (!i.operands.empty()) {
        out_ += ' ';
        if (i.op == Op::brx && !table.empty()) {
            operand(i.operands[0]);
            put(", {}", table);
        } else {
            list(i.operands);
        }
    }
    out_ += ';';
}

void Printer::list(const std::vector<Operand>& operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i != 0) out_ += ", ";
        operand(operands[i]);
    }
}

void Printer::operand(const Operand& o) {
    switch (o.kind) {
        case Operand::Kind::reg:
            if (o.negated) out_ += '!';
            if (o.minus) out_ += '-';
            out_ += names_->reg(o.reg);
            if (!o.text.empty()) (out_ += '.') += o.text;
            break;
        case Operand::Kind::sink:
            out_ += '_';
            break;
        case Operand::Kind::integer:
            put("{}", static_cast<std::int64_t>(o.value));
            break;
        case Operand::Kind::real:
            if (o.is_f32_bits)
                put("0f{:08X}", o.value);
            else
                put("0d{:016X}", o.value);
            break;
        case Operand::Kind::special:
            out_ += spelling(o.special);
            break;
        case Operand::Kind::variable:
            out_ += variable_name(o.symbol);
            if (o.offset != 0) put("+{}", o.offset);
            break;
        case Operand::Kind::function:
            out_ += module_.functions[o.symbol].name;
            break;
        case Operand::Kind::label:
            out_ += names_->label(o.label);
            break;
        case Operand::Kind::address:
            address(o);
            break;
        case Operand::Kind::vector:
            out_ += '{';
            list(o.elements);
            out_ += '}';
            break;
        case Operand::Kind::pair:
            operand(o.elements[0]);
            out_ += '|';
            operand(o.elements[1]);
            break;
        case Operand::Kind::text:
            out_ += o.text;
            break;
    }
}

void Printer::address(const Operand& o) {
    out_ += '[';
    if (o.base == Operand::Base::none) {
        put("{}", o.offset);
    } else {
        out_ += o.base == Operand::Base::reg ? names_->reg(o.reg) : variable_name(o.symbol);
        if (o.offset != 0) put("+{}", o.offset);
    }
    for (const Operand& element : o.elements) {
        out_ += ", ";
        operand(element);
    }
    out_ += ']';
}

std::string Printer::one(const Function& function) {
    if (function.defined) {
        definition(function);
    } else {
        LocalNames names(module_, outer_, function);
        names_ = &names;
        head(function);
        out_ += ";\n";
    }
    return std::move(out_);
}

std::string Printer::one(const Function& function, const Instruction& i) {
    LocalNames names(module_, outer_, function);
    names_ = &names;
    std::string table;
    if (i.call && i.call->prototype != kNoId) table = names.prototype(i.call->prototype);
    instruction(i, table);
    return std::move(out_);
}

}  // namespace

std::string print(const Module& module) { return Printer(module).whole(); }

std::string print(const Module& module, const Function& function) { return Printer(module).one(function); }

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
    return Printer(module).one(function, instruction);
}

}  // namespace warpwright::ptx
