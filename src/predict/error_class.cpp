// What a launch's time goes to is told from the prediction's own figures, so that whoever reads a file can tell it too;
// whether its kernel looks at what other blocks do, from its code.
#include "predict/error_class.hpp"

#include <algorithm>
#include <array>

namespace warpwright::predict {

namespace {

struct Row {
    std::string_view binds;
    bool part;
    ErrorClass of;
};

constexpr std::array kRows = {
#define WARPWRIGHT_ERROR_CLASS(binds, part, groups, low, high) \
    Row{#binds, part, {part ? #binds ", simulated in part" : #binds, groups, low, high}},
#include "predict/error_classes.inc"
};

/// Shares from which on something binds.
constexpr double kStart = 0.5, kBinds = 0.5;

double peak(const record::Predicted& p, std::string_view name) {
    const auto at = p.peaks.find(std::string(name));
    return at == p.peaks.end() ? 0 : at->second;
}

std::string_view binds(const record::Predicted& p) {
    if (p.start_seconds.value_or(0) >= kStart * p.seconds) return "start";
    if (std::max(peak(p, "DRAM"), peak(p, "L2")) >= kBinds) return "memory";
    if (p.issue.value_or(0) >= kBinds) return "issue";
    const bool unit = std::any_of(p.peaks.begin(), p.peaks.end(), [](const auto& one) { return one.second >= kBinds; });
    return unit ? "units" : "latency";
}

}  // namespace

bool looks_at_others(const machine::Code& code) {
    using machine::Effect;
    const auto looks = [](const machine::Op& op) {
        if (op.space == simt::Space::shared) return false;
        return (op.effect == Effect::load && op.past_first) || (op.effect == Effect::fence && op.waits_stores) ||
               (op.effect == Effect::atomic && !op.out.empty());
    };
    return std::any_of(code.blocks.begin(), code.blocks.end(), [&](const machine::Block& block) {
        return std::any_of(block.ops.begin(), block.ops.end(), looks);
    });
}

const ErrorClass& error_class_of(const record::Predicted& predicted, bool part, bool others) {
    const auto name = others ? "others" : binds(predicted);
    for (const Row& row : kRows)
        if (row.binds == name && row.part == part) return row.of;
    // Short launches are simulated whole, but for grids of very many empty blocks.
    return kRows[0].of;
}

void set_interval(record::Predicted& predicted, bool part, bool others) {
    const ErrorClass& of = error_class_of(predicted, part, others);
    predicted.error_class = of.name;
    predicted.seconds_low = of.low * predicted.seconds;
    predicted.seconds_high = of.high * predicted.seconds;
}

}  // namespace warpwright::predict
