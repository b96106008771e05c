// Bank conflicts: strides, broadcasts, columns, padding and swizzles; wavefronts as counted and by older devices'
// rules, and what a conflict costs in cycles.
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "explain/pictures.hpp"
#include "lab/experiments/hardware.hpp"
#include "lab/experiments/probe.hpp"

namespace warpwright::lab {

namespace {

using record::Basis;
using record::Count;
using record::Scalar;

double per_request(const record::Record* r) {
    return ratio(r, Count::shared_load_wavefronts, Count::shared_load_requests);
}

class Banks {
public:
    Banks(const Context& context, const Choices& choices) : context_(context), choices_(choices) {}

    Result<record::Page> run() {
        page_ = begin_page("banks", {"000", "003", "004"});
        auto older = generations({{"cc1.3", "1.x"},
                                  {"cc2.0", "2.x"},
                                  {"cc3.5", "3.x"},
                                  {"cc3.5", "3.x"},
                                  {"hd7970", "GCN"},
                                  {"cc9.0", "5.x+"}});
        if (!older) return std::move(older).error();
        generations_ = std::move(*older);
        generations_[2].label = message("banks.mode.narrow");
        generations_[3].label = message("banks.mode.wide");
        generations_[3].wide_banks = true;
        auto strides = axis_numbers(choices_, "STRIDE", range(0, 64));
        auto pitches = axis_numbers(choices_, "PITCH", range(32, 48));
        if (!strides) return std::move(strides).error();
        if (!pitches) return std::move(pitches).error();
        auto counting = Counting::of(context_);
        if (!counting) return std::move(counting).error();
        const std::vector<Size> sizes =
            choices_.sizes.empty() ? std::vector<Size>{{choices_.quick ? 1024 : 16384}} : choices_.sizes;
        auto strided =
            run_into(page_, counting->context(), "banks", {}, {{"T", {"int32"}}, {"STRIDE", texts(*strides)}}, sizes);
        if (!strided) return std::move(strided).error();
        auto wide = run_into(page_, counting->context(), "banks", {},
                             {{"T", {"int64"}}, {"STRIDE", texts({0, 1, 2, 3, 4, 8, 16, 32})}}, sizes);
        if (!wide) return std::move(wide).error();
        auto tiles = run_into(page_, counting->context(), "bank_tiles", {}, {{"PITCH", texts(*pitches)}},
                              {{choices_.quick ? 64 : 256, choices_.quick ? 64 : 256}});
        if (!tiles) return std::move(tiles).error();

        if (auto ok = stride_section(*strides, *strided); !ok) return std::move(ok).error();
        if (auto ok = latency_section(); !ok) return std::move(ok).error();
        if (auto ok = tile_section(*pitches, *tiles); !ok) return std::move(ok).error();
        if (auto ok = wide_section(*wide); !ok) return std::move(ok).error();
        if (auto ok = pictures(); !ok) return std::move(ok).error();
        conclude(*strided, *tiles);
        page_.repeat = {"warpwright lab banks --page", "warpwright lab bank_tiles --axis PITCH=32,33",
                        "warpwright explain 'tile[threadIdx.x*32 + k]' --block 32x8 --shared --type float"};
        return std::move(page_);
    }

private:
    static std::string access(std::int64_t stride) {
        return fmt::format("words[threadIdx.x % 32 * {} % 2048]", stride);
    }

    Result<void> stride_section(const std::vector<std::int64_t>& strides, const std::vector<record::Record>& counted) {
        record::Plot p;
        p.id = "stride";
        p.title = message("banks.plot.stride");
        p.x_label = message("banks.axis.stride");
        p.y_label = message("banks.axis.passes");
        for (const Generation& g : generations_) {
            record::Series s = series(message("banks.series.rule", {{"cc", g.label}}), Basis::computed);
            for (std::int64_t n : strides) {
                auto cost = rule_cost(g, access(n), true);
                if (!cost) return std::move(cost).error();
                point(s, static_cast<double>(n), cost->worst);
            }
            p.series.push_back(std::move(s));
        }
        record::Series s = series(message("banks.series.counted"), Basis::counted);
        for (std::int64_t n : strides)
            point(s, static_cast<double>(n), per_request(find(counted, "strided", "STRIDE", n)));
        p.series.push_back(std::move(s));
        p.caption = message("banks.caption.stride");

        record::Table t;
        t.id = "examples";
        t.title = message("banks.table.examples");
        t.columns = {{message("banks.column.access")},
                     {message("banks.column.counted"), "", Basis::counted},
                     {message("banks.column.conflicts"), "", Basis::counted}};
        for (const Generation& g : generations_)
            t.columns.push_back({message("banks.column.rule", {{"cc", g.label}}), "", Basis::computed});
        const std::pair<const char*, std::int64_t> examples[] = {
            {"broadcast", 0}, {"linear", 1}, {"two", 2}, {"odd", 3}, {"eight", 8}, {"column", 32}, {"padded", 33}};
        for (const auto& [name, stride] : examples) {
            const record::Record* r = find(counted, "strided", "STRIDE", stride);
            if (!r) continue;
            std::vector<Scalar> row{message(fmt::format("banks.example.{}", name), {{"stride", stride}}),
                                    cell(per_request(r)),
                                    cell(ratio(r, Count::shared_load_bank_conflicts, Count::shared_load_requests))};
            for (const Generation& g : generations_) {
                auto cost = rule_cost(g, access(stride), true);
                if (!cost) return std::move(cost).error();
                row.emplace_back(static_cast<std::int64_t>(cost->worst));
            }
            t.rows.push_back(std::move(row));
        }
        t.caption = message("banks.caption.examples");
        page_.sections.push_back(
            {message("banks.section.stride"), {paragraph(message("banks.text.stride")), std::move(t), std::move(p)}});
        return {};
    }

    /// Cycles of a load with n-way conflicts, by the model: measured figures where it has them, else its latency and a
    /// pass a cycle for each further one. Labelled predicted either way.
    double predicted(double passes) const {
        const auto& known = context_.model.conflicts.latency;
        for (unsigned i = 0; i < 6; ++i)
            if (known[i] > 0 && passes == 1u << i) return known[i];
        if (context_.model.latency.shared <= 0 || context_.model.shared.wavefronts <= 0) return std::nan("");
        return context_.model.latency.shared + (passes - 1) / context_.model.shared.wavefronts;
    }

    /// What a conflict adds by its degree: on the text's generation, whose banks need two cycles for a word, and today.
    Result<record::Table> degrees() const {
        std::vector<arch::DeviceModel> models;
        for (const char* name : {"gtx580", "k40c"}) {
            auto model = arch::load_model(name);
            if (!model) return std::move(model).error();
            models.push_back(std::move(*model));
        }
        if (context_.model.name != "gtx580" && context_.model.name != "k40c") models.push_back(context_.model);
        record::Table t{"degrees",
                        message("banks.table.degrees"),
                        {{message("banks.column.ways")}},
                        {},
                        message("banks.caption.degrees")};
        for (const arch::DeviceModel& m : models)
            t.columns.push_back({message("banks.column.further", {{"model", m.title}}), "", Basis::predicted});
        for (const std::int64_t ways : {1, 2, 4, 8, 16, 32}) {
            std::vector<Scalar> row{ways};
            for (const arch::DeviceModel& m : models)
                row.push_back(m.shared.wavefronts > 0 ? Scalar(static_cast<double>(ways - 1) / m.shared.wavefronts)
                                                      : Scalar());
            t.rows.push_back(std::move(row));
        }
        return t;
    }

    Result<void> latency_section() {
        record::Plot p;
        p.id = "latency";
        p.title = message("banks.plot.latency");
        p.x_label = message("banks.axis.stride");
        p.y_label = message("banks.axis.cycles");
        record::Series by_model =
            series(message("banks.series.predicted", {{"model", context_.model.name}}), Basis::predicted);
        const std::vector<std::int64_t> strides = range(1, 64);
        for (std::int64_t n : strides) {
            const double passes = 1.0 * static_cast<double>(std::gcd(n, std::int64_t{32}));
            if (!std::isnan(predicted(passes))) point(by_model, static_cast<double>(n), predicted(passes));
        }
        if (!by_model.x.empty()) p.series.push_back(std::move(by_model));
        if (context_.real()) {
            auto probe = Probe::load(context_, "measure/shared.cu");
            auto out = probe ? probe->words(2) : Result<device::Address>(probe.error());
            if (!out) {
                page_.problems.push_back(message("banks.series.measured") + ": " + out.error().text());
            } else {
                record::Series s = series(message("banks.series.measured"), Basis::measured);
                const std::uint32_t loads = 4096;
                for (std::int64_t n : strides) {
                    double best = std::nan("");
                    for (int turn = 0; turn < 3; ++turn) {
                        auto got = probe->run("shared_latency", {1, 1, 1}, {32, 1, 1},
                                              Probe::pack(static_cast<std::uint32_t>(n), loads, *out), *out, 2);
                        if (!got) return std::move(got).error();
                        const double cycles = static_cast<double>((*got)[0]) / loads;
                        best = std::isnan(best) ? cycles : std::min(best, cycles);
                    }
                    point(s, static_cast<double>(n), best);
                }
                p.series.push_back(std::move(s));
            }
        }
        auto table = degrees();
        if (!table) return std::move(table).error();
        p.caption = message("banks.caption.latency");
        record::Section section{message("banks.section.latency"), {paragraph(message("banks.text.latency"))}};
        if (!p.series.empty()) section.blocks.emplace_back(std::move(p));
        section.blocks.emplace_back(std::move(*table));
        page_.sections.push_back(std::move(section));
        return {};
    }

    Result<void> tile_section(const std::vector<std::int64_t>& pitches, const std::vector<record::Record>& counted) {
        record::Table t;
        t.id = "pitch";
        t.title = message("banks.table.pitch");
        t.columns = {{message("banks.column.pitch")},
                     {message("banks.column.gcd"), "", Basis::computed},
                     {message("banks.column.by_rule"), "", Basis::computed},
                     {message("banks.column.reads"), "", Basis::counted, 3, true},
                     {message("banks.column.writes"), "", Basis::counted},
                     {message("banks.column.lost"), "B", Basis::computed}};
        const Generation& today = generations_.back();
        for (std::int64_t pitch : pitches) {
            auto cost = rule_cost(today, fmt::format("tile[threadIdx.x*{}]", pitch), true);
            if (!cost) return std::move(cost).error();
            const record::Record* r = find(counted, "pitch", "PITCH", pitch);
            t.rows.push_back(
                {pitch, std::gcd(pitch, std::int64_t{32}), static_cast<std::int64_t>(cost->worst), cell(per_request(r)),
                 cell(ratio(r, Count::shared_store_wavefronts, Count::shared_store_requests)), (pitch - 32) * 32 * 4});
        }
        const record::Record* r = find(counted, "swizzle", "PITCH", 32);
        auto cost = rule_cost(today, "tile[threadIdx.x*32 + (0 ^ threadIdx.x)]", true);
        if (!cost) return std::move(cost).error();
        if (r)
            t.rows.push_back({message("banks.swizzled"), std::monostate{}, static_cast<std::int64_t>(cost->worst),
                              cell(per_request(r)),
                              cell(ratio(r, Count::shared_store_wavefronts, Count::shared_store_requests)),
                              std::int64_t{0}});
        t.caption = message("banks.caption.pitch");
        page_.sections.push_back(
            {message("banks.section.tile"), {paragraph(message("banks.text.tile")), std::move(t)}});
        return {};
    }

    Result<void> wide_section(const std::vector<record::Record>& counted) {
        record::Table t;
        t.id = "eight-bytes";
        t.title = message("banks.table.wide");
        t.columns = {{message("banks.axis.stride")}, {message("banks.column.counted"), "", Basis::counted}};
        for (const Generation& g : generations_)
            t.columns.push_back({message("banks.column.rule", {{"cc", g.label}}), "", Basis::computed});
        for (std::int64_t n : {0, 1, 2, 3, 4, 8, 16, 32}) {
            std::vector<Scalar> row{n, cell(per_request(find(counted, "strided", "STRIDE", n)))};
            for (const Generation& g : generations_) {
                auto cost = rule_cost(g, access(n), true, 8);
                if (!cost) return std::move(cost).error();
                row.emplace_back(static_cast<std::int64_t>(cost->worst));
            }
            t.rows.push_back(std::move(row));
        }
        page_.sections.push_back(
            {message("banks.section.wide"), {paragraph(message("banks.text.wide")), std::move(t)}});
        return {};
    }

    Result<void> pictures() {
        record::Section s{message("banks.section.pictures"), {paragraph(message("banks.text.pictures"))}};
        struct Picture {
            const char* name;
            std::string expression;
            std::size_t generation;
        };
        const std::size_t now = generations_.size() - 1;
        const Picture list[] = {{"broadcast", "words[5]", now},
                                {"two", "words[threadIdx.x*2]", now},
                                {"eight", "words[threadIdx.x*8]", now},
                                {"column", "tile[threadIdx.x*32 + 3]", now},
                                {"padded", "tile[threadIdx.x*33 + 3]", now},
                                {"swizzled", "tile[threadIdx.x*32 + (3 ^ threadIdx.x)]", now},
                                {"sixteen", "words[threadIdx.x*2]", 0},
                                {"paired", "words[threadIdx.x*2]", 2},
                                {"gcn", "words[threadIdx.x]", 4}};
        for (const Picture& p : list) {
            const Generation& g = generations_[p.generation];
            explain::Setting setting;
            setting.model = g.limits;
            setting.block = {g.limits.limits.warp, 1, 1};
            auto parsed = explain::IndexExpression::parse(p.expression);
            if (!parsed) return std::move(parsed).error();
            auto binding = explain::Binding::bind(*parsed, setting);
            auto request = binding ? binding->request(0) : Result<explain::Request>(binding.error());
            if (!request) return std::move(request).error();
            s.blocks.emplace_back(explain::bank_picture(
                *request, setting, fmt::format("picture-{}", p.name),
                message(fmt::format("banks.picture.{}", p.name), {{"expression", p.expression}})));
        }
        page_.sections.push_back(std::move(s));
        return {};
    }

    void conclude(const std::vector<record::Record>& strided, const std::vector<record::Record>& tiles) {
        std::int64_t checked = 0, same = 0;
        for (const record::Record& r : strided) {
            const double passes = per_request(&r);
            if (std::isnan(passes)) continue;
            std::int64_t stride = 0;
            for (const record::Axis& a : r.axes)
                if (a.name == "STRIDE") stride = std::stoll(a.text());
            ++checked;
            // Strides that wrap round the array of 2048 words still keep their greatest common divisor with 32.
            same += passes == (stride == 0 ? 1.0 : static_cast<double>(std::gcd(stride, std::int64_t{32})));
        }
        if (checked)
            page_.conclusions.push_back(message(same == checked ? "banks.conclusion.gcd" : "banks.conclusion.no_gcd",
                                                {{"checked", checked}, {"same", same}}));
        const double column = per_request(find(tiles, "pitch", "PITCH", 32)),
                     padded = per_request(find(tiles, "pitch", "PITCH", 33)),
                     swizzled = per_request(find(tiles, "swizzle", "PITCH", 32));
        if (!std::isnan(column) && !std::isnan(padded))
            page_.conclusions.push_back(
                message(padded < column ? "banks.conclusion.padding" : "banks.conclusion.no_padding",
                        {{"column", column}, {"padded", padded}}));
        if (!std::isnan(swizzled) && !std::isnan(column))
            page_.conclusions.push_back(
                message(swizzled < column ? "banks.conclusion.swizzle" : "banks.conclusion.no_swizzle",
                        {{"column", column}, {"swizzled", swizzled}}));
        page_.recommendations = {message("banks.recommendation")};
        page_.corrections = {message("banks.correction.modes"),
                             message("banks.correction.size",
                                     {{"kib", std::int64_t{context_.model.limits.shared_per_block_optin / 1024}},
                                      {"model", context_.model.title}})};
    }

    const Context& context_;
    const Choices& choices_;
    record::Page page_;
    std::vector<Generation> generations_;
};

}  // namespace

Result<record::Page> pages::banks(const Context& context, const Choices& choices) {
    return Banks(context, choices).run();
}

}  // namespace warpwright::lab
