// The terminal report.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profile/names.hpp"
#include "record/bottleneck_text.hpp"
#include "report/causes.hpp"
#include "report/columns.hpp"
#include "report/format.hpp"
#include "report/layout.hpp"
#include "report/prediction.hpp"
#include "report/program.hpp"
#include "report/program/emulator_time.hpp"
#include "report/program/say.hpp"
#include "support/demangle.hpp"

namespace warpwright::report {
namespace {

using record::Count;
using record::Derived;

/// nvprof's names.
constexpr const char *kActivities = "GPU activities:", *kCalls = "API calls:";
constexpr std::pair<const char*, std::size_t> kColumns[] = {{"Time(%)", 7}, {"Time", 9}, {"Calls", 8},
                                                            {"Avg", 9},     {"Min", 9},  {"Max", 9}};

struct Row {
    double total = 0;
    profile::Times times;
    std::string name;
};

/// The columns of nvprof's tables; the first is as wide as the words in it.
std::vector<Say::Column> columns_of(const Say& say) {
    const std::size_t type =
        std::max({std::size_t{15}, display_width(say.name(kActivities)), display_width(say.name(kCalls))});
    std::vector<Say::Column> out{{type}};
    // What a language has between a number and its unit.
    const std::size_t blank = display_width(say("program.time", {{"value", Text()}, {"unit", Text()}}));
    for (const auto& [name, width] : kColumns) out.push_back({std::max(width + blank, display_width(say.name(name)))});
    return out;
}

void heading(std::string& out, const Say& say) {
    std::vector<std::string> cells{say.name("Type")};
    for (const auto& [name, width] : kColumns) cells.push_back(say.name(name));
    say.row(out, columns_of(say), cells, say.name("Name"));
}

void table(std::string& out, const Say& say, const char* type, std::vector<Row> rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.times.total > b.times.total; });
    double all = 0;
    for (const auto& r : rows) all += r.times.total;
    bool first = true;
    for (const auto& r : rows) {
        const double share = all > 0 ? 100 * r.times.total / all : 0.0;
        say.row(out, columns_of(say),
                {first ? say.name(type) : "", say.figure(fmt::format("{:.2f}", share)) + "%", say.time(r.times.total),
                 fmt::format("{}", r.times.calls), say.time(r.times.average()), say.time(r.times.min),
                 say.time(r.times.max)},
                safe(r.name));
        first = false;
    }
}

/// One kind of request: "    global loads    256 requests    1,024 sectors    4.00 sectors per request"; where that is
/// too wide, as a sentence.
struct Requests {
    std::size_t room;  ///< columns of the name
    const char* name;
    std::uint64_t requests;
    const char* passes_are;
    std::uint64_t passes;
    std::string last;     ///< "4.00", "3,968"
    const char* last_is;  ///< "sectors per request"
};

/// The noun as its count needs it.
std::string nouns(const Say& say, std::uint64_t count, const char* plural) {
    return say(std::string("program.nouns.") + plural, {{"n", figure_of(count)}});
}

void requests_line(std::string& out, const Say& say, const Requests& r) {
    constexpr std::size_t kCount = 14, kLast = 6, kRest = 80;
    if (!say.fits(r.room + kRest)) {
        say.line(out, 4,
                 fmt::format("{}: {} {}, {} {}, {} {}", say.name(r.name), say.figure(grouped(r.requests)),
                             nouns(say, r.requests, "requests"), say.figure(grouped(r.passes)),
                             nouns(say, r.passes, r.passes_are), say.figure(r.last), say.name(r.last_is)));
        return;
    }
    const std::size_t passes = std::max(display_width(say.name("sectors")), display_width(say.name("wavefronts")));
    const std::size_t requests = display_width(say.name("requests"));
    out += "    " + pad(say.name(r.name), r.room, true) + pad(say.figure(grouped(r.requests)), kCount, false) + " " +
           pad(nouns(say, r.requests, "requests"), requests, true) + "  " +
           pad(say.figure(grouped(r.passes)), kCount, false) + " " +
           pad(nouns(say, r.passes, r.passes_are), passes, true) + "  " + pad(say.figure(r.last), kLast, false) + " " +
           say.name(r.last_is);
    end_line(out);
}

/// Of a device that moves whole lines, `line` is their bytes; else 0.
void requests(std::string& out, const Say& say, const record::Counts& c, unsigned line) {
    std::size_t room = 16;
    const auto widen = [&](const char* name) { room = std::max(room, display_width(say.name(name)) + 1); };
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
    for (const auto& k : kinds) widen(k.name);
    for (const auto& k : kinds) {
        if (!c[k.requests]) continue;
        const bool lines = line && (k.passes == Count::global_load_sectors || k.passes == Count::global_store_sectors);
        const unsigned sectors = lines ? line / 32 : 1;
        requests_line(out, say,
                      {room, k.name, c[k.requests], lines ? "lines" : "sectors", c[k.passes] / sectors,
                       fmt::format("{:.2f}", value(c, k.per_request).value_or(0) / sectors),
                       lines ? "lines per request" : "sectors per request"});
    }
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
            requests_line(out, say,
                          {room, k.name, c[k.requests], "wavefronts", c[k.wavefronts], grouped(c[k.conflicts]),
                           "bank conflicts"});
}

/// Powers of 1000, as profilers of real GPUs have them.
std::string decimal_bytes(double b) {
    static constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB"};
    int k = 0;
    for (; b >= 1000 && k < 4; ++k) b /= 1000;
    return fmt::format("{:.4g} {}", b, units[k]);
}

/// "divergence: 3 of 12 branches split their warp; 31.5 of 32 lanes active"
void divergence(std::string& out, const Say& say, const record::Counts& c) {
    const double lanes = value(c, Derived::lanes_per_instruction).value_or(0);
    if (c[Count::branches] == 0)
        return say.line(out, 4, say("program.divergence.no_branch", {{"x", Figure{fmt::format("{:.1f}", lanes)}}}));
    say.line(out, 4,
             say("program.divergence.branches", {{"a", Figure{grouped(c[Count::divergent_branches])}},
                                                 {"b", Figure{grouped(c[Count::branches])}},
                                                 {"x", Figure{fmt::format("{:.1f}", lanes)}}}));
}

Text limiter_of(const KernelSummary& k) {
    return name_text(k.occupancy.limiter.empty() ? "nothing" : k.occupancy.limiter);
}

/// How many registers a thread has, who says so, and the shared memory of a block.
std::string registers_of(const Say& say, const KernelUse& u, const std::string& source) {
    const char* how = source == record::kEstimated                    ? "program.registers.estimated"
                      : source.empty() || source == record::kByDriver ? "program.registers.known"
                                                                      : "program.registers.by";
    return say(
        how,
        {{"r", figure_of(u.registers)}, {"a", safe(source)}, {"s", figure_of(u.static_shared + u.dynamic_shared)}});
}

/// The traffic of device memory that a real GPU counted.
void dram(std::string& out, const Say& say, const KernelSummary& k) {
    const auto& h = k.hardware;
    if (!h.dram_read || !h.dram_written) return;
    const double all = *h.dram_read + *h.dram_written;
    std::string text = say("program.dram",
                           {{"r", Figure{decimal_bytes(*h.dram_read)}}, {"w", Figure{decimal_bytes(*h.dram_written)}}});
    if (h.seconds > 0) text += ", " + say.figure(decimal_bytes(all / h.seconds) + "/s");
    if (k.average[Count::flops] && all > 0)
        text += "; " + say("program.dram_intensity",
                           {{"x", Figure{short_number(static_cast<double>(k.average[Count::flops]) / all)}}});
    say.line(out, 4, text);
}

/// What holds it back, each cause with what to change below it.
void causes_below(std::string& out, const Say& say, const std::vector<record::Bottleneck>& causes, std::string heading,
                  std::size_t indent = 4) {
    if (causes.empty()) return;
    constexpr std::size_t kWide = 110;
    const Say narrow(say.words(), say.width() ? std::min(say.width(), kWide) : kWide);
    say.line(out, indent, heading);
    for (const CauseLines& one : cause_lines(causes, say.words())) {
        narrow.line(out, indent + 2, one.seen);
        narrow.line(out, indent + 4, one.fix, 0);
    }
}

void held_back(std::string& out, const Say& say, const KernelSummary& k) {
    const auto causes = causes_of(k);
    causes_below(out, say, causes, causes_heading(causes, say.words()));
}

/// What a real GPU's own counters say.
void hardware(std::string& out, const Say& say, const KernelSummary& k, const Profile& p,
              const arch::DeviceModel& model) {
    const auto& u = *k.use;
    const auto& h = k.hardware;
    if (p.knows(Count::branches) && p.knows(Count::thread_instructions)) divergence(out, say, k.average);
    if (h.occupancy) {
        std::string text = model.name.empty()
                               ? say("program.occupancy.achieved", {{"x", Figure{fmt::format("{:.0f}", *h.occupancy)}}})
                               : say("program.occupancy.achieved_of",
                                     {{"x", Figure{fmt::format("{:.0f}", *h.occupancy)}},
                                      {"y", Figure{fmt::format("{:.0f}", 100 * k.occupancy.fraction)}},
                                      {"limiter", limiter_of(k)},
                                      {"w", Figure{plain(k.occupancy.waves)}}});
        text += " (" +
                (u.registers ? registers_of(say, u, "")
                             : say("program.shared", {{"s", figure_of(u.static_shared + u.dynamic_shared)}})) +
                ")";
        say.line(out, 4, text);
    }
    dram(out, say, k);
    const struct {
        const char* name;
        std::optional<double> share;
    } shares[] = {
        {"DRAM", h.dram_share}, {"L2", h.l2_share}, {"L1/shared", h.l1_share}, {"issue slots", h.issue_share}};
    std::string text, binds;
    double most = 0;
    for (const auto& s : shares) {
        if (!s.share) continue;
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", say.name(s.name), *s.share);
        if (*s.share > most) most = *s.share, binds = s.name;
    }
    if (!text.empty())
        say.line(
            out, 4,
            say.labelled(say("prediction.peaks"), text) + "; " +
                (most >= 60 ? say("program.bound_by", {{"x", name_text(binds)}}) : say("program.bound_by_latency")));
    held_back(out, say, k);
}

/// "2 of 2 at the ends, 64 of 65,534 between"
std::string which_blocks(const Say& say, const std::string& which) {
    std::string out;
    for (std::size_t from = 0; from < which.size();) {
        const std::size_t end = std::min(which.find(", ", from), which.size());
        out += (out.empty() ? "" : ", ") + say.carried(which.substr(from, end - from));
        from = end + 2;
    }
    return out;
}

/// Which blocks stood for all, and how sure their counts are.
void sampled(std::string& out, const Say& say, const KernelUse& u) {
    const auto& s = u.sample;
    if (!s.launches) return;
    if (s.which.empty()) return say.line(out, 4, say.labelled(say("program.all_blocks_ran"), say.carried(s.why_all)));
    const double share = s.blocks ? static_cast<double>(s.run) / static_cast<double>(s.blocks) : 0;
    say.line(out, 4,
             say("program.sample", {{"p", Figure{fmt::format("{:.3g}", 100 * share)}}}) + " (" +
                 which_blocks(say, s.which) + (s.launches > 1 ? ", " + say("program.last_launch") : "") + ")");
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
        if (total > 0)
            text += (text.empty() ? "" : ", ") + say.name(name) + " \u00b1 " +
                    say.figure(fmt::format("{:.2g} %", 100 * width / total));
    }
    say.line(out, 4, say.labelled(say("program.intervals"), text));
}

/// The predicted time with its reasons, and beside it the bound; or the bound alone, named so, and why.
void time_of(std::string& out, const Say& say, const KernelSummary& k, const arch::DeviceModel& model) {
    const auto& u = *k.use;
    const std::string least = say.name("bound") + " " + say.time(k.bound.seconds) +
                              (k.bound.binds.empty() ? "" : " (" + say.name(k.bound.binds) + ")");
    if (u.predicted) {
        say.line(out, 4,
                 say.labelled(say("program.predicted_on", {{"model", model.name}}), say.time(u.predicted->seconds)) +
                     " (" + say.name(method_of(u)) + "); " + least);
        for (const std::string& line : prediction_lines(*u.predicted, true, say.words()))
            for (const std::string& part :
                 wrap(line, say.width() > 20 ? std::min<std::size_t>(100, say.width() - 6) : 100))
                out += "      " + part + "\n";
    } else {
        say.line(out, 4, say.labelled(say("program.on", {{"model", model.name}}), least));
    }
    if (!u.unpredicted.empty()) say.line(out, 4, say.carried(safe(u.unpredicted)) + "; " + say("program.its_bound"));
}

/// "grid 64, block 16x16, 2 launches"
std::string launches_of(const Say& say, const KernelUse& u) {
    return say(u.times.calls == 1 ? "program.shape_one" : "program.shape",
               {{"g", Figure{extent(u.grid)}}, {"b", Figure{extent(u.block)}}, {"n", figure_of(u.times.calls)}});
}

/// "  grid 64, block 16x16, 2 launches; figures are those of an average one"
void shape(std::string& out, const Say& say, const KernelUse& u, const Profile& p) {
    std::string text = launches_of(say, u);
    const auto shown = p.measured() ? u.counted : u.times.calls;
    if (p.measured() && u.counted && u.counted < u.times.calls)
        text += "; " + say(u.counted > 1 ? "program.figures.some_averaged" : "program.figures.some",
                           {{"n", figure_of(u.counted)}});
    else if (!p.measured() || u.counted)
        text += std::string("; ") + say(shown <= 1 ? "program.figures.it" : "program.figures.average");
    say.line(out, 2, text);
    if (u.apart) say.line(out, 4, say("program.apart", {{"n", figure_of(u.apart)}}));
}

/// A line of source that costs: its share, its text, and where warps stood.
void costly(std::string& out, const Say& say, const KernelSummary& k, const CostlyLine& l, const SourceText& source) {
    constexpr std::size_t kIndent = 11;
    const auto slash = l.file.rfind('/');
    // Where the line is broken, blanks become one: those before the code hold the columns.
    constexpr std::string_view kHeld = "\u00a0";
    std::string text = fmt::format("{:3.0f} %  {}:{}", 100 * l.share,
                                   slash == std::string::npos ? l.file : l.file.substr(slash + 1), l.line);
    for (std::size_t at = 0; (at = text.find(' ', at)) != std::string::npos;) text.replace(at, 1, kHeld);
    if (auto code = source ? source(l.file, l.line) : std::nullopt)
        if (const auto from = code->find_first_not_of(" \t"); from != std::string::npos)
            text += fmt::format("{} {}", kHeld, safe(code->substr(from)));
    // A long line goes on below it.
    constexpr std::size_t kWide = 110;
    const Say narrow(say.words(), say.width() ? std::min(say.width(), kWide) : kWide);
    std::string lines;
    narrow.line(lines, 4, text, kIndent - 2);
    for (std::size_t at = 0; (at = lines.find(kHeld, at)) != std::string::npos;) lines.replace(at, kHeld.size(), " ");
    out += lines;
    if (const std::string stood = k.use->predicted ? line_stalls(*k.use->predicted, l.file, l.line, say.words()) : "";
        !stood.empty())
        narrow.line(out, kIndent, say("prediction.stood_here") + " " + stood, 0);
}

/// "on a100: 12.3us (+40 %), first bank conflicts" for each other model on which the program ran.
void on_models(std::string& out, const Say& say, const KernelUse& u) {
    for (const profile::OnModel& m : u.models) {
        const std::string on = say("program.on", {{"model", safe(m.model)}});
        if (!m.why.empty()) {
            say.line(out, 4, say.labelled(on, say.carried(safe(m.why))));
            continue;
        }
        std::string text = say.time(m.seconds);
        if (!m.predicted) text += " [" + say.name("bound") + "]";
        if (const double now = u.times.average(); now > 0) {
            const double ratio = m.seconds / now;
            text += " (" +
                    say.figure(ratio < 2 ? fmt::format("{:+.0f} %", 100 * (ratio - 1)) : "\u00d7 " + plain(ratio)) +
                    ")";
        }
        if (!m.causes.empty()) text += "; " + say.render(record::title_text(m.causes.front()));
        say.line(out, 4, say.labelled(on, text));
    }
}

void page(std::string& out, const Say& say, const KernelSummary& k, const Profile& p, const arch::DeviceModel& model,
          const SourceText& source) {
    const auto& u = *k.use;
    out += "\n";
    say.line(out, 0, safe(k.name));
    shape(out, say, u, p);
    if (!u.counted) return say.line(out, 4, say("program.nothing_counted"));
    sampled(out, say, u);
    const unsigned line = arch::transaction_bytes(model.coalescing);
    requests(out, say, k.average, line > 32 && !p.measured() ? line : 0);
    if (line > 32 && !p.measured())
        say.line(out, 4, say("program.lines_moved", {{"b", figure_of(line)}, {"model", model.name}}));
    if (p.measured()) return hardware(out, say, k, p, model);
    divergence(out, say, k.average);
    say.line(out, 4,
             say("program.occupancy.limited",
                 {{"x", Figure{fmt::format("{:.0f}", 100 * k.occupancy.fraction)}}, {"limiter", limiter_of(k)}}) +
                 " (" + registers_of(say, u, k.occupancy.registers_source) + "); " +
                 say("program.waves", {{"w", Figure{plain(k.occupancy.waves)}}}));
    say.line(out, 4,
             k.intensity.per_byte ? say("program.intensity", {{"x", Figure{short_number(*k.intensity.per_byte)}}})
                                  : say("program.no_flops"));
    if (k.average[record::Count::mix_memory] == 0) say.line(out, 4, say("program.no_memory"));
    time_of(out, say, k, model);
    on_models(out, say, u);
    held_back(out, say, k);
    const auto lines = costly_lines(k, 3);
    if (lines.empty()) return say.line(out, 4, "(" + say("program.no_lines") + ")");
    for (const auto& l : lines) {
        if (l.share < 0.005 && &l != &lines.front()) break;  // of no weight
        costly(out, say, k, l, source);
    }
}

/// The counts that were asked for and what is derived from them, over all launches, in the order of the tables.
std::string chosen_metrics(const Say& say, const KernelSummary& k, const Profile& p,
                           const std::vector<std::string>& wanted) {
    std::string out;
    const auto& c = k.use->counts;
    const auto add = [&](std::string_view key, const record::Metric& metric, const std::string& text) {
        if (std::find(wanted.begin(), wanted.end(), key) == wanted.end()) return;
        const bool known = p.knows(metric) && (k.use->counted || !p.measured());
        out += fmt::format("    {:<34}{:>18}\n", key, known ? text : say("program.not_known"));
    };
    for (const auto& name : record::count_names()) add(name.key, name.count, grouped(c[name.count]));
    for (unsigned i = 0; i < record::kDerived; ++i) {
        const auto derived = static_cast<Derived>(i);
        const auto quotient = value(c, derived);
        add(info(derived).key, derived,
            is_sum(derived) ? grouped(total(c, derived))
            : quotient      ? fmt::format("{:.6g}", *quotient)
                            : say("program.none"));
    }
    for (const record::FigureInfo& f : record::figures()) {
        const std::string key = std::string(kPredictedMetric) + std::string(f.key);
        if (std::find(wanted.begin(), wanted.end(), key) == wanted.end()) continue;
        const auto value = k.use->predicted ? *k.use->predicted.*f.value : std::nullopt;
        out += fmt::format("    {:<34}{:>18}  {}\n", key,
                           value ? fmt::format("{:.6g}", *value) : say("program.not_known"), f.unit);
    }
    return out;
}

/// The chosen metrics of every kernel, and nothing else.
std::string metrics_text(const Say& say, const std::vector<KernelSummary>& kernels, const Profile& p,
                         const Selection& selection) {
    std::string out;
    for (const auto& k : kernels) {
        say.line(out, 0, safe(k.name) + "  " + launches_of(say, *k.use));
        out += chosen_metrics(say, k, p, selection.metrics);
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

std::vector<Row> api_calls(const Say& say, const Profile& p) {
    std::vector<Row> calls;
    for (const auto& c : p.calls)
        if (c.times.calls)
            calls.push_back(
                {c.times.total, c.times,
                 c.name + (c.failed ? " (" + say("program.failed", {{"n", figure_of(c.failed)}}) + ")" : "")});
    return calls;
}

/// What the tables' times are, measured or predicted.
void times_note(std::string& out, const Say& say, const Profile& p, const arch::DeviceModel& model) {
    say.line(out, 0,
             say("program.profiling_result") + " " +
                 (p.measured() ? say("program.times.measured", {{"device", safe(p.device)}})
                               : say("program.times.activities_" + times_word(p), {{"model", model.name}})),
             0);
    if (p.host_clock == "modelled" || p.host_clock == "real")
        say.line(out, 0, say("program.host_clock." + p.host_clock), 0);
    if (p.replayed)
        say.line(out, 0, say("program.replayed", {{"n", figure_of(p.replayed)}, {"m", figure_of(p.passes)}}), 0);
}

}  // namespace

std::string program_text(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source, const Words& words, std::size_t width) {
    const Say say(words, width);
    std::string out;
    auto kernels = summarise(p, model, selection);
    for (const auto& n : p.notes) say.line(out, 0, say.carried(safe(n)), 0);
    if (p.emulator) emulator_time(out, say, *p.emulator, p.host_seconds, source);
    if (!selection.metrics.empty()) return out + metrics_text(say, kernels, p, selection);
    const std::vector<Row> activities = gpu_activities(kernels, p, selection);
    if (activities.empty()) {
        out += say("program.nothing_launched") + "\n";
    } else {
        times_note(out, say, p, model);
        heading(out, say);
        table(out, say, kActivities, activities);
    }
    if (selection.kernel.empty()) {
        const std::vector<Row> calls = api_calls(say, p);
        if (activities.empty() && !calls.empty()) heading(out, say);
        table(out, say, kCalls, calls);
    }
    if (selection.kernel.empty() && !p.causes.empty()) {
        out += "\n";
        causes_below(out, say, p.causes, say("cause.heading_program"), 0);
    }
    std::size_t shown = 0;
    for (const auto& k : kernels) {
        if (shown++ == selection.most) {
            out += "\n";
            say.line(out, 0, say("program.more_kernels", {{"n", figure_of(kernels.size() - selection.most)}}));
            break;
        }
        page(out, say, k, p, model, source);
    }
    for (const auto& f : p.faults) {
        out += "\n";
        say.line(out, 0,
                 say.labelled(say("program.ended_by_error", {{"name", safe(demangle(f.kernel))}}), safe(f.text)));
    }
    return out;
}

}  // namespace warpwright::report
