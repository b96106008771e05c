// What the opaque handles of the C interface are.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cudart/registry/registry.hpp"
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
    warpwright::cudart::Binary* binary = nullptr;
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<ww_kernel>> kernels;  ///< by linkage name
};

struct ww_result {
    std::string json;
};

namespace warpwright::capi {

/// The device of this process; an error where it cannot be had: a fork, a model that does not exist.
Result<device::Device*> device();

}  // namespace warpwright::capi
