// The warp-matrix instructions of PTX: mma.sync, mma.sp, wmma.mma as one function on the lanes' registers, and the
// element placement of wmma.load/store, ldmatrix, stmatrix and movmatrix as pure address maps, so that the memory
// side stays ordinary loads and stores of the engine. Called by generated code once per warp instruction.
//
// Register arrays are [word][32]: 32-bit words, lane-contiguous. A 64-bit register is two words, low word first.
// Layouts: ISA section "Warp Level Matrix Instructions"; for wmma, whose fragments the ISA leaves opaque, those of
// sm_90 as recorded on an H200 (tests/engine_tensor).
#pragma once

#include <cstdint>
#include <vector>

#include "simt/details.hpp"
#include "support/result.hpp"

namespace warpwright::engine {

enum class BitOp : std::uint8_t { none, xor_popc, and_popc };

struct MmaPlan;  ///< tables and code of one form; internal

/// One decoded mma.sync, mma.sp or wmma.mma form. `plan` lives until the process ends, so a form may be copied and
/// its address handed to generated code for as long as the form itself lives.
struct MmaForm {
    unsigned m = 0, n = 0, k = 0;
    simt::Type a{}, b{}, c{}, d{};
    bool wmma = false;
    bool a_row = true, b_col = true;  ///< layouts; for wmma.mma they do not change the result
    bool satfinite = false;
    bool sparse = false;    ///< 2:4 (tf32: 1:2, s4/u4: pairs of 4:8) structured A with metadata
    unsigned selector = 0;  ///< which lanes of a quad hold the metadata
    BitOp bit_op = BitOp::none;
    simt::Rounding rounding = simt::Rounding::nearest_even;  ///< f64 only
    const MmaPlan* plan = nullptr;
};

/// mma, mma.sp and wmma.mma. Located error (ErrorKind::input) naming the form when it is not one of the ISA's.
Result<MmaForm> decode_mma(const simt::Details& instruction);

/// 32-bit words per lane of each operand of a form.
struct RegisterCounts {
    unsigned a = 0, b = 0, c = 0, d = 0;
};
RegisterCounts register_counts(const MmaForm& form);

/// Floating-point operations of one warp-wide execution: 2 m n k (m8n8k4 on f16 is four products: 4 times that).
/// Integer and one-bit forms count the same way. Sparse forms count the dense k.
double flops(const MmaForm& form);

/// d = a * b + c for the whole warp. Arrays [word][32]; d may be c. `metadata`: one word per lane, sparse forms only.
///
/// Numerics are those recorded on an H200. Integer, one-bit and f64 forms are exact as the ISA says (f64: a chain of
/// fused multiply-adds in order of k). The other floating-point forms add the exact products of a group of k and the
/// accumulator in fixed point below the largest exponent, truncated, then truncate to f32 or round to f16: see
/// float_mma.cpp.
void run_mma(const MmaForm& form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
             std::uint32_t* d, const std::uint32_t* metadata = nullptr);

/// Where an element of a fragment belongs in its matrix.
struct Element {
    unsigned row = 0, col = 0;
};

/// One decoded wmma.load or wmma.store. The engine makes ordinary accesses of it: for each lane and each register
/// r < registers, `per_register` elements lie at base + offset(lane, r, i, stride) (bytes).
struct WmmaMap {
    unsigned m = 0, n = 0, k = 0;
    char operand = 'a';  ///< 'a', 'b', 'c' (load) or 'd' (store)
    bool store = false;
    bool row_major = true;
    simt::Type type{};
    unsigned rows = 0, cols = 0;  ///< of this operand's matrix
    unsigned registers = 0;       ///< PTX registers a lane passes (f64: 64-bit ones, else 32-bit)
    unsigned per_register = 0;    ///< elements in one register
    unsigned element_bits = 0;    ///< 1, 4, 8, 16, 32 or 64
    unsigned default_stride = 0;  ///< leading dimension in elements where the instruction names none
    /// Of one element of each lane: its row of memory (by the layout a row or a column of the matrix), and its place
    /// there.
    struct Places {
        std::uint8_t line[32] = {}, at[32] = {};
    };
    std::vector<Places> places;  ///< by register, then by element of it; made by decode_wmma_memory()

    /// The addresses of one element of every lane: base + offset(). Strides are of 32 bits.
    void addresses(unsigned reg, unsigned index, const std::uint64_t* base, const std::uint64_t* stride,
                   std::uint64_t* out) const;
    Element element(unsigned lane, unsigned reg, unsigned index) const;
    /// Byte offset of an element from the base address; `stride` in elements. For 4-bit and 1-bit types the
    /// elements of one register are contiguous: ask for index 0 and move 4 bytes.
    std::uint64_t offset(unsigned lane, unsigned reg, unsigned index, std::uint64_t stride) const;
    /// True when the elements of every register are contiguous in memory, so that one register is one access.
    bool register_contiguous() const;
};
Result<WmmaMap> decode_wmma_memory(const simt::Details& instruction);

/// One decoded ldmatrix or stmatrix. Matrix i takes its row addresses from lanes rows*i .. rows*i + rows-1; element
/// (row, col) of it lies at that row's address + col * element bytes.
struct MatrixMove {
    bool store = false;
    bool trans = false;
    unsigned matrices = 1;        ///< x1, x2, x4
    unsigned rows = 8, cols = 8;  ///< of one matrix as it lies in memory (before .trans)
    unsigned element_bytes = 2;
    unsigned registers = 1;  ///< 32-bit registers a lane passes in all

    /// Where the bytes of a register come from (or go to): `pieces` of `piece_bytes` each, low bits first. Piece p
    /// lies at address(source_lane[p]) + byte[p].
    struct Source {
        unsigned pieces = 1, piece_bytes = 4;
        std::uint8_t source_lane[4] = {};
        std::uint8_t byte[4] = {};
    };
    Source source(unsigned lane, unsigned reg) const;
    /// Lanes whose address operand is read: lanes 0 .. count-1.
    unsigned address_lanes() const { return matrices * rows; }
};
Result<MatrixMove> decode_matrix_move(const simt::Details& instruction);

/// movmatrix.sync.aligned.m8n8.trans.b16: transposes the 8x8 matrix held as two b16 per lane. d may not be a.
void run_movmatrix(const std::uint32_t* a, std::uint32_t* d);

}  // namespace warpwright::engine
