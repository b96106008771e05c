// How one ceiling is measured: its kernel's launches until the samples are steady, the figure with its spread, and a
// record for each, also for one that could not be measured. A value that a model could not hold is left out with that
// reason.
#include "measure/ceilings/bench.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arch/figures.hpp"
#include "measure/conditions.hpp"

namespace warpwright::measure {

namespace {

/// The error of a launch, with the kernel's name before it.
Error of_kernel(const Shape& s, Error error) {
    error.what = fmt::format("kernel {} of {}: {}", s.kernel, s.file, error.what);
    return error;
}

}  // namespace

std::uint32_t Bench::turns(std::uint32_t wanted, std::uint32_t unit) const {
    const double scaled = std::ceil(wanted * o_.work / unit);
    return static_cast<std::uint32_t>(std::max(1.0, scaled)) * unit;
}

Result<std::shared_ptr<device::Module>> Bench::module(const std::string& file,
                                                      const std::vector<std::string>& defines) {
    const std::string key = fmt::format("{} {}", file, fmt::join(defines, " "));
    if (const auto known = modules_.find(key); known != modules_.end()) return known->second;
    const auto make = [&]() -> Result<std::shared_ptr<device::Module>> {
        auto ptx = o_.compile(o_.folder + '/' + file, defines);
        if (!ptx) return std::move(ptx).error();
        return device_.load(file, std::move(*ptx));
    };
    return modules_.emplace(key, make()).first->second;
}

Result<Buffer> Bench::buffer(std::uint64_t bytes) {
    auto at = device_.allocate(bytes);
    if (!at) return std::move(at).error();
    return Buffer(device_, *at, bytes);
}

Result<Buffer> Bench::largest(std::uint64_t bytes, std::uint64_t least) {
    for (;; bytes /= 2) {
        auto got = buffer(bytes);
        if (got || bytes / 2 < least) return got;
    }
}

Result<void> Bench::launch(const Shape& s) {
    auto loaded = module(s.file, s.defines);
    if (!loaded) return std::move(loaded).error();
    device::LaunchConfig config;
    config.grid = {s.grid, 1, 1};
    config.block = {s.block, 1, 1};
    config.dynamic_shared = s.shared;
    device::LaunchOptions options;
    options.timeout = o_.timeout;
    auto done = device_.launch(**loaded, s.kernel, config, s.parameters, options);
    if (!done) return of_kernel(s, std::move(done).error());
    return {};
}

Result<void> Bench::launch(const std::string& file, const std::string& kernel, std::uint32_t grid, std::uint32_t block,
                           std::vector<std::byte> parameters) {
    return launch(Shape{file, kernel, {}, grid, block, 0, std::move(parameters), 0, {}});
}

Result<std::vector<std::vector<std::uint64_t>>> Bench::words(const Shape& s, device::Address out, std::size_t count,
                                                             unsigned times) {
    std::vector<std::vector<std::uint64_t>> all;
    // One more launch than requested, because the first one loads code. With 0 it is the only one.
    for (unsigned i = 0; i <= times; ++i) {
        if (auto ok = launch(s); !ok) return std::move(ok).error();
        std::vector<std::uint64_t> words(count);
        if (auto ok = device_.read(std::as_writable_bytes(std::span(words)), out); !ok) return std::move(ok).error();
        if (i > 0 || times == 0) all.push_back(std::move(words));
    }
    return all;
}

Result<Statistics> Bench::timed(const Shape& s, const DeviceSampleOptions& options, std::vector<double>* rates) {
    auto loaded = module(s.file, s.defines);
    if (!loaded) return std::move(loaded).error();
    device::Step step;
    step.module = *loaded;
    step.kernel = s.kernel;
    step.config.grid = {s.grid, 1, 1};
    step.config.block = {s.block, 1, 1};
    step.config.dynamic_shared = s.shared;
    step.parameters = s.parameters;
    auto timer = device_.need(&device::Device::timer);
    if (!timer) return of_kernel(s, std::move(timer).error());
    const auto work = [&](std::uint32_t repeat, std::uint32_t samples) {
        return (*timer)->time(std::span(&step, 1), {repeat, samples, o_.timeout, samples > 1});
    };
    auto samples = sample_device(work, options);
    if (!samples) return of_kernel(s, std::move(samples).error());
    if (rates)
        for (double seconds : samples->seconds) rates->push_back(s.amount / seconds);
    return summarise(samples->seconds);
}

Result<std::vector<double>> Bench::seconds(const Shape& shape) {
    Shape once = shape;
    once.amount = 1;
    DeviceSampleOptions options = o_.screen;
    options.min_samples = 7, options.max_samples = 15;
    std::vector<double> list;
    if (auto time = timed(once, options, &list); !time) return std::move(time).error();
    for (double& s : list) s = 1 / s;
    return list;
}

std::optional<double> Bench::measured(const std::string& figure) const {
    for (const arch::Figure& f : out_.figures)
        if (f.table + '.' + f.key == figure) return std::stod(f.value);
    return std::nullopt;
}

void Bench::rate(const Subject& subject, const std::vector<Shape>& shapes) {
    const Shape* best = nullptr;
    double highest = 0;
    std::optional<Error> first_error;
    for (const Shape& shape : shapes) {
        auto time = timed(shape, o_.screen);
        if (!time) {
            if (!first_error) first_error = time.error();
            continue;
        }
        const double rate = shape.amount / time->median;
        if (std::isfinite(rate) && rate > highest) highest = rate, best = &shape;
    }
    if (!best) return leave_out(subject, first_error ? first_error->text() : "no launch shape fits the device");
    std::vector<double> rates;
    Watch watch(device_);
    DeviceSampleOptions at_length = o_.sample;
    at_length.warmed = [&] { watch.start(); };
    auto time = timed(*best, at_length, &rates);
    record::Time conditions;
    add_conditions(conditions, watch.stop());
    if (!time) return leave_out(subject, time.error().text());
    std::string note = fmt::format("{} blocks of {} threads", best->grid, best->block);
    if (!best->text.empty()) note += ", " + best->text;
    if (shapes.size() > 1) note += fmt::format("; best of {} launch shapes", shapes.size());
    if (const std::string held = conditions_note(conditions, device_.facts().clock_mhz); !held.empty())
        note += "; " + held;
    const std::size_t at = out_.records.size();
    take(subject, rates, false, note);
    if (at >= out_.records.size()) return;
    record::Record& r = out_.records[at];
    r.kernel = best->kernel;
    r.grid = record::Extent{best->grid, 1, 1};
    r.block = record::Extent{best->block, 1, 1};
}

record::Record Bench::described(const Subject& subject) const {
    record::Record r;
    r.experiment = subject.group;
    r.rung = subject.name;
    r.title = subject.title;
    r.axes = subject.axes;
    r.device = device_.name();
    r.model = base_.name;
    return r;
}

void Bench::take(const Subject& subject, const std::vector<double>& samples, bool lower, const std::string& note) {
    const Statistics s = summarise(samples);
    if (s.samples == 0 || !std::isfinite(s.median) || s.median <= 0)
        return leave_out(
            subject, s.median < 0 ? fmt::format("it came out as {:.3g}", s.median) : "the device gave no time for it");
    const std::size_t dot = subject.figure.find('.');
    if (dot != std::string::npos) {  // a model with it would be refused
        const auto* spec = arch::figure_spec(subject.figure.substr(0, dot), subject.figure.substr(dot + 1));
        if (spec && !spec->takes(s.median / subject.scale))
            return leave_out(subject, fmt::format("it came out as {:.3g}, which a model cannot have", s.median));
    }
    record::Record r = described(subject);
    tried_.insert(subject.figure);
    r.quantity = record::Quantity{s.median, lower ? s.min : s.max, s.spread, s.samples, subject.unit, subject.sheet};
    if (subject.sheet && !(*subject.sheet > 0)) r.quantity->sheet.reset();
    if (!note.empty()) r.notes.push_back(note);
    if (s.spread > 0.05)
        r.notes.push_back(
            fmt::format("unsteady: the middle half of the samples spans {:.0f} % of the median", 200 * s.spread));
    out_.records.push_back(std::move(r));
    if (dot == std::string::npos) return;
    std::string source = o_.how;
    if (clock_ > 0) source += fmt::format(", {:.0f} MHz", clock_ / 1e6);
    if (!note.empty()) source += "; " + note;
    source += fmt::format("; median of {}", s.samples);
    out_.figures.push_back({subject.figure.substr(0, dot), subject.figure.substr(dot + 1),
                            fmt::format("{:.6g}", s.median / subject.scale), source, s.spread});
}

void Bench::take(const Subject& subject, Result<std::vector<double>> samples, bool lower, const std::string& note) {
    if (!samples) return leave_out(subject, samples.error().text());
    take(subject, *samples, lower, note);
}

void Bench::leave_out(const Subject& subject, const std::string& why) {
    record::Record r = described(subject);
    r.left_out = why;
    tried_.insert(subject.figure);
    out_.records.push_back(std::move(r));
}

}  // namespace warpwright::measure
