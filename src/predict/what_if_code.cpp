// Operations are altered as they stand in the code: given to another unit, made shorter, or left out. And the lanes of
// divergent code are joined, which changes which blocks of code a warp runs.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>

#include "predict/what_if.hpp"

namespace warpwright::predict {

using machine::BlockTrace;
using machine::Effect;
using machine::Event;
using machine::Op;
using machine::Pipe;
using machine::WarpTrace;

namespace {

/// Operations of a line in one block, from which on they are more than what stands around a call.
constexpr unsigned kOfFunction = 6;

/// Calls `f` with the operations of each block of code, of each unrolled loop and of each region.
template <class F>
void each_body(machine::Code& code, F&& f) {
    for (auto& block : code.blocks) f(block.ops);
    for (auto& unrolled : code.unrolled) f(unrolled.body.ops);
    for (auto& region : code.regions) f(region.body.ops);
}

template <class F>
void each_op(machine::Code& code, F&& f) {
    each_body(code, [&](std::vector<Op>& ops) { std::for_each(ops.begin(), ops.end(), f); });
}

/// A few instructions, of which `special` go to the special functions.
void shorten(Op& op, unsigned issues, unsigned special) {
    op.issues = static_cast<std::uint8_t>(std::min<unsigned>(op.issues, issues));
    op.special = static_cast<std::uint8_t>(special);
    op.chain = static_cast<std::uint16_t>(4 * op.issues);
    op.work = 1;
}

}  // namespace

bool is_double(const Op& op) { return op.pipe == Pipe::fp64; }

bool converts_double(const Op& op) {
    if (!op.ptx || op.pipe != Pipe::convert) return false;
    return op.ptx->type(0) == simt::Type::f64 || op.ptx->type(1) == simt::Type::f64;
}

bool is_integer_division(const Op& op) {
    if (!op.ptx || op.issues < 8) return false;
    const auto cost = simt::facts(op.ptx->op).cost;
    return cost == simt::Cost::divide && !simt::is_float(op.ptx->type());
}

bool is_exact_division(const Op& op) {
    if (!op.ptx || op.issues < 8 || !simt::is_float(op.ptx->type()) || op.ptx->type() == simt::Type::f64) return false;
    const auto cost = simt::facts(op.ptx->op).cost;
    return cost == simt::Cost::divide || cost == simt::Cost::reciprocal || cost == simt::Cost::root;
}

namespace {

bool computes_for_function(const Op& op) {
    if (!op.ptx || op.effect != Effect::none || op.space == simt::Space::constant || op.of_thread) return false;
    if (op.pipe == Pipe::branch || op.pipe == Pipe::memory || op.pipe == Pipe::exchange || op.pipe == Pipe::fp64)
        return false;
    return !is_exact_division(op);
}

/// Whether its line, or that of the call, is one of these; nothing where it has no line.
std::optional<bool> stands_on(const Op& op, const MathLines& lines) {
    if (!op.ptx) return std::nullopt;
    const auto &at = op.ptx->source, &call = op.ptx->inlined_at;
    if (at.line == 0 && call.line == 0) return std::nullopt;
    return lines.contains({at.file, at.line}) || lines.contains({call.file, call.line});
}

/// Which operations stand on such lines, whatever they do.
std::vector<bool> on_math_lines(const std::vector<Op>& ops, const MathLines& lines) {
    std::vector<bool> out(ops.size());
    if (lines.empty()) return out;
    std::optional<bool> now;
    for (std::size_t k = 0; k < ops.size() && !now; ++k) now = stands_on(ops[k], lines);
    bool on = now.value_or(true);
    for (std::size_t k = 0; k < ops.size(); ++k) out[k] = on = stands_on(ops[k], lines).value_or(on);
    return out;
}

}  // namespace

std::vector<bool> of_math_lines(const std::vector<Op>& ops, const MathLines& lines) {
    std::vector<bool> out = on_math_lines(ops, lines);
    for (std::size_t k = 0; k < ops.size(); ++k) out[k] = out[k] && computes_for_function(ops[k]);
    return out;
}

namespace {

/// Of a function in single precision a third of the operations that it takes in double precision: exp 12 of 30, log 17
/// of 50, sin 25 of 75, pow 60 of 170.
constexpr unsigned kOfSingle = 3;
/// A division or a root in single precision.
constexpr unsigned kSingleDivision = 8;

/// Whether functions of doubles are what the block computes on these lines.
bool has_doubles(const std::vector<Op>& ops) { return std::any_of(ops.begin(), ops.end(), is_double); }

}  // namespace

void compute_in_single(Altered& a, const MathLines& lines) {
    each_body(a.code, [&](std::vector<Op>& ops) {
        if (has_doubles(ops)) {
            unsigned met = 0;
            const auto of_function = on_math_lines(ops, lines);
            const auto computes = [](const Op& op) { return is_double(op) || computes_for_function(op); };
            std::erase_if(ops, [&](const Op& op) {
                return of_function[static_cast<std::size_t>(&op - ops.data())] && computes(op) &&
                       met++ % kOfSingle != 0;
            });
        }
        std::erase_if(ops, converts_double);
        for (Op& op : ops) {
            if (!is_double(op)) continue;
            if (op.issues > kSingleDivision) shorten(op, kSingleDivision, 1);
            op.pipe = Pipe::fp32;
        }
    });
}

bool is_local_array(const Event& e, const Op& op) {
    return (e.what & Event::kLocal) && op.spill < 0 && (op.effect == Effect::load || op.effect == Effect::store);
}

void keep_in_registers(Altered& a, bool spills) {
    std::unordered_set<const simt::Details*> local;
    if (!spills)
        each_access(a.trace, AccessSites(a.code), [&](BlockTrace&, std::size_t, Event& e, const Op& op) {
            if (is_local_array(e, op)) local.insert(op.ptx);
        });
    if (!spills) return drop_accesses(a, [&](const Op& op) { return local.contains(op.ptx); });
    each_body(a.code, [](std::vector<Op>& ops) { std::erase_if(ops, [](const Op& op) { return op.spill >= 0; }); });
}

namespace {

/// Makes exact divisions and functions fast ones, as the assembler writes these: a step before and after the special
/// unit, and more around it where denormals are not flushed.
class FastMath {
public:
    explicit FastMath(const MathLines& lines) : lines_(lines) {}

    /// To be told of all bodies before the first is mended: how often each line stands there, as loops are unrolled.
    void see(const std::vector<Op>& ops) {
        std::map<Line, std::map<int, unsigned>> kinds;
        const auto of_function = of_math_lines(ops, lines_);
        for (std::size_t k = 0; k < ops.size(); ++k)
            if (const auto line = of_function[k] ? line_of(ops[k]) : lines_.end(); line != lines_.end())
                ++kinds[line->first][static_cast<int>(ops[k].ptx->op)], ++operations_[line->first];
        for (const auto& [line, counts] : kinds) {
            // Most kinds of operations are more than once in a function, but some are not.
            std::vector<unsigned> times;
            for (const auto& [kind, count] : counts) times.push_back(count);
            std::sort(times.begin(), times.end());
            unsigned& copies = copies_[line];
            copies = std::max(copies, times[times.size() / 4]);
        }
    }

    void mend(std::vector<Op>& ops) {
        flush_ = std::all_of(ops.begin(), ops.end(), [](const Op& op) {
            return !op.ptx || !simt::is_float(op.ptx->type()) || op.ptx->arithmetic.flush;
        });
        for (Op& op : ops)
            if (is_exact_division(op)) as_fast(op);
        const auto of_function = of_math_lines(ops, lines_);
        const auto of_line = [&](const Op& op) {
            return of_function[static_cast<std::size_t>(&op - ops.data())] && is_exact(op);
        };
        if (static_cast<unsigned>(std::count_if(ops.begin(), ops.end(), of_line)) < kOfFunction) return;
        // Of the functions that a line calls one operation each stands for the fast ones.
        std::set<const Op*> kept;
        for (auto op = ops.rbegin(); op != ops.rend(); ++op)
            if (of_line(*op) && is_left(*op)) as_fast(*op), kept.insert(&*op);
        std::erase_if(ops, [&](const Op& op) { return !kept.contains(&op) && of_line(op); });
    }

private:
    using Line = MathLines::key_type;

    MathLines::const_iterator line_of(const Op& op) const {
        const auto &at = op.ptx->source, &call = op.ptx->inlined_at;
        const auto own = lines_.find({at.file, at.line});
        return own != lines_.end() ? own : lines_.find({call.file, call.line});
    }
    /// A line of a template may have fast functions beside exact ones: what was compiled from it is too short for
    /// those.
    bool is_exact(const Op& op) {
        const auto line = line_of(op);
        return line == lines_.end() ||
               operations_[line->first] >= kOfFunction * line->second * std::max(1u, copies_[line->first]);
    }
    bool is_left(const Op& op) {
        const auto line = line_of(op);
        return line != lines_.end() && written_[line->first]++ < line->second * copies_[line->first];
    }
    void as_fast(Op& op) const {
        constexpr unsigned kFlushed = 2, kScaled = 6, kChain = 30;
        op.pipe = Pipe::fp32, op.special = 1, op.work = 1, op.chain = kChain;
        op.issues = static_cast<std::uint8_t>(flush_ ? kFlushed : kScaled);
    }

    const MathLines& lines_;
    bool flush_ = true;
    /// By line: how often it stands there; fast operations that do now; operations of the functions in all bodies.
    std::map<Line, unsigned> copies_, written_, operations_;
};

}  // namespace

void compute_fast(Altered& a, const MathLines& lines) {
    // A function is several blocks of code; the fast one stands in that which runs most.
    std::vector<std::uint64_t> runs(a.code.blocks.size());
    for (const auto& block : a.trace.sample)
        for (const auto& warp : block.warps)
            for (const Event& e : warp.events)
                if (!(e.what & Event::kAccess) && e.what < runs.size()) ++runs[e.what];
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return runs[x] > runs[y]; });
    FastMath of_blocks(lines);
    for (const auto& block : a.code.blocks) of_blocks.see(block.ops);
    for (const std::size_t at : order) of_blocks.mend(a.code.blocks[at].ops);
    const auto alone = [&](std::vector<Op>& ops) {
        FastMath of_body(lines);
        of_body.see(ops), of_body.mend(ops);
    };
    for (auto& unrolled : a.code.unrolled) alone(unrolled.body.ops);
    for (auto& region : a.code.regions) alone(region.body.ops);
}

void divide_fast(Altered& a) {
    each_op(a.code, [](Op& op) {
        if (is_integer_division(op)) shorten(op, 2, 0);
    });
}

void drop_accesses(Altered& a, const std::function<bool(const Op&)>& which) {
    each_body(a.code, [&](std::vector<Op>& ops) {
        std::erase_if(ops, [&](const Op& op) { return op.access >= 0 && op.spill < 0 && op.ptx && which(op); });
    });
}

void drop_barriers(Altered& a) {
    each_op(a.code, [](Op& op) {
        if (op.effect == Effect::barrier && !op.waits_phase) op.effect = Effect::none;
    });
}

void hold_more_warps(Altered& a) {
    constexpr std::uint32_t kFewRegisters = 32;  // of which all warps find room
    a.work.registers = std::min(a.work.registers, kFewRegisters);
    a.work.shared = 0;
}

void hold_all_code(Altered& a) {
    a.model.timing.instruction_lines = std::size_t{1} << 20;
    a.other_device = true;
}

namespace {

/// Of a block of code, what ran for a part of the lanes and is not issued yet.
struct Part {
    unsigned lanes = 0;
    std::uint32_t what = 0;
    struct Access {
        Event event;
        std::vector<std::uint32_t> sectors;
    };
    std::vector<Access> accesses;
    std::size_t last = 0;  ///< the warp that goes on with it
};

class LaneJoiner {
public:
    LaneJoiner(const machine::Code& code, BlockTrace& block)
        : block_(block),
          whole_(code.blocks.size()),
          predicated_(code.blocks.size()),
          slots_(code.blocks.size()),
          load_(block.warps.size()) {
        // What waits for others stays where it is.
        for (std::size_t b = 0; b < code.blocks.size(); ++b) {
            slots_[b] = code.blocks[b].slots, predicated_[b] = code.blocks[b].predicated;
            for (const Op& op : code.blocks[b].ops)
                if (op.effect != Effect::none && op.effect != Effect::load && op.effect != Effect::store &&
                    op.effect != Effect::atomic)
                    whole_[b] = true;
        }
    }

    void run() {
        out_.resize(block_.warps.size());
        for (std::size_t w = 0; w < block_.warps.size(); ++w) {
            out_[w].cut = block_.warps[w].cut;
            warp(block_.warps[w].events, w);
        }
        for (auto& [what, part] : parts_)
            if (part.lanes > 0) emit(part, part.lanes, part.last);
        block_.warps = std::move(out_);
    }

private:
    void warp(const std::vector<Event>& events, std::size_t w) {
        place_of_.clear(), lanes_ = 0;
        const unsigned full = events.empty() ? 32 : std::max(1u, events.front().lanes);
        unsigned lanes = full;  ///< of the code around what runs under a predicate, which is issued whoever takes it
        for (std::size_t at = 0; at < events.size();) {
            std::size_t next = at + 1;
            while (next < events.size() && (events[next].what & Event::kAccess)) ++next;
            const Event& e = events[at];
            if (e.what >= predicated_.size() || !predicated_[e.what]) lanes = e.lanes;
            const bool kept = lanes >= full || (e.what < whole_.size() && whole_[e.what]) ||
                              std::any_of(events.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                          events.begin() + static_cast<std::ptrdiff_t>(next),
                                          [](const Event& x) { return x.what & Event::kAsync; });
            if (kept) {
                auto& out = out_[w].events;
                out.insert(out.end(), events.begin() + static_cast<std::ptrdiff_t>(at),
                           events.begin() + static_cast<std::ptrdiff_t>(next));
                load_[w] += slots_of(e.what), lanes_ = 0;
            } else {
                take(events, at, next, lanes, full, w);
            }
            at = next;
        }
    }

    double slots_of(std::uint32_t what) const { return what < slots_.size() ? slots_[what] : 0; }

    /// The warp that a part of the lanes goes on in. What follows each other stays together; another side of a branch
    /// goes to the warp that has least to do of those that have come here.
    std::size_t place(std::uint32_t what, unsigned lanes, std::size_t w) {
        const auto known = place_of_.find(what);
        if (known != place_of_.end()) {
            lanes_ = lanes;
            return here_ = known->second;
        }
        if (lanes != lanes_)
            here_ = static_cast<std::size_t>(
                std::min_element(load_.begin(), load_.begin() + static_cast<std::ptrdiff_t>(w) + 1) - load_.begin());
        lanes_ = lanes;
        return place_of_[what] = here_;
    }

    void take(const std::vector<Event>& events, std::size_t at, std::size_t next, unsigned lanes, unsigned full,
              std::size_t w) {
        Part& part = parts_[events[at].what];
        part.what = events[at].what, part.last = place(part.what, lanes, w);
        part.lanes += lanes;
        part.accesses.resize(std::max(part.accesses.size(), next - at - 1));
        for (std::size_t k = at + 1; k < next; ++k) add(part.accesses[k - at - 1], events[k]);
        if (part.lanes < full) return;
        const unsigned left = part.lanes - full;
        emit(part, full, part.last);
        part.lanes = left;
    }

    void add(Part::Access& access, const Event& e) {
        const bool fresh = access.event.what == 0;
        const bool listed = e.count > 0;
        const unsigned passes = fresh ? e.passes : std::max(access.event.passes, e.passes);
        const unsigned lanes = std::min(32u, (fresh ? 0 : access.event.lanes) + e.lanes);
        if (fresh || !listed) access.event = e;
        access.event.lanes = lanes, access.event.passes = static_cast<std::uint16_t>(passes);
        if (listed)
            access.sectors.insert(access.sectors.end(), block_.sectors.begin() + e.first,
                                  block_.sectors.begin() + e.first + e.count);
    }

    void emit(Part& part, unsigned lanes, std::size_t w) {
        WarpTrace& out = out_[w];
        load_[w] += slots_of(part.what);
        Event head;
        head.what = part.what, head.lanes = std::min(32u, lanes);
        out.events.push_back(head);
        for (Part::Access& access : part.accesses) {
            if (access.event.what == 0) access.event.what = Event::kAccess;
            if (!access.sectors.empty()) {
                auto& s = access.sectors;
                std::sort(s.begin(), s.end());
                if (!(access.event.what & Event::kAtomic)) s.erase(std::unique(s.begin(), s.end()), s.end());
                s.resize(std::min<std::size_t>(s.size(), 0xffff));
                access.event.first = static_cast<std::uint32_t>(block_.sectors.size());
                access.event.count = static_cast<std::uint16_t>(s.size());
                block_.sectors.insert(block_.sectors.end(), s.begin(), s.end());
            }
            out.events.push_back(access.event);
        }
        part.accesses.clear();
        part.lanes = 0;
    }

    BlockTrace& block_;
    std::vector<bool> whole_, predicated_;
    std::vector<double> slots_, load_;  ///< issue slots of each block of code; of what each warp has now
    std::vector<WarpTrace> out_;
    std::map<std::uint32_t, Part> parts_;
    std::map<std::uint32_t, std::size_t> place_of_;  ///< of the warp that is read: where its blocks of code go on
    unsigned lanes_ = 0;                             ///< of its last part
    std::size_t here_ = 0;                           ///< where that went
};

/// Whether warps ran the same blocks of code with the same kinds of accesses.
bool same_course(const WarpTrace& a, const WarpTrace& b) {
    constexpr std::uint32_t kKinds = 0xf8000000u;
    return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                      [](const Event& x, const Event& y) {
                          const bool access = x.what & Event::kAccess;
                          return access ? (x.what & kKinds) == (y.what & kKinds) : x.what == y.what;
                      });
}

/// The accesses of the second warp become part of those of the first.
void join_warp(BlockTrace& block, WarpTrace& to, const WarpTrace& from) {
    for (std::size_t k = 0; k < to.events.size(); ++k) {
        Event& e = to.events[k];
        const Event& more = from.events[k];
        if (!(e.what & Event::kAccess) || (e.what & (Event::kConstant | Event::kAsync))) continue;
        if (e.count == 0) e.passes = static_cast<std::uint16_t>(e.passes + more.passes);  // in shared memory: of each
        if (more.count == 0) continue;
        std::vector<std::uint32_t> all(block.sectors.begin() + e.first, block.sectors.begin() + e.first + e.count);
        all.insert(all.end(), block.sectors.begin() + more.first, block.sectors.begin() + more.first + more.count);
        std::sort(all.begin(), all.end());
        if (!(e.what & Event::kAtomic)) all.erase(std::unique(all.begin(), all.end()), all.end());
        e.first = static_cast<std::uint32_t>(block.sectors.size());
        e.count = static_cast<std::uint16_t>(all.size());
        e.passes = static_cast<std::uint16_t>(std::max<std::size_t>(1, (all.size() + 3) / 4));
        block.sectors.insert(block.sectors.end(), all.begin(), all.end());
    }
}

}  // namespace

void join_lanes(Altered& a) {
    for (BlockTrace& block : a.trace.sample) LaneJoiner(a.code, block).run();
    a.trace.work.clear();
    a.work.counts[record::Count::instructions] = 0;  // the sample counts by its blocks
}

namespace {

/// As much of the block's work in a quarter of its warps: each does what `times` neighbours did.
std::vector<WarpTrace> widened(BlockTrace& block, std::size_t times) {
    std::vector<WarpTrace> out;
    for (std::size_t w = 0; w < block.warps.size(); w += times) {
        const std::size_t first = out.size();
        out.push_back(block.warps[w]);
        for (std::size_t k = w + 1; k < std::min(w + times, block.warps.size()); ++k)
            if (same_course(block.warps[w], block.warps[k]))
                join_warp(block, out[first], block.warps[k]);
            else
                out.push_back(block.warps[k]);
    }
    return out;
}

/// The warps of another block behind the block's own.
void append(BlockTrace& to, const BlockTrace& from, std::vector<WarpTrace> warps) {
    const auto at = static_cast<std::uint32_t>(to.sectors.size());
    to.sectors.insert(to.sectors.end(), from.sectors.begin(), from.sectors.end());
    for (WarpTrace& warp : warps) {
        for (Event& e : warp.events)
            if ((e.what & Event::kAccess) && (e.count > 0 || (e.what & Event::kAsync))) e.first += at;
        to.warps.push_back(std::move(warp));
    }
}

/// By value: whether it depends on data that was loaded. Indices, bounds and counters of loops do not.
std::vector<bool> values_of_data(const machine::Code& code) {
    std::vector<bool> data(code.values);
    const auto any = [&](const auto& in) {
        return std::any_of(in.begin(), in.end(), [&](std::uint32_t v) { return v < data.size() && data[v]; });
    };
    bool more = true;
    const auto mark = [&](std::uint32_t v) {
        if (v < data.size() && !data[v]) data[v] = more = true;
    };
    const auto of_body = [&](const machine::Block& body) {
        for (const Op& op : body.ops)
            if (op.effect == Effect::load || op.effect == Effect::atomic || any(op.in))
                std::for_each(op.out.begin(), op.out.end(), mark);
        for (const auto& phi : body.phis)
            if (std::any_of(phi.in.begin(), phi.in.end(), [&](const auto& in) { return data[in.second]; }))
                mark(phi.out);
    };
    while (more) {
        more = false;
        for (const auto& block : code.blocks) of_body(block);
        for (const auto& unrolled : code.unrolled) of_body(unrolled.body);
        for (const auto& region : code.regions) {
            of_body(region.body);
            for (const auto& join : region.joins)
                if (any(join.in)) mark(join.out);
        }
    }
    return data;
}

}  // namespace

void widen(Altered& a) {
    constexpr std::size_t kTimes = kWider;
    const std::size_t warps = a.trace.sample.empty() ? 0 : a.trace.sample[0].warps.size();
    std::vector<BlockTrace> blocks;
    for (std::size_t b = 0; b < a.trace.sample.size(); ++b) {
        BlockTrace& block = a.trace.sample[b];
        std::vector<WarpTrace> own = widened(block, kTimes);
        // Blocks are as large as before, so that there are fewer of them.
        if (b % kTimes == 0) blocks.emplace_back().index = block.index;
        append(blocks.back(), block, std::move(own));
    }
    // Blocks must have as many warps as each other.
    for (BlockTrace& block : blocks) block.warps.resize(std::max(warps, blocks[0].warps.size()));
    a.trace.sample = std::move(blocks);
    // What is done with each element is still done for each; wider are only accesses of global memory.
    const std::vector<bool> data = values_of_data(a.code);
    each_op(a.code, [&](Op& op) {
        const bool access = op.access >= 0;
        const bool shared = access && op.ptx && op.space == simt::Space::shared;
        const bool of_data =
            std::any_of(op.in.begin(), op.in.end(), [&](std::uint32_t v) { return v < data.size() && data[v]; });
        if (shared || op.effect == Effect::atomic || (!access && of_data))
            op.issues = static_cast<std::uint8_t>(std::min<unsigned>(255, op.issues * kTimes));
    });
    const std::uint64_t blocks_left = std::max<std::uint64_t>(1, a.work.grid.count() / kTimes);
    a.work.grid = {static_cast<std::uint32_t>(blocks_left), 1, 1};
    a.trace.blocks = blocks_left;
    a.trace.work.clear();
    a.work.counts[record::Count::instructions] = 0;
}

void hoist_loads(Altered& a) {
    each_body(a.code, [](std::vector<Op>& ops) {
        for (std::size_t k = 1; k < ops.size(); ++k) {
            if (ops[k].effect != Effect::load || ops[k].spill >= 0) continue;
            std::size_t to = k;
            const auto needs = [&](const Op& before) {
                const bool waits = before.effect != Effect::none && before.effect != Effect::load;
                return waits || before.splits || before.part != ops[k].part ||
                       std::any_of(before.out.begin(), before.out.end(), [&](auto v) {
                           return std::find(ops[k].in.begin(), ops[k].in.end(), v) != ops[k].in.end();
                       });
            };
            while (to > 0 && !needs(ops[to - 1])) --to;
            std::rotate(ops.begin() + static_cast<std::ptrdiff_t>(to), ops.begin() + static_cast<std::ptrdiff_t>(k),
                        ops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        }
    });
}

}  // namespace warpwright::predict
