// A learner's file is judged whenever it was saved: its time and size are looked at ten times a second, which also sees
// editors that write a new file and rename it.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

#include "arch/model.hpp"
#include "cli/commands/learn.hpp"
#include "cli/commands/learn_programs.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/interrupt.hpp"
#include "learn/rehearsal.hpp"
#include "support/read_file.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

/// Hidden inputs follow the text that is judged, so that they are other ones after each change, and the same ones for
/// the same text.
std::uint64_t seed_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

void keep(Desk& desk, const learn::Exercise& exercise, bool done) {
    learn::Standing s = desk.progress.of(exercise.name);
    ++s.attempts;
    if (done && s.done.empty()) s.done = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    if (auto ok = desk.progress.set(exercise.name, s); !ok) (void)desk.console.fail(ok.error());
}

learn::WorkshopOptions workshop_options(const Desk& desk, const learn::Exercise& exercise,
                                        const ProgramBounds& bounds) {
    learn::WorkshopOptions w;
    if (exercise.program) {
        RunOptions run = desk.options.run;
        if (run.model.empty()) run.model = exercise.model;
        w.programs = own_programs(run, bounds, desk.console);
    }
    w.model = desk.options.run.model;
    w.cpu = desk.options.run.cpu;
    w.threads = desk.options.run.threads;
    w.limit = std::chrono::milliseconds(static_cast<std::int64_t>(desk.options.limit * 1000));
    w.most_instructions = desk.options.instructions;
    if (desk.options.json) w.models = arch::list_models();
    return w;
}

learn::WorkshopOptions workshop_options(const Desk& desk, const learn::Exercise& exercise) {
    return workshop_options(desk, exercise, program_bounds(desk));
}

Result<void> rehearse(const Desk& desk, const learn::Exercise& exercise, learn::Workshop& workshop) {
    ProgramBounds bounds = program_bounds(desk);
    bounds.limit = static_cast<double>(learn::kRehearsalLimit.count());
    bounds.instructions = learn::kRehearsalInstructions;
    return learn::rehearse(exercise, workshop_options(desk, exercise, bounds), workshop);
}

/// What tells a saved file from the one before.
struct Stamp {
    fs::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const std::string& file) {
    std::error_code ec;
    Stamp s{fs::last_write_time(file, ec), fs::file_size(file, ec)};
    return ec ? Stamp{} : s;
}

/// One answer: whether the exercise is done.
Result<bool> answer_once(Desk& desk, const learn::Exercise& exercise, learn::Workshop& workshop,
                         const std::string& file) {
    auto text = read_file(file, file_limit::source);
    if (!text) return std::move(text).error();
    auto verdict = learn::judge(exercise, workshop, desk.options.seed.value_or(seed_of(*text)), file);
    if (!verdict) return std::move(verdict).error();
    if (desk.options.json) {
        const std::string out = answer_json(desk, exercise, *verdict, file);
        if (auto ok = write_or_print(desk.options.json->empty() ? "-" : *desk.options.json, out, desk.console); !ok)
            return std::move(ok).error();
    } else {
        desk.console.out(answer_text(desk, exercise, *verdict, file));
    }
    if (desk.options.file.empty()) keep(desk, exercise, verdict->done);
    return verdict->done;
}

}  // namespace

int answer_confined(Desk& desk, const learn::Exercise& exercise) {
    Needs needs;
    RunOptions run = desk.options.run;
    // A program is built in one confined process and run in others, and nothing of it in this one.
    const auto how = workshop_options(desk, exercise);
    auto workshop = learn::Workshop::make(exercise, how);
    // Up to here nothing of the file was looked at: what fails is the machine's or the course's.
    const auto not_rehearsed = [&](const Error& error) {
        (void)desk.console.fail(error);
        return learn::kNotRehearsed;
    };
    if (!workshop) return not_rehearsed(workshop.error());
    if (auto ok = rehearse(desk, exercise, **workshop); !ok) return not_rehearsed(ok.error());
    needs.read = {desk.options.file};
    // Solutions lie below a folder that may be read where the course is installed with the system's files.
    needs.hidden = desk.course.folders;
    if (exercise.program) {
        auto done = answer_once(desk, exercise, **workshop, desk.options.file);
        if (!done && done.error().kind == ErrorKind::no_device) return not_rehearsed(done.error());
        return !done ? desk.console.fail(done.error()) : *done ? 0 : 1;
    }
    const int code = confined(run, needs, desk.console, [&] {
        if (auto ok = (*workshop)->compile_all(desk.options.file); !ok) return desk.console.fail(ok.error());
        if (auto ok = end_of_compiling(); !ok) return desk.console.fail(ok.error());
        auto done = answer_once(desk, exercise, **workshop, desk.options.file);
        return !done ? desk.console.fail(done.error()) : *done ? 0 : 1;
    });
    // Whatever the file makes of the confined process, it does not pass for an error of the machine.
    return code == learn::kNotRehearsed ? 1 : code;
}

int answer(Desk& desk, const learn::Exercise& exercise) {
    const auto how = workshop_options(desk, exercise);
    auto workshop = learn::Workshop::make(exercise, how);
    if (!workshop) return desk.console.fail(workshop.error());
    // What a copy of this process finds in the buffer it writes as well.
    (void)desk.console.flush();
    if (auto ok = rehearse(desk, exercise, **workshop); !ok) return desk.console.fail(ok.error());
    const std::string file = desk.file_of(exercise);
    const bool watch = !desk.options.once && !desk.options.json && ::isatty(STDOUT_FILENO);
    const Interrupt interrupt;
    for (;;) {
        const Stamp seen = stamp_of(file);
        (*workshop)->changed(file);
        auto done = answer_once(desk, exercise, **workshop, file);
        if (!done) {
            const int code = desk.console.fail(done.error());
            if (!watch) return code;
        } else if (*done || !watch) {
            return *done ? 0 : 1;
        }
        desk.console.note(desk.words("learn.watching", {{"file", Text(file)}}));
        while (stamp_of(file) == seen || stamp_of(file) == Stamp{}) {
            if (interrupt.flag()) return Interrupt::kCode;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
}

}  // namespace warpwright::cli
