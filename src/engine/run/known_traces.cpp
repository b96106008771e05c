// The key holds everything itself and no hash of it, so that two launches with one key have one trace.
#include "engine/run/known_traces.hpp"

#include <algorithm>
#include <iterator>

#include "engine/shared/executor.hpp"

namespace warpwright::engine {

namespace {

template <class T>
std::size_t bytes_in(const std::vector<T>& v) {
    return sizeof v + v.capacity() * sizeof(T);
}

std::size_t bytes_of(const machine::LaunchTrace& trace) {
    std::size_t bytes = sizeof trace + bytes_in(trace.work) + bytes_in(trace.areas);
    for (const auto& block : trace.sample) {
        bytes += sizeof block + bytes_in(block.sectors);
        for (const auto& warp : block.warps) bytes += sizeof warp + bytes_in(warp.events);
        for (const auto& of_code : block.examples)
            for (const auto& example : of_code) bytes += sizeof example + bytes_in(example.at);
    }
    return bytes;
}

}  // namespace

bool KnownTraces::may_know(const LaunchRequest& request) {
    return !request.explicit_cluster && request.config.cluster.count() <= 1 && request.sample_error <= 0 &&
           request.options.timeout.count() == 0;
}

bool KnownTraces::is_known(const KernelCode& code) {
    return code.course_known && !code.takes_turns && !code.times_itself && !code.reads_clock;
}

std::string KnownTraces::key_of(const LaunchRequest& request, const TracePlaces& places) {
    const auto& config = request.config;
    const auto& options = request.options;
    std::string key;
    const auto add = [&](std::uint64_t word) { key.append(reinterpret_cast<const char*>(&word), sizeof word); };
    for (const auto& extent : {config.grid, config.block, config.offset}) add(extent.x), add(extent.y), add(extent.z);
    add(config.dimensions), add(config.dynamic_shared), add(config.cooperative);
    add(options.trace.multiprocessors), add(options.trace.blocks);
    add(options.device), add(options.reach), add(options.graph), add(options.per_line);
    add(request.parameters.size());
    key.append(reinterpret_cast<const char*>(request.parameters.data()), request.parameters.size());
    for (const auto& a : places.areas()) add(a.first), add(a.sectors), add(a.loose), add(a.behind), add(a.whole);
    return key;
}

std::shared_ptr<const machine::LaunchTrace> KnownTraces::find(const std::shared_ptr<KernelCode>& code,
                                                              const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [&](const Known& k) { return k.key == key && k.code.lock() == code; });
    if (found == known_.end()) return nullptr;
    std::rotate(found, std::next(found), known_.end());
    return known_.back().trace;
}

void KnownTraces::keep(const std::shared_ptr<KernelCode>& code, std::string key,
                       std::shared_ptr<const machine::LaunchTrace> trace) {
    const std::size_t bytes = bytes_of(*trace) + key.capacity();
    if (bytes > kMostBytes) return;
    std::lock_guard lock(mutex_);
    for (auto k = known_.begin(); k != known_.end();) {
        const auto of = k->code.lock();
        const bool stale = !of || (of == code && k->key == key);
        if (stale) bytes_ -= k->bytes;
        k = stale ? known_.erase(k) : std::next(k);
    }
    known_.push_back({code, std::move(key), std::move(trace), bytes});
    bytes_ += bytes;
    while (bytes_ > kMostBytes || known_.size() > kMost) bytes_ -= known_.front().bytes, known_.pop_front();
}

}  // namespace warpwright::engine
