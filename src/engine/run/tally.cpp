// All counters are integers that are added, so that the sum is the same for any number of threads. What a site caches
// for its own thread is left out.
#include "engine/run/tally.hpp"

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

void Tally::add(const Executor& executor) {
    counters.resize(executor.counters.size());
    sites.resize(executor.sites.size());
    spaces.resize(executor.spaces.size());
    for (std::size_t k = 0; k < counters.size(); ++k) counters[k] += executor.counters[k];
    for (std::size_t k = 0; k < sites.size(); ++k) {
        sites[k].passes += executor.sites[k].passes;
        sites[k].excess += executor.sites[k].excess;
        sites[k].irregular_full += executor.sites[k].irregular_full;
        sites[k].irregular_partial += executor.sites[k].irregular_partial;
        sites[k].linked += executor.sites[k].linked;
        add_to(spaces[k], executor.spaces[k]);
    }
}

}  // namespace warpwright::engine
