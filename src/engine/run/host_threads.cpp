// The threads are oneTBB's, and as many as were asked for even where there are fewer cores. A limit of time is a thread
// that raises the launch's stop flag, which the loops of generated code read.
#include "engine/run/host_threads.hpp"

#include "engine/shared/tracing.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "host/machine.hpp"
#include "support/elapsed.hpp"
#include "support/thread_sanitizer.hpp"

namespace warpwright::engine {

HostThreads::HostThreads(LaunchShared& launch, unsigned count) : count_(count) { make(launch); }

void HostThreads::make(LaunchShared& launch) {
    const auto worker = static_cast<unsigned>(executors_.size());
    executors_.push_back(std::make_unique<Scheduler>(launch));
    executors_.back()->worker = worker;
}

void HostThreads::make_all() {
    while (executors_.size() < count_) make(executors_[0]->launch);
}

void HostThreads::begin_anew(LaunchShared& launch) {
    touched_elsewhere_ = touched_memory();
    latest_clock_ = latest_clock();
    traced_.reset(), executors_.clear();
    make(launch);
}

void HostThreads::on_all(const std::function<void(unsigned)>& each) {
    if (count() == 1) return each(0);
    make_all();
    auto& launch = executors_[0]->launch;
    std::vector<Executor*> all;
    for (const auto& e : executors_) all.push_back(e.get());
    launch.others = &all;
    launch.side_by_side = !launch.check;
    run_all(each);
    launch.side_by_side = false;
    launch.others = nullptr;
    if (launch.failed != ~std::uint64_t{0}) launch.stop = 1;
}

void HostThreads::run_all(const std::function<void(unsigned)>& each) {
#ifdef WARPWRIGHT_THREAD_SANITIZER
    // oneTBB is not instrumented, so that ThreadSanitizer cannot see what it orders: plain threads do the same there.
    std::vector<std::thread> threads;
    for (unsigned w = 0; w < count(); ++w) threads.emplace_back(each, w);
    for (auto& t : threads) t.join();
#else
    // oneTBB runs no more threads than cores that the process may use unless it is told to, and says so: as many as
    // were asked for is what is promised.
    static const unsigned cores = host::usable_cores();
    std::optional<tbb::global_control> more;
    if (count() > cores) more.emplace(tbb::global_control::max_allowed_parallelism, count());
    tbb::task_arena arena(static_cast<int>(count()));
    const auto one = [&](unsigned w) {
        times_.begin();
        each(w);
    };
    arena.execute([&] { tbb::parallel_for(0u, count(), one, tbb::simple_partitioner()); });
#endif
}

void HostThreads::run_traced(LaunchShared& launch) {
    launch.tracing_now = true;
    traced_ = std::make_unique<Scheduler>(launch);
    for (const auto& block : launch.tracing->launch.sample) {
        if (launch.stop) break;
        std::atomic<std::uint64_t> one{block.index};
        traced_->run(one, block.index + 1);
    }
    launch.tracing_now = false;
}

void HostThreads::run_up_to_traced(LaunchShared& launch) {
    launch.tracing_now = true;
    std::atomic<std::uint64_t> next{0};
    const auto end = launch.tracing->end();
    on_all([&](unsigned w) { executors_[w]->run(next, end); });
    launch.tracing_now = false;
}

std::uint64_t HostThreads::latest_clock() const {
    std::uint64_t latest = std::max(latest_clock_, traced_ ? traced_->latest_clock : 0);
    for (const auto& e : executors_) latest = std::max(latest, e->latest_clock);
    return latest;
}

const Scheduler* HostThreads::only() const {
    const bool others = traced_ || executors_.size() != 1 || !elsewhere_.counters.empty();
    return others ? nullptr : executors_[0].get();
}

Tally HostThreads::tally() const {
    Tally sum;
    for (const auto& e : executors_) sum.add(*e);
    if (traced_) sum.add(*traced_);
    sum.add(elsewhere_.counters, elsewhere_.sites, elsewhere_.spaces);
    return sum;
}

void HostThreads::add(const BlocksDone& done) {
    elsewhere_.add(done.counters, done.sites, done.spaces);
    touched_elsewhere_.add(done.touched);
}

record::Touched HostThreads::touched() const {
    const auto* one = only();
    return one && touched_elsewhere_.empty() ? one->touched.sum() : touched_memory().sum();
}

TouchedMemory HostThreads::touched_memory() const {
    TouchedMemory sum = touched_elsewhere_;
    for (const auto& e : executors_) sum.add(e->touched);
    if (traced_) sum.add(traced_->touched);
    return sum;
}

bool TimeLimit::wait(const ThreadTimes* times, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + (times ? limit * kClockToProcessor : limit);
    std::unique_lock lock(mutex_);
    for (auto left = limit;;) {
        if (ended_.wait_for(lock, left, [this] { return over_; })) return false;
        const double used = times ? times->most() : 0;
        if (!times || used * 1000 >= static_cast<double>(limit.count()) || std::chrono::steady_clock::now() >= end)
            return true;
        left = time_left(limit, used);
    }
}

TimeLimit::TimeLimit(LaunchShared& launch, HostThreads& threads, std::chrono::milliseconds limit, bool of_processor) {
    if (limit.count() <= 0) return;
    threads.begin_time();
    const ThreadTimes* times = of_processor ? &threads.times() : nullptr;
    watch_ = std::thread([this, &launch, times, limit] {
        if (!wait(times, limit)) return;
        launch.timed_out = true;
        launch.stop = 1;
    });
}

TimeLimit::~TimeLimit() {
    if (!watch_.joinable()) return;
    {
        std::lock_guard lock(mutex_);
        over_ = true;
    }
    ended_.notify_all();
    watch_.join();
}

}  // namespace warpwright::engine
