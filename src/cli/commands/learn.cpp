// warpwright learn: the exercises of the course, one after the other.
#include "cli/commands/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/commands/learn_programs.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/options/common_options.hpp"
#include "learn/prove.hpp"
#include "report/format.hpp"
#include "support/closest.hpp"
#include "support/read_file.hpp"
#include "support/write_file.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

Result<Desk> desk_of(const LearnOptions& o, Console& console) {
    const std::string language = page_language(o.language);
    auto words = Words::load(language);
    if (!words) return std::move(words).error();
    auto file = o.course.empty() ? learn::own_course() : Result<std::string>(o.course);
    if (!file) return std::move(file).error();
    auto course = learn::read_course(*file);
    if (!course) return std::move(course).error();
    // What others hand in is no progress of one's own.
    const bool keep = !o.run.untrusted && o.file.empty();
    const std::string kept = !keep ? "" : o.progress.empty() ? learn::Progress::own_file() : o.progress;
    auto progress = learn::Progress::read(kept);
    if (!progress) return std::move(progress).error();
    if (keep && kept.empty()) console.note(words->operator()("learn.not_kept"));
    return Desk{o, console, language, std::move(*words), std::move(*course), std::move(*progress)};
}

void print_task(const Desk& desk, const learn::Exercise& e) {
    const learn::ExerciseTexts& texts = e.texts_in(desk.language);
    std::string out = e.name + "  " + texts.title + "\n\n" + paragraphs(desk, texts.task, "  ") + "\n";
    if (e.questions.empty()) {
        std::string sizes;
        for (const auto& size : e.sizes) sizes += (sizes.empty() ? "" : ", ") + e.size_text(size);
        out += "  " + desk.words("learn.tried", {{"sizes", Text(sizes)}}) + "\n";
    }
    for (const learn::Requirement& r : e.requirements) {
        const char* key = r.compare == learn::Requirement::Compare::at_most    ? "learn.at_most"
                          : r.compare == learn::Requirement::Compare::at_least ? "learn.at_least"
                                                                               : "learn.equal";
        out += "  " + desk.words(key, {{"metric", Text(r.metric)}, {"limit", Text(r.limit.text())}}) + "\n";
        std::vector<std::string> explained{r.metric.starts_with("cause.") ? "cause" : r.metric};
        for (const auto& [name, rung] : r.own_figures(e)) explained.push_back(name);
        for (const std::string& one : explained)
            if (const std::string word = "learn.figure." + one; desk.words.has(word))
                out += paragraphs(desk, desk.words(word), "      ");
    }
    desk.console.out(out + "\n");
}

Result<learn::Exercise> named(const Desk& desk, const std::string& name) {
    auto folder = desk.course.folder_of(name);
    if (!folder) return std::move(folder).error();
    return learn::read_exercise(*folder);
}

/// The first exercise that is not done; empty where all are.
std::string next_of(const Desk& desk) {
    for (const std::string& name : desk.course.names())
        if (desk.progress.of(name).done.empty()) return name;
    return "";
}

int work_on(Desk& desk, const std::string& name) {
    auto exercise = named(desk, name);
    if (!exercise) return desk.console.fail(exercise.error());
    if (desk.options.run.untrusted) return answer_confined(desk, *exercise);
    if (!desk.options.json) print_task(desk, *exercise);
    // A file that is named is one's own: nothing is made in its place.
    if (desk.options.file.empty()) {
        auto laid = lay_out(desk, *exercise);
        if (!laid) return desk.console.fail(laid.error());
        if (*laid) {
            desk.console.out(desk.words("learn.begin", {{"file", Text(**laid)}}) + "\n");
            // The untouched file is no attempt.
            if (desk.options.once) return 0;
        }
    }
    return answer(desk, *exercise);
}

int status(Desk& desk) {
    std::string out = desk.course.title_in(desk.language) + "\n";
    std::size_t done = 0, width = 0;
    for (const std::string& name : desk.course.names()) width = std::max(width, name.size());
    for (const std::string& folder : desk.course.folders) {
        auto e = learn::read_heading(folder, desk.language);
        if (!e) return desk.console.fail(e.error());
        const learn::Standing s = desk.progress.of(e->name);
        done += !s.done.empty();
        out += fmt::format("  {}  {:<{}}  {}\n",
                           s.done.empty()           ? " "
                           : desk.console.unicode() ? "✓"
                                                    : "x",
                           e->name, width, e->title);
    }
    out += desk.words("learn.status", {{"done", static_cast<std::int64_t>(done)},
                                       {"all", static_cast<std::int64_t>(desk.course.folders.size())}}) +
           "\n";
    desk.console.out(out);
    return 0;
}

int hint(Desk& desk, const std::string& name) {
    auto e = named(desk, name);
    if (!e) return desk.console.fail(e.error());
    const auto& hints = e->texts_in(desk.language).hints;
    learn::Standing s = desk.progress.of(name);
    const bool more = s.hints < hints.size();
    if (more) ++s.hints;
    if (auto ok = desk.progress.set(name, s); !ok) return desk.console.fail(ok.error());
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(s.hints, hints.size()); ++i)
        out += fmt::format("{}. ", i + 1) + paragraphs(desk, hints[i], "   ").substr(3) + "\n";
    out +=
        desk.words(more && s.hints < hints.size() ? "learn.more_hints" : "learn.no_more_hints",
                   {{"open", static_cast<std::int64_t>(s.hints)}, {"all", static_cast<std::int64_t>(hints.size())}}) +
        "\n";
    desk.console.out(out);
    return 0;
}

int why(Desk& desk, const std::string& name) {
    auto e = named(desk, name);
    if (!e) return desk.console.fail(e.error());
    if (desk.progress.of(name).done.empty())
        return desk.console.fail(Error{ErrorKind::usage, "'" + name + "' is not done yet", Location{},
                                       "what it shows is told when it is; warpwright learn hint " + name});
    desk.console.out(paragraphs(desk, e->texts_in(desk.language).why, ""));
    return 0;
}

/// The learner's file goes aside, and the one that the exercise begins with takes its place.
int reset(Desk& desk, const std::string& name) {
    auto e = named(desk, name);
    if (!e) return desk.console.fail(e.error());
    const std::string file = desk.file_of(*e);
    std::error_code ec;
    if (fs::exists(fs::symlink_status(file, ec))) {
        const std::string aside = file + ".before";
        fs::rename(file, aside, ec);
        if (ec) return desk.console.fail(Error{ErrorKind::input, ec.message(), Location{file, 0, 0}, ""});
        desk.console.note(desk.words("learn.aside", {{"file", Text(aside)}}));
    }
    if (auto ok = desk.progress.set(name, {}); !ok) return desk.console.fail(ok.error());
    auto laid = lay_out(desk, *e);
    if (!laid) return desk.console.fail(laid.error());
    desk.console.out(desk.words("learn.begin", {{"file", Text(file)}}) + "\n");
    return 0;
}

int check(Desk& desk, const std::vector<std::string>& names) {
    bool all = true;
    for (const std::string& name : names.empty() ? desk.course.names() : names) {
        auto e = named(desk, name);
        if (!e) return desk.console.fail(e.error());
        const auto tell = [&](const learn::Claim& c) {
            desk.console.out(fmt::format(
                "{:<4}{:<18} {:<20} {}\n", c.holds ? "ok" : "NO", e->name, c.rung,
                c.holds ? c.expected : fmt::format("{} expected, {} found: {}", c.expected, c.found, c.detail)));
        };
        learn::WorkshopOptions w;
        w.model = desk.options.run.model;
        w.cpu = desk.options.run.cpu;
        w.threads = desk.options.run.threads;
        w.most_instructions = desk.options.instructions;
        if (e->program) {
            RunOptions run = desk.options.run;
            if (run.model.empty()) run.model = e->model;
            w.programs = own_programs(run, program_bounds(desk), desk.console);
        }
        auto proved = learn::prove(*e, w, tell);
        if (!proved) return desk.console.fail(proved.error());
        all = all && *proved;
    }
    return all ? 0 : 1;
}

/// A new exercise: a copy of our first one under another name, which proves its claims as it stands.
int make_new(Desk& desk, const std::string& name) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (!std::all_of(name.begin(), name.end(), plain))
        return desk.console.fail(Error{ErrorKind::usage, "'" + name + "' cannot be an exercise's name", Location{},
                                       "small letters, digits and '_'"});
    constexpr const char* kModel = "bounds";
    auto ours = learn::own_course();
    if (!ours) return desk.console.fail(ours.error());
    const fs::path from = fs::path(*ours).parent_path() / kModel, to = fs::path(desk.options.folder) / name;
    std::error_code ec;
    if (fs::exists(fs::symlink_status(to, ec)))
        return desk.console.fail(
            Error{ErrorKind::input, "it is there already", Location{to.string(), 0, 0}, "another name"});
    if (auto ok = make_folder(to.string()); !ok) return desk.console.fail(ok.error());
    for (const fs::directory_entry& entry : fs::directory_iterator(from, ec)) {
        auto text = read_file(entry.path().string(), file_limit::source);
        if (!text) return desk.console.fail(text.error());
        std::string file = entry.path().filename().string();
        for (const auto& [old, fresh] : {std::pair{std::string("\"") + kModel + "\"", "\"" + name + "\""},
                                         {std::string(kModel) + ".cu", name + ".cu"}}) {
            for (std::size_t at = 0; (at = text->find(old, at)) != std::string::npos; at += fresh.size())
                text->replace(at, old.size(), fresh);
            if (file == old) file = fresh;
        }
        if (auto ok = write_file((to / file).string(), *text); !ok) return desk.console.fail(ok.error());
    }
    const std::string course = (fs::path(desk.options.folder) / "course.toml").string();
    if (!fs::exists(course, ec)) {
        const std::string text = "schema = 1\ntitle = \"" + name + "\"\nexercises = [\"" + name + "\"]\n";
        if (auto ok = write_file(course, text); !ok) return desk.console.fail(ok.error());
    }
    desk.console.out(
        desk.words("learn.made", {{"folder", Text(to.string())}, {"course", Text(course)}, {"name", Text(name)}}) +
        "\n");
    return 0;
}

struct Action {
    const char* name;
    std::size_t least, most;  ///< names behind it
    std::function<int(Desk&, const std::vector<std::string>&)> run;
};

const std::vector<Action>& actions() {
    static const std::vector<Action> all{
        {"next", 0, 0,
         [](Desk& d, const auto&) {
             const std::string name = next_of(d);
             if (!name.empty()) return work_on(d, name);
             d.console.out(d.words("learn.all_done") + "\n");
             return 0;
         }},
        {"status", 0, 0, [](Desk& d, const auto&) { return status(d); }},
        {"hint", 1, 1, [](Desk& d, const auto& names) { return hint(d, names[0]); }},
        {"why", 1, 1, [](Desk& d, const auto& names) { return why(d, names[0]); }},
        {"reset", 1, 1, [](Desk& d, const auto& names) { return reset(d, names[0]); }},
        {"new", 1, 1, [](Desk& d, const auto& names) { return make_new(d, names[0]); }},
        {"check", 0, 1000, [](Desk& d, const auto& names) { return check(d, names); }},
    };
    return all;
}

int run_learn(const LearnOptions& o, Console& console) {
    if (o.run.untrusted && o.file.empty())
        return console.fail(
            Error{ErrorKind::usage, "--untrusted needs --file", Location{}, "the file that a stranger handed in"});
    auto desk = desk_of(o, console);
    if (!desk) return console.fail(desk.error());
    if (o.words.empty()) return status(*desk);
    const std::vector<std::string> names(o.words.begin() + 1, o.words.end());
    for (const Action& a : actions()) {
        if (a.name != o.words[0]) continue;
        if (names.size() < a.least || names.size() > a.most)
            return console.fail(Error{
                ErrorKind::usage,
                fmt::format("learn {} takes {}", a.name, a.most == 0 ? "no name" : "one name, that of an exercise"),
                Location{}, "warpwright learn status lists them"});
        return a.run(*desk, names);
    }
    if (!names.empty())
        return console.fail(Error{ErrorKind::usage, "the word '" + names[0] + "' is one too many", Location{},
                                  "warpwright learn NAME; actions: next, status, hint, why, reset, new, check"});
    return work_on(*desk, o.words[0]);
}

}  // namespace

ProgramBounds program_bounds(const Desk& desk) {
    return {desk.options.limit, desk.options.instructions, desk.course.folders};
}

void add_instructions(CLI::App& command, std::uint64_t& to) {
    command
        .add_option(
            "--instructions", to,
            "instructions that a launch may execute, over all of its warps: beyond them it ends, named at its loop")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
        ->capture_default_str();
}

std::string Desk::file_of(const learn::Exercise& exercise) const {
    if (!options.file.empty()) return options.file;
    return (fs::path(options.folder) / exercise.name / exercise.file).lexically_normal().string();
}

Result<std::optional<std::string>> lay_out(const Desk& desk, const learn::Exercise& exercise) {
    const std::string file = desk.file_of(exercise);
    std::error_code ec;
    if (fs::exists(fs::symlink_status(file, ec))) return std::optional<std::string>();
    auto text = read_file(exercise.start_file(), file_limit::source);
    if (!text) return std::move(text).error();
    if (auto ok = make_folder(fs::path(file).parent_path().string()); !ok) return std::move(ok).error();
    if (auto ok = write_file(file, *text); !ok) return std::move(ok).error();
    return std::optional(file);
}

Command add_learn(CLI::App& app) {
    auto o = std::make_shared<LearnOptions>();
    CLI::App* c = app.add_subcommand("learn", "exercises on GPU optimisation, each answered as the file is saved");
    c->add_option(
        "words", o->words,
        "the name of an exercise, or: next, status, hint NAME, why NAME, reset NAME, new NAME, check [NAME ...]");
    c->add_option("--course", o->course, "a course of one's own: a course.toml")->type_name("FILE");
    c->add_option("--dir", o->folder, "where your files are, a folder for each exercise")
        ->capture_default_str()
        ->type_name("DIR");
    c->add_option("--progress", o->progress, "the file that keeps what is done; without it one of your own")
        ->type_name("FILE");
    c->add_option("--limit", o->limit, "seconds of processor time that a launch may take")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    add_instructions(*c, o->instructions);
    c->add_option("--file", o->file, "judge this file in place of yours")->type_name("FILE");
    c->add_option("--seed", o->seed, "of the hidden inputs; without it they follow from the file's text")
        ->type_name("N");
    add_untrusted(*c, o->run);
    c->add_flag("--once", o->once, "answer once, and do not wait for the file to change");
    c->add_option("--json", o->json, "the answer as JSON, to a file or standard output; answers once")
        ->expected(0, 1)
        ->type_name("FILE");
    c->add_option("--model", o->run.model, "device model; without it the exercise's own")->type_name("NAME");
    c->add_option("--cpu", o->run.cpu, "instruction set of the emulation")->type_name("NAME");
    add_number(*c, "--threads", o->run.threads, "host threads; 0 = one for each core that may be used");
    c->add_option("--language,--lang", o->language,
                  "of texts: " + known_languages() + "; without it: that of the locale")
        ->type_name("LANG");
    return {c, [o](Console& console) { return run_learn(*o, console); }};
}

}  // namespace warpwright::cli
