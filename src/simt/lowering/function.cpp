// PTX function -> control-flow graph over registers.
#include <algorithm>
#include <functional>

#include "ptx/place.hpp"
#include "simt/limits.hpp"
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

Inst& Builder::emit(InstKind kind, const Instruction* inst) {
    auto& insts = f_.blocks[current_].insts;
    insts.emplace_back();
    insts.back().kind = kind;
    insts.back().ptx = inst ? details_ : nullptr;
    return insts.back();
}

Inst& Builder::emit_glue(InstKind kind, const Instruction& inst) {
    Inst& i = emit(kind, &inst);
    i.counted = false;
    return i;
}

Error Builder::unsupported(const Instruction& inst, const std::string& why) const {
    return Error{ErrorKind::input, inst.spelling() + ": " + why,
                 ptx::told_place(module_, inst.source, inst.inlined_at, inst.line, inst.column), ""};
}

Error Builder::unsupported(const Details& inst, const std::string& why) const {
    return Error{ErrorKind::input, inst.spelling() + ": " + why,
                 ptx::told_place(module_, inst.source, inst.inlined_at, inst.line, inst.column), ""};
}

BlockId Builder::new_block() {
    f_.blocks.emplace_back();
    return static_cast<BlockId>(f_.blocks.size() - 1);
}

void Builder::jump_to(BlockId target, const Instruction* inst, bool counted) {
    auto& end = f_.blocks[current_].end;
    end.kind = Terminator::Kind::jump;
    end.targets = {target};
    end.ptx = inst ? details_ : nullptr;
    end.counted = counted;
}

/// The variables that these functions mention, and those whose addresses are in initialisers.
std::vector<bool> Builder::mentioned(const std::set<std::uint32_t>& functions) const {
    std::vector<bool> used(module_.variables.size(), false);
    std::function<void(const ptx::Operand&)> mark = [&](const ptx::Operand& o) {
        if (o.kind == ptx::Operand::Kind::variable ||
            (o.kind == ptx::Operand::Kind::address && o.base == ptx::Operand::Base::variable))
            used[o.symbol] = true;
        for (const auto& e : o.elements) mark(e);
    };
    for (auto i : functions)
        for (const auto& inst : module_.functions[i].body) {
            for (const auto& o : inst.operands) mark(o);
            if (inst.call)
                for (const auto& o : inst.call->arguments) mark(o);
        }
    for (const auto& v : module_.variables)
        for (const auto& r : v.relocations)
            if (!r.is_function && r.symbol < used.size()) used[r.symbol] = true;
    return used;
}

/// Places every shared variable that a reachable function mentions, in order of declaration; the unsized extern ones
/// all start where the static ones end.
void Builder::place_shared(const std::set<std::uint32_t>& functions) {
    const auto used = mentioned(functions);
    f_.placements.assign(module_.variables.size(), {});
    std::uint64_t top = 0;
    std::uint64_t dynamic_align = 1;
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
        const auto& v = module_.variables[i];
        if (v.space != ptx::Space::shared || !used[i]) continue;
        std::uint64_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
        if (v.size == 0) {
            f_.dynamic_shared.push_back(i);
            dynamic_align = std::max(dynamic_align, align);
            continue;
        }
        top = (top + align - 1) / align * align;
        f_.placements[i] = {top, true};
        top += v.size;
    }
    f_.static_shared = top;
    top = (top + dynamic_align - 1) / dynamic_align * dynamic_align;
    for (auto i : f_.dynamic_shared) f_.placements[i] = {top, true};
    if (!f_.dynamic_shared.empty()) f_.static_shared = top;
}

/// The functions whose shared variables count for this one.
std::set<std::uint32_t> Builder::reachable(ptx::SymbolId function) const {
    std::set<std::uint32_t> found{function};
    std::vector<std::uint32_t> todo{function};
    bool indirect = false;
    auto add = [&](std::uint32_t i) {
        if (found.insert(i).second) todo.push_back(i);
    };
    auto add_all = [&](auto&& which) {
        for (std::uint32_t k = 0; k < module_.functions.size(); ++k)
            if (which(k)) add(k);
    };
    while (!todo.empty()) {
        auto i = todo.back();
        todo.pop_back();
        for (auto c : graph_.callees[i]) add(c);
        const bool before = indirect;
        for (const auto& inst : module_.functions[i].body)
            if (inst.call && inst.call->target.kind != ptx::Operand::Kind::function) indirect = true;
        if (indirect && !before)
            add_all([&](std::uint32_t k) { return graph_.address_taken[k] && !module_.functions[k].entry; });
    }
    // A function that is not inlined shares its kernel's placement: all of the module's shared variables count then.
    bool real = !module_.functions[function].entry || indirect;
    for (auto i : found) real |= i != function && !graph_.inlines(i);
    real |= graph_.recursive[function];
    real |= graph_.size[function] - module_.functions[function].body.size() > kMaxGrowth;
    if (real) add_all([](std::uint32_t) { return true; });
    return found;
}

/// Where parameters are: a kernel's in its parameter block; for a function that is not inlined results, then
/// parameters, at the start of its frame, in places of eight bytes.
void Builder::place_parameters(Instance& top) {
    const auto& source = *top.source;
    std::uint64_t offset = 0;
    for (auto p : source.parameters) {
        const auto& v = module_.variables[p];
        std::uint64_t align = v.align ? v.align : std::max(1u, ptx::bytes(v.type) * v.vector);
        offset = (offset + align - 1) / align * align;
        f_.param_offsets.push_back(static_cast<std::uint32_t>(offset));
        offset += v.size;
    }
    f_.param_bytes = static_cast<std::uint32_t>(offset);
    if (source.entry) return;
    std::uint64_t at = 0;
    auto place = [&](ptx::SymbolId p) {
        const auto& v = module_.variables[p];
        Storage s;
        s.size = v.size;
        s.align = 8;
        s.in_memory = s.placed = true;
        s.offset = at;
        at += (v.size + 7) / 8 * 8;
        f_.storages.push_back(s);
        top.storages[p] = static_cast<std::uint32_t>(f_.storages.size() - 1);
    };
    for (auto p : source.results) place(p);
    for (auto p : source.parameters) place(p);
    f_.local_bytes = at;
}

Result<void> Builder::run(ptx::SymbolId function) {
    const auto& source = module_.functions[function];
    f_.name = source.name;
    f_.module = &module_;
    f_.source = &source;
    f_.kernel = source.entry;
    place_shared(reachable(function));
    Instance top;
    top.source = &source;
    top.id = function;
    place_parameters(top);
    current_ = new_block();
    return body(top);
}

/// The instruction, with the program's line from which it was called if it has no such line itself.
const Details& Builder::placed(const Instance& at, const Details& inst) {
    if (!f_.placed || !at.from.line || ptx::is_own(module_, ptx::own_place(module_, inst.source, inst.inlined_at)))
        return inst;
    auto& copy = f_.placed->emplace_back(inst);
    copy.inlined_at = at.from;
    return copy;
}

Result<void> Builder::within_limits(const Instruction& inst) const {
    auto over = [&](const std::string& what, std::uint64_t limit) {
        return Error{
            ErrorKind::input,
            "'" + f_.name + "' has more than " + std::to_string(limit) + " " + what + " with what it calls inlined",
            ptx::told_place(module_, inst.source, inst.inlined_at, inst.line, inst.column),
            "that is the most of one function"};
    };
    if (written_ > kMaxInstructions) return over("instructions", kMaxInstructions);
    if (f_.blocks.size() > kMaxBlocks) return over("blocks of code", kMaxBlocks);
    if (f_.values.size() > kMaxRegisters) return over("registers", kMaxRegisters);
    return {};
}

/// An instruction whose suffixes or lists make it another form than its operands are for: wmma without .mma and with
/// two operands, an empty list of results.
Result<void> Builder::operands_suffice() const {
    for (const auto& block : f_.blocks)
        for (const auto& i : block.insts) {
            if (!i.ptx) continue;
            const auto& kind = facts(i.kind);
            if (i.in.size() < kind.fewest_inputs) return unsupported(*i.ptx, "has too few operands for its suffixes");
            if (i.out.empty() && (kind.results == Results::one || kind.results == Results::some))
                return unsupported(*i.ptx, "has no result");
        }
    return {};
}

Result<void> Builder::body(Instance& at) {
    at.register_base = static_cast<std::uint32_t>(f_.values.size());
    for (const auto& r : at.source->registers) new_value(f_, r.type);
    at.label_blocks.clear();
    std::vector<std::vector<std::uint32_t>> labels_at(at.source->body.size() + 1);
    for (std::uint32_t i = 0; i < at.source->labels.size(); ++i) {
        at.label_blocks.push_back(new_block());
        labels_at[at.source->labels[i].instruction].push_back(i);
    }
    inline_stack_.push_back(at.id);
    auto enter_labels = [&](std::size_t i) {
        for (auto label : labels_at[i]) {
            jump_to(at.label_blocks[label], nullptr, false);
            current_ = at.label_blocks[label];
        }
    };
    const auto& decoded = f_.decoded->of(*at.source);
    const Details* const caller = details_;
    for (std::size_t i = 0; i < at.source->body.size(); ++i) {
        enter_labels(i);
        const auto& inst = at.source->body[i];
        details_ = &placed(at, decoded[i]);
        ++written_;
        inlined_ += inline_stack_.size() > 1;
        if (auto r = within_limits(inst); !r) return r;
        if (auto r = guarded(at, inst); !r) return r;
    }
    enter_labels(at.source->body.size());
    // Falling off the end returns.
    auto& end = f_.blocks[current_].end;
    end.targets.clear();
    if (at.after != kNone)
        jump_to(at.after, nullptr, false);
    else
        end.kind = f_.kernel ? Terminator::Kind::exit : Terminator::Kind::ret, end.counted = false;
    inline_stack_.pop_back();
    details_ = caller;
    return {};
}

Result<Function> build(const ptx::Module& module, ptx::SymbolId function, const BuildOptions& options) {
    Function f;
    f.decoded = options.decoded ? options.decoded : std::make_shared<Decoded>();
    if (options.places) f.placed = std::make_shared<std::deque<Details>>();
    const auto graph = f.decoded->calls(module);
    Builder builder(module, *graph, f);
    if (auto r = builder.run(function); !r) return r.error();
    if (auto r = builder.operands_suffice(); !r) return r.error();
    return f;
}

}  // namespace warpwright::simt
