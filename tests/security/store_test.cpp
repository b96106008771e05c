// Databases of strangers: what lies beside one, and what its schema computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "store/store.hpp"
#include "support/temporary_folder.hpp"

namespace store_test {

namespace fs = std::filesystem;
using namespace warpwright;
using store::Store;
using testing::HasSubstr;

class Strangers : public testing::Test {
protected:
    Strangers() : folder_("store") {}
    std::string file() const { return folder_.path() + "/results.db"; }
    void make() const { EXPECT_TRUE(Store::open(file()).ok()); }
    void change(const std::string& sql) const {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE);
        db.exec(sql);
    }

    TemporaryFolder folder_;
};

std::string word(std::uint32_t value) {
    const char bytes[4] = {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                           static_cast<char>(value >> 8), static_cast<char>(value)};
    return std::string(bytes, 4);
}

/// A journal of SQLite's that is to be played back, and that names the file to be removed then.
std::string journal_that_removes(const std::string& victim) {
    const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    std::string head = magic + word(0xffffffff) + word(0) + word(1) + word(512) + word(4096);
    head.resize(512);
    std::uint32_t sum = 0;
    for (const char c : victim) sum += static_cast<unsigned char>(c);
    return head + word(0x3fffffff) + victim + word(static_cast<std::uint32_t>(victim.size())) + word(sum) + magic;
}

TEST_F(Strangers, AJournalRemovesNoOtherFile) {
    make();
    change("PRAGMA journal_mode=DELETE");
    const std::string victim = folder_.path() + "/precious.txt";
    std::ofstream(victim) << "the user's own file\n";
    std::ofstream(file() + "-journal", std::ios::binary) << journal_that_removes(victim);
    (void)Store::open(file());
    EXPECT_TRUE(fs::exists(victim));
    // SQLite itself does it: else this test looks at nothing.
    fs::copy_file(file(), folder_.path() + "/other.db");
    std::ofstream(folder_.path() + "/other.db-journal", std::ios::binary) << journal_that_removes(victim);
    try {
        SQLite::Database other(folder_.path() + "/other.db", SQLite::OPEN_READWRITE);
        (void)other.execAndGet("SELECT count(*) FROM runs");
    } catch (const SQLite::Exception&) {
    }
    EXPECT_FALSE(fs::exists(victim));
}

TEST_F(Strangers, WhatLiesBesideItIsTheUsersOwn) {
    make();
    for (const char* tail : {"-journal", "-wal", "-shm"}) {
        SCOPED_TRACE(tail);
        fs::remove(file() + tail);
        ASSERT_EQ(::mkfifo((file() + tail).c_str(), 0600), 0);
        EXPECT_EQ(Store::open(file()).error().what, "is not a regular file");
        fs::remove(file() + tail);
        fs::create_symlink(folder_.path() + "/elsewhere", file() + tail);
        EXPECT_THAT(Store::open(file()).error().what, HasSubstr("is a link"));
        fs::remove(file() + tail);
        std::ofstream(file() + tail) << "";
        ::chmod((file() + tail).c_str(), 0666);
        EXPECT_THAT(Store::open(file()).error().what, HasSubstr("may be written by others"));
        fs::remove(file() + tail);
    }
    EXPECT_TRUE(Store::open(file()).ok());
    ::chmod(folder_.path().c_str(), 0777);
    EXPECT_THAT(Store::open(file()).error().what, HasSubstr("may be written by others"));
    ::chmod(folder_.path().c_str(), 0700);
}

TEST_F(Strangers, ALinkOfTheUsersLeadsToHisOwnFile) {
    make();
    const std::string link = folder_.path() + "/link.db";
    fs::create_symlink(file(), link);
    EXPECT_TRUE(Store::open(link).ok());
    EXPECT_FALSE(fs::exists(link + "-wal"));
}

// A stranger's folder has a link of a database's name to a file of the user's that is none.
TEST_F(Strangers, AFileBehindALinkIsNotSetAside) {
    const std::string folder = folder_.path() + "/theirs", precious = folder + "/precious", link = folder + "/link.db";
    fs::create_directory(folder);
    std::ofstream(precious) << "my own text";
    fs::create_symlink(precious, link);
    EXPECT_THAT(Store::open(link).error().what, HasSubstr("no database"));
    EXPECT_TRUE(fs::is_symlink(link));
    std::ifstream in(precious);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "my own text");
}

TEST_F(Strangers, ViewsTriggersAndOtherTablesAreRefused) {
    const char* endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    for (const std::string& sql :
         {std::string("ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS SELECT 1 AS id, i AS date, '' AS command, "
                      "'' AS label, '' AS device, '' AS model, '' AS environment, 1 AS complete FROM (") +
              endless + ")",
          std::string(
              "CREATE TRIGGER t AFTER INSERT ON runs BEGIN INSERT INTO records SELECT 1, i, '', '', '' FROM (") +
              "SELECT 1 AS i); END",
          std::string("CREATE TRIGGER t BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'a\x1b[31mb'); END"),
          std::string("CREATE TABLE more(a)"),
          std::string("ALTER TABLE runs ADD COLUMN c AS (length(printf('%1000000d', id)))")}) {
        SCOPED_TRACE(sql);
        fs::remove(file()), fs::remove(file() + "-wal"), fs::remove(file() + "-shm");
        make();
        change(sql);
        const auto opened = Store::open(file());
        ASSERT_FALSE(opened.ok());
        EXPECT_EQ(opened.error().kind, ErrorKind::input) << opened.error().text();
        EXPECT_EQ(opened.error().text().find('\x1b'), std::string::npos);
    }
}

TEST_F(Strangers, CellsWithoutEndAndWorkWithoutEndAreErrors) {
    make();
    // Its own functions answer a question for each of the rows, which is more work than a moment has.
    change(
        "INSERT INTO runs (date, command, label, device, model, environment) VALUES ('', '', '', '', '', "
        "zeroblob(100000000))");
    const auto opened = Store::open(file());
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    EXPECT_FALSE(opened->load(1).ok());
    change(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) INSERT INTO runs (date, "
        "command, label, device, model, environment) SELECT '', '', '', '', '', '' FROM n");
    const auto soon = Store::open(file(), {}, 0.02);
    const auto error = soon.ok() ? soon->runs().error() : soon.error();
    EXPECT_EQ(error.kind, ErrorKind::limit) << error.text();
    EXPECT_TRUE(opened->runs("", 10).ok());
}

}  // namespace store_test
