// What is kept between runs is taken only where this user alone can have written it: each way in which it is not, and
// the cache and the secret that stand on it.
#include "support/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "common/files.hpp"
#include "support/disk_cache.hpp"
#include "support/user_secret.hpp"
#include "support/warnings.hpp"

namespace warpwright {
namespace own_file_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A folder whose owner we cannot become without being root. Tests of foreign owners give a file away instead.
bool root() { return ::geteuid() == 0; }

class OwnFile : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder / "own");
        fs::permissions(folder / "own", fs::perms(0700));
        const auto name = (folder / "own/file").string();
        folder.write("own/file", "text");
        fs::permissions(name, fs::perms(0600));
    }
    std::string own() const { return (folder / "own").string(); }
    /// What is said when the file is read; "" where it comes.
    std::string said(std::uint64_t most = 1000) const {
        auto open = OwnFolder::open(own());
        if (!open) return open.error().text();
        if (!*open) return "no folder";
        auto bytes = (*open)->read("file", most);
        if (!bytes) return bytes.error().text();
        if (!*bytes) return "no file";
        EXPECT_EQ(**bytes, "text");
        return "";
    }
    test::Folder folder;
};

TEST_F(OwnFile, IsTaken) {
    EXPECT_EQ(said(), "");
    EXPECT_EQ(said(4), "");
}

TEST_F(OwnFile, ThatIsNotThereIsNone) {
    fs::remove(folder / "own/file");
    EXPECT_EQ(said(), "no file");
    fs::remove(folder / "own");
    EXPECT_EQ(said(), "no folder");
}

TEST_F(OwnFile, ThatIsTooLargeIsNotTaken) {
    EXPECT_THAT(said(3), HasSubstr("own/file: error: cannot be read: it is larger than 3 bytes"));
}

TEST_F(OwnFile, ThatOthersMayWriteIsNotTaken) {
    for (const unsigned mode : {0620u, 0602u, 0666u}) {
        fs::permissions(folder / "own/file", fs::perms(mode));
        EXPECT_THAT(said(), HasSubstr("own/file: error: may be written by others and is not used (chmod go-w"));
    }
    fs::permissions(folder / "own/file", fs::perms(0644));
    EXPECT_EQ(said(), "") << "reading is harmless";
}

// Distributions that give each user a group of his own make his files writable for it. Secrets and code that is kept
// are refused all the same: they are made for the user alone.
TEST_F(OwnFile, ThatTheUsersOwnGroupMayWriteIsHis) {
    if (!root()) GTEST_SKIP() << "the group of root is his alone; that of another user need not be";
    const std::string file = folder / "own/file";
    fs::permissions(file, fs::perms(0664));
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    EXPECT_FALSE(not_own(file));
    ASSERT_EQ(::chown(file.c_str(), 0, 65534), 0);
    EXPECT_TRUE(not_own(file)) << "a group of others";
}

TEST_F(OwnFile, InAFolderThatOthersMayWriteIsNotTaken) {
    for (const unsigned mode : {0770u, 0777u, 01777u}) {
        fs::permissions(folder / "own", fs::perms(mode));
        EXPECT_THAT(said(), HasSubstr("/own: error: may be written by others and is not used"));
        EXPECT_FALSE(OwnFolder::make(own()));
    }
}

TEST_F(OwnFile, OfAnotherUserIsNotTaken) {
    if (!root()) GTEST_SKIP() << "only root can give a file away";
    ASSERT_EQ(::chown((folder / "own/file").c_str(), 65534, 65534), 0);
    EXPECT_THAT(said(), HasSubstr("own/file: error: belongs to another user (number 65534) and is not used"));
    ASSERT_EQ(::chown(own().c_str(), 65534, 65534), 0);
    EXPECT_THAT(said(), HasSubstr("/own: error: belongs to another user"));
}

TEST_F(OwnFile, AsALinkIsNotTaken) {
    fs::rename(folder / "own/file", folder / "own/other");
    fs::create_symlink("other", folder / "own/file");
    EXPECT_THAT(said(), HasSubstr("own/file: error: is a link and is not used"));
    fs::remove(folder / "own/file");
    fs::create_symlink("/dev/zero", folder / "own/file");
    EXPECT_THAT(said(), HasSubstr("is a link"));
}

TEST_F(OwnFile, AsAFolderAPipeOrADeviceIsNotTakenAndNotWaitedFor) {
    fs::remove(folder / "own/file");
    ASSERT_EQ(::mkfifo((folder / "own/file").c_str(), 0600), 0);
    EXPECT_THAT(said(), HasSubstr("own/file: error: cannot be read: it is not a regular file"));
    fs::remove(folder / "own/file");
    fs::create_directory(folder / "own/file");
    EXPECT_THAT(said(), HasSubstr("own/file: error: "));
    fs::permissions(folder / "own/file", fs::perms(0700));
    EXPECT_THAT(said(), HasSubstr("not a regular file"));
}

TEST_F(OwnFile, IsWrittenWholeForTheUserAlone) {
    auto made = OwnFolder::make((folder / "a/b/c").string());
    ASSERT_TRUE(made) << made.error().text();
    for (const char* deep : {"a", "a/b", "a/b/c"})
        EXPECT_EQ(fs::status(folder / deep).permissions(), fs::perms(0700)) << deep;
    ASSERT_TRUE(made->write("file", "one"));
    EXPECT_EQ(fs::status(folder / "a/b/c/file").permissions(), fs::perms(0600));
    auto again = made->write("file", "two");
    ASSERT_TRUE(again);
    EXPECT_TRUE(*again);
    auto kept = made->write("file", "three", false);
    ASSERT_TRUE(kept);
    EXPECT_FALSE(*kept);
    EXPECT_EQ(test::text_of(folder / "a/b/c/file"), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "a/b/c"), fs::directory_iterator()), 1) << "a rest stayed";
}

TEST_F(OwnFile, TakesThePlaceOfALinkAndNotOfWhatItPointsAt) {
    folder.write("victim", "mine");
    fs::remove(folder / "own/file");
    fs::create_symlink(folder / "victim", folder / "own/file");
    auto open = OwnFolder::make(own());
    ASSERT_TRUE(open);
    ASSERT_TRUE(open->write("file", "text"));
    EXPECT_EQ(test::text_of(folder / "victim"), "mine");
    EXPECT_EQ(said(), "");
}

TEST_F(OwnFile, OneSecretForManyProcesses) {
    const std::string place = (folder / "secrets").string();
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0);
    constexpr int kProcesses = 16;
    for (int i = 0; i < kProcesses; ++i)
        if (::fork() == 0) {
            auto secret = secret_in(place);
            const std::string sum = secret ? keyed_checksum(*secret, {"x"}) : std::string(64, '!');
            ::_exit(::write(pipes[1], sum.data(), 64) == 64 ? 0 : 1);
        }
    std::set<std::string> sums;
    for (int i = 0; i < kProcesses; ++i) {
        char sum[64];
        ASSERT_EQ(::read(pipes[0], sum, 64), 64);
        sums.emplace(sum, 64);
        int status = 0;
        ::wait(&status);
    }
    EXPECT_EQ(sums.size(), 1u);
    EXPECT_FALSE(sums.contains(std::string(64, '!')));
    EXPECT_EQ(fs::status(folder / "secrets/secret").permissions(), fs::perms(0600));
    EXPECT_EQ(fs::file_size(folder / "secrets/secret"), 32u);
    EXPECT_EQ(std::distance(fs::directory_iterator(place), fs::directory_iterator()), 1);
}

TEST_F(OwnFile, ASecretThatOthersMayReadOrThatIsNoneIsNotTaken) {
    const std::string place = (folder / "secrets").string();
    ASSERT_TRUE(secret_in(place));
    fs::permissions(place + "/secret", fs::perms(0640));
    auto open = secret_in(place);
    ASSERT_FALSE(open);
    EXPECT_THAT(open.error().text(), HasSubstr("may be read by others"));
    fs::permissions(place + "/secret", fs::perms(0600));
    fs::resize_file(place + "/secret", 31);
    auto cut = secret_in(place);
    ASSERT_FALSE(cut);
    EXPECT_THAT(cut.error().text(), HasSubstr("is not a secret"));
}

TEST(KeyedChecksum, DependsOnTheSecretAndOnEveryPart) {
    Secret a{}, b{};
    b[31] = 1;
    const std::string sum = keyed_checksum(a, {"kind", "key", "bytes"});
    EXPECT_EQ(sum.size(), 64u);
    EXPECT_TRUE(same_checksum(sum, keyed_checksum(a, {"kind", "key", "bytes"})));
    EXPECT_FALSE(same_checksum(sum, sum.substr(1)));
    const std::set<std::string> all{sum,
                                    keyed_checksum(b, {"kind", "key", "bytes"}),
                                    keyed_checksum(a, {"kind", "ke", "ybytes"}),
                                    keyed_checksum(a, {"kindkey", "", "bytes"}),
                                    keyed_checksum(a, {"kind", "key", "byteS"}),
                                    keyed_checksum(a, {"kind", "key"}),
                                    keyed_checksum(a, {"kind", "key", "bytes", ""})};
    EXPECT_EQ(all.size(), 7u);
}

/// A cache with one entry, whose file tests exchange.
class OwnCache : public testing::Test {
protected:
    void SetUp() override {
        ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
        DiskCache cache(place(), ".e");
        ASSERT_TRUE(cache.put("k", "the code"));
        ASSERT_TRUE(cache.put("other", "other code"));
        ASSERT_THAT(cache.take_warnings(), IsEmpty());
    }
    void TearDown() override { ::unsetenv("XDG_CONFIG_HOME"); }
    std::string place() const { return (folder / "cache").string(); }
    fs::path entry() const { return folder / "cache/k.e"; }
    /// Nothing comes of the entry, and one line says why.
    void expect_passed_over(const char* why) const {
        DiskCache cache(place(), ".e");
        EXPECT_FALSE(cache.get("k"));
        EXPECT_THAT(cache.take_warnings(), ElementsAre(HasSubstr(why)));
    }
    /// The next one who puts it there has it.
    void expect_mended() const {
        DiskCache cache(place(), ".e");
        EXPECT_TRUE(cache.put("k", "the code"));
        EXPECT_EQ(cache.get("k"), "the code");
    }
    test::Folder folder;
};

TEST_F(OwnCache, AnEntryOfAnotherUser) {
    if (!root()) GTEST_SKIP() << "only root can give a file away";
    ASSERT_EQ(::chown(entry().c_str(), 65534, 65534), 0);
    expect_passed_over("belongs to another user");
    expect_mended();
    ASSERT_EQ(::chown(place().c_str(), 65534, 65534), 0);
    expect_passed_over("belongs to another user");
    DiskCache cache(place(), ".e");
    EXPECT_FALSE(cache.put("k", "the code"));
}

TEST_F(OwnCache, AnEntryOrAFolderThatOthersMayWrite) {
    fs::permissions(entry(), fs::perms(0666));
    expect_passed_over("may be written by others");
    expect_mended();
    fs::permissions(place(), fs::perms(0777));
    expect_passed_over("may be written by others");
}

TEST_F(OwnCache, APipe) {
    fs::remove(entry());
    ASSERT_EQ(::mkfifo(entry().c_str(), 0600), 0);
    expect_passed_over("is not a regular file");
    expect_mended();
}

TEST_F(OwnCache, ALink) {
    fs::rename(entry(), folder / "cache/moved.e");
    fs::create_symlink("moved.e", entry());
    expect_passed_over("is a link");
    expect_mended();
}

TEST_F(OwnCache, AFolder) {
    fs::remove(entry());
    fs::create_directory(entry());
    expect_passed_over("k.e: error: ");
}

TEST_F(OwnCache, ATruncatedEntry) {
    for (const std::uintmax_t size : {0u, 10u, 30u, 80u, 84u, 90u}) {
        expect_mended();
        fs::resize_file(entry(), size);
        expect_passed_over("is damaged or was not made by this user");
        EXPECT_FALSE(fs::exists(entry()));
    }
}

TEST_F(OwnCache, AnEntryUnderTheKeyOfAnother) {
    fs::copy_file(folder / "cache/other.e", entry(), fs::copy_options::overwrite_existing);
    expect_passed_over("is damaged or was not made by this user");
}

TEST_F(OwnCache, AnEntryOfAnotherKind) {
    DiskCache(place(), ".other").put("k", "not code");
    fs::copy_file(folder / "cache/k.other", entry(), fs::copy_options::overwrite_existing);
    expect_passed_over("is damaged or was not made by this user");
}

TEST_F(OwnCache, AnEntryMadeWithAnotherSecret) {
    ::setenv("XDG_CONFIG_HOME", (folder / "elsewhere").c_str(), 1);
    expect_passed_over("is damaged or was not made by this user");
}

TEST_F(OwnCache, AnEntryOfTheFormatWithoutAKeyIsQuietlyMadeAnew) {
    std::ofstream(entry(), std::ios::binary) << "warpwright-cache-1\n00112233445566778899aabbccddeeff\ncode";
    DiskCache cache(place(), ".e");
    EXPECT_FALSE(cache.get("k"));
    EXPECT_THAT(cache.take_warnings(), IsEmpty());
    EXPECT_FALSE(fs::exists(entry()));
}

TEST_F(OwnCache, WhatNobodyTookGoesToWhoListensOnce) {
    std::vector<std::string> told;
    on_warning([&](const std::string& text) { told.push_back(text); });
    fs::permissions(entry(), fs::perms(0666));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(DiskCache(place(), ".e").get("k"));
    on_warning({});
    EXPECT_THAT(told, ElementsAre(HasSubstr("may be written by others")));
}

TEST(DiskCache, HandsDownWhatAProcessMayNotRead) {
    const test::Folder folder;
    DiskCache::note_entries();
    DiskCache cache(folder.string() + "/cache", ".kind");
    ASSERT_TRUE(cache.put("one", "first"));
    DiskCache(folder.string() + "/cache", ".other").put("two", "second");
    const auto noted = DiskCache::noted(".kind");
    EXPECT_EQ(noted, (DiskCache::Entries{{"one.kind", "first"}}));
    DiskCache none("", ".kind");
    EXPECT_FALSE(none.get("one"));
    DiskCache::hand_down(noted);
    EXPECT_EQ(none.get("one"), "first");
    EXPECT_FALSE(none.get("two"));
    EXPECT_FALSE(DiskCache("", ".other").get("one"));
    EXPECT_FALSE(DiskCache(folder.string() + "/elsewhere", ".kind").get("one"));  // a folder is what counts
    DiskCache::hand_down({});
}

}  // namespace own_file_test
}  // namespace warpwright
