// Short forms for the parts of a page.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>

#include "record/page.hpp"
#include "support/words.hpp"

namespace warpwright::lab {

/// A page with the texts that each has, "<id>.title" and so on.
inline record::Page page_of(const std::string& id, const Words& words, std::initializer_list<const char*> sources) {
    record::Page page;
    page.id = id;
    page.title = words(id + ".title");
    page.purpose = words(id + ".purpose");
    page.task = words(id + ".task");
    for (const char* s : sources) page.sources.emplace_back(s);
    return page;
}

/// A cell that is empty where there is no number.
inline record::Scalar number(double value) {
    if (std::isfinite(value)) return value;
    return std::monostate{};
}

inline record::Paragraph text_of(std::string text) { return {std::move(text), record::Paragraph::Kind::text}; }
inline record::Paragraph note_of(std::string text) { return {std::move(text), record::Paragraph::Kind::note}; }

}  // namespace warpwright::lab
