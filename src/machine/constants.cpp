// A fixed place is found by following moves and additions back to the variable. What is uniform is analysed for a block
// whose warps differ in every component of %tid, so that it holds for any block.
#include "machine/constants.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simt/shape.hpp"

namespace warpwright::machine {

namespace {

using simt::InstKind;
using POp = simt::Op;

/// A block whose warps differ in every component of %tid: what is uniform here is so in any block.
constexpr simt::BlockShape kAnyBlock{4, 4, 64};
constexpr std::int64_t kPair = 8;

bool loads_constant(const simt::Inst& i) { return i.kind == InstKind::load && i.space == simt::Space::constant; }

/// A variable, and a place in it.
using VariableOffset = std::pair<std::uint32_t, std::int64_t>;

class Constants {
public:
    Constants(Draft& draft, const simt::Function& f) : draft_(draft), f_(f), made_(f.values.size()) {
        for (const auto& block : f.blocks)
            for (const auto& i : block.insts)
                for (auto v : i.out)
                    if (v != simt::kNone) made_[v] = &i;
        for (auto& block : draft)
            for (auto& item : block) item_of_[item.inst] = &item;
    }

    void run() {
        for (simt::BlockId b = 0; b < draft_.size(); ++b) {
            std::map<VariableOffset, DraftInst*> pairs;
            for (auto& item : draft_[b])
                if (loads_constant(*item.inst)) place(b, item, pairs);
        }
    }

private:
    /// Where a load reads, if it is always there.
    std::optional<VariableOffset> fixed(const simt::Inst& load) const {
        std::int64_t offset = load.offset;
        const simt::Operand* from = load.in.data();
        for (unsigned steps = 0; steps < 8; ++steps) {
            if (from->is_integer()) return VariableOffset{simt::kNone, offset + static_cast<std::int64_t>(from->bits)};
            if (!from->is_value() || !made_[from->value]) return {};
            const auto& i = *made_[from->value];
            if (i.kind == InstKind::address) return VariableOffset{i.symbol, offset + i.offset};
            if (i.kind != InstKind::add_offset && i.kind != InstKind::move) return {};
            offset += i.offset;
            from = i.in.data();
        }
        return {};
    }

    bool uniform(simt::BlockId b, const simt::Operand& address) {
        if (!address.is_value()) return true;
        if (!shapes_) shapes_ = simt::analyse(f_, kAnyBlock, false, true);
        if (!shapes_->uniform(address.value) || shapes_->escapes[address.value]) return false;
        for (auto loop = f_.blocks[b].loop; loop != simt::kNone; loop = f_.loops[loop].parent)
            if (shapes_->divergent_exit[loop]) return false;
        return true;
    }

    /// Addresses of constants are words, in the registers that all lanes share: what makes one takes a slot each.
    void narrow(const simt::Operand& address) {
        if (!address.is_value() || !made_[address.value]) return;
        const auto& i = *made_[address.value];
        if (!narrowed_.insert(&i).second) return;
        const bool sum = i.kind == InstKind::data && i.ptx && (i.ptx->op == POp::add || i.ptx->op == POp::sub);
        if (i.kind == InstKind::phi || i.kind == InstKind::add_offset || i.kind == InstKind::move || sum)
            for (const auto& o : i.in) narrow(o);
        const auto item = item_of_.find(&i);
        if (item == item_of_.end() || !sum) return;
        item->second->op.issues = std::min<std::uint8_t>(item->second->op.issues, 1);
        item->second->op.chain = 0;
    }

    void place(simt::BlockId b, DraftInst& item, std::map<VariableOffset, DraftInst*>& pairs) {
        const auto& i = *item.inst;
        const auto at = fixed(i);
        if (!at && !uniform(b, i.in[0])) return;
        if (!at) narrow(i.in[0]);
        item.op.pipe = Pipe::none;
        const auto bytes = simt::bytes(i.type) * i.out.size();
        item.op.issues = static_cast<std::uint8_t>((bytes + kPair - 1) / kPair);
        if (!at || bytes > kPair / 2) return;
        const auto [first, is_new] = pairs.try_emplace({at->first, at->second & -kPair}, &item);
        if (is_new) return;
        for (auto v : i.out) first->second->more.push_back(v);
        item.op.issues = 0;
        item.within = true;
    }

    Draft& draft_;
    const simt::Function& f_;
    std::vector<const simt::Inst*> made_;
    std::unordered_map<const simt::Inst*, DraftInst*> item_of_;
    std::unordered_set<const simt::Inst*> narrowed_;
    std::optional<simt::Shapes> shapes_;  ///< made where a place is computed
};

}  // namespace

void place_constants(Draft& draft, const simt::Function& f) {
    const auto some = [](const auto& block) {
        return std::any_of(block.begin(), block.end(),
                           [](const DraftInst& item) { return loads_constant(*item.inst); });
    };
    if (std::any_of(draft.begin(), draft.end(), some)) Constants(draft, f).run();
}

}  // namespace warpwright::machine
