// Each group of options is registered by one function, so that an option has the same name and text in every command.
// Optional values that the parser leaves empty are settled afterwards.
#include "cli/options/common_options.hpp"

#include "support/settings.hpp"

namespace warpwright::cli {

void add_several_devices(CLI::App& c, ProgramOptions& o) {
    c.add_option("--devices", o.devices, "of a whole program: the machine has so many emulated GPUs of the model")
        ->type_name("N")
        ->check(CLI::Range(1u, 16u));
    c.add_option("--topology", o.topology,
                 "how they are linked: nvlink or pcie; without it NVLink where the model has it")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"nvlink", "pcie"}));
}

void add_memory_options(CLI::App& c, ProgramOptions& o) {
    c.add_option("--memory-file", o.memory_file,
                 "of a whole program: device memory lies in a file in this folder, so that it may be larger than this "
                 "machine's memory")
        ->type_name("FOLDER");
    c.add_option(
         "--memory-limit", o.memory_limit,
         "GB of this machine's memory that a whole program may take with its devices; without it: what there is")
        ->type_name("GB")
        ->check(CLI::Range(0.001, 1e9));
}

void add_predict_options(CLI::App& command, RunOptions& o) {
    command.add_flag("--predict{all}", o.predict,
                     "which launches are simulated for their times: auto (within a budget; the default), all, or off "
                     "(docs/timing.md)");
    command.add_flag("--bounds", o.bounds, "no predicted times, only bounds: --predict=off");
    command
        .add_option_function<std::string>(
            "--ptxas",
            [&o](const std::string& value) {
                o.ptxas = value;
                settings::choose(Setting::ptxas, value);
            },
            "NVIDIA's assembler, whose registers and spills are taken instead of estimates; off: estimates; without "
            "it: "
            "one that is found")
        ->type_name("PATH");
}

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
    add_number(command, "--threads", o.threads, "host threads; 0 = one for each core that may be used")->type_name("N");
    command.add_option("--timeout", o.timeout, "seconds that a launch, or compiling a kernel, may take; 0 = no limit")
        ->type_name("S")
        ->capture_default_str();
    command
        .add_option("--seed", o.seed, "seed of random inputs; without it: 1, and another each time on a real device")
        ->check(
            CLI::Validator([](const std::string& text) { return whole_number_or_why_not<std::uint64_t>(text); }, ""))
        ->type_name("N");
    add_predict_options(command, o);
    command.add_flag("--per-line", o.per_line, "counts of each source line as well");
}

void add_untrusted(CLI::App& command, RunOptions& o) {
    command.add_flag("--untrusted", o.untrusted,
                     "compile and run in a child process that the system confines: see docs/security.md");
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

void add_output_options(CLI::App& command, OutputOptions& o) {
    add_json_and_csv(command, o);
    command.add_flag("--brief", o.brief, "counts with three digits in the table, and no list of the exact ones");
    command.add_option("--columns", o.columns, "columns of the table, in this order")
        ->type_name("A,B,..")
        ->delimiter(',');
    command.add_flag("--no-why", o.no_why, "leave out what each rung changes and why");
}

void add_keep_options(CLI::App& c, KeepOptions& o, bool resumes) {
    c.add_option("--db", o.db, "the database of results; without it: results.db in the user's data folder")
        ->type_name("FILE");
    c.add_option("--label", o.label, "a name for this run in the database")->type_name("NAME");
    c.add_flag("--no-db", o.none, "store nothing");
    if (!resumes) return;
    c.add_flag("--resume", o.resume, "take from the database what interrupted runs of this command have measured");
}

}  // namespace warpwright::cli
