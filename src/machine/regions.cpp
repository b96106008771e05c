// Rows are built greedily, from each block that is in none yet. A value that one of several parts has made stands for
// all that it may be, because a reader waits for each of them.
#include "machine/regions.hpp"

#include <algorithm>
#include <unordered_map>

namespace warpwright::machine {

namespace {

using TK = simt::Terminator::Kind;

/// Blocks of a region, and values that one value is taken to stand for.
constexpr std::size_t kMostParts = 64, kMostValues = 12;

/// Which values a value of a later part stands for: what the parts that may have made it left there.
class Joins {
public:
    void add(const Phi& phi) {
        std::vector<std::uint32_t> all;
        for (const auto& [from, v] : phi.in)
            for (const auto one : of(v))
                if (all.size() < kMostValues && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
        by_value_[phi.out] = all;
        list_.push_back({phi.out, std::move(all)});
    }
    std::vector<std::uint32_t> of(std::uint32_t v) const {
        const auto at = by_value_.find(v);
        return at == by_value_.end() ? std::vector<std::uint32_t>{v} : at->second;
    }
    /// Puts what a value stands for in its place among what an operation reads.
    void resolve(Op& op) const {
        std::vector<std::uint32_t> in;
        std::vector<Use> uses;
        for (std::size_t k = 0; k < op.in.size(); ++k)
            for (const auto v : of(op.in[k]))
                in.push_back(v), uses.push_back(k < op.uses.size() ? op.uses[k] : Use::plain);
        op.in = std::move(in);
        op.uses = std::move(uses);
    }
    std::vector<Region::Join> list() && { return std::move(list_); }

private:
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_value_;
    std::vector<Region::Join> list_;
};

class Finder {
public:
    Finder(Code& code, const Ends& ends) : code_(code), ends_(ends) {}

    void run() {
        const auto n = static_cast<simt::BlockId>(ends_.f.blocks.size());
        for (simt::BlockId b = 0; b < n;) {
            const auto row = row_from(b);
            if (row.size() > 1) make(row);
            b += static_cast<simt::BlockId>(row.size());
        }
    }

private:
    const Block& block(simt::BlockId b) const { return code_.blocks[ends_.first_block + b]; }

    bool entered_from(simt::BlockId b, std::initializer_list<simt::BlockId> from) const {
        const auto& preds = ends_.f.blocks[b].preds;
        return !preds.empty() && std::all_of(preds.begin(), preds.end(), [&](simt::BlockId p) {
            return std::find(from.begin(), from.end(), p) != from.end();
        });
    }
    bool follows(simt::BlockId b) const {
        const auto& end = ends_.f.blocks[b - 1].end;
        return end.kind == TK::jump && end.targets[0] == b && entered_from(b, {b - 1}) && block(b).unrolled < 0;
    }

    /// Adds the blocks that run under the predicate of the last one, and the one where they meet again.
    bool add_guarded(std::vector<Region::Part>& row) const {
        const auto last = row.back().block, join = ends_.until[last];
        if (join == simt::kNone || join >= ends_.f.blocks.size() || block(join).unrolled >= 0) return false;
        if (row.size() + (join - last) > kMostParts) return false;
        if (!entered_from(last + 1, {last}) || !entered_from(join, {last, join - 1})) return false;
        for (auto j = last + 2; j < join; ++j)
            if (!follows(j)) return false;
        for (auto j = last + 1; j < join; ++j) row.push_back({j, true});
        row.push_back({join, false});
        return true;
    }

    std::vector<Region::Part> row_from(simt::BlockId b) const {
        std::vector<Region::Part> row{{b, false}};
        if (block(b).unrolled >= 0) return row;
        while (row.size() < kMostParts) {
            if (add_guarded(row)) continue;
            const auto next = row.back().block + 1;
            if (next >= ends_.f.blocks.size() || !follows(next)) break;
            row.push_back({next, false});
        }
        return row;
    }

    void make(const std::vector<Region::Part>& row) {
        Region region;
        Joins joins;
        const std::vector<std::uint32_t>* guards = nullptr;  // of the blocks that run under a predicate now
        for (std::size_t k = 0; k < row.size(); ++k) {
            const Block& from = block(row[k].block);
            guards = !row[k].guarded ? nullptr : guards ? guards : &from.guards;
            region.parts.push_back({ends_.first_block + row[k].block, row[k].guarded});
            if (k == 0)
                region.body.phis = from.phis;
            else
                for (const auto& phi : from.phis) joins.add(phi);
            for (Op op : from.ops) {
                op.part = static_cast<std::uint8_t>(k);
                if (guards)
                    for (const auto g : *guards) op.in.push_back(g), op.uses.push_back(Use::guard);
                joins.resolve(op);
                region.body.ops.push_back(std::move(op));
            }
        }
        region.joins = std::move(joins).list();
        code_.blocks[region.parts.front().block].region = static_cast<std::int32_t>(code_.regions.size());
        code_.regions.push_back(std::move(region));
    }

    Code& code_;
    const Ends& ends_;
};

}  // namespace

void find_regions(Code& code, const Ends& ends) { Finder(code, ends).run(); }

}  // namespace warpwright::machine
