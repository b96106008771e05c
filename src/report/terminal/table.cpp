// A table that is too wide is given in two parts, counts and times, and columns of least weight are left out of a part
// that still is. Below it stand explanations of each rung, and a second kind of table has the counts of source lines.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/page_texts.hpp"
#include "report/causes.hpp"
#include "report/format.hpp"
#include "report/layout.hpp"
#include "report/prediction.hpp"
#include "report/report.hpp"

namespace warpwright::report {

namespace {

using record::Record;

std::string axis_text(const Record& r, const std::string& name) {
    for (const record::Axis& axis : r.axes)
        if (axis.name == name) return safe(axis.text());
    return "-";
}

/// "12.5" of a share, for a text that has the sign.
Figure number_of_percent(double fraction) {
    const std::string text = percent(fraction);
    return {text.substr(0, text.find(' '))};
}

/// Distinct values in order of appearance.
void add_once(std::vector<std::string>& list, std::string value) {
    if (!value.empty() && std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

/// A column of the table at hand: one of all_columns(), or an axis.
struct Chosen {
    const Column* column = nullptr;
    std::string axis;
};

class Section {
public:
    Section(std::vector<const Record*> records, const record::Environment& environment, const TableOptions& options)
        : records_(std::move(records)), environment_(environment), o_(options) {
        for (const Record* r : records_) {
            for (const record::Axis& axis : r->axes) add_once(axes_, axis.name);
            add_once(devices_, safe(r->device));
            add_once(models_, safe(r->model));
        }
    }

    std::string text() {
        std::string out = heading();
        const std::vector<Chosen> all = choose();
        // Columns that were asked for are neither moved nor left out.
        if (!o_.columns.empty() || fits(all)) {
            out += text_of(layout(all));
        } else {
            const auto parts = split(all);
            for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? "\n" : "") + text_of(layout(fit(parts[i])));
        }
        if (!left_out_.empty()) {
            const std::string note = o_.words.labelled(say("table.left_out_to_fit", {{"n", figure_of(o_.width)}}),
                                                       fmt::format("{}", fmt::join(left_out_, ", ")));
            for (const std::string& line : wrap(note, text_width())) out += paint(line, Style::dim, o_.color) + '\n';
        }
        if (o_.explain) out += explanations();
        return out;
    }

private:
    std::string say(std::string_view key, const Values& values = {}) const { return o_.words(key, values); }
    std::string name(const std::string& name) const { return o_.words.name(name); }
    std::string carried(const std::string& english) const { return o_.words.render(carried_text(english)); }
    /// What the ladder's file says of the record's rung.
    std::string of_rung(const Record& r, const char* what, const std::string& english) const {
        return o_.words.render(ladder_text(r.experiment, "rung." + r.rung + "." + what, english));
    }
    /// With names in several lines where it is too wide without.
    std::string text_of(Layout layout) const {
        if (o_.width > 0) squeeze(layout, o_.width);
        return layout.text(o_.color, o_.unicode);
    }

    std::string figure(const std::string& english) const { return o_.words.figure(english); }

    std::size_t text_width() const { return o_.width == 0 ? 100 : std::max<std::size_t>(o_.width, 20); }

    bool varies(const std::string& axis) const {
        return std::any_of(records_.begin(), records_.end(),
                           [&](const Record* r) { return axis_text(*r, axis) != axis_text(*records_.front(), axis); });
    }

    /// "emulated, cuda:0", each by the name that the language has for it.
    Text names(const std::vector<std::string>& all) const {
        Text out;
        for (const std::string& one : all) out += (out.empty() ? "" : ", ") + name_text(one);
        return out;
    }

    std::string heading() {
        std::vector<std::string> parts;
        for (const std::string& axis : axes_)
            if (!varies(axis)) parts.push_back(fmt::format("{} {}", safe(axis), axis_text(*records_.front(), axis)));
        if (!devices_.empty()) parts.push_back(say("table.device", {{"x", names(devices_)}}));
        if (!models_.empty()) parts.push_back(say("table.model", {{"x", names(models_)}}));
        if (!environment_.cpu.empty()) parts.push_back(say("program.on", {{"model", safe(environment_.cpu)}}));
        std::string name = safe(records_.front()->experiment);
        std::string line = fmt::format("{}", fmt::join(parts, o_.unicode ? " · " : ", "));
        std::string out = paint(name, Style::bold, o_.color);
        if (!name.empty() && !line.empty()) out += "  ";
        std::size_t used = display_width(name) + 2;
        for (const std::string& part : pieces(line, o_.width > used ? o_.width - used : o_.width)) {
            out += paint(part, Style::dim, o_.color) + "\n" + std::string(used, ' ');
        }
        end_line(out);
        return out;
    }

    bool shows_anything(const Column& column) const {
        return std::any_of(records_.begin(), records_.end(),
                           [&](const Record* r) { return !column.cell(*r, o_).missing(); });
    }

    std::vector<Chosen> choose() const {
        std::vector<Chosen> out;
        if (!o_.columns.empty()) {
            for (const std::string& name : o_.columns)
                for (const Column& column : all_columns())
                    if (column.key == name) out.push_back({&column, {}});
            return out;
        }
        const bool lines =
            std::all_of(records_.begin(), records_.end(), [](const Record* r) { return line_bytes(*r); });
        for (const Column& column : all_columns()) {
            if (lines && (column.key == "load_sectors" || column.key == "store_sectors")) continue;
            if (column.weight == 0 || !shows_anything(column)) continue;
            if (column.key == "device" && devices_.size() < 2) continue;
            if (column.key == "model" && models_.size() < 2) continue;
            out.push_back({&column, {}});
            if (column.key != "rung") continue;
            for (const std::string& axis : axes_)
                if (varies(axis)) out.push_back({nullptr, axis});
        }
        return out;
    }

    Layout layout(const std::vector<Chosen>& chosen) const {
        Layout out;
        for (const Chosen& c : chosen) {
            if (c.column) {
                std::string group = name(std::string(origin_heading(c.column->origin)));
                if (c.column->origin == Origin::model && models_.size() == 1) group += ' ' + models_.front();
                out.columns.push_back({name(std::string(c.column->heading)), group, c.column->left,
                                       c.column->left ? 40u : 0u, o_.width > 0});
            } else {
                out.columns.push_back({safe(c.axis), "", false, 0});
            }
        }
        for (const Record* r : records_) {
            std::vector<Cell> row;
            for (const Chosen& c : chosen) {
                row.push_back(c.column ? c.column->cell(*r, o_) : Cell{axis_text(*r, c.axis), Style::normal});
                if (!c.column) continue;
                std::string& text = row.back().text;
                text = c.column->key == "verified" || c.column->key == "binds" ? name(text)
                       : c.column->left                                        ? text
                                                                               : figure(text);
            }
            out.rows.push_back(std::move(row));
        }
        return out;
    }

    bool fits(const std::vector<Chosen>& chosen) const { return o_.width == 0 || layout(chosen).width() <= o_.width; }

    /// What is counted in one part; bounds, predicted and measured times in the other. Both name the rung and axes.
    static std::vector<std::vector<Chosen>> split(const std::vector<Chosen>& all) {
        std::vector<Chosen> counts, times;
        bool any_counts = false, any_times = false;
        for (const Chosen& c : all) {
            const Origin origin = c.column ? c.column->origin : Origin::none;
            const bool names = !c.column || c.column->key == "rung" || c.column->key == "model";
            const bool is_count = origin == Origin::counted, is_time = !is_count && origin != Origin::none;
            if (!is_time) counts.push_back(c);
            if (is_time || names) times.push_back(c);
            any_counts |= is_count;
            any_times |= is_time;
        }
        if (!any_counts || !any_times) return {all};
        return {counts, times};
    }

    /// Leaves out the columns of least weight until the table fits, then takes back what still has room. Axes and the
    /// heaviest columns stay.
    std::vector<Chosen> fit(const std::vector<Chosen>& wanted) {
        std::vector<const Column*> out_of_it;
        const auto without = [&] {
            std::vector<Chosen> kept;
            for (const Chosen& c : wanted)
                if (!c.column || std::find(out_of_it.begin(), out_of_it.end(), c.column) == out_of_it.end())
                    kept.push_back(c);
            return kept;
        };
        std::vector<Chosen> kept = wanted;
        while (!fits(kept)) {
            const Column* least = nullptr;
            for (const Chosen& c : kept)
                if (c.column && c.column->weight < 94 && (!least || c.column->weight < least->weight)) least = c.column;
            if (!least) break;
            out_of_it.push_back(least);
            kept = without();
        }
        for (std::size_t i = out_of_it.size(); i-- > 0;) {
            const Column* column = out_of_it[i];
            out_of_it.erase(out_of_it.begin() + std::ptrdiff_t(i));
            if (std::vector<Chosen> more = without(); fits(more))
                kept = std::move(more);
            else
                out_of_it.insert(out_of_it.begin() + std::ptrdiff_t(i), column);
        }
        for (const Column* column : out_of_it) left_out_.push_back(std::string(column->key));
        return kept;
    }

    void paragraph(std::string& out, const std::string& text, Style style = Style::normal) const {
        for (const std::string& line : wrap(safe(text), text_width() - 4))
            out += "    " + paint(line, style, o_.color) + '\n';
    }

    /// "DRAM 100 %, L1/shared 64 %".
    std::string terms(const record::Bound& bound) const {
        std::vector<std::string> parts;
        for (const record::BoundTerm& t : bound.terms)
            parts.push_back(name(t.resource) + " " + figure(percent(t.share)));
        return fmt::format("{}", fmt::join(parts, ", "));
    }

    /// "95 % of 53.9 TFLOP/s reached (fp32, measured)".
    std::string reached(const record::Ceiling& c) const {
        return say("table.reached", {{"p", number_of_percent(c.share)},
                                     {"r", Figure{si(c.rate) + (c.resource == "DRAM" ? "B/s" : "FLOP/s")}}}) +
               " (" + name(safe(c.resource)) + ", " + name(safe(c.source)) + ")";
    }

    std::string explanations() const {
        std::string out;
        // A rung that ran at several sizes says its sentences once.
        std::set<std::string> said;
        for (const Record* r : records_) {
            std::string body;
            const bool first = said.insert(r->name()).second;
            if (first) paragraph(body, of_rung(*r, "why", r->change));
            if (r->error) paragraph(body, *r->error, Style::bad);
            if (r->left_out)
                paragraph(body, o_.words.labelled(say("table.left_out"), o_.words.render(record::left_out_text(*r))),
                          Style::dim);
            const bool wrong = r->verified && !*r->verified;
            if (wrong && r->verification && !r->verification->first_mismatch.empty())
                paragraph(body,
                          say("table.differ", {{"a", figure_of(r->verification->mismatches)},
                                               {"b", figure_of(r->verification->elements)}}) +
                              ": " + r->verification->first_mismatch,
                          r->known_incorrect ? Style::warn : Style::bad);
            if (r->predicted) {
                paragraph(body,
                          name("predicted") + " " + figure(seconds(r->predicted->seconds, o_.unicode)) + " (" +
                              name(r->predicted->method) + ")",
                          Style::dim);
                for (const std::string& line : prediction_lines(*r->predicted, o_.unicode, o_.words))
                    paragraph(body, "  " + line, Style::dim);
                if (!r->predicted->causes.empty())
                    paragraph(body, "  " + causes_heading(r->predicted->causes, o_.words));
                for (const CauseLines& one : cause_lines(r->predicted->causes, o_.words)) {
                    paragraph(body, "    " + one.seen);
                    paragraph(body, "      " + one.fix, Style::dim);
                }
            }
            if (!r->unpredicted.empty())
                paragraph(body, carried(r->unpredicted) + (r->bound ? "; " + say("table.the_bound") : ""), Style::dim);
            if (r->bound && !r->bound->terms.empty()) {
                std::string text = o_.words.labelled(
                    name("bound") + " " + figure(seconds(r->bound->seconds, o_.unicode)), terms(*r->bound));
                if (r->bound->estimated) text += "; " + say("table.dram_estimate");
                if (r->ceiling) text += "; " + reached(*r->ceiling);
                paragraph(body, text, Style::dim);
            }
            if (r->occupancy) paragraph(body, occupancy(*r->occupancy), Style::dim);
            if (r->bound)
                for (const std::string& note : r->bound->notes)
                    paragraph(body, o_.words.labelled(say("table.note"), carried(note)), Style::dim);
            for (const std::string& note : r->notes)
                paragraph(body, o_.words.labelled(say("table.note"), carried(note)), Style::dim);
            if (body.empty() && (!first || r->title.empty())) continue;
            out += "\n  " + paint(safe(r->name()), Style::bold, o_.color);
            std::vector<std::string> where;
            for (const std::string& axis : axes_)
                if (varies(axis)) where.push_back(fmt::format("{} {}", safe(axis), axis_text(*r, axis)));
            if (!where.empty()) out += fmt::format("  ({})", fmt::join(where, ", "));
            if (!r->title.empty()) out += "  " + of_rung(*r, "title", safe(r->title));
            out += '\n' + body;
        }
        return out;
    }

    std::string occupancy(const record::OccupancyRecord& r) const {
        if (r.blocks == 0) return o_.words.labelled(say("table.cannot_launch"), carried(r.limiter));
        std::string out = say("table.occupancy", {{"x", number_of_percent(r.fraction)},
                                                  {"b", figure_of(r.blocks)},
                                                  {"w", figure_of(r.warps)},
                                                  {"limiter", name_text(r.limiter)}});
        out += " (" +
               say(r.registers_source == record::kEstimated             ? "table.registers.estimated"
                   : record::registers_note(r.registers_source).empty() ? "table.registers.known"
                                                                        : "table.registers.by",
                   {{"r", figure_of(r.registers)},
                    {"a", safe(r.registers_source)},
                    {"s", Figure{bytes(double(r.shared))}}}) +
               ")";
        if (r.waves > 0)
            out += "; " +
                   say("table.waves", {{"w", Figure{plain(r.waves)}}, {"u", number_of_percent(r.wave_utilisation)}});
        return out;
    }

    std::vector<const Record*> records_;
    const record::Environment& environment_;
    const TableOptions& o_;
    std::vector<std::string> axes_, devices_, models_, left_out_;
};

}  // namespace

std::string table(const record::RecordSet& set, const TableOptions& options) {
    std::vector<std::string> experiments;
    for (const Record& r : set.records)
        if (std::find(experiments.begin(), experiments.end(), r.experiment) == experiments.end())
            experiments.push_back(r.experiment);
    std::string out;
    for (const std::string& experiment : experiments) {
        std::vector<const Record*> records;
        for (const Record& r : set.records)
            if (r.experiment == experiment) records.push_back(&r);
        if (!out.empty()) out += '\n';
        out += Section(std::move(records), set.environment, options).text();
    }
    return out;
}

namespace {

/// The lines of a file. Their source, the last column, takes what the figures leave of the width; where that is little,
/// the table is given in parts.
std::string lines_text(Layout layout, bool with_source, const TableOptions& options) {
    if (with_source && options.width > 0) {
        constexpr std::size_t kLeast = 24;
        Layout figures = layout;
        figures.columns.pop_back();
        for (auto& row : figures.rows) row.pop_back();
        const std::size_t used = figures.width() + 2;
        if (options.width >= used + kLeast) {
            layout.columns.back().most = options.width - used;
            layout.columns.back().wraps = true;
            return layout.text(options.color, options.unicode);
        }
    }
    return in_parts(layout, options.width, options.color, options.unicode);
}

}  // namespace

std::string line_table(const record::RecordSet& set, const TableOptions& options, const SourceText& source) {
    static constexpr std::string_view keys[] = {"instructions", "lanes",  "load_sectors", "store_sectors",
                                                "wavefronts",   "excess", "divergence",   "flops"};
    const auto say = [&](const std::string& name) { return options.words.name(name); };
    std::string out;
    for (const Record& r : set.records) {
        if (r.lines.empty()) continue;
        std::vector<Record> lines;
        for (const record::LineCounts& line : r.lines) lines.push_back(as_record(line));
        std::vector<const Column*> columns;
        for (const std::string_view key : keys)
            for (const Column& column : all_columns())
                if (column.key == key && std::any_of(lines.begin(), lines.end(), [&](const Record& l) {
                        return !column.cell(l, options).missing();
                    }))
                    columns.push_back(&column);

        if (!out.empty()) out += '\n';
        out += paint(safe(r.name()), Style::bold, options.color);
        for (const record::Axis& axis : r.axes) out += fmt::format("  {} {}", safe(axis.name), safe(axis.text()));
        out += "\n";
        for (std::size_t from = 0; from < lines.size();) {
            std::size_t to = from;
            while (to < lines.size() && r.lines[to].file == r.lines[from].file) ++to;
            Layout layout;
            layout.columns.push_back({options.words("timeline.page.line"), "", false, 0});
            for (const Column* c : columns) layout.columns.push_back({say(std::string(c->heading)), "", c->left, 0});
            const bool waits = r.predicted && !r.predicted->lines.empty();
            // On a narrow terminal the source takes the room that the second state in which warps stood would have.
            constexpr std::size_t kNarrow = 160, kFirstState = 26;
            const std::size_t most = options.width > 0 && options.width < kNarrow ? kFirstState : 0;
            if (waits) layout.columns.push_back({options.words("prediction.stood_here"), "", true, most, true});
            if (source) layout.columns.push_back({say("source"), "", true, 0});
            for (std::size_t i = from; i < to; ++i) {
                std::vector<Cell> row{{r.lines[i].line ? fmt::format("{}", r.lines[i].line) : "-", Style::normal}};
                for (const Column* c : columns) row.push_back(c->cell(lines[i], options));
                if (waits) {
                    const std::string stood =
                        line_stalls(*r.predicted, r.lines[i].file, r.lines[i].line, options.words);
                    row.push_back(stood.empty() ? Cell{} : Cell{stood, Style::normal});
                }
                if (source) {
                    const auto text = source(r.lines[i].file, r.lines[i].line);
                    row.push_back(text ? Cell{safe(*text), Style::normal} : Cell{});
                }
                layout.rows.push_back(std::move(row));
            }
            out += "\n  " + safe(r.lines[from].file) + "\n" + lines_text(std::move(layout), source != nullptr, options);
            from = to;
        }
    }
    return out;
}

std::string json(const record::RecordSet& set) { return record::to_json(set); }

}  // namespace warpwright::report
