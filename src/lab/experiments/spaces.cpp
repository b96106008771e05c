// Memory spaces: where each lies, who sees it and for how long, what a read costs by the device model and as measured,
// and the same sum from each of them, counted.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "lab/experiments/hardware.hpp"
#include "lab/experiments/probe.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/ladder_page.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Count;
using record::Scalar;

class SpacesPage {
public:
    SpacesPage(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("spaces", {"000", "003"});
        overview();
        if (auto ok = counted(); !ok) return std::move(ok).error();
        texture();
        page_.recommendations = {message("spaces.recommendation")};
        page_.corrections = {message("spaces.correction.texture"), message("spaces.correction.local"),
                             message("spaces.correction.shared",
                                     {{"kib", std::int64_t{context_.model.limits.shared_per_block_optin / 1024}},
                                      {"model", context_.model.title}})};
        page_.repeat = {"warpwright lab spaces --page", "warpwright device --measure --only latency,shared,memory"};
        return std::move(page_);
    }

private:
    /// Cycles a hop of a chase through a table, the least of a few runs; NaN with a problem on the page where it fails.
    double chase(Probe& probe, const char* kernel, std::uint64_t bytes, bool warm) {
        constexpr std::uint32_t kStride = 16, kHops = 4096;  // words of 8 bytes: lines of 128 bytes
        const auto lines = static_cast<std::uint32_t>(bytes / 128);
        double best = std::nan("");
        auto table = probe.words(bytes / 8);
        auto out = table ? probe.words(3) : table;
        if (!out) return failed(kernel, out.error());
        auto filled = probe.run("chase_fill", {4 * context_.model.sm.multiprocessors, 1, 1}, {256, 1, 1},
                                Probe::pack(*table, lines, kStride, 1664525u, 1013904223u), *out, 2);
        if (!filled) return failed(kernel, filled.error());
        for (int turn = 0; turn < 3; ++turn) {
            auto got =
                probe.run(kernel, {1, 1, 1}, {1, 1, 1}, Probe::pack(*table, warm ? lines : 0u, kHops, *out), *out, 2);
            if (!got) return failed(kernel, got.error());
            const double cycles = static_cast<double>((*got)[0]) / kHops;
            best = std::isnan(best) ? cycles : std::min(best, cycles);
            if (!warm) break;  // a second run would find what the first one left in the caches
        }
        return best;
    }
    double failed(const char* what, const Error& error) {
        page_.problems.push_back(fmt::format("{}: {}", what, error.text()));
        return std::nan("");
    }

    struct Measured {
        double l1 = std::nan(""), l2 = std::nan(""), memory = std::nan(""), shared = std::nan(""),
               constant = std::nan("");
    };
    Measured measure() {
        Measured m;
        auto chases = Probe::load(context_, "measure/chase.cu");
        if (!chases) {
            failed("measure/chase.cu", chases.error());
            return m;
        }
        m.l1 = chase(*chases, "chase_l1", 16 << 10, true);
        m.l2 = chase(*chases, "chase_l2", std::bit_floor(std::max<std::uint64_t>(context_.model.cache.l2 / 4, 1 << 18)),
                     true);
        m.memory = chase(*chases, "chase_l2", std::uint64_t{1} << 31, false);
        std::vector<std::uint32_t> next(64);
        for (std::uint32_t i = 0; i < 64; ++i) next[i] = (i + 16) % 64;
        auto out = chases->words(3);
        if (auto ok = chases->set("constants", next); out && ok) {
            auto got = chases->run("chase_constant", {1, 1, 1}, {1, 1, 1}, Probe::pack(64u, 4096u, *out), *out, 2);
            m.constant = got ? static_cast<double>((*got)[0]) / 4096 : failed("chase_constant", got.error());
        }
        auto banks = Probe::load(context_, "measure/shared.cu");
        auto to = banks ? banks->words(2) : Result<device::Address>(banks.error());
        if (!to) {
            failed("measure/shared.cu", to.error());
            return m;
        }
        auto got = banks->run("shared_latency", {1, 1, 1}, {32, 1, 1}, Probe::pack(1u, 4096u, *to), *to, 2);
        m.shared = got ? static_cast<double>((*got)[0]) / 4096 : failed("shared_latency", got.error());
        return m;
    }

    /// A memory space with what the model says of it and what was measured; 0 or NaN where nothing is known.
    struct Space {
        const char* name;
        double latency, measured, bandwidth, ceiling;
        std::int64_t size;
    };

    static std::vector<Space> spaces(const arch::DeviceModel& m, const Measured& seen) {
        const double clock = m.clocks.bound * m.sm.multiprocessors;
        return {{"register", m.latency.arithmetic, std::nan(""), 0, 0, std::int64_t{m.limits.registers_per_sm} * 4},
                {"local", m.latency.l1, seen.l1, m.cache.l1_bandwidth * clock, m.ceilings.l1_read, 0},
                {"shared", m.latency.shared, seen.shared, m.shared_bandwidth(), m.ceilings.shared_read,
                 m.limits.shared_per_sm},
                {"constant", m.latency.constant, seen.constant, 0, 0, m.limits.constant},
                {"texture", m.latency.l1, seen.l1, m.cache.l1_bandwidth * clock, m.ceilings.l1_read,
                 static_cast<std::int64_t>(m.cache.l1)},
                {"global_l1", m.latency.l1, seen.l1, m.cache.l1_bandwidth * clock, m.ceilings.l1_read,
                 static_cast<std::int64_t>(m.cache.l1)},
                {"global_l2", m.latency.l2, seen.l2, m.cache.l2_bandwidth, m.ceilings.l2_read,
                 static_cast<std::int64_t>(m.cache.l2)},
                {"global", m.latency.memory, seen.memory, m.memory.bandwidth, m.ceilings.dram_read,
                 static_cast<std::int64_t>(m.memory.size)}};
    }

    /// A whole program that reads a texture: there is no texture in a ladder's arguments.
    void texture() {
        auto program = kernel_file("spaces/texture.cu");
        if (!program) return page_.problems.push_back(program.error().text());
        page_.sections.push_back({message("spaces.section.texture"),
                                  {paragraph(message("spaces.text.texture")),
                                   source_listing(*program, message("spaces.listing.texture"), "texture")}});
    }

    void overview() {
        const arch::DeviceModel& m = context_.model;
        const Measured seen = context_.real() ? measure() : Measured{};
        record::Table where;
        where.id = "scope";
        where.title = message("spaces.table.scope");
        for (const char* c : {"space", "declared", "place", "cached", "access", "scope", "lifetime"})
            where.columns.push_back({message(fmt::format("spaces.column.{}", c))});
        record::Table cost;
        cost.id = "cost";
        cost.title = message("spaces.table.cost", {{"model", m.title}});
        cost.columns = {{message("spaces.column.space")}, {message("spaces.column.latency"), "", Basis::quoted}};
        if (context_.real()) cost.columns.push_back({message("spaces.column.latency"), "", Basis::measured});
        cost.columns.push_back({message("spaces.column.bandwidth"), "B/s", Basis::predicted});
        if (m.ceilings.dram_read > 0)
            cost.columns.push_back({message("spaces.column.bandwidth"), "B/s", Basis::measured});
        cost.columns.push_back({message("spaces.column.size"), "B", Basis::quoted});

        const auto positive = [](double v) { return v > 0 ? Scalar(v) : Scalar(); };
        for (const Space& s : spaces(m, seen)) {
            const Text name = message(fmt::format("spaces.name.{}", s.name));
            std::vector<Scalar> row{name, positive(s.latency)};
            if (context_.real()) row.push_back(cell(s.measured));
            row.push_back(positive(s.bandwidth));
            if (m.ceilings.dram_read > 0) row.push_back(positive(s.ceiling));
            row.push_back(s.size > 0 ? Scalar(s.size) : Scalar());
            cost.rows.push_back(std::move(row));
            if (std::string_view(s.name).starts_with("global_")) continue;
            std::vector<Scalar> text{name};
            for (const char* c : {"declared", "place", "cached", "access", "scope", "lifetime"})
                text.emplace_back(message(fmt::format("spaces.{}.{}", s.name, c)));
            where.rows.push_back(std::move(text));
        }
        cost.caption = message("spaces.caption.cost");
        if (m.latency.memory > 0 && m.latency.shared > 0)
            page_.conclusions.push_back(
                message("spaces.conclusion.latency", {{"model", m.title},
                                                      {"memory", m.latency.memory},
                                                      {"shared", m.latency.shared},
                                                      {"times", m.latency.memory / m.latency.shared}}));
        if (!std::isnan(seen.memory) && !std::isnan(seen.shared))
            page_.conclusions.push_back(
                message("spaces.conclusion.measured",
                        {{"memory", seen.memory}, {"shared", seen.shared}, {"times", seen.memory / seen.shared}}));
        page_.sections.push_back({message("spaces.section.overview"),
                                  {paragraph(message("spaces.text.overview")), std::move(where), std::move(cost)}});
    }

    Result<void> counted() {
        auto counting = Counting::of(context_);
        if (!counting) return std::move(counting).error();
        const std::vector<Size> size =
            choices_.sizes.empty() ? std::vector<Size>{{choices_.quick ? 4096 : 65536}} : choices_.sizes;
        auto records = run_into(page_, counting->context(), "spaces", choices_.rungs, {{"SPREAD", {"0", "1"}}}, size);
        if (!records) return std::move(records).error();
        std::vector<record::Record> timed;
        if (context_.real()) {
            auto real = run_into(page_, context_, "spaces", choices_.rungs, {{"SPREAD", {"0", "1"}}}, {{1 << 24}});
            if (!real) return std::move(real).error();
            timed = std::move(*real);
        }
        record::Table t;
        t.id = "sums";
        t.title = message("spaces.table.sums");
        t.columns = {{message("spaces.column.space")},
                     {message("spaces.column.lanes")},
                     {message("spaces.column.instructions"), "", Basis::counted},
                     {message("spaces.column.local"), "", Basis::counted},
                     {message("spaces.column.local_sectors"), "", Basis::counted},
                     {message("spaces.column.global"), "", Basis::counted},
                     {message("spaces.column.sectors"), "", Basis::counted},
                     {message("spaces.column.wavefronts"), "", Basis::counted},
                     {message("spaces.column.spilled"), "B", Basis::predicted},
                     {message("spaces.column.bound"), "s", Basis::predicted},
                     {message("spaces.column.time"), "s", Basis::predicted}};
        if (context_.real()) t.columns.push_back({message("spaces.column.time"), "s", Basis::measured});
        double local = 0, none = 0;
        std::optional<double> spilled;
        for (const record::Record& r : *records) {
            if (!r.counts || !r.block || !r.grid) continue;
            std::int64_t spread = 0;
            for (const record::Axis& a : r.axes)
                if (a.name == "SPREAD") spread = std::stoll(a.text());
            const record::Counts& c = *r.counts;
            const double warps =
                static_cast<double>(r.grid->count() * r.block->count()) / counting->context().model.limits.warp;
            const auto each = [&](std::uint64_t n) { return Scalar(static_cast<double>(n) / warps); };
            const std::uint64_t locals = c[Count::local_load_requests] + c[Count::local_store_requests];
            std::vector<Scalar> row{
                ladder_text(r.experiment, "rung." + r.rung + ".title", r.title),
                message(spread ? "spaces.different" : "spaces.same"),
                each(c[Count::instructions]),
                each(locals),
                each(c[Count::local_load_sectors] + c[Count::local_store_sectors]),
                each(c[Count::global_load_requests]),
                cell(ratio(&r, Count::global_load_sectors, Count::global_load_requests)),
                cell(ratio(&r, Count::shared_load_wavefronts, Count::shared_load_requests)),
                r.predicted && r.predicted->spill_stores ? Scalar(*r.predicted->spill_stores) : Scalar(),
                r.bound ? Scalar(r.bound->seconds) : Scalar(),
                r.predicted ? Scalar(r.predicted->seconds) : Scalar()};
            if (context_.real()) {
                const record::Record* real = find(timed, r.rung, "SPREAD", spread);
                row.push_back(real && real->time ? Scalar(real->time->median_s) : Scalar());
            }
            t.rows.push_back(std::move(row));
            if (r.rung == "local" && spread == 0) local = static_cast<double>(locals) / warps;
            if (r.rung == "spilled" && spread == 0 && r.predicted) spilled = r.predicted->spill_stores;
            if (r.rung == "register" && spread == 0) none = static_cast<double>(locals) / warps;
        }
        t.caption = message("spaces.caption.sums");
        page_.conclusions.push_back(message(local > none ? "spaces.conclusion.local" : "spaces.conclusion.no_local",
                                            {{"local", local}, {"register", none}}));
        if (spilled && *spilled > 0)
            page_.conclusions.push_back(message("spaces.conclusion.spilled", {{"bytes", *spilled}}));
        page_.sections.push_back(
            {message("spaces.section.sums"), {paragraph(message("spaces.text.sums")), std::move(t)}});
        return {};
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
};

}  // namespace

Result<record::Page> pages::spaces(const Context& context, const Choices& choices) {
    return SpacesPage(context, choices).run();
}

}  // namespace warpwright::lab
