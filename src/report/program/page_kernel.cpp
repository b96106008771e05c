// What the page shows of one kernel.
#include <algorithm>

#include "arch/occupancy.hpp"
#include "predict/bound.hpp"
#include "predict/prediction.hpp"
#include "record/bottleneck_text.hpp"
#include "report/format.hpp"
#include "report/prediction.hpp"
#include "report/program/page_data.hpp"

namespace warpwright::report {
namespace {

using record::Count;
using record::Derived;

PageJson shares(const std::map<std::string, double>& of, const Speaker& say, double over) {
    std::vector<std::pair<std::string, double>> list(of.begin(), of.end());
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    PageJson out = PageJson::array();
    for (const auto& [name, value] : list)
        if (value > 0.001 * over) out.push_back({say.name(name), value / over, safe(name)});
    return out;
}

double sum_of(const std::map<std::string, double>& of) {
    double all = 0;
    for (const auto& [name, value] : of) all += value;
    return all;
}

/// Where warps stood, each state with what it means.
PageJson stalls_of(const record::Predicted& p, const Speaker& say) {
    PageJson out = shares(p.stalls, say, std::max(sum_of(p.stalls), 1e-300));
    for (PageJson& state : out) {
        const std::string name = state[2];
        state[2] = say(message_or("stall." + name, predict::stall_meaning(name)));
    }
    return out;
}

/// Counts of an average launch that are not zero, and what is derived from them; those of the base behind them.
PageJson counts_of(const PageInput& in, const KernelSummary& k, const Speaker& say) {
    const KernelUse* other = base_of(in, *k.use);
    const record::Counts before = other ? other->average_counts() : record::Counts{};
    PageJson out = PageJson::array();
    for (const auto& name : record::count_names()) {
        if (!in.profile.knows(name.count) || (!k.average[name.count] && !before[name.count])) continue;
        PageJson row{name.key, say.count(name.count), k.average[name.count]};
        if (other) row.push_back(before[name.count]);
        out.push_back(std::move(row));
    }
    for (unsigned i = 0; i < record::kDerived; ++i) {
        const auto derived = static_cast<Derived>(i);
        if (is_sum(derived) || !in.profile.knows(derived)) continue;
        const auto one = value(k.average, derived), two = value(before, derived);
        if (!one || *one == 0) continue;
        PageJson row{info(derived).key, say(Text(std::string(info(derived).key))), *one};
        if (other) row.push_back(two ? PageJson(*two) : PageJson());
        out.push_back(std::move(row));
    }
    return out;
}

/// What each source line has: counts that any line has, its share of warp cycles, and where its warps stood.
constexpr Count kOfLines[] = {Count::instructions,
                              Count::global_load_requests,
                              Count::global_load_sectors,
                              Count::global_store_requests,
                              Count::global_store_sectors,
                              Count::global_atomic_requests,
                              Count::global_atomic_sectors,
                              Count::local_load_sectors,
                              Count::local_store_sectors,
                              Count::shared_load_requests,
                              Count::shared_load_wavefronts,
                              Count::shared_store_requests,
                              Count::shared_store_wavefronts,
                              Count::shared_atomic_wavefronts,
                              Count::branches,
                              Count::divergent_branches,
                              Count::flops};

/// What lines are shown by: the counts that any of them has, and what the launch's warps stood at all of them.
struct LineColumns {
    std::vector<Count> counts;
    explicit LineColumns(const KernelUse& now, const KernelUse* base) {
        record::Counts all{};
        for (const KernelUse* use : {&now, base})
            if (use)
                for (const auto& [where, counts] : use->lines)
                    for (const Count count : kOfLines) all[count] += counts[count];
        for (const Count count : kOfLines)
            if (all[count]) counts.push_back(count);
    }
};

/// One line: its file, number and counts, then its share of the warps' time and where they stood.
PageJson line_row(const KernelUse& use, std::size_t file, unsigned line, const record::Counts& counts,
                  const std::string& name, const LineColumns& columns, double launches, const Speaker& say) {
    PageJson values = PageJson::array();
    for (const Count count : columns.counts)
        values.push_back(launches == 1 ? PageJson(counts[count])
                                       : PageJson(static_cast<double>(counts[count]) / launches));
    PageJson row{file, line, std::move(values)};
    const auto& p = use.predicted;
    const double cycles = p ? sum_of(p->stalls) : 0;
    const auto* stood = p && cycles > 0 ? p->line(name, line) : nullptr;
    if (stood) {
        const double own = sum_of(stood->stalls);
        row.push_back(own / cycles);
        row.push_back(shares(stood->stalls, say, std::max(own, 1e-300)));
    }
    return row;
}

/// Of the base, the lines of files that this run has too. Its counts are those of as many launches as were counted now.
PageJson base_lines(const KernelUse& base, const KernelUse& now, const LineColumns& columns, const Speaker& say,
                    PageFiles& files) {
    std::map<std::string, std::string> ours;  // by the base's name
    for (const auto& [where, counts] : base.lines) ours.try_emplace(where.first);
    for (const auto& [where, counts] : now.lines) {
        const auto same_name = [&](const auto& one) { return file_name(one.first) == file_name(where.first); };
        if (ours.contains(where.first))
            ours[where.first] = where.first;
        else if (std::count_if(ours.begin(), ours.end(), same_name) == 1)
            std::find_if(ours.begin(), ours.end(), same_name)->second = where.first;
    }
    PageJson rows = PageJson::array();
    const double launches = now.counted ? static_cast<double>(base.counted) / static_cast<double>(now.counted) : 1;
    for (const auto& [where, counts] : base.lines)
        if (const std::string& file = ours[where.first]; !file.empty() && launches > 0)
            rows.push_back(
                line_row(base, files.number(file), where.second, counts, where.first, columns, launches, say));
    return rows;
}

PageJson lines_of(const PageInput& in, const KernelSummary& k, const Speaker& say, PageFiles& files) {
    const KernelUse* base = base_of(in, *k.use);
    const LineColumns chosen(*k.use, base);
    PageJson columns = PageJson::array(), rows = PageJson::array();
    for (const Count count : chosen.counts) columns.push_back({record::count_key(count), say.count(count)});
    for (const auto& [where, counts] : k.use->lines) {
        files.wants(where.first, where.second);
        rows.push_back(line_row(*k.use, files.number(where.first), where.second, counts, where.first, chosen, 1, say));
    }
    const auto& predicted = k.use->predicted;
    PageJson out{
        {"columns", std::move(columns)}, {"rows", std::move(rows)}, {"timed", predicted && !predicted->lines.empty()}};
    if (!base || base->lines.empty()) return out;
    out["base"] = base_lines(*base, *k.use, chosen, say, files);
    if (predicted) out["seconds"] = predicted->seconds;
    if (base->predicted) out["base_seconds"] = base->predicted->seconds;
    return out;
}

/// Its launches in their order where they differ: how many are alike, the time of each, and some of its counts.
PageJson launches_of(const KernelUse& u) {
    constexpr std::size_t kMost = 300;
    PageJson out = PageJson::array();
    if (u.launches.size() < 2) return out;
    for (const KernelUse::Launches& l : u.launches) {
        if (out.size() == kMost) break;
        out.push_back({l.count, l.seconds, l.counts[Count::instructions], total(l.counts, Derived::memory_sectors),
                       total(l.counts, Derived::shared_wavefronts)});
    }
    return out;
}

/// "ld.global.f32, 32 lanes of 4 bytes: 128 bytes in 4 sectors"
Text access_text(const record::AccessPicture& a) {
    const auto figure = [](std::uint64_t n) { return Value(Figure{grouped(n)}); };
    const Values values{{"i", Text(safe(a.instruction))}, {"lanes", figure(a.lanes)},
                        {"bytes", figure(a.bytes)},       {"all", figure(std::uint64_t{a.lanes} * a.bytes)},
                        {"w", figure(a.wavefronts)},      {"sectors", figure(a.sectors.size())}};
    return message(a.sectors.empty() ? "profile_page.access_shared" : "profile_page.access", values);
}

void picture_of(PageJson& out, const record::LaunchPicture& p, const Speaker& say, PageFiles& files) {
    auto& accesses = out["accesses"] = PageJson::array();
    for (const auto& a : p.accesses) {
        PageJson one{{"text", say(access_text(a))}, {"sectors", a.sectors}};
        if (a.line) one["file"] = files.number(a.file), one["line"] = a.line;
        accesses.push_back(std::move(one));
    }
    auto& ptx = out["ptx"] = PageJson::array();
    for (const auto& i : p.ptx)
        ptx.push_back({i.ptx_line, safe(i.text), i.line ? PageJson(files.number(i.file)) : PageJson(), i.line, i.share,
                       safe(i.state)});
    PageJson states = PageJson::array();
    for (const auto& s : p.warps.states)
        states.push_back({safe(s), say(message_or("stall." + s, predict::stall_meaning(s)))});
    if (!p.warps.intervals.empty())
        out["warps"] = {{"cycles", p.warps.cycles},
                        {"shown", p.warps.shown},
                        {"schedulers", p.warps.schedulers},
                        {"states", std::move(states)},
                        {"intervals", p.warps.intervals}};
}

/// What a run there predicted, with what holds the kernel back there first.
void put_run_there(PageJson& row, const profile::OnModel& there, const Speaker& say) {
    if (!there.why.empty()) {
        row["no_time"] = say(carried_text(safe(there.why)));
        return;
    }
    row["time"] = there.seconds, row["predicted"] = there.predicted;
    if (there.causes.empty()) return;
    const record::Bottleneck& first = there.causes.front();
    row["cause"] = {say(record::title_text(first)), first.share > 0 ? PageJson(first.share) : PageJson()};
}

/// The least time and the occupancy that each other model allows, and what runs there predicted; those first.
PageJson models_of(const PageInput& in, const KernelSummary& k, const Speaker& say) {
    PageJson ran = PageJson::array(), others = PageJson::array();
    const auto work = work_of(*k.use);
    for (const arch::DeviceModel& m : in.others) {
        PageJson row{{"model", m.name}, {"title", m.title}};
        const auto there = std::find_if(k.use->models.begin(), k.use->models.end(),
                                        [&](const auto& one) { return one.model == m.name; });
        if (there != k.use->models.end()) put_run_there(row, *there, say);
        if (const std::string why = predict::why_impossible(work, m); !why.empty()) {
            row["why"] = say(carried_text(why));
        } else {
            const auto bound = predict::bound(work, m);
            const auto occupancy = predict::occupancy_record(work, m);
            row["seconds"] = bound.seconds, row["binds"] = say.name(bound.binds);
            row["occupancy"] = occupancy.fraction, row["limiter"] = say.name(occupancy.limiter);
        }
        (there != k.use->models.end() ? ran : others).push_back(std::move(row));
    }
    for (PageJson& row : others) ran.push_back(std::move(row));
    return ran;
}

PageJson occupancy_of(const PageInput& in, const KernelSummary& k, const Speaker& say) {
    const auto& o = k.occupancy;
    const auto most =
        arch::occupancy(in.model, k.use->registers, k.use->static_shared + k.use->dynamic_shared, k.use->block.count());
    PageJson out{{"warps", o.warps},
                 {"most", in.model.limits.warps_per_sm},
                 {"blocks", o.blocks},
                 {"fraction", o.fraction},
                 {"waves", o.waves},
                 {"utilisation", o.wave_utilisation},
                 {"limiter", say.name(o.limiter.empty() ? "nothing" : o.limiter)}};
    // What each limit alone would allow, in blocks.
    out["limits"] = {{say.name("warps"), most.blocks_by_warps},
                     {say.name("blocks"), most.blocks_by_slots},
                     {say.name("registers"), most.blocks_by_registers},
                     {say.name("shared memory"), most.blocks_by_shared}};
    if (const auto& p = k.use->predicted; p && p->occupancy) out["achieved"] = *p->occupancy;
    if (k.hardware.occupancy) out["achieved"] = *k.hardware.occupancy / 100;
    return out;
}

PageJson bound_of(const KernelSummary& k, const Speaker& say) {
    PageJson terms = PageJson::array();
    for (const auto& t : k.bound.terms) terms.push_back({say.name(t.resource), t.seconds});
    return {{"seconds", k.bound.seconds}, {"binds", say.name(k.bound.binds)}, {"terms", std::move(terms)}};
}

Text registers_text(const KernelUse& u, const std::string& source) {
    const char* how = source == record::kEstimated                    ? "program.registers.estimated"
                      : source.empty() || source == record::kByDriver ? "program.registers.known"
                                                                      : "program.registers.by";
    return message(
        how,
        {{"r", figure_of(u.registers)}, {"a", safe(source)}, {"s", figure_of(u.static_shared + u.dynamic_shared)}});
}

}  // namespace

/// The kernel's place below the roofs: what an average launch computes and moves, and how long it takes.
PageJson roofline_data(const PageInput& in, const KernelSummary& k) {
    const auto& u = *k.use;
    double seconds = u.times.average(), bytes = predict::dram_traffic(work_of(u), in.model).bytes;
    if (u.predicted) {
        seconds = u.predicted->seconds;
        if (u.predicted->dram_read && u.predicted->dram_written)
            bytes = *u.predicted->dram_read + *u.predicted->dram_written;
    }
    if (k.hardware.seconds > 0) seconds = k.hardware.seconds;
    if (k.hardware.dram_read && k.hardware.dram_written) bytes = *k.hardware.dram_read + *k.hardware.dram_written;
    return {{"flops", k.average[Count::flops]},
            {"instructions", k.average[Count::instructions]},
            {"bytes", bytes},
            {"seconds", seconds}};
}

PageJson kernel_data(const PageInput& in, std::size_t kernel, const Speaker& say, PageFiles& files) {
    const KernelSummary& k = in.kernels[kernel];
    const KernelUse& u = *k.use;
    PageJson out{{"counted", u.counted}, {"registers", say(registers_text(u, k.occupancy.registers_source))}};
    if (!u.unpredicted.empty())
        out["unpredicted"] = say(carried_text(safe(u.unpredicted)) + "; " + message("program.its_bound"));
    if (u.predicted) {
        out["predicted"] = u.predicted->seconds;
        out["figures"] = say.each([&](const Words& w) { return prediction_lines(*u.predicted, true, w); });
        out["stalls"] = stalls_of(*u.predicted, say);
        out["peaks"] = shares(u.predicted->peaks, say, 1);
        if (const KernelUse* before = base_of(in, u); before && before->predicted)
            out["base_predicted"] = before->predicted->seconds;
    }
    if (!u.counted) return out;
    out["causes"] = causes_data(causes_of(k), say, files);
    out["counts"] = counts_of(in, k, say);
    if (!u.lines.empty()) out["lines"] = lines_of(in, k, say, files);
    if (auto launches = launches_of(u); !launches.empty()) out["launches"] = std::move(launches);
    if (u.picture) picture_of(out, *u.picture, say, files);
    if (!in.model.name.empty()) {
        out["occupancy"] = occupancy_of(in, k, say);
    }
    if (!in.profile.measured()) out["bound"] = bound_of(k, say), out["models"] = models_of(in, k, say);
    return out;
}

}  // namespace warpwright::report
