// The machine view of a kernel: what an assembler would make of its PTX, as far as a model of time needs it. It changes
// no result and is never executed: each block of the warp IR becomes a list of operations with the pipe that takes
// them, the issue slots that they fill, and the values that they wait for. The rules by which it is made are in
// view.cpp and docs/timing.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simt/details.hpp"

namespace warpwright::machine {

/// The unit that an operation occupies.
enum class Pipe : std::uint8_t {
    none,      ///< issue slots only
    alu,       ///< logic, shifts, compares, minimum and maximum
    add,       ///< 32-bit integer addition
    fp32,      ///< single-precision multiply and add
    multiply,  ///< 32-bit integer multiply and multiply-add
    half,      ///< packed half precision
    fp64,      ///< double precision
    special,   ///< rcp, rsqrt, sin, ...
    convert,   ///< conversions between types, bit counts
    memory,    ///< loads, stores, atomics: the load/store unit
    exchange,  ///< shuffles and special registers, which go through the load/store unit's queue
    tensor,    ///< matrix products
    texture,   ///< fetches of textures, accesses of surfaces
    branch,    ///< branches and exits
};
inline constexpr unsigned kPipes = 14;

/// How an operation reads a value, as far as it changes when the value is there.
enum class Use : std::uint8_t {
    plain,
    elsewhere,  ///< a unit other than the one that made it
    guard,      ///< a predicate that says whether the operation is carried out, or where a branch goes
};

/// What an operation does beyond computing.
enum class Effect : std::uint8_t {
    none,
    load,
    store,
    atomic,
    copy,        ///< cp.async: global to shared memory, without a register in between
    copy_group,  ///< ends a group of copies
    copy_wait,   ///< waits until at most `pending` groups of copies of its own warp are under way
    async,       ///< at an mbarrier, or a bulk copy: AsyncStep
    bulk_group,  ///< ends a group of bulk copies to global memory
    bulk_wait,   ///< waits until at most `pending` of these are under way
    product,     ///< of a warpgroup, whose result is there later
    product_group,
    product_wait,
    barrier,  ///< waits for the block
    arrive,   ///< tells a barrier and goes on
    fence,
    sleep,
};

/// What a matrix product multiplies, as far as it changes the rate.
enum class MatrixType : std::uint8_t { f16, bf16, tf32, f64, int8, int4, fp8 };
inline constexpr unsigned kMatrixTypes = 7;

struct Op {
    Pipe pipe = Pipe::none;
    Effect effect = Effect::none;
    std::uint8_t issues = 1;   ///< issue slots: machine instructions that the PTX instruction becomes
    std::uint8_t special = 0;  ///< how many of them the special function unit takes
    std::uint16_t chain =
        0;            ///< of an expansion: cycles from its first issue to its result beyond one operation's; 0: none
    double work = 1;  ///< pipe passes of a warp that it takes, in operations of the pipe
    simt::Space space = simt::Space::generic;
    std::uint8_t bytes = 0;    ///< of an access, per lane
    std::uint8_t joined = 1;   ///< of a load of shared memory: words of loads side by side that became one
    std::int16_t access = -1;  ///< which access of its block's execution it is; -1: none
    std::uint8_t part = 0;     ///< of a region: which of its blocks the operation is from
    bool splits = false;       ///< has a branch inside (a slow path): no operation is moved across it
    /// Of an expansion: registers that it takes at its busiest place, its operands and result among them, beside the
    /// values that live across it.
    std::uint8_t takes = 0;
    bool returns = true;        ///< of atomics: somebody reads the old value
    bool compares = false;      ///< of atomics: a compare-and-swap
    bool by_element = false;    ///< of a texture or surface: whole coordinates, and no filter
    bool adds_float = false;    ///< of atomics in global memory: the unit adds numbers with an exponent
    bool past_first = false;    ///< of a load of global memory: the second level answers it, whatever the first one has
    bool invalidates = false;   ///< what the first level has of global memory is not used after it
    bool waits_stores = false;  ///< begins once the warp's stores are there
    bool wide_constant = false;    ///< of 64 bits or more
    bool of_thread = false;        ///< a special register that tells a thread or its block
    std::int32_t constant_at = 0;  ///< of a constant: its place in the bank, in bytes
    bool repeats = false;          ///< in shared memory: a loop that goes round for each lane at one word
    bool waits_phase = false;      ///< of a barrier: an mbarrier's phase, or the cluster's
    bool source_only = false;      ///< of bulk_wait: until shared memory has been read
    std::uint16_t pending = 0;     ///< groups that may be under way after a wait
    MatrixType matrix = MatrixType::f16;
    double flops = 0;           ///< of a matrix product, by a warp: as many as dense operands of that time have
    double operand_bytes = 0;   ///< of shared memory, that the warps of a product read together
    std::int32_t spill = -1;    ///< of a spilled value's store or load: its word in the thread's frame; else -1
    std::int16_t barrier = -1;  ///< number of the block's barrier, -1: not known
    std::vector<std::uint32_t> in, out;  ///< values
    std::vector<Use> uses;               ///< by `in`
    const simt::Details* ptx = nullptr;

    bool operator==(const Op&) const = default;
};

/// A value that depends on the block that a warp came from.
struct Phi {
    std::uint32_t out = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> in;  ///< block that was run before, value

    bool operator==(const Phi&) const = default;
};

struct Block {
    std::vector<Phi> phis;
    std::vector<Op> ops;                ///< in the order of issue
    std::vector<std::uint32_t> guards;  ///< predicates under which the block runs instead of being branched around
    bool predicated = false;  ///< a short side of a branch: every warp issues it, whichever of its lanes take it
    std::uint16_t accesses = 0;
    unsigned slots = 0;          ///< issue slots in all
    unsigned counted = 0;        ///< PTX instructions, as record::Count::instructions counts them
    std::int32_t unrolled = -1;  ///< of a loop: its place in Code::unrolled; -1: it stays as it is
    std::int32_t region = -1;    ///< of a region's first block: its place in Code::regions; -1: it begins none

    bool operator==(const Block&) const = default;
};

/// Several turns of a loop of one block as an assembler writes them behind each other. The accesses of turn k are
/// numbered from k * (Block::accesses + 1) on: that many events after the first turn's begin its own.
struct Unrolled {
    Block body;
    unsigned turns = 0;
    unsigned room = 0;  ///< registers for what is loaded early

    bool operator==(const Unrolled&) const = default;
};

/// Blocks that an assembler issues as one, since none is branched around: some run under a predicate.
struct Region {
    struct Part {
        std::uint32_t block = 0;
        bool guarded = false;  ///< it runs only where its predicate holds
        bool operator==(const Part&) const = default;
    };
    /// A value that comes from one of several parts: it is there once all of these are.
    struct Join {
        std::uint32_t out = 0;
        std::vector<std::uint32_t> in;
        bool operator==(const Join&) const = default;
    };
    Block body;
    std::vector<Part> parts;
    std::vector<Join> joins;

    bool operator==(const Region&) const = default;
};

/// Bytes of a thread that spilled values take, and of the instructions that store and load them, each counted once as
/// it stands in the code.
struct Spills {
    unsigned frame = 0, stores = 0, loads = 0;
    bool operator==(const Spills&) const = default;
};

/// The machine view of one kernel at one block shape, with the functions that it calls for real behind it.
struct Code {
    std::vector<Block> blocks;                       ///< numbered as the engine's counters number them
    std::vector<Unrolled> unrolled;                  ///< by Block::unrolled
    std::vector<Region> regions;                     ///< by Block::region
    std::vector<std::shared_ptr<const void>> keeps;  ///< what Op::ptx points into
    std::vector<std::string> files;                  ///< of the source, by simt::SourceLine::file
    /// What an assembler said that the kernel spills, where one was asked.
    std::optional<Spills> told;
    std::uint32_t values = 0;        ///< all ids are below this
    std::uint32_t instructions = 0;  ///< issue slots of all blocks and of all that is unrolled

    /// Of the same instructions: what Op::ptx points to is the same object.
    bool operator==(const Code&) const = default;
};

}  // namespace warpwright::machine
