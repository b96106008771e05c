// Other programs run within limits of time, output and memory.
#include <gtest/gtest.h>

#include <csignal>

#include "compile/process.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace {

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
    settings.file_bytes = 1 << 20;
    const TemporaryFolder folder("process");
    auto wrote = run_process(
        {"/bin/sh", "-c", "sleep 0.2; head -c 3000000 /dev/zero > \"$1\"", "sh", folder.path() + "/long"}, settings);
    ASSERT_TRUE(wrote.ok());
    EXPECT_TRUE(wrote->exit_code != 0 || wrote->signal != 0);
}

}  // namespace
}  // namespace warpwright::compile
