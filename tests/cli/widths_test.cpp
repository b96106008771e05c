// No line that the program prints is wider than the terminal: every command at several widths, by COLUMNS. What was
// said is all still there.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "common/program.hpp"
#include "record/record.hpp"
#include "report/format.hpp"
#include "text/words.hpp"

namespace warpwright::cli {
namespace widths_test {

using test::program;
using Words = std::vector<std::string>;

/// Each command once in every form of its text. `kWidths` are tried with each.
constexpr const char* kWidths[] = {"60", "80", "120", "200"};

/// COLUMNS for as long as it lives.
class Columns {
public:
    explicit Columns(const char* columns) { ::setenv("COLUMNS", columns, 1); }
    ~Columns() { ::unsetenv("COLUMNS"); }
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
};

/// The text without the blanks and line ends that laying it out puts in.
std::string without_blanks(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}

std::string joined(const Words& words) {
    std::string out;
    for (const std::string& w : words) out += w + ' ';
    return out;
}

void expect_no_wide_line(const std::string& text, const std::string& columns, const std::string& command) {
    const std::size_t width = std::stoul(columns);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        ASSERT_LE(report::display_width(line), width) << command << "at " << columns << ":\n" << line;
        at = end + 1;
    }
}

void expect_fits(const Words& words, int code = 0) {
    for (const char* columns : kWidths) {
        const Columns set(columns);
        const auto said = program(words);
        EXPECT_EQ(said.code, code) << joined(words) << said.error;
        EXPECT_FALSE(said.out.empty() && said.error.empty()) << joined(words);
        expect_no_wide_line(said.out, columns, joined(words));
        expect_no_wide_line(said.error, columns, joined(words));
    }
}

/// The same, and nothing is lost: all characters of the text without a width stand in the folded one, in their order.
void expect_folds(const Words& words, int code = 0) {
    expect_fits(words, code);
    const auto whole = program(words);
    for (const char* columns : kWidths) {
        const Columns set(columns);
        const auto narrow = program(words);
        EXPECT_EQ(without_blanks(narrow.out), without_blanks(whole.out)) << joined(words) << "at " << columns;
        EXPECT_EQ(without_blanks(narrow.error), without_blanks(whole.error)) << joined(words) << "at " << columns;
    }
}

const Words kSaxpy{"launch",   WARPWRIGHT_SOURCE_DIR "/examples/saxpy/saxpy.cu",
                   "--kernel", "saxpy",
                   "--grid",   "4",
                   "--block",  "256",
                   "--arg",    "f32:2",
                   "--arg",    "f32[1000]=random",
                   "--arg",    "f32[1000]=zero",
                   "--arg",    "1000"};

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(Widths, help_of_every_command) {
    expect_folds({"--help"});
    expect_folds({});
    for (const char* command : {"lab", "run", "check", "explain", "launch", "tune", "history", "compare", "report",
                                "build", "device", "occupancy", "digest"})
        expect_folds({"help", command});
}

TEST(Widths, lists_and_figures_with_their_sources) {
    for (const Words& words : std::vector<Words>{{"lab"},
                                                 {"lab", "--filter", "tiled"},
                                                 {"device"},
                                                 {"device", "h200"},
                                                 {"device", "gt640"},
                                                 {"occupancy", "--registers", "64", "--shared", "16384"},
                                                 {"occupancy", "--all", "--registers", "40", "--block", "16x12"},
                                                 {"occupancy", "--over", "registers", "--model", "cc2.0"},
                                                 {"occupancy", "--over", "shared"},
                                                 {"run", "--query-metrics"}})
        expect_folds(words);
}

TEST(Widths, errors) {
    for (const Words& words : std::vector<Words>{{"labs"},
                                                 {"lab", "nothing"},
                                                 {"lab", "matmul", "--rung", "nothing"},
                                                 {"lab", "matmul", "--axis", "Q=3"},
                                                 {"lab", "matmul", "--columns", "nothing"},
                                                 {"device", "nothing"},
                                                 {"check"},
                                                 {"launch"},
                                                 {"compare"},
                                                 {"report"},
                                                 {"tune"},
                                                 {"explain", "tile[threadIdx.x*W]"},
                                                 with(kSaxpy, {"--arg", "2f"})})
        expect_folds(words, 2);
}

TEST(Widths, pages) {
    expect_fits({"explain", "tile[threadIdx.x*32 + k]", "--block", "32x8", "--shared", "--type", "float"});
    expect_fits({"explain", "a[threadIdx.x*2 + 1]", "--global", "--model", "cc2.0"});
    for (const std::string& language : warpwright::Words::languages())
        expect_fits({"lab", "threads", "--page", "--language", language});
}

TEST(Widths, tables_of_rungs_and_launches) {
    expect_fits({"lab", "reduce", "--size", "1000", "--rung", "cpu_serial,last_warp,shuffle"});
    expect_fits({"lab", "reduce", "--size", "1000", "--rung", "last_warp,shuffle", "--per-line"});
    expect_fits({"lab", "vecadd", "--size", "1000", "--models", "gt640,a100,h200"});
    expect_fits(kSaxpy);
    expect_fits(with(kSaxpy, {"--per-line"}));
    expect_fits(with(kSaxpy, {"--models", "all", "--predict=all"}));
    const test::Folder folder("widths");
    expect_fits(with(kSaxpy, {"--timeline", (folder / "warps.html").string(), "--predict=all"}));
}

TEST(Widths, findings) {
    Words small = kSaxpy;
    small.front() = "check";
    std::replace(small.begin(), small.end(), std::string("f32[1000]=zero"), std::string("f32[100]=zero"));
    expect_fits(small, 1);
    expect_fits({"check", "--ladder", "reduce", "--rung", "last_warp_volatile", "--size", "1000"}, 1);
}

TEST(Widths, tuning_and_stored_runs) {
    expect_fits({"tune", "matmul", "--rung", "tiled", "--size", "32"});
    for (const char* size : {"32", "32,48"})
        (void)program(
            {"lab", "matmul", "--size", size, "--rung", "naive,naive_swapped,row_buffer,column_buffer,tiled"});
    expect_fits({"history"});
    expect_fits({"history", "--show", "last"});
    expect_fits({"compare", "last~1", "last"});
    expect_fits({"compare", "last", "last", "--all"});
}

/// Whole programs run in a process of their own; their report stands on standard error.
TEST(Widths, whole_programs) {
    for (const char* columns : kWidths)
        for (const char* command : {"run", "check"}) {
            const auto said = test::shell(std::string("COLUMNS=") + columns + " " WARPWRIGHT_PROGRAM " " + command +
                                          " " WARPWRIGHT_SOURCE_DIR "/examples/vecadd/vecadd.cu");
            EXPECT_EQ(said.code, 0) << said.error;
            expect_no_wide_line(said.error, columns, command);
        }
}

/// Data are for programs: no width changes them.
TEST(Widths, data_are_not_folded) {
    const Columns set("20");
    const std::string csv =
        program({"lab", "reduce", "--size", "1000", "--rung", "sequential", "--axis", "T=int32", "--csv"}).out;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;  // the names of the columns, and one record
    const std::string json =
        program({"lab", "reduce", "--size", "1000", "--rung", "sequential", "--axis", "T=int32", "--json"}).out;
    EXPECT_TRUE(record::from_json(json, "out").ok()) << json;
}

}  // namespace widths_test
}  // namespace warpwright::cli
