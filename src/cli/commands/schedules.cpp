// Each run leaves a digest of device memory after each launch (run --digest). Where two differ, both run once more and
// keep the memory after that launch, so that the first element that differs can be named.
#include "cli/commands/schedules.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "arch/model.hpp"
#include "cli/commands/digest_file.hpp"
#include "cli/commands/program_run.hpp"
#include "cli/commands/whole_program.hpp"
#include "support/content_hash.hpp"
#include "support/read_file.hpp"
#include "support/settings.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;
using settings::variable;

/// The k-th schedule: the usual one, its reverse, then drawn ones.
std::string schedule(unsigned k) { return k == 0 ? "forward" : k == 1 ? "reverse" : fmt::format("random:{}", k - 1); }

class Runs {
public:
    explicit Runs(ReadyProgram& program) : program_(program) {}

    Result<Digests> digests(unsigned k) const {
        const auto file = place("digest", k);
        auto ended = start(k, {{variable(Setting::digest), file}});
        if (!ended) return ended.error();
        std::error_code ec;
        if (!fs::exists(file, ec))
            return Error{
                ErrorKind::input, program_.name + " made no use of a GPU: there is no order to change", {}, ""};
        return read_digests(file);
    }

    /// The memory of a piece after a launch; absent where it was not there.
    Result<std::optional<std::string>> memory(unsigned k, std::size_t launch, const std::string& piece) const {
        const auto folder = place("memory", k);
        std::error_code ec;
        fs::create_directories(folder, ec);
        auto ended = start(k, {{variable(Setting::digest), folder + "/digest"},
                               {variable(Setting::digest_memory), fmt::format("{}:{}", launch, folder)}});
        if (!ended) return ended.error();
        const auto file = folder + "/" + content_hash(piece).substr(0, 16);
        if (!fs::exists(file, ec)) return std::optional<std::string>();
        auto text = read_file(file, ~std::uint64_t{0});
        if (!text) return text.error();
        return std::optional(std::move(*text));
    }

private:
    std::string place(const char* what, unsigned k) const {
        return fmt::format("{}/{}-{}", program_.folder->path(), what, k);
    }
    Result<Ended> start(unsigned k, std::map<std::string, std::string> more) const {
        auto environment = program_.environment;
        environment.merge(more);
        environment[variable(Setting::schedule)] = schedule(k);
        environment[variable(Setting::counters)] = "0";
        return run_program(program_.words, environment, true, true);
    }

    ReadyProgram& program_;
};

/// An element of 4 bytes as a whole number and as a float: nobody knows what it is.
std::string element(const std::string& memory, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, memory.data() + at, std::min<std::size_t>(4, memory.size() - at));
    float real = 0;
    std::memcpy(&real, &word, 4);
    return fmt::format("{:#x} ({}, as a float {})", word, word, real);
}

/// Where two contents of a piece differ first.
std::string first_element(const std::string& piece, const std::string& a, const std::string& b) {
    std::size_t at = 0;
    while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
    if (at == a.size() || at == b.size()) return "";
    const auto word = at / 4 * 4;
    return fmt::format("{}, the element {} of 4 bytes: {}, and {}", printable(piece), word / 4, element(a, word),
                       element(b, word));
}

/// What two runs leave differently after a launch, with the first element of a piece where it can be told.
Result<std::string> difference(const Runs& runs, unsigned k, std::size_t number, const DigestedLaunch& usual,
                               const DigestedLaunch& other) {
    auto text =
        fmt::format("with the schedule {}, launch {} is the first that leaves other memory: {}\n  what differs: {}\n",
                    schedule(k), number, usual.title(), differing_text(usual, other));
    for (const auto& piece : differing(usual, other)) {
        auto a = runs.memory(0, number, piece);
        if (!a) return a.error();
        auto b = runs.memory(k, number, piece);
        if (!b) return b.error();
        if (!*a || !*b) continue;
        if (const auto first = first_element(piece, **a, **b); !first.empty()) {
            text += "  first in " + first + "\n";
            break;
        }
    }
    return text +
           "  advice: the result depends on which block or warp comes first. Sums of floats differ in their last bits; "
           "anything else is a race, or work that is done in the order of tickets\n";
}

}  // namespace

Result<std::string> first_difference_of_schedules(const ProgramOptions& options, unsigned count, Console& console) {
    auto model = arch::load_model(arch::model_or_default(options.run.model));
    if (!model) return model.error();
    auto ready = ready_program(options, model->file, console);
    if (!ready) return ready.error();
    const Runs runs(*ready);
    auto usual = runs.digests(0);
    if (!usual) return usual.error();
    for (unsigned k = 1; k <= count; ++k) {
        auto other = runs.digests(k);
        if (!other) return other.error();
        const auto common = std::min(usual->launches.size(), other->launches.size());
        for (std::size_t at = 0; at < common; ++at) {
            const auto &x = usual->launches[at], &y = other->launches[at];
            if (!x.same_launch(y))
                return fmt::format("with the schedule {}, launch {} is another one: {} instead of {}\n", schedule(k),
                                   at + 1, y.title(), x.title());
            if (x.digest != y.digest) return difference(runs, k, at + 1, x, y);
        }
        if (usual->launches.size() != other->launches.size())
            return fmt::format("with the schedule {} there are {} launches instead of {}\n", schedule(k),
                               other->launches.size(), usual->launches.size());
    }
    return std::string();
}

}  // namespace warpwright::cli
