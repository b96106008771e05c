// Every input that is kept for a fuzz target, and mutations of each, run through it; a failure aborts the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.hpp"
#include "common/mutate.hpp"
#include "common/mutate_ptx.hpp"
#include "compile/program/fatbin.hpp"

#define FUZZ_TARGETS(X) \
    X(ptx_parser)       \
    X(fat_binary) X(link_ptx) X(device_model) X(ladder) X(records) X(npy) X(png) X(expression) X(ptxas_info) X(names)
#define DECLARE(name) void fuzz_##name(std::string_view text);
FUZZ_TARGETS(DECLARE)
DECLARE(kernel)
DECLARE(store)

namespace replay_test {

namespace fs = std::filesystem;
using warpwright::test::Mutator;
using warpwright::test::text_of;

const fs::path kRoot = WARPWRIGHT_SOURCE_DIR;

std::vector<std::string> files_in(const fs::path& folder, const std::string& end = "") {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().string().ends_with(end)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> out;
    for (const fs::path& file : files) out.push_back(text_of(file));
    return out;
}

struct Target {
    const char* name;
    void (*run)(std::string_view);
};

/// What a target begins with: its corpus, and files of the tree that are of its kind.
std::vector<std::string> seeds_of(const std::string& name) {
    std::vector<std::string> out = files_in(kRoot / "tests/fuzz/corpus" / (name == "ptx_parser" ? "ptx" : name));
    const auto add = [&](const fs::path& folder, const std::string& end) {
        for (std::string& text : files_in(folder, end))
            if (text.size() < 20000) out.push_back(std::move(text));
    };
    if (name == "device_model") add(kRoot / "data/devices", ".toml");
    if (name == "ladder") add(kRoot / "kernels", "ladder.toml");
    if (name == "link_ptx")
        for (const char* file : {"saxpy.ptx", "calls.ptx", "data.ptx"})
            out.push_back(text_of(kRoot / "tests/fuzz/corpus/ptx" / file) + "//----\n" +
                          text_of(kRoot / "tests/fuzz/corpus/ptx/scopes.ptx"));
    if (name == "fat_binary")
        for (const char* file : {"saxpy.ptx", "forms.ptx"})
            out.push_back(warpwright::compile::write_fat_binary(text_of(kRoot / "tests/fuzz/corpus/ptx" / file), 80));
    return out;
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, KeptInputs) {
    const auto seeds = seeds_of(GetParam().name);
    EXPECT_GE(seeds.size(), 2u);
    for (const std::string& text : seeds) GetParam().run(text);
}

TEST_P(Replay, MutationsOfThem) {
    const auto seeds = seeds_of(GetParam().name);
    constexpr unsigned kMutations = 1500;
    for (unsigned i = 0; i < kMutations; ++i) {
        const std::string text = Mutator(i)(seeds[i % seeds.size()]);
        SCOPED_TRACE(i);
        GetParam().run(text);
    }
}

// Kernels are compiled and run, which takes longer; their mutations keep to PTX's grammar.
TEST(ReplayKernels, KeptInputs) {
    const auto seeds = files_in(kRoot / "tests/fuzz/corpus/kernel");
    EXPECT_GE(seeds.size(), 10u);
    for (const std::string& text : seeds) fuzz_kernel(text);
}

TEST(ReplayKernels, MutationsOfThem) {
    const auto seeds = files_in(kRoot / "tests/fuzz/corpus/kernel");
    constexpr unsigned kMutations = 150;
    for (unsigned i = 0; i < kMutations; ++i) {
        SCOPED_TRACE(i);
        fuzz_kernel(warpwright::test::PtxMutator(i)(seeds[i % seeds.size()]));
    }
}

// A database is a file, and each is opened and closed: fewer mutations of it.
TEST(ReplayStores, KeptInputsAndMutationsOfThem) {
    const auto seeds = files_in(kRoot / "tests/fuzz/corpus/store");
    EXPECT_GE(seeds.size(), 2u);
    for (const std::string& text : seeds) fuzz_store(text);
    constexpr unsigned kMutations = 100;
    for (unsigned i = 0; i < kMutations; ++i) {
        SCOPED_TRACE(i);
        fuzz_store(Mutator(i)(seeds[i % seeds.size()]));
    }
}

const Target kTargets[] = {
#define TARGET(name) {#name, fuzz_##name},
    FUZZ_TARGETS(TARGET)
#undef TARGET
};
INSTANTIATE_TEST_SUITE_P(, Replay, testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace replay_test
