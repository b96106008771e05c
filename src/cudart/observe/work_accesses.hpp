// What a piece of work accessed: ranges of memory, in order and apart from each other, reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cudart/work/stream/stream_order.hpp"
#include "device/host_sharing.hpp"
#include "record/finding.hpp"

namespace warpwright::cudart {

struct AccessRange {
    std::uint64_t at = 0, end = 0;
    std::uint32_t launch = 0, site = 0;  ///< of a kernel: its instruction
    bool strong = false;                 ///< made for other threads to see at any time
    std::uint64_t bytes() const { return end - at; }
};

struct WorkAccesses {
    enum class Kind { kernel, copy, fill, host_function } kind = Kind::kernel;
    IssuedWork by;
    GraphPart part;
    std::string kernel;                                        ///< its name
    std::vector<std::uint32_t> marks;                          ///< of a kernel whose accesses have not been taken yet
    std::uint32_t value = 0;                                   ///< of a fill
    std::vector<std::pair<std::uint64_t, CallStack>> touches;  ///< of a host function: where it accesses what
    std::vector<AccessRange> reads, writes;

    void take(const std::vector<device::LaunchAccess>& accesses);
    /// Makes the ranges ordered and apart.
    void finish();
    /// The first range that overlaps these bytes, and whether it is a write.
    std::optional<std::pair<AccessRange, bool>> in(std::uint64_t at, std::uint64_t bytes) const;
};

/// "the default stream", "stream 3"
std::string stream_text(const Issued& by);
/// The program's line that queued work.
record::FindingPlace call_place(const Issued& by);

/// Where work accesses memory: a kernel's own line, or else the line of the call.
record::FindingPlace place_of(const WorkAccesses& w, const AccessRange& range, bool writes);

/// Whether one of the two certainly precedes the other.
bool are_ordered(const WorkAccesses& a, const WorkAccesses& b);

/// Bytes that two pieces of work access, at least one of them to write.
struct Overlap {
    AccessRange one, other;  ///< the two ranges
    bool one_writes = false, other_writes = false;
    std::uint64_t at = 0, bytes = 0;
};
/// The first one, but for accesses that are made for others to see on both sides. None where the two synchronise
/// through memory themselves: both access a place in that way, and one writes it.
std::optional<Overlap> overlap_of(const WorkAccesses& one, const WorkAccesses& other);

}  // namespace warpwright::cudart
