// One pass of a Fourier transform, as the planner on the host describes it and the kernel runs it.
//
// A transform of a line of N elements that a block can hold is one pass. A longer line is N = n1 n2 elements in two
// passes (Bailey, "FFTs in external or hierarchical memory", 1990): transforms of n1 elements that lie n2 apart, each
// multiplied with its twiddle factor, and transforms of n2 elements beside each other. A length with a large prime
// factor is a convolution with a chirp (Bluestein, "A linear filtering approach to the computation of the discrete
// Fourier transform", 1970).
#pragma once

namespace ww_fft {

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

template <class T>
struct Complex {
    T x, y;
};

constexpr u32 kThreads = 256;
constexpr u32 kBytes = 16384;    ///< of the elements that a block holds at once
constexpr u32 kMostLines = 128;  ///< of a block
constexpr u32 kDimensions = 5;  ///< over which the lines of a pass run: a batch, two other axes, two within a long line
constexpr u32 kRadices = 12;    ///< of one pass, at most: 2048 is less than 2^12
constexpr u32 kLargestPrime = 61;  ///< among the radices; lengths with larger prime factors are convolutions
constexpr u32 kTwiddleSpan =
    4096;  ///< twiddle factors are products of two roots: one of this many, and a power of this step

/// How many elements a line of one pass may have.
template <class T>
constexpr u32 longest() {
    return kBytes / sizeof(Complex<T>);
}

enum Load : int {
    kLoadComplex,
    kLoadReal,
    kLoadHermitian
};  ///< Hermitian: the first N / 2 + 1 elements give the others
enum Store : int { kStoreComplex, kStoreReal, kStoreHalf };  ///< half: the first N / 2 + 1 elements

/// A dimension over which lines run. Its index moves a line's place in memory, or, within a line that is cut into
/// several, the number of the element with which the part begins.
struct Dimension {
    u64 count;
    i64 in, out;                  ///< places in elements of the memory's type
    i64 in_element, out_element;  ///< numbers of elements of the whole line
};

/// Element e of a line lies at `e * step` behind the line's place. Tables are of complex numbers; a null pointer is
/// none.
struct Pass {
    const void* in;
    void* out;
    const void* roots;        ///< exp(-2 pi i k / length), k < length
    const void* load_table;   ///< element e is multiplied with entry e; from `load_limit` on elements are zero
    const void* store_table;  ///< likewise; elements from `store_limit` on are not stored
    const void* low_roots;    ///< exp(-2 pi i k / N), k < kTwiddleSpan: result k is multiplied with the power k * index
    const void* high_roots;   ///< exp(-2 pi i k kTwiddleSpan / N); index: of the dimension `twiddle_dimension`
    u64 load_limit, store_limit;
    u64 whole_length;  ///< of the whole line, for Load and Store
    u64 lines;
    i64 in_step, out_step;                  ///< between elements of the whole line
    i64 in_element_step, out_element_step;  ///< between elements of the pass, in elements of the whole line
    u32 length, lines_of_block, dimensions, twiddle_dimension, radix_count;
    int load, store, inverse, conjugate_load, conjugate_store;
    int load_across,
        store_across;  ///< neighbouring threads take neighbouring lines, where those lie closer than elements
    u32 radices[kRadices];
    Dimension dimension[kDimensions];
};

}  // namespace ww_fft
