// Each resource is a term by itself, and a rate that the model lacks becomes a note. Work that machine code joins is
// taken off, because a bound may not lie above what the hardware reaches.
#include "predict/bound.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "predict/trace_outline.hpp"
#include "record/metrics.hpp"
#include "simt/details.hpp"

namespace warpwright::predict {

namespace {

using record::Count;
using record::Derived;

struct Sectors {
    double load = 0, store = 0, atomic = 0, local = 0;
    double all() const { return load + store + atomic + local; }
};

Sectors sectors(const record::Counts& c) {
    return {double(c[Count::global_load_sectors]), double(c[Count::global_store_sectors]),
            double(c[Count::global_atomic_sectors]), double(total(c, Derived::local_sectors))};
}

/// Global loads may be served by L1 (not on compute capability 3.x and 1.x, whose loads go to L2 or DRAM).
bool loads_cached_in_l1(const arch::DeviceModel& m) {
    return m.coalescing == arch::Coalescing::sectors || m.coalescing == arch::Coalescing::l1_lines ||
           m.coalescing == arch::Coalescing::lines_64;
}

/// Global accesses and shared memory take turns in one data array (since compute capability 7.0).
bool l1_is_shared_memory(const arch::DeviceModel& m) {
    return m.cache.l1_unified != 0 && m.cache.l1_bandwidth > 0 && m.coalescing == arch::Coalescing::sectors;
}

/// What machine code joins is no work of its own: without it a bound would lie above what the hardware can reach.
record::Joined joined_in(const Work& work) { return work.touched ? work.touched->joined : record::Joined{}; }

/// Wavefronts of atomics on shared memory that are counted but that machine code has not: at an address that is one for
/// the whole block the assembler adds up the lanes first. The sample tells how many there are for each request.
std::uint64_t summed_first(const Work& work) {
    const std::uint64_t counted = work.counts[Count::shared_atomic_wavefronts];
    const std::uint64_t requests = work.counts[Count::shared_atomic_requests];
    if (counted <= requests) return 0;
    const auto [seen, turns] = shared_atomics(work);
    if (seen == 0) return 0;
    const auto taken = static_cast<std::uint64_t>(std::ceil(static_cast<double>(requests) * turns / seen));
    return counted - std::min(counted, std::max(taken, requests));
}

double less(std::uint64_t count, std::uint64_t joined) { return double(count - std::min(count, joined)); }

class Terms {
public:
    Terms(const Work& work, const arch::DeviceModel& model) : work_(work), c_(work.counts), m_(model) {
        const double blocks = double(work.grid.count());
        active_ = std::min<double>(m_.sm.multiprocessors, std::max(blocks, 1.0));
    }

    record::Bound collect() {
        memory();
        multiprocessor();
        arithmetic();
        std::stable_sort(out_.terms.begin(), out_.terms.end(),
                         [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
        if (!out_.terms.empty()) {
            out_.seconds = out_.terms.front().seconds;
            out_.binds = out_.terms.front().resource;
            for (record::BoundTerm& t : out_.terms) t.share = t.seconds / out_.seconds;
        }
        out_.estimated = out_.binds == "DRAM" && dram_.estimated;
        if (active_ < m_.sm.multiprocessors)
            out_.notes.push_back(fmt::format("{} of {} multiprocessors get a block", active_, m_.sm.multiprocessors));
        return std::move(out_);
    }

private:
    void add(std::string resource, double seconds, std::string basis, std::optional<double> upper = {}) {
        if (!(seconds > 0)) return;
        out_.terms.push_back({std::move(resource), seconds, 0, std::move(basis), upper});
    }

    /// A term in cycles of each of the multiprocessors at work.
    void cycles(std::string resource, double total_cycles, std::string basis) {
        add(std::move(resource), total_cycles / active_ / m_.clocks.bound, std::move(basis));
    }

    void memory() {
        const double sector = m_.cache.sector;
        const Sectors s = sectors(c_);
        dram_ = dram_traffic(work_, m_);
        std::optional<double> upper;
        const double dram = m_.dram_bandwidth(), later = written_back_later(dram_, work_, m_);
        if (s.all() * sector > dram_.bytes - later) upper = s.all() * sector / dram;
        const std::string stays = later > 0 ? fmt::format(" {:.4g} of them after the launch,", later) : "";
        add("DRAM", (dram_.bytes - later) / dram, fmt::format("{}{} over {:.4g} GB/s", dram_.basis, stays, dram / 1e9),
            upper);

        if (m_.l2_bandwidth() > 0) {
            // The traffic that surely reaches L2: stores and atomics, which are written through, the traffic to DRAM,
            // and loads where L1 does not hold them. The rest depends on L1 hits.
            const double bandwidth = m_.l2_bandwidth(), all = s.all() * sector;
            double certain = (s.store + s.atomic) * sector;
            if (!loads_cached_in_l1(m_)) certain += s.load * sector;
            certain = std::max(certain, dram_.bytes - later);
            std::optional<double> most;
            if (all > certain) most = all / bandwidth;
            add("L2", certain / bandwidth,
                fmt::format("{:.4g} bytes that no L1 can serve over {:.4g} GB/s", certain, bandwidth / 1e9), most);
        } else if (s.all() > 0) {
            out_.notes.push_back("the model has no L2 bandwidth: no L2 term");
        }
    }

    void multiprocessor() {
        const record::Joined joined = joined_in(work_);
        const double wavefronts =
            less(total(c_, Derived::shared_wavefronts), joined.shared_wavefronts + summed_first(work_));
        const double rate = m_.wavefront_rate(), shared_cycles = wavefronts / rate;
        if (l1_is_shared_memory(m_)) {
            const Sectors s = sectors(c_);
            const double bytes = (s.load + s.store + s.local) * m_.cache.sector;
            cycles("L1/shared", shared_cycles + bytes / m_.l1_bytes_per_cycle(),
                   fmt::format("{:.0f} shared wavefronts and {:.0f} global and local sectors over {:.4g} wavefronts or "
                               "{:.4g} bytes per cycle and multiprocessor",
                               wavefronts, s.load + s.store + s.local, rate, m_.l1_bytes_per_cycle()));
        } else {
            cycles("shared", shared_cycles,
                   fmt::format("{:.0f} wavefronts over {:.4g} per cycle and multiprocessor", wavefronts, rate));
        }
        const double requests = less(total(c_, Derived::memory_requests), joined.shared_requests);
        cycles("load/store", requests * m_.limits.warp / m_.units.load_store,
               fmt::format("{:.0f} requests over {:g} addresses per cycle and multiprocessor", requests,
                           m_.units.load_store));
        const double issue = double(m_.sm.schedulers) * m_.sm.issue_per_scheduler;
        const double instructions = less(c_[Count::instructions], joined.instructions);
        cycles("issue", instructions / issue,
               fmt::format("{:.0f} warp instructions over {:g} per cycle and multiprocessor", instructions, issue));
    }

    /// One pipe: warp instructions times the results of each, over the pipe's results per cycle.
    void pipe(const char* name, Count mix, double rate, double results_per_lane = 1, std::uint64_t joined = 0) {
        const double instructions = less(c_[mix], joined);
        if (instructions == 0) return;
        if (!(rate > 0)) {
            out_.notes.push_back(
                fmt::format("the model has no {} rate: no term for its {:.0f} warp instructions", name, instructions));
            return;
        }
        cycles(name, instructions * m_.limits.warp * results_per_lane / rate,
               fmt::format("{:.0f} warp instructions over {:.4g} results per cycle and multiprocessor", instructions,
                           rate));
    }

    void arithmetic() {
        const arch::DeviceModel::Units rates = m_.unit_rates();
        pipe("fp32", Count::mix_fp32, rates.fp32);
        pipe("fp64", Count::mix_fp64, rates.fp64);
        // The rate counts halves, and the pipe takes a packed pair in the time of one.
        pipe("fp16", Count::mix_fp16, rates.fp16, 2);
        // Since compute capability 7.0 the assembler gives additions to the multiply pipe as well.
        const double more = m_.compute_capability >= 70 ? rates.integer_multiply : 0;
        pipe("integer", Count::mix_integer, rates.integer > 0 ? rates.integer + more : 0, 1, joined_in(work_).integer);
        pipe("special", Count::mix_special, rates.special);
        pipe("convert", Count::mix_convert, rates.convert);
        pipe("shuffle", Count::mix_warp, rates.shuffle);

        const double flops = double(c_[Count::flops_tensor]);
        if (flops == 0) return;
        if (const double rate = m_.tensor_flops(work_.tensor_type); rate > 0) {
            add("tensor", flops / (rate * active_ / m_.sm.multiprocessors),
                fmt::format("{:.4g} FLOP over {:.4g} {} FLOP per cycle and multiprocessor", flops,
                            rate / m_.sm.multiprocessors / tensor_clock(), work_.tensor_type));
            return;
        }
        out_.notes.push_back(fmt::format("the model has no tensor rate for '{}': no tensor term", work_.tensor_type));
    }

    double tensor_clock() const { return m_.clocks.tensor > 0 ? m_.clocks.tensor : m_.clocks.bound; }

    const Work& work_;
    const record::Counts& c_;
    const arch::DeviceModel& m_;
    double active_ = 1;  ///< multiprocessors with at least one block
    DramTraffic dram_;
    record::Bound out_;
};

}  // namespace

DramTraffic dram_traffic(const Work& work, const arch::DeviceModel& model) {
    const Sectors s = sectors(work.counts);
    const double sector = model.cache.sector, requested = s.all() * sector;
    DramTraffic out{requested, (s.store + s.atomic) * sector, true,
                    fmt::format("estimate: all {:.4g} bytes of sectors requested", requested)};
    if (work.touched) {
        const double read = std::min((s.load + s.atomic) * sector, double(work.touched->read)),
                     written = std::min((s.store + s.atomic) * sector, double(work.touched->written));
        out.bytes = read + written, out.written = written;
        out.basis = fmt::format("estimate: {:.4g} bytes read and {:.4g} written, each once,", read, written);
    }
    if (work.compulsory_bytes && std::abs(out.bytes - *work.compulsory_bytes) <= 0.01 * *work.compulsory_bytes) {
        out.estimated = false;
        out.basis = fmt::format("{:.4g} compulsory bytes", out.bytes);
    }
    return out;
}

double written_back_later(const DramTraffic& traffic, const Work& work, const arch::DeviceModel& model) {
    if (!(traffic.bytes > 0)) return 0;
    const double room = static_cast<double>(model.cache.l2) * static_cast<double>(work.launches);
    return traffic.written * std::min(1.0, room / traffic.bytes);
}

record::Bound bound(const Work& work, const arch::DeviceModel& model) { return Terms(work, model).collect(); }

record::OccupancyRecord occupancy_record(const Work& work, const arch::DeviceModel& model) {
    const arch::Occupancy o = arch::occupancy(model, work.registers, work.shared, work.block.count());
    record::OccupancyRecord out;
    out.registers = work.registers;
    out.registers_source = work.registers_source;
    out.shared = work.shared;
    out.blocks = o.blocks;
    out.warps = o.warps;
    out.fraction = o.fraction;
    out.limiter = o.limiter_text();
    if (o.blocks > 0) {
        out.waves = double(work.grid.count()) / (double(o.blocks) * model.sm.multiprocessors);
        out.wave_utilisation = out.waves > 0 ? out.waves / std::ceil(out.waves) : 0;
    }
    return out;
}

record::Intensity intensity(const Work& work, const arch::DeviceModel& model) {
    record::Intensity out;
    out.cgma = value(work.counts, Derived::flops_per_access);
    out.per_byte = value(work.counts, Derived::flops_per_byte_requested);
    if (const double dram = dram_traffic(work, model).bytes; dram > 0)
        out.per_dram_byte = double(work.counts[Count::flops]) / dram;
    return out;
}

namespace {

/// The first instruction of the kernel that devices of this compute capability lack, and what it needs.
std::optional<std::pair<std::string, unsigned>> lacked(const machine::Code& code, unsigned capability) {
    for (const machine::Block& block : code.blocks)
        for (const machine::Op& op : block.ops) {
            if (!op.ptx) continue;
            const unsigned needs = simt::facts(op.ptx->op).needs;
            if (capability < needs) return {{std::string(simt::spelling(op.ptx->op)), needs}};
        }
    return std::nullopt;
}

/// Little's law: the bytes in flight that keep DRAM busy, compared with those that the resident warps have in flight
/// when each waits for one 4-byte load.
void note_latency(record::Bound& bound, const record::OccupancyRecord& o, const arch::DeviceModel& m) {
    if (bound.binds != "DRAM" || m.latency.memory <= 0 || o.warps == 0) return;
    const double needed = m.dram_bandwidth() / m.sm.multiprocessors * m.latency.memory / m.clocks.bound;
    const double each = double(o.warps) * m.limits.warp * 4;
    if (each < needed)
        bound.notes.push_back(
            fmt::format("{} bytes must be in flight per multiprocessor to keep DRAM busy; {} resident warps with "
                        "one 4-byte load "
                        "per thread have {}: wider or more independent loads are needed",
                        fmt::group_digits(std::llround(needed)), o.warps, fmt::group_digits(std::llround(each))));
}

}  // namespace

std::string why_impossible(const Work& work, const arch::DeviceModel& model) {
    const arch::Occupancy o = arch::occupancy(model, work.registers, work.shared, work.block.count());
    const std::string begin = "the kernel cannot be launched on " + model.name + ": ";
    if (o.blocks == 0) return begin + o.limiter_text();
    if (!work.trace || !work.trace->code || model.compute_capability == 0) return {};
    const auto instruction = lacked(*work.trace->code, static_cast<unsigned>(model.compute_capability));
    if (!instruction) return {};
    return begin + fmt::format("{} needs compute capability {}.{}", instruction->first, instruction->second / 10,
                               instruction->second % 10);
}

void annotate(record::Record& record, const Work& work, const arch::DeviceModel& model) {
    if (model.sm.multiprocessors == 0 || model.limits.warp == 0) return;
    record.model = model.name;
    record.intensity = intensity(work, model);
    record.occupancy = occupancy_record(work, model);
    if (std::string why = why_impossible(work, model); !why.empty()) {
        record.unpredicted = std::move(why);
        return;
    }
    record.bound = bound(work, model);
    note_latency(*record.bound, *record.occupancy, model);
}

}  // namespace warpwright::predict
