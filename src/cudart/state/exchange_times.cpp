// All follow from the links' latency, one rate and what a kernel takes at least.
#include "cudart/state/exchange_times.hpp"

#include "cudart/state/runtime.hpp"

namespace warpwright::cudart::exchange_times {
namespace {

/// What the library's kernel takes beside its steps over the links: NCCL 2.28 between two H200 takes 18.5 to 21.4 us
/// for 1 KiB of each kind of exchange, of which the model's links have 1.7 to 3.4.
constexpr double kKernelSeconds = 17e-6;
double with_kernel(unsigned ranks, double seconds) { return ranks < 2 ? 0 : kKernelSeconds + seconds; }

arch::LinkModel links() {
    auto link = Runtime::get().link();
    if (link.access > 0) link.rate = link.access;
    return link;
}

}  // namespace

double sum(unsigned ranks, double bytes) { return with_kernel(ranks, arch::ring_sum_seconds(links(), ranks, bytes)); }

double gather(unsigned ranks, double bytes_each) {
    return with_kernel(ranks, arch::ring_gather_seconds(links(), ranks, bytes_each));
}

double pass(unsigned ranks, double bytes) {
    const auto link = links();
    return with_kernel(ranks, (ranks - 1) * link.latency + (link.rate > 0 ? bytes / link.rate : 0));
}

double send(double bytes) { return pass(2, bytes); }

double kernel() { return kKernelSeconds; }

}  // namespace warpwright::cudart::exchange_times
