// The page of a multiprocessor's warps: its data, its lines of text, and that a kernel's name cannot break out of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/warp_page.hpp"

namespace warpwright::report {
namespace warp_page_test {

using testing::HasSubstr;
using testing::Not;

record::WarpTimeline sample() {
    record::WarpTimeline t;
    t.kernel = "f(</script><b>)", t.model = "h200";
    t.clock_hz = 1e9, t.cycles = 300, t.shown = 200;
    t.schedulers = 2, t.slots = 2, t.blocks = 1;
    t.states = {{"selected", "it issues an instruction"}, {"barrier", "it waits"}};
    t.warps = {{0, 0, 5, 0, 0, 300}, {1, 1, 5, 1, 0, 300}};
    t.instructions = {
        {"add.f32", 12, "dir/a.cu", 7, {10, 0}}, {"bar.sync", 13, "dir/a.cu", 8, {10, 80}}, {"ret", 14, "", 0, {0, 0}}};
    t.intervals = {{0, 0, 0, 1, 2}, {1, 1, 1, 2.5, 90}};
    return t;
}

std::optional<std::string> source(const std::string& file, unsigned line) {
    return file == "dir/a.cu" ? std::optional("  line " + std::to_string(line) + " </script>") : std::nullopt;
}

nlohmann::json data_of(const std::string& page) {
    const std::string open = "id=\"data\">";
    const auto at = page.find(open) + open.size();
    return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(WarpPage, names_and_source_cannot_end_the_script) {
    const std::string page = warp_page(sample(), source);
    EXPECT_THAT(page, Not(HasSubstr("f(</script>")));
    const auto data = data_of(page);
    EXPECT_EQ(data["source"]["1"]["8"], "  line 8 </script>");
    EXPECT_EQ(data["files"][1], "dir/a.cu");
    EXPECT_EQ(data["intervals"], nlohmann::json::parse("[0,0,0,1,1, 1,1,1,2.5,87.5]"));
    EXPECT_THAT(page, HasSubstr("The picture has the first 200 cycles"));
}

TEST(WarpPage, the_page_has_all_languages_and_each_state_is_told_in_them) {
    const auto words = Words::load_all("fi");
    ASSERT_TRUE(words) << words.error().text();
    const std::string page = warp_page(sample(), source, *words);
    EXPECT_THAT(page, HasSubstr("<html lang=\"fi\""));
    EXPECT_THAT(page, HasSubstr("<span lang=\"ru\">крупнее</span>"));
    const auto texts = data_of(page)["text"];
    EXPECT_EQ(texts["zh"]["scheduler"], "调度器");
    EXPECT_EQ(texts["ru"]["decimal"], ",");
    for (const std::string& language : Words::languages())
        for (const auto& [key, text] : texts[language].items())
            if (language != "en" && key != "decimal" && key != "meanings")
                EXPECT_NE(text, texts["en"][key]) << language << " " << key;
    // The states of timing/stalls.inc.
#define WW_STALL(name, ...) EXPECT_TRUE(words->in("zh").has("stall." #name)) << #name;
#include "timing/stalls.inc"
#undef WW_STALL
}

TEST(WarpPage, json_has_states_by_name) {
    const auto j = nlohmann::json::parse(warp_json(sample()));
    EXPECT_EQ(j["intervals"][1]["state"], "barrier");
    EXPECT_EQ(j["instructions"][1]["cycles"]["barrier"], 80);
    EXPECT_EQ(j["warps"][1]["block"], 5);
}

TEST(WarpPage, lines_come_by_their_share) {
    const auto lines = warp_lines(sample(), 10, source);
    ASSERT_EQ(lines.size(), 2u);  // the third has no cycles
    EXPECT_EQ(lines[0], "a.cu:8  90 %: barrier 80 %, selected 10 %  line 8 </script>");
    EXPECT_EQ(lines[1], "a.cu:7  10 %: selected 10 %  line 7 </script>");
}

}  // namespace warp_page_test
}  // namespace warpwright::report
