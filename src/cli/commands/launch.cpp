// warpwright launch: one kernel, ad hoc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/commands/dump_ir.hpp"
#include "cli/commands/hosts.hpp"
#include "cli/commands/one_kernel.hpp"
#include "cli/commands/output_files.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/options/argument_words.hpp"
#include "cli/options/common_options.hpp"
#include "cli/paragraphs.hpp"
#include "ladder/pack.hpp"
#include "launch/record.hpp"
#include "predict/launch_work.hpp"
#include "predict/prediction.hpp"
#include "predict/warp_timeline.hpp"
#include "report/warp_page.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"
#include "values/npy.hpp"

namespace warpwright::cli {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;  ///< bytes read at a time
/// Of a larger buffer no more than so many bytes are summarised: reading takes seconds for each GiB.
constexpr std::uint64_t kMostSummarised = std::uint64_t{1} << 30;

/// First values, range and a checksum of the bytes, so that two runs can be compared at a glance.
Result<std::string> summary(device::Device& device, const LaunchArgument& a, const DeviceBuffer& buffer) {
    unsigned size = values::element_size(a.element);
    ContentHasher hash;
    std::uint64_t nans = 0;
    long double low = INFINITY, high = -INFINITY, sum = 0;
    std::string first;
    std::vector<std::byte> piece;
    const auto count = std::min(a.count, kMostSummarised / size);
    for (std::uint64_t begin = 0; begin < count; begin += kPiece / size) {
        piece.resize(std::min(kPiece / size, count - begin) * size);
        if (auto ok = device.read(piece, buffer.address + begin * size); !ok) return ok.error();
        hash.add({reinterpret_cast<const char*>(piece.data()), piece.size()});
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
    return out + " checksum " + hash.digest().substr(0, 16);
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

/// A launch that has run, and what is printed besides.
struct Shown {
    record::Record record;
    std::string extra;
};

/// What the buffers and the kernel's output are after the run.
Result<std::string> after_run(const Prepared& prepared, const OneKernel& ready, const device::LaunchResult& launched,
                              device::Device& device, std::size_t width) {
    std::string out;
    for (std::size_t i = 0; i < ready.buffers.size(); ++i) {
        if (!ready.buffers[i]) continue;
        auto text = summary(device, prepared.arguments[i], *ready.buffers[i]);
        if (!text) return std::move(text).error();
        out += paragraph(
            fmt::format("argument {} after the run, {}[{}]:{}", i, values::element_name(prepared.arguments[i].element),
                        prepared.arguments[i].count, *text),
            width, 2);
    }
    if (!launched.output.empty())
        out += "the kernel printed:\n" + launched.output + (launched.output.ends_with('\n') ? "" : "\n");
    return out;
}

/// What a launch took, in counts, and in time by the clock of the device or by the model's bound.
record::Record record_of(const device::KernelInfo& kernel, const device::LaunchConfig& config,
                         const device::LaunchResult& launched, const Runtime& runtime) {
    record::Record r = launch::record_of(kernel, config, launched);
    r.experiment = "launch";
    r.device = runtime.device->name();
    if (launched.device_seconds) {
        r.time = record::Time{*launched.device_seconds, *launched.device_seconds, 0, 1};
        r.notes.push_back("timed once, cold: a ladder's rung is warmed up and sampled");
    }
    if (launched.counts) predict::annotate(r, predict::launch_work(kernel, config, launched), runtime.model);
    return r;
}

/// --timeline: the file, and what is printed of it.
Result<std::string> write_timeline(const LaunchOptions& options, const std::string& kernel, const predict::Work& work,
                                   const arch::DeviceModel& model, Console& console) {
    constexpr std::size_t kLines = 10;
    auto timeline = predict::warp_timeline(kernel, work, model, static_cast<double>(options.timeline_cycles));
    if (!timeline) return std::move(timeline).error();
    SourceFiles files(only_file(options.file));
    const auto source = [&](const std::string& file, unsigned line) { return files.line(file, line); };
    const bool json = options.timeline.ends_with(".json");
    const auto words = Words::load_all(page_language({}));
    if (!words) return words.error();
    if (auto ok =
            write_or_print(options.timeline,
                           json ? report::warp_json(*timeline) : report::warp_page(*timeline, source, *words), console);
        !ok)
        return std::move(ok).error();
    std::string out = (*words)("launch.by_line") + "\n";
    for (const std::string& line : report::warp_lines(*timeline, kLines, source, *words)) out += "  " + line + "\n";
    return out;
}

/// What --timeline asks for and cannot have.
Result<void> check_timeline(const LaunchOptions& options, const Runtime* runtime) {
    if (options.timeline.empty()) return {};
    if (!options.timeline.ends_with(".html") && !options.timeline.ends_with(".json"))
        return Error{ErrorKind::usage,
                     "--timeline " + options.timeline + ": the name's ending does not say what to write",
                     {},
                     "--timeline FILE.html or FILE.json"};
    if (options.run.untrusted || !options.models.empty() || options.dumps())
        return Error{
            ErrorKind::usage, "--timeline cannot go with --models, --untrusted, --dump-ir or --dump-machine", {}, ""};
    if (runtime && runtime->real())
        return Error{ErrorKind::usage,
                     "--timeline shows a simulated multiprocessor, and this device is real",
                     {},
                     "--device emulated"};
    if (runtime && runtime->simulate == predict::Simulate::none)
        return Error{
            ErrorKind::usage, "--timeline needs the simulation that --bounds and --predict=off turn off", {}, ""};
    return {};
}

Result<Shown> launch_once(const LaunchOptions& options, const Prepared& prepared, Runtime& runtime, Console& console) {
    auto ready = one_kernel(options, prepared, runtime, console);
    if (!ready) return std::move(ready).error();
    const device::KernelInfo* kernel = ready->kernel;
    const device::LaunchConfig& config = prepared.config;
    SourceFiles files(only_file(options.file));
    const auto line = [&](const std::string& file, unsigned number) { return files.line(file, number); };
    predict::Predictor predictor(runtime.model, runtime.simulate, line, default_cache_directory());
    runtime.launch.trace = predictor.trace_request(*kernel, config);
    auto launched = launch_bounded(options, prepared, runtime, *ready, console);
    if (!launched) {
        if (runtime.real() && launched.error().kind == ErrorKind::fault) console.leave_at_once();  // it may still run
        return std::move(launched).error();
    }

    auto r = record_of(*kernel, config, *launched, runtime);
    if (launched->counts && runtime.simulate != predict::Simulate::none)
        predict::annotate_prediction(r,
                                     predictor.predict(kernel->name, predict::launch_work(*kernel, config, *launched)));
    auto extra = after_run(prepared, *ready, *launched, *runtime.device, console.width());
    if (!extra) return std::move(extra).error();
    if (!options.timeline.empty()) {
        const auto work = predict::launch_work(*kernel, config, *launched);
        auto told = write_timeline(options, r.kernel, work, runtime.model, console);
        if (!told) return std::move(told).error();
        *extra += *told;
    }
    if (auto ok = write_outputs(prepared, ready->buffers, *runtime.device); !ok) return std::move(ok).error();
    return Shown{std::move(r), std::move(*extra)};
}

/// The same launch on each of these device models: a record for each. A model on which it is not possible has a record
/// that says so.
Result<void> on_models(const LaunchOptions& options, const Prepared& prepared, Console& console) {
    if (options.run.untrusted || !options.run.model.empty() || options.dumps())
        return Error{ErrorKind::usage, "--models cannot go with --model, --untrusted, --dump-ir or --dump-machine",
                     Location{}, ""};
    record::RecordSet set;
    std::string extra;
    const bool all = options.models == std::vector<std::string>{"all"};
    for (const std::string& name : all ? arch::list_models() : options.models) {
        LaunchOptions one = options;
        one.run.model = name, one.run.device = "emulated";
        auto runtime = make_runtime(one.run);
        if (!runtime) return std::move(runtime).error();
        auto shown = launch_once(one, prepared, *runtime, console);
        if (shown) {
            extra = std::move(shown->extra);
            set.records.push_back(std::move(shown->record));
        } else if (shown.error().kind == ErrorKind::limit) {
            record::Record r;
            r.experiment = "launch", r.kernel = options.kernel.empty() ? options.file : options.kernel;
            r.device = runtime->device->name(), r.model = runtime->model.name;
            r.left_out = shown.error().text();
            set.records.push_back(std::move(r));
        } else {
            return std::move(shown).error();
        }
        set.environment = lab::environment(runtime->context(one.run));
    }
    set.environment.model.clear();
    return give(set, options.output, options.run.per_line, console, extra, only_file(options.file));
}

Result<void> run(const LaunchOptions& options, Console& console) {
    auto prepared = prepare(options);
    if (!prepared) return std::move(prepared).error();
    if (auto ok = check_dump_ir(options.dump_ir); !ok) return ok;
    if (auto ok = check_output(options.output); !ok) return ok;
    if (auto ok = check_writable(options.timeline); !ok) return ok;
    for (const auto& output : prepared->outputs)
        if (auto ok = check_writable(output.second); !ok) return ok;
    if (auto ok = check_regular_file(options.file); !ok) return ok;
    if (auto ok = check_timeline(options, nullptr); !ok) return ok;
    if (!options.models.empty()) return on_models(options, *prepared, console);
    RunOptions run = options.run;
    run.sources = std::make_shared<SourceFiles>(only_file(options.file));  // for the names of arrays in errors
    auto runtime = make_runtime(run);
    if (!runtime) return std::move(runtime).error();
    if (auto ok = check_timeline(options, &*runtime); !ok) return ok;
    if (options.dumps()) return dump_ir(options, *runtime, console);
    auto shown = launch_once(options, *prepared, *runtime, console);
    if (!shown) return std::move(shown).error();
    record::RecordSet set{lab::environment(runtime->context(options.run)), {std::move(shown->record)}};
    return give(set, options.output, options.run.per_line, console, shown->extra, only_file(options.file));
}

/// The launch over the processes of an mpirun; an exit code.
int run_on_hosts(const LaunchOptions& given, Console& console) {
    if (Hosts::is_other()) return serve_host(given.run, console);
    if (given.run.untrusted || given.dumps() || !(given.run.device == "auto" || given.run.device == "emulated"))
        return console.fail(Error{ErrorKind::usage,
                                  "--hosts is of a launch on the emulated device, which is trusted",
                                  {},
                                  "leave out --untrusted, --device and what dumps"});
    auto hosts = Hosts::join();
    if (!hosts) return console.fail(hosts.error());
    LaunchOptions o = given;
    o.run.device = "emulated";
    o.run.threads = (*hosts)->threads(o.run.threads);
    auto folder = std::make_unique<TemporaryFolder>("hosts");
    if (folder->path().empty())
        return console.fail(Error{ErrorKind::internal, "no temporary folder", {}, "set TMPDIR"});
    o.run.hosts = folder->path() + "/hosts";
    auto ok = (*hosts)->listen(o.run.hosts);
    if (ok) ok = run(o, console);
    (*hosts)->end(console);
    const int code = ok ? 0 : console.fail(ok.error());
    folder.reset();
    if ((*hosts)->somebody_lost()) leave(code);
    return code;
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
    c->add_option("--define,-D", o->defines, "a macro for the compiler")
        ->type_name("NAME[=V]")
        ->take_all()
        ->allow_extra_args(false);
    c->add_option("--include,-I", o->includes, "a folder for #include")
        ->type_name("DIR")
        ->take_all()
        ->allow_extra_args(false);
    c->add_flag("--cooperative", o->cooperative, "a cooperative launch (grid-wide barriers)");
    c->add_flag("--hosts", o->hosts,
                "under mpirun: all processes run blocks of the launch, and the first one reports; figures and results "
                "stay the same");
    c->add_option("--models", o->models, "the same launch on several device models, side by side; all: on every one")
        ->type_name("A,B,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    c->add_option("--timeline", o->timeline,
                  "draw what each warp of a multiprocessor does, cycle by cycle, and where warps stand by source line")
        ->type_name("FILE.html|.json");
    add_number(*c, "--timeline-cycles", o->timeline_cycles, "how many cycles the timeline shows")
        ->type_name("N")
        ->capture_default_str();
    c->add_flag(
        "--dump-ir{each}", o->dump_ir,
        "print the warp IR after each pass of the lowering, after =PASS, or =shapes: with how each value varies "
        "over the lanes of --block; launch nothing");
    c->add_flag("--dump-machine", o->dump_machine,
                "print the machine view that predicted times are made from, and launch nothing");
    c->footer(
        "An argument is\n"
        "  TYPE[COUNT]=CONTENTS   a buffer: f32[1024*1024]=random\n"
        "                         TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
        "                         CONTENTS: zero ones const(V) iota random random(LOW,HIGH)\n"
        "                         file:in.npy (its type and size must fit) file:in.bin (raw bytes)\n"
        "                         none (nothing is written to it)\n"
        "  1024, f32:1.5          a number; its type is the parameter's, and must be that if given\n"
        "  ptr:null               a null pointer\n"
        "  local:1024             a __local pointer of OpenCL, to so many bytes of shared memory");
    add_untrusted(*c, o->run);
    add_run_options(*c, o->run);
    add_output_options(*c, o->output);
    return {c, [o, c](Console& console) {
                settle(o->output, *c);
                if (o->hosts) return run_on_hosts(*o, console);
                return maybe_confined(*o, console, [&] {
                    auto ok = run(*o, console);
                    if (!ok) return console.fail(ok.error());
                    if (c->count("--grid") == 0 && c->count("--block") == 0 && !o->dumps())
                        console.note("a single thread ran: --grid and --block say how many");
                    return 0;
                });
            }};
}

}  // namespace warpwright::cli
