// Results that are kept: nothing that `add` took is lost, damage is set aside and said, errors name the file.
#include "store/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/compare.hpp"

namespace warpwright::store {
namespace store_test {

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

TEST_F(StoreTest, a_programs_run_has_launches_and_findings) {
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    RunData data;
    data.set = {environment(), {record("app", "", 1), record("app", "", 2)}};
    data.launches = {3, 1};
    data.findings = {{"past-end at \"a\".cu:3", "an error ended k"}};
    auto run = store->begin("warpwright run ./app", "", environment());
    ASSERT_TRUE(run && store->settle_all(*run, data, true));
    const auto back = store->load_all(*run);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->launches, data.launches);
    EXPECT_EQ(back->findings, data.findings);
    EXPECT_EQ(record::to_json(back->set), record::to_json(data.set));
    // Other runs have none, and readers of records see records alone.
    auto other = store->begin("warpwright lab reduce", "", environment());
    ASSERT_TRUE(other && store->settle(*other, data.set, true));
    EXPECT_TRUE(store->load_all(*other)->launches.empty());
    EXPECT_FALSE(store->load_all(*other)->findings);
    EXPECT_EQ(record::to_json(*store->load(*run)), record::to_json(data.set));
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

/// Starts `count` processes that do something, and waits; how many did not end well.
int processes(int count, const std::function<bool(int)>& work) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(work(i) ? 0 : 1);
        children.push_back(child);
    }
    int failed = 0;
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return failed;
}

TEST_F(StoreTest, many_programs_that_write_at_once_lose_nothing) {
    constexpr int kProcesses = 8, kRuns = 20;
    const auto write = [&](int process) {
        for (int n = 0; n < kRuns; ++n) {
            auto store = Store::open(file());  // as programs do: each opens anew
            if (!store) return false;
            auto run = store->begin("c", fmt::format("{}-{}", process, n), environment());
            if (!run || !store->add(*run, record("reduce", "a", 1)).ok()) return false;
            if (!store->settle(*run, {environment(), {record("reduce", "a", 1), record("reduce", "b", 2)}}, true).ok())
                return false;
        }
        return true;
    };
    EXPECT_EQ(processes(kProcesses, write), 0);
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_FALSE(store->set_aside());
    for (int process = 0; process < kProcesses; ++process)
        for (int n = 0; n < kRuns; ++n) {
            auto run = store->find(fmt::format("{}-{}", process, n));
            ASSERT_TRUE(run) << process << "-" << n;
            EXPECT_TRUE(run->complete);
            EXPECT_EQ(run->records, 2u);
        }
}

TEST_F(StoreTest, of_many_that_find_it_damaged_one_sets_it_aside) {
    constexpr int kRounds = 40;  // the processes meet at another step in each
    for (int round = 0; round < kRounds; ++round) {
        const std::string name = fmt::format("{}-{}", file(), round);
        fs::create_directories(fs::path(name).parent_path());
        std::ofstream(name) << std::string(5000, 'x');
        const auto write = [&](int process) {
            auto store = Store::open(name);
            if (!store) fmt::print(stderr, "{}\n", store.error().text());
            return store && store->begin("c", std::to_string(process), environment()).ok();
        };
        ASSERT_EQ(processes(8, write), 0) << "round " << round;
        auto store = Store::open(name);
        ASSERT_TRUE(store);
        EXPECT_EQ(store->runs()->size(), 8u);
        EXPECT_TRUE(fs::exists(name + ".damaged-1"));
        EXPECT_FALSE(fs::exists(name + ".damaged-2"));
    }
}

TEST_F(StoreTest, a_folder_that_another_program_has_locked_keeps_nobody) {
    const auto folder = fs::path(file()).parent_path();
    fs::create_directories(folder);
    const int held = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    std::ofstream(file()) << std::string(5000, 'x');
    std::vector<std::string> told;
    auto store = Store::open(file(), [&](const std::string& line) { told.push_back(line); }, 1);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_TRUE(store->set_aside());
    EXPECT_TRUE(told.empty());
    ::close(held);
}

TEST_F(StoreTest, who_writes_is_waited_for_and_it_is_told) {
    ASSERT_TRUE(Store::open(file()));
    int ready[2], enough[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(enough), 0);
    const pid_t child = fork();
    if (child == 0) {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE);
        db.exec("BEGIN IMMEDIATE");
        (void)!write(ready[1], "x", 1);
        char byte = 0;
        (void)!read(enough[0], &byte, 1);  // until the other has told that it waits
        db.exec("COMMIT");
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    std::vector<std::string> told;
    auto store = Store::open(file(), [&](const std::string& line) {
        told.push_back(line);
        (void)!write(enough[1], "x", 1);
    });
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_TRUE(store->begin("c", "", environment()).ok());
    waitpid(child, nullptr, 0);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0], "waiting for another program that writes to " + file());
}

TEST_F(StoreTest, an_open_writes_nothing_where_the_tables_are_there) {
    ASSERT_TRUE(Store::open(file()));
    SQLite::Database other(file(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");  // a writer that never ends
    auto store = Store::open(file());
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_TRUE(store->runs().ok());
    other.exec("ROLLBACK");
}

/// Killed at any moment, again and again: the file is sound, and what was said to be stored is there.
TEST_F(StoreTest, a_writer_that_is_killed_again_and_again_leaves_it_sound) {
    const auto records = [&](Store& store) {
        std::uint64_t all = 0;
        const std::vector<warpwright::store::Run> runs = *store.runs();
        for (const auto& run : runs) all += run.records;
        return all;
    };
    std::uint64_t promised = 0;
    for (int round = 0; round < 25; ++round) {
        int pipes[2];
        ASSERT_EQ(pipe(pipes), 0);
        const pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            auto store = Store::open(file());
            auto run = store ? store->begin("c", "", environment()) : Result<std::int64_t>(store.error());
            while (run && store->add(*run, record("reduce", "a", 1)).ok()) (void)!write(pipes[1], "x", 1);
            _exit(1);
        }
        close(pipes[1]);
        // After another number of records each time, the child goes on while it is killed.
        char byte = 0;
        for (int n = 0; n < round % 7; ++n)
            if (read(pipes[0], &byte, 1) == 1) ++promised;
        kill(child, SIGKILL);
        while (read(pipes[0], &byte, 1) == 1) ++promised;
        close(pipes[0]);
        waitpid(child, nullptr, 0);
        auto store = Store::open(file());
        ASSERT_TRUE(store) << store.error().text();
        EXPECT_FALSE(store->set_aside());
        EXPECT_GE(records(*store), promised);
        const std::vector<warpwright::store::Run> runs = *store->runs();
        for (const auto& run : runs) EXPECT_TRUE(store->load(run.id).ok());
    }
}

TEST_F(StoreTest, a_pipe_or_a_folder_in_its_place_is_an_error) {
    fs::create_directories(fs::path(file()).parent_path());
    ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
    EXPECT_EQ(Store::open(file()).error().what, "is not a regular file");
    fs::remove(file());
    fs::create_directory(file());
    EXPECT_EQ(Store::open(file()).error().what, "is not a regular file");
}

TEST_F(StoreTest, a_name_without_a_folder_is_a_file_here) {
    fs::create_directories(folder_);
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    const auto store = Store::open("here.db");
    fs::current_path(before);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_TRUE(fs::exists(folder_ / "here.db"));
}

/// Cells of every kind in every column: an error or a value, never an exception.
TEST_F(StoreTest, cells_that_are_not_what_they_should_be) {
    auto store = Store::open(file());
    ASSERT_TRUE(store);
    auto run = store->begin("c", "label", environment());
    ASSERT_TRUE(run);
    ASSERT_TRUE(store->add(*run, record("reduce", "a", 1)).ok());
    SQLite::Database db(file(), SQLite::OPEN_READWRITE);
    const char* values[] = {"1e400",
                            "-1",
                            "x'00ff80fe'",
                            "'{}'",
                            "'[1e400]'",
                            "'{\"time\": {\"median_s\": 1e400}}'",
                            "9223372036854775807",
                            "''",
                            "zeroblob(100000)",
                            "'{\"axes\": {\"n\": -1e400}}'",
                            "'{\"counts\": {\"instructions\": 99999999999999999999999}}'",
                            "'\xff\xfe'",
                            "replace(hex(zeroblob(20000)), '0', '[')"};
    const std::pair<const char*, const char*> columns[] = {
        {"runs", "date"},    {"runs", "command"},     {"runs", "label"},    {"runs", "device"},
        {"runs", "model"},   {"runs", "environment"}, {"runs", "complete"}, {"records", "experiment"},
        {"records", "rung"}, {"records", "record"}};
    for (const auto& [table, column] : columns)
        for (const char* value : values) {
            SCOPED_TRACE(fmt::format("{}.{} = {}", table, column, value));
            db.exec("SAVEPOINT before");
            db.exec(fmt::format("UPDATE {} SET {} = {}", table, column, value));
            db.exec("RELEASE before");
            (void)store->runs();
            (void)store->find("last");
            if (auto set = store->load(*run); set) {
                (void)record::to_json(*set);
                (void)to_json(compare(RunData{*set}, RunData{*set}));
            }
            ASSERT_TRUE(store->settle(*run, {environment(), {record("reduce", "a", 1)}}, true).ok());
            db.exec("UPDATE runs SET date = '', command = 'c', label = 'label'");
        }
}

}  // namespace store_test
}  // namespace warpwright::store
