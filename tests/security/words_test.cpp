// Words that a kernel passes off as addresses, descriptors, ranks, indices and functions.
#include "security/attack.hpp"

namespace words_test {

using namespace security_tests;

using Words = Attack;
INSTANTIATE_TEST_SUITE_P(Modes, Words, all_modes(), mode_name);

TEST_P(Words, EndTheLaunchOrHarmNobody) {
    const auto before = victim.buffer(65536, 9), mine = victim.buffer(4096, 1), after = victim.buffer(65536, 9);
    std::vector<std::uint64_t> host(64, 0x5a5a5a5a5a5a5a5a);
    const std::vector<std::uint64_t> words{2,
                                           8,
                                           4096,
                                           (1u << 24) - 8,
                                           1u << 24,
                                           17u << 24,
                                           0xfffffff0,
                                           0xfffffff8,
                                           0xffffffff,
                                           ~std::uint64_t{0},
                                           ~std::uint64_t{0} << 62,
                                           0x3fff3fff3fffull,
                                           0x7ffe'0000'0000'0000ull,
                                           0x7ffe'0000'0000'0010ull,
                                           0x7ffe'0000'0000'1000ull,
                                           mine,
                                           mine + 4092,
                                           reinterpret_cast<std::uint64_t>(host.data())};
    for (const char* entry : {"mbarrier", "generic_mbarrier", "rank", "index", "function", "descriptor", "launch"})
        for (const auto word : words) {
            const auto r = victim.run("forged_words.ptx", entry, parameters(word), {128});
            if (r.ok()) continue;
            EXPECT_EQ(r.error().kind, ErrorKind::fault) << entry << " " << word << ": " << r.error().text();
            EXPECT_GT(r.error().where.line, 0u) << entry << " " << word << ": " << r.error().text();
            EXPECT_NE(r.error().cause, Cause::none) << entry << " " << word << ": " << r.error().text();
        }
    // Of these none can be right.
    for (const char* entry : {"function", "generic_mbarrier"})
        EXPECT_FALSE(victim.run("forged_words.ptx", entry, parameters(std::uint64_t{0xffffffff}), {128}).ok()) << entry;
    // Ranks that no cluster has, also where a multiple of the window's size would wrap, and indices beyond the targets.
    for (const std::uint64_t rank : {1ull, 15ull, 16ull, 17ull, 254ull, 255ull, 256ull, 0xffffffffull})
        for (const char* entry : {"rank", "generic_rank"}) {
            victim.device->finding_log()->clear_findings();
            victim.expect_caught(victim.run("forged_words.ptx", entry, parameters(rank), {128}), "forged_words.ptx",
                                 Cause::out_of_bounds);
        }
    for (const std::uint64_t index : {0ull, 1ull})
        EXPECT_TRUE(victim.run("forged_words.ptx", "index", parameters(index), {128}).ok());
    for (const std::uint64_t index : {2ull, 3ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull})
        for (const char* entry : {"index", "one_index"}) {
            const auto r = victim.run("forged_words.ptx", entry, parameters(index), {128});
            ASSERT_FALSE(r.ok()) << entry << " " << index;
            EXPECT_EQ(r.error().cause, Cause::invalid_operand) << r.error().text();
            EXPECT_GT(r.error().where.line, 0u) << r.error().text();
        }
    EXPECT_TRUE(victim.is_all(before, 65536, 9));
    EXPECT_TRUE(victim.is_all(after, 65536, 9));
    for (const auto word : host) EXPECT_EQ(word, 0x5a5a5a5a5a5a5a5a);
}

}  // namespace words_test
