// Tiles in shared memory: which elements each phase loads, as the tiles themselves show them; and the two ways to
// declare them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lab/experiments/direct.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/sentence_figures.hpp"

namespace warpwright::lab::pages {
namespace {

using record::Basis;
using record::Cell;
using record::CellMap;
using record::Record;
using record::Scalar;

/// What the tiles of every block held in every phase: indices of elements, for the matrices hold 0, 1, 2, ...
struct Phases {
    int n = 0, tile = 0, blocks = 0, phases = 0;  ///< blocks: of a row of the grid
    std::vector<float> shown;
    std::int64_t wrong = 0;  ///< entries that are not what the index expressions say
    Record record;

    /// Matrix 0 is A, 1 is B.
    int element(int block, int phase, int matrix, int y, int x) const {
        return static_cast<int>(shown[((static_cast<std::size_t>(block) * phases + phase) * 2 + matrix) * tile * tile +
                                      static_cast<std::size_t>(y) * tile + x]);
    }
};

Result<Phases> watch(const Context& context, int n, int tile) {
    Phases p{n, tile, n / tile, n / tile, {}, 0, {}};
    auto kernel =
        load_kernel(context, "kernels/tiles/01_static.cu", "tiles_static", {"TILE=" + std::to_string(tile), "SHOW=1"});
    if (!kernel) return std::move(kernel).error();
    std::vector<float> index(static_cast<std::size_t>(n) * n);
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<float>(i);
    auto a = DeviceMemory::of(context.device, index);
    if (!a) return std::move(a).error();
    auto c = DeviceMemory::make(context.device, index.size() * sizeof(float));
    if (!c) return std::move(c).error();
    const std::size_t shown = static_cast<std::size_t>(p.blocks) * p.blocks * p.phases * 2 * tile * tile;
    auto show = DeviceMemory::make(context.device, shown * sizeof(float), 0xff);
    if (!show) return std::move(show).error();
    const auto side = static_cast<std::uint32_t>(p.blocks), threads = static_cast<std::uint32_t>(tile);
    auto launched = launch(context, *kernel, {{side, side, 1}, {threads, threads, 1}},
                           {a->address(), a->address(), c->address(), std::int64_t{n}, show->address()}, "tiles");
    if (!launched) return std::move(launched).error();
    auto values = show->read<float>();
    if (!values) return std::move(values).error();
    p.shown = std::move(*values);
    for (float& value : p.shown)
        if (!(value >= 0 && value < static_cast<float>(index.size()))) value = 0, ++p.wrong;  // never written
    for (int block = 0; block < p.blocks * p.blocks; ++block)
        for (int phase = 0; phase < p.phases; ++phase)
            for (int y = 0; y < tile; ++y)
                for (int x = 0; x < tile; ++x) {
                    const int row = block / p.blocks * tile + y, col = block % p.blocks * tile + x;
                    p.wrong += p.element(block, phase, 0, y, x) != row * n + phase * tile + x;
                    p.wrong += p.element(block, phase, 1, y, x) != (phase * tile + y) * n + col;
                }
    p.record = std::move(launched->record);
    p.record.verified = p.wrong == 0;
    p.record.axes = {{"N", std::int64_t{n}}, {"TILE", std::int64_t{tile}}};
    return p;
}

/// The text's table: what each thread of block (0, 0) loads in each phase.
record::Table phase_table(const Phases& p) {
    record::Table t{"phases",
                    message("tiles.table.phases", {{"n", std::int64_t{p.n}}, {"tile", std::int64_t{p.tile}}}),
                    {{message("tiles.column.thread")}},
                    {},
                    message("tiles.caption.phases")};
    for (int phase = 0; phase < p.phases; ++phase)
        for (const char* matrix : {"A", "B"})
            t.columns.push_back(
                {message("tiles.column.phase", {{"phase", std::int64_t{phase + 1}}, {"matrix", std::string(matrix)}}),
                 "", Basis::counted});
    for (int y = 0; y < p.tile; ++y)
        for (int x = 0; x < p.tile; ++x) {
            std::vector<Scalar> row{fmt::format("({}, {})", x, y)};
            for (int phase = 0; phase < p.phases; ++phase)
                for (int matrix : {0, 1}) {
                    const int element = p.element(0, phase, matrix, y, x);
                    row.push_back(fmt::format("`{0}[{1}][{2}]` -> `tile_{3}[{4}][{5}]`", matrix ? "B" : "A",
                                              element / p.n, element % p.n, matrix ? "b" : "a", y, x));
                }
            t.rows.push_back(std::move(row));
        }
    return t;
}

/// A whole matrix: in each cell the phase in which this block loads the element.
CellMap draw_phases(const Phases& p, int block, int matrix) {
    const std::string name = matrix ? "B" : "A";
    CellMap map{
        "phases-" + std::string(matrix ? "b" : "a"),
        message("tiles.map.phases",
                {{"matrix", name}, {"x", std::int64_t{block % p.blocks}}, {"y", std::int64_t{block / p.blocks}}})};
    map.rows.assign(static_cast<std::size_t>(p.n), std::vector<Cell>(static_cast<std::size_t>(p.n)));
    for (int i = 0; i < p.n; ++i) {
        map.column_names.push_back(std::to_string(i));
        map.row_names.push_back(std::to_string(i));
    }
    for (int phase = 0; phase < p.phases; ++phase) {
        map.legend.push_back({phase, message("tiles.legend.phase", {{"phase", std::int64_t{phase + 1}}})});
        for (int y = 0; y < p.tile; ++y)
            for (int x = 0; x < p.tile; ++x) {
                const int element = p.element(block, phase, matrix, y, x);
                map.rows[static_cast<std::size_t>(element / p.n)][static_cast<std::size_t>(element % p.n)] = {
                    std::to_string(phase + 1), phase, Cell{}.heat,
                    message("tiles.hover", {{"row", std::int64_t{element / p.n}},
                                            {"column", std::int64_t{element % p.n}},
                                            {"x", std::int64_t{x}},
                                            {"y", std::int64_t{y}}})};
            }
    }
    map.caption = message("tiles.caption.map");
    return map;
}

/// How often each element is loaded by all blocks together: N / TILE times.
CellMap draw_loads(const Phases& p, std::int64_t& loads) {
    std::vector<int> count(static_cast<std::size_t>(p.n) * p.n);
    for (int block = 0; block < p.blocks * p.blocks; ++block)
        for (int phase = 0; phase < p.phases; ++phase)
            for (int y = 0; y < p.tile; ++y)
                for (int x = 0; x < p.tile; ++x) {
                    ++count[static_cast<std::size_t>(p.element(block, phase, 0, y, x))];
                    loads += 2;
                }
    const int most = *std::max_element(count.begin(), count.end());
    CellMap map{"loads", message("tiles.map.loads")};
    for (int y = 0; y < p.n; ++y) {
        std::vector<Cell>& row = map.rows.emplace_back();
        for (int x = 0; x < p.n; ++x) {
            const int times = count[static_cast<std::size_t>(y) * p.n + x];
            row.push_back({std::to_string(times), -1, static_cast<double>(times) / most});
        }
    }
    return map;
}

record::Table memory_table(const LadderRun& run, const ProblemView& problem) {
    using record::Count;
    record::Table t{"memory",
                    message("tiles.table.memory", {{"problem", problem.size}}),
                    {{message("ladder.column.rung")},
                     {message("ladder.column.variant")},
                     {message("tiles.column.shared"), "B", Basis::computed},
                     {message("tiles.column.blocks"), "", Basis::computed},
                     {message("ladder.column.occupancy"), "%", Basis::computed, 3, true},
                     {message("tiles.column.instructions"), "", Basis::counted},
                     {message("tiles.column.loads"), "", Basis::counted},
                     {message("tiles.column.wavefronts"), "", Basis::counted}},
                    {},
                    message("tiles.caption.memory")};
    for (const Record* r : problem.records) {
        if (!is_kernel(*r) || !r->counts || r->error) continue;
        const record::Counts& c = *r->counts;
        const Scalar none;
        t.rows.push_back(
            {r->rung, variant_of(run, *r).empty() ? none : Scalar{variant_of(run, *r)},
             r->occupancy ? Scalar{static_cast<std::int64_t>(r->occupancy->shared)} : none,
             r->occupancy ? Scalar{std::int64_t{r->occupancy->blocks}} : none,
             r->occupancy ? Scalar{100 * r->occupancy->fraction} : none,
             static_cast<std::int64_t>(c[Count::instructions]),
             static_cast<std::int64_t>(c[Count::global_load_requests]),
             static_cast<std::int64_t>(c[Count::shared_load_wavefronts] + c[Count::shared_store_wavefronts])});
    }
    return t;
}

/// Whether the tiles held what the index expressions say, how often elements are loaded, and what the two ways to
/// declare a tile differ in. `problem`: null where the ladder has no size.
void conclude_tiles(const Phases& small, const Phases& large, std::int64_t loads, const ProblemView* problem,
                    record::Page& page) {
    std::vector<Text> first;
    const std::int64_t wrong = small.wrong + large.wrong;
    if (wrong == 0)
        first.push_back(
            message("tiles.conclusion.verified", {{"entries", count_text(small.shown.size() + large.shown.size())}}));
    else
        page.problems.push_back(message("tiles.problem.wrong", {{"wrong", wrong}}));
    const std::int64_t n = large.n;
    first.push_back(message("tiles.conclusion.loads", {{"n", n},
                                                       {"tile", std::int64_t{large.tile}},
                                                       {"loads", loads},
                                                       {"formula", 2 * n * n * n / large.tile},
                                                       {"text", 2 * n * n}}));
    if (problem) {
        const Record *fixed = find_record(*problem, "static", "TILE", 16),
                     *dynamic = find_record(*problem, "dynamic", "TILE", 16);
        if (fixed && dynamic && fixed->counts && dynamic->counts) {
            const double a = static_cast<double>((*fixed->counts)[record::Count::instructions]),
                         b = static_cast<double>((*dynamic->counts)[record::Count::instructions]);
            const bool same = (*fixed->counts)[record::Count::global_load_sectors] ==
                              (*dynamic->counts)[record::Count::global_load_sectors];
            first.push_back(message(same ? "tiles.conclusion.dynamic" : "tiles.conclusion.dynamic_loads",
                                    {{"factor", times_text(b / a)}}));
        }
        const Record* big = find_record(*problem, "large");
        if (big && big->occupancy)
            first.push_back(
                message("tiles.conclusion.large", {{"shared", bytes_text(static_cast<double>(big->occupancy->shared))},
                                                   {"blocks", std::int64_t{big->occupancy->blocks}},
                                                   {"share", 100 * big->occupancy->fraction}}));
    }
    page.conclusions.insert(page.conclusions.begin(), first.begin(), first.end());
}

}  // namespace

Result<record::Page> tiles(const Context& context, const Choices& given) {
    Choices choices = given;
    if (choices.sizes.empty()) choices.sizes = {{context.real() ? 3072 : choices.quick ? 384 : 768}};
    auto run = run_for_page(context, "tiles", choices);
    if (!run) return std::move(run).error();
    auto counts = counted_run(context, "tiles", choices);
    if (!counts) return std::move(counts).error();
    const LadderRun& counted = *counts ? **counts : *run;
    record::Page page = ladder_page(*run, "tiles", *counts ? &**counts : nullptr);
    page.title = message("tiles.title");
    page.purpose = message("tiles.purpose");
    page.task = message("tiles.task");
    page.sources = {"003", "000"};

    auto small = watch(context, 4, 2);  // the text's own
    if (!small) return std::move(small).error();
    auto large = watch(context, 16, 4);
    if (!large) return std::move(large).error();
    std::int64_t loads = 0;
    record::Section drawn{message("tiles.heading.phases"), {record::Paragraph{message("tiles.text.phases")}}};
    drawn.blocks.emplace_back(phase_table(*small));
    const int block = 1 * large->blocks + 2;
    drawn.blocks.emplace_back(draw_phases(*large, block, 0));
    drawn.blocks.emplace_back(draw_phases(*large, block, 1));
    drawn.blocks.emplace_back(draw_loads(*large, loads));
    const std::vector<ProblemView> problems = problems_of(counted);
    record::Section memory{message("tiles.heading.memory"), {record::Paragraph{message("tiles.text.memory")}}};
    if (!problems.empty()) add(memory, memory_table(counted, problems.back()));
    page.sections.insert(page.sections.begin(), {std::move(drawn), std::move(memory)});

    conclude_tiles(*small, *large, loads, problems.empty() ? nullptr : &problems.back(), page);
    page.corrections = {
        message("tiles.correction.loads"),
        message("tiles.correction.shared",
                {{"most", bytes_text(static_cast<double>(context.device.limits().shared_per_block_optin))}})};
    small->record.lines.clear();
    large->record.lines.clear();
    page.records.push_back(std::move(small->record));
    page.records.push_back(std::move(large->record));
    return page;
}

}  // namespace warpwright::lab::pages
