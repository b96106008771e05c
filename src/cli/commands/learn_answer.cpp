// A learner's file is judged whenever it was saved: its time and size are looked at ten times a second, which also sees
// editors that write a new file and rename it.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "cli/commands/learn.hpp"
#include "cli/commands/learn_programs.hpp"
#include "cli/commands/session.hpp"
#include "cli/commands/untrusted.hpp"
#include "cli/interrupt.hpp"
#include "learn/rehearsal.hpp"
#include "record/metrics.hpp"
#include "report/causes.hpp"
#include "report/format.hpp"
#include "support/read_file.hpp"
#include "support/source_files.hpp"

namespace warpwright::cli {
namespace {

namespace fs = std::filesystem;
using learn::Point;
using nlohmann::json;

/// Of what a kernel printed, bytes.
constexpr std::size_t kMostOutput = 4000;

/// Hidden inputs follow the text that is judged, so that they are other ones after each change, and the same ones for
/// the same text.
std::uint64_t seed_of(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::string number(double value, const std::string& metric) {
    if (metric == "predicted_time") return report::seconds(value);
    return value == static_cast<double>(static_cast<std::int64_t>(value))
               ? report::grouped(static_cast<std::uint64_t>(value))
               : fmt::format("{:.3g}", value);
}

std::string point_text(const Desk& desk, const Point& p) {
    const std::string mark = desk.console.unicode() ? (p.holds ? "✓" : "✗") : (p.holds ? "ok" : "NO");
    std::string text;
    switch (p.what) {
        case Point::What::compiles:
            text = desk.words("learn.point.compiles");
            break;
        case Point::What::no_findings:
            text = desk.words("learn.point.no_findings");
            break;
        case Point::What::right:
            text = desk.words("learn.point.right");
            break;
        case Point::What::answer:
            text = p.name + (p.value ? fmt::format(" = {:g}", *p.value) : "");
            break;
        case Point::What::requirement: {
            const char* key = p.compare == learn::Requirement::Compare::at_most    ? "learn.point.at_most"
                              : p.compare == learn::Requirement::Compare::at_least ? "learn.point.at_least"
                                                                                   : "learn.point.equal";
            text = desk.words(key, {{"metric", Text(p.name)},
                                    {"value", Figure{p.value ? number(*p.value, p.name) : "-"}},
                                    {"limit", Figure{number(p.limit.value_or(0), p.name)}}});
        }
    }
    return "  " + mark + " " + text + "\n";
}

std::string said(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v) {
    if (v.say.empty()) return "";
    const auto& says = exercise.texts_in(desk.language).says;
    const auto it = says.find(v.say);
    if (it == says.end()) return "";
    auto texts = desk.words.texts();
    const std::string key = "say";  // no text of the program's own
    texts[key] = it->second;
    return Words::of(desk.language, std::move(texts))(key, v.values);
}

/// The lines of the learner's file with their counts, those that are not zero, and the cycles that warps stood there.
json lines_json(const record::Record& r, const std::string& file) {
    json out = json::array();
    for (const record::LineCounts& l : r.lines) {
        if (l.file != file) continue;
        json counts = json::object();
        for (const auto& name : record::count_names())
            if (name.synonym_meaning.empty() && l.counts[name.count])
                counts[std::string(name.key)] = l.counts[name.count];
        json one = {{"line", l.line}, {"counts", std::move(counts)}};
        if (const auto* stood = r.predicted ? r.predicted->line(l.file, l.line) : nullptr) {
            double all = 0;
            for (const auto& [state, cycles] : stood->stalls) all += cycles;
            one["stood"] = all;
        }
        out.push_back(std::move(one));
    }
    return out;
}

/// Sectors, or wavefronts of shared memory, that as many bytes side by side would take.
std::uint32_t least_of(const record::AccessPicture& a) {
    const std::uint32_t unit = a.sectors.empty() ? 128 : 32;
    return std::max<std::uint32_t>(1, (a.lanes * a.bytes + unit - 1) / unit);
}

/// What is wrong with most of a line's accesses: of those at the line that is told the one that costs most.
const record::AccessPicture* told_access(const learn::Verdict& v, const std::string& file) {
    const record::AccessPicture* out = nullptr;
    std::size_t most = 0;
    for (const auto& [name, value] : v.values) {
        const auto* line = std::get_if<std::int64_t>(&value);
        if (name != "line" || !line) continue;
        for (const auto& a : v.accesses)
            if (a.file == file && a.line == *line)
                if (const std::size_t cost = std::max<std::size_t>(a.sectors.size(), a.wavefronts); cost > most)
                    most = cost, out = &a;
    }
    return v.done ? nullptr : out;
}

/// The 128-byte lines of memory that a request touched, each with its four sectors; between lines that are not
/// neighbours stands a gap.
std::string sectors_drawn(const Desk& desk, const record::AccessPicture& a) {
    constexpr std::uint32_t kPerLine = 4;
    const std::string touched = desk.console.unicode() ? "■" : "#", not_touched = desk.console.unicode() ? "·" : ".";
    std::map<std::uint32_t, std::set<std::uint32_t>> lines;
    for (const std::uint32_t s : a.sectors) lines[s / kPerLine].insert(s % kPerLine);
    std::string out = "   ";
    std::optional<std::uint32_t> before;
    std::size_t drawn = 0;
    for (const auto& [line, sectors] : lines) {
        if (drawn > 0 && drawn % 16 == 0) out += "\n   ";
        out += before && line != *before + 1 ? " … " : " ";
        for (std::uint32_t s = 0; s < kPerLine; ++s) out += sectors.contains(s) ? touched : not_touched;
        before = line, ++drawn;
    }
    return out + "\n";
}

std::string access_sentence(const Desk& desk, const record::AccessPicture& a) {
    const bool shared = a.sectors.empty();
    return desk.words(shared ? "learn.access_shared" : "learn.access_global",
                      {{"line", static_cast<std::int64_t>(a.line)},
                       {"instruction", Text(printable(a.instruction))},
                       {"lanes", static_cast<std::int64_t>(a.lanes)},
                       {"bytes", static_cast<std::int64_t>(a.bytes)},
                       {"count", static_cast<std::int64_t>(shared ? a.wavefronts : a.sectors.size())},
                       {"least", static_cast<std::int64_t>(least_of(a))}});
}

/// The picture of the line that costs: which sectors of memory, or how many wavefronts, one request of it takes.
std::string access_text(const Desk& desk, const learn::Verdict& v, const std::string& file) {
    const auto* a = told_access(v, file);
    if (!a) return "";
    return paragraphs(desk, access_sentence(desk, *a), "  ") + (a->sectors.empty() ? "" : sectors_drawn(desk, *a));
}

/// For the page: every access of the learner's file.
json accesses_json(const Desk& desk, const learn::Verdict& v, const std::string& file) {
    json out = json::array();
    for (const auto& a : v.accesses)
        if (a.file == file)
            out.push_back({{"line", a.line},
                           {"instruction", a.instruction},
                           {"space", a.space},
                           {"lanes", a.lanes},
                           {"bytes", a.bytes},
                           {"wavefronts", a.wavefronts},
                           {"least", least_of(a)},
                           {"text", access_sentence(desk, a)},
                           {"sectors", a.sectors}});
    return out;
}

/// A few figures of the whole launch, for a comparison with the version before.
json figures_json(const record::Record& r) {
    json out = json::object();
    if (r.predicted) out["predicted_time"] = r.predicted->seconds;
    for (const char* key : {"instructions", "global_load_sectors_per_request", "global_store_sectors_per_request",
                            "shared_bank_conflicts", "divergent_branches", "lane_efficiency"}) {
        const auto metric = record::find_metric(key);
        if (!metric || !r.counts) continue;
        if (const auto* count = std::get_if<record::Count>(&*metric))
            out[key] = (*r.counts)[*count];
        else if (const auto value = record::value(*r.counts, std::get<record::Derived>(*metric)))
            out[key] = *value;
    }
    return out;
}

/// What holds the launch back, the largest first, and what would mend it.
std::vector<report::CauseLines> causes_of(const Desk& desk, const record::Predicted& predicted) {
    constexpr std::size_t kMost = 3;
    // An exercise's launch is small and given: what follows from that is no fault of the kernel's.
    auto causes = predicted.causes;
    std::erase_if(causes, [](const auto& one) {
        return one.cause == "launch_overhead" || one.cause == "small_grid" || one.cause == "small_blocks";
    });
    auto out = report::cause_lines(causes, desk.words);
    out.resize(std::min(out.size(), kMost));
    return out;
}

json verdict_json(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v, const std::string& file) {
    json out = {{"schema", 1}, {"exercise", exercise.name}, {"done", v.done}, {"points", json::array()}};
    static constexpr const char* kWhat[] = {"compiles", "no_findings", "right", "requirement", "answer"};
    static constexpr const char* kCompare[] = {"at_most", "at_least", "equal"};
    for (const Point& p : v.points) {
        json one = {{"what", kWhat[static_cast<int>(p.what)]}, {"holds", p.holds}};
        if (!p.name.empty()) one["name"] = p.name;
        if (p.value) one["value"] = *p.value;
        if (p.limit && p.what == Point::What::requirement)
            one["limit"] = *p.limit, one["compare"] = kCompare[static_cast<int>(p.compare)];
        out["points"].push_back(std::move(one));
    }
    if (!v.say.empty()) out["say"] = v.say, out["text"] = said(desk, exercise, v);
    for (const auto& [name, value] : v.values)
        if (const auto* line = std::get_if<std::int64_t>(&value); line && name == "line" && *line > 0)
            out["line"] = *line;
    if (v.counted && v.counted->predicted)
        for (const auto& one : causes_of(desk, *v.counted->predicted))
            out["causes"].push_back({{"seen", one.seen}, {"fix", one.fix}});
    if (!v.accesses.empty()) out["accesses"] = accesses_json(desk, v, file);
    if (v.counted) out["lines"] = lines_json(*v.counted, file), out["figures"] = figures_json(*v.counted);
    if (!v.output.empty()) out["output"] = v.output.substr(0, kMostOutput);
    if (v.error) out["error"] = v.error->text();
    if (!v.error && v.say.empty() && v.finding) out["error"] = v.finding->at.text() + ": " + v.finding->message;
    if (v.finding)
        out["finding"] = {{"kind", record::info(v.finding->kind).name},
                          {"message", v.finding->message},
                          {"file", v.finding->at.file},
                          {"line", v.finding->at.line}};
    return out;
}

void keep(Desk& desk, const learn::Exercise& exercise, bool done) {
    learn::Standing s = desk.progress.of(exercise.name);
    ++s.attempts;
    if (done && s.done.empty()) s.done = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    if (auto ok = desk.progress.set(exercise.name, s); !ok) (void)desk.console.fail(ok.error());
}

learn::WorkshopOptions workshop_options(const Desk& desk, const learn::Exercise& exercise) {
    learn::WorkshopOptions w;
    if (exercise.program) {
        RunOptions run = desk.options.run;
        if (run.model.empty()) run.model = exercise.model;
        w.programs = own_programs(run, desk.options.limit, desk.console);
    }
    w.model = desk.options.run.model;
    w.cpu = desk.options.run.cpu;
    w.threads = desk.options.run.threads;
    w.limit = std::chrono::milliseconds(static_cast<std::int64_t>(desk.options.limit * 1000));
    return w;
}

/// What tells a saved file from the one before.
struct Stamp {
    fs::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
};
Stamp stamp_of(const std::string& file) {
    std::error_code ec;
    Stamp s{fs::last_write_time(file, ec), fs::file_size(file, ec)};
    return ec ? Stamp{} : s;
}

/// One answer: whether the exercise is done.
Result<bool> answer_once(Desk& desk, const learn::Exercise& exercise, learn::Workshop& workshop,
                         const std::string& file) {
    auto text = read_file(file, file_limit::source);
    if (!text) return std::move(text).error();
    auto verdict = learn::judge(exercise, workshop, desk.options.seed.value_or(seed_of(*text)), file);
    if (!verdict) return std::move(verdict).error();
    if (desk.options.json) {
        const std::string out =
            verdict_json(desk, exercise, *verdict, file).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
        if (auto ok = write_or_print(desk.options.json->empty() ? "-" : *desk.options.json, out, desk.console); !ok)
            return std::move(ok).error();
    } else {
        desk.console.out(answer_text(desk, exercise, *verdict, file));
    }
    if (desk.options.file.empty()) keep(desk, exercise, verdict->done);
    return verdict->done;
}

}  // namespace

std::string paragraphs(const Desk& desk, const std::string& text, const std::string& indent) {
    const std::size_t width =
        std::max<std::size_t>(desk.console.width() ? desk.console.width() : 100, 40) - indent.size();
    std::string out, paragraph;
    const auto fill = [&] {
        for (const std::string& line : report::wrap(paragraph, width))
            if (!paragraph.empty()) out += indent + line + "\n";
        paragraph.clear();
    };
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with("    ")) {
            fill();
            out += line.empty() ? "\n" : indent + line + "\n";
        } else {
            // Between two characters of a script without blanks none is put.
            const bool glued = paragraph.empty() || (static_cast<unsigned char>(paragraph.back()) >= 0x80 &&
                                                     static_cast<unsigned char>(line[0]) >= 0xe3);
            paragraph += (glued ? "" : " ") + line;
        }
    }
    fill();
    return out;
}

std::string answer_text(const Desk& desk, const learn::Exercise& exercise, const learn::Verdict& v,
                        const std::string& file) {
    std::string out = desk.words(v.done ? "learn.done" : "learn.not_yet", {{"name", Text(exercise.name)}}) + "\n";
    for (const Point& p : v.points) out += point_text(desk, p);
    if (v.finding) {
        const std::string where = v.finding->at.text();
        out += "    " + printable((where.empty() ? file : where) + ": " + v.finding->message) + "\n";
    } else if (v.error) {
        out += "    " + printable_lines(v.error->text()) + "\n";
    }
    if (!v.output.empty())
        out += "  " + desk.words("learn.printed") + "\n" + printable_lines(v.output.substr(0, kMostOutput)) + "\n";
    out += paragraphs(desk, said(desk, exercise, v), "  ");
    out += access_text(desk, v, file);
    // What mends a cause may be the solution: it is told where the third hint was.
    const bool fixes = desk.progress.of(exercise.name).hints >= learn::kHintsBeforeSolution;
    if (v.counted && v.counted->predicted && !v.done)
        for (const auto& one : causes_of(desk, *v.counted->predicted))
            out += paragraphs(desk, one.seen + (fixes && !one.fix.empty() ? ": " + one.fix : ""), "  ");
    if (v.done) {
        out +=
            "\n" + paragraphs(desk, exercise.texts_in(desk.language).why, "") + "\n" + desk.words("learn.next") + "\n";
    } else {
        out += "  " + desk.words("learn.hint", {{"name", Text(exercise.name)}}) + "\n";
    }
    return out;
}

int answer_confined(Desk& desk, const learn::Exercise& exercise) {
    Needs needs;
    RunOptions run = desk.options.run;
    // A program is built in one confined process and run in others, and nothing of it in this one.
    const auto how = workshop_options(desk, exercise);
    auto workshop = learn::Workshop::make(exercise, how);
    if (!workshop) return desk.console.fail(workshop.error());
    // Where nothing of the exercise's own is to be compiled, its solution cannot be read.
    needs.read = {desk.options.file};
    if (!learn::rehearse(exercise, how, **workshop)) needs.read.push_back(exercise.folder);
    if (exercise.program) {
        auto done = answer_once(desk, exercise, **workshop, desk.options.file);
        return !done ? desk.console.fail(done.error()) : *done ? 0 : 1;
    }
    return confined(run, needs, desk.console, [&] {
        if (auto ok = (*workshop)->compile_all(desk.options.file); !ok) return desk.console.fail(ok.error());
        if (auto ok = end_of_compiling(); !ok) return desk.console.fail(ok.error());
        auto done = answer_once(desk, exercise, **workshop, desk.options.file);
        return !done ? desk.console.fail(done.error()) : *done ? 0 : 1;
    });
}

int answer(Desk& desk, const learn::Exercise& exercise) {
    const auto how = workshop_options(desk, exercise);
    auto workshop = learn::Workshop::make(exercise, how);
    if (!workshop) return desk.console.fail(workshop.error());
    // What a copy of this process finds in the buffer it writes as well.
    (void)desk.console.flush();
    (void)learn::rehearse(exercise, how, **workshop);
    const std::string file = desk.file_of(exercise);
    const bool watch = !desk.options.once && !desk.options.json && ::isatty(STDOUT_FILENO);
    const Interrupt interrupt;
    for (;;) {
        const Stamp seen = stamp_of(file);
        (*workshop)->changed(file);
        auto done = answer_once(desk, exercise, **workshop, file);
        if (!done) {
            const int code = desk.console.fail(done.error());
            if (!watch) return code;
        } else if (*done || !watch) {
            return *done ? 0 : 1;
        }
        desk.console.note(desk.words("learn.watching", {{"file", Text(file)}}));
        while (stamp_of(file) == seen || stamp_of(file) == Stamp{}) {
            if (interrupt.flag()) return Interrupt::kCode;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
}

}  // namespace warpwright::cli
