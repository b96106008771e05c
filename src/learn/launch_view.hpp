// The counted launch of an attempt as the device models see it: its requests, the course of its warps, its place below
// the roofs, and the least time that other devices need for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/model.hpp"
#include "predict/bound.hpp"
#include "record/launch_picture.hpp"
#include "record/record.hpp"

namespace warpwright::learn {

/// What one device model says without running the launch.
struct OnModel {
    std::string name;
    std::string why;       ///< it is not possible there; else empty
    double seconds = 0;    ///< the least that its hardware needs, over all launches
    std::string binds;     ///< the resource that sets it, of the launch that takes longest
    double occupancy = 0;  ///< of the launch that takes longest
    double longest = 0;    ///< its least time, seconds
};

/// The roofs of a model, and the place of the launch below them.
struct Roofline {
    double bandwidth = 0;  ///< of DRAM, bytes/s
    double peak = 0;       ///< operations/s on floats of 32 bits
    double operations = 0, bytes = 0, seconds = 0;
};

struct LaunchView {
    std::vector<record::AccessPicture> accesses;  ///< for each memory instruction a request, as an example
    record::WarpCourse course;                    ///< of the launch that was simulated longest
    std::vector<OnModel> models;

    /// Adds a launch.
    void add(record::LaunchPicture picture);
    void add(const predict::Work& work, const std::vector<arch::DeviceModel>& models);
};

/// Absent where nothing was predicted.
std::optional<Roofline> roofline_of(const record::Record& counted, const arch::DeviceModel& model);

}  // namespace warpwright::learn
