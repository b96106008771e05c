// Modules and their kernels, and a launch that is ready to run. The types of a launch itself are those of the room
// launch; the device's interface takes them as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "launch/config.hpp"
#include "launch/kernel_info.hpp"
#include "launch/limits.hpp"
#include "launch/result.hpp"
#include "support/result.hpp"

namespace warpwright::device {

using launch::Extent;
using launch::KernelInfo;
using launch::Language;
using launch::LaunchConfig;
using launch::LaunchOptions;
using launch::LaunchResult;
using launch::Limits;
using launch::Parameter;

/// An address in device memory, as kernels see it.
using Address = std::uint64_t;

class Module {
public:
    virtual ~Module() = default;
    /// Kernels (.entry) in order of appearance.
    virtual const std::vector<KernelInfo>& kernels() const = 0;
    /// One of them, with all its properties (see EmulatedOptions::lazy). Valid as long as the module.
    virtual Result<const KernelInfo*> kernel(const std::string& name);
    /// Address and size of a module-scope .global or .const variable.
    virtual Result<std::pair<Address, std::uint64_t>> variable(const std::string& name) const = 0;
    /// A texture or surface reference (.texref, .surfref) is a variable that holds the handle of the bound object.
    enum class Holds : std::uint8_t { data, texture, surface };
    virtual Holds holds([[maybe_unused]] const std::string& name) const { return Holds::data; }
};

/// A launch that is ready to run.
struct Step {
    std::shared_ptr<Module> module;
    std::string kernel;
    LaunchConfig config;
    std::vector<std::byte> parameters;
};

}  // namespace warpwright::device
