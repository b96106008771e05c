#include "cli/cli.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

#include "cli/commands/commands.hpp"
#include "cli/options/options.hpp"
#include "cli/options/program_options.hpp"
#include "support/settings.hpp"
#include "support/warnings.hpp"

namespace warpwright::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 done; 1 a wrong result or a fault; 2 usage or input; 3 no device or tool.\n"
    "Results go to standard output, errors and progress to standard error.";

/// The parser's own conversion takes -1 for the largest number and cuts what is larger still.
template <class T>
std::string whole(const std::string& text) {
    T value{};
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && problem == std::errc{} && end == text.data() + text.size()) return {};
    return "'" + text + "' is not a whole number from 0 to " + std::to_string(std::numeric_limits<T>::max());
}

template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, const std::string& help) {
    return command.add_option(name, value, help)
        ->check(CLI::Validator([](const std::string& text) { return whole<T>(text); }, ""))
        ->capture_default_str();
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& o) {
    command.add_option("--device", o.device, "where kernels run: auto, emulated, cuda, cuda:1, opencl, ...")
        ->type_name("NAME")
        ->capture_default_str();
    command
        .add_option(
            "--model", o.model,
            "device model for limits and bounds (see: warpwright device); without it: h200, or the real device's")
        ->type_name("NAME");
    command.add_option("--cpu", o.cpu, "instruction set of the emulation: native, avx512, avx2, x86-64, ...")
        ->type_name("NAME");
    add_number(command, "--threads", o.threads, "host threads; 0 = all cores")->type_name("N");
    command.add_option("--timeout", o.timeout, "seconds a launch, or compiling a kernel, may take; 0 = no limit")
        ->type_name("S")
        ->capture_default_str();
    command
        .add_option("--seed", o.seed, "seed of random inputs; without it: 1, and another each time on a real device")
        ->check(CLI::Validator([](const std::string& text) { return whole<std::uint64_t>(text); }, ""))
        ->type_name("N");
    command.add_flag("--per-line", o.per_line, "counts of each source line as well");
}

void add_json_and_csv(CLI::App& command, OutputOptions& o) {
    command.add_option("--json", o.json, "records as JSON: to FILE, or to standard output (-) in place of the table")
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str("-");
    command.add_option("--csv", o.csv, "records as CSV: to FILE, or to standard output (-) in place of the table")
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str("-");
}

/// CLI11 leaves the value empty when an option with an optional value stands alone.
void settle(OutputOptions& o, const CLI::App& command) {
    if (command.count("--json") != 0 && (!o.json || o.json->empty())) o.json = "-";
    if (command.count("--csv") != 0 && (!o.csv || o.csv->empty())) o.csv = "-";
}

namespace {

void add_output_options(CLI::App& command, OutputOptions& o) {
    add_json_and_csv(command, o);
    command.add_flag("--brief", o.brief, "counts with three digits in the table, and no list of the exact ones");
    command.add_option("--columns", o.columns, "columns of the table, in this order")
        ->type_name("A,B,..")
        ->delimiter(',');
    command.add_flag("--no-why", o.no_why, "leave out what each rung changes and why");
}

/// What the library wants the user to know, told when the command is done: a line of its own in a table's middle is
/// none.
class Warnings {
public:
    explicit Warnings(Console& console) : console_(console) {
        on_warning([this](const std::string& text) { lines_.push_back(text); });
    }
    ~Warnings() {
        on_warning({});
        for (const std::string& line : lines_) console_.note(line);
    }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;

private:
    Console& console_;
    std::vector<std::string> lines_;
};

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

}  // namespace

int run(int argc, const char* const* argv, Console& console, const std::string& self) {
    CLI::App app("Warpwright: CUDA kernels on an emulated GPU, with exact counts and the bound of a real one.",
                 "warpwright");
    app.set_version_flag("--version", "warpwright " WARPWRIGHT_VERSION);
    app.set_help_flag("-h,--help", "print this help and exit");
    app.require_subcommand(1);
    app.footer(kFooter);
    app.get_formatter()->column_width(34);

    LabOptions lab_options;
    lab_options.self = self;
    lab_options.words.assign(argv, argv + argc);
    auto* lab_command = app.add_subcommand("lab", "run a ladder of kernels: verified, counted, bounded");
    lab_command->add_option(
        "ladder", lab_options.ladder,
        "an experiment's or a ladder's name, or a folder with a ladder.toml; without it: list them");
    lab_command->add_option("--size", lab_options.sizes, "problem sizes: 192,193 or 64x32x128 or 2^9..2^12")
        ->type_name("N,...");
    lab_command->add_option("--rung", lab_options.rungs, "rungs by name, number or pattern: naive,8,tiled*")
        ->type_name("R,...");
    lab_command
        ->add_option("--axis", lab_options.axes,
                     "values of an axis, or of a size: T=int32 or TILE=8,16 or N=2^9..2^12 (may be repeated)")
        ->type_name("NAME=V,...");
    lab_command
        ->add_option("--cache", lab_options.cache,
                     "a real device's caches when a run begins: cold, or warm from the run before")
        ->check(CLI::IsMember({"cold", "warm"}))
        ->type_name("STATE")
        ->capture_default_str();
    lab_command->add_flag("--no-time", lab_options.no_time,
                          "on a real device: run each rung once and verify it (for profilers)");
    lab_command->add_flag("--all", lab_options.pages.all,
                          "every experiment and ladder, at small sizes: the whole laboratory");
    lab_command->add_flag("--page", lab_options.pages.page,
                          "of a ladder: its whole page (plots, listings, counts by line), not only its table");
    lab_command->add_option("--report", lab_options.pages.html, "the page, or with --all all of them, as one HTML file")
        ->type_name("FILE");
    lab_command
        ->add_option("--markdown", lab_options.pages.markdown, "the same as Markdown, with its drawings, into a folder")
        ->type_name("DIR");
    lab_command->add_option("--svg", lab_options.pages.svg, "plots and pictures as SVG, into a folder")
        ->type_name("DIR");
    lab_command->add_option("--language", lab_options.pages.language, "of pages: en, fi, ru, zh")
        ->type_name("LANG")
        ->capture_default_str();
    lab_command->add_option("--input", lab_options.input_file, "the file that an experiment reads (picture: a PNG)")
        ->type_name("FILE");
    lab_command->add_option("--output", lab_options.output_file, "the file that an experiment writes (picture: a PNG)")
        ->type_name("FILE");
    add_number(*lab_command, "--devices", lab_options.devices, "emulated devices, for links; 0 = the experiment's own")
        ->type_name("N");
    lab_command
        ->add_option("--db", lab_options.keep.db,
                     "the database of results; without it: results.db in the user's data folder")
        ->type_name("FILE");
    lab_command->add_option("--label", lab_options.keep.label, "a name for this run in the database")
        ->type_name("NAME");
    lab_command->add_flag("--no-db", lab_options.keep.none, "store nothing");
    lab_command->add_flag("--resume", lab_options.keep.resume,
                          "take from the database what interrupted runs of this command have measured");
    lab_command
        ->add_option("--tuned", lab_options.tuned.file,
                     "take axis values from this file of `tune`; without it: tuned.toml in the user's data folder")
        ->type_name("FILE");
    lab_command->add_flag("--no-tuned", lab_options.tuned.none,
                          "take no tuned values: all that the ladder's file lists");
    lab_command->add_option("--go-on", lab_options.go_on, "of the program itself, after a fault")->group("");
    add_run_options(*lab_command, lab_options.run);
    add_output_options(*lab_command, lab_options.output);

    LaunchOptions launch_options;
    auto* launch_command = app.add_subcommand("launch", "run one kernel of a .cu, .cl or .ptx file");
    launch_command->add_option("file", launch_options.file, "CUDA C++ (.cu), OpenCL C (.cl) or PTX (.ptx)")->required();
    launch_command->add_option("--kernel", launch_options.kernel, "its name; may be left out where there is only one")
        ->type_name("NAME");
    launch_command->add_option("--grid", launch_options.grid, "blocks: 64 or 16x16 or 8x8x4")
        ->type_name("EXTENT")
        ->capture_default_str();
    launch_command->add_option("--block", launch_options.block, "threads of a block: 256 or 16x16")
        ->type_name("EXTENT")
        ->capture_default_str();
    add_number(*launch_command, "--shared", launch_options.shared, "dynamic shared memory, bytes")->type_name("BYTES");
    launch_command->add_option("--arg", launch_options.arguments, "one argument, in order (see below)")
        ->type_name("ARG")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
    launch_command
        ->add_option("--out", launch_options.outputs,
                     "write a buffer after the run; arguments count from 0; .npy or raw by the name")
        ->type_name("INDEX:FILE")
        ->take_all()
        ->allow_extra_args(false);
    launch_command->add_option("--define", launch_options.defines, "a macro for the compiler")
        ->type_name("NAME[=V]")
        ->take_all()
        ->allow_extra_args(false);
    launch_command->add_option("--include", launch_options.includes, "a folder for #include")
        ->type_name("DIR")
        ->take_all()
        ->allow_extra_args(false);
    launch_command->add_flag("--cooperative", launch_options.cooperative, "a cooperative launch (grid-wide barriers)");
    launch_command->add_flag("--dump-ir{each}", launch_options.dump_ir,
                             "print the warp IR after each pass of the lowering, or after =PASS, and launch nothing");
    launch_command->footer(
        "An argument is\n"
        "  TYPE[COUNT]=CONTENTS   a buffer: f32[1024*1024]=random\n"
        "                         TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64\n"
        "                         CONTENTS: zero ones const(V) iota random random(LOW,HIGH)\n"
        "                         file:in.npy (its type and size must fit) file:in.bin (raw bytes)\n"
        "                         none (nothing is written to it)\n"
        "  1024, f32:1.5          a number; its type is the parameter's, and must be that if given\n"
        "  ptr:null               a null pointer");
    add_run_options(*launch_command, launch_options.run);
    add_output_options(*launch_command, launch_options.output);

    DeviceOptions device_options;
    auto* device_command =
        app.add_subcommand("device", "CUDA devices, device models and their figures; --measure: ceilings");
    device_command->add_option("model", device_options.name, "a model's name or file, or cuda:0; without it: list all");
    std::string measured_device;
    auto* which = device_command->add_option("--device", measured_device, "with --measure: the device, as cuda:0")
                      ->type_name("NAME");
    device_command->add_flag(
        "--measure", device_options.measure,
        "measure the ceilings of a real GPU (cuda:0 unless named) and keep them as a device model");
    auto* only = device_command->add_option("--only", device_options.groups, "groups to measure: memory,latency,...")
                     ->type_name("GROUP,..")
                     ->delimiter(',');
    auto* save =
        device_command->add_option("--output", device_options.save, "the device model's file; - for standard output")
            ->type_name("FILE");
    auto* start = device_command->add_option("--model", device_options.model, "the device model to start from")
                      ->type_name("NAME");
    auto* limit =
        device_command->add_option("--timeout", device_options.run.timeout, "seconds a launch may take; 0 = 20")
            ->type_name("S");
    add_output_options(*device_command, device_options.output);

    OccupancyOptions occupancy_options;
    auto* occupancy_command = app.add_subcommand("occupancy", "blocks and warps a multiprocessor holds");
    occupancy_command
        ->add_option("--model", occupancy_options.model, "device model, or a compute capability: cc1.3, cc3.5, ...")
        ->type_name("NAME")
        ->capture_default_str();
    add_number(*occupancy_command, "--registers", occupancy_options.registers, "registers a thread")->type_name("N");
    add_number(*occupancy_command, "--shared", occupancy_options.shared, "shared memory a block, bytes")
        ->type_name("BYTES");
    occupancy_command
        ->add_option("--block", occupancy_options.block, "threads of a block; without it: a table over block sizes")
        ->type_name("EXTENT");
    occupancy_command->add_flag("--all", occupancy_options.all,
                                "on every compute capability (block: 256 threads unless given)");
    occupancy_command->add_option("--over", occupancy_options.over, "a table over registers or shared memory instead")
        ->type_name("registers|shared")
        ->check(CLI::IsMember({"registers", "shared"}));

    std::vector<Command> commands;
    for (auto* add : {add_history, add_compare, add_explain, add_check, add_report}) commands.push_back(add(app));

    commands.push_back(add_tune(app, lab_options.words, self));

    ProgramOptions run_options, build_options;
    auto* run_command = add_run_command(app, run_options);
    auto* build_command = add_build_command(app, build_options);

    auto finish = [&](int code) {
        if (console.flush()) return code;
        return console.fail(Error{ErrorKind::internal, "standard output cannot be written", Location{}, ""});
    };
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        const CLI::App* asked = &app;
        for (const CLI::App* sub : app.get_subcommands()) asked = sub;
        console.out(app.get_subcommands().empty() ? app.help() : asked->help("warpwright"));
        return finish(0);
    } catch (const CLI::CallForVersion&) {
        console.out("warpwright " WARPWRIGHT_VERSION "\n");
        return finish(0);
    } catch (const CLI::ParseError& e) {
        std::string command = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
        return console.fail(
            Error{ErrorKind::usage, one_line(e.what()), Location{}, "see: warpwright" + command + " --help"});
    }
    if (const auto wrong = settings::wrong(); !wrong.empty()) return console.fail(wrong.front());
    const Warnings warnings(console);
    if (*lab_command) {
        settle(lab_options.output, *lab_command);
        return finish(lab(lab_options, console));
    }
    if (*launch_command) {
        settle(launch_options.output, *launch_command);
        return finish(launch(launch_options, console));
    }
    if (*run_command) {
        settle_program(run_options, *run_command);
        return finish(run_whole(run_options, console));
    }
    if (*build_command) {
        settle_program(build_options, *build_command);
        return finish(build(build_options, console));
    }
    if (*device_command) {
        settle(device_options.output, *device_command);
        for (const CLI::Option* o : {which, only, save, start, limit, device_command->get_option("--json"),
                                     device_command->get_option("--csv"), device_command->get_option("--columns")})
            if (o->count() != 0 && !device_options.measure)
                return console.fail(Error{ErrorKind::usage, o->get_name() + " goes with --measure", Location{},
                                          "see: warpwright device --help"});
        if (!measured_device.empty()) {
            if (!device_options.name.empty() && device_options.name != measured_device)
                return console.fail(
                    Error{ErrorKind::usage, "two devices to measure", Location{}, "see: warpwright device --help"});
            device_options.name = measured_device;
        }
        return finish(device(device_options, console));
    }
    for (const Command& command : commands)
        if (*command.app) return finish(command.run(console));
    return finish(occupancy(occupancy_options, console));
}

}  // namespace warpwright::cli
