// Describes what is wrong with a lane's access, in the same words if it ends the launch and if a checker records
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/shared/executor.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {

/// "0x7f00"
std::string hex_text(std::uint64_t x);
/// "1 byte", "4 bytes"
std::string bytes_text(std::uint64_t n);
/// "load", "store", "atomic", "asynchronous copy"
const char* access_name(const SiteInfo& info);
/// Whether the accesses of a site change memory.
inline bool writes(const SiteInfo& info) { return info.kind != SiteInfo::Kind::load; }

struct WrongAccess {
    Cause cause = Cause::out_of_bounds;
    record::FindingKind kind = record::FindingKind::out_of_bounds;
    const char* space = "global";  ///< "global", "shared", "local", "constant"
    std::string access;            ///< "store of 4 bytes"
    std::string what;              ///< "out-of-bounds global store of 4 bytes at 0x7f00"
    std::string where;             ///< ": 4 bytes past the end of an allocation of 64 bytes"; may be empty
    std::string advice;            ///< what to do; empty: what the kind advises
    bool far = false;              ///< no memory of the device is near
    std::optional<Allocation> near;
    std::optional<record::FindingArray> array;

    std::string message() const { return what + where; }
    /// Fills the members of a finding that the access decides; its thread is known.
    void put_into(record::Finding& found, std::uint64_t address, std::uint64_t bytes) const;
};
/// Says of an access far from the device's memory that it hit the host's own.
void in_host_memory(WrongAccess& wrong);

/// " (s[128])", for a message; empty where no name is known.
std::string in_brackets(const std::optional<record::FindingArray>& array);
/// The end of a sentence about an access to another device's memory that the launch does not reach.
std::string not_reached(const LaunchShared& launch, const Allocation& there);

/// Describes an access of `bytes` that is known to be wrong: misaligned, outside the memory that the thread may access,
/// or a store to read-only memory. `space` is the one in which the address lies.
WrongAccess wrong_access(const BlockContext* c, const WarpFrame* f, const SiteInfo& info, simt::Space space,
                         std::uint64_t address, unsigned bytes);

/// What kind of finding it is, without the time that its description takes: threads repeat what is wrong.
record::FindingKind wrong_kind(const BlockContext* c, const SiteInfo& info, simt::Space space, std::uint64_t address,
                               unsigned bytes);

/// Takes note of an access past an allocation's end that the device's memory tolerates. The launch goes on.
void note_past_end(BlockContext* c, const WarpFrame* f, const SiteInfo& info, std::uint64_t address,
                   std::uint64_t bytes, unsigned lane);

/// Ends the launch with such an access as its error.
void access_fault(BlockContext* c, WarpFrame* f, const SiteInfo& info, simt::Space space, std::uint64_t address,
                  unsigned bytes, unsigned lane);

}  // namespace warpwright::engine
