// warpwright history and warpwright compare: what was stored, and two stored runs side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/commands/compared_run.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/profile_page.hpp"
#include "cli/commands/session.hpp"
#include "cli/options/argument_words.hpp"
#include "report/format.hpp"
#include "report/layout.hpp"
#include "store/compare.hpp"
#include "store/compare_ci.hpp"
#include "store/store.hpp"
#include "text/counted.hpp"

namespace warpwright::cli {

namespace {

using report::Cell;
using report::Style;

struct HistoryOptions {
    std::string db, experiment, show, remove;
    std::uint64_t limit = 20;
    double timeout = 0;
    std::optional<std::string> json;
};

struct ResultsOptions {
    std::string db, a, b, fail_on;
    std::vector<std::string> experiments, rungs, axes;
    double least = 0, timeout = 0;
    bool all = false;
    std::optional<std::string> json, junit, markdown, html;
};

CLI::Option* add_json(CLI::App& command, std::optional<std::string>& json, const std::string& help) {
    return command.add_option("--json", json, help)->type_name("[FILE]")->expected(0, 1)->default_str("-");
}

void add_timeout(CLI::App& command, double& timeout) {
    command.add_option("--timeout", timeout, "seconds that the database may take; 0 = its own limit")
        ->check(CLI::NonNegativeNumber)
        ->type_name("S");
}

int history(const HistoryOptions& o, Console& console) {
    auto opened = open_results(o.db, console, o.timeout);
    if (!opened) return console.fail(opened.error());
    if (!o.remove.empty()) {
        auto run = opened->find(o.remove, o.experiment);
        if (!run) return console.fail(run.error());
        if (auto ok = opened->remove(run->id); !ok) return console.fail(ok.error());
        console.note(fmt::format("run {} is removed", run->id));
        return 0;
    }
    if (!o.show.empty() || o.json) {
        auto run = opened->find(o.show.empty() ? "last" : o.show, o.experiment);
        if (!run) return console.fail(run.error());
        auto set = opened->load(run->id);
        if (!set) return console.fail(set.error());
        if (o.json) {
            if (auto ok = write_or_print(o.json->empty() ? "-" : *o.json, report::json(*set), console); !ok)
                return console.fail(ok.error());
            return 0;
        }
        console.out(report::table(*set, {console.color(), console.unicode(), console.width(), {}, false, false}));
        return 0;
    }
    auto runs = opened->runs(o.experiment, o.limit);
    if (!runs) return console.fail(runs.error());
    if (runs->empty()) {
        console.note(o.experiment.empty() ? "nothing is stored yet"
                                          : "nothing of '" + o.experiment + "' is stored yet");
        return 0;
    }
    report::Layout layout;
    layout.columns = {{"run", ""},
                      {"date", "", true},
                      {"label", "", true, 20},
                      {"experiments", "", true, 30, console.width() > 0},
                      {"device", "", true},
                      {"records", ""},
                      {"", "", true},
                      {"command", "", true, console.width() == 0 ? 60u : 0u}};
    for (const store::Run& r : *runs) {
        const auto cell = [](std::string text, Style style = Style::normal) { return Cell{report::safe(text), style}; };
        layout.rows.push_back({cell(std::to_string(r.id), Style::bold), cell(r.date), cell(r.label),
                               cell(fmt::format("{}", fmt::join(r.experiments, ", "))), cell(r.device),
                               cell(report::grouped(r.records)),
                               r.complete ? cell("") : cell("not complete", Style::warn), cell(r.command, Style::dim)});
    }
    console.out(report::in_parts(layout, console.width(), console.color(), console.unicode()));
    return 0;
}

std::string axes_text(const std::vector<record::Axis>& axes) {
    std::string out;
    for (const record::Axis& axis : axes) out += (out.empty() ? "" : " ") + axis.name + "=" + axis.text();
    return out;
}

Style style_of(store::Verdict v) {
    switch (v) {
        case store::Verdict::faster:
        case store::Verdict::mended:
            return Style::good;
        case store::Verdict::slower:
        case store::Verdict::broken:
            return Style::bad;
        case store::Verdict::same:
            return Style::dim;
        default:
            return Style::warn;
    }
}

/// Of the experiments that only one of the two runs has: how many points.
class OneSided {
public:
    explicit OneSided(const std::vector<store::Difference>& differences) {
        for (const store::Difference& d : differences) {
            Points& p = points_[d.experiment];
            ++(d.verdict == store::Verdict::only_a ? p.a : d.verdict == store::Verdict::only_b ? p.b : p.both);
        }
    }
    bool has(const std::string& experiment) const {
        const Points& p = points_.at(experiment);
        return p.both == 0 && (p.a == 0 || p.b == 0);
    }
    std::string text() const {
        std::string a, b;
        for (const auto& [experiment, p] : points_) {
            if (!has(experiment)) continue;
            std::string& side = p.a ? a : b;
            side += fmt::format("{}{} ({})", side.empty() ? "" : ", ", report::safe(experiment), p.a + p.b);
        }
        return (a.empty() ? "" : "Experiments that only A has (points): " + a + "\n") +
               (b.empty() ? "" : "Experiments that only B has (points): " + b + "\n");
    }

private:
    struct Points {
        std::size_t a = 0, b = 0, both = 0;
    };
    std::map<std::string, Points> points_;
};

std::string difference_table(const std::vector<store::Difference>& differences, bool all, Console& console) {
    report::Layout layout;
    layout.columns = {{"experiment", "", true},
                      {"rung", "", true, 28},
                      {"point", "", true, 40},
                      {"device", "", true},
                      {"A", ""},
                      {"B", ""},
                      {"A/B", ""},
                      {"noise", ""},
                      {"", "", true}};
    std::string counts;
    constexpr auto kBoth = "  {:<32} {:>18} -> {:>18}\n";
    const OneSided one_sided(differences);
    for (const store::Difference& d : differences) {
        if (!all && (d.verdict == store::Verdict::same || one_sided.has(d.experiment))) continue;
        const auto cell = [](std::string text, Style style = Style::normal) { return Cell{report::safe(text), style}; };
        const auto time = [&](const std::optional<double>& s) {
            return s ? cell((d.bound       ? "bound "
                             : d.predicted ? "~"
                                           : "") +
                            report::seconds(*s, console.unicode()))
                     : Cell{};
        };
        layout.rows.push_back({cell(d.experiment), cell(d.name, Style::bold), cell(axes_text(d.axes)), cell(d.device),
                               time(d.a_s), time(d.b_s), d.ratio ? cell(fmt::format("{:.3f}", *d.ratio)) : Cell{},
                               d.ratio && !d.predicted ? cell(report::percent(d.noise)) : Cell{},
                               cell(std::string(verdict_name(d.verdict)) + (d.remark.empty() ? "" : ": " + d.remark),
                                    style_of(d.verdict))});
        if (d.counts.empty() && !d.launches_differ() && !d.causes_differ()) continue;
        counts += fmt::format("{} {} {}\n", d.experiment, d.name, axes_text(d.axes));
        if (d.launches_differ()) counts += fmt::format(kBoth, "launches", d.a_launches, d.b_launches);
        if (d.causes_differ()) counts += fmt::format(kBoth, "held back by", d.a_cause, d.b_cause);
        for (const store::CountDifference& c : d.counts)
            counts += fmt::format(kBoth, record::count_key(c.count), report::grouped(c.a), report::grouped(c.b));
    }
    std::string out =
        layout.rows.empty() ? "" : report::in_parts(layout, console.width(), console.color(), console.unicode());
    if (!counts.empty()) out += "\nCounts that differ, and what else\n" + counts;
    return all ? out : out + one_sided.text();
}

/// The table, the points by verdict, and findings that only one of the two has.
std::string text_of(const store::Comparison& c, bool all, Console& console) {
    std::size_t count[store::kVerdicts] = {};
    for (const store::Difference& d : c.differences) ++count[static_cast<std::size_t>(d.verdict)];
    const std::string table = difference_table(c.differences, all, console);
    std::string sum;
    for (std::size_t v = 0; v < store::kVerdicts; ++v)
        if (count[v])
            sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", count[v], store::verdict_name(store::Verdict(v)));
    std::string out =
        table + fmt::format("{}{}: {}\n", table.empty() ? "" : "\n", counted(c.differences.size(), "points"), sum);
    for (const std::string& one : c.new_findings) out += "found in B alone: " + report::safe(one) + "\n";
    for (const std::string& one : c.gone_findings) out += "found in A alone: " + report::safe(one) + "\n";
    return out;
}

Result<void> write_files(const ResultsOptions& o, const store::Comparison& c, const store::FailOn& on,
                         const store::Gate& gate, Console& console) {
    const auto write = [&](const std::optional<std::string>& file, const auto& text) -> Result<void> {
        return file ? write_or_print(file->empty() ? "-" : *file, text(), console) : Result<void>{};
    };
    if (auto ok = write(o.json, [&] { return to_json(c); }); !ok) return ok;
    if (auto ok = write(o.junit, [&] { return to_junit(c, on, gate); }); !ok) return ok;
    return write(o.markdown, [&] { return to_markdown(c, gate, o.a, o.b); });
}

int compare_runs(const ResultsOptions& o, Console& console) {
    store::FailOn on;
    if (!o.fail_on.empty()) {
        auto parsed = store::parse_fail_on(o.fail_on);
        if (!parsed) return console.fail(parsed.error());
        on = *parsed;
    }
    store::CompareOptions options;
    options.experiments = split_list(o.experiments);
    options.names = split_list(o.rungs);
    options.least = o.least / 100;
    auto axes = parse_axes(o.axes);
    if (!axes) return console.fail(axes.error());
    for (const auto& [name, values] : *axes) {
        if (values.size() != 1)
            return console.fail(
                Error{ErrorKind::usage, "--axis " + name + ": one value is compared at a time", Location{}, ""});
        options.axes.push_back({name, values.front()});
    }
    if (auto ok = check_writable({o.json, o.junit, o.markdown, o.html}); !ok) return console.fail(ok.error());
    if (o.html)
        if (auto ok = write_compared_page(o.a, o.b, *o.html, console); !ok) return console.fail(ok.error());
    std::optional<store::Store> opened;
    auto a = compared_run(o.a, opened, o.db, console, o.timeout);
    if (!a) return console.fail(a.error());
    auto b = compared_run(o.b, opened, o.db, console, o.timeout);
    if (!b) return console.fail(b.error());
    const auto all = store::compare(*a, *b, options);
    if (all.differences.empty())
        return console.fail(Error{ErrorKind::usage, "nothing to compare: neither run has such points", Location{},
                                  "`warpwright history --show RUN` lists a run's points"});
    const auto gate = store::judge(all, on, o.fail_on);
    if (auto ok = write_files(o, all, on, gate, console); !ok) return console.fail(ok.error());
    if (!o.json || (!o.json->empty() && *o.json != "-")) console.out(text_of(all, o.all, console));
    const auto one_sided = [](const store::Difference& d) {
        return d.verdict == store::Verdict::only_a || d.verdict == store::Verdict::only_b;
    };
    if (std::all_of(all.differences.begin(), all.differences.end(), one_sided))
        return console.fail(Error{ErrorKind::usage, "nothing to compare: the two have no point in common", Location{},
                                  "`warpwright history` lists the runs"});
    int code = 0;
    for (const std::string& reason : gate.reasons) code = console.fail(Error{ErrorKind::fault, reason, Location{}, ""});
    return code;
}

}  // namespace

Command add_history(CLI::App& app) {
    auto o = std::make_shared<HistoryOptions>();
    auto* command = app.add_subcommand("history", "stored runs: list them, show one, remove one");
    command->add_option("experiment", o->experiment, "only runs that have records of it");
    command->add_option("--db", o->db, "the database; without it: results.db in the user's data folder")
        ->type_name("FILE");
    command->add_option("--show", o->show, "the records of a run: its number, its label, last, last~1, ...")
        ->type_name("RUN");
    command->add_option("--remove", o->remove, "forget a run")->type_name("RUN");
    command->add_option("--limit", o->limit, "the newest so many; 0 = all")->type_name("N")->capture_default_str();
    add_timeout(*command, o->timeout);
    add_json(*command, o->json, "with --show (else of the last run): its records as JSON, to FILE or standard output");
    return {command, [o](Console& console) { return history(*o, console); }};
}

Command add_compare(CLI::App& app) {
    auto o = std::make_shared<ResultsOptions>();
    auto* command = app.add_subcommand("compare", "two stored runs, or JSON files, side by side; a gate for CI");
    command
        ->add_option("A", o->a,
                     "a run's number or label, last~1, or a file of records or of a program's profile (.json)")
        ->required();
    command->add_option("B", o->b, "the run to set against it")->required();
    command->add_option("--db", o->db, "the database; without it: results.db in the user's data folder")
        ->type_name("FILE");
    command->add_option("--experiment", o->experiments, "only these, patterns with * and ?")->type_name("NAME,...");
    command->add_option("--rung", o->rungs, "only these rungs or kernels, patterns with * and ?")->type_name("R,...");
    command->add_option("--axis", o->axes, "only points with this value: n=1024 (may be repeated)")
        ->type_name("NAME=V");
    command->add_option("--least", o->least, "a time that changes by fewer percent than this is taken for unchanged")
        ->check(CLI::NonNegativeNumber)
        ->type_name("PERCENT")
        ->capture_default_str();
    add_timeout(*command, o->timeout);
    command->add_flag("--all", o->all, "list the points that are the same as well");
    command
        ->add_option("--fail-on", o->fail_on,
                     "exit 1 where B is: slower, slower:5%, counts, causes, findings, missing, broken, any")
        ->type_name("WHAT,...");
    add_json(*command, o->json, "the differences as JSON, to FILE or standard output");
    command->add_option("--junit", o->junit, "a test for each point, as JUnit's XML")->type_name("FILE");
    command->add_option("--markdown", o->markdown, "what differs, as Markdown: for a step's summary, or a comment")
        ->type_name("FILE");
    command->add_option("--html", o->html, "of two profiles (run --json FILE): the page of B with A beside it")
        ->type_name("FILE");
    command->footer(
        "A point is slower or faster when its medians are further apart than three times the larger spread.\n"
        "Counts are compared exactly. Predicted times are marked ~ and never set against measured ones.");
    return {command, [o](Console& console) { return compare_runs(*o, console); }};
}

}  // namespace warpwright::cli
