// A launch as the JSON that the C interface gives: the record of docs/records.md and what belongs to one launch alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capi/text.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "record/finding.hpp"

namespace warpwright::capi {

struct LaunchReport {
    const cudart::Launch* launch = nullptr;
    const device::LaunchResult* result = nullptr;  ///< null: it failed
    const cudart::Timed* timed = nullptr;
    const Error* error = nullptr;
    std::string output;
    std::vector<record::Finding> findings;
    bool from_device = false;
};

Json launch_json(const LaunchReport& report);

}  // namespace warpwright::capi
