// How a value varies over the lanes of a warp: uniform, affine (a scalar base plus lane offsets known at compile
// time, some scaled by uniform scalars) or varying. Address arithmetic of regular kernels is affine, so it stays
// scalar and each access's pattern is known before it runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "simt/passes.hpp"

namespace warpwright::simt {

inline constexpr unsigned kMaxLanes = 64;

/// Lane offsets in units of one (bytes or elements, according to the value), two's complement.
using LaneVector = std::array<std::int64_t, kMaxLanes>;

/// A uniform scalar as an expression over uniform values: a product of factors, each a value, sign- or
/// zero-extended from 32 bits where the value is that narrow and the expression 64 bits wide.
struct Factor {
    enum class Extend : std::uint8_t { none, sign, zero };
    ValueId value = kNone;
    Extend extend = Extend::none;
    bool operator==(const Factor&) const = default;
    auto operator<=>(const Factor&) const = default;
};
using Product = std::vector<Factor>;  ///< sorted

struct Term {
    Product scalar;
    LaneVector lanes{};
    bool operator==(const Term&) const = default;
};

/// A 32-bit value extended to 64 bits.
struct Widening {
    ValueId value = kNone;
    bool is_signed = true;
    auto operator<=>(const Widening&) const = default;
};

/// A widening that a form rests on, and the scalar that scales it there (empty: one).
struct Assumption {
    Widening widening;
    Product scalar;
    bool operator==(const Assumption&) const = default;
    auto operator<=>(const Assumption&) const = default;
};

/// value[lane] = base + constant[lane] + sum over terms scalar * lanes[lane]  (mod 2^bits).
struct Affine {
    LaneVector constant{};
    std::vector<Term> terms;
    /// Widenings (32 -> 64 bits) on which this form relies, with the factor by which each enters beside its scalar: the
    /// form holds only while the widened 32-bit value does not wrap in any lane. The engine checks that at run time.
    std::map<Assumption, std::int64_t> assumes;
    bool operator==(const Affine&) const = default;
};

enum class Shape : std::uint8_t { unknown, uniform, affine, varying };

/// The shape of a block of threads, which determines %tid in every lane. The code is specialised for it.
struct BlockShape {
    std::uint32_t x = 1, y = 1, z = 1;
    unsigned lanes = 32;
    std::uint64_t threads() const { return std::uint64_t{x} * y * z; }
    bool operator==(const BlockShape&) const = default;
};

/// How one component of %tid varies within a warp.
struct TidPattern {
    Shape shape = Shape::varying;
    LaneVector constant{};         ///< affine: offsets
    std::uint64_t base_align = 1;  ///< affine or uniform: the base is a multiple of this
    std::int64_t base_max = 0;     ///< largest base over the block's warps
};
TidPattern tid_pattern(const BlockShape& block, unsigned component);

struct Shapes {
    std::vector<Shape> of;             ///< by value
    std::map<ValueId, Affine> affine;  ///< for affine values
    std::vector<std::uint64_t> align;  ///< base (or uniform value) is a multiple of this power of two
    std::vector<std::uint64_t> bound;  ///< largest value (unsigned) it can have in any lane; ~0 = not known
    std::vector<bool> divergent;       ///< by block: its terminator may split lanes
    std::vector<bool> divergent_exit;  ///< by loop
    std::vector<bool> escapes;         ///< by value: leaves a loop that lanes leave at different times

    bool uniform(ValueId v) const { return of[v] == Shape::uniform; }
    bool varying(ValueId v) const { return of[v] == Shape::varying; }
};

/// Analyses `f` for a block shape. `affine_off` forces every affine value to varying (for tests). `apart`: the rules of
/// the machine view, from which predicted times follow: lanes may be apart in all of a strict function, and comparisons
/// of affine values vary.
Shapes analyse(const Function& f, const BlockShape& block, bool affine_off = false, bool apart = false);

}  // namespace warpwright::simt
