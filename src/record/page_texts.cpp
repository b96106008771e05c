// The visit of all texts is the header's template, and these functions say what becomes of each text: its wording in a
// language, or the languages that it has.
#include "record/page_texts.hpp"

#include <algorithm>

namespace warpwright::record {

shown::Page in_language(const Page& page, const Words& words) {
    return mapped<std::string>(page, [&](const Text& text) { return words.render(text); });
}

shown::Report in_language(const Report& report, const Words& words) {
    shown::Report out = mapped<std::string>(report, [&](const Text& text) { return words.render(text); });
    out.language = words.language();
    return out;
}

std::vector<std::string> languages_of(const Report& report) {
    std::vector<std::string> out{report.language};
    mapped<Text>(report, [&](const Text& text) {
        for (std::string& one : warpwright::languages_of(text))
            if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
        return text;
    });
    return out;
}

Text left_out_text(const Record& r) {
    if (!r.left_out) return {};
    // A reason that all rungs can have, or what the rung's file says that it requires.
    Text general = carried_text(*r.left_out);
    if (general != name_text(*r.left_out)) return general;
    return ladder_text(r.experiment, "rung." + r.rung + ".require", *r.left_out);
}

}  // namespace warpwright::record
