// The bound of a kernel: the least time that a device model's hardware needs for what was counted, resource by
// resource, and which resource it is. The roofline model with every counted resource as a roof: S. Williams,
// A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore architectures",
// CACM 52(4), 2009. Latency is not modelled: a kernel with too few warps stays above its bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/model.hpp"
#include "arch/occupancy.hpp"
#include "record/record.hpp"
#include "record/touched.hpp"

namespace warpwright::predict {

/// What a kernel did, as far as a bound needs it.
struct Work {
    record::Counts counts;
    record::Extent grid, block;

    std::uint32_t registers = 0;  ///< a thread
    bool registers_estimated = false;
    std::uint64_t shared = 0;  ///< static + dynamic, bytes a block

    /// The memory that its accesses fell into; absent where that is not known.
    std::optional<record::Touched> touched;
    /// Bytes that any kernel for the problem must move to and from DRAM, where a formula says so (a ladder's). It
    /// confirms what the bound assumes, or not; it changes no figure, for only some commands know it.
    std::optional<double> compulsory_bytes;
    /// Element type of the tensor instructions: "f16", "bf16", "tf32", "f64", "int8", "int4", "fp8".
    std::string tensor_type = "f16";
};

/// DRAM traffic that a bound assumes, in bytes. Caches hold nothing when the kernel begins, and keep everything until
/// its end: each allocation that it loads from is read once and each that it stores to is written once, and neither
/// comes to more than the sectors requested. Where less than the whole of an allocation is used that is an estimate
/// from above, and `estimated` says so unless a formula for the problem comes to the same within 1 %. A launch has one
/// traffic, whichever command asks for it.
struct DramTraffic {
    double bytes = 0;
    bool estimated = false;
    std::string basis;
};

DramTraffic dram_traffic(const Work& work, const arch::DeviceModel& model);

/// The bound. Every term is seconds; terms of resources that the kernel does not use are left out. Per
/// multiprocessor resources are those of the multiprocessors that get a block. Notes say what the model has no
/// figure for. Instructions are those of PTX: machine code may differ.
record::Bound bound(const Work& work, const arch::DeviceModel& model);

/// Occupancy and tail effect of the launch.
record::OccupancyRecord occupancy_record(const Work& work, const arch::DeviceModel& model);

/// Arithmetic intensity: FLOP a 4-byte access requested of global memory ("compute to global memory access", as
/// D. Kirk and W. Hwu, "Programming Massively Parallel Processors", ch. 5, define CGMA), a byte requested, and a
/// byte of DRAM traffic.
record::Intensity intensity(const Work& work, const arch::DeviceModel& model);

/// Fills the record's model, bound, occupancy and intensity. A model without multiprocessors says nothing: the record
/// stays.
void annotate(record::Record& record, const Work& work, const arch::DeviceModel& model);

}  // namespace warpwright::predict
