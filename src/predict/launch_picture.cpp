// Accesses follow their block of code in the trace, numbered as Op::access has them. The rest is the simulation's log.
#include "predict/launch_picture.hpp"

#include <algorithm>
#include <map>

#include "predict/warp_timeline.hpp"

namespace warpwright::predict {
namespace {

using machine::Event;
using record::AccessPicture;
using record::LaunchPicture;

/// A longer trace takes seconds to simulate, and this many events show each instruction that there is.
constexpr std::uint64_t kMostSimulated = 2'000'000, kMostSeen = 200'000;
constexpr double kCycles = 3000;
constexpr std::size_t kMostIntervals = 8000, kMostInstructions = 4000;

/// Number of a sector's line of 128 bytes, in sectors.
constexpr std::uint32_t kPerLine = 4;
constexpr std::int64_t kSector = 32;  ///< bytes
static_assert(machine::LaneAccess::kNone == AccessPicture::kNotActive);

class Accesses {
public:
    explicit Accesses(const machine::LaunchTrace& trace) : trace_(trace), code_(*trace.code) {
        for (const machine::Block& block : code_.blocks) {
            auto& ops = ops_.emplace_back();
            for (const machine::Op& op : block.ops)
                if (op.access >= 0) {
                    ops.resize(std::max<std::size_t>(ops.size(), static_cast<std::size_t>(op.access) + 1));
                    ops[static_cast<std::size_t>(op.access)] = &op;
                }
        }
    }

    std::vector<AccessPicture> pictures() {
        for (const auto& block : trace_.sample)
            for (std::size_t b = 0; b < std::min(block.examples.size(), ops_.size()); ++b)
                for (std::size_t k = 0; k < std::min(block.examples[b].size(), ops_[b].size()); ++k)
                    if (const auto& one = block.examples[b][k]; one.event.lanes && is_pictured(one.event, ops_[b][k]))
                        take(block, one.event, *ops_[b][k], one.at);
        std::uint64_t seen = 0;
        for (const auto& block : trace_.sample)
            for (const auto& warp : block.warps) {
                if (seen > kMostSeen) break;
                seen += warp.events.size();
                look(block, warp);
            }
        std::vector<AccessPicture> out;
        for (auto& [at, picture] : found_) out.push_back(std::move(picture));
        return out;
    }

private:
    void look(const machine::BlockTrace& block, const machine::WarpTrace& warp) {
        const std::vector<const machine::Op*>* ops = nullptr;
        std::size_t number = 0;
        for (const Event& e : warp.events) {
            if (!(e.what & Event::kAccess)) {
                ops = e.what < ops_.size() ? &ops_[e.what] : nullptr, number = 0;
                continue;
            }
            const machine::Op* op = ops && number < ops->size() ? (*ops)[number] : nullptr;
            ++number;
            if (is_pictured(e, op)) take(block, e, *op, {});
        }
    }

    static bool is_pictured(const Event& e, const machine::Op* op) {
        return op && op->ptx && !(e.what & (Event::kConstant | Event::kAsync));
    }

    void take(const machine::BlockTrace& block, const Event& e, const machine::Op& op,
              const std::vector<std::int64_t>& at) {
        AccessPicture& p = found_[{op.ptx->line, op.ptx->column}];
        if (p.lanes >= e.lanes) return;
        p = {};
        if (op.ptx->source.line != 0 && op.ptx->source.file < code_.files.size())
            p.file = code_.files[op.ptx->source.file], p.line = op.ptx->source.line;
        p.ptx_line = op.ptx->line, p.instruction = op.ptx->spelling();
        p.space = e.count == 0 ? "shared" : (e.what & Event::kLocal) != 0 ? "local" : "global";
        p.lanes = e.lanes, p.bytes = op.bytes;
        if (e.count == 0) {
            p.wavefronts = e.passes;
            p.at = at;
            return;
        }
        p.sectors.assign(block.sectors.begin() + e.first, block.sectors.begin() + e.first + e.count);
        std::sort(p.sectors.begin(), p.sectors.end());
        p.sectors.erase(std::unique(p.sectors.begin(), p.sectors.end()), p.sectors.end());
        const std::uint32_t first = p.sectors.front() / kPerLine * kPerLine;
        for (auto& s : p.sectors) s -= first;
        p.at = at;
        for (auto& lane : p.at)
            if (lane != machine::LaneAccess::kNone) lane -= std::int64_t{first} * kSector;
    }

    const machine::LaunchTrace& trace_;
    const machine::Code& code_;
    std::vector<std::vector<const machine::Op*>> ops_;                        ///< by block and number
    std::map<std::pair<std::uint32_t, std::uint32_t>, AccessPicture> found_;  ///< by place in the PTX
};

/// Lines of a text by number, from 1, without the blanks around them.
std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> out{{}};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        const auto from = std::min(line.find_first_not_of(" \t"), line.size());
        line.remove_prefix(from);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
            line.remove_suffix(1);
        out.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

void add_instructions(LaunchPicture& out, const record::WarpTimeline& t, std::string_view ptx) {
    const auto lines = lines_of(ptx);
    double all = 0;
    for (const auto& i : t.instructions)
        for (const double c : i.cycles) all += c;
    for (const auto& i : t.instructions) {
        if (i.ptx_line == 0 || out.ptx.size() == kMostInstructions) continue;
        record::PtxInstruction p{i.ptx_line, i.text, i.file, i.line, 0, ""};
        if (i.ptx_line < lines.size() && !lines[i.ptx_line].empty()) p.text = lines[i.ptx_line];
        double most = 0, sum = 0;
        for (std::size_t k = 0; k < i.cycles.size(); ++k) {
            sum += i.cycles[k];
            if (i.cycles[k] > most) most = i.cycles[k], p.state = t.states[k].name;
        }
        p.share = all > 0 ? sum / all : 0;
        out.ptx.push_back(std::move(p));
    }
}

void add_course(LaunchPicture& out, const record::WarpTimeline& t) {
    auto intervals = t.intervals;
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
    record::WarpCourse& w = out.warps;
    w.cycles = t.cycles, w.shown = t.shown, w.schedulers = t.schedulers;
    for (const auto& s : t.states) w.states.push_back(s.name);
    if (intervals.size() > kMostIntervals) {
        w.shown = intervals[kMostIntervals].begin;
        intervals.resize(kMostIntervals);
    }
    const auto whole = [](double cycles) { return static_cast<std::uint32_t>(std::max(0.0, cycles)); };
    for (const auto& i : intervals) {
        const std::uint32_t begin = whole(i.begin), end = whole(std::min(i.end, w.shown));
        if (end <= begin) continue;
        w.intervals.insert(w.intervals.end(), {t.warps[i.warp].slot, i.state, begin, end - begin});
    }
}

}  // namespace

Result<LaunchPicture> launch_picture(const std::string& kernel, const Work& work, const arch::DeviceModel& model,
                                     std::string_view ptx) {
    if (!work.trace || !work.trace->code) return Error{ErrorKind::limit, "the launch kept no trace", {}, ""};
    std::uint64_t events = 0;
    for (const auto& block : work.trace->sample) events += block.events;
    if (events > kMostSimulated) return Error{ErrorKind::limit, "the launch is too long for a picture", {}, ""};
    auto timeline = warp_timeline(kernel, work, model, kCycles);
    if (!timeline) return std::move(timeline).error();
    LaunchPicture out;
    out.accesses = Accesses(*work.trace).pictures();
    add_instructions(out, *timeline, ptx);
    add_course(out, *timeline);
    return out;
}

}  // namespace warpwright::predict
