// The texts of a report that are in its language: each_text visits them all, so that a report that was made with texts
// of several languages (support/words.hpp) can be shown in one of them. Names of files, sources of kernels, commands
// and records are of no language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/page.hpp"

namespace warpwright::record {

/// Calls f(std::string&) for each text of the page.
template <class F>
void each_text(Page& page, const F& f);
template <class F>
void each_text(Report& report, const F& f) {
    f(report.title);
    for (Page& page : report.pages) each_text(page, f);
}

/// The wording of one language, of every text.
Page in_language(Page page, std::string_view language);
Report in_language(Report report, std::string_view language);

/// The languages in which a report can be shown, its own first.
std::vector<std::string> languages_of(const Report& report);

namespace page_texts {

template <class F>
void visit(Paragraph& p, const F& f) {
    f(p.text);
}
template <class F>
void visit(Table& t, const F& f) {
    f(t.title), f(t.caption);
    for (Column& c : t.columns) f(c.name), f(c.unit);
    for (auto& row : t.rows)
        for (Scalar& cell : row)
            if (auto* text = std::get_if<std::string>(&cell)) f(*text);
}
template <class F>
void visit(Plot& p, const F& f) {
    f(p.title), f(p.x_label), f(p.y_label), f(p.caption);
    for (std::string& name : p.categories) f(name);
    for (Series& s : p.series) f(s.name);
}
template <class F>
void visit(std::vector<Legend>& legend, const F& f) {
    for (Legend& l : legend) f(l.text);
}
template <class F>
void visit(CellMap& m, const F& f) {
    f(m.title), f(m.caption);
    for (auto* names : {&m.column_names, &m.row_names})
        for (std::string& name : *names) f(name);
    for (auto& row : m.rows)
        for (Cell& c : row) f(c.text), f(c.hover);
    visit(m.legend, f);
}
template <class F>
void visit(Timeline& t, const F& f) {
    f(t.title), f(t.unit), f(t.caption);
    for (Lane& lane : t.lanes) {
        f(lane.name);
        for (Span& s : lane.spans) f(s.label);
    }
    visit(t.legend, f);
}
template <class F>
void visit(Listing& l, const F& f) {
    f(l.title);
}

}  // namespace page_texts

template <class F>
void each_text(Page& page, const F& f) {
    f(page.title), f(page.purpose), f(page.task);
    for (std::string& line : page.front) f(line);
    for (Section& section : page.sections) {
        f(section.heading);
        for (Block& block : section.blocks) std::visit([&](auto& b) { page_texts::visit(b, f); }, block);
    }
    for (auto* list : {&page.conclusions, &page.recommendations, &page.corrections, &page.problems})
        for (std::string& text : *list) f(text);
    for (Question& q : page.questions) f(q.question), f(q.answer);
}

}  // namespace warpwright::record
