// What launches were and did, in the record that is printed.
#pragma once

#include "launch/config.hpp"
#include "launch/kernel_info.hpp"
#include "launch/result.hpp"
#include "record/record.hpp"

namespace warpwright::launch {

/// Kernel (by its readable name), grid and block.
void describe(record::Record& record, const KernelInfo& kernel, const LaunchConfig& config);

/// Adds what a launch did to what earlier ones of the record did: counts, in total and by line; and the host's times
/// where the device took none of its own.
void add(record::Record& record, const LaunchResult& result);

/// The record of one launch: both of these.
record::Record record_of(const KernelInfo& kernel, const LaunchConfig& config, const LaunchResult& result);

}  // namespace warpwright::launch
