// The demo report in headless Chromium: every page opened, everything on it pressed, nothing said on the console.
// Screenshots go to <build>/report-pictures, to be looked at.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "demo_report.hpp"
#include "report/pages.hpp"
#include "support/write_file.hpp"
#include "text/words.hpp"

namespace warpwright {
namespace {

namespace fs = std::filesystem;

using test::text_of;

void replace_first(std::string& text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
}

class Browser : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "warpwright-browser-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
        auto words = Words::load_all("en");
        ASSERT_TRUE(words);
        html = report::html(test::demo_report(WARPWRIGHT_SOURCE_DIR), *words);
    }
    void TearDown() override {
        std::error_code ec;  // Chromium may still be tidying its profile up
        fs::remove_all(folder, ec);
    }

    fs::path write(const std::string& name, const std::string& text) const {
        EXPECT_TRUE(write_file(folder / name, text));
        return folder / name;
    }

    /// Runs Chromium, which gets 100 s at most on a busy machine and needs three; what it prints is in out.txt and
    /// err.txt.
    int chromium(const std::string& options, const fs::path& page, const std::string& fragment = {}) const {
        const std::string command = fmt::format(
            "HOME='{0}' timeout -k 5 100 '{1}' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
            "--no-first-run --hide-scrollbars "
            "--disable-extensions --disable-background-networking --user-data-dir='{0}/profile' "
            "--enable-logging=stderr --v=0 "
            "--force-device-scale-factor=1 {2} 'file://{3}{4}' >'{0}/out.txt' 2>'{0}/err.txt'",
            folder.string(), WARPWRIGHT_CHROMIUM, options, page.string(), fragment);
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    /// What the pages say on the console.
    std::vector<std::string> console() const {
        std::vector<std::string> out;
        std::istringstream lines(text_of(folder / "err.txt"));
        for (std::string line; std::getline(lines, line);)
            if (line.find("CONSOLE") != std::string::npos) out.push_back(line);
        return out;
    }

    /// Walks with a window of that width; returns what the walk found.
    nlohmann::json walk(unsigned width) {
        std::string text = html;
        replace_first(
            text, "<head>",
            "<head><script>window.found={problems:[],plots:0,tables:0,pictures:0,listings:0,languages:0,saved:{}};"
            "addEventListener('error',e=>found.problems.push('error: '+e.message));"
            "addEventListener('unhandledrejection',e=>found.problems.push('rejection: '+e.reason));"
            "addEventListener('securitypolicyviolation',e=>found.problems.push('refused: '+e.blockedURI));</script>");
        const std::size_t end = text.rfind("</body>");
        text.insert(end, "<script>" + text_of(fs::path(WARPWRIGHT_SOURCE_DIR) / "tests/browser/walk.js") + "</script>");
        const fs::path page = write("walk.html", text);
        EXPECT_EQ(chromium(fmt::format("--window-size={},900 --virtual-time-budget=60000 --dump-dom", width), page), 0)
            << text_of(folder / "err.txt");
        EXPECT_THAT(console(), testing::IsEmpty());
        const std::string dom = text_of(folder / "out.txt"), open = "<pre id=\"found\">";
        const std::size_t from = dom.rfind(open);
        EXPECT_NE(from, std::string::npos) << "the walk did not come to its end\n" << text_of(folder / "err.txt");
        if (from == std::string::npos) return {};
        std::string json = dom.substr(from + open.size(), dom.find("</pre>", from) - from - open.size());
        for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
            for (std::size_t at = 0; (at = json.find(entity, at)) != std::string::npos; ++at)
                json.replace(at, std::strlen(entity), character);
        return nlohmann::json::parse(json);
    }

    fs::path folder;
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

}  // namespace
}  // namespace warpwright
