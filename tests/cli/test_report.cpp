// warpwright report: a stored report rendered again, and what it says to files it cannot take or write.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/cli.hpp"
#include "record/page_json.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string drain(std::FILE* file) {
    std::rewind(file);
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
    return text;
}

class Report : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "warpwright-report-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
        record::Report report;
        report.title = "Laboratory";
        for (const char* id : {"banks", "threads"}) {
            record::Page page;
            page.id = id, page.title = std::string("About ") + id;
            page.conclusions = {"A stride of 32 costs 32 wavefronts."};
            page.sections = {{"Results", {record::Plot{"ways", "Ways", record::Plot::Kind::line, "stride", "ways", false, false, {}, {{"all", {1, 2}, {1, 2}, {}, record::Basis::counted}}, ""}}}};
            report.pages.push_back(page);
        }
        file = folder / "r.json";
        std::ofstream(file) << record::to_json(report);
    }
    void TearDown() override { fs::remove_all(folder); }

    int program(std::vector<std::string> words) {
        words.insert(words.begin(), {"warpwright", "report"});
        std::vector<const char*> argv;
        for (const std::string& w : words) argv.push_back(w.c_str());
        std::FILE *o = std::tmpfile(), *e = std::tmpfile();
        Console console(o, e);
        const int code = run(static_cast<int>(argv.size()), argv.data(), console);
        out = drain(o), error = drain(e);
        return code;
    }

    fs::path folder, file;
    std::string out, error;
};

TEST_F(Report, PrintsToTheTerminal) {
    EXPECT_EQ(program({file}), 0) << error;
    EXPECT_THAT(out, HasSubstr("About banks"));
    EXPECT_THAT(out, HasSubstr("About threads"));
    EXPECT_EQ(program({file, "--page", "threads"}), 0);
    EXPECT_THAT(out, testing::Not(HasSubstr("About banks")));
}

TEST_F(Report, WritesEveryForm) {
    EXPECT_EQ(program({file, "--html", folder / "r.html", "--markdown", folder / "md", "--svg", folder / "svg"}), 0) << error;
    EXPECT_TRUE(out.empty()) << out;
    for (const char* made : {"r.html", "md/report.md", "md/banks.md", "md/figures/banks-ways.svg", "svg/threads-ways.svg"})
        EXPECT_TRUE(fs::file_size(folder / made) > 100) << made;
}

TEST_F(Report, SaysWhatIsWrong) {
    EXPECT_EQ(program({folder / "none.json"}), 2);
    EXPECT_THAT(error, HasSubstr("none.json: error: cannot be read"));
    std::ofstream(folder / "broken.json") << "{\"report\": ";
    EXPECT_EQ(program({folder / "broken.json"}), 2);
    EXPECT_THAT(error, HasSubstr("broken.json:1:"));
    EXPECT_EQ(program({file, "--page", "bonks"}), 2);
    EXPECT_THAT(error, HasSubstr("pages: banks, threads"));
    EXPECT_EQ(program({file, "--language", "xx"}), 2);
    EXPECT_THAT(error, HasSubstr("languages: en"));
    EXPECT_EQ(program({file, "--html", "/dev/full"}), 2);
    EXPECT_THAT(error, HasSubstr("/dev/full: error: cannot be written: No space left"));
}

}  // namespace
}  // namespace warpwright::cli
