// wgmma.mma_async, dense and sparse: forms, matrix descriptors, and the products. 16-bit and tf32 operands are summed
// as mma.sync sums them (float_mma.cpp); integers exactly; fp8 with 13 bits below the largest exponent, of which an f32
// result keeps 13 (an f16 one is rounded). Compared bit for bit with recordings of an H200 (tests/engine_tensor).
#include "engine/tensor/wgmma.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/tensor/float_formats.hpp"
#include "engine/tensor/plan.hpp"
#include "engine/tensor/tiles.hpp"

namespace warpwright::engine {

namespace {

using simt::Mod;
using simt::Type;

constexpr unsigned kRows = 16, kMostColumns = 256, kRowBytes = 32, kMostK = 64;

bool eight_bit_float(Type t) { return t == Type::e4m3 || t == Type::e5m2; }
bool eight_bit_integer(Type t) { return t == Type::s8 || t == Type::u8; }

/// Unpacks a row or column of `bytes`, one element per 32-bit word, as float_mma.cpp does.
void unpack_row(Type type, bool negative, const std::uint8_t* row, unsigned bytes, std::uint32_t* out, unsigned step) {
    if (type == Type::tf32) {
        for (unsigned s = 0; s < bytes / 4; ++s) {
            std::uint32_t w;
            std::memcpy(&w, row + 4 * s, 4);
            out[s * step] = (w ^ (negative ? 0x80000000u : 0)) >> 13;
        }
    } else if (type == Type::f16 || type == Type::bf16) {
        for (unsigned s = 0; s < bytes / 2; ++s) {
            std::uint16_t w;
            std::memcpy(&w, row + 2 * s, 2);
            out[s * step] = w ^ (negative ? 0x8000u : 0u);
        }
    } else {
        for (unsigned s = 0; s < bytes; ++s)
            out[s * step] = f16_from_fp8(type, static_cast<std::uint8_t>(row[s] ^ (negative ? 0x80 : 0)));
    }
}

/// Where column p of a block of 8, in the order 0 2 4 6 1 3 5 7, is.
unsigned column(unsigned p) { return p < 4 ? 2 * p : 2 * p - 7; }

unsigned fragment_place(unsigned row, unsigned p) {
    return ((row >= 8 ? 2u : 0u) + (p >= 4)) * 32 + (row % 8) * 4 + p % 4;
}

struct Small {
    float value;
    int exponent;
};
/// An fp8 value as an f16: unnormalised significands keep the smallest exponent of their type.
Small small_of(Type type, std::uint32_t h) {
    const int field = static_cast<int>(h >> 10 & 31), least = type == Type::e4m3 ? -6 : -14;
    return {f32_from_f16(h), (h & 0x7fff) == 0 ? -10000 : std::max(field - 15, least)};
}

void fp8_rows(const WgmmaForm& f, bool half, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* d,
              const std::uint8_t* columns) {
    constexpr int kBits = 13;
    constexpr unsigned kStored = 32;
    const unsigned k = f.k, n = f.n;
    Small x[kRows][kStored];
    for (unsigned i = 0; i < kRows; ++i)
        for (unsigned s = 0; s < kStored; ++s) x[i][s] = small_of(f.a, a[i * kStored + s]);
    for (unsigned chunk = 0; chunk < n / 8; ++chunk) {
        Small y[kMostK][8];
        for (unsigned s = 0; s < k; ++s)
            for (unsigned p = 0; p < 8; ++p) y[s][p] = small_of(f.b, b[(chunk * k + s) * 8 + p]);
        for (unsigned i = 0; i < kRows; ++i) {
            float terms[kStored][8];
            int largest[8];
            double start[8];
            auto* out = d + chunk * 128;
            for (unsigned p = 0; p < 8; ++p) {
                const auto raw = out[fragment_place(i, p)];
                const float c = half ? f32_from_f16(raw) : std::bit_cast<float>(raw);
                start[p] = c;
                largest[p] = c == 0 || !std::isfinite(c) ? -133 : std::max(half ? -14 : -126, std::ilogb(c));
            }
            for (unsigned s = 0; s < kStored; ++s) {
                const Small* factor = y[columns ? columns[i * kStored + s] : s];
                for (unsigned p = 0; p < 8; ++p) {
                    terms[s][p] = x[i][s].value * factor[p].value;
                    largest[p] = std::max(largest[p], x[i][s].exponent + factor[p].exponent);
                }
            }
            for (unsigned p = 0; p < 8; ++p) {
                const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + kBits - largest[p]) << 52);
                double sum = std::trunc(start[p] * scale);
                for (unsigned s = 0; s < kStored; ++s) sum += std::trunc(static_cast<double>(terms[s][p]) * scale);
                // As f32 the sum keeps this many bits of its fraction; to f16 it is rounded.
                const double cut = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum / scale) &
                                                         (~std::uint64_t{0} << (52 - kBits)));
                const float r = static_cast<float>(half ? sum / scale : cut) + 0.0f;
                auto bits = r != r ? 0x7fffffffu : std::bit_cast<std::uint32_t>(r);
                if (half) bits = r != r ? 0x7fff : f16_from_f32_positive_zero(bits);
                out[fragment_place(i, p)] = bits;
            }
        }
    }
}

std::int32_t byte_of(Type type, std::uint8_t v) {
    return type == Type::s8 ? std::int32_t{static_cast<std::int8_t>(v)} : std::int32_t{v};
}

void integer_rows(const WgmmaForm& f, const std::uint8_t* a, const std::uint8_t* b, bool accumulate, std::uint32_t* d,
                  const std::uint8_t* columns) {
    std::int32_t x[kMostK][kMostColumns];
    for (unsigned j = 0; j < f.n; ++j)
        for (unsigned s = 0; s < f.k; ++s) x[s][j] = byte_of(f.b, b[j * f.b_bytes() + s]);
    for (unsigned i = 0; i < kRows; ++i) {
        std::int32_t sum[kMostColumns] = {};
        for (unsigned s = 0; s < kRowBytes; ++s) {
            const auto y = byte_of(f.a, a[i * kRowBytes + s]);
            const auto* factor = x[columns ? columns[i * kRowBytes + s] : s];
            for (unsigned j = 0; j < f.n; ++j) sum[j] += y * factor[j];
        }
        for (unsigned j = 0; j < f.n; ++j) {
            auto& out = d[(j / 8 * 4 + (i >= 8 ? 2 : 0) + j % 2) * 32 + i % 8 * 4 + j % 8 / 2];
            const auto whole = std::int64_t{sum[j]} + (accumulate ? std::int64_t{static_cast<std::int32_t>(out)} : 0);
            out = f.satfinite ? static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole, -2147483648ll, 2147483647ll))
                              : static_cast<std::uint32_t>(whole);
        }
    }
}

}  // namespace

Result<WgmmaForm> decode_wgmma(const simt::Details& i, unsigned inputs) {
    auto wrong = [&](const std::string& why) {
        return Error{ErrorKind::input,
                     "unsupported matrix instruction " + i.spelling() + ": " + why,
                     {"", i.line, i.column},
                     ""};
    };
    WgmmaForm f;
    f.ptx = &i;
    f.sparse = i.has(Mod::sp);
    f.n = i.extent.n, f.k = i.extent.k;
    if (i.extent.m != 64 || f.n == 0 || f.n > 256 || f.n % 8 != 0) return wrong("unknown shape");
    if (i.types.size() != 3) return wrong("needs the types of d, a and b");
    f.d = i.types[0], f.a = i.types[1], f.b = i.types[2];
    const bool sixteen = f.a == Type::f16 || f.a == Type::bf16, integer = eight_bit_integer(f.a);
    const unsigned k = (sixteen ? 16 : f.a == Type::tf32 ? 8 : 32) * (f.sparse ? 2 : 1);
    if (!sixteen && f.a != Type::tf32 && !eight_bit_float(f.a) && !integer)
        return wrong("operands of this type are not executed");
    if (f.k != k) return wrong("no such shape for ." + std::string(simt::spelling(f.a)));
    const bool pair =
        f.a == f.b || (eight_bit_float(f.a) && eight_bit_float(f.b)) || (integer && eight_bit_integer(f.b));
    if (!pair) return wrong("types of a and b do not go together");
    const bool good = integer ? f.d == Type::s32
                              : f.d == Type::f32 || (f.d == Type::f16 && (f.a == Type::f16 || eight_bit_float(f.a)));
    if (!good) return wrong("accumulator type");
    if (integer && !(f.n == 8 || f.n == 24 || f.n % 16 == 0)) return wrong("unknown shape");
    f.satfinite = i.has(Mod::satfinite);
    f.d_words = f.n / (f.d == Type::f16 ? 4 : 2);
    const auto& operands = i.operands;
    using OK = simt::Written::Kind;
    if (operands.size() < 3 || operands[0].kind != OK::vector || operands[0].elements.size() != f.d_words)
        return wrong("D needs " + std::to_string(f.d_words) + " registers");
    f.a_registers = operands[1].kind == OK::vector;
    if (f.a_registers && operands[1].elements.size() != 4) return wrong("A needs 4 registers");
    const std::size_t after = f.sparse ? 6 : 4;  // d, a, b, metadata and selector, scale-d
    const std::size_t wanted = after + (integer ? 0 : 2) + (sixteen ? (f.a_registers ? 1 : 2) : 0);
    if (operands.size() != wanted || inputs != f.d_words + (f.a_registers ? 4u : 1u) + wanted - 2)
        return wrong("has the wrong number of operands");
    if (f.sparse) {
        // 16-bit and tf32: a row's metadata is one word, so two lanes of a quad hold it; 8-bit: all four lanes do.
        const bool two = sixteen || f.a == Type::tf32;
        if (operands[4].kind != OK::integer || operands[4].value > (two ? 1u : 0u))
            return wrong(two ? "the sparsity selector must be 0 or 1" : "the sparsity selector must be 0");
        f.selector = static_cast<unsigned>(operands[4].value);
    }
    std::int64_t immediate[4] = {1, 1, 0, 0};
    for (std::size_t k2 = after; k2 < wanted; ++k2) {
        if (operands[k2].kind != OK::integer) return wrong("scales and transposes must be constants");
        immediate[k2 - after] = static_cast<std::int64_t>(operands[k2].value);
    }
    if (!integer) {
        if (std::abs(immediate[0]) != 1 || std::abs(immediate[1]) != 1) return wrong("scales must be 1 or -1");
        f.a_negative = immediate[0] < 0, f.b_negative = immediate[1] < 0;
    }
    if (sixteen) {
        f.a_transposed = !f.a_registers && immediate[2] != 0;
        f.b_transposed = immediate[f.a_registers ? 2 : 3] != 0;
    }
    return f;
}

double flops(const WgmmaForm& f) { return 2.0 * kRows * f.n * f.k; }

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start(static_cast<std::uint32_t>(bits & 0x3fff) << 4),
      leading(static_cast<std::uint32_t>(bits >> 16 & 0x3fff) << 4),
      stride(static_cast<std::uint32_t>(bits >> 32 & 0x3fff) << 4),
      base(static_cast<std::uint32_t>(bits >> 49 & 7)) {
    const auto mode = bits >> 62;
    swizzle = mode == 0 ? 0 : mode == 1 ? 128 : mode == 2 ? 64 : 32;
}

void run_wgmma(const WgmmaForm& f, const std::uint8_t* a, const std::uint8_t* b, bool accumulate, std::uint32_t* d,
               const std::uint32_t* metadata) {
    std::uint8_t column_of[kRows * kRowBytes];
    if (f.sparse) {
        MmaForm rows;  // the metadata is laid out as in mma.sp with the same k, for each warp's 16 rows
        rows.m = kRows, rows.k = f.k, rows.a = f.a, rows.selector = f.selector, rows.sparse = true;
        sparse_columns(rows, metadata, column_of);
    }
    const std::uint8_t* columns = f.sparse ? column_of : nullptr;
    if (eight_bit_integer(f.a)) return integer_rows(f, a, b, accumulate, d, columns);
    if (tiles::run(f, a, b, accumulate, d)) return;
    const bool half = f.d == Type::f16;
    alignas(64) std::uint32_t a_raw[kRows * 32];
    alignas(64) std::uint32_t b_raw[kMostColumns * kMostK];
    alignas(64) std::uint32_t sums[kMostColumns * 16];
    for (unsigned i = 0; i < kRows; ++i)
        unpack_row(f.a, f.a_negative, a + i * kRowBytes, kRowBytes, a_raw + i * f.stored_k(), 1);
    for (unsigned chunk = 0; chunk < f.n / 8; ++chunk)
        for (unsigned p = 0; p < 8; ++p)
            unpack_row(f.b, f.b_negative, b + (chunk * 8 + column(p)) * f.b_bytes(), f.b_bytes(),
                       b_raw + chunk * f.k * 8 + p, 8);
    std::uint32_t* out = half ? sums : d;
    if (!accumulate) {
        std::memset(out, 0, std::size_t{f.n} * 64);
    } else if (half) {
        for (unsigned w = 0; w < f.d_words; ++w)
            for (unsigned l = 0; l < 32; ++l)
                sums[w * 64 + l] = d[w * 32 + l] & 0xffff, sums[w * 64 + 32 + l] = d[w * 32 + l] >> 16;
    }
    if (eight_bit_float(f.a))
        fp8_rows(f, half, a_raw, b_raw, out, columns);
    else
        run_float_rows(f.a, f.k, f.n, half, a_raw, b_raw, out, columns);
    if (half)
        for (unsigned w = 0; w < f.d_words; ++w)
            for (unsigned l = 0; l < 32; ++l) d[w * 32 + l] = sums[w * 64 + l] | sums[w * 64 + 32 + l] << 16;
}

}  // namespace warpwright::engine
