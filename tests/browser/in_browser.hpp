// Headless Chromium for the tests of pages.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include "common/files.hpp"
#include "support/write_file.hpp"

namespace warpwright::test {

namespace fs = std::filesystem;

inline void replace_first(std::string& text, const std::string& what, const std::string& with) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
}

class InBrowser : public testing::Test {
protected:
    /// Headless Chromium has no window narrower than this; a narrower page stands in a frame.
    static constexpr unsigned kLeastWindow = 500;

    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "warpwright-browser-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
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

    /// Walks through the page with a script of this folder, in a window of that width; returns what the walk found.
    nlohmann::json walk(std::string text, const std::string& script, unsigned width) const {
        replace_first(
            text, "<head>",
            "<head><script>window.found={problems:[],plots:0,tables:0,pictures:0,listings:0,languages:0,saved:{}};"
            "addEventListener('error',e=>found.problems.push('error: '+e.message));"
            "addEventListener('unhandledrejection',e=>found.problems.push('rejection: '+e.reason));"
            "addEventListener('securitypolicyviolation',e=>found.problems.push('refused: '+e.blockedURI));</script>");
        const std::size_t end = text.rfind("</body>");
        text.insert(end,
                    "<script>" + text_of(fs::path(WARPWRIGHT_SOURCE_DIR) / "tests/browser" / script) + "</script>");
        fs::path page = write("walk.html", text);
        if (width < kLeastWindow)
            page = write(
                "narrow.html",
                fmt::format("<!DOCTYPE html><body style=\"margin:0\"><iframe src=\"walk.html\" style=\"width:{}px;"
                            "height:900px;border:0\"></iframe><script>onmessage=e=>{{const p=document.createElement"
                            "('pre');p.id='found';p.textContent=e.data;document.body.append(p)}};</script>",
                            width));
        EXPECT_EQ(chromium(fmt::format("--window-size={},900 --virtual-time-budget=60000 --dump-dom",
                                       std::max(width, kLeastWindow)),
                           page),
                  0)
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
};

}  // namespace warpwright::test
