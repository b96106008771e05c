// The inner loops of this room in all their builds, and the choice between them. Private to this room.
#pragma once

#include <cstdint>

namespace warpwright::counters {

inline constexpr unsigned kWarp = 32;

/// Passes over the banks, and the groups of lanes that were served apart (each takes at least one pass).
struct Passes {
    unsigned passes;
    unsigned groups;
};

/// The largest address that passes_of_a_warp() takes: its words fit 16 bits with a value to spare.
inline constexpr std::uint32_t kMostSharedAddress = 0x3FFFB;

/// The value that the distinct_* kernels return when the values are too far apart for them.
inline constexpr unsigned kSpreadTooFar = 0;

#define WARPWRIGHT_KERNEL_DECLARATIONS                                                                              \
    /* Distinct values of addresses[i] >> shift, over 32 lanes. */                                                  \
    unsigned distinct_in_full_warp(const std::uint64_t* addresses, unsigned shift);                                 \
    /* The same over the lanes of mask, which is not 0. */                                                          \
    unsigned distinct_in_part_of_warp(const std::uint64_t* addresses, std::uint64_t mask, unsigned shift);          \
    /* Distinct words among each eight lanes, summed; only the lanes of mask. Words are below 2^30. */              \
    unsigned distinct_words_by_eight(const std::uint32_t* words, std::uint32_t mask);                               \
    /* Passes over 32 banks of 4 bytes; addresses below 256 KiB - 4, mask not 0. */                                 \
    Passes passes_of_a_warp(const std::uint32_t* addresses, std::uint32_t mask, unsigned bytes, bool repeats_count, \
                            bool may_join);                                                                         \
    /* The same of 64-bit addresses in a window, of which the low halves count; false where this CPU has no quick   \
       way, or a lane's is too large. */                                                                            \
    bool passes_of_wide_addresses(const std::uint64_t* addresses, std::uint64_t window, std::uint32_t mask,         \
                                  unsigned bytes, bool repeats_count, bool may_join, Passes& passes);               \
    /* Whether the lanes of mask lie as far behind `base` as distances[] has it. */                                 \
    bool same_distances(const std::uint64_t* addresses, std::uint64_t base, std::uint32_t mask,                     \
                        const std::uint64_t* distances);                                                            \
    /* global_atomic_sectors() of a warp, mask not 0; kSpreadTooFar also where this CPU has no quick way. */        \
    unsigned atomic_sectors(const std::uint64_t* addresses, std::uint32_t mask);

namespace base {
WARPWRIGHT_KERNEL_DECLARATIONS
}
#ifdef WARPWRIGHT_HAS_AVX2_KERNELS
namespace avx2 {
WARPWRIGHT_KERNEL_DECLARATIONS
}
namespace avx512 {
WARPWRIGHT_KERNEL_DECLARATIONS
}
#endif
#undef WARPWRIGHT_KERNEL_DECLARATIONS

struct Kernels {
    decltype(&base::distinct_in_full_warp) distinct_in_full_warp;
    decltype(&base::distinct_in_part_of_warp) distinct_in_part_of_warp;
    decltype(&base::distinct_words_by_eight) distinct_words_by_eight;
    decltype(&base::passes_of_a_warp) passes_of_a_warp;
    decltype(&base::passes_of_wide_addresses) passes_of_wide_addresses;
    decltype(&base::atomic_sectors) atomic_sectors;
    decltype(&base::same_distances) same_distances;
};

/// The builds that this CPU can run, the portable one first.
inline constexpr unsigned kMostKernels = 3;
unsigned runnable_kernels(Kernels out[kMostKernels]);

/// The best one, chosen when the program starts.
extern const Kernels kKernels;

}  // namespace warpwright::counters
