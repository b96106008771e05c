// Tells the listener of a program that profiles itself (state/activity.hpp) of each kernel, copy and fill that is done.
#pragma once

#include "cudart/work/program_observer.hpp"

namespace warpwright::cudart {

class Activities final : public ProgramObserver {
public:
    static Activities& get();
    void launched(const Launch& launch, const device::LaunchResult& result, const std::optional<record::Sample>& sample,
                  Timed& timed, bool from_device) override;
    void copied(const char* name, timeline::Work& work) override;
};

}  // namespace warpwright::cudart
