// How grids and blocks of one, two and three dimensions cover data, and how blocks are cut into warps: drawn from what
// the threads themselves write down.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "arch/occupancy.hpp"
#include "lab/experiments/direct.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/hardware.hpp"
#include "lab/page/ladder_page.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/sweep/emulation.hpp"

namespace warpwright::lab::pages {
namespace {

using launch::Extent;
using record::Basis;
using record::Cell;
using record::CellMap;
using record::Scalar;

/// As the kernel writes it (kernels/threads/indices.cu).
struct Seen {
    std::int32_t block, thread, lane, first;
};

/// Data of these extents covered by blocks of this shape, as the kernel saw it.
struct Cover {
    Extent data, block, grid;
    std::vector<Seen> elements;
    std::vector<std::int32_t> owners;
    record::Record record;
    std::uint64_t threads = 0, wasted = 0;
    std::uint64_t warps = 0, partly = 0, idle = 0;  ///< with some lanes without an element, and with none that has one
    std::uint64_t wrong = 0;                        ///< elements whose entry is not what the index formula says

    const Seen& at(std::uint32_t x, std::uint32_t y, std::uint32_t z = 0) const {
        return elements[(std::size_t{z} * data.y + y) * data.x + x];
    }
};

std::uint32_t pieces(std::uint32_t extent, std::uint32_t by) { return (extent + by - 1) / by; }

void judge(Cover& cover, std::uint32_t warp) {
    const Extent d = cover.data, b = cover.block, g = cover.grid;
    cover.threads = b.count() * g.count();
    cover.wasted = cover.threads - d.count();
    const std::uint64_t per_block = (b.count() + warp - 1) / warp;
    std::vector<std::uint32_t> used(per_block * g.count());
    for (std::uint32_t z = 0; z < d.z; ++z)
        for (std::uint32_t y = 0; y < d.y; ++y)
            for (std::uint32_t x = 0; x < d.x; ++x) {
                const std::size_t element = (std::size_t{z} * d.y + y) * d.x + x;
                const auto block = static_cast<std::int32_t>(((z / b.z) * g.y + y / b.y) * g.x + x / b.x);
                const auto thread = static_cast<std::int32_t>(((z % b.z) * b.y + y % b.y) * b.x + x % b.x);
                const auto size = static_cast<std::int32_t>(warp);
                const Seen& seen = cover.elements[element];
                if (cover.owners[element] != 1 || seen.block != block || seen.thread != thread ||
                    seen.lane != thread % size || seen.first != thread / size * size)
                    ++cover.wrong;
                else
                    ++used[static_cast<std::size_t>(block) * per_block + static_cast<std::size_t>(seen.first / size)];
            }
    cover.warps = used.size();
    for (std::size_t i = 0; i < used.size(); ++i) {
        const std::uint64_t lanes = std::min<std::uint64_t>(warp, b.count() - i % per_block * warp);
        cover.idle += used[i] == 0;
        cover.partly += used[i] > 0 && used[i] < lanes;
    }
}

Result<Cover> cover_data(const Context& context, Extent data, Extent block) {
    auto kernel = load_kernel(context, "kernels/threads/indices.cu", "every_element");
    if (!kernel) return std::move(kernel).error();
    Cover cover{data, block, {pieces(data.x, block.x), pieces(data.y, block.y), pieces(data.z, block.z)}, {}, {}, {}};
    auto elements = DeviceMemory::make(context.device, data.count() * sizeof(Seen), 0xff);
    if (!elements) return std::move(elements).error();
    auto owners = DeviceMemory::make(context.device, data.count() * sizeof(std::int32_t));
    if (!owners) return std::move(owners).error();
    auto launched = launch(
        context, *kernel, {cover.grid, block},
        {elements->address(), owners->address(), std::int64_t{data.x}, std::int64_t{data.y}, std::int64_t{data.z}},
        "threads");
    if (!launched) return std::move(launched).error();
    auto seen = elements->read<Seen>();
    if (!seen) return std::move(seen).error();
    auto count = owners->read<std::int32_t>();
    if (!count) return std::move(count).error();
    cover.elements = std::move(*seen);
    cover.owners = std::move(*count);
    judge(cover, context.device.limits().warp);
    cover.record = std::move(launched->record);
    cover.record.verified = cover.wrong == 0;
    cover.record.axes = {{"data", fmt::format("{}x{}x{}", data.x, data.y, data.z)}};
    return cover;
}

std::string shape(Extent d) {
    return d.z > 1   ? fmt::format("{} x {} x {}", d.x, d.y, d.z)
           : d.y > 1 ? fmt::format("{} x {}", d.x, d.y)
                     : fmt::format("{}", d.x);
}

/// Colours of blocks: all that there are, or those before the one that cells without an element have.
constexpr int kTones = 16, kWaste = 6;

std::vector<record::Legend> block_legend(std::uint64_t blocks, bool waste) {
    std::vector<record::Legend> out;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(blocks, waste ? kWaste : kTones); ++i)
        out.push_back(
            {static_cast<int>(i), message("threads.legend.block", {{"block", static_cast<std::int64_t>(i)}})});
    if (waste) out.push_back({kWaste, message("threads.legend.waste")});
    return out;
}

/// One line a block, one column a thread; in a cell the element that the thread takes.
CellMap draw_1d(const Cover& cover) {
    CellMap map{"one", message("threads.map.one", {{"data", shape(cover.data)}, {"block", shape(cover.block)}})};
    map.rows.assign(cover.grid.x,
                    std::vector<Cell>(cover.block.x, Cell{"", kWaste, Cell{}.heat, message("threads.legend.waste")}));
    for (std::uint32_t t = 0; t < cover.block.x; ++t) map.column_names.push_back(std::to_string(t));
    for (std::uint32_t b = 0; b < cover.grid.x; ++b) map.row_names.push_back(fmt::format("blockIdx.x {}", b));
    for (std::uint32_t x = 0; x < cover.data.x; ++x) {
        const Seen& seen = cover.at(x, 0);
        map.rows[static_cast<std::size_t>(seen.block)][static_cast<std::size_t>(seen.thread)] = {std::to_string(x),
                                                                                                 seen.block % kWaste};
    }
    map.legend = block_legend(cover.grid.count(), true);
    map.caption = message("threads.caption.one");
    return map;
}

/// Data of two or three dimensions, layer under layer; in a cell the number of the thread in its block.
CellMap draw_data(const Cover& cover, std::string id, const char* caption) {
    CellMap map{std::move(id),
                message("threads.map.data", {{"data", shape(cover.data)}, {"block", shape(cover.block)}})};
    for (std::uint32_t x = 0; x < cover.data.x; ++x) map.column_names.push_back(std::to_string(x));
    for (std::uint32_t z = 0; z < cover.data.z; ++z)
        for (std::uint32_t y = 0; y < cover.data.y; ++y) {
            map.row_names.push_back(cover.data.z > 1 ? fmt::format("z {} y {}", z, y) : fmt::format("y {}", y));
            std::vector<Cell>& row = map.rows.emplace_back();
            for (std::uint32_t x = 0; x < cover.data.x; ++x) {
                const Seen& seen = cover.at(x, y, z);
                row.push_back({std::to_string(seen.thread), seen.block % kTones, Cell{}.heat,
                               message("threads.hover", {{"block", seen.block},
                                                         {"thread", seen.thread},
                                                         {"warp", (seen.thread - seen.lane) / 32},
                                                         {"lane", seen.lane}})});
            }
        }
    map.legend = block_legend(cover.grid.count(), false);
    map.caption = message(caption);
    return map;
}

/// One block, coloured by warp; in a cell the lane.
CellMap draw_warps(const Cover& cover, std::uint32_t warp, std::string id) {
    CellMap map{std::move(id), message("threads.map.warps", {{"block", shape(cover.block)}})};
    int warps = 0;
    for (std::uint32_t x = 0; x < cover.block.x; ++x) map.column_names.push_back(std::to_string(x));
    for (std::uint32_t y = 0; y < cover.block.y; ++y) {
        map.row_names.push_back(fmt::format("y {}", y));
        std::vector<Cell>& row = map.rows.emplace_back();
        for (std::uint32_t x = 0; x < cover.block.x; ++x) {
            const Seen& seen = cover.at(x, y);
            const int index = seen.first / static_cast<int>(warp);
            warps = std::max(warps, index + 1);
            row.push_back({std::to_string(seen.lane), index % 6});
        }
    }
    for (int i = 0; i < std::min(warps, 6); ++i)
        map.legend.push_back({i, message("threads.legend.warp", {{"warp", std::int64_t{i}}})});
    return map;
}

/// The picture with its grid: a cell is 2 x 2 threads where the picture's extents are even, else one.
CellMap draw_picture(const Cover& cover) {
    const std::uint32_t step = cover.data.x % 2 + cover.data.y % 2 == 0 ? 2 : 1;
    CellMap map{"picture",
                message("threads.map.picture",
                        {{"data", shape(cover.data)}, {"block", shape(cover.block)}, {"grid", shape(cover.grid)}})};
    for (std::uint32_t y = 0; y < cover.grid.y * cover.block.y; y += step) {
        std::vector<Cell>& row = map.rows.emplace_back();
        for (std::uint32_t x = 0; x < cover.grid.x * cover.block.x; x += step) {
            const bool inside = x < cover.data.x && y < cover.data.y;
            row.push_back({"", inside ? (x / cover.block.x + y / cover.block.y) % 2 ? 1 : 0 : 2});
        }
    }
    map.legend = {
        {0, message("threads.legend.even")}, {1, message("threads.legend.odd")}, {2, message("threads.legend.waste")}};
    map.caption = message("threads.caption.picture", {{"step", std::int64_t{step}}});
    return map;
}

record::Table limits_table(std::vector<arch::DeviceModel>& models) {
    record::Table table{"limits",
                        message("threads.table.limits"),
                        {{message("threads.column.device")},
                         {message("threads.column.capability")},
                         {message("threads.column.block_threads"), "", Basis::quoted},
                         {message("threads.column.block_extents"), "", Basis::quoted},
                         {message("threads.column.grid_extents"), "", Basis::quoted},
                         {message("threads.column.sm_blocks"), "", Basis::quoted},
                         {message("threads.column.sm_warps"), "", Basis::quoted},
                         {message("threads.column.sm_threads"), "", Basis::quoted}},
                        {}};
    for (const std::string& name : arch::list_models())
        if (auto model = arch::load_model(name)) models.push_back(std::move(*model));
    std::stable_sort(models.begin(), models.end(),
                     [](const auto& a, const auto& b) { return a.compute_capability < b.compute_capability; });
    for (const arch::DeviceModel& m : models) {
        const auto& l = m.limits;
        table.rows.push_back(
            {m.title,
             m.compute_capability ? Scalar{fmt::format("{}.{}", m.compute_capability / 10, m.compute_capability % 10)}
                                  : Scalar{},
             std::int64_t{l.threads_per_block}, fmt::format("{} x {} x {}", l.block_x, l.block_y, l.block_z),
             fmt::format("{} x {} x {}", l.grid_x, l.grid_y, l.grid_z), std::int64_t{l.blocks_per_sm},
             std::int64_t{l.warps_per_sm}, std::int64_t{l.threads_per_sm}});
    }
    return table;
}

/// Resident blocks and threads by the block's shape: the text's example, 8 x 8 or 16 x 16 or 32 x 32.
record::Table residents_table(const std::vector<arch::DeviceModel>& models) {
    record::Table table{"residents",
                        message("threads.table.residents"),
                        {{message("threads.column.device")},
                         {message("threads.column.block")},
                         {message("threads.column.blocks"), "", Basis::computed},
                         {message("threads.column.sm_threads"), "", Basis::computed},
                         {message("threads.column.occupancy"), "%", Basis::computed, 3, true},
                         {message("threads.column.limiter")}},
                        {},
                        message("threads.caption.residents")};
    for (const arch::DeviceModel& m : models)
        for (std::uint32_t side : {8u, 16u, 32u}) {
            const arch::Occupancy o = arch::occupancy(m, 16, 0, side * side);
            table.rows.push_back({m.title, fmt::format("{0} x {0}", side), std::int64_t{o.blocks},
                                  std::int64_t{o.blocks} * side * side, 100 * o.fraction, limiter_text(o)});
        }
    return table;
}

/// The page at work, and how many elements its launches have written rightly and wrongly.
struct Work {
    const Context& context;
    record::Page page = {};
    std::uint64_t elements = 0, wrong = 0;

    void take(const Cover& cover) {
        elements += cover.data.count();
        wrong += cover.wrong;
        page.records.push_back(cover.record);
        page.records.back().lines.clear();
    }
};

/// Width and height of the picture that is covered.
Result<Extent> picture_of(const Choices& choices) {
    if (!choices.rungs.empty() || !choices.axes.empty())
        return Error{ErrorKind::usage, "the experiment 'threads' has neither rungs nor axes", Location{},
                     "--size 76x62 is another picture"};
    if (choices.sizes.empty()) return Extent{76, 62, 1};
    const Size& size = choices.sizes.front();
    if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > 4096 || size[1] > 4096)
        return Error{ErrorKind::usage, "the picture of 'threads' has a width and a height from 1 to 4096", Location{},
                     "--size 76x62"};
    return Extent{static_cast<std::uint32_t>(size[0]), static_cast<std::uint32_t>(size[1]), 1};
}

/// Data of one, two and three dimensions, each covered by blocks.
Result<record::Section> map_section(Work& work) {
    record::Section section{message("threads.heading.maps"), {record::Paragraph{message("threads.text.maps")}}};
    struct Drawn {
        Extent data, block;
    };
    const std::array drawn{Drawn{{60, 1, 1}, {16, 1, 1}}, Drawn{{16, 16, 1}, {8, 8, 1}}, Drawn{{8, 4, 4}, {4, 2, 2}}};
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        auto cover = cover_data(work.context, drawn[i].data, drawn[i].block);
        if (!cover) return std::move(cover).error();
        work.take(*cover);
        section.blocks.emplace_back(i == 0 ? draw_1d(*cover)
                                           : draw_data(*cover, i == 1 ? "two" : "three",
                                                       i == 1 ? "threads.caption.two" : "threads.caption.three"));
    }
    return section;
}

/// How blocks of several shapes are cut into warps.
Result<record::Section> warp_section(Work& work) {
    const std::uint32_t warp = work.context.device.limits().warp;
    record::Section section{message("threads.heading.warps"),
                            {record::Paragraph{message("threads.text.warps", {{"warp", std::int64_t{warp}}})}}};
    record::Table split{"warps",
                        message("threads.table.warps"),
                        {{message("threads.column.block")},
                         {message("threads.column.threads"), "", Basis::computed},
                         {message("threads.column.warps"), "", Basis::counted},
                         {message("threads.column.lines"), "", Basis::counted},
                         {message("threads.column.idle_lanes"), "", Basis::counted}},
                        {}};
    for (Extent block : {Extent{32, 4, 1}, Extent{16, 8, 1}, Extent{8, 8, 1}, Extent{20, 5, 1}}) {
        auto cover = cover_data(work.context, block, block);
        if (!cover) return std::move(cover).error();
        work.take(*cover);
        std::int64_t lines = 0;  // of the first warp
        for (std::uint32_t y = 0; y < block.y; ++y)
            for (std::uint32_t x = 0; x < block.x; ++x)
                if (cover->at(x, y).first == 0) lines = y + 1;
        split.rows.push_back({shape(block), static_cast<std::int64_t>(block.count()),
                              static_cast<std::int64_t>(cover->warps), lines,
                              static_cast<std::int64_t>(cover->warps * warp - block.count())});
        section.blocks.emplace_back(draw_warps(*cover, warp, "warps-" + std::to_string(split.rows.size())));
    }
    section.blocks.emplace_back(std::move(split));

    return section;
}

/// The picture under blocks of several shapes.
Result<std::vector<Cover>> cover_picture(Work& work, Extent picture) {
    std::vector<Cover> covers;
    for (Extent block : {Extent{8, 8, 1}, Extent{16, 16, 1}, Extent{32, 8, 1}, Extent{32, 32, 1}, Extent{64, 4, 1},
                         Extent{128, 1, 1}}) {
        auto cover = cover_data(work.context, picture, block);
        if (!cover) return std::move(cover).error();
        work.take(*cover);
        covers.push_back(std::move(*cover));
    }
    return covers;
}

/// The one of the text: 16 x 16.
const Cover& text_cover(const std::vector<Cover>& covers) {
    return *std::find_if(covers.begin(), covers.end(), [](const Cover& c) { return c.block == Extent{16, 16, 1}; });
}

record::Section waste_section(Extent picture, const std::vector<Cover>& covers) {
    record::Section section{message("threads.heading.waste"), {}};
    record::Table shapes{"waste",
                         message("threads.table.waste", {{"data", shape(picture)}}),
                         {{message("threads.column.block")},
                          {message("threads.column.grid")},
                          {message("threads.column.threads"), "", Basis::counted},
                          {message("threads.column.wasted"), "", Basis::counted},
                          {message("threads.column.wasted"), "%", Basis::counted, 3, true},
                          {message("threads.column.warps"), "", Basis::counted},
                          {message("threads.column.partly"), "", Basis::counted},
                          {message("threads.column.idle"), "", Basis::counted}},
                         {}};
    record::Plot bars{"waste-bars",
                      message("threads.plot.waste", {{"data", shape(picture)}}),
                      record::Plot::Kind::bar,
                      message("threads.column.block"),
                      message("threads.axis.waste"),
                      false,
                      false,
                      {},
                      {record::Series{message("threads.column.wasted"), {}, {}, {}, Basis::counted}}};
    for (const Cover& c : covers) {
        const double share = 100.0 * static_cast<double>(c.wasted) / static_cast<double>(c.threads);
        shapes.rows.push_back({shape(c.block), shape(c.grid), static_cast<std::int64_t>(c.threads),
                               static_cast<std::int64_t>(c.wasted), share, static_cast<std::int64_t>(c.warps),
                               static_cast<std::int64_t>(c.partly), static_cast<std::int64_t>(c.idle)});
        bars.series[0].x.push_back(static_cast<double>(bars.categories.size()));
        bars.series[0].y.push_back(share);
        bars.categories.push_back(shape(c.block));
    }
    const Cover& text = text_cover(covers);
    if (text.grid.x * text.grid.y <= 24) section.blocks.emplace_back(draw_picture(text));
    section.blocks.emplace_back(std::move(shapes));
    section.blocks.emplace_back(std::move(bars));
    return section;
}

/// What the comparison in the kernel is for: without it threads past the edge write outside. Only emulation says so
/// without harm, so on a real device an emulated one stands in.
Result<record::Section> bounds_section(Work& work, Extent picture, const Cover& text) {
    record::Section section{message("threads.heading.bounds"), {record::Paragraph{message("threads.text.bounds")}}};
    auto emulation = emulation_of(work.context);
    if (!emulation) return std::move(emulation).error();
    {
        const Context& safe = emulation->context;
        auto kernel = load_kernel(safe, "kernels/threads/indices.cu", "without_bounds");
        if (!kernel) return std::move(kernel).error();
        auto memory = DeviceMemory::make(safe.device, picture.count() * sizeof(std::int32_t));
        if (!memory) return std::move(memory).error();
        auto launched =
            launch(safe, *kernel, {text.grid, text.block}, {memory->address(), std::int64_t{picture.x}}, "threads");
        if (!launched) {
            Error error = launched.error();
            if (const auto at = error.where.file.find("kernels/"); at != std::string::npos)
                error.where.file.erase(0, at);
            section.blocks.emplace_back(record::Paragraph{"`" + error.text() + "`", record::Paragraph::Kind::warning});
            work.page.conclusions.push_back(
                message("threads.conclusion.bounds", {{"line", static_cast<std::int64_t>(error.where.line)}}));
        }
    }
    auto source = own_file("kernels/threads/indices.cu");
    if (!source) return std::move(source).error();
    record::Listing listing = source_listing(*source, message("threads.listing"), "indices");
    section.blocks.emplace_back(std::move(listing));

    return section;
}

void conclude(Work& work, Extent picture, const std::vector<Cover>& covers) {
    record::Page& page = work.page;
    const Cover& text = text_cover(covers);
    const Cover& least = *std::min_element(covers.begin(), covers.end(),
                                           [](const Cover& a, const Cover& b) { return a.wasted < b.wasted; });
    page.conclusions.insert(
        page.conclusions.begin(),
        {message("threads.conclusion.picture",
                 {{"data", shape(picture)},
                  {"block", shape(text.block)},
                  {"grid", shape(text.grid)},
                  {"width", std::int64_t{text.grid.x * text.block.x}},
                  {"height", std::int64_t{text.grid.y * text.block.y}},
                  {"threads", static_cast<std::int64_t>(text.threads)},
                  {"wasted", static_cast<std::int64_t>(text.wasted)},
                  {"share", 100.0 * static_cast<double>(text.wasted) / static_cast<double>(text.threads)}}),
         message("threads.conclusion.least", {{"block", shape(least.block)},
                                              {"wasted", static_cast<std::int64_t>(least.wasted)},
                                              {"partly", static_cast<std::int64_t>(least.partly)},
                                              {"warps", static_cast<std::int64_t>(least.warps)}})});
    if (work.wrong == 0)
        page.conclusions.push_back(
            message("threads.conclusion.verified", {{"elements", static_cast<std::int64_t>(work.elements)}}));
    else
        page.problems.push_back(
            message("threads.problem.wrong", {{"wrong", static_cast<std::int64_t>(work.wrong)},
                                              {"elements", static_cast<std::int64_t>(work.elements)}}));
    page.recommendations = {
        message("threads.recommend.width", {{"warp", std::int64_t{work.context.device.limits().warp}}}),
        message("threads.recommend.bounds")};
}

}  // namespace

Result<record::Page> threads(const Context& context, const Choices& choices) {
    auto picture = picture_of(choices);
    if (!picture) return std::move(picture).error();
    Work work{context};
    record::Page& page = work.page;
    page = page_of("threads", {"000", "003"});
    auto maps = map_section(work);
    if (!maps) return std::move(maps).error();
    auto cuts = warp_section(work);
    if (!cuts) return std::move(cuts).error();
    auto covers = cover_picture(work, *picture);
    if (!covers) return std::move(covers).error();
    std::vector<arch::DeviceModel> models;
    record::Section limits{message("threads.heading.limits"), {}};
    add(limits, limits_table(models));
    add(limits, residents_table(models));
    auto bounds = bounds_section(work, *picture, text_cover(*covers));
    if (!bounds) return std::move(bounds).error();
    conclude(work, *picture, *covers);
    page.repeat = {command_line(context, "threads", choices)};
    for (record::Section section :
         {std::move(*maps), std::move(*cuts), waste_section(*picture, *covers), std::move(limits), std::move(*bounds)})
        page.sections.push_back(std::move(section));
    return std::move(work.page);
}

}  // namespace warpwright::lab::pages
