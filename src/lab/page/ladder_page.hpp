// The page of a ladder: its rungs by problem size, what each step changed in what was counted, what binds, the sources,
// and what follows. Ladders without an experiment of their own get it whole; experiments take parts of it.
#pragma once

#include <span>

#include "lab/page/ladder_view.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

/// All of it: runs the ladder (ours by name, or a user's folder). Errors: what run_for_page gives.
Result<record::Page> ladder_page(const Context& context, const std::string& ladder, const Choices& choices);

/// The same of a ladder that has run; `id` is the page's. With `counted`, what was counted and the counts beside the
/// sources are that run's.
record::Page ladder_page(const LadderRun& run, const std::string& id, const LadderRun* counted = nullptr);
/// The same; on a real device with counts of an emulated one (counted_run).
Result<record::Page> ladder_page(const Context& context, const LadderRun& run, const std::string& id,
                                 const Choices& choices);

// Its parts. Problems must be those of the run.

/// A row for each record of these problems, which are of one size.
record::Table rung_table(const LadderRun& run, std::span<const ProblemView> problems, std::string id);
/// Bars: the time of each rung in its best variant. No series where nothing was timed or counted.
record::Plot rung_plot(const LadderRun& run, const ProblemView& problem, std::string id);
/// Lines by size: the rate of each rung in its best variant.
record::Plot size_plot(const LadderRun& run, std::span<const ProblemView> problems, std::string id);
/// Lines by the values of an axis: the time of each rung that has it, in the best of its other axes.
record::Plot axis_plot(const LadderRun& run, const ProblemView& problem, const std::string& axis, std::string id);
/// What each rung changed against the one before: its time and the counts that explain it.
record::Table step_table(const LadderRun& run, const ProblemView& problem, std::string id);
/// What share of a rung's least time each resource needs.
record::Table bound_table(const LadderRun& run, const ProblemView& problem, std::string id);
/// A note where rungs on the CPU were timed on a part of a product's rows; nothing where there are none.
void add_cpu_rows(record::Section& section, const LadderRun& run);
/// The kernels' sources, each once, with the counts of the best variant of the first rung that is made of it.
std::vector<record::Listing> listings(const LadderRun& run, const ProblemView& problem);
/// A kernel's source; no counts beside it.
record::Listing source_listing(const std::string& path, Text title, std::string id, unsigned first = 1,
                               unsigned last = 0);

/// Adds a plot where it has a point, a table where it has a row.
void add(record::Section& section, record::Plot plot);
void add(record::Section& section, record::Table table);

/// The whole parts, as sections: by size and variant.
std::vector<record::Section> ladder_sections(const LadderRun& run);
/// What was counted: the steps and the bounds; no blocks where nothing was.
record::Section count_section(const LadderRun& run);
/// Records of a page: without the counts by line, which the listings have.
std::vector<record::Record> page_records(const LadderRun& run);
record::Section listing_section(const LadderRun& run);

/// Sentences drawn from the figures: best rung, largest step, steps back, what binds, against the CPU and the vendor;
/// recommendations; what went wrong.
void conclude(record::Page& page, const LadderRun& run);
/// Only what went wrong, and what was left out.
void tell_problems(record::Page& page, const LadderRun& run);
/// What the times decide (Decision), as sentences: of predicted ones with how often pairs that far apart were in a
/// GPU's order, and what they cannot tell.
Text recommendation(const LadderRun& run, const ProblemView& problem, const record::Record& best);
/// That the best kernel leaves the device partly empty at this size, so that a larger one may have another order; empty
/// where it fills it.
Text size_note(const ProblemView& problem, const record::Record& best);
/// "`global_load_sectors` fell 8.00 times".
Text change_text(const Change& change);

}  // namespace warpwright::lab
