// What a confined child tries, and what becomes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <thread>

#include "common/files.hpp"
#include "confine/confine.hpp"

namespace warpwright::confine {
namespace confine_test {

using testing::HasSubstr;

/// The child's exit code is the number of the error that `call` left, 0 where it succeeded.
template <class Call>
int error_of(Call call, Bounds bounds = {}) {
    auto ended = run(bounds, [&] { return call() ? 0 : errno; });
    EXPECT_TRUE(ended.ok()) << ended.error().text();
    return ended.ok() ? *ended : -1;
}

bool opens(const std::string& path, int how = O_RDONLY) {
    const int file = ::open(path.c_str(), how | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
}

class Confined : public testing::Test {
protected:
    void SetUp() override {
        if (auto ok = supported(); !ok) GTEST_SKIP() << ok.error().text();
    }
};

TEST_F(Confined, reads_only_what_it_was_given) {
    const test::Folder folder;
    const std::string given = folder.write("given", "1"), other = folder.write("other", "2");
    Bounds bounds;
    bounds.read = {given};
    EXPECT_EQ(error_of([&] { return opens(given); }, bounds), 0);
    EXPECT_EQ(error_of([&] { return opens(other); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens("/etc/passwd"); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens(given, O_WRONLY); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return ::truncate(given.c_str(), 0) == 0; }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return ::unlink(other.c_str()) == 0; }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens(folder / "new", O_WRONLY | O_CREAT); }, bounds), EACCES);
}

TEST_F(Confined, does_not_see_what_is_hidden_within) {
    const test::Folder folder;
    std::filesystem::create_directories(folder / "data/course/sum");
    std::filesystem::create_directories(folder / "data/models");
    const std::string solution = folder.write("data/course/sum/reference.cu", "1"),
                      list = folder.write("data/course/course.toml", "2"),
                      model = folder.write("data/models/h100.toml", "3"),
                      mine = folder.write("data/course/sum/mine", "4");
    const std::string link = folder / "data/models/link";
    std::filesystem::create_symlink(solution, link);
    Bounds bounds;
    bounds.read = {folder.string(), mine};
    bounds.hidden = {folder / "data/course/sum", folder / "nothing"};
    EXPECT_EQ(error_of([&] { return opens(solution); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens(link); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens("/proc/self/root" + solution); }, bounds), EACCES);
    EXPECT_EQ(error_of([&] { return opens(folder / "data/models/../course/sum/reference.cu"); }, bounds), EACCES);
    for (const std::string& seen : {list, model, mine})
        EXPECT_EQ(error_of([&] { return opens(seen); }, bounds), 0) << seen;
    bounds.hidden = {folder.string()};
    EXPECT_EQ(error_of([&] { return opens(model); }, bounds), EACCES);
}

TEST_F(Confined, writes_in_a_folder_of_its_own_that_goes) {
    const test::Folder folder;
    const std::string name = folder / "told";
    EXPECT_EQ(error_of([] { return opens(std::string(std::getenv("TMPDIR")) + "/x", O_WRONLY | O_CREAT); }), 0);
    EXPECT_EQ(error_of([] {
                  ::alarm(20);
                  ::signal(SIGXFSZ, SIG_IGN);
                  const int file =
                      ::open((std::string(std::getenv("TMPDIR")) + "/x").c_str(), O_WRONLY | O_CREAT, 0600);
                  return ::lseek(file, off_t{1} << 30, SEEK_SET) >= 0 && ::write(file, "x", 1) == 1;
              }),
              EFBIG);
}

TEST_F(Confined, has_no_network_and_no_other_processes) {
    EXPECT_EQ(error_of([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }), EPERM);
    EXPECT_EQ(error_of([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), EPERM);
    const pid_t parent = ::getpid();
    EXPECT_EQ(error_of([&] { return ::kill(parent, 0) == 0; }), EPERM);
}

TEST_F(Confined, has_no_calls_but_those_of_a_list) {
    EXPECT_EQ(error_of([] { return ::syscall(SYS_inotify_init1, 0) >= 0; }), ENOSYS);
    EXPECT_EQ(error_of([] { return ::syscall(SYS_vmsplice, 1, nullptr, 0, 0) >= 0; }), ENOSYS);
    EXPECT_EQ(error_of([] { return ::syscall(100000) >= 0; }), ENOSYS);
    EXPECT_EQ(error_of([] { return ::syscall(SYS_bpf, 0, nullptr, 0) >= 0; }), EPERM);
}

TEST_F(Confined, starts_nothing_but_threads) {
    EXPECT_EQ(error_of([] { return ::fork() >= 0; }), EPERM);
    EXPECT_EQ(error_of([] { return ::execl("/bin/true", "true", nullptr) == 0; }), EPERM);
    EXPECT_EQ(error_of([] {
                  bool ran = false;
                  std::thread([&] { ran = true; }).join();
                  return ran;
              }),
              0);
}

TEST_F(Confined, starts_given_programs_until_it_is_told) {
    Bounds bounds;
    bounds.read = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
    bounds.programs = {"/bin/true", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};
    const auto runs = [](const char* program) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::execl(program, program, nullptr);
            std::_Exit(77);
        }
        int status = 0;
        return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    };
    EXPECT_EQ(error_of([&] { return runs("/bin/true"); }, bounds), 0);
    EXPECT_NE(error_of([&] { return (errno = 1, runs("/bin/ls")); }, bounds), 0);
    EXPECT_EQ(error_of([&] { return no_more_programs().ok() && runs("/bin/true"); }, bounds), EPERM);
}

TEST_F(Confined, reaches_no_other_process_while_programs_may_be_started) {
    Bounds bounds;
    bounds.programs = {"/bin/true"};
    const pid_t parent = ::getpid();
    rlimit before{}, after{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_NE(error_of([&] { return ::kill(parent, 0) == 0; }, bounds), 0);
    EXPECT_NE(error_of([&] { return ::kill(-1, 0) == 0; }, bounds), 0);
    EXPECT_NE(error_of([&] { return ::syscall(SYS_tgkill, parent, parent, 0) == 0; }, bounds), 0);
    EXPECT_NE(error_of([&] { return ::syscall(SYS_tkill, parent, 0) == 0; }, bounds), 0);
    EXPECT_NE(error_of(
                  [&] {
                      const rlimit none{0, before.rlim_max};
                      return ::prlimit(parent, RLIMIT_NOFILE, &none, nullptr) == 0;
                  },
                  bounds),
              0);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(0, &cores);
    EXPECT_NE(error_of([&] { return ::sched_setaffinity(parent, sizeof cores, &cores) == 0; }, bounds), 0);
    EXPECT_NE(error_of([&] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(parent), 19) == 0; }, bounds), 0);
    // Signals that a file would send.
    EXPECT_NE(error_of([&] { return ::fcntl(1, F_SETOWN, parent) == 0; }, bounds), 0);
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
    EXPECT_EQ(after.rlim_cur, before.rlim_cur);
    // To itself and to what it started it may.
    EXPECT_EQ(error_of([] { return ::kill(0, 0) == 0 && ::kill(::getpid(), 0) == 0; }, bounds), 0);
}

TEST_F(Confined, cannot_stay_when_its_parent_goes_once_it_starts_no_more) {
    Bounds bounds;
    bounds.programs = {"/bin/true"};
    EXPECT_EQ(error_of([] { return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0; }, bounds), 0);
    EXPECT_EQ(error_of([] { return no_more_programs().ok() && ::prctl(PR_SET_PDEATHSIG, 0) == 0; }, bounds), EPERM);
    EXPECT_EQ(error_of([] { return no_more_programs().ok() && ::prctl(PR_SET_NAME, "named") == 0; }, bounds), 0);
}

TEST_F(Confined, what_it_starts_ends_with_it) {
    Bounds bounds;
    bounds.programs = {"/bin/true"};
    // All of a child's group is killed at its end: what is in the group must not get out of it.
    EXPECT_NE(error_of(
                  [] {
                      const pid_t pid = ::fork();
                      if (pid == 0) ::_exit(::setpgid(0, 0) == 0 || ::setsid() >= 0 ? 0 : 1);
                      int status = 0;
                      errno = EPERM;
                      return pid > 0 && ::waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 0;
                  },
                  bounds),
              0);
}

TEST_F(Confined, leaves_the_files_that_are_kept_and_no_others) {
    const test::Folder folder;
    const std::string secret = folder.write("secret", "told"), to = folder / "to";
    Bounds bounds;
    bounds.kept = {{"made", to, true}};
    const auto own = [](const char* name) { return std::string(std::getenv("TMPDIR")) + "/" + name; };
    const auto write = [](const std::string& file) {
        const int at = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
        return at >= 0 && ::write(at, "yes", 3) == 3;
    };
    auto ended = run(bounds, [&] { return write(own("made")) && write(own("other")) ? 0 : 1; });
    ASSERT_TRUE(ended.ok()) << ended.error().text();
    EXPECT_EQ(test::text_of(to), "yes");
    EXPECT_EQ(::access(to.c_str(), X_OK), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "other"));
    std::filesystem::remove(to);
    // Nothing, a link to what it may not read, a pipe, a folder.
    const std::function<bool()> others[] = {[] { return true; },
                                            [&] { return ::symlink(secret.c_str(), own("made").c_str()) == 0; },
                                            [&] { return ::mkdir(own("made").c_str(), 0700) == 0; },
                                            [&] { return ::mkfifo(own("made").c_str(), 0600) == 0 || true; }};
    for (const auto& other : others) {
        ended = run(bounds, [&] { return other() ? 0 : 1; });
        ASSERT_FALSE(ended.ok());
        EXPECT_EQ(ended.error().kind, ErrorKind::input);
        EXPECT_FALSE(std::filesystem::exists(to));
    }
    // What failed leaves nothing.
    ended = run(bounds, [&] { return write(own("made")) ? 7 : 1; });
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(*ended, 7);
    EXPECT_FALSE(std::filesystem::exists(to));
}

TEST_F(Confined, keeps_no_variables_of_others_in_its_memory) {
    ::setenv("SECRET_TOKEN", "hunter2", 1);
    EXPECT_EQ(error_of([] { return (errno = 1, std::getenv("SECRET_TOKEN") == nullptr); }), 0);
    ::unsetenv("SECRET_TOKEN");
}

TEST_F(Confined, ends_at_its_limits) {
    Bounds bounds;
    bounds.memory_bytes = std::uint64_t{1} << 30;
    EXPECT_EQ(error_of(
                  [] {
                      return ::mmap(nullptr, std::size_t{2} << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                             MAP_FAILED;
                  },
                  bounds),
              ENOMEM);
    bounds.output_bytes = 1 << 20;
    auto ended = run(bounds, [] {
        const std::string line(1 << 16, ' ');
        while (::write(1, line.data(), line.size()) > 0) continue;
        return 0;
    });
    ASSERT_FALSE(ended.ok());
    EXPECT_THAT(ended.error().text(), HasSubstr("wrote more than 1 MiB"));
    EXPECT_EQ(ended.error().kind, ErrorKind::limit);
    bounds.seconds = 0.2;
    ended = run(bounds, [] {
        ::pause();
        return 0;
    });
    ASSERT_FALSE(ended.ok());
    EXPECT_THAT(ended.error().text(), HasSubstr("took longer"));
    ended = run({}, [] { return ::raise(SIGSEGV); });
    ASSERT_FALSE(ended.ok());
    EXPECT_THAT(ended.error().text(), HasSubstr("signal 11"));
}

TEST_F(Confined, cannot_fill_the_disk) {
    Bounds bounds;
    bounds.disk_bytes = 8 << 20;
    const auto fills = [&](bool many) {
        return run(bounds, [&] {
            const std::string piece(1 << 20, 'x'), folder = std::getenv("TMPDIR");
            for (int i = 0; i < 1000; ++i) {
                std::ofstream(folder + "/" + std::to_string(many ? i : 0), std::ios::app) << piece;
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
            return 0;
        });
    };
    for (const bool many : {false, true}) {
        auto ended = fills(many);
        ASSERT_FALSE(ended.ok());
        EXPECT_THAT(ended.error().text(), HasSubstr("its files took more than 8 MiB"));
        EXPECT_EQ(ended.error().kind, ErrorKind::limit);
    }
}

TEST_F(Confined, is_held_when_it_has_closed_its_outputs) {
    const auto quiet = [](const std::function<void()>& work) {
        return [&work] {
            for (const int stream : {1, 2}) ::close(stream);
            work();
            return 0;
        };
    };
    Bounds bounds;
    bounds.seconds = 0.2;
    const std::function<void()> waits = [] { ::pause(); };
    auto ended = run(bounds, quiet(waits));
    ASSERT_FALSE(ended.ok());
    EXPECT_THAT(ended.error().text(), HasSubstr("took longer"));
    bounds = {};
    bounds.disk_bytes = 8 << 20;
    const std::function<void()> fills = [] {
        const std::string piece(1 << 20, 'x'), folder = std::getenv("TMPDIR");
        for (int i = 0; i < 1000; ++i) {
            std::ofstream(folder + "/" + std::to_string(i)) << piece;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    };
    ended = run(bounds, quiet(fills));
    ASSERT_FALSE(ended.ok());
    EXPECT_THAT(ended.error().text(), HasSubstr("its files took more than 8 MiB"));
}

}  // namespace confine_test
}  // namespace warpwright::confine
