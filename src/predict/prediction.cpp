// The simulation's result becomes a record here, and what it cannot know is refused first. Of each kernel and
// configuration the last simulated launch is kept, from which others are scaled.
#include "predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "predict/earlier_simulations.hpp"
#include "predict/error_class.hpp"
#include "predict/launch_work.hpp"
#include "predict/simulate.hpp"
#include "predict/trace_outline.hpp"
#include "record/alike.hpp"
#include "record/metrics.hpp"
#include "simt/details.hpp"
#include "timing/warp_log.hpp"

namespace warpwright::predict {

namespace {

using record::Count;
using record::Derived;
using record::Predicted;
using timing::no_time;

timing::LaunchShape shape_of(const Work& work) {
    timing::LaunchShape shape;
    shape.blocks = work.grid.count();
    shape.threads = work.block.count();
    shape.registers = work.registers;
    shape.shared = work.shared;
    shape.instructions = static_cast<double>(work.counts[Count::instructions]);
    shape.in_a_row = work.in_a_row;
    return shape;
}

/// Each unit's use over its peak: the bound's terms, which are what the counts need at the peak rates; traffic that
/// caches decide on is the simulation's.
std::map<std::string, double> peaks_of(const Work& work, const arch::DeviceModel& model, const timing::Prediction& p) {
    std::map<std::string, double> out;
    for (const record::BoundTerm& term : bound(work, model).terms) out[term.resource] = term.seconds / p.seconds;
    out["issue"] = p.issue;
    if (model.dram_bandwidth() > 0) out["DRAM"] = (p.dram_read + p.dram_written) / model.dram_bandwidth() / p.seconds;
    const auto& c = work.counts;
    const double loads = static_cast<double>(c[Count::global_load_sectors] + c[Count::local_load_sectors]),
                 all = static_cast<double>(total(c, Derived::memory_sectors));
    if (model.l2_bandwidth() > 0)
        out["L2"] = (all - loads * p.l1_hit) * model.cache.sector / model.l2_bandwidth() / p.seconds;
    std::erase_if(out, [](const auto& one) { return !(one.second > 0); });
    return out;
}

/// The first instruction of the kernel whose time the simulation does not know, since the emulated GPU does not execute
/// it; empty where there is none.
std::string unknown_in(const machine::Code& code) {
    for (const machine::Block& block : code.blocks)
        for (const machine::Op& op : block.ops)
            if (op.ptx && simt::facts(op.ptx->op).form == simt::Form::not_executed)
                return std::string(simt::spelling(op.ptx->op));
    return {};
}

/// Where each class of machine instructions stands in a prediction, by machine::Mix.
constexpr std::optional<double> Predicted::* kMachineMix[machine::kMixes] = {
    &Predicted::machine_fp32,    &Predicted::machine_fp64,    &Predicted::machine_fp16,   &Predicted::machine_integer,
    &Predicted::machine_special, &Predicted::machine_convert, &Predicted::machine_tensor, &Predicted::machine_memory,
    &Predicted::machine_warp,    &Predicted::machine_control, &Predicted::machine_move};

/// The seconds of a launch of the same kernel and configuration, whose bound is `ratio` times as long.
double scaled_seconds(const Predicted& p, double ratio) {
    const double start = p.start_seconds.value_or(0);
    return start + ratio * (p.seconds - start);
}

/// The same launch's prediction.
Predicted scaled(Predicted p, double ratio) {
    const double start = p.start_seconds.value_or(0);
    p.seconds = scaled_seconds(p, ratio);
    for (auto* figure : {&p.seconds_low, &p.seconds_high})
        if (*figure) **figure = start + ratio * (**figure - start);
    for (auto* figure : {&p.cycles, &p.machine_instructions, &p.dram_read, &p.dram_written})
        if (*figure) **figure *= ratio;
    for (const auto figure : kMachineMix)
        if (p.*figure) *(p.*figure) *= ratio;
    p.simulated = 0;
    return p;
}

}  // namespace

std::string stall_meaning(std::string_view name) {
    for (unsigned k = 0; k < timing::kStalls; ++k)
        if (const auto state = static_cast<timing::Stall>(k); name == timing::stall_name(state))
            return timing::stall_meaning(state);
    return {};
}

std::optional<Simulate> parse_simulate(std::string_view text) {
    if (text == "off" || text == "0") return Simulate::none;
    if (text == "auto") return Simulate::within_budget;
    if (text == "all" || text == "1") return Simulate::all;
    return std::nullopt;
}

Error no_such_choice(const std::string& where, const std::string& text) {
    return Error{ErrorKind::usage, where + ": there is no choice '" + text + "'", {}, "off, auto or all"};
}

Result<timing::Prediction> simulate(const Work& work, const arch::DeviceModel& model, timing::WarpLog* log,
                                    double enough) {
    if (std::string why = why_impossible(work, model); !why.empty())
        return Error{ErrorKind::limit, std::move(why), {}, ""};
    if (!work.trace || !work.trace->code) return no_time("the launch was not simulated");
    if (const std::string name = unknown_in(*work.trace->code); !name.empty())
        return no_time("the simulation does not know how long " + name + " takes");
    return timing::predict(*work.trace, shape_of(work), model, log, enough);
}

namespace {

std::vector<record::PredictedLine> lines_of(const timing::Prediction& p, const std::vector<std::string>& files) {
    std::vector<record::PredictedLine> out;
    for (const timing::LineStalls& l : p.lines) {
        record::PredictedLine line;
        if (l.line != 0 && l.file < files.size()) line.file = files[l.file], line.line = l.line;
        for (unsigned k = 0; k < timing::kStalls; ++k)
            if (l.stalls[k] > 0) line.stalls[stall_name(static_cast<timing::Stall>(k))] = l.stalls[k];
        out.push_back(std::move(line));
    }
    return out;
}

/// What a thread's instructions store or load of spilled values, as they stand in the code.
double spilled(const machine::Code& code, machine::Effect effect) {
    double bytes = 0;
    for (const machine::Block& block : code.blocks)
        for (const machine::Op& op : block.ops)
            if (op.spill >= 0 && op.effect == effect) bytes += op.bytes;
    return bytes;
}

/// A simulated time below what the counts need at least would be a fault of the sample's scaling.
bool is_below(double seconds, double bound) { return seconds < bound && seconds > 0; }

Predicted not_below(Predicted p, double bound) {
    if (!is_below(p.seconds, bound)) return p;
    const double ratio = bound / p.seconds;
    for (auto* figure : {&p.seconds_low, &p.seconds_high})
        if (*figure) **figure *= ratio;
    p.seconds = bound;
    return p;
}

}  // namespace

Result<Predicted> simulated(const Work& work, const arch::DeviceModel& model) {
    const auto p = simulate(work, model, nullptr);
    if (!p) return p.error();
    Predicted out;
    out.seconds = p->seconds;
    out.method = Predicted::kSimulated;
    out.cycles = p->cycles, out.start_seconds = p->start_seconds;
    out.machine_instructions = p->machine_instructions;
    for (unsigned k = 0; k < machine::kMixes; ++k) out.*kMachineMix[k] = p->mix[k];
    out.issue = p->issue, out.occupancy = p->occupancy;
    out.l1_hit = p->l1_hit, out.l2_hit = p->l2_hit;
    out.dram_read = p->dram_read, out.dram_written = p->dram_written;
    const auto& told = work.trace->code->told;
    out.spill_stores = told ? told->stores : spilled(*work.trace->code, machine::Effect::store);
    out.spill_loads = told ? told->loads : spilled(*work.trace->code, machine::Effect::load);
    out.peaks = peaks_of(work, model, *p);
    for (unsigned k = 0; k < timing::kStalls; ++k) out.stalls[stall_name(static_cast<timing::Stall>(k))] = p->stalls[k];
    if (work.per_line) out.lines = lines_of(*p, work.trace->code->files);
    out.simulated = 1;
    if (model.compute_capability == Stated::kComputeCapability)
        out.error = Stated::kMedianError, set_interval(out, p->part, looks_at_others(*work.trace->code));
    else
        out.outside = "the model of time was compared with an H100 and an H200 only, not with " + model.name;
    return not_below(std::move(out), bound(work, model).seconds);
}

Predictor::Key Predictor::key_of(const std::string& kernel, const Work& work) {
    // Blocks have at most 1024 threads in a dimension.
    const auto pack = [](std::uint64_t a, std::uint64_t b, unsigned bits) { return a << bits | b; };
    return {kernel, pack(work.grid.y, work.grid.z, 32), pack(pack(work.block.x, work.block.y, 16), work.block.z, 16),
            work.grid.x, work.shared};
}

namespace {

/// Of the arguments' words those that are no part of a pointer: sizes, steps, factors. Addresses differ between
/// launches that do the same.
std::uint64_t numbers_of(std::span<const std::byte> parameters) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ull;
    const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0xff51afd7ed558ccdull, hash ^= hash >> 32; };
    for (std::size_t at = 0; at + 4 <= parameters.size();) {
        std::uint64_t wide = 0;
        const bool aligned = at % 8 == 0 && at + 8 <= parameters.size();
        if (aligned) std::memcpy(&wide, parameters.data() + at, 8);
        // Addresses of devices and of the host lie between 4 GiB and 2^48; two 32-bit numbers seldom look so.
        if (aligned && wide >> 32 != 0 && wide >> 48 == 0) {
            at += 8;
            continue;
        }
        std::uint32_t word = 0;
        std::memcpy(&word, parameters.data() + at, 4);
        mix(word), at += 4;
    }
    return hash;
}

}  // namespace

launch::TraceRequest Predictor::trace_request(const launch::KernelInfo& kernel, const launch::LaunchConfig& config,
                                              std::span<const std::byte> parameters) {
    return {model_.sm.multiprocessors,
            blocks_to_trace(kernel.name, launch_work(kernel, config), numbers_of(parameters))};
}

launch::KnownCourse Predictor::known_course(const launch::KernelInfo& kernel, const launch::LaunchConfig& config) {
    return [this, work = launch_work(kernel, config)](const std::string& course) {
        return earlier_->known(course, work, source_);
    };
}

std::uint32_t Predictor::blocks_to_trace(const std::string& kernel, const Work& launch, std::uint64_t numbers) {
    if (which_ == Simulate::none || model_.sm.multiprocessors == 0) return 0;
    if (which_ == Simulate::within_budget) {
        std::lock_guard lock(mutex_);
        LaunchGroup& group = groups_[key_of(kernel, launch)];
        const auto number = ++group.launches;
        const bool other = group.numbers.size() < record::kMostKinds &&
                           std::find(group.numbers.begin(), group.numbers.end(), numbers) == group.numbers.end();
        if (other) group.numbers.push_back(numbers);
        if ((!other && (number & (number - 1)) != 0) || !group.why.empty()) return 0;
        if (simulated_ > kAhead + kOfCounted * counted_) return 0;
    }
    return timing::blocks_to_trace(shape_of(launch), model_);
}

namespace {

double part(std::uint64_t used, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(used) / static_cast<double>(whole) : 1;
}

}  // namespace

/// Launches that are alike but not equal are kept apart while there is room, so that a launch which comes again has the
/// time that it had.
void Predictor::LaunchGroup::keep(Kind kind) {
    std::erase_if(kinds, [&](const Kind& k) { return k.counts == kind.counts; });
    if (kinds.size() >= record::kMostKinds) {
        const auto alike = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const Kind& k) { return record::alike(k.counts, kind.counts); });
        kinds.erase(alike != kinds.end() ? alike : kinds.begin());
    }
    kinds.push_back(std::move(kind));
}

const Predictor::LaunchGroup::Kind* Predictor::LaunchGroup::like(const record::Counts& counts, bool& same) const {
    auto found = std::find_if(kinds.rbegin(), kinds.rend(), [&](const Kind& k) { return k.counts == counts; });
    if (found == kinds.rend())
        found =
            std::find_if(kinds.rbegin(), kinds.rend(), [&](const Kind& k) { return record::alike(k.counts, counts); });
    same = found != kinds.rend();
    if (same) return &*found;
    return kinds.empty() ? nullptr : &kinds.back();
}

Predictor::Predictor(const arch::DeviceModel& model, Simulate which, bool with_causes, SourceLine source,
                     std::string cache_directory)
    : model_(model),
      which_(which),
      with_causes_(with_causes),
      source_(!source ? SourceLine() : [this, source = std::move(source)](const std::string& file, unsigned number) {
          std::lock_guard lock(reading_);
          return source(file, number);
      }),
      earlier_(std::make_unique<EarlierSimulations>(model, std::move(cache_directory), with_causes ? "causes" : "")) {}

Predictor::~Predictor() = default;

Result<Predicted> Predictor::simulated_with_causes(const Work& work) {
    std::string content;
    const bool has_course = work.trace && (work.trace->code || work.trace->outline);
    if (has_course)
        if (auto before = earlier_->find(work, content, source_)) return *std::move(before);
    if (has_course && work.trace->outline) {
        earlier_->forget(work);
        return no_time("the launch was not traced, and differs from the earlier one");
    }
    auto p = simulated(work, model_);
    LinesAsked asked;
    if (p && with_causes_) p->causes = causes_of(work, model_, *p, asked.noting(source_));
    asked.close(source_);
    if (p && has_course) earlier_->keep(work, std::move(content), *p, std::move(asked));
    return p;
}

/// The bound of a launch that is not simulated, made once for those that follow each other and are the same.
double Predictor::bound_again(const LaunchGroup::Kind& kind, const Work& work) const {
    const bool same = work.touched && work.counts == kind.counts;
    if (same && kind.again && kind.again->touched == *work.touched) return kind.again->bound;
    const double seconds = bound(work, model_).seconds;
    if (same) kind.again = {*work.touched, seconds};
    return seconds;
}

/// By the earlier launch that says how long one without a trace takes; an error where none does. Under the lock.
Result<Predictor::Scale> Predictor::scale_of(const std::string& kernel, Work& work) {
    counted_ += static_cast<double>(work.counts[Count::instructions]);
    const LaunchGroup& group = groups_[key_of(kernel, work)];
    Scale out;
    out.kind = group.like(work.counts, out.same);
    if (!out.kind && !group.why.empty()) return Error{ErrorKind::limit, group.why, {}, ""};
    if (!out.kind) return no_time("the budget of simulated instructions was spent (--predict simulates every launch)");
    if (work.touched) {
        const auto used = [](std::uint64_t bytes, double part) {
            return static_cast<std::uint64_t>(static_cast<double>(bytes) * part);
        };
        work.touched->read = used(work.touched->read, out.kind->read);
        work.touched->written = used(work.touched->written, out.kind->written);
    }
    out.least = bound_again(*out.kind, work);
    if (out.kind->bound > 0) out.ratio = out.least / out.kind->bound;
    return out;
}

Result<double> Predictor::seconds(const std::string& kernel, Work& work) {
    if (which_ != Simulate::within_budget || work.trace) {
        const auto p = predict(kernel, work);
        if (!p) return p.error();
        return p->seconds;
    }
    std::lock_guard lock(mutex_);
    const auto scale = scale_of(kernel, work);
    if (!scale) return scale.error();
    const double seconds = scaled_seconds(scale->kind->predicted, scale->ratio);
    return is_below(seconds, scale->least) ? scale->least : seconds;
}

Result<Predicted> Predictor::predict(const std::string& kernel, Work& work) {
    if (which_ == Simulate::all) return simulated_with_causes(work);
    if (which_ == Simulate::none) return no_time("simulation is turned off");
    if (work.trace) {
        const auto least = bound(work, model_).seconds;
        auto p = simulated_with_causes(work);
        std::lock_guard lock(mutex_);
        LaunchGroup& group = groups_[key_of(kernel, work)];
        counted_ += static_cast<double>(work.counts[Count::instructions]);
        if (!p) {
            if (!work.trace->outline) group.why = p.error().what;  // (without one the next launch is traced)
            return p;
        }
        const auto blocks = static_cast<double>(std::max<std::uint64_t>(1, work.grid.count()));
        simulated_ +=
            *p->machine_instructions * std::min(1.0, static_cast<double>(sampled_blocks(*work.trace)) / blocks);
        LaunchGroup::Kind kind{work.counts, *p, least};
        if (work.touched && work.allocations) {
            kind.read = part(work.touched->read, work.allocations->read);
            kind.written = part(work.touched->written, work.allocations->written);
        }
        group.keep(std::move(kind));
        return p;
    }
    std::lock_guard lock(mutex_);
    const auto scale = scale_of(kernel, work);
    if (!scale) return scale.error();
    Predicted out = not_below(scaled(scale->kind->predicted, scale->ratio), scale->least);
    if (!scale->same) out.causes.clear();  // those of another kind of work
    return out;
}

void annotate_prediction(record::Record& record, const Result<Predicted>& predicted) {
    if (predicted)
        record.predicted = *predicted;
    else
        record.unpredicted = predicted.error().what;
}

}  // namespace warpwright::predict
