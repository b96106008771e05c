// For each cause there is a sign in the sample that is cheap to see, and only where it is there the model is asked.
// What the model cannot be asked by an altered trace (more warps, more blocks, equal work) follows from Little's law:
// time shrinks with the number of warps that wait at once, down to what the busiest unit needs.
#include "predict/causes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "arch/occupancy.hpp"
#include "predict/array_on_line.hpp"
#include "predict/block_shares.hpp"
#include "predict/launch_survey.hpp"
#include "predict/what_if.hpp"

namespace warpwright::predict {

namespace {

using record::Bottleneck;
using record::Count;

/// Signs: below these nothing is asked.
constexpr double kSomeSectors = 0.05, kSomeConflicts = 1.1, kSomeLanes = 0.96, kSomeInstructions = 0.03,
                 kMuchMath = 0.1, kSomeStalls = 0.05;
/// Of what cannot be mended wholly by the change that is advised, more must be to save.
constexpr double kWholeChange = 0.15, kLatency = 0.25;

/// Without what lifts a predicted time to its bound: the altered launch is simulated, and so must be what it is
/// compared with.
double simulated_seconds(const record::Predicted& p, const arch::DeviceModel& model) {
    if (!p.cycles || !(model.clocks.bound > 0)) return p.seconds;
    return p.start_seconds.value_or(0) + *p.cycles / model.clocks.bound;
}

class Causes {
public:
    Causes(const Work& work, const arch::DeviceModel& model, const record::Predicted& predicted,
           const SourceLine& source)
        : source_(source),
          work_(work),
          model_(model),
          p_(predicted),
          seen_(survey(*work.trace, source)),
          occupancy_(arch::occupancy(model, work.registers, work.shared, work.block.count())),
          start_(predicted.start_seconds.value_or(0)),
          seconds_(simulated_seconds(predicted, model)),
          body_(std::max(seconds_ - start_, 1e-12)) {
        for (const auto& [name, cycles] : p_.stalls) stalls_ += cycles;
        for (const auto& [name, use] : p_.peaks)
            if (use > peak_) peak_ = use, nearest_ = name;
        blocks_ = static_cast<double>(work.grid.count());
        sms_ = std::max(1u, model.sm.multiprocessors);
    }

    std::vector<Bottleneck> decide() {
        polls_ = seen_.polls > kPolls * seen_.all_requests;
        memory();
        arithmetic();
        // What such a launch does is mostly looking whether others are done: that it does less of it, or with all
        // lanes, would save nothing.
        if (!polls_) control(), shape();
        record::order(out_);
        if (polls_)
            waits_for_blocks();
        else
            latency();
        launch_itself();
        if (out_.empty()) near_the_limit();
        return std::move(out_);
    }

private:
    using Evidence = std::map<std::string, double>;

    Bottleneck& add(const char* cause, double share, const LineWeights& where, Evidence evidence) {
        Bottleneck& b = out_.emplace_back();
        b.cause = cause, b.share = std::clamp(share, 0.0, 1.0);
        const auto [file, line] = where.heaviest();
        const auto& files = work_.trace->code->files;
        if (line != 0 && file < files.size()) b.file = files[file], b.line = line;
        b.evidence = std::move(evidence);
        return b;
    }
    /// A time from which on too little is saved, so that nothing is told.
    double enough(double least) const { return (1 - least) * seconds_; }
    /// Asks the model; null where too little would be saved.
    Bottleneck* ask(const char* cause, const LineWeights& where, Evidence evidence,
                    const std::function<void(Altered&)>& alter, double least = record::kLeastShare) {
        const auto seconds = seconds_if(work_, model_, seconds_, alter, enough(least));
        return seconds ? told(cause, *seconds, where, std::move(evidence), least) : nullptr;
    }
    /// The same for a time that is known.
    Bottleneck* told(const char* cause, double seconds, const LineWeights& where, Evidence evidence,
                     double least = record::kLeastShare) {
        const double share = 1 - seconds / seconds_;
        return share >= least ? &add(cause, share, where, std::move(evidence)) : nullptr;
    }

    double of_stalls(std::initializer_list<const char*> names) const {
        double sum = 0;
        for (const char* name : names)
            if (const auto at = p_.stalls.find(name); at != p_.stalls.end()) sum += at->second;
        return stalls_ > 0 ? sum / stalls_ : 0;
    }
    double waiting() const {
        return of_stalls({"long_scoreboard", "short_scoreboard", "wait", "imc_miss", "branch_resolving", "barrier"});
    }
    double percent(const LineWeights& of) const { return seen_.issues > 0 ? 100 * of.all() / seen_.issues : 0; }
    /// The seconds of the launch if its warps' waiting took `factor` of the time, but for what its units need:
    /// of those of a multiprocessor, `lanes` of what they need now.
    double seconds_with(double factor, double lanes = 1) const {
        double least = 0;
        for (const auto& [name, use] : p_.peaks)
            least = std::max(least, use * (name == "DRAM" || name == "L2" ? 1 : lanes));
        // The first loads and the last stores of a launch take their time however many others there are.
        const double ends = std::min(body_, kEnds * model_.latency.memory / std::max(1.0, model_.clocks.bound));
        return start_ + std::max({body_ * factor, least * seconds_, ends});
    }

    void memory() {
        for (const bool loads : {true, false}) {
            const AccessSum& sum = loads ? seen_.loads : seen_.stores;
            if (sum.passes - sum.needed <= kSomeSectors * seen_.all_sectors) continue;
            Bottleneck* b = ask(loads ? "uncoalesced_load" : "uncoalesced_store", sum.excess,
                                {{"sectors_per_request", sum.per_request()}, {"needed", sum.needed_per_request()}},
                                [&](Altered& a) {
                                    coalesce(a, loads);
                                    if (of_structures()) coalesce(a, !loads);  // the same change mends both
                                });
            if (!b) continue;
            name_array(b, !loads);
            if (of_structures()) b->way = "struct", b->evidence["stride"] = seen_.stride;
            if (seen_.aligned_only) b->way = "offset";
            if (b->way.empty() && seen_.stride == 0 && !seen_.walks) b->way = "irregular";
        }
        const AccessSum& shared = seen_.shared;
        if (shared.passes > kSomeConflicts * shared.needed)
            name_array(ask("bank_conflicts", shared.excess,
                           {{"wavefronts_per_request", shared.per_request()}, {"needed", shared.needed_per_request()}},
                           remove_conflicts),
                       shared, Space::shared);
        const AccessSum& constants = seen_.constants;
        if (constants.passes > 1.2 * constants.requests)
            name_array(ask("constant_divergence", constants.excess,
                           {{"addresses_per_request", constants.per_request()}}, read_one_constant),
                       false);
        if (seen_.local.requests > 0)
            name_array(ask("local_array", seen_.local.excess,
                           {{"requests_per_warp", seen_.local.requests / std::max(1.0, seen_.warps)},
                            {"bytes", static_cast<double>(work_.local)}},
                           [](Altered& a) { keep_in_registers(a, false); }),
                       seen_.local, Space::local);
        if (seen_.spills.all() > 0)
            ask("spills", seen_.spills,
                {{"stores", p_.spill_stores.value_or(0)},
                 {"loads", p_.spill_loads.value_or(0)},
                 {"registers", work_.registers}},
                [](Altered& a) { keep_in_registers(a, true); });
        if (!polls_) reuse_of_data();
        atomics();
        if (!polls_) narrow();
    }

    bool of_structures() const { return seen_.stride > 0 && seen_.stride <= kStructure && !seen_.walks; }

    void reuse_of_data() {
        if (seen_.loads_of_sector < 2 && seen_.stores_of_sector < 2) return;
        const bool stores = seen_.stores_of_sector > seen_.loads_of_sector;
        Bottleneck* b = ask("no_reuse", stores ? seen_.repeated_stores : seen_.repeated_loads,
                            {{"times", stores ? seen_.stores_of_sector : seen_.loads_of_sector}}, reuse, kWholeChange);
        name_array(b, stores);
        if (b && stores) b->way = "stores";
    }

    void atomics() {
        const AccessSum& global = seen_.atomics;
        if (global.requests > 0) {
            // Lanes at the busiest word of a sector take turns; different sectors do not.
            const Evidence evidence{{"lanes_per_word", global.passes / std::max(1.0, global.needed)},
                                    {"per_word", global.passes / std::max(1.0, seen_.words_of_atomics)}};
            Bottleneck* b = ask("global_atomics", global.places, evidence, gather_global_atomics);
            // Each block adds up its own part and merges it at its end: too often where that takes more requests than
            // what it reads, and its warps wait for it.
            if (!b && of_stalls({"drain"}) > kMuchDrain && global.requests > seen_.all_requests) {
                b = ask("global_atomics", global.places, evidence, merge_less_often, kWholeChange);
                if (b) b->way = "merge";
            }
            name_atomic(b);
        }
        const AccessSum& shared = seen_.shared_atomics;
        if (shared.requests > 0)
            name_atomic(ask("shared_atomics", shared.excess, {{"wavefronts_per_request", shared.per_request()}},
                            free_shared_atomics));
    }

    void narrow() {
        const auto& c = work_.counts;
        const double all = seen_.narrow.all();
        if (all == 0 || work_.block.count() < 64) return;
        const double requests = static_cast<double>(c[Count::global_load_requests] + c[Count::global_store_requests]);
        auto seconds = seconds_if(work_, model_, seconds_, widen, enough(kWholeChange));
        // The sample has too few blocks to show a multiprocessor that is full of wider ones. Where warps wait for
        // memory, four times the bytes are under way, as long as the grid has blocks for that.
        if (of_stalls({"long_scoreboard"}) > 0.5 && 2 * all > seen_.all_requests) {
            const double waves = blocks_ / sms_ / std::max(1u, occupancy_.blocks);
            const double waited = seconds_with(std::max(1.0 / kWider, 1 / std::max(1.0, waves)));
            seconds = std::min(waited, seconds.value_or(waited));
        }
        if (seconds)
            told("narrow_access", *seconds, seen_.narrow, {{"bytes", seen_.narrow_bytes}, {"requests", requests}},
                 kWholeChange);
    }

    void arithmetic() {
        const double doubles = percent(seen_.doubles) + percent(seen_.double_conversions);
        const auto rates = model_.unit_rates();
        const double ratio = rates.fp64 > 0 ? rates.fp32 / rates.fp64 : 1;
        // Where the data are doubles, single precision is another result: told only where the device is slow at it.
        const bool mistake = seen_.double_accesses == 0;
        bool by_mistake = false;
        if (doubles > 100 * kSomeInstructions && (mistake || ratio >= kSlowDoubles)) {
            const bool by_use = seen_.doubles.all() >= seen_.double_conversions.all();
            Bottleneck* b = ask("double_precision", by_use ? seen_.doubles : seen_.double_conversions,
                                {{"percent", doubles}, {"ratio", ratio}},
                                [&](Altered& a) { compute_in_single(a, seen_.math_lines); });
            if (b && !mistake) b->way = "device";
            by_mistake = b && mistake && seen_.double_math > kOfDoubles * seen_.exact_math.all();
        }
        // Functions that are of doubles by mistake are mended with that.
        if (percent(seen_.exact_math) > 100 * kMuchMath && !by_mistake)
            if (Bottleneck* b = ask("slow_math", seen_.exact_math, {{"percent", percent(seen_.exact_math)}},
                                    [&](Altered& a) { compute_fast(a, seen_.math_lines); }))
                if (seen_.double_math > kOfDoubles * seen_.exact_math.all()) b->way = "double";
        if (percent(seen_.divisions) > 100 * kSomeInstructions)
            ask("integer_division", seen_.divisions, {{"percent", percent(seen_.divisions)}}, divide_fast);
    }

    void control() {
        if (seen_.lanes_issued < kSomeLanes * seen_.lanes_possible) {
            const auto& c = work_.counts;
            const double branches = static_cast<double>(std::max<std::uint64_t>(1, c[Count::branches]));
            Bottleneck* b = ask("divergence", seen_.lost_lanes,
                                {{"lanes", seen_.lanes_issued / seen_.issues},
                                 {"of", seen_.lanes_possible / seen_.issues},
                                 {"split_percent", 100 * static_cast<double>(c[Count::divergent_branches]) / branches}},
                                join_lanes);
            if (b) b->way = seen_.in_loops ? "loop" : seen_.mostly_idle ? "idle" : "";
            name_branch(b);
        }
        if (const double share = of_stalls({"barrier"}); share > kSomeStalls && seen_.barriers.all() > 0)
            ask("barriers", seen_.barriers,
                {{"percent", 100 * share}, {"per_warp", seen_.barriers.all() / std::max(1.0, seen_.warps)}},
                drop_barriers);
        if (const double share = of_stalls({"no_instruction"}); share > kSomeStalls) {
            const double holds = 8.0 * static_cast<double>(model_.timing.instruction_lines.value_or(1024));
            const double code = work_.trace->code->instructions;
            if (code > holds)
                ask("instruction_cache", {}, {{"instructions", code}, {"holds", holds}, {"percent", 100 * share}},
                    hold_all_code);
        }
        unequal();
    }

    /// How much of their use in the sample the units of a multiprocessor have over all of them: the sample may be one
    /// that has more than its part of the work.
    double mean_use() const {
        const auto issue = p_.peaks.find("issue");
        const double slots = model_.issue_rate() * seconds_;
        if (issue == p_.peaks.end() || !(issue->second > 0) || !(slots > 0)) return 1;
        return std::clamp(p_.machine_instructions.value_or(0) / slots / issue->second, 0.0, 1.0);
    }

    void unequal() {
        const auto& work = work_.trace->work;
        double most = 0, sum = 0;
        for (const auto& block : work) most = std::max(most, double(block.all)), sum += double(block.all);
        // A place of a multiprocessor has its part of all work, or the longest block alone where that is more.
        if (sum > 0 && work.size() > 1) {
            const double of_place = sum / (sms_ * std::max(1u, occupancy_.blocks));
            const double mean = sum / static_cast<double>(work.size());
            const double ratio = std::max(most, of_place) / std::max(mean, of_place);
            if (ratio > kUnequal)
                told("imbalance", seconds_with(1 / ratio, mean_use()), seen_.turns, {{"ratio", most / mean}},
                     kWholeChange);
        }
        if (seen_.longest_warp > kUnequalWarps && peak_ < kNear) {
            const double ratio = std::max(seen_.longest_warp, seen_.longest_lane);
            Bottleneck* b =
                told("imbalance", seconds_with(1 / ratio), seen_.alone, {{"ratio", seen_.longest_warp}}, kWholeChange);
            if (b) b->way = "warps";
            name_branch(b);
        }
    }

    /// What the time would be times if all but what one warp of a block does alone took `factor` of it: each block ends
    /// with that, however many there are.
    double beside_alone(double factor) const {
        const double shared = seen_.longest_warp > kUnequalWarps ? 1 / seen_.longest_warp : 1;
        return 1 - shared * (1 - factor);
    }

    void shape() {
        if (start_ > seconds_ / 2) return;  // a larger grid or other blocks would change little
        const double most = model_.limits.warps_per_sm, of_one = blocks_ / sms_, resident = occupancy_.blocks;
        const double threads = static_cast<double>(work_.block.count()), lanes = 32 * std::ceil(threads / 32);
        const bool by_slots =
            occupancy_.blocks == occupancy_.blocks_by_slots && occupancy_.blocks < occupancy_.blocks_by_warps;
        const double filled = by_slots && of_one > resident ? occupancy_.fraction : 1;
        if (lanes > threads || filled < 1)
            told("small_blocks", seconds_with(threads / lanes * filled, threads / lanes), {},
                 {{"threads", threads},
                  {"idle_lanes", lanes - threads},
                  {"lanes", lanes},
                  {"warps", occupancy_.warps},
                  {"most", most}});
        if (of_one < 1 || of_one < resident / 2)
            if (of_one < 1 || waiting() > 0.5)
                told("small_grid",
                     seconds_with(beside_alone(of_one < 1 ? of_one : of_one / resident), std::min(1.0, of_one)), {},
                     {{"blocks", blocks_}, {"multiprocessors", sms_}, {"possible", sms_ * resident}}, kWholeChange);
        if (!by_slots && of_one > resident && occupancy_.fraction < 0.5 && waiting() > 0.5) low_occupancy(most);
        tail(of_one, resident);
    }

    void low_occupancy(double most) {
        // The sample alone, before and after: what it would all hold at once must not be more than it has.
        const auto sample = static_cast<std::uint32_t>(work_.trace->sample.size());
        const auto now = seconds_if(work_, model_, seconds_, [&](Altered& a) { whole_waves(a, sample); });
        const auto then = seconds_if(work_, model_, seconds_, [&](Altered& a) {
            whole_waves(a, sample);
            hold_more_warps(a);
        });
        if (!now || !then || *now <= start_) return;
        Bottleneck* b = told("low_occupancy", start_ + body_ * std::min(1.0, (*then - start_) / (*now - start_)), {},
                             {{"warps", occupancy_.warps},
                              {"most", most},
                              {"waiting_percent", 100 * waiting()},
                              {"registers", work_.registers},
                              {"shared", static_cast<double>(work_.shared)}},
                             kWholeChange);
        if (!b) return;
        b->names["limiter"] = occupancy_.limiter_text();
        const auto& by = occupancy_.limiters;
        if (by.size() == 1 && by[0] == arch::Limiter::shared) b->way = "shared";
        if (by.size() == 1 && by[0] == arch::Limiter::registers) b->way = "registers";
    }

    /// Only where the whole course of a multiprocessor was simulated: of longer ones the tail is a small part.
    void tail(double of_one, double resident) {
        if (inequality(*work_.trace) > kUnequal) return;  // then the last to end are the long ones
        const auto sample = static_cast<double>(work_.trace->sample.size());
        const double whole = std::floor(of_one / std::max(1.0, resident)) * resident;
        if (whole < 1 || std::ceil(of_one) > sample || of_one - whole < 1e-9) return;
        const auto seconds =
            seconds_if(work_, model_, seconds_, [&](Altered& a) { whole_waves(a, static_cast<std::uint32_t>(whole)); });
        if (!seconds) return;
        const double last = (of_one - whole) / resident;
        told("tail", start_ + (*seconds - start_) * of_one / whole, {},
             {{"waves", of_one / resident}, {"last_percent", 100 * last}});
    }

    /// This one launch cannot save it: what can be saved of the rest comes first.
    void launch_itself() {
        if (start_ > seconds_ / 2)
            add("launch_overhead", start_ / seconds_, {}, {{"percent", 100 * start_ / seconds_}});
    }

    /// Where warps stand longest.
    std::pair<std::string, double> longest_state() const {
        std::pair<std::string, double> out{"", 0};
        for (const auto& [name, cycles] : p_.stalls)
            if (name != "selected" && cycles > out.second) out = {name, cycles};
        return out;
    }

    /// Where blocks wait for what other blocks store.
    void waits_for_blocks() {
        const double share = 1 - seconds_with(0) / seconds_;
        if (share < record::kLeastShare || !(stalls_ > 0)) return;
        const auto [state, most] = longest_state();
        Bottleneck& b = add("latency", share, {}, {{"peak_percent", 100 * peak_}, {"percent", 100 * most / stalls_}});
        b.names = {{"resource", nearest_}, {"state", state}};
        b.way = "blocks";
        record::order(out_);
    }

    /// Where warps wait for results and nothing else explains it.
    void latency() {
        const double share = 1 - seconds_with(0) / seconds_, found = out_.empty() ? 0 : out_.front().share;
        if (share < kLatency || peak_ > kNear || found > share / 4 ||
            p_.cycles.value_or(0) < kLong * model_.latency.memory)
            return;
        const auto [state, most] = longest_state();
        if (state == kBusyPipe) return;
        Bottleneck& b = add("latency", share, {}, {{"peak_percent", 100 * peak_}, {"percent", 100 * most / stalls_}});
        b.names = {{"resource", nearest_}, {"state", state}};
        b.way = state == "long_scoreboard" ? "memory" : state == "wait" || state == "short_scoreboard" ? "chain" : "";
        record::order(out_);
    }

    void near_the_limit() {
        Bottleneck& b = add(record::kNearTheLimit, 0, {},
                            {{"peak_percent", 100 * peak_},
                             {"least_percent", 100 * record::kLeastShare},
                             {"percent", 100 * start_ / seconds_}});
        b.names["resource"] = nearest_;
        b.way = start_ > kMuchStart * seconds_ ? "launch" : nearest_;
        const auto [state, most] = longest_state();
        if (b.way == "launch" || state != kBusyPipe || peak_ > kNear) return;
        b.way = "pipe", b.evidence["percent"] = 100 * most / stalls_;
    }

    /// The state of a warp whose pipe is in use. Issue slots of doubles beside those of exact functions, from which on
    /// these are functions of doubles; bytes that neighbouring lanes may be apart within an array of structures; blocks
    /// as unequal as to matter; how much faster floats must be; a peak that is near; requests that only look again; a
    /// start that is much of a launch; latencies of memory in a launch from which on more than its begin and end count;
    /// warps that wait for their stores and atomics to end.
    static constexpr std::string_view kBusyPipe = "math_pipe_throttle";
    static constexpr double kOfDoubles = 0.25, kStructure = 256, kUnequal = 1.3, kSlowDoubles = 16, kNear = 0.6,
                            kPolls = 0.5, kMuchStart = 0.35, kLong = 12, kEnds = 5, kMuchDrain = 0.3;

    enum class Space : std::uint8_t { global, shared, local };

    /// The arrays of that space that the line's text has there: one, or a few of which one is meant.
    void name_array(Bottleneck* b, bool stored, Space space = Space::global) const {
        if (!b || b->line == 0 || !source_) return;
        const auto line = source_(b->file, b->line);
        if (!line) return;
        constexpr std::size_t kFew = 2;
        std::vector<std::string> names = arrays_on_line(*line, stored);
        const std::set<std::string> shared = shared_names(b->file, b->line);
        if (space == Space::shared && !shared.empty())
            std::erase_if(names, [&](const auto& name) { return !shared.contains(name); });
        if (space != Space::shared) std::erase_if(names, [&](const auto& name) { return shared.contains(name); });
        if (names.size() > kFew) return;
        for (const std::string& name : names) b->variable += (b->variable.empty() ? "" : ", ") + name;
    }
    void name_array(Bottleneck* b, const AccessSum& of, Space space) const {
        name_array(b, 2 * of.stored.all() > of.excess.all(), space);
    }
    void name_atomic(Bottleneck* b) const {
        if (const auto line = b && b->line != 0 && source_ ? source_(b->file, b->line) : std::nullopt)
            b->variable = array_of_atomic(*line);
    }
    void name_branch(Bottleneck* b) const {
        if (const auto line = b && b->line != 0 && source_ ? source_(b->file, b->line) : std::nullopt)
            b->variable = branch_on_line(*line);
    }
    /// What the file declares in shared memory up to the line.
    std::set<std::string> shared_names(const std::string& file, unsigned line) const {
        std::set<std::string> out;
        for (unsigned k = 1; k <= line; ++k)
            if (const auto text = source_(file, k)) add_shared_names(*text, out);
        return out;
    }

    const SourceLine& source_;
    const Work& work_;
    const arch::DeviceModel& model_;
    const record::Predicted& p_;
    LaunchSurvey seen_;
    bool polls_ = false;  ///< most requests ask again for what other blocks write
    arch::Occupancy occupancy_;
    double start_, seconds_, body_, stalls_ = 0, peak_ = 0, blocks_ = 1, sms_ = 1;
    std::string nearest_;
    std::vector<Bottleneck> out_;
};

}  // namespace

std::vector<Bottleneck> causes_of(const Work& work, const arch::DeviceModel& model, const record::Predicted& predicted,
                                  const SourceLine& source) {
    if (!work.trace || !work.trace->code || work.trace->sample.empty() || !(predicted.seconds > 0)) return {};
    return Causes(work, model, predicted, source).decide();
}

std::vector<Bottleneck> causes_of_shape(const record::Extent& grid, const record::Extent& block,
                                        const record::OccupancyRecord& o) {
    constexpr double kFewWarps = 0.25, kFewBlocks = 0.5;
    std::vector<Bottleneck> out;
    const auto add = [&](const char* cause, std::map<std::string, double> evidence) -> Bottleneck& {
        Bottleneck& b = out.emplace_back();
        b.cause = cause, b.evidence = std::move(evidence);
        return b;
    };
    const auto threads = static_cast<double>(block.count()), lanes = 32 * std::ceil(threads / 32);
    const double most = o.fraction > 0 ? std::round(o.warps / o.fraction) : 0;
    if (lanes > threads)
        add("small_blocks", {{"threads", threads},
                             {"idle_lanes", lanes - threads},
                             {"lanes", lanes},
                             {"warps", o.warps},
                             {"most", most}});
    if (o.waves > 0 && o.waves < kFewBlocks && o.blocks > 0) {
        const auto blocks = static_cast<double>(grid.count()), possible = std::round(blocks / o.waves);
        add("small_grid", {{"blocks", blocks}, {"multiprocessors", possible / o.blocks}, {"possible", possible}});
    } else if (o.fraction > 0 && o.fraction < kFewWarps) {
        Bottleneck& b = add("low_occupancy", {{"warps", o.warps}, {"most", most}});
        b.names["limiter"] = o.limiter, b.way = "shape";
    }
    return out;
}

}  // namespace warpwright::predict
