// A profile as CSV: a row for each kernel and each kind of copy; with counts by source line one for each of a kernel's
// lines too.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/escape.hpp"
#include "report/program.hpp"

namespace warpwright::report {

namespace {

/// What a profile with counts by source line has besides: file, line, and where warps stood.
class LineColumns {
public:
    explicit LineColumns(const Profile& p) : shown_(p.per_line) {
        std::set<std::string> names;
        for (const auto& k : p.kernels)
            if (k.predicted)
                for (const auto& [name, value] : k.predicted->stalls) names.insert(name);
        stalls_.assign(names.begin(), names.end());
    }

    std::string heading() const {
        if (!shown_) return {};
        std::string out = ",file,line";
        if (!stalls_.empty()) out += ",predicted_share";
        for (const auto& name : stalls_) out += ",stall_" + csv_field(name);
        return out;
    }
    std::string none() const { return shown_ ? std::string(columns(), ',') : std::string(); }
    std::string of_kernel(const profile::KernelUse& k) const {
        if (!shown_) return {};
        return ",," + stood(k.predicted ? &k.predicted->stalls : nullptr, k.predicted ? 1.0 : 0.0);
    }
    /// Rows of the kernel's lines, `between` the counts and the line as many empty fields.
    std::string rows(const std::string& kernel, const profile::KernelUse& k, std::size_t between) const {
        if (!shown_) return {};
        double all = 0;
        if (k.predicted)
            for (const auto& [name, value] : k.predicted->stalls) all += value;
        std::string out;
        for (const auto& [where, counts] : k.lines) {
            const record::PredictedLine* line = k.predicted ? k.predicted->line(where.first, where.second) : nullptr;
            double own = 0;
            if (line)
                for (const auto& [name, value] : line->stalls) own += value;
            // Grid, block, times and what follows them belong to the kernel's own row.
            constexpr std::size_t kBeforeCounts = 14;
            out += "line," + csv_field(kernel) + std::string(kBeforeCounts, ',');
            for (const record::CountName& name : record::count_names()) out += "," + std::to_string(counts[name.count]);
            out += std::string(between, ',') + "," + csv_field(where.first) + "," + std::to_string(where.second) +
                   stood(line ? &line->stalls : nullptr, all > 0 ? own / all : 0) + "\r\n";
        }
        return out;
    }

private:
    std::size_t columns() const { return 2 + (stalls_.empty() ? 0 : 1 + stalls_.size()); }
    std::string stood(const std::map<std::string, double>* of, double share) const {
        if (stalls_.empty()) return {};
        if (!of) return std::string(1 + stalls_.size(), ',');
        std::string out = fmt::format(",{:.9g}", share);
        for (const auto& name : stalls_) {
            const auto at = of->find(name);
            out += at == of->end() ? "," : fmt::format(",{:.9g}", at->second);
        }
        return out;
    }

    bool shown_;
    std::vector<std::string> stalls_;
};

/// What a predicted time has: its figures, and the first of what holds the launch back.
std::vector<std::string> predicted_columns() {
    std::vector<std::string> out;
    for (const record::FigureInfo& f : record::figures()) out.push_back("predicted_" + std::string(f.key));
    out.insert(out.end(), {"cause", "cause_share"});
    return out;
}

std::string predicted_fields(const std::optional<record::Predicted>& p) {
    std::string out;
    for (const record::FigureInfo& f : record::figures())
        out += p && *p.*f.value ? fmt::format(",{:.9g}", *(*p.*f.value)) : ",";
    if (!p || p->causes.empty()) return out + ",,";
    return out + fmt::format(",{},{:.4g}", csv_field(p->causes[0].cause), p->causes[0].share);
}

}  // namespace

std::string program_csv(const Profile& p, const arch::DeviceModel& model, const Selection& selection) {
    std::string out = fmt::format(
        "kind,name,grid,block,calls,time_{}_s,average_s,min_s,max_s,bytes,{},bound_by,occupancy,registers,registers_"
        "source,shared",
        p.measured() ? "measured" : "predicted", p.measured() ? "device" : "model");
    for (const record::CountName& name : record::count_names()) out += "," + std::string(name.key);
    // A real GPU's own counters, and how many launches all of them are of.
    std::set<std::string> metrics;
    for (const auto& k : p.kernels)
        for (const auto& [name, sum] : k.metrics) metrics.insert(name);
    if (p.measured()) out += ",launches_counted";
    const bool predicted = std::any_of(p.kernels.begin(), p.kernels.end(), [](const auto& k) { return k.predicted; });
    if (!p.measured()) out += ",time_method";
    if (predicted)
        for (const std::string& key : predicted_columns()) out += "," + key;
    for (const auto& name : metrics) out += "," + csv_field(name);
    const LineColumns lines(p);
    out += lines.heading();
    out += "\r\n";
    const std::string& where = p.measured() ? p.device : model.name;
    const std::string empty(record::count_names().size(), ',');
    auto times = [](const profile::Times& t) {
        return fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}", t.calls, t.total, t.average(), t.min, t.max);
    };
    for (const auto& k : summarise(p, model, selection)) {
        const auto& u = *k.use;
        out += fmt::format("kernel,{},{}x{}x{},{}x{}x{},{},,{},{},{:.4g},{},{},{}", csv_field(k.name), u.grid.x,
                           u.grid.y, u.grid.z, u.block.x, u.block.y, u.block.z, times(u.times), csv_field(where),
                           csv_field(k.bound.binds), k.occupancy.fraction, u.registers,
                           csv_field(k.occupancy.registers_source), u.static_shared + u.dynamic_shared);
        for (const record::CountName& name : record::count_names())
            out += "," + (p.knows(name.count) && (u.counted || !p.measured()) ? std::to_string(u.counts[name.count])
                                                                              : std::string());
        if (p.measured()) out += "," + std::to_string(u.counted);
        if (!p.measured()) out += "," + csv_field(method_of(u));
        if (predicted) out += predicted_fields(u.predicted);
        for (const auto& name : metrics) {
            auto at = u.metrics.find(name);
            out += "," + (at == u.metrics.end() ? std::string() : fmt::format("{:.9g}", at->second));
        }
        out += lines.of_kernel(u) + "\r\n";
        const std::size_t between =
            (p.measured() ? 1 + metrics.size() : 1) + (predicted ? predicted_columns().size() : 0);
        out += lines.rows(k.name, u, between);
    }
    for (const auto& c : p.copies)
        out += fmt::format(
            "copy,{},,,{},{},{},,,,,{}\r\n", csv_field(c.name), times(c.times), c.bytes, csv_field(where),
            empty +
                std::string((p.measured() ? 1 + metrics.size() : 1) + (predicted ? predicted_columns().size() : 0),
                            ',') +
                lines.none());
    return out;
}

}  // namespace warpwright::report
