// Tensor maps: checking and encoding.
#include "engine/shared/tensor_map.hpp"

#include <cstring>

namespace warpwright::engine {

namespace {

using T = simt::Type;
constexpr std::pair<const char*, T> kTypes[] = {{"u8", T::u8},   {"u16", T::u16},   {"u32", T::u32},  {"s32", T::s32},
                                                {"u64", T::u64}, {"s64", T::s64},   {"f16", T::f16},  {"f32", T::f32},
                                                {"f64", T::f64}, {"bf16", T::bf16}, {"tf32", T::tf32}};

/// 0: no tensor map has elements of that type.
unsigned element_bytes(T type) {
    for (const auto& known : kTypes)
        if (known.second == type) return type == T::tf32 ? 4 : simt::bytes(type);
    return 0;
}

constexpr unsigned kMostPixels = 1024;

/// The bits of a corner by the map's rank.
constexpr int corner_bits(std::size_t rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }

/// Bytes between the rows that a swizzle is for: 0, 32, 64 or 128, as map.swizzle has them.
bool is_swizzle(unsigned swizzle) { return swizzle == 0 || swizzle == 1 || swizzle == 2 || swizzle == 4; }

}  // namespace

Result<TensorTile> tile_of(const EncodedTensorMap& m) {
    auto wrong = [](const std::string& what) { return Error{ErrorKind::fault, "the tensor map " + what, {}, ""}; };
    TensorTile tile;
    tile.element = element_bytes(static_cast<T>(m.type));
    if (tile.element == 0 || tile.element != m.element_bytes) return wrong("has no such type of elements");
    if (m.rank < 1 || m.rank > 5) return wrong("has " + std::to_string(m.rank) + " dimensions; 1 to 5 are possible");
    if (m.address % 16 != 0) return wrong("is of an array that is not aligned to 16 bytes");
    if (!is_swizzle(m.swizzle)) return wrong("has no such swizzle");
    tile.bytes = tile.element;
    if (m.pixels && (m.rank < 3 || m.pixels > kMostPixels)) return wrong("has no such columns of pixels");
    for (unsigned k = 0; k < m.rank; ++k) {
        const auto d = " in dimension " + std::to_string(k);
        if (m.size[k] < 1 || m.size[k] > (std::uint64_t{1} << 32)) return wrong("has no size of 1 to 2^32" + d);
        if (m.box[k] < 1 || m.box[k] > TensorTile::kMostBox) return wrong("has no box of 1 to 256 elements" + d);
        if (m.step[k] < 1 || m.step[k] > 8) return wrong("has no step of 1 to 8" + d);
        if (k && (m.stride[k - 1] % 16 != 0 || m.stride[k - 1] >= (std::uint64_t{1} << 40)))
            return wrong("has no stride that is a multiple of 16 below 2^40" + d);
        if (m.pixels)
            tile.count[k] = k == 0 ? m.box[0] : k == 1 ? m.pixels : 1;
        else
            tile.count[k] = (m.box[k] + m.step[k] - 1u) / m.step[k];
        tile.bytes *= tile.count[k];  // at most 8 * 256^5: 2^43
    }
    const auto row = tile.count[0] * tile.element;
    if (row % 16 != 0) return wrong("has rows of " + std::to_string(row) + " bytes, no multiple of 16");
    if (m.swizzle && row != m.swizzle * 32u)
        return wrong("has rows of " + std::to_string(row) + " bytes, which its swizzle is not for");
    return tile;
}

namespace {

Error wrong(const std::string& what) { return Error{ErrorKind::usage, "tensor map: " + what, {}, ""}; }

/// The columns of pixels that a map of the mode im2col is for.
Result<void> encode_columns(const TensorMapDescription& m, EncodedTensorMap& e) {
    const auto rank = m.size.size();
    if (rank < 3) return wrong("im2col needs 3 to 5 dimensions");
    if (m.lower.size() != rank - 2 || m.upper.size() != rank - 2)
        return wrong("im2col needs corners in the dimensions between the first and the last");
    if (m.pixels > kMostPixels) return wrong("a column has more than 1024 pixels");
    const auto most = std::int64_t{1} << (corner_bits(rank) - 1);
    for (std::size_t k = 0; k < m.lower.size(); ++k) {
        const std::int64_t low = m.lower[k], high = m.upper[k];
        if (low < -most || low >= most || high < -most || high >= most)
            return wrong("a corner is not between " + std::to_string(-most) + " and " + std::to_string(most - 1));
        const std::int64_t last = static_cast<std::int64_t>(m.size[k + 1]) - 1 + high;
        if (last < low) return wrong("there is nothing between the corners");
        e.lower[k] = static_cast<std::int16_t>(low), e.upper[k] = static_cast<std::int16_t>(high);
    }
    e.pixels = static_cast<std::uint16_t>(m.pixels);
    e.step[0] = 1;  // CUDA has no use for it either
    return {};
}

/// Elements of one pixel or row, their pieces' permutation, and what stands for elements outside.
Result<void> encode_rows(const TensorMapDescription& m, EncodedTensorMap& e) {
    const unsigned row = (e.box[0] + e.step[0] - 1u) / e.step[0] * e.element_bytes;
    if (row % 16 != 0) return wrong("a row of the box is " + std::to_string(row) + " bytes, no multiple of 16");
    if (m.swizzle_bytes != 0 && m.swizzle_bytes != 32 && m.swizzle_bytes != 64 && m.swizzle_bytes != 128)
        return wrong("no such swizzle");
    if (m.swizzle_bytes && row > m.swizzle_bytes)
        return wrong("a row of the box is " + std::to_string(row) + " bytes, more than the swizzle's " +
                     std::to_string(m.swizzle_bytes));
    // With such a swizzle the hardware places rows at the swizzle's width, and would write past a packed tile.
    if (m.swizzle_bytes && row < m.swizzle_bytes)
        return wrong("a row of the box is " + std::to_string(row) + " bytes, less than the swizzle's " +
                     std::to_string(m.swizzle_bytes) + ": its rows would not be packed");
    e.swizzle = static_cast<std::uint8_t>(m.swizzle_bytes / 32);
    const auto type = static_cast<T>(e.type);
    if (m.fill_nan && !simt::is_float(type) && type != T::tf32)
        return wrong("only floating-point types can be filled with NaN");
    e.fill_nan = m.fill_nan;
    return {};
}

}  // namespace

Result<void> replace_address(std::span<std::byte, kTensorMapBytes> map, std::uint64_t address) {
    EncodedTensorMap e;
    std::memcpy(&e, map.data(), sizeof e);
    if (e.magic != EncodedTensorMap::kMagic) return wrong("this is none of this device");
    if (address == 0 || address % 16 != 0) return wrong("the address is not aligned to 16 bytes");
    e.address = address;
    std::memcpy(map.data(), &e, sizeof e);
    return {};
}

Result<std::array<std::byte, 128>> encode_tensor_map(const TensorMapDescription& m) {
    EncodedTensorMap e;
    e.magic = EncodedTensorMap::kMagic;
    T type = T::none;
    for (const auto& [name, t] : kTypes)
        if (m.type == name) type = t;
    if (type == T::none) return wrong("'" + m.type + "' is not an element type that it may have");
    e.type = static_cast<std::uint8_t>(type);
    e.element_bytes = static_cast<std::uint8_t>(element_bytes(type));
    const auto rank = m.size.size();
    if (rank < 1 || rank > 5) return wrong("has " + std::to_string(rank) + " dimensions; 1 to 5 are possible");
    if (m.stride.size() != rank - 1) return wrong("needs a stride for each dimension but the first");
    if (m.box.size() != (m.pixels ? 1 : rank) || (!m.step.empty() && m.step.size() != rank))
        return wrong("needs a box (and a step, if any) for each dimension");
    if (m.address == 0 || m.address % 16 != 0) return wrong("the address is not aligned to 16 bytes");
    e.address = m.address;
    e.rank = static_cast<std::uint8_t>(rank);
    for (unsigned k = 0; k < 5; ++k) e.size[k] = e.box[k] = e.step[k] = 1;
    for (unsigned k = 0; k < rank; ++k) {
        const auto d = " of dimension " + std::to_string(k);
        if (m.size[k] < 1 || m.size[k] > (std::uint64_t{1} << 32))
            return wrong("the size" + d + " is not between 1 and 2^32");
        const auto box = k < m.box.size() ? m.box[k] : 1;
        if (box < 1 || box > 256) return wrong("the box" + d + " is not between 1 and 256");
        if (k && (m.stride[k - 1] % 16 != 0 || m.stride[k - 1] >= (std::uint64_t{1} << 40)))
            return wrong("the stride" + d + " is not a multiple of 16 below 2^40");
        e.size[k] = m.size[k];
        e.box[k] = static_cast<std::uint16_t>(box);
        if (k) e.stride[k - 1] = m.stride[k - 1];
        if (m.step.empty()) continue;
        if (m.step[k] < 1 || m.step[k] > 8) return wrong("the step" + d + " is not between 1 and 8");
        e.step[k] = static_cast<std::uint8_t>(m.step[k]);
    }
    if (m.pixels)
        if (auto ok = encode_columns(m, e); !ok) return ok.error();
    if (auto ok = encode_rows(m, e); !ok) return ok.error();
    std::array<std::byte, 128> out{};
    std::memcpy(out.data(), &e, sizeof e);
    return out;
}

}  // namespace warpwright::engine
