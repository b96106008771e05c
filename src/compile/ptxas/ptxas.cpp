// Finds the program, identifies it by its version and file, runs it with limits and keeps what it said in the disk
// cache, refusals too. A text that it cannot assemble for the device is tried once more with the device's own target.
#include "compile/ptxas/ptxas.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <vector>

#include "compile/failure.hpp"
#include "compile/process.hpp"
#include "support/content_hash.hpp"
#include "support/disk_cache.hpp"
#include "support/settings.hpp"
#include "support/temporary_folder.hpp"
#include "support/warnings.hpp"
#include "support/write_file.hpp"

namespace warpwright::compile {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExtension = ".ptxas";
constexpr std::uint64_t kCacheBytes = std::uint64_t{64} << 20;
/// Seconds that it may take to say its version, and to assemble a text where no setting says.
constexpr double kVersionSeconds = 60, kSeconds = 300;
/// What an entry of the cache begins with: a text that was assembled, with what was said; or an error.
constexpr std::string_view kSaid = "said\n", kRefused = "refused\n";

/// It runs beside the user's program, which may have our libraries loaded first.
ProcessSettings process_settings(double seconds) {
    ProcessSettings s;
    s.without = {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"};
    s.seconds = seconds;
    s.output_bytes = std::size_t{16} << 20;
    s.file_bytes = std::size_t{1} << 30;
    s.memory_bytes = std::size_t{16} << 30;
    return s;
}

/// Where one may be, in the order in which they are tried.
std::vector<std::string> places() {
    std::vector<std::string> out;
    for (const Setting name : {Setting::cuda_home, Setting::cuda_path})
        if (const std::string folder = settings::text(name); !folder.empty()) out.push_back(folder + "/bin/ptxas");
    for (const std::string& folder : settings::paths(Setting::path)) out.push_back(folder + "/ptxas");
    out.push_back("/usr/local/cuda/bin/ptxas");
    std::set<std::string> seen;  // one that hangs is waited for once
    std::erase_if(out, [&](const std::string& path) {
        std::error_code none;
        const auto file = fs::canonical(path, none);
        return none || find_program(path).empty() || !seen.insert(file.string()).second;
    });
    return out;
}

/// What tells a program's file from another one in its place.
std::string identity(const std::string& path) {
    struct stat s{};
    if (::stat(path.c_str(), &s) != 0) return {};
    return fmt::format("{}/{}/{}/{}.{}", path, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

/// The first error among what it said, without its own prefix. `of_the_text`: it is that of a line of the text.
std::string first_error(const std::string& said, bool& of_the_text) {
    of_the_text = false;
    for (std::size_t at = 0; at < said.size();) {
        const auto end = std::min(said.find('\n', at), said.size());
        const std::string line = said.substr(at, end - at);
        at = end + 1;
        for (const std::string_view mark : {"fatal   : ", "error   : "})
            if (const auto found = line.find(mark); found != std::string::npos) {
                of_the_text = line.find("; error   : ") != std::string::npos;
                // It may quote the text, which is anybody's: a terminal gets no control characters from it.
                std::string out = line.substr(found + mark.size(), 200);
                std::replace_if(out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
                return out;
            }
    }
    return {};
}

std::string plain_target(int compute_capability) { return fmt::format("sm_{}", compute_capability); }

/// Whether the text is for such a device alone ("sm_90a").
bool own_target(const AssembleText& text, int compute_capability) {
    const std::string plain = plain_target(compute_capability);
    return text.target.size() == plain.size() + 1 && text.target.starts_with(plain) &&
           (text.target.back() == 'a' || text.target.back() == 'f');
}

/// With all that the device has: from compute capability 9.0 on, instructions that no later one has need a name of
/// their own.
std::string fullest_target(int compute_capability) {
    return plain_target(compute_capability) + (compute_capability >= 90 ? "a" : "");
}

/// The text with another target in the directive that names it; empty where that is not found.
std::string with_target(const AssembleText& text, const std::string& target) {
    constexpr std::string_view directive = ".target";
    for (std::size_t at = 0; !text.target.empty() && at < text.ptx.size();) {
        const auto end = std::min(text.ptx.find('\n', at), text.ptx.size());
        const std::string_view line(text.ptx.data() + at, end - at);
        const auto name = line.find(text.target);
        if (line.starts_with(directive) && name != std::string_view::npos)
            return std::string(text.ptx).replace(at + name, text.target.size(), target);
        at = end + 1;
    }
    return {};
}

}  // namespace

Result<Ptxas::Found> Ptxas::identify(const std::string& path) const {
    const std::string program = find_program(path);
    if (program.empty()) return no_program(path);
    DiskCache cache(cache_directory_, kExtension, kCacheBytes);
    const std::string key = ContentHasher().add("ptxas version").add(identity(program)).digest();
    std::string text;
    if (auto kept = cache.get(key)) {
        text = std::move(*kept);
    } else {
        auto ran = run_process({program, "--version"}, process_settings(kVersionSeconds));
        if (!ran) return ran.error();
        if (ran->timed_out)
            return failure(ErrorKind::limit,
                           fmt::format("'{}' did not say its version within {:g} s, and whether it is asked decides "
                                       "predicted times",
                                       path, kVersionSeconds),
                           {}, "estimates of all registers by --ptxas off");
        if (ran->signal == 0 && ran->exit_code == 0) text = ran->output;
    }
    auto version = read_ptxas_version(text);
    if (!version) return failure(ErrorKind::no_device, fmt::format("'{}' is not NVIDIA's ptxas", path));
    cache.put(key, text);
    return Found{program, *version};
}

Result<std::shared_ptr<Ptxas>> Ptxas::of_process(const std::string& cache_directory) {
    const std::string named = settings::text(Setting::ptxas);
    if (named == "off") return std::shared_ptr<Ptxas>();
    std::shared_ptr<Ptxas> out(new Ptxas(cache_directory));
    if (named.empty()) return out;
    auto found = out->identify(named);
    const std::string why = !found ? found.error().what
                            : found->version.ours
                                ? fmt::format("'{}' is Warpwright's stand-in, not NVIDIA's ptxas", named)
                                : std::string();
    if (!why.empty())
        return failure(ErrorKind::no_device, fmt::format("{}: {}", settings::variable(Setting::ptxas), why), {},
                       "a path of NVIDIA's ptxas, or off");
    std::call_once(out->searched_, [&] { out->found_ = std::move(*found); });
    return out;
}

const std::optional<Ptxas::Found>& Ptxas::found() {
    std::call_once(searched_, [&] {
        for (const std::string& path : places()) {
            auto found = identify(path);
            if (!found && found.error().kind == ErrorKind::limit) {
                // One that is slow today may answer tomorrow: figures are not to depend on that.
                const std::lock_guard lock(mutex_);
                gave_up_ = found.error();
                return;
            }
            if (!found) {
                warn(fmt::format("{}, so it is passed over ({}=off looks for none)", found.error().what,
                                 settings::variable(Setting::ptxas)));
            } else if (!found->version.ours) {
                found_ = std::move(*found);
                return;
            }
        }
    });
    return found_;
}

std::string Ptxas::source() { return found() ? "ptxas " + found()->version.release : std::string(); }

/// What it says of a text. `lasting`: of an error, that it would be the same another time.
Result<std::string> Ptxas::run(const Found& with, const AssembleText& text, const std::string& target,
                               const std::string& entry, bool& lasting) const {
    lasting = false;
    const TemporaryFolder folder("ptxas");
    const std::string file = folder.path() + "/kernel.ptx";
    if (folder.path().empty() || !write_file(file, text.ptx))
        return failure(ErrorKind::internal, "no temporary file could be written");
    std::vector<std::string> words{with.path, "-v", "-arch=" + target, "-o", "/dev/null"};
    if (!entry.empty()) words.insert(words.end(), {"--entry", entry});
    words.push_back(file);
    const double seconds = settings::number(Setting::ptxas_timeout, kSeconds);
    auto ran = run_process(words, process_settings(seconds));
    if (!ran) return ran.error();
    if (ran->timed_out)
        return failure(ErrorKind::limit,
                       fmt::format("{} ({}) did not assemble '{}' within {:g} s, and its registers "
                                   "decide predicted times",
                                   "ptxas " + with.version.release, with.path, text.name, seconds),
                       {},
                       fmt::format("more by {}, or estimates of all registers by --ptxas off",
                                   settings::variable(Setting::ptxas_timeout)));
    if (ran->signal == SIGKILL)
        return failure(ErrorKind::limit,
                       fmt::format("{} ({}) was killed while it assembled '{}', as where a machine has no memory left, "
                                   "and its registers decide predicted times",
                                   "ptxas " + with.version.release, with.path, text.name),
                       {}, "estimates of all registers by --ptxas off");
    if (ran->signal != 0) return failure(ErrorKind::internal, fmt::format("signal {} ended it", ran->signal));
    const std::string said = ran->errors + ran->output;
    if (ran->exit_code == 0) return said;
    // For what else it gives up (memory, say) may be over another time.
    const std::string why = first_error(said, lasting);
    return failure(ErrorKind::input, why.empty() ? fmt::format("exit code {}", ran->exit_code) : why);
}

Result<AssembledModule> Ptxas::assemble(const Found& with, const AssembleText& text, const std::string& target,
                                        const std::string& entry) {
    const std::string key =
        ContentHasher().add("ptxas -v").add(with.version.build).add(target).add(entry).add(text.ptx).digest();
    std::lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    if (gave_up_) return *gave_up_;
    const auto keep = [&](Result<AssembledModule> result) {
        return known_.emplace(key, std::move(result)).first->second;
    };
    const auto read = [&](const std::string& said) -> Result<AssembledModule> {
        auto module = read_ptxas_info(said);
        const bool any =
            std::any_of(module.begin(), module.end(), [](const auto& one) { return one.second.registers.has_value(); });
        if (any) return module;
        return failure(ErrorKind::input, "its output does not name registers");
    };
    DiskCache cache(cache_directory_, kExtension, kCacheBytes);
    if (const auto kept = cache.get(key)) {
        if (kept->starts_with(kSaid)) return keep(read(kept->substr(kSaid.size())));
        if (kept->starts_with(kRefused)) return keep(failure(ErrorKind::input, kept->substr(kRefused.size())));
    }
    bool lasting = false;
    const auto said = run(with, text, target, entry, lasting);
    if (!said) {
        if (said.error().kind == ErrorKind::limit) gave_up_ = said.error();
        if (lasting) cache.put(key, std::string(kRefused) + said.error().what);
        return keep(said.error());
    }
    auto module = read(*said);
    if (module) cache.put(key, std::string(kSaid) + *said);
    return keep(std::move(module));
}

/// What the user is told of a text that it did not assemble.
std::string Ptxas::refusal(const std::string& name, const std::string& target, const std::string& why) {
    const std::string who = fmt::format("{} ({})", source(), found_->path);
    if (why.starts_with(fmt::format("Value '{}' is not defined", target)))
        return fmt::format("{} does not know {}, so registers are estimated", who, target);
    return fmt::format("{} cannot assemble '{}' for {}, so its registers are estimated: {}", who, name, target, why);
}

/// With the target of the text or, where it has instructions that this lacks, with the device's, which runs them.
Result<AssembledModule> Ptxas::assemble_for(const AssembleText& text, int compute_capability,
                                            const std::string& entry) {
    const bool own = own_target(text, compute_capability);
    const std::string target = own ? text.target : plain_target(compute_capability);
    auto module = assemble(*found_, text, target, entry);
    if (module || module.error().kind != ErrorKind::input || own) return module;
    const std::string fullest = fullest_target(compute_capability);
    const std::string ptx = with_target(text, fullest);
    if (ptx.empty()) return module;
    auto other = assemble(*found_, {text.name, ptx, fullest}, fullest, entry);
    return other || other.error().kind == ErrorKind::limit ? std::move(other) : std::move(module);
}

Result<std::optional<AssembledModule>> Ptxas::figures(const AssembleText& text, int compute_capability,
                                                      const std::string& entry, const std::vector<std::string>& group) {
    using Answer = std::optional<AssembledModule>;
    if (!found()) {
        const std::lock_guard lock(mutex_);
        if (gave_up_) return *gave_up_;
        return Answer();
    }
    auto module =
        assemble_for(text, compute_capability, group.empty() ? entry : fmt::format("{}", fmt::join(group, ",")));
    if (!module && !group.empty() && module.error().kind != ErrorKind::limit)
        module = assemble_for(text, compute_capability, entry);
    if (module) return Answer(std::move(*module));
    if (module.error().kind == ErrorKind::limit) return std::move(module).error();
    const bool own = own_target(text, compute_capability);
    const std::string target = own ? text.target : plain_target(compute_capability);
    if (!noted_.exchange(true)) warn(refusal(text.name, target, module.error().what));
    return Answer();
}

}  // namespace warpwright::compile
