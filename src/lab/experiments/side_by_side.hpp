// The figures of the texts beside what our model of time predicts for the device that they were measured on.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "lab/sweep/choices.hpp"
#include "lab/sweep/context.hpp"
#include "ladder/run.hpp"
#include "predict/bound.hpp"
#include "record/page.hpp"
#include "text/message.hpp"

namespace warpwright::lab {

/// Predicts what work takes on any device model of 32 lanes, on one emulated device: of each launch only a sample of
/// the blocks runs. So memory is not defined afterwards, and a kernel's course must not depend on what it reads.
class OtherDevices {
public:
    /// The context's device where it is an emulated one, else one of its own. ErrorKind::usage where the context asks
    /// for bounds alone.
    static Result<OtherDevices> of(const Context& context);

    device::Device& device() const { return *device_; }

    /// The launches of a rung, in the variant that these axes choose.
    struct Rung {
        std::string ladder, name;
        Axes axes;
        Size size;
        bool first_launch = false;  ///< of several launches the first alone
    };
    /// Seconds of all launches of a rung on each of these models. An error of kind limit says why there is no predicted
    /// time.
    Result<std::vector<double>> seconds(const Rung& rung, std::span<const arch::DeviceModel> models);
    /// The same for each model as it comes: the samples have run when this returns, and the simulations go on beside
    /// what follows, as many at a time as the host has threads. The models must outlive them.
    struct Coming {
        std::future<Result<double>> seconds;
        double asked = 0;  ///< bytes of all sectors of global memory that the launches' warps ask for
    };
    Result<std::vector<Coming>> begin(const Rung& rung, std::span<const arch::DeviceModel> models);
    /// Seconds of one launch.
    Result<double> seconds(const device::Step& step, const arch::DeviceModel& model) const;

private:
    OtherDevices() = default;
    /// The course of a sample of a launch's blocks, and what the model of time wants to know of the launch.
    Result<predict::Work> sample(const device::Step& step, const arch::DeviceModel& model) const;

    std::shared_ptr<std::counting_semaphore<>> free_threads_;
    std::unique_ptr<device::Device> own_;
    device::Device* device_ = nullptr;
    device::LaunchOptions launch_;
    std::unique_ptr<ladder::Session> session_;
};

/// A figure of a text, and the same by the model; both in the table's unit.
struct TextFigure {
    Text what;  ///< "naive, N = 512"
    double quoted = 0, predicted = 0;
    std::optional<std::size_t> over = {};  ///< the figure of the first version, for a speed-up
    std::optional<double> asked = {};      ///< OtherDevices::Coming::asked
};

/// A difference of prediction and text beyond this is said in a conclusion. It is more than the model's stated error,
/// since the texts do not say how they measured.
inline constexpr double kTextLimit = 0.25;

/// What a page says beside a text's figures.
class BesideText {
public:
    /// A table for a device with a row for each figure (the text's, ours, ours over the text's), and a conclusion: how
    /// many are within kTextLimit, and which one is furthest. Where there are none, a conclusion says why; an empty
    /// list says nothing. `unit`: "s", "B/s". `caption`: the text that says how they are predicted. With the `model`
    /// by which times are predicted, a conclusion says what was assumed of the device, and what else would explain the
    /// text's times where they are not near: one factor for all (a clock, a rate), one constant (host code), or a
    /// second level of cache that keeps nothing.
    void add(const std::string& id, const Text& device, const Result<std::vector<TextFigure>>& figures,
             const std::string& unit = "s", const std::string& caption = "beside.caption",
             const arch::DeviceModel* model = nullptr);

    std::vector<record::Table> tables;
    std::vector<Text> conclusions;
};

}  // namespace warpwright::lab
