// All counters are integers that are added, so that the sum is the same for any number of threads. What a site caches
// for its own thread is left out.
#include "engine/run/tally.hpp"

#include <algorithm>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

namespace {

void add_to(SiteSpaces& to, const SiteSpaces& from) {
    to.shared_requests += from.shared_requests;
    to.shared_passes += from.shared_passes;
    to.shared_excess += from.shared_excess;
    to.local_requests += from.local_requests;
    to.local_sectors += from.local_sectors;
    to.lanes_shared += from.lanes_shared;
    to.lanes_local += from.lanes_local;
    to.not_global += from.not_global;
}

}  // namespace

void Tally::add(const Executor& executor) { add(executor.counters, executor.sites, executor.spaces); }

void Tally::add(std::span<const std::uint64_t> of_blocks, std::span<const Site> of_sites,
                std::span<const SiteSpaces> of_spaces) {
    counters.resize(std::max(counters.size(), of_blocks.size()));
    sites.resize(std::max(sites.size(), of_sites.size()));
    spaces.resize(std::max(spaces.size(), of_spaces.size()));
    for (std::size_t k = 0; k < of_blocks.size(); ++k) counters[k] += of_blocks[k];
    for (std::size_t k = 0; k < of_sites.size(); ++k) {
        sites[k].passes += of_sites[k].passes;
        sites[k].excess += of_sites[k].excess;
        sites[k].irregular_full += of_sites[k].irregular_full;
        sites[k].irregular_partial += of_sites[k].irregular_partial;
        sites[k].linked += of_sites[k].linked;
    }
    for (std::size_t k = 0; k < of_spaces.size(); ++k) add_to(spaces[k], of_spaces[k]);
}

}  // namespace warpwright::engine
