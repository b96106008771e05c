// Each block is written as markup that is complete without scripts, and plots add their data as JSON for interaction.
// What reads the same in a further language is written once and referred to.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html/highlight.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/svg.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

/// From so many columns on a table takes less room for each.
constexpr std::size_t kMany = 8;
/// A cell's text of at most so many bytes stays on one line.
constexpr std::size_t kShort = 16;
/// Code of at most so many bytes without a blank stays on one line.
constexpr std::size_t kWord = 28;

const char* token_class(Token token) {
    switch (token) {
        case Token::keyword:
            return "kw";
        case Token::type:
            return "ty";
        case Token::builtin:
            return "bi";
        case Token::number:
            return "nu";
        case Token::text:
            return "st";
        case Token::comment:
            return "co";
        case Token::directive:
            return "di";
        case Token::plain:
            break;
    }
    return nullptr;
}

const char* kBases[] = {"counted", "measured", "predicted", "computed", "quoted"};

std::string numbers(const std::vector<double>& values) {
    std::string out = "[";
    for (const double v : values) out += (out.size() > 1 ? "," : "") + json_number(v);
    return out + "]";
}

std::string axis_json(const Axis& axis) {
    std::string ticks;
    for (const Tick& t : axis.ticks)
        ticks +=
            fmt::format("{}[{},{}]", ticks.empty() ? "" : ",", json_number(t.value), json_string(unmarked(t.label)));
    return fmt::format("{{\"log\":{},\"low\":{},\"high\":{},\"ticks\":[{}]}}", axis.log, json_number(axis.low),
                       json_number(axis.high), ticks);
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : safe(text, false)) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            // No "</script>" and no "<!--" can come to stand in the page.
            case '<':
                out += "\\u003c";
                break;
            default:
                out += c;
        }
    }
    return out + "\"";
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string inline_html(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find('`');
        const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
        if (close == std::string_view::npos) break;
        const std::string_view code = text.substr(open + 1, close - open - 1);
        const bool word = code.size() <= kWord && code.find_first_of(" \n") == std::string_view::npos;
        out += glued(escape(with_powers(text.substr(0, open)))) + (word ? "<code class=\"word\">" : "<code>") +
               escape(code) + "</code>";
        text.remove_prefix(close + 1);
    }
    return out + glued(escape(with_powers(text)));
}

std::string HtmlBlocks::name(const std::string& id) const { return block_name(page_, id); }

void HtmlBlocks::give(const std::string& name, const std::string& json) {
    if (first_)
        shared_.data[name] = json;
    else if (shared_.data[name] == json)
        return;
    data_ += fmt::format("{}{}:{}", data_.empty() ? "" : ",\n", json_string(name), json);
}

/// A block's markup, or in a further language that reads the same a place for that of the first.
std::string HtmlBlocks::once(const record::shown::Block& all) {
    std::string markup = std::visit([&](const auto& one) { return block(one); }, all);
    const std::string id = std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.id; })
                return name(one.id);
            else
                return std::string();
        },
        all);
    if (id.empty()) return markup;
    if (first_)
        shared_.markup[id] = markup;
    else if (shared_.markup[id] == markup)
        return fmt::format("<div data-same=\"{}\"></div>", escape(id));
    return markup;
}

namespace {

/// Where the figures of a panel come from, behind its title.
std::string chip(const std::string& basis) {
    return basis.empty() ? "" : fmt::format(" <span class=\"chip\">{}</span>", escape(basis));
}

}  // namespace

std::string HtmlBlocks::open(const char* kind, const std::string& id, const std::string& title,
                             const std::string& basis) const {
    return fmt::format(
        "<figure class=\"block {}\" id=\"{}\"><figcaption><h3>{}{}</h3><span class=\"tools\"></span></figcaption>",
        kind, escape(name(id)), inline_html(title), chip(basis));
}

std::string HtmlBlocks::caption(const std::string& text) const {
    return text.empty() ? "" : "<p class=\"caption\">" + inline_html(text) + "</p>";
}

std::string HtmlBlocks::section(const record::shown::Section& section, const std::string& id) {
    std::string out = fmt::format("<section class=\"part\" id=\"{}\">", escape(id));
    if (!section.heading.empty()) out += "<h2>" + inline_html(section.heading) + "</h2>\n";
    // Plots that follow each other stand side by side where there is room.
    std::size_t plots = 0;
    for (std::size_t b = 0; b < section.blocks.size(); ++b) {
        const bool plot = std::holds_alternative<record::shown::Plot>(section.blocks[b]);
        if (plot && plots == 0)
            for (std::size_t e = b;
                 e < section.blocks.size() && std::holds_alternative<record::shown::Plot>(section.blocks[e]); ++e)
                ++plots;
        const bool first =
            plot && plots > 1 && (b == 0 || !std::holds_alternative<record::shown::Plot>(section.blocks[b - 1]));
        if (first) out += "<div class=\"pair\">";
        out += once(section.blocks[b]) + "\n";
        const bool last = plot && (b + 1 == section.blocks.size() ||
                                   !std::holds_alternative<record::shown::Plot>(section.blocks[b + 1]));
        if (last && plots > 1) out += "</div>";
        if (last) plots = 0;
    }
    return out + "</section>\n";
}

std::string HtmlBlocks::block(const record::shown::Paragraph& paragraph) {
    using Kind = record::shown::Paragraph::Kind;
    if (paragraph.kind == Kind::text) return "<p>" + inline_html(paragraph.text) + "</p>";
    const bool warning = paragraph.kind == Kind::warning;
    return fmt::format("<div class=\"aside {}\" role=\"note\"><b>{}</b><p>{}</p></div>", warning ? "warning" : "note",
                       escape(warning ? words_("report.warning") : words_("report.note")), inline_html(paragraph.text));
}

std::string HtmlBlocks::block(const record::shown::Table& table) {
    std::string out = open("table", table.id, table.title);
    out += fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"data{}\"><thead>",
        escape(unmarked(table.title)), table.columns.size() >= kMany ? " many" : "");
    std::vector<ColumnText> columns;
    bool bases = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        columns.emplace_back(table, c, words_), bases |= table.columns[c].basis.has_value();
    if (bases) {
        out += "<tr class=\"bases\">";
        for (std::size_t c = 0, e = 0; c < table.columns.size(); c = e) {
            for (e = c; e < table.columns.size() && table.columns[e].basis == table.columns[c].basis; ++e) {
            }
            const auto basis = table.columns[c].basis;
            out += basis ? fmt::format("<th colspan=\"{}\" scope=\"colgroup\"><span>{}</span>", e - c,
                                       escape(basis_name(*basis, words_)))
                         : fmt::format("<td colspan=\"{}\">", e - c);
        }
    }
    out += "<tr class=\"names\">";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string unit =
            columns[c].unit().empty() ? "" : fmt::format("<small> {}</small>", escape(columns[c].unit()));
        out += fmt::format("<th scope=\"col\"{}>{}{}", columns[c].numeric() ? " class=\"n\"" : "",
                           inline_html(table.columns[c].name), unit);
    }
    out += "</thead><tbody>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (std::size_t c = 0; c < table.columns.size() && c < row.size(); ++c) {
            const std::string text = columns[c].cell(row[c]);
            std::string kind = columns[c].numeric() ? "n" : !text.empty() && text.size() <= kShort ? "short" : "";
            if (const double heat = columns[c].heat(row[c]); std::isfinite(heat))
                kind += fmt::format(" h{}", heat_step(heat));
            const bool named = c == 0 && !columns[c].numeric();
            std::string attributes = kind.empty() ? "" : fmt::format(" class=\"{}\"", kind);
            // Where each cell has a prefix of its own its text does not sort.
            const bool own_prefix = columns[c].unit().empty() && !table.columns[c].unit.empty();
            if (columns[c].numeric() && !text.empty() && (own_prefix || text.find("·10") != std::string::npos))
                attributes += fmt::format(" data-v=\"{}\"", number(row[c]));
            out += fmt::format("<{}{}>{}", named ? "th scope=\"row\"" : "td", attributes, inline_html(text));
        }
        out += '\n';
    }
    return out + "</tbody></table></div>" + caption(table.caption) + "</figure>";
}

std::string HtmlBlocks::block(const record::shown::Plot& plot) {
    static constexpr const char* kinds[] = {"line", "bar", "scatter"};
    const std::string told = plot_caption(plot, words_);
    std::string categories, series;
    for (const std::string& c : plot.categories)
        categories += (categories.empty() ? "" : ",") + json_string(unmarked(c));
    for (const record::shown::Series& s : plot.series) {
        series += fmt::format("{}{{\"name\":{},\"basis\":\"{}\",\"x\":{},\"y\":{}{}}}", series.empty() ? "" : ",",
                              json_string(unmarked(s.name)), kBases[unsigned(s.basis)], numbers(s.x), numbers(s.y),
                              s.spread.empty() ? "" : ",\"spread\":" + numbers(s.spread));
    }
    give(name(plot.id),
         fmt::format("{{\"kind\":\"{}\",\"panels\":{},\"title\":{},\"x_label\":{},\"y_label\":{},\"x_unit\":{},"
                     "\"y_unit\":{},\"x\":{},\"y\":{},\"categories\":[{}],\"series\":[{}]}}",
                     kinds[unsigned(plot.kind)], has_panels(plot), json_string(unmarked(plot.title)),
                     json_string(unmarked(plot.x_label)), json_string(unmarked(plot.y_label)), json_string(plot.x_unit),
                     json_string(plot.y_unit), axis_json(x_axis(plot, words_)), axis_json(y_axis(plot, words_)),
                     categories, series));
    std::string out = open("plot", plot.id, plot.title, bases_of(plot, words_));
    out += "<div class=\"live\" hidden></div>";
    out += "<div class=\"scroll still\">" + svg_inside(draw(plot, words_, false), plot.title + ". " + told, "plotted") +
           "</div>";
    return out + caption(told) + "</figure>";
}

std::string HtmlBlocks::block(const record::shown::CellMap& map) {
    const Svg svg = draw(map, words_, false);
    std::string hovers;
    bool any = false;
    for (const auto& row : map.rows) {
        hovers += hovers.empty() ? "[" : ",[";
        for (std::size_t c = 0; c < row.size(); ++c) {
            hovers +=
                (c > 0 ? "," : "") + (row[c].hover.empty() ? std::string("0") : json_string(unmarked(row[c].hover)));
            any |= !row[c].hover.empty();
        }
        hovers += "]";
    }
    if (any)
        give(name(map.id),
             fmt::format("{{\"kind\":\"cells\",\"left\":{},\"top\":{},\"step_x\":{},\"step_y\":{},\"hover\":[{}]}}",
                         coordinate(svg.left), coordinate(svg.top), coordinate(svg.step_x), coordinate(svg.step_y),
                         hovers));
    return open("cells", map.id, map.title) + "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
           escape(unmarked(map.title)) + "\">" + svg_inside(svg, map.title + ". " + map.caption, "mapped") + "</div>" +
           caption(map.caption) + "</figure>";
}

std::string HtmlBlocks::block(const record::shown::Timeline& timeline) {
    const Svg svg = draw(timeline, words_, false);
    std::string lanes;
    for (const record::shown::Lane& lane : timeline.lanes) {
        lanes += fmt::format("{}{{\"name\":{},\"spans\":[", lanes.empty() ? "" : ",", json_string(unmarked(lane.name)));
        for (std::size_t s = 0; s < lane.spans.size(); ++s) {
            const record::shown::Span& span = lane.spans[s];
            std::string tone;
            for (const record::shown::Legend& l : timeline.legend)
                if (l.tone == span.tone) tone = l.text;
            const std::string label = span.label.empty()                   ? tone
                                      : tone.empty() || tone == span.label ? span.label
                                                                           : span.label + " · " + tone;
            lanes += fmt::format("{}[{},{},{}]", s > 0 ? "," : "", json_number(span.begin), json_number(span.end),
                                 json_string(unmarked(label)));
        }
        lanes += "]}";
    }
    give(name(timeline.id),
         fmt::format("{{\"kind\":\"timeline\",\"left\":{},\"top\":{},\"step_x\":{},\"step_y\":{},\"low\":{},\"unit\":{}"
                     ",\"lanes\":[{}]}}",
                     coordinate(svg.left), coordinate(svg.top), json_number(svg.step_x), coordinate(svg.step_y),
                     json_number(svg.low), json_string(timeline.unit), lanes));
    return open("timeline", timeline.id, timeline.title, basis_name(timeline.basis, words_)) +
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape(unmarked(timeline.title)) +
           "\">" + svg_inside(svg, timeline.title + ". " + timeline.caption, "mapped") + "</div>" +
           caption(timeline.caption) + "</figure>";
}

std::string HtmlBlocks::block(const record::shown::Listing& listing) {
    const ListingCounts counts = listing_counts(listing, words_);
    // The first listing of a page is open, so that one sees what the others hold.
    std::string out = fmt::format(
        "<details class=\"block listing\" id=\"{}\"{}><summary><span class=\"title\">{}</span> "
        "<code>{}</code>{}</summary>",
        escape(name(listing.id)), listing_shown_ ? "" : " open", inline_html(listing.title), escape(listing.file),
        counts.columns.empty() ? "" : chip(basis_name(record::Basis::counted, words_)));
    listing_shown_ = true;
    out += fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"code\"><thead><tr><th "
        "scope=\"col\">{}",
        escape(unmarked(listing.title)), escape(words_("report.line")));
    for (const record::Count count : counts.columns)
        out += "<th scope=\"col\" class=\"n\">" + escape(count_name(count, words_));
    if (!counts.stood.empty()) out += "<th scope=\"col\" class=\"stood\">" + escape(words_("prediction.stood_here"));
    out += "<th scope=\"col\" class=\"src\">" + escape(words_("report.source")) + "</thead><tbody>\n";
    const auto pieces = highlight(counts.lines, listing.language);
    for (std::size_t l = 0; l < counts.lines.size(); ++l) {
        out += fmt::format("<tr><th scope=\"row\">{}", listing.first_line + l);
        for (std::size_t c = 0; c < counts.columns.size(); ++c) {
            const std::uint64_t value = counts.values[l][c];
            if (value == 0)
                out += "<td>";
            else
                out += fmt::format("<td class=\"h{}\">{}", heat_step(double(value) / double(counts.most[c])),
                                   escape(words_.figure(grouped(value))));
        }
        if (!counts.stood.empty()) out += "<td class=\"stood\">" + glued(escape(counts.stood[l]));
        out += "<td class=\"src\">";
        for (const Piece& piece : pieces[l]) {
            const char* kind = token_class(piece.token);
            out +=
                kind ? fmt::format("<i class={}>{}</i>", kind, escape(piece.text, false)) : escape(piece.text, false);
        }
        out += '\n';
    }
    return out + "</tbody></table></div></details>";
}

}  // namespace warpwright::report
