// Numbers the points of a space as digits of mixed radix, one per axis, and finds beforehand which cannot be launched:
// their blocks are too large, or their shared memory is. Features are scaled to 0..1 for the model of times.
#include "tune/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ladder/run.hpp"

namespace warpwright::tune {

namespace {

/// The shape of a rung's first launch.
struct Launch {
    double grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared = 0;
    double threads() const { return block[0] * block[1] * block[2]; }
    double blocks() const { return grid[0] * grid[1] * grid[2]; }
};

std::optional<Launch> launch_of(const ladder::Rung& rung, ladder::Variables variables) {
    if (rung.launches.empty()) return std::nullopt;
    const ladder::Launch& from = rung.launches.front();
    if (from.repeat) {
        auto start = from.repeat->start.real(variables);
        if (!start) return std::nullopt;
        variables[from.repeat->variable] = *start;
    }
    Launch out;
    for (int i = 0; i < 3; ++i) {
        auto g = from.grid[i].real(variables), b = from.block[i].real(variables);
        if (!g || !b) return std::nullopt;
        out.grid[i] = *g, out.block[i] = *b;
    }
    auto shared = from.shared.real(variables);
    if (!shared) return std::nullopt;
    out.shared = *shared;
    return out;
}

std::string why_not(const Launch& l, const device::Limits& limits) {
    const double block[3] = {double(limits.block.x), double(limits.block.y), double(limits.block.z)};
    const double grid[3] = {double(limits.grid.x), double(limits.grid.y), double(limits.grid.z)};
    if (limits.threads_per_block > 0 && l.threads() > limits.threads_per_block)
        return fmt::format("a block of {:.0f} threads; the device takes {}", l.threads(), limits.threads_per_block);
    for (int i = 0; i < 3; ++i) {
        if (block[i] > 1 && l.block[i] > block[i])
            return fmt::format("a block of {:.0f} threads in {}; the device takes {:.0f}", l.block[i], "xyz"[i],
                               block[i]);
        if (grid[i] > 1 && l.grid[i] > grid[i])
            return fmt::format("a grid of {:.0f} blocks in {}; the device takes {:.0f}", l.grid[i], "xyz"[i], grid[i]);
    }
    if (limits.shared_per_block_optin > 0 && l.shared > limits.shared_per_block_optin)
        return fmt::format("{:.0f} bytes of dynamic shared memory; the device gives a block {}", l.shared,
                           limits.shared_per_block_optin);
    return {};
}

/// Scales to 0..1 over the candidates, in place.
void scale(std::vector<std::vector<double>>& rows, const std::vector<std::size_t>& candidates) {
    if (rows.empty() || candidates.empty()) return;
    for (std::size_t k = 0; k < rows.front().size(); ++k) {
        double low = rows[candidates.front()][k], high = low;
        for (std::size_t i : candidates) low = std::min(low, rows[i][k]), high = std::max(high, rows[i][k]);
        for (auto& row : rows) row[k] = high > low ? (row[k] - low) / (high - low) : 0;
    }
}

}  // namespace

Space Space::of(std::vector<ladder::Axis> axes) {
    Space out;
    out.axes_ = std::move(axes);
    for (const ladder::Axis& axis : out.axes_) out.size_ *= axis.values.size();
    out.settle({});
    return out;
}

void Space::settle(std::vector<std::string> why) {
    if (std::any_of(why.begin(), why.end(), [](const std::string& text) { return !text.empty(); }))
        refused_.assign(size_, false);
    for (std::size_t i = 0; i < size_; ++i) {
        if (i >= why.size() || why[i].empty()) {
            candidates_.push_back(i);
        } else {
            refused_[i] = true;
            refusals_.push_back({i, std::move(why[i])});
        }
    }
}

Result<Space> Space::make(const ladder::Ladder& ladder, const ladder::Rung& rung, const std::vector<std::int64_t>& size,
                          const ladder::Variant& problem, std::vector<ladder::Axis> axes,
                          const device::Limits* limits) {
    Space out;
    out.axes_ = std::move(axes);
    for (const ladder::Axis& axis : out.axes_) {
        if (axis.values.empty() || out.size_ > kMostPoints / axis.values.size())
            return Error{ErrorKind::usage,
                         fmt::format("the axes of '{}' make more than {} combinations", rung.name, kMostPoints),
                         Location{}, "fewer values of each: --axis NAME=V,..."};
        out.size_ *= axis.values.size();
    }
    std::vector<std::string> why(out.size_);
    for (std::size_t i = 0; i < out.size_; ++i) {
        ladder::Variant variant = problem;
        for (auto& choice : out.choices(i)) variant.push_back(std::move(choice));
        auto left_out = ladder::why_left_out(ladder, rung, variant, size, rung.cpu.empty() ? limits : nullptr);
        if (left_out && *left_out) {
            why[i] = **left_out;
            out.facts_.push_back({0, 0, 0, 0});
            continue;
        }
        auto variables = ladder::variables_of(ladder, rung, size, variant);
        auto launch = variables ? launch_of(rung, std::move(*variables)) : std::nullopt;
        if (!launch || !(launch->threads() > 0)) {  // the run will report the error
            out.facts_.push_back({0, 0, 0, 0});
            continue;
        }
        if (limits) why[i] = why_not(*launch, *limits);
        const double warp = limits && limits->warp > 0 ? limits->warp : 32,
                     lanes = std::ceil(launch->threads() / warp) * warp;
        const double resident =
            limits && limits->shared_per_block_optin > 0 && launch->shared > 0
                ? std::min(1.0, lanes * std::floor(limits->shared_per_block_optin / launch->shared) / 2048)
                : 1;
        out.facts_.push_back({std::log2(launch->threads()), launch->threads() / lanes, resident,
                              std::log2(std::max(1.0, launch->blocks()))});
    }
    out.settle(std::move(why));
    return out;
}

Point Space::point(std::size_t index) const {
    Point out(axes_.size());
    for (std::size_t a = axes_.size(); a-- > 0;) {
        out[a] = static_cast<std::uint32_t>(index % axes_[a].values.size());
        index /= axes_[a].values.size();
    }
    return out;
}

std::size_t Space::index(const Point& point) const {
    std::size_t out = 0;
    for (std::size_t a = 0; a < axes_.size(); ++a) out = out * axes_[a].values.size() + point[a];
    return out;
}

ladder::Variant Space::choices(std::size_t index) const {
    ladder::Variant out;
    const Point at = point(index);
    for (std::size_t a = 0; a < axes_.size(); ++a) out.emplace_back(axes_[a].name, axes_[a].values[at[a]]);
    return out;
}

std::optional<std::size_t> Space::find(const ladder::Variant& variant) const {
    Point at(axes_.size());
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        bool found = false;
        for (const auto& [name, value] : variant)
            for (std::size_t v = 0; name == axes_[a].name && v < axes_[a].values.size(); ++v)
                if (axes_[a].values[v].text == value.text) at[a] = static_cast<std::uint32_t>(v), found = true;
        if (!found) return std::nullopt;
    }
    return index(at);
}

bool Space::ordered(std::size_t axis) const {
    const auto& values = axes_[axis].values;
    return std::all_of(values.begin(), values.end(), [](const ladder::AxisValue& v) { return v.number.has_value(); });
}

std::size_t Space::dimensions() const {
    return static_cast<std::size_t>(
        std::count_if(axes_.begin(), axes_.end(), [](const ladder::Axis& a) { return a.values.size() > 1; }));
}

std::vector<std::vector<double>> Space::features() const {
    std::vector<std::vector<double>> rows(size_);
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        const auto& values = axes_[a].values;
        if (values.size() < 2) continue;
        const bool numbers = ordered(a);
        const bool logarithm = numbers && std::all_of(values.begin(), values.end(),
                                                      [](const ladder::AxisValue& v) { return *v.number > 0; });
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint32_t at = point(i)[a];
            if (numbers) {
                rows[i].push_back(logarithm ? std::log2(*values[at].number) : *values[at].number);
            } else {  // all words are equally far from each other
                for (std::size_t v = 0; v < values.size(); ++v) rows[i].push_back(v == at ? 1 : 0);
            }
        }
    }
    if (!facts_.empty())
        for (std::size_t i = 0; i < size_; ++i) rows[i].insert(rows[i].end(), facts_[i].begin(), facts_[i].end());
    scale(rows, candidates_);
    return rows;
}

}  // namespace warpwright::tune
