// All follow from the links' latency and one rate.
#include "cudart/state/exchange_times.hpp"

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart::exchange_times {
namespace {

arch::LinkModel links() {
    auto link = Runtime::get().link();
    if (link.access > 0) link.rate = link.access;
    return link;
}

}  // namespace

double sum(unsigned ranks, double bytes) { return arch::ring_sum_seconds(links(), ranks, bytes); }

double gather(unsigned ranks, double bytes_each) { return arch::ring_gather_seconds(links(), ranks, bytes_each); }

double pass(unsigned ranks, double bytes) {
    const auto link = links();
    return ranks < 2 ? 0 : (ranks - 1) * link.latency + (link.rate > 0 ? bytes / link.rate : 0);
}

double send(double bytes) { return pass(2, bytes); }

}  // namespace warpwright::cudart::exchange_times
