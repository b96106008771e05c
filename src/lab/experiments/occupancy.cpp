// Occupancy: what a multiprocessor of every compute capability holds, what limits it, and how many resident warps the
// memory's bandwidth needs.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "arch/occupancy.hpp"
#include "lab/experiments/hardware.hpp"
#include "lab/experiments/resident_warps.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Scalar;

/// "Usually each multiprocessor needs at least 16 active warps" (000).
constexpr unsigned kRuleWarps = 16;

class OccupancyPage {
public:
    OccupancyPage(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("occupancy", {"000", "004"});
        auto all = arch::load_capabilities();
        if (!all) return std::move(all).error();
        all_ = std::move(*all);
        limits();
        if (auto ok = kernels(); !ok) return std::move(ok).error();
        if (auto ok = curves(); !ok) return std::move(ok).error();
        if (auto ok = bandwidth(); !ok) return std::move(ok).error();
        page_.recommendations = {message("occupancy.recommendation")};
        page_.corrections = {message("occupancy.correction.shared",
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
        t.title = message("occupancy.table.limits");
        t.columns = {{message("occupancy.column.cc")}, {message("occupancy.column.architecture")}};
        for (const char* c :
             {"threads_per_block", "blocks", "warps", "threads", "registers", "registers_block", "registers_thread"})
            t.columns.push_back({message(fmt::format("occupancy.column.{}", c)), "", Basis::quoted, 6});
        for (const char* c : {"shared", "shared_block", "shared_optin"})
            t.columns.push_back({message(fmt::format("occupancy.column.{}", c)), "KiB", Basis::quoted});
        for (const arch::DeviceModel& m : all_) {
            const auto& l = m.limits;
            t.rows.push_back({number(m), m.architecture, std::int64_t{l.threads_per_block},
                              std::int64_t{l.blocks_per_sm}, std::int64_t{l.warps_per_sm},
                              std::int64_t{l.threads_per_sm}, std::int64_t{l.registers_per_sm},
                              std::int64_t{l.registers_per_block}, std::int64_t{l.registers_per_thread},
                              std::int64_t{l.shared_per_sm / 1024}, std::int64_t{l.shared_per_block / 1024},
                              std::int64_t{l.shared_per_block_optin / 1024}});
        }
        t.caption = message("occupancy.caption.limits");
        page_.sections.push_back(
            {message("occupancy.section.limits"), {paragraph(message("occupancy.text.limits")), std::move(t)}});
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
        t.title = message("occupancy.table.kernels");
        t.columns = {
            {message("occupancy.column.kernel")},
            {message("occupancy.column.block"), "", Basis::counted},
            {message("occupancy.column.registers_used"), "", context_.real() ? Basis::counted : Basis::predicted},
            {message("occupancy.column.shared_used"), "B", Basis::counted}};
        std::vector<const arch::DeviceModel*> shown;
        for (const arch::DeviceModel& m : all_)
            for (const char* name : {"cc1.3", "cc2.0", "cc3.5", "cc5.2", "cc7.0", "cc8.0", "cc8.6", "cc9.0", "cc12.0"})
                if (m.name == name) {
                    shown.push_back(&m);
                    t.columns.push_back(
                        {message("occupancy.column.on", {{"cc", number(m)}}), "%", Basis::computed, 3, true});
                    t.columns.push_back({message("occupancy.column.limited", {{"cc", number(m)}})});
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
                row.emplace_back(limiter_text(o));
            }
            t.rows.push_back(std::move(row));
        }
        t.caption = message(context_.real() ? "occupancy.caption.kernels" : "occupancy.caption.kernels_estimated");
        page_.sections.push_back(
            {message("occupancy.section.kernels"), {paragraph(message("occupancy.text.kernels")), std::move(t)}});
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
        record::Section s{message("occupancy.section.curves"), {paragraph(message("occupancy.text.curves"))}};
        const auto plot = [&](const char* id, std::uint64_t from, std::uint64_t to, std::uint64_t step,
                              const auto& at) {
            record::Plot p;
            p.id = id;
            p.title = message(fmt::format("occupancy.plot.{}", id));
            p.x_label = message(fmt::format("occupancy.axis.{}", id));
            p.y_label = message("occupancy.axis.occupancy");
            const double one = std::string_view(id) == "shared" ? 1024 : 1;  // its axis is in KiB
            for (const Generation& g : *shown) {
                record::Series line = series(g.label, Basis::computed);
                for (std::uint64_t x = from; x <= to; x += step) {
                    const arch::Occupancy o = at(g.limits, x);
                    if (o.refusal.empty()) point(line, static_cast<double>(x) / one, 100 * o.fraction);
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
            page_.conclusions.push_back(message("occupancy.conclusion.step", {{"cc", g.label},
                                                                              {"registers", std::int64_t{r}},
                                                                              {"more", std::int64_t{r + 1}},
                                                                              {"before", 100 * a.fraction},
                                                                              {"after", 100 * b.fraction}}));
            break;
        }
        return {};
    }

    /// The most blocks of 64 threads, and of fewer, that the model holds.
    std::vector<std::int64_t> block_numbers(const arch::DeviceModel& m, bool all) const {
        std::vector<std::int64_t> out;
        for (const std::int64_t b : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
            if (b <= m.limits.blocks_per_sm && (all || (b & (b - 1)) == 0)) out.push_back(b);
        return out;
    }

    /// Little's law over the warps of a multiprocessor, and what a simulated copy reaches; shares of the bandwidth.
    record::Plot shares(const char* id, const arch::DeviceModel& m, const CopyRates& simulated) const {
        record::Plot p;
        p.id = id;
        p.title = message("occupancy.plot.bandwidth", {{"model", m.title}});
        p.x_label = message("occupancy.axis.warps");
        p.y_label = message("occupancy.axis.share");
        for (const std::int64_t each : {1, 4}) {
            record::Series law = series(message("occupancy.series.law", {{"each", each}}), Basis::computed);
            for (unsigned w = 1; w <= m.limits.warps_per_sm; ++w)
                if (const double rate = littles_copy(m, 128.0 * static_cast<double>(each) * w); rate > 0)
                    point(law, w, 100 * rate / m.dram_bandwidth());
            if (!law.x.empty()) p.series.push_back(std::move(law));
            record::Series own = series(message("occupancy.series.predicted", {{"each", each}}), Basis::predicted);
            for (const auto& [key, rate] : simulated)
                if (key.first == each) point(own, static_cast<double>(key.second), 100 * rate / m.dram_bandwidth());
            if (!own.x.empty()) p.series.push_back(std::move(own));
        }
        return p;
    }

    /// How many warps the memory's bandwidth needs, by Little's law.
    void tell_need(const arch::DeviceModel& m) {
        if (m.latency.memory <= 0) return;
        const double needed = m.dram_bandwidth() * m.latency.memory / m.clocks.bound / m.sm.multiprocessors / 256;
        const bool enough = needed <= m.limits.warps_per_sm;
        page_.conclusions.push_back(message(enough ? "occupancy.conclusion.enough" : "occupancy.conclusion.short",
                                            {{"model", m.title},
                                             {"warps", needed},
                                             {"most", std::int64_t{m.limits.warps_per_sm}},
                                             {"each", std::ceil(needed / m.limits.warps_per_sm)}}));
    }

    /// A copy that is simulated: an empty table where only bounds are asked for, a problem where it fails.
    CopyRates copies(const arch::DeviceModel& m, std::int64_t elements) {
        std::vector<std::int64_t> warps;
        for (const std::int64_t w : {2, 4, 8, 16, 24, 32, 48, 64})
            if (w <= m.limits.warps_per_sm) warps.push_back(w);
        auto rates = simulated_copies(context_, m, warps, elements);
        if (rates) return std::move(*rates);
        if (rates.error().kind != ErrorKind::usage) page_.problems.push_back(m.title + ": " + rates.error().text());
        return {};
    }

    /// The text's device and its rule: the text shows a curve without figures, so ours stand beside the rule alone.
    Result<record::Plot> of_the_text() {
        auto c2050 = arch::load_model("c2050");
        if (!c2050) return std::move(c2050).error();
        const arch::DeviceModel& m = *c2050;
        const CopyRates rates = copies(m, 1 << 20);
        record::Plot p = shares("c2050", m, rates);
        record::Series rule =
            series(message("occupancy.series.rule", {{"warps", std::int64_t{kRuleWarps}}}), Basis::quoted);
        for (const double share : {0.0, 100.0}) point(rule, kRuleWarps, share);  // an upright line across the curves
        p.series.push_back(std::move(rule));
        p.caption = message("occupancy.caption.text");
        tell_need(m);
        const auto at = rates.find({1, kRuleWarps}), most = rates.find({1, m.limits.warps_per_sm});
        if (at != rates.end() && most != rates.end())
            page_.conclusions.push_back(message(
                "occupancy.conclusion.rule", {{"warps", std::int64_t{kRuleWarps}},
                                              {"model", m.title},
                                              {"law", 100 * littles_copy(m, 128.0 * kRuleWarps) / m.dram_bandwidth()},
                                              {"share", 100 * at->second / m.dram_bandwidth()},
                                              {"most", std::int64_t{m.limits.warps_per_sm}},
                                              {"best", 100 * most->second / m.dram_bandwidth()}}));
        return p;
    }

    /// Runs the kernel that holds shared memory to limit the blocks: verified where it is emulated, timed where it is
    /// real.
    Result<std::vector<record::Record>> held_runs() {
        const arch::DeviceModel& m = context_.model;
        std::vector<std::int64_t> bytes;
        for (std::int64_t b : block_numbers(m, context_.real() && !choices_.quick))
            bytes.push_back(static_cast<std::int64_t>(held_for(m, static_cast<std::uint64_t>(b))));
        const std::vector<Size> size = !choices_.sizes.empty() ? choices_.sizes
                                       : context_.real()       ? std::vector<Size>{{choices_.quick ? 1 << 24 : 1 << 26}}
                                                               : std::vector<Size>{{1 << 14}};
        return run_into(page_, context_, "occupancy", {"held"},
                        {{"EACH", {"1", "4"}}, {"HELD", texts(bytes)}, {"BLOCK", {"64"}}}, size);
    }

    record::Table held_table() const {
        record::Table t;
        t.id = "held";
        t.title = message("occupancy.table.held");
        t.columns = {{message("occupancy.column.held"), "B", Basis::computed},
                     {message("occupancy.column.each")},
                     {message("occupancy.column.blocks"), "", Basis::computed},
                     {message("occupancy.column.warps"), "", Basis::computed},
                     {message("occupancy.column.law"), "B/s", Basis::computed},
                     {message("occupancy.column.predicted"), "B/s", Basis::predicted}};
        if (context_.real()) t.columns.push_back({message("occupancy.column.measured"), "B/s", Basis::measured});
        t.caption = message("occupancy.caption.held", {{"model", context_.model.title}});
        return t;
    }

    Result<void> bandwidth() {
        auto text = of_the_text();
        if (!text) return std::move(text).error();
        const arch::DeviceModel& m = context_.model;
        const CopyRates rates = copies(m, 1 << 23);
        record::Plot p = shares("bandwidth", m, rates);
        tell_need(m);
        auto records = held_runs();
        if (!records) return std::move(records).error();
        record::Table t = held_table();
        std::map<std::int64_t, record::Series> measured;
        for (const record::Record& r : *records) {
            if (!r.occupancy || r.error) continue;
            std::int64_t each = 1, asked = 0;
            for (const record::Axis& a : r.axes) {
                if (a.name == "EACH") each = std::stoll(a.text());
                if (a.name == "HELD") asked = std::stoll(a.text());
            }
            const double law = littles_copy(m, 128.0 * static_cast<double>(each) * r.occupancy->warps);
            const auto own = rates.find({each, r.occupancy->warps});
            std::vector<Scalar> row{asked,
                                    each,
                                    std::int64_t{r.occupancy->blocks},
                                    std::int64_t{r.occupancy->warps},
                                    law > 0 ? Scalar(law) : Scalar(),
                                    own == rates.end() ? Scalar() : own->second};
            if (const double rate = measured_rate(&r); context_.real()) {
                row.push_back(cell(rate));
                auto& s = measured
                              .try_emplace(
                                  each, series(message("occupancy.series.measured", {{"each", each}}), Basis::measured))
                              .first->second;
                if (!std::isnan(rate)) point(s, r.occupancy->warps, 100 * rate / m.dram_bandwidth());
            }
            t.rows.push_back(std::move(row));
        }
        for (auto& [each, s] : measured)
            if (!s.x.empty()) p.series.push_back(std::move(s));
        p.caption = message("occupancy.caption.bandwidth");
        page_.sections.push_back(
            {message("occupancy.section.bandwidth"),
             {paragraph(message("occupancy.text.bandwidth")), std::move(*text), std::move(p), std::move(t)}});
        return {};
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::vector<arch::DeviceModel> all_;
};

}  // namespace

Result<record::Page> pages::occupancy(const Context& context, const Choices& choices) {
    return OccupancyPage(context, choices).run();
}

}  // namespace warpwright::lab
