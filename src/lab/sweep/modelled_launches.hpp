// The launches of a rung as the device model sees them: their work together, their bound and their predicted time.
#pragma once

#include <optional>
#include <string>

#include "device/device.hpp"
#include "predict/prediction.hpp"
#include "record/record.hpp"

namespace warpwright::lab {

class ModelledLaunches {
public:
    /// Owns no model: it must outlive this. `in_a_row`: the time is that of launches which follow each other on buffers
    /// that no cache has any more, as a real device is timed.
    ModelledLaunches(const arch::DeviceModel& model, predict::Simulate simulate, bool in_a_row = false)
        : model_(model), predictor_(model, simulate, predict::SourceLine{}), simulate_(simulate), in_a_row_(in_a_row) {}

    /// Asks for what the prediction of the next launch needs.
    void before(const device::KernelInfo& kernel, const device::LaunchConfig& config, device::LaunchOptions& options);
    /// Takes what it did; nothing where it has no counts.
    void after(const device::KernelInfo& kernel, const device::LaunchConfig& config,
               const device::LaunchResult& result);

    /// Fills in the record's model, bound, occupancy, intensity and predicted time, or why it has none; occupancy is
    /// that of the first launch. Leaves a record alone whose launches were not counted.
    void annotate(record::Record& record) const;
    /// Whether there is no predicted time because a launch's time limit was over before its simulation was.
    bool out_of_time() const { return out_of_time_ && impossible_.empty(); }

private:
    const arch::DeviceModel& model_;
    predict::Predictor predictor_;
    predict::Simulate simulate_;
    bool in_a_row_;
    std::optional<predict::Work> whole_;  ///< the first one's shape, what all did
    std::optional<record::Predicted> predicted_;
    std::string impossible_;  ///< why one of them is not possible on the model
    bool out_of_time_ = false;
    std::string unpredicted_;  ///< why one of them has no predicted time: then the rung has none
};

}  // namespace warpwright::lab
