// Fourier transforms of lines that a block holds in shared memory: Stockham's order, in which results of each radix lie
// where the next one reads them, so that nothing is put in bit-reversed order (Van Loan, "Computational frameworks for
// the fast Fourier transform", 1992, section 1.7).
#include "butterflies.cuh"
#include "pass.cuh"

using namespace ww_fft;

namespace {

/// Where the lines of a block begin.
struct Lines {
    i64 in[kMostLines], out[kMostLines], in_element[kMostLines], out_element[kMostLines];
    u64 twiddle[kMostLines];
};

__device__ void place_lines(const Pass& p, u64 first, u32 count, Lines& lines) {
    for (u32 l = threadIdx.x; l < count; l += kThreads) {
        u64 rest = first + l, twiddle = 0;
        i64 in = 0, out = 0, in_element = 0, out_element = 0;
        for (u32 d = 0; d < p.dimensions; ++d) {
            const Dimension& dimension = p.dimension[d];
            const u64 next = rest / dimension.count;
            const i64 index = (i64)(rest - next * dimension.count);
            rest = next;
            in += index * dimension.in;
            out += index * dimension.out;
            in_element += index * dimension.in_element;
            out_element += index * dimension.out_element;
            if (d == p.twiddle_dimension) twiddle = (u64)index;
        }
        lines.in[l] = in;
        lines.out[l] = out;
        lines.in_element[l] = in_element;
        lines.out_element[l] = out_element;
        lines.twiddle[l] = twiddle;
    }
}

template <class T>
__device__ Complex<T> load_element(const Pass& p, i64 place, i64 e) {
    using C = Complex<T>;
    if (p.load_table && (u64)e >= p.load_limit) return {0, 0};
    const bool mirrored = p.load == kLoadHermitian && (u64)e > p.whole_length / 2;
    const i64 at = place + (mirrored ? (i64)p.whole_length - e : e) * p.in_step;
    C value;
    if (p.load == kLoadReal)
        value = {((const T*)p.in)[at], 0};
    else
        value = ((const C*)p.in)[at];
    if (mirrored) value.y = -value.y;
    if (p.load_table) value = value * conjugate_if(p.conjugate_load, ((const C*)p.load_table)[e]);
    return value;
}

template <class T>
__device__ void store_element(const Pass& p, i64 place, i64 e, u64 turns, Complex<T> value) {
    using C = Complex<T>;
    if (p.low_roots) {
        const C low = ((const C*)p.low_roots)[turns % kTwiddleSpan],
                high = ((const C*)p.high_roots)[turns / kTwiddleSpan];
        value = value * conjugate_if(p.inverse, low * high);
    }
    if (p.store_table) {
        if ((u64)e >= p.store_limit) return;
        value = value * conjugate_if(p.conjugate_store, ((const C*)p.store_table)[e]);
    }
    if (p.store == kStoreHalf && (u64)e > p.whole_length / 2) return;
    const i64 at = place + e * p.out_step;
    if (p.store == kStoreReal)
        ((T*)p.out)[at] = value.x;
    else
        ((C*)p.out)[at] = value;
}

/// All butterflies of one radix, from one buffer of shared memory to the other.
template <class T>
__device__ void run_radix(const Pass& p, u32 radix, u32 done, u32 lines, u32 pitch, const Complex<T>* from,
                          Complex<T>* to) {
    const u32 each = p.length / radix;
    const Roots<T> roots{(const Complex<T>*)p.roots, p.length, p.inverse};
    for (u32 i = threadIdx.x; i < lines * each; i += kThreads) {
        const u32 line = i / each, b = i - line * each;
        const Place place{b, b % done, done, each};
        const Complex<T>* x = from + line * pitch;
        Complex<T>* y = to + line * pitch;
        switch (radix) {
            case 2:
                butterfly<2>(x, y, place, roots);
                break;
            case 3:
                butterfly<3>(x, y, place, roots);
                break;
            case 4:
                butterfly<4>(x, y, place, roots);
                break;
            case 5:
                butterfly<5>(x, y, place, roots);
                break;
            case 7:
                butterfly<7>(x, y, place, roots);
                break;
            case 8:
                butterfly<8>(x, y, place, roots);
                break;
            default:
                butterfly_of_any(radix, x, y, place, roots);
        }
    }
}

template <class T>
__device__ void run_pass(const Pass& p) {
    __shared__ Complex<T> buffers[2][longest<T>() + kMostLines];
    __shared__ Lines lines;
    const u64 first = (u64)blockIdx.x * p.lines_of_block;
    const u32 count = (u32)(p.lines - first < p.lines_of_block ? p.lines - first : p.lines_of_block);
    const u32 all = count * p.length, pitch = p.length + 1;
    place_lines(p, first, count, lines);
    __syncthreads();
    for (u32 i = threadIdx.x; i < all; i += kThreads) {
        const u32 line = p.load_across ? i % count : i / p.length, j = p.load_across ? i / count : i % p.length;
        buffers[0][line * pitch + j] =
            load_element<T>(p, lines.in[line], lines.in_element[line] + j * p.in_element_step);
    }
    u32 now = 0, done = 1;
    for (u32 r = 0; r < p.radix_count; ++r) {
        __syncthreads();
        run_radix<T>(p, p.radices[r], done, count, pitch, buffers[now], buffers[1 - now]);
        done *= p.radices[r];
        now = 1 - now;
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < all; i += kThreads) {
        const u32 line = p.store_across ? i % count : i / p.length, k = p.store_across ? i / count : i % p.length;
        store_element<T>(p, lines.out[line], lines.out_element[line] + k * p.out_element_step, lines.twiddle[line] * k,
                         buffers[now][line * pitch + k]);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) fft_pass_float(const __grid_constant__ Pass pass) {
    run_pass<float>(pass);
}
extern "C" __global__ void __launch_bounds__(kThreads) fft_pass_double(const __grid_constant__ Pass pass) {
    run_pass<double>(pass);
}
