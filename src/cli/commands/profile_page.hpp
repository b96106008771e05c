// The page of a profile with what is shown beside it: another run, the findings of a check, other device models.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "profile/profile.hpp"
#include "report/program.hpp"
#include "support/result.hpp"
#include "text/words.hpp"

namespace warpwright::cli {

/// What `--base` and `--findings` name, read before a program runs.
struct PageBeside {
    std::optional<profile::Profile> base;
    std::vector<record::Finding> findings;
};
/// `html`: whether a page is asked for. Errors: usage (without one they would be shown nowhere), input.
Result<PageBeside> read_beside(const std::string& base, const std::string& findings, bool html);

/// A profile that `run --json` wrote.
Result<profile::Profile> read_profile(const std::string& file);

/// Puts the texts of source files that its lines name into the profile, as far as they are small enough to be shown.
void keep_sources(profile::Profile& profile, const report::SourceText& source);

/// The page as a file's text, with the bounds of every other model that data/devices has.
std::string profile_page(const profile::Profile& profile, const arch::DeviceModel& model,
                         const report::Selection& selection, const report::SourceText& source, const Words& words,
                         const PageBeside& beside);

/// The page of the profile in file `b`, with that in `a` beside it.
Result<void> write_compared_page(const std::string& a, const std::string& b, const std::string& file, Console& console);

/// What `report` asks of a stored profile.
struct StoredProfileOptions {
    const PageOptions& pages;
    const std::vector<std::string>& names;
    const std::string &language, &base, &findings;
};
/// The report of a stored profile as text or as a page; returns the exit code. Source files are shown from the current
/// folder and below: the profile may be somebody else's.
int stored_profile(const profile::Profile& profile, const StoredProfileOptions& options, Console& console);

}  // namespace warpwright::cli
