// Occupancy: what a multiprocessor of every compute capability holds, what limits it, and how many resident warps the
// memory's bandwidth needs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "arch/occupancy.hpp"
#include "lab/experiments/hardware.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Scalar;

/// "Usually each multiprocessor needs at least 16 active warps" (000).
constexpr unsigned kRuleWarps = 16;

class OccupancyPage {
public:
    OccupancyPage(const Context& context, const Words& words, const Choices& choices)
        : context_(context), w_(words), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("occupancy", w_, {"000", "004"});
        auto all = arch::load_capabilities();
        if (!all) return std::move(all).error();
        all_ = std::move(*all);
        limits();
        if (auto ok = kernels(); !ok) return std::move(ok).error();
        if (auto ok = curves(); !ok) return std::move(ok).error();
        if (auto ok = bandwidth(); !ok) return std::move(ok).error();
        page_.recommendations = {w_("occupancy.recommendation")};
        page_.corrections = {w_("occupancy.correction.shared",
                                {{"kib", std::int64_t{context_.model.limits.shared_per_block_optin / 1024}},
                                 {"model", context_.model.title}})};
        page_.repeat = {"warpwright occupancy --all --registers 32 --block 256", "warpwright lab occupancy --page"};
        return std::move(page_);
    }

private:
    static std::string number(const arch::DeviceModel& m) { return m.name.substr(2); }

    void limits() {
        record::Table t;
        t.id = "limits";
        t.title = w_("occupancy.table.limits");
        t.columns = {{w_("occupancy.column.cc")}, {w_("occupancy.column.architecture")}};
        for (const char* c :
             {"threads_per_block", "blocks", "warps", "threads", "registers", "registers_block", "registers_thread"})
            t.columns.push_back({w_(fmt::format("occupancy.column.{}", c)), "", Basis::quoted, 6});
        for (const char* c : {"shared", "shared_block", "shared_optin"})
            t.columns.push_back({w_(fmt::format("occupancy.column.{}", c)), "KiB", Basis::quoted});
        for (const arch::DeviceModel& m : all_) {
            const auto& l = m.limits;
            t.rows.push_back({number(m), m.architecture, std::int64_t{l.threads_per_block},
                              std::int64_t{l.blocks_per_sm}, std::int64_t{l.warps_per_sm},
                              std::int64_t{l.threads_per_sm}, std::int64_t{l.registers_per_sm},
                              std::int64_t{l.registers_per_block}, std::int64_t{l.registers_per_thread},
                              std::int64_t{l.shared_per_sm / 1024}, std::int64_t{l.shared_per_block / 1024},
                              std::int64_t{l.shared_per_block_optin / 1024}});
        }
        t.caption = w_("occupancy.caption.limits");
        page_.sections.push_back(
            {w_("occupancy.section.limits"), {paragraph(w_("occupancy.text.limits")), std::move(t)}});
    }

    std::string limiter(const arch::Occupancy& o) const {
        if (!o.refusal.empty()) return w_("occupancy.refused");
        std::string out;
        for (arch::Limiter l : o.limiters) {
            const char* key = l == arch::Limiter::warps       ? "warps"
                              : l == arch::Limiter::blocks    ? "blocks"
                              : l == arch::Limiter::registers ? "registers"
                                                              : "shared";
            out += (out.empty() ? "" : ", ") + w_(fmt::format("occupancy.limiter.{}", key));
        }
        return out;
    }

    /// Kernels of the ladders with what the compiler says they take, on every compute capability.
    Result<void> kernels() {
        Context quick = context_;
        quick.options.no_time = true;
        struct Kernel {
            const char *ladder, *rung;
            Axes axes;
            Size size;
        };
        const Kernel list[] = {{"occupancy", "held", {}, {4096}},
                               {"reduce", "sequential", {{"T", {"int32"}}, {"OP", {"sum"}}}, {4096}},
                               {"matmul", "naive", {}, {64, 64, 64}},
                               {"matmul", "tiled", {{"TILE", {"16"}}}, {64, 64, 64}},
                               {"matmul", "register_2d", {}, {64, 64, 64}}};
        record::Table t;
        t.id = "kernels";
        t.title = w_("occupancy.table.kernels");
        t.columns = {{w_("occupancy.column.kernel")},
                     {w_("occupancy.column.block"), "", Basis::counted},
                     {w_("occupancy.column.registers_used"), "", context_.real() ? Basis::counted : Basis::predicted},
                     {w_("occupancy.column.shared_used"), "B", Basis::counted}};
        std::vector<const arch::DeviceModel*> shown;
        for (const arch::DeviceModel& m : all_)
            for (const char* name : {"cc1.3", "cc2.0", "cc3.5", "cc5.2", "cc7.0", "cc8.0", "cc8.6", "cc9.0", "cc12.0"})
                if (m.name == name) {
                    shown.push_back(&m);
                    t.columns.push_back(
                        {w_("occupancy.column.on", {{"cc", number(m)}}), "%", Basis::computed, 3, true});
                    t.columns.push_back({w_("occupancy.column.limited", {{"cc", number(m)}})});
                }
        for (const Kernel& k : list) {
            auto records = run_into(page_, quick, k.ladder, {k.rung}, k.axes, {k.size});
            if (!records) return std::move(records).error();
            const record::Record* r = find(*records, k.rung);
            if (!r || !r->occupancy || !r->block) continue;
            std::vector<Scalar> row{fmt::format("`{} {}`", k.ladder, k.rung),
                                    static_cast<std::int64_t>(r->block->count()), std::int64_t{r->occupancy->registers},
                                    static_cast<std::int64_t>(r->occupancy->shared)};
            for (const arch::DeviceModel* m : shown) {
                const arch::Occupancy o =
                    arch::occupancy(*m, r->occupancy->registers, r->occupancy->shared, r->block->count());
                row.push_back(o.refusal.empty() ? Scalar(100 * o.fraction) : Scalar());
                row.emplace_back(limiter(o));
            }
            t.rows.push_back(std::move(row));
        }
        t.caption = w_(context_.real() ? "occupancy.caption.kernels" : "occupancy.caption.kernels_estimated");
        page_.sections.push_back(
            {w_("occupancy.section.kernels"), {paragraph(w_("occupancy.text.kernels")), std::move(t)}});
        return {};
    }

    Result<void> curves() {
        auto shown = generations({{"cc1.3", "1.3"},
                                  {"cc2.0", "2.x"},
                                  {"cc3.5", "3.5"},
                                  {"cc7.0", "7.0"},
                                  {"cc8.6", "8.6"},
                                  {"cc9.0", "9.0"}});
        if (!shown) return std::move(shown).error();
        record::Section s{w_("occupancy.section.curves"), {paragraph(w_("occupancy.text.curves"))}};
        const auto plot = [&](const char* id, std::uint64_t from, std::uint64_t to, std::uint64_t step,
                              const auto& at) {
            record::Plot p;
            p.id = id;
            p.title = w_(fmt::format("occupancy.plot.{}", id));
            p.x_label = w_(fmt::format("occupancy.axis.{}", id));
            p.y_label = w_("occupancy.axis.occupancy");
            for (const Generation& g : *shown) {
                record::Series line = series(g.label, Basis::computed);
                for (std::uint64_t x = from; x <= to; x += step) {
                    const arch::Occupancy o = at(g.limits, x);
                    if (o.refusal.empty()) point(line, static_cast<double>(x), 100 * o.fraction);
                }
                p.series.push_back(std::move(line));
            }
            s.blocks.emplace_back(std::move(p));
        };
        plot("threads", 32, 1024, 32,
             [](const arch::DeviceModel& m, std::uint64_t x) { return arch::occupancy(m, 32, 0, x); });
        plot("registers", 8, 255, 1, [](const arch::DeviceModel& m, std::uint64_t x) {
            return arch::occupancy(m, static_cast<std::uint32_t>(x), 0, 256);
        });
        plot("shared", 0, 98304, 1024,
             [](const arch::DeviceModel& m, std::uint64_t x) { return arch::occupancy(m, 24, x, 256); });
        page_.sections.push_back(std::move(s));
        // A step down where one register more is one block fewer.
        const Generation& g = shown->back();
        for (std::uint32_t r = 32; r < 128; ++r) {
            const auto a = arch::occupancy(g.limits, r, 0, 256), b = arch::occupancy(g.limits, r + 1, 0, 256);
            if (b.fraction >= a.fraction) continue;
            page_.conclusions.push_back(w_("occupancy.conclusion.step", {{"cc", g.label},
                                                                         {"registers", std::int64_t{r}},
                                                                         {"more", std::int64_t{r + 1}},
                                                                         {"before", 100 * a.fraction},
                                                                         {"after", 100 * b.fraction}}));
            break;
        }
        return {};
    }

    /// Shared memory that leaves room for `blocks` blocks of a multiprocessor and not for one more.
    static std::uint64_t held(const arch::DeviceModel& m, std::uint64_t blocks) {
        const auto& a = m.allocation;
        std::uint64_t bytes = m.limits.shared_per_sm / blocks / a.shared_unit * a.shared_unit;
        bytes = bytes > a.reserved_shared ? bytes - a.reserved_shared : 0;
        return std::min<std::uint64_t>(bytes, m.limits.shared_per_block_optin);
    }

    /// Little's law: what `bytes` on their way in each multiprocessor make of the memory's latency, and no more than
    /// the memory's bandwidth. 0: the model does not know the latency.
    static double littles(const arch::DeviceModel& m, double bytes) {
        if (m.latency.memory <= 0) return 0;
        return std::min(m.dram_bandwidth(), bytes * m.sm.multiprocessors * m.clocks.bound / m.latency.memory);
    }

    /// Little's law over the warps of a multiprocessor, and whether they suffice for the memory's bandwidth.
    void predicted_series(const arch::DeviceModel& m, record::Plot& p) {
        for (unsigned each : {1u, 4u}) {
            record::Series s = series(
                w_("occupancy.series.predicted", {{"model", m.name}, {"each", std::int64_t{each}}}), Basis::predicted);
            for (unsigned w = 1; w <= m.limits.warps_per_sm; ++w)
                if (const double rate = littles(m, 128.0 * each * w); rate > 0)
                    point(s, w, 100 * rate / m.dram_bandwidth());
            if (!s.x.empty()) p.series.push_back(std::move(s));
            if (each == 1 && m.latency.memory > 0) {
                const double needed =
                    m.dram_bandwidth() * m.latency.memory / m.clocks.bound / m.sm.multiprocessors / 128;
                const bool enough = needed <= m.limits.warps_per_sm;
                page_.conclusions.push_back(w_(enough ? "occupancy.conclusion.enough" : "occupancy.conclusion.short",
                                               {{"model", m.title},
                                                {"warps", needed},
                                                {"most", std::int64_t{m.limits.warps_per_sm}},
                                                {"each", std::ceil(needed / m.limits.warps_per_sm)}}));
            }
        }
    }

    /// Runs the kernel that holds shared memory to limit the blocks: verified where it is emulated, timed where it is
    /// real.
    Result<std::vector<record::Record>> held_runs() {
        const std::vector<std::int64_t> blocks = context_.real() && !choices_.quick
                                                     ? std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
                                                     : std::vector<std::int64_t>{1, 2, 4, 8, 16, 32};
        const arch::DeviceModel& m = context_.model;
        std::vector<std::int64_t> bytes;
        for (std::int64_t b : blocks)
            bytes.push_back(static_cast<std::int64_t>(held(m, static_cast<std::uint64_t>(b))));
        const std::vector<Size> size = !choices_.sizes.empty() ? choices_.sizes
                                       : context_.real()       ? std::vector<Size>{{choices_.quick ? 1 << 24 : 1 << 26}}
                                                               : std::vector<Size>{{1 << 14}};
        return run_into(page_, context_, "occupancy", {"held"}, {{"EACH", {"1", "4"}}, {"HELD", texts(bytes)}}, size);
    }

    Result<void> bandwidth() {
        record::Plot p;
        p.id = "bandwidth";
        p.title = w_("occupancy.plot.bandwidth");
        p.x_label = w_("occupancy.axis.warps");
        p.y_label = w_("occupancy.axis.share");
        auto c2050 = arch::load_model("c2050");
        if (!c2050) return std::move(c2050).error();
        const arch::DeviceModel& old = *c2050;
        for (const arch::DeviceModel* m : {&old, &context_.model}) predicted_series(*m, p);
        const arch::DeviceModel& m = context_.model;
        record::Table t;
        t.id = "held";
        t.title = w_("occupancy.table.held");
        t.columns = {{w_("occupancy.column.held"), "B", Basis::computed},
                     {w_("occupancy.column.each")},
                     {w_("occupancy.column.blocks"), "", Basis::computed},
                     {w_("occupancy.column.warps"), "", Basis::computed},
                     {w_("occupancy.column.predicted"), "B/s", Basis::predicted}};
        if (context_.real()) t.columns.push_back({w_("occupancy.column.measured"), "B/s", Basis::measured});
        auto records = held_runs();
        if (!records) return std::move(records).error();
        record::Series measured[2] = {
            series(w_("occupancy.series.measured", {{"each", std::int64_t{1}}}), Basis::measured),
            series(w_("occupancy.series.measured", {{"each", std::int64_t{4}}}), Basis::measured)};
        for (const record::Record& r : *records) {
            if (!r.occupancy || r.error) continue;
            std::int64_t each = 1, asked = 0;
            for (const record::Axis& a : r.axes) {
                if (a.name == "EACH") each = std::stoll(a.text());
                if (a.name == "HELD") asked = std::stoll(a.text());
            }
            // Half of a copy's bytes are loads.
            const double predicted =
                std::min(m.dram_bandwidth(), 2 * littles(m, 128.0 * static_cast<double>(each) * r.occupancy->warps));
            std::vector<Scalar> row{asked, each, std::int64_t{r.occupancy->blocks}, std::int64_t{r.occupancy->warps},
                                    predicted > 0 ? Scalar(predicted) : Scalar()};
            if (context_.real()) {
                row.push_back(cell(measured_rate(&r)));
                if (!std::isnan(measured_rate(&r)))
                    point(measured[each == 1 ? 0 : 1], r.occupancy->warps,
                          100 * measured_rate(&r) / m.dram_bandwidth());
            }
            t.rows.push_back(std::move(row));
        }
        for (record::Series& s : measured)
            if (!s.x.empty()) p.series.push_back(std::move(s));
        // The text's rule, as an upright line across the curves.
        record::Series rule = series(w_("occupancy.series.rule", {{"warps", std::int64_t{kRuleWarps}}}), Basis::quoted);
        for (const double share : {0.0, 100.0}) point(rule, kRuleWarps, share);
        p.series.push_back(std::move(rule));
        if (const double rate = littles(old, 128.0 * kRuleWarps); rate > 0)
            page_.conclusions.push_back(
                w_("occupancy.conclusion.rule", {{"warps", std::int64_t{kRuleWarps}},
                                                 {"model", old.title},
                                                 {"share", 100 * std::min(1.0, rate / old.dram_bandwidth())}}));
        p.caption = w_("occupancy.caption.bandwidth");
        t.caption = w_("occupancy.caption.held", {{"model", m.title}});
        page_.sections.push_back({w_("occupancy.section.bandwidth"),
                                  {paragraph(w_("occupancy.text.bandwidth")), std::move(p), std::move(t)}});
        return {};
    }

    const Context& context_;
    const Words& w_;
    const Choices& choices_;
    record::Page page_;
    std::vector<arch::DeviceModel> all_;
};

}  // namespace

Result<record::Page> pages::occupancy(const Context& context, const Words& words, const Choices& choices) {
    return OccupancyPage(context, words, choices).run();
}

}  // namespace warpwright::lab
