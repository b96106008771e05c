// A profile as JSON, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/profile.hpp"

namespace warpwright::profile {
namespace json_test {

using record::Count;
using testing::HasSubstr;
using testing::Not;

Times times(std::uint64_t calls, double each) {
    Times out;
    for (std::uint64_t i = 0; i < calls; ++i) out.add(each * static_cast<double>(i + 1));
    return out;
}

/// Everything that can be there is there.
Profile full() {
    Profile p;
    p.model = "h200", p.model_file = "h200.toml", p.device = "NVIDIA H200";
    p.notes = {"a note"}, p.counted_keys = {"branches"}, p.program = {"./a.out", "1"};
    p.replayed = 3, p.passes = 9, p.replay_seconds = 0.5, p.host_seconds = 1.5;
    p.counted = false, p.per_line = true;
    KernelUse k;
    k.name = "_Z1kv", k.from_device = true;
    k.grid = {1, 2, 3}, k.block = {4, 5, 6};
    k.dynamic_shared = 7, k.static_shared = 8, k.registers = 9, k.registers_source = "ptxas 13.0";
    k.times = times(2, 0.25), k.host_seconds = 0.125, k.compile_seconds = 0.0625;
    k.counts[Count::instructions] = ~std::uint64_t{0};
    k.counts[Count::shared_load_bank_conflicts] = 31;
    k.counted = 2;
    k.launches = {{1, 0.25, k.counts}, {1, 0.5, {}}};
    k.launches_left_out = 4;
    k.lines[{"k.cu", 3}][Count::branches] = 5;
    k.sample.launches = 1, k.sample.blocks = 100, k.sample.run = 10;
    k.sample.which = "10 of 100 between", k.sample.why_all = "all the same";
    k.sample.half_width[static_cast<unsigned>(Count::flops)] = 1.5;
    k.metrics["dram__bytes_read.sum"] = 128;
    k.predicted = record::Predicted{};
    k.predicted->causes = {{.cause = "bank_conflicts", .share = 0.5, .file = "k.cu", .line = 3}};
    k.predicted->causes[0].evidence = {{"wavefronts_per_request", 32}, {"needed", 1}};
    k.picture.emplace();
    k.picture->accesses = {{"k.cu", 3, 30, "ld.global.f32", "global", 32, 4, 0, {0, 4}},
                           {"", 0, 31, "st.shared.f32", "shared", 8, 4, 2, {}}};
    k.picture->ptx = {{30, "ld.global.f32 %f1, [%rd1];", "k.cu", 3, 0.5, "wait"}};
    k.picture->warps = {90, 80, 4, {"selected", "wait"}, {1, 0, 2, 3}};
    p.causes = {{.cause = "transfers", .share = 0.75, .evidence = {{"copied", 4e6}, {"percent", 75}}}};
    p.kernels = {k, KernelUse{}};
    p.copies = {{"[CUDA memcpy HtoD]", times(1, 0.5), 4096}};
    p.calls = {{"cudaMalloc", times(3, 0.125), 1}};
    p.events = {{Event::Kind::copy, 0, 7, 0.5, 0.25, 4096}};
    p.host_clock = "modelled";
    p.events_dropped = 2;
    p.faults = {{"_Z1kv", "out of bounds"}};
    p.emulator = EmulatorTime{1.5,
                              20,
                              {{"gathers", 1.25}, {"compiling", 0.25}},
                              {{"_Z1kv", "k.cu", 3, 0, "gathers", 1.25}, {"_Z1kv", "", 0, 31, "branches", 0.125}}};
    return p;
}

TEST(ProfileJson, ComesBackAsItWas) {
    const std::string text = to_json(full());
    const auto back = from_json(text, "p.json");
    ASSERT_TRUE(back.ok()) << back.error().text();
    EXPECT_EQ(to_json(*back), text);
    ASSERT_EQ(back->kernels.size(), 2u);
    const KernelUse& k = back->kernels[0];
    const Profile want = full();
    EXPECT_EQ(k.counts, want.kernels[0].counts) << "64-bit counts exactly";
    EXPECT_EQ(k.lines, want.kernels[0].lines);
    EXPECT_EQ(k.metrics, want.kernels[0].metrics);
    EXPECT_EQ(k.predicted->causes, want.kernels[0].predicted->causes);
    EXPECT_EQ(back->causes, want.causes);
    EXPECT_EQ(k.sample.half_width, want.kernels[0].sample.half_width);
    EXPECT_EQ(k.block, want.kernels[0].block);
    EXPECT_EQ(back->notes, want.notes);
    EXPECT_EQ(back->device, want.device);
    EXPECT_EQ(back->events_dropped, 2u);
    EXPECT_EQ(back->calls[0].failed, 1u);
}

TEST(ProfileJson, TheForm) {
    EXPECT_EQ(to_json(Profile{}),
              R"({"calls":[],"copies":[],"counted":true,"faults":[],"host_s":0.0,"kernels":[],"kind":"profile",)"
              R"("model":"","model_file":"","per_line":false,"program":[],"schema":1,"times":"predicted"})"
              "\n");
    const std::string text = to_json(full());
    EXPECT_THAT(text, HasSubstr(R"("counts":{"instructions":18446744073709551615,"shared_load_bank_conflicts":31,)"
                                R"("shared_load_excess_wavefronts":31})"))
        << "counts of zero are left out; one count has two names";
    EXPECT_THAT(text, HasSubstr(R"("grid":[1,2,3])"));
    EXPECT_THAT(text, HasSubstr(R"("times":"measured")"));
    EXPECT_THAT(text, HasSubstr(R"("events":[[1,0,7,0.5,0.25,4096]])"));
    EXPECT_THAT(text, HasSubstr(R"("half_width_95":{"flops":1.5})"));
    EXPECT_THAT(to_json(Profile{}), Not(HasSubstr("notes")));
}

TEST(ProfileJson, WhatIsNoProfileIsAnError) {
    for (const char* text : {"", "[]", "{}", R"({"model": 1})", "{\"kernels\": 3}"}) {
        const auto p = from_json(text, "p.json");
        ASSERT_FALSE(p.ok()) << text;
        EXPECT_EQ(p.error().kind, ErrorKind::input);
        EXPECT_THAT(p.error().text(), HasSubstr("not a profile"));
        EXPECT_THAT(p.error().text(), HasSubstr("p.json"));
    }
}

// What a printer takes as an index or a kind must be one.
TEST(ProfileJson, AnEventOfNoKindIsAnError) {
    std::string text = to_json(full());
    const std::string event = R"("events":[[1,)";
    text.replace(text.find(event), event.size(), R"("events":[[3,)");
    const auto p = from_json(text, "p.json");
    ASSERT_FALSE(p.ok());
    EXPECT_THAT(p.error().text(), HasSubstr("'events[0]' has no such kind of event"));
}

TEST(Profile, KnowsOnlyWhatWasCounted) {
    Profile p = full();
    EXPECT_TRUE(p.knows(Count::branches));
    EXPECT_FALSE(p.knows(Count::divergent_branches));
    EXPECT_FALSE(p.knows(record::Derived::branch_efficiency)) << "one of its counts is missing";
    p.device.clear();
    EXPECT_TRUE(p.knows(record::Derived::branch_efficiency)) << "the emulated GPU counts all";
}

TEST(ProfileJson, OfAnotherVersionIsOneLine) {
    std::string text = to_json(full());
    const std::string own = "\"schema\":1";
    ASSERT_NE(text.find(own), std::string::npos);
    text.replace(text.find(own), own.size(), "\"schema\":7");
    EXPECT_TRUE(is_profile(text));
    const auto back = from_json(text, "p.json");
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().what, "a profile of version 7; this Warpwright reads version 1");
    EXPECT_FALSE(is_profile("{\"schema\": 1, \"records\": [{\"kind\": \"profile\"}]}"));
    EXPECT_FALSE(is_profile("[]"));
    EXPECT_FALSE(is_profile("no JSON"));
}

// Profiles from before events had a sixth number.
TEST(ProfileJson, EventsOfFiveNumbersAreRead) {
    std::string text = to_json(full());
    const auto at = text.find(",4096]]");
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, 7, "]]");
    const auto back = from_json(text, "p.json");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->events[0].number, 0u);
    EXPECT_DOUBLE_EQ(back->events[0].seconds, 0.25);
}

}  // namespace json_test
}  // namespace warpwright::profile
