// A record has one launch's counts and time. Where a profile has no single launches (of a real GPU, or from before they
// were kept) the average launch stands for all.
#include "profile/records.hpp"

#include <algorithm>
#include <cmath>

#include "support/demangle.hpp"

namespace warpwright::profile {
namespace {

std::string text_of(const record::Extent& e) {
    return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Of measured times: the mean, and how far they lie apart.
record::Time measured(const Times& t) {
    record::Time out;
    out.median_s = t.average(), out.min_s = t.min;
    out.spread = t.average() > 0 ? (t.max - t.min) / 4 / t.average() : 0;
    out.samples = static_cast<std::uint32_t>(t.calls);
    return out;
}

void give_time(record::Record& r, const Profile& p, const KernelUse& k, double seconds, std::uint64_t launches) {
    if (p.measured()) {
        r.time = measured(k.times);
    } else if (k.predicted) {
        r.predicted = *k.predicted;
        r.predicted->seconds = seconds;
        r.predicted->launches = launches;
    } else {
        r.bound.emplace();
        r.bound->seconds = seconds;
        r.unpredicted = k.unpredicted;
    }
}

record::Record of_kernel(const Profile& p, const std::string& program, const KernelUse& k) {
    record::Record r;
    r.experiment = program;
    r.kernel = demangle(k.name);
    r.device = p.measured() ? "cuda" : "emulated";
    r.model = p.model;
    r.grid = k.grid, r.block = k.block;
    r.axes = {{"grid", text_of(k.grid)}, {"block", text_of(k.block)}};
    if (k.dynamic_shared) r.axes.push_back({"shared", static_cast<std::int64_t>(k.dynamic_shared)});
    if (k.device) r.axes.push_back({"device", std::to_string(*k.device)});
    if (k.from_device) r.axes.push_back({"launched", std::string("by kernels")});
    for (const auto& f : p.faults)
        if (f.kernel == k.name) r.error = f.text;
    return r;
}

/// Of one launch's counts, the half widths of all its kernel's launches in proportion; rounded up.
std::optional<record::Counts> error_of(const KernelUse& k, const record::Counts& counts) {
    if (k.sample.launches == 0 || k.sample.run >= k.sample.blocks) return std::nullopt;
    record::Counts out;
    for (unsigned i = 0; i < record::kCounts; ++i)
        out.values[i] = static_cast<std::uint64_t>(
            std::ceil(k.sample.relative(k.counts, record::Count(i)) * static_cast<double>(counts.values[i])));
    return out;
}

}  // namespace

std::string program_name(const Profile& p) {
    if (p.program.empty()) return "program";
    const std::string first = file_name(p.program.front());
    if (first.starts_with("python") && p.program.size() > 1 && !p.program[1].starts_with("-"))
        return file_name(p.program[1]);
    return first;
}

std::vector<std::string> findings_of(const Profile& p) {
    std::vector<std::string> out;
    for (const auto& f : p.findings)
        out.push_back(std::string(record::info(f.kind).name) +
                      (f.at.file.empty() ? "" : " at " + file_name(f.at.text())) +
                      (f.kernel.empty() ? "" : " in " + demangle(f.kernel)));
    for (const auto& f : p.faults) out.push_back("an error ended " + demangle(f.kernel));
    for (const auto& c : p.calls)
        if (c.failed) out.push_back(c.name + " failed");
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

ProgramRecords records_of(const Profile& p) {
    ProgramRecords out;
    const std::string program = program_name(p);
    for (const KernelUse& k : p.kernels) {
        auto entries = k.launches;
        if (entries.empty() || k.launches_left_out > 0)
            entries = {{k.times.calls, k.times.average(), k.average_counts()}};
        for (std::size_t n = 0; n < entries.size(); ++n) {
            record::Record r = of_kernel(p, program, k);
            // Launches that differ much are uses of their own, those that differ a little entries of one.
            if (entries.size() > 1 || k.apart != 0)
                r.axes.push_back({"launch", static_cast<std::int64_t>(std::max<std::uint64_t>(k.apart, 1) + n)});
            give_time(r, p, k, entries[n].seconds, entries[n].count);
            if (p.counted && k.counted) r.counts = entries[n].counts, r.counts_error = error_of(k, entries[n].counts);
            out.records.push_back(std::move(r));
            out.launches.push_back(entries[n].count);
        }
    }
    for (const auto& c : p.copies) {
        record::Record r;
        r.experiment = program, r.title = c.name;
        r.device = p.measured() ? "cuda" : "emulated";
        r.model = p.model;
        if (p.measured()) {
            r.time = measured(c.times);
        } else {
            r.predicted.emplace();
            r.predicted->seconds = c.times.average();
            r.predicted->method = "bytes over the link's rate";
            r.predicted->launches = c.times.calls;
        }
        out.records.push_back(std::move(r));
        out.launches.push_back(c.times.calls);
    }
    return out;
}

}  // namespace warpwright::profile
