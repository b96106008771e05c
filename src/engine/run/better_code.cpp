// One thread looks at short intervals at which kernels run. It credits them with no more time than the process had a
// processor, so that a busy machine does not make a kernel look long.
#include "engine/run/better_code.hpp"

#include <algorithm>
#include <ctime>

namespace warpwright::engine {

namespace {

/// How often the time that kernels run is looked at.
constexpr auto kStep = std::chrono::milliseconds(20);

/// Seconds of processor time that this process has had.
double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::shared_ptr<BetterCode::Job> BetterCode::add(double after, std::function<void()> make) {
    auto job = std::make_shared<Job>();
    job->after = after;
    job->make = std::move(make);
    std::lock_guard lock(mutex_);
    if (stopped_) return job;
    jobs_.push_back(job);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    return job;
}

bool BetterCode::change(const std::shared_ptr<Job>& job, double after, std::function<void()> make) {
    if (!job) return false;
    std::lock_guard lock(mutex_);
    if (job->taken) return false;
    job->after = after;
    job->ran = 0;
    job->make = std::move(make);
    return true;
}

void BetterCode::stop() {
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        jobs_.clear();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

BetterCode::Running::Running(BetterCode& jobs, std::shared_ptr<Job> job) : jobs_(jobs), job_(std::move(job)) {
    if (!job_) return;
    {
        std::lock_guard lock(jobs_.mutex_);
        if (job_->taken) {
            job_.reset();
            return;
        }
        ++job_->running;
    }
    jobs_.changed_.notify_all();
}

BetterCode::Running::~Running() {
    if (!job_) return;
    std::lock_guard lock(jobs_.mutex_);
    --job_->running;
}

std::shared_ptr<BetterCode::Job> BetterCode::due(double passed) {
    for (const auto& job : jobs_)
        if (job->running) job->ran += passed;
    const auto at = std::find_if(jobs_.begin(), jobs_.end(),
                                 [](const auto& job) { return job->running && job->ran >= job->after; });
    if (at == jobs_.end()) return nullptr;
    auto job = *at;
    job->taken = true;
    jobs_.erase(at);
    return job;
}

void BetterCode::work() {
    using Clock = std::chrono::steady_clock;
    const auto runs = [&] { return std::any_of(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->running; }); };
    std::unique_lock lock(mutex_);
    while (!stopped_) {
        changed_.wait(lock, [&] { return stopped_ || runs(); });
        const auto from = Clock::now();
        const double had = processor_seconds();
        changed_.wait_for(lock, kStep, [&] { return stopped_; });
        if (stopped_) return;
        // On a busy machine a kernel has run no longer than this process had a processor.
        const double passed = std::chrono::duration<double>(Clock::now() - from).count();
        const auto job = due(std::min(passed, processor_seconds() - had));
        if (!job) continue;
        lock.unlock();
        job->make();
        job->make = nullptr;
        lock.lock();
    }
}

}  // namespace warpwright::engine
