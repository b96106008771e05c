// Tables list the metric names of other profilers, with the metric here that means the same or with the reason why
// there is none. The kind of an output file follows from its ending.
#include "cli/commands/run_habits.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "record/metrics.hpp"
#include "record/predicted.hpp"
#include "report/program.hpp"
#include "support/closest.hpp"

namespace warpwright::cli {
namespace {

/// Names of other profilers that have no count of the same meaning here, and what comes nearest.
constexpr std::pair<const char*, const char*> kOtherMetrics[] = {
    {"gld_efficiency", "global_efficiency has loads and stores together"},
    {"gst_efficiency", "global_efficiency has loads and stores together"},
    {"sm_efficiency", "only a GPU measures it: --device cuda"},
    {"ipc", "only a GPU measures it: --device cuda; instructions counts them"},
    {"dram_read_throughput", "only a GPU measures it: --device cuda"},
    {"dram_write_throughput", "only a GPU measures it: --device cuda"},
    {"gld_throughput", "global_bytes_requested counts the bytes; the report has the predicted time"},
    {"gst_throughput", "global_bytes_requested counts the bytes; the report has the predicted time"},
    {"all", "without --metrics the report has the most telling ones; --json FILE and --csv FILE have all"},
};

/// nvprof's names of what the model of time predicts. (Nsight Compute's stand in record/predicted.inc.)
constexpr std::pair<const char*, const char*> kPredicted[] = {
    {"achieved_occupancy", "occupancy"},  {"elapsed_cycles_sm", "cycles"}, {"issue_slot_utilization", "issue"},
    {"tex_cache_hit_rate", "l1_hit"},     {"l2_tex_hit_rate", "l2_hit"},   {"dram_read_bytes", "dram_read"},
    {"dram_write_bytes", "dram_written"},
};

std::string_view nvprofs_name(const record::FigureInfo& f) {
    for (const auto& [name, key] : kPredicted)
        if (f.key == key) return name;
    return {};
}

void each_metric(const std::function<void(const record::MetricInfo&)>& visit) {
    for (const record::CountName& name : record::count_names())
        if (name.synonym_meaning.empty()) visit(record::info(name.count));
    for (unsigned i = 0; i < record::kDerived; ++i) visit(record::info(static_cast<record::Derived>(i)));
}

Result<void> settle_output(ProgramOptions& o) {
    if (o.output.empty()) return {};
    const std::string ending = std::filesystem::path(o.output).extension().string();
    if (ending == ".html" || ending == ".htm")
        o.html = o.output;
    else if (ending == ".json")
        o.json = o.output;
    else if (ending == ".csv")
        o.csv = o.output;
    else if (ending == ".txt" || ending == ".log")
        o.log = o.output;
    else
        return Error{ErrorKind::usage, "-o " + o.output + ": the name's ending does not say what to write", Location{},
                     "-o FILE.html, .json, .csv or .txt"};
    return {};
}

}  // namespace

std::string list_metrics() {
    std::string out;
    each_metric([&](const record::MetricInfo& m) {
        out += fmt::format("{}  [{}]\n    {}\n", m.key, m.unit, m.meaning);
        if (!m.hardware.empty()) out += fmt::format("    Nsight Compute: {}\n", m.hardware);
        if (!m.nvprof.empty()) out += fmt::format("    nvprof: {}\n", m.nvprof);
    });
    for (const record::FigureInfo& f : record::figures()) {
        out += fmt::format("{}{}  [{}]\n    Predicted. {}\n", report::kPredictedMetric, f.key, f.unit, f.meaning);
        if (!f.hardware.empty()) out += fmt::format("    Nsight Compute: {}\n", f.hardware);
        if (const auto name = nvprofs_name(f); !name.empty()) out += fmt::format("    nvprof: {}\n", name);
    }
    return out;
}

std::string metric_key(const std::string& name) {
    if (record::find_metric(name)) return name;
    std::string key;
    each_metric([&](const record::MetricInfo& m) {
        const std::string hardware(m.hardware);
        if (key.empty() && (hardware == name || hardware == name + ".sum" || m.nvprof == name)) key = m.key;
    });
    for (const record::FigureInfo& f : record::figures()) {
        const std::string own = std::string(report::kPredictedMetric) + std::string(f.key), hardware(f.hardware);
        if (key.empty() && (name == own || (!hardware.empty() && name == hardware) || name == nvprofs_name(f)))
            key = own;
    }
    return key;
}

Result<void> settle_habits(ProgramOptions& o) {
    if (auto ok = settle_output(o); !ok) return ok;
    constexpr std::string_view kRegex = "regex:";
    if (o.kernel.starts_with(kRegex)) o.kernel = "/" + o.kernel.substr(kRegex.size()) + "/";
    if (o.run.device != "emulated") return {};  // there names that are none of ours are the GPU's own
    for (std::string& name : o.metrics) {
        const std::string key = metric_key(name);
        if (key.empty()) {
            for (const auto& [other, nearest] : kOtherMetrics)
                if (name == other)
                    return Error{ErrorKind::usage, "there is no count '" + name + "'", Location{}, nearest};
            std::vector<std::string> known;
            each_metric([&](const record::MetricInfo& m) {
                for (const std::string_view& n : {m.key, m.nvprof})
                    if (!n.empty()) known.emplace_back(n);
            });
            for (const record::FigureInfo& f : record::figures())
                known.push_back(std::string(report::kPredictedMetric) + std::string(f.key));
            const std::string guess = did_you_mean(name, known);
            return Error{ErrorKind::usage, "there is no count '" + name + "'", Location{},
                         (guess.empty() ? "" : guess + " ") +
                             "run --query-metrics lists them; others of the hardware's need --device cuda"};
        }
        name = key;
    }
    return {};
}

}  // namespace warpwright::cli
