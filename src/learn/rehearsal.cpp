// The entry's key is made of all that the figures follow from: this build, the device model, the exercise's files, the
// compiler and our headers.
#include "learn/rehearsal.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lab/sweep/target.hpp"
#include "learn/verdicts.hpp"
#include "support/build_id.hpp"
#include "support/child_process.hpp"
#include "support/content_hash.hpp"
#include "support/processor_time.hpp"
#include "support/read_file.hpp"

namespace warpwright::learn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Of processor time; and by the clock, which is sooner than a grade's judge is given up.
constexpr unsigned kProcessorSeconds = 300;
constexpr double kSeconds = kProcessorSeconds * kClockToProcessor / 2.0;
constexpr std::size_t kMost = std::size_t{64} << 20;

/// Empty where something of it cannot be read.
std::string key_of(const Exercise& exercise, const WorkshopOptions& options) {
    if (build_id().empty()) return "";
    const auto model = arch::find_model(arch::model_or_default(options.model.empty() ? exercise.model : options.model));
    const auto model_text = model ? read_file(*model, file_limit::table) : Result<std::string>(Error{});
    if (!model_text) return "";
    ContentHasher hash;
    hash.add(build_id()).add(*model_text).add(options.cpu).add(lab::compiling_tools()).add(exercise.folder);
    std::vector<std::string> files;
    std::error_code ec;
    for (fs::directory_iterator it(exercise.folder, ec), end; !ec && it != end; it.increment(ec))
        files.push_back(it->path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
        const auto text = read_file(file, file_limit::source);
        if (!text) return "";
        hash.add(file).add(*text);
    }
    return hash.digest();
}

Result<void> figures(const Exercise& exercise, Workshop& workshop) {
    for (const Question& q : exercise.questions)
        if (const auto right = right_answer(exercise, workshop, q); !right) return right.error();
    const auto own = exercise.program ? own_program_figure : own_kernel_figure;
    for (const Requirement& r : exercise.requirements)
        for (const auto& [name, rung] : r.own_figures(exercise))
            if (const auto value = own(workshop, rung, r.metric); !value) return value.error();
    return {};
}

/// What is kept, after it was made.
Result<std::string> made(const Exercise& exercise, const WorkshopOptions& options) {
    DiskCache::note_entries();
    auto workshop = Workshop::make(exercise, options);
    if (!workshop) return std::move(workshop).error();
    if (auto ok = figures(exercise, **workshop); !ok) return std::move(ok).error();
    // An attempt is compared with what this rung computes, under the checkers.
    if (const auto* expected = exercise.rung(exercise.ladder.reference.rung); expected && !exercise.program)
        if (auto tried = (*workshop)->attempt(*expected, 1); !tried) return std::move(tried).error();
    return packed((*workshop)->rehearsed());
}

/// What the process that makes it says: a letter, and behind it what was made, or the error.
constexpr char kMade = '+', kFailed = '-';

std::string said(const Result<std::string>& made) {
    if (made) return kMade + *made;
    const Error& e = made.error();
    const json out = {
        {"kind", static_cast<int>(e.kind)}, {"what", e.what}, {"file", e.where.file}, {"line", e.where.line},
        {"column", e.where.column},         {"hint", e.hint}};
    const auto bytes = json::to_cbor(out);
    return kFailed + std::string(bytes.begin(), bytes.end());
}

Error error_in(const std::string& bytes) {
    const json in = json::from_cbor(bytes, true, false);
    try {
        return Error{
            static_cast<ErrorKind>(in.at("kind").get<int>()), in.at("what").get<std::string>(),
            Location{in.at("file").get<std::string>(), in.at("line").get<unsigned>(), in.at("column").get<unsigned>()},
            in.at("hint").get<std::string>()};
    } catch (const json::exception&) {
        return Error{ErrorKind::internal, "what the exercise's own files give cannot be read", Location{}, ""};
    }
}

/// Past it the system ends this process.
void limit_processor_time() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= kProcessorSeconds) return;
    limit.rlim_cur = kProcessorSeconds;
    (void)::setrlimit(RLIMIT_CPU, &limit);
}

/// In a process of its own: what is kept, or what was made and is kept from now on.
std::string kept_or_made(const Exercise& exercise, const WorkshopOptions& options, const std::string& folder,
                         const std::string& key) {
    if (key.empty()) return said(made(exercise, options));
    DiskCache cache(folder, ".exercise");
    if (auto kept = cache.get(key)) return kMade + *kept;
    auto fresh = made(exercise, options);
    if (fresh) (void)cache.put(key, *fresh);
    return said(fresh);
}

}  // namespace

std::string packed(const Rehearsed& rehearsed) {
    json out = {{"figures", json::array()}, {"texts", json::array()}, {"host_code", json::array()}};
    for (const auto& [name, value] : rehearsed.figures) out["figures"].push_back({name.first, name.second, value});
    for (const auto& [source, text] : rehearsed.texts) out["texts"].push_back({source.first, source.second, text});
    for (const auto& [name, bytes] : rehearsed.host_code)
        out["host_code"].push_back({name, json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()))});
    const auto bytes = json::to_cbor(out);
    return {bytes.begin(), bytes.end()};
}

std::optional<Rehearsed> unpacked(const std::string& bytes) {
    const json in = json::from_cbor(bytes, true, false);
    if (in.is_discarded() || !in.is_object()) return std::nullopt;
    Rehearsed out;
    try {
        for (const json& f : in.at("figures"))
            out.figures[{f.at(0).get<std::string>(), f.at(1).get<std::string>()}] = f.at(2).get<double>();
        for (const json& t : in.at("texts"))
            out.texts[{t.at(0).get<std::string>(), t.at(1).get<std::vector<std::string>>()}] =
                t.at(2).get<std::string>();
        for (const json& h : in.at("host_code")) {
            const auto& code = h.at(1).get_binary();
            out.host_code[h.at(0).get<std::string>()] = std::string(code.begin(), code.end());
        }
    } catch (const json::exception&) {
        return std::nullopt;
    }
    return out;
}

Result<void> rehearse(const Exercise& exercise, const WorkshopOptions& asked, Workshop& workshop) {
    WorkshopOptions options = asked;
    options.limit = kRehearsalLimit;
    options.most_instructions = kRehearsalInstructions;
    const auto cannot = [&](const std::string& what) {
        return Error{ErrorKind::internal, what, Location{exercise.folder, 0, 0}, ""};
    };
    const std::string folder = default_cache_directory();
    const std::string key = folder.empty() ? "" : key_of(exercise, options);
    Pipe pipe;
    if (!pipe.open()) return cannot("no more files can be opened");
    auto child = Child::copy([&] {
        Pipe::shut(pipe.read);
        limit_processor_time();
        const std::string bytes = kept_or_made(exercise, options, folder, key);
        for (std::string_view rest = bytes; !rest.empty();) {
            const auto n = ::write(pipe.write, rest.data(), rest.size());
            if (n <= 0) return 1;
            rest.remove_prefix(static_cast<std::size_t>(n));
        }
        return 0;
    });
    Pipe::shut(pipe.write);
    if (!child) return std::move(child).error();
    std::string bytes;
    Output outputs[] = {{&pipe, [&](std::string_view piece) {
                             bytes += piece;
                             return bytes.size() <= kMost;
                         }}};
    const auto end = pump(outputs, deadline_after(kSeconds));
    if (end != PumpEnd::closed) (void)child->kill();
    const int status = child->wait();
    if (end == PumpEnd::late) return cannot(fmt::format("its own files took longer than {} s", kSeconds));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return cannot(fmt::format("its own files took longer than {} s of processor time", kProcessorSeconds));
    if (end != PumpEnd::closed || bytes.empty()) return cannot("what its own files give was not told");
    const char how = bytes.front();
    bytes.erase(0, 1);
    if (how == kFailed) return error_in(bytes);
    auto known = unpacked(bytes);
    if (!known) return cannot("what its own files give cannot be read");
    workshop.take(std::move(*known));
    return {};
}

}  // namespace warpwright::learn
