// The demo report in headless Chromium: every page opened, everything on it pressed, nothing said on the console.
// Screenshots go to <build>/report-pictures, to be looked at.
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "demo_report.hpp"
#include "in_browser.hpp"
#include "report/pages.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace report_test {

namespace fs = std::filesystem;

using test::replace_first;
using test::text_of;

class Browser : public test::InBrowser {
protected:
    void SetUp() override {
        InBrowser::SetUp();
        auto words = Words::load_all("en");
        ASSERT_TRUE(words);
        html = report::html(test::demo_report(WARPWRIGHT_SOURCE_DIR), *words);
    }
    nlohmann::json walk(unsigned width) const { return InBrowser::walk(html, "walk.js", width); }

    std::string html;
};

std::size_t count_blocks(std::size_t kind) {
    std::size_t n = 0;
    for (const record::Page& page : test::demo_report(WARPWRIGHT_SOURCE_DIR).pages)
        for (const record::Section& section : page.sections)
            for (const record::Block& block : section.blocks) n += block.index() == kind;
    return n;
}

TEST_F(Browser, EveryPageWorksWide) {
    const auto found = walk(1400);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
    EXPECT_EQ(found["tables"], count_blocks(1));
    EXPECT_EQ(found["plots"], count_blocks(2));
    EXPECT_EQ(found["pictures"], count_blocks(3) + count_blocks(4));
    EXPECT_EQ(found["listings"], count_blocks(5));
    EXPECT_EQ(found["languages"], 4);
    // Every drawing as both; every table.
    EXPECT_EQ(found["saved"]["image/svg+xml"], count_blocks(2) + count_blocks(3) + count_blocks(4));
    EXPECT_EQ(found["saved"]["image/png"], count_blocks(2) + count_blocks(3) + count_blocks(4));
    EXPECT_EQ(found["saved"]["text/csv"], count_blocks(1));
}

TEST_F(Browser, EveryPageWorksNarrow) {
    const auto found = walk(500);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
    EXPECT_EQ(found["plots"], count_blocks(2));
}

// A test that its own nets hold: an error in the page must be found.
TEST_F(Browser, AnErrorIsSeen) {
    const fs::path page = write("wrong.html", "<!DOCTYPE html><script>console.error('seen'); nothing.at.all</script>");
    EXPECT_EQ(chromium("--virtual-time-budget=1000 --dump-dom", page), 0);
    EXPECT_GE(console().size(), 2u) << text_of(folder / "err.txt");
}

TEST_F(Browser, Screenshots) {
    fs::create_directories(WARPWRIGHT_PICTURES);
    std::string dark = html;
    replace_first(dark, "localStorage.getItem(\"warpwright-theme\") || \"auto\"", "\"dark\"");
    const fs::path light_page = write("light.html", html), dark_page = write("dark.html", dark);
    for (const auto& [name, page, width] : {std::tuple{"banks-light", light_page, 1400},
                                            {"matmul-dark", dark_page, 1400},
                                            {"banks-narrow", light_page, 500}}) {
        const std::string picture = fmt::format("{}/{}.png", WARPWRIGHT_PICTURES, name);
        fs::remove(picture);
        EXPECT_EQ(
            chromium(fmt::format("--window-size={},2400 --virtual-time-budget=4000 --screenshot='{}'", width, picture),
                     page, "#" + std::string(name).substr(0, std::string(name).find('-'))),
            0);
        EXPECT_THAT(console(), testing::IsEmpty());
        // An empty page of one colour is a few kB.
        ASSERT_TRUE(fs::exists(picture)) << text_of(folder / "err.txt");
        EXPECT_GT(fs::file_size(picture), 40000u) << picture;
    }
}

}  // namespace report_test
}  // namespace warpwright
