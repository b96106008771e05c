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
#include "report/format.hpp"
#include "report/pages.hpp"
#include "support/words.hpp"

namespace warpwright {
namespace {

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
    for (const auto& [name, block] : page_data(demo_html())["blocks"].items()) EXPECT_TRUE(ids.contains(name)) << name;
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
    const std::string text = record::to_json(r);
    auto back = record::report_from_json(text, "r.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(record::to_json(*back), text);
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

}  // namespace
}  // namespace warpwright
