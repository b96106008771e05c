// warpwright launch: one kernel, ad hoc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/commands/dump_ir.hpp"
#include "cli/commands/one_kernel.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/common_options.hpp"
#include "ladder/pack.hpp"
#include "predict/bound.hpp"
#include "predict/prediction.hpp"
#include "support/demangle.hpp"
#include "values/npy.hpp"

namespace warpwright::cli {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;  ///< bytes read at a time
/// Of a larger buffer no more than so many bytes are summarised: reading takes seconds for each GiB.
constexpr std::uint64_t kMostSummarised = std::uint64_t{1} << 30;

/// First values, range and a checksum of the bytes (64-bit FNV-1a), so that two runs can be compared at a glance.
Result<std::string> summary(device::Device& device, const LaunchArgument& a, const DeviceBuffer& buffer) {
    unsigned size = values::element_size(a.element);
    std::uint64_t hash = 0xcbf29ce484222325ull, nans = 0;
    long double low = INFINITY, high = -INFINITY, sum = 0;
    std::string first;
    std::vector<std::byte> piece;
    const auto count = std::min(a.count, kMostSummarised / size);
    for (std::uint64_t begin = 0; begin < count; begin += kPiece / size) {
        piece.resize(std::min(kPiece / size, count - begin) * size);
        if (auto ok = device.read(piece, buffer.address + begin * size); !ok) return ok.error();
        for (std::byte b : piece) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3ull;
        for (std::uint64_t i = 0; i < piece.size() / size; ++i) {
            long double v = values::load_element(a.element, piece.data() + i * size);
            if (begin + i < 6)
                first += values::is_floating(a.element) ? fmt::format(" {:.6g}", static_cast<double>(v))
                                                        : fmt::format(" {:.0f}", v);
            if (std::isnan(v)) {
                ++nans;
                continue;
            }
            low = std::min(low, v);
            high = std::max(high, v);
            sum += v;
        }
    }
    std::string out = fmt::format("{}{};", first, a.count > 6 ? " ..." : "");
    if (count < a.count) out += fmt::format(" of the first {} values:", count);
    if (low <= high)
        out += fmt::format(" min {:.6g}, max {:.6g}, sum {:.9g},", static_cast<double>(low), static_cast<double>(high),
                           static_cast<double>(sum));
    if (nans > 0) out += fmt::format(" {} NaN,", nans);
    return out + fmt::format(" checksum {:016x}", hash);
}

Result<void> write_outputs(const Prepared& p, const std::vector<std::optional<DeviceBuffer>>& buffers,
                           device::Device& device) {
    for (const auto& [index, path] : p.outputs) {
        std::vector<std::byte> bytes(buffers[index]->bytes);
        if (!bytes.empty())
            if (auto ok = device.read(bytes, buffers[index]->address); !ok) return ok;
        if (auto ok = values::write_buffer_file(path, p.arguments[index].element, bytes); !ok) return ok;
    }
    return {};
}

/// The launch as a device model sees it.
predict::Work shape_of(const device::KernelInfo& kernel, const device::LaunchConfig& config) {
    predict::Work work;
    work.grid = {config.grid.x, config.grid.y, config.grid.z};
    work.block = {config.block.x, config.block.y, config.block.z};
    work.registers = kernel.registers;
    work.registers_estimated = kernel.registers_estimated;
    work.shared = kernel.static_shared + config.dynamic_shared;
    return work;
}

/// What a launch took, in counts, and in time by the clock of the device or by a model.
Result<record::Record> record_of(const LaunchOptions& options, const device::KernelInfo& kernel,
                                 const device::LaunchConfig& config, const device::LaunchResult& launched,
                                 const Runtime& runtime) {
    record::Record r;
    r.experiment = "launch";
    r.kernel = demangle(kernel.name);
    r.device = runtime.device->name();
    r.grid = record::Extent{config.grid.x, config.grid.y, config.grid.z};
    r.block = record::Extent{config.block.x, config.block.y, config.block.z};
    if (launched.device_seconds) {
        r.time = record::Time{*launched.device_seconds, *launched.device_seconds, 0, 1};
        r.notes.push_back("timed once, cold: a ladder's rung is warmed up and sampled");
    } else {
        r.emulation_s = launched.host_seconds;
        r.compile_s = launched.compile_seconds;
    }
    if (launched.counts) {
        r.counts = launched.counts->total;
        r.lines = launched.counts->lines;
    }
    if (launched.counts) {
        predict::Work work = shape_of(kernel, config);
        work.counts = launched.counts->total;
        work.touched = launched.touched;
        work.trace = launched.trace;
        predict::annotate(r, work, runtime.model);
        if (options.predict)
            if (auto ok = predict::annotate_prediction(r, work, runtime.model); !ok) return ok.error();
    }
    return r;
}

/// The kernel's buffers after the run, and what it printed.
Result<std::string> contents_text(device::Device& device, const Prepared& prepared,
                                  const std::vector<std::optional<DeviceBuffer>>& buffers, const std::string& output) {
    std::string extra;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i]) continue;
        auto text = summary(device, prepared.arguments[i], *buffers[i]);
        if (!text) return std::move(text).error();
        extra += fmt::format("argument {} after the run, {}[{}]:{}\n", i,
                             values::element_name(prepared.arguments[i].element), prepared.arguments[i].count, *text);
    }
    if (!output.empty()) extra += "the kernel printed:\n" + output + (output.ends_with('\n') ? "" : "\n");
    return extra;
}

Result<void> run(const LaunchOptions& options, Console& console) {
    auto prepared = prepare(options);
    if (!prepared) return std::move(prepared).error();
    if (auto ok = check_dump_ir(options.dump_ir); !ok) return ok;
    if (auto ok = check_output(options.output); !ok) return ok;
    if (std::error_code ec; !std::filesystem::is_regular_file(options.file, ec))
        return Error{ErrorKind::input, "there is no file '" + options.file + "'", Location{}, ""};
    auto runtime = make_runtime(options.run);
    if (!runtime) return std::move(runtime).error();
    if (!options.dump_ir.empty()) return dump_ir(options, *runtime, console);
    auto ready = one_kernel(options, *prepared, *runtime, console);
    if (!ready) return std::move(ready).error();
    device::Device& device = *runtime->device;
    const device::KernelInfo* kernel = ready->kernel;
    auto& buffers = ready->buffers;
    if (options.predict) {
        if (runtime->real())
            return Error{ErrorKind::usage, "--predict is of the emulated device", Location{}, "leave out --device"};
        runtime->launch.trace_multiprocessors = runtime->model.sm.multiprocessors;
        runtime->launch.trace_blocks = predict::blocks_to_trace(shape_of(*kernel, prepared->config), runtime->model);
    }
    auto launched = launch_bounded(options, *prepared, *runtime, *ready, console);
    if (!launched) {
        if (runtime->real() && launched.error().kind == ErrorKind::fault) console.leave_at_once();  // it may still run
        return std::move(launched).error();
    }

    auto r = record_of(options, *kernel, prepared->config, *launched, *runtime);
    if (!r) return std::move(r).error();
    auto extra = contents_text(device, *prepared, buffers, launched->output);
    if (!extra) return std::move(extra).error();

    if (auto ok = write_outputs(*prepared, buffers, device); !ok) return ok;
    record::RecordSet set{lab::environment(runtime->context(options.run)), {std::move(*r)}};
    return give(set, options.output, options.run.per_line, console, *extra, only_file(options.file));
}

}  // namespace

Command add_launch(CLI::App& app) {
    auto o = std::make_shared<LaunchOptions>();
    auto* c = app.add_subcommand("launch", "run one kernel of a .cu, .cl or .ptx file");
    c->add_option("file", o->file, "CUDA C++ (.cu), OpenCL C (.cl) or PTX (.ptx)")->required();
    c->add_option("--kernel", o->kernel, "its name; may be left out where there is only one")->type_name("NAME");
    c->add_option("--grid", o->grid, "blocks: 64 or 16x16 or 8x8x4")->type_name("EXTENT")->capture_default_str();
    c->add_option("--block", o->block, "threads of a block: 256 or 16x16")->type_name("EXTENT")->capture_default_str();
    add_number(*c, "--shared", o->shared, "dynamic shared memory, bytes")->type_name("BYTES");
    c->add_option("--arg", o->arguments, "one argument, in order (see below)")
        ->type_name("ARG")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    c->add_option("--out", o->outputs, "write a buffer after the run; arguments count from 0; .npy or raw by the name")
        ->type_name("INDEX:FILE")
        ->take_all()
        ->allow_extra_args(false);
    c->add_option("--define", o->defines, "a macro for the compiler")
        ->type_name("NAME[=V]")
        ->take_all()
        ->allow_extra_args(false);
    c->add_option("--include", o->includes, "a folder for #include")
        ->type_name("DIR")
        ->take_all()
        ->allow_extra_args(false);
    c->add_flag("--cooperative", o->cooperative, "a cooperative launch (grid-wide barriers)");
    c->add_flag("--predict", o->predict, "predict its time by a simulated multiprocessor (docs/timing.md)");
    c->add_flag("--dump-ir{each}", o->dump_ir,
                "print the warp IR after each pass of the lowering, or after =PASS, and launch nothing");
    c->footer(
        "An argument is\n"
        "  TYPE[COUNT]=CONTENTS   a buffer: f32[1024*1024]=random\n"
        "                         TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
        "                         CONTENTS: zero ones const(V) iota random random(LOW,HIGH)\n"
        "                         file:in.npy (its type and size must fit) file:in.bin (raw bytes)\n"
        "                         none (nothing is written to it)\n"
        "  1024, f32:1.5          a number; its type is the parameter's, and must be that if given\n"
        "  ptr:null               a null pointer");
    add_untrusted(*c, *o);
    add_run_options(*c, o->run);
    add_output_options(*c, o->output);
    return {c, [o, c](Console& console) {
                settle(o->output, *c);
                return maybe_confined(*o, console, [&] {
                    auto ok = run(*o, console);
                    return ok ? 0 : console.fail(ok.error());
                });
            }};
}

}  // namespace warpwright::cli
