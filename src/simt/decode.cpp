// PTX instruction -> Details.
#include <algorithm>
#include <charconv>

#include "ptx/suffix.hpp"
#include "simt/details.hpp"

namespace warpwright::simt {

namespace {

Access access_of(const Details& d) {
    Access a;
    a.atomic = facts(d.op).form == Form::atomic;
    for (const Mod m : d.mods) switch (m) {
            case Mod::relaxed:
                a.order = MemoryOrder::relaxed;
                break;
            case Mod::acquire:
                a.order = MemoryOrder::acquire;
                break;
            case Mod::release:
                a.order = MemoryOrder::release;
                break;
            case Mod::acq_rel:
                a.order = MemoryOrder::acq_rel;
                break;
            case Mod::sc:
                a.order = MemoryOrder::sc;
                break;
            case Mod::cta:
                a.scope = Scope::block;
                break;
            case Mod::cluster:
                a.scope = Scope::cluster;
                break;
            case Mod::gpu:
            case Mod::gl:
                a.scope = Scope::device;
                break;
            case Mod::sys:
                a.scope = Scope::system;
                break;
            case Mod::ca:
                a.cache = CacheOperator::all;
                break;
            case Mod::cg:
                a.cache = CacheOperator::global;
                break;
            case Mod::cs:
                a.cache = CacheOperator::streaming;
                break;
            case Mod::lu:
                a.cache = CacheOperator::last_use;
                break;
            case Mod::cv:
                a.cache = CacheOperator::again;
                break;
            case Mod::wb:
                a.cache = CacheOperator::back;
                break;
            case Mod::wt:
                a.cache = CacheOperator::through;
                break;
            case Mod::v2:
                a.vector = 2;
                break;
            case Mod::v4:
                a.vector = 4;
                break;
            case Mod::v8:
                a.vector = 8;
                break;
            case Mod::volatile_:
                a.is_volatile = true;
                break;
            case Mod::mmio:
                a.mmio = true;
                break;
            default:
                break;
        }
    return a;
}

Rounding rounding_of(const Details& d) {
    for (const Mod mod : d.mods) switch (mod) {
            case Mod::rn:
            case Mod::rni:
                return Rounding::nearest_even;
            case Mod::rna:
                return Rounding::nearest_away;
            case Mod::rz:
            case Mod::rzi:
                return Rounding::zero;
            case Mod::rm:
            case Mod::rmi:
                return Rounding::down;
            case Mod::rp:
            case Mod::rpi:
                return Rounding::up;
            default:
                break;
        }
    return Rounding::nearest_even;
}

Extent extent_of(const Details& d) {
    for (const Mod mod : d.mods) {
        const std::string_view text = spelling(mod);
        Extent e;
        const char* at = text.data();
        const char* const end = at + text.size();
        const auto number = [&](char letter, unsigned& to) {
            if (at == end || *at != letter) return false;
            const auto [next, error] = std::from_chars(at + 1, end, to);
            at = next;
            return error == std::errc();
        };
        if (number('m', e.m) && number('n', e.n) && number('k', e.k) && at == end) return e;
    }
    return {};
}

/// Whether somebody's meaning depends on how the operands were written.
bool keeps_operands(const Details& d) {
    switch (facts(d.op).form) {
        case Form::data:
        case Form::copy_group:
        case Form::matrix:
        case Form::matrix_move:
        case Form::wgmma:
        case Form::bulk_copy:
        case Form::texture:
        case Form::tensor_map:
            return true;
        default:
            return false;
    }
}

Written written(const ptx::Operand& o) {
    Written w;
    w.kind = o.kind;
    w.minus = o.minus;
    w.negated = o.negated;
    if (o.kind == Written::Kind::integer) w.value = o.value;
    if (o.kind == Written::Kind::reg) w.text = o.text;
    w.elements.reserve(o.elements.size());
    for (const auto& e : o.elements) w.elements.push_back(written(e));
    return w;
}

/// What follows from the opcode and its suffixes.
void decode_suffixes(Details& d, bool waits) {
    d.access = access_of(d);
    d.arithmetic = {rounding_of(d), d.has(Mod::ftz), d.has(Mod::sat)};
    d.extent = facts(d.op).form == Form::matrix || facts(d.op).form == Form::wgmma ? extent_of(d) : Extent{};
    d.waits = waits;
}

}  // namespace

Details decode(const ptx::Instruction& i) {
    Details d;
    d.op = i.op;
    d.mods = i.mods;
    d.types = i.types;
    d.types_at = i.types_at;
    decode_suffixes(d, i.waits());
    if (keeps_operands(d))
        for (const auto& o : i.operands) d.operands.push_back(written(o));
    d.nounroll = i.nounroll;
    d.line = i.line;
    d.column = i.column;
    d.source = i.source;
    d.inlined_at = i.inlined_at;
    return d;
}

std::optional<Details> decode(std::string_view text) {
    const auto read = ptx::spelled(text);
    if (!read) return std::nullopt;
    return decode(*read);
}

std::string Details::spelling() const {
    ptx::Instruction i;
    i.op = op;
    i.mods = mods;
    i.types = types;
    i.types_at = types_at;
    return i.spelling();
}

Space Details::space() const {
    for (const Mod m : mods) switch (m) {
            case Mod::global:
                return Space::global;
            case Mod::shared:
            case Mod::shared_cta:
            case Mod::shared_cluster:
                return Space::shared;
            case Mod::local:
                return Space::local;
            case Mod::const_:
                return Space::constant;
            case Mod::param:
            case Mod::param_entry:
            case Mod::param_func:
                return Space::param;
            default:
                break;
        }
    return Space::generic;
}

Type operand_type(const Details& d, unsigned index) {
    const std::string_view letters = facts(d.op).operands;
    const Type named = index < letters.size() ? ptx::type_of(letters[index], d.types, d.has(Mod::wide)) : Type::none;
    return named == Type::none ? d.type() : named;
}

namespace {

bool names(const ptx::Operand& operand, std::uint32_t reg) {
    using Kind = ptx::Operand::Kind;
    const bool one =
        operand.kind == Kind::reg || (operand.kind == Kind::address && operand.base == ptx::Operand::Base::reg);
    if (one && operand.reg == reg) return true;
    return std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const ptx::Operand& e) { return names(e, reg); });
}

/// LLVM drops the line of a load that it moves across a branch; then it has that of the first instruction that uses
/// what was loaded, if that one has a line: what is further away may be another statement.
void place_loads(const ptx::Function& function, std::vector<Details>& all) {
    constexpr std::size_t kNear = 128;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const ptx::Instruction& load = function.body[k];
        if (load.op != ptx::Op::ld || load.source.line || load.operands.empty()) continue;
        const ptx::Operand& to = load.operands[0];
        if (to.kind != ptx::Operand::Kind::reg) continue;
        const auto begin = function.body.begin() + static_cast<std::ptrdiff_t>(k + 1);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kNear, all.size() - k - 1));
        const auto user = std::find_if(begin, end, [&](const ptx::Instruction& i) {
            return std::any_of(i.operands.begin(), i.operands.end(),
                               [&](const ptx::Operand& o) { return names(o, to.reg); });
        });
        if (user != end && user->source.line) all[k].source = user->source, all[k].inlined_at = user->inlined_at;
    }
}

}  // namespace

const std::vector<Details>& Decoded::of(const ptx::Function& function) {
    const std::lock_guard lock(mutex_);
    auto [at, added] = functions_.try_emplace(&function);
    if (added) {
        at->second.reserve(function.body.size());
        for (const auto& i : function.body) at->second.push_back(decode(i));
        place_loads(function, at->second);
    }
    return at->second;
}

}  // namespace warpwright::simt
