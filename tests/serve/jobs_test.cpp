// Of each key the newest job alone; so many at a time; none after the end.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/jobs.hpp"

namespace warpwright::serve {
namespace jobs_test {

/// Holds a job until it is let go.
class Gate {
public:
    void open() {
        std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void arrive() {
        std::unique_lock lock(mutex_);
        arrived_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
    }
    void wait_for_arrival() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return arrived_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = false, arrived_ = false;
};

TEST(Jobs, TheNewestEndsTheOneBefore) {
    Jobs jobs(2, 4);
    Gate gate;
    Jobs::End first{};
    std::atomic<bool> saw = false;
    std::jthread thread([&] {
        first = jobs.run("tab", [&](const std::atomic<bool>& superseded) {
            gate.arrive();
            saw = superseded.load();
        });
    });
    gate.wait_for_arrival();
    EXPECT_EQ(jobs.run("tab", [&](const auto&) { gate.open(); }), Jobs::End::done);
    thread.join();
    EXPECT_EQ(first, Jobs::End::superseded);
    EXPECT_TRUE(saw);
}

TEST(Jobs, OneThatWaitsNeverBeginsWhenANewerComes) {
    Jobs jobs(1, 4);
    Gate gate;
    std::jthread holder([&] { (void)jobs.run("other", [&](const auto&) { gate.arrive(); }); });
    gate.wait_for_arrival();
    std::atomic<int> begun = 0;
    Jobs::End first{}, second{};
    std::jthread one([&] { first = jobs.run("tab", [&](const auto&) { ++begun; }); });
    // The first waits or comes later: in either case only one of the two runs.
    std::jthread two([&] { second = jobs.run("tab", [&](const auto&) { ++begun; }); });
    std::this_thread::yield();
    gate.open();
    one.join();
    two.join();
    EXPECT_GE(begun, 1);
    EXPECT_TRUE(first == Jobs::End::done || second == Jobs::End::done);
}

TEST(Jobs, TakeTheirTurns) {
    Jobs jobs(1, 8);
    Gate gate;
    std::jthread holder([&] { (void)jobs.run("holder", [&](const auto&) { gate.arrive(); }); });
    gate.wait_for_arrival();
    std::string order;
    std::vector<std::jthread> others;
    const auto come = [&](const std::string& name, const std::string& key, std::size_t waiting) {
        others.emplace_back([&, name, key] { (void)jobs.run(key, [&](const auto&) { order += name; }); });
        while (jobs.waiting() != waiting) std::this_thread::yield();
    };
    come("a", "a", 1);
    come("b", "b", 2);
    come("c", "c", 3);
    // The same page again: it has the place of the one that it replaces.
    others.emplace_back([&] { (void)jobs.run("a", [&](const auto&) { order += "A"; }); });
    others[0].join();
    gate.open();
    others.clear();
    EXPECT_EQ(order, "Abc");
}

TEST(Jobs, RefusesMoreThanMayWait) {
    Jobs jobs(1, 0);
    Gate gate;
    std::jthread holder([&] { (void)jobs.run("a", [&](const auto&) { gate.arrive(); }); });
    gate.wait_for_arrival();
    EXPECT_EQ(jobs.run("b", [](const auto&) { FAIL(); }), Jobs::End::refused);
    gate.open();
}

TEST(Jobs, GiveThePlaceToANewerOneWhereAllAreTaken) {
    Jobs jobs(1, 1);
    Gate gate;
    std::jthread holder([&] { (void)jobs.run("holder", [&](const auto&) { gate.arrive(); }); });
    gate.wait_for_arrival();
    Jobs::End first{}, second{};
    std::jthread one([&] { first = jobs.run("a", [](const auto&) { FAIL(); }); });
    while (jobs.waiting() != 1) std::this_thread::yield();
    std::jthread two([&] { second = jobs.run("a", [](const auto&) {}); });
    one.join();
    EXPECT_EQ(jobs.run("b", [](const auto&) { FAIL(); }), Jobs::End::refused);
    gate.open();
    two.join();
    EXPECT_EQ(first, Jobs::End::superseded);
    EXPECT_EQ(second, Jobs::End::done);
}

TEST(Jobs, BeginNoneAfterTheEnd) {
    Jobs jobs(1, 1);
    jobs.stop();
    EXPECT_EQ(jobs.run("a", [](const auto&) { FAIL(); }), Jobs::End::superseded);
}

}  // namespace jobs_test
}  // namespace warpwright::serve
