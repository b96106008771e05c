// Short forms for the parts of a page.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "record/page.hpp"
#include "text/words.hpp"

namespace warpwright::lab {

/// A page with the texts that each has, "<id>.title" and so on.
inline record::Page page_of(const std::string& id, std::initializer_list<const char*> sources) {
    record::Page page;
    page.id = id;
    page.title = message(id + ".title");
    page.purpose = message(id + ".purpose");
    page.task = message(id + ".task");
    for (const char* s : sources) page.sources.emplace_back(s);
    return page;
}

/// Whether the list has a text that reads the same, whatever its arguments are.
inline bool reads_in(const std::vector<Text>& list, const Text& text) {
    const std::string own = Words::plain().render(text);
    return std::any_of(list.begin(), list.end(), [&](const Text& t) { return Words::plain().render(t) == own; });
}

/// A cell that is empty where there is no number.
inline record::Scalar number(double value) {
    if (std::isfinite(value)) return value;
    return std::monostate{};
}

inline record::Paragraph text_of(Text text) { return {std::move(text), record::Paragraph::Kind::text}; }
inline record::Paragraph note_of(Text text) { return {std::move(text), record::Paragraph::Kind::note}; }

}  // namespace warpwright::lab
