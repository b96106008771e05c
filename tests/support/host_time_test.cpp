// Where time goes, without a device: threads' work and places of code by their tables.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "support/host_time.hpp"

namespace warpwright::host_time {
namespace host_time_test {

double processor() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Uses so much processor time.
void work(double seconds) {
    const double end = processor() + seconds;
    while (processor() < end) {
    }
}

double seconds_of(const Summary& s, Work w) { return s.seconds[static_cast<std::size_t>(w)]; }

/// In a process of its own, with the setting: the answer is the exit code.
int in_a_process(int (*body)()) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("WARPWRIGHT_PROFILE_EMULATOR", "1", 1);
        std::_Exit(body());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HostTime, IsOffUnlessAskedFor) {
    if (std::getenv("WARPWRIGHT_PROFILE_EMULATOR")) GTEST_SKIP();
    EXPECT_EQ(in_a_process([] {
                  ::unsetenv("WARPWRIGHT_PROFILE_EMULATOR");
                  const In compiling(Work::compiling);
                  return on() || summary().processor_seconds != 0 ? 1 : 0;
              }),
              0);
}

TEST(HostTime, WorkWithinWorkIsToldApart) {
    EXPECT_EQ(in_a_process([] {
                  {
                      const In compiling(Work::compiling);
                      work(0.05);
                      const In copies(Work::copies);
                      work(0.02);
                  }
                  const auto s = summary();
                  if (seconds_of(s, Work::compiling) < 0.05) return 1;
                  if (seconds_of(s, Work::copies) < 0.02) return 2;
                  double all = 0;
                  for (const double one : s.seconds) all += one;
                  if (all > 1.001 * s.processor_seconds || all < 0.999 * s.processor_seconds) return 3;
                  return s.samples == 0 ? 0 : 4;
              }),
              0);
}

/// Code for which a sample stands: this very function, as its table says.
TEST(HostTime, SamplesBelongToThePlaceInCode) {
    EXPECT_EQ(in_a_process([] {
                  auto code = std::make_unique<Code>();
                  code->kernel = "k";
                  const auto begin = reinterpret_cast<std::uint64_t>(&processor) & ~std::uint64_t{0xfffff};
                  code->places = {{begin, 12, Work::gathers, false}, {begin + 0x200000, 0, Work::arithmetic, true}};
                  code->sources[12] = {"k.cu", 5};
                  if (!on()) return 1;
                  add_code(std::move(code));
                  {
                      const In blocks(Work::blocks);
                      const OnCodeStack stack(__builtin_frame_address(0));
                      volatile double x = 1;
                      for (const double end = processor() + 0.1; processor() < end;)
                          for (int k = 0; k < 100000; ++k) x = x * 1.0000001;
                  }
                  const auto s = summary();
                  if (s.samples < 5) return 2;
                  if (s.lines.empty()) return 3;
                  const auto& line = s.lines[0];
                  if (line.kernel != "k" || line.file != "k.cu" || line.line != 5 || line.work != Work::gathers)
                      return 4;
                  return seconds_of(s, Work::gathers) > 0.05 ? 0 : 5;
              }),
              0);
}

}  // namespace host_time_test
}  // namespace warpwright::host_time
