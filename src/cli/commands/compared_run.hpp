// A run to be compared, as the user names it: stored, a file of records, or a program's profile.
#pragma once

#include <optional>
#include <string>

#include "cli/console.hpp"
#include "profile/profile.hpp"
#include "store/store.hpp"

namespace warpwright::cli {

/// Opens the database, which must exist; an empty name is the user's own. What was damaged is told. `seconds`: how long
/// it may work; 0: as long as a database may in any case.
Result<store::Store> open_results(const std::string& db, Console& console, double seconds = 0);

/// A program's run, of its profile. `environment`: of who makes it, when the run is of now.
store::RunData run_data_of(const profile::Profile& profile, record::Environment environment = {});

/// A stored run, a JSON file of records, or the profile of a program. `opened`: the database, once it is open.
Result<store::RunData> compared_run(const std::string& name, std::optional<store::Store>& opened, const std::string& db,
                                    Console& console, double seconds = 0);

}  // namespace warpwright::cli
