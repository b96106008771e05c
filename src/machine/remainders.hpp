// What is known of the last bits of values: where words lie in an aligned piece of memory. Private to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simt/ir.hpp"

namespace warpwright::machine {

/// A value is `rest` beyond a multiple of two to the power of `bits`. 0 bits: nothing is known.
struct Remainder {
    std::uint8_t bits = 0, rest = 0;
    bool operator==(const Remainder&) const = default;
};

/// Of all values of a function, modulo 16 at most: as much as any load asks for. A fixed point over the blocks (P.
/// Granger, "Static analysis of arithmetical congruences", International Journal of Computer Mathematics 30, 1989):
/// a value that a loop moves by a constant keeps what its begin and its step have in common.
class Remainders {
public:
    explicit Remainders(const simt::Function& f);
    Remainder of(const simt::Operand& o) const { return known(o).value_or(Remainder{}); }

private:
    using MaybeRemainder = std::optional<Remainder>;  ///< nothing: no way to it was looked at yet
    MaybeRemainder known(const simt::Operand& o) const;
    MaybeRemainder result_of(const simt::Inst& i) const;
    MaybeRemainder data_of(const simt::Inst& i) const;

    std::vector<MaybeRemainder> values_;
};

}  // namespace warpwright::machine
