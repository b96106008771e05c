// A text whose wordings are equal in all languages is written once without an element. The script is inline and small,
// because a page must work offline as a single file.
#include "report/html/page_languages.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/escape.hpp"

namespace warpwright::report {

std::string in_tags(const char* tag, const Text& text, const Words& words) {
    const std::vector<std::string> languages = words.all_languages();
    std::vector<std::string> wordings;
    for (const std::string& language : languages) wordings.push_back(words.in(language).render(text));
    if (std::all_of(wordings.begin(), wordings.end(), [&](const auto& w) { return w == wordings.front(); }))
        return escape(wordings.front());
    std::string out;
    for (std::size_t i = 0; i < languages.size(); ++i)
        out += fmt::format("<{0} lang=\"{1}\">{2}</{0}>", tag, escape(languages[i]), escape(wordings[i]));
    return out;
}

std::string language_root(const Words& words) {
    return fmt::format("<!doctype html>\n<html lang=\"{0}\" data-lang=\"{0}\">\n", escape(words.language()));
}

std::string language_style(const Words& words) {
    std::string out;
    const auto all = words.all_languages();
    if (all.size() < 2) return out;
    for (const std::string& language : all)
        out += fmt::format(":root[data-lang={0}] body [lang]:not([lang={0}]){{display:none}}\n", language);
    return out + "#languages button[aria-pressed=true]{font-weight:bold}\n";
}

std::string language_row(const Words& words) {
    const auto all = words.all_languages();
    if (all.size() < 2) return {};
    std::string out = "<p id=\"languages\" hidden>";
    for (const std::string& language : all)
        out += fmt::format("<button type=\"button\" data-to=\"{}\" aria-pressed=\"{}\">{}</button> ", escape(language),
                           language == all.front(), escape(words.in(language)("report.language_name")));
    return out + "</p>\n";
}

std::string language_script(const Words& words) {
    if (words.all_languages().size() < 2) return {};
    return "<script>(() => {\n"
           "const root = document.documentElement, row = document.getElementById('languages');\n"
           "const show = l => {\n"
           "  root.lang = root.dataset.lang = l;\n"
           "  for (const b of row.children) b.setAttribute('aria-pressed', b.dataset.to === l);\n"
           "  dispatchEvent(new Event('language'));\n"
           "};\n"
           "row.hidden = false;\n"
           "for (const b of row.children) b.onclick = () => show(b.dataset.to);\n"
           "const asked = new URLSearchParams(location.search).get('lang');\n"
           "if ([...row.children].some(b => b.dataset.to === asked)) show(asked);\n"
           "})()</script>\n";
}

}  // namespace warpwright::report
