// A profile as a page: the document around the data that its script draws, and the text report for whoever has no
// script.
#include <fmt/format.h>

#include <algorithm>

#include "report/escape.hpp"
#include "report/format.hpp"
#include "report/html/page_languages.hpp"
#include "report/html/web_files.hpp"
#include "report/palette.hpp"
#include "report/program.hpp"
#include "report/program/page_data.hpp"

namespace warpwright::report {
namespace {

/// The text report as it is, in each language: one wording for both.
std::string text_report(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                        const SourceText& source, const Words& words) {
    const auto all = words.all_languages();
    std::string out;
    for (const std::string& language : all)
        out += fmt::format("<pre tabindex=\"0\" lang=\"{}\"{}>", escape(language),
                           language == all.front() ? "" : " hidden") +
               escape(program_text(p, model, selection, source, words.in(language)), false) + "</pre>\n";
    return out;
}

std::string style() {
    std::string out = "<style>\n:root{color-scheme:light;" + palette_css(false) + "}\n";
    out += ":root[data-theme=dark]{color-scheme:dark;" + palette_css(true) + "}\n";
    out +=
        "@media (prefers-color-scheme:dark){:root:not([data-theme=light]):not([data-theme=dark]){color-scheme:dark;" +
        palette_css(true) + "}}\n";
    return out + std::string(web_profile_css()) + "</style>\n";
}

std::string head(const Words& words, const std::string& title) {
    // Whatever the program's names say, nothing is fetched and nothing sent.
    return "<!DOCTYPE html>\n<html lang=\"" + escape(words.language()) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
           "script-src 'unsafe-inline'; img-src data: blob:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
           "content=\"light dark\">\n<title>" +
           title + " · " + escape(words("program.page.title")) + "</title>\n" + style() + "</head>\n";
}

/// Files that lines or findings name; those of kernels come first, since these were asked for first.
std::string sources(const PageFiles& files, const SourceText& source, const Profile* base) {
    std::string out;
    for (std::size_t k = 0; k < files.names().size(); ++k)
        out += island("file" + std::to_string(k), files.text(k, source, base));
    return out;
}

}  // namespace

std::string program_html(const Profile& p, const arch::DeviceModel& model, const Selection& selection,
                         const SourceText& source, const Words& words, const PageExtras& extras) {
    PageInput in{p, model, summarise(p, model, selection), extras.base, p.findings, extras.others};
    in.findings.insert(in.findings.end(), extras.findings.begin(), extras.findings.end());
    const Speaker say(words);
    PageFiles files;
    std::string title;
    for (const auto& w : p.program) title += (title.empty() ? "" : " ") + w;
    std::string kernels, lanes;
    for (std::size_t k = 0; k < in.kernels.size(); ++k)
        kernels += island("kernel" + std::to_string(k), kernel_data(in, k, say, files));
    PageJson data = overview_data(in, say, files);
    data["languages"] = say.languages();
    auto& streams = data["lanes"] = PageJson::array();
    for (const PageLane& lane : page_lanes(in)) {
        lanes += island("lane" + std::to_string(streams.size()), lane.numbers);
        streams.push_back({lane.host, lane.number, lane.events});
    }
    const std::string texts = sources(files, source, extras.base);
    data["files"] = PageJson::array();
    for (const auto& name : files.names()) data["files"].push_back(safe(name));
    return head(words, escape(title)) + "<body>\n<a class=\"skip\" href=\"#main\">" + escape(words("report.skip")) +
           "</a>\n<header class=\"bar\"><a class=\"brand\" href=\"#\">" + escape(title) +
           "</a><span id=\"settings\"></span></header>\n<main id=\"main\" tabindex=\"-1\"></main>\n"
           "<details id=\"text\" open><summary>" +
           escape(words("profile_page.text")) + "</summary>\n" + text_report(p, model, selection, source, words) +
           "</details>\n<div id=\"tip\" role=\"status\" hidden></div>\n" + island("data", data) + kernels + lanes +
           texts + "<script>\n(() => {\n\"use strict\";\n" + std::string(web_profile_script()) +
           "})();\n</script>\n</body>\n</html>\n";
}

}  // namespace warpwright::report
