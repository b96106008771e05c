// Other programs run within limits of time, output and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "compile/process.hpp"
#include "support/early_end.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace process_test {

TEST(Process, OutputAndExitCode) {
    auto ran = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->output, "out\n");
    EXPECT_EQ(ran->errors, "err\n");
    EXPECT_EQ(ran->exit_code, 3);
    EXPECT_FALSE(ran->timed_out);
    EXPECT_EQ(run_process({"/no/such/program"}).error().kind, ErrorKind::no_device);
}

TEST(Process, OneThatDoesNotEndIsKilled) {
    ProcessSettings settings;
    settings.seconds = 0.1;
    // With its outputs open, and with them closed.
    for (const char* script : {"exec sleep 1000", "exec >&- 2>&-; exec sleep 1000"}) {
        auto ran = run_process({"/bin/sh", "-c", script}, settings);
        ASSERT_TRUE(ran.ok()) << ran.error().text();
        EXPECT_TRUE(ran->timed_out) << script;
        EXPECT_EQ(ran->signal, SIGKILL) << script;
    }
}

TEST(Process, EndlessOutputIsCut) {
    ProcessSettings settings;
    settings.output_bytes = 1000;
    auto ran = run_process({"/bin/sh", "-c", "head -c 3000000 /dev/zero; echo e >&2"}, settings);
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_EQ(ran->output.size(), 1000u);
    EXPECT_EQ(ran->errors, "e\n");
    EXPECT_EQ(ran->exit_code, 0);
}

TEST(Process, FilesAndVariablesAreLimited) {
    ProcessSettings settings;
    settings.without = {"WARPWRIGHT_PROCESS_TEST"};
    ::setenv("WARPWRIGHT_PROCESS_TEST", "there", 1);
    auto ran = run_process({"/bin/sh", "-c", "echo \"<$WARPWRIGHT_PROCESS_TEST>\""}, settings);
    ::unsetenv("WARPWRIGHT_PROCESS_TEST");
    ASSERT_TRUE(ran.ok());
    EXPECT_EQ(ran->output, "<>\n");
    settings.without = {}, settings.with = {"WARPWRIGHT_PROCESS_TEST=other"};
    ::setenv("WARPWRIGHT_PROCESS_TEST", "there", 1);
    ran = run_process({"/usr/bin/env"}, settings);
    ::unsetenv("WARPWRIGHT_PROCESS_TEST");
    ASSERT_TRUE(ran.ok());
    EXPECT_THAT(ran->output, testing::HasSubstr("WARPWRIGHT_PROCESS_TEST=other\n"));
    EXPECT_THAT(ran->output, testing::Not(testing::HasSubstr("WARPWRIGHT_PROCESS_TEST=there")));
    settings.file_bytes = 1 << 20;
    const TemporaryFolder folder("process");
    auto wrote = run_process(
        {"/bin/sh", "-c", "sleep 0.2; head -c 3000000 /dev/zero > \"$1\"", "sh", folder.path() + "/long"}, settings);
    ASSERT_TRUE(wrote.ok());
    EXPECT_TRUE(wrote->exit_code != 0 || wrote->signal != 0);
}

/// The number that a script wrote into a file, as soon as it is there.
pid_t number_in(const std::string& file) {
    pid_t pid = 0;
    for (int k = 0; k < 500 && !(std::ifstream(file) >> pid); ++k) ::poll(nullptr, 0, 10);
    return pid;
}
/// Whether a process ends within some seconds. One that nobody has waited for yet has ended too.
bool ends(pid_t pid) {
    for (int k = 0; k < 500; ++k) {
        std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
        std::string number, name, state;
        if (!(status >> number >> name >> state) || state == "Z" || state == "X") return true;
        ::poll(nullptr, 0, 10);
    }
    return false;
}

TEST(Process, WhatItHasStartedEndsWithIt) {
    const TemporaryFolder folder("process");
    const std::string file = folder.path() + "/pid";
    ProcessSettings settings;
    settings.seconds = 0.5;
    auto ran = run_process({"/bin/sh", "-c", "sleep 1000 & echo $! > \"$1\"; wait", "sh", file}, settings);
    ASSERT_TRUE(ran.ok());
    EXPECT_TRUE(ran->timed_out);
    const pid_t pid = number_in(file);
    ASSERT_GT(pid, 0);
    EXPECT_TRUE(ends(pid));
}

TEST(Process, ItEndsWithWhoStartedIt) {
    // By a signal that nobody can handle, and by one that ends a program.
    for (const int signal : {SIGKILL, SIGTERM}) {
        const TemporaryFolder folder("process");
        const std::string file = folder.path() + "/pid";
        const pid_t parent = ::fork();
        ASSERT_GE(parent, 0);
        if (parent == 0) {
            early_end::forget();
            early_end::on_signals();
            const TemporaryFolder own("process-own");
            std::ofstream(folder.path() + "/own") << own.path() << std::endl;
            (void)run_process({"/bin/sh", "-c", "echo $$ > \"$1\"; exec sleep 1000", "sh", file});
            ::_exit(0);
        }
        const pid_t pid = number_in(file);
        ASSERT_GT(pid, 0);
        ::kill(parent, signal);
        int status = 0;
        ASSERT_EQ(::waitpid(parent, &status, 0), parent);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
        EXPECT_TRUE(ends(pid)) << signal;
        std::string own;
        std::ifstream(folder.path() + "/own") >> own;
        ASSERT_NE(own, "");
        // The folder goes at once, or with the next program that makes one.
        EXPECT_EQ(std::filesystem::exists(own), signal == SIGKILL);
        remove_left_folders(-1);
        EXPECT_FALSE(std::filesystem::exists(own));
        EXPECT_TRUE(std::filesystem::exists(folder.path())) << "somebody has this one";
    }
}

TEST(Process, ProcessorTimeIsLimitedThoughNobodyWaits) {
    Start start;
    start.words = {"/bin/sh", "-c", "while :; do :; done"};
    start.processor_seconds = 1;
    auto child = Child::start(start);
    ASSERT_TRUE(child.ok());
    const int status = child->wait();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGXCPU);
}

}  // namespace process_test
}  // namespace warpwright::compile
