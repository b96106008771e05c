// Runs clang once for most kernels and again where the result or the errors ask for it (libclc, <new>, short addresses,
// launches from kernels), between a look into the disk cache before and an entry after.
#include "compile/kernel/compile.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compile/failure.hpp"
#include "compile/kernel/cached_compile.hpp"
#include "compile/kernel/command.hpp"
#include "compile/kernel/device_launches.hpp"
#include "compile/kernel/early_needs.hpp"
#include "compile/kernel/entries.hpp"
#include "compile/kernel/opencl_functions.hpp"
#include "compile/kernel/precompiled.hpp"
#include "compile/kernel/rewrite_ptx.hpp"
#include "compile/kernel/source_operand.hpp"
#include "compile/kernel/warnings.hpp"
#include "compile/process.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

Result<std::string> source_text(const CompileRequest& request) {
    if (request.text) return *request.text;
    return warpwright::read_file(request.path, file_limit::source, "cannot read the kernel's source: ");
}

struct Outcome {
    std::string ptx, diagnostics;
    bool launches = false, two_steps = false;      ///< by kernels; as of the variant that was compiled
    bool own_libcu = false, host_headers = false;  ///< as of the variant that was compiled
    EarlyNeeds needs;                              ///< if any: the compiler has ended early, there is no PTX
    bool used_library = false;                     ///< asked for by Ask::library_use
    std::vector<std::string> dependencies;
};

struct Variant {
    bool library = false;        ///< libclc linked
    bool short_address = false;  ///< 32-bit shared addresses
    bool heap = false;           ///< <new> included
    bool pass = false;           ///< our pass loaded
    bool own_libcu = false;      ///< our part of libcu++ before a toolkit's
    bool host_headers = false;   ///< included
    bool two_steps = false;      ///< what the preprocessor has written is read again
    Ask ask = Ask::nothing;      ///< of our pass
};

/// What all runs of the compiler for one request have in common.
struct Job {
    const CompileRequest& request;
    const std::string& source;  ///< the text, read once: the cache's key is made of it too
    const Tools& tools;
    const std::vector<std::string>& flags;
    const CompileOptions& options;
};

/// The compiler with everything but the source and where the output goes.
Result<std::vector<std::string>> command_of(const Job& job, const Variant& variant, const std::string& folder) {
    const Tools& tools = job.tools;
    std::vector<std::string> command{tools.compiler};
    const auto add = [&](const std::vector<std::string>& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    add({"-fno-crash-diagnostics"});  // no files beside ours
    if (variant.own_libcu) add(own_libcu_first(tools.toolchain_dir));
    add(job.flags);
    if (variant.short_address) add(short_address_flags());
    if (variant.pass) add(pass_flags(tools));
    if (variant.host_headers) add(host_headers());
    if (variant.heap) add({"-include", "new"});
    if (variant.library) {
        std::error_code ec;
        if (!fs::exists(tools.libclc, ec))
            return failure(ErrorKind::no_device,
                           fmt::format("{} is not there, and the kernel needs its functions", tools.libclc),
                           job.request.path,
                           fmt::format("install the package libclc-19, or set {} to its folder",
                                       settings::variable(Setting::libclc)));
        add(library_flags(tools));
    }
    auto covered = cover_toolkits(job.flags, tools.headers, folder);
    if (!covered) return covered.error();
    add(*covered);
    return command;
}

Result<Outcome> run_compiler(const Job& job, Variant variant, bool launches);

/// What follows from errors of the compiler: another run in the way that they ask for, or the errors themselves.
Result<Outcome> after_errors(const std::string& errors, const Job& job, Variant variant, bool launches) {
    if (variant.pass && refuses_pass(errors)) {
        variant.pass = false;
        auto without = run_compiler(job, variant, launches);
        if (without)
            without->diagnostics += fmt::format(
                "warning: {} cannot load {}: accesses of 16 bytes may come apart, and __cluster_dims__ is not seen\n",
                job.tools.compiler, job.tools.pass);
        return without;
    }
    auto error = all_errors(errors, job.request);
    if (!launches && job.request.language == "cuda" && launches_on_device(errors))
        return run_compiler(job, variant, true);
    if (!launches && !variant.two_steps && pragma_in_macro(errors)) {
        variant.two_steps = true;
        return run_compiler(job, variant, false);
    }
    if (!variant.own_libcu && refuses_shared_constructor(errors)) {
        variant.own_libcu = true;
        if (auto again = run_compiler(job, variant, launches)) return again;
        if (job.options.log) *job.options.log = errors;
    }
    if (job.request.may_need_host_headers && !variant.host_headers && lacks_names(errors)) {
        variant.host_headers = true;
        return run_compiler(job, variant, launches);
    }
    return launches ? explained(std::move(error)) : error;
}

/// `launches`: kernels launch kernels, so the text is changed before it is compiled.
Result<Outcome> run_compiler(const Job& job, Variant variant, bool launches) {
    const CompileRequest& request = job.request;
    const TemporaryFolder folder("compile");
    if (folder.path().empty())
        return failure(ErrorKind::internal, fmt::format("no temporary folder: {}", std::strerror(errno)), {},
                       "set TMPDIR");
    auto command = command_of(job, variant, folder.path());
    if (!command) return command.error();
    const std::string ptx_file = folder.path() + "/out.ptx", rule_file = folder.path() + "/out.d";
    const auto source = source_operand(request.path, !request.text, job.source, folder.path());
    if (!source) return source.error();
    const std::vector<std::string> dependencies{"-MD", "-MF", rule_file, "-MT", "out"};
    auto settings = compiler_settings(job.options);
    settings.with.push_back(ask_variable(variant.ask));
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.end(), source->flags.begin(), source->flags.end());
        if (launches || variant.two_steps)
            return run_in_two_steps(words, dependencies, source->name, ptx_file, folder.path(),
                                    launches ? Launches::device : Launches::unchanged, settings);
        words.insert(words.end(), dependencies.begin(), dependencies.end());
        words.insert(words.end(), {"-o", ptx_file, "--", source->name});
        return run_process(words, settings);
    };
    Outcome outcome;
    auto ran = launches || variant.two_steps ? run(*command)
                                             : run_with_parsed_headers(*command, folder.path(), job.tools, job.options,
                                                                       run, outcome.dependencies);
    if (!ran) return ran.error();
    if (variant.ask == Ask::needs) outcome.needs = take_needs(ran->errors);
    if (variant.ask == Ask::library_use) outcome.used_library = take_library_use(ran->errors);
    if (job.options.log) *job.options.log = ran->errors;
    if (auto early = ended_early(*ran, job.options, request.path)) return std::move(*early);
    if (ran->exit_code != 0) return after_errors(ran->errors, job, variant, launches);
    outcome.launches = launches;
    outcome.two_steps = variant.two_steps;
    outcome.own_libcu = variant.own_libcu;
    outcome.host_headers = variant.host_headers;
    outcome.diagnostics = std::move(ran->errors);
    if (outcome.needs.any()) return outcome;
    auto ptx = read_file(ptx_file), rule = read_file(rule_file);
    if (!ptx && variant.ask == Ask::needs) {  // its line was lost behind more messages than are read
        variant.ask = Ask::nothing;
        return run_compiler(job, variant, launches);
    }
    if (!ptx || !rule)
        return failure(ErrorKind::internal, "the compiler wrote no PTX", request.path, "is the disk full?");
    outcome.ptx = std::move(*ptx);
    for (std::string& file : parse_dependencies(*rule))
        if (file != source->name && !file.starts_with(folder.path())) outcome.dependencies.push_back(std::move(file));
    return outcome;
}

/// What the disk cache has for the key, if nothing that it was made of has changed.
std::optional<CompiledPtx> cached(DiskCache& cache, const std::string& key) {
    const auto bytes = cache.get(key);
    if (!bytes) return std::nullopt;
    auto entry = decode_entry(*bytes);
    if (!entry || !dependencies_unchanged(*entry)) return std::nullopt;
    CompiledPtx result;
    result.ptx = std::move(entry->output);
    result.log = std::move(entry->log);
    result.entries = list_entries(result.ptx);
    result.from_cache = true;
    return result;
}

/// The variant that compiles what another one has compiled, or has ended with: what errors asked for stays.
Variant as_compiled(const Outcome& outcome, Variant variant) {
    variant.own_libcu = outcome.own_libcu;
    variant.host_headers = outcome.host_headers;
    variant.two_steps = outcome.two_steps;
    return variant;
}

/// Compiles as most kernels need it, and again where the text asks for more.
Result<Outcome> compile_by_text(const Job& job, Result<Outcome> outcome, Variant variant) {
    if (!outcome) return outcome;
    const Variant first = variant;
    variant = as_compiled(*outcome, variant);
    variant.library = first.library || calls_library(outcome->ptx);
    variant.short_address = first.short_address && !variant.library && !has_constant_memory(outcome->ptx);
    variant.heap = calls_heap_operators(outcome->ptx);
    if (variant.library != first.library || variant.heap || variant.short_address != first.short_address)
        return run_compiler(job, variant, outcome->launches);
    return outcome;
}

/// Compiles with libclc what may call it. Where it turns out that nothing does, it is compiled as if it could not.
Result<Outcome> compile_with_library(const Job& job, const Variant& variant, bool launches) {
    Variant with = variant;
    with.library = true;
    with.short_address = false;
    with.ask = Ask::library_use;
    auto outcome = run_compiler(job, with, launches);
    if (!outcome || outcome->used_library) return compile_by_text(job, std::move(outcome), with);
    auto without = run_compiler(job, variant, launches);
    if (without && calls_library(without->ptx)) return compile_by_text(job, std::move(outcome), with);
    return compile_by_text(job, std::move(without), variant);
}

/// Whether libclc is there; what may call it is else compiled without, and refused only if it does.
bool has_library(const Tools& tools) {
    std::error_code ec;
    return fs::exists(tools.libclc, ec);
}

/// Compiles as most kernels need it. Loading libclc costs more than compiling a small kernel, so it is linked only if a
/// function of it is called; constant memory may also come from an included file. Our pass sees both before clang
/// optimises, where it is there; else the text shows them, as it shows that <new> is missing.
Result<Outcome> compile_as_needed(const Job& job) {
    const bool cuda = job.request.language == "cuda";
    Variant variant;
    variant.library = job.request.language == "opencl";
    variant.pass = true;
    variant.short_address = cuda && job.source.find("__constant__") == std::string::npos;
    if (!cuda) return run_compiler(job, variant, false);
    auto asking = variant;
    if (has_library(job.tools)) asking.ask = Ask::needs;
    auto outcome = run_compiler(job, asking, false);
    if (!outcome || !outcome->needs.any()) return compile_by_text(job, std::move(outcome), variant);
    variant = as_compiled(*outcome, variant);
    if (outcome->needs.constants) variant.short_address = false;
    if (outcome->needs.library) return compile_with_library(job, variant, outcome->launches);
    return compile_by_text(job, run_compiler(job, variant, outcome->launches), variant);
}

}  // namespace

void hand_down_headers(const CompileRequest& request, const CompileOptions& options) {
    auto tools = find_tools(options);
    if (!tools) return;
    auto flags = compile_flags(request, *tools);
    const TemporaryFolder folder("headers");
    if (!flags || folder.path().empty()) return;
    Variant variant;
    variant.pass = variant.short_address = true;  // as nearly all kernels are compiled
    const auto command = command_of({request, {}, *tools, *flags, options}, variant, folder.path());
    if (command) hand_down_parsed(*command, folder.path(), *tools, options);
}

Result<CompiledPtx> compile(const CompileRequest& request, const CompileOptions& options) {
    if (options.log) options.log->clear();
    auto tools = find_tools(options);
    if (!tools) return tools.error();
    auto source = source_text(request);
    if (!source) return source.error();
    auto flags = compile_flags(request, *tools);
    if (!flags) return flags.error();

    DiskCache cache(options.cache_dir, ".ptx-entry");
    const std::string key = options.cache_dir.empty() ? std::string() : cache_key(request, *source, *tools, *flags);
    CompiledPtx result;
    const auto note_cache_warnings = [&] {
        for (const std::string& warning : cache.take_warnings()) result.log += "warning: " + warning + "\n";
    };
    if (!options.cache_dir.empty()) {
        if (auto found = cached(cache, key)) {
            result = std::move(*found);
            note_cache_warnings();
            if (options.log) *options.log = result.log;
            if (options.warnings) add_warnings(result.log, *options.warnings);
            return result;
        }
    }

    const UnchangedSince unchanged;
    auto outcome = compile_as_needed({request, *source, *tools, *flags, options});
    if (!outcome) return outcome.error();

    // One file of several may define what the others use.
    const bool separate = std::find(request.flags.begin(), request.flags.end(), "-fgpu-rdc") != request.flags.end();
    result.ptx = tidy(outcome->ptx, !separate);
    if (request.language == "opencl") result.ptx = with_opencl_functions(std::move(result.ptx));
    result.log = outcome->diagnostics;
    result.entries = list_entries(result.ptx);
    if (!options.cache_dir.empty()) {
        CacheEntry entry;
        entry.output = result.ptx;
        entry.log = result.log;
        // A file that changed or vanished while the compiler ran: its compiled contents are unknown, so the result is
        // not kept.
        if (fill_dependencies(entry, outcome->dependencies, unchanged)) cache.put(key, encode_entry(entry));
    }
    note_cache_warnings();
    if (options.log) *options.log = result.log;
    if (options.warnings) add_warnings(result.log, *options.warnings);
    return result;
}

}  // namespace warpwright::compile
