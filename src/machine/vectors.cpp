// Loads are grouped by their address register until something may write shared memory, and stores until something may
// read or write it elsewhere. Four words are tried before two, and only an address whose last bits are known is taken.
#include "machine/vectors.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "machine/remainders.hpp"

namespace warpwright::machine {

namespace {

using simt::InstKind;
using POp = simt::Op;

constexpr unsigned kWord = 4;

/// Loads from one address, by the constant that each adds.
using Group = std::map<std::int64_t, DraftInst*>;

/// The loads of `words` words from `at` on; empty where one lacks.
std::vector<DraftInst*> run_of(const Group& group, std::int64_t at, unsigned words) {
    std::vector<DraftInst*> out;
    for (unsigned k = 0; k < words; ++k) {
        const auto found = group.find(at + kWord * k);
        if (found == group.end() || found->second->op.issues == 0 || !found->second->more.empty()) return {};
        out.push_back(found->second);
    }
    return out;
}

/// The first of several loads loads what all do, and the last of several stores stores it.
void join(const std::vector<DraftInst*>& run) {
    const bool stores = run.front()->inst->kind == InstKind::store;
    const auto ends = std::minmax_element(run.begin(), run.end());  // of one block's list: the order of the program
    DraftInst* first = stores ? *ends.second : *ends.first;
    for (DraftInst* item : run) {
        if (item == first) continue;
        for (auto v : item->inst->out) first->more.push_back(v);
        item->op.issues = 0, item->op.pipe = Pipe::none, item->op.effect = Effect::none;
        item->within = true;
    }
    first->op.bytes = static_cast<std::uint8_t>(kWord * run.size());
    first->op.joined = static_cast<std::uint8_t>(run.size());
}

void join_group(const Group& group, Remainder address) {
    for (const unsigned words : {4u, 2u}) {
        const auto bytes = static_cast<std::int64_t>(words * kWord);
        if ((1u << address.bits) < bytes) continue;
        for (const auto& [at, item] : group)
            if ((at + address.rest) % bytes == 0)
                if (const auto run = run_of(group, at, words); !run.empty()) join(run);
    }
}

bool joins(const simt::Inst& i) {
    return i.kind == InstKind::load && i.space == simt::Space::shared && i.in.size() == 1 && i.in[0].is_value() &&
           i.out.size() == 1 && simt::bytes(i.type) == kWord && !(i.ptx && i.ptx->access.strong());
}

bool joins_stores(const simt::Inst& i) {
    return i.kind == InstKind::store && i.space == simt::Space::shared && i.in.size() == 2 && i.in[0].is_value() &&
           simt::bytes(i.type) == kWord && !(i.ptx && i.ptx->access.strong());
}

bool reads_shared(const simt::Inst& i) {
    return i.kind == InstKind::load && (i.space == simt::Space::shared || i.space == simt::Space::generic);
}

/// What loads of shared memory are not moved across.
bool orders(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::load:
            return i.ptx && i.ptx->access.acquires();
        case InstKind::phi:
        case InstKind::data:
            return false;
        case InstKind::store:
            return i.space == simt::Space::shared || i.space == simt::Space::generic;
        default:
            return !simt::facts(i.kind).pure;
    }
}

}  // namespace

void join_loads(Draft& draft, const simt::Function& f) {
    const Remainders remainders(f);
    for (auto& block : draft) {
        std::unordered_map<simt::ValueId, Group> groups;
        Group stores;
        simt::ValueId stored_at = simt::kNone;
        const auto close_stores = [&] {
            if (stores.size() > 1) join_group(stores, remainders.of(simt::Operand::of(stored_at)));
            stores.clear();
        };
        const auto close = [&] {
            for (const auto& [address, group] : groups)
                if (group.size() > 1) join_group(group, remainders.of(simt::Operand::of(address)));
            groups.clear();
        };
        for (auto& item : block) {
            const simt::Inst& i = *item.inst;
            if (joins_stores(i)) {
                if (i.in[0].value != stored_at || stores.contains(i.offset)) close_stores();
                stored_at = i.in[0].value;
                stores.emplace(i.offset, &item);
            } else if (orders(i) || reads_shared(i)) {
                close_stores();
            }
            if (joins(i))
                groups[i.in[0].value].emplace(i.offset, &item);
            else if (orders(i))
                close();
        }
        close_stores();
        close();
    }
}

}  // namespace warpwright::machine
