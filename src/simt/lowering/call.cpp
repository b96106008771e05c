// Calls: inlined if the callee is known and not recursive; else calls of functions, or of those that the engine
// supplies.
#include <algorithm>
#include <map>
#include <string_view>

#include "ptx/place.hpp"
#include "simt/limits.hpp"
#include "simt/lowering/builder.hpp"

namespace warpwright::simt {

using OK = ptx::Operand::Kind;

namespace {

struct Signature {
    std::size_t inputs;
    ptx::Type result;  ///< ptx::Type::none: there is none
};

Signature signature_of(SystemCall which) {
    switch (which) {
        case SystemCall::print:
            return {2, ptx::Type::b32};
        case SystemCall::assert_fail:
            return {5, ptx::Type::none};
        case SystemCall::allocate:
            return {1, ptx::Type::b64};
        case SystemCall::none:
        case SystemCall::release:
            return {1, ptx::Type::none};
#define WW_DEVICE_CALL(name, inputs, result) \
    case SystemCall::name:                   \
        return {inputs, ptx::Type::result};
#include "simt/device_calls.inc"
#undef WW_DEVICE_CALL
    }
    return {0, ptx::Type::none};
}

ptx::Type chunk_type(std::uint64_t bytes) {
    return bytes >= 8 ? ptx::Type::b64 : bytes >= 4 ? ptx::Type::b32 : bytes >= 2 ? ptx::Type::b16 : ptx::Type::b8;
}

}  // namespace

SystemCall device_call_of(std::string_view name) {
    static const std::map<std::string_view, SystemCall> all = {
#define WW_DEVICE_CALL(name, inputs, result) {#name, SystemCall::name},
#include "simt/device_calls.inc"
#undef WW_DEVICE_CALL
    };
    if (name == "__cudaDeviceSynchronizeDeprecationAvoidance") return SystemCall::DeviceSynchronize;
    for (const std::string_view start : {"__cudaCDP2", "cuda"})
        if (name.starts_with(start)) {
            name.remove_prefix(start.size());
            if (name.ends_with("_ptsz")) name.remove_suffix(5);
            const auto found = all.find(name);
            return found == all.end() ? SystemCall::none : found->second;
        }
    return SystemCall::none;
}

SystemCall system_call_of(const ptx::Function& callee) {
    // NVIDIA's library for this may be linked in. Ours replaces it, because ours knows the emulated device.
    if (const auto call = device_call_of(callee.name); call != SystemCall::none) return call;
    if (callee.defined) return SystemCall::none;
    if (callee.name == "vprintf") return SystemCall::print;
    if (callee.name == "__assertfail") return SystemCall::assert_fail;
    if (callee.name == "malloc") return SystemCall::allocate;
    if (callee.name == "free") return SystemCall::release;
    return SystemCall::none;
}

std::uint32_t Builder::storage_of(Instance& at, std::uint32_t variable) {
    auto found = at.storages.find(variable);
    if (found != at.storages.end()) return found->second;
    const auto& v = module_.variables[variable];
    Storage s;
    s.size = v.size;
    s.align = std::max(v.align, 8u);
    f_.storages.push_back(s);
    auto id = static_cast<std::uint32_t>(f_.storages.size() - 1);
    at.storages[variable] = id;
    return id;
}

Operand Builder::load_storage(const Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type) {
    auto out = temp(type);
    Inst& l = emit(InstKind::load, &inst);
    l.space = ptx::Space::param;
    l.symbol = storage;
    l.offset = static_cast<std::int64_t>(offset);
    l.type = type;
    l.out = {out};
    l.counted = false;
    return Operand::of(out);
}

void Builder::store_storage(const Instruction& inst, std::uint32_t storage, std::uint64_t offset, ptx::Type type,
                            Operand value) {
    Inst& s = emit(InstKind::store, &inst);
    s.space = ptx::Space::param;
    s.symbol = storage;
    s.offset = static_cast<std::int64_t>(offset);
    s.type = type;
    s.in = {value};
    s.counted = false;
}

Result<void> Builder::call(Instance& at, const Instruction& inst) {
    const auto& target = inst.call->target;
    if (target.kind != OK::function) return real_call(at, inst, kNone);
    const auto& callee = module_.functions[target.symbol];
    if (const auto which = system_call_of(callee); which != SystemCall::none) return system_call(at, inst, which);
    if (!callee.defined)
        return unsupported(
            inst, "the function '" + callee.name +
                      "' is not defined in this module and the emulated GPU supplies no such function; if another "
                      "source file defines it, build with relocatable device code (-rdc=true)");
    const bool inlined = graph_.inlines(target.symbol) && inlined_ + graph_.size[target.symbol] <= kMaxGrowth;
    return inlined ? inline_call(at, inst, target.symbol) : real_call(at, inst, target.symbol);
}

/// Gives the callee's parameters and results their places.
Result<void> Builder::bind_parameters(Instance& at, Instance& in, const Instruction& inst) {
    const auto& callee = *in.source;
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
        const auto& a = inst.call->arguments[i];
        const auto formal = callee.parameters[i];
        if (a.kind == OK::variable) {
            // The callee reads the caller's variable in place, because a parameter does not change after the call
            // begins.
            in.storages[formal] = storage_of(at, a.symbol);
        } else {
            auto s = source(at, inst, a);
            if (!s) return s.error();
            store_storage(inst, storage_of(in, formal), 0, module_.variables[formal].type, *s);
        }
    }
    for (std::size_t i = 0; i < callee.results.size(); ++i) {
        const auto& r = inst.call->results[i];
        if (r.kind == OK::variable) in.storages[callee.results[i]] = storage_of(at, r.symbol);
    }
    return {};
}

Result<void> Builder::inline_call(Instance& at, const Instruction& inst, std::uint32_t callee_id) {
    const auto& callee = module_.functions[callee_id];
    emit(InstKind::nop, &inst);  // the call itself counts as one instruction
    Instance in;
    in.source = &callee;
    in.id = callee_id;
    const auto place = ptx::own_place(module_, details_->source, details_->inlined_at);
    in.from = ptx::is_own(module_, place) ? place : at.from;
    if (inst.call->arguments.size() != callee.parameters.size() || inst.call->results.size() != callee.results.size())
        return unsupported(inst, "the call does not match the declaration of '" + callee.name + "'");
    if (auto r = bind_parameters(at, in, inst); !r) return r;
    in.after = new_block();
    if (auto r = body(in); !r) return r;
    current_ = in.after;
    for (std::size_t i = 0; i < callee.results.size(); ++i) {
        const auto& r = inst.call->results[i];
        if (r.kind != OK::reg) continue;
        load_storage(inst, storage_of(in, callee.results[i]), 0, module_.variables[callee.results[i]].type);
        f_.blocks[current_].insts.back().out = {at.register_base + r.reg};
    }
    return {};
}

/// Sizes of the callee's results and parameters, from its declaration or the prototype of an indirect call.
Result<Builder::FrameSizes> Builder::callee_frame(Instance& at, const Instruction& inst, std::uint32_t callee) {
    FrameSizes sizes;
    auto take = [&](const auto& declared) {
        for (auto p : declared.results) sizes.results.push_back(module_.variables[p].size);
        for (auto p : declared.parameters) sizes.parameters.push_back(module_.variables[p].size);
    };
    if (callee != kNone)
        take(module_.functions[callee]);
    else if (inst.call->prototype != ptx::kNoId)
        take(at.source->prototypes[inst.call->prototype]);
    else if (!inst.call->targets.empty())
        take(module_.functions[inst.call->targets[0]]);
    else
        return unsupported(inst, "an indirect call needs a prototype");
    if (inst.call->arguments.size() != sizes.parameters.size() || inst.call->results.size() != sizes.results.size())
        return unsupported(inst, "the call does not match its prototype");
    return sizes;
}

/// A place in the frame of the function that is called next.
Operand Builder::outgoing(const Instruction& inst, std::uint64_t offset) {
    return address_of(inst, ptx::Space::local, kOutgoing, static_cast<std::int64_t>(offset));
}

/// The callee's frame begins with its results, then its parameters, in places of eight bytes (place_parameters()).
Result<void> Builder::pass_arguments(Instance& at, const Instruction& inst, const FrameSizes& sizes) {
    std::uint64_t place = 0;
    for (auto s : sizes.results) place += (s + 7) / 8 * 8;
    for (std::size_t i = 0; i < sizes.parameters.size(); ++i) {
        const auto& a = inst.call->arguments[i];
        const auto size = sizes.parameters[i];
        Operand whole;
        if (a.kind != OK::variable) {
            auto s = source(at, inst, a);
            if (!s) return s.error();
            whole = *s;
        }
        for (std::uint64_t off = 0; off < size;) {
            auto type = chunk_type(size - off);
            Operand v = a.kind == OK::variable ? load_storage(inst, storage_of(at, a.symbol), off, type) : whole;
            auto address = outgoing(inst, place + off);
            Inst& s = emit_glue(InstKind::store, inst);
            s.space = ptx::Space::local;
            s.type = type;
            s.in = {address, v};
            off += ptx::bytes(type);
        }
        place += (size + 7) / 8 * 8;
    }
    return {};
}

void Builder::fetch_results(Instance& at, const Instruction& inst, const FrameSizes& sizes) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < sizes.results.size(); ++i) {
        const auto& r = inst.call->results[i];
        const auto size = sizes.results[i];
        for (std::uint64_t off = 0; off < size;) {
            auto type = chunk_type(size - off);
            auto address = outgoing(inst, place + off);
            auto out = r.kind == OK::reg ? at.register_base + r.reg : temp(type);
            Inst& l = emit_glue(InstKind::load, inst);
            l.space = ptx::Space::local;
            l.type = type;
            l.in = {address};
            l.out = {out};
            if (r.kind == OK::variable) store_storage(inst, storage_of(at, r.symbol), off, type, Operand::of(out));
            off += ptx::bytes(type);
        }
        place += (size + 7) / 8 * 8;
    }
}

Result<void> Builder::real_call(Instance& at, const Instruction& inst, std::uint32_t callee) {
    auto sizes = callee_frame(at, inst, callee);
    if (!sizes) return sizes.error();
    f_.has_calls = true;
    if (callee != kNone) {
        f_.callees.push_back(callee);
    } else {
        for (std::uint32_t i = 0; i < module_.functions.size(); ++i)
            if (graph_.address_taken[i] && module_.functions[i].defined && !module_.functions[i].entry)
                f_.callees.push_back(i);
    }
    if (auto r = pass_arguments(at, inst, *sizes); !r) return r;
    std::vector<Operand> in;
    if (callee == kNone) {
        auto target = source(at, inst, inst.call->target);
        if (!target) return target.error();
        in = {*target};
    }
    Inst& c = emit(InstKind::call, &inst);
    c.symbol = callee;
    c.in = std::move(in);
    fetch_results(at, inst, *sizes);
    return {};
}

/// The arguments of a call, each as words; a structure is split into its words.
Result<std::vector<Operand>> Builder::call_words(Instance& at, const Instruction& inst) {
    std::vector<Operand> in;
    for (const auto& a : inst.call->arguments) {
        if (a.kind == OK::variable) {
            const auto& v = module_.variables[a.symbol];
            const auto type = v.size > 8 ? (v.align >= 8 ? ptx::Type::b64 : ptx::Type::b32) : chunk_type(v.size);
            for (std::uint64_t off = 0; off < v.size; off += ptx::bytes(type))
                in.push_back(load_storage(inst, storage_of(at, a.symbol), off, type));
        } else {
            auto s = source(at, inst, a);
            if (!s) return s.error();
            in.push_back(*s);
        }
    }
    return in;
}

Result<void> Builder::system_call(Instance& at, const Instruction& inst, SystemCall which) {
    auto in = call_words(at, inst);
    if (!in) return in.error();
    const auto [wanted, type] = signature_of(which);
    if (in->size() != wanted) return unsupported(inst, "the number of arguments is not what this function takes");
    Inst c;
    c.kind = InstKind::system_call;
    c.ptx = details_;
    c.system = which;
    c.in = std::move(*in);
    if (type == ptx::Type::none) {
        append(std::move(c));
        return {};
    }
    const auto out = temp(type);
    c.out = {out};
    append(std::move(c));
    if (inst.call->results.empty()) return {};
    const auto& r = inst.call->results[0];
    if (r.kind == OK::variable) {
        store_storage(inst, storage_of(at, r.symbol), 0, type, Operand::of(out));
    } else if (r.kind == OK::reg) {
        Inst& m = emit_glue(InstKind::move, inst);
        m.type = type;
        m.in = {Operand::of(out)};
        m.out = {at.register_base + r.reg};
    }
    return {};
}

}  // namespace warpwright::simt
