// Each run is a whole one, so that its times are those of `run --model`: the kernels' code, registers and blocks in
// flight are the other model's too.
#include "cli/commands/other_models.hpp"

#include <fmt/format.h>

#include "cli/commands/profile_page.hpp"
#include "cli/commands/program_run.hpp"
#include "profile/side_by_side.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {

using settings::variable;

Result<std::vector<arch::DeviceModel>> other_models(const ProgramOptions& o, const std::string& own) {
    std::vector<arch::DeviceModel> out;
    if (o.models.empty()) return out;
    if (o.run.device != "emulated")
        return Error{ErrorKind::usage, "--models is of the emulated device: a real one has its own times", {}, ""};
    if (o.sample || o.no_counters)
        return Error{
            ErrorKind::usage, "--models needs all counts: it cannot go with --sample or --no-counters", {}, ""};
    const bool all = o.models == std::vector<std::string>{"all"};
    for (const std::string& name : all ? arch::list_models() : o.models) {
        auto model = arch::load_model(name);
        if (!model) return std::move(model).error();
        if (model->name != own) out.push_back(std::move(*model));
    }
    return out;
}

void run_on_models(const ProgramStart& start, const std::vector<arch::DeviceModel>& models, profile::Profile& profile,
                   Console& console) {
    if (models.empty() || profile.kernels.empty()) return;
    std::string names;
    for (const arch::DeviceModel& m : models) names += (names.empty() ? "" : ", ") + m.name;
    console.note(fmt::format("{} runs again, without its output, on {}", start.name, names));
    for (const arch::DeviceModel& m : models) {
        auto environment = start.environment;
        const std::string file = start.folder + "/profile-" + m.name + ".json";
        environment[variable(Setting::model)] = m.file;
        environment[variable(Setting::profile)] = file;
        for (const Setting not_there : {Setting::events, Setting::pictures, Setting::digest})
            environment.erase(variable(not_there));
        const auto ended = run_program(start.words, environment, false, true);
        if (!ended) {
            profile::add_model(profile, m.name, ended.error().text());
            continue;
        }
        const auto there = read_profile(file);
        profile::add_model(profile, m.name, there ? *there : profile::Profile{}, ended->code);
    }
}

}  // namespace warpwright::cli
