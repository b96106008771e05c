// The first of a metric's names that the chip can schedule is taken, and all metrics are tried together first, since
// queries are slow. Counters are assigned only where a session has as many ranges as launches; otherwise each launch
// gets a session of its own from then on.
#include "cupti/counters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpwright::cupti {

bool Counters::fails(Code code, const char* what, std::string& problem) {
    if (code == code::success) return false;
    forbidden_ = code == code::insufficient_privileges || code == code::virtual_insufficient_privileges;
    problem = std::string(what) + ": " + library_.text(code);
    return true;
}

bool Counters::can_take(const std::string& chip, const std::uint8_t* availability,
                        const std::vector<std::string>& names) {
    const CuptiFunctions& t = library_.table;
    // A metric that cannot be scheduled makes its object unusable, so each try has its own.
    auto made = block<HostInitialize>();
    made.chip = chip.c_str(), made.availability = availability;
    if (t.host_initialize(&made) != code::success) return false;
    std::vector<const char*> pointers;
    for (const auto& n : names) pointers.push_back(n.c_str());
    auto add = block<HostAdd>();
    add.host = made.host, add.metrics = pointers.data(), add.count = pointers.size();
    const bool taken = t.host_add(&add) == code::success;
    auto release = block<HostRelease>();
    release.host = made.host;
    if (t.host_release) t.host_release(&release);
    return taken;
}

std::string Counters::name_on(const std::string& chip, const std::uint8_t* availability, const Metric& metric) {
    for (const std::string& name : metric.hardware)
        if (can_take(chip, availability, {name})) return name;
    return {};
}

Counters::Chip* Counters::chip(const std::string& name, const std::uint8_t* availability, std::string& problem) {
    auto [at, fresh] = chips_.try_emplace(name);
    Chip& chip = at->second;
    if (!fresh) return chip.host ? &chip : nullptr;
    const CuptiFunctions& t = library_.table;
    // The chip mostly has all of them under their first names: one query replaces one for each.
    std::vector<std::string> every;
    for (const auto& m : metrics_) every.push_back(m.hardware.front());
    const bool all = can_take(name, availability, every);
    for (std::size_t k = 0; k < metrics_.size(); ++k) {
        auto found = all ? metrics_[k].hardware.front() : name_on(name, availability, metrics_[k]);
        if (found.empty())
            unknown_.push_back(metrics_[k].name);
        else
            chip.names.push_back(std::move(found)), chip.index.push_back(k);
    }
    for (const auto& n : chip.names) chip.pointers.push_back(n.c_str());
    if (chip.names.empty()) {
        problem = name + " has none of these counters";
        return nullptr;
    }
    auto made = block<HostInitialize>();
    made.chip = at->first.c_str(), made.availability = availability;
    if (fails(t.host_initialize(&made), "the chip's counters", problem)) return nullptr;
    auto add = block<HostAdd>();
    add.host = made.host, add.metrics = chip.pointers.data(), add.count = chip.pointers.size();
    auto size = block<HostImageSize>();
    size.host = made.host;
    if (fails(t.host_add(&add), "choosing counters", problem) ||
        fails(t.host_image_size(&size), "choosing counters", problem))
        return nullptr;
    chip.config.resize(size.bytes);
    auto image = block<HostImage>();
    image.host = made.host, image.bytes = chip.config.size(), image.image = chip.config.data();
    if (fails(t.host_image(&image), "choosing counters", problem)) return nullptr;
    auto passes = block<HostPasses>();
    passes.bytes = chip.config.size(), passes.image = chip.config.data();
    if (t.host_passes && t.host_passes(&passes) == code::success) passes_ = static_cast<unsigned>(passes.passes);
    chip.host = made.host;
    return &chip;
}

bool Counters::prepare(void* context, Context& state, std::string& problem) {
    const CuptiFunctions& t = library_.table;
    if (!initialized_) {
        auto start = block<Initialize>();
        if (fails(t.initialize(&start), "starting the profiler", problem)) return false;
        initialized_ = true;
    }
    std::uint32_t device = 0;
    if (fails(t.device_id(context, &device), "the context's device", problem)) return false;
    auto name = block<ChipName>();
    name.device = device;
    if (fails(t.chip_name(&name), "the chip's name", problem)) return false;
    // The image says which counters the driver provides; without permission this is the first call to fail.
    auto& availability = availability_[context];
    auto ask = block<Availability>();
    ask.context = context;
    if (t.availability && !fails(t.availability(&ask), "the counters at hand", problem)) {
        availability.resize(ask.bytes);
        ask.image = availability.data();
        if (t.availability(&ask) != code::success) availability.clear();
    } else if (forbidden_) {
        return false;
    }
    state.chip = chip(name.name ? name.name : "", availability.empty() ? nullptr : availability.data(), problem);
    if (!state.chip) return false;
    auto enable = block<RangeEnable>();
    enable.context = context;
    if (fails(t.range_enable(&enable), "enabling the range profiler", problem)) return false;
    state.profiler = enable.profiler;
    auto size = block<RangeDataSize>();
    size.profiler = state.profiler, size.metrics = state.chip->pointers.data(),
    size.count = state.chip->pointers.size();
    size.ranges = kLaunches, size.nodes = kLaunches;
    if (fails(t.range_data_size(&size), "memory for counters", problem)) return false;
    state.data.resize(size.bytes);
    problem.clear();
    return true;
}

bool Counters::begin(void* context, std::string& problem) {
    if (open_ == context) {
        ++launches_;
        return true;
    }
    const CuptiFunctions& t = library_.table;
    auto [at, fresh] = contexts_.try_emplace(context);
    Context& state = at->second;
    if (fresh && !prepare(context, state, state.problem)) state.profiler = nullptr;
    if (!state.profiler) {
        problem = state.problem;
        return false;
    }
    auto clear = block<RangeDataInitialize>();
    clear.profiler = state.profiler, clear.bytes = state.data.size(), clear.data = state.data.data();
    auto configure = block<RangeConfigure>();
    configure.profiler = state.profiler;
    configure.config = state.chip->config.data(), configure.config_bytes = state.chip->config.size();
    configure.data = state.data.data(), configure.data_bytes = state.data.size();
    configure.ranges_per_pass = kLaunches;
    auto start = block<RangeCall>();
    start.profiler = state.profiler;
    if (fails(t.range_data_initialize(&clear), "memory for counters", problem) ||
        fails(t.range_configure(&configure), "setting counters up", problem) ||
        fails(t.range_start(&start), "starting counters", problem))
        return false;
    open_ = context;
    launches_ = 1;
    return true;
}

bool Counters::close(std::vector<Counted>& out, std::string& problem) {
    again_ = false;
    if (!open_) return true;
    const CuptiFunctions& t = library_.table;
    Context& state = contexts_[open_];
    open_ = nullptr;
    auto stop = block<RangeStop>();
    stop.profiler = state.profiler;
    auto decode = block<RangeDecode>();
    decode.profiler = state.profiler;
    auto info = block<RangeDataInfo>();
    info.data = state.data.data(), info.bytes = state.data.size();
    if (fails(t.range_stop(&stop), "stopping counters", problem) ||
        fails(t.range_decode(&decode), "reading counters", problem) ||
        fails(t.range_data_info(&info), "reading counters", problem))
        return false;
    // Launches that failed have no range, and other code may have made one: then the ranges cannot be assigned.
    if (single_ ? info.ranges == 0 : info.ranges != launches_) {
        problem = std::to_string(launches_) + (launches_ == 1 ? " launch" : " launches") + " gave counters of " +
                  std::to_string(info.ranges);
        again_ = !single_;
        single_ = true;
        return false;
    }
    out.resize(launches_);
    for (std::size_t k = 0; k < launches_; ++k)
        if (!evaluate(state, k, out[k], problem)) return false;
    return true;
}

bool Counters::evaluate(Context& state, std::size_t range, Counted& out, std::string& problem) {
    std::vector<double> values(state.chip->pointers.size());
    auto evaluate = block<HostEvaluate>();
    evaluate.host = state.chip->host;
    evaluate.data = state.data.data(), evaluate.data_bytes = state.data.size(), evaluate.range = range;
    evaluate.metrics = state.chip->pointers.data(), evaluate.count = values.size(), evaluate.values = values.data();
    if (fails(library_.table.host_evaluate(&evaluate), "evaluating counters", problem)) return false;
    out.values.assign(metrics_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < values.size(); ++k) {
        out.values[state.chip->index[k]] = values[k];
        if (metrics_[state.chip->index[k]].name == kDuration && std::isfinite(values[k]))
            out.seconds = values[k] * 1e-9;
    }
    return true;
}

}  // namespace warpwright::cupti
