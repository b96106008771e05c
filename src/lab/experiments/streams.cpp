// Copy, kernel, copy back: in line against overlapped in streams, what breaks the overlap, and what the engines of a
// device allow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/page_parts.hpp"
#include "timeline/timeline.hpp"

namespace warpwright::lab {
namespace {

using device::StreamKind;
using record::Basis;

enum Stage { up, kernel, down, kStages };
constexpr int kMostStreams = 8;

/// How one run is set up.
struct Setup {
    std::string key;  ///< "line", "overlap", "default", "pageable", "between"
    int streams = 1, pieces = 1;
    StreamKind kind = StreamKind::independent;
    bool pinned = true;
    bool between = false;  ///< an empty piece of work in the default stream after each piece
};

struct Piece {
    int piece = 0;
    double ready = 0;  ///< when its stream had come to it
    double end[kStages] = {};
};

struct Run {
    Setup setup;
    double seconds = NAN;
    std::vector<Piece> pieces;
};

class Streams {
public:
    Streams(const Context& context, const Choices& choices, Workbench bench)
        : context_(context), choices_(choices), bench_(std::move(bench)) {}

    Result<record::Page> run() {
        page_ = page_of("streams", {"000"});
        n_ = choices_.sizes.empty() ? (bench_.measured() ? std::int64_t{1} << 24
                                       : choices_.quick  ? std::int64_t{1} << 18
                                                         : std::int64_t{1} << 20)
                                    : choices_.sizes[0][0];
        if (n_ < 1024 || n_ > (std::int64_t{1} << 28))
            return Error{ErrorKind::usage, "the streams share 2^10 to 2^28 elements", {}, "--size 2^20"};
        if (auto ok = prepare(); !ok) return ok.error();
        if (auto ok = calibrate(); !ok) return ok.error();
        auto line = once({"line", 1, 1, StreamKind::independent, true, false});
        if (!line) return line.error();
        runs_.push_back(std::move(*line));
        for (int s = 2; s <= kMostStreams; ++s)
            if (auto ok = add({"overlap", s, s, StreamKind::independent, true, false}); !ok) return ok.error();
        first_breaker_ = runs_.size();
        for (const Setup& setup : {Setup{"one", 1, 4, StreamKind::independent, true, false},
                                   Setup{"default", 4, 4, StreamKind::legacy_default, true, false},
                                   Setup{"between", 4, 4, StreamKind::blocking, true, true},
                                   Setup{"free", 4, 4, StreamKind::independent, true, true},
                                   Setup{"pageable", 4, 4, StreamKind::independent, false, false}})
            if (auto ok = add(setup); !ok) return ok.error();
        overlap_section();
        breaker_section();
        engine_section();
        conclude();
        page_.repeat = {
            fmt::format("warpwright lab streams --size {}{}", n_, bench_.measured() ? "" : " --device emulated")};
        return std::move(page_);
    }

private:
    Result<void> prepare() {
        auto module = bench_.load("streams/work.cu");
        if (!module) return module.error();
        module_ = *module;
        const auto bytes = static_cast<std::uint64_t>(4 * n_);
        for (auto* at : {&in_, &out_}) {
            auto made = bench_.allocate(bytes);
            if (!made) return made.error();
            *at = *made;
        }
        for (auto* host : {&pinned_in_, &pinned_out_}) {
            auto made = bench_.device().streams().allocate_host(bytes);
            if (!made) return made.error();
            *host = std::move(*made);
        }
        plain_in_.resize(bytes);
        plain_out_.resize(bytes);
        std::vector<float> x(static_cast<std::size_t>(n_));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 2654435761u >> 8) % 1000) / 1000.0f;
        std::memcpy(plain_in_.data(), x.data(), bytes);
        std::memcpy(pinned_in_->bytes().data(), x.data(), bytes);
        return {};
    }

    /// As many rounds as make the kernel last as long as a copy: then overlapping pays most.
    Result<void> calibrate() {
        rounds_ = 64;
        for (int attempt = 0; attempt < 3; ++attempt) {
            auto run = once({"line", 1, 1, StreamKind::independent, true, false});
            if (!run) return run.error();
            const Piece& p = run->pieces.front();
            const double copy = std::max(p.end[up], p.end[down] - p.end[kernel]), work = p.end[kernel] - p.end[up];
            if (!(copy > 0) || !(work > 0)) return {};
            const double wanted = rounds_ * copy / work;
            if (std::abs(wanted / rounds_ - 1) < 0.02) return {};
            rounds_ = static_cast<std::int32_t>(std::clamp(wanted, 1.0, bench_.measured() ? 1e6 : 2e4));
        }
        return {};
    }

    Result<void> add(const Setup& setup) {
        if (context_.cancelled()) return {};
        auto run = once(setup);
        if (!run) return run.error();
        runs_.push_back(std::move(*run));
        return {};
    }

    /// The median run of some; one where times are modelled.
    Result<Run> once(const Setup& setup) {
        std::vector<Run> runs;
        for (int i = 0; i < (bench_.measured() ? 7 : 1); ++i) {
            auto run = queue(setup);
            if (!run) return run;
            if (i > 0 || !bench_.measured()) runs.push_back(std::move(*run));  // the first warms up
        }
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.seconds < b.seconds; });
        return std::move(runs[runs.size() / 2]);
    }

    using Events = std::array<std::unique_ptr<device::Event>, kStages + 1>;

    /// A piece's copy to the device, kernel and copy back, each between two events.
    Result<void> queue_piece(const Setup& setup, int p, device::Stream& s, device::Stream& zero, Events& e,
                             std::span<const std::byte> in, std::span<std::byte> out) {
        const std::int64_t unit = (n_ + setup.pieces - 1) / setup.pieces;
        const std::int64_t begin = std::min(n_, p * unit), count = std::min(n_, begin + unit) - begin;
        const auto offset = static_cast<std::uint64_t>(4 * begin), bytes = static_cast<std::uint64_t>(4 * count);
        const device::LaunchConfig config{{static_cast<std::uint32_t>((count + 255) / 256), 1, 1}, {256, 1, 1}};
        auto step = bench_.step(module_, "work", config,
                                {in_ + offset, out_ + offset, static_cast<std::int32_t>(count), rounds_});
        if (!step) return std::move(step).error();
        if (auto ok = s.record(*e[kStages]); !ok) return ok.error();
        if (auto ok = s.write(in_ + offset, in.subspan(offset, bytes)); !ok) return ok.error();
        if (auto ok = s.record(*e[up]); !ok) return ok.error();
        if (auto ok = s.launch(*step); !ok) return ok.error();
        if (auto ok = s.record(*e[kernel]); !ok) return ok.error();
        if (auto ok = s.read(out.subspan(offset, bytes), out_ + offset); !ok) return ok.error();
        if (auto ok = s.record(*e[down]); !ok) return ok.error();
        if (setup.between)
            if (auto ok = zero.fill(in_, 0, 4); !ok) return ok.error();
        return {};
    }

    /// When a piece's stages ended, in seconds after the start.
    static Result<Piece> piece_times(int p, const Events& events, const device::Event& start) {
        Piece piece{p, 0, {}};
        auto ready = events[kStages]->since(start);
        if (!ready) return ready.error();
        piece.ready = ready->value_or(0);
        for (int stage = 0; stage < kStages; ++stage) {
            auto at = events[static_cast<std::size_t>(stage)]->since(start);
            if (!at) return at.error();
            piece.end[stage] = at->value_or(NAN);
        }
        return piece;
    }

    Result<Run> queue(const Setup& setup) {
        device::Device& d = bench_.device();
        const auto in = setup.pinned ? pinned_in_->bytes() : std::span(plain_in_),
                   out = setup.pinned ? pinned_out_->bytes() : std::span(plain_out_);
        std::fill(out.begin(), out.end(), std::byte{0xFF});
        if (auto ok = d.fill(out_, 0xFF, static_cast<std::uint64_t>(4 * n_)); !ok) return ok.error();
        std::vector<std::unique_ptr<device::Stream>> streams;
        for (int i = 0; i < setup.streams; ++i) {
            auto made = d.streams().make_stream_as(setup.kind);
            if (!made) return made.error();
            streams.push_back(std::move(*made));
        }
        auto zero = d.streams().make_stream_as(StreamKind::legacy_default);
        if (!zero) return zero.error();
        auto start = d.streams().make_event();
        if (!start) return start.error();
        std::vector<Events> events(static_cast<std::size_t>(setup.pieces));
        for (auto& list : events)
            for (auto& e : list) {
                auto made = d.streams().make_event();
                if (!made) return made.error();
                e = std::move(*made);
            }
        // Nothing begins before the start is recorded.
        if (auto ok = streams[0]->record(**start); !ok) return ok.error();
        for (std::size_t i = 1; i < streams.size(); ++i)
            if (auto ok = streams[i]->wait(**start); !ok) return ok.error();
        for (int p = 0; p < setup.pieces; ++p)
            if (auto ok = queue_piece(setup, p, *streams[static_cast<std::size_t>(p % setup.streams)], **zero,
                                      events[static_cast<std::size_t>(p)], in, out);
                !ok)
                return ok.error();
        for (auto& s : streams)
            if (auto ok = s->finish(bench_.timeout()); !ok) return ok.error();
        if (auto ok = (*zero)->finish(bench_.timeout()); !ok) return ok.error();
        Run run{setup, 0, {}};
        for (std::size_t p = 0; p < events.size(); ++p) {
            auto piece = piece_times(static_cast<int>(p), events[p], **start);
            if (!piece) return std::move(piece).error();
            run.seconds = std::max(run.seconds, piece->end[down]);
            run.pieces.push_back(*piece);
        }
        verify(setup, in, out);
        return run;
    }

    /// Some elements against the host's own, bit by bit: fma rounds once everywhere. With an intruder the first one is
    /// zero.
    void verify(const Setup& setup, std::span<const std::byte> in, std::span<const std::byte> out) {
        for (std::int64_t i = 1; i < n_; i += std::max<std::int64_t>(1, n_ / 61)) {
            float x = 0, got = 0;
            std::memcpy(&x, in.data() + 4 * i, 4);
            std::memcpy(&got, out.data() + 4 * i, 4);
            float v = x;
            for (int r = 0; r < rounds_; ++r) v = std::fma(v, 0.999f, x);
            if (v == got) continue;
            page_.problems.push_back(fmt::format("{}: element {} is {} and not {}", setup.key, i, got, v));
            return;
        }
    }

    /// When a stage of a piece began: when what it waits for had ended, in its stream or on its engine.
    static double begin_of(const Run& run, std::size_t p, int stage) {
        const Piece& mine = run.pieces[p];
        double begin = stage > 0 ? mine.end[stage - 1] : mine.ready;
        for (std::size_t q = 0; q < run.pieces.size(); ++q) {
            const Piece& other = run.pieces[q];
            if (q != p && other.end[stage] <= mine.end[stage] && (other.end[stage] < mine.end[stage] || q < p))
                begin = std::max(begin, other.end[stage]);
            const bool same_stream =
                run.setup.kind == StreamKind::legacy_default ||
                q % static_cast<std::size_t>(run.setup.streams) == p % static_cast<std::size_t>(run.setup.streams);
            if (q < p && stage == 0 && same_stream) begin = std::max(begin, other.end[down]);
        }
        return std::min(begin, mine.end[stage]);
    }

    record::Timeline picture(const Run& run) {
        record::Timeline t;
        t.id = run.setup.key + "-" + std::to_string(run.setup.streams);
        t.title = name_of(run.setup);
        t.unit = "s";
        t.basis = bench_.basis();
        const char* keys[] = {"streams.stage.up", "streams.stage.kernel", "streams.stage.down"};
        for (int stage = 0; stage < kStages; ++stage) {
            record::Lane lane{message(keys[stage]), {}};
            for (std::size_t p = 0; p < run.pieces.size(); ++p)
                lane.spans.push_back(
                    {begin_of(run, p, stage), run.pieces[p].end[stage], std::to_string(p + 1), static_cast<int>(p)});
            std::sort(lane.spans.begin(), lane.spans.end(),
                      [](const record::Span& a, const record::Span& b) { return a.begin < b.begin; });
            t.lanes.push_back(std::move(lane));
        }
        for (std::size_t p = 0; p < run.pieces.size(); ++p)
            t.legend.push_back(
                {static_cast<int>(p), message("streams.piece", {{"piece", static_cast<std::int64_t>(p + 1)}})});
        return t;
    }

    Text name_of(const Setup& s) {
        return message("streams.setup." + s.key,
                       {{"streams", std::int64_t{s.streams}}, {"pieces", std::int64_t{s.pieces}}});
    }

    record::Table table(const std::string& id, const Text& title) {
        record::Table t;
        t.id = id;
        t.title = title;
        t.columns = {{message("streams.column.setup")},
                     {message("streams.column.streams"), "", Basis::computed},
                     {message("streams.column.pieces"), "", Basis::computed},
                     {message("streams.column.time"), "s", bench_.basis()},
                     {message("streams.column.speedup"), "", bench_.basis()},
                     {message("streams.column.ideal"), "s", Basis::computed}};
        return t;
    }

    /// A pipeline of three stages that run beside each other: the first piece through all, the others behind the
    /// longest.
    double ideal(int pieces) const {
        const Piece& p = runs_.front().pieces.front();
        const double stage[] = {p.end[up], p.end[kernel] - p.end[up], p.end[down] - p.end[kernel]};
        return (stage[0] + stage[1] + stage[2] + (pieces - 1) * *std::max_element(stage, stage + kStages)) / pieces;
    }

    void add_row(record::Table& t, const Run& run) {
        t.rows.push_back({name_of(run.setup), std::int64_t{run.setup.streams}, std::int64_t{run.setup.pieces},
                          number(run.seconds), number(runs_.front().seconds / run.seconds),
                          number(ideal(run.setup.pieces))});
    }

    void overlap_section() {
        record::Section section{message("streams.overlap.heading"), {}};
        const Piece& p = runs_.front().pieces.front();
        section.blocks.push_back(
            text_of(message("streams.overlap.text", {{"bytes", with_prefix(4.0 * static_cast<double>(n_), "B")},
                                                     {"rounds", std::int64_t{rounds_}},
                                                     {"up", with_prefix(p.end[up], "s")},
                                                     {"kernel", with_prefix(p.end[kernel] - p.end[up], "s")},
                                                     {"down", with_prefix(p.end[down] - p.end[kernel], "s")}})));
        if (!bench_.measured())
            section.blocks.push_back(note_of(message("streams.modelled", {{"model", bench_.model().title}})));
        record::Table t = table("overlap", message("streams.table.overlap"));
        record::Plot plot;
        plot.id = "speedup";
        plot.title = message("streams.plot.title");
        plot.x_label = message("streams.column.streams");
        plot.y_label = message("streams.column.speedup");
        record::Series got{message("streams.plot.got"), {}, {}, {}, bench_.basis()},
            best{message("streams.plot.ideal"), {}, {}, {}, Basis::computed};
        for (std::size_t i = 0; i < first_breaker_; ++i) {
            add_row(t, runs_[i]);
            for (auto* s : {&got, &best}) s->x.push_back(runs_[i].setup.streams);
            got.y.push_back(runs_[0].seconds / runs_[i].seconds);
            best.y.push_back(runs_[0].seconds / ideal(runs_[i].setup.pieces));
        }
        plot.series = {std::move(got), std::move(best)};
        section.blocks.push_back(std::move(t));
        section.blocks.push_back(std::move(plot));
        section.blocks.push_back(picture(runs_[0]));
        for (std::size_t i = 1; i < first_breaker_; ++i)
            if (runs_[i].setup.streams == 4) section.blocks.push_back(picture(runs_[i]));
        page_.sections.push_back(std::move(section));
    }

    void breaker_section() {
        record::Section section{message("streams.breaks.heading"), {text_of(message("streams.breaks.text"))}};
        record::Table t = table("breaks", message("streams.table.breaks"));
        for (std::size_t i = first_breaker_; i < runs_.size(); ++i) add_row(t, runs_[i]);
        section.blocks.push_back(std::move(t));
        for (std::size_t i = first_breaker_; i < runs_.size(); ++i) section.blocks.push_back(picture(runs_[i]));
        page_.sections.push_back(std::move(section));
    }

    /// What other devices would do with the same stages, by the model of their engines.
    void engine_section() {
        record::Section section{message("streams.engines.heading"), {text_of(message("streams.engines.text"))}};
        record::Table t;
        t.id = "engines";
        t.title = message("streams.engines.table");
        t.columns = {{message("streams.engines.device")},
                     {message("streams.engines.order")},
                     {message("streams.column.time"), "s", Basis::computed},
                     {message("streams.column.speedup"), "", Basis::computed}};
        const Piece& p = runs_.front().pieces.front();
        const double stage[] = {p.end[up], p.end[kernel] - p.end[up], p.end[down] - p.end[kernel]};
        constexpr int kPieces = 4;
        const struct {
            const char* key;
            unsigned engines, queues;
        } devices[] = {{"one_queue", 1, 1}, {"two_one_queue", 2, 1}, {"one", 1, 32}, {"two", 2, 32}};
        for (const auto& d : devices)
            for (const bool depth : {true, false}) {
                timeline::Model model;
                model.copy_engines = d.engines;
                model.hardware_queues = d.queues;
                model.to_device = 1 / std::max(stage[up], 1e-12);  // a whole copy is one byte
                model.to_host = 1 / std::max(stage[down], 1e-12);
                timeline::Timeline line(model);
                std::vector<std::size_t> streams;
                for (int i = 0; i < kPieces; ++i) streams.push_back(line.add_stream(StreamKind::independent));
                const auto part = [&](std::size_t s, int k) {
                    constexpr timeline::Kind kKinds[] = {timeline::Kind::to_device, timeline::Kind::kernel,
                                                         timeline::Kind::to_host};
                    timeline::Work work;
                    work.kind = kKinds[k], work.bytes = 1, work.seconds = stage[kernel];
                    line.issue_known(s, std::move(work));
                };
                // A piece through its stages before the next piece, or a stage of all pieces before the next stage.
                for (int i = 0; i < kPieces * kStages; ++i)
                    depth ? part(streams[static_cast<std::size_t>(i / kStages)], i % kStages)
                          : part(streams[static_cast<std::size_t>(i % kPieces)], i / kPieces);
                line.finish();
                const double end = line.host();
                const double whole = stage[0] + stage[1] + stage[2];
                t.rows.push_back({message(std::string("streams.engines.") + d.key),
                                  message(depth ? "streams.engines.depth" : "streams.engines.breadth"),
                                  number(end / kPieces), number(whole * kPieces / end)});
            }
        section.blocks.push_back(std::move(t));
        page_.sections.push_back(std::move(section));
    }

    void conclude() {
        const Run* best = &runs_.front();
        for (std::size_t i = 1; i < first_breaker_; ++i)
            if (runs_[i].seconds < best->seconds) best = &runs_[i];
        const double line = runs_.front().seconds;
        page_.conclusions.push_back(
            message(best == &runs_.front() ? "streams.conclusion.none" : "streams.conclusion.best",
                    {{"streams", std::int64_t{best->setup.streams}},
                     {"speedup", line / best->seconds},
                     {"line", with_prefix(line, "s")},
                     {"time", with_prefix(best->seconds, "s")}}));
        const Run* four = nullptr;
        for (std::size_t i = 0; i < first_breaker_; ++i)
            if (runs_[i].setup.streams == 4) four = &runs_[i];
        if (!four) return;
        for (std::size_t i = first_breaker_; i < runs_.size(); ++i) {
            const double slower = runs_[i].seconds / four->seconds;
            const bool breaks = slower > 1.1;
            page_.conclusions.push_back(message(breaks ? "streams.conclusion.breaks" : "streams.conclusion.keeps",
                                                {{"setup", name_of(runs_[i].setup)}, {"slower", slower}}));
        }
        page_.recommendations.push_back(message("streams.recommendation"));
    }

    const Context& context_;
    const Choices& choices_;
    Workbench bench_;
    record::Page page_;
    std::int64_t n_ = 0;
    std::int32_t rounds_ = 64;
    std::shared_ptr<device::Module> module_;
    device::Address in_ = 0, out_ = 0;
    std::unique_ptr<device::HostMemory> pinned_in_, pinned_out_;
    std::vector<std::byte> plain_in_, plain_out_;
    std::vector<Run> runs_;  ///< [0]: in line; then 2 to 8 streams; then what breaks the overlap
    std::size_t first_breaker_ = 0;
};

}  // namespace

namespace pages {
Result<record::Page> streams(const Context& context, const Choices& choices) {
    auto bench = Workbench::with_streams(context);
    if (!bench) return std::move(bench).error();
    return Streams(context, choices, std::move(*bench)).run();
}
}  // namespace pages

}  // namespace warpwright::lab
