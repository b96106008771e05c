// The layout of a compiled kernel, which the code generator hands to the runtime: the places and meanings of counters
// and sites, and the size of a warp's frame. The cache of object code does not hold it: it is made again. No LLVM here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simt/details.hpp"
#include "simt/shape.hpp"

namespace warpwright::engine {

struct BlockContext;
struct WarpFrame;
/// Host code of a kernel: runs a warp from where it stopped; see Status.
using KernelFunction = std::uint32_t (*)(BlockContext*, WarpFrame*, std::uint32_t resume);

/// Two kinds of code for a kernel: with masked copies of all blocks, or only of those that a complete warp can run with
/// a part of its lanes (this takes half the compile time, and is mostly all that is needed).
enum class Extent : std::uint8_t {
    whole,  ///< it also continues where `converged` code of the same kernel gave up
    converged,
};

struct CodegenOptions {
    Extent extent = Extent::whole;
    simt::BlockShape block;
    unsigned transaction_bytes = 32;  ///< in which global memory moves: sectors, or whole lines
    bool counters = true;
    bool check = false;    ///< every access and every wait is checked
    bool limited = false;  ///< counts its instructions off BlockContext::instructions_left
    bool trace = false;    ///< tells which blocks a warp runs and what it touches (machine/trace.hpp)
    bool affine_off = false;
    bool linked = false;          ///< sectors of other devices' memory are told apart: the runtime looks at each access
    unsigned converged_from = 0;  ///< instructions; 0 = however few, and however little it saves
    bool single_warp = false;     ///< a block is one warp: block barriers wait for nobody
    bool permutes = false;        ///< the host has AVX-512: any order of a warp's words is two instructions
    bool function = false;        ///< a really called device function
    bool places = false;          ///< its addresses tell the instruction that they come from (codegen/code_places.hpp)
    bool mark_lines = false;      ///< each instruction carries its line of PTX, to tell which one is not sound
    std::string prefix;           ///< of the symbols of really called functions
    bool operator==(const CodegenOptions&) const = default;
};

/// Counters of a block: [0] executions with all lanes, [1] with some, [2] lanes active in the latter, [3] divergent
/// ends.
inline constexpr unsigned kBlockCounters = 4;

/// The affine form of an access's address, from which the runtime computes each lane's. Generated code passes the
/// scalars in this order: the base with its offset, the terms' scales, then for each widening its base, its own scale
/// where it has one, and its terms' scales.
struct AddressForm {
    simt::LaneVector constant{};
    std::vector<simt::LaneVector> terms;
    struct Widened {
        std::int64_t times = 1;
        bool is_signed = true;
        bool is_scaled = false;  ///< by a scalar beside `times`
        simt::LaneVector constant{};
        std::vector<simt::LaneVector> terms;
    };
    std::vector<Widened> widened;
    /// Of offsets that grow by equal steps from lane to lane: those of lane 0, and the step.
    struct Line {
        std::int64_t start = 0, step = 0;
    };
    std::vector<Line> lines;  ///< of all of the above, in the order of their scalars; empty where one is no line
    void find_lines(unsigned lanes);
    void addresses(const std::int64_t* scalars, unsigned lanes, std::uint64_t* out) const;
    struct Rows {
        std::uint64_t start = 0;  ///< address of lane 0
        std::int64_t step = 0;
    };
    /// Of a form that has lines; nothing if an index of 32 bits wraps between the lanes `first` and `last`.
    std::optional<Rows> rows(const std::int64_t* scalars, unsigned first, unsigned last) const;
};

/// One memory instruction.
struct SiteInfo {
    std::shared_ptr<const AddressForm> form;  ///< for affine addresses
    const simt::Details* ptx = nullptr;
    std::uint32_t block = 0;
    simt::Space space{};
    std::uint32_t bytes = 4;  ///< of an element
    std::uint32_t count = 1;  ///< elements per lane
    enum class Kind : std::uint8_t { load, store, atomic, copy } kind = Kind::load;
    bool counted = true;
    bool joined = false;         ///< in machine code it is a part of another load
    std::uint32_t requests = 1;  ///< of one execution
    /// Passes (transactions of global memory, sectors of atomics, wavefronts) and excess of each execution where they
    /// are known at compile time; -1 = counted in the site.
    std::int32_t full_passes = -1, full_excess = 0, partial_passes = -1, partial_excess = 0;
    /// Executions that were counted by the place of an address (codegen/place_counts.hpp): the counter of the first
    /// place, and the transactions of each time at every place. Accesses at known distances share such counters.
    struct ByPlace {
        std::uint32_t first = 0;
        std::vector<std::uint8_t> cost;
    };
    std::vector<ByPlace> by_place;
    // atomics
    std::uint32_t operation = 0;  ///< AtomicOp
    bool counts_ones = false;     ///< adds the constant 1, and the old value is not used
    simt::Type type{};
    // For the checkers.
    std::uint8_t strength = 0;  ///< shadow::Strength
    bool acquire = false, release = false, wide = false;
    std::uint32_t copied = 0;  ///< loads, by element: it is only stored elsewhere
    std::uint32_t unused = 0;  ///< loads, by element: nothing reads the register that it goes to
    bool rounded = false;      ///< stores: of floats, by their type or by what has computed them
};

struct CountedInst {
    const simt::Details* ptx = nullptr;
    std::uint32_t block = 0;
    bool is_barrier = false;
    bool joined = false;      ///< in machine code it is a part of another instruction, or none
    double matrix_flops = 0;  ///< of one execution by a warp
};

struct KernelLayout {
    std::string symbol;
    std::vector<SiteInfo> sites;
    std::vector<CountedInst> insts;                ///< every counted instruction
    std::vector<const simt::Details*> block_end;   ///< branch of each block (counted ones), else null
    std::vector<const simt::Details*> block_line;  ///< an instruction of each block, for messages
    /// Blocks are named by their first instruction of which the program's line is known, else by their first.
    void note_line(std::size_t block, const simt::Details* ptx) {
        auto& line = block_line[block];
        if (ptx && (!line || (line->source.line == 0 && ptx->source.line != 0))) line = ptx;
    }
    std::vector<const simt::Details*> barriers;  ///< by barrier_site
    std::uint32_t blocks = 0;
    std::uint32_t places = 0;         ///< counters of places of addresses, which follow those of the blocks
    std::uint32_t first_counter = 0;  ///< of this function in the counter array
    std::uint32_t first_site = 0;
    std::uint32_t first_barrier = 0;
    std::uint32_t first_block = 0;  ///< of this function in the program's list of blocks
    std::uint32_t first_form = 0;
    std::vector<std::shared_ptr<void>> forms;  ///< decoded matrix instructions
    std::uint64_t frame_bytes = 0;             ///< WarpFrame and saved values
    std::uint64_t pending_offset = 0;          ///< of the pending masks in the frame (strict functions)
    bool times_itself = false;                 ///< its code keeps WarpFrame::ticks
    bool strict = false;
    bool on_fibers = false;
    bool gives_up = false;  ///< converged code that may return Status::split
};

}  // namespace warpwright::engine
