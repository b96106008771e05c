// A launch's trace as a picture: which memory a request touched, what each instruction cost, what warps did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/launch_picture.hpp"

namespace warpwright::predict {
namespace launch_picture_test {

using machine::Event;
using testing::ElementsAre;

/// Two warps that load, add and store; the first loads with 8 lanes, the second with all.
class LaunchPicture : public testing::Test {
protected:
    void SetUp() override {
        model = *arch::load_model("h200");
        load = simt::decode("ld.global.f32").value(), store = simt::decode("st.shared.f64").value();
        load.line = 2, load.source = {0, 7};
        store.line = 4, store.source = {0, 9};
        auto code = std::make_shared<machine::Code>();
        code->files = {"k.cu"};
        machine::Block block;
        machine::Op op;
        op.pipe = machine::Pipe::memory, op.effect = machine::Effect::load, op.bytes = 4, op.access = 0;
        op.space = simt::Space::global, op.out = {0}, op.ptx = &load;
        block.ops.push_back(op);
        op = {};
        op.pipe = machine::Pipe::memory, op.effect = machine::Effect::store, op.bytes = 8, op.access = 1;
        op.space = simt::Space::shared, op.in = {0}, op.ptx = &store;
        block.ops.push_back(op);
        block.slots = block.counted = code->instructions = 2, block.accesses = 2, code->values = 1;
        code->blocks.push_back(block);
        trace = std::make_shared<machine::LaunchTrace>();
        trace->code = code, trace->blocks = 1;
        auto& sample = trace->sample.emplace_back();
        sample.warps.resize(2);
        sample.sectors = {41, 40, 99, 43, 41};
        sample.warps[0].events = {{0, 32, 0, 0, 0}, {Event::kAccess, 8, 2, 1, 1}, {Event::kAccess, 32, 0, 0, 4}};
        sample.warps[1].events = {{0, 32, 0, 0, 0}, {Event::kAccess, 32, 0, 5, 1}, {Event::kAccess, 32, 0, 0, 2}};
        sample.events = 6;
        work.block = {64, 1, 1}, work.registers = 32;
        work.counts[record::Count::instructions] = 4;
        work.trace = trace;
    }

    arch::DeviceModel model;
    simt::Details load, store;
    std::shared_ptr<machine::LaunchTrace> trace;
    Work work;
};

TEST_F(LaunchPicture, HasARequestOfEachInstruction) {
    const auto p =
        launch_picture("k", work, model, "// a line\n\tld.global.f32 %f1, [%rd1];\n\n st.shared.f64 [%r1], %fd1;");
    ASSERT_TRUE(p) << p.error().text();
    ASSERT_EQ(p->accesses.size(), 2u);
    const auto &a = p->accesses[0], &b = p->accesses[1];
    EXPECT_EQ(a.file, "k.cu");
    EXPECT_EQ(a.line, 7u);
    EXPECT_EQ(a.lanes, 32u) << "the first with the most lanes";
    EXPECT_EQ(a.bytes, 4u);
    EXPECT_EQ(a.space, "global");
    // From the line of 128 bytes of the lowest on, in order, each once.
    EXPECT_THAT(a.sectors, ElementsAre(0, 1, 3, 59));
    EXPECT_EQ(b.space, "shared");
    EXPECT_EQ(b.wavefronts, 4u);
    EXPECT_TRUE(b.sectors.empty());
}

TEST_F(LaunchPicture, HasThePlacesOfLanesWhereTheTraceKeptThem) {
    EXPECT_TRUE(launch_picture("k", work, model, "")->accesses[0].at.empty());
    auto& sample = trace->sample[0];
    const auto none = machine::LaneAccess::kNone;
    sample.examples = {
        {{sample.warps[1].events[1], {41 * 32 + 4, none, 99 * 32}}, {sample.warps[0].events[2], {0, 8, none}}}};
    const auto p = launch_picture("k", work, model, "");
    ASSERT_TRUE(p) << p.error().text();
    // From the line of 128 bytes of the lowest sector on, which is the 40th.
    EXPECT_THAT(p->accesses[0].at, ElementsAre(32 + 4, record::AccessPicture::kNotActive, 59 * 32));
    EXPECT_THAT(p->accesses[0].sectors, ElementsAre(0, 1, 3, 59));
    EXPECT_THAT(p->accesses[1].at, ElementsAre(0, 8, record::AccessPicture::kNotActive));
}

TEST_F(LaunchPicture, HasThePtxWithItsPartOfTheTime) {
    const auto p =
        launch_picture("k", work, model, "// a line\n\tld.global.f32 %f1, [%rd1];\n\n st.shared.f64 [%r1], %fd1;");
    ASSERT_TRUE(p) << p.error().text();
    ASSERT_EQ(p->ptx.size(), 2u);
    EXPECT_EQ(p->ptx[0].text, "ld.global.f32 %f1, [%rd1];");
    EXPECT_EQ(p->ptx[1].text, "st.shared.f64 [%r1], %fd1;");
    EXPECT_EQ(p->ptx[1].line, 9u);
    EXPECT_GT(p->ptx[1].share, p->ptx[0].share) << "it waits for what is loaded";
    EXPECT_EQ(p->ptx[1].state, "long_scoreboard");
    EXPECT_FALSE(p->warps.intervals.empty());
    EXPECT_EQ(p->warps.intervals.size() % 4, 0u);
}

TEST_F(LaunchPicture, WithoutATraceThereIsNone) {
    work.trace.reset();
    EXPECT_EQ(launch_picture("k", work, model, "").error().what, "the launch kept no trace");
}

TEST_F(LaunchPicture, ALongTraceIsNotSimulatedAgain) {
    trace->sample[0].events = 3'000'000;
    EXPECT_EQ(launch_picture("k", work, model, "").error().what, "the launch is too long for a picture");
}

}  // namespace launch_picture_test
}  // namespace warpwright::predict
