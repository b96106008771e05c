// A program's profile as records, so that what compares and keeps records does so with whole programs: a record for
// each launch of a kernel that differs from its others, and one for each kind of copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "record/record.hpp"

namespace warpwright::profile {

struct ProgramRecords {
    std::vector<record::Record> records;
    std::vector<std::uint64_t> launches;  ///< of each, how many launches or copies it stands for
};

/// What was found while it ran, a line each, the same in each run of the same program: accesses past an allocation's
/// end, kernels that an error ended, calls that failed.
std::vector<std::string> findings_of(const Profile& profile);

/// The program's name in them: its file, or that of the script that it runs, without folders.
std::string program_name(const Profile& profile);

/// Axes are what a launch differs by: the grid, the block, dynamic shared memory; and `launch`, its number among the
/// differing ones, where there are several.
ProgramRecords records_of(const Profile& profile);

}  // namespace warpwright::profile
