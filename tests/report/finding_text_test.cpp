// Findings as sentences: every kind, in every language, with all that a finding can carry and with nothing.
#include "report/finding_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/words.hpp"

namespace warpwright::report {
namespace finding_text_test {

using record::Finding;
using record::FindingKind;
using testing::HasSubstr;
using testing::Not;

record::FindingPlace place(unsigned line, std::uint32_t thread) {
    record::FindingPlace at;
    at.file = "k.cu", at.line = line, at.access = "store of 4 bytes";
    at.block = {1, 0, 0}, at.thread = {thread, 0, 0};
    return at;
}

Finding full(FindingKind kind) {
    Finding f = record::finding_of(kind);
    f.at = place(3, 5), f.other = place(9, 40);
    f.message = "something in English", f.space = "global", f.address = 0x1004, f.bytes = 4;
    f.allocation = {0x1000, 4};
    f.array = {"s", "s[1]", "", 0, 4};
    return f;
}

TEST(FindingText, EveryKindCanBeSaidInEveryLanguage) {
    for (const std::string& language : Words::languages()) {
        const auto words = Words::load(language);
        ASSERT_TRUE(words);
        for (const auto& info : record::finding_kinds())
            for (const Finding& f : {full(info.kind), record::finding_of(info.kind)}) {
                const std::string said = words->render(finding_text(f));
                EXPECT_FALSE(said.empty());
                EXPECT_THAT(said, Not(HasSubstr("[name"))) << language << " " << info.name;
                EXPECT_THAT(said, Not(HasSubstr("[finding"))) << language << " " << info.name;
                if (language != "en") EXPECT_THAT(said, Not(HasSubstr("store"))) << language << " " << info.name;
            }
    }
}

// What to do is carried in English, and told from it; also where the place of the defect decides, not the kind alone.
TEST(FindingText, AdviceCanBeSaidInEveryLanguage) {
    std::vector<std::string> advice{
        "make the load at k.cu:3 volatile or atomic: it reads what the compare-and-swap of another thread may be "
        "changing",
        "the grid is too short: 1000 elements need 4 blocks of 256 threads, (n + threads - 1) / threads",
        "mend the races on s first: the thread that writes it may only have come later; else write it first",
        "wait for the phase of the copy's mbarrier before the memory is used"};
    for (const auto& info : record::finding_kinds())
        if (!info.advice.empty()) advice.emplace_back(info.advice);
    EXPECT_GT(advice.size(), 20u);
    for (const std::string& language : Words::languages()) {
        const auto words = Words::load(language);
        ASSERT_TRUE(words);
        for (const std::string& said : advice) {
            const std::string there = words->render(carried_text(said));
            if (language == "en")
                EXPECT_EQ(there, said);
            else
                EXPECT_NE(there, said) << language;
        }
    }
    const auto words = Words::load("fi");
    ASSERT_TRUE(words);
    EXPECT_THAT(words->render(carried_text(advice[0])), HasSubstr("k.cu:3"));
    EXPECT_THAT(words->render(carried_text(advice[1])), HasSubstr("1000 alkiota"));
}

TEST(FindingText, NamesThePlace) {
    Finding f = full(FindingKind::out_of_bounds);
    const Words& words = Words::plain();
    EXPECT_EQ(words.render(finding_text(f)),
              "store of 4 bytes at s[1], out of bounds: at the end of an allocation of 4 bytes, by thread (5,0,0) of "
              "block (1,0,0)");
    f.address = 0x0ff8;
    EXPECT_THAT(words.render(finding_text(f)), HasSubstr("8 bytes before an allocation of 4"));
    f.array.reset(), f.allocation.reset();
    EXPECT_THAT(words.render(finding_text(f)),
                HasSubstr("at address 0xff8, out of bounds: no memory is allocated there"));
    EXPECT_EQ(words.render(finding_text(full(FindingKind::race_shared))),
              "s[1]: nothing orders thread (5,0,0) of block (1,0,0) (store of 4 bytes, line 3) and thread (40,0,0) of "
              "block (1,0,0) (store of 4 bytes, line 9)");
}

TEST(FindingText, NamesTheFileOfTheOtherSideWhereItIsAnother) {
    Finding f = full(FindingKind::race_shared);
    f.other->file = "tools.cuh";
    EXPECT_THAT(Words::plain().render(finding_text(f)), HasSubstr("(store of 4 bytes, line 3) and thread (40,0,0) of "
                                                                  "block (1,0,0) (store of 4 bytes, tools.cuh:9)"));
    f.other->line = 0;
    EXPECT_THAT(Words::plain().render(finding_text(f)),
                HasSubstr("thread (40,0,0) of block (1,0,0) (store of 4 bytes)"));
    f.other->line = 9, f.other->thread.reset();
    EXPECT_THAT(Words::plain().render(finding_text(f)), HasSubstr("store of 4 bytes at tools.cuh:9"));
}

TEST(FindingText, SaysHowALaunchEnded) {
    const auto words = Words::load("fi");
    ASSERT_TRUE(words);
    Finding f = record::finding_of(FindingKind::deadlock);
    f.message =
        "deadlock: 16 threads (lanes 0-15 of warp 0) of block (0,0,0) wait at bar.sync for threads that never reach "
        "it: 16 threads (lanes 16-31 of warp 0) have ended";
    EXPECT_EQ(words->render(finding_text(f)),
              "lukkiutuma: lohkon (0,0,0) säikeistä 16 (säienipun 0 kaistat 0-15) odottaa kohdassa bar.sync säikeitä, "
              "jotka eivät koskaan tule sinne: 16 (säienipun 0 kaistat 16-31): päättyneet");
    f.message =
        "deadlock: 16 threads (lanes 0-15 of warp 0) of block (0,0,0) wait at bar.sync for threads that never reach "
        "it: 1 thread (lane 31 of warp 0) has ended; 70 threads (of 3 warps, the first of them 1) wait at bar.sync";
    EXPECT_EQ(words->render(finding_text(f)),
              "lukkiutuma: lohkon (0,0,0) säikeistä 16 (säienipun 0 kaistat 0-15) odottaa kohdassa bar.sync säikeitä, "
              "jotka eivät koskaan tule sinne: 1 (säienipun 0 kaista 31): päättynyt; 70 (3 säienippua, niistä "
              "ensimmäinen 1): odottavat kohdassa bar.sync");
    f.message = "something new";
    EXPECT_EQ(words->render(finding_text(f)), "säikeet odottavat jotain, mitä ei koskaan tapahdu: something new");
}

}  // namespace finding_text_test
}  // namespace warpwright::report
