// A program's outputs, its exit code, its profile and its findings go to files in one folder: its own where it is
// confined, from which they are copied out, else a temporary one. So both ways read the same files.
#include "cli/commands/learn_programs.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "arch/model.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/commands/whole_program.hpp"
#include "confine/confine.hpp"
#include "support/build_id.hpp"
#include "support/child_process.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/library_search.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/temporary_folder.hpp"
#include "support/write_file.hpp"

extern char** environ;

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;
using settings::variable;

/// Of one run, besides the limit of a launch: of processor time, so that a busy machine fails no program, and by the
/// clock, for one that sleeps. Of its outputs, each.
constexpr std::uint64_t kProcessorSeconds = 20;
constexpr double kSeconds = 100;
constexpr std::uint64_t kOutput = std::uint64_t{8} << 20;

constexpr const char *kOut = "out", *kErrors = "errors", *kProfile = "profile.json", *kFindings = "findings.json",
                     *kProgram = "program", *kProblem = "problem";

bool is_python(const std::string& file) { return file.ends_with(".py"); }

/// A file of a folder; empty where it is not there.
std::string text_of(const std::string& folder, const char* name) {
    auto text = read_file(folder + "/" + name, file_limit::records);
    return text ? *text : std::string();
}

/// What it is started with: its outputs, its profile and its findings go to `folder`.
Start start_of(const std::string& folder, const ReadyProgram& ready) {
    std::map<std::string, std::string> environment;
    for (char** e = environ; *e; ++e) {
        const std::string_view one = *e;
        if (const auto equals = one.find('='); equals != std::string_view::npos)
            environment[std::string(one.substr(0, equals))] = one.substr(equals + 1);
    }
    for (const auto& [name, value] : ready.environment) environment[name] = value;
    environment[variable(Setting::profile)] = folder + "/" + kProfile;
    environment[variable(Setting::findings)] = folder + "/" + kFindings;
    Start start;
    start.words = ready.words;
    for (const auto& [name, value] : environment) start.environment.push_back(name + "=" + value);
    start.file_bytes = kOutput;
    start.processor_seconds = kProcessorSeconds;
    const auto file = [&](const char* name) {
        return ::open((folder + "/" + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    };
    start.input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    start.output = file(kOut);
    start.errors = file(kErrors);
    return start;
}

/// Runs it with its outputs in `folder`; the exit code.
Result<int> run_into(const std::string& folder, const ReadyProgram& ready) {
    const Start start = start_of(folder, ready);
    auto child = Child::start(start);
    for (const int one : {start.input, start.output, start.errors}) ::close(one);
    if (!child) return std::move(child).error();
    int status = 0;
    if (!child->wait_until(deadline_after(kSeconds), status)) {
        (void)child->kill();
        (void)child->wait();
        return Error{ErrorKind::limit, fmt::format("the program did not end in {} s", kSeconds), Location{}, ""};
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return Error{ErrorKind::limit,
                     fmt::format("the program did not end in {} s of processor time", kProcessorSeconds), Location{},
                     ""};
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// An error that a confined child leaves in a file: a line for each of its parts, and behind them what it says. The
/// child is a stranger's: of the kinds two are believed.
std::string error_words(const Error& e) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(e.kind), e.where.file, e.where.line, e.where.column,
                       e.hint, e.what);
}
Error error_of(const std::string& words) {
    std::istringstream in(words);
    std::string kind, line, column, hint;
    Error out{ErrorKind::input, "", Location{}, ""};
    std::getline(in, kind), std::getline(in, out.where.file), std::getline(in, line), std::getline(in, column);
    std::getline(in, out.hint);
    std::getline(in, out.what, '\0');
    if (kind == std::to_string(static_cast<int>(ErrorKind::limit))) out.kind = ErrorKind::limit;
    out.where.line = static_cast<unsigned>(std::strtoul(line.c_str(), nullptr, 10));
    out.where.column = static_cast<unsigned>(std::strtoul(column.c_str(), nullptr, 10));
    if (out.what.empty()) out.what = "the program could not be built";
    return out;
}

class OwnPrograms final : public learn::Programs {
public:
    OwnPrograms(const RunOptions& run, ProgramBounds bounds, Console& console)
        : run_(run), bounds_(std::move(bounds)), console_(console), folder_("learn") {}

    Result<std::string> build(const std::string& source, bool own) override {
        if (is_python(source)) return python(source, own);
        const std::string program = fmt::format("{}/program{}", folder_.path(), made_++);
        auto text = read_file(source, file_limit::source);
        if (!text) return std::move(text).error();
        if (!own && run_.untrusted) {
            if (auto ok = build_confined(source, program); !ok) return std::move(ok).error();
            return program;
        }
        // The exercise's own programs are always the same, from the same build.
        DiskCache cache(own ? default_cache_directory() : "", ".program");
        const std::string key = ContentHasher().add(WARPWRIGHT_VERSION).add(build_id()).add(source).add(*text).digest();
        if (const auto kept = cache.get(key)) {
            if (auto ok = write_file(program, *kept); !ok) return std::move(ok).error();
            fs::permissions(program, fs::perms::owner_all);
            return program;
        }
        if (auto ok = build_whole(options(), source, program, true, console_); !ok) return std::move(ok).error();
        if (own)
            if (const auto bytes = read_file(program, file_limit::records)) (void)cache.put(key, *bytes);
        return program;
    }

    Result<learn::ProgramRun> run(const std::string& program, const std::vector<std::string>& arguments, bool checked,
                                  bool own) override {
        const TemporaryFolder to("learn");
        auto ready = this->ready(program, arguments, checked);
        if (!ready) return std::move(ready).error();
        auto ran = !own && run_.untrusted ? run_confined(to.path(), *ready) : run_into(to.path(), *ready);
        if (!ran) return std::move(ran).error();
        learn::ProgramRun out;
        out.code = *ran;
        out.output = text_of(to.path(), kOut);
        out.errors = text_of(to.path(), kErrors);
        if (const std::string text = text_of(to.path(), kFindings); !text.empty()) {
            auto findings = record::read_findings(text);
            if (!findings) return std::move(findings).error();
            out.findings = std::move(*findings);
        }
        if (const std::string text = text_of(to.path(), kProfile); !text.empty()) {
            auto profile = profile::from_json(text, kProfile);
            if (!profile) return std::move(profile).error();
            out.profile = std::move(*profile);
        }
        return out;
    }

    bool side_by_side() const override { return !run_.untrusted; }

private:
    ProgramOptions options() const {
        ProgramOptions o;
        o.host_lines = true;
        o.run = run_;
        o.run.timeout = 0;
        return o;
    }

    /// A script is its own program, where Python has what it needs.
    Result<std::string> python(const std::string& source, bool own) const {
        if (!own && run_.untrusted) return not_untrusted("a Python exercise", "judge it without --untrusted");
        const std::string python = find_program("python3");
        ProcessSettings settings;
        settings.seconds = kSeconds;
        // To import them takes seconds: whether they can be found is enough, since a run says what else is wrong.
        const char* look = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('torch', 'triton'))))";
        auto looked = python.empty() ? Result<ProcessResult>(Error{}) : run_to_end({python, "-c", look}, settings);
        if (!looked || looked->exit_code != 0 || looked->signal)
            return Error{ErrorKind::no_device, "this exercise needs python3 with the packages torch and triton",
                         Location{}, "python3 -m pip install torch triton, or begin in an environment that has them"};
        return source;
    }

    Result<ReadyProgram> ready(const std::string& program, const std::vector<std::string>& arguments, bool checked) {
        auto model = arch::load_model(arch::model_or_default(run_.model));
        if (!model) return std::move(model).error();
        ProgramOptions o = options();
        o.run.timeout = bounds_.limit;
        if (is_python(program)) o.words = {"python3"};
        o.words.push_back(program);
        o.words.insert(o.words.end(), arguments.begin(), arguments.end());
        auto ready = ready_program(o, model->file, console_);
        if (!ready) return std::move(ready).error();
        auto& e = ready->environment;
        e[variable(Setting::host_clock)] = "real";
        e[variable(Setting::timeout_of_processor)] = "1";
        e[variable(Setting::most_instructions)] = std::to_string(bounds_.instructions);
        e[variable(Setting::ptxas)] = "off";
        e[variable(Setting::events)] = e[variable(Setting::per_line)] = "1";
        if (checked) {
            e[variable(Setting::mode)] = "check";
            e[variable(Setting::checkers)] = "all";
        }
        return ready;
    }

    Result<void> build_confined(const std::string& source, const std::string& program) {
        auto folders = cudart_folders();
        if (!folders) return std::move(folders).error();
        const std::string problem = program + ".problem";
        Needs needs;
        needs.links = true;
        needs.hidden = bounds_.hidden;
        needs.read = {source, fs::path(folders->front()).parent_path().string()};
        needs.read.insert(needs.read.end(), folders->begin(), folders->end());
        needs.kept = {{kProgram, program, true}, {kProblem, problem}};
        RunOptions run = run_;
        const int code = confined(run, needs, console_, [&] {
            const std::string own = temporary_root();
            auto built = build_whole(options(), source, own + "/" + kProgram, true, console_);
            if (!built && !write_file(own + "/" + kProgram, "")) return 1;
            return write_file(own + "/" + kProblem, built ? "" : error_words(built.error())) ? 0 : 1;
        });
        if (code != 0) return Error{ErrorKind::fault, "the program could not be built", Location{}, ""};
        if (const std::string words = text_of(folder_.path(), fs::path(problem).filename().c_str()); !words.empty())
            return error_of(words);
        return {};
    }

    /// The confined process becomes the program: it starts no other.
    Result<int> run_confined(const std::string& to, const ReadyProgram& ready) {
        auto folders = cudart_folders();
        if (!folders) return std::move(folders).error();
        Needs needs;
        needs.compiles = false;
        needs.hidden = bounds_.hidden;
        needs.seconds = kSeconds;
        needs.processor_seconds = kProcessorSeconds;
        needs.read = {ready.words[0], fs::path(folders->front()).parent_path().string()};
        needs.read.insert(needs.read.end(), folders->begin(), folders->end());
        needs.programs = {ready.words[0]};
        for (const char* name : {kOut, kErrors, kProfile, kFindings})
            needs.kept.push_back({name, to + "/" + name, false, true});
        RunOptions run = run_;
        return confined_result(run, needs, console_, [&] {
            const std::string own = temporary_root();
            // They are there, whatever the program does.
            for (const char* name : {kProfile, kFindings})
                if (!write_file(own + "/" + name, "")) return 127;
            const Start start = start_of(own, ready);
            if (confine::no_more_processes()) become(start);
            return 127;
        });
    }

    const RunOptions run_;
    const ProgramBounds bounds_;
    Console& console_;
    const TemporaryFolder folder_;
    unsigned made_ = 0;
};

}  // namespace

std::shared_ptr<learn::Programs> own_programs(const RunOptions& run, ProgramBounds bounds, Console& console) {
    return std::make_shared<OwnPrograms>(run, std::move(bounds), console);
}

}  // namespace warpwright::cli
