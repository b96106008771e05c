// The figures of the model of time: which are measured, how lines are fitted, what is written and read again; and every
// launch on the emulated device.
#include <gmock/gmock.h>

#include <set>

#include "../ladder/fake_device.hpp"
#include "arch/figures.hpp"
#include "device/emulated/emulated.hpp"
#include "measure/ceilings/deep.hpp"
#include "measure/ceilings/fit.hpp"
#include "timing/parameters.hpp"

namespace warpwright::measure {
namespace deep_test {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

arch::DeviceModel h200() {
    auto m = arch::load_model("h200");
    EXPECT_TRUE(m.ok());
    return *m;
}

TEST(Fit, a_line_has_its_slope_and_intercept) {
    const Line l = fit_line({1, 2, 4, 8}, {17, 19, 23, 31});
    EXPECT_DOUBLE_EQ(l.slope, 2);
    EXPECT_DOUBLE_EQ(l.intercept, 15);
    // Noise that is even on both sides takes nothing away.
    EXPECT_NEAR(fit_line({0, 0, 10, 10}, {1, 3, 21, 23}).slope, 2, 1e-12);
    EXPECT_EQ(fit_line({3, 3}, {1, 2}).slope, 0);
    EXPECT_EQ(fit_line({3}, {1}).slope, 0);
}

TEST(Fit, each_sample_has_a_line_of_its_own) {
    const auto lines = fit_lines({1, 2}, {{10, 11, 12}, {12, 14}});
    EXPECT_THAT(slopes(lines), ElementsAre(2, 3));
    EXPECT_THAT(intercepts(lines), ElementsAre(8, 8));
    EXPECT_TRUE(fit_lines({1, 2}, {{1}}).empty());
    EXPECT_THAT(scaled_less({10, 20}, 0.5, 1), ElementsAre(4, 9));
}

TEST(Fit, a_step_is_where_the_second_half_begins) {
    EXPECT_EQ(step_at({256, 512, 1024, 2048}, {9, 9, 30, 60}), 2048);
    EXPECT_EQ(step_at({256, 512, 1024, 2048}, {9, 9, 50, 60}), 1024);
    EXPECT_EQ(step_at({256, 512, 1024, 2048}, {9, 9, 9, 10}), 0);
    EXPECT_EQ(step_at({1, 2}, {1, 9}), 0);
}

TEST(Deep, each_key_of_the_table_is_measured_or_says_why_not) {
    const std::set<std::string> groups(ceiling_groups().begin(), ceiling_groups().end());
    for (const arch::TimingFigure& f : arch::timing_figures()) {
        EXPECT_FALSE(f.method.empty()) << f.key;
        EXPECT_TRUE(f.probe.empty() || groups.contains(std::string(f.probe))) << f.key;
    }
}

/// A device whose every measuring kernel takes what a made-up one would: cycles by the kernels' own parameters.
class MadeUp : public ladder::test::FakeDevice, public device::Timer {
public:
    MadeUp() {
        body = [this](const Call& call) { return write_cycles(call); };
    }
    std::string fails;  ///< a kernel
    device::Timer* timer() override { return this; }
    Result<std::vector<double>> time(std::span<const device::Step> steps, const device::TimeRequest& request) override {
        double sum = 0;
        for (const device::Step& s : steps) sum += seconds(s);
        return std::vector<double>(request.samples, sum * request.repeat);
    }

private:
    static constexpr double kClock = 1.98e9, kSms = 132;

    static double seconds(const device::Step& s) {
        Call call{s.kernel, s.config, s.parameters};
        const double threads = double(s.config.grid.x) * s.config.block.x;
        if (s.kernel == "empty") return 1e-6 + s.config.grid.x * 1.25 / kClock;
        if (s.kernel == "read_lines") return 1.75 * threads * call.get<std::uint32_t>(12) / kSms / kClock;
        if (s.kernel == "write_sectors") {
            const double of_line = call.get<std::uint32_t>(12), times = call.get<std::uint32_t>(16);
            return (1.5 + 2.5 / of_line) * threads * times / kSms / kClock;
        }
        return 1e-3;
    }

    Result<void> write_cycles(const Call& call) {
        if (call.kernel == fails) return Error{ErrorKind::fault, "made to fail", {}, ""};
        if (call.kernel == "barrier")
            call.pointer<std::uint64_t>(8)[0] = call.get<std::uint32_t>(0) * (15 + 2 * call.config.block.x / 32);
        if (call.kernel == "shared_latency")
            call.pointer<std::uint64_t>(8)[0] = call.get<std::uint32_t>(4) * (21 + 2 * call.get<std::uint32_t>(0));
        if (call.kernel == "compare_loops")  // words, warps, times
            call.pointer<std::uint64_t>(16)[0] =
                32 * call.get<std::uint32_t>(8) * (95 + 80 * (call.get<std::uint32_t>(4) - 1));
        if (call.kernel == "chain_logic")
            call.pointer<std::uint64_t>(24)[0] = 2 * 4 * 256 * call.get<std::uint32_t>(20);
        const auto chain = [&](const char* kernel, std::uint32_t of_step) {
            if (call.kernel == kernel) call.pointer<std::uint64_t>(24)[0] = of_step * 256 * call.get<std::uint32_t>(20);
        };
        chain("chain_guard", 4 + 9 + 4);
        chain("chain_register", 4 + 9 + 38);
        if (call.kernel == "accesses_in_row")
            call.pointer<std::uint64_t>(8)[0] = std::uint64_t{4} * 128 * call.get<std::uint32_t>(0);
        if (call.kernel == "chase_everywhere")
            for (std::uint32_t k = 0; k < call.config.grid.x; ++k)
                call.pointer<std::uint64_t>(16)[k] = (k == 7 ? 210 : 200) * call.get<std::uint32_t>(8);
        if (call.kernel == "chain_multiply") call.pointer<std::uint64_t>(24)[0] = 5 * 256 * call.get<std::uint32_t>(20);
        if (call.kernel == "chain_multiply_logic")
            call.pointer<std::uint64_t>(24)[0] = 11 * 256 * call.get<std::uint32_t>(20);
        if (call.kernel == "chain_add_logic")  // less than logic alone: no such figure
            call.pointer<std::uint64_t>(24)[0] = 3 * 256 * call.get<std::uint32_t>(20);
        if (call.kernel == "blocks_in_turn") {
            auto* out = call.pointer<std::uint64_t>(16);
            // One after the other on each multiprocessor, as many as it has places for.
            const std::uint32_t places = call.config.dynamic_shared > 0 ? 1 : h200().limits.blocks_per_sm;
            for (std::uint32_t k = 0; k < call.config.grid.x; ++k) {
                const std::uint64_t turn = k / 132 / places, place = k / 132 % places;
                out[2 * k] = k % 132;
                out[2 * k + 1] = 7000 * (k % 132) + 157 * place + turn * (call.get<std::uint64_t>(0) + 120);
            }
        }
        return {};
    }
};

CeilingOptions options() {
    CeilingOptions o;
    o.folder = "kernels";
    o.compile = [](const std::string& path, const std::vector<std::string>&) { return Result<std::string>(path); };
    o.how = "measured by a test";
    return o;
}

std::optional<double> value_of(const Ceilings& c, const std::string& key) {
    for (const arch::Figure& f : c.figures)
        if (f.table == "timing" && f.key == key) return std::stod(f.value);
    return std::nullopt;
}

const record::Record* record_of(const Ceilings& c, const std::string& key) {
    for (const record::Record& r : c.records)
        if (r.rung == key) return &r;
    return nullptr;
}

TEST(Deep, figures_come_from_what_the_kernels_take) {
    MadeUp device;
    CeilingOptions o = options();
    o.groups = {"operations", "blocks", "waits", "traffic"};
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok()) << c.error().text();
    const std::pair<const char*, double> expected[] = {
        {"barrier", 15},          {"barrier_of_warp", 1.75}, {"wavefront", 2},
        {"compare_round", 95},    {"compare_turn", 80},      {"logic", 4},
        {"multiply", 5},          {"late_other_pipe", 1},    {"block_start", 120},
        {"block_interval", 1.25}, {"l2_line", 1.75},         {"write_line", 2.5},
        {"write_sector", 1.5},    {"late_guard", 9},         {"register_latency", 38},
        {"access_spacing", 4},    {"farther", 0.05}};
    for (const auto& [key, value] : expected) {
        const auto found = value_of(*c, key);
        ASSERT_TRUE(found) << key;
        EXPECT_THAT(*found, DoubleNear(value, 1e-3 * value)) << key;
    }
    // What comes out below nothing is no figure.
    EXPECT_FALSE(value_of(*c, "integer"));
    const record::Record* integer = record_of(*c, "integer");
    ASSERT_TRUE(integer && integer->left_out);
    EXPECT_THAT(*integer->left_out, HasSubstr("it came out as -1"));
    // Each stands beside what the model takes.
    EXPECT_DOUBLE_EQ(record_of(*c, "compare_turn")->quantity->sheet.value(), 85);
    EXPECT_EQ(record_of(*c, "compare_turn")->experiment, "timing");
}

TEST(Deep, the_file_is_read_again_with_spreads_and_reasons) {
    MadeUp device;
    CeilingOptions o = options();
    o.deep = true;
    o.work = 1e-3;
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok()) << c.error().text();
    const std::string text = ceilings_model(*c, "h200", "T", "C");
    EXPECT_THAT(text, HasSubstr("[timing]\n"));
    EXPECT_THAT(text, HasSubstr("# not measured: fetch_latency: a kernel has no clock before its first instruction"));
    auto model = arch::parse_model(text, "m.toml");
    ASSERT_TRUE(model.ok()) << model.error().text() << '\n' << text;
    EXPECT_TRUE(model->timing.compare_turn);
    EXPECT_TRUE(model->spreads.contains("timing.compare_turn"));
    EXPECT_THAT(model->sources.at("timing.compare_turn"), HasSubstr("measured by a test"));
    EXPECT_DOUBLE_EQ(timing::parameters(*model).compare_turn, *model->timing.compare_turn);
    EXPECT_FALSE(model->timing.fetch_latency);
    // Nothing was forgotten: a figure that no group knows of would say so.
    std::string rest = text;
    const std::string far = "# not measured: memory: nothing measures it\n";  // short loops stay within L2
    if (const auto at = rest.find(far); at != std::string::npos) rest.erase(at, far.size());
    EXPECT_THAT(rest, Not(HasSubstr("nothing measures it")));
    EXPECT_THAT(text, HasSubstr("# not measured: start_us: Nsight Compute's durations"));
    // Each key has a figure, or a reason in the comment.
    for (const arch::TimingFigure& f : arch::timing_figures())
        EXPECT_TRUE(value_of(*c, std::string(f.key)) ||
                    text.find("# not measured: " + std::string(f.key) + ": ") != std::string::npos)
            << f.key;
}

TEST(Deep, without_it_the_groups_are_left_alone) {
    MadeUp device;
    CeilingOptions o = options();
    o.work = 1e-3;
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    for (const record::Record& r : c->records) EXPECT_NE(r.experiment, "timing") << r.rung;
}

TEST(Deep, what_there_is_can_be_kept_as_it_comes_and_nothing_begins_too_late) {
    MadeUp device;
    CeilingOptions o = options();
    o.deep = true;
    o.work = 1e-3;
    double now = 0;
    o.clock = [&] { return now += 0.25; };
    o.within = 100;
    std::vector<std::size_t> figures;
    bool readable = true;
    o.measured = [&](const Ceilings& so_far) {
        figures.push_back(so_far.figures.size());
        readable = readable && arch::parse_model(ceilings_model(so_far, "h200", "T", "C"), "m.toml").ok();
    };
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok()) << c.error().text();
    EXPECT_TRUE(readable);
    ASSERT_GT(figures.size(), 3u);
    ASSERT_TRUE(record_of(*c, "bulk copies") && record_of(*c, "bulk_start") && record_of(*c, "sleep"));
    EXPECT_LT(figures.front(), figures.back());
    // The host's clock, which the round trips take as well, is over before the last groups.
    EXPECT_EQ(record_of(*c, "bulk copies")->left_out, "no time was left for it");
    EXPECT_EQ(record_of(*c, "bulk_start")->left_out, "no time was left for it");
    EXPECT_THAT(record_of(*c, "sleep")->left_out.value(), HasSubstr("asks for it by itself"));
}

TEST(Deep, one_that_fails_is_a_reason_and_the_rest_goes_on) {
    MadeUp device;
    CeilingOptions o = options();
    o.groups = {"operations", "waits"};
    o.compile = [](const std::string& path, const std::vector<std::string>&) -> Result<std::string> {
        if (path.ends_with("chain.cu")) return Error{ErrorKind::input, "not understood", {}, ""};
        return path;
    };
    auto c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    EXPECT_THAT(record_of(*c, "logic")->left_out.value(), HasSubstr("not understood"));
    EXPECT_TRUE(value_of(*c, "wavefront"));
    // A launch that fails tells its kernel.
    device.fails = "barrier";
    o.groups = {"blocks"};
    c = measure_ceilings(device, h200(), o);
    ASSERT_TRUE(c.ok());
    EXPECT_THAT(record_of(*c, "barrier")->left_out.value(), HasSubstr("kernel barrier of launch.cu: made to fail"));
    EXPECT_TRUE(value_of(*c, "block_interval"));
}

}  // namespace deep_test
}  // namespace warpwright::measure
