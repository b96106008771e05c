// The contents of a buffer before a kernel runs: zeros, ones, a constant, 0 1 2 ..., seeded random values, or a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.hpp"
#include "values/element.hpp"

namespace warpwright::values {

struct Contents {
    enum class Kind { zero, ones, constant, iota, random, random_2_4, file };
    Kind kind = Kind::zero;
    double value = 0;                 ///< constant
    std::optional<double> low, high;  ///< random: bounds; absent = the element's default range
    std::string path;                 ///< file: .npy by its extension, else raw bytes
};

/// Parses "zero", "ones", "const(v)", "iota", "random", "random(a,b)", "random_2_4", "file:path".
Result<Contents> parse_contents(std::string_view text, Location where = {});

/// The value `random` gives to element `index` of the buffer called `name`. It depends on these and nothing else
/// (a counter-based generator: splitmix64 of seed, name and index), so buffers do not depend on the order in which
/// they are made. Floating types: uniform in [low, high), 24 random bits for f32 and smaller, 53 for f64, default
/// [-1, 1). Integers: uniform in [low, high], both ends included, default [-1000, 1000], or [0, 1000] where there
/// is no sign and [-100, 100] or [0, 100] for 8 bits.
long double random_value(Element element, std::uint64_t seed, std::string_view name, std::uint64_t index,
                         std::optional<double> low, std::optional<double> high);

/// The pruning of `random_2_4`: of elements 4g to 4g+3 it keeps two, any pair as likely as another. True if element
/// `index` becomes 0.
bool pruned_2_4(std::uint64_t seed, std::string_view name, std::uint64_t index);

/// Fills `out` with the elements from number `begin` on, on all cores. `contents` is not a file here.
void fill_contents(const Contents& contents, Element element, std::string_view name, std::uint64_t seed,
                   std::uint64_t begin, std::span<std::byte> out);

/// All `count` elements. Files: an .npy file must have the element's type and `count` elements, a raw file exactly
/// the bytes.
Result<std::vector<std::byte>> make_contents(const Contents& contents, Element element, std::uint64_t count,
                                             std::string_view name, std::uint64_t seed);

/// `count` times the element's size; ErrorKind::limit above 1 TiB.
Result<std::uint64_t> buffer_bytes(Element element, std::uint64_t count, std::string_view name);

}  // namespace warpwright::values
