// A sweep of the program on a real GPU: what becomes of it when a kernel faults, or does not end.
// WARPWRIGHT_TEST_PROGRAM and WARPWRIGHT_TEST_FAULTS say where the program and the ladder of tests/cli/faults are,
// where they were moved.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/program.hpp"
#include "record/record.hpp"

namespace warpwright {
namespace sweep_test {

using testing::HasSubstr;

std::string place(const char* variable, const char* usual) {
    const char* own = std::getenv(variable);
    return own && *own ? own : usual;
}

struct Outcome {
    int code;
    std::string error;
    std::vector<record::Record> records;
    const record::Record& of(const std::string& rung) const {
        static const record::Record none;
        for (const record::Record& r : records)
            if (r.rung == rung) return r;
        ADD_FAILURE() << "no record of " << rung << ": " << error;
        return none;
    }
};

Outcome sweep(const std::string& words) {
    const test::Said said = test::shell(
        "timeout -k 1 100 " + place("WARPWRIGHT_TEST_PROGRAM", WARPWRIGHT_PROGRAM) + " lab " +
        place("WARPWRIGHT_TEST_FAULTS", WARPWRIGHT_SOURCE_DIR "/tests/cli/faults") + " --device cuda --json " + words);
    Outcome o{said.code, said.error, {}};
    if (auto set = record::from_json(said.out, "out")) o.records = set->records;
    return o;
}

TEST(GpuSweep, goes_on_after_a_fault) {
    const Outcome o = sweep("--rung fine,stray,again");
    EXPECT_EQ(o.code, 1) << o.error;
    EXPECT_TRUE(o.of("fine").time);
    EXPECT_EQ(o.of("fine").time->cache, "cold");
    EXPECT_THAT(o.of("stray").error.value_or(""), HasSubstr("kernel 'stray'"));
    EXPECT_TRUE(o.of("again").time) << o.error;
}

TEST(GpuSweep, goes_on_after_a_kernel_that_does_not_end) {
    const Outcome o = sweep("--rung fine,hangs,last --timeout 2");
    EXPECT_EQ(o.code, 1) << o.error;
    EXPECT_TRUE(o.of("fine").time);
    EXPECT_THAT(o.of("hangs").error.value_or(""), HasSubstr("still running after 2000 ms"));
    EXPECT_TRUE(o.of("last").time) << o.error;
}

TEST(GpuSweep, ends_after_a_kernel_that_does_not) {
    const Outcome o = sweep("--rung hangs --timeout 2");
    EXPECT_EQ(o.code, 1) << o.error;
    EXPECT_EQ(o.records.size(), 1u);
}

}  // namespace sweep_test
}  // namespace warpwright
