// Whole numbers: running sums, sorting, and the lines and places of entries. Sorts are by digits of 8 bits, from the lowest, and
// keep the order of equal keys; their passes count the digits of tiles, add up the counts, and put each element in its place.
#include "number.cuh"

namespace ww_sparse {

/// The sum of the values of threads before this one; `total` is that of the block.
__device__ inline i64 before(i64 x, i64& total) {
    __shared__ i64 of_warp[kThreads / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    i64 sum = x;
    for (int lanes = 1; lanes < 32; lanes *= 2) {
        const i64 other = __shfl_up_sync(~0u, sum, lanes);
        if (lane >= lanes) sum += other;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    i64 of_others = 0;
    total = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
        if (w < warp) of_others += of_warp[w];
        total += of_warp[w];
    }
    __syncthreads();
    return of_others + sum - x;
}

}  // namespace ww_sparse

using namespace ww_sparse;

/// Each number becomes the sum of those before it in its tile; `sums` has one number for each tile.
WW_KERNEL sparse_scan_tiles(i64* numbers, i64 count, i64* sums) {
    const i64 tile = (i64)blockIdx.x * kTile, each = kTile / kThreads, first = tile + threadIdx.x * each;
    i64 own = 0, all = 0;
    for (i64 k = first; k < first + each && k < count; ++k) own += numbers[k];
    i64 sum = before(own, all);
    for (i64 k = first; k < first + each && k < count; ++k) {
        const i64 x = numbers[k];
        numbers[k] = sum;
        sum += x;
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}
WW_KERNEL sparse_scan_add(i64* numbers, i64 count, const i64* sums) {
    const i64 first = (i64)blockIdx.x * kTile;
    for (i64 k = first + threadIdx.x; k < first + kTile && k < count; k += kThreads) numbers[k] += sums[blockIdx.x];
}

/// How often each digit is in a tile, all tiles of a digit beside each other.
WW_KERNEL sparse_digits(const i64* keys, i64 count, int shift, i64* counts) {
    __shared__ int of_digit[1 << kDigit];
    of_digit[threadIdx.x] = 0;
    __syncthreads();
    const i64 first = (i64)blockIdx.x * kTile;
    for (i64 k = first + threadIdx.x; k < first + kTile && k < count; k += kThreads)
        atomicAdd(&of_digit[keys[k] >> shift & ((1 << kDigit) - 1)], 1);
    __syncthreads();
    counts[(i64)threadIdx.x * gridDim.x + blockIdx.x] = of_digit[threadIdx.x];
}
/// Puts a tile's elements to their places, in their order.
WW_KERNEL sparse_sort_pass(const i64* keys, const unsigned* order, i64 count, int shift, const i64* places, i64* keys_out,
                           unsigned* order_out) {
    __shared__ i64 next[1 << kDigit];
    __shared__ int of_warp[kThreads / 32][1 << kDigit];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    next[threadIdx.x] = places[(i64)threadIdx.x * gridDim.x + blockIdx.x];
    const i64 first = (i64)blockIdx.x * kTile;
    for (i64 part = first; part < first + kTile && part < count; part += kThreads) {
        for (int w = 0; w < kThreads / 32; ++w) of_warp[w][threadIdx.x] = 0;
        __syncthreads();
        const i64 k = part + threadIdx.x;
        const bool is_there = k < count;
        const i64 key = is_there ? keys[k] : 0;
        const int digit = (int)(key >> shift & ((1 << kDigit) - 1));
        unsigned same = __ballot_sync(~0u, is_there);
        for (int bit = 0; bit < kDigit; ++bit) {
            const bool set = digit >> bit & 1;
            const unsigned with = __ballot_sync(~0u, set);
            same &= set ? with : ~with;
        }
        const int rank = __popc(same & ((1u << lane) - 1));
        if (is_there && rank == 0) of_warp[warp][digit] = __popc(same);
        __syncthreads();
        if (is_there) {
            i64 to = next[digit] + rank;
            for (int w = 0; w < warp; ++w) to += of_warp[w][digit];
            keys_out[to] = key;
            order_out[to] = order[k];
        }
        __syncthreads();
        for (int w = 0; w < kThreads / 32; ++w) next[threadIdx.x] += of_warp[w][threadIdx.x];
    }
}

WW_KERNEL sparse_count_up(int* numbers, i64 count) {
    for (i64 k = first_thread(); k < count; k += all_threads()) numbers[k] = (int)k;
}
/// The line of each entry.
WW_KERNEL sparse_lines(Matrix m, Indices lines) {
    for (i64 e = first_thread(); e < m.entries; e += all_threads()) put(lines, e, line_of(m, e));
}
/// Where each line begins, of entries in the order of their lines.
WW_KERNEL sparse_starts(Indices lines, i64 entries, i64 count, Indices starts) {
    for (i64 line = first_thread(); line <= count; line += all_threads()) put(starts, line, below(lines, entries, line));
}
/// The same of sorted keys: a line is a key's part above `bits`.
WW_KERNEL sparse_starts_of_keys(const i64* keys, i64 entries, int bits, i64 count, Indices starts) {
    const Indices all = {const_cast<i64*>(keys), 1, 0};
    for (i64 line = first_thread(); line <= count; line += all_threads()) put(starts, line, below(all, entries, line << bits));
}

/// Keys of entries: their line above `bits` of their place, or their place alone (bits < 0); behind those that are before.
WW_KERNEL sparse_keys(Matrix m, int bits, i64 before, i64* keys, unsigned* order) {
    for (i64 e = first_thread(); e < m.entries; e += all_threads()) {
        const i64 at = number(m.places, e);
        keys[before + e] = bits < 0 ? at : line_of(m, e) << bits | at;
        order[before + e] = (unsigned)(before + e);
    }
}
/// The entries' lines and places from their sorted keys; either may be absent.
WW_KERNEL sparse_of_keys(const i64* keys, i64 count, int bits, Indices lines, Indices places) {
    for (i64 k = first_thread(); k < count; k += all_threads()) {
        if (lines.at) put(lines, k, keys[k] >> bits);
        if (places.at) put(places, k, keys[k] & (((i64)1 << bits) - 1));
    }
}
/// to[k] = from[order[k]], of the line of the entry where there are none (`from` is null).
WW_KERNEL sparse_lines_in_order(Matrix m, const unsigned* order, Indices lines) {
    for (i64 k = first_thread(); k < m.entries; k += all_threads()) put(lines, k, line_of(m, order[k]));
}
WW_KERNEL sparse_numbers_in_order(const int* from, const unsigned* order, i64 count, int* to) {
    for (i64 k = first_thread(); k < count; k += all_threads()) to[k] = from ? from[order[k]] : (int)order[k];
}

/// For each entry of A the number of entries in the line of B that it is multiplied with.
WW_KERNEL sparse_count_products(Matrix a, Matrix b, i64* counts) {
    for (i64 e = first_thread(); e <= a.entries; e += all_threads()) {
        i64 n = 0;
        if (e < a.entries) {
            const i64 line = number(a.places, e);
            n = number(b.starts, line + 1) - number(b.starts, line);
        }
        counts[e] = n;
    }
}
/// The place of each product.
WW_KERNEL sparse_product_keys(Matrix a, Matrix b, const i64* first, i64 count, int bits, i64* keys, unsigned* order) {
    const Indices firsts = {const_cast<i64*>(first), 1, 0};
    for (i64 p = first_thread(); p < count; p += all_threads()) {
        const i64 e = below(firsts, a.entries + 1, p + 1) - 1;
        const i64 of_b = number(b.starts, number(a.places, e)) + p - first[e];
        keys[p] = line_of(a, e) << bits | number(b.places, of_b);
        order[p] = (unsigned)p;
    }
}
/// One for each key that differs from the one before it; then, from their running sum, where each of them is.
WW_KERNEL sparse_heads(const i64* keys, i64 count, i64* flags) {
    for (i64 k = first_thread(); k <= count; k += all_threads()) flags[k] = k < count && (k == 0 || keys[k] != keys[k - 1]);
}
WW_KERNEL sparse_place_heads(const i64* keys, i64 count, const i64* sums, i64* heads, i64* distinct) {
    for (i64 k = first_thread(); k <= count; k += all_threads()) {
        if (k < count && sums[k + 1] == sums[k]) continue;
        heads[sums[k]] = k;
        if (k < count) distinct[sums[k]] = keys[k];
    }
}

/// Counts of lines as wider numbers, with a zero behind them; and from their running sums again.
WW_KERNEL sparse_widen(const int* counts, i64 lines, i64* to) {
    for (i64 line = first_thread(); line <= lines; line += all_threads()) to[line] = line < lines ? counts[line] : 0;
}
WW_KERNEL sparse_differences(const i64* sums, i64 lines, int* counts) {
    for (i64 line = first_thread(); line < lines; line += all_threads()) counts[line] = (int)(sums[line + 1] - sums[line]);
}
