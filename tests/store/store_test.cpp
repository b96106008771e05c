// Results that are kept: nothing that `add` took is lost, damage is set aside and said, errors name the file.
#include "store/store.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace warpwright::store {
namespace {

namespace fs = std::filesystem;

class StoreTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("ww_store_" + std::to_string(getpid()) + "_" +
                                               ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string file() const { return (folder_ / "deep" / "results.db").string(); }

    static record::Record record(const std::string& experiment, const std::string& rung, double seconds) {
        record::Record r;
        r.experiment = experiment;
        r.rung = rung;
        r.device = "cuda:0";
        r.axes = {{"n", std::int64_t{1024}}, {"T", std::string("f32")}};
        r.time = record::Time{seconds, seconds * 0.9, 0.01, 9};
        r.counts.emplace();
        (*r.counts)[record::Count::instructions] = 77;
        return r;
    }
    static record::Environment environment() {
        record::Environment e;
        e.version = "1";
        e.device = "cuda:0";
        e.model = "h200";
        return e;
    }

    fs::path folder_;
};

TEST_F(StoreTest, a_run_comes_back_as_it_was) {
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_FALSE(store->set_aside());
    auto run = store->begin("warpwright lab reduce", "before", environment());
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(store->add(*run, record("reduce", "tree", 2)).ok());
    ASSERT_TRUE(store->add(*run, record("reduce", "vector", 1)).ok());
    record::RecordSet set{environment(), {record("reduce", "tree", 2), record("reduce", "vector", 1)}};
    set.records[1].speedup = record::Speedup{2.0, {}, {}};
    ASSERT_TRUE(store->settle(*run, set, true).ok());
    auto back = store->load(*run);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(record::to_json(*back), record::to_json(set));
    auto found = store->find("before");
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->complete);
    EXPECT_EQ(found->experiments, std::vector<std::string>{"reduce"});
    EXPECT_EQ(found->records, 2u);
}

TEST_F(StoreTest, runs_are_found_by_number_label_and_place) {
    auto store = Store::open(file());
    ASSERT_TRUE(store);
    std::vector<std::int64_t> ids;
    for (const char* experiment : {"reduce", "matmul", "reduce"}) {
        auto run = store->begin("c", "", environment());
        ASSERT_TRUE(run);
        ids.push_back(*run);
        ASSERT_TRUE(store->add(*run, record(experiment, "r", 1)).ok());
    }
    EXPECT_EQ(store->find("last")->id, ids[2]);
    EXPECT_EQ(store->find("last~1")->id, ids[1]);
    EXPECT_EQ(store->find("last~1", "reduce")->id, ids[0]);
    EXPECT_EQ(store->find(std::to_string(ids[1]))->id, ids[1]);
    EXPECT_FALSE(store->find("last")->complete);
    for (const char* wrong : {"last~3", "last~", "999", "nobody", ""}) {
        auto none = store->find(wrong);
        ASSERT_FALSE(none) << wrong;
        EXPECT_EQ(none.error().kind, ErrorKind::usage);
    }
    ASSERT_TRUE(store->remove(ids[2]).ok());
    EXPECT_EQ(store->find("last")->id, ids[1]);
    EXPECT_EQ(store->runs("reduce")->size(), 1u);
    EXPECT_FALSE(store->remove(ids[2]).ok());
}

TEST_F(StoreTest, a_killed_program_loses_nothing_that_was_added) {
    fs::create_directories(fs::path(file()).parent_path());
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        auto store = Store::open(file());
        auto run = store->begin("c", "killed", environment());
        for (int i = 0; i < 5; ++i)
            if (!store->add(*run, record("reduce", "r" + std::to_string(i), 1)).ok()) _exit(1);
        (void)!write(ready[1], "x", 1);
        for (;;) pause();
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    auto run = store->find("killed");
    ASSERT_TRUE(run);
    EXPECT_FALSE(run->complete);
    EXPECT_EQ(store->load(run->id)->records.size(), 5u);
}

TEST_F(StoreTest, a_damaged_database_is_kept_aside_and_a_new_one_started) {
    fs::create_directories(fs::path(file()).parent_path());
    const std::string rubbish = "this is no database, and was somebody's work";
    std::ofstream(file()) << rubbish;
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    ASSERT_TRUE(store->set_aside());
    std::ifstream kept(*store->set_aside());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), rubbish);
    ASSERT_TRUE(store->begin("c", "", environment()).ok());
}

TEST_F(StoreTest, pages_overwritten_with_noise_are_noticed_when_it_is_opened) {
    {
        auto store = Store::open(file());
        auto run = store->begin("c", "", environment());
        for (int i = 0; i < 200; ++i) ASSERT_TRUE(store->add(*run, record("reduce", std::string(200, 'x'), 1)).ok());
    }
    {
        std::fstream f(file(), std::ios::in | std::ios::out | std::ios::binary);
        f.seekp(5 * 4096);
        for (int i = 0; i < 8 * 4096; ++i) f.put(static_cast<char>(i * 37));
    }
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_TRUE(store->set_aside());
    EXPECT_TRUE(store->runs()->empty());
}

TEST_F(StoreTest, a_later_format_is_refused_and_left_alone) {
    {
        ASSERT_TRUE(Store::open(file()).ok());
    }
    {
        // user_version: 4 bytes, most significant first, at offset 60 of the file format.
        std::fstream f(file(), std::ios::in | std::ios::out | std::ios::binary);
        f.seekp(60);
        f.write("\0\0\0\x63", 4);
    }
    auto store = Store::open(file());
    ASSERT_FALSE(store);
    EXPECT_NE(store.error().what.find("99"), std::string::npos);
    EXPECT_EQ(store.error().where.file, file());
}

TEST_F(StoreTest, a_full_disk_is_an_error_and_what_was_kept_stays) {
    auto store = Store::open(file());
    ASSERT_TRUE(store);
    auto run = store->begin("c", "", environment());
    ASSERT_TRUE(store->add(*run, record("reduce", "kept", 1)).ok());
    // A limit on the size of files stands for the disk.
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit small{fs::file_size(file() + "-wal") + 100, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    Result<void> full;
    for (int i = 0; i < 200 && full; ++i) full = store->add(*run, record("reduce", std::string(5000, 'x'), 1));
    setrlimit(RLIMIT_FSIZE, &old);
    ASSERT_FALSE(full);
    EXPECT_NE(full.error().where.file, "");
    auto again = Store::open(file());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_FALSE(again->set_aside());
    EXPECT_EQ(again->load(*run)->records.front().rung, "kept");
}

TEST_F(StoreTest, a_place_that_cannot_be_written_is_an_error) {
    EXPECT_FALSE(Store::open("/proc/nowhere/results.db"));
    EXPECT_FALSE(Store::open(""));
}

}  // namespace
}  // namespace warpwright::store
