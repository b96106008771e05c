// A sweep on a device whose kernels fail, hang, or do not fit: from outside, over a driver that is made up.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/program.hpp"
#include "record/record.hpp"

namespace warpwright::cli {
namespace faults_test {

using testing::HasSubstr;

struct Outcome {
    int code;
    std::string error;
    std::vector<record::Record> records;
    std::string incomplete;
    const record::Record* find(const std::string& rung, std::int64_t n = 1024) const {
        for (const record::Record& r : records)
            if (r.rung == rung && r.axes.front().text() == std::to_string(n)) return &r;
        return nullptr;
    }
};

/// 124: it had to be ended.
Outcome sweep(const std::string& words) {
    const test::Said said = test::shell("WARPWRIGHT_LIBCUDA=" WARPWRIGHT_FAKE_LIBCUDA
                                        " WARPWRIGHT_NVML=/nowhere timeout -k 1 120 " WARPWRIGHT_PROGRAM
                                        " lab " WARPWRIGHT_SOURCE_DIR "/tests/cli/faults --device cuda --json " +
                                        words);
    Outcome o{said.code, said.error, {}, {}};
    if (auto set = record::from_json(said.out, "out")) o.records = set->records, o.incomplete = set->incomplete;
    return o;
}

TEST(Faults, a_sweep_goes_on_after_a_fault_with_what_was_measured_before) {
    const Outcome o = sweep("--rung fine,stray,again --size 1024,2048");
    EXPECT_EQ(o.code, 1) << o.error;
    ASSERT_EQ(o.records.size(), 6u) << o.error;
    for (std::int64_t n : {1024, 2048}) {
        for (const char* rung : {"fine", "again"}) {
            ASSERT_TRUE(o.find(rung, n)) << rung;
            EXPECT_TRUE(o.find(rung, n)->time) << o.find(rung, n)->error.value_or("");
            EXPECT_FALSE(o.find(rung, n)->error) << *o.find(rung, n)->error;
        }
        ASSERT_TRUE(o.find("stray", n));
        EXPECT_THAT(o.find("stray", n)->error.value_or(""), HasSubstr("illegal address"));
    }
    EXPECT_THAT(o.error, HasSubstr("rung 'stray': kernel 'stray'"));
    EXPECT_THAT(o.error, HasSubstr("going on in a new one"));
    EXPECT_EQ(o.find("again")->speedup.has_value(), true) << "compared with what the first process measured";
}

TEST(Faults, a_kernel_that_does_not_end_neither_ends_the_sweep_nor_hangs_the_program) {
    const Outcome o = sweep("--rung fine,hangs,last --timeout 0.5");
    EXPECT_EQ(o.code, 1) << o.error;
    ASSERT_EQ(o.records.size(), 3u) << o.error;
    EXPECT_TRUE(o.find("fine")->time);
    EXPECT_TRUE(o.find("last")->time) << o.error;
    EXPECT_THAT(o.find("hangs")->error.value_or(""), HasSubstr("still running after 500 ms"));
    const Outcome last = sweep("--rung hangs --timeout 0.5");
    EXPECT_EQ(last.code, 1) << last.error;
    EXPECT_EQ(last.records.size(), 1u);
}

TEST(Faults, sizes_that_do_not_fit_are_said_of_their_rungs_alone) {
    const Outcome o = sweep("--rung fine,again --size 1024,2^29,2^45");
    EXPECT_EQ(o.code, 2) << o.error;
    ASSERT_EQ(o.records.size(), 6u) << o.error;
    EXPECT_TRUE(o.find("fine")->time && o.find("again")->time);
    EXPECT_THAT(o.find("again", std::int64_t{1} << 29)->error.value_or(""), HasSubstr("out of device memory"));
    EXPECT_THAT(o.find("fine", std::int64_t{1} << 45)->error.value_or(""), HasSubstr("over 1 TiB"));
    EXPECT_THAT(o.error, testing::Not(HasSubstr("going on")));
}

TEST(Faults, a_size_that_no_rung_can_take_is_one_error) {
    const Outcome o = sweep("--size 2^45");
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(o.records.empty());
    EXPECT_THAT(o.error, HasSubstr("over 1 TiB"));
}

TEST(Faults, ctrl_c_ends_a_sweep_after_the_step_at_work_and_gives_what_there_is) {
    const Outcome o = sweep("--rung fine,stops,never --no-time");
    EXPECT_EQ(o.code, 130) << o.error;
    ASSERT_EQ(o.records.size(), 2u) << o.error;
    EXPECT_TRUE(o.find("fine") && o.find("stops"));
    EXPECT_THAT(o.error, HasSubstr("interrupted: 2 of 3 steps are done, the others are missing"));
    EXPECT_EQ(o.incomplete, "stopped after 2 of 3 steps");
}

TEST(Faults, ctrl_c_ends_a_page_with_what_has_run) {
    const Outcome o = sweep("--rung fine,stops,never --no-time --page");
    EXPECT_EQ(o.code, 130) << o.error;
    EXPECT_THAT(o.error, HasSubstr("interrupted: the page has only what had run until then"));
}

TEST(Faults, an_interrupted_sweep_is_resumed_where_it_was_stopped) {
    const test::Folder folder;
    const std::string words = "--rung fine,stops,never --no-time --db " + (folder / "resume.db").string();
    EXPECT_EQ(sweep(words).code, 130);
    Outcome o = sweep(words + " --resume");
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.error, HasSubstr("resuming: 2 records of 1 interrupted run are there"));
    EXPECT_EQ(o.incomplete, "");
    ASSERT_EQ(o.records.size(), 3u) << o.error;
    EXPECT_TRUE(o.find("fine") && o.find("stops") && o.find("never"));
    // That run is complete: there is nothing to go on with, and the user stops the next one again.
    o = sweep(words + " --resume");
    EXPECT_EQ(o.code, 130) << o.error;
    EXPECT_THAT(o.error, HasSubstr("nothing to resume"));
    EXPECT_EQ(sweep("--rung fine --no-db --resume").code, 2);
}

TEST(Faults, clocks_that_are_not_watched_are_a_note_and_the_option_of_the_program_itself_is_none_of_the_users) {
    const Outcome o = sweep("--rung fine");
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.error, HasSubstr("clocks and throttling of cuda:0 are not watched"));
    EXPECT_EQ(sweep("--rung fine --go-on 1:0:0:/nowhere").code, 2);
}

}  // namespace faults_test
}  // namespace warpwright::cli
