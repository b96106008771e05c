// Counts of the launches are added before the bound is computed, because a rung that launches twice is one piece of
// work. Where one launch has no prediction, the rung has none, and the record says why.
#include "lab/sweep/modelled_launches.hpp"

#include "predict/launch_work.hpp"
#include "support/cause.hpp"

namespace warpwright::lab {

void ModelledLaunches::before(const device::KernelInfo& kernel, const device::LaunchConfig& config,
                              device::LaunchOptions& options) {
    options.trace = predictor_.trace_request(kernel, config);
}

void ModelledLaunches::after(const device::KernelInfo& kernel, const device::LaunchConfig& config,
                             const device::LaunchResult& result) {
    if (!result.counts) return;
    predict::Work work = predict::launch_work(kernel, config, result);
    work.in_a_row = in_a_row_;
    if (simulate_ != predict::Simulate::none && unpredicted_.empty()) {
        const auto one = predictor_.predict(kernel.name, work);
        if (!one)
            unpredicted_ = one.error().what, out_of_time_ = one.error().cause == Cause::time_limit;
        else if (predicted_)
            predicted_->add(*one);
        else
            predicted_ = *one;
    }
    if (impossible_.empty()) impossible_ = predict::why_impossible(work, model_);
    work.trace = nullptr;
    if (!whole_) {
        whole_ = std::move(work);
        return;
    }
    whole_->counts += work.counts;
    *whole_->touched += *work.touched;
    ++whole_->launches;
}

void ModelledLaunches::annotate(record::Record& record) const {
    if (!whole_) return;
    predict::Work work = *whole_;
    work.compulsory_bytes = record.bytes;
    predict::annotate(record, work, model_);
    if (!impossible_.empty()) record.bound.reset(), record.unpredicted = impossible_;
    if (record.bound) record.unpredicted = unpredicted_;
    if (record.bound && unpredicted_.empty()) record.predicted = predicted_;
}

}  // namespace warpwright::lab
