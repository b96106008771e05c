// Pages made into pages of other texts: mapped() rewrites every text of a page, in_language() says all of them in one
// language. Names of files, sources of kernels, commands and records are of no language.
#pragma once

#include <string>
#include <vector>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::record {

/// The page as these words say it.
shown::Page in_language(const Page& page, const Words& words);
shown::Report in_language(const Report& report, const Words& words);

/// The languages whose wordings a report that was read from a file has, its own first.
std::vector<std::string> languages_of(const Report& report);

/// Why a record was left out: what its ladder says, or a reason that all have.
Text left_out_text(const Record& record);

/// The same page with f(text) in place of each text. Every text is visited, in one order.
template <class To, class From, class F>
PageOf<To> mapped(const PageOf<From>& page, const F& f);
template <class To, class From, class F>
ReportOf<To> mapped(const ReportOf<From>& report, const F& f) {
    ReportOf<To> out{report.language, f(report.title), report.environment, {}, report.complete};
    for (const auto& page : report.pages) out.pages.push_back(mapped<To>(page, f));
    return out;
}

namespace page_texts {

template <class From, class F>
auto list(const std::vector<From>& all, const F& f) {
    std::vector<decltype(f(all.front()))> out;
    out.reserve(all.size());
    for (const From& one : all) out.push_back(f(one));
    return out;
}

template <class To, class From, class F>
ScalarOf<To> cell(const ScalarOf<From>& value, const F& f) {
    if (const auto* text = std::get_if<From>(&value)) return f(*text);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::monostate{};
}

template <class To, class From, class F>
ParagraphOf<To> block(const ParagraphOf<From>& p, const F& f) {
    return {f(p.text), p.kind};
}

template <class To, class From, class F>
TableOf<To> block(const TableOf<From>& t, const F& f) {
    const auto column = [&](const ColumnOf<From>& c) {
        return ColumnOf<To>{f(c.name), f(c.unit), c.basis, c.digits, c.heat, c.hottest};
    };
    const auto row = [&](const std::vector<ScalarOf<From>>& cells) {
        return list(cells, [&](const ScalarOf<From>& one) { return cell<To, From>(one, f); });
    };
    return {t.id, f(t.title), list(t.columns, column), list(t.rows, row), f(t.caption)};
}

template <class To, class From, class F>
PlotOf<To> block(const PlotOf<From>& p, const F& f) {
    const auto series = [&](const SeriesOf<From>& s) { return SeriesOf<To>{f(s.name), s.x, s.y, s.spread, s.basis}; };
    return {p.id,
            f(p.title),
            p.kind,
            f(p.x_label),
            f(p.y_label),
            p.x_log,
            p.y_log,
            list(p.categories, f),
            list(p.series, series),
            f(p.caption),
            p.x_unit,
            p.y_unit};
}

template <class To, class From, class F>
std::vector<LegendOf<To>> legend(const std::vector<LegendOf<From>>& all, const F& f) {
    return list(all, [&](const LegendOf<From>& l) { return LegendOf<To>{l.tone, f(l.text)}; });
}

template <class To, class From, class F>
CellMapOf<To> block(const CellMapOf<From>& m, const F& f) {
    const auto row = [&](const std::vector<CellOf<From>>& cells) {
        return list(cells, [&](const CellOf<From>& c) { return CellOf<To>{f(c.text), c.tone, c.heat, f(c.hover)}; });
    };
    return {m.id,
            f(m.title),
            list(m.column_names, f),
            list(m.row_names, f),
            list(m.rows, row),
            legend<To>(m.legend, f),
            f(m.caption),
            m.png};
}

template <class To, class From, class F>
TimelineOf<To> block(const TimelineOf<From>& t, const F& f) {
    const auto lane = [&](const LaneOf<From>& l) {
        return LaneOf<To>{f(l.name), list(l.spans, [&](const SpanOf<From>& s) {
                              return SpanOf<To>{s.begin, s.end, f(s.label), s.tone};
                          })};
    };
    return {t.id, f(t.title), f(t.unit), list(t.lanes, lane), legend<To>(t.legend, f), t.basis, f(t.caption)};
}

template <class To, class From, class F>
ListingOf<To> block(const ListingOf<From>& l, const F& f) {
    return {l.id, f(l.title), l.language, l.file, l.text, l.first_line, l.lines, l.shown, l.stalls, l.stood};
}

}  // namespace page_texts

template <class To, class From, class F>
PageOf<To> mapped(const PageOf<From>& page, const F& f) {
    using page_texts::list;
    const auto block = [&](const BlockOf<From>& b) {
        return std::visit([&](const auto& one) { return BlockOf<To>(page_texts::block<To>(one, f)); }, b);
    };
    PageOf<To> out;
    out.id = page.id, out.title = f(page.title), out.purpose = f(page.purpose), out.task = f(page.task);
    out.front = list(page.front, f), out.sources = page.sources;
    out.sections = list(page.sections,
                        [&](const SectionOf<From>& s) { return SectionOf<To>{f(s.heading), list(s.blocks, block)}; });
    out.conclusions = list(page.conclusions, f), out.recommendations = list(page.recommendations, f);
    out.questions =
        list(page.questions, [&](const QuestionOf<From>& q) { return QuestionOf<To>{f(q.question), f(q.answer)}; });
    out.corrections = list(page.corrections, f), out.repeat = page.repeat, out.problems = list(page.problems, f);
    out.records = page.records;
    return out;
}

}  // namespace warpwright::record
