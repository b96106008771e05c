// Latency: which line, controller and bank an address goes to, and how many warps fill the bubbles of a
// multiprocessor's pipelines, generation by generation.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "lab/experiments/hardware.hpp"
#include "lab/experiments/pipeline.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Scalar;

constexpr std::uint64_t kInterleave = 256;  ///< bytes that follow each other in one controller
constexpr std::uint64_t kBanks = 16;

/// The simplified memory of the page: neighbouring pieces of 256 bytes go to controllers in turn, then to banks.
struct Memory {
    std::uint64_t controllers, line;
    std::uint64_t controller(std::uint64_t address) const { return address / kInterleave % controllers; }
    std::uint64_t bank(std::uint64_t address) const { return address / kInterleave / controllers % kBanks; }
};

Memory memory_of(const arch::DeviceModel& m) { return {std::max<std::uint64_t>(1, m.memory.bus / 64), m.cache.line}; }

class LatencyPage {
public:
    LatencyPage(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("latency", {"004", "000"});
        for (const char* name : {"gtx580", "k40c", "gtx980", "hd7970"}) {
            auto m = arch::load_model(name);
            if (!m) return std::move(m).error();
            models_.push_back(std::move(*m));
        }
        if (context_.model.latency.arithmetic > 0 &&
            std::none_of(models_.begin(), models_.end(), [&](const auto& m) { return m.name == context_.model.name; }))
            models_.push_back(context_.model);
        addresses();
        units();
        pipelines();
        starting();
        page_.recommendations = {message("latency.recommendation")};
        page_.repeat = {"warpwright lab latency", "warpwright device hd7970"};
        return std::move(page_);
    }

private:
    /// The bits of an address, where the number of controllers is a power of two.
    record::CellMap address_bits(const arch::DeviceModel& m) {
        const Memory memory = memory_of(m);
        record::CellMap bits;
        bits.id = "address-bits";
        bits.title = message("latency.map.bits", {{"model", m.title}});
        std::vector<record::Cell> row;
        const auto log2 = [](std::uint64_t n) {
            return static_cast<int>(std::lround(std::log2(static_cast<double>(n))));
        };
        const int line = log2(memory.line), piece = log2(kInterleave), controllers = log2(memory.controllers),
                  banks = log2(kBanks);
        for (int bit = 19; bit >= 0; --bit) {
            bits.column_names.push_back(std::to_string(bit));
            record::Cell c;
            c.tone = bit < line                          ? 0
                     : bit < piece                       ? 1
                     : bit < piece + controllers         ? 2
                     : bit < piece + controllers + banks ? 3
                                                         : 4;
            row.push_back(std::move(c));
        }
        bits.rows.push_back(std::move(row));
        bits.row_names = {message("latency.bit")};
        bits.legend = {{0, message("latency.legend.in_line")},
                       {1, message("latency.legend.line")},
                       {2, message("latency.legend.controller")},
                       {3, message("latency.legend.bank")},
                       {4, message("latency.legend.row")}};
        bits.caption = message("latency.caption.bits");
        return bits;
    }

    /// Warps that begin a pitch apart: which controllers they meet.
    record::Table busy_controllers() {
        record::Table t;
        t.id = "controllers";
        t.title = message("latency.table.controllers");
        t.columns = {{message("latency.column.pitch"), "B"}};
        for (const arch::DeviceModel& model : models_)
            if (model.memory.bus > 0)
                t.columns.push_back(
                    {message("latency.column.busy", {{"model", model.title},
                                                     {"all", static_cast<std::int64_t>(memory_of(model).controllers)}}),
                     "", Basis::computed, 3, true});
        double worst = 1;
        std::uint64_t worst_pitch = 0;
        std::string worst_model;
        for (std::uint64_t pitch : {128, 256, 512, 1024, 4096, 8192, 4096 + 256, 8192 + 256}) {
            std::vector<Scalar> cells{static_cast<std::int64_t>(pitch)};
            for (const arch::DeviceModel& model : models_) {
                if (model.memory.bus == 0) continue;
                const std::vector<unsigned> load = loads(memory_of(model), pitch);
                const auto busy = std::count_if(load.begin(), load.end(), [](unsigned n) { return n > 0; });
                const double share = static_cast<double>(busy) / static_cast<double>(load.size());
                if (share < worst) worst = share, worst_pitch = pitch, worst_model = model.title;
                cells.emplace_back(static_cast<std::int64_t>(busy));
            }
            t.rows.push_back(std::move(cells));
        }
        t.caption = message("latency.caption.controllers");
        if (worst < 1)
            page_.conclusions.push_back(message(
                "latency.conclusion.controllers",
                {{"model", worst_model}, {"pitch", static_cast<std::int64_t>(worst_pitch)}, {"share", 100 * worst}}));
        return t;
    }

    /// The controller and the bank of the first address of each of eight warps.
    record::CellMap controllers_map(const arch::DeviceModel& m, std::uint64_t pitch) {
        const Memory memory = memory_of(m);
        record::CellMap map;
        map.id = fmt::format("controllers-{}", pitch);
        map.title =
            message("latency.map.controllers", {{"pitch", static_cast<std::int64_t>(pitch)}, {"model", m.title}});
        for (std::uint64_t c = 0; c < memory.controllers; ++c) map.column_names.push_back(std::to_string(c));
        for (unsigned warp = 0; warp < 8; ++warp) {
            map.row_names.push_back(message("latency.warp", {{"n", std::int64_t{warp}}}));
            std::vector<record::Cell> cells(memory.controllers);
            const std::uint64_t address = warp * pitch;
            record::Cell& c = cells[memory.controller(address)];
            c.text = std::to_string(memory.bank(address));
            c.tone = 0;
            map.rows.push_back(std::move(cells));
        }
        map.legend = {{0, message("latency.legend.number")}};
        return map;
    }

    void addresses() {
        record::Section s{message("latency.section.addresses"), {paragraph(message("latency.text.addresses"))}};
        const arch::DeviceModel& m = models_[2];
        s.blocks.emplace_back(address_bits(m));
        s.blocks.emplace_back(busy_controllers());
        for (std::uint64_t pitch : {std::uint64_t{256}, std::uint64_t{4096}, std::uint64_t{4096 + 256}})
            s.blocks.emplace_back(controllers_map(m, pitch));
        s.blocks.emplace_back(paragraph(message("latency.text.hash"), record::Paragraph::Kind::note));
        page_.sections.push_back(std::move(s));
    }

    /// Lines that 64 warps, a pitch apart, ask of each controller.
    static std::vector<unsigned> loads(const Memory& m, std::uint64_t pitch) {
        std::vector<unsigned> out(m.controllers, 0);
        for (std::uint64_t warp = 0; warp < 64; ++warp) ++out[m.controller(warp * pitch)];
        return out;
    }

    void units() {
        record::Table t;
        t.id = "multiprocessors";
        t.title = message("latency.table.multiprocessors");
        t.columns = {{message("latency.column.device")}};
        for (const char* c : {"lanes", "schedulers", "issue", "fp32", "fp64", "special", "latency", "shared"})
            t.columns.push_back({message(fmt::format("latency.column.{}", c)),
                                 std::string_view(c) == "shared" ? "KiB" : "", Basis::quoted});
        for (const arch::DeviceModel& m : models_)
            t.rows.push_back({m.title, std::int64_t{m.limits.warp}, std::int64_t{m.sm.schedulers},
                              m.sm.issue_per_scheduler, m.units.fp32,
                              m.units.fp64 > 0 ? Scalar(m.units.fp64) : Scalar(), m.units.special, m.latency.arithmetic,
                              std::int64_t{m.limits.shared_per_sm / 1024}});
        page_.sections.push_back({message("latency.section.multiprocessors"),
                                  {paragraph(message("latency.text.multiprocessors")), std::move(t)}});
    }

    void pipelines() {
        record::Section s{message("latency.section.bubbles"), {paragraph(message("latency.text.bubbles"))}};
        record::Plot p;
        p.id = "utilisation";
        p.title = message("latency.plot.utilisation");
        p.x_label = message("latency.axis.warps");
        p.y_label = message("latency.axis.share");
        record::Table t;
        t.id = "warps";
        t.title = message("latency.table.warps");
        t.columns = {{message("latency.column.device")},
                     {message("latency.column.independent")},
                     {message("latency.column.needed"), "", Basis::computed},
                     {message("latency.column.simulated"), "", Basis::predicted},
                     {message("latency.column.best"), "%", Basis::predicted},
                     {message("latency.column.most"), "", Basis::quoted}};
        for (const arch::DeviceModel& m : models_)
            for (unsigned independent : {1u, 2u}) {
                const Pipeline pipe = Pipeline::of(m, independent);
                record::Series line =
                    series(message("latency.series.model", {{"model", m.name}, {"n", std::int64_t{independent}}}),
                           Basis::predicted);
                double best = 0;
                unsigned needed = 0;
                for (unsigned warps = 1; warps <= m.limits.warps_per_sm; ++warps) {
                    const double share = pipe.run(warps).share;
                    point(line, warps, 100 * share);
                    if (share > best + 1e-9) best = share, needed = warps;
                }
                p.series.push_back(std::move(line));
                t.rows.push_back({m.title, std::int64_t{independent}, std::int64_t{pipe.warps_needed()},
                                  std::int64_t{needed}, 100 * best, std::int64_t{m.limits.warps_per_sm}});
                if (independent == 1)
                    page_.conclusions.push_back(message("latency.conclusion.warps", {{"model", m.title},
                                                                                     {"warps", std::int64_t{needed}},
                                                                                     {"latency", m.latency.arithmetic},
                                                                                     {"share", 100 * best}}));
            }
        p.caption = message("latency.caption.utilisation");
        t.caption = message("latency.caption.warps");
        s.blocks.emplace_back(std::move(t));
        s.blocks.emplace_back(std::move(p));
        for (const arch::DeviceModel& m : models_) {
            const Pipeline pipe = Pipeline::of(m, 1);
            for (const bool full : {false, true}) {
                const unsigned warps = full ? std::min(pipe.warps_needed(), m.limits.warps_per_sm) : m.sm.schedulers;
                if (full && warps <= m.sm.schedulers) continue;
                s.blocks.emplace_back(timeline(m, pipe, warps, full));
            }
        }
        page_.sections.push_back(std::move(s));
    }

    record::Timeline timeline(const arch::DeviceModel& m, const Pipeline& pipe, unsigned warps, bool full) const {
        constexpr unsigned kCycles = 48;
        record::Timeline t;
        t.id = fmt::format("issue-{}-{}", m.name, full ? "full" : "few");
        std::replace(t.id.begin(), t.id.end(), '_', '-');
        t.title = message("latency.timeline", {{"model", m.title}, {"warps", std::int64_t{warps}}});
        t.unit = message("latency.unit.cycle");
        t.basis = Basis::predicted;
        const Pipeline::Result run = pipe.run(warps, kCycles);
        for (unsigned k = 0; k < m.sm.schedulers; ++k) {
            record::Lane lane{message("latency.scheduler", {{"n", std::int64_t{k}}}), {}};
            double idle_from = 0;
            for (const Pipeline::Issue& i : run.trace) {
                if (i.scheduler != k) continue;
                if (i.cycle > idle_from) lane.spans.push_back({idle_from, double(i.cycle), "", 1});
                lane.spans.push_back({double(i.cycle), double(i.cycle + pipe.period), std::to_string(i.warp), 0});
                idle_from = i.cycle + pipe.period;
            }
            if (idle_from < kCycles) lane.spans.push_back({idle_from, kCycles, "", 1});
            t.lanes.push_back(std::move(lane));
        }
        t.legend = {{0, message("latency.legend.issue")}, {1, message("latency.legend.bubble")}};
        return t;
    }

    /// What the text (004) says of the schedulers of each generation, and pictures of its rules: odd and even warps,
    /// two instructions of one warp at a time, a scalar unit beside vector units.
    void starting() {
        record::Section s{message("latency.section.starting"), {paragraph(message("latency.text.starting"))}};
        record::Table t;
        t.id = "starting";
        t.title = message("latency.table.starting");
        t.columns = {{message("latency.column.generation")}};
        for (const char* c : {"schedulers", "at_once", "choice"})
            t.columns.push_back({message(fmt::format("latency.column.{}", c)), "", Basis::quoted});
        for (const auto& [generation, schedulers] :
             {std::pair{"2.0", 2}, {"2.1", 2}, {"3.x", 4}, {"5.x", 4}, {"GCN", 1}}) {
            std::string key = generation;
            std::erase(key, '.');
            t.rows.push_back({generation, std::int64_t{schedulers}, message("latency.at_once." + key),
                              message("latency.choice." + key)});
        }
        s.blocks.emplace_back(std::move(t));
        s.blocks.emplace_back(odd_and_even());
        for (const arch::DeviceModel& m : models_)
            if (m.sm.issue_per_scheduler >= 2) s.blocks.emplace_back(dual_issue(m));
        s.blocks.emplace_back(scalar_and_vectors());
        page_.sections.push_back(std::move(s));
    }

    record::Timeline rules(const char* key) const {
        record::Timeline t;
        t.id = key;
        t.title = message(fmt::format("latency.rules.{}", key));
        t.caption = message(fmt::format("latency.caption.{}", key));
        t.unit = message("latency.unit.cycle");
        t.basis = Basis::computed;
        return t;
    }

    /// Compute capability 2.0: one scheduler has the odd warps, the other one the even warps, and each starts an
    /// instruction every other cycle, for half of the 32 elements.
    record::Timeline odd_and_even() const {
        constexpr unsigned kWarps = 8, kTurns = 8;
        record::Timeline t = rules("parity");
        for (const unsigned first : {1u, 0u}) {
            record::Lane lane{message(first ? "latency.lane.odd" : "latency.lane.even"), {}};
            for (unsigned turn = 0; turn < kTurns; ++turn)
                lane.spans.push_back({2.0 * turn, 2.0 * turn + 2, std::to_string((first + 2 * turn) % kWarps), 0});
            t.lanes.push_back(std::move(lane));
        }
        t.legend = {{0, message("latency.legend.issue")}};
        return t;
    }

    /// One scheduler with two chains in each warp, by the model of the schedulers: where both can start they do.
    record::Timeline dual_issue(const arch::DeviceModel& m) const {
        constexpr unsigned kCycles = 24;
        record::Timeline t = rules("dual");
        t.id = "dual-" + m.name;
        std::replace(t.id.begin(), t.id.end(), '_', '-');
        t.title += ": " + m.title;
        t.basis = Basis::predicted;
        for (const unsigned independent : {1u, 2u}) {
            const Pipeline pipe = Pipeline::of(m, independent);
            record::Lane lane{message("latency.lane.chains", {{"n", std::int64_t{independent}}}), {}};
            for (const Pipeline::Issue& i : pipe.run(m.limits.warps_per_sm, kCycles).trace)
                if (i.scheduler == 0)
                    lane.spans.push_back(
                        {double(i.cycle), double(i.cycle + 1), std::to_string(i.count), i.count > 1 ? 1 : 0});
            t.lanes.push_back(std::move(lane));
        }
        t.legend = {{0, message("latency.legend.single")}, {1, message("latency.legend.pair")}};
        return t;
    }

    /// GCN: each cycle one of the four vector units gets its next instruction, on which it works for four cycles; the
    /// scalar unit takes one beside it.
    record::Timeline scalar_and_vectors() const {
        constexpr unsigned kCycles = 16, kUnits = 4, kPasses = 64 / 16;
        record::Timeline t = rules("gcn");
        record::Lane scalar{message("latency.lane.scalar"), {}};
        for (unsigned c = 0; c < kCycles; ++c) scalar.spans.push_back({double(c), double(c + 1), "", 1});
        t.lanes.push_back(std::move(scalar));
        for (unsigned unit = 0; unit < kUnits; ++unit) {
            record::Lane lane{message("latency.lane.vector", {{"n", std::int64_t{unit}}}), {}};
            for (unsigned c = unit; c < kCycles; c += kPasses)
                lane.spans.push_back({double(c), double(c + kPasses), std::to_string(c / kPasses), 0});
            t.lanes.push_back(std::move(lane));
        }
        t.legend = {{0, message("latency.legend.vector")}, {1, message("latency.legend.scalar")}};
        return t;
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::vector<arch::DeviceModel> models_;
};

}  // namespace

Result<record::Page> pages::latency(const Context& context, const Choices& choices) {
    return LatencyPage(context, choices).run();
}

}  // namespace warpwright::lab
