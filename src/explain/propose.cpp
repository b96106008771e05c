// Changes that make an access cheaper, each evaluated over the whole block before it is proposed.
#include <algorithm>
#include <bit>
#include <functional>
#include <optional>

#include "counters/rules.hpp"
#include "explain/access.hpp"

namespace warpwright::explain {

namespace {

using Change = std::function<Result<IndexExpression>(const IndexExpression&)>;

class Search {
public:
    Search(const std::vector<IndexExpression>& from, const Setting& setting, std::vector<Cost> before)
        : from_(from), setting_(setting), before_(std::move(before)), total_(sum(before_)) {}

    /// The change if it is better, else nothing; also nothing if it cannot be evaluated (an index out of its extent).
    std::optional<Fix> attempt(Fix::Kind kind, std::int64_t by, const Change& change,
                               const Setting* other = nullptr) const {
        Fix fix{kind, by, {}, {}, {}};
        for (std::size_t i = 0; i < from_.size(); ++i) {
            auto changed = change(from_[i]);
            if (!changed) return std::nullopt;
            auto cost = cost_of(*changed, other ? *other : setting_);
            if (!cost || cost->requests != before_[i].requests || cost->passes > before_[i].passes) return std::nullopt;
            fix.expressions.push_back(std::move(*changed));
            fix.costs.push_back(*cost);
        }
        fix.total = sum(fix.costs);
        if (fix.total.passes >= total_.passes) return std::nullopt;
        return fix;
    }

    /// Of several amounts the smallest with the lowest cost.
    void best(Fix::Kind kind, const std::vector<std::int64_t>& amounts,
              const std::function<Change(std::int64_t)>& change) {
        std::optional<Fix> found;
        for (std::int64_t by : amounts)
            if (auto fix = attempt(kind, by, change(by)); fix && (!found || fix->total.passes < found->total.passes))
                found = std::move(fix);
        if (found) fixes.push_back(std::move(*found));
    }

    /// A row's length in elements; 0 where it is not known.
    std::int64_t elements(const IndexExpression::Width& w) const {
        if (w.value > 0) return w.value;
        const auto given = setting_.given.find(w.word);
        return given == setting_.given.end() ? 0 : given->second;
    }

    bool in_all(const IndexExpression::Width& w) const {
        return std::all_of(from_.begin(), from_.end(), [&](const IndexExpression& e) {
            const auto own = e.widths();
            return std::any_of(own.begin(), own.end(),
                               [&](const auto& o) { return o.word == w.word && o.value == w.value; });
        });
    }

    void shared() {
        const counters::BankRule rule = counters::bank_rule(setting_.model, setting_.wide_banks);
        const std::int64_t unit = std::max(setting_.bytes, rule.bank_bytes);
        const std::int64_t banks = std::max<std::int64_t>(1, rule.banks * rule.bank_bytes / unit);
        const std::int64_t scale = unit / setting_.bytes;  // elements in a bank's word
        for (const auto& w : from_.front().widths()) {
            if (in_all(w))
                best(Fix::Kind::padding, {1, 2, 3, 4, 5, 6, 7, 8, 16},
                     [&](std::int64_t by) { return [&w, by](const IndexExpression& e) { return e.padded(w, by); }; });
            const std::int64_t row = elements(w);
            if (row < 2 * scale || !std::has_single_bit(static_cast<std::uint64_t>(row))) continue;
            const std::int64_t mask = std::min(banks, row / scale) - 1;
            if (auto fix = attempt(Fix::Kind::swizzle, mask,
                                   [&](const IndexExpression& e) { return e.swizzled(w, mask, scale); }))
                fixes.push_back(std::move(*fix));
        }
    }

    void global() {
        const auto& b = setting_.block;
        bool exchanged = false;
        if (b[0] > 1 && b[1] > 1)
            if (auto fix = attempt(Fix::Kind::exchange, 0, [](const IndexExpression& e) {
                    return e.exchanged("threadIdx.x", "threadIdx.y");
                })) {
                fixes.push_back(std::move(*fix));
                exchanged = true;
            }
        const std::int64_t segment = std::max(32u, counters::segment_bytes(counters::coalescing_rule(setting_.model)));
        for (const auto& w : from_.front().widths()) {
            if (!in_all(w)) continue;
            const std::int64_t row = elements(w);
            const std::int64_t whole = segment / setting_.bytes;
            if (row > 1 && whole > 0 && row % whole != 0)
                best(Fix::Kind::padding, {whole - row % whole},
                     [&](std::int64_t by) { return [&w, by](const IndexExpression& e) { return e.padded(w, by); }; });
            // A field's array may begin anywhere: its place in the structure is gone.
            if (!exchanged && w.value > 1 && w.value <= 16 && !w.word.empty())
                best_base(Fix::Kind::fields, 0, [&w](const IndexExpression& e) { return e.padded(w, 1 - w.value); });
        }
        best_base(Fix::Kind::align, setting_.bytes,
                  [](const IndexExpression& e) { return Result<IndexExpression>(e); });
    }

    /// The change where the array begins `from` bytes or more further on, at the first place with the lowest cost.
    void best_base(Fix::Kind kind, std::int64_t from, const Change& change) {
        Setting moved = setting_;
        std::optional<Fix> found;
        for (std::int64_t by = from; by < 128; by += setting_.bytes) {
            moved.base = setting_.base + static_cast<std::uint64_t>(by);
            auto fix = attempt(kind, by, change, &moved);
            if (fix && (!found || fix->total.passes < found->total.passes)) found = std::move(fix);
        }
        if (found) fixes.push_back(std::move(*found));
    }

    std::vector<Fix> fixes;

private:
    const std::vector<IndexExpression>& from_;
    const Setting& setting_;
    std::vector<Cost> before_;
    Cost total_;
};

}  // namespace

Result<std::vector<Fix>> propose(const std::vector<IndexExpression>& expressions, const Setting& setting) {
    std::vector<Cost> before;
    for (const IndexExpression& e : expressions) {
        auto cost = cost_of(e, setting);
        if (!cost) return std::move(cost).error();
        before.push_back(*cost);
    }
    const Cost total = sum(before);
    if (expressions.empty() || total.passes <= total.ideal) return std::vector<Fix>{};
    Search search(expressions, setting, std::move(before));
    if (setting.shared)
        search.shared();
    else
        search.global();
    std::stable_sort(search.fixes.begin(), search.fixes.end(), [](const Fix& a, const Fix& b) {
        return a.total.passes != b.total.passes ? a.total.passes < b.total.passes : a.kind < b.kind;
    });
    return std::move(search.fixes);
}

}  // namespace warpwright::explain
