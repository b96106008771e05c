// The sample is gone through twice: once by its accesses, once by the blocks of code that its warps ran.
#include "predict/launch_survey.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "predict/array_on_line.hpp"
#include "predict/block_shares.hpp"

namespace warpwright::predict {

using machine::BlockTrace;
using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;

LineWeights::Place LineWeights::heaviest() const {
    Place out{};
    double most = 0;
    for (const auto& [place, weight] : weights_)
        if (place.second != 0 && weight > most) most = weight, out = place;
    return out;
}

LineWeights::Place place_of(const Op& op, const machine::Code& code) {
    if (!op.ptx) return {};
    const auto& at = op.ptx->source;
    const auto ours = [&] {
        if (at.file >= code.files.size()) return false;
        const std::string& file = code.files[at.file];
        return file.find("/include/warpwright/") != std::string::npos || file.starts_with("/usr/");
    };
    if (op.ptx->inlined_at.line != 0 && (at.line == 0 || ours()))
        return {op.ptx->inlined_at.file, op.ptx->inlined_at.line};
    return {at.file, at.line};
}

namespace {

/// Where the accesses of a scattered request lie.
class Strides {
public:
    void add(const std::uint32_t* sectors, const Event& e) {
        if (e.count < 2 || e.lanes < 2) return;
        ++requests_;
        const std::uint32_t step = sectors[1] - sectors[0];
        for (unsigned k = 2; k < e.count; ++k)
            if (sectors[k] - sectors[k - 1] != step) return;
        const double bytes = step == 1 ? 32.0 * e.count / e.lanes : 32.0 * step * e.count / e.lanes;
        ++regular_[bytes];
    }
    double usual() const {
        for (const auto& [bytes, count] : regular_)
            if (2 * count > requests_) return bytes;
        return 0;
    }

private:
    std::map<double, double> regular_;
    double requests_ = 0;
};

class Survey {
public:
    Survey(const machine::LaunchTrace& trace, const SourceLine& source)
        : trace_(trace), code_(*trace.code), sites_(code_) {
        find_math(source);
    }

    LaunchSurvey take() {
        each_access(trace_, sites_, [&](const BlockTrace& block, std::size_t w, const Event& e, const Op& op) {
            access(block, w, e, op);
        });
        end_accesses();
        for (const BlockTrace& block : trace_.sample) of_block(block);
        end_blocks();
        return std::move(out_);
    }

private:
    void find_math(const SourceLine& source) {
        std::set<LineWeights::Place> looked;
        for (const machine::Block& block : code_.blocks)
            for (const Op& op : block.ops) {
                if (!source || !op.ptx || op.ptx->source.line == 0 || op.ptx->source.file >= code_.files.size())
                    continue;
                const LineWeights::Place at{op.ptx->source.file, op.ptx->source.line};
                if (!looked.insert(at).second) continue;
                const auto line = source(code_.files[at.first], at.second);
                if (const unsigned calls = line ? calls_of_math(*line) : 0) out_.math_lines[at] = calls;
            }
    }

    void count(AccessSum& sum, const Event& e, const Op& op, double passes, double needed) {
        ++sum.requests, sum.lanes += e.lanes;
        sum.passes += passes, sum.needed += needed;
        sum.excess.add(place_of(op, code_), passes - needed);
        sum.places.add(place_of(op, code_), passes);
        if (!reads(op)) sum.stored.add(place_of(op, code_), passes - needed);
    }

    void access(const BlockTrace& block, std::size_t w, const Event& e, const Op& op) {
        if (e.what & Event::kConstant) return count(out_.constants, e, op, std::max<double>(1, e.passes), 1);
        if (is_local_array(e, op)) return count(out_.local, e, op, e.count, 0);
        if (e.what & Event::kAtomic) {
            unsigned distinct = 0;
            for (unsigned k = 0; k < e.count; ++k) {
                distinct += k == 0 || block.sectors[e.first + k] != block.sectors[e.first + k - 1];
                atomic_sectors_.insert(block.sectors[e.first + k]);
            }
            return count(out_.atomics, e, op, e.count, distinct);
        }
        if (is_shared(e, op)) {
            const bool atomic = op.effect == Effect::atomic;
            const double passes = std::max<double>(1, e.passes);
            return count(atomic ? out_.shared_atomics : out_.shared, e, op, passes,
                         atomic ? 1 : wavefronts_needed(e, op));
        }
        if (is_global(e, op)) global(block, w, e, op);
    }

    void global(const BlockTrace& block, std::size_t w, const Event& e, const Op& op) {
        const auto* sectors = block.sectors.data() + e.first;
        out_.all_sectors += e.count, ++out_.all_requests;
        if (block_of_ != &block) loaded_.clear(), stored_.clear(), walked_.clear(), polled_.clear(), block_of_ = &block;
        if (op.ptx && op.ptx->type() == simt::Type::f64) ++out_.double_accesses;
        if (op.bytes <= 2 && e.count <= sectors_needed(e, op) + 1) {
            out_.narrow.add(place_of(op, code_), 1);
            out_.narrow_bytes += op.bytes;
        }
        if (is_scattered(e, op)) {
            strides_.add(sectors, e);
            auto& before = walked_[{w, &op}];
            ++scattered_, walking_ += before == sectors[0] + 1 || before == sectors[0];
            before = sectors[0] + 1;
            beyond_one_ |= e.count > sectors_needed(e, op) + 1;
            if (op.bytes <= 2) return reads(op) ? small_loads_.add(*this, e, op) : small_stores_.add(*this, e, op);
            return count(reads(op) ? out_.loads : out_.stores, e, op, e.count, sectors_needed(e, op));
        }
        bool fresh = false;
        if (reads(op)) {
            polls(w, op, sectors[0]);
            for (unsigned k = 0; k < e.count; ++k) fresh |= loaded_.insert(sectors[k]).second;
            ++loads_, fresh_loads_ += fresh;
            if (!fresh) out_.repeated_loads.add(place_of(op, code_), e.count);
            return;
        }
        auto& last = stored_[{w, &op}];
        fresh = last != sectors[0] + 1;
        last = sectors[0] + 1;
        ++stores_, fresh_stores_ += fresh;
        if (!fresh) out_.repeated_stores.add(place_of(op, code_), e.count);
    }

    /// A warp that asks the second level for the same sector again and again waits for what another block stores.
    void polls(std::size_t w, const Op& op, std::uint32_t sector) {
        if (!op.past_first) return;
        auto& before = polled_[{w, &op}];
        out_.polls += before == sector + 1;
        before = sector + 1;
    }

    void end_accesses() {
        small_loads_.end(out_, out_.loads), small_stores_.end(out_, out_.stores);
        out_.words_of_atomics = static_cast<double>(atomic_sectors_.size());
        out_.stride = strides_.usual();
        out_.aligned_only = !beyond_one_;
        out_.walks = 2 * walking_ > scattered_;
        if (fresh_loads_ > 0) out_.loads_of_sector = loads_ / fresh_loads_;
        if (fresh_stores_ > 0) out_.stores_of_sector = stores_ / fresh_stores_;
        const double narrow = out_.narrow.all();
        if (narrow > 0) out_.narrow_bytes /= narrow;
    }

    void of_block(const BlockTrace& block) {
        const BlockShares shares(block, code_);
        for (const auto& warp : block.warps) of_warp(warp, shares);
        out_.warps += static_cast<double>(block.warps.size());
        if (!shares.known()) return;
        longest_ += shares.longest_warp(), longest_lane_ += shares.longest_lane(), ++weighed_;
        shares.each_alone([&](std::uint32_t what, double slots) { out_.alone.add(end_of(what), slots); });
    }

    void of_warp(const machine::WarpTrace& warp, const BlockShares& shares) {
        unsigned full = 0, lanes = 0, part = 0;
        LineWeights::Place split{};
        bool loop = false;
        std::map<std::uint32_t, unsigned> paths;  ///< blocks of code that ran for a part of the lanes: of how many
        const Event* last = nullptr;
        for (const Event& e : warp.events) {
            if (e.what & Event::kAccess) continue;
            const unsigned here = part;
            part += shares.ends_part(e.what);
            const double slots = code_.blocks[e.what].slots;
            if (full == 0) full = lanes = std::max(1u, e.lanes);
            out_.issues += slots;
            ++runs_[e.what];
            out_.lanes_possible += slots * full;
            // A predicate leaves out lanes, but no instruction: it has those of the code around it.
            if (!code_.blocks[e.what].predicated) {
                if (last && e.lanes < last->lanes && e.lanes < full) {
                    split = end_of(last->what);
                    loop = last->what >= e.what;
                }
                last = &e;
                lanes = e.lanes;
            }
            // What one warp of a block does alone is not shared well: that its lanes are idle is no matter of the
            // branch.
            const bool alone = lanes < full && shares.is_alone(here, e.what);
            out_.lanes_issued += slots * (alone ? full : lanes);
            if (lanes >= full || alone) continue;
            out_.lost_lanes.add(split, slots * (full - lanes));
            lost_ += slots, lost_in_loops_ += loop ? slots : 0;
            auto& of_path = paths[e.what];
            of_path = std::max(of_path, lanes);
        }
        if (paths.empty()) return;
        // Others take another way if all ways together have the lanes of the warp; else they have left, or wait.
        unsigned all = 0;
        for (const auto& [what, most] : paths) all += most;
        ++warps_split_, warps_idle_ += lanes < full || 2 * all <= full;
    }

    /// The line of the branch with which a block of code ends.
    LineWeights::Place end_of(std::uint32_t block) const {
        const auto& ops = code_.blocks[block].ops;
        for (auto op = ops.rbegin(); op != ops.rend(); ++op)
            if (const auto place = place_of(*op, code_); place.second != 0) return place;
        return {};
    }

    void end_blocks() {
        for (const auto& [what, times] : runs_) {
            out_.turns.add(end_of(what), code_.blocks[what].slots * times);
            LineWeights::Place call{};  // of the library's function that operations without a line belong to
            const auto& ops = code_.blocks[what].ops;
            const auto of_function = of_math_lines(ops, out_.math_lines);
            for (std::size_t k = 0; k < ops.size(); ++k) {
                const Op& op = ops[k];
                const double weight = op.issues * times;
                auto place = place_of(op, code_);
                if (out_.math_lines.contains(place)) call = place;
                if (place.second == 0 && of_function[k]) place = call;
                if (is_double(op)) {
                    out_.doubles.add(place, weight);
                    if (out_.math_lines.contains(place)) out_.double_math += weight;
                }
                if (converts_double(op)) out_.double_conversions.add(place, weight);
                if (is_exact_division(op) || of_function[k]) out_.exact_math.add(place, weight);
                if (is_integer_division(op)) out_.divisions.add(place, weight);
                if (op.spill >= 0) out_.spills.add(place, weight);
                if (op.effect == Effect::barrier && !op.waits_phase) out_.barriers.add(place, times);
            }
        }
        out_.in_loops = 2 * lost_in_loops_ > lost_;
        out_.mostly_idle = 2 * warps_idle_ > warps_split_;
        if (weighed_ > 0) out_.longest_warp = longest_ / weighed_, out_.longest_lane = longest_lane_ / weighed_;
    }

    /// Scattered requests of one or two bytes, until it is known whether all bytes of their sectors are accessed: then
    /// no other layout has fewer sectors, but wider accesses have fewer requests.
    class Small {
    public:
        void add(Survey& of, const Event& e, const Op& op) {
            of.count(sum_, e, op, e.count, sectors_needed(e, op));
            requests_.add(place_of(op, of.code_), 1);
            width_ += op.bytes, bytes_ += double(op.bytes) * e.lanes;
            if (before_ != of.block_of_) apart_ += static_cast<double>(sectors_.size()), sectors_.clear();
            before_ = of.block_of_;
            for (unsigned k = 0; k < e.count; ++k) sectors_.insert(before_->sectors[e.first + k]);
        }
        void end(LaunchSurvey& out, AccessSum& scattered) const {
            constexpr double kMost = 0.9;
            const double sectors = apart_ + static_cast<double>(sectors_.size());
            if (bytes_ < kMost * 32 * sectors || sectors == 0) return scattered.add(sum_);
            out.narrow.add(requests_), out.narrow_bytes += width_;
        }

    private:
        AccessSum sum_;
        LineWeights requests_;
        double width_ = 0, bytes_ = 0, apart_ = 0;  ///< bytes of a lane, of all; sectors of the blocks before
        std::unordered_set<std::uint32_t> sectors_;
        const BlockTrace* before_ = nullptr;
    };

    const machine::LaunchTrace& trace_;
    const machine::Code& code_;
    AccessSites sites_;
    LaunchSurvey out_;
    Small small_loads_, small_stores_;
    Strides strides_;
    bool beyond_one_ = false;
    std::unordered_set<std::uint32_t> atomic_sectors_, loaded_;
    std::map<std::pair<std::size_t, const Op*>, std::uint32_t> stored_;  ///< by warp and place: the first sector + 1
    const BlockTrace* block_of_ = nullptr;
    std::map<std::pair<std::size_t, const Op*>, std::uint32_t> walked_;  ///< the same of scattered requests
    std::map<std::pair<std::size_t, const Op*>, std::uint32_t> polled_;  ///< the same of strong loads
    double scattered_ = 0, walking_ = 0;
    double loads_ = 0, fresh_loads_ = 0, stores_ = 0, fresh_stores_ = 0;
    std::map<std::uint32_t, double> runs_;
    double lost_ = 0, lost_in_loops_ = 0, warps_split_ = 0, warps_idle_ = 0, longest_ = 0, longest_lane_ = 0,
           weighed_ = 0;
};

}  // namespace

LaunchSurvey survey(const machine::LaunchTrace& trace, const SourceLine& source) {
    return Survey(trace, source).take();
}

}  // namespace warpwright::predict
