// The choice of a device stands here once for all commands: the emulated one, a real one with the device model that
// fits it, or an OpenCL device. The second half writes a set of records to where the options say, as a table, JSON or
// CSV.
#include "cli/commands/session.hpp"
#include "device/emulated/emulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <random>

#include "cli/commands/output_files.hpp"
#include "cli/commands/page_files.hpp"
#include "confine/confine.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/opencl/opencl_device.hpp"
#include "host/machine.hpp"
#include "launch/limits.hpp"
#include "record/metrics.hpp"
#include "report/format.hpp"
#include "report/report.hpp"
#include "support/cause.hpp"
#include "support/disk_cache.hpp"
#include "support/settings.hpp"
#include "support/write_file.hpp"

namespace warpwright::cli {
namespace {

/// Of the emulated device where the process is confined: ranges of addresses that its limit of memory has room for. The
/// checkers keep some 40 bytes for each byte of twice the memory.
constexpr std::uint64_t kUntrustedMemory = std::uint64_t{4} << 30, kUntrustedChecked = std::uint64_t{128} << 20;

}  // namespace

std::optional<arch::DeviceModel> model_of(const device::CudaDeviceInfo& info) {
    std::optional<arch::DeviceModel> out;
    for (const std::string& name : arch::list_models()) {
        auto model = arch::load_model(name);
        if (!model || model->compute_capability != info.limits.compute_capability ||
            model->sm.multiprocessors != info.limits.multiprocessors)
            continue;
        const double memory = static_cast<double>(info.memory), size = static_cast<double>(model->memory.size);
        if (std::abs(memory / size - 1) > 0.1) continue;
        // Of several, one with measured ceilings.
        if (!out || (out->ceilings.dram_read == 0 && model->ceilings.dram_read > 0)) out = std::move(*model);
    }
    return out;
}

std::optional<int> ordinal_of(const std::string& word, const std::string& kind) {
    if (word == kind) return 0;
    if (!word.starts_with(kind + ":")) return std::nullopt;
    int number = -1;
    const char *begin = word.data() + kind.size() + 1, *end = word.data() + word.size();
    auto [rest, problem] = std::from_chars(begin, end, number);
    if (problem != std::errc{} || rest != end || number < 0) return std::nullopt;
    return number;
}

namespace {

/// Lines of source files, each file read once.
report::SourceText source_reader(const SourceFiles::MayShow& may_show) {
    return [files = std::make_shared<SourceFiles>(may_show)](const std::string& file, unsigned line) {
        return files->line(file, line);
    };
}

/// Every count that is not zero, whole, a paragraph a record: the table has room for a few only.
std::string exact_counts(const record::RecordSet& set, std::size_t width, const Words& words) {
    std::string out;
    for (const record::Record& r : set.records) {
        if (!r.counts) continue;
        std::string name = r.name();
        for (const record::Axis& axis : r.axes) name += "  " + axis.name + " " + axis.text();
        std::string text;
        for (const auto& [key, count, synonym] : record::count_names()) {
            if ((*r.counts)[count] == 0) continue;
            // A key and its value stay together: the blank between them is put in after wrapping.
            text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key,
                                words.figure(report::grouped((*r.counts)[count])));
        }
        out += "  " + report::safe(name) + "\n";
        for (std::string line : report::wrap(text, width == 0 ? 116 : std::max<std::size_t>(width, 24) - 4)) {
            std::replace(line.begin(), line.end(), '=', ' ');
            out += "    " + line + "\n";
        }
    }
    return out.empty() ? out : words("launch.exact_counts") + "\n" + out;
}

/// The model of a real device: by what its driver says of it.
void fit_model(const device::CudaDeviceInfo& info, Runtime& out) {
    auto model = model_of(info);
    out.model_fits = model.has_value();
    if (model)
        out.model = std::move(*model);
    else
        out.notes.push_back("no device model describes " + info.name + ": no bounds (--model names one)");
}

Result<void> choose_opencl(const RunOptions& options, Runtime& out) {
    const auto ordinal = ordinal_of(options.device, "opencl");
    if (!ordinal)
        return Error{ErrorKind::usage, "there is no device '" + options.device + "'", Location{},
                     "opencl, or opencl:N"};
    if (options.per_line || !options.cpu.empty())
        return Error{ErrorKind::usage,
                     std::string(options.per_line ? "--per-line" : "--cpu") + " is of the emulated device", Location{},
                     "use --device emulated"};
    auto device = device::make_opencl(*ordinal);
    if (!device) return std::move(device).error();
    out.device = std::move(*device);
    out.target->opencl = true;
    out.model_fits = !options.model.empty();
    return {};
}

Result<void> choose_device(const RunOptions& options, Runtime& out) {
    const std::string& word = options.device;
    // Counts of lines, an instruction set of the host: only emulation has them.
    const bool emulation_only = options.per_line || !options.cpu.empty();
    const std::optional<int> ordinal = word == "auto" ? 0 : ordinal_of(word, "cuda");
    if (word == "opencl" || word.starts_with("opencl:")) return choose_opencl(options, out);
    if (!ordinal && word != "emulated")
        return Error{ErrorKind::usage, "there is no device '" + word + "'", Location{},
                     "devices: auto, emulated, cuda, cuda:N, opencl, opencl:N"};
    if (ordinal && word != "auto" && emulation_only)
        return Error{ErrorKind::usage,
                     std::string(options.per_line ? "--per-line" : "--cpu") + " is of the emulated device", Location{},
                     "use --device emulated"};
    if (ordinal && !(word == "auto" && emulation_only)) {
        device::CudaOptions cuda;
        cuda.ordinal = *ordinal;
        cuda.cache_directory = default_cache_directory();
        auto list = device::list_cuda();
        auto made = list ? device::make_cuda(cuda) : Result<std::unique_ptr<device::Device>>(list.error());
        if (made) {
            const device::CudaDeviceInfo& info = (*list)[static_cast<std::size_t>(*ordinal)];
            if (options.model.empty()) fit_model(info, out);
            out.device = std::move(*made);
            if (const std::string why = out.device->facts().unwatched; !why.empty())
                out.notes.push_back("clocks and throttling of " + info.device() + " are not watched: " + why);
            out.target->compute_capability = info.limits.compute_capability;
            auto nvrtc = compile::Nvrtc::open(compile::NvrtcSearch::of_machine(), info.driver_version);
            if (nvrtc)
                out.target->nvrtc = std::move(*nvrtc);
            else
                out.notes.push_back("clang compiles for " + info.device() + ": " + nvrtc.error().text());
            return {};
        }
        if (word != "auto") return std::move(made).error();
        // A machine without a driver is nothing to speak of; one whose driver does not work is.
        if (made.error().cause != Cause::no_driver)
            out.notes.push_back("on the emulated device: " + made.error().text());
    }
    device::EmulatedOptions emulated;
    emulated.limits = launch::limits_of(out.model);
    emulated.threads = options.threads;
    emulated.cpu = options.cpu;
    emulated.cache_directory = default_cache_directory();
    emulated.checkers = options.checkers;
    emulated.sources = options.sources;
    emulated.hosts = options.hosts;
    emulated.tell = [](const std::string& text) { fmt::print(stderr, "warpwright: {}\n", printable_lines(text)); };
    if (confine::confined()) emulated.memory = options.checkers ? kUntrustedChecked : kUntrustedMemory;
    auto device = device::make_emulated(emulated);
    if (!device) return std::move(device).error();
    out.device = std::move(*device);
    return {};
}

}  // namespace

Result<predict::Simulate> which_simulated(const RunOptions& options, bool real) {
    using predict::Simulate;
    if (real && (options.bounds || !options.predict.empty()))
        return Error{ErrorKind::usage,
                     std::string(options.bounds ? "--bounds" : "--predict") + " is of the emulated device", Location{},
                     "leave out --device"};
    if (options.bounds || real) return Simulate::none;
    std::string from = "--predict", text = options.predict;
    if (text.empty()) from = settings::variable(Setting::predict), text = settings::text(Setting::predict);
    if (text.empty()) return Simulate::within_budget;
    const auto chosen = predict::parse_simulate(text);
    return chosen ? Result<Simulate>(*chosen) : predict::no_such_choice(from, text);
}

Result<Runtime> make_runtime(const RunOptions& options) {
    Runtime out;
    if (!(options.timeout >= 0))
        return Error{ErrorKind::usage, "the timeout must be a number of seconds, 0 or more", Location{}, ""};
    auto model = arch::load_model(arch::model_or_default(options.model));
    if (!model) return std::move(model).error();
    out.model = std::move(*model);
    out.threads = options.threads != 0 ? options.threads : host::usable_cores();
    out.target = std::make_shared<lab::Target>();
    if (auto ok = choose_device(options, out); !ok) return std::move(ok).error();
    auto simulate = which_simulated(options, out.real());
    if (!simulate) return std::move(simulate).error();
    out.simulate = *simulate;
    out.launch.per_line = options.per_line;
    out.seed = options.seed.value_or(1);
    if (!options.seed && out.real()) out.seed = std::random_device{}();
    if (options.timeout > 0)  // at least 1 ms, which 0 would turn off; at most 30 years, which fits
        out.launch.timeout = std::chrono::milliseconds(
            static_cast<std::int64_t>(std::min(std::max(1.0, std::ceil(options.timeout * 1000)), 1e12)));
    out.launch.compile_timeout = out.launch.timeout;
    // An assembler is asked for registers while a kernel is compiled, and has as long.
    constexpr double kUsual = 300;
    if (options.timeout > 0 && options.timeout < settings::number(Setting::ptxas_timeout, kUsual))
        settings::choose(Setting::ptxas_timeout, fmt::format("{:.3f}", std::max(options.timeout, 0.001)));
    return out;
}

lab::Context Runtime::context(const RunOptions& options, lab::Observer* observer) const {
    lab::Context out{*device, model, model_fits, target};
    out.options.launch = launch;
    out.options.threads = threads;
    out.options.seed = seed;
    out.options.cpu = options.cpu;
    out.options.simulate = simulate;
    out.observer = observer;
    return out;
}

Result<void> check_output(const OutputOptions& options) {
    if (options.json == "-" && options.csv == "-")
        return Error{ErrorKind::usage, "JSON and CSV cannot both go to standard output", Location{},
                     "name a file: --csv out.csv"};
    if (auto ok = check_writable({options.json, options.csv}); !ok) return ok;
    if (auto ok = check_language(options.language); !ok) return ok;
    return report::check_columns(options.columns);
}

Result<void> write_or_print(const std::string& file, const std::string& text, Console& console) {
    if (file != "-") return write_file(file, text);
    console.data(text);
    return {};
}

Result<void> give(const record::RecordSet& set, const OutputOptions& options, bool per_line, Console& console,
                  const std::string& extra, const SourceFiles::MayShow& may_show) {
    if (options.json && *options.json != "-")
        if (auto ok = write_file(*options.json, report::json(set)); !ok) return ok;
    if (options.csv && *options.csv != "-")
        if (auto ok = write_file(*options.csv, report::csv(set, per_line)); !ok) return ok;
    if (options.json == "-") {
        console.data(report::json(set));
        return {};
    }
    if (options.csv == "-") {
        console.data(report::csv(set, per_line));
        return {};
    }
    report::TableOptions table;
    table.color = console.color();
    table.unicode = console.unicode();
    table.width = console.width();
    table.columns = options.columns;
    table.exact = !options.brief;
    table.explain = !options.no_why;
    auto words = Words::load(page_language(options.language));
    if (!words) return std::move(words).error();
    table.words = std::move(*words);
    console.out(report::table(set, table));
    if (!options.brief)
        if (std::string counts = exact_counts(set, table.width, table.words); !counts.empty())
            console.out("\n" + counts);
    if (per_line) console.out("\n" + report::line_table(set, table, source_reader(may_show)));
    if (!extra.empty()) console.out("\n" + extra);
    return {};
}

}  // namespace warpwright::cli
