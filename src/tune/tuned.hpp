// The file of tuned values: for each rung, problem, size and device the best values of its axes. `warpwright tune`
// writes it, `warpwright lab` reads it. TOML; docs/tune.md has the format.
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
    Choices axes;        ///< of the rung: the best ones
    std::string device;  ///< "emulated", or a real one's title: "NVIDIA H200"
    std::string model;   ///< of the emulated device; else empty
    double seconds = 0;
    bool measured = false;  ///< else predicted from the model
    std::string search;     ///< "exhaustive", "model", ...
    std::uint64_t tried = 0, combinations = 0;
    std::string date, version;
    Location where = {};  ///< in the file from which it was read

    /// The same rung, problem, size and device.
    bool same_place(const Entry& other) const;
};

/// Sets the device part of an entry, from a record's environment.
void set_device(Entry& entry, const record::Environment& environment);

/// It is beside the database of results; empty if there is no home.
std::string default_tuned_file(const std::string& database);

/// All entries of a file that the user names; none if there is no such file. Errors (ErrorKind::input) name file and
/// line.
Result<std::vector<Entry>> read_tuned(const std::string& file);
/// The same for the default file, which is used without being named: it must belong to the user alone (OwnFolder) and
/// carry the checksum that write_own_tuned appends. A file that does not is reported by warn(), and counts as empty.
Result<std::vector<Entry>> read_own_tuned(const std::string& file);
/// Writes the default file. A file that read_own_tuned does not accept is kept beside it under another name, which
/// warn() reports. Errors: input.
Result<void> write_own_tuned(const std::string& file, const std::vector<Entry>& entries);
/// Makes the folder of the default file. Errors: input, if it does not belong to the user alone, so that
/// write_own_tuned would fail.
Result<void> make_own_place(const std::string& file);
Result<std::vector<Entry>> parse_tuned(const std::string& text, const std::string& file);
std::string tuned_text(const std::vector<Entry>& entries);

/// Replaces the entry for the same place, or appends.
void put(std::vector<Entry>& entries, Entry entry);
const Entry* find(const std::vector<Entry>& entries, const Entry& place);

/// An entry that a plan used.
struct Used {
    Entry entry;
    bool overridden = false;  ///< the user chose one of the rung's axes: the entry was not used
};

/// For each rung with an entry for this device, keeps only the tuned variant; not if `chosen` has one of its axes.
/// ErrorKind::input, naming the entry's line, for an axis or value that the rung does not have.
Result<std::vector<Used>> apply(const std::vector<Entry>& entries, const record::Environment& environment,
                                const lab::Axes& chosen, lab::Plan& plan);

/// Notes in the tuned records where their values come from.
void note(record::RecordSet& set, const std::vector<Used>& used, const std::string& file);

}  // namespace warpwright::tune
