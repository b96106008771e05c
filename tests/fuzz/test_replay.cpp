// Every input that is kept for a fuzz target runs through it; a failure aborts the program.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST(Replay, PtxParser) {
    int runs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(WARPWRIGHT_SOURCE_DIR "/tests/fuzz/corpus/ptx")) {
        std::ifstream in(entry.path(), std::ios::binary);
        std::stringstream bytes;
        bytes << in.rdbuf();
        std::string text = bytes.str();
        SCOPED_TRACE(entry.path().string());
        EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
        ++runs;
    }
    EXPECT_GT(runs, 20);
}
