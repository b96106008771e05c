// What a host object is made of: its source's bytes, the command, the embedded device code, the compiler, and the files
// that it turned out to include. With all of them as they were, the object of the last time serves.
#include "compile/program/host_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "compile/failure.hpp"
#include "compile/kernel/cached_compile.hpp"
#include "compile/kernel/device_launches.hpp"
#include "compile/kernel/precompiled.hpp"
#include "compile/kernel/source_operand.hpp"
#include "compile/kernel/warnings.hpp"
#include "compile/process.hpp"
#include "compile/toolkit_headers.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

// To be raised when the meaning of a key changes.
constexpr std::string_view kFormat = "host-1";

/// Text whose object depends on more than the files that the compiler lists: on the clock, on files of the assembler.
bool depends_on_more(std::string_view text) {
    for (const std::string_view word : {"__TIME__", "__DATE__", "__TIMESTAMP__", "incbin"})
        if (text.find(word) != std::string_view::npos) return true;
    return false;
}

/// An option by which an object depends on more than is known of it: on the machine's processor, on a profile's
/// contents.
bool says_too_little(std::string_view word) { return word.ends_with("=native") || word.starts_with("-fprofile"); }

/// The key of the object; empty where a word of the command says too little, or names a file on the way that cannot be
/// read.
std::string object_key(const HostSource& job, const std::string& text, const Tools& tools) {
    std::error_code ec;
    ContentHasher hasher;
    hasher.add(kFormat).add(tools_hash(tools)).add(job.source).add(text);
    hasher.add(fs::current_path(ec).string());  // relative names of includes, and of files in line information
    for (const std::string& word : job.command) {
        if (says_too_little(word)) return {};
        const auto of = by_contents(word, job.folder);
        if (!of) return {};
        hasher.add(*of);
    }
    return hasher.digest();
}

/// One job, from its source's text on.
class HostCompile {
public:
    HostCompile(const HostSource& job, const std::string& text, const Tools& tools, const CompileOptions& options)
        : job_(job), text_(text), tools_(tools), options_(options) {}

    /// Writes the object; the compiler's messages.
    Result<std::string> run();
    /// Of what was compiled: the files that were included.
    std::vector<std::string> included() const;

private:
    const HostSource& job_;
    const std::string& text_;
    const Tools& tools_;
    const CompileOptions& options_;
    std::string rule_file() const { return job_.folder + "/host.d"; }
    std::string name_;                 ///< of the source, as the compiler has it
    std::vector<std::string> parsed_;  ///< files of the parsed headers that it was compiled with
};

Result<std::string> HostCompile::run() {
    const auto settings = compiler_settings(options_);
    const auto given = source_operand(job_.source, true, text_, job_.folder);
    if (!given) return given.error();
    name_ = given->name;
    const std::vector<std::string> dependencies{"-MD", "-MF", rule_file(), "-MT", "out"};
    const auto run_plain = [&](std::vector<std::string> words) {
        words.insert(words.end(), given->flags.begin(), given->flags.end());
        words.insert(words.end(), dependencies.begin(), dependencies.end());
        words.insert(words.end(), {"-o", operand(job_.object), "--", name_});
        return run_process(words, settings);
    };
    auto ran = run_with_parsed_headers(job_.command, job_.folder, tools_, options_, run_plain, parsed_);
    const bool failed = ran && ran->exit_code != 0, launches = failed && launches_on_device(ran->errors);
    if (launches || (failed && pragma_in_macro(ran->errors))) {
        auto command = job_.command;
        command.insert(command.end(), given->flags.begin(), given->flags.end());
        ran = run_in_two_steps(command, dependencies, name_, operand(job_.object), job_.folder,
                               launches ? Launches::host : Launches::unchanged, settings);
    }
    if (!ran) return ran.error();
    if (!launches && ran->exit_code != 0 && refuses_shared_constructor(ran->errors)) {
        const auto more = own_libcu_first(tools_.toolchain_dir);
        auto command = job_.command;
        command.insert(command.begin() + 1, more.begin(), more.end());
        auto again = run_plain(command);
        if (!again) return again.error();
        if (again->exit_code == 0 && again->signal == 0) ran = std::move(again);
    }
    if (options_.log) *options_.log += ran->errors;
    if (options_.warnings) add_warnings(ran->errors, *options_.warnings);
    if (auto early = ended_early(*ran, options_, job_.source)) return std::move(*early);
    if (ran->exit_code == 0) return std::move(ran->errors);
    CompileRequest request;
    request.path = job_.source;
    auto error = all_errors(ran->errors, request);
    return launches ? explained(std::move(error)) : error;
}

std::vector<std::string> HostCompile::included() const {
    auto files = parsed_;
    if (auto rule = warpwright::read_file(rule_file(), file_limit::source); rule)
        for (std::string& file : parse_dependencies(*rule))
            if (file != name_ && !file.starts_with(job_.folder)) files.push_back(std::move(file));
    return files;
}

/// Puts the object of an earlier build in its place; false: there is none, or a file it was made of has changed.
bool use_earlier(DiskCache& cache, const std::string& key, const HostSource& job, const CompileOptions& options) {
    const auto bytes = cache.get(key);
    if (!bytes) return false;
    const auto entry = decode_entry(*bytes);
    if (!entry || !dependencies_unchanged(*entry)) return false;
    std::ofstream out(job.object, std::ios::binary | std::ios::trunc);
    out << entry->output;
    if (!out.flush()) return false;
    if (options.log) *options.log += entry->log;
    if (options.warnings) add_warnings(entry->log, *options.warnings);
    return true;
}

/// Keeps the object, unless a file that it was made of may have changed meanwhile.
void keep(DiskCache& cache, const std::string& key, const HostSource& job, const HostCompile& compiled,
          std::string messages, const UnchangedSince& before) {
    const auto files = compiled.included();
    // Each source includes at least our own headers or the C library's: an empty list is one that was not read.
    if (files.empty()) return;
    for (const auto& file : files)
        if (auto text = read_file(file); !text || depends_on_more(*text)) return;
    auto object = warpwright::read_file(job.object, file_limit::program);
    if (!object) return;
    CacheEntry entry;
    entry.output = std::move(*object);
    entry.log = std::move(messages);
    if (fill_dependencies(entry, files, before)) cache.put(key, encode_entry(entry));
}

}  // namespace

Result<void> compile_host(const HostSource& job, const Tools& tools, const CompileOptions& options) {
    auto text = warpwright::read_file(job.source, file_limit::source, "cannot read the source: ");
    if (!text) return text.error();
    DiskCache cache(options.cache_dir, ".object");
    // Of a file that is not there now the entry would not know when it comes.
    const bool looks_for_files = text->find("__has_include") != std::string::npos;
    const bool kept = !options.cache_dir.empty() && !depends_on_more(*text) && !looks_for_files;
    const std::string key = kept ? object_key(job, *text, tools) : std::string();
    if (!key.empty() && use_earlier(cache, key, job, options)) return {};
    HostCompile compiler(job, *text, tools, options);
    std::optional<UnchangedSince> before;
    if (!key.empty()) before.emplace();
    auto messages = compiler.run();
    if (!messages) return messages.error();
    if (!key.empty()) keep(cache, key, job, compiler, std::move(*messages), *before);
    return {};
}

}  // namespace warpwright::compile
