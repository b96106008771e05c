// Nouns that are counted.
#include "support/counted.hpp"

#include <gtest/gtest.h>

#include "support/words.hpp"

namespace warpwright {
namespace {

TEST(Counted, one_is_singular) {
    EXPECT_EQ(counted(1, "requests"), "1 request");
    EXPECT_EQ(counted(0, "requests"), "0 requests");
    EXPECT_EQ(counted(1024, "launches"), "1,024 launches");
    EXPECT_EQ(counted(1, "branches"), "1 branch");
    EXPECT_EQ(counted(1, "accesses"), "1 access");
    EXPECT_EQ(noun_of(2, "bytes"), "bytes");
}

TEST(Counted, finished_texts_agree_with_their_numbers) {
    EXPECT_EQ(agreed("blocks of 1 threads leave 31 lanes idle"), "blocks of 1 thread leave 31 lanes idle");
    EXPECT_EQ(agreed("1 blocks, 1 warps; 11 blocks"), "1 block, 1 warp; 11 blocks");
    // A part of another number, of a name, or no noun of ours.
    for (const char* text : {"0.1 waves", "2,1 waves", "x1 blocks", "1 block", "1 of 3 blocks", "1 gas", "2 blocks"})
        EXPECT_EQ(agreed(text), text);
}

TEST(Counted, pages_and_phrases_agree_in_english) {
    const Words words = Words::of("en", {{"some", "It needs {n} blocks."}});
    EXPECT_EQ(words("some", {{"n", std::int64_t{1}}}), "It needs 1 block.");
    EXPECT_EQ(words("some", {{"n", std::int64_t{2}}}), "It needs 2 blocks.");
    EXPECT_EQ(Words::plain().phrase("1 launches of 1 threads"), "1 launch of 1 thread");
}

TEST(Labels, Chinese_has_its_own_colon) {
    const Words zh = Words::of("zh", {}), en = Words::of("en", {});
    EXPECT_EQ(zh.labelled("naive", "每个线程"), "naive：每个线程");
    EXPECT_EQ(en.labelled("naive", "each thread"), "naive: each thread");
    const std::string both = "naive: " + of_languages({{"en", "each thread"}, {"zh", "每个线程"}});
    EXPECT_EQ(in_language(both, "zh"), "naive：每个线程");
    EXPECT_EQ(in_language(both, "en"), "naive: each thread");
    EXPECT_EQ(in_language("a: " + of_languages({{"en", "A row"}, {"zh", "A 的一行"}}), "zh"), "a：A 的一行");
    EXPECT_EQ(in_language("plain: 线程", "zh"), "plain: 线程");  // of no language: as it stands
}

}  // namespace
}  // namespace warpwright
