// The page of the course in headless Chromium, used by keys and clicks. Its server is a function of the test's.
#include "confine/confine.hpp"
#include "in_browser.hpp"
#include "serve/web_files.hpp"

namespace warpwright {
namespace serve_test {

/// Answers as the server does, and keeps what was asked.
constexpr const char* kServer = R"JS(
window.calls = [];
window.refuse = 0;
sessionStorage.setItem("token", "secret");
localStorage.clear();
window.fetch = async (url, options) => {
  const at = new URL(url, "http://x"), path = at.pathname, lang = at.searchParams.get("lang");
  const body = options.body ? JSON.parse(options.body) : null;
  window.calls.push({ path, body, token: options.headers.Authorization });
  const answer = (value, status = 200) => ({ ok: status === 200, status, json: async () => value });
  if (path === "/api/words") return answer({ judge: lang === "fi" ? "fi judge" : "judge", done: "done", not_yet: "not yet" });
  if (path === "/api/course") return answer({ title: "A course", user: "", languages: ["en", "ru", "zh", "fi"], exercises: [
    { name: "one", title: "The first", text: "000", done: false }, { name: "two", title: "<img src=x onerror=alert(1)>", text: "000", done: false }] });
  if (path.startsWith("/api/exercise/")) return answer({ name: path.slice(14), title: "The first", task: "Do it.\n\n    code();", file: "one.cu",
    start: "line one\nline two\nline three\n", questions: false, model: "h200", hints: [], hints_all: 2, done: false });
  if (path.startsWith("/api/hint/")) return answer({ hints: ["a", "b"].slice(0, window.calls.filter(c => c.path === path).length), hints_all: 2 });
  if (window.refuse) return answer({ error: "too many" }, window.refuse);
  const right = body.text.includes("right");
  return answer({ schema: 1, done: right, points: [{ what: "compiles", holds: true }, { what: "right", holds: right }],
    text: right ? "" : "Line 2 is wrong.", line: right ? undefined : 2, figures: { predicted_time: right ? 1e-6 : 2e-6, instructions: 10 },
    lines: [{ line: 1, counts: { global_load_requests: 2, global_load_sectors: 16, instructions: 4 }, stood: 3 }, { line: 2, counts: { instructions: 4 } }] });
};
)JS";

class ServedPage : public test::InBrowser {
protected:
    /// The page as one file, its server within.
    static std::string page() {
        std::string html(serve::page_html());
        const std::pair<const char*, std::string_view> styles[] = {{"/codemirror.css", serve::codemirror_css()},
                                                                   {"/page.css", serve::page_css()}};
        for (const auto& [path, text] : styles)
            test::replace_first(html, std::string("<link rel=\"stylesheet\" href=\"") + path + "\">",
                                "<style>" + std::string(text) + "</style>");
        const std::pair<const char*, std::string> scripts[] = {
            {"/page.js", kServer + std::string(serve::page_script())},
            {"/codemirror.js", std::string(serve::codemirror_script())},
            {"/clike.js", std::string(serve::codemirror_clike())}};
        // Scripts that wait for the page stand behind it, in their order.
        std::string behind;
        for (const auto& [path, text] : scripts) {
            test::replace_first(html, std::string("<script defer src=\"") + path + "\"></script>", "");
            behind += "<script>" + text + "</script>";
        }
        test::replace_first(html, "</body>", behind + "</body>");
        return html;
    }
};

/// The program itself, with its judge, and ten tabs.
TEST_F(ServedPage, IsUsedAsALearnerDoes) {
    if (auto ok = confine::supported(); !ok) GTEST_SKIP() << ok.error().text();
    const std::string command = fmt::format(
        "XDG_CACHE_HOME='{0}/cache' HOME='{0}' timeout -k 5 280 python3 '{1}/tests/browser/whole_page.py' '{2}' '{3}' "
        ">'{0}/out.txt' 2>&1",
        folder.string(), WARPWRIGHT_SOURCE_DIR, WARPWRIGHT_PROGRAM, WARPWRIGHT_CHROMIUM);
    EXPECT_EQ(std::system(command.c_str()), 0) << test::text_of(folder / "out.txt");
}

TEST_F(ServedPage, WorksWide) {
    const auto found = walk(page(), "serve_walk.js", 1280);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
}

TEST_F(ServedPage, WorksNarrow) {
    const auto found = walk(page(), "serve_walk.js", 420);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["problems"], nlohmann::json::array());
}

}  // namespace serve_test
}  // namespace warpwright
