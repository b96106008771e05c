// warpwright device: what is known of a GPU; --measure measures it.
#include <fmt/format.h>

#include "arch/model.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/common_options.hpp"
#include "compile/kernel/nvrtc.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvml.hpp"
#include "device/opencl/opencl_device.hpp"
#include "report/format.hpp"
#include "support/settings.hpp"

namespace warpwright::cli {

namespace {

std::string kib(std::uint64_t bytes) { return fmt::format("{} KiB", bytes / 1024); }
std::string extent(const launch::Extent& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

std::string cuda_line(const device::CudaDeviceInfo& d) {
    // Two transfers per clock of the memory, on every device since DDR.
    const double bandwidth = 2 * d.memory_clock * d.bus_bits / 8;
    return fmt::format("{:<10} {:<28} compute capability {}.{}, {} multiprocessors, {:.0f} GB/s, {:.0f} GiB\n",
                       d.device(), d.name, d.limits.compute_capability / 10, d.limits.compute_capability % 10,
                       d.limits.multiprocessors, bandwidth / 1e9, static_cast<double>(d.memory) / (1u << 30));
}

/// What runs beside the device: the driver, the library that watches it, the compiler that kernels are made with.
std::string cuda_software(const device::CudaDeviceInfo& d) {
    auto nvml = device::cuda::Nvml::open(device::cuda::nvml_candidates());
    const std::string version = nvml ? (*nvml)->driver_version() : "";
    std::string out = fmt::format("driver     CUDA {}.{}{}, {}\n", d.driver_version / 1000,
                                  d.driver_version % 1000 / 10, version.empty() ? "" : ", " + version, d.driver_file);
    auto nvrtc = compile::Nvrtc::open(compile::NvrtcSearch::of_machine(), d.driver_version);
    out += nvrtc ? fmt::format("compiler   {}, {}\n", (*nvrtc)->text(), (*nvrtc)->path())
                 : fmt::format("compiler   clang with headers of our own; {}\n", nvrtc.error().what);
    const device::cuda::NvmlDevice handle = nvml ? (*nvml)->device(d.bus) : nullptr;
    if (!handle)
        return out +
               fmt::format("now        not known: {}\n", nvml ? "NVML does not know this device" : nvml.error().what);
    const device::DeviceState now = (*nvml)->state(handle);
    const auto figure = [](const std::optional<double>& v, const char* unit) {
        return v ? fmt::format("{:.0f} {}", *v, unit) : std::string("?");
    };
    out += fmt::format("now        {}, memory {}, {}, {}", figure(now.clock_mhz, "MHz"),
                       figure(now.memory_clock_mhz, "MHz"), figure(now.power_w, "W"),
                       figure(now.temperature_c, "degrees"));
    for (std::size_t i = 0; i < now.throttle.size(); ++i) out += (i ? ", " : "; held down by: ") + now.throttle[i];
    return out + "\n";
}

std::string cuda_details(const device::CudaDeviceInfo& d) {
    const device::Limits& l = d.limits;
    std::string out = cuda_line(d) + cuda_software(d) + "\n";
    const auto row = [&](const char* name, const std::string& value) {
        out += fmt::format("  {:<34} {}\n", name, value);
    };
    row("clock", fmt::format("{:.0f} MHz", d.clock / 1e6));
    row("memory clock, bus", fmt::format("{:.0f} MHz, {} bits", d.memory_clock / 1e6, d.bus_bits));
    row("memory", fmt::format("{} MiB, ECC {}", d.memory >> 20, d.ecc ? "on" : "off"));
    row("L2 cache", kib(d.l2));
    row("threads per block", fmt::format("{}", l.threads_per_block));
    row("block, at most", extent(l.block));
    row("grid, at most", extent(l.grid));
    row("threads per multiprocessor", fmt::format("{}", d.threads_per_multiprocessor));
    row("blocks per multiprocessor", fmt::format("{}", d.blocks_per_multiprocessor));
    row("registers per multiprocessor, block",
        fmt::format("{}, {}", d.registers_per_multiprocessor, d.registers_per_block));
    row("shared memory per multiprocessor", kib(d.shared_per_multiprocessor));
    row("shared memory per block, opted in",
        fmt::format("{}, {}", kib(l.shared_per_block), kib(l.shared_per_block_optin)));
    row("of it reserved", kib(d.reserved_shared_per_block));
    row("constant memory", kib(d.constant));
    row("cooperative launches, clusters",
        fmt::format("{}, {}", d.cooperative ? "yes" : "no", d.clusters ? "yes" : "no"));
    return out;
}

int cuda_device(const std::string& name, Console& console) {
    auto list = device::list_cuda();
    if (!list) return console.fail(list.error());
    std::string known;
    for (const device::CudaDeviceInfo& d : *list) {
        if (name == d.device() || (name == "cuda" && d.ordinal == 0)) {
            console.out(cuda_details(d));
            return 0;
        }
        known += (known.empty() ? "" : ", ") + d.device();
    }
    return console.fail(
        Error{ErrorKind::no_device, "there is no device '" + name + "'", Location{}, "there are: " + known});
}

std::string opencl_line(const device::OpenclDeviceInfo& d) {
    return fmt::format("{:<10} {:<28} {}, {}, {} compute units, {:.0f} GiB\n", d.device(), report::safe(d.name), d.kind,
                       report::safe(d.platform), d.limits.multiprocessors, static_cast<double>(d.memory) / (1u << 30));
}

int opencl_device(const std::string& name, Console& console) {
    auto list = device::list_opencl();
    if (!list) return console.fail(list.error());
    std::string known;
    for (const device::OpenclDeviceInfo& d : *list) {
        known += (known.empty() ? "" : ", ") + d.device();
        if (name != d.device() && !(name == "opencl" && d.ordinal == 0)) continue;
        std::string out = opencl_line(d) + "\n";
        const auto row = [&](const char* what, const std::string& value) {
            out += fmt::format("  {:<34} {}\n", what, report::safe(value));
        };
        row("vendor", d.vendor);
        row("version, driver", d.version + ", " + d.driver);
        row("loader", d.loader);
        row("clock", fmt::format("{:.0f} MHz", d.clock / 1e6));
        row("memory, largest buffer", fmt::format("{} MiB, {} MiB", d.memory >> 20, d.largest_allocation >> 20));
        row("cache", kib(d.cache));
        row("work-items per group", fmt::format("{}", d.limits.threads_per_block));
        row("group, at most", extent(d.limits.block));
        row("local memory per group", kib(d.local));
        row("double precision", d.doubles ? "yes" : "no");
        console.out(out);
        return 0;
    }
    return console.fail(
        Error{ErrorKind::no_device, "there is no device '" + name + "'", Location{}, "there are: " + known});
}

int device(const DeviceOptions& options, Console& console) {
    const std::string& name = options.name;
    if (options.measure) return measure_device(options, console);
    if (name == "cuda" || name.starts_with("cuda:")) return cuda_device(name, console);
    if (name == "opencl" || name.starts_with("opencl:")) return opencl_device(name, console);
    std::string out;
    if (name.empty()) {
        for (const std::string& model_name : arch::list_models()) {
            auto model = arch::load_model(model_name);
            if (!model) return console.fail(model.error());
            std::string capability = model->compute_capability > 0
                                         ? fmt::format("compute capability {}.{}", model->compute_capability / 10,
                                                       model->compute_capability % 10)
                                         : model->architecture;
            out += fmt::format("{:<10} {:<28} {}, {} multiprocessors, {:.0f} GB/s\n", model_name, model->title,
                               capability, model->sm.multiprocessors, model->memory.bandwidth / 1e9);
        }
        if (out.empty())
            return console.fail(Error{ErrorKind::input, "no device models are installed", Location{},
                                      fmt::format("{} names folders of models", settings::variable(Setting::devices))});
        std::string devices;
        if (auto list = device::list_cuda())
            for (const device::CudaDeviceInfo& d : *list) devices += cuda_line(d);
        else
            devices = fmt::format("no CUDA device: {}\n", list.error().what);
        if (auto list = device::list_opencl())
            for (const device::OpenclDeviceInfo& d : *list) devices += opencl_line(d);
        else
            devices += fmt::format("no OpenCL device: {}\n", list.error().what);
        console.out(devices + "\ndevice models\n" + out);
        return 0;
    }
    auto model = arch::load_model(name);
    if (!model) return console.fail(model.error());
    out = fmt::format("{}: {}\n{}\n", model->name, model->title, model->file);
    std::string table;
    for (const arch::Figure& f : arch::figures(*model)) {
        if (f.table != table) out += "\n" + f.table + "\n";
        table = f.table;
        const std::string spread = f.spread ? ", spread " + report::percent(*f.spread) : "";
        out += fmt::format("  {:<24} {:<16} {}{}\n", f.key, f.value, f.source, spread);
    }
    console.out(out);
    return 0;
}

/// What was said to be measured, and only then.
Result<void> check_measuring(DeviceOptions& o, const std::string& measured, const CLI::App& command) {
    for (const char* name : {"--device", "--deep", "--within", "--only", "--output", "--model", "--timeout", "--json",
                             "--csv", "--columns"})
        if (command.count(name) != 0 && !o.measure)
            return Error{ErrorKind::usage, std::string(name) + " goes with --measure", Location{},
                         "see: warpwright device --help"};
    if (!(o.within >= 0))
        return Error{ErrorKind::usage, fmt::format("--within {:g}: seconds cannot be less than none", o.within),
                     Location{}, "0, as without it, is no limit"};
    if (measured.empty()) return {};
    if (!o.name.empty() && o.name != measured)
        return Error{ErrorKind::usage, "two devices are named, and one is measured at a time", Location{},
                     "warpwright device --measure cuda:0"};
    o.name = measured;
    return {};
}

}  // namespace

Command add_device(CLI::App& app) {
    auto o = std::make_shared<DeviceOptions>();
    auto* c = app.add_subcommand("device", "CUDA devices, device models and their figures; --measure: ceilings");
    c->add_option("name", o->name, "a model's name or file, or cuda:0; without it: list all");
    auto measured_device = std::make_shared<std::string>();
    c->add_option("--device", *measured_device, "with --measure: the device, as cuda:0")->type_name("NAME");
    c->add_flag("--measure", o->measure,
                "measure the ceilings of a real GPU (cuda:0 unless named) and keep them as a device model");
    c->add_flag("--deep", o->deep, "with --measure: the figures of the predicted times as well, table [timing]");
    c->add_option("--within", o->within, "with --measure: begin nothing after this many seconds; 0 = no limit")
        ->type_name("S");
    c->add_option("--only", o->groups, "groups to measure: memory,latency,...")->type_name("GROUP,..")->delimiter(',');
    c->add_option("--output", o->save, "the device model's file; - for standard output")->type_name("FILE");
    c->add_option("--model", o->model, "the device model to start from")->type_name("NAME");
    c->add_option("--timeout", o->run.timeout, "seconds that a launch may take; 0 = 20")->type_name("S");
    add_output_options(*c, o->output);
    return {c, [o, c, measured_device](Console& console) {
                settle(o->output, *c);
                if (auto ok = check_measuring(*o, *measured_device, *c); !ok) return console.fail(ok.error());
                return device(*o, console);
            }};
}

}  // namespace warpwright::cli
