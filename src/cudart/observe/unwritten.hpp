// Elements that a copy takes to the host although nothing wrote them: what is padding, who wrote the rest, and the
// finding's text.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cudart/memory/memory_table.hpp"
#include "device/host_sharing.hpp"
#include "record/finding.hpp"

namespace warpwright::cudart {

/// Address and size, in order.
using Stretches = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// Whether these are gaps that a program leaves on purpose: the holes in structures (each smaller than 16 bytes), or
/// the ends of rows (equal ones at equal distances, each smaller than 512 bytes).
bool are_padding(const Stretches& unwritten);

/// The launch that wrote the memory beside them, in the same allocation.
std::optional<record::Writer> writer_beside(device::HostSharing& sharing, const Block& block,
                                            const Stretches& unwritten);

/// The rest of a finding whose allocation is known: message, severity, array. An error where the elements begin exactly
/// where the grid's threads end, at one each; else a warning, because a host may copy a whole buffer and use a part.
void describe_unwritten(record::Finding& found, const Stretches& unwritten, const std::optional<record::Writer>& writer,
                        std::uint64_t copied);

}  // namespace warpwright::cudart
