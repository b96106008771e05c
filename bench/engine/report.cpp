#include "report.hpp"

#include "problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warpwright::bench {
namespace {

const Cell* cell(const Series& series, const std::string& problem, const std::string& backend) {
    for (const Row& row : series.rows) {
        if (row.problem != problem) continue;
        const auto found = row.cells.find(backend);
        if (found != row.cells.end() && found->second.error.empty() && found->second.warm.samples > 0)
            return &found->second;
    }
    return nullptr;
}

/// How many times as fast as `other` `backend` is; 0 when either has no figure.
double ratio(const Series& series, const std::string& problem, const std::string& other, const std::string& backend) {
    const Cell* a = cell(series, problem, other);
    const Cell* b = cell(series, problem, backend);
    return a && b ? a->warm.median / b->warm.median : 0;
}

Figure target(const std::string& name, double value, double limit, const std::string& unit) {
    Figure figure{name, unit, value, limit, true, ""};
    if (value == 0) figure.error = "no figure";
    return figure;
}

std::string milliseconds(const Cell* c) { return c ? fmt::format("{:.3f}", c->warm.median * 1e3) : "-"; }

std::string times(double value) { return value > 0 ? fmt::format("{:.2f}x", value) : "-"; }

bool was_measured(const Series& series, const std::string& backend) {
    return std::ranges::any_of(series.rows, [&](const Row& row) { return row.cells.contains(backend); });
}

/// What a problem takes on one core at least so that more cores are held to a speed-up, in seconds.
constexpr double kLarger = 0.02;

/// Many cores against one, of the larger problems.
void add_speed_ups(const Report& report, std::vector<Figure>& targets) {
    const auto one = std::ranges::find(report.series, 1u, &Series::cores);
    if (one == report.series.end()) return;
    for (const Series& s : report.series) {
        if (s.cores <= 2) continue;
        for (const std::string backend : {"counted", "uncounted"})
            for (const Row& row : s.rows) {
                const Cell *a = cell(*one, row.problem, backend), *b = cell(s, row.problem, backend);
                if (!a || !b || a->warm.median < kLarger) continue;
                targets.push_back(target(fmt::format("{}, {}, {} cores over 1", row.problem, backend, s.cores),
                                         a->warm.median / b->warm.median,
                                         s.cores == 64   ? 40
                                         : s.cores == 16 ? 13
                                                         : 0,
                                         "x"));
            }
    }
}

}  // namespace

void add_targets(Report& report) {
    std::vector<Figure> targets;
    add_speed_ups(report, targets);
    for (const Series& s : report.series) {
        const std::string on = fmt::format(", {} core{}", s.cores, s.cores == 1 ? "" : "s");
        if (s.cores == 1 && was_measured(s, "plain"))
            targets.push_back(target("naive matmul 512, against C++ with OpenMP" + on,
                                     ratio(s, "naive matmul 512", "plain", "counted"), 3, "x"));
        for (const auto& [problem, limit] : {std::pair{"naive matmul 512", 3.0}, std::pair{"tiled matmul 512", 2.0},
                                             std::pair{"int32 sum of 2^22", 1.0}})
            if (was_measured(s, "pocl"))
                targets.push_back(
                    target(problem + (", against PoCL" + on), ratio(s, problem, "pocl", "counted"), limit, "x"));
        const auto add_all = [&](const std::string& backend, const std::string& name, double mean, double slowest) {
            std::vector<double> ratios;
            for (const Row& row : s.rows)
                if (backend != "pocl" || make_problem(row.problem).opencl)
                    ratios.push_back(ratio(s, row.problem, backend, "counted"));
            // A mean over a part of the list would flatter.
            const bool complete = !ratios.empty() && std::ranges::all_of(ratios, [](double r) { return r > 0; });
            targets.push_back(target("geometric mean of the list, against " + name + on,
                                     complete ? geometric_mean(ratios) : 0, mean, "x"));
            targets.push_back(target("slowest of the list, against " + name + on,
                                     complete ? *std::ranges::min_element(ratios) : 0, slowest, "x"));
        };
        if (was_measured(s, "pocl")) add_all("pocl", "PoCL", 10, 1);
        if (was_measured(s, "plain")) add_all("plain", "C++ with OpenMP", 2, 0.5);
        if (s.cores == 2) {
            for (const Row& row : s.rows) {
                if (row.problem.find("matmul") == std::string::npos) continue;
                const Cell* c = cell(s, row.problem, "counted");
                targets.push_back(target(row.problem + on, c ? c->thread_instructions / c->warm.median * 1e-9 : 0, 10,
                                         "G thread-instructions/s"));
            }
        }
    }
    report.figures.insert(report.figures.begin(), targets.begin(), targets.end());
}

void print_table(std::ostream& out, const Report& report) {
    out << report.machine << "\nload average before: " << report.load_before << ", after: " << report.load_after
        << "\n";
    for (const Series& s : report.series) {
        out << fmt::format(
            "\n{} core{}; milliseconds, warm, medians; counted = all counters on; far = best over bound\n", s.cores,
            s.cores == 1 ? "" : "s");
        out << fmt::format("{:<18}{:>9}{:>9}{:>9}{:>10}{:>10}{:>8}{:>8}{:>9}{:>7}  {:<13}{:>10}{:>10}{:>7}\n", "",
                           "OpenMP", "PoCL", "counted", "uncounted", "vs OpenMP", "vs PoCL", "G ti/s", "bound", "far",
                           "held by", "cold PoCL", "cold ours", "spread");
        for (const Row& row : s.rows) {
            const Cell* ours = cell(s, row.problem, "counted");
            const Cell* pocl = cell(s, row.problem, "pocl");
            double spread = 0;
            for (const auto& [name, c] : row.cells) spread = std::max(spread, c.warm.spread);
            out << fmt::format(
                "{:<18}{:>9}{:>9}{:>9}{:>10}{:>10}{:>8}{:>8}{:>9.3f}{:>7}  {:<13}{:>10}{:>10}{:>6.0f}%\n", row.problem,
                milliseconds(cell(s, row.problem, "plain")), milliseconds(pocl), milliseconds(ours),
                milliseconds(cell(s, row.problem, "uncounted")), times(ratio(s, row.problem, "plain", "counted")),
                times(ratio(s, row.problem, "pocl", "counted")),
                ours ? fmt::format("{:.2f}", ours->thread_instructions / ours->warm.median * 1e-9) : "-",
                row.bound.seconds * 1e3,
                ours && row.bound.seconds > 0 ? fmt::format("{:.1f}x", ours->warm.best / row.bound.seconds) : "-",
                row.bound.by, pocl ? fmt::format("{:.1f}", pocl->cold * 1e3) : "-",
                ours ? fmt::format("{:.1f}", ours->cold * 1e3) : "-", spread * 100);
        }
        for (const Row& row : s.rows)
            for (const auto& [name, c] : row.cells)
                if (!c.error.empty()) out << fmt::format("  {} on {}: {}\n", row.problem, name, c.error);
    }
    out << "\nG ti/s: thread-instructions per second, counted (10^9). spread: the widest quartile distance over its "
           "median.\n\n";
    for (const Figure& f : report.figures) {
        const std::string value = f.error.empty() ? fmt::format("{:.3g} {}", f.value, f.unit) : f.error;
        const std::string limit =
            f.limit == 0 ? "" : fmt::format("{} {:g} {}", f.at_least ? "at least" : "at most", f.limit, f.unit);
        out << fmt::format("{:<7}{:<58} {:<34} {}\n",
                           f.limit == 0 ? ""
                           : f.held()   ? "held"
                                        : "MISSED",
                           f.name, value, limit);
    }
}

std::string to_json(const Report& report) {
    nlohmann::ordered_json root;
    root["schema"] = 1;
    root["environment"] = {
        {"machine", report.machine}, {"load_before", report.load_before}, {"load_after", report.load_after}};
    auto& records = root["records"] = nlohmann::ordered_json::array();
    for (const Series& s : report.series) {
        for (const Row& row : s.rows) {
            for (const auto& [name, c] : row.cells) {
                nlohmann::ordered_json record{{"experiment", row.problem}, {"backend", name}, {"cores", s.cores}};
                if (row.bound.seconds > 0) record["bound"] = {{"seconds", row.bound.seconds}, {"by", row.bound.by}};
                record["error"] = c.error.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(c.error);
                if (c.warm.samples > 0) {
                    record["time"] = {{"median_s", c.warm.median},
                                      {"min_s", c.warm.best},
                                      {"spread", c.warm.spread},
                                      {"samples", c.warm.samples},
                                      {"processor_min_s", c.processor}};
                    record["cold_s"] = c.cold;
                }
                if (c.thread_instructions > 0) record["thread_instructions"] = c.thread_instructions;
                records.push_back(std::move(record));
            }
        }
    }
    auto& figures = root["figures"] = nlohmann::ordered_json::array();
    for (const Figure& f : report.figures) {
        nlohmann::ordered_json figure{{"name", f.name}, {"unit", f.unit}};
        if (f.error.empty())
            figure["value"] = f.value;
        else
            figure["error"] = f.error;
        if (f.limit != 0) {
            figure[f.at_least ? "at_least" : "at_most"] = f.limit;
            figure["held"] = f.held();
        }
        figures.push_back(std::move(figure));
    }
    return root.dump(2);
}

}  // namespace warpwright::bench
