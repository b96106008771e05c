// Host objects come from the cache where nothing they were made of has changed, and only there.
#include "compile/program/host_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "compile/kernel/cached_compile.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace host_object_test {

namespace fs = std::filesystem;

/// A folder with a source, and a compiler that notes each of its runs before it does what clang does.
class HostObject : public testing::Test {
protected:
    void SetUp() override {
        auto real = find_tools({});
        ASSERT_TRUE(real) << real.error().text();
        tools = *real;
        write("clang", "#!/bin/sh\necho run >> " + in("runs") + "\nexec " + tools.compiler + " \"$@\"\n");
        fs::permissions(in("clang"), fs::perms::owner_all);
        tools.compiler = in("clang");
        options.cache_dir = in("cache");
        fs::create_directories(options.cache_dir);
        fs::permissions(options.cache_dir, fs::perms::owner_all);
        write("own.h", "inline int two() { return 2; }\n");
        write("a.cpp", "#include \"own.h\"\nint three() { return two() + 1; }\n");
    }
    std::string in(const std::string& name) const { return folder.path() + "/" + name; }
    void write(const std::string& name, const std::string& text) const { std::ofstream(in(name)) << text; }
    /// Compiles with a folder on the way of its own, as each build has one; the object's bytes.
    std::string compiled(const std::vector<std::string>& more = {}) {
        const TemporaryFolder way("build");
        HostSource job{{tools.compiler, "-c", "-O1"}, in("a.cpp"), way.path() + "/0.o", way.path()};
        job.command.insert(job.command.end(), more.begin(), more.end());
        log.clear();
        options.log = &log;
        auto made = compile_host(job, tools, options);
        EXPECT_TRUE(made) << made.error().text();
        return read_file(job.object).value_or("");
    }
    std::size_t runs() const {
        const auto text = read_file(in("runs")).value_or("");
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }

    TemporaryFolder folder{"host-object"};
    Tools tools;
    CompileOptions options;
    std::string log;
};

TEST_F(HostObject, IsCompiledOnceWhileNothingChanges) {
    const auto first = compiled();
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(compiled(), first);
    EXPECT_EQ(runs(), 1u);
    EXPECT_NE(compiled({"-O2", "-DX"}), "");
    EXPECT_EQ(runs(), 2u) << "other flags are another object";
}

TEST_F(HostObject, IsCompiledAgainWhenAHeaderOrTheSourceChanges) {
    const auto first = compiled();
    write("own.h", "inline int two() { return 20; }\n");
    const auto second = compiled();
    EXPECT_NE(second, first);
    write("a.cpp", "#include \"own.h\"\nint four() { return two() + 2; }\n");
    EXPECT_NE(compiled(), second);
    EXPECT_EQ(runs(), 3u);
}

TEST_F(HostObject, WarningsAreSaidAgain) {
    write("a.cpp", "#include \"own.h\"\nint three() { int unused = 1; return two() + 1; }\n");
    compiled({"-Wall"});
    const auto said = log;
    EXPECT_THAT(said, testing::HasSubstr("unused"));
    compiled({"-Wall"});
    EXPECT_EQ(log, said);
    EXPECT_EQ(runs(), 1u);
}

TEST_F(HostObject, WhatDependsOnTheClockIsNotKept) {
    write("own.h", "inline const char* two() { return __TIME__; }\n");
    write("a.cpp", "#include \"own.h\"\nint three() { return *two(); }\n");
    compiled();
    compiled();
    EXPECT_EQ(runs(), 2u);
}

TEST_F(HostObject, WhatLooksForFilesOrForTheProcessorIsNotKept) {
    compiled({"-march=native"});
    compiled({"-march=native"});
    EXPECT_EQ(runs(), 2u);
    write("a.cpp", "#if __has_include(\"more.h\")\nint more();\n#endif\n#include \"own.h\"\n");
    compiled();
    compiled();
    EXPECT_EQ(runs(), 4u);
}

TEST_F(HostObject, AFileOnTheWayCountsByItsContents) {
    const TemporaryFolder way("build");
    const auto with = [&](const std::string& text) {
        std::ofstream(way.path() + "/more.h") << text;
        HostSource job{
            {tools.compiler, "-c", "-include", way.path() + "/more.h"}, in("a.cpp"), way.path() + "/0.o", way.path()};
        EXPECT_TRUE(compile_host(job, tools, options));
    };
    with("#define A 1\n");
    with("#define A 1\n");
    EXPECT_EQ(runs(), 1u);
    with("#define A 2\n");
    EXPECT_EQ(runs(), 2u);
}

}  // namespace host_object_test
}  // namespace warpwright::compile
