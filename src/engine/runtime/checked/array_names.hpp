// What the program calls the memory of an access: an element of a shared array, of a module's variable, or of what a
// parameter of the kernel points to. For messages; it takes time, so it is asked for once a finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/shared/executor.hpp"
#include "record/finding.hpp"

namespace warpwright::engine {

/// Of a place in the block's shared memory, by offset; beyond all arrays: the last one, with the element that would be
/// there. Nothing if the kernel has no shared array.
std::optional<record::FindingArray> shared_array(const LaunchShared& launch, std::uint64_t offset,
                                                 const SiteInfo& info);

/// Of a place in device memory that belongs to an allocation, or lies beside it. Nothing if neither a variable of the
/// module nor a parameter of the kernel leads to that allocation.
std::optional<record::FindingArray> global_array(const LaunchShared& launch, std::uint64_t address,
                                                 const Allocation& near, const SiteInfo& info);

/// Of an access at an address that is valid or not, as record::Finding::space has it ("global", "shared", ...).
std::optional<record::FindingArray> array_of(const LaunchShared& launch, std::string_view space, std::uint64_t address,
                                             const std::optional<Allocation>& near, const SiteInfo& info);

/// Whether the kernel's text has a word by which a thread ends before it comes to an instruction: return, exit, ...
/// Nothing where the text is not known.
std::optional<bool> may_end_before(const LaunchShared& launch, const simt::Details* at);

}  // namespace warpwright::engine
