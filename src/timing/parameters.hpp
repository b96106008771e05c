// A device model in the terms of the simulation: cycles of one multiprocessor.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "arch/model.hpp"
#include "machine/code.hpp"

namespace warpwright::timing {

/// What the simulation takes from a device model. Cycles are those of the multiprocessors' clock
/// (DeviceModel::clocks.bound).
struct Parameters {
    // The figures of the table [timing], by their keys.
#define WARPWRIGHT_TIMING_FIGURE(key, type, initial, ...) type key = initial;
#include "arch/timing_figures.inc"

    unsigned schedulers = 4;
    double issue_interval = 1;  ///< cycles between two issues of a scheduler

    struct PipeRate {
        double interval = 1;  ///< cycles that a warp's operation keeps a scheduler's part of the pipe busy
        double latency = 4;   ///< cycles to the first operation that may read the result
    };
    std::array<PipeRate, machine::kPipes> pipes;
    /// Cycles of a scheduler's tensor core per FLOP, of products of a warp and of a warpgroup.
    std::array<double, machine::kMatrixTypes> warp_product{}, warpgroup_product{};
    double special_interval = 8;
    bool adds_in_multiplier = false;  ///< 32-bit additions may go to the multiply pipe as well

    double shared_latency = 23, l1_latency = 33, l2_latency = 270, memory_latency = 680;
    double atomic_latency = 300, constant_latency = 24;
    bool loads_constants = false;
    double wavefronts = 1;        ///< of shared memory, per cycle
    double l1_bytes = 128;        ///< per cycle
    double request_interval = 1;  ///< cycles of the load/store unit per request of a warp

    double texture_turn = 1;      ///< cycles of the texture units for four lanes
    double texture_latency = 89;  ///< of a fetch by whole coordinates, and of a surface, from the first level
    double filter_latency = 117;  ///< of a fetch by coordinates in between
    double texture_bytes = 0;     ///< of a first level of the textures' own; 0: they share the loads'

    bool loads_in_l1 = true;
    /// What an access moves at least: 1, or the sectors of the whole line where a device has no smaller transactions.
    unsigned line_sectors = 1;
    double l2_size = 0;  ///< bytes
    /// Of them: what keeps lines until others come; what keeps written ones at most; what keeps sectors that are
    /// written in part here and there. By DRAM's bytes of fills, sums, updates and scatters of 8 to 134 MB on an H100.
    static constexpr double kKept = 0.8, kWritten = 0.43, kPartial = 0.05;
    /// Fences of the device and of the system, in latencies of the second level: 642 cycles after a store of one block
    /// on an H100, 677 in a chain of blocks; 2,700 for the system.
    static constexpr double kDeviceFence = 2.25, kSystemFence = 8;
    /// How much longer DRAM takes for 64 bytes here and there than in a row: gathers of 48 MB to 4 GiB on an H100, an
    /// H200.
    static constexpr double kScattered = 1.65;
    /// Turns of a reduction that is the first of its request at a sector: additions at 2^10 to 2^18 words, on the same.
    static constexpr double kFirstTurn = 0.87;
    /// Seconds that a channel of DRAM (32 bits) takes to read a sector here and there and to write it back: scatters of
    /// 0.5 and 1 million words, 12.2 ns on an H200 and on an H100.
    static constexpr double kCompletion = 12.2e-9;
    double memory_channels = 1;
    double l2_bytes = 32;  ///< per cycle and multiprocessor, where all are at work
    unsigned l2_partitions = 1;
    double memory_bytes = 16;  ///< the whole device's DRAM, per cycle

    double clock = 1e9;           ///< Hz
    double start_seconds = 1e-6;  ///< of a launch, before its first instruction and after its last
    unsigned multiprocessors = 1;

    /// Cycles beyond a result's latency until it is read.
    double late(machine::Use use) const {
        if (use == machine::Use::guard) return late_guard;
        return use == machine::Use::elsewhere ? late_other_pipe : 0;
    }
};

Parameters parameters(const arch::DeviceModel& model);

/// A figure of the table [timing] of a device model, as the simulation takes it.
struct TakenFigure {
    std::string_view key;
    double value;  ///< in the file's unit: what the model gives, else the default
    bool given;
};

/// All of them, in the order of the file format.
std::vector<TakenFigure> taken_figures(const arch::DeviceModel& model);

}  // namespace warpwright::timing
