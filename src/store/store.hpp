// Stored results: every run with its environment and its records, in one SQLite file. A record is on disk when `add`
// returns, so a program that is killed loses no finished measurement. Several programs may write at once: each waits
// for the others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"
#include "store/run_data.hpp"
#include "support/result.hpp"

namespace warpwright::store {

/// One run of the program as the list of runs shows it.
struct Run {
    std::int64_t id = 0;
    std::string date;     ///< of its start; ISO 8601, UTC
    std::string command;  ///< what the user typed
    std::string label;    ///< a name the user gave; empty: none
    std::string device, model;
    std::vector<std::string> experiments;
    std::uint64_t records = 0;
    bool complete = false;  ///< false: killed or stopped before its end (or still running)
};

/// The default file of results: $XDG_DATA_HOME/warpwright/results.db, else ~/.local/share/warpwright/results.db; empty
/// if neither is known.
std::string default_file();

/// Receives a line when another program is waited for.
using Waiting = std::function<void(const std::string&)>;

class Store {
public:
    /// Opens a database, creating it and its folders if there is none. A damaged file, or one that is no
    /// database, is renamed and a new one started: `set_aside` then has its name. This call and all
    /// others wait while another program writes; `waiting` is called after a second, and after two
    /// minutes it is an error. `seconds`: for the work of one call, apart from waiting. Errors: input (cannot be opened
    /// or created; not this user's own, by the rules of own_database.hpp; written by a later Warpwright), limit.
    static Result<Store> open(const std::string& file, Waiting waiting = {}, double seconds = kSeconds);
    static constexpr double kSeconds = 120;
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    const std::string& file() const;
    const std::optional<std::string>& set_aside() const;  ///< the new name of a damaged file

    // Errors of all following functions: input, naming the file, with SQLite's message (a full disk, a file that may
    // not be written).
    // Where the work takes longer than it may: limit.

    Result<std::int64_t> begin(const std::string& command, const std::string& label,
                               const record::Environment& environment);
    Result<void> add(std::int64_t run, const record::Record& record);
    /// Replaces the added records by their final form (speed-ups are known only at the end). `complete`: the run is
    /// over.
    Result<void> settle(std::int64_t run, const record::RecordSet& set, bool complete);
    /// The same for the run of a program.
    Result<void> settle_all(std::int64_t run, const RunData& data, bool complete);

    /// The newest first. `experiment`: only runs that have records of it; `limit` 0: all.
    Result<std::vector<Run>> runs(const std::string& experiment = {}, std::uint64_t limit = 0) const;
    /// A run by its number, its label (the newest of that label), or "last", "last~1", ...; of `experiment` where one
    /// is given. Errors: usage (there is no such run; the hint says what there is).
    Result<Run> find(const std::string& name, const std::string& experiment = {}) const;
    Result<record::RecordSet> load(std::int64_t run) const;
    /// With what a program's run has besides.
    Result<RunData> load_all(std::int64_t run) const;
    Result<void> remove(std::int64_t run);

private:
    struct State;
    explicit Store(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace warpwright::store
