// What the host threads of a launch counted, added up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/shared/abi.hpp"

namespace warpwright::engine {

struct Executor;

/// Counters by block of the code, and what each site met. Sums of integers: they depend on no order.
struct Tally {
    std::vector<std::uint64_t> counters;
    std::vector<Site> sites;  ///< of these only `passes` and `excess`
    std::vector<SiteSpaces> spaces;

    void add(const Executor& executor);
    void add(std::span<const std::uint64_t> of_blocks, std::span<const Site> of_sites,
             std::span<const SiteSpaces> of_spaces);
};

}  // namespace warpwright::engine
