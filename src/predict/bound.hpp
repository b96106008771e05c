// The bound of a kernel: the least time that a device model's hardware needs for the counts, resource by resource, and
// the resource that sets it. This is the roofline model with every counted resource as a roof: S. Williams, A.
// Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore architectures", CACM 52(4),
// 2009. Latency is not modelled: a kernel with too few warps stays above its bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <memory>

#include "arch/model.hpp"
#include "arch/occupancy.hpp"
#include "machine/trace.hpp"
#include "record/record.hpp"
#include "record/touched.hpp"

namespace warpwright::predict {

/// The work of a kernel, as far as a bound needs it.
struct Work {
    record::Counts counts;
    record::Extent grid, block;

    std::uint32_t registers = 0;   ///< per thread
    std::string registers_source;  ///< as in record::OccupancyRecord
    std::uint64_t shared = 0;      ///< static + dynamic, bytes per block
    std::uint64_t local = 0;       ///< bytes per thread

    /// The memory that its accesses fell into; absent if that is not known.
    std::optional<record::Touched> touched;
    /// The allocations themselves, where `touched` is narrowed to what is used of them (narrow_touched).
    std::optional<record::Touched> allocations = {};
    std::uint64_t launches = 1;  ///< whose work this is: each leaves the second level full of what it has written
    /// The course of some of its blocks, from which its time is predicted; null where none was kept.
    std::shared_ptr<const machine::LaunchTrace> trace = {};
    bool in_a_row = false;  ///< as timing::LaunchShape has it
    bool per_line = false;  ///< its counts were kept by source line, and so is what its warps waited for
    /// Bytes that any kernel for the problem must move to and from DRAM, if a formula gives them (a ladder's). They
    /// confirm the bound's assumption or not, and change no figure, because only some commands know them.
    std::optional<double> compulsory_bytes;
    /// Element type of the tensor instructions: "f16", "bf16", "tf32", "f64", "int8", "int4", "fp8".
    std::string tensor_type = "f16";

    /// Of the same launch: its trace is the same object.
    bool operator==(const Work&) const = default;
};

/// DRAM traffic that a bound assumes, in bytes. Caches are empty when the kernel begins and keep everything until its
/// end: each allocation that it loads from is read once and each that it stores to is written once, and neither total
/// exceeds the sectors requested. If less than the whole of an allocation is used, that is an upper estimate, and
/// `estimated` says so unless a formula for the problem gives the same within 1 %. A launch has the same traffic in
/// every command.
struct DramTraffic {
    double bytes = 0;
    double written = 0;  ///< of them
    bool estimated = false;
    std::string basis;
};

DramTraffic dram_traffic(const Work& work, const arch::DeviceModel& model);

/// Of what a launch writes, the bytes that may still be in the second level when it ends: no more than that holds of
/// all that the launch touches. A bound of its time leaves them out.
double written_back_later(const DramTraffic& traffic, const Work& work, const arch::DeviceModel& model);

/// The bound. Every term is in seconds; terms of unused resources are left out. Resources of a multiprocessor count for
/// the multiprocessors that get a block. Notes name the figures that the model lacks. Instructions are those of PTX:
/// machine code may differ.
record::Bound bound(const Work& work, const arch::DeviceModel& model);

/// Occupancy and tail effect of the launch.
record::OccupancyRecord occupancy_record(const Work& work, const arch::DeviceModel& model);

/// Arithmetic intensity: FLOP per 4-byte access requested of global memory ("compute to global memory access", as D.
/// Kirk and W. Hwu, "Programming Massively Parallel Processors", ch. 5, define CGMA), per byte requested, and per byte
/// of DRAM traffic.
record::Intensity intensity(const Work& work, const arch::DeviceModel& model);

/// Why the launch is not possible on the model: its registers, its shared memory, an instruction that the device lacks
/// (known where the launch kept its trace). Empty where it is possible.
std::string why_impossible(const Work& work, const arch::DeviceModel& model);

/// Fills the record's model, bound, occupancy and intensity; without a bound, and with the reason in
/// Record::unpredicted, where the launch is not possible on the model. A model without multiprocessors leaves the
/// record as it is.
void annotate(record::Record& record, const Work& work, const arch::DeviceModel& model);

}  // namespace warpwright::predict
