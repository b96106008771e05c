// The run is begun in the database only when there is something to store, so that a command that fails early leaves no
// empty run. An error of the database while records are stored ends the storing with a note and not the command.
#include "cli/commands/result_store.hpp"

#include <algorithm>

namespace warpwright::cli {

std::string command_text(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        if (i == 0) word = word.substr(word.rfind('/') + 1);
        const bool quote = word.empty() || word.find_first_of(" \t'\"*?$") != std::string::npos;
        out += (i ? " " : "") + (quote ? "'" + word + "'" : word);
    }
    return out;
}

Result<void> Keeper::begin(const std::string& command, const record::Environment& environment,
                           std::int64_t run_at_work) {
    if (options_.none && options_.resume)
        return Error{ErrorKind::usage, "--resume takes results from the database, which --no-db leaves out", Location{},
                     "one of the two"};
    if (options_.none) return {};
    const std::string file = options_.db.empty() ? store::default_file() : options_.db;
    constexpr double kLeast = 5;
    const double seconds = timeout_ > 0 ? std::clamp(timeout_, kLeast, store::Store::kSeconds) : store::Store::kSeconds;
    auto opened = store::Store::open(file, [this](const std::string& line) { console_.note(line); }, seconds);
    if (!opened) {
        if (!options_.db.empty()) return std::move(opened).error();
        console_.note("results are not stored: " + opened.error().text());
        return {};
    }
    if (opened->set_aside())
        console_.note(file + " was damaged: it is kept as " + *opened->set_aside() + ", and a new one was started");
    store_.emplace(std::move(*opened));
    if (options_.resume) look_back(command, environment);
    run_ = run_at_work;
    command_ = command, environment_ = environment;
    return {};
}

/// Begins the run where there is none yet. False where nothing is kept.
bool Keeper::has_run() {
    if (!store_) return false;
    if (run_ != 0) return true;
    auto run = store_->begin(command_, options_.label, environment_);
    if (!run) {
        give_up(run.error());
        return false;
    }
    run_ = *run;
    return true;
}

namespace {

/// The words of a command as command_text joined them.
std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < command.size();) {
        const bool quoted = command[at] == '\'';
        const std::size_t end = std::min(command.find(quoted ? "' " : " ", at + 1), command.size() - (quoted ? 1 : 0));
        out.push_back(command.substr(at, end + (quoted ? 1 : 0) - at));
        at = end + (quoted ? 2 : 1);
    }
    return out;
}

/// A word after an option with an optional value that is one: `--json FILE`, not `--json matmul`.
bool names_a_file(std::string word) {
    if (word.ends_with('\'')) word.pop_back();
    return word == "-" || word.find('/') != std::string::npos || word.ends_with(".json") || word.ends_with(".csv");
}

}  // namespace

std::string without_output(const std::string& command) {
    std::string out;
    const std::vector<std::string> words = words_of(command);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        if (w == "--resume" || w == "--brief" || w == "--no-why" || w.starts_with("--json=") ||
            w.starts_with("--csv=") || w.starts_with("--columns=") || w.starts_with("--label="))
            continue;
        if (w == "--columns" || w == "--label") {
            ++i;
            continue;
        }
        if (w == "--json" || w == "--csv") {
            if (i + 1 < words.size() && names_a_file(words[i + 1])) ++i;
            continue;
        }
        out += (out.empty() ? "" : " ") + w;
    }
    return out;
}

namespace {

bool same_circumstances(const record::Environment& a, const record::Environment& b) {
    return a.version == b.version && a.cpu == b.cpu && a.host_threads == b.host_threads && a.device == b.device &&
           a.model == b.model && a.device_name == b.device_name && a.driver == b.driver;
}

}  // namespace

/// The interrupted runs of this command since it last came to its end.
void Keeper::look_back(const std::string& command, const record::Environment& environment) {
    auto runs = store_->runs();
    if (!runs) return give_up(runs.error());
    const std::string words = without_output(command);
    std::size_t taken = 0;
    for (const store::Run& run : *runs) {
        if (without_output(run.command) != words) continue;
        if (run.complete) break;
        auto set = store_->load(run.id);
        if (!set || !same_circumstances(set->environment, environment)) continue;
        ++taken;
        for (record::Record& r : set->records) earlier_.push_back(std::move(r));
    }
    console_.note(taken == 0 ? "nothing to resume: no interrupted run of this command is stored"
                             : "resuming: " + std::to_string(earlier_.size()) + " records of " + std::to_string(taken) +
                                   " interrupted run" + (taken == 1 ? "" : "s") + " are there");
}

std::optional<record::Record> Keeper::stored(const record::Record& wanted) {
    for (const record::Record& r : earlier_) {
        if (r.experiment != wanted.experiment || r.rung != wanted.rung || r.axes != wanted.axes ||
            r.device != wanted.device)
            continue;
        if (r.error) continue;
        record::Record out = r;
        out.speedup.reset();  // over others of that run; compared anew
        add(out);
        return out;
    }
    return std::nullopt;
}

void Keeper::give_up(const Error& error) {
    console_.note("results are no longer stored: " + error.text());
    store_.reset();
}

void Keeper::add(const record::Record& record) {
    if (!has_run()) return;
    if (auto ok = store_->add(run_, record); !ok) give_up(ok.error());
}

void Keeper::settle_all(const store::RunData& data, bool complete) {
    if (run_ == 0 && data.set.records.empty()) return;
    if (!has_run()) return;
    if (auto ok = store_->settle_all(run_, data, complete); !ok) give_up(ok.error());
}

}  // namespace warpwright::cli
