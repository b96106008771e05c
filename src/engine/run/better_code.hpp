// Large kernels begin with host code that is quick to make. What is better takes several times as long to make, and is
// made in the background once a kernel has run for so long that it pays; whoever runs the kernel takes it from then on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace warpwright::engine {

/// One kernel's quick code: how long it has run, and what to do when that is enough.
class BetterCodeJob {
    friend class BetterCode;
    std::function<void()> make;
    double after = 0;  ///< seconds
    double ran = 0;
    unsigned running = 0;
    bool taken = false;
};

class BetterCode {
public:
    using Job = BetterCodeJob;

    ~BetterCode() { stop(); }
    /// `make` is called once, on a thread of this object's, when the job's launches have run for `after` seconds.
    std::shared_ptr<Job> add(double after, std::function<void()> make);
    /// Gives a job that has not been taken other work, for which its launches are to run for `after` seconds from now;
    /// infinity: none for the time being. False: it has been taken, or there is none.
    bool change(const std::shared_ptr<Job>& job, double after, std::function<void()> make);
    /// Jobs that wait are forgotten; one that is being made is waited for.
    void stop();

    /// While it lives, the job's kernel runs. The job may be null.
    class Running {
    public:
        Running(BetterCode& jobs, std::shared_ptr<Job> job);
        ~Running();
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        BetterCode& jobs_;
        std::shared_ptr<Job> job_;
    };

private:
    void work();
    /// Adds the time that has passed to the jobs that run. One whose time has come; null: none yet.
    std::shared_ptr<Job> due(double passed);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<Job>> jobs_;
    std::thread thread_;
    bool stopped_ = false;
};

}  // namespace warpwright::engine
