// Coalescing: offsets, strides and orders of lanes; what they cost by the rules of each generation, as counted, and
// what is left of the bandwidth.
#include <cmath>

#include <fmt/format.h>

#include "explain/pictures.hpp"
#include "lab/experiments/hardware.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Count;
using record::Scalar;

/// Which elements a warp takes, as `explain` has it.
std::string access(std::int64_t stride, std::int64_t offset) {
    return fmt::format("in[threadIdx.x*{} + {}]", stride, offset);
}

class Coalescing {
public:
    Coalescing(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("coalescing", {"000"});
        auto older = generations(
            {{"cc1.1", "1.0, 1.1"}, {"cc1.3", "1.2, 1.3"}, {"cc2.0", "2.x"}, {"cc3.5", "3.x"}, {"cc9.0", "5.x+"}});
        if (!older) return std::move(older).error();
        generations_ = std::move(*older);
        auto offsets = axis_numbers(choices_, "OFFSET", range(0, 32));
        auto strides = axis_numbers(choices_, "STRIDE", range(1, 32));
        if (!offsets) return std::move(offsets).error();
        if (!strides) return std::move(strides).error();
        auto counting = Counting::of(context_);
        if (!counting) return std::move(counting).error();
        const std::vector<Size> small{{choices_.quick ? 4096 : 65536}};
        const std::vector<Size>& sizes = choices_.sizes.empty() ? small : choices_.sizes;
        auto by_offset = run_into(page_, counting->context(), "coalescing", {"in_order", "permuted"},
                                  {{"STRIDE", {"1"}}, {"OFFSET", texts(*offsets)}}, sizes);
        if (!by_offset) return std::move(by_offset).error();
        auto by_stride = run_into(page_, counting->context(), "coalescing", {"in_order"},
                                  {{"STRIDE", texts(*strides)}, {"OFFSET", {"0"}}}, sizes);
        if (!by_stride) return std::move(by_stride).error();

        if (auto ok = patterns(*by_offset, *by_stride); !ok) return std::move(ok).error();
        if (auto ok = swept("offset", *offsets, *by_offset, "OFFSET"); !ok) return std::move(ok).error();
        if (auto ok = swept("stride", *strides, *by_stride, "STRIDE"); !ok) return std::move(ok).error();
        if (auto ok = pictures(); !ok) return std::move(ok).error();
        conclude(*by_offset, *by_stride);
        page_.repeat = {"warpwright lab coalescing --page",
                        "warpwright explain 'in[threadIdx.x + 1]' --block 32 --global --model cc2.0"};
        return std::move(page_);
    }

private:
    static double per_request(const record::Record* r) {
        return ratio(r, Count::global_load_sectors, Count::global_load_requests);
    }

    /// The texts' four patterns under every rule.
    Result<void> patterns(const std::vector<record::Record>& by_offset, const std::vector<record::Record>& by_stride) {
        record::Table t;
        t.id = "patterns";
        t.title = message("coalescing.table.patterns");
        t.columns = {{message("coalescing.column.pattern")}};
        for (const Generation& g : generations_) {
            t.columns.push_back({message("coalescing.column.transactions", {{"cc", g.label}}), "", Basis::computed});
            t.columns.push_back({message("coalescing.column.bytes", {{"cc", g.label}}), "B", Basis::computed});
        }
        t.columns.push_back({message("coalescing.column.counted"), "", Basis::counted});
        struct Pattern {
            const char* name;
            std::string expression;
            const record::Record* counted;
        };
        const Pattern list[] = {{"aligned", access(1, 0), find(by_offset, "in_order", "OFFSET", 0)},
                                {"permuted", "in[(threadIdx.x*7 + 3) % 32]", find(by_offset, "permuted", "OFFSET", 0)},
                                {"offset_1", access(1, 1), find(by_offset, "in_order", "OFFSET", 1)},
                                {"offset_8", access(1, 8), find(by_offset, "in_order", "OFFSET", 8)},
                                {"stride_2", access(2, 0), find(by_stride, "in_order", "STRIDE", 2)},
                                {"stride_32", access(32, 0), find(by_stride, "in_order", "STRIDE", 32)}};
        for (const Pattern& p : list) {
            std::vector<Scalar> row{message(fmt::format("coalescing.pattern.{}", p.name))};
            for (const Generation& g : generations_) {
                auto cost = rule_cost(g, p.expression, false);
                if (!cost) return std::move(cost).error();
                row.emplace_back(static_cast<std::int64_t>(cost->passes));
                row.emplace_back(static_cast<std::int64_t>(cost->moved));
            }
            row.push_back(cell(per_request(p.counted)));
            t.rows.push_back(std::move(row));
        }
        t.caption = message("coalescing.caption.patterns");
        page_.sections.push_back(
            {message("coalescing.section.patterns"), {paragraph(message("coalescing.text.patterns")), std::move(t)}});
        return {};
    }

    /// Transactions and bandwidth over an axis.
    Result<void> swept(const std::string& name, const std::vector<std::int64_t>& values,
                       const std::vector<record::Record>& counted, const std::string& axis) {
        record::Plot moved, rate;
        moved.id = name + "-transactions";
        moved.title = message("coalescing.plot." + name);
        moved.x_label = message("coalescing.axis." + name);
        moved.y_label = message("coalescing.axis.bytes");
        rate.id = name + "-bandwidth";
        rate.title = message("coalescing.plot." + name + "_rate");
        rate.x_label = moved.x_label;
        rate.y_label = message("coalescing.axis.rate");
        rate.y_unit = "B/s";
        for (const Generation& g : generations_) {
            record::Series bytes = series(message("coalescing.series.rule", {{"cc", g.label}}), Basis::computed);
            record::Series left = series(message("coalescing.series.predicted", {{"cc", g.label}}), Basis::predicted);
            for (std::int64_t v : values) {
                auto cost = rule_cost(g, name == "offset" ? access(1, v) : access(v, 0), false);
                if (!cost) return std::move(cost).error();
                point(bytes, static_cast<double>(v), static_cast<double>(cost->moved));
                // Reads and coalesced writes share the memory; every byte that is moved takes its time.
                const double wanted = 2.0 * 128, all = static_cast<double>(cost->moved) + 128;
                point(left, static_cast<double>(v), context_.model.dram_bandwidth() * wanted / all);
            }
            moved.series.push_back(std::move(bytes));
            if (g.label != generations_.front().label) rate.series.push_back(std::move(left));
        }
        record::Series sectors = series(message("coalescing.series.counted"), Basis::counted);
        for (std::int64_t v : values)
            point(sectors, static_cast<double>(v), 32 * per_request(find(counted, "in_order", axis, v)));
        moved.series.push_back(std::move(sectors));
        moved.caption = message("coalescing.caption.moved");
        rate.caption = message("coalescing.caption.rate", {{"model", context_.model.title}});
        if (context_.real())
            if (auto ok = measure(rate, name, values, axis); !ok) return ok;
        page_.sections.push_back({message("coalescing.section." + name),
                                  {paragraph(message("coalescing.text." + name)), std::move(moved), std::move(rate)}});
        return {};
    }

    /// The same kernels on the real device, at a size that no cache holds.
    Result<void> measure(record::Plot& rate, const std::string& name, const std::vector<std::int64_t>& values,
                         const std::string& axis) {
        std::vector<std::int64_t> some;
        for (std::int64_t v : values)
            if (!choices_.quick || v < 2 || (v & (v - 1)) == 0) some.push_back(v);
        record::Series s = series(message("coalescing.series.measured"), Basis::measured);
        for (std::int64_t v : some) {
            // Wide strides move a sector for each element: fewer elements are as much traffic.
            const std::int64_t n = (choices_.quick ? 1 << 22 : 1 << 24) / (name == "stride" && v >= 4 ? 4 : 1);
            const Axes axes = name == "offset" ? Axes{{"STRIDE", {"1"}}, {"OFFSET", texts({v})}}
                                               : Axes{{"STRIDE", texts({v})}, {"OFFSET", {"0"}}};
            auto timed = run_into(page_, context_, "coalescing", {"in_order"}, axes,
                                  choices_.sizes.empty() ? std::vector<Size>{{n}} : choices_.sizes);
            if (!timed) return std::move(timed).error();
            const record::Record* r = find(*timed, "in_order", axis, v);
            point(s, static_cast<double>(v), measured_rate(r));
            s.spread.push_back(r && r->time ? measured_rate(r) * r->time->spread : 0);
        }
        rate.series.push_back(std::move(s));
        return {};
    }

    Result<void> pictures() {
        record::Section s{message("coalescing.section.pictures"), {paragraph(message("coalescing.text.pictures"))}};
        const std::pair<const char*, std::string> drawn[] = {{"offset", access(1, 1)}, {"stride", access(2, 0)}};
        for (const auto& [name, expression] : drawn)
            for (const Generation& g : generations_) {
                explain::Setting setting;
                setting.model = g.limits;
                setting.shared = false;
                auto parsed = explain::IndexExpression::parse(expression);
                if (!parsed) return std::move(parsed).error();
                auto binding = explain::Binding::bind(*parsed, setting);
                if (!binding) return std::move(binding).error();
                auto request = binding->request(0);
                if (!request) return std::move(request).error();
                s.blocks.emplace_back(explain::segment_picture(
                    *request, setting, fmt::format("{}-{}", name, g.limits.name.substr(2, 1)) + g.limits.name.substr(4),
                    message(fmt::format("coalescing.picture.{}", name), {{"cc", g.label}})));
            }
        page_.sections.push_back(std::move(s));
        return {};
    }

    void conclude(const std::vector<record::Record>& by_offset, const std::vector<record::Record>& by_stride) {
        const double aligned = per_request(find(by_offset, "in_order", "OFFSET", 0)),
                     off = per_request(find(by_offset, "in_order", "OFFSET", 1));
        if (!std::isnan(aligned) && !std::isnan(off))
            page_.conclusions.push_back(
                message(off > aligned ? "coalescing.conclusion.offset" : "coalescing.conclusion.no_offset",
                        {{"aligned", aligned}, {"off", off}, {"more", 100 * (off / aligned - 1)}}));
        const double permuted = per_request(find(by_offset, "permuted", "OFFSET", 0));
        if (!std::isnan(aligned) && !std::isnan(permuted))
            page_.conclusions.push_back(
                message(permuted > aligned ? "coalescing.conclusion.order" : "coalescing.conclusion.no_order",
                        {{"aligned", aligned}, {"permuted", permuted}}));
        const record::Record* worst = nullptr;
        for (const record::Record& r : by_stride)
            if (r.counts && (!worst || per_request(&r) > per_request(worst))) worst = &r;
        if (worst && !std::isnan(per_request(worst))) {
            std::string stride;
            for (const record::Axis& a : worst->axes)
                if (a.name == "STRIDE") stride = a.text();
            page_.conclusions.push_back(message(
                "coalescing.conclusion.stride",
                {{"stride", stride}, {"sectors", per_request(worst)}, {"share", 100 * 4 / per_request(worst)}}));
        }
        page_.recommendations = {message("coalescing.recommendation")};
        page_.corrections = {message("coalescing.correction.order"), message("coalescing.correction.l1")};
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::vector<Generation> generations_;
};

}  // namespace

Result<record::Page> pages::coalescing(const Context& context, const Choices& choices) {
    return Coalescing(context, choices).run();
}

}  // namespace warpwright::lab
