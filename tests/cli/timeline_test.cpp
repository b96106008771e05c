// launch --timeline: the page, the JSON, the lines of text, and what it cannot go with.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/program.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::cli {
namespace timeline_test {

using test::program;
using testing::HasSubstr;

constexpr const char* kKernel = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry wait(.param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<8>; .shared .align 4 .b8 s[1024];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.u32 %r2, [%rd3];
mov.u32 %r3, s;
st.shared.u32 [%r3], %r2;
bar.sync 0;
ld.shared.u32 %r4, [%r3];
st.global.u32 [%rd3], %r4;
ret;
})";

constexpr const char* kBulkKernel = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry bulk(.param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 16 .b8 s[1024]; .shared .align 8 .b8 m[8];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r2, s;
mov.u32 %r3, m;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra WAIT;
mbarrier.init.shared.b64 [%r3], 1;
mbarrier.arrive.expect_tx.shared.b64 %rd2, [%r3], 1024;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
@!%p2 bra AGAIN;
ld.shared.u32 %r4, [%r2];
st.global.u32 [%rd1], %r4;
ret;
})";

class Timeline : public testing::Test {
protected:
    void SetUp() override {
        std::ofstream(file("wait.ptx")) << kKernel;
        std::ofstream(file("bulk.ptx")) << kBulkKernel;
    }
    test::Said launch(std::vector<std::string> more, const std::string& kernel = "wait.ptx") {
        std::vector<std::string> words = {"launch", file(kernel), "--grid",         "4",        "--block",
                                          "256",    "--arg",      "u32[1024]=zero", "--device", "emulated"};
        words.insert(words.end(), more.begin(), more.end());
        return program(words);
    }
    std::string text_of(const std::string& name) {
        std::ifstream in(file(name));
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }
    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

    TemporaryFolder folder_{"timeline"};
};

TEST_F(Timeline, tells_where_warps_stood) {
    const auto said = launch({"--predict=all", "--timeline", file("t.json")});
    ASSERT_EQ(said.code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr("where warps stood, by source line"));
    const auto j = nlohmann::json::parse(text_of("t.json"));
    double waited = 0, barrier = 0;
    for (const auto& i : j["instructions"]) {
        if (i["text"] == "bar.sync") barrier = i["cycles"].value("barrier", 0.0);
        if (i["text"] == "st.shared.u32") waited = i["cycles"].value("long_scoreboard", 0.0);
    }
    EXPECT_GT(waited, 0);   // for the load from device memory
    EXPECT_GT(barrier, 0);  // for the warps that came later
    EXPECT_EQ(j["warps"].size() % 8, 0u);
}

TEST_F(Timeline, warps_wait_for_what_a_bulk_copy_brings) {
    const auto said = launch({"--predict=all", "--timeline", file("t.json")}, "bulk.ptx");
    ASSERT_EQ(said.code, 0) << said.error;
    const auto j = nlohmann::json::parse(text_of("t.json"));
    double waited = 0;
    for (const auto& i : j["instructions"]) waited += i["cycles"].value("long_scoreboard", 0.0);
    // Eight warps, and DRAM is some 700 cycles away.
    EXPECT_GT(waited, 8 * 500);
}

TEST_F(Timeline, shows_as_many_cycles_as_asked_for) {
    ASSERT_EQ(launch({"--predict=all", "--timeline", file("t.json"), "--timeline-cycles", "100"}).code, 0);
    const auto j = nlohmann::json::parse(text_of("t.json"));
    for (const auto& i : j["intervals"]) EXPECT_LE(i["end"], 100);
    ASSERT_EQ(launch({"--predict=all", "--timeline", file("t.html")}).code, 0);
    EXPECT_THAT(text_of("t.html"), HasSubstr("wait · h200: what warps do"));
}

TEST_F(Timeline, refuses_what_has_no_simulation) {
    for (const auto& [more, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"--timeline", "t.txt"}, "the name's ending does not say what to write"},
             {{"--timeline", "t.html", "--bounds"}, "--timeline needs the simulation"},
             {{"--timeline", "t.html", "--models", "all"}, "--timeline cannot go with --models"}}) {
        const auto said = launch(more);
        EXPECT_EQ(said.code, 2);
        EXPECT_THAT(said.error, HasSubstr(says));
    }
}

}  // namespace timeline_test
}  // namespace warpwright::cli
