// warpwright device --measure: the ceilings of a real GPU, kept as a device model.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "cli/commands/output_files.hpp"
#include "cli/commands/session.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/options.hpp"
#include "device/cuda/cuda_device.hpp"
#include "ladder/find.hpp"
#include "measure/ceilings/ceilings.hpp"
#include "report/bars.hpp"
#include "report/progress.hpp"
#include "support/settings.hpp"
#include "support/write_file.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;

/// The model that measuring starts from.
struct Start {
    std::string inherit;                  ///< as the file names it
    arch::DeviceModel model;              ///< with the driver's figures in their places
    std::vector<arch::Figure> overrides;  ///< what the driver says otherwise
};

/// What the driver says of the device, where a model of another device of its kind would be wrong.
std::vector<arch::Figure> driver_figures(const device::CudaDeviceInfo& d, const arch::DeviceModel& m) {
    std::vector<arch::Figure> out;
    const std::string source = "the driver, of " + d.name;
    const auto add = [&](const char* table, const char* key, double value, double known, double tolerance) {
        if (value > 0 && std::abs(value - known) > tolerance * known)
            out.push_back({table, key, fmt::format("{:.10g}", value), source, {}});
    };
    add("sm", "multiprocessors", d.limits.multiprocessors, m.sm.multiprocessors, 0);
    add("clocks", "boost_mhz", d.clock / 1e6, m.clocks.boost / 1e6, 0.001);
    add("clocks", "bound_mhz", d.clock / 1e6, m.clocks.bound / 1e6, 0.001);
    add("cache", "l2_kib", static_cast<double>(d.l2 / 1024), static_cast<double>(m.cache.l2 / 1024), 0);
    add("memory", "size_mib", static_cast<double>(d.memory >> 20), static_cast<double>(m.memory.size >> 20), 0.03);
    add("memory", "bus_bits", d.bus_bits, m.memory.bus, 0);
    // Two transfers per clock; data sheets round.
    add("memory", "bandwidth_gb_s", 2 * d.memory_clock * d.bus_bits / 8 / 1e9, m.memory.bandwidth / 1e9, 0.05);
    return out;
}

/// The model that was asked for, else the one that has most in common with the device: compute capability it must have.
Result<Start> start_from(const DeviceOptions& options, const device::CudaDeviceInfo& d) {
    const auto with_overrides = [&](const std::string& name, const arch::DeviceModel& base) -> Result<Start> {
        Start out{name, base, driver_figures(d, base)};
        if (out.overrides.empty()) return out;
        auto model = arch::parse_model(arch::write_model({name, d.name, "", out.overrides}), name);
        if (!model) return std::move(model).error();
        model->name = base.name;
        out.model = std::move(*model);
        return out;
    };
    if (options.model) {
        auto base = arch::load_model(*options.model);
        if (!base) return std::move(base).error();
        return with_overrides(*options.model, *base);
    }
    std::optional<Start> best;
    for (const std::string& name : arch::list_models()) {
        auto base = arch::load_model(name);
        if (!base || measure::is_measured(*base) || base->compute_capability != d.limits.compute_capability) continue;
        auto candidate = with_overrides(name, *base);
        if (candidate && (!best || candidate->overrides.size() < best->overrides.size())) best = std::move(*candidate);
    }
    if (best) return std::move(*best);
    return Error{ErrorKind::usage,
                 fmt::format("no device model has compute capability {}.{} of {}", d.limits.compute_capability / 10,
                             d.limits.compute_capability % 10, d.name),
                 Location{}, "--model NAME starts from another, or write one (docs/devices.md)"};
}

/// "nvidia-h100-80gb-hbm3".
std::string slug(const std::string& name) {
    std::string out;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (out.ends_with('-')) out.pop_back();
    return out;
}

Result<std::string> kernels_folder() {
    std::error_code ec;
    for (const std::string& folder : ladder::kernel_folders())
        if (fs::is_regular_file(fs::path(folder) / "measure/measure.cuh", ec)) return folder + "/measure";
    return Error{
        ErrorKind::input, "the measuring kernels are not installed", Location{},
        fmt::format("{} names folders of kernels; they are in its 'measure'", settings::variable(Setting::kernels))};
}

/// The file the model goes to; its folder is made.
Result<std::string> model_file(const DeviceOptions& options, const Start& start, const device::CudaDeviceInfo& d) {
    if (options.save) return *options.save;
    const std::string stem = start.overrides.empty() ? start.model.name : slug(d.name);
    const std::string folder = arch::user_model_folder();
    if (folder.empty()) return stem + "-measured.toml";
    std::error_code ec;
    fs::create_directories(folder, ec);
    if (ec)
        return Error{ErrorKind::input, "the folder cannot be made: " + ec.message(), Location{folder, 0, 0},
                     "--output FILE puts the model elsewhere"};
    return folder + '/' + stem + "-measured.toml";
}

Result<void> check_groups(const std::vector<std::string>& groups) {
    const auto& known = measure::ceiling_groups();
    for (const std::string& g : groups)
        if (std::find(known.begin(), known.end(), g) == known.end())
            return Error{ErrorKind::usage, "there is no group '" + g + "' of ceilings", Location{},
                         fmt::format("groups: {}", fmt::join(known, ", "))};
    return {};
}

/// The texts' plot: what a load of shared memory takes by the stride between its lanes.
std::string stride_plot(const record::RecordSet& set, const Console& console) {
    std::vector<std::pair<std::string, double>> values;
    for (const record::Record& r : set.records)
        if (r.rung == "load, one warp" && r.quantity && !r.axes.empty())
            values.emplace_back(r.axes.front().text(), r.quantity->median);
    return report::bars("cycles of a shared-memory load by the stride between its lanes, in words", values,
                        console.width(), console.unicode());
}

/// The device to measure, as `make_runtime` knows it.
Result<std::string> device_to_measure(const DeviceOptions& options) {
    if (auto ok = check_output(options.output); !ok) return ok.error();
    if (auto ok = check_writable({options.save}); !ok) return ok.error();
    if (options.save == "-" && (options.output.json == "-" || options.output.csv == "-"))
        return Error{ErrorKind::usage, "the model and the records cannot both go to standard output", Location{},
                     "name a file"};
    if (auto ok = check_groups(options.groups); !ok) return ok.error();
    const std::string name = options.name.empty() ? "cuda:0" : options.name == "cuda" ? "cuda:0" : options.name;
    if (name != "emulated" && !name.starts_with("cuda:"))
        return Error{ErrorKind::usage, "'" + name + "' is not a device that can be measured", Location{},
                     "warpwright device --measure cuda:0; a device model has its data sheet's figures"};
    return name;
}

Result<device::CudaDeviceInfo> info_of(const device::Device& device) {
    auto list = device::list_cuda();
    if (!list) return std::move(list).error();
    for (const device::CudaDeviceInfo& d : *list)
        if (d.device() == device.name()) return d;
    return Error{ErrorKind::no_device, "the device is no longer there", Location{}, ""};
}

/// Prints the records, with a line for each ceiling that was not measured. A paragraph for each of so many figures
/// would bury them: launch shapes and sources are in the model and the records.
Result<void> give_records(const record::RecordSet& set, const DeviceOptions& options, Console& console) {
    OutputOptions output = options.output;
    output.no_why = true;
    std::string extra;
    for (const record::Record& r : set.records)
        if (r.left_out) extra += fmt::format("not measured: {} {}: {}\n", r.experiment, r.rung, *r.left_out);
    if (!extra.empty()) extra += '\n';
    return give(set, output, false, console, extra + stride_plot(set, console));
}

Result<void> run(const DeviceOptions& options, Console& console) {
    auto named = device_to_measure(options);
    if (!named) return std::move(named).error();
    RunOptions with = options.run;
    with.device = *named;
    if (options.model) with.model = *options.model;
    auto runtime = make_runtime(with);
    if (!runtime) return std::move(runtime).error();
    for (const std::string& note : runtime->notes) console.note(note);
    measure::CeilingOptions ceilings;
    if (!runtime->real()) {  // measure says so in its own words
        auto result = measure::measure_ceilings(*runtime->device, runtime->model, ceilings);
        return result ? Error{ErrorKind::internal, "a device without a clock was measured", Location{}, ""}
                      : result.error();
    }
    auto found = info_of(*runtime->device);
    if (!found) return std::move(found).error();
    const device::CudaDeviceInfo* info = &*found;
    auto start = start_from(options, *info);
    if (!start) return std::move(start).error();
    auto folder = kernels_folder();
    if (!folder) return std::move(folder).error();
    auto path = model_file(options, *start, *info);
    if (!path) return std::move(path).error();

    const std::string date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    const std::string driver = runtime->device->facts().driver;
    ceilings.folder = *folder;
    ceilings.compile = [target = runtime->target](const std::string& file, const std::vector<std::string>& defines) {
        return lab::compile_to_ptx(file, defines, {}, *target);
    };
    ceilings.how = fmt::format("measured {} on {}, {}", date, info->name, driver);
    ceilings.groups = options.groups;
    ceilings.deep = options.deep;
    ceilings.within = options.within;
    if (options.run.timeout > 0) ceilings.timeout = runtime->launch.timeout;
    const auto begin = std::chrono::steady_clock::now();
    ceilings.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
        if (!console.shows_progress()) return;
        report::Progress progress(all, what);
        progress.done(done);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        console.progress(progress.line(elapsed.count(), console.error_width() - 1, console.unicode()));
    };
    const std::string compilers = lab::compilers_text(*runtime->target);
    const std::string title = info->name + ", measured";
    const auto text_of = [&](measure::Ceilings found_so_far, const std::string& state) {
        const std::string comment =
            fmt::format("{} as `warpwright device --measure{}` found it on {}.\n{}; {}{}", info->name,
                        options.deep ? " --deep" : "", date, driver, compilers, state);
        auto& figures = found_so_far.figures;
        figures.insert(figures.begin(), start->overrides.begin(), start->overrides.end());
        return measure::ceilings_model(found_so_far, start->inherit, title, comment);
    };
    // What is there is kept at once: an abort, or a kernel that takes the device with it, loses only what was not yet
    // measured.
    std::optional<Error> unwritten;
    ceilings.measured = [&](const measure::Ceilings& so_far) {
        if (*path == "-" || unwritten) return;
        if (auto ok = write_file(*path, text_of(so_far, "\nnot finished: more was still to be measured")); !ok)
            unwritten = ok.error();
    };
    auto result = measure::measure_ceilings(*runtime->device, start->model, ceilings);
    console.clear_progress();
    if (unwritten) return *unwritten;
    if (!result) return std::move(result).error();

    const std::string text = text_of(*result, "");
    record::RecordSet set{lab::environment(runtime->context(with)), std::move(result->records)};
    set.environment.model = start->model.name;
    if (*path == "-") {
        console.data(text);
        return {};
    }
    // The file first: what goes wrong in printing must not lose it.
    if (auto ok = write_file(*path, text); !ok) return ok;
    if (auto ok = give_records(set, options, console); !ok) return ok;
    const std::string word = options.save ? *path : fs::path(*path).stem().string();
    console.note(fmt::format("kept as {}; use it with --model {}", *path, word));
    if (!compilers.empty()) console.note(compilers);
    return {};
}

}  // namespace

int measure_device(const DeviceOptions& options, Console& console) {
    auto ok = run(options, console);
    return ok ? 0 : console.fail(ok.error());
}

}  // namespace warpwright::cli
