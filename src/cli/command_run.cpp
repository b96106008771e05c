// warpwright run: a whole program on the emulated GPU, and what it did there.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "arch/model.hpp"
#include "cli/options.hpp"
#include "cli/program_run.hpp"
#include "cli/run_on_gpu.hpp"
#include "cli/runtime.hpp"
#include "cli/whole_program.hpp"
#include "profile/program.hpp"
#include "profile/report.hpp"
#include "support/library_search.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;
namespace {

/// A folder of our own, removed at the end.
struct Folder {
    std::string path;
    Folder() {
        std::error_code ec;
        std::string pattern = (fs::temp_directory_path(ec) / "warpwright-run-XXXXXX").string();
        if (!ec && ::mkdtemp(pattern.data())) path = pattern;
    }
    ~Folder() {
        std::error_code ec;
        if (!path.empty()) fs::remove_all(path, ec);
    }
    Folder(const Folder&) = delete;
};

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

/// What both devices are told.
std::map<std::string, std::string> selection(const ProgramOptions& o) {
    std::map<std::string, std::string> e;
    if (o.trace || o.html) e["WARPWRIGHT_EVENTS"] = "1";
    if (!o.kernel.empty()) e["WARPWRIGHT_KERNEL"] = o.kernel;
    if (o.launches) e["WARPWRIGHT_LAUNCHES"] = std::to_string(o.launches);
    if (o.skip) e["WARPWRIGHT_LAUNCH_SKIP"] = std::to_string(o.skip);
    if (o.no_counters) e["WARPWRIGHT_COUNTERS"] = "0";
    return e;
}

std::map<std::string, std::string> emulated_environment(const ProgramOptions& o, const std::string& profile, const std::string& model_file,
                                                        const profile::ProgramFacts& facts, const std::vector<std::string>& folders) {
    auto e = selection(o);
    std::string path;
    for (const auto& f : folders) path += (path.empty() ? "" : ":") + f;
    if (const char* before = std::getenv("LD_LIBRARY_PATH"); before && *before) path += std::string(":") + before;
    e["LD_LIBRARY_PATH"] = path;
    // A program's DT_RPATH goes before that path; what is loaded first goes before both.
    if (facts.own_path && !facts.runtime.empty())
        for (const auto& f : folders)
            if (fs::exists(f + "/" + facts.runtime)) e["LD_PRELOAD"] = f + "/" + facts.runtime;
    e["WARPWRIGHT_PROFILE"] = profile;
    e["WARPWRIGHT_MODEL"] = model_file;
    e["WARPWRIGHT_PER_LINE"] = "1";
    if (o.run.threads) e["WARPWRIGHT_THREADS"] = std::to_string(o.run.threads);
    if (o.run.timeout > 0) e["WARPWRIGHT_TIMEOUT"] = fmt::format("{}", o.run.timeout);
    if (!o.run.cpu.empty()) e["WARPWRIGHT_CPU"] = o.run.cpu;
    if (o.sample) e["WARPWRIGHT_SAMPLE"] = fmt::format("{}", o.sample_error > 0 ? o.sample_error / 100 : 0.02);
    return e;
}

Result<void> report(const ProgramOptions& o, const std::string& file, const arch::DeviceModel& model, const std::string& with, const std::string& name,
                    Console& console) {
    auto text = read_text(file);
    if (!text) {
        console.note(name + " made no use of a GPU: nothing to report");
        return {};
    }
    auto p = profile::from_json(*text, file);
    if (!p) return p.error();
    if (p->measured()) {
        p->device += " (" + with + ")";
        p->model = model.name, p->model_file = model.file;
        text = profile::to_json(*p);
    }
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

/// Counts that are none of ours have a meaning on a real GPU only.
Result<void> check_metrics(const ProgramOptions& o) {
    for (const auto& m : o.metrics) {
        bool known = false;
        for (unsigned k = 0; k < record::kCounts && !known; ++k) known = m == record::count_key(static_cast<record::Count>(k));
        if (!known) return Error{ErrorKind::usage, "there is no count '" + m + "'", {}, "docs/counters.md has the keys; the hardware's own names need --device cuda"};
    }
    return {};
}

}  // namespace

int run_whole(const ProgramOptions& options, Console& console) {
    ProgramOptions o = options;
    if (o.words.empty()) return console.fail(Error{ErrorKind::usage, "no program to run", {}, "warpwright run ./app -- args"});
    const bool real = o.run.device != "emulated";
    if (!(o.sample_error >= 0 && o.sample_error <= 100) || (o.sample_error > 0 && !o.sample))
        return console.fail(Error{ErrorKind::usage, o.sample ? "--sample-error is not a number of percent from 0 to 100" : "--sample-error goes with --sample", {}, ""});
    if (o.sample && o.no_counters) return console.fail(Error{ErrorKind::usage, "--sample is for counts: it cannot go with --no-counters", {}, ""});
    Folder folder;
    if (folder.path.empty()) return console.fail(Error{ErrorKind::internal, "no temporary folder", {}, "set TMPDIR"});
    const std::string data = folder.path + "/profile.json";
    arch::DeviceModel model;
    GpuRun gpu;
    if (real) {
        auto prepared = prepare_gpu_run(o, data);
        if (!prepared) return console.fail(prepared.error());
        gpu = std::move(*prepared);
        if (gpu.model) model = *gpu.model;
    } else {
        auto loaded = arch::load_model(o.run.model.empty() ? "h200" : o.run.model);
        if (!loaded) return console.fail(loaded.error());
        model = std::move(*loaded);
        if (auto ok = check_metrics(o); !ok) return console.fail(ok.error());
    }
    const std::string name = o.words[0];
    if (fs::path(name).extension() == ".cu") {
        const std::string made = folder.path + "/" + fs::path(name).stem().string();
        if (auto ok = real ? build_with_nvcc(o, name, made) : build_whole(o, name, made, true); !ok) return console.fail(ok.error());
        o.words[0] = made;
    }
    const std::string file = find_program(o.words[0]);
    if (file.empty()) return console.fail(Error{ErrorKind::input, "there is no program '" + name + "'", {}, ""});
    std::map<std::string, std::string> environment;
    if (real) {
        environment = selection(o);
        environment.merge(gpu.environment);
    } else {
        auto folders = cudart_folders();
        if (!folders) return console.fail(folders.error());
        const auto facts = profile::look_at(file).value_or(profile::ProgramFacts{});
        if (const auto against = profile::objection(facts, name); !against.empty()) console.note(against);
        environment = emulated_environment(o, data, model.file, facts, *folders);
    }
    o.words[0] = file;
    auto ended = run_program(o.words, environment);
    if (!ended) return console.fail(ended.error());
    if (ended->signal) console.note(fmt::format("{} was ended by signal {} ({})", name, ended->signal, ::strsignal(ended->signal)));
    if (auto ok = report(o, data, model, gpu.with, name, console); !ok) console.fail(ok.error());
    return ended->code;
}

}  // namespace warpwright::cli
