// Results on their way into the database: each record as soon as it is done, so that nothing finished is lost whatever
// happens to the program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "record/record.hpp"
#include "store/store.hpp"

namespace warpwright::cli {

/// What the user typed, for the list of runs: words with blanks in quotes.
std::string command_text(const std::vector<std::string>& words);
/// Such a text without the options that only say what is done with the results, and --resume: two commands with the
/// same rest have the same results.
std::string without_output(const std::string& command);

class Keeper {
public:
    /// `timeout`: the command's, in seconds; 0: none. It holds for the database too, which has some seconds in any
    /// case.
    Keeper(const KeepOptions& options, Console& console, double timeout = 0)
        : options_(options), console_(console), timeout_(timeout) {}

    /// Opens the database, unless results are not kept. An error where the user named the database; of the usual one
    /// the user is told, and nothing is kept. The run begins there with its first record: a command that
    /// is refused, or a page without records, leaves nothing that `last` would name.
    /// `run`: goes on with one that an earlier process of this program began; 0: a new one.
    Result<void> begin(const std::string& command, const record::Environment& environment, std::int64_t run = 0);
    /// The run in the database; 0: none yet.
    std::int64_t run() const { return store_ ? run_ : 0; }
    /// With --resume: the record of this point (its names, axes and device) from an interrupted run of the same command
    /// under the same circumstances, unless it failed there. It becomes one of this run.
    std::optional<record::Record> stored(const record::Record& wanted);
    /// From here on errors are told once, and nothing more is kept: what is being measured goes on.
    void add(const record::Record& record);
    /// All records so far in their last form; `complete`: the run is over.
    void settle(const record::RecordSet& set, bool complete) { settle_all({set}, complete); }
    void settle_all(const store::RunData& data, bool complete);

private:
    void look_back(const std::string& command, const record::Environment& environment);
    void give_up(const Error& error);
    bool has_run();

    const KeepOptions& options_;
    Console& console_;
    double timeout_;
    std::optional<store::Store> store_;
    std::int64_t run_ = 0;
    std::string command_;
    record::Environment environment_;
    std::vector<record::Record> earlier_;  ///< the newest first
};

}  // namespace warpwright::cli
