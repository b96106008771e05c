// The words of the commands for whole programs: run and build.
#include "cli/commands/commands.hpp"
#include "cli/commands/page_files.hpp"
#include "cli/commands/result_store.hpp"
#include "cli/habits.hpp"
#include "cli/options/common_options.hpp"

namespace warpwright::cli {
namespace {

void add_compile_options(CLI::App& c, ProgramOptions& o) {
    c.add_option("--define,-D", o.defines, "a macro for the compiler")
        ->type_name("NAME[=V]")
        ->take_all()
        ->allow_extra_args(false);
    c.add_option("--include,-I", o.includes, "a folder for #include")
        ->type_name("DIR")
        ->take_all()
        ->allow_extra_args(false);
    c.add_option("--compile-flag", o.flags, "a further flag for the compiler or linker: --compile-flag=-lz")
        ->type_name("FLAG")
        ->take_all()
        ->allow_extra_args(false);
    c.add_option("--cuda-path", o.cuda_path, "a CUDA toolkit whose headers may be included (Thrust, CUB)")
        ->type_name("DIR");
}

/// The program and its arguments, which the parser leaves alone; and options whose value may be left out.
void settle_program(ProgramOptions& o, const CLI::App& command) {
    if (o.words.empty()) o.words = command.remaining();
    if (!o.words.empty() && o.words.front() == "--") o.words.erase(o.words.begin());
    if (o.words.size() > 1 && o.words[1] == "--") o.words.erase(o.words.begin() + 1);
}

CLI::App* add_run_command(CLI::App& app, ProgramOptions& o) {
    auto* c = app.add_subcommand(
        "run", "run a whole CUDA program on the emulated GPU (or a real one), and say what it did there");
    c->prefix_command(true);
    o.run.device = "emulated";
    c->add_option("--device", o.run.device,
                  "where the program runs: emulated, or on a real GPU under CUPTI: cuda, cuda:1")
        ->type_name("NAME")
        ->capture_default_str();
    c->add_option("--model", o.run.model, "device model: h200 unless named; on a real GPU the one that fits it")
        ->type_name("NAME");
    c->add_option("--models", o.models,
                  "further device models: the program runs once more on each, for predicted times side by side; all: "
                  "on every one")
        ->type_name("NAME,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    c->add_option("--cpu", o.run.cpu, "instruction set of the emulation: native, avx512, avx2, x86-64, ...")
        ->type_name("NAME");
    c->add_option("--threads", o.run.threads, "host threads; 0 = one for each core that may be used")->type_name("N");
    c->add_option("--timeout", o.run.timeout, "seconds that a launch may take; 0 = no limit")->type_name("S");
    c->add_option("-k,--kernel,--kernel-name,--kernels", o.kernel,
                  "only kernels of this name: a part of it, or /a regular expression/ (ncu's regex:NAME works too)")
        ->type_name("NAME");
    c->add_option("-c,--launch-count", o.launches, "only so many launches of them")->type_name("N");
    c->add_option("-s,--launch-skip", o.skip, "after so many")->type_name("N");
    c->add_flag("--no-counters", o.no_counters,
                "times only: nothing is counted (on a real GPU: no kernel is repeated)");
    add_predict_options(*c, o.run);
    add_several_devices(*c, o);
    add_memory_options(*c, o);
    c->add_option("--host-clock", o.host_clock,
                  "the clocks that the program reads: modelled (while it waits for the device they advance by the "
                  "modelled time) or real")
        ->type_name("WHICH")
        ->check(CLI::IsMember({"modelled", "real"}))
        ->capture_default_str();
    c->add_flag("--profile-emulator", o.profile_emulator,
                "where the time of this machine goes that runs the emulation, by source line: gathers, atomics, "
                "compiling, ...; figures of this machine, not of the GPU");
    c->add_flag("--strict", o.strict,
                "an access a few bytes past an allocation's end, which a GPU does not notice, ends the launch");
    c->add_flag("--sample", o.sample,
                "run a part of the blocks, when only counts are wanted; the program's results are then undefined");
    c->add_option("--sample-error", o.sample_error,
                  "percent that counts of a sample may be off (95 % sure); with --sample, 2 unless given")
        ->type_name("PERCENT");
    c->add_flag("--hosts", o.hosts,
                "under mpirun: the first process runs the program, all of them run blocks of its large launches; "
                "figures and results stay the same");
    c->add_option("--metrics", o.metrics,
                  "these counts, in place of the report, by our names, Nsight Compute's or nvprof's; on a real GPU "
                  "also its own: dram__bytes_read.sum")
        ->type_name("KEY,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    c->add_flag("--query-metrics", o.query_metrics, "list the counts that --metrics takes, and run nothing");
    c->add_flag("--print-gpu-trace", o.gpu_trace, "each kernel and copy in its order, in place of the report");
    c->add_flag("--print-gpu-summary", o.gpu_summary, "the report: what is printed anyway");
    c->add_option("-o,--output", o.output, "by the name's ending: .html, .json, .csv, or .txt for the report")
        ->type_name("FILE");
    c->add_flag("-f,--force-overwrite", o.overwrite, "files are written anew anyway");
    c->add_option("--set", o.set, "Nsight Compute's set of metrics: everything is always counted")->type_name("NAME");
    c->add_option("--section", o.section, "likewise")->type_name("NAME");
    c->add_option("--json", o.json, "the whole profile as JSON: to a file, or - for standard output")
        ->type_name("FILE");
    c->add_option("--csv", o.csv, "kernels and copies as CSV")->type_name("FILE");
    c->add_option("--html", o.html,
                  "a page: where the time goes, the timeline, each kernel with its causes and its source")
        ->type_name("FILE");
    c->add_option("--base", o.base, "a profile of `run --json` that the page of --html shows beside this run")
        ->type_name("FILE");
    c->add_option("--findings", o.findings, "what `check --json` found, for the page of --html")->type_name("FILE");
    c->add_option("--trace", o.trace, "Chrome's trace format")->type_name("FILE");
    c->add_option("--digest", o.digest,
                  "a digest of device memory after each launch; `warpwright digest` compares two such files")
        ->type_name("FILE");
    c->add_option("--log,--log-file", o.log, "the report goes to a file; without it: to standard error")
        ->type_name("FILE");
    c->add_flag("--quiet", o.quiet, "no report");
    add_keep_options(*c, o.keep, false);
    c->add_option("--language,--lang", o.language,
                  "of the report: " + known_languages() + "; without it: that of the locale")
        ->type_name("LANG");
    add_compile_options(*c, o);
    c->footer(
        "warpwright run [OPTIONS] PROGRAM [--] [ARGUMENTS...]; a PROGRAM that ends in .cu, or .c or .cpp with "
        "-lOpenCL, is compiled first.\n"
        "The program's own output and exit code are left as they are. Times of GPU activities are predicted;\n"
        "with --device cuda they are measured.");
    return c;
}

CLI::App* add_build_command(CLI::App& app, ProgramOptions& o) {
    auto* c = app.add_subcommand("build", "build a CUDA program, linked to our runtime library");
    c->add_option("sources", o.words, "CUDA C++ (.cu), and .cpp, .c, .o that belong to it")->required();
    c->add_option("--timeout", o.run.timeout, "seconds that one run of the compiler may take; 0 = 600")->type_name("S");
    c->add_option("-o,--output", o.program, "the program to make; without it: the first source's name")
        ->type_name("FILE");
    c->add_flag("--untrusted", o.run.untrusted,
                "compile and link in a child process that the system confines: see docs/security.md");
    add_compile_options(*c, o);
    c->add_option("--host-flag", o.host_flags, "a further flag for the host's code alone: --host-flag=-march=native")
        ->type_name("FLAG")
        ->take_all()
        ->allow_extra_args(false);
    c->footer(
        "nvcc's options may stand there as they are: -O3 -std=c++17 -arch=sm_90 -rdc=true -Xcompiler -fopenmp "
        "-lcublas.\n"
        "What concerns machine code (-Xptxas, -maxrregcount, -cudart) has no effect.");
    return c;
}

}  // namespace

Command add_run(CLI::App& app, const Invocation& invocation) {
    auto o = std::make_shared<ProgramOptions>();
    o->command = command_text(invocation.words);
    CLI::App* c = add_run_command(app, *o);
    return {c, [o, c](Console& console) {
                const auto words = c->remaining();
                if (!words.empty() && words.front().size() > 1 && words.front()[0] == '-' && words.front() != "--")
                    return console.fail(unknown_option(*c, words.front()));
                settle_program(*o, *c);
                return run_whole(*o, console);
            }};
}

Command add_build(CLI::App& app) {
    auto o = std::make_shared<ProgramOptions>();
    CLI::App* c = add_build_command(app, *o);
    return {c, [o, c](Console& console) {
                settle_program(*o, *c);
                return build(*o, console);
            }};
}

}  // namespace warpwright::cli
