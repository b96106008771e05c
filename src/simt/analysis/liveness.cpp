// From the reads of a value a search goes back through the predecessors until a block writes it. The lists of blocks by
// value come from one counting sort over the whole function.
#include "simt/analysis/liveness.hpp"

#include <algorithm>

namespace warpwright::simt {

bool ValueSet::test(std::size_t i) const { return std::binary_search(sorted_.begin(), sorted_.end(), i); }

void ValueSet::set(std::size_t i) {
    const auto v = static_cast<std::uint32_t>(i);
    if (sorted_.empty() || sorted_.back() < v) return sorted_.push_back(v);
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), v);
    if (*at != v) sorted_.insert(at, v);
}

void ValueSet::reset(std::size_t i) {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), i);
    if (at != sorted_.end() && *at == i) sorted_.erase(at);
}

bool ValueSet::merge(const ValueSet& o) {
    if (std::includes(sorted_.begin(), sorted_.end(), o.sorted_.begin(), o.sorted_.end())) return false;
    std::vector<std::uint32_t> all;
    all.reserve(sorted_.size() + o.sorted_.size());
    std::set_union(sorted_.begin(), sorted_.end(), o.sorted_.begin(), o.sorted_.end(), std::back_inserter(all));
    sorted_ = std::move(all);
    return true;
}

namespace {

/// Lists of blocks by value, filled in any order and then sorted by value.
class BlocksByValue {
public:
    explicit BlocksByValue(std::size_t values) : start_(values + 1, 0) {}
    void add(ValueId v, BlockId b) { pairs_.push_back({v, b}); }
    void sort() {
        for (const auto& [v, b] : pairs_) ++start_[v + 1];
        for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
        blocks_.resize(pairs_.size());
        auto at = start_;
        for (const auto& [v, b] : pairs_) blocks_[at[v]++] = b;
        pairs_ = {};
    }
    std::span<const BlockId> of(ValueId v) const {
        return {blocks_.data() + start_[v], blocks_.data() + start_[v + 1]};
    }

private:
    std::vector<std::pair<ValueId, BlockId>> pairs_;
    std::vector<std::size_t> start_;
    std::vector<BlockId> blocks_;
};

/// What the blocks read and write, by value.
struct Accesses {
    BlocksByValue written, read_first, read_on_edge;

    Accesses(const Function& f, const std::vector<std::vector<ValueId>>& extra)
        : written(f.values.size()), read_first(f.values.size()), read_on_edge(f.values.size()) {
        // The block that wrote a value last, and that read it before writing it: each is listed once.
        std::vector<BlockId> wrote(f.values.size(), kNone), read(f.values.size(), kNone);
        auto each = [&](const Operand& o, auto&& fn) {
            if (!o.is_value()) return;
            fn(o.value);
            if (!extra.empty())
                for (auto e : extra[o.value]) fn(e);
        };
        for (BlockId b = 0; b < f.blocks.size(); ++b) {
            auto reads = [&](ValueId v) {
                if (wrote[v] == b || read[v] == b) return;
                read[v] = b;
                read_first.add(v, b);
            };
            for (const auto& i : f.blocks[b].insts) {
                for (std::size_t k = 0; k < i.in.size(); ++k) {
                    if (i.kind == InstKind::phi)  // reads on the edge: live out of the predecessor
                        each(i.in[k], [&](ValueId v) { read_on_edge.add(v, i.from[k]); });
                    else
                        each(i.in[k], reads);
                }
                for (auto v : i.out)
                    if (v != kNone && wrote[v] != b) {
                        wrote[v] = b;
                        written.add(v, b);
                    }
            }
            each(f.blocks[b].end.condition, reads);
        }
        written.sort();
        read_first.sort();
        read_on_edge.sort();
    }
};

}  // namespace

void each_live_value(const Function& f, const std::vector<std::vector<ValueId>>& extra,
                     const std::function<void(ValueId, std::span<const BlockId>, const std::vector<BlockId>&)>& fn) {
    const Accesses accesses(f, extra);
    std::vector<ValueId> writes(f.blocks.size(), kNone), seen(f.blocks.size(), kNone);
    std::vector<BlockId> live;
    for (ValueId v = 0; v < f.values.size(); ++v) {
        const auto first = accesses.read_first.of(v), edges = accesses.read_on_edge.of(v);
        if (first.empty() && edges.empty()) continue;
        const auto written = accesses.written.of(v);
        for (auto b : written) writes[b] = v;
        live.clear();
        auto enter = [&](BlockId b) {
            if (seen[b] == v) return;
            seen[b] = v;
            live.push_back(b);
        };
        for (auto b : first) enter(b);
        for (auto b : edges)
            if (writes[b] != v) enter(b);
        for (std::size_t k = 0; k < live.size(); ++k)
            for (auto p : f.blocks[live[k]].preds)
                if (writes[p] != v) enter(p);
        fn(v, written, live);
    }
}

std::vector<ValueSet> live_in(const Function& f, const std::vector<std::vector<ValueId>>& extra) {
    std::vector<ValueSet> in(f.blocks.size());
    each_live_value(f, extra, [&](ValueId v, std::span<const BlockId>, const std::vector<BlockId>& live) {
        for (auto b : live) in[b].set(v);
    });
    return in;
}

}  // namespace warpwright::simt
