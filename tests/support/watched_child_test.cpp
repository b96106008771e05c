#include "support/watched_child.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace warpwright {
namespace watched_child_test {

Start shell(const std::string& text) {
    Start start;
    start.words = {"/bin/sh", "-c", text};
    start.environment = {"PATH=/usr/bin:/bin"};
    start.group = false;
    start.end_signal = SIGTERM;
    return start;
}

TEST(WatchedChild, StatusAndSignals) {
    bool started = false;
    auto ended = run_watched(shell("exit 7"), [&] { started = true; });
    ASSERT_TRUE(ended);
    EXPECT_TRUE(started);
    EXPECT_TRUE(WIFEXITED(*ended) && WEXITSTATUS(*ended) == 7) << *ended;
    ended = run_watched(shell("kill -USR1 $$"));
    ASSERT_TRUE(ended);
    EXPECT_TRUE(WIFSIGNALED(*ended) && WTERMSIG(*ended) == SIGUSR1) << *ended;
}

TEST(WatchedChild, OneThatIsNotThereSaysWhy) {
    Start start;
    start.words = {"/nothing/of/this/name"};
    const auto ended = run_watched(start);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().what, "No such file or directory");
}

TEST(WatchedChild, EndsWhereEndsOfChildrenAreIgnored) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    const auto ended = run_watched(shell("exit 7"));
    ::signal(SIGCHLD, before);
    ASSERT_TRUE(ended);
    EXPECT_TRUE(WIFEXITED(*ended)) << *ended;
    EXPECT_NE(WEXITSTATUS(*ended), 0) << *ended;
}

// The shell starts two others, one of which leaves its parent and ignores SIGTERM; all three go with the runner.
TEST(WatchedChild, WhatItsProgramStartedEndsWithAKilledRunner) {
    Pipe said;
    ASSERT_TRUE(said.open());
    const pid_t runner = ::fork();
    if (runner == 0) {
        auto start = shell("sleep 1000 & echo $!; (trap '' TERM; sleep 1000 & echo $!); echo $$; wait");
        start.output = said.write;
        (void)run_watched(start);
        ::_exit(0);
    }
    Pipe::shut(said.write);
    std::string text;
    char byte = 0;
    int lines = 0;
    for (; lines < 3 && ::read(said.read, &byte, 1) == 1; lines += byte == '\n') text += byte;
    EXPECT_EQ(lines, 3) << text;
    ::kill(runner, SIGKILL);
    ::waitpid(runner, nullptr, 0);
    // Each of them holds an end of the pipe until it is gone.
    pollfd end{said.read, POLLIN, 0};
    constexpr int kLongest = 20000;
    EXPECT_EQ(::poll(&end, 1, kLongest), 1) << text;
    EXPECT_EQ(::read(said.read, &byte, 1), 0) << text;
}

}  // namespace watched_child_test
}  // namespace warpwright
