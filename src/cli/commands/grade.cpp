// warpwright grade: a class's files, each judged in a confined process of its own, so that whatever it does costs its
// own grade alone.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "cli/commands/commands.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/commands/session.hpp"
#include "cli/interrupt.hpp"
#include "cli/options/common_options.hpp"
#include "confine/confine.hpp"
#include "host/machine.hpp"
#include "lab/sweep/mpi_sweep.hpp"
#include "lab/sweep/shared_texts.hpp"
#include "learn/grade.hpp"
#include "learn/grade_pages.hpp"
#include "learn/rehearsal.hpp"
#include "learn/workshop.hpp"
#include "report/pages.hpp"
#include "support/child_process.hpp"
#include "support/closest.hpp"
#include "support/processor_time.hpp"
#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"
#include "text/words.hpp"

namespace warpwright::cli {
namespace {

struct GradeOptions {
    std::string folder, course, times, html, language;
    std::vector<std::string> only, merge;
    std::optional<std::string> json, csv, junit;
    unsigned jobs = 0;
    double limit = 10;  ///< seconds for a launch
    std::uint64_t instructions = learn::kMostInstructions;
    std::string self;
};

/// Of one submission, besides the limits of a launch and of the confined process: of processor time, so that what a
/// machine does besides changes no grade, and by the clock, for a judge that hangs.
constexpr double kProcessorSecondsEach = 300, kSecondsEach = kProcessorSecondsEach * kClockToProcessor;
constexpr std::size_t kOutput = std::size_t{4} << 20;
constexpr std::uintmax_t kRoom = std::uintmax_t{64} << 20;

/// A compiler that cannot write its output must cost nobody a grade.
Result<void> room_on_disk() {
    std::error_code ec;
    const auto space = std::filesystem::space(temporary_root(), ec);
    if (ec || space.available >= kRoom) return {};
    return Error{ErrorKind::input, fmt::format("less than {} MiB are free where judging keeps its files", kRoom >> 20),
                 Location{temporary_root(), 0, 0}, "free some, or name another folder by TMPDIR"};
}

/// An error of the machine, which is no grade.
struct Broken {
    Error error;
};

/// What it says of itself, on one line.
std::string words_of(const ProcessResult& ran) {
    std::string said = ran.errors.substr(0, 500);
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
}

std::variant<Result<learn::Judged>, Broken> judge_apart(const GradeOptions& o, const std::string& course,
                                                        const learn::Grading& grading, const std::string& language,
                                                        const learn::Submission& s) {
    ProcessSettings settings;
    settings.seconds = kSecondsEach;
    settings.processor_seconds = kProcessorSecondsEach;
    settings.output_bytes = kOutput;
    auto ran = run_to_end({o.self,           "learn",
                           s.exercise,       "--untrusted",
                           "--json",         "-",
                           "--course",       course,
                           "--file",         s.file,
                           "--seed",         std::to_string(grading.seed),
                           "--limit",        fmt::format("{}", o.limit),
                           "--instructions", std::to_string(o.instructions),
                           "--threads",      "1",
                           "--lang",         language},
                          settings);
    const auto broken = [&](const std::string& why) {
        return Broken{{ErrorKind::no_device, fmt::format("{} could not be judged: {}", s.unit(), why), Location{},
                       "grade again: it has no grade"}};
    };
    if (!ran) return broken(ran.error().text());
    if (!ran->signal && !ran->timed_out && ran->exit_code == learn::kNotRehearsed) return broken(words_of(*ran));
    if (ran->timed_out)
        return Error{ErrorKind::limit, fmt::format("judging it took longer than {} s", kSecondsEach), Location{}, ""};
    auto judged = learn::judged_of(ran->output);
    if (judged) return judged;
    std::string said = words_of(*ran);
    if (ran->signal) said = fmt::format("it ended the judge by signal {}", ran->signal);
    return Error{ErrorKind::fault, said.empty() ? "the judge gave no answer" : said, Location{}, ""};
}

/// The submissions that were asked for; all where none was named.
Result<std::vector<learn::Submission>> chosen(std::vector<learn::Submission> all,
                                              const std::vector<std::string>& only) {
    if (only.empty()) return all;
    std::vector<learn::Submission> out;
    for (const std::string& unit : only) {
        const std::size_t before = out.size();
        for (const auto& s : all)
            if (s.unit() == unit || s.learner == unit) out.push_back(s);
        if (out.size() > before) continue;
        std::vector<std::string> known;
        for (const auto& s : all) known.push_back(s.unit());
        return Error{ErrorKind::usage, "there is no submission '" + unit + "'", Location{}, did_you_mean(unit, known)};
    }
    return out;
}

/// Those of one of several processes: every size-th.
std::vector<learn::Submission> share_of(std::vector<learn::Submission> all, const lab::SharedTexts& shared) {
    std::vector<learn::Submission> out;
    for (std::size_t i = shared.rank(); i < all.size(); i += shared.size()) out.push_back(std::move(all[i]));
    return out;
}

/// `broken`: why not all were judged. `shared`: null where this process judges all.
Result<std::vector<learn::Grade>> grade_all(const GradeOptions& o, const learn::Course& course,
                                            const std::string& language, Console& console, std::optional<Error>& broken,
                                            const lab::SharedTexts* shared) {
    auto found = learn::find_submissions(o.folder, course);
    if (!found) return std::move(found).error();
    auto list = chosen(std::move(*found), o.only);
    if (!list) return std::move(list).error();
    for (const auto& s : *list)
        if (s.file.ends_with(".py"))
            return Error{ErrorKind::usage, s.unit() + " is a Python program, and those are not judged confined",
                         Location{s.file, 0, 0}, "grade a course without it, or name others with --only"};
    if (shared) list = share_of(std::move(*list), *shared);
    learn::Times times;
    if (!o.times.empty()) {
        auto read = learn::read_times(o.times);
        if (!read) return std::move(read).error();
        times = std::move(*read);
    }
    std::vector<learn::Grade> grades(list->size());
    std::atomic<std::size_t> next{0}, done{0};
    std::mutex mutex;
    const Interrupt interrupt;
    std::atomic<bool> stop = false;
    const auto work = [&] {
        for (std::size_t i; !interrupt.flag() && !stop && (i = next++) < list->size();) {
            const learn::Submission& s = (*list)[i];
            const auto break_off = [&](const Error& why) {
                std::lock_guard lock(mutex);
                broken = why, stop = true;
            };
            if (const auto room = room_on_disk(); !room) return break_off(room.error());
            const auto came_to = s.file.empty() ? Result<learn::Judged>(learn::Judged{})
                                                : judge_apart(o, course.file, course.grading, language, s);
            if (const auto* it = std::get_if<Broken>(&came_to)) return break_off(it->error);
            const auto& judged = std::get<Result<learn::Judged>>(came_to);
            // It may have been full while it was judged: what fills a disk is mostly somebody else's.
            if (const auto after = room_on_disk(); !after && (!judged || !judged->done))
                return break_off(after.error());
            grades[i] = learn::grade_of(course, s, judged, times);
            std::lock_guard lock(mutex);
            console.progress(fmt::format("{} of {}: {}", ++done, list->size(), s.unit()));
        }
    };
    const unsigned jobs = o.jobs ? o.jobs : host::usable_cores();
    {
        std::vector<std::jthread> workers;
        for (unsigned j = 1; j < std::min<std::size_t>(jobs, list->size()); ++j) workers.emplace_back(work);
        work();
    }
    console.clear_progress();
    std::erase_if(grades, [](const learn::Grade& g) { return g.state.empty(); });
    return grades;
}

Result<std::vector<learn::Grade>> merge_files(const std::vector<std::string>& files) {
    std::vector<std::vector<learn::Grade>> parts;
    for (const std::string& file : files) {
        auto text = read_file(file, file_limit::records);
        if (!text) return std::move(text).error();
        auto part = learn::read_grades(*text, file);
        if (!part) return std::move(part).error();
        parts.push_back(std::move(*part));
    }
    return learn::merged(parts);
}

std::string table_text(const std::vector<learn::Grade>& grades, const Words& words) {
    std::size_t learner = 0, exercise = 0;
    for (const auto& g : grades) {
        learner = std::max(learner, g.submission.learner.size());
        exercise = std::max(exercise, g.submission.exercise.size());
    }
    std::string out;
    for (const auto& g : grades)
        out += fmt::format("{:<{}}  {:<{}}  {:>6.3g} / {:g}  {}\n", g.submission.learner, learner,
                           g.submission.exercise, exercise, g.points, g.of, words("learn.state." + g.state));
    return out;
}

Result<void> write_pages(const GradeOptions& o, const learn::Course& course, const std::vector<learn::Grade>& grades,
                         const Words& words) {
    std::vector<report::PageFile> files;
    const auto add = [&](const std::string& name, record::Page page) {
        record::Report report;
        report.language = words.language();
        report.title = page.title;
        report.pages = {std::move(page)};
        files.push_back({name + ".html", report::html(report, words)});
    };
    add("class", learn::class_page(course, grades));
    std::string last;
    for (const auto& g : grades)
        if (g.submission.learner != last) {
            last = g.submission.learner;
            // Not "class": a learner may be called so.
            add("learner-" + last, learn::learner_page(course, last, grades));
        }
    return report::write_files(o.html, files);
}

int give(const GradeOptions& o, const learn::Course& course, const std::vector<learn::Grade>& grades,
         const Words& words, Console& console) {
    const bool out = (o.json && (o.json->empty() || *o.json == "-")) || (o.csv && (o.csv->empty() || *o.csv == "-"));
    if (!out) console.out(table_text(grades, words));
    const auto file = [](const std::optional<std::string>& f) { return f->empty() ? std::string("-") : *f; };
    if (o.json)
        if (auto ok = write_or_print(file(o.json), learn::grades_json(course, grades), console); !ok)
            return console.fail(ok.error());
    if (o.csv)
        if (auto ok = write_or_print(file(o.csv), learn::grades_csv(grades), console); !ok)
            return console.fail(ok.error());
    if (o.junit)
        if (auto ok = write_or_print(file(o.junit), learn::grades_junit(course, grades), console); !ok)
            return console.fail(ok.error());
    if (!o.html.empty())
        if (auto ok = write_pages(o, course, grades, words); !ok) return console.fail(ok.error());
    return 0;
}

/// What a process sends to the first one begins with it.
constexpr char kGrades = '+', kBrokeOff = '-';

/// On the first of several processes the grades of all, on the others nothing. Each tells of its own error, and the
/// first one of another's too, since then there are no grades of all. `broken`: why this one has not all of its own.
Result<std::vector<learn::Grade>> all_of(lab::SharedTexts& shared, const learn::Course& course,
                                         Result<std::vector<learn::Grade>> mine, const std::optional<Error>& broken) {
    if (mine && broken) mine = *broken;
    auto texts = shared.gather(mine ? kGrades + learn::grades_json(course, *mine) : kBrokeOff + mine.error().text());
    if (!mine) return mine;
    if (!texts) return std::move(texts).error();
    for (std::size_t rank = 0; rank < texts->size(); ++rank) {
        std::string& text = (*texts)[rank];
        if (!text.starts_with(kGrades))
            return Error{ErrorKind::no_device,
                         fmt::format("process {} broke off: {}", rank, text.empty() ? text : text.substr(1)),
                         Location{}, "no grades were written"};
        text.erase(0, 1);
    }
    std::vector<std::vector<learn::Grade>> parts;
    for (std::size_t rank = 0; rank < texts->size(); ++rank) {
        auto part = learn::read_grades((*texts)[rank], "rank " + std::to_string(rank));
        if (!part) return std::move(part).error();
        parts.push_back(std::move(*part));
    }
    // In the order in which one process has them (share_of); a process that was interrupted has fewer.
    std::vector<learn::Grade> out;
    std::size_t longest = 0;
    for (const auto& part : parts) longest = std::max(longest, part.size());
    for (std::size_t i = 0; i < longest; ++i)
        for (auto& part : parts)
            if (i < part.size()) out.push_back(std::move(part[i]));
    return out;
}

int run_grade(const GradeOptions& o, Console& console) {
    const std::string language = page_language(o.language);
    auto words = Words::load_all(language);
    if (!words) return console.fail(words.error());
    if (o.folder.empty() == o.merge.empty())
        return console.fail(Error{ErrorKind::usage,
                                  o.folder.empty() ? "grade needs a folder of submissions" : "--merge takes no folder",
                                  Location{}, "warpwright grade FOLDER, or warpwright grade --merge FILE FILE"});
    if (o.json && o.csv && (o.json->empty() || *o.json == "-") && (o.csv->empty() || *o.csv == "-"))
        return console.fail(Error{ErrorKind::usage, "JSON and CSV cannot both go to standard output", Location{},
                                  "give one of them a file"});
    if (auto ok = check_writable({o.json, o.csv, o.junit}); !ok) return console.fail(ok.error());
    auto file = o.course.empty() ? learn::own_course() : Result<std::string>(o.course);
    if (!file) return console.fail(file.error());
    auto course = learn::read_course(*file);
    if (!course) return console.fail(course.error());
    if (o.merge.empty())
        if (auto ok = confine::supported(); !ok) return console.fail(ok.error());
    std::optional<Error> broken;
    std::optional<lab::SharedTexts> shared;
    // With --only each process was told its own units, as the tasks of an srun are, which need no MPI.
    if (o.merge.empty() && o.only.empty() && lab::several_processes()) {
        auto joined = lab::SharedTexts::join();
        if (!joined) return console.fail(joined.error());
        shared = std::move(*joined);
    }
    auto grades = o.merge.empty() ? grade_all(o, *course, language, console, broken, shared ? &*shared : nullptr)
                                  : merge_files(o.merge);
    if (shared) grades = all_of(*shared, *course, std::move(grades), broken);
    if (!grades) return console.fail(grades.error());
    if (shared && !shared->first()) return 0;
    const int code = give(o, *course, *grades, *words, console);
    return broken ? console.fail(*broken) : code;
}

}  // namespace

Command add_grade(CLI::App& app, const Invocation& invocation) {
    auto o = std::make_shared<GradeOptions>();
    o->self = invocation.self;
    CLI::App* c = app.add_subcommand("grade", "the files of a class, each judged in a confined process");
    c->add_option("folder", o->folder, "submissions: LEARNER/EXERCISE/FILE, or LEARNER/FILE");
    c->add_option("--course", o->course, "a course of one's own: a course.toml")->type_name("FILE");
    c->add_option("--only", o->only, "some of them: LEARNER or LEARNER/EXERCISE")->type_name("UNIT");
    c->add_option("--merge", o->merge, "files that grade --json wrote, as one")->type_name("FILE");
    c->add_option("--times", o->times, "when they were handed in: CSV of UNIT or LEARNER, and time (UTC)")
        ->type_name("FILE");
    c->add_option("--json", o->json, "the grades as JSON, to a file or standard output")
        ->expected(0, 1)
        ->type_name("FILE");
    c->add_option("--csv", o->csv, "the grades as CSV, to a file or standard output")
        ->expected(0, 1)
        ->type_name("FILE");
    c->add_option("--junit", o->junit, "the grades as JUnit XML")->type_name("FILE");
    c->add_option("--html", o->html, "a page of the class and one for each learner")->type_name("DIR");
    c->add_option("--limit", o->limit, "seconds of processor time that a launch may take")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    add_instructions(*c, o->instructions);
    add_number(*c, "--jobs", o->jobs, "submissions judged at a time; 0 = one for each core that may be used");
    c->add_option("--language,--lang", o->language,
                  "of texts: " + known_languages() + "; without it: that of the locale")
        ->type_name("LANG");
    return {c, [o](Console& console) { return run_grade(*o, console); }};
}

}  // namespace warpwright::cli
