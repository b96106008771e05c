// The same decisions for work on the host: repeats until a sample is longer than the clock's steps, and stops when the
// samples agree or the time is over.
#include "measure/host_sample.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace warpwright::measure {

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<double> sample(const std::function<void()>& work, const SampleOptions& options, const Clock& clock) {
    double before = clock();
    work();
    double first = clock() - before;
    std::uint64_t repeat = 1;
    if (first < options.shortest)
        repeat = static_cast<std::uint64_t>(std::ceil(options.shortest / std::max(first, 1e-9)));

    std::vector<double> samples;
    double begin = clock();
    while (samples.size() < options.max_samples) {
        double start = clock();
        for (std::uint64_t i = 0; i < repeat; ++i) work();
        double end = clock(), one = (end - start) / static_cast<double>(repeat);
        if (end - start < options.shortest / 2 && repeat < (std::uint64_t{1} << 30)) {
            repeat *= 2;  // the first run was slow for other reasons
            continue;
        }
        samples.push_back(one);
        double spent = end - begin;
        if (spent >= options.max_seconds && (samples.size() >= 3 || one >= options.max_seconds)) break;
        if (samples.size() >= options.min_samples && spent >= options.min_seconds &&
            summarise(samples).spread <= options.noise)
            break;
    }
    return samples;
}

}  // namespace warpwright::measure
