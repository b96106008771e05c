// Compares each record with the first rung, the fastest CPU rung and the fastest verified library rung of its problem;
// products in TF32 are compared among themselves, because they are another task.
#include "measure/speedups.hpp"

#include <algorithm>

namespace warpwright::measure {
namespace {

using record::Record;

bool has_time(const Record& r) { return r.time && r.time->median_s > 0; }
bool is_tf32(const Record& r) { return r.unit.ends_with("tf32"); }

std::string axis_text(const Record& r, const std::string& name) {
    for (const record::Axis& axis : r.axes)
        if (axis.name == name) return axis.text();
    return {};
}

}  // namespace

void compare(std::vector<Record>& records, const std::vector<std::string>& axes) {
    const auto same_problem = [&](const Record& a, const Record& b) {
        return a.experiment == b.experiment && std::all_of(axes.begin(), axes.end(), [&](const std::string& n) {
                   return axis_text(a, n) == axis_text(b, n);
               });
    };
    for (Record& r : records) {
        if (!has_time(r)) continue;
        const Record *first = nullptr, *cpu = nullptr, *vendor = nullptr;
        const auto take_faster = [](const Record*& best, const Record& other) {
            if (!best || other.time->median_s < best->time->median_s) best = &other;
        };
        for (const Record& other : records) {
            if (!has_time(other) || !same_problem(r, other)) continue;
            if (other.device == "cpu")
                take_faster(cpu, other);
            else if (other.library.empty())
                first = first ? first : &other;
            else if (other.verified == true && is_tf32(other) == is_tf32(r))
                take_faster(vendor, other);
        }
        const auto over = [&](const Record* other) -> std::optional<double> {
            if (!other) return {};
            return other->time->median_s / r.time->median_s;
        };
        record::Speedup out;
        if (r.device != "cpu") {
            out.first = over(first);
            out.vendor = over(vendor);
        }
        // A CPU rung without others would only be compared with itself.
        if (first || vendor) out.cpu = over(cpu);
        if (out.first || out.cpu || out.vendor) r.speedup = out;
    }
}

}  // namespace warpwright::measure
