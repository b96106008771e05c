// The page of a profile with what is shown beside it: another run, the findings of a check, other device models.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "cli/options/options.hpp"
#include "profile/profile.hpp"
#include "report/program.hpp"
#include "support/result.hpp"
#include "text/words.hpp"

namespace warpwright::cli {

/// What `run --base` and `run --findings` name, read before the program runs.
struct PageBeside {
    std::optional<profile::Profile> base;
    std::vector<record::Finding> findings;
};
/// Errors: usage (without --html they would be shown nowhere), input.
Result<PageBeside> read_beside(const ProgramOptions& options);

/// A profile that `run --json` wrote.
Result<profile::Profile> read_profile(const std::string& file);

/// The page as a file's text, with the bounds of every other model that data/devices has.
std::string profile_page(const profile::Profile& profile, const arch::DeviceModel& model,
                         const report::Selection& selection, const report::SourceText& source, const Words& words,
                         const PageBeside& beside);

}  // namespace warpwright::cli
