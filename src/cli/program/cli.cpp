// The commands are registered in the order of the help text, and the parser's exceptions end here as one line of error.
// Warnings of the library are collected and printed when the command is done, so that none stands in the middle of a
// table.
#include "cli/program/cli.hpp"

#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"
#include "cli/habits.hpp"
#include "cli/options/nvcc_words.hpp"
#include "support/settings.hpp"
#include "support/warnings.hpp"

namespace warpwright::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 a wrong result or a fault; 2 usage or input; 3 no device or tool.\n"
    "Results go to standard output, errors and progress to standard error.";

/// What the library wants the user to know, told when the command is done: a line of its own in a table's middle is
/// none.
class Warnings {
public:
    explicit Warnings(Console& console) : console_(console) {
        on_warning([this](const std::string& text) { lines_.push_back(text); });
    }
    ~Warnings() {
        on_warning({});
        for (const std::string& line : lines_) console_.note(line);
    }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;

private:
    Console& console_;
    std::vector<std::string> lines_;
};

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}
void name_program(CLI::App& app) {
    app.set_version_flag("-V,--version", "warpwright " WARPWRIGHT_VERSION, "print the version and exit");
    app.set_help_flag("-h,--help", "print this help and exit");
    app.require_subcommand(1);
    app.footer(kFooter);
    app.get_formatter()->column_width(34);
}

/// All commands, in the order of --help.
std::vector<Command> add_commands(CLI::App& app, const Invocation& invocation) {
    return {add_lab(app, invocation),
            add_run(app, invocation),
            add_check(app),
            add_explain(app),
            add_launch(app),
            add_tune(app, invocation),
            add_learn(app),
            add_grade(app, invocation),
            add_serve(app, invocation),
            add_history(app),
            add_compare(app),
            add_report(app),
            add_build(app),
            add_device(app),
            add_occupancy(app),
            add_digest(app)};
}

std::string help_of(const CLI::App& app) {
    const CLI::App* asked = &app;
    for (const CLI::App* sub : app.get_subcommands()) asked = sub;
    return app.get_subcommands().empty() ? app.help() : asked->help("warpwright");
}

/// The line for words that the parser does not take.
Error parse_error(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& words) {
    const auto commands = app.get_subcommands();
    if (commands.empty() && words.size() > 1 && !words[1].starts_with("-")) return unknown_command(app, words[1]);
    const CLI::App& at = commands.empty() ? app : *commands.front();
    const std::vector<std::string> left = at.remaining();
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !commands.empty())
        for (const std::string& word : left)
            if (word.size() > 1 && word[0] == '-') return unknown_option(at, word);
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && words.size() > 1 &&
        words[1].starts_with("-"))
        return unknown_own_option(words[1]);
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !left.empty())
        return Error{ErrorKind::usage, "the word '" + left.front() + "' is one too many", Location{},
                     "see: warpwright " + at.get_name() + " --help"};
    if (commands.empty() && words.size() > 1) return unknown_own_option(words[1]);
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) return missing_word(at);
    const std::string command = commands.empty() ? "" : " " + at.get_name();
    std::string what = one_line(e.what());
    // "Could not convert: --timeout = x"
    if (const auto equals = what.find(" = ");
        equals != std::string::npos && e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConversionError)) {
        const std::string option = what.substr(0, equals), before = "Could not convert: ";
        what = (option.starts_with(before) ? option.substr(before.size()) : option) + ": '" + what.substr(equals + 3) +
               "' is not a number";
    }
    // "--columns: 1 required A,B,.. missing"
    if (const auto from = what.find(": 1 required "); from != std::string::npos && what.ends_with(" missing"))
        what = what.substr(0, from) + " needs a value: " + what.substr(from + 13, what.size() - from - 13 - 8);
    return Error{ErrorKind::usage, what, Location{}, "see: warpwright" + command + " --help"};
}

/// What the words ask for before any command runs: help, the version, or an error in them. Absent: a command.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& words, Console& console) {
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    try {
        app.parse(static_cast<int>(argv.size()), argv.data());
    } catch (const CLI::CallForHelp&) {
        if (app.get_subcommands().empty() && words.size() > 1 && !words[1].starts_with("-"))
            return console.fail(unknown_command(app, words[1]));
        console.out(help_of(app));
        return 0;
    } catch (const CLI::CallForVersion&) {
        console.out("warpwright " WARPWRIGHT_VERSION "\n");
        return 0;
    } catch (const CLI::ParseError& e) {
        return console.fail(parse_error(app, e, words));
    }
    return std::nullopt;
}

}  // namespace

int run(int argc, const char* const* argv, Console& console, const std::string& self) {
    CLI::App app(
        "Warpwright: CUDA kernels on an emulated GPU, with exact counts and the bound of a real one.\n"
        "warpwright lab lists the experiments; warpwright help COMMAND has the options of a command.\n",
        "warpwright");
    name_program(app);
    const std::vector<Command> commands = add_commands(app, {self, {argv, argv + argc}});
    const auto finish = [&](int code) {
        if (console.flush()) return code;
        return console.fail(Error{ErrorKind::internal, "standard output cannot be written", Location{}, ""});
    };
    std::vector<std::string> words = usual_words({argv, argv + argc});
    mark_program_words(app, words);
    if (words.size() > 2 && words[1] == "build") {
        auto ours = nvcc_words({words.begin() + 2, words.end()});
        if (!ours) return finish(console.fail(ours.error()));
        words.resize(2);
        words.insert(words.end(), ours->begin(), ours->end());
    }
    if (const auto done = parse(app, words, console)) return finish(*done);
    if (const auto wrong = settings::wrong(); !wrong.empty()) return console.fail(wrong.front());
    const Warnings warnings(console);
    for (const Command& command : commands)
        if (*command.app) return finish(command.run(console));
    return 0;  // never: the parser requires a command
}

}  // namespace warpwright::cli
