#include "record/page_texts.hpp"

#include <algorithm>

#include "support/words.hpp"

namespace warpwright::record {
namespace {

template <class T>
T of_language(T all, std::string_view language) {
    each_text(all, [&](std::string& text) { text = warpwright::in_language(text, language); });
    return all;
}

}  // namespace

Page in_language(Page page, std::string_view language) { return of_language(std::move(page), language); }

Report in_language(Report report, std::string_view language) {
    Report out = of_language(std::move(report), language);
    out.language = language;
    return out;
}

std::vector<std::string> languages_of(const Report& report) {
    std::vector<std::string> out{report.language};
    Report copy = report;
    each_text(copy, [&](std::string& text) {
        for (std::string& one : warpwright::languages_of(text))
            if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
    });
    return out;
}

}  // namespace warpwright::record
