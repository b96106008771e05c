// What users of other tools type, and what is misspelt: each works, or one line says what to type.
#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "cli/commands/run_habits.hpp"
#include "cli/habits.hpp"
#include "common/program.hpp"
#include "report/format.hpp"
#include "support/closest.hpp"

namespace warpwright::cli {
namespace habits_test {

using test::program;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The words are refused in one line that holds `says`.
void refused(const std::vector<std::string>& words, const std::string& says) {
    const test::Said o = program(words);
    EXPECT_EQ(o.code, 2) << says;
    EXPECT_EQ(o.out, "");
    EXPECT_THAT(o.error, AllOf(StartsWith("warpwright: error: "), HasSubstr(says)));
    EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
}

/// Two command lines that mean the same.
void same(const std::vector<std::string>& words, const std::vector<std::string>& ours) {
    const test::Said a = program(words), b = program(ours);
    EXPECT_EQ(a.code, b.code) << words.back();
    EXPECT_EQ(a.out, b.out) << words.back();
    EXPECT_EQ(a.error, b.error) << words.back();
}

TEST(Habits, help_version_and_lists_in_every_form) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"help"}, {"-help"}, {"-h"}})
        same(words, {"--help"});
    same({"help", "lab"}, {"lab", "--help"});
    same({"help", "run"}, {"run", "--help"});
    same({"lab", "help"}, {"lab", "--help"});
    same({"check", "help"}, {"check", "--help"});
    same({"-V"}, {"--version"});
    same({"version"}, {"--version"});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"list"}, {"--list"}, {"lab", "--list"}, {"lab", "matmul", "--list"}})
        same(words, {"lab"});
    EXPECT_EQ(program({}).code, 0);
}

TEST(Habits, words_behind_a_program_of_the_shell_are_its_own) {
    same({"check", "--checkers", "memory", "sh", "-c", "echo $0; exit 3", "--json"},
         {"check", "--checkers", "memory", "sh", "--", "-c", "echo $0; exit 3", "--json"});
    EXPECT_EQ(program({"check", "sh", "-c", "exit 3"}).code, 3);
    // An option of check's before the program has its value, and behind a file of one's own check's options go on.
    EXPECT_EQ(program({"check", "--error-exitcode", "5", "sh", "-c", "exit 4"}).code, 4);
    refused({"check", "./nothing_of_this_name", "--checkers", "all,none"}, "is not a checker");
}

/// The names in a part of a help text: "model" of "  model TEXT   ...", "model" and "k" of "  -k,--model NAME   ...".
std::set<std::string> names_in(const std::string& help, const std::string& part) {
    std::set<std::string> names;
    std::istringstream lines(help);
    bool within = false;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(" ")) within = line == part;
        if (!within || !line.starts_with("  ") || line[2] == ' ') continue;
        std::string word = line.substr(2, line.find_first_of(" {[=", 2) - 2);
        for (std::size_t comma; !word.empty(); word.erase(0, std::min(comma, word.size() - 1) + 1)) {
            comma = word.find(',');
            const std::string one = word.substr(0, comma);
            names.insert(one.substr(std::min(one.find_first_not_of('-'), one.size())));
        }
    }
    return names;
}

// Newer versions of CLI11 refuse it when the program starts.
TEST(Habits, no_argument_is_named_as_an_option_is) {
    std::istringstream all(program({"--help"}).out);
    std::size_t commands = 0, arguments = 0;
    bool within = false;
    for (std::string line; std::getline(all, line);) {
        if (!line.starts_with(" ")) within = line == "Subcommands:";
        if (!within || !line.starts_with("  ") || line[2] == ' ') continue;
        const std::string command = line.substr(2, line.find(' ', 2) - 2), help = program({command, "--help"}).out;
        const auto options = names_in(help, "Options:");
        EXPECT_TRUE(options.contains("help")) << help;
        ++commands;
        for (const std::string& argument : names_in(help, "Positionals:")) {
            EXPECT_FALSE(options.contains(argument)) << command << " has " << argument << " and --" << argument;
            ++arguments;
        }
    }
    EXPECT_GE(commands, 10u);
    EXPECT_GE(arguments, 8u);
}

TEST(Habits, a_misspelt_command_is_guessed) {
    refused({"lunch"}, "there is no command 'lunch' (did you mean 'launch'?)");
    refused({"hsitory"}, "did you mean 'history'?");
    refused({"frobnicate"}, "warpwright help lists the commands");
    refused({"help", "chekc"}, "did you mean 'check'?");
    refused({"nvprof", "./app"}, "type: warpwright run ./app");
    refused({"memcheck", "./app"}, "type: warpwright check --tool memcheck ./app");
    refused({"matmul"}, "type: warpwright lab matmul");
    refused({"h200"}, "type: warpwright device h200");
    refused({"./app", "1"}, "to run a program: warpwright run ./app");
    refused({"vec.cu"}, "to run a program: warpwright run vec.cu");
}

TEST(Habits, a_command_without_what_it_needs_shows_an_example) {
    refused({"launch"}, "warpwright launch needs a file of kernels (for example: warpwright launch my.cu");
    refused({"explain"}, "warpwright explain needs an array access (for example: warpwright explain 'tile");
    refused({"compare"}, "warpwright compare needs two runs (for example: warpwright compare last~1 last)");
    refused({"compare", "1"}, "needs two runs");
    refused({"report"}, "needs the JSON file of a report");
    refused({"build"}, "needs source files (for example: warpwright build app.cu -o app)");
    refused({"digest", "a"}, "needs two files of run --digest");
    refused({"run"}, "no program to run (warpwright run ./app -- args)");
    refused({"run", "--csv", __FILE__}, "--csv has taken '" __FILE__ "' as the file to write (--csv FILE, then the");
    refused({"run", "--json", __FILE__}, "--json has taken");
    refused({"lab", "matmul", "--columns"}, "--columns needs a value: A,B,..");
    refused({"run", "--timeout", "x", "./app"}, "--timeout: 'x' is not a number");
    refused({"build", "no-such.cu"}, "there is no file 'no-such.cu'");
    refused({"build", __FILE__, "no-such.cpp"}, "there is no file 'no-such.cpp'");
    refused({"-x"}, "warpwright has no option '-x' before the command (warpwright help lists the commands)");
    refused({"--frobnicate", "lab"}, "no option '--frobnicate' before the command");
}

TEST(Habits, options_of_other_tools_are_answered_by_what_to_type) {
    const std::string file = __FILE__;
    const std::vector<std::pair<const char*, const char*>> run{
        {"--print-api-trace", "--trace FILE has every call"},
        {"--print-api-summary", "the report has the API calls"},
        {"--print-summary", "the report begins with the summary"},
        {"--events", "--metrics takes nvprof's events too"},
        {"--analysis-metrics", "all counts are always there: --json FILE"},
        {"--query-events", "--query-metrics"},
        {"--profile-from-start", "-k, -s and -c"},
        {"-u", "each time has its unit"},
        {"--list-sets", "--query-metrics lists them"},
        {"--export", "-o FILE.html"},
        {"--page", "-o FILE.html"},
        {"--import", "--json FILE keeps it"},
        {"--target-processes", "those that it starts"},
        {"--nvtx-include", "ranges of NVTX are not read"},
        {"--replay-mode", "nothing is replayed"},
        {"--tool", "warpwright check --tool NAME"}};
    for (const auto& [option, answer] : run) refused({"run", option, "x", file}, answer);
    const std::vector<std::pair<const char*, const char*>> check{
        {"--kernel-regex", "all kernels of a program are checked"},
        {"--launch-timeout", "--timeout S"},
        {"--print-limit", "each once"},
        {"--save", "--json FILE or --sarif FILE"},
        {"--track-unused-memory", "elements that nothing wrote"},
        {"--padding", "byte by byte"}};
    for (const auto& [option, answer] : check) refused({"check", option, "x", file}, answer);
    refused({"lab", "matmul", "--gtest_filter=x"}, "--filter REGEX");
    refused({"lab", "matmul", "-n", "3"}, "--size N");
}

TEST(Habits, a_misspelt_option_is_guessed) {
    refused({"lab", "matmul", "--sise", "3"}, "warpwright lab has no option '--sise' (did you mean '--size'?)");
    refused({"lab", "matmul", "--modle=h200"}, "did you mean '--model'?");
    refused({"lab", "matmul", "--benchmark_out=x"}, "(--json FILE)");
    refused({"lab", "matmul", "--zzzzzz"}, "warpwright help lab lists the options");
    refused({"run", "--print-api-trace", "./app"}, "--trace FILE");
    refused({"run", "--metircs", "flops", "./app"}, "did you mean '--metrics'?");
    refused({"check", "--print-limit", "3", "x.cu"}, "all findings are printed");
    refused({"lab", "matmul", "naive"}, "the word 'naive' is one too many");
}

TEST(Habits, a_misspelt_name_is_guessed) {
    refused({"lab", "matmull"}, "there is no experiment or ladder 'matmull' (did you mean 'matmul'?");
    refused({"lab", "bank"}, "did you mean 'banks'?");
    refused({"lab", "matmul", "--rung", "niave"}, "did you mean 'naive'?");
    refused({"lab", "matmul", "--axis", "TIEL=8"}, "has no axis 'TIEL' (did you mean 'TILE'?");
    refused({"lab", "matmul", "--axis", "tile=8", "--page"}, "did you mean 'TILE'?");
    refused({"lab", "matmul", "--columns", "occupansy"}, "did you mean 'occupancy'?");
    refused({"lab", "matmul", "--rung", "/(/"}, "/(/ is not a regular expression");
    refused({"run", "--metrics", "flopz", "/bin/true"}, "there is no count 'flopz' (did you mean 'flops'?");
    refused({"run", "-o", "profile", "/bin/true"}, "-o FILE.html, .json, .csv or .txt");
    refused({"check", "--tool", "memchek", "x.cu"}, "did you mean 'memcheck'?");
    refused({"check", "--tool", "memcheck", "--checkers", "race", "x.cu"}, "excludes");
}

TEST(Habits, a_file_of_kernels_alone_is_no_program) {
    const test::Said o = program({"build", std::string(WARPWRIGHT_SOURCE_DIR) + "/examples/saxpy/saxpy.cu", "-o",
                                  "/tmp/warpwright-no-main-" + std::to_string(::getpid())});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, AllOf(HasSubstr("the program has no main()"), HasSubstr("warpwright launch FILE --kernel")));
}

TEST(Habits, a_folder_and_a_source_without_its_ending_are_no_programs) {
    const std::string saxpy = std::string(WARPWRIGHT_SOURCE_DIR) + "/examples/saxpy";
    refused({"run", "."}, "'.' is a folder, not a program");
    refused({"run", saxpy}, "is a folder, not a program");
    refused({"run", saxpy + "/saxpy"},
            "there is no program '" + saxpy + "/saxpy' (did you mean '" + saxpy + "/saxpy.cu'?)");
    refused({"launch", saxpy + "/saxpy.cu"}, "give each with --arg: 'f32[1024]=random' for a pointer");
}

TEST(Habits, runs_of_different_experiments_are_compared_in_a_line) {
    const auto folder = std::filesystem::temp_directory_path() / ("warpwright-compare-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string db = (folder / "results.db").string();
    for (const char* ladder : {"spaces", "divergence"})
        EXPECT_EQ(program({"lab", ladder, "--size", "4096", "--no-why", "--no-time", "--db", db}).code, 0);
    const test::Said o = program({"compare", "last~1", "last", "--db", db});
    EXPECT_EQ(o.code, 2) << o.error;
    EXPECT_THAT(o.error, HasSubstr("nothing to compare: the two have no point in common"));
    EXPECT_THAT(o.out, HasSubstr("Experiments that only A has (points): spaces (14)\n"));
    EXPECT_THAT(o.out, HasSubstr("Experiments that only B has (points): divergence ("));
    EXPECT_THAT(o.out, Not(HasSubstr("SPREAD=0")));
    EXPECT_THAT(program({"compare", "last~1", "last", "--all", "--db", db}).out, HasSubstr("SPREAD=0"));
    std::filesystem::remove_all(folder);
}

TEST(Habits, what_holds_nothing_to_compare_is_an_error) {
    const test::Folder folder("compare");
    const std::string db = (folder / "results.db").string();
    // Pages without records leave no run that `last` would name.
    EXPECT_EQ(program({"lab", "spaces", "--size", "4096", "--no-time", "--db", db}).code, 0);
    EXPECT_EQ(program({"lab", "sum", "--size", "4096", "--no-time", "--db", db}).code, 0);
    const auto profile = folder.write("r1.json", R"({"schema": 1, "kind": "profile"})");
    const test::Said o = program({"compare", profile.string(), profile.string()});
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
}

TEST(Habits, values_of_predict_may_stand_apart) {
    EXPECT_THAT(usual_words({"warpwright", "run", "--predict", "all", "./app"}),
                testing::ElementsAre("warpwright", "run", "--predict=all", "./app"));
    EXPECT_THAT(usual_words({"warpwright", "lab", "sum", "--predict", "off"}),
                testing::ElementsAre("warpwright", "lab", "sum", "--predict=off"));
    EXPECT_THAT(usual_words({"warpwright", "run", "--predict", "./app"}),
                testing::ElementsAre("warpwright", "run", "--predict", "./app"));
}

TEST(Habits, run_takes_what_nvcc_takes_for_a_source) {
    EXPECT_THAT(usual_words({"warpwright", "run", "-Wall", "app.cu", "-lcublas", "-lthing", "--", "-lcurand"}),
                testing::ElementsAre("warpwright", "run", "--compile-flag=-Wall", "--compile-flag=-lcublas", "app.cu",
                                     "-lthing", "--", "-lcurand"));
    EXPECT_THAT(usual_words({"warpwright", "run", "./app", "-lcublas"}),
                testing::ElementsAre("warpwright", "run", "./app", "-lcublas"));
}

TEST(Habits, explain_takes_a_statement_as_it_stands) {
    const std::string access = "tile[threadIdx.x*32 + 3]";
    const test::Said own = program({"explain", access, "--shared"});
    EXPECT_EQ(own.code, 0) << own.error;
    for (const char* form : {"float x = {};", "{} = x;", "{} += v", "sum += {} ;"}) {
        std::string statement = form;
        statement.replace(statement.find("{}"), 2, access);
        EXPECT_EQ(program({"explain", statement, "--shared"}).out, own.out) << statement;
    }
    EXPECT_THAT(program({"explain", "tile[threadIdx.x == 3"}).error, HasSubstr("a ']' is missing"));
}

TEST(Habits, explain_takes_opencls_names_and_finds_the_memory_by_them) {
    for (const char* index : {"get_global_id(0)*8", "get_group_id(0)*32 + get_local_id(0)"})
        EXPECT_THAT(program({"explain", std::string("x[") + index + "]"}).out, HasSubstr("Segments of x")) << index;
    EXPECT_THAT(program({"explain", "t[get_local_id(0)*32]"}).out, HasSubstr("Banks of t"));
    EXPECT_THAT(program({"explain", "t[f(0)]"}).error, HasSubstr("'f' is called; its result is not known here"));
}

TEST(Habits, regular_expressions_choose_rungs) {
    const test::Said list = program({"lab", "--filter", "^tiled"});
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.out, AllOf(HasSubstr("tiled_unrolled"), Not(HasSubstr("naive")), Not(HasSubstr("Experiments"))));
    refused({"lab", "--filter", "no such rung"}, "matches no experiment and no rung");
    refused({"lab", "--filter", "("}, "is not a regular expression");
    for (const std::vector<std::string>& chosen : {std::vector<std::string>{"--filter", "^naive$|_serial"},
                                                   {"--benchmark_filter=^naive$|_serial"},
                                                   {"--rung", "/^naive$|_serial/"}}) {
        std::vector<std::string> words{"lab", "matmul", "--size", "8", "--no-db", "--csv"};
        words.insert(words.end(), chosen.begin(), chosen.end());
        const test::Said o = program(words);
        EXPECT_EQ(o.code, 0) << o.error;
        EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 3) << o.out;  // a header and two rungs
    }
}

TEST(Habits, metrics_have_the_names_of_other_profilers) {
    EXPECT_EQ(metric_key("instructions"), "instructions");
    EXPECT_EQ(metric_key("inst_executed"), "instructions");
    EXPECT_EQ(metric_key("smsp__inst_executed.sum"), "instructions");
    EXPECT_EQ(metric_key("smsp__inst_executed"), "instructions");
    EXPECT_EQ(metric_key("gld_transactions"), "global_load_sectors");
    EXPECT_EQ(metric_key("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), "global_load_sectors");
    refused({"run", "--metrics", "gld_efficiency", "/bin/true"}, "global_efficiency has loads and stores together");
    EXPECT_EQ(metric_key("lts__d_sectors.sum"), "");
    // What the model of time predicts.
    EXPECT_EQ(metric_key("achieved_occupancy"), "predicted_occupancy");
    EXPECT_EQ(metric_key("sm__warps_active.avg.pct_of_peak_sustained_active"), "predicted_occupancy");
    EXPECT_EQ(metric_key("dram__bytes_read.sum"), "predicted_dram_read");
    EXPECT_EQ(metric_key("predicted_cycles"), "predicted_cycles");
    EXPECT_EQ(metric_key("predicted_"), "");
    refused({"run", "--metrics", "predicted_cycle", "/bin/true"}, "did you mean 'predicted_cycles'?");
    refused({"run", "--metrics", "ipc", "/bin/true"}, "only a GPU measures it");
    const test::Said list = program({"run", "--query-metrics"});
    EXPECT_EQ(list.code, 0);
    EXPECT_THAT(list.out, AllOf(HasSubstr("global_load_sectors  [sectors]"), HasSubstr("nvprof: gld_transactions"),
                                HasSubstr("predicted_occupancy  [share]\n    Predicted. "),
                                HasSubstr("nvprof: achieved_occupancy")));
}

TEST(Habits, words_of_other_profilers_become_ours) {
    ProgramOptions o;
    o.run.device = "emulated";
    o.kernel = "regex:^add";
    o.output = "page.html";
    o.metrics = {"gld_transactions", "flops"};
    ASSERT_TRUE(settle_habits(o));
    EXPECT_EQ(o.kernel, "/^add/");
    EXPECT_EQ(o.html, "page.html");
    EXPECT_THAT(o.metrics, testing::ElementsAre("global_load_sectors", "flops"));
}

/// A setting of the environment, and what it was before.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) before_ = old;
        ::setenv(name, value, 1);
    }
    ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(Console, UnitsAreInAsciiWhereTheLocaleIs) {
    for (const auto& [locale, unit] : {std::pair{"C", "us"}, std::pair{"C.UTF-8", "µs"}}) {
        const Environment all("LC_ALL", locale);
        std::FILE *out = std::tmpfile(), *error = std::tmpfile();
        {
            Console console(out, error);
            console.out("12.5 µs, ");
            console.data("13.5 µs");
            console.error_text("14.5 µs\n");
            console.note("15.5 µs");
        }
        // What programs read is the same everywhere.
        EXPECT_EQ(test::drain(out), std::string("12.5 ") + unit + ", 13.5 µs");
        EXPECT_EQ(test::drain(error), std::string("14.5 ") + unit + "\nwarpwright: 15.5 " + unit + "\n");
    }
}

/// The columns of the first line that begins so.
std::size_t width_of_line(const std::string& text, const std::string& begins) {
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(begins)) return report::display_width(line);
    return 0;
}

TEST(Pipes, a_page_keeps_to_columns_and_its_rows_stand_above_it) {
    const std::vector<std::string> words{"lab",    "transpose",        "--page", "--size",    "64",
                                         "--rung", "naive_read,tiled", "--axis", "T=float32", "--no-db"};
    const char* purpose = "To see how each version";
    {
        const Environment columns("COLUMNS", "200");
        EXPECT_GT(width_of_line(program(words).out, purpose), 72u);
    }
    const Environment columns("COLUMNS", "72");
    const test::Said o = program(words);
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_GT(width_of_line(o.out, purpose), 40u);
    EXPECT_LE(width_of_line(o.out, purpose), 72u);
    const auto row = o.out.find("naive_read");
    EXPECT_THAT(o.out, StartsWith("These results come as they are made; the page follows when all have run."));
    EXPECT_LT(row, o.out.find(purpose));
    // Data stays data.
    auto json = words;
    json.push_back("--json");
    EXPECT_THAT(program(json).out, StartsWith("{"));
}

TEST(Pipes, pages_are_in_the_language_of_the_locale) {
    const std::vector<std::string> words{"lab",    "transpose",  "--page", "--size",    "64",
                                         "--rung", "naive_read", "--axis", "T=float32", "--no-db"};
    const Environment locale("LC_ALL", "ru_RU.UTF-8");
    EXPECT_THAT(program(words).out, HasSubstr("Рекомендац"));
    auto english = words;
    english.insert(english.end(), {"--language", "en"});
    EXPECT_THAT(program(english).out, HasSubstr("Recommendation"));
    const std::vector<std::string> access{"explain", "tile[threadIdx.x*32]"};
    EXPECT_THAT(program(access).out, HasSubstr("Банки"));
    EXPECT_THAT(program({"explain", "tile[threadIdx.x*32]", "--lang", "en"}).out, HasSubstr("Banks of"));
    const Environment unknown("LC_ALL", "tlh_QO.UTF-8");
    EXPECT_THAT(program(words).out, HasSubstr("Recommendation"));
}

/// Each __local pointer of OpenCL has its own part of the shared memory.
TEST(Habits, local_memory_is_given_by_its_size) {
    const std::vector<std::string> arguments{"--arg", "f64[1]=zero", "--arg",      "f64[1000]=ones", "--arg",
                                             "1000",  "--arg",       "local:1024", "--arg",          "local:4"};
    std::vector<std::string> words{"launch", WARPWRIGHT_SOURCE_DIR "/tests/cli/local_sum.cl", "--block", "128"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto said = program(words);
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("f64[1]: 1007;"));  // a thousand ones, in seven steps
    EXPECT_EQ(said.error.find("single thread"), std::string::npos);
    words.front() = "check";
    EXPECT_EQ(program(words).code, 0);
    EXPECT_THAT(program({"launch", WARPWRIGHT_SOURCE_DIR "/tests/cli/local_sum.cl", "--arg", "local:0"}).error,
                HasSubstr("local memory has at least one byte"));
    EXPECT_THAT(program({"launch", WARPWRIGHT_SOURCE_DIR "/tests/cli/local_sum.cl", "--arg", "1"}).error,
                HasSubstr("; a __local pointer is given as local:BYTES"));
}

TEST(Habits, a_launch_of_nobodys_shape_says_so) {
    const auto said = program({"launch", WARPWRIGHT_SOURCE_DIR "/tests/cli/refused.cu", "--kernel", "take_row"});
    EXPECT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.error, HasSubstr("a single thread ran: --grid and --block say how many"));
}

/// A program that asks for its launch's error gets a code; whoever watches it wants to know what was too large.
TEST(Habits, a_refused_launch_says_why) {
    const std::string file = WARPWRIGHT_SOURCE_DIR "/tests/cli/refused.cu";
    for (const char* command : {"run", "check"}) {
        const auto said = test::shell(WARPWRIGHT_PROGRAM " " + std::string(command) + " " + file);
        EXPECT_THAT(said.error, HasSubstr("launch of 'take_row()': block.x is 2048, the device allows 1024"));
        EXPECT_THAT(said.error, HasSubstr("launch of 'take_shared()': shared memory per block in bytes is 102400, the "
                                          "device allows 49152 (cudaFuncSetAttribute"));
        // The runtime library of CUDA 13 has one number for both.
        EXPECT_THAT(said.out, HasSubstr("invalid argument\ninvalid argument\n"));
    }
}

TEST(Closest, takes_what_is_spelt_alike) {
    const std::vector<std::string> known{"lab", "launch", "check", "history", "copy", "copies"};
    EXPECT_THAT(closest("lunch", known), testing::ElementsAre("launch"));
    EXPECT_THAT(closest("LAB", known), testing::ElementsAre("lab"));
    EXPECT_THAT(closest("chekc", known), testing::ElementsAre("check"));  // neighbours exchanged: one step
    EXPECT_TRUE(closest("frobnicate", known).empty());
    EXPECT_TRUE(closest("", known).empty());
    EXPECT_TRUE(closest("x", known).empty());
    EXPECT_EQ(did_you_mean("copyes", known), "did you mean 'copies'?");
    const std::vector<std::string> two{"cat", "car"};
    EXPECT_EQ(did_you_mean("cab", two), "did you mean 'car' or 'cat'?");
}

}  // namespace habits_test
}  // namespace warpwright::cli
