// The sources of a ladder's rungs with what was counted for each line, and the sections that pages are put together of.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "lab/page/ladder_page.hpp"
#include "support/read_file.hpp"

namespace warpwright::lab {

using record::Count;
using record::Record;

namespace {

/// "kernels/matmul/05_tiled.cu": the folder's name and the file's, which a reader can find.
std::string known_name(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path file(path);
    return (file.parent_path().filename() / file.filename()).string();
}

/// A text of a ladder file, whose lines end where the file's do.
std::string one_line(const std::string& text) {
    std::string out;
    for (char c : text) {
        const char put = c == '\n' ? ' ' : c;
        if (put != ' ' || (!out.empty() && out.back() != ' ')) out += put;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

/// What stands beside the lines: instructions, and of memory what there is.
std::vector<Count> shown_counts(const std::vector<record::LineCounts>& lines) {
    std::vector<Count> out;
    for (Count count : {Count::instructions, Count::global_load_sectors, Count::global_store_sectors,
                        Count::shared_load_wavefronts, Count::shared_store_wavefronts, Count::divergent_branches})
        if (std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.counts[count] > 0; }))
            out.push_back(count);
    if (out.size() > 5) out.resize(5);
    return out;
}

}  // namespace

record::Listing source_listing(const std::string& path, Text title, std::string id, unsigned first, unsigned last) {
    record::Listing listing{
        std::move(id),    title, path.ends_with(".cl") ? "opencl" : path.ends_with(".ptx") ? "ptx" : "cuda",
        known_name(path), {},    first};
    auto source = read_file(path, file_limit::source);
    std::istringstream in(source ? std::move(*source) : std::string());
    unsigned number = 0;
    for (std::string line; std::getline(in, line);)
        if (++number >= first && (last == 0 || number <= last)) listing.text += line + "\n";
    return listing;
}

std::vector<record::Listing> listings(const LadderRun& run, const ProblemView& problem) {
    std::vector<record::Listing> out;
    std::map<std::string, std::size_t> places;
    const auto best = best_variants(problem);
    for (const ladder::Rung& rung : run.ladder.rungs) {
        if (rung.source.empty()) continue;
        const auto at = std::find_if(best.begin(), best.end(), [&](const Record* r) { return r->rung == rung.name; });
        if (at == best.end() || places.count(rung.source)) continue;
        places[rung.source] = out.size();
        record::Listing listing = source_listing(
            rung.source, labelled(rung.name, ladder_text(run.ladder.name, "rung." + rung.name + ".title", rung.title)),
            "source-" + std::to_string(out.size() + 1));
        for (const record::LineCounts& line : (*at)->lines) {
            std::error_code ec;
            if (line.file == rung.source || std::filesystem::equivalent(line.file, rung.source, ec))
                listing.lines.push_back(line);
        }
        listing.shown = shown_counts(listing.lines);
        if (const auto& p = (*at)->predicted) {
            for (const record::PredictedLine& line : p->lines) {
                std::error_code ec;
                if (line.line != 0 &&
                    (line.file == rung.source || std::filesystem::equivalent(line.file, rung.source, ec)))
                    listing.stood.push_back(line);
            }
            if (!listing.stood.empty()) listing.stalls = p->stalls;
        }
        if (!listing.lines.empty())
            listing.title =
                message("ladder.listing",
                        {{"rung", listing.title}, {"variant", label_of(run, **at)}, {"problem", problem.text()}});
        out.push_back(std::move(listing));
    }
    return out;
}

std::vector<record::Section> ladder_sections(const LadderRun& run) {
    const std::vector<ProblemView> problems = problems_of(run);
    record::Section rungs{message("ladder.heading.rungs"), {}};
    if (!run.ladder.about.empty())
        rungs.blocks.emplace_back(record::Paragraph{ladder_text(run.ladder.name, "about", one_line(run.ladder.about))});
    for (std::size_t from = 0, table = 1; from < problems.size(); ++table) {
        std::size_t to = from + 1;
        while (to < problems.size() && problems[to].size == problems[from].size) ++to;
        add(rungs, rung_table(run, std::span(problems).subspan(from, to - from), "rungs-" + std::to_string(table)));
        from = to;
    }
    std::size_t plots = 0;
    for (const ProblemView& problem : problems)
        // One picture of each choice of axes, of its largest size.
        if (std::none_of(problems.begin(), problems.end(),
                         [&](const ProblemView& p) { return p.axes == problem.axes && p.extent > problem.extent; }))
            add(rungs, rung_plot(run, problem, "bars-" + std::to_string(++plots)));
    std::vector<record::Section> out;
    out.push_back(std::move(rungs));
    if (problems.empty()) return out;

    record::Section sizes{message("ladder.heading.sweeps"), {}};
    const bool several = std::any_of(problems.begin(), problems.end(),
                                     [&](const ProblemView& p) { return p.size != problems.front().size; });
    if (several) add(sizes, size_plot(run, problems, "sizes"));
    const ProblemView& last = problems.back();
    std::vector<std::string> axes;
    for (const ladder::Rung& rung : run.ladder.rungs)
        for (const ladder::Axis& axis : rung.axes)
            if (std::find(axes.begin(), axes.end(), axis.name) == axes.end()) axes.push_back(axis.name);
    for (std::size_t i = 0; i < axes.size(); ++i)
        add(sizes, axis_plot(run, last, axes[i], "axis-" + std::to_string(i + 1)));
    if (!sizes.blocks.empty()) out.push_back(std::move(sizes));

    return out;
}

record::Section count_section(const LadderRun& run) {
    record::Section counts{message("ladder.heading.counts"), {}};
    const std::vector<ProblemView> problems = problems_of(run);
    if (problems.empty()) return counts;
    add(counts, step_table(run, problems.back(), "steps"));
    add(counts, bound_table(run, problems.back(), "bounds"));
    return counts;
}

std::vector<record::Record> page_records(const LadderRun& run) {
    std::vector<Record> out = run.set.records;
    for (Record& r : out) r.lines.clear();
    return out;
}

record::Section listing_section(const LadderRun& run) {
    record::Section section{message("ladder.heading.listings"), {}};
    const std::vector<ProblemView> problems = problems_of(run);
    if (problems.empty()) return section;
    std::vector<record::Listing> all = listings(run, problems.back());
    const auto best = best_variants(problems.back());
    for (const ladder::Rung& rung : run.ladder.rungs) {
        if (std::none_of(best.begin(), best.end(), [&](const Record* r) { return r->rung == rung.name; })) continue;
        if (!rung.why.empty())
            section.blocks.emplace_back(record::Paragraph{
                labelled("`" + rung.name + "`", ladder_text(run.ladder.name, "rung." + rung.name + ".why", rung.why))});
        // Rungs of one source share its listing, which stands behind the first of them.
        const auto own = std::find_if(all.begin(), all.end(), [&](const record::Listing& listing) {
            return listing.file == known_name(rung.source) && !rung.source.empty();
        });
        if (own == all.end()) continue;
        section.blocks.emplace_back(std::move(*own));
        all.erase(own);
    }
    return section;
}

record::Page ladder_page(const LadderRun& run, const std::string& id, const LadderRun* counted) {
    record::Page page;
    page.id = id;
    page.title = ladder_text(run.ladder.name, "title", run.ladder.title);
    page.purpose = message("ladder.purpose");
    page.task = message("ladder.task", {{"rungs", static_cast<std::int64_t>(run.ladder.rungs.size())}});
    page.sections = ladder_sections(run);
    const LadderRun& counts = counted ? *counted : run;
    if (record::Section section = count_section(counts); !section.blocks.empty()) {
        if (counted) section.blocks.insert(section.blocks.begin(), record::Paragraph{message("ladder.text.counted")});
        page.sections.push_back(std::move(section));
    }
    if (record::Section section = listing_section(counts); !section.blocks.empty())
        page.sections.push_back(std::move(section));
    conclude(page, run);
    page.repeat = run.repeat;
    page.records = page_records(run);
    if (counted) {
        page.repeat.insert(page.repeat.end(), counted->repeat.begin(), counted->repeat.end());
        for (Record& r : page_records(*counted)) page.records.push_back(std::move(r));
    }
    return page;
}

Result<record::Page> ladder_page(const Context& context, const std::string& ladder, const Choices& choices) {
    auto run = run_for_page(context, ladder, choices);
    if (!run) return std::move(run).error();
    return ladder_page(context, *run, run->ladder.name, choices);
}

Result<record::Page> ladder_page(const Context& context, const LadderRun& run, const std::string& id,
                                 const Choices& choices) {
    auto counted = counted_run(context, run.ladder.file, choices);
    if (!counted) return std::move(counted).error();
    return ladder_page(run, id, *counted ? &**counted : nullptr);
}

}  // namespace warpwright::lab
