// Counts: everything the emulated GPU counts for one kernel (or one source line of it).
// One list; every printer, the bound model and the tests derive their keys from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::record {

// X(key): warp-level unless the name says thread. Definitions: docs/counters.md.
// "*_bank_conflicts" are wavefronts beyond one per group of lanes served apart (as hardware counts);
// "*_excess_wavefronts" are the same ones, under the name that says what to make of them.
#define WARPWRIGHT_COUNTS(X)          \
    X(instructions)                   \
    X(thread_instructions)            \
    X(branches)                       \
    X(divergent_branches)             \
    X(barriers)                       \
    X(global_load_requests)           \
    X(global_load_sectors)            \
    X(global_store_requests)          \
    X(global_store_sectors)           \
    X(global_atomic_requests)         \
    X(global_atomic_sectors)          \
    X(local_load_requests)            \
    X(local_load_sectors)             \
    X(local_store_requests)           \
    X(local_store_sectors)            \
    X(shared_load_requests)           \
    X(shared_load_wavefronts)         \
    X(shared_load_bank_conflicts)     \
    X(shared_load_excess_wavefronts)  \
    X(shared_store_requests)          \
    X(shared_store_wavefronts)        \
    X(shared_store_bank_conflicts)    \
    X(shared_store_excess_wavefronts) \
    X(shared_atomic_requests)         \
    X(shared_atomic_wavefronts)       \
    X(shared_atomic_bank_conflicts)   \
    X(global_bytes_requested)         \
    X(shared_bytes_requested)         \
    X(flops)                          \
    X(flops_f16)                      \
    X(flops_f32)                      \
    X(flops_f64)                      \
    X(flops_tensor)                   \
    X(mix_fp32)                       \
    X(mix_fp64)                       \
    X(mix_fp16)                       \
    X(mix_integer)                    \
    X(mix_special)                    \
    X(mix_convert)                    \
    X(mix_tensor)                     \
    X(mix_memory)                     \
    X(mix_warp)                       \
    X(mix_control)                    \
    X(mix_move)

enum class Count : unsigned {
#define WARPWRIGHT_COUNT_ENUM(key) key,
    WARPWRIGHT_COUNTS(WARPWRIGHT_COUNT_ENUM)
#undef WARPWRIGHT_COUNT_ENUM
        size_
};

inline constexpr unsigned kCounts = static_cast<unsigned>(Count::size_);

/// The key of a count, as it stands in JSON and CSV.
std::string_view count_key(Count count);

struct Counts {
    std::array<std::uint64_t, kCounts> values{};

    std::uint64_t& operator[](Count c) { return values[static_cast<unsigned>(c)]; }
    std::uint64_t operator[](Count c) const { return values[static_cast<unsigned>(c)]; }
    Counts& operator+=(const Counts& other) {
        for (unsigned i = 0; i < kCounts; ++i) values[i] += other.values[i];
        return *this;
    }
    bool operator==(const Counts&) const = default;
};

/// Counts of one source line (file and line from the kernel's debug information).
struct LineCounts {
    std::string file;
    unsigned line = 0;
    Counts counts;
};

/// What one launch counted.
struct KernelCounts {
    Counts total;
    std::vector<LineCounts> lines;  ///< sorted by file and line; empty without line information
};

}  // namespace warpwright::record
