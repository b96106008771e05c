// warpwright run: a whole program on the emulated GPU, and what it did there.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "arch/model.hpp"
#include "cli/options.hpp"
#include "cli/program_run.hpp"
#include "cli/runtime.hpp"
#include "cli/whole_program.hpp"
#include "profile/report.hpp"

namespace warpwright::cli {
namespace {

Result<std::string> read_text(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return Error{ErrorKind::input, "cannot be read", {file, 0, 0}, ""};
    return text.str();
}

Result<void> give_file(const std::string& file, const std::string& text, Console& console) {
    if (file == "-") {
        console.out(text);
        return {};
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) return Error{ErrorKind::input, "cannot be written", {file, 0, 0}, ""};
    return {};
}

/// What the runtime library is asked for, beside running.
void ask(const ProgramOptions& o, const std::string& profile, std::map<std::string, std::string>& e) {
    e["WARPWRIGHT_PROFILE"] = profile;
    e["WARPWRIGHT_PER_LINE"] = "1";
    if (o.trace || o.html) e["WARPWRIGHT_EVENTS"] = "1";
    if (!o.kernel.empty()) e["WARPWRIGHT_KERNEL"] = o.kernel;
    if (o.launches) e["WARPWRIGHT_LAUNCHES"] = std::to_string(o.launches);
    if (o.skip) e["WARPWRIGHT_LAUNCH_SKIP"] = std::to_string(o.skip);
}

Result<void> report(const ProgramOptions& o, const std::string& file, const arch::DeviceModel& model, const std::string& name, Console& console) {
    auto text = read_text(file);
    if (!text) {
        console.note(name + " made no use of a GPU: nothing to report");
        return {};
    }
    auto p = profile::from_json(*text, file);
    if (!p) return p.error();
    profile::Selection selection;
    selection.kernel = o.kernel;
    selection.metrics = o.metrics;
    // Lines are cached by file; programs name few.
    auto source = [files = std::map<std::string, std::vector<std::string>>{}](const std::string& path, unsigned line) mutable -> std::optional<std::string> {
        auto [at, fresh] = files.try_emplace(path);
        if (fresh) {
            std::ifstream in(path);
            for (std::string l; std::getline(in, l);) at->second.push_back(l);
        }
        if (line == 0 || line > at->second.size()) return std::nullopt;
        return at->second[line - 1];
    };
    if (o.json)
        if (auto ok = give_file(*o.json, *text, console); !ok) return ok;
    if (o.csv)
        if (auto ok = give_file(*o.csv, profile::csv_report(*p, model, selection), console); !ok) return ok;
    if (o.trace)
        if (auto ok = give_file(*o.trace, profile::chrome_trace(*p), console); !ok) return ok;
    if (o.html)
        if (auto ok = give_file(*o.html, profile::html_report(*p, model, selection, source), console); !ok) return ok;
    if (o.quiet) return {};
    const std::string out = profile::text_report(*p, model, selection, source);
    if (o.log.empty()) console.error_text("==warpwright== " + name + "\n" + out);
    else if (auto ok = give_file(o.log, out, console); !ok) return ok;
    return {};
}

}  // namespace

int run_whole(const ProgramOptions& o, Console& console) {
    if (o.words.empty()) return console.fail(Error{ErrorKind::usage, "no program to run", {}, "warpwright run ./app -- args"});
    auto model = arch::load_model(o.run.model.empty() ? "h200" : o.run.model);
    if (!model) return console.fail(model.error());
    auto ready = ready_program(o, model->file, console);
    if (!ready) return console.fail(ready.error());
    const std::string data = ready->folder->path() + "/profile.json";
    ask(o, data, ready->environment);
    auto ended = run_program(ready->words, ready->environment);
    if (!ended) return console.fail(ended.error());
    if (ended->signal) console.note(fmt::format("{} was ended by signal {} ({})", ready->name, ended->signal, ::strsignal(ended->signal)));
    if (auto ok = report(o, data, *model, ready->name, console); !ok) console.fail(ok.error());
    return ended->code;
}

Result<CheckedProgram> run_checked(const ProgramOptions& o, const std::string& checkers, Console& console) {
    auto model = arch::load_model(o.run.model.empty() ? "h200" : o.run.model);
    if (!model) return model.error();
    auto ready = ready_program(o, model->file, console);
    if (!ready) return ready.error();
    const std::string data = ready->folder->path() + "/findings.json";
    auto& e = ready->environment;
    e["WARPWRIGHT_MODE"] = "check";
    e["WARPWRIGHT_CHECKERS"] = checkers;
    e["WARPWRIGHT_FINDINGS"] = data;
    auto ended = run_program(ready->words, e);
    if (!ended) return ended.error();
    if (ended->signal) console.note(fmt::format("{} was ended by signal {} ({})", ready->name, ended->signal, ::strsignal(ended->signal)));
    CheckedProgram out;
    out.code = ended->code;
    if (auto text = read_text(data)) out.looked = true, out.findings = *text;
    return out;
}

}  // namespace warpwright::cli
