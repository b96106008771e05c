// A page as text for a terminal.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "record/page_texts.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/layout.hpp"
#include "report/pages.hpp"
#include "report/terminal/text_blocks.hpp"

namespace warpwright::report {
namespace {

using record::shown::Page;

/// A source line in pieces of at most `room` columns, broken at blanks where that can be; what goes on is indented two
/// columns more than the line. Tabs are four blanks.
std::vector<std::string> source_pieces(const std::string& line, std::size_t room) {
    std::string text;
    for (const char c : line) text += c == '\t' ? "    " : std::string(1, c);
    text = safe(text);
    const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
    const std::string before(std::min(indent + 2, room / 2), ' ');
    std::vector<std::string> out;
    while (display_width(text) > room) {
        std::size_t end = 0;  // bytes that fit, whole characters only
        for (std::size_t next = 1; next <= text.size(); ++next)
            if (next == text.size() || (static_cast<unsigned char>(text[next]) & 0xc0) != 0x80) {
                if (display_width(text.substr(0, next)) > room) break;
                end = next;
            }
        const std::size_t blank = text.rfind(' ', end);
        const std::size_t least = std::max(text.find_first_not_of(' '), std::size_t{1});
        if (blank != std::string::npos && blank > least + room / 4) end = blank;
        if (end == 0) break;
        out.push_back(text.substr(0, end));
        const std::size_t rest = std::min(text.find_first_not_of(' ', end), text.size());
        text = rest < text.size() ? before + text.substr(rest) : std::string();
        if (text.empty()) return out;
    }
    out.push_back(text);
    return out;
}

class PageText {
public:
    PageText(const Page& page, const Words& words, const TextOptions& o) : page_(page), words_(words), o_(o) {
        if (o_.width == 0) o_.width = 100;
        o_.width = std::max<std::size_t>(o_.width, 40);
    }

    std::string text() {
        for (const std::string& line : page_.front) wrapped(line, "", "", Style::normal);
        heading(page_.title, '=', "═");
        // A report on laboratory work, which has a title page, names its aim as such.
        if (page_.front.empty())
            paragraph(page_.purpose);
        else
            named("report.purpose", page_.purpose);
        named("report.task", page_.task);
        named("report.sources", source_titles(page_, words_));
        items("report.problems", page_.problems, Style::bad);
        for (const record::shown::Section& section : page_.sections) {
            if (!section.heading.empty()) heading(section.heading, '-', "─");
            for (const record::shown::Block& b : section.blocks) std::visit([&](const auto& one) { block(one); }, b);
        }
        items("report.conclusions", page_.conclusions, Style::normal);
        items("report.recommendations", page_.recommendations, Style::normal);
        if (!page_.questions.empty()) heading(words_("report.questions"), '-', "─");
        for (const record::shown::Question& q : page_.questions) {
            wrapped(q.question, o_.unicode ? "• " : "* ", "  ", Style::bold);
            wrapped(q.answer, "  ", "  ", Style::normal);
        }
        items("report.corrections", page_.corrections, Style::dim);
        if (!page_.repeat.empty()) {
            heading(words_("report.repeat"), '-', "─");
            for (const std::string& c : page_.repeat) command(c);
        }
        return std::move(out_);
    }

private:
    /// Back quotes are markup; a terminal needs none.
    std::string shown(const std::string& text) const {
        std::string out = o_.unicode ? with_powers(safe(text)) : safe(text);
        std::erase(out, '`');
        return out;
    }

    void heading(const std::string& text, char ascii, const char* unicode) {
        if (!out_.empty()) out_ += '\n';
        std::size_t wide = 0;
        for (const std::string& line : wrap(shown(text), o_.width)) {
            out_ += paint(line, Style::bold, o_.color) + "\n";
            wide = std::max(wide, display_width(line));
        }
        std::string rule;
        for (std::size_t i = 0; i < std::min(wide, o_.width); ++i)
            rule += o_.unicode ? std::string(unicode) : std::string(1, ascii);
        out_ += paint(rule, Style::dim, o_.color) + "\n";
    }

    void wrapped(const std::string& text, const std::string& first, const std::string& rest, Style style) {
        const auto lines = wrap(shown(text), o_.width - std::max(display_width(first), display_width(rest)));
        for (std::size_t i = 0; i < lines.size(); ++i)
            out_ += (i == 0 ? first : rest) + paint(lines[i], style, o_.color) + "\n";
    }

    void paragraph(const std::string& text, Style style = Style::normal) {
        if (text.empty()) return;
        wrapped(text, "", "", style);
        out_ += '\n';
    }

    void named(const char* key, const std::string& text) {
        if (text.empty()) return;
        wrapped(words_.labelled(words_(key), text), "", "  ", Style::normal);
    }

    /// A command of a shell; where it is wider than a line it goes on behind a backslash, so that it can be copied.
    void command(const std::string& text) {
        std::vector<std::string> words;
        char quote = 0;
        bool blank = true;
        for (const char c : safe(text)) {
            if (c == ' ' && quote == 0) {
                blank = true;
                continue;
            }
            if (blank) words.emplace_back();
            blank = false;
            if (quote == 0 && (c == '\'' || c == '"'))
                quote = c;
            else if (c == quote)
                quote = 0;
            words.back() += c;
        }
        std::string line = " ";
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::size_t last = i + 1 == words.size() ? 0 : 2;
            if (i > 0 && display_width(line) + 1 + display_width(words[i]) + last > o_.width) {
                out_ += line + " \\\n";
                line = "     ";
            }
            line += ' ' + words[i];
        }
        out_ += line + '\n';
    }

    void items(const char* key, const std::vector<std::string>& all, Style style) {
        if (all.empty()) return;
        heading(words_(key), '-', "─");
        for (const std::string& one : all) wrapped(one, o_.unicode ? "• " : "* ", "  ", style);
    }

    /// `basis` stands behind the title, or on a line of its own where there is no room.
    void title(const std::string& text, const std::string& basis = {}) {
        const auto lines = wrap(shown(text), o_.width);
        for (std::size_t i = 0; i < lines.size(); ++i)
            out_ += (i == 0 ? "" : "\n") + paint(lines[i], Style::bold, o_.color);
        const bool room = lines.empty() || display_width(lines.back()) + display_width(basis) + 4 <= o_.width;
        if (!basis.empty()) out_ += (room ? "  " : "\n  ") + paint("(" + basis + ")", Style::dim, o_.color);
        out_ += "\n";
    }

    void caption(const std::string& text) {
        if (!text.empty()) wrapped(text, "  ", "  ", Style::dim);
        out_ += '\n';
    }

    void block(const record::shown::Paragraph& p) {
        using Kind = record::shown::Paragraph::Kind;
        if (p.kind == Kind::text) return paragraph(p.text);
        const std::string name = words_(p.kind == Kind::note ? "report.note" : "report.warning");
        wrapped(words_.labelled(name, p.text), "  ", "  ", p.kind == Kind::note ? Style::dim : Style::warn);
        out_ += '\n';
    }

    void block(const record::shown::Table& table) {
        title(table.title);
        Layout layout;
        std::vector<ColumnText> texts;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const ColumnText& column = texts.emplace_back(table, c, words_, o_.unicode);
            LayoutColumn shown_column;
            shown_column.heading =
                shown(table.columns[c].name) + (column.unit().empty() ? "" : ", " + safe(column.unit()));
            if (table.columns[c].basis) shown_column.group = basis_name(*table.columns[c].basis, words_);
            shown_column.left = !column.numeric();
            layout.columns.push_back(std::move(shown_column));
        }
        for (const auto& row : table.rows) {
            auto& cells = layout.rows.emplace_back();
            for (std::size_t c = 0; c < layout.columns.size(); ++c) {
                const std::string text = c < row.size() ? texts[c].cell(row[c]) : std::string();
                cells.push_back(text.empty() ? Cell{} : Cell{shown(text), Style::normal});
            }
        }
        out_ += indented(in_parts(layout, o_.width - 2, o_.color, o_.unicode));
        caption(table.caption);
    }

    static std::string indented(const std::string& text) {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            out += (end > at ? "  " : "") + text.substr(at, end + 1 - at);
            at = end + 1;
        }
        return out;
    }

    void block(const record::shown::Plot& plot) {
        title(plot.title, bases_of(plot, words_));
        out_ += text_plot(plot, words_, o_);
        caption(plot_caption(plot, words_));
    }

    void block(const record::shown::CellMap& map) {
        title(map.title);
        out_ += text_cells(map, o_);
        caption(map.caption);
    }

    void block(const record::shown::Timeline& timeline) {
        title(timeline.title);
        out_ += text_timeline(timeline, words_, o_);
        caption(timeline.caption);
    }

    /// The names of a listing's counts; letters, which a line above explains, where the names would leave no room for
    /// the source.
    std::vector<std::string> count_headings(const ListingCounts& counts) {
        std::vector<std::string> names;
        std::size_t used = display_width(words_("report.line")) + 4;
        for (const record::Count c : counts.columns) {
            names.push_back(count_name(c, words_));
            used += display_width(names.back()) + 2;
        }
        if (used + 40 <= o_.width) return names;
        std::string legend;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string letter(1, char('a' + i));
            legend += (i == 0 ? "" : ", ") + letter + ": " + names[i];
            names[i] = letter;
        }
        if (!legend.empty()) wrapped(legend, "  ", "  ", Style::dim);
        return names;
    }

    void block(const record::shown::Listing& listing) {
        title(listing.title, listing.file.empty() ? "" : safe(listing.file));
        const ListingCounts counts = listing_counts(listing);
        Layout layout;
        layout.columns.push_back({words_("report.line"), "", false, 0});
        for (const std::string& name : count_headings(counts)) layout.columns.push_back({name, "", false, 0});
        layout.columns.push_back({words_("report.source"), "", true, 0});
        const std::size_t figures = layout.columns.size() - 1;
        for (std::size_t l = 0; l < counts.lines.size(); ++l) {
            auto& row = layout.rows.emplace_back();
            row.push_back({fmt::format("{}", listing.first_line + l), Style::dim});
            for (std::size_t c = 0; c < counts.columns.size(); ++c) {
                const std::uint64_t v = counts.values[l][c];
                row.push_back({v == 0 ? "" : si(double(v)), 2 * v > counts.most[c] ? Style::warn : Style::normal});
            }
        }
        Layout without = layout;
        without.columns.resize(figures);
        const std::size_t used = without.width() + 4;
        const std::size_t room = o_.width > used + 20 ? o_.width - used : 20;
        // A source line that is longer than the room beside its counts goes on below it.
        std::vector<std::vector<Cell>> rows;
        for (std::size_t l = 0; l < counts.lines.size(); ++l) {
            const auto pieces = source_pieces(counts.lines[l], room);
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                auto& row =
                    rows.emplace_back(i == 0 ? layout.rows[l] : std::vector<Cell>(figures, Cell{"", Style::normal}));
                row.push_back({pieces[i], Style::normal});
            }
        }
        layout.rows = std::move(rows);
        out_ += indented(layout.text(o_.color, o_.unicode)) + "\n";
    }

    const Page& page_;
    const Words& words_;
    TextOptions o_;
    std::string out_;
};

}  // namespace

std::string text(const record::Page& page, const Words& words, const TextOptions& options) {
    const Page own = record::in_language(page, words);
    return PageText(own, words, options).text();
}

std::string text(const record::Report& report, const Words& words, const TextOptions& options) {
    std::string out = paint(safe(words.render(report.title)), Style::bold, options.color) + "\n";
    for (const auto& [name, value] : environment_lines(report.environment, words))
        out += "  " + words.labelled(safe(name), safe(value)) + "\n";
    if (!report.complete) out += paint(safe(words("report.incomplete")), Style::warn, options.color) + "\n";
    for (const record::Page& page : report.pages) out += "\n" + text(page, words, options);
    return out;
}

}  // namespace warpwright::report
