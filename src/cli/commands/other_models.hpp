// `run --models`: the program once more on other device models, for its times there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "cli/console.hpp"
#include "cli/options/options.hpp"
#include "profile/profile.hpp"
#include "support/result.hpp"

namespace warpwright::cli {

/// The models that `--models` names, but for `own`, on which the program runs anyway. Errors: usage, and those of
/// models that cannot be read.
Result<std::vector<arch::DeviceModel>> other_models(const ProgramOptions& options, const std::string& own);

/// How the program is started.
struct ProgramStart {
    std::vector<std::string> words;
    std::map<std::string, std::string> environment;
    std::string name, folder;  ///< what it is called, and where files of ours may lie
};

/// Runs the program on each of them, without its output and with nothing to read, and adds to the profile what its
/// kernels took there.
void run_on_models(const ProgramStart& start, const std::vector<arch::DeviceModel>& models, profile::Profile& profile,
                   Console& console);

}  // namespace warpwright::cli
