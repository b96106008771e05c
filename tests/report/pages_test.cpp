// The printers of pages: text, Markdown and SVG against golden files, the structure of the HTML file, JSON and back.
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "demo_report.hpp"
#include "golden_file.hpp"
#include "record/page_json.hpp"
#include "record/page_texts.hpp"
#include "report/figures.hpp"
#include "report/format.hpp"
#include "report/html/svg.hpp"
#include "report/pages.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace pages_test {

using test::expect_golden;
using testing::HasSubstr;
using testing::Not;

const Words& english() {
    static const Words words = [] {
        auto loaded = Words::load("en");
        EXPECT_TRUE(loaded) << loaded.error().text();
        return *loaded;
    }();
    return words;
}

record::Report small() {
    record::Report r;
    r.title = "Report <of> \"one\" page";
    r.environment = test::demo_environment();
    r.pages.push_back(test::every_block_page());
    return r;
}

const std::string& demo_html() {
    static const std::string text = report::html(test::demo_report(WARPWRIGHT_SOURCE_DIR), english());
    return text;
}

/// The document without scripts and styles.
std::string markup(const std::string& html) {
    std::string out;
    std::size_t at = 0;
    while (true) {
        const std::size_t script = html.find("<script", at), style = html.find("<style", at),
                          open = std::min(script, style);
        out += html.substr(at, open - at);
        if (open == std::string::npos) return out;
        const char* end = script < style ? "</script>" : "</style>";
        at = html.find(end, open);
        EXPECT_NE(at, std::string::npos);
        if (at == std::string::npos) return out;
        at += std::string(end).size();
    }
}

nlohmann::json page_data(const std::string& html) {
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const std::size_t from = html.find(open) + open.size();
    return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
    const std::regex re(pattern);
    std::vector<std::string> out;
    for (std::sregex_iterator it(text.begin(), text.end(), re), end; it != end; ++it) out.push_back((*it)[1]);
    return out;
}

/// Elements that are opened are closed, in order; attributes are quoted: what every reader of XML wants.
void expect_well_formed(const std::string& name, const std::string& xml) {
    std::vector<std::string> open;
    static const std::regex tag(R"(^<(/?)([A-Za-z]+)((?: [A-Za-z:-]+="[^"<]*")*)(/?)>)");
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        if (xml.compare(at, 2, "<?") == 0) continue;
        std::smatch m;
        const std::string rest = xml.substr(at, std::min<std::size_t>(xml.find('>', at) + 1 - at, 200000));
        if (rest.size() > 20000) continue;  // a long path: std::regex would go too deep
        ASSERT_TRUE(std::regex_search(rest, m, tag)) << name << ": " << rest.substr(0, 80);
        if (m[1] == "/") {
            ASSERT_FALSE(open.empty()) << name;
            ASSERT_EQ(open.back(), m[2]) << name << ": " << rest;
            open.pop_back();
        } else if (m[4] != "/") {
            open.push_back(m[2]);
        }
    }
    EXPECT_TRUE(open.empty()) << name;
    EXPECT_FALSE(std::regex_search(xml, std::regex("&(?!amp;|lt;|gt;|quot;|#39;)"))) << name;
}

TEST(PageText, Golden) { expect_golden("page.txt", report::text(test::every_block_page(), english(), {.width = 90})); }
TEST(PageText, GoldenAscii) {
    expect_golden("page_ascii.txt", report::text(test::every_block_page(), english(), {.unicode = false, .width = 64}));
}
TEST(PageText, GoldenColor) {
    expect_golden("page_color.txt", report::text(test::every_block_page(), english(), {.color = true, .width = 100}));
}

TEST(PageText, KeepsToItsWidth) {
    for (const record::Page& page : test::demo_report(WARPWRIGHT_SOURCE_DIR).pages) {
        std::istringstream lines(report::text(page, english(), {.unicode = false, .width = 80}));
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(report::display_width(line), 80u) << page.id << ": " << line;
    }
}

TEST(PageText, PlainWithoutColourAndInAscii) {
    const std::string text = report::text(test::every_block_page(), english(), {.unicode = false, .width = 80});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_THAT(text, Not(HasSubstr("─")));
    EXPECT_THAT(text, Not(HasSubstr("█")));
}

TEST(Markdown, Golden) {
    const auto files = report::markdown(small(), english());
    std::string index, page;
    for (const report::PageFile& f : files) {
        if (f.path == "report.md") index = f.text;
        if (f.path == "banks.md") page = f.text;
    }
    expect_golden("report.md", index);
    expect_golden("page.md", page);
}

TEST(Markdown, EveryPictureIsThere) {
    const auto files = report::markdown(test::demo_report(WARPWRIGHT_SOURCE_DIR), english());
    std::set<std::string> paths;
    for (const report::PageFile& f : files) EXPECT_TRUE(paths.insert(f.path).second) << f.path << " twice";
    std::size_t pictures = 0;
    for (const report::PageFile& f : files)
        if (f.path.ends_with(".md"))
            for (const std::string& path : all_matches(f.text, R"(!\[[^\n]*\]\(([^)]*)\))")) {
                EXPECT_TRUE(paths.contains(path)) << path;
                ++pictures;
            }
    EXPECT_GE(pictures, 30u);
    EXPECT_EQ(paths.size(), pictures + 17);  // and the index with the 16 pages
}

TEST(Svg, Golden) {
    std::size_t checked = 0;
    for (const report::PageFile& f : report::svgs(small(), english())) expect_golden(f.path, f.text), ++checked;
    EXPECT_EQ(checked, 5u);
}

TEST(Svg, WellFormedAndFinite) {
    for (const report::PageFile& f : report::svgs(test::demo_report(WARPWRIGHT_SOURCE_DIR), english())) {
        expect_well_formed(f.path, f.text);
        EXPECT_THAT(f.text, Not(HasSubstr("nan")));
        EXPECT_THAT(f.text, Not(HasSubstr("var(--"))) << "a file of its own has no page to take colours from";
        EXPECT_EQ(f.text.find('`'), std::string::npos) << f.path << ": code cannot be marked in a drawing";
    }
}

TEST(Svg, SurvivesOddData) {
    const double nan = std::nan(""), inf = INFINITY;
    record::Page page;
    page.id = "../odd page";
    record::Plot plot;
    plot.id = "a/b", plot.title = "<&>\"'", plot.x_log = plot.y_log = true;
    plot.series = {{"none", {}, {}, {}, record::Basis::counted},
                   {"gaps", {1, 2, nan}, {nan, nan, 1}, {nan, 1, inf}, record::Basis::measured},
                   {"not positive", {0, -1}, {0, -5}, {}, record::Basis::counted}};
    record::Plot one = plot;
    one.id = "one", one.x_log = one.y_log = false, one.series = {{"a point", {7}, {0}, {}, record::Basis::counted}};
    record::Plot bars = one;
    bars.id = "bars", bars.kind = record::Plot::Kind::bar;  // no categories
    record::CellMap map;
    map.id = "empty";
    record::Timeline timeline;
    timeline.id = "nothing", timeline.lanes = {{"lane", {}}, {"point", {{2, 2, "x", -3}}}};
    page.sections = {{"", {plot, one, bars, map, timeline, record::Table{"t", "", {}, {}, ""}, record::Listing{}}}};
    record::Report r;
    r.pages = {page};
    for (const report::PageFile& f : report::svgs(r, english())) {
        expect_well_formed(f.path, f.text);
        EXPECT_EQ(f.path.find('/'), std::string::npos) << f.path;
        EXPECT_THAT(f.text.substr(f.text.find("</style>")), Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf"))))
            << f.path;
    }
    EXPECT_NO_THROW((void)page_data(report::html(r, english())));
    EXPECT_THAT(report::text(r, english(), {}), Not(HasSubstr("nan")));
    EXPECT_FALSE(report::markdown(r, english()).empty());
}

TEST(Html, TextsAreNoMarkup) {
    const std::string html = report::html(small(), english());
    EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
    EXPECT_THAT(html, Not(HasSubstr("<b>here</b>")));
    EXPECT_THAT(html, HasSubstr("<title>Report &lt;of&gt; &quot;one&quot; page</title>"));
    record::Report r = small();
    auto& plot = std::get<record::Plot>(r.pages[0].sections[0].blocks[4]);
    plot.title = "</script><script>alert(2)</script>\u202e\x01\xff";
    const std::string odd = report::html(r, english());
    EXPECT_THAT(odd, Not(HasSubstr("<script>alert")));
    EXPECT_EQ(page_data(odd)["blocks"]["banks-ways"]["title"], "</script><script>alert(2)</script>\\u202e\\x01\\xff");
}

TEST(Html, NothingComesFromOutside) {
    const std::string html = demo_html();
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    const std::string text = markup(html);
    for (const std::string& target : all_matches(text, "(?:src|href)=\"([^\"]*)\""))
        EXPECT_EQ(target.substr(0, 1), "#") << target;
    EXPECT_THAT(text, Not(HasSubstr("<link")));
    EXPECT_EQ(all_matches(html, "(@import|url\\()").size(), 0u);
}

TEST(Html, IdsAndLinksFit) {
    const std::string text = markup(demo_html());
    std::set<std::string> ids;
    for (const std::string& id : all_matches(text, " id=\"([^\"]*)\""))
        EXPECT_TRUE(ids.insert(id).second) << id << " twice";
    const auto links = all_matches(text, "href=\"#([^\"]*)\"");
    EXPECT_GE(links.size(), 16u * 3);
    for (const std::string& link : links) EXPECT_TRUE(ids.contains(link)) << link;
    const auto data = page_data(demo_html());
    for (const auto& [name, block] : data["blocks"].items()) EXPECT_TRUE(ids.contains(name)) << name;
}

TEST(Html, HoldsEveryBlock) {
    const record::Report r = test::demo_report(WARPWRIGHT_SOURCE_DIR);
    std::map<std::string, std::size_t> want, have;
    std::size_t lines = 0;
    for (const record::Page& page : r.pages)
        for (const record::Section& section : page.sections)
            for (const record::Block& block : section.blocks) {
                static const char* kinds[] = {"", "table", "plot", "cells", "timeline", "listing"};
                if (block.index() > 0) ++want[kinds[block.index()]];
                if (const auto* l = std::get_if<record::Listing>(&block))
                    lines += std::size_t(std::count(l->text.begin(), l->text.end(), '\n'));
            }
    const std::string text = markup(demo_html());
    for (const std::string& kind : all_matches(text, "class=\"block ([a-z]*)\"")) ++have[kind];
    EXPECT_EQ(have, want);
    EXPECT_EQ(all_matches(text, "(<td class=\"src\">)").size(), lines);
    EXPECT_EQ(all_matches(text, "(<article )").size(), r.pages.size());
    EXPECT_EQ(all_matches(text, "(<svg )").size(), want["plot"] + want["cells"] + want["timeline"]);
    EXPECT_EQ(text.find("[report."), std::string::npos) << "a text is missing";
    EXPECT_EQ(demo_html().find("\"[report."), std::string::npos) << "a text is missing";
}

TEST(Html, SmallEnough) { EXPECT_LT(demo_html().size(), 3u << 20); }

TEST(Html, NamesTheChartLibrarysLicence) {
    EXPECT_THAT(demo_html(), HasSubstr("Chart.js Contributors"));
    EXPECT_THAT(demo_html(), HasSubstr("Permission is hereby granted, free of charge"));
}

TEST(ReportJson, ComesBack) {
    record::Report r = test::demo_report(WARPWRIGHT_SOURCE_DIR);
    r.complete = false;
    record::Record record;
    record.experiment = "banks", record.kernel = "k", record.device = "emulated", record.counts.emplace();
    (*record.counts)[record::Count::flops] = 7;
    r.pages[3].records.push_back(record);
    const std::string text = record::to_json(r, english());
    auto back = record::report_from_json(text, "r.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(record::to_json(*back, english()), text);
    EXPECT_EQ(report::html(*back, english()), report::html(r, english()));
    EXPECT_EQ(report::text(*back, english(), {}), report::text(r, english(), {}));
    ASSERT_EQ(back->pages[3].records.size(), 1u);
    EXPECT_EQ((*back->pages[3].records[0].counts)[record::Count::flops], 7u);
    EXPECT_FALSE(back->complete);
    EXPECT_TRUE(record::is_report_json(text));
    EXPECT_FALSE(record::is_report_json("{\"schema\":1,\"records\":[]}"));
}

TEST(ReportJson, SaysWhereItIsWrong) {
    const auto error = [](const std::string& text) {
        auto r = record::report_from_json(text, "r.json");
        EXPECT_FALSE(r);
        return r ? std::string() : r.error().text();
    };
    EXPECT_THAT(error("{\"schema\":1,\n \"report\": }"), HasSubstr("r.json:2:12: error: not JSON"));
    EXPECT_THAT(error("[]"), HasSubstr("not a report of the laboratory"));
    EXPECT_THAT(error("{\"schema\":1,\"records\":[]}"), HasSubstr("not a report of the laboratory"));
    EXPECT_THAT(error("{\"schema\":2,\"report\":{}}"), HasSubstr("'schema' must be 1"));
    EXPECT_THAT(error("{\"schema\":1,\"report\":{\"pages\":[{\"id\":3}]}}"),
                HasSubstr("'report.pages[0].id' must be a string"));
    EXPECT_THAT(error("{\"schema\":1,\"report\":{\"pages\":[{\"sections\":[{\"blocks\":[{\"kind\":\"pie\"}]}]}]}}"),
                HasSubstr("blocks[0].kind' has no meaning 'pie'"));
    EXPECT_THAT(error("{\"schema\":1,\"report\":{\"pages\":[{\"sections\":[{\"blocks\":[{\"kind\":\"table\",\"rows\":[["
                      "1]]}]}]}]}}"),
                HasSubstr("rows' must be as wide"));
    EXPECT_THAT(error("{\"schema\":1,\"report\":{\"pages\":[{\"sections\":[{\"blocks\":[{\"kind\":\"plot\",\"series\":["
                      "{\"x\":[1]}]}]}]}]}}"),
                HasSubstr("as many x as y"));
}

TEST(Pages, LongSourceLinesGoOnBelow) {
    record::Page page;
    page.title = "A listing";
    record::Listing listing;
    listing.title = "A kernel with a title that is longer than the terminal is wide, so that it has to go on below";
    listing.file = "kernels/long/name.cu";
    listing.text = "  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x * stride + offset] + 1.0f;\n}\n" +
                   std::string(90, 'q') + "\n";
    page.sections = {{"Listings", {listing}}};
    const std::string text = report::text(page, english(), {.width = 48});
    std::string joined;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(report::display_width(line), 48u) << line;
        joined += line;
    }
    EXPECT_THAT(text, testing::AllOf(HasSubstr("stride"), HasSubstr("1.0f;"), HasSubstr("kernels/long/name.cu"),
                                     HasSubstr("go on below"), Not(HasSubstr("…"))));
    EXPECT_EQ(std::count(joined.begin(), joined.end(), 'q'), 90);
}

TEST(Pages, CountsWithLongNamesGetLettersWhereTheyWouldTakeTheRoom) {
    record::Page page = test::every_block_page();
    std::erase_if(page.sections, [](const record::Section& s) {
        return std::none_of(s.blocks.begin(), s.blocks.end(),
                            [](const record::Block& b) { return std::holds_alternative<record::Listing>(b); });
    });
    ASSERT_FALSE(page.sections.empty());
    for (record::Section& s : page.sections)
        for (record::Block& b : s.blocks)
            if (auto* listing = std::get_if<record::Listing>(&b)) {
                record::LineCounts line;
                line.line = listing->first_line;
                listing->shown = {record::Count::instructions, record::Count::global_load_sectors,
                                  record::Count::shared_load_wavefronts, record::Count::shared_store_wavefronts};
                for (const record::Count c : listing->shown) line.counts[c] = 5;
                listing->lines = {line};
            }
    const std::string narrow = report::text(page, english(), {.width = 80});
    EXPECT_THAT(narrow, HasSubstr("a: instructions, b: sectors loaded"));
    std::stringstream lines(narrow);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(report::display_width(line), 80u) << line;
    EXPECT_THAT(report::text(page, english(), {.width = 200}), Not(HasSubstr("a: instructions")));
}

TEST(Pages, AReportWithATitlePageNamesItsAim) {
    record::Page page;
    page.id = "work", page.title = "Work", page.purpose = "To learn it.", page.front = {"Laboratory work"};
    EXPECT_THAT(report::text(page, english(), {.width = 80}), HasSubstr("Purpose: To learn it."));
    page.front.clear();
    EXPECT_THAT(report::text(page, english(), {.width = 80}), Not(HasSubstr("Purpose")));
}

TEST(Pages, APartOfAWideTableSaysWhichRowsItHas) {
    record::Table table{"wide", "A wide table", {{"N"}, {"rung"}}, {}};
    for (int c = 0; c < 8; ++c) table.columns.push_back({"figure " + std::to_string(c)});
    for (const char* rung : {"naive", "tiled"}) {
        table.rows.push_back({std::int64_t{512}, std::string(rung)});
        for (int c = 0; c < 8; ++c) table.rows.back().emplace_back(1.5);
    }
    record::Page page;
    page.sections.push_back({"Results", {table}});
    std::size_t rows = 0, parts = 0;
    std::stringstream lines(report::text(page, english(), {.width = 60}));
    for (std::string line; std::getline(lines, line);) {
        parts += line.find("figure") != std::string::npos;
        if (line.find("512") == std::string::npos) continue;
        ++rows;
        EXPECT_THAT(line, testing::AnyOf(HasSubstr("naive"), HasSubstr("tiled")));
    }
    EXPECT_GT(parts, 1u);
    EXPECT_EQ(rows, 2 * parts);
}

TEST(Pages, TextsStandByTheirTitles) {
    for (const std::string& language : Words::languages()) {
        const auto words = Words::load(language);
        ASSERT_TRUE(words);
        record::Report report = small();
        report.pages[0].sources = {"000", "004", "a book"};
        const std::string titles = (*words)("text.000") + "; " + (*words)("text.004") + "; a book";
        EXPECT_THAT(report::text(report.pages[0], *words, {.width = 400}), HasSubstr(titles));
        EXPECT_THAT(report::html(report, *words), HasSubstr((*words)("text.004")));
        std::string markdown;
        for (const auto& file : report::markdown(report, *words)) markdown += file.text;
        EXPECT_THAT(markdown, HasSubstr((*words)("text.004")));
    }
}

/// A page with a text of the laboratory, a plot in seconds and a table of percents.
record::Report of_all_languages(const std::string& language) {
    record::Report report;
    report.language = language;
    report.title = message("report.title");
    record::Page page;
    page.id = "one";
    page.title = message("report.results");
    page.front = {message("report.task")};
    page.questions = {{message("report.purpose"), message("report.conclusions")}};
    record::Plot plot;
    plot.id = "times", plot.title = "t", plot.y_label = message("ladder.axis.time"), plot.y_unit = "s",
    plot.y_log = true;
    plot.kind = record::Plot::Kind::bar;
    plot.categories = {"a", "b"};
    plot.series = {{message("ladder.series.predicted"), {0, 1}, {1.5e-6, 3e-3}, {}, record::Basis::predicted}};
    record::Table table{"shares", "s", {{"n"}, {"share", "%", {}, 3, true}}, {{"a", 3.5}, {"b", 4.25}}};
    page.sections = {{"", {plot, table}}};
    report.pages = {page};
    return report;
}

TEST(Languages, TheHtmlFileHasThemAllAndSaysWhatIsTheSameOnce) {
    const auto all = Words::load_all("fi");
    ASSERT_TRUE(all);
    const std::string html = report::html(of_all_languages("fi"), *all);
    EXPECT_THAT(html, HasSubstr("<html lang=\"fi\">"));
    for (const std::string& language : Words::languages()) {
        if (language == "fi") continue;
        EXPECT_THAT(html, HasSubstr("<template data-language=\"" + language + "\""));
        EXPECT_THAT(html, HasSubstr("id=\"data-" + language + "\""));
        EXPECT_THAT(html, HasSubstr(">" + all->in(language)("report.results") + "<"));
    }
    EXPECT_THAT(html, Not(HasSubstr("<template data-language=\"fi\"")));
    EXPECT_THAT(html, testing::AllOf(HasSubstr("4,25"), HasSubstr("4.25"))) << "decimal signs";
    EXPECT_THAT(html, HasSubstr("data-same=\"one-shares\"")) << "Finnish and Russian write the table alike";
    EXPECT_THAT(html, HasSubstr("мкс"));
}

TEST(Languages, JsonKeepsTheTranslations) {
    const auto all = Words::load_all("en");
    ASSERT_TRUE(all);
    const std::string json = record::to_json(of_all_languages("en"), *all);
    const auto parsed = nlohmann::json::parse(json);
    EXPECT_EQ(parsed["report"]["pages"][0]["title"], "Results");
    EXPECT_EQ(parsed["report"]["translations"]["fi"]["Results"], all->in("fi")("report.results"));
    const auto back = record::report_from_json(json, "r.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(record::languages_of(*back).size(), Words::languages().size());
    EXPECT_EQ(record::in_language(*back, all->in("ru")).pages[0].title, all->in("ru")("report.results"));
    EXPECT_EQ(record::in_language(*back, all->in("ru")).pages[0].questions[0].answer,
              all->in("ru")("report.conclusions"));
    EXPECT_EQ(report::html(*back, *all), report::html(of_all_languages("en"), *all));
}

TEST(Languages, ANameIsNotTranslatedBecauseAWordIsLikeIt) {
    const auto all = Words::load_all("en");
    ASSERT_TRUE(all);
    record::Report r = of_all_languages("en");
    r.pages[0].conclusions = {of_wordings({{"en", "sequential"}, {"ru", "последовательно"}}),
                              of_wordings({{"en", "interleaved"}, {"ru", "вперемежку"}})};
    r.pages[0].problems = {"sequential"};  // a rung's name
    const auto back = record::report_from_json(record::to_json(r, *all), "r.json");
    ASSERT_TRUE(back) << back.error().text();
    const record::shown::Page russian = record::in_language(*back, all->in("ru")).pages[0];
    EXPECT_EQ(russian.problems[0], "sequential");
    EXPECT_EQ(russian.conclusions[1], "вперемежку");
}

TEST(Languages, TextIsInOneAndBreaksChineseLines) {
    const auto all = Words::load_all("zh");
    ASSERT_TRUE(all);
    record::Page page = of_all_languages("zh").pages[0];
    page.purpose = message("multiply.answer.memory");
    const std::string text = report::text(page, *all, {.width = 60});
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(report::display_width(line), 60u) << line;
        EXPECT_FALSE(line.starts_with("，") || line.starts_with("。")) << line;
    }
    EXPECT_THAT(text, HasSubstr("寄存器"));
}

TEST(Axes, HaveThreeTicksAndUnitsThatPeopleRead) {
    for (const auto& [values, kind] :
         std::vector<std::pair<std::vector<double>, report::AxisKind>>{{{1.19e-5, 1.21e-5}, {true, false, "s"}},
                                                                       {{3e-3, 5e-3}, {true, false, "s"}},
                                                                       {{1e-9, 2}, {true, false, "s"}},
                                                                       {{16, 32}, {true}},
                                                                       {{4096}, {true, false, "B"}},
                                                                       {{1, 2}, {}},
                                                                       {{0.97, 1.02}, {}},
                                                                       {{7, 7}, {}}}) {
        const report::Axis axis = report::make_axis(values, kind, 7);
        EXPECT_GE(axis.ticks.size(), 3u) << values.front();
        for (const report::Tick& t : axis.ticks) {
            EXPECT_GE(t.value, axis.low) << t.label;
            EXPECT_LE(t.value, axis.high) << t.label;
        }
    }
    EXPECT_EQ(report::tick_with_unit(2e-5, "s", false), "20 µs");
    EXPECT_EQ(report::tick_with_unit(65536, "B", true), "64 KiB");
    EXPECT_EQ(report::tick_with_unit(1.5e11, "FLOP/s", false), "150 GFLOP/s");
    EXPECT_EQ(report::tick_with_unit(0, "s", false), "0");
    EXPECT_EQ(report::quantity(1.15e-4, "s"), "115 µs");
}

TEST(Plots, BarsStandOnZeroOnlyAndManyCurvesHavePanels) {
    record::shown::Plot plot;
    plot.kind = record::PlotKind::bar;
    plot.categories = {"a", "b"};
    plot.series = {{"s", {0, 1}, {1e-6, 1e-3}}};
    EXPECT_TRUE(report::has_bars(plot));
    plot.y_log = true;
    EXPECT_FALSE(report::has_bars(plot));
    record::shown::Plot many;
    for (int i = 0; i < 9; ++i) many.series.push_back({"curve " + std::to_string(i), {1, 2, 4}, {1.0 + i, 2, 3}});
    EXPECT_TRUE(report::has_panels(many));
    const std::string svg = report::draw(many, english(), false).body;
    for (int i = 0; i < 9; ++i) EXPECT_THAT(svg, HasSubstr(">curve " + std::to_string(i) + "<"));
    many.series.pop_back();
    EXPECT_FALSE(report::has_panels(many)) << "eight colours are enough for eight curves";
}

TEST(Plots, AFlatCurveIsNamed) {
    record::shown::Plot plot;
    plot.x_label = "threads", plot.caption = "C.";
    plot.series = {{"still", {1, 2, 4}, {5, 5.05, 5}}, {"moving", {1, 2, 4}, {1, 2, 3}}};
    EXPECT_EQ(report::plot_caption(plot, english()), "C. Flat: `still`. There threads makes no difference.");
    plot.series.push_back({"calm", {1, 2, 4}, {7, 7, 7}});
    EXPECT_EQ(report::plot_caption(plot, english()), "C. Flat: `still`, `calm`. There threads makes no difference.");
    plot.series.resize(1);
    plot.series[0].y = {5, 6, 5};
    EXPECT_EQ(report::plot_caption(plot, english()), "C.");
}

TEST(Heat, PercentIsColouredFromZeroToAHundred) {
    const record::shown::Table table{
        "t", "t", {{"share", "%", {}, 3, true}, {"rate", "", {}, 3, true}}, {{3.5, 10.0}, {4.0, 40.0}}};
    EXPECT_DOUBLE_EQ(report::ColumnText(table, 0, english()).heat(3.5), 0.035);
    EXPECT_DOUBLE_EQ(report::ColumnText(table, 1, english()).heat(10.0), 0.25);
}

TEST(Cells, AFigureGetsNoDigitOfItsHeatBehindIt) {
    record::Page page;
    page.title = "p";
    record::CellMap map{"m", "m"};
    map.rows = {{{"4", -1, 0.95, ""}, {"", -1, 0.95, ""}}};
    page.sections = {{"", {map}}};
    const std::string text = report::text(page, english(), {.unicode = false, .width = 40});
    EXPECT_EQ(text.find("49"), std::string::npos) << text;
    EXPECT_NE(text.find("4 9"), std::string::npos) << "a cell without text has its heat as a digit";
}

}  // namespace pages_test
}  // namespace warpwright
