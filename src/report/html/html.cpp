// The document around the pages: contents, overview, environment, licences, style and script.
#include <fmt/format.h>

#include "record/page_texts.hpp"
#include "report/figures.hpp"
#include "report/html/html_parts.hpp"
#include "report/html/svg_shapes.hpp"
#include "report/html/web_files.hpp"
#include "report/pages.hpp"
#include "report/palette.hpp"

namespace warpwright::report {
namespace {

using record::in_language;
using record::shown::Page;
using record::shown::Report;

std::string list(const std::vector<std::string>& items) {
    std::string out = "<ul>";
    for (const std::string& item : items) out += "<li>" + inline_html(item);
    return out + "</ul>\n";
}

/// The parts of the document that are in one language.
struct Body {
    std::string title, contents, pages, words, data;
};

class Document {
public:
    /// Blocks that read the same as those in the `first` language are not repeated.
    Document(const Report& report, const Words& words, SharedBlocks& shared, bool first)
        : report_(report), words_(words), shared_(shared), first_(first) {}

    Body body() {
        std::string pages = overview();
        for (std::size_t i = 0; i < report_.pages.size(); ++i) pages += page(i);
        pages += environment();
        return {escape(report_.title), contents(), std::move(pages), script_words(), std::move(data_)};
    }

private:
    std::string heading(const char* key, const std::string& id) const {
        return fmt::format("<h2 id=\"{}\">{}</h2>\n", escape(id), escape(words_(key)));
    }

    std::string id(const Page& page) const { return file_safe(page.id); }

    std::string contents() const {
        std::string out = fmt::format(
            "<nav id=\"contents\" aria-label=\"{0}\"><ol><li class=\"plain\"><a href=\"#_overview\">{1}</a>",
            escape(words_("report.contents")), escape(words_("report.overview")));
        for (const Page& page : report_.pages) {
            out += fmt::format("<li><a href=\"#{}\">{}</a>", id(page), inline_html(page.title));
            std::string inner;
            for (std::size_t s = 0; s < page.sections.size(); ++s)
                if (!page.sections[s].heading.empty())
                    inner += fmt::format("<li><a href=\"#{}-part-{}\">{}</a>", id(page), s + 1,
                                         inline_html(page.sections[s].heading));
            if (!page.conclusions.empty())
                inner += fmt::format("<li><a href=\"#{}-conclusions\">{}</a>", id(page),
                                     escape(words_("report.conclusions")));
            if (!inner.empty()) out += "<ul>" + inner + "</ul>";
        }
        return out + fmt::format("<li class=\"plain\"><a href=\"#_environment\">{}</a></ol></nav>\n",
                                 escape(words_("report.environment")));
    }

    std::string overview() const {
        std::string out =
            fmt::format("<section class=\"page\" id=\"_overview\"><h1>{}</h1>\n", inline_html(report_.title));
        const record::Environment& e = report_.environment;
        std::vector<std::string> facts;
        for (const std::string& fact : {e.device_name.empty() ? words_.name(e.device) : e.device_name, e.model, e.cpu,
                                        record::readable_date(e.date)})
            if (!fact.empty()) facts.push_back(fact);
        out += "<p class=\"lead\">";
        for (std::size_t i = 0; i < facts.size(); ++i)
            out += (i > 0 ? " <span aria-hidden=\"true\">·</span> " : "") + escape(facts[i]);
        out += "</p>\n";
        if (!report_.complete)
            out += fmt::format("<div class=\"aside warning\" role=\"note\"><p>{}</p></div>\n",
                               inline_html(words_("report.incomplete")));
        out += "<ol class=\"cards\">";
        for (const Page& page : report_.pages) {
            out += fmt::format("<li><a class=\"card\" href=\"#{}\"><h2>{}</h2></a><p>{}</p>", id(page),
                               inline_html(page.title), inline_html(page.purpose));
            if (!page.conclusions.empty())
                out += "<p class=\"finding\">" + inline_html(page.conclusions.front()) + "</p>";
            if (!page.problems.empty())
                out += fmt::format("<p class=\"chip bad\">{}: {}</p>", escape(words_("report.problems")),
                                   page.problems.size());
        }
        return out + "</ol></section>\n";
    }

    std::string page(std::size_t number) {
        const Page& p = report_.pages[number];
        std::string out = fmt::format("<article class=\"page\" id=\"{}\">", id(p));
        if (!p.front.empty()) {
            out += "<div class=\"front\">";
            for (const std::string& line : p.front) out += "<p>" + inline_html(line) + "</p>";
            out += "</div>";
        }
        out += fmt::format("<header><p class=\"number\">{}</p><h1>{}</h1>", number + 1, inline_html(p.title));
        // A report on laboratory work, which has a title page, names its aim as such.
        const bool named = !p.front.empty() && !p.purpose.empty();
        if (!p.purpose.empty() && !named) out += "<p class=\"lead\">" + inline_html(p.purpose) + "</p>";
        out += "<dl class=\"facts\">";
        if (named)
            out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(words_("report.purpose")), inline_html(p.purpose));
        if (!p.task.empty())
            out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(words_("report.task")), inline_html(p.task));
        if (!p.sources.empty())
            out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(words_("report.sources")),
                               inline_html(source_titles(p, words_)));
        out += "</dl></header>\n";
        if (!p.problems.empty())
            out += fmt::format("<div class=\"aside bad\" role=\"note\"><b>{}</b>{}</div>\n",
                               escape(words_("report.problems")), list(p.problems));
        HtmlBlocks blocks(p, words_, data_, shared_, first_);
        for (std::size_t s = 0; s < p.sections.size(); ++s)
            out += blocks.section(p.sections[s], fmt::format("{}-part-{}", id(p), s + 1));
        const auto ending = [&](const char* key, const char* kind, const std::vector<std::string>& items) {
            if (!items.empty())
                out += fmt::format("<section class=\"{}\">", kind) + heading(key, id(p) + "-" + kind) + list(items) +
                       "</section>\n";
        };
        ending("report.conclusions", "conclusions", p.conclusions);
        ending("report.recommendations", "recommendations", p.recommendations);
        if (!p.questions.empty()) {
            out += "<section class=\"questions\">" + heading("report.questions", id(p) + "-questions");
            for (const record::shown::Question& q : p.questions)
                out += fmt::format("<details><summary>{}</summary><p>{}</p></details>\n", inline_html(q.question),
                                   inline_html(q.answer));
            out += "</section>\n";
        }
        ending("report.corrections", "corrections", p.corrections);
        if (!p.repeat.empty())
            out += "<section class=\"repeat\">" + heading("report.repeat", id(p) + "-repeat") + commands(p.repeat) +
                   "</section>\n";
        return out + neighbours(number) + "</article>\n";
    }

    static std::string commands(const std::vector<std::string>& lines) {
        std::string out;
        for (const std::string& line : lines)
            out += "<div class=\"command\"><pre tabindex=\"0\"><code>" + escape(line, false) + "</code></pre></div>\n";
        return out;
    }

    std::string neighbours(std::size_t number) const {
        std::string out = "<footer class=\"turn\">";
        if (number > 0) {
            const Page& p = report_.pages[number - 1];
            out += fmt::format("<a class=\"before\" href=\"#{}\"><small>{}</small> {}</a>", id(p),
                               escape(words_("report.previous")), inline_html(p.title));
        }
        if (number + 1 < report_.pages.size()) {
            const Page& p = report_.pages[number + 1];
            out += fmt::format("<a class=\"after\" href=\"#{}\"><small>{}</small> {}</a>", id(p),
                               escape(words_("report.next")), inline_html(p.title));
        }
        return out + "</footer>";
    }

    std::string environment() const {
        std::string out =
            fmt::format("<section class=\"page\" id=\"_environment\"><h1>{}</h1><dl class=\"facts wide\">",
                        escape(words_("report.environment")));
        for (const auto& [name, value] : environment_lines(report_.environment, words_))
            out += fmt::format("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
        out += "</dl>\n";
        std::string repeat;
        for (const Page& p : report_.pages)
            if (!p.repeat.empty())
                repeat +=
                    fmt::format("<h3><a href=\"#{}\">{}</a></h3>", id(p), inline_html(p.title)) + commands(p.repeat);
        if (!repeat.empty()) out += heading("report.repeat", "_repeat") + repeat;
        out += heading("report.licences", "_licences") + "<p>" + inline_html(words_("report.licence_chart")) +
               "</p><pre class=\"licence\">" + escape(web_chart_licence(), false) + "</pre>\n";
        return out + "</section>\n";
    }

    std::string script_words() const {
        std::string out = "{";
        for (const char* key : {"theme", "theme_auto", "theme_light", "theme_dark", "values", "log_x", "log_y", "save",
                                "copy", "copied", "sort", "contents", "language", "skip"})
            out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", key,
                               json_string(words_(std::string("report.") + key)));
        for (const char* key : {"counted", "measured", "predicted", "computed", "quoted"})
            out += fmt::format(",\"{}\":{}", key, json_string(words_(std::string("basis.") + key)));
        std::string units;
        for (const auto& [key, text] : words_.texts())
            if (key.starts_with("unit."))
                units +=
                    fmt::format("{}{}:{}", units.empty() ? "" : ",", json_string(key.substr(5)), json_string(text));
        return out + fmt::format(",\"decimal\":{},\"group\":{},\"units\":{{{}}}}}",
                                 json_string(word(words_, "number.decimal", ".")),
                                 json_string(word(words_, "number.group", ",")), units);
    }

    const Report& report_;
    const Words& words_;
    SharedBlocks& shared_;
    const bool first_;
    std::string data_;
};

/// The drawings' rules for drawings only.
std::string scoped(const std::string& css) {
    std::string out;
    for (std::size_t at = 0; at < css.size();) {
        const std::size_t end = css.find('}', at);
        out += ".drawing " + css.substr(at, end + 1 - at) + "\n";
        at = end + 1;
    }
    return out;
}

std::string style() {
    std::string out = "<style>\n:root{color-scheme:light;" + palette_css(false) + "}\n";
    out += ":root[data-theme=dark]{color-scheme:dark;" + palette_css(true) + "}\n";
    out +=
        "@media "
        "(prefers-color-scheme:dark){:root:not([data-theme=light]):not([data-theme=dark]){color-scheme:dark;" +
        palette_css(true) + "}}\n";
    // On paper always light.
    out +=
        "@media "
        "print{:root,:root[data-theme=dark],:root:not([data-theme=light]):not([data-theme=dark]){color-scheme:"
        "light;" +
        palette_css(false) + "}}\n";
    return out + scoped(drawing_css(false)) + std::string(web_css()) + "</style>\n";
}

std::string head(const std::string& language, const std::string& title) {
    // Whatever the texts say, nothing is fetched and nothing sent.
    return "<!DOCTYPE html>\n<html lang=\"" + escape(language) + "\">\n<head>\n<meta charset=\"utf-8\">\n" +
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
           "script-src "
           "'unsafe-inline'; img-src data: blob:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
           "content=\"light dark\">\n<title>" +
           title + "</title>\n" + style() + "</head>\n";
}

std::string data_script(const std::string& id, const Body& body, const std::string& more) {
    return fmt::format("<script type=\"application/json\" id=\"{}\">{{\"text\":", id) + body.words + more +
           ",\"blocks\":{" + body.data + "}}</script>\n";
}

/// The pages in a further language, which the script puts in place of the first; inert until then.
std::string further(const std::string& language, const Body& body) {
    return fmt::format("<template data-language=\"{}\" data-title=\"{}\">\n", escape(language), body.title) +
           body.contents + "<main>\n" + body.pages + "</main></template>\n" +
           data_script("data-" + escape(language), body, "");
}

}  // namespace

std::string html(const record::Report& report, const Words& words) {
    const std::vector<std::string> all = words.all_languages();
    SharedBlocks shared;
    std::vector<Body> bodies;
    std::string names;
    for (const std::string& language : all) {
        const Words own = words.in(language);
        const Report said = in_language(report, own);
        bodies.push_back(Document(said, own, shared, bodies.empty()).body());
        names += fmt::format("{}[{},{}]", names.empty() ? "" : ",", json_string(language),
                             json_string(word(own, "report.language_name", language.c_str())));
    }
    const Body& first = bodies.front();
    const Words own = words.in(all.front());
    std::string out = head(all.front(), first.title) + "<body>\n";
    out += fmt::format("<a class=\"skip\" href=\"#main\">{}</a>\n", escape(own("report.skip")));
    out += fmt::format(
        "<header class=\"bar\"><button type=\"button\" id=\"menu\" aria-controls=\"contents\" "
        "aria-expanded=\"false\" hidden>{}</button>"
        "<a class=\"brand\" href=\"#_overview\">{}</a><span class=\"tools\"><span id=\"languages\"></span>"
        "<span id=\"themes\"></span></span></header>\n",
        escape(own("report.contents")), first.title);
    out += first.contents + "<main id=\"main\" tabindex=\"-1\">\n" + first.pages +
           "</main>\n<div id=\"tip\" hidden></div>\n";
    for (std::size_t i = 1; i < all.size(); ++i) out += further(all[i], bodies[i]);
    out += data_script("data", first, ",\"languages\":[" + names + "],\"svg_css\":" + json_string(drawing_css(true)));
    return out + "<script>" + std::string(web_chart()) + "</script>\n<script>" + std::string(web_script()) +
           "</script>\n</body>\n</html>\n";
}

}  // namespace warpwright::report
