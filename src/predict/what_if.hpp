// A launch as it would be without one of the things that hold it back: its trace, its code or the device is altered,
// and the model of time is asked again. Private to this room; causes.hpp is the way in.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/model.hpp"
#include "machine/trace.hpp"
#include "predict/bound.hpp"

namespace warpwright::predict {

/// A place in the code that makes an access: the operation, as it stands in its block.
class AccessSites {
public:
    explicit AccessSites(const machine::Code& code);
    /// The operation that makes the access of that number in a block of code; null where none does.
    const machine::Op* at(std::uint32_t block, unsigned access) const;

private:
    std::vector<std::vector<const machine::Op*>> by_block_;
};

/// Lines of source that call functions of the math library in their exact forms, with how many they call: what these
/// become has the line of the call, whoever compiled it, or no line where the library's functions call each other.
using MathLines = std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned>;
/// Which operations of a block (or of another body) are part of such functions. One without a line goes with what
/// stands before it, or at the begin with what follows; a block that has no lines at all is the library's.
std::vector<bool> of_math_lines(const std::vector<machine::Op>& ops, const MathLines& lines);

/// Calls `f(block, warp, event, operation)` with each access of the sample whose operation is known.
template <class Trace, class F>
void each_access(Trace& trace, const AccessSites& sites, F&& f) {
    for (auto& block : trace.sample)
        for (std::size_t w = 0; w < block.warps.size(); ++w) {
            std::uint32_t code = 0;
            unsigned access = 0;
            for (auto& e : block.warps[w].events) {
                if (!(e.what & machine::Event::kAccess)) {
                    code = e.what, access = 0;
                    continue;
                }
                if (const machine::Op* op = sites.at(code, access++)) f(block, w, e, *op);
            }
        }
}

// What an access is, and what its bytes need at least.
bool is_global(const machine::Event& e, const machine::Op& op);  ///< a plain load or store
bool is_shared(const machine::Event& e, const machine::Op& op);  ///< atomics among them
bool reads(const machine::Op& op);
unsigned sectors_needed(const machine::Event& e, const machine::Op& op);
unsigned wavefronts_needed(const machine::Event& e, const machine::Op& op);
/// Whether it touches so many sectors more that it counts as not coalesced.
bool is_scattered(const machine::Event& e, const machine::Op& op);
/// A division, root, ... in its exact form.
bool is_exact_division(const machine::Op& op);
bool is_integer_division(const machine::Op& op);
/// Computes in double precision; converts between it and others.
bool is_double(const machine::Op& op);
bool converts_double(const machine::Op& op);
/// A load or store of a thread's own array.
bool is_local_array(const machine::Event& e, const machine::Op& op);

/// A launch that is to be altered.
struct Altered {
    Work work;
    arch::DeviceModel model;
    machine::LaunchTrace trace;
    machine::Code code;
    bool other_device = false;  ///< `model` was altered
};

// Each makes one thing good.
void coalesce(Altered& a, bool loads);
void remove_conflicts(Altered& a);
void join_lanes(Altered& a);
void keep_in_registers(Altered& a, bool spills);  ///< spilled values, or arrays
/// Leaves out the accesses that are chosen: what they load is there at once.
void drop_accesses(Altered& a, const std::function<bool(const machine::Op&)>& which);
/// Functions on these lines become those of floats.
void compute_in_single(Altered& a, const MathLines& lines);
void compute_fast(Altered& a, const MathLines& lines);
void divide_fast(Altered& a);
void gather_global_atomics(Altered& a);
/// Of every four blocks one does its atomics: as if a quarter of the blocks did the work of all.
void merge_less_often(Altered& a);
void free_shared_atomics(Altered& a);
/// Loads begin as early as their addresses are there.
void hoist_loads(Altered& a);
void drop_barriers(Altered& a);
void reuse(Altered& a);
void read_one_constant(Altered& a);
void hold_all_code(Altered& a);
/// A multiprocessor holds all blocks of the sample at once, or as many as it has warps for.
void hold_more_warps(Altered& a);
/// Each thread does what `kWider` neighbours did. What depends on data that was loaded is still done for each of them.
inline constexpr std::size_t kWider = 4;
void widen(Altered& a);
/// Only so many blocks of each multiprocessor.
void whole_waves(Altered& a, std::uint32_t blocks_of_each);

/// Most work of a block of the grid over the average one, as far as the trace has it; else 1.
double inequality(const machine::LaunchTrace& trace);

/// The predicted seconds of the launch after `alter`, which is simulated to take `seconds` now; nothing where it has no
/// predicted time. Where an alteration leaves out what each block of the grid does, and blocks are unequal, it is
/// compared with the launch without that. `enough`: from which on nobody wants to know how many: infinite then, where
/// that is known before the simulation is over.
std::optional<double> seconds_if(const Work& work, const arch::DeviceModel& model, double seconds,
                                 const std::function<void(Altered&)>& alter,
                                 double enough = std::numeric_limits<double>::infinity());

}  // namespace warpwright::predict
