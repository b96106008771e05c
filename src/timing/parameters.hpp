// A device model in the terms of the simulation: cycles of one multiprocessor.
#pragma once

#include <array>

#include "arch/model.hpp"
#include "machine/code.hpp"

namespace warpwright::timing {

/// What the simulation takes from a device model. Cycles are those of the multiprocessors' clock
/// (DeviceModel::clocks.bound).
struct Parameters {
    unsigned schedulers = 4;
    double issue_interval = 1;  ///< cycles between two issues of a scheduler

    struct PipeRate {
        double interval = 1;  ///< cycles that a warp's operation keeps a scheduler's part of the pipe busy
        double latency = 4;   ///< cycles to the first operation that may read the result
    };
    std::array<PipeRate, machine::kPipes> pipes;
    /// Cycles of a scheduler's tensor core per FLOP, of products of a warp and of a warpgroup.
    std::array<double, machine::kMatrixTypes> warp_product{}, warpgroup_product{};
    double bulk_start = 50;     ///< cycles from a bulk copy's issue to its first request
    double phase_latency = 20;  ///< cycles from the end of an mbarrier's phase to whoever waits for it
    /// Groups of multiprocessors, each of which asks the second level once for what bulk copies of several of them read
    /// at a time, and how much faster such copies are at most.
    double groups = 8, merged_most = 2.5;
    double special_interval = 8;
    bool adds_in_multiplier = false;  ///< 32-bit additions may go to the multiply pipe as well

    double shared_latency = 23, l1_latency = 33, l2_latency = 270, memory_latency = 680;
    double memory_apart = 50;  ///< cycles more for each doubling of the places of memory that a request asks
    double atomic_latency = 300, constant_latency = 24, barrier_latency = 14, barrier_of_warp = 2;
    double wavefront_latency = 2;  ///< of each wavefront of a request beyond its first
    /// Cycles for the first line of constants that no cache has, and for a further one. Words of 64 bits may come by a
    /// cache of their own, one of them every `constant_spacing` cycles of a warp; others are operands, and are there
    /// after `constant_near` cycles.
    double constant_miss = 120, constant_further_miss = 80, constant_near = 8, constant_spacing = 8;
    /// The program's constants as operands: cycles until one is there, lines of the cache, cycles from one line that
    /// comes to the next.
    double constant_operand = 3, constant_fetch = 18;
    std::size_t constant_lines = 32;
    /// Of an indexed load: cycles for each further line that its lanes miss, cycles of the multiprocessor for each line
    /// beside its addresses, and lines of the cache.
    double constant_line = 85, constant_line_turn = 2;
    std::size_t indexed_lines = 96;
    bool loads_constants = false;
    double register_latency = 38;  ///< of the special registers that tell a thread and its block
    double constant_turn = 2;      ///< cycles of the multiprocessor for each address of an indexed constant
    double constant_further = 11;  ///< cycles of latency for each address beyond the first
    /// Cycles beyond a result's latency until it is read, by machine::Use.
    std::array<double, 3> late{0, 1, 9};
    double branch_wait = 5, branch_taken = 11;  ///< cycles from a branch to its warp's next instruction
    /// Cycles of a round of the loop around a compare-and-swap in shared memory, and from one that succeeds at a word
    /// to the next; and its passes over the banks.
    double compare_round = 100, compare_turn = 85, compare_passes = 3;
    double wavefronts = 1;        ///< of shared memory, per cycle
    double l1_bytes = 128;        ///< per cycle
    double access_spacing = 4;    ///< cycles from a warp's access to its next one
    double request_interval = 1;  ///< cycles of the load/store unit per request of a warp
    double queue = 24;            ///< cycles of work that the load/store unit takes in ahead
    double memory_queue = 400;    ///< cycles of work that wait between the first level and the second

    double texture_turn = 1;      ///< cycles of the texture units for four lanes
    double texture_latency = 89;  ///< of a fetch by whole coordinates, and of a surface, from the first level
    double filter_latency = 117;  ///< of a fetch by coordinates in between
    double texture_bytes = 0;     ///< of a first level of the textures' own; 0: they share the loads'

    bool loads_in_l1 = true;
    unsigned fetch_sectors = 2;  ///< that come from DRAM together
    double l2_size = 0;          ///< bytes
    double l2_bytes = 32;        ///< per cycle and multiprocessor, where all are at work
    double l2_line = 1.77;       ///< cycles of a multiprocessor for each line that it reads a part of, where all do
    /// Cycles of a multiprocessor for each line that it writes to, and for each sector of it, where all write: a packet
    /// has a head and its data.
    double write_line = 2.33, write_sector = 1.42;
    double l2_most = 64;  ///< bytes per cycle, of one multiprocessor alone
    unsigned l2_partitions = 1;
    /// Lookups of a sector that is written, and of a launch besides its own accesses: its code, its parameters. All
    /// hit.
    double l2_lookups_of_write = 1, l2_lookups_of_launch = 0;
    unsigned l2_slices = 96;
    double memory_bytes = 16;  ///< the whole device's DRAM, per cycle
    /// Cycles of a slice of the second level for an atomic on a word of its own, and until the next one on that word
    /// where numbers have exponents.
    double atomic_turn = 1.46, atomic_float_turn = 3.48;

    double clock = 1e9;           ///< Hz
    double start_seconds = 1e-6;  ///< of a launch, before its first instruction and after its last
    double start_each = 3;        ///< cycles more for each multiprocessor at work
    /// By what share the second level and memory are farther from the multiprocessor that ends last than from others,
    /// where all are at work.
    double farther = 0.05;
    double store_stays = 20;               ///< cycles from a store's way to the second level to its warp's end
    double block_start = 200;              ///< cycles from a place that gets free to the next block's first instruction
    double block_interval = 1.19;          ///< cycles between two blocks that the device hands out
    double fetch_latency = 250;            ///< cycles until a kernel's first instructions are there
    double line_latency = 62;              ///< cycles for a line of instructions that the cache has no room for
    std::size_t instruction_lines = 1024;  ///< lines of 128 bytes of that cache
    unsigned multiprocessors = 1;
};

Parameters parameters(const arch::DeviceModel& model);

}  // namespace warpwright::timing
