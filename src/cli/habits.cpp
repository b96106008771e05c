// Tables map commands and options of other tools to what a user types here, so that a mistyped word gets one line with
// an example. What no table has is compared with the existing names by spelling.
#include "cli/habits.hpp"

#include <algorithm>
#include <filesystem>

#include "arch/model.hpp"
#include "lab/experiments/experiment.hpp"
#include "ladder/find.hpp"
#include "support/closest.hpp"
#include "support/libraries.hpp"

namespace warpwright::cli {
namespace {

struct Habit {
    const char* word;
    const char* type;  ///< what to type here
};

constexpr Habit kCommands[] = {
    {"nvprof", "warpwright run ./app"},
    {"ncu", "warpwright run ./app"},
    {"nsys", "warpwright run ./app"},
    {"profile", "warpwright run ./app"},
    {"exec", "warpwright run ./app"},
    {"compute-sanitizer", "warpwright check ./app"},
    {"cuda-memcheck", "warpwright check ./app"},
    {"sanitize", "warpwright check ./app"},
    {"memcheck", "warpwright check --tool memcheck ./app"},
    {"racecheck", "warpwright check --tool racecheck ./app"},
    {"initcheck", "warpwright check --tool initcheck ./app"},
    {"synccheck", "warpwright check --tool synccheck ./app"},
    {"nvcc", "warpwright build app.cu -o app"},
    {"compile", "warpwright build app.cu -o app"},
    {"bench", "warpwright lab matmul"},
    {"benchmark", "warpwright lab matmul"},
    {"experiments", "warpwright lab"},
    {"ladders", "warpwright lab"},
    {"all", "warpwright lab --all"},
    {"devices", "warpwright device"},
    {"models", "warpwright device"},
    {"info", "warpwright device"},
    {"nvidia-smi", "warpwright device"},
    {"diff", "warpwright compare last~1 last"},
    {"runs", "warpwright history"},
    {"results", "warpwright history"},
    {"log", "warpwright history"},
    {"autotune", "warpwright tune"},
    {"optimize", "warpwright tune"},
};

/// What a command cannot do without, and an example.
struct Need {
    const char *command, *what, *example;
};

constexpr Need kNeeds[] = {
    {"explain", "an array access", "warpwright explain 'tile[threadIdx.x*32]' --block 32x8"},
    {"launch", "a file of kernels",
     "warpwright launch my.cu --kernel foo --grid 64 --block 256 --arg 'f32[1024]=random'"},
    {"compare", "two runs", "warpwright compare last~1 last"},
    {"report", "the JSON file of a report", "warpwright report lab.json"},
    {"build", "source files", "warpwright build app.cu -o app"},
    {"digest", "two files of run --digest", "warpwright digest first.json second.json"},
};

struct OptionHabit {
    const char* command;
    const char* option;
    const char* type;
};

constexpr OptionHabit kOptions[] = {
    {"run", "--print-api-trace", "--trace FILE has every call with its time"},
    {"run", "--print-api-summary", "the report has the API calls"},
    {"run", "--print-nvlink-topology", "warpwright lab links"},
    {"run", "--events", "--metrics takes nvprof's events too"},
    {"run", "-e", "--metrics takes nvprof's events too"},
    {"run", "-m", "--metrics KEY,.."},
    {"run", "--analysis-metrics", "all counts are always there: --json FILE"},
    {"run", "--query-events", "--query-metrics"},
    {"run", "--list-metrics", "--query-metrics"},
    {"run", "--list-sets", "all counts are always there: --query-metrics lists them"},
    {"run", "--export-profile", "-o FILE.html, .json, .csv or .txt"},
    {"run", "--export", "-o FILE.html, .json, .csv or .txt"},
    {"run", "--page", "-o FILE.html is the page with the sources"},
    {"run", "--kernel-name-base", "-k takes a part of the readable name, or /a regular expression/"},
    {"run", "--nvtx", "ranges of NVTX are not read; -k, -s and -c choose launches"},
    {"run", "--nvtx-include", "ranges of NVTX are not read; -k, -s and -c choose launches"},
    {"run", "--replay-mode", "nothing is replayed on the emulated GPU"},
    {"run", "--cache-control", "the emulated GPU counts requests, which do not depend on caches"},
    {"run", "--clock-control", "the emulated GPU has no clock"},
    {"run", "--print-summary", "nothing: the report begins with the summary"},
    {"run", "--profile-from-start", "launches are chosen by -k, -s and -c; cudaProfilerStart is not needed"},
    {"run", "--unified-memory-profiling", "the report has what is copied for managed memory"},
    {"run", "-u", "nothing: each time has its unit; --json FILE and --csv FILE have seconds"},
    {"run", "--normalized-time-unit", "nothing: each time has its unit; --json FILE and --csv FILE have seconds"},
    {"run", "--target-processes", "the program and those that it starts are profiled"},
    {"run", "--details-all", "all counts are always there: --json FILE"},
    {"run", "--print-details", "all counts are always there: --json FILE"},
    {"run", "--import", "warpwright run prints what it profiles; --json FILE keeps it"},
    {"run", "-i", "warpwright run prints what it profiles; --json FILE keeps it"},
    {"run", "--tool", "warpwright check --tool NAME"},
    {"check", "--kernel-regex", "all kernels of a program are checked"},
    {"check", "--kernel-name", "all kernels of a program are checked"},
    {"check", "--kernel-name-exclude", "all kernels of a program are checked"},
    {"check", "--launch-timeout", "--timeout S"},
    {"check", "--show-backtrace", "findings have the line of the program; build with -g for that of host calls"},
    {"check", "--racecheck-report", "each race is printed once, with both lines"},
    {"check", "--racecheck-detect-level", "warnings are printed too"},
    {"check", "--print-level", "warnings are printed too"},
    {"check", "--padding", "not needed: accesses are compared with the allocation, byte by byte"},
    {"check", "--check-api-memory-access", "the checkers init and api do that: --checkers init,api"},
    {"check", "--track-unused-memory", "warpwright check finds elements that nothing wrote where they are copied"},
    {"check", "--report-api-errors", "--checkers api; leave it out of the list to hide them"},
    {"check", "--destroy-on-device-error", "the program goes on after a finding"},
    {"check", "--require-cuda-init", "a program that uses no GPU ends with exit code 3"},
    {"check", "--print-limit", "all findings are printed, each once"},
    {"check", "--save", "--json FILE or --sarif FILE"},
    {"check", "--xml", "--json FILE or --sarif FILE"},
    {"build", "-fopenmp", "-Xcompiler -fopenmp"},
    {"lab", "--benchmark_list_tests", "--list"},
    {"lab", "--benchmark_out", "--json FILE"},
    {"lab", "--benchmark_format", "--json or --csv"},
    {"lab", "--gtest_filter", "--filter REGEX"},
    {"lab", "-o", "--report FILE.html, --json FILE or --csv FILE"},
    {"lab", "-n", "--size N,..."},
    {"lab", "-k", "--filter REGEX"},
};

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        out.push_back(sub->get_name());
    return out;
}

std::vector<std::string> lab_names() {
    std::vector<std::string> out;
    for (const lab::Experiment& e : lab::experiments()) out.emplace_back(e.name);
    for (const ladder::LadderPlace& place : ladder::list_ladders())
        if (std::find(out.begin(), out.end(), place.name) == out.end()) out.push_back(place.name);
    return out;
}

bool contains(const std::vector<std::string>& all, const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}

bool is_a_program(const std::string& word) {
    std::error_code ec;
    return word.ends_with(".cu") || word.starts_with("./") || std::filesystem::is_regular_file(word, ec);
}

Error usage(std::string what, std::string type) {
    return Error{ErrorKind::usage, std::move(what), Location{}, std::move(type)};
}

/// `--predict all`: the value of an option that may stand without one.
void join_predict(std::vector<std::string>& words) {
    for (std::size_t k = 2; k + 1 < words.size() && words[k] != "--"; ++k) {
        if (words[k] != "--predict") continue;
        if (const std::string& value = words[k + 1]; value != "auto" && value != "all" && value != "off") return;
        words[k] += "=" + words[k + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        return;
    }
}

/// `run -Wall app.cu -lcublas`, as nvcc has it: flags before a source are the compiler's, and behind it those that name
/// a library of ours. All other words behind it are the program's, as all behind "--" are.
void take_compiler_flags(std::vector<std::string>& words) {
    if (words[1] != "run" && words[1] != "check") return;
    const auto source = std::find_if(words.begin() + 2, words.end(), is_program_source);
    const auto end = std::find(words.begin() + 2, words.end(), "--");
    if (source == words.end() || end < source) return;
    const auto flag = [](const std::string& word) {
        return word.size() > 2 && (word.starts_with("-l") || word.starts_with("-L") || word.starts_with("-W"));
    };
    const auto library = [](const std::string& word) {
        return word == "-lOpenCL" || (word.starts_with("-l") && newest_drop_in(word.substr(2)));
    };
    std::vector<std::string> out, rest;
    for (auto word = words.begin(); word != source; ++word)
        out.push_back(flag(*word) ? "--compile-flag=" + *word : *word);
    for (auto word = source; word != words.end(); ++word)
        if (word < end && library(*word))
            out.push_back("--compile-flag=" + *word);
        else
            rest.push_back(*word);
    out.insert(out.end(), rest.begin(), rest.end());
    words = std::move(out);
}

}  // namespace

bool is_program_source(const std::string& name) {
    constexpr std::string_view kEndings[] = {".cu", ".c", ".cpp", ".cc", ".cxx"};
    return std::any_of(std::begin(kEndings), std::end(kEndings), [&](auto end) { return name.ends_with(end); });
}

std::vector<std::string> usual_words(std::vector<std::string> words) {
    if (words.size() < 2) return {words.empty() ? "warpwright" : words[0], "--help"};
    const std::string& first = words[1];
    if (first == "help" || first == "-help" || first == "-?") {
        if (words.size() == 2) return {words[0], "--help"};
        return {words[0], words[2], "--help"};
    }
    if (first == "-V" || first == "version") return {words[0], "--version"};
    if (first == "list" || first == "--list") words[1] = "lab";
    // `lab help`; a program or a folder may have that name.
    if (std::error_code ec; words.size() == 3 && words[2] == "help" && !std::filesystem::exists(words[2], ec))
        words[2] = "--help";
    join_predict(words);
    take_compiler_flags(words);
    return words;
}

void mark_program_words(const CLI::App& app, std::vector<std::string>& words) {
    if (words.size() < 3 || words[1] != "check") return;
    const CLI::App& check = *app.get_subcommand(words[1]);
    for (std::size_t k = 2; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (word == "--") return;
        if (word.size() > 1 && word[0] == '-') {
            const auto* option = check.get_option_no_throw(word);
            if (option && option->get_items_expected_max() > 0) ++k;  // its value
            continue;
        }
        std::error_code ec;
        const std::filesystem::path path(word);
        const bool by_name = word.find('/') == std::string::npos && !std::filesystem::exists(path, ec);
        if (!by_name && !path.filename().string().starts_with("python")) return;
        constexpr std::string_view kKernels[] = {".cl", ".ptx"};
        const bool kernel =
            std::any_of(std::begin(kKernels), std::end(kKernels), [&](auto ending) { return word.ends_with(ending); });
        if (kernel || is_program_source(word) || contains({words.begin() + 2, words.end()}, "--")) return;
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(k) + 1, "--");
        return;
    }
}

Error unknown_command(const CLI::App& app, const std::string& word) {
    const std::string what = "there is no command '" + word + "'";
    if (is_a_program(word)) return usage(what, "to run a program: warpwright run " + word);
    for (const Habit& h : kCommands)
        if (word == h.word) return usage(what, std::string("type: ") + h.type);
    if (contains(lab_names(), word)) return usage(what, "type: warpwright lab " + word);
    if (contains(arch::list_models(), word)) return usage(what, "type: warpwright device " + word);
    const std::string guess = did_you_mean(word, command_names(app));
    return usage(what, guess.empty() ? "warpwright help lists the commands" : guess);
}

Error missing_word(const CLI::App& command) {
    const std::string name = "warpwright " + command.get_name();
    for (const Need& n : kNeeds)
        if (command.get_name() == n.command)
            return usage(name + " needs " + n.what, std::string("for example: ") + n.example);
    return usage(name + ": a word is missing", "warpwright help " + command.get_name() + " lists the options");
}

Error unknown_own_option(const std::string& word) {
    return usage("warpwright has no option '" + word + "' before the command", "warpwright help lists the commands");
}

Error unknown_option(const CLI::App& command, const std::string& word) {
    const std::string option = word.substr(0, word.find('='));
    const std::string name = command.get_name(), what = "warpwright " + name + " has no option '" + option + "'";
    for (const OptionHabit& h : kOptions)
        if (name == h.command && option == h.option) return usage(what, h.type);
    std::vector<std::string> known;
    for (const CLI::Option* o : command.get_options()) {
        if (o->get_group().empty()) continue;  // of the program itself
        for (const std::string& n : o->get_lnames()) known.push_back("--" + n);
        for (const std::string& n : o->get_snames()) known.push_back("-" + n);
    }
    const std::string guess = did_you_mean(option, known);
    if (name == "build" && guess.empty() && !option.starts_with("--"))
        return usage(what, "-Xcompiler " + word + " gives it to the host's compiler");
    return usage(what, guess.empty() ? "warpwright help " + name + " lists the options" : guess);
}

Result<void> check_lab_name(const std::string& name) {
    const std::vector<std::string> known = lab_names();
    std::error_code ec;
    if (name.empty() || contains(known, name) || std::filesystem::exists(name, ec)) return {};
    const std::string guess = did_you_mean(name, known);
    return usage(
        "there is no experiment or ladder '" + name + "'",
        (guess.empty() ? "" : guess + " ") + "warpwright lab lists them; a folder with a ladder.toml serves as well");
}

}  // namespace warpwright::cli
