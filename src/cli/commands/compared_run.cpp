// A file is told by its content: a profile says in its JSON that it is one.
#include "cli/commands/compared_run.hpp"

#include <algorithm>
#include <filesystem>

#include "profile/records.hpp"
#include "support/read_file.hpp"

namespace warpwright::cli {
namespace fs = std::filesystem;

Result<store::Store> open_results(const std::string& db, Console& console, double seconds) {
    const std::string file = db.empty() ? store::default_file() : db;
    std::error_code ec;
    if (!file.empty() && !fs::exists(file, ec))
        return Error{ErrorKind::input, "there are no stored results", Location{file, 0, 0},
                     "`warpwright lab` and `run` store each run; --db names another file"};
    const double limit = seconds > 0 ? std::min(seconds, store::Store::kSeconds) : store::Store::kSeconds;
    auto opened = store::Store::open(file, [&console](const std::string& line) { console.note(line); }, limit);
    if (opened && opened->set_aside())
        console.note(file + " was damaged: it is kept as " + *opened->set_aside() + ", and a new one was started");
    return opened;
}

store::RunData run_data_of(const profile::Profile& p, record::Environment environment) {
    store::RunData out;
    out.set.environment = std::move(environment);
    out.set.environment.device = p.measured() ? "cuda" : "emulated";
    out.set.environment.device_name = p.device;
    out.set.environment.model = p.model;
    auto all = profile::records_of(p);
    out.set.records = std::move(all.records);
    out.launches = std::move(all.launches);
    // What a real GPU does past an allocation's end, nobody sees.
    if (!p.measured()) out.findings = profile::findings_of(p);
    return out;
}

Result<store::RunData> compared_run(const std::string& name, std::optional<store::Store>& opened, const std::string& db,
                                    Console& console, double seconds) {
    std::error_code ec;
    if (name.ends_with(".json") || (name.find('/') != std::string::npos && fs::is_regular_file(name, ec))) {
        auto text = read_file(name, file_limit::records);
        if (!text) return std::move(text).error();
        if (profile::is_profile(*text)) {
            auto p = profile::from_json(*text, name);
            if (!p) return std::move(p).error();
            if (p->kernels.empty() && p->copies.empty())
                return Error{ErrorKind::input, "the program launched no kernel and copied nothing",
                             Location{name, 0, 0}, ""};
            return run_data_of(*p);
        }
        auto set = record::from_json(*text, name);
        if (!set) return std::move(set).error();
        if (set->records.empty())
            return Error{ErrorKind::input, "there are no records in it", Location{name, 0, 0},
                         "lab --json and launch --json write records, run --json a profile"};
        return store::RunData{std::move(*set)};
    }
    if (!opened) {
        auto now = open_results(db, console, seconds);
        if (!now) return std::move(now).error();
        opened.emplace(std::move(*now));
    }
    auto run = opened->find(name);
    if (!run) return std::move(run).error();
    return opened->load_all(run->id);
}

}  // namespace warpwright::cli
