// What a device allows of a launch.
#pragma once

#include <cstdint>
#include <memory>

#include "arch/model.hpp"
#include "record/extent.hpp"

namespace warpwright::launch {

using record::Extent;

/// The language of a program that a device loads.
enum class Language : std::uint8_t { ptx, opencl };

/// Units: threads, blocks, bytes.
struct Limits {
    std::uint32_t threads_per_block = 1024;
    Extent block{1024, 1024, 64};
    Extent grid{2147483647u, 65535, 65535};
    std::uint64_t shared_per_block = 48 * 1024;         ///< static + dynamic without opt-in
    std::uint64_t shared_per_block_optin = 227 * 1024;  ///< with opt-in
    std::uint32_t registers_per_thread = 255;
    std::uint32_t warp = 32;
    std::uint32_t multiprocessors = 132;  ///< the value of %nsmid, by which cooperative launches are sized
    int compute_capability = 90;          ///< major * 10 + minor; 0 on OpenCL devices
    Language language = Language::ptx;    ///< OpenCL devices accept only OpenCL C
    /// The model of which these are limits: it says what a multiprocessor holds at a time. Null where there is none: a
    /// real device asks its driver instead.
    std::shared_ptr<const arch::DeviceModel> model = nullptr;
};

/// A figure that the model does not give keeps its default.
Limits limits_of(const arch::DeviceModel& model);

}  // namespace warpwright::launch
