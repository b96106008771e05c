// `device --measure --deep`: the figures of the table [timing], which the simulation of a multiprocessor takes. Their
// rows (arch/timing_figures.inc) say which of them is measured, by which group, and why another is not.
#pragma once

#include <string_view>

#include "measure/ceilings/bench.hpp"

namespace warpwright::measure {

/// The subject of a key that is measured, with what the base model takes for it beside it.
Subject deep_subject(const Bench& bench, std::string_view key);

/// Cycles for each of `steps` of a kernel that writes { cycles, ... }.
Result<std::vector<double>> cycles_each(Bench& bench, const Shape& shape, device::Address out, double steps);

/// Cycles for each of `steps` from the first warp's begin to the last one's end, of a kernel that writes a pair a warp.
Result<std::vector<double>> cycles_of_all(Bench& bench, const Shape& shape, device::Address out, double steps);

Shape one_block(const std::string& file, const std::string& kernel, std::uint32_t threads,
                std::vector<std::byte> parameters);

std::vector<Part> operation_parts();
std::vector<Part> block_parts();
std::vector<Part> wait_parts();
std::vector<Part> traffic_parts();
std::vector<Part> bulk_parts();
inline constexpr const char* kNoTime = "no time was left for it";

/// A record with the reason for each measured kind of figure (`deep`: those of [timing] as well) that no group has
/// measured or left out by now. `in_time`: all groups had their turn.
void say_unmeasured(Bench& bench, bool deep, bool in_time);

}  // namespace warpwright::measure
