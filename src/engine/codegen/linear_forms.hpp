// Scalars of the program (uniform values, bases of affine ones) as sums of multiples of other scalars: how far two
// addresses lie apart, where neither is known.
#pragma once

#include <map>
#include <optional>

#include "engine/codegen/access.hpp"
#include "engine/codegen/function_state.hpp"

namespace warpwright::engine::codegen {

/// A constant, and products of scalars, each so many times.
struct Linear {
    std::map<simt::Product, std::int64_t> times;  ///< none of them 0
    std::int64_t constant = 0;
    bool operator==(const Linear&) const = default;
};

/// Modulo 2^64, as all sums of this file.
std::int64_t wrapped_sum(std::int64_t a, std::int64_t b);
/// a + by * b.
Linear sum(const Linear& a, const Linear& b, std::int64_t by);

/// The forms of a function's scalars, modulo 2^64 or modulo a smaller power of two. The smaller it is, the more is
/// known: the low bits of a 32-bit index are those of the address that it becomes, whether it wraps or not.
class LinearForms {
public:
    LinearForms(const FunctionState& fn, unsigned bits) : fn_(fn), bits_(bits) {}

    /// Of an integer scalar.
    const Linear& of(simt::ValueId v);
    /// Of the terms of an affine form, each scaled.
    Linear of_terms(const simt::Affine& form, const std::vector<std::int64_t>& scale) const;
    Linear reduced(Linear x) const;

private:
    /// Longer chains of instructions end in a scalar like any other.
    static constexpr unsigned kDeepest = 16;
    static constexpr std::size_t kMostTerms = 6;

    bool exact() const { return bits_ == 64; }
    std::optional<Linear> made(simt::ValueId v);
    std::optional<Linear> computed(const simt::Inst& i);
    std::optional<Linear> operand(const simt::Operand& o, unsigned width);
    std::optional<Linear> extended(const simt::Operand& o, bool is_signed);
    std::optional<Linear> product(const simt::Inst& i, unsigned width);
    bool is_multiple(const simt::Product& p, std::int64_t times) const;

    const FunctionState& fn_;
    unsigned bits_, depth_ = 0;
    std::map<simt::ValueId, Linear> known_;
};

/// The form of an access's lowest address: of a run of its lanes, or of all of them (null).
Linear lowest_address(const FunctionState& fn, LinearForms& forms, const Access& a, const Run* run);

/// Whether a product is known before the block that is being written, so that code of the block may read it.
bool known_before(const FunctionState& fn, const simt::Product& p);

}  // namespace warpwright::engine::codegen
