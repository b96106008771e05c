// Counts: everything that the emulated GPU counts for one kernel (or one source line of it). record/metrics.inc lists
// them; record/metrics.hpp has their meanings and the derived metrics.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/touched.hpp"

namespace warpwright::record {

/// The counts that are stored. A synonym is the same count under a second name (record/metrics.inc).
enum class Count : unsigned {
#define WARPWRIGHT_COUNT(key, ...) key,
#include "record/metrics.inc"
    size_,
#define WARPWRIGHT_SYNONYM(key, count, meaning) key = count,
#include "record/metrics.inc"
};

inline constexpr unsigned kCounts = static_cast<unsigned>(Count::size_);

/// The key of a count in JSON and CSV.
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

/// The counts of one launch.
struct KernelCounts {
    Counts total;
    std::vector<LineCounts> lines;  ///< sorted by file and line; empty without line information
    Joined joined = {};
    /// Adds what another part of the launch has counted.
    void add(const KernelCounts& other);
};

}  // namespace warpwright::record
