#include "predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace warpwright::predict {

namespace {

timing::LaunchShape shape_of(const Work& work) {
    timing::LaunchShape shape;
    shape.blocks = work.grid.count();
    shape.threads = work.block.count();
    shape.registers = work.registers;
    shape.shared = work.shared;
    shape.instructions = static_cast<double>(work.counts[record::Count::instructions]);
    return shape;
}

constexpr const char* kStallNames[] = {
#define WW_STALL(name, text, meaning) text,
#include "timing/stalls.inc"
#undef WW_STALL
};

/// "long_scoreboard 62 %, wait 12 %": where warps stood most, the issuing of instructions left out.
std::string stalls_text(const timing::Prediction& p) {
    double all = 0;
    for (const double s : p.stalls) all += s;
    std::vector<std::pair<double, const char*>> by_size;
    for (unsigned k = 1; k < timing::kStalls; ++k) by_size.push_back({p.stalls[k], kStallNames[k]});
    std::stable_sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string out;
    for (unsigned k = 0; k < 3 && all > 0 && by_size[k].first > 0.01 * all; ++k)
        out += fmt::format("{}{} {:.0f} %", k ? ", " : "", by_size[k].second, 100 * by_size[k].first / all);
    return out;
}

}  // namespace

std::optional<timing::Prediction> prediction(const Work& work, const arch::DeviceModel& model) {
    if (!work.trace) return std::nullopt;
    return timing::predict(*work.trace, shape_of(work), model);
}

Result<void> annotate_prediction(record::Record& record, const Work& work, const arch::DeviceModel& model) {
    const auto p = prediction(work, model);
    if (!p)
        return Error{ErrorKind::limit,
                     "no time can be predicted: the kernel cannot be launched on " + model.name +
                         ", or the model lacks a rate that it needs",
                     {},
                     "another block or --model"};
    record.predicted = record::Predicted{p->seconds, "simulated multiprocessor"};
    record.notes.push_back(fmt::format(
        "predicted: {:.0f} cycles and {:.2f} us that any launch takes; {:.0f} % of the issue slots used, {:.0f} % of "
        "the warps resident, L1 hits {:.0f} %, L2 hits {:.0f} %, {:.3g} bytes read from DRAM and {:.3g} written",
        p->cycles, 1e6 * p->start_seconds, 100 * p->issue, 100 * p->occupancy, 100 * p->l1_hit, 100 * p->l2_hit,
        p->dram_read, p->dram_written));
    if (const auto stalls = stalls_text(*p); !stalls.empty())
        record.notes.push_back("predicted: warps stood at " + stalls);
    if (model.compute_capability != 90)
        record.notes.push_back("predicted: the model of time was compared with an H200 only; " + model.name +
                               " is outside of what was validated");
    return {};
}

std::uint32_t blocks_to_trace(const Work& work, const arch::DeviceModel& model) {
    return timing::blocks_to_trace(shape_of(work), model);
}

}  // namespace warpwright::predict
