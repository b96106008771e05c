// wgmma.mma_async: each warp of a warpgroup computes its own 16 of the 64 rows. Operands come from shared memory
// through matrix descriptors (ISA: "Asynchronous Warpgroup Level Matrix Instructions"), A also from registers.
#pragma once

#include <cstdint>

#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

struct WgmmaForm {
    const simt::Details* ptx = nullptr;
    std::uint32_t site = 0;  ///< for the checkers
    unsigned n = 0, k = 0;
    simt::Type a{}, b{}, d{};
    bool a_registers = false, a_transposed = false, b_transposed = false;
    bool a_negative = false, b_negative = false, satfinite = false;
    bool sparse = false;    ///< A is stored at half its width, with metadata: k is that of B
    unsigned selector = 0;  ///< which lanes of a quad hold the metadata
    unsigned d_words = 0;   ///< registers of D per lane
    unsigned stored_k() const { return sparse ? k / 2 : k; }
    unsigned b_bytes() const { return sparse ? 64 : 32; }  ///< of a column of B
};

/// `inputs`: operands in the warp IR: D, A, B, metadata and selector where sparse, scale-d, immediates. A located error
/// if it is no form of the ISA's.
Result<WgmmaForm> decode_wgmma(const simt::Details& instruction, unsigned inputs);

/// Floating-point operations of one warp's share.
double flops(const WgmmaForm& form);

/// A decoded matrix descriptor.
struct MatrixDescriptor {
    std::uint32_t start = 0, leading = 0, stride = 0;  ///< bytes
    std::uint32_t base = 0;
    std::uint32_t swizzle = 0;  ///< bytes: 0, 32, 64, 128
    explicit MatrixDescriptor(std::uint64_t bits);
    /// Offset in shared memory of the 16 bytes that hold, K-major: bytes 16 * part ... of row `outer`; transposed: rows
    /// 8 * part ... at `outer` = k.
    std::uint32_t place(bool transposed, unsigned outer, unsigned part) const;
};

inline std::uint32_t MatrixDescriptor::place(bool transposed, unsigned outer, unsigned part) const {
    std::uint32_t at = start;
    if (swizzle == 0) {
        // Blocks of 8 rows of 16 bytes each.
        at += transposed ? part * stride + outer % 8 * 16 + outer / 8 * leading
                         : outer % 8 * 16 + outer / 8 * stride + part * leading;
        return at;
    }
    const auto wide = swizzle / 16;
    at += transposed ? part % wide * 16 + part / wide * leading + outer % 8 * swizzle + outer / 8 * stride
                     : outer % 8 * swizzle + outer / 8 * stride + part * 16;
    // Pieces of 16 bytes are permuted by their 128-byte line's place in the pattern.
    const auto line = ((at >> 7) - base) & (wide - 1);
    return at ^ (line << 4);
}

/// d = a * b (+ d). `a`: [row][32 bytes] along k; `b`: [column][b_bytes]; `d`: [word][lane], the warp's fragment;
/// `metadata`: sparse forms, one word per lane, as in mma.sp of 16 rows and the same k.
void run_wgmma(const WgmmaForm& form, const std::uint8_t* a, const std::uint8_t* b, bool accumulate, std::uint32_t* d,
               const std::uint32_t* metadata = nullptr);

/// The 16-row product of float_mma.cpp: a [16][k], b [n / 8][k][8] with columns in the order 0 2 4 6 1 3 5 7, elements
/// in 32-bit words as unpacked there; d [4 n / 8][lane] words, each an f32 or (half) an f16. The rules are those of
/// mma.sync: one group of the whole k. Sparse: a [16][k / 2], and `columns` of the same shape says which k each stands
/// for.
void run_float_rows(simt::Type operand, unsigned k, unsigned n, bool half, const std::uint32_t* a,
                    const std::uint32_t* b, std::uint32_t* d, const std::uint8_t* columns = nullptr);

}  // namespace warpwright::engine
