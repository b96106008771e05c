// The file of tuned values: for each rung, problem, size and device the values of its axes that were best. `warpwright
// tune` writes it, `warpwright lab` reads it. TOML; docs/tune.md has the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/sweep/plan.hpp"
#include "record/record.hpp"

namespace warpwright::tune {

using Choices = std::vector<std::pair<std::string, std::string>>;  ///< axis and value

/// "TILE=16 PAD=1"
std::string choices_text(const Choices& choices);

struct Entry {
    std::string ladder, rung;
    lab::Size size;
    Choices problem;     ///< values of the ladder's own axes
    Choices axes;        ///< of the rung's: what was best
    std::string device;  ///< "emulated", or a real one's title: "NVIDIA H200"
    std::string model;   ///< of the emulated device; else empty
    double seconds = 0;
    bool measured = false;  ///< else predicted by the model
    std::string search;     ///< "exhaustive", "model", ...
    std::uint64_t tried = 0, combinations = 0;
    std::string date, version;
    Location where = {};  ///< in the file it was read from

    /// The same rung, problem, size and device.
    bool same_place(const Entry& other) const;
};

/// The device part of an entry, by what records are made with.
void set_device(Entry& entry, const record::Environment& environment);

/// Beside the database of results; empty where there is no home.
std::string default_tuned_file(const std::string& database);

/// All entries of a file that the user names; none where there is no such file. Errors (ErrorKind::input) name file and
/// line.
Result<std::vector<Entry>> read_tuned(const std::string& file);
/// The same of the default file, which is taken unasked: it must be the user's alone (OwnFolder) and carry the checksum
/// that write_own_tuned puts under it. One that does not is told by warn(), and counts as none.
Result<std::vector<Entry>> read_own_tuned(const std::string& file);
/// Writes the default file. One that read_own_tuned does not take is kept beside it under another name, which warn()
/// tells. Errors: input.
Result<void> write_own_tuned(const std::string& file, const std::vector<Entry>& entries);
/// Makes the folder of the default file. Errors: input; it is not the user's alone, so write_own_tuned would fail.
Result<void> make_own_place(const std::string& file);
Result<std::vector<Entry>> parse_tuned(const std::string& text, const std::string& file);
std::string tuned_text(const std::vector<Entry>& entries);

/// Puts an entry in the place of the one it is about, or at the end.
void put(std::vector<Entry>& entries, Entry entry);
const Entry* find(const std::vector<Entry>& entries, const Entry& place);

/// What a plan took from the file.
struct Used {
    Entry entry;
    bool overridden = false;  ///< the user chose one of the rung's axes: the entry was not taken
};

/// Leaves of each rung that an entry speaks of, on this device, the tuned variant alone; not where `chosen` has one of
/// its axes. ErrorKind::input, naming the entry's line, for an axis or value that the rung does not have.
Result<std::vector<Used>> apply(const std::vector<Entry>& entries, const record::Environment& environment,
                                const lab::Axes& chosen, lab::Plan& plan);

/// Says in the records that were tuned where their values come from.
void note(record::RecordSet& set, const std::vector<Used>& used, const std::string& file);

}  // namespace warpwright::tune
