// Transfers between host and device: bandwidthTest's three figures, and by size, pinned and pageable, both ways at
// once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/side_by_side.hpp"
#include "lab/experiments/workbench.hpp"
#include "lab/page/page_parts.hpp"
#include "lab/page/sentence_figures.hpp"

namespace warpwright::lab {
namespace {

using record::Basis;

enum Way { to_device, to_host, both, pageable_to_device, pageable_to_host, on_device, kWays };
constexpr const char* kKeys[] = {"to_device", "to_host", "both", "pageable_to_device", "pageable_to_host", "on_device"};
constexpr std::uint64_t kTextBytes = 32'000'000;  ///< what bandwidthTest moves

class Transfers {
public:
    Transfers(const Context& context, const Choices& choices, Workbench bench)
        : context_(context), choices_(choices), bench_(std::move(bench)) {}

    Result<record::Page> run() {
        page_ = page_of("transfers", {"000"});
        std::vector<std::uint64_t> sizes;
        const int last = bench_.measured() ? 28 : choices_.quick ? 24 : 26;
        for (int e = 10; e <= last; e += 2) sizes.push_back(std::uint64_t{1} << e);
        if (!choices_.sizes.empty()) {
            sizes.clear();
            for (const Size& s : choices_.sizes) {
                if (s[0] < 1 || s[0] > (std::int64_t{1} << 32))
                    return Error{ErrorKind::usage, "a transfer has 1 to 2^32 bytes", {}, "--size 2^20"};
                sizes.push_back(static_cast<std::uint64_t>(s[0]));
            }
            std::sort(sizes.begin(), sizes.end());
        }
        const std::uint64_t most = std::max(sizes.back(), kTextBytes);
        if (auto ok = prepare(most); !ok) return ok.error();
        for (int way = 0; way < kWays; ++way) {
            auto t = seconds(static_cast<Way>(way), kTextBytes);
            if (!t) return t.error();
            text_size_[way] = *t;
            for (std::uint64_t bytes : sizes) {
                if (context_.cancelled()) break;
                auto s = seconds(static_cast<Way>(way), bytes);
                if (!s) return s.error();
                by_size_[way].push_back(*s);
            }
        }
        three(sizes);
        by_size(sizes);
        conclude(sizes);
        page_.repeat = {std::string("warpwright lab transfers") + (bench_.measured() ? "" : " --device emulated"),
                        "warpwright device --measure --only transfers"};
        return std::move(page_);
    }

private:
    Result<void> prepare(std::uint64_t most) {
        device::Device& d = bench_.device();
        for (auto* at : {&a_, &b_}) {
            auto made = bench_.allocate(most);
            if (!made) return made.error();
            *at = *made;
            if (auto ok = d.fill(*at, 0x11, most); !ok) return ok;
        }
        for (auto* host : {&pinned_[0], &pinned_[1]}) {
            auto made = d.streams().allocate_host(most);
            if (!made) return made.error();
            *host = std::move(*made);
            std::fill((*host)->bytes().begin(), (*host)->bytes().end(),
                      std::byte{0x22});  // touched, so that it is there
        }
        plain_.assign(most, std::byte{0x33});
        for (auto& s : streams_) {
            auto made = d.streams().make_stream();
            if (!made) return made.error();
            s = std::move(*made);
        }
        for (auto& e : events_) {
            auto made = d.streams().make_event();
            if (!made) return made.error();
            e = std::move(*made);
        }
        return {};
    }

    Result<void> copy(Way way, std::uint64_t bytes) {
        const auto up = std::span<const std::byte>(pinned_[0]->bytes()).first(bytes);
        const auto down = pinned_[1]->bytes().first(bytes), plain = std::span(plain_).first(bytes);
        switch (way) {
            case to_device:
                return streams_[0]->write(a_, up);
            case to_host:
                return streams_[0]->read(down, a_);
            case pageable_to_device:
                return streams_[0]->write(a_, plain);
            case pageable_to_host:
                return streams_[0]->read(plain, a_);
            case on_device:
                return streams_[0]->copy(b_, a_, bytes);
            default:
                break;
        }
        if (auto ok = streams_[0]->write(a_, up); !ok) return ok;
        return streams_[1]->read(down, b_);
    }

    /// Of one copy; of both ways at once the time until both are done.
    Result<double> seconds(Way way, std::uint64_t bytes) {
        // A sample on a real device has several copies behind each other, as bandwidthTest has.
        const int repeat = bench_.measured()
                               ? static_cast<int>(std::clamp<std::uint64_t>((std::uint64_t{1} << 26) / bytes, 1, 20))
                               : 1;
        std::vector<double> samples;
        for (int i = 0; i < (bench_.measured() ? 8 : 1); ++i) {
            if (auto ok = streams_[0]->record(*events_[0]); !ok) return ok.error();
            if (auto ok = streams_[1]->wait(*events_[0]); !ok) return ok.error();
            for (int k = 0; k < repeat; ++k)
                if (auto ok = copy(way, bytes); !ok) return ok.error();
            for (int s = 0; s < 2; ++s) {
                if (auto ok = streams_[s]->record(*events_[1 + s]); !ok) return ok.error();
                if (auto ok = streams_[s]->finish(bench_.timeout()); !ok) return ok.error();
            }
            double end = 0;
            for (int s = 0; s < (way == both ? 2 : 1); ++s) {
                auto t = events_[1 + s]->since(*events_[0]);
                if (!t) return t.error();
                end = std::max(end, t->value_or(NAN));
            }
            if (i > 0 || !bench_.measured()) samples.push_back(end / repeat);
        }
        return median_of(std::move(samples));
    }

    static double moved(Way way, std::uint64_t bytes) {
        return static_cast<double>(bytes) * (way == both || way == on_device ? 2 : 1);
    }

    double link(Way way) const {
        const auto& m = bench_.model();
        if (way == on_device) return m.memory.bandwidth;
        return m.links.pcie * (way == both && m.links.copy_engines != 1 ? 2 : 1);
    }

    void three(const std::vector<std::uint64_t>&) {
        record::Section section{message("transfers.three.heading"),
                                {text_of(message("transfers.three.text", {{"bytes", count_text(kTextBytes)}}))}};
        if (!bench_.measured())
            section.blocks.push_back(note_of(message("transfers.modelled", {{"model", bench_.model().title}})));
        record::Table t;
        t.id = "three";
        t.title = message("transfers.three.table");
        const bool known = context_.model_fits || !bench_.measured();
        t.columns = {{message("transfers.column.way")},
                     {message("transfers.column.time"), "s", bench_.basis()},
                     {message("transfers.column.rate"), "B/s", bench_.basis()}};
        if (known)
            t.columns.insert(t.columns.end(), {{message("transfers.column.link"), "B/s", Basis::quoted},
                                               {message("transfers.column.share"), "%", bench_.basis()}});
        t.columns.push_back({message("transfers.column.text"), "B/s", Basis::quoted});
        const double quoted[] = {12.3e9, 13.2e9, NAN, NAN, NAN, 729.3e9};
        for (int way = 0; way < kWays; ++way) {
            const Way w = static_cast<Way>(way);
            const double rate = moved(w, kTextBytes) / text_size_[way];
            t.rows.push_back(
                {message(std::string("transfers.way.") + kKeys[way]), number(text_size_[way]), number(rate)});
            if (known)
                t.rows.back().insert(t.rows.back().end(), {number(link(w) > 0 ? link(w) : NAN),
                                                           number(link(w) > 0 ? 100 * rate / link(w) : NAN)});
            t.rows.back().push_back(number(quoted[way]));
        }
        section.blocks.push_back(std::move(t));
        BesideText beside;
        beside.add("three-predicted", "Tesla V100", on_v100(quoted), "B/s", "beside.caption_copies");
        for (record::Table& table : beside.tables) section.blocks.emplace_back(std::move(table));
        beside_ = std::move(beside.conclusions);
        page_.sections.push_back(std::move(section));
    }

    /// The text's copies on the modelled clock of its device.
    Result<std::vector<TextFigure>> on_v100(std::span<const double> quoted) const {
        auto device = arch::load_model("v100");
        if (!device) return std::move(device).error();
        const timeline::Model clock = timeline::model_of(*device);
        constexpr std::pair<Way, timeline::Kind> kCopies[] = {{to_device, timeline::Kind::to_device},
                                                              {to_host, timeline::Kind::to_host},
                                                              {on_device, timeline::Kind::on_device}};
        std::vector<TextFigure> out;
        for (const auto& [way, kind] : kCopies) {
            timeline::Work work;
            work.kind = kind, work.bytes = kTextBytes;
            out.push_back({message(std::string("transfers.way.") + kKeys[way]), quoted[way],
                           moved(way, kTextBytes) / clock.seconds(work)});
        }
        return out;
    }

    bool has_latency() const { return bench_.measured() || bench_.model().links.copy_latency > 0; }

    void by_size(const std::vector<std::uint64_t>& sizes) {
        record::Section section{message("transfers.sizes.heading"), {text_of(message("transfers.sizes.text"))}};
        if (!has_latency())
            section.blocks.push_back(note_of(message("transfers.sizes.no_latency", {{"model", bench_.model().title}})));
        record::Table t;
        t.id = "sizes";
        t.title = message("transfers.sizes.table");
        t.columns = {{message("transfers.column.bytes"), "B"}};
        record::Plot plot;
        plot.id = "rate";
        plot.title = message("transfers.sizes.plot");
        plot.x_label = message("transfers.column.bytes");
        plot.y_label = message("transfers.column.rate");
        plot.x_unit = "B", plot.y_unit = "B/s";
        plot.x_log = plot.y_log = true;
        for (int way = 0; way < kWays; ++way) {
            const Text name = message(std::string("transfers.way.") + kKeys[way]);
            t.columns.push_back({name, "B/s", bench_.basis()});
            record::Series s{name, {}, {}, {}, bench_.basis()};
            for (std::size_t i = 0; i < by_size_[way].size(); ++i) {
                const double rate = moved(static_cast<Way>(way), sizes[i]) / by_size_[way][i];
                s.x.push_back(static_cast<double>(sizes[i]));
                s.y.push_back(std::isfinite(rate) ? rate : NAN);
            }
            plot.series.push_back(std::move(s));
        }
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::vector<record::Scalar> row{static_cast<std::int64_t>(sizes[i])};
            for (int way = 0; way < kWays; ++way)
                row.push_back(i < by_size_[way].size()
                                  ? number(moved(static_cast<Way>(way), sizes[i]) / by_size_[way][i])
                                  : record::Scalar{});
            t.rows.push_back(std::move(row));
        }
        section.blocks.push_back(std::move(t));
        section.blocks.push_back(std::move(plot));
        page_.sections.push_back(std::move(section));
    }

    void conclude(const std::vector<std::uint64_t>& sizes) {
        const auto rate = [&](Way w) { return moved(w, kTextBytes) / text_size_[w]; };
        page_.conclusions.push_back(
            message("transfers.conclusion.rates", {{"up", with_prefix(rate(to_device), "B/s")},
                                                   {"down", with_prefix(rate(to_host), "B/s")},
                                                   {"device", with_prefix(rate(on_device), "B/s")},
                                                   {"times", rate(on_device) / rate(to_device)}}));
        const double pageable = rate(pageable_to_device) / rate(to_device);
        page_.conclusions.push_back(
            message(pageable < 0.9 ? "transfers.conclusion.pageable" : "transfers.conclusion.pageable_same",
                    {{"share", 100 * pageable}}));
        const double ways = rate(both) / std::max(rate(to_device), rate(to_host));
        page_.conclusions.push_back(
            message(ways > 1.3 ? "transfers.conclusion.both" : "transfers.conclusion.turns", {{"times", ways}}));
        // The size from which on half the rate of large copies is reached: where the latency is half the time.
        const auto& times = by_size_[to_device];
        if (!times.empty() && has_latency()) {
            const double best = static_cast<double>(sizes[times.size() - 1]) / times.back();
            for (std::size_t i = 0; i < times.size(); ++i)
                if (static_cast<double>(sizes[i]) / times[i] >= best / 2) {
                    page_.conclusions.push_back(
                        message(i == 0 ? "transfers.conclusion.small" : "transfers.conclusion.half",
                                {{"bytes", bytes_text(static_cast<double>(sizes[i]))},
                                 {"least", with_prefix(times.front(), "s")}}));
                    break;
                }
        }
        page_.conclusions.insert(page_.conclusions.end(), beside_.begin(), beside_.end());
        page_.recommendations.push_back(message("transfers.recommendation"));
        page_.corrections.push_back(message("transfers.correction"));
    }

    const Context& context_;
    const Choices& choices_;
    Workbench bench_;
    record::Page page_;
    std::vector<Text> beside_;
    device::Address a_ = 0, b_ = 0;
    std::unique_ptr<device::HostMemory> pinned_[2];
    std::vector<std::byte> plain_;
    std::unique_ptr<device::Stream> streams_[2];
    std::unique_ptr<device::Event> events_[3];
    double text_size_[kWays] = {};
    std::vector<double> by_size_[kWays];
};

}  // namespace

namespace pages {
Result<record::Page> transfers(const Context& context, const Choices& choices) {
    auto bench = Workbench::with_streams(context);
    if (!bench) return std::move(bench).error();
    return Transfers(context, choices, std::move(*bench)).run();
}
}  // namespace pages

}  // namespace warpwright::lab
