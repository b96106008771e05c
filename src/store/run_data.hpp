// What of a run is kept and compared: its records, and what a whole program's run has besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.hpp"

namespace warpwright::store {

struct RunData {
    record::RecordSet set;
    /// Of each record, for how many launches or copies of a program it stands; empty: they are of no program.
    std::vector<std::uint64_t> launches = {};
    /// What was found while the program ran, a line each; absent: the records are of no program.
    std::optional<std::vector<std::string>> findings = {};
};

/// The JSON of a record as it is kept.
std::string record_text(const RunData& data, std::size_t record);
/// Adds to `to` what such a text has of a program. What is not as we write it counts as absent.
void take_of_program(const std::string& text, RunData& to);

}  // namespace warpwright::store
