// Assess, parallelise, optimise, deploy: from a program's profile to what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/phases.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/page_parts.hpp"
#include "support/read_file.hpp"

namespace warpwright::lab {
namespace {

using record::Basis;
using record::Count;

/// What the counts of a phase say is wasted, most first.
struct Finding {
    std::string key;   ///< "coalescing", "banks", "divergence", "occupancy", "copies"
    double waste = 0;  ///< share of the resource that did nothing useful
};

class Apod {
public:
    Apod(Program program) : program_(std::move(program)) {}

    Result<record::Page> run(const std::string& input) {
        page_ = page_of("apod", {"000"});
        std::stable_sort(program_.phases.begin(), program_.phases.end(),
                         [](const Phase& a, const Phase& b) { return a.seconds > b.seconds; });
        for (const Phase& p : program_.phases) all_ += p.seconds;
        assess();
        parallelise();
        optimise();
        deploy();
        page_.repeat = {"warpwright run --json profile.json ./program",
                        "warpwright lab apod --input " + (input.empty() ? "profile.json" : input)};
        return std::move(page_);
    }

private:
    double share(const Phase& p) const { return p.seconds / all_; }

    void assess() {
        record::Section section{
            message("apod.assess.heading"),
            {text_of(message(program_.basis == Basis::quoted ? "apod.assess.quoted" : "apod.assess.text",
                             {{"program", program_.title}}))}};
        record::Table t;
        t.id = "phases";
        t.title = message("apod.assess.table");
        t.columns = {{message("apod.column.phase")},
                     {message("apod.column.time"), "s", program_.basis},
                     {message("apod.column.share"), "%", program_.basis, 3, true},
                     {message("apod.column.running"), "%", program_.basis},
                     {message("apod.column.parallel"), "%", Basis::computed}};
        record::Plot plot;
        plot.id = "shares";
        plot.title = message("apod.assess.plot");
        plot.kind = record::Plot::Kind::bar;
        plot.x_label = message("apod.column.phase");
        plot.y_label = message("apod.column.share") + ", %";
        record::Series series{message("apod.column.share"), {}, {}, {}, program_.basis};
        double running = 0;
        for (const Phase& p : program_.phases) {
            if (running < 0.8) ++hot_;
            running += share(p);
            t.rows.push_back({p.name, p.seconds, 100 * share(p), 100 * running, 100 * p.parallel});
            if (plot.categories.size() >= 12) continue;
            series.x.push_back(static_cast<double>(plot.categories.size()));
            series.y.push_back(100 * share(p));
            plot.categories.push_back(p.name);
        }
        plot.series.push_back(std::move(series));
        section.blocks.push_back(std::move(t));
        section.blocks.push_back(std::move(plot));
        page_.sections.push_back(std::move(section));
        page_.conclusions.push_back(message(hot_ == 1 ? "apod.conclusion.hot" : "apod.conclusion.several",
                                            {{"phase", program_.phases.front().name},
                                             {"share", 100 * share(program_.phases.front())},
                                             {"count", static_cast<std::int64_t>(hot_)},
                                             {"of", static_cast<std::int64_t>(program_.phases.size())}}));
    }

    void parallelise() {
        record::Section section{message("apod.parallelise.heading"), {text_of(message("apod.parallelise.text"))}};
        double parallel = 0;
        for (const Phase& p : program_.phases) parallel += share(p) * p.parallel;
        record::Plot plot;
        plot.id = "amdahl";
        plot.title = message("apod.amdahl.plot");
        plot.x_label = message("apod.amdahl.workers");
        plot.y_label = message("apod.amdahl.speedup");
        plot.x_log = true;
        const auto curve = [&](const Text& name, double p) {
            record::Series s{name, {}, {}, {}, Basis::computed};
            for (int e = 0; e <= 14; ++e) {
                s.x.push_back(std::ldexp(1, e));
                s.y.push_back(amdahl(p, std::ldexp(1, e)));
            }
            plot.series.push_back(std::move(s));
        };
        const Phase& first = program_.phases.front();
        curve(message("apod.amdahl.one", {{"phase", first.name}, {"share", 100 * share(first) * first.parallel}}),
              share(first) * first.parallel);
        if (program_.phases.size() > 1) curve(message("apod.amdahl.all", {{"share", 100 * parallel}}), parallel);
        section.blocks.push_back(std::move(plot));

        record::Table t;
        t.id = "worth";
        t.title = message("apod.worth.table");
        t.columns = {{message("apod.column.phase")},
                     {message("apod.worth.ten"), "", Basis::computed},
                     {message("apod.worth.hundred"), "", Basis::computed},
                     {message("apod.worth.limit"), "", Basis::computed, 3, true},
                     {message("apod.worth.library")}};
        for (const Phase& p : program_.phases) {
            const double part = share(p) * p.parallel;
            const std::string library = library_for(p);
            t.rows.push_back(
                {p.name, amdahl(part, 10), amdahl(part, 100), number(amdahl(part, INFINITY)),
                 library.empty() ? message(p.copy ? "apod.worth.copy" : "apod.worth.none") : Text(library)});
        }
        t.caption = message("apod.worth.caption");
        section.blocks.push_back(std::move(t));
        page_.sections.push_back(std::move(section));

        const double limit = amdahl(parallel, INFINITY);
        page_.conclusions.push_back(message(std::isinf(limit) ? "apod.conclusion.all" : "apod.conclusion.limit",
                                            {{"share", 100 * parallel}, {"limit", std::isinf(limit) ? 0.0 : limit}}));
        for (const Phase& p : program_.phases)
            if (const std::string library = library_for(p); !library.empty()) {
                page_.recommendations.push_back(
                    message("apod.recommendation.library", {{"phase", p.name}, {"library", library}}));
                break;
            }
    }

    static std::vector<Finding> findings(const Phase& p) {
        std::vector<Finding> out;
        if (p.copy) return {{"copies", 1}};
        if (!p.counts) return out;
        const record::Counts& c = *p.counts;
        const auto of = [&](Count k) { return static_cast<double>(c[k]); };
        const double sectors = of(Count::global_load_sectors) + of(Count::global_store_sectors);
        if (const double bytes = 32 * sectors; bytes > 0 && of(Count::global_bytes_requested) < bytes)
            out.push_back({"coalescing", 1 - of(Count::global_bytes_requested) / bytes});
        const double waves = of(Count::shared_load_wavefronts) + of(Count::shared_store_wavefronts);
        const double excess = of(Count::shared_load_excess_wavefronts) + of(Count::shared_store_excess_wavefronts);
        if (waves > 0 && excess > 0) out.push_back({"banks", excess / waves});
        if (const double lanes = 32 * of(Count::instructions); lanes > 0)
            out.push_back({"divergence", 1 - of(Count::thread_instructions) / lanes});
        if (p.occupancy) out.push_back({"occupancy", 1 - *p.occupancy});
        std::sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) { return a.waste > b.waste; });
        while (!out.empty() && out.back().waste < 0.1) out.pop_back();
        return out;
    }

    void optimise() {
        record::Section section{message("apod.optimise.heading"), {text_of(message("apod.optimise.text"))}};
        record::Table t;
        t.id = "next";
        t.title = message("apod.optimise.table");
        t.columns = {{message("apod.column.phase")},
                     {message("apod.column.share"), "%", program_.basis},
                     {message("apod.optimise.binds")},
                     {message("apod.optimise.waste")},
                     {message("apod.optimise.wasted"), "%", Basis::counted},
                     {message("apod.optimise.do")}};
        const Finding* worst = nullptr;
        std::string phase;
        std::vector<std::vector<Finding>> all;
        for (const Phase& p : program_.phases) all.push_back(findings(p));
        for (std::size_t i = 0; i < program_.phases.size(); ++i) {
            const Phase& p = program_.phases[i];
            for (const Finding& f : all[i]) {
                t.rows.push_back(
                    {p.name, 100 * share(p), p.binds.empty() ? record::Scalar{} : record::Scalar{name_text(p.binds)},
                     message("apod.finding." + f.key), p.copy ? record::Scalar{} : record::Scalar{100 * f.waste},
                     message("apod.do." + f.key)});
                if (!worst) worst = &f, phase = p.name;
            }
        }
        if (t.rows.empty())
            section.blocks.push_back(note_of(message("apod.optimise.nothing")));
        else
            section.blocks.push_back(std::move(t));
        page_.sections.push_back(std::move(section));
        if (worst)
            page_.recommendations.push_back(
                message("apod.recommendation.next", {{"phase", phase},
                                                     {"finding", message("apod.finding." + worst->key)},
                                                     {"do", message("apod.do." + worst->key)}}));
    }

    void deploy() {
        record::Section section{message("apod.deploy.heading"), {}};
        for (const char* key : {"apod.deploy.check", "apod.deploy.measure", "apod.deploy.again"})
            section.blocks.push_back(text_of(message(key)));
        page_.sections.push_back(std::move(section));
    }

    Program program_;
    record::Page page_;
    double all_ = 0;
    std::size_t hot_ = 0;  ///< phases that make up 80 % of the time
};

}  // namespace

namespace pages {
Result<record::Page> apod(const Context& context, const Choices& choices) {
    if (!choices.input) return Apod(program_of_text()).run("");
    auto text = read_file(*choices.input, file_limit::records);
    if (!text) return std::move(text).error();
    auto program = read_program(*text, *choices.input, context.model);
    if (!program) return std::move(program).error();
    return Apod(std::move(*program)).run(*choices.input);
}
}  // namespace pages

}  // namespace warpwright::lab
