#include "predict/prediction.hpp"

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

}  // namespace

std::optional<timing::Prediction> prediction(const Work& work, const arch::DeviceModel& model) {
    if (!work.trace) return std::nullopt;
    return timing::predict(*work.trace, shape_of(work), model);
}

std::uint32_t blocks_to_trace(const Work& work, const arch::DeviceModel& model) {
    return timing::blocks_to_trace(shape_of(work), model);
}

}  // namespace warpwright::predict
