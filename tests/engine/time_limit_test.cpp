// A limit of time for making a kernel's code: it is asked between the steps, and nothing is begun once it is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/run/engine.hpp"
#include "support/cause.hpp"

namespace warpwright::engine {
namespace time_limit_test {

/// So many branches forward, each around one addition.
std::string branches(unsigned count) {
    std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %q;\n"
        ".reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n";
    for (unsigned k = 0; k < count; ++k) {
        const auto n = std::to_string(k);
        text += "setp.eq.u32 %q, %r1, " + n + ";\n@%q bra L" + n + ";\nadd.u32 %r2, %r2, " + n + ";\nL" + n + ":\n";
    }
    return text + "st.global.u32 [%d1], %r2;\nret;\n}\n";
}

class TimeLimit : public testing::Test {
protected:
    void SetUp() override {
        EngineOptions options;
        options.threads = 1;
        options.memory = std::uint64_t{1} << 26;
        auto made = Engine::create(options);
        ASSERT_TRUE(made.ok()) << made.error().text();
        engine_ = std::move(*made);
        auto loaded = engine_->load("branches.ptx", branches(20));
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
        program_ = *loaded;
        out_ = engine_->memory().allocate(256).value();
    }
    Result<launch::EmulatedResult> launch(std::function<bool()> over, std::atomic<bool>& begun) {
        LaunchRequest request;
        request.config.block.x = 32;
        request.parameters = std::as_bytes(std::span(&out_, 1));
        request.compiling = WorkLimit(std::move(over));
        request.options.begun = &begun;
        return engine_->launch(*program_, 0, request);
    }
    std::unique_ptr<Engine> engine_;
    std::shared_ptr<Program> program_;
    std::uint64_t out_ = 0;
};

TEST_F(TimeLimit, is_asked_between_the_steps_of_making_code_and_nothing_begins_after_it) {
    // Wherever it ends, it is asked no more, and the next launch begins from nothing.
    constexpr unsigned kEnough = 1000;
    unsigned steps = 0;
    for (unsigned end = 1;; ++end) {
        ASSERT_LT(end, kEnough);
        unsigned asked = 0;
        std::atomic<bool> begun = false;
        const auto ran = launch([&] { return ++asked >= end; }, begun);
        if (asked < end) {
            EXPECT_TRUE(ran.ok()) << ran.error().text();
            EXPECT_TRUE(begun);
            break;
        }
        ++steps;
        ASSERT_FALSE(ran.ok()) << "asked " << asked << " times";
        EXPECT_EQ(asked, end);
        EXPECT_FALSE(begun);
        EXPECT_EQ(ran.error().kind, ErrorKind::fault);
        EXPECT_EQ(ran.error().cause, Cause::time_limit);
        EXPECT_EQ(ran.error().where.file, "branches.ptx");
        EXPECT_GT(ran.error().where.line, 0u);
        EXPECT_THAT(ran.error().text(), testing::HasSubstr("not made in time"));
    }
    // The graph's passes, the writing of LLVM's code, LLVM's passes and its code generator are steps.
    EXPECT_GE(steps, 12u);
}

}  // namespace time_limit_test
}  // namespace warpwright::engine
