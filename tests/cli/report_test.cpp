// warpwright report: a stored report rendered again, and what it says to files it cannot take or write.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/program.hpp"
#include "profile/profile.hpp"
#include "record/page_json.hpp"

namespace warpwright::cli {
namespace report_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Report : public testing::Test {
protected:
    void SetUp() override {
        record::Report report;
        report.title = "Laboratory";
        for (const char* id : {"banks", "threads"}) {
            record::Page page;
            page.id = id, page.title = std::string("About ") + id;
            page.conclusions = {"A stride of 32 costs 32 wavefronts."};
            page.sections = {{"Results",
                              {record::Plot{"ways",
                                            "Ways",
                                            record::Plot::Kind::line,
                                            "stride",
                                            "ways",
                                            false,
                                            false,
                                            {},
                                            {{"all", {1, 2}, {1, 2}, {}, record::Basis::counted}},
                                            ""}}}};
            report.pages.push_back(page);
        }
        file = folder / "r.json";
        std::ofstream(file) << record::to_json(report, Words::plain());
    }

    int program(std::vector<std::string> words) {
        words.insert(words.begin(), "report");
        const test::Said said = test::program(words);
        out = said.out, error = said.error;
        return said.code;
    }

    test::Folder folder;
    fs::path file;
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
    EXPECT_EQ(program({file, "--html", folder / "r.html", "--markdown", folder / "md", "--svg", folder / "svg"}), 0)
        << error;
    EXPECT_TRUE(out.empty()) << out;
    for (const char* made :
         {"r.html", "md/report.md", "md/banks.md", "md/figures/banks-ways.svg", "svg/threads-ways.svg"})
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

TEST_F(Report, TakesProfilesOfPrograms) {
    profile::Profile p;
    p.model = "h200", p.program = {"./app"};
    auto& k = p.kernels.emplace_back();
    k.name = "scale", k.grid = {8, 1, 1}, k.block = {256, 1, 1}, k.counted = 1;
    k.times.add(2e-6), k.lines[{"/etc/hostname", 1}][record::Count::instructions] = 5;
    const std::string run = folder / "run.json", page = folder / "page.html", check = folder / "check.json";
    std::ofstream(run) << profile::to_json(p);
    auto found = record::finding_of(record::FindingKind::fault);
    found.message = "reads past the end";
    std::ofstream(check) << record::findings_json({found});
    EXPECT_EQ(program({run}), 0) << error;
    EXPECT_THAT(out, HasSubstr("scale"));
    EXPECT_EQ(program({run, "--html", page, "--base", run, "--findings", check}), 0) << error;
    std::ifstream in(page);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("reads past the end"));
    EXPECT_THAT(text.str(), HasSubstr("\"base\":{\"program\":\"./app\""));
    EXPECT_THAT(text.str(), HasSubstr("{\"near\":{}}")) << "a profile shows no file from elsewhere";
    EXPECT_EQ(program({run, "--base", run}), 2);
    EXPECT_THAT(error, HasSubstr("--base is shown on the page of --html (add --html FILE)"));
    EXPECT_EQ(program({run, "--html", page, "--base", check}), 2);
    EXPECT_THAT(error, HasSubstr("check.json: error: not a profile"));
    EXPECT_EQ(program({run, "--html", page, "--findings", run}), 2);
    EXPECT_THAT(error, HasSubstr("run.json: error: has no findings"));
    const std::string two = folder / "two.html";
    const test::Said compared = test::program({"compare", run, run, "--html", two});
    EXPECT_EQ(compared.code, 0) << compared.error;
    EXPECT_GT(fs::file_size(two), 10000u);
    EXPECT_EQ(program({run, "--svg", folder / "svg"}), 2);
    EXPECT_EQ(program({file, "--base", run}), 2);
}

}  // namespace report_test
}  // namespace warpwright::cli
