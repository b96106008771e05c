// warpwright device and warpwright occupancy: what is known of a GPU, without running anything.
#include <fmt/format.h>

#include "arch/model.hpp"
#include "arch/occupancy.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/options.hpp"
#include "compile/kernel/nvrtc.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvml.hpp"
#include "device/opencl/opencl_device.hpp"
#include "report/format.hpp"

namespace warpwright::cli {

namespace {

std::string kib(std::uint64_t bytes) { return fmt::format("{} KiB", bytes / 1024); }
std::string extent(const device::Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

std::string cuda_line(const device::CudaDeviceInfo& d) {
    // Two transfers a clock of the memory, on every device since DDR.
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
    row("threads a block", fmt::format("{}", l.threads_per_block));
    row("block, at most", extent(l.block));
    row("grid, at most", extent(l.grid));
    row("threads a multiprocessor", fmt::format("{}", d.threads_per_multiprocessor));
    row("blocks a multiprocessor", fmt::format("{}", d.blocks_per_multiprocessor));
    row("registers a multiprocessor, block",
        fmt::format("{}, {}", d.registers_per_multiprocessor, d.registers_per_block));
    row("shared memory a multiprocessor", kib(d.shared_per_multiprocessor));
    row("shared memory a block, opted in",
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
        row("work-items a group", fmt::format("{}", d.limits.threads_per_block));
        row("group, at most", extent(d.limits.block));
        row("local memory a group", kib(d.local));
        row("double precision", d.doubles ? "yes" : "no");
        console.out(out);
        return 0;
    }
    return console.fail(
        Error{ErrorKind::no_device, "there is no device '" + name + "'", Location{}, "there are: " + known});
}

}  // namespace

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
                                      "WARPWRIGHT_DEVICES names folders of models"});
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

namespace {

/// One row: what comes first, then what a multiprocessor holds.
std::string occupancy_row(const std::string& first, const arch::Occupancy& o) {
    return fmt::format("{:>8} {:>8} {:>8} {:>8.1f} %  {}\n", first, o.blocks, o.warps, 100 * o.fraction,
                       o.limiter_text());
}

/// Over registers or shared memory: a row for each stretch in which nothing changes.
std::string occupancy_over(const arch::DeviceModel& model, const OccupancyOptions& o, std::uint64_t threads) {
    const bool registers = o.over == "registers";
    const std::uint64_t most = registers ? model.limits.registers_per_thread : model.limits.shared_per_block_optin;
    const std::uint64_t step = registers ? 1 : model.allocation.shared_unit;
    std::string out = fmt::format("{:>17} {:>8} {:>8} {:>10}  {}\n", registers ? "registers" : "shared bytes", "blocks",
                                  "warps", "occupancy", "limited by");
    std::uint64_t from = registers ? 1 : 0;
    const auto at = [&](std::uint64_t x) {
        return registers ? arch::occupancy(model, static_cast<std::uint32_t>(x), o.shared, threads)
                         : arch::occupancy(model, o.registers, x, threads);
    };
    for (std::uint64_t x = from; x <= most; x = x + step) {
        const arch::Occupancy now = at(x);
        if (x + step <= most && at(x + step).blocks == now.blocks && at(x + step).limiters == now.limiters) continue;
        out += fmt::format("{:>8} to {:>5} {:>8} {:>8} {:>8.1f} %  {}\n", from, x, now.blocks, now.warps,
                           100 * now.fraction, now.limiter_text());
        from = x + step;
    }
    return out;
}

}  // namespace

int occupancy(const OccupancyOptions& options, Console& console) {
    std::uint64_t threads = 256;
    if (!options.block.empty()) {
        auto block = parse_extent(options.block, "block");
        if (!block) return console.fail(block.error());
        threads = std::uint64_t{block->x} * block->y;
        if (__builtin_mul_overflow(threads, block->z, &threads)) threads = ~std::uint64_t{0};
    }
    if (options.all && !options.over.empty())
        return console.fail(
            Error{ErrorKind::usage, "--all and --over: one of them", Location{}, "see: warpwright occupancy --help"});
    const std::string asked =
        fmt::format("{} registers a thread, {} bytes of shared memory a block", options.registers, options.shared);
    const auto header = [](const char* first) {
        return fmt::format("{:>8} {:>8} {:>8} {:>10}  {}\n", first, "blocks", "warps", "occupancy", "limited by");
    };
    if (options.all) {
        auto all = arch::load_capabilities();
        if (!all) return console.fail(all.error());
        std::string out = fmt::format("{}, {} threads a block\n\n{}", asked, threads, header("cc"));
        for (const arch::DeviceModel& m : *all)
            out += occupancy_row(m.name.substr(2), arch::occupancy(m, options.registers, options.shared, threads));
        console.out(out);
        return 0;
    }
    auto model = arch::load_limits(options.model);
    if (!model) return console.fail(model.error());
    if (!options.over.empty()) {
        const bool registers = options.over == "registers";
        console.out(fmt::format("{}: {} threads a block, {}\n\n{}", model->name, threads,
                                registers ? fmt::format("{} bytes of shared memory a block", options.shared)
                                          : fmt::format("{} registers a thread", options.registers),
                                occupancy_over(*model, options, threads)));
        return 0;
    }
    std::vector<std::uint64_t> blocks;
    if (!options.block.empty())
        blocks.push_back(threads);
    else
        for (std::uint64_t t = model->limits.warp; t <= model->limits.threads_per_block; t *= 2) blocks.push_back(t);
    std::string out = fmt::format("{}: {}\n\n{}", model->name, asked, header("threads"));
    for (std::uint64_t t : blocks) {
        arch::Occupancy o = arch::occupancy(*model, options.registers, options.shared, t);
        if (o.blocks == 0 && blocks.size() == 1)
            return console.fail(Error{ErrorKind::limit, o.refusal, Location{}, ""});
        out += occupancy_row(std::to_string(t), o);
    }
    console.out(out);
    return 0;
}

}  // namespace warpwright::cli
