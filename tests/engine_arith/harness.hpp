// Compiles one PTX data instruction for some host CPU and lane count and runs it on raw bits, so that tests can hold
// it against a scalar oracle.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simt/details.hpp"

namespace warpwright::test {

using Bits = std::uint64_t;
using Row = std::vector<Bits>;  ///< the operands of one lane

/// An instruction from its spelling ("fma.rn.ftz.f32") and its operands, destination first, separated by blanks: a
/// name is a register ("a", "-a", with a video selector "a.b0"), "p|q" a pair, a number an immediate.
simt::Details instruction(const std::string& spelling, const std::string& operands);

/// "native", and on x86-64 also "x86-64-v3" (AVX2, no AVX-512) and "x86-64" (SSE2).
const std::vector<std::string>& cpus();

/// One compiled instruction. lanes = 0 compiles the scalar form.
class Kernel {
public:
    /// Throws std::runtime_error when the form is not supported.
    Kernel(const simt::Details& inst, unsigned lanes, const std::string& cpu);
    /// Results of every row; a row's values are the register sources and the carry-in, in order.
    std::vector<Row> run(const std::vector<Row>& rows) const;

    unsigned inputs() const { return static_cast<unsigned>(input_bits_.size()); }
    unsigned input_bits(unsigned i) const { return input_bits_[i]; }

private:
    using Entry = void (*)(const void* const* in, void* const* out);
    unsigned lanes_;
    std::vector<unsigned> input_bits_, output_bits_;
    Entry entry_ = nullptr;
};

/// The instruction's error text, or empty when it compiles.
std::string why_unsupported(const simt::Details& inst);

/// Interesting values for an operand of this PTX type.
std::vector<Bits> edges(ptx::Type type);

/// What a lane's results should be; `nullopt`-like freedom is given by `same`.
using Oracle = std::function<Row(const Row&)>;
/// True when result `got` is as good as `want` (by default: equal bits).
using Same = std::function<bool(Bits got, Bits want, unsigned result)>;

/// Runs edge cases against edge cases, and random operands, on every CPU at 32 lanes and natively as a scalar, and
/// compares with the oracle. `types`: the edge sets of the register sources in order.
void check(const std::string& spelling, const std::string& operands, const std::vector<ptx::Type>& types,
           const Oracle& oracle, const Same& same = {});

/// Floats as bits and back.
float as_f32(Bits bits);
double as_f64(Bits bits);
Bits bits_of(float value);
Bits bits_of(double value);
/// f32 bits with NaN made canonical.
Bits canonical(float value);

}  // namespace warpwright::test
