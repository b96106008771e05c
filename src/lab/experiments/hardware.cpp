// Experiments on rules need counts, which only an emulated device gives, so one with the right limits is made here. The
// small functions build parts of pages, so that the experiments contain mostly their own statements.
#include "lab/experiments/hardware.hpp"
#include "lab/sweep/emulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "launch/limits.hpp"

namespace warpwright::lab {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Result<Counting> Counting::of(const Context& context) {
    if (context.real()) return of(context, context.model);
    Counting out;
    out.context_ = std::make_unique<Context>(context);
    return out;
}

Result<Counting> Counting::of(const Context& context, const arch::DeviceModel& model, bool per_line) {
    Counting out;
    out.model_ = std::make_unique<arch::DeviceModel>(model);
    auto options = emulated_options(context);
    options.limits = launch::limits_of(model);
    auto device = device::make_emulated(options);
    if (!device) return std::move(device).error();
    out.device_ = std::move(*device);
    auto target = context.real() || !context.target ? std::make_shared<Target>() : context.target;
    out.context_ = std::make_unique<Context>(
        Context{*out.device_, *out.model_, true, std::move(target), context.options, context.observer, context.cancel});
    out.context_->options.launch.per_line = per_line;
    return out;
}

Result<std::vector<record::Record>> run_into(record::Page& page, const Context& context, const std::string& ladder,
                                             const std::vector<std::string>& rungs, const Axes& axes,
                                             const std::vector<Size>& sizes) {
    auto set = run_ladder(context, ladder, rungs, axes, sizes);
    if (!set) return std::move(set).error();
    // What went wrong in the same words at many points is one problem.
    std::vector<std::pair<std::string, std::vector<std::string>>> errors;
    for (const record::Record& r : set->records) {
        std::string name = r.experiment + " " + r.name();
        for (const record::Axis& a : r.axes) name += " " + a.name + "=" + a.text();
        if (r.error) {
            auto it = std::find_if(errors.begin(), errors.end(), [&](const auto& e) { return e.first == *r.error; });
            if (it == errors.end()) it = errors.insert(errors.end(), {*r.error, {}});
            it->second.push_back(std::move(name));
        } else if (r.verified && !*r.verified && !r.known_incorrect)
            page.problems.push_back(name + ": " + (r.verification ? r.verification->first_mismatch : std::string()));
    }
    for (const auto& [error, names] : errors)
        page.problems.push_back(names.size() == 1 ? names[0] + ": " + error
                                                  : fmt::format("{} to {}, {} in all: {}", names.front(), names.back(),
                                                                names.size(), error));
    page.records.insert(page.records.end(), set->records.begin(), set->records.end());
    return std::move(set->records);
}

const record::Record* find(const std::vector<record::Record>& records, std::string_view rung, std::string_view axis,
                           std::int64_t value) {
    for (const record::Record& r : records) {
        if (r.rung != rung || r.error || r.left_out || (r.verified && !*r.verified)) continue;
        if (axis.empty()) return &r;
        for (const record::Axis& a : r.axes)
            if (a.name == axis && a.text() == std::to_string(value)) return &r;
    }
    return nullptr;
}

double ratio(const record::Record* r, record::Count a, record::Count b) {
    if (!r || !r->counts || (*r->counts)[b] == 0) return kNone;
    return static_cast<double>((*r->counts)[a]) / static_cast<double>((*r->counts)[b]);
}

double measured_rate(const record::Record* r) {
    return r && r->time && r->bytes && r->time->median_s > 0 ? *r->bytes / r->time->median_s : kNone;
}

double bound_rate(const record::Record* r) {
    return r && r->bound && r->bytes && r->bound->seconds > 0 ? *r->bytes / r->bound->seconds : kNone;
}

Result<std::vector<Generation>> generations(std::initializer_list<std::pair<const char*, const char*>> names) {
    std::vector<Generation> out;
    for (const auto& [name, label] : names) {
        auto limits = arch::load_limits(name);
        if (!limits) return std::move(limits).error();
        out.push_back({label, std::move(*limits), false});
    }
    return out;
}

Result<explain::Cost> rule_cost(const Generation& g, const std::string& expression, bool shared, std::uint32_t bytes) {
    auto parsed = explain::IndexExpression::parse(expression);
    if (!parsed) return std::move(parsed).error();
    explain::Setting s;
    s.model = g.limits;
    s.shared = shared;
    s.wide_banks = g.wide_banks;
    s.block = {g.limits.limits.warp, 1, 1};
    s.bytes = bytes;
    return explain::cost_of(*parsed, s);
}

Result<std::vector<std::int64_t>> axis_numbers(const Choices& choices, const std::string& axis,
                                               std::vector<std::int64_t> own) {
    const auto chosen = choices.axes.find(axis);
    if (chosen == choices.axes.end() || chosen->second.empty()) return own;
    std::vector<std::int64_t> out;
    for (const std::string& text : chosen->second) {
        auto value = parse_whole(text, "the axis " + axis);
        if (!value) return std::move(value).error();
        out.push_back(*value);
    }
    return out;
}

std::vector<std::string> texts(const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> out;
    for (std::int64_t n : numbers) out.push_back(std::to_string(n));
    return out;
}

std::vector<std::int64_t> range(std::int64_t from, std::int64_t to, std::int64_t step) {
    std::vector<std::int64_t> out;
    for (std::int64_t n = from; n <= to; n += step) out.push_back(n);
    return out;
}

Text limiter_text(const arch::Occupancy& o) {
    if (!o.refusal.empty()) return message("occupancy.refused");
    Text out;
    for (arch::Limiter l : o.limiters) {
        const char* key = l == arch::Limiter::warps       ? "warps"
                          : l == arch::Limiter::blocks    ? "blocks"
                          : l == arch::Limiter::registers ? "registers"
                                                          : "shared";
        out += (out.empty() ? "" : ", ") + message(fmt::format("occupancy.limiter.{}", key));
    }
    return out;
}

record::Page begin_page(const std::string& id, std::vector<std::string> sources) {
    record::Page page;
    page.id = id;
    page.title = message(id + ".title");
    page.purpose = message(id + ".purpose");
    page.task = message(id + ".task");
    page.sources = std::move(sources);
    return page;
}

record::Paragraph paragraph(Text text, record::Paragraph::Kind kind) { return {std::move(text), kind}; }

record::Series series(Text name, record::Basis basis) {
    record::Series s;
    s.name = std::move(name);
    s.basis = basis;
    return s;
}

void point(record::Series& s, double x, double y) {
    s.x.push_back(x);
    s.y.push_back(y);
}

record::Scalar cell(double value) {
    if (std::isnan(value)) return std::monostate{};
    return value;
}

}  // namespace warpwright::lab
