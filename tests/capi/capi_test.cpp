// The C interface: memory of the host as arguments, errors with their places, checkers that are switched on and off,
// recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "warpwright/warpwright.h"

extern "C" int header_in_c(void);

namespace capi_test {

using nlohmann::json;
using ::testing::Each;
using ::testing::HasSubstr;

/// add: y[i] += x[i]; bad: a store to a null pointer; lonely: two warps store to one shared word, unordered; first:
/// y[0] of a thread beyond `n` threads.
constexpr const char* kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n) {
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd5], %f3;
done:
    ret;
}
.visible .entry bad() {
    .reg .b64 %rd<2>; .reg .b32 %r<2>;
    mov.u64 %rd1, 16; mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry lonely() {
    .shared .align 4 .b32 word;
    .reg .b32 %r<2>;
    mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5;
    st.shared.u32 [word], %r1;
    ret;
}
)";

struct Text {
    char* text = nullptr;
    ~Text() { ww_text_release(text); }
    json parsed() const { return json::parse(text); }
};

class CInterface : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(ww_load_ptx("add.ptx", kText, &module_), WW_OK) << ww_error(); }
    void TearDown() override { ww_module_release(module_); }

    ww_kernel* kernel(const char* name) {
        ww_kernel* out = nullptr;
        EXPECT_EQ(ww_module_kernel(module_, name, &out), WW_OK) << ww_error();
        return out;
    }
    ww_status launch(const char* name, std::vector<ww_argument> arguments, std::uint32_t blocks = 4,
                     std::uint32_t threads = 64) {
        const ww_shape shape{{blocks, 1, 1}, {threads, 1, 1}, 0, 0};
        ww_result* result = nullptr;
        const auto status = ww_launch(kernel(name), &shape, arguments.data(), arguments.size(), &result);
        last_ = result ? json::parse(ww_result_json(result)) : json();
        ww_result_release(result);
        return status;
    }
    static ww_argument host(std::vector<float>& values, ww_argument_kind kind = WW_HOST) {
        return {kind, values.data(), values.size() * sizeof(float)};
    }
    static ww_argument value(std::uint32_t& number) { return {WW_VALUE, &number, sizeof number}; }

    ww_module* module_ = nullptr;
    json last_;
};

TEST_F(CInterface, HeaderIsC) { EXPECT_EQ(header_in_c(), 0); }

TEST_F(CInterface, KernelsWorkOnTheHostsMemory) {
    std::vector<float> x(200, 2), y(200, 1);
    std::uint32_t n = 200;
    ASSERT_EQ(launch("add", {host(x, WW_HOST_READ), host(y), value(n)}), WW_OK) << ww_error();
    EXPECT_THAT(y, Each(3.0f));
    EXPECT_EQ(last_["counts"]["global_load_requests"], 14);  // 7 warps have a thread below 200, each loads twice
    EXPECT_EQ(last_["counts"]["global_load_sectors"], 50);   // 200 words of 4 bytes, twice
    EXPECT_EQ(last_["grid"], json({4, 1, 1}));
    EXPECT_GT(last_["bound"]["seconds"].get<double>(), 0);
    EXPECT_GT(last_["predicted"]["seconds"].get<double>(), 0);
}

TEST_F(CInterface, CountsDoNotDependOnWhereAnArrayLies) {
    std::uint32_t n = 64;
    std::vector<float> memory(400, 1);
    json counts;
    for (const std::size_t at : {0, 1, 2, 3, 5, 7, 64}) {
        ASSERT_EQ(launch("add", {{WW_HOST, &memory[at], 256}, {WW_HOST, &memory[at + 100], 256}, value(n)}, 1), WW_OK);
        if (!counts.is_null()) EXPECT_EQ(last_["counts"], counts) << at;
        counts = last_["counts"];
    }
}

TEST_F(CInterface, ArraysMayOverlap) {
    std::vector<float> values(101);
    std::iota(values.begin(), values.end(), 0.0f);
    std::uint32_t n = 100;
    // One block: its threads load both before any of them stores.
    ASSERT_EQ(launch("add", {{WW_HOST, values.data(), 404}, {WW_HOST, values.data(), 400}, value(n)}, 1, 128), WW_OK);
    EXPECT_EQ(values[50], 100.0f);
    EXPECT_EQ(values[100], 100.0f);
}

TEST_F(CInterface, ReadOnlyMemoryStaysAsItIs) {
    std::vector<float> x(64, 1), y(64, 1);
    std::uint32_t n = 64;
    EXPECT_EQ(launch("add", {host(x), host(y, WW_HOST_READ), value(n)}, 1), WW_USAGE);
    EXPECT_THAT(ww_error(), HasSubstr("argument 1, which is read-only"));
    EXPECT_THAT(y, Each(1.0f));
}

TEST_F(CInterface, ArgumentsThatDoNotFitAreNamed) {
    std::vector<float> x(64);
    std::uint32_t n = 64;
    EXPECT_EQ(launch("add", {host(x), value(n)}), WW_USAGE);
    EXPECT_THAT(ww_error(), HasSubstr("takes 3 arguments, 2 given"));
    EXPECT_EQ(launch("add", {host(x), value(n), value(n)}), WW_USAGE);
    EXPECT_THAT(ww_error(), HasSubstr("argument 1 of add has 4 bytes"));
    ww_kernel* none = nullptr;
    EXPECT_EQ(ww_module_kernel(module_, "ad", &none), WW_INPUT);
    EXPECT_THAT(ww_error(), HasSubstr("add"));
    EXPECT_EQ(launch("add", {host(x), host(x), value(n)}, 1, 4096), WW_LIMIT);
}

TEST_F(CInterface, AFaultIsLocatedAndTheDeviceGoesOn) {
    EXPECT_EQ(launch("bad", {}, 1, 1), WW_FAULT);
    const auto error = json::parse(ww_error_json());
    EXPECT_EQ(error["file"], "add.ptx");
    EXPECT_GT(error["line"], 0);
    EXPECT_EQ(error["kind"], "fault");
    EXPECT_EQ(last_["fault"]["text"], error["text"]);
    std::vector<float> x(64, 1), y(64, 1);
    std::uint32_t n = 64;
    EXPECT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK) << ww_error();
}

TEST_F(CInterface, CheckersAreSwitchedOnAndOff) {
    std::vector<float> x(64, 1), y(64, 1);
    std::uint32_t n = 64;
    std::uint64_t before = 0, fresh = 0;
    ASSERT_EQ(ww_allocate(256, &before), WW_OK);
    ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    const auto plain = last_["counts"];
    ASSERT_EQ(launch("lonely", {}, 1), WW_OK);
    EXPECT_FALSE(last_.contains("findings"));

    ASSERT_EQ(ww_check_begin("all"), WW_OK) << ww_error();
    EXPECT_EQ(ww_check_begin("all"), WW_USAGE);
    ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    EXPECT_EQ(last_["counts"], plain);
    EXPECT_FALSE(last_.contains("findings")) << last_.dump();
    ASSERT_EQ(launch("lonely", {}, 1), WW_OK);
    ASSERT_TRUE(last_.contains("findings"));
    EXPECT_EQ(last_["findings"][0]["kind"], "race-shared");
    // Memory from before counts as written, memory from now on does not.
    ASSERT_EQ(launch("add", {{WW_DEVICE, reinterpret_cast<void*>(before), 0}, host(y), value(n)}, 1), WW_OK);
    EXPECT_FALSE(last_.contains("findings")) << last_.dump();
    ASSERT_EQ(ww_allocate(256, &fresh), WW_OK);
    ASSERT_EQ(launch("add", {{WW_DEVICE, reinterpret_cast<void*>(fresh), 0}, host(y), value(n)}, 1), WW_OK);
    ASSERT_TRUE(last_.contains("findings"));
    EXPECT_EQ(last_["findings"][0]["kind"], "uninitialised");
    ASSERT_EQ(ww_release(before), WW_OK);
    Text found;
    ASSERT_EQ(ww_check_end(&found.text), WW_OK);
    EXPECT_TRUE(found.parsed()["findings"].empty());  // each was told with its launch

    ASSERT_EQ(launch("lonely", {}, 1), WW_OK);
    EXPECT_FALSE(last_.contains("findings"));
    ASSERT_EQ(ww_release(fresh), WW_OK);
    for (int k = 0; k < 20; ++k) {  // memory that was handed out while checked and while not does not overlap
        std::uint64_t a = 0, b = 0;
        ASSERT_EQ(ww_allocate(1000, &a), WW_OK);
        ASSERT_EQ(ww_allocate(1000, &b), WW_OK);
        EXPECT_GE(a > b ? a - b : b - a, 1000u);
        ASSERT_EQ(ww_release(k % 2 ? a : b), WW_OK);
        ASSERT_EQ(ww_release(k % 2 ? b : a), WW_OK);
    }
}

TEST_F(CInterface, ARecordingHasEachLaunch) {
    ww_recording* recording = nullptr;
    std::vector<float> x(64, 1), y(64, 1);
    std::uint32_t n = 64;
    ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    ASSERT_EQ(ww_record_begin(&recording), WW_OK);
    ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    EXPECT_EQ(launch("bad", {}, 1, 1), WW_FAULT);
    Text text;
    ASSERT_EQ(ww_record_end(recording, &text.text), WW_OK);
    const auto launches = text.parsed()["launches"];
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0]["signature"], "add");
    EXPECT_EQ(launches[0]["counts"]["global_store_requests"], 2);
    EXPECT_TRUE(launches[1].contains("fault"));
}

TEST_F(CInterface, TheSumOfTimesGrowsByThatOfEachKernel) {
    std::vector<float> x(64, 1), y(64, 1);
    std::uint32_t n = 64;
    double before = -1, once = -1, thrice = -1;
    ASSERT_EQ(ww_record_seconds(&before), WW_OK);
    ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    ASSERT_EQ(ww_record_seconds(&once), WW_OK);
    for (int k = 0; k < 2; ++k) ASSERT_EQ(launch("add", {host(x), host(y), value(n)}, 1), WW_OK);
    ASSERT_EQ(ww_record_seconds(&thrice), WW_OK);
    EXPECT_GT(once, before);
    EXPECT_NEAR(thrice - once, 2 * (once - before), 1e-12);
    EXPECT_EQ(ww_record_seconds(nullptr), WW_USAGE);
}

TEST_F(CInterface, ModelsAndOccupancy) {
    Text models, occupancy;
    ASSERT_EQ(ww_models(&models.text), WW_OK) << ww_error();
    bool h200 = false;
    for (const auto& m : models.parsed()) h200 |= m["name"] == "h200" && m["compute_capability"] == 90;
    EXPECT_TRUE(h200);
    ASSERT_EQ(ww_occupancy("h200", 32, 0, 256, &occupancy.text), WW_OK) << ww_error();
    EXPECT_EQ(occupancy.parsed()["warps"], 64);
    EXPECT_EQ(ww_occupancy("h200", 32, 0, 4096, nullptr), WW_LIMIT);
    EXPECT_EQ(ww_occupancy("no-such-model", 32, 0, 256, nullptr), WW_USAGE);
    EXPECT_THAT(ww_error(), HasSubstr("no-such-model"));
}

TEST_F(CInterface, TextThatIsNoPtxIsRefusedWithItsPlace) {
    ww_module* none = nullptr;
    EXPECT_EQ(ww_load_ptx("wrong.ptx", ".version 8.0\n.target sm_80\nnonsense\n", &none), WW_INPUT);
    EXPECT_THAT(ww_error(), HasSubstr("wrong.ptx:3"));
}

}  // namespace capi_test
