// `device --measure --deep` on the emulated device, with the predicted times as its clock: what is measured comes out
// near what the model states. A kernel that measures something else than its figure, or a figure that the simulation
// takes for something else, would be seen here.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "arch/figures.hpp"
#include "compile/kernel/compile.hpp"
#include "device/emulated/emulated.hpp"
#include "measure/ceilings/deep.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"
#include "timing/parameters.hpp"

namespace warpwright::measure {
namespace deep_predicted_test {

arch::DeviceModel h200() {
    auto m = arch::load_model("h200");
    EXPECT_TRUE(m.ok());
    return *m;
}

/// The emulated device whose clock is the prediction: from outside, and in the cycles that a kernel writes.
class PredictedClock : public device::Device, public device::Timer {
public:
    PredictedClock(std::unique_ptr<device::Device> real, const arch::DeviceModel& model)
        : real_(std::move(real)), model_(model), predictor_(model, predict::Simulate::all) {}
    std::string name() const override { return "predicted"; }
    const device::Limits& limits() const override { return real_->limits(); }
    Result<device::Address> allocate(std::uint64_t bytes) override { return real_->allocate(bytes); }
    Result<void> release(device::Address a) override { return real_->release(a); }
    Result<void> write(device::Address to, std::span<const std::byte> from) override { return real_->write(to, from); }
    Result<void> read(std::span<std::byte> to, device::Address from) override { return real_->read(to, from); }
    Result<void> fill(device::Address to, std::uint8_t value, std::uint64_t bytes) override {
        return real_->fill(to, value, bytes);
    }
    Result<std::shared_ptr<device::Module>> load(std::string name, std::string ptx) override {
        return real_->load(std::move(name), std::move(ptx));
    }
    Result<device::LaunchResult> launch(device::Module& module, const std::string& kernel,
                                        const device::LaunchConfig& config, std::span<const std::byte> parameters,
                                        const device::LaunchOptions& options) override {
        auto p = predicted(module, kernel, config, parameters);
        if (!p) return std::move(p).error();
        if (auto ok = write_cycles(kernel, config, parameters, p->cycles.value_or(0)); !ok) return ok.error();
        (void)options;
        return device::LaunchResult{};
    }
    device::Timer* timer() override { return this; }
    Result<std::vector<double>> time(std::span<const device::Step> steps, const device::TimeRequest& request) override {
        double sum = 0;
        for (const device::Step& s : steps) {
            auto p = predicted(*s.module, s.kernel, s.config, s.parameters);
            if (!p) return std::move(p).error();
            sum += p->seconds;
        }
        return std::vector<double>(request.samples, sum * request.repeat);
    }

private:
    /// Of one shape always the same: each runs once.
    Result<record::Predicted> predicted(device::Module& module, const std::string& kernel,
                                        const device::LaunchConfig& config, std::span<const std::byte> parameters) {
        std::string key = kernel + ' ' + std::to_string(config.grid.x) + ' ' + std::to_string(config.block.x);
        for (std::byte b : parameters) key += char(b);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        auto info = module.kernel(kernel);
        if (!info) return std::move(info).error();
        device::LaunchOptions options;
        options.trace = predictor_.trace_request(**info, config);
        auto done = real_->launch(module, kernel, config, parameters, options);
        if (!done) return std::move(done).error();
        auto p = predict::simulated(predict::launch_work(**info, config, *done), model_);
        return known_.emplace(key, std::move(p)).first->second;
    }

    /// How often a kernel does what it measures: the prediction is of all.
    static double passes(const std::string& kernel) {
        if (kernel == "long_code") return 3;
        return kernel.starts_with("chain_") || kernel == "accesses_in_row" ? 2 : 1;
    }

    Result<void> write_cycles(const std::string& kernel, const device::LaunchConfig& config,
                              std::span<const std::byte> parameters, double cycles) {
        const auto each = static_cast<std::uint64_t>(cycles / passes(kernel));
        const bool pairs = kernel == "spread_constants" || kernel.starts_with("many_products");
        if (config.grid.x != 1 || parameters.size() < 8) return {};
        device::Address out = 0;  // the last parameter of all of them
        std::memcpy(&out, parameters.data() + parameters.size() - 8, 8);
        std::vector<std::uint64_t> words{each};
        if (pairs) {
            words.clear();
            for (std::uint32_t w = 0; w < config.block.x / 32; ++w) words.insert(words.end(), {0, each});
        }
        return real_->write(out, std::as_bytes(std::span(words)));
    }

    std::unique_ptr<device::Device> real_;
    arch::DeviceModel model_;
    predict::Predictor predictor_;
    std::map<std::string, Result<record::Predicted>> known_;
};

Result<std::string> compiled(const std::string& path, const std::vector<std::string>& defines) {
    compile::CompileRequest request;
    request.path = path;
    request.arch = "sm_90a";
    request.defines = defines;
    compile::CompileOptions options;
    options.cache_dir = WARPWRIGHT_TEST_CACHE;
    auto ptx = compile::compile(request, options);
    if (!ptx) return std::move(ptx).error();
    return ptx->ptx;
}

/// A group's figures over those that the model states.
std::map<std::string, double> ratios(const std::string& group) {
    const arch::DeviceModel model = h200();
    device::EmulatedOptions emulated;
    emulated.limits.multiprocessors = model.sm.multiprocessors;
    auto real = device::make_emulated(emulated);
    EXPECT_TRUE(real.ok());
    if (!real) return {};
    PredictedClock device(std::move(*real), model);
    CeilingOptions o;
    o.folder = WARPWRIGHT_SOURCE_DIR "/kernels/measure";
    o.compile = compiled;
    o.how = "predicted";
    o.groups = {group};
    auto c = measure_ceilings(device, model, o);
    EXPECT_TRUE(c.ok());
    std::map<std::string, double> out;
    if (!c) return out;
    const auto stated = timing::taken_figures(model);
    for (const arch::Figure& f : c->figures)
        for (const timing::TakenFigure& s : stated)
            if (f.table == "timing" && f.key == s.key) out[f.key] = std::stod(f.value) / s.value;
    return out;
}

struct Expected {
    const char *group, *key;
    double tolerance;  ///< relative: what a kernel does beside what it measures
};

constexpr Expected kExpected[] = {
    {"operations", "logic", 0.03},
    {"operations", "integer", 0.03},
    {"operations", "multiply", 0.03},
    {"operations", "half", 0.03},
    {"operations", "fp64", 0.03},
    {"operations", "special", 0.03},
    {"operations", "convert", 0.03},
    {"operations", "shuffle", 0.03},
    {"operations", "fence", 0.05},
    {"operations", "late_other_pipe", 0.05},
    {"operations", "product", 0.03},
    {"operations", "product_of_warp", 0.06},
    {"operations", "doubles_of_warp", 0.03},
    {"blocks", "block_interval", 0.02},
    {"blocks", "instruction_lines", 0},
    {"blocks", "line_latency", 0.05},  // the launch's own start
    {"blocks", "barrier", 0.2},        // the loop around eight barriers
    {"blocks", "barrier_of_warp", 0.2},
    {"waits", "wavefront", 0.01},
    {"waits", "access_spacing", 0.1},  // the loop around 128 loads
    {"waits", "constant_turn", 0.08},  // 32 words are two lines, which take turns as well
    {"waits", "constant_line", 0.1},
    {"waits", "constant_further", 0.03},
    {"waits", "compare_round", 0.02},
    {"waits", "compare_turn", 0.03},
    {"traffic", "l2_line", 0.08},
    {"traffic", "write_line", 0.03},
    {"traffic", "write_sector", 0.05},
    {"traffic", "l2_alone", 0.03},
    {"traffic", "atomic_float_turn", 0.03},
    // Of sixteen turns at a sector the first is longer.
    {"traffic", "atomic_compare", 0.08},
};

/// Keys that a kernel's own clock tells in the middle of it, or in one block of many, where there is no prediction; and
/// two that the simulation has for blocks which are branched around, while it takes a single guarded operation as a
/// selection.
constexpr std::string_view kElsewhere[] = {"block_start", "farther",    "bulk_start",
                                           "bulk_merged", "late_guard", "register_latency"};

TEST(DeepPredicted, each_measured_figure_is_looked_at) {
    for (const arch::TimingFigure& f : arch::timing_figures()) {
        if (f.probe.empty()) continue;
        const bool here = std::any_of(std::begin(kExpected), std::end(kExpected),
                                      [&](const Expected& e) { return f.key == e.key && f.probe == e.group; });
        const bool not_here = std::count(std::begin(kElsewhere), std::end(kElsewhere), f.key) > 0;
        EXPECT_NE(here, not_here) << f.key;
    }
}

class DeepPredicted : public testing::TestWithParam<std::string> {};

TEST_P(DeepPredicted, figures_come_out_as_the_model_states_them) {
    const auto found = ratios(GetParam());
    for (const Expected& e : kExpected) {
        if (GetParam() != e.group) continue;
        ASSERT_TRUE(found.contains(e.key)) << e.key;
        EXPECT_NEAR(found.at(e.key), 1, e.tolerance) << e.key;
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, DeepPredicted, testing::Values("operations", "blocks", "waits", "traffic"),
                         [](const auto& info) { return info.param; });

}  // namespace deep_predicted_test
}  // namespace warpwright::measure
