// The terminal report.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profile/names.hpp"
#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/prediction.hpp"
#include "report/program.hpp"
#include "support/demangle.hpp"

namespace warpwright::report {
namespace {

using record::Count;
using record::Derived;

struct Row {
    double total = 0;
    profile::Times times;
    std::string name;
};

/// nvprof's figures: "12.345us", "1.2346ms".
std::string time(double s) {
    if (s <= 0) return "0ns";
    const double scaled[] = {s * 1e9, s * 1e6, s * 1e3, s};
    const char* units[] = {"ns", "us", "ms", "s"};
    const int k = s < 1e-6 ? 0 : s < 1e-3 ? 1 : s < 1 ? 2 : 3;
    return fmt::format("{:.5g}{}", scaled[k], units[k]);
}

void table(std::string& out, const char* type, std::vector<Row> rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.times.total > b.times.total; });
    double all = 0;
    for (const auto& r : rows) all += r.times.total;
    bool first = true;
    for (const auto& r : rows) {
        out += fmt::format("{:>15}  {:>6.2f}%  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {}\n", first ? type : "",
                           all > 0 ? 100 * r.times.total / all : 0.0, time(r.times.total), r.times.calls,
                           time(r.times.average()), time(r.times.min), time(r.times.max), safe(r.name));
        first = false;
    }
}

void requests(std::string& out, const record::Counts& c) {
    const struct {
        const char* name;
        Count requests, passes;
        Derived per_request;
    } kinds[] = {
        {"global loads", Count::global_load_requests, Count::global_load_sectors,
         Derived::global_load_sectors_per_request},
        {"global stores", Count::global_store_requests, Count::global_store_sectors,
         Derived::global_store_sectors_per_request},
        {"global atomics", Count::global_atomic_requests, Count::global_atomic_sectors,
         Derived::global_atomic_sectors_per_request},
        {"local loads", Count::local_load_requests, Count::local_load_sectors, Derived::local_load_sectors_per_request},
        {"local stores", Count::local_store_requests, Count::local_store_sectors,
         Derived::local_store_sectors_per_request}};
    for (const auto& k : kinds)
        if (c[k.requests])
            out += fmt::format("    {:<16}{:>14} requests  {:>14} sectors     {:6.2f} sectors per request\n", k.name,
                               grouped(c[k.requests]), grouped(c[k.passes]), value(c, k.per_request).value_or(0));
    const struct {
        const char* name;
        Count requests, wavefronts, conflicts;
    } shared[] = {
        {"shared loads", Count::shared_load_requests, Count::shared_load_wavefronts, Count::shared_load_bank_conflicts},
        {"shared stores", Count::shared_store_requests, Count::shared_store_wavefronts,
         Count::shared_store_bank_conflicts},
        {"shared atomics", Count::shared_atomic_requests, Count::shared_atomic_wavefronts,
         Count::shared_atomic_bank_conflicts}};
    for (const auto& k : shared)
        if (c[k.requests])
            out += fmt::format("    {:<16}{:>14} requests  {:>14} wavefronts  {:>6} bank conflicts\n", k.name,
                               grouped(c[k.requests]), grouped(c[k.wavefronts]), grouped(c[k.conflicts]));
}

/// Powers of 1000, as profilers of real GPUs have them.
std::string decimal_bytes(double b) {
    static constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
    int k = 0;
    for (; b >= 1000 && k < 4; ++k) b /= 1000;
    return fmt::format("{:.4g} {}", b, units[k]);
}

/// What a real GPU's own counters say.
void hardware(std::string& out, const KernelSummary& k, const Profile& p, const arch::DeviceModel& model) {
    const auto& u = *k.use;
    const auto& c = k.average;
    const auto& h = k.hardware;
    if (p.knows(Count::branches) && p.knows(Count::thread_instructions))
        out += fmt::format("    divergence: {} of {} branches split their warp; {:.1f} of 32 lanes active\n",
                           grouped(c[Count::divergent_branches]), grouped(c[Count::branches]),
                           value(c, Derived::lanes_per_instruction).value_or(0));
    if (h.occupancy) {
        out += fmt::format("    occupancy achieved {:.0f} %", *h.occupancy);
        if (!model.name.empty())
            out += fmt::format(" of {:.0f} % possible, limited by {}; {} waves", 100 * k.occupancy.fraction,
                               k.occupancy.limiter.empty() ? "nothing" : k.occupancy.limiter, plain(k.occupancy.waves));
        out += fmt::format(" ({}{} B shared per block)\n",
                           u.registers ? fmt::format("{} registers per thread; ", u.registers) : "",
                           u.static_shared + u.dynamic_shared);
    }
    if (h.dram_read && h.dram_written) {
        out += fmt::format("    DRAM {} read, {} written", decimal_bytes(*h.dram_read), decimal_bytes(*h.dram_written));
        if (h.seconds > 0) out += fmt::format(", {}/s", decimal_bytes((*h.dram_read + *h.dram_written) / h.seconds));
        const double all = *h.dram_read + *h.dram_written;
        if (c[Count::flops] && all > 0)
            out += fmt::format("; {:.3g} FLOP per byte of it", static_cast<double>(c[Count::flops]) / all);
        out += "\n";
    }
    const struct {
        const char* name;
        std::optional<double> share;
    } shares[] = {
        {"DRAM", h.dram_share}, {"L2", h.l2_share}, {"L1/shared", h.l1_share}, {"issue slots", h.issue_share}};
    std::string text, binds;
    double most = 0;
    for (const auto& s : shares) {
        if (!s.share) continue;
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", s.name, *s.share);
        if (*s.share > most) most = *s.share, binds = s.name;
    }
    if (!text.empty())
        out += fmt::format("    of their peaks: {}; {}\n", text,
                           most >= 60 ? "bound by " + binds : "bound by latency: none of them is near its own");
    if (const auto advice = kernel_advice(k); !advice.empty()) out += "    " + advice + "\n";
}

/// Which blocks stood for all, and how sure their counts are.
void sampled(std::string& out, const KernelUse& u) {
    const auto& s = u.sample;
    if (!s.launches) return;
    if (s.which.empty()) {
        out += fmt::format("    all blocks ran: {}\n", s.why_all);
        return;
    }
    const double share = s.blocks ? static_cast<double>(s.run) / static_cast<double>(s.blocks) : 0;
    out += fmt::format("    sample: {:.3g} % of the blocks ran ({}{})\n", 100 * share, s.which,
                       s.launches > 1 ? ", in the last launch" : "");
    const std::pair<const char*, record::Metric> groups[] = {{"instructions", Count::instructions},
                                                             {"sectors", Derived::global_sectors},
                                                             {"wavefronts", Derived::shared_wavefronts},
                                                             {"FLOP", Count::flops}};
    std::string text;
    for (const auto& [name, metric] : groups) {
        double total = 0, width = 0;
        for (auto c : record::counts_in(metric)) {
            total += static_cast<double>(u.counts[c]);
            width += s.half_width[static_cast<unsigned>(c)];
        }
        if (total > 0) text += fmt::format("{}{} \u00b1 {:.2g} %", text.empty() ? "" : ", ", name, 100 * width / total);
    }
    out += "    95 % intervals from the spread between blocks: " + text + "\n";
}

/// The predicted time with its reasons, and beside it the bound; or the bound alone, named so, and why.
void time_of(std::string& out, const KernelSummary& k, const arch::DeviceModel& model) {
    const auto& u = *k.use;
    const std::string least =
        fmt::format("bound {}{}", time(k.bound.seconds), k.bound.binds.empty() ? "" : " by " + k.bound.binds);
    if (u.predicted) {
        out += fmt::format("    predicted on {}: {} ({}); {}\n", model.name, time(u.predicted->seconds), method_of(u),
                           least);
        for (const std::string& line : prediction_lines(*u.predicted))
            for (const std::string& part : wrap(line, 100)) out += "      " + part + "\n";
    } else {
        out += fmt::format("    on {}: {}\n", model.name, least);
    }
    if (!u.unpredicted.empty()) out += "    " + safe(u.unpredicted) + "; its bound is shown\n";
}

void page(std::string& out, const KernelSummary& k, const Profile& p, const arch::DeviceModel& model,
          const SourceText& source) {
    const auto& u = *k.use;
    const auto& c = k.average;
    const auto shown = p.measured() ? u.counted : u.times.calls;
    out += fmt::format("\n{}\n  grid {}, block {}, {} launch{}", safe(k.name), extent(u.grid), extent(u.block),
                       u.times.calls, u.times.calls == 1 ? "" : "es");
    if (p.measured() && !u.counted)
        out += "\n";
    else if (p.measured() && u.counted < u.times.calls)
        out += fmt::format("; figures are those of {} of them{}\n", u.counted, u.counted > 1 ? ", averaged" : "");
    else
        out += fmt::format("; figures are those of {}\n", shown <= 1 ? "it" : "an average one");
    if (!u.counted) {
        out += "    nothing was counted\n";
        return;
    }
    sampled(out, u);
    requests(out, c);
    if (p.measured()) {
        hardware(out, k, p, model);
        return;
    }
    out += fmt::format("    divergence: {} of {} branches split their warp; {:.1f} of 32 lanes active\n",
                       grouped(c[Count::divergent_branches]), grouped(c[Count::branches]),
                       value(c, Derived::lanes_per_instruction).value_or(0));
    out += fmt::format(
        "    occupancy {:.0f} %, limited by {} ({} registers per thread, estimated; {} B shared per block); {} "
        "waves\n",
        100 * k.occupancy.fraction, k.occupancy.limiter.empty() ? "nothing" : k.occupancy.limiter, u.registers,
        u.static_shared + u.dynamic_shared, plain(k.occupancy.waves));
    if (k.intensity.per_byte)
        out += fmt::format("    intensity {:.3g} FLOP per byte requested", *k.intensity.per_byte);
    else
        out += "    no floating-point work on data of global memory";
    out += "\n";
    time_of(out, k, model);
    if (const auto advice = kernel_advice(k); !advice.empty()) out += "    " + advice + "\n";
    const auto lines = costly_lines(k, 3);
    if (lines.empty()) {
        out += "    (no source lines: build with -lineinfo)\n";
        return;
    }
    for (const auto& l : lines) {
        if (l.share < 0.005 && &l != &lines.front()) break;  // of no weight
        const auto slash = l.file.rfind('/');
        std::string text = fmt::format("    {:3.0f} %  {}:{}", 100 * l.share,
                                       slash == std::string::npos ? l.file : l.file.substr(slash + 1), l.line);
        if (auto code = source ? source(l.file, l.line) : std::nullopt) {
            const auto from = code->find_first_not_of(" \t");
            // A long line goes on below it.
            const auto pieces =
                from == std::string::npos ? std::vector<std::string>{} : wrap(safe(code->substr(from)), 80);
            for (std::size_t i = 0; i < pieces.size(); ++i)
                text += i == 0 ? "  " + pieces[i] : "\n             " + pieces[i];
        }
        out += text + "\n";
        if (const std::string stood = u.predicted ? line_stalls(*u.predicted, l.file, l.line) : ""; !stood.empty())
            out += "           warps stood here " + stood + "\n";
        // Of a kernel that is mostly its launch no line is worth tuning.
        if (!mostly_start(k))
            for (const std::string& line : wrap(l.advice, 95)) out += "           " + line + "\n";
    }
}

/// The counts that were asked for and what is derived from them, over all launches, in the order of the tables.
std::string chosen_metrics(const KernelSummary& k, const Profile& p, const std::vector<std::string>& wanted) {
    std::string out;
    const auto& c = k.use->counts;
    const auto add = [&](std::string_view key, const record::Metric& metric, const std::string& text) {
        if (std::find(wanted.begin(), wanted.end(), key) == wanted.end()) return;
        const bool known = p.knows(metric) && (k.use->counted || !p.measured());
        out += fmt::format("    {:<34}{:>18}\n", key, known ? text : "not known");
    };
    for (const auto& name : record::count_names()) add(name.key, name.count, grouped(c[name.count]));
    for (unsigned i = 0; i < record::kDerived; ++i) {
        const auto derived = static_cast<Derived>(i);
        const auto quotient = value(c, derived);
        add(info(derived).key, derived,
            is_sum(derived) ? grouped(total(c, derived))
            : quotient      ? fmt::format("{:.6g}", *quotient)
                            : "none");
    }
    for (const record::FigureInfo& f : record::figures()) {
        const std::string key = std::string(kPredictedMetric) + std::string(f.key);
        if (std::find(wanted.begin(), wanted.end(), key) == wanted.end()) continue;
        const auto value = k.use->predicted ? *k.use->predicted.*f.value : std::nullopt;
        out += fmt::format("    {:<34}{:>18}  {}\n", key, value ? fmt::format("{:.6g}", *value) : "not known", f.unit);
    }
    return out;
}

/// The chosen metrics of every kernel, and nothing else.
std::string metrics_text(const std::vector<KernelSummary>& kernels, const Profile& p, const Selection& selection) {
    std::string out;
    for (const auto& k : kernels) {
        out += fmt::format("{}  grid {}, block {}, {} launch{}\n", safe(k.name), extent(k.use->grid),
                           extent(k.use->block), k.use->times.calls, k.use->times.calls == 1 ? "" : "es");
        out += chosen_metrics(k, p, selection.metrics);
        // A real GPU's own: of an average launch, since many are shares and rates.
        for (const auto& key : selection.metrics)
            if (const auto value = k.use->metric(key)) out += fmt::format("    {:<60} {:>16.8g}\n", key, *value);
    }
    return out;
}

/// What the GPU did: kernels by name, and copies.
std::vector<Row> gpu_activities(const std::vector<KernelSummary>& kernels, const Profile& p,
                                const Selection& selection) {
    std::vector<Row> activities;
    std::map<std::string, profile::Times> by_name;
    for (const auto& k : kernels) {
        auto& t = by_name[k.name + bound_mark(p, *k.use)];
        t.min = t.calls ? std::min(t.min, k.use->times.min) : k.use->times.min;
        t.max = std::max(t.max, k.use->times.max);
        t.calls += k.use->times.calls, t.total += k.use->times.total;
    }
    for (const auto& [name, times] : by_name) activities.push_back({times.total, times, name});
    if (selection.kernel.empty())
        for (const auto& c : p.copies) activities.push_back({c.times.total, c.times, c.name});
    return activities;
}

std::vector<Row> api_calls(const Profile& p) {
    std::vector<Row> calls;
    for (const auto& c : p.calls)
        if (c.times.calls)
            calls.push_back({c.times.total, c.times, c.name + (c.failed ? fmt::format(" ({} failed)", c.failed) : "")});
    return calls;
}

/// What the tables' times are, measured or predicted.
std::string times_note(const Profile& p, const arch::DeviceModel& model) {
    std::string out = p.measured() ? fmt::format("Profiling result. All times were measured on {}.\n", safe(p.device))
                                   : fmt::format(
                                         "Profiling result. Times of GPU activities are {} on {} (no GPU measured "
                                         "them); those of API "
                                         "calls are this machine's own.\n",
                                         times_word(p), model.name);
    if (p.replayed)
        out += fmt::format(
            "{} launches ran {} times over for their counters, one after the other: their times are the counters' "
            "own, and their "
            "API calls are left out.\n",
            p.replayed, p.passes);
    return out;
}

}  // namespace

std::string program_text(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source) {
    std::string out;
    auto kernels = summarise(p, model, selection);
    for (const auto& n : p.notes) out += safe(n) + "\n";
    if (!selection.metrics.empty()) return out + metrics_text(kernels, p, selection);
    const std::vector<Row> activities = gpu_activities(kernels, p, selection);
    const auto heading = fmt::format("{:>15}  {:>7}  {:>9}  {:>8}  {:>9}  {:>9}  {:>9}  {}\n", "Type", "Time(%)",
                                     "Time", "Calls", "Avg", "Min", "Max", "Name");
    if (activities.empty()) {
        out += "No kernels were launched.\n";
    } else {
        out += times_note(p, model);
        out += heading;
        table(out, "GPU activities:", activities);
    }
    if (selection.kernel.empty()) {
        const std::vector<Row> calls = api_calls(p);
        if (activities.empty() && !calls.empty()) out += heading;
        table(out, "API calls:", calls);
    }
    std::size_t shown = 0;
    for (const auto& k : kernels) {
        if (shown++ == selection.most) {
            out += fmt::format("\n{} more kernels or launch shapes; -k NAME shows one, --csv all\n",
                               kernels.size() - selection.most);
            break;
        }
        page(out, k, p, model, source);
    }
    for (const auto& f : p.faults)
        out += fmt::format("\nkernel {} was ended by an error: {}\n", safe(demangle(f.kernel)), safe(f.text));
    return out;
}

}  // namespace warpwright::report
