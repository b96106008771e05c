// What the opaque handles of the C interface are.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cudart/registry/registry.hpp"
#include "cudart/work/launch/kernel_launch.hpp"
#include "record/finding.hpp"
#include "support/result.hpp"
#include "warpwright/warpwright.h"

struct ww_kernel {
    ww_module* module = nullptr;
    warpwright::cudart::Kernel* kernel = nullptr;
    std::string json;
};

/// Its code stays loaded after the handle is released: a launch may have kept its kernels.
struct ww_module {
    std::string name, ptx, json;
    std::string source;  ///< empty: it came as PTX
    warpwright::cudart::Binary* binary = nullptr;
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<ww_kernel>> kernels;  ///< by linkage name
};

/// What a launch came to; its text is made when it is first asked for, which most callers never do.
struct ww_result {
    warpwright::cudart::Launch launch;
    std::optional<warpwright::device::LaunchResult> result;  ///< none: it failed
    std::optional<warpwright::cudart::Timed> timed;
    std::optional<warpwright::Error> error;
    std::string output;
    std::vector<warpwright::record::Finding> findings;
    std::once_flag once;
    std::string json;
};

namespace warpwright::capi {

/// The device of this process; an error where it cannot be had: a fork, a model that does not exist.
Result<device::Device*> device();

}  // namespace warpwright::capi
