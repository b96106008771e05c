// Where lanes of a warp may be ahead of each other. They come apart where turns end, and where some wait for others of
// the warp: the order of blocks, by which they meet as early as possible, does not hold behind that. From a barrier of
// the whole block on they are together again. So the code between two barriers is looked at alone: what runs before
// lanes can come apart in it is as in any other function.
#include <algorithm>

#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

const Inst* first_of(const Block& block) {
    const auto at =
        std::find_if(block.insts.begin(), block.insts.end(), [](const Inst& i) { return i.kind != InstKind::phi; });
    return at == block.insts.end() ? nullptr : &*at;
}

/// Whether all threads of the block wait at the function's barriers, whichever those are.
bool meets_at_barriers(const Function& f) {
    const auto counts = [](const Inst& i) {
        return i.kind == InstKind::barrier && (i.in[1].kind != Operand::Kind::none || i.ptx->has(Mod::arrive));
    };
    return f.kernel && !f.has_calls && std::none_of(f.blocks.begin(), f.blocks.end(), [&](const Block& b) {
               return std::any_of(b.insts.begin(), b.insts.end(), counts);
           });
}

class Apart {
public:
    explicit Apart(const Function& f) : f_(f), apart_(f.blocks.size(), false), whole_(f.blocks.size(), false) {
        const bool meets = meets_at_barriers(f);
        for (BlockId b = 0; b < f.blocks.size(); ++b) {
            whole_[b] = meets && is_whole(b);
            parts_.push_back(f.blocks[b].yield || (f.blocks[b].sync && !whole_[b]));
        }
        leads_on_ = parts_;
        spread(leads_on_, [&](BlockId b, auto&& visit) {
            for (auto p : f_.blocks[b].preds)
                if (!whole_[p]) visit(p);
        });
    }

    std::vector<bool> find() {
        begin_at(0);
        for (BlockId b = 0; b < f_.blocks.size(); ++b)
            if (whole_[b]) begin_at(f_.blocks[b].end.targets[0]);
        while (!starts_.empty()) {
            const auto start = starts_.back();
            starts_.pop_back();
            look_from(start);
        }
        spread(apart_, [&](BlockId b, auto&& visit) { each_next(b, visit); });
        return std::move(apart_);
    }

private:
    /// A barrier's block, at which all threads wait at once: without .aligned those of a warp may wait at several. Phis
    /// behind it would be written where lanes come to it, one after the other.
    bool is_whole(BlockId b) const {
        const auto* i = first_of(f_.blocks[b]);
        const auto& end = f_.blocks[b].end;
        if (!i || i->kind != InstKind::barrier || end.targets.size() != 1) return false;
        if (i->ptx->op != Op::bar && !i->ptx->has(Mod::aligned)) return false;
        const auto& next = f_.blocks[end.targets[0]].insts;
        return next.empty() || next[0].kind != InstKind::phi;
    }

    /// The blocks that lanes go to from b without waiting for all others.
    template <class Visit>
    void each_next(BlockId b, Visit&& visit) const {
        if (whole_[b]) return;
        for (auto t : f_.blocks[b].end.targets) visit(t);
    }

    /// Adds to a set what is next to its elements, until nothing is new.
    template <class Next>
    static void spread(std::vector<bool>& set, Next&& next) {
        std::vector<BlockId> rest;
        for (BlockId b = 0; b < set.size(); ++b)
            if (set[b]) rest.push_back(b);
        while (!rest.empty()) {
            const auto b = rest.back();
            rest.pop_back();
            next(b, [&](BlockId t) {
                if (set[t]) return;
                set[t] = true;
                rest.push_back(t);
            });
        }
    }

    void begin_at(BlockId b) {
        if (!leads_on_[b] || started_.test(b)) return;
        started_.set(b);
        starts_.push_back(b);
    }

    /// Lanes are together at `start`. Of what they come to from there before a loop begins again, in which `start` is
    /// not the first block, those blocks run before a turn ends whose place in the order is before the first at which
    /// one may: lanes that are pending there keep the others from it. A loop's last block waits so for all lanes in the
    /// loop; from its first one on they are together once more.
    void look_from(BlockId start) {
        std::vector<bool> within(f_.blocks.size(), false);
        within[start] = true;
        spread(within, [&](BlockId b, auto&& visit) {
            each_next(b, [&](BlockId t) {
                if (t > b) visit(t);
            });
        });
        auto first = static_cast<BlockId>(f_.blocks.size());
        for (BlockId b = start; b < f_.blocks.size(); ++b) {
            if (!within[b]) continue;
            if (parts_[b]) first = std::min(first, b);
            each_next(b, [&](BlockId t) {
                if (within[t] || !leads_on_[t]) return;
                first = std::min(first, b + 1);
                begin_at(t);
            });
        }
        for (BlockId b = first; b < f_.blocks.size(); ++b)
            if (within[b]) apart_[b] = true;
    }

    const Function& f_;
    std::vector<bool> apart_;
    std::vector<bool> whole_;     ///< blocks of barriers at which all threads meet
    std::vector<bool> parts_;     ///< a turn may end before them, or lanes may wait without meeting all others
    std::vector<bool> leads_on_;  ///< from there lanes may come to such a block before they meet
    std::vector<BlockId> starts_;
    ValueSet started_;
};

}  // namespace

std::vector<bool> apart_in(const Function& f) {
    if (!f.strict || f.irreducible) return std::vector<bool>(f.blocks.size(), f.strict);
    return Apart(f).find();
}

}  // namespace warpwright::simt
