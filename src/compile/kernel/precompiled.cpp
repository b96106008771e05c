// A command is taken apart into the headers that it includes by option, the words that have a bearing on how those are
// parsed, and the user's macros, which have none as long as no header uses their names.
#include "compile/kernel/precompiled.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "compile/kernel/cached_compile.hpp"
#include "compile/process.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/read_file.hpp"
#include "support/temporary_folder.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

// To be raised when the meaning of a key changes.
constexpr std::string_view kFormat = "headers-1", kExtension = ".headers";
// A few MiB each; a user has one for each set of options that is in use.
constexpr std::uint64_t kCacheBytes = std::uint64_t{384} << 20;

struct Parts {
    std::vector<std::string> headers;  ///< ours and the system's, included by option
    std::vector<std::string> parsing;  ///< the compiler, and options that may change how headers are parsed
    std::vector<std::string> rest;     ///< all words but those that include the headers
    std::vector<std::string> macros;   ///< names that the user defines
};

/// Names that headers ask for: reserved ones, ours, the toolkit's and the C library's.
bool asked_for_by_headers(const std::string& name) {
    return name.starts_with("_") || name.starts_with("WARPWRIGHT") || name.starts_with("CUDA") || name == "NDEBUG";
}

/// How many words from `at` on are for the optimiser, the code generator or the linker alone; 0: none.
std::size_t words_after_parsing(const std::vector<std::string>& words, std::size_t at) {
    const auto is = [&](std::size_t i, std::string_view word) { return i < words.size() && words[i] == word; };
    if (is(at, "-mllvm")) return 2;
    if (words[at].starts_with("-fpass-plugin=") || words[at].starts_with("-cuid=") || is(at, "-fcuda-short-ptr"))
        return 1;
    if (is(at, "-Xclang") && at + 1 < words.size() && words[at + 1].starts_with("-cuid=")) return 2;
    if (is(at, "-Xclang") && (is(at + 1, "-mlink-builtin-bitcode") || is(at + 1, "-fcuda-include-gpubinary")))
        return 4;  // the option's file follows an -Xclang of its own
    return 0;
}

/// Nothing where the command includes more than our own headers and <new>.
std::optional<Parts> take_apart(const std::vector<std::string>& command) {
    Parts parts;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string& word = command[i];
        if (word == "-include") {
            if (++i == command.size()) return std::nullopt;
            if (command[i] != "new" && !command[i].starts_with("warpwright/")) return std::nullopt;
            parts.headers.push_back(command[i]);
            continue;
        }
        // A macro in two words, or a file that stands before the headers.
        if (word == "-D" || word.starts_with("-include") || word.starts_with("-imacros") ||
            word.starts_with("--include") || word.starts_with("--imacros"))
            return std::nullopt;
        if (const std::size_t n = words_after_parsing(command, i); n > 0) {
            if (n > command.size() - i) return std::nullopt;
            parts.rest.insert(parts.rest.end(), command.begin() + static_cast<std::ptrdiff_t>(i),
                              command.begin() + static_cast<std::ptrdiff_t>(i + n));
            i += n - 1;
            continue;
        }
        parts.rest.push_back(word);
        if (word.starts_with("-D")) {
            const std::string name = word.substr(2, word.find_first_of("=(", 2) - 2);
            if (!asked_for_by_headers(name)) {
                parts.macros.push_back(name);
                continue;
            }
        }
        parts.parsing.push_back(word);
    }
    if (parts.headers.empty()) return std::nullopt;
    return parts;
}

/// Whether the name stands in the text as a whole word.
bool mentions(std::string_view text, const std::string& name) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
    }
    return false;
}

enum class Fit { yes, changed, uses_macros };

/// Whether the parsed files are as they were, and none has a name that the user defines.
Fit fits(const CacheEntry& entry, const std::vector<std::string>& macros) {
    Fit fit = Fit::yes;
    for (const auto& [file, hash] : entry.dependencies) {
        const auto text = read_file(file);
        if (!text || content_hash(*text) != hash) return Fit::changed;
        for (const std::string& name : macros)
            if (name.empty() || mentions(*text, name)) fit = Fit::uses_macros;
    }
    return fit;
}

/// Whether an option's folder is named from where the process stands.
bool names_a_relative_folder(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.starts_with("-I") && word.size() > 2 && word[2] != '/') return true;
        const bool next = word == "-I" || word == "-isystem" || word == "-iquote" || word == "-idirafter";
        if (next && i + 1 < words.size() && !words[i + 1].starts_with("/")) return true;
        for (const std::string_view option : {"-isystem", "-iquote", "-idirafter"})
            if (!next && word.starts_with(option) && word[option.size()] != '/') return true;
    }
    return false;
}

std::string key_of(const Parts& parts, const std::string& folder, const Tools& tools) {
    ContentHasher hasher;
    hasher.add(kFormat).add(tools_hash(tools));
    std::error_code ec;
    if (names_a_relative_folder(parts.parsing)) hasher.add(fs::current_path(ec).string());
    for (const std::string& header : parts.headers) hasher.add(header);
    for (const std::string& word : parts.parsing) {
        const auto of = by_contents(word, folder);
        if (!of) return {};
        hasher.add(*of);
    }
    return hasher.digest();
}

/// Has the compiler parse the headers; nothing if it refuses. Its messages are those of the run without them.
std::optional<CacheEntry> parse_headers(const Parts& parts, const Tools& tools, const CompileOptions& options) {
    const TemporaryFolder folder("headers");
    if (folder.path().empty()) return std::nullopt;
    // The parsed headers refer to the source by name, so it is one that stays.
    const std::string source = tools.toolchain_dir + "/include/warpwright/only_headers.cu",
                      rule = folder.path() + "/headers.d", parsed = folder.path() + "/headers.pch";
    auto command = parts.parsing;
    for (const std::string& header : parts.headers) command.insert(command.end(), {"-include", header});
    command.insert(command.end(), {"-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp", "-MD", "-MF", rule, "-MT",
                                   "out", "-o", parsed, "--", source});
    const UnchangedSince before;
    const auto ran = run_process(command, compiler_settings(options));
    if (!ran || ran->exit_code != 0 || ran->signal != 0 || ran->timed_out) return std::nullopt;
    auto bytes = warpwright::read_file(parsed, file_limit::source);
    const auto list = read_file(rule);
    if (!bytes || !list) return std::nullopt;
    auto files = parse_dependencies(*list);
    CacheEntry entry;
    entry.output = std::move(*bytes);
    if (!fill_dependencies(entry, files, before)) return std::nullopt;
    return entry;
}

/// The parsed headers of a command, and their key.
struct Parsed {
    Parts parts;
    std::string key;
    CacheEntry entry;
};

std::optional<Parsed> parsed_headers(const std::vector<std::string>& command, const std::string& folder,
                                     const Tools& tools, const CompileOptions& options) {
    auto parts = take_apart(command);
    if (!parts) return std::nullopt;
    const std::string key = key_of(*parts, folder, tools);
    if (key.empty()) return std::nullopt;
    DiskCache cache(options.cache_dir, std::string(kExtension), kCacheBytes);
    std::optional<CacheEntry> entry;
    Fit fit = Fit::changed;
    if (const auto bytes = cache.get(key)) entry = decode_entry(*bytes);
    if (entry) fit = fits(*entry, parts->macros);
    if (fit == Fit::changed) {
        if (options.cache_dir.empty()) return std::nullopt;
        entry = parse_headers(*parts, tools, options);
        if (!entry) return std::nullopt;
        (void)cache.put(key, encode_entry(*entry));
        fit = fits(*entry, parts->macros);
    }
    if (fit != Fit::yes) return std::nullopt;
    return Parsed{std::move(*parts), key, std::move(*entry)};
}

}  // namespace

std::optional<WithPrecompiled> with_precompiled_headers(const std::vector<std::string>& command,
                                                        const std::string& folder, const Tools& tools,
                                                        const CompileOptions& options) {
    auto parsed = parsed_headers(command, folder, tools, options);
    if (!parsed) return std::nullopt;
    const std::string file = folder + "/headers.pch";
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << parsed->entry.output;
    if (!out.flush()) return std::nullopt;
    WithPrecompiled with{std::move(parsed->parts.rest), {}, parsed->key};
    with.command.insert(with.command.end(), {"-include-pch", file});
    for (auto& [name, hash] : parsed->entry.dependencies) with.dependencies.push_back(std::move(name));
    return with;
}

void hand_down_parsed(const std::vector<std::string>& command, const std::string& folder, const Tools& tools,
                      const CompileOptions& options) {
    if (auto parsed = parsed_headers(command, folder, tools, options))
        DiskCache::hand_down(parsed->key + std::string(kExtension), encode_entry(parsed->entry));
}

void forget_refused(const WithPrecompiled& with, const std::string& messages, const CompileOptions& options) {
    for (const std::string_view word : {"PCH file", "precompiled header", "AST file"})
        if (messages.find(word) != std::string::npos)
            return DiskCache(options.cache_dir, std::string(kExtension), kCacheBytes).remove(with.key);
}

Result<ProcessResult> run_with_parsed_headers(const std::vector<std::string>& command, const std::string& folder,
                                              const Tools& tools, const CompileOptions& options,
                                              const std::function<Result<ProcessResult>(std::vector<std::string>)>& run,
                                              std::vector<std::string>& parsed) {
    auto with = with_precompiled_headers(command, folder, tools, options);
    if (!with) return run(command);
    auto ran = run(with->command);
    if (ran && (ran->exit_code != 0 || ran->signal != 0) && !ran->timed_out) {
        forget_refused(*with, ran->errors, options);
        return run(command);
    }
    parsed = std::move(with->dependencies);
    return ran;
}

}  // namespace warpwright::compile
