// warpwright tune and what lab takes of it; sweeps under mpirun. The program as a user starts it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/program.hpp"
#include "record/record.hpp"

namespace warpwright::cli {
namespace tune_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using test::text_of;

class Tune : public testing::Test {
protected:
    struct Outcome : test::Said {
        std::vector<record::Record> records() const {
            auto set = record::from_json(out, "out");
            EXPECT_TRUE(set.ok()) << out << error;
            return set ? set->records : std::vector<record::Record>{};
        }
    };
    /// Through a shell; the user's data folder is one of the test's own.
    Outcome shell(const std::string& before, const std::string& words) const {
        return {test::shell("XDG_DATA_HOME=" + folder.string() + " WARPWRIGHT_LIBCUDA=/nowhere timeout -k 1 240 " +
                            before + " " WARPWRIGHT_PROGRAM " " + words)};
    }
    Outcome program(const std::string& words) const { return shell("", words); }
    fs::path tuned() const { return folder / "warpwright/tuned.toml"; }

    test::Folder folder;
};

constexpr const char* kSpace = "tune picture --rung pixel --size 76x62 --axis BX=8,16,32,64 --axis BY=4,16,32 ";

TEST_F(Tune, the_best_is_kept_and_lab_takes_it) {
    const Outcome t = program(kSpace);
    EXPECT_EQ(t.code, 0) << t.error;
    EXPECT_THAT(t.out, AllOf(HasSubstr("The emulated device has no clock"), HasSubstr("picture pixel  W 76  H 62"),
                             HasSubstr("exhaustive search: 11 of 11 candidates"),
                             HasSubstr("These times are estimates from counts"),
                             HasSubstr("1 of 12 combinations are no candidates: a block of 2048 threads")));
    EXPECT_THAT(t.error, AllOf(HasSubstr("the best is written: "), HasSubstr("tuned.toml")));
    const std::string file = text_of(tuned());
    EXPECT_THAT(file, AllOf(HasSubstr("ladder = \"picture\""), HasSubstr("size = [76, 62]"),
                            HasSubstr("basis = \"predicted\""), HasSubstr("model = \"h200\"")));

    const Outcome lab = program("lab picture --rung pixel,four --size 76x62 --json");
    EXPECT_EQ(lab.code, 0);
    ASSERT_EQ(lab.records().size(), 2u) << "one variant of the tuned rung";
    EXPECT_THAT(lab.error, AllOf(HasSubstr("tuned values of "), HasSubstr("pixel BX="),
                                 HasSubstr("at 76x62 (predicted, exhaustive)"), HasSubstr("--no-tuned")));
    EXPECT_THAT(lab.records()[0].notes, testing::Contains(HasSubstr("is tuned (exhaustive, predicted): ")));

    const Outcome chosen = program("lab picture --rung pixel --size 76x62 --axis BX=8,16 --axis BY=4 --json");
    EXPECT_EQ(chosen.records().size(), 2u);
    EXPECT_THAT(chosen.error, HasSubstr("--axis stands in place of the tuned values of 'pixel'"));
    const Outcome none = program("lab picture --rung pixel --size 76x62 --no-tuned --json");
    EXPECT_EQ(none.records().size(), 8u);
    EXPECT_EQ(none.error, "");
    EXPECT_EQ(program("lab picture --rung pixel --size 75x62 --json").records().size(), 8u) << "another size";
    EXPECT_EQ(program("lab picture --rung pixel --size 76x62 --model v100 --json").records().size(), 8u)
        << "another model";
    EXPECT_THAT(program("history").out, HasSubstr("tune picture"));
}

TEST_F(Tune, history_keeps_what_ran_and_no_command_that_was_refused) {
    EXPECT_EQ(program("lab matmul --page --size 8 --rung nosuch").code, 2);
    EXPECT_EQ(program("lab matmul --size 8 --axis TIEL=8").code, 2);
    EXPECT_EQ(program("tune picture --rung nosuch --size 8x8").code, 2);
    const Outcome nothing = program("history");
    EXPECT_THAT(nothing.out, testing::Not(HasSubstr("nosuch")));
    EXPECT_THAT(nothing.out, testing::Not(HasSubstr("TIEL")));
    EXPECT_EQ(program("lab matmul --size 8 --rung naive").code, 0);
    EXPECT_THAT(program("history").out, HasSubstr("lab matmul --size 8 --rung naive"));
}

TEST_F(Tune, every_search_finds_it_with_the_candidates_that_it_is_given) {
    const std::string space =
        "tune picture --rung pixel --size 76x62 --axis BX=1,2,4,8,16,32,64,128,256 --axis BY=1,2,4,8,16,32 --no-db "
        "--json ";
    const auto best = [](const Outcome& o) {
        double out = 1;
        for (const record::Record& r : o.records())
            if (r.predicted) out = std::min(out, r.predicted->seconds);
        return out;
    };
    const Outcome all = program(space + "--output " + (folder / "all.toml").string());
    EXPECT_EQ(all.records().size(), 48u);
    for (const char* search : {"evolutionary", "model"}) {
        const Outcome o =
            program(space + "--candidates 24 --search " + search + " --output " + (folder / search).string());
        EXPECT_EQ(o.code, 0) << o.error;
        EXPECT_LE(o.records().size(), 24u);
        EXPECT_DOUBLE_EQ(best(o), best(all)) << search;
        const Outcome again =
            program(space + "--candidates 24 --search " + search + " --output " + (folder / search).string());
        ASSERT_EQ(again.records().size(), o.records().size());
        for (std::size_t i = 0; i < o.records().size(); ++i)
            EXPECT_EQ(again.records()[i].axes, o.records()[i].axes) << search;
    }
}

TEST_F(Tune, what_cannot_be_compiled_is_told_and_the_search_goes_on) {
    const Outcome o = program("tune matmul --rung tiled_unrolled --size 32 --axis UNROLL=3,4,16");
    EXPECT_EQ(o.code, 0) << o.error;
    EXPECT_THAT(o.out,
                AllOf(HasSubstr("UNROLL must divide TILE"), HasSubstr("3 of 3 candidates, 1 of them came to nothing")));
    const Outcome none = program("tune matmul --rung tiled_unrolled --size 32 --axis UNROLL=3");
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.error,
                HasSubstr("no candidate of the rung 'tiled_unrolled' at M 32  N 32  K 32 came to a right result"));
}

TEST_F(Tune, wrong_words_are_one_line) {
    const auto error = [&](const std::string& words, int code = 2) {
        const Outcome o = program(words);
        EXPECT_EQ(o.code, code) << words;
        EXPECT_EQ(o.out, "") << words;
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
        return o.error;
    };
    EXPECT_THAT(error("tune"), HasSubstr("which ladder is to be tuned?"));
    EXPECT_THAT(error("tune nothing"), HasSubstr("nothing"));
    EXPECT_THAT(error("tune matmul --search clever"),
                HasSubstr("there is no search 'clever' (exhaustive, random, evolutionary, model)"));
    EXPECT_THAT(error("tune matmul --budget -1"), HasSubstr("the budget must be a number of seconds"));
    EXPECT_THAT(error("tune matmul --budget nan"), HasSubstr("the budget must be a number of seconds"));
    EXPECT_THAT(error("tune matmul --candidates 0"), HasSubstr("--candidates"));
    EXPECT_THAT(error("tune matmul --rung naive"),
                AllOf(HasSubstr("nothing to tune"), HasSubstr("rungs with axes: tiled")));
    EXPECT_THAT(error("tune matmul --rung nothing"), HasSubstr("no rung"));
    EXPECT_THAT(error("tune matmul --axis NOPE=1"), HasSubstr("no axis 'NOPE'"));
    EXPECT_THAT(error("tune matmul --rung tiled --axis TILE=wide"), HasSubstr("no value 'wide'"));
    EXPECT_THAT(error("tune matmul --axis TILE"), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(error("tune matmul --size 1x2"), HasSubstr("size '1x2'"));
    EXPECT_THAT(error("tune matmul --json - --csv -"), HasSubstr("cannot both go to standard output"));
    EXPECT_THAT(error("tune matmul --device tpu"), HasSubstr("no device 'tpu'"));
    EXPECT_THAT(error("tune matmul --device cuda", 3), HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(error("tune matmul --resume --no-db"), HasSubstr("--resume takes results"));
    EXPECT_THAT(error("tune links"), HasSubstr("links"));
}

TEST_F(Tune, a_broken_file_is_one_line_before_anything_runs) {
    const std::string file = (folder / "mine/tuned.toml").string();
    fs::create_directories(folder / "mine");
    const auto with = [&](const std::string& text) { std::ofstream(file) << text; };
    with("schema = 1\n[[best]\n");
    for (const char* words :
         {"lab matmul --rung tiled --size 32 --tuned ", "tune matmul --rung tiled --size 32 --output "}) {
        const Outcome o = program(words + file);
        EXPECT_EQ(o.code, 2) << words;
        EXPECT_EQ(o.out, "");
        EXPECT_THAT(o.error, AllOf(HasSubstr("tuned.toml:2"), HasSubstr("--no-tuned")));
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
    }
    EXPECT_EQ(program("lab matmul --rung tiled --size 32 --no-tuned --json").code, 0);
    const std::string entry =
        "schema = 1\n[[best]]\nladder = \"matmul\"\nrung = \"tiled\"\nsize = [32, 32, 32]\naxes = { TILE = \"VALUE\" "
        "}\ndevice = \"emulated\"\nmodel = \"h200\"\n"
        "seconds = 1e-6\nbasis = \"predicted\"\n";
    std::string wrong = entry;
    with(wrong.replace(wrong.find("VALUE"), 5, "wide"));
    const Outcome o = program("lab matmul --rung tiled --size 32 --tuned " + file);
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.error, AllOf(HasSubstr("tuned.toml:2"), HasSubstr("'TILE' has no value 'wide'"),
                               HasSubstr("warpwright tune matmul --rung tiled")));
    EXPECT_EQ(program("lab matmul --rung naive --size 32 --json --tuned " + file).code, 0) << "it is not of this rung";
    EXPECT_THAT(program("lab matmul --tuned /nowhere/tuned.toml").error, HasSubstr("no such file of tuned values"));
    EXPECT_EQ(program("lab matmul --tuned a.toml --no-tuned").code, 2);
    EXPECT_THAT(program("lab matmul --page --tuned a.toml").error, HasSubstr("--tuned is of a ladder's table"));
    EXPECT_EQ(program("tune matmul --rung tiled --size 32 --output /dev/null/t.toml").code, 2)
        << "it cannot be written there";
}

TEST_F(Tune, the_default_file_is_taken_only_as_this_user_wrote_it) {
    ASSERT_EQ(program("tune picture --rung pixel --size 76x62 --axis BX=8 --axis BY=4").code, 0);
    const std::string lab = "lab picture --rung pixel --size 76x62 --json";
    EXPECT_EQ(program(lab).records().size(), 1u);
    const std::string good = text_of(tuned());
    const auto passed_over = [&](const char* why) {
        const Outcome o = program(lab);
        EXPECT_EQ(o.code, 0) << o.error;
        EXPECT_EQ(o.records().size(), 8u) << why;
        EXPECT_THAT(o.error, AllOf(HasSubstr("tuned values are not taken: "), HasSubstr(why)));
        EXPECT_EQ(std::count(o.error.begin(), o.error.end(), '\n'), 1) << o.error;
    };
    std::string changed = good;
    std::ofstream(tuned()) << changed.replace(changed.find("BX"), 2, "BY");
    passed_over("was not written by `warpwright tune` of this user");
    const Outcome named = program(lab + " --tuned " + tuned().string());
    EXPECT_EQ(named.code, 2) << "a file that is named is read as it stands: BY twice";
    EXPECT_THAT(named.error, HasSubstr("tuned.toml:"));
    std::ofstream(tuned()) << good;
    fs::permissions(tuned(), fs::perms(0666));
    passed_over("may be written by others");
    fs::remove(tuned());
    fs::create_symlink("/dev/zero", tuned());
    passed_over("is a link");
    // The next search keeps what it does not take under another name.
    const Outcome again = program("tune picture --rung pixel --size 76x62 --axis BX=8 --axis BY=4");
    EXPECT_EQ(again.code, 0) << again.error;
    EXPECT_THAT(again.error, HasSubstr("tuned.toml.not-taken-1"));
    EXPECT_EQ(text_of(tuned()).substr(0, 100), good.substr(0, 100));
    EXPECT_EQ(program(lab).records().size(), 1u);
}

/// On a driver that is made up, by kernels of tests/cli/faults.
class TuneFaults : public Tune {
protected:
    Outcome faults(const std::string& words) const {
        return shell("env WARPWRIGHT_LIBCUDA=" WARPWRIGHT_FAKE_LIBCUDA " WARPWRIGHT_NVML=/nowhere",
                     "tune " WARPWRIGHT_SOURCE_DIR "/tests/cli/faults --device cuda --seed 1 --json " + words);
    }
};

TEST_F(TuneFaults, on_a_device_that_a_candidate_breaks_it_goes_on_in_another_process) {
    const Outcome o = faults("--rung shaped,shaped_stray");
    EXPECT_EQ(o.code, 1) << o.error;
    const auto records = o.records();
    ASSERT_EQ(records.size(), 5u) << o.error;
    std::size_t timed = 0, failed = 0;
    for (const record::Record& r : records)
        timed += r.rung == "shaped" && r.time.has_value(), failed += r.rung == "shaped_stray" && r.error.has_value();
    EXPECT_EQ(timed, 3u);
    EXPECT_EQ(failed, 2u);
    EXPECT_THAT(o.error,
                AllOf(HasSubstr("going on in a new one"), HasSubstr("no candidate of the rung 'shaped_stray'")));
    EXPECT_THAT(text_of(tuned()), AllOf(HasSubstr("rung = \"shaped\""), HasSubstr("basis = \"measured\""),
                                        Not(HasSubstr("shaped_stray"))));
}

TEST_F(TuneFaults, ctrl_c_keeps_what_is_done_and_resume_goes_on_from_there) {
    const Outcome o = faults("--rung shaped,shaped_stops");
    EXPECT_EQ(o.code, 130) << o.error;
    EXPECT_EQ(o.records().size(), 3u) << o.error;
    EXPECT_THAT(o.error, AllOf(HasSubstr("the best is written"), HasSubstr("interrupted: 3 candidates are done")));
    EXPECT_THAT(text_of(tuned()), HasSubstr("rung = \"shaped\""));
    const Outcome more = faults("--rung shaped,shaped_stops --resume");
    EXPECT_THAT(more.error, HasSubstr("resuming: 3 records of 1 interrupted run are there"));
    EXPECT_EQ(more.records().size(), 3u);
}

/// Under Open MPI, which the tests' machine may lack.
class Spread : public Tune {
protected:
    void SetUp() override {
        if (std::system("mpirun --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
    }
    Outcome ranks(const std::string& words) const {
        return shell("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2",
                     words);
    }
};

TEST_F(Spread, two_processes_count_what_one_does_and_one_tells) {
    const std::string words = "lab matmul --rung 'naive,tiled,tiled_unrolled' --size 24,32 --device emulated --json ";
    const Outcome alone = program(words + "--no-db"), both = ranks(words);
    ASSERT_EQ(both.code, 0) << both.error;
    const auto a = alone.records(), b = both.records();
    ASSERT_EQ(a.size(), 18u);
    ASSERT_EQ(b.size(), 18u);
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].rung, b[i].rung);
        EXPECT_EQ(a[i].axes, b[i].axes);
        EXPECT_EQ(a[i].counts, b[i].counts) << a[i].rung;
        EXPECT_EQ(a[i].bound, b[i].bound) << a[i].rung;
        EXPECT_EQ(b[i].verified, true);
    }
    EXPECT_THAT(both.error, HasSubstr("18 steps over 2 processes"));
    const Outcome history = program("history --show last --json");
    EXPECT_EQ(history.records().size(), 18u) << "stored once, with the records of both";
}

TEST_F(Spread, an_error_of_one_is_told_once_with_its_rank) {
    const Outcome o =
        ranks("lab matmul --rung tiled_unrolled --axis UNROLL=4,3 --size 32 --device emulated --no-db --json");
    EXPECT_NE(o.code, 0);
    EXPECT_EQ(o.records().size(), 2u);
    const auto at = o.error.find("rank 1, rung 'tiled_unrolled': ");
    ASSERT_NE(at, std::string::npos) << o.error;
    EXPECT_EQ(o.error.find("rung 'tiled_unrolled': ", at + 10), std::string::npos) << o.error;
    const Outcome usage = ranks("lab matmul --axis NOPE=1");
    EXPECT_EQ(usage.code, 2);
    const auto first = usage.error.find("warpwright: error: the ladder 'matmul' has no axis 'NOPE'");
    ASSERT_NE(first, std::string::npos) << usage.error;
    EXPECT_EQ(usage.error.find("NOPE", first + 60), std::string::npos) << "both have it: it is the command's";
    EXPECT_EQ(usage.out, "");
    EXPECT_THAT(ranks("tune matmul").error, HasSubstr("tune runs in one process"));
}

}  // namespace tune_test
}  // namespace warpwright::cli
