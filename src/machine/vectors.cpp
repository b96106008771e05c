#include "machine/vectors.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>

namespace warpwright::machine {

namespace {

using ptx::Mod;
using simt::InstKind;
using POp = ptx::Op;

/// A multiple of 16 bytes is as much as any load asks for.
constexpr unsigned kMost = 4;
constexpr unsigned kWord = 4;

/// By value: of how many twos it is known to be a multiple.
class Multiples {
public:
    explicit Multiples(const simt::Function& f) : f_(f), known_(f.values.size(), kUnknown), made_(f.values.size()) {
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts)
                for (auto v : i.out)
                    if (v != simt::kNone) made_[v] = &i;
    }

    unsigned of(const simt::Operand& o) {
        if (o.is_integer()) return of_constant(o.bits);
        if (!o.is_value()) return 0;
        auto& known = known_[o.value];
        // A value that depends on itself: what else goes into it decides.
        if (known == kAsked) return kMost;
        if (known != kUnknown) return known;
        known = kAsked;
        const auto found = made_[o.value] ? std::min(kMost, of_result(*made_[o.value])) : 0;
        return known_[o.value] = static_cast<std::uint8_t>(found);
    }

private:
    static constexpr std::uint8_t kUnknown = 255, kAsked = 254;
    static unsigned of_constant(std::uint64_t bits) {
        return bits == 0 ? kMost : std::min(kMost, static_cast<unsigned>(std::countr_zero(bits)));
    }
    unsigned least(const simt::Inst& i) {
        unsigned n = kMost;
        for (const auto& o : i.in) n = std::min(n, of(o));
        return n;
    }

    unsigned of_result(const simt::Inst& i) {
        switch (i.kind) {
            case InstKind::phi:
            case InstKind::move:
            case InstKind::to_generic:
            case InstKind::from_generic:
                return least(i);
            case InstKind::select:
                return std::min(of(i.in[1]), of(i.in[2]));
            case InstKind::address:  // assemblers begin each variable of shared memory at such a multiple
                return i.space == ptx::Space::shared ? of_constant(static_cast<std::uint64_t>(i.offset)) : 0;
            case InstKind::add_offset:
                return std::min(of(i.in[0]), of_constant(static_cast<std::uint64_t>(i.offset)));
            case InstKind::data:
                return i.ptx ? of_data(i) : 0;
            default:
                return 0;
        }
    }

    unsigned of_data(const simt::Inst& i) {
        if (ptx::is_float(i.ptx->type())) return 0;
        switch (i.ptx->op) {
            case POp::shl:
                return i.in[1].is_integer() ? of(i.in[0]) + static_cast<unsigned>(i.in[1].bits & 63) : of(i.in[0]);
            case POp::add:
            case POp::sub:
            case POp::or_:
            case POp::xor_:
                return least(i);
            case POp::and_:
                return std::max(of(i.in[0]), of(i.in[1]));
            case POp::mul:
                return i.ptx->has(Mod::hi) ? 0 : of(i.in[0]) + of(i.in[1]);
            case POp::mad:
                return i.ptx->has(Mod::hi) ? 0 : std::min(of(i.in[0]) + of(i.in[1]), of(i.in[2]));
            case POp::cvt:
            case POp::mov:
                return of(i.in[0]);
            default:
                return 0;
        }
    }

    const simt::Function& f_;
    std::vector<std::uint8_t> known_;
    std::vector<const simt::Inst*> made_;
};

/// Loads from one address, by the constant that each adds.
using Group = std::map<std::int64_t, Item*>;

/// The loads of `words` words from `at` on; empty where one lacks.
std::vector<Item*> run_of(const Group& group, std::int64_t at, unsigned words) {
    std::vector<Item*> out;
    for (unsigned k = 0; k < words; ++k) {
        const auto found = group.find(at + kWord * k);
        if (found == group.end() || found->second->op.issues == 0 || !found->second->more.empty()) return {};
        out.push_back(found->second);
    }
    return out;
}

void join(const std::vector<Item*>& run) {
    Item* first = *std::min_element(run.begin(), run.end());  // of one block's list: the order of the program
    for (Item* item : run) {
        if (item == first) continue;
        for (auto v : item->inst->out) first->more.push_back(v);
        item->op.issues = 0, item->op.pipe = Pipe::none, item->op.effect = Effect::none;
        item->within = true;
    }
    first->op.bytes = static_cast<std::uint8_t>(kWord * run.size());
    first->op.joined = static_cast<std::uint8_t>(run.size());
}

void join_group(const Group& group, unsigned multiple) {
    for (const unsigned words : {4u, 2u}) {
        const auto bytes = static_cast<std::int64_t>(words * kWord);
        if ((1u << multiple) < bytes) continue;
        for (const auto& [at, item] : group)
            if (at % bytes == 0)
                if (const auto run = run_of(group, at, words); !run.empty()) join(run);
    }
}

bool joins(const simt::Inst& i) {
    return i.kind == InstKind::load && i.space == ptx::Space::shared && i.in.size() == 1 && i.in[0].is_value() &&
           i.out.size() == 1 && ptx::bytes(i.type) == kWord && !(i.ptx && i.ptx->has(Mod::volatile_));
}

/// What loads of shared memory are not moved across.
bool orders(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::load:
        case InstKind::phi:
        case InstKind::data:
            return false;
        case InstKind::store:
            return i.space == ptx::Space::shared || i.space == ptx::Space::generic;
        default:
            return !simt::facts(i.kind).pure;
    }
}

}  // namespace

void join_loads(Draft& draft, const simt::Function& f) {
    Multiples multiples(f);
    for (auto& block : draft) {
        std::unordered_map<simt::ValueId, Group> groups;
        const auto close = [&] {
            for (const auto& [address, group] : groups)
                if (group.size() > 1) join_group(group, multiples.of(simt::Operand::of(address)));
            groups.clear();
        };
        for (auto& item : block) {
            if (joins(*item.inst))
                groups[item.inst->in[0].value].emplace(item.inst->offset, &item);
            else if (orders(*item.inst))
                close();
        }
        close();
    }
}

}  // namespace warpwright::machine
