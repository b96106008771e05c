// A constant holds the choice for the whole process: the builds are listed from the portable one to the widest, the CPU
// is asked which of them it can run, and the last of these is taken.
#include "counters/kernels.hpp"

namespace warpwright::counters {

unsigned runnable_kernels(Kernels out[kMostKernels]) {
    unsigned n = 0;
    out[n++] = {base::distinct_in_full_warp, base::distinct_in_part_of_warp, base::distinct_words_by_eight,
                base::passes_of_a_warp,      base::passes_of_wide_addresses, base::atomic_sectors,
                base::same_distances};
#ifdef WARPWRIGHT_HAS_AVX2_KERNELS
    __builtin_cpu_init();
    // What they are compiled for; a virtual machine may have less.
    if (!__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
        return n;
    if (__builtin_cpu_supports("avx2"))
        out[n++] = {avx2::distinct_in_full_warp, avx2::distinct_in_part_of_warp, avx2::distinct_words_by_eight,
                    avx2::passes_of_a_warp,      avx2::passes_of_wide_addresses, avx2::atomic_sectors,
                    avx2::same_distances};
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        out[n++] = {avx512::distinct_in_full_warp, avx512::distinct_in_part_of_warp, avx512::distinct_words_by_eight,
                    avx512::passes_of_a_warp,      avx512::passes_of_wide_addresses, avx512::atomic_sectors,
                    avx512::same_distances};
#endif
    return n;
}

namespace {
Kernels best_kernels() {
    Kernels all[kMostKernels];
    return all[runnable_kernels(all) - 1];
}
}  // namespace

const Kernels kKernels = best_kernels();

}  // namespace warpwright::counters
