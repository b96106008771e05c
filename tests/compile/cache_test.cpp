#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/kernel/compile.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"

namespace warpwright {
namespace cache_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CacheTest : public testing::Test {
protected:
    CacheTest() {
        std::string pattern = (fs::temp_directory_path() / "warpwright-test-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    ~CacheTest() override {
        std::error_code ec;
        fs::permissions(folder, fs::perms::owner_all, ec);
        fs::remove_all(folder, ec);
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder + "/" + name) << text; }
    std::vector<std::string> entries(const std::string& in) const {
        std::vector<std::string> files;
        for (const auto& entry : fs::directory_iterator(folder + "/" + in)) files.push_back(entry.path().string());
        return files;
    }
    std::string folder;
};

TEST_F(CacheTest, KeepsBytes) {
    DiskCache cache(folder + "/c", ".e");
    EXPECT_FALSE(cache.get("k"));
    const std::string bytes("a\0b\n\xff", 5);
    EXPECT_TRUE(cache.put("k", bytes));
    EXPECT_EQ(cache.get("k"), bytes);
    EXPECT_TRUE(cache.put("k", ""));
    EXPECT_EQ(cache.get("k"), "");
    cache.remove("k");
    EXPECT_FALSE(cache.get("k"));
    EXPECT_THAT(cache.take_warnings(), IsEmpty());
    EXPECT_THAT(entries("c"), IsEmpty()) << "temporary files stayed";
}

TEST_F(CacheTest, DropsDamagedEntries) {
    DiskCache cache(folder + "/c", ".e");
    ASSERT_TRUE(cache.put("k", "the payload"));
    const std::string file = folder + "/c/k.e";
    for (const std::string& damage : {std::string("flip"), std::string("cut"), std::string("empty")}) {
        ASSERT_TRUE(cache.put("k", "the payload"));
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        std::string bytes = text.str();
        if (damage == "flip") bytes[bytes.size() - 3] ^= 1;
        if (damage == "cut") bytes.resize(bytes.size() - 4);
        if (damage == "empty") bytes.clear();
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        EXPECT_FALSE(cache.get("k")) << damage;
        EXPECT_THAT(cache.take_warnings(), ElementsAre(HasSubstr("damaged"))) << damage;
        EXPECT_FALSE(fs::exists(file)) << damage;
    }
}

TEST_F(CacheTest, EvictsWhatWasUsedLongestAgo) {
    DiskCache cache(folder + "/c", ".e", 5000);
    for (int i = 0; i < 4; ++i) {
        ASSERT_TRUE(cache.put("k" + std::to_string(i), std::string(1000, 'x')));
        const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        ::utimensat(AT_FDCWD, (folder + "/c/k" + std::to_string(i) + ".e").c_str(), times, 0);
    }
    EXPECT_TRUE(cache.get("k0"));  // used now: k1 is the oldest
    ASSERT_TRUE(cache.put("k4", std::string(1000, 'x')));
    EXPECT_TRUE(cache.get("k0"));
    EXPECT_FALSE(cache.get("k1"));
    EXPECT_TRUE(cache.get("k4"));
}

TEST_F(CacheTest, AFolderThatCannotBeWrittenIsAWarning) {
    write("file", "");
    DiskCache cache(folder + "/file/c", ".e");
    EXPECT_FALSE(cache.put("k", "x"));
    EXPECT_THAT(cache.take_warnings(), ElementsAre(HasSubstr("cannot be made")));
    EXPECT_FALSE(cache.get("k"));
    DiskCache none("", ".e");
    EXPECT_FALSE(none.put("k", "x"));
    EXPECT_THAT(none.take_warnings(), IsEmpty());
}

TEST(ContentHash, TellsPartsApart) {
    EXPECT_EQ(content_hash("abc").size(), 32u);
    EXPECT_NE(content_hash("abc"), content_hash("abd"));
    EXPECT_NE(ContentHasher().add("ab").add("c").digest(), ContentHasher().add("a").add("bc").digest());
    EXPECT_EQ(ContentHasher().add("ab").add("c").digest(), ContentHasher().add("ab").add("c").digest());
}

class CompileCache : public CacheTest {
protected:
    CompileCache() {
        write("part.h", "#define VALUE 3\n");
        write("k.cu", "#include \"part.h\"\nextern \"C\" __global__ void k(int* p) { p[0] = VALUE; }\n");
        request.path = folder + "/k.cu";
        options.cache_dir = folder + "/cache";
    }
    compile::CompiledPtx run() {
        auto ptx = compile::compile(request, options);
        EXPECT_TRUE(ptx.ok()) << ptx.error().text();
        return ptx.ok() ? std::move(*ptx) : compile::CompiledPtx{};
    }
    compile::CompileRequest request;
    compile::CompileOptions options;
};

TEST_F(CompileCache, HitsUntilSomethingChanges) {
    const auto first = run();
    EXPECT_FALSE(first.from_cache);
    const auto second = run();
    EXPECT_TRUE(second.from_cache);
    EXPECT_EQ(second.ptx, first.ptx);
    EXPECT_THAT(second.entries, ElementsAre("k"));

    write("part.h", "#define VALUE 4\n");
    const auto changed_header = run();
    EXPECT_FALSE(changed_header.from_cache);
    EXPECT_NE(changed_header.ptx, first.ptx);
    EXPECT_TRUE(run().from_cache);

    request.defines = {"OTHER"};
    EXPECT_FALSE(run().from_cache);
    request.defines.clear();
    request.arch = "sm_75";
    EXPECT_FALSE(run().from_cache);
    request.arch = "sm_80";
    EXPECT_TRUE(run().from_cache);
    write("k.cu", "extern \"C\" __global__ void k2(int* p) { p[0] = 1; }\n");
    const auto changed_source = run();
    EXPECT_FALSE(changed_source.from_cache);
    EXPECT_THAT(changed_source.entries, ElementsAre("k2"));
}

TEST_F(CompileCache, ADamagedEntryIsCompiledAnewAndReported) {
    const auto first = run();
    for (const std::string& file : entries("cache")) std::ofstream(file, std::ios::app) << "x";
    const auto second = run();
    EXPECT_FALSE(second.from_cache);
    EXPECT_EQ(second.ptx, first.ptx);
    EXPECT_THAT(second.log, HasSubstr("damaged"));
    const auto third = run();
    EXPECT_TRUE(third.from_cache);
    EXPECT_EQ(third.log, "");
}

TEST_F(CompileCache, WorksWithoutAFolderToWriteTo) {
    options.cache_dir = folder + "/k.cu/cache";
    const auto first = run();
    EXPECT_THAT(first.log, HasSubstr("warning: compiled kernels are not kept: "));
    EXPECT_FALSE(run().from_cache);
}

TEST_F(CompileCache, FailuresAreNotKept) {
    write("k.cu", "__global__ void k() { oops; }\n");
    EXPECT_FALSE(compile::compile(request, options).ok());
    // Of a failure the parsed headers may stay, and nothing of the kernel's.
    if (!fs::exists(options.cache_dir)) return;
    for (const std::string& file : entries("cache")) EXPECT_THAT(file, testing::EndsWith(".headers"));
}

}  // namespace cache_test
}  // namespace warpwright
