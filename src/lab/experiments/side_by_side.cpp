// A sample of blocks is run on the emulated device, and the device of the text is simulated from its trace. The table
// shows both figures and their ratio, and the sentence names the figure that is furthest off.
#include "lab/experiments/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "device/emulated/sampled_launch.hpp"
#include "host/machine.hpp"
#include "lab/page/sentence_figures.hpp"
#include "lab/sweep/emulation.hpp"
#include "lab/sweep/plan.hpp"
#include "ladder/find.hpp"
#include "predict/launch_work.hpp"

namespace warpwright::lab {
namespace {

using record::Basis;

/// Relative half width of the counts by which a sample's time is scaled.
constexpr double kSampleError = 0.02;

const device::KernelInfo* info_of(const device::Step& step) {
    for (const device::KernelInfo& k : step.module->kernels())
        if (k.name == step.kernel) return &k;
    return nullptr;
}

Result<double> simulate(const std::string& kernel, const predict::Work& work, const arch::DeviceModel& model) {
    auto p = predict::Predictor(model, predict::Simulate::all).predict(kernel, predict::Work(work));
    if (!p) return std::move(p).error();
    return p->seconds;
}

/// Seconds of launches one after the other.
Result<double> simulate_all(std::span<const std::pair<std::string, predict::Work>> launches,
                            const arch::DeviceModel& model) {
    double all = 0;
    for (const auto& [kernel, work] : launches) {
        auto one = simulate(kernel, work, model);
        if (!one) return one;
        all += *one;
    }
    return all;
}

/// How far a prediction is from the text's figure: 1 is right, 2 is twice or half.
double distance(const TextFigure& f) { return std::max(f.predicted / f.quoted, f.quoted / f.predicted); }

record::Table table_of(std::string id, const Text& device, std::span<const TextFigure> figures, const std::string& unit,
                       const std::string& caption) {
    record::Table t{std::move(id),
                    message("beside.title", {{"device", device}}),
                    {{message("beside.figure")},
                     {message("beside.text"), unit, Basis::quoted},
                     {message("beside.predicted"), unit, Basis::predicted},
                     {message("beside.ratio"), "", Basis::predicted, 2}},
                    {},
                    message(caption, {{"device", device}})};
    const bool versions = std::any_of(figures.begin(), figures.end(), [](const auto& f) { return f.over; });
    if (versions) {
        t.columns.push_back({message("beside.speedup_text"), "", Basis::quoted});
        t.columns.push_back({message("beside.speedup"), "", Basis::predicted});
    }
    for (const TextFigure& f : figures) {
        t.rows.push_back({f.what, f.quoted, f.predicted, f.predicted / f.quoted});
        if (!versions) continue;
        const TextFigure* first = f.over ? &figures[*f.over] : nullptr;
        t.rows.back().push_back(first ? record::Scalar{first->quoted / f.quoted} : record::Scalar{});
        t.rows.back().push_back(first ? record::Scalar{first->predicted / f.predicted} : record::Scalar{});
    }
    return t;
}

/// How many of the figures are near to the text's if what is predicted were changed so.
template <class F>
std::int64_t near_if(std::span<const TextFigure> figures, F&& changed) {
    return std::count_if(figures.begin(), figures.end(),
                         [&](const TextFigure& f) { return std::abs(changed(f) / f.quoted - 1) <= kTextLimit; });
}

/// The time if every sector that warps ask for came from device memory, as though no cache kept any.
double if_fetched(const TextFigure& f, const arch::DeviceModel& model) {
    return std::max(f.predicted, f.asked.value_or(0) / std::max(1.0, model.dram_bandwidth()));
}

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// What was assumed of the device, and which other assumption would bring most of the predictions near to the text.
Text assumed(const arch::DeviceModel& model, std::span<const TextFigure> figures) {
    Text out = message("beside.assumed", {{"clock", rate_text(model.clocks.bound, "Hz")},
                                          {"memory", rate_text(model.dram_bandwidth(), "B/s")}});
    const auto all = static_cast<std::int64_t>(figures.size());
    const std::int64_t now = near_if(figures, [](const TextFigure& f) { return f.predicted; });
    if (now == all || all < 2) return out;
    std::vector<double> factors, rests;
    for (const TextFigure& f : figures)
        factors.push_back(f.quoted / f.predicted), rests.push_back(f.quoted - f.predicted);
    const double factor = middle(factors), rest = std::max(0.0, middle(rests));
    const std::int64_t scaled = near_if(figures, [&](const TextFigure& f) { return f.predicted * factor; }),
                       later = near_if(figures, [&](const TextFigure& f) { return f.predicted + rest; }),
                       fetched = near_if(figures, [&](const TextFigure& f) { return if_fetched(f, model); });
    const std::int64_t most = std::max({scaled, later, fetched});
    out += " ";
    if (most <= now || 2 * most < all) return out + message("beside.unexplained");
    Values values{{"n", most}, {"all", all}, {"limit", 100 * kTextLimit}};
    if (fetched >= std::max(scaled, later)) {
        values.emplace_back("memory", rate_text(model.dram_bandwidth(), "B/s"));
        return out + message("beside.by_fetching", values);
    }
    if (later > scaled) {
        values.emplace_back("time", seconds_text(rest));
        return out + message("beside.by_constant", values);
    }
    values.emplace_back("factor", factor);
    values.emplace_back("clock", rate_text(model.clocks.bound / factor, "Hz"));
    values.emplace_back("memory", rate_text(model.dram_bandwidth() / factor, "B/s"));
    return out + message(factor > 1 ? "beside.by_factor" : "beside.by_factor_faster", values);
}

Text conclusion_of(const Text& device, std::span<const TextFigure> figures) {
    std::int64_t differ = 0;
    const TextFigure* worst = nullptr;
    for (const TextFigure& f : figures) {
        differ += std::abs(f.predicted / f.quoted - 1) > kTextLimit;
        if (!worst || distance(f) > distance(*worst)) worst = &f;
    }
    if (!worst) return {};
    return message(figures.size() == 1 ? "beside.one"
                   : differ            ? "beside.differ"
                                       : "beside.near",
                   {{"device", device},
                    {"all", static_cast<std::int64_t>(figures.size())},
                    {"differ", differ},
                    {"limit", 100 * kTextLimit},
                    {"what", worst->what},
                    {"ratio", worst->predicted / worst->quoted}});
}

}  // namespace

Result<OtherDevices> OtherDevices::of(const Context& context) {
    if (context.options.simulate == predict::Simulate::none)
        return Error{ErrorKind::usage, "simulation is turned off", {}, ""};
    OtherDevices out;
    out.free_threads_ = std::make_shared<std::counting_semaphore<>>(host::usable_cores());
    out.device_ = &context.device;
    if (!context.device.sampler() || context.device.limits().warp != 32) {
        auto device = device::make_emulated(emulated_options(context));
        if (!device) return std::move(device).error();
        out.own_ = std::move(*device);
        out.device_ = out.own_.get();
    }
    out.launch_ = context.options.launch;
    out.launch_.counters = true, out.launch_.per_line = false;
    auto target = std::make_shared<Target>();
    ladder::RunOptions run;
    run.launch = out.launch_;
    run.compile = [target](const std::string& path, const std::vector<std::string>& defines) {
        return compile_to_ptx(path, defines, {}, *target);
    };
    out.session_ = std::make_unique<ladder::Session>(*out.device_, std::move(run));
    return out;
}

Result<predict::Work> OtherDevices::sample(const device::Step& step, const arch::DeviceModel& model) const {
    const device::KernelInfo* info = info_of(step);
    if (!info) return Error{ErrorKind::internal, "there is no kernel '" + step.kernel + "'", {}, ""};
    predict::Predictor predictor(model, predict::Simulate::all);
    device::LaunchOptions options = launch_;
    options.trace = predictor.trace_request(*info, step.config);
    auto ran = device_->sampler()->launch_sample(*step.module, step.kernel, step.config, step.parameters, options,
                                                 kSampleError);
    if (!ran) return std::move(ran).error();
    return predict::launch_work(*info, step.config, ran->result);
}

Result<double> OtherDevices::seconds(const device::Step& step, const arch::DeviceModel& model) const {
    auto work = sample(step, model);
    if (!work) return std::move(work).error();
    return simulate(step.kernel, *work, model);
}

Result<std::vector<OtherDevices::Coming>> OtherDevices::begin(const Rung& rung,
                                                              std::span<const arch::DeviceModel> models) {
    auto file = ladder::find_ladder(rung.ladder);
    if (!file) return std::move(file).error();
    auto plan = make_plan(std::move(*file), {rung.name}, rung.axes, {rung.size});
    if (!plan) return std::move(plan).error();
    if (plan->steps.size() != 1)
        return Error{ErrorKind::internal, "the axes of " + rung.name + " do not choose one variant", {}, ""};
    const Step& chosen = plan->steps.front();
    auto problem = ladder::Problem::shape(*plan->ladder, chosen.size, chosen.variant);
    if (!problem) return std::move(problem).error();
    auto buffers = ladder::DeviceBuffers::make(*device_, *problem);
    if (!buffers) return std::move(buffers).error();
    auto steps = session_->steps(*chosen.rung, chosen.variant, *problem, *buffers);
    if (!steps) return std::move(steps).error();
    std::vector<Coming> out;
    for (const arch::DeviceModel& model : models) {
        std::vector<std::pair<std::string, predict::Work>> launches;
        double asked = 0;
        for (const device::Step& step : *steps) {
            auto work = sample(step, model);
            if (!work) return std::move(work).error();
            using record::Count;
            const double sectors = static_cast<double>(work->counts[Count::global_load_sectors] +
                                                       work->counts[Count::global_store_sectors]);
            asked += sectors * model.cache.sector;
            launches.emplace_back(step.kernel, std::move(*work));
            if (rung.first_launch) break;
        }
        free_threads_->acquire();
        auto coming = std::async(std::launch::async, [free = free_threads_, launches = std::move(launches), &model] {
            auto all = simulate_all(launches, model);
            free->release();
            return all;
        });
        out.push_back({std::move(coming), asked});
    }
    return out;
}

Result<std::vector<double>> OtherDevices::seconds(const Rung& rung, std::span<const arch::DeviceModel> models) {
    auto coming = begin(rung, models);
    if (!coming) return std::move(coming).error();
    std::vector<double> out;
    for (Coming& one : *coming) {
        auto seconds = one.seconds.get();
        if (!seconds) return std::move(seconds).error();
        out.push_back(*seconds);
    }
    return out;
}

void BesideText::add(const std::string& id, const Text& device, const Result<std::vector<TextFigure>>& figures,
                     const std::string& unit, const std::string& caption, const arch::DeviceModel* model) {
    if (!figures) {
        conclusions.push_back(message("beside.none", {{"device", device}, {"why", figures.error().what}}));
    } else if (!figures->empty()) {
        tables.push_back(table_of(id, device, *figures, unit, caption));
        conclusions.push_back(conclusion_of(device, *figures));
        if (model) conclusions.push_back(assumed(*model, *figures));
    }
}

}  // namespace warpwright::lab
