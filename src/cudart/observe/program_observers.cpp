// The observers that the settings ask for.
#include "cudart/work/program_observer.hpp"

#include <vector>

#include "cudart/observe/activities.hpp"
#include "cudart/observe/host_checks.hpp"
#include "cudart/observe/recorder.hpp"
#include "cudart/observe/stream_checks.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {

std::span<ProgramObserver* const> program_observers() {
    // Never destroyed, as all that may be used while the process ends.
    static const auto& all = *[] {
        auto* list = new std::vector<ProgramObserver*>;
        const auto& settings = Runtime::get().settings;
        if (settings.checkers & static_cast<std::uint32_t>(record::Checker::race))
            list->push_back(&StreamChecks::get());
        if (settings.checks()) list->push_back(&Checks::get());
        list->push_back(&Activities::get());
        if (!settings.profile.empty()) list->push_back(&Recorder::get());
        return list;
    }();
    return all;
}

}  // namespace warpwright::cudart
