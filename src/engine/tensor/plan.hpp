// The tables for a matrix form: which fragment element holds which matrix element, and the code that runs it. Internal
// to src/engine/tensor.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

using MmaKernel = void (*)(const MmaForm&, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                           std::uint32_t* d, const std::uint32_t* metadata);

/// Which words of the fragments belong to each tile of 16 rows and 8 columns (tiles_avx512.hpp).
struct TileWords {
    std::vector<std::array<std::uint8_t, 4>> a;     ///< by rows
    std::vector<std::array<std::uint8_t, 2>> b;     ///< by columns
    std::vector<std::array<std::uint8_t, 4>> c, d;  ///< by rows, then by columns
};

/// A fragment element is numbered (word * per_word + position in the word) * 32 + lane; f64: register * 32 + lane.
struct MmaPlan {
    unsigned products = 1;  ///< independent products a warp computes (m8n8k4 on f16: 4)
    unsigned stored_k = 0;  ///< columns of A as stored (sparse: k / 2)
    unsigned group_k = 0;   ///< stored products that are added before the sum is rounded
    RegisterCounts counts;
    std::vector<std::uint16_t> a;  ///< [product][row][stored column] -> fragment element
    /// In b, c and d the columns of each block of 8 have the order 0 2 4 6 1 3 5 7, in which a row of an accumulator is
    /// two runs of four lanes; the order of columns does not matter for sums over k.
    std::vector<std::uint16_t> b;  ///< [product][k][column]
    std::vector<std::uint16_t> c;  ///< [product][row][column]; elements of C (numbering by C's type)
    std::vector<std::uint16_t> d;
    bool runs = false;                 ///< c and d really consist of such runs
    std::vector<std::uint16_t> order;  ///< stored columns in the order of their groups
    TileWords tiles;                   ///< none: the product is not made of such tiles
    MmaKernel kernel = nullptr;
};

/// Builds or finds the plan of a form whose other fields are set. nullptr: no such form.
const MmaPlan* plan_of(const MmaForm& form);

/// The tiles of a plan whose other fields are set.
TileWords tiles_of(const MmaForm& form, const MmaPlan& plan);

/// Bits of an element type in a fragment (tf32: 32).
unsigned fragment_bits(simt::Type type);

/// Where fragment element `index` of word `word` in `lane` belongs; operand 'a', 'b', 'c' or 'd'. For a sparse A the
/// column is that of the compressed matrix. `product` is set for m8n8k4 on f16, else 0.
Element place(const MmaForm& form, char operand, unsigned lane, unsigned word, unsigned index, unsigned* product);

/// Words per lane of an operand.
unsigned operand_words(const MmaForm& form, char operand);

/// The lane and the lowest bit of the 4-bit index pair of chunk q of a row; `lanes` lanes of a quad hold metadata.
void metadata_place(const MmaForm& form, unsigned lanes, unsigned row, unsigned q, unsigned* lane, unsigned* bit);

/// For a sparse form: the column of A that stored column s of `row` stands for. `columns` is [m][stored_k].
void sparse_columns(const MmaForm& form, const std::uint32_t* metadata, std::uint8_t* columns);

void run_float_mma(const MmaForm&, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                   const std::uint32_t*);
void run_f64_mma(const MmaForm&, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                 const std::uint32_t*);
void run_integer_mma(const MmaForm&, const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                     const std::uint32_t*);

/// Without code for this CPU's own instructions (the results are the same; tests show it).
void use_portable_sums(bool portable);
void use_portable_exact_loops(bool portable);

}  // namespace warpwright::engine
