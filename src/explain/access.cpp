// Evaluates the index for each lane of each warp and gives the addresses to the rules of the room counters; costs of
// warps and of values of open variables are added up.
#include "explain/access.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "counters/rules.hpp"

namespace warpwright::explain {

namespace {

constexpr unsigned kTried = 32;  ///< values that are tried for an open variable

Error usage(std::string what, std::string hint = {}) {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(hint)};
}

/// Distinct bytes, and the number that as many lanes would need at consecutive elements from an aligned address.
void add_global(const Request& r, const Setting& s, Cost& cost, unsigned& passes) {
    const counters::CoalescingRule rule = counters::coalescing_rule(s.model);
    const counters::Transactions t = counters::global_transactions(r.address.data(), r.mask, s.bytes, r.lanes, rule);
    std::vector<std::uint64_t> wanted;
    for (unsigned i = 0; i < r.lanes; ++i)
        if (r.mask >> i & 1) wanted.push_back(r.address[i]);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<std::uint64_t> consecutive(r.lanes);
    for (unsigned i = 0; i < r.lanes; ++i) consecutive[i] = std::uint64_t{i} * s.bytes;
    const std::uint64_t some = wanted.size() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << wanted.size()) - 1;
    passes = t.count;
    cost.passes += t.count;
    cost.moved += t.bytes;
    cost.wanted += wanted.size() * s.bytes;
    cost.ideal +=
        std::min(t.count, counters::global_transactions(consecutive.data(), some, s.bytes, r.lanes, rule).count);
}

void add_shared(const Request& r, const Setting& s, Cost& cost, unsigned& passes) {
    const counters::BankRule rule = counters::bank_rule(s.model, s.wide_banks);
    const std::vector<std::uint32_t> address = r.small();
    const counters::SharedCost c = counters::shared_cost(s.op, address.data(), r.mask, s.bytes, r.lanes, rule);
    const bool twice = s.op == counters::SharedOp::atomic_cas;
    passes = c.wavefronts;
    cost.passes += c.wavefronts;
    cost.conflicts += c.bank_conflicts;
    const unsigned ideal = counters::shared_ideal_wavefronts(r.mask, s.bytes, r.lanes, rule) * (twice ? 2 : 1);
    cost.ideal += std::min(c.wavefronts, ideal);
}

}  // namespace

Result<void> check(const Setting& s) {
    const auto& l = s.model.limits;
    if (s.bytes == 0 || s.bytes > 16 || !std::has_single_bit(s.bytes))
        return usage(fmt::format("an element of {} bytes", s.bytes), "a load takes 1, 2, 4, 8 or 16 bytes");
    const std::uint64_t threads = std::uint64_t{s.block[0]} * s.block[1] * s.block[2];
    if (threads == 0) return usage("the block has no threads");
    if (s.block[0] > l.block_x || s.block[1] > l.block_y || s.block[2] > l.block_z || threads > l.threads_per_block)
        return Error{
            ErrorKind::limit,
            fmt::format("a block of {} x {} x {} threads; {} takes {} x {} x {}, {} in all", s.block[0], s.block[1],
                        s.block[2], s.model.name, l.block_x, l.block_y, l.block_z, l.threads_per_block),
            Location{}, ""};
    if (s.base % s.bytes != 0) return usage("the array's start is not a multiple of its element's size");
    if (s.wide_banks && !counters::has_wide_banks(s.model))
        return usage(fmt::format("{} has no 8-byte banks", s.model.name),
                     "only devices of compute capability 3.x have that mode");
    return {};
}

Result<Binding> Binding::bind(const IndexExpression& expression, const Setting& s) {
    Binding out;
    out.expression_ = &expression;
    out.setting_ = &s;
    const std::uint64_t threads = std::uint64_t{s.block[0]} * s.block[1] * s.block[2];
    out.warps_ = static_cast<unsigned>((threads + s.model.limits.warp - 1) / s.model.limits.warp);
    const auto widths = expression.widths();
    for (const std::string& name : expression.names()) {
        std::int64_t value = 0;
        const auto given = s.given.find(name);
        if (name.starts_with("threadIdx.")) {
            if (given != s.given.end())
                return usage(fmt::format("'{}' differs between threads", name), "--set is for the others");
            out.thread_[static_cast<std::size_t>(name.back() - 'x')] = static_cast<std::ptrdiff_t>(out.values_.size());
        } else if (name.starts_with("blockDim.")) {
            value = s.block[static_cast<std::size_t>(name.back() - 'x')];
        } else if (name == "warpSize") {
            value = s.model.limits.warp;
        } else if (given != s.given.end()) {
            value = given->second;
        } else if (name.starts_with("gridDim.")) {
            value = 1;
        } else if (!is_builtin(name)) {
            for (const auto& w : widths)
                if (w.word == name)
                    return usage(fmt::format("'{}' has no value", name), fmt::format("--set {}=32", name));
            out.open_.push_back(name);
            out.open_places_.push_back(out.values_.size());
        }
        out.values_.push_back(value);
    }
    return out;
}

Result<Request> Binding::request(unsigned warp, std::size_t which, std::int64_t value) const {
    const auto& b = setting_->block;
    const std::uint64_t threads = std::uint64_t{b[0]} * b[1] * b[2];
    std::vector<std::int64_t> values = values_;
    if (which < open_places_.size()) values[open_places_[which]] = value;
    Request out;
    out.lanes = setting_->model.limits.warp;
    out.address.resize(out.lanes);
    for (unsigned lane = 0; lane < out.lanes; ++lane) {
        const std::uint64_t t = std::uint64_t{warp} * out.lanes + lane;
        if (t >= threads) break;
        const std::uint64_t at[3] = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]};
        for (int d = 0; d < 3; ++d)
            if (thread_[d] >= 0) values[static_cast<std::size_t>(thread_[d])] = static_cast<std::int64_t>(at[d]);
        auto index = expression_->index(values.data());
        if (!index) {
            Error e = std::move(index).error();
            e.what += fmt::format(" in thread ({}, {}, {})", at[0], at[1], at[2]);
            return e;
        }
        const std::uint64_t most = setting_->shared ? (std::uint64_t{1} << 31) : (std::uint64_t{1} << 62);
        if (static_cast<std::uint64_t>(*index) > (most - setting_->base) / setting_->bytes)
            return Error{
                ErrorKind::input,
                fmt::format("the index is {} in thread ({}, {}, {}): beyond any memory", *index, at[0], at[1], at[2]),
                {"expression", 1, 1},
                ""};
        out.address[lane] = setting_->base + static_cast<std::uint64_t>(*index) * setting_->bytes;
        out.mask |= std::uint64_t{1} << lane;
    }
    return out;
}

Result<Cost> cost_of(const IndexExpression& expression, const Setting& setting) {
    auto binding = Binding::bind(expression, setting);
    if (!binding) return std::move(binding).error();
    Cost cost;
    const std::size_t open = binding->open().size();
    cost.tried = open ? kTried : 1;
    for (std::size_t which = 0; which < std::max<std::size_t>(open, 1); ++which)
        for (unsigned value = 0; value < cost.tried; ++value)
            for (unsigned warp = 0; warp < binding->warps(); ++warp) {
                auto request = binding->request(warp, which, value);
                if (!request) {
                    // Values of an open variable that lead out of the array are not what the user means, so they are
                    // skipped.
                    if (value == 0) return std::move(request).error();
                    break;
                }
                unsigned passes = 0;
                ++cost.requests;
                if (setting.shared)
                    add_shared(*request, setting, cost, passes);
                else
                    add_global(*request, setting, cost, passes);
                if (passes > cost.worst) {
                    cost.worst = passes;
                    cost.worst_warp = warp;
                    cost.worst_value = which == 0 ? value : 0;
                }
            }
    return cost;
}

Cost sum(const std::vector<Cost>& costs) {
    Cost out;
    for (const Cost& c : costs) {
        out.requests += c.requests;
        out.passes += c.passes;
        out.ideal += c.ideal;
        out.conflicts += c.conflicts;
        out.moved += c.moved;
        out.wanted += c.wanted;
        out.worst = std::max(out.worst, c.worst);
    }
    return out;
}

}  // namespace warpwright::explain
