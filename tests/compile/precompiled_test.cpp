// Parsed headers give what the headers give, and are left where they could not.
#include "compile/kernel/precompiled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compile/kernel/cached_compile.hpp"
#include "support/disk_cache.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace precompiled_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

class Precompiled : public testing::Test {
protected:
    void SetUp() override {
        options.cache_dir = folder.path() + "/cache";
        fs::create_directories(options.cache_dir);
        fs::permissions(options.cache_dir, fs::perms::owner_all);
        auto found = find_tools({});
        ASSERT_TRUE(found) << found.error().text();
        tools = *found;
    }
    /// The command of a request, as compile() makes it.
    std::vector<std::string> command(const CompileRequest& request) const {
        auto flags = compile_flags(request, tools);
        EXPECT_TRUE(flags);
        std::vector<std::string> out{tools.compiler};
        out.insert(out.end(), flags->begin(), flags->end());
        return out;
    }
    auto with(const CompileRequest& request) const {
        return with_precompiled_headers(command(request), folder.path(), tools, options);
    }
    std::vector<std::string> kept() const {
        std::vector<std::string> files;
        for (const auto& file : fs::directory_iterator(options.cache_dir))
            if (file.path().extension() == ".headers") files.push_back(file.path().string());
        return files;
    }

    TemporaryFolder folder{"precompiled"};
    Tools tools;
    CompileOptions options;
};

constexpr const char* kSource = R"(
__constant__ float table[4];
template <class T> __device__ T twice(T x) { return x + x; }
__global__ void k(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = twice(sinf(out[i])) + SCALE * table[i & 3] + __shfl_down_sync(~0u, out[i], 1);
    if (i == 0) printf("%f\n", out[0]);
}
)";

TEST_F(Precompiled, TheResultIsThatOfTheHeaders) {
    CompileRequest request;
    request.text = kSource;
    request.path = "k.cu";
    request.defines = {"SCALE=3"};
    request.flags = host_headers();
    request.line_info = true;
    CompileOptions plain;
    const auto without = compile(request, plain), first = compile(request, options);
    ASSERT_TRUE(without) << without.error().text();
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_EQ(first->ptx, without->ptx);
    EXPECT_FALSE(kept().empty());
    request.text = std::string(kSource) + "// another\n";
    const auto second = compile(request, options);
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->from_cache);
    EXPECT_EQ(second->ptx, without->ptx);
}

TEST_F(Precompiled, TheUsersMacrosDoNotReachTheHeaders) {
    CompileRequest request;
    request.defines = {"SCALE=3"};
    EXPECT_TRUE(with(request));
    request.defines = {"threadIdx=3"};
    EXPECT_FALSE(with(request)) << "a header has the name";
    request.defines = {"NDEBUG", "SCALE=4"};
    const auto other = with(request);
    ASSERT_TRUE(other);
    EXPECT_THAT(other->command, Contains("-DSCALE=4"));
    EXPECT_EQ(kept().size(), 2u) << "one with NDEBUG, one without, for all values of SCALE";
}

TEST_F(Precompiled, FilesOfTheUsersByOptionAreRead) {
    CompileRequest request;
    request.flags = {"-include", "user.h"};
    EXPECT_FALSE(with(request));
    request.flags = {"-imacros", "user.h"};
    EXPECT_FALSE(with(request));
    EXPECT_TRUE(kept().empty());
}

TEST_F(Precompiled, WhatTheCompilerRefusesIsForgotten) {
    CompileRequest request;
    request.text = "__global__ void k() {}\n";
    const auto made = with(request);
    ASSERT_TRUE(made);
    DiskCache cache(options.cache_dir, ".headers");
    auto entry = decode_entry(*cache.get(made->key));
    ASSERT_TRUE(entry);
    entry->output.resize(entry->output.size() / 2);
    ASSERT_TRUE(cache.put(made->key, encode_entry(*entry)));
    const auto again = with_precompiled_headers(command(request), folder.path(), tools, options);
    ASSERT_TRUE(again);
    forget_refused(*again, "error: unrelated", options);
    EXPECT_TRUE(cache.get(made->key));
    forget_refused(*again, "fatal error: file 'headers.pch' is not a valid precompiled PCH file: file too small",
                   options);
    EXPECT_FALSE(cache.get(made->key));
}

TEST_F(Precompiled, AKernelIsCompiledThoughTheParsedHeadersAreRubbish) {
    CompileRequest request;
    request.text = "__global__ void k(int* p) { *p = 1; }\n";
    auto first = compile(request, options);
    ASSERT_TRUE(first);
    for (const std::string& file : kept()) {
        const auto key = fs::path(file).stem().string();
        DiskCache cache(options.cache_dir, ".headers");
        auto entry = decode_entry(*cache.get(key));
        ASSERT_TRUE(entry);
        entry->output = "rubbish";
        ASSERT_TRUE(cache.put(key, encode_entry(*entry)));
    }
    request.text = "__global__ void k(int* p) { *p = 2; }\n";
    auto second = compile(request, options);
    ASSERT_TRUE(second) << second.error().text();
    EXPECT_THAT(second->ptx, HasSubstr(".entry _Z1kPi"));
    EXPECT_THAT(second->log, testing::Not(HasSubstr("PCH")));
    EXPECT_TRUE(kept().empty());
}

}  // namespace precompiled_test
}  // namespace warpwright::compile
