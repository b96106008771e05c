// The room's passes are called here in their order: translation, joining, loads, constants, unrolling, scheduling,
// regions. A value of what becomes no instruction stands for the values that this reads, so that its readers wait for
// these.
#include "machine/view.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "machine/constants.hpp"
#include "machine/fold.hpp"
#include "machine/regions.hpp"
#include "machine/room.hpp"
#include "machine/schedule.hpp"
#include "machine/translate.hpp"
#include "machine/unroll.hpp"
#include "machine/vectors.hpp"

namespace warpwright::machine {

namespace {

using simt::InstKind;
using TK = simt::Terminator::Kind;

/// Blocks of at most so many issue slots are run under a predicate instead of being branched around.
constexpr unsigned kPredicated = 7;

/// What each value waits for: itself, or what the operations that become no instruction read.
class Roots {
public:
    Roots(const Draft& draft, const simt::Function& f) : roots_(f.values.size()) {
        for (std::uint32_t v = 0; v < roots_.size(); ++v) roots_[v] = {v};
        for (const auto& block : draft)
            for (const auto& item : block) {
                if (item.op.issues != 0 || item.within) continue;
                std::vector<std::uint32_t> all;
                for (const auto& o : item.inst->in)
                    if (o.is_value()) add(all, roots_[o.value]);
                for (auto v : item.inst->out)
                    if (v != simt::kNone) roots_[v] = all;
            }
    }
    void add(std::vector<std::uint32_t>& to, simt::ValueId v) const { add(to, roots_[v]); }
    /// One that stands for the value where one is asked for.
    std::uint32_t one(simt::ValueId v) const { return roots_[v].empty() ? simt::kNone : roots_[v].front(); }

private:
    static void add(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more) {
        for (auto v : more)
            if (to.size() < kMost && std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
    }
    static constexpr std::size_t kMost = 12;
    std::vector<std::vector<std::uint32_t>> roots_;
};

/// By block, whether it lies between the begin and the end of a loop.
std::vector<bool> in_loops(const simt::Function& f) {
    std::vector<bool> out(f.blocks.size());
    for (std::size_t b = 0; b < f.blocks.size(); ++b)
        for (const auto t : f.blocks[b].end.targets)
            for (std::size_t k = t; t != simt::kNone && k <= b; ++k) out[k] = true;
    return out;
}

/// Whether both values are constants other than zero: an instruction takes one of them, and the other has to come to a
/// register first. Before a loop that is done once.
bool chooses_constants(const simt::Inst& i) {
    if (i.kind != InstKind::select || i.in.size() != 3) return false;
    const auto constant = [](const simt::Operand& o) { return !o.is_value() && o.bits != 0; };
    return constant(i.in[1]) && constant(i.in[2]);
}

/// Finds divisions of whole numbers whose divisor is known before: the loop around them does not change it, or the same
/// block, or the first, has divided by it. What follows from the divisor alone is not computed again.
class KnownDivisors {
public:
    explicit KnownDivisors(const simt::Function& f) : f_(f) {}

    /// To be asked in the order of the instructions.
    bool has(simt::BlockId b, const simt::Inst& i) {
        if (i.in.size() < 2 || !is_short_division(i)) return false;
        if (!i.in[1].is_value()) return f_.blocks[b].loop != simt::kNone;
        const Key key{i.in[1].value, simt::is_signed(i.ptx->type()), 0};
        const bool known = seen_.contains(key) || seen_.contains(in_block(key, b));
        seen_.insert(in_block(key, b));
        return known || stays(i.in[1].value, f_.blocks[b].loop);
    }

private:
    using Key = std::tuple<simt::ValueId, bool, simt::BlockId>;
    static Key in_block(Key key, simt::BlockId b) { return std::get<2>(key) = b, key; }
    /// Whether a value is made outside of a loop.
    bool stays(simt::ValueId v, std::uint32_t loop) const {
        if (loop == simt::kNone) return false;
        const auto& blocks = f_.loops[loop].blocks;
        return std::find(blocks.begin(), blocks.end(), f_.values[v].block) == blocks.end();
    }

    const simt::Function& f_;
    std::set<Key> seen_;
};

Draft draft_of(const simt::Function& f) {
    Draft draft(f.blocks.size());
    const auto loops = in_loops(f);
    KnownDivisors divisors(f);
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
        int accesses = 0;
        for (const auto& i : f.blocks[b].insts) {
            if (i.kind == InstKind::phi) continue;
            DraftInst item{&i, translate(i)};
            item.op.ptx = i.ptx;
            if (!loops[b] && chooses_constants(i)) item.op.issues = 2;
            if (divisors.has(static_cast<simt::BlockId>(b), i)) leave_out_divisor(item.op);
            if (is_traced(i)) item.op.access = static_cast<std::int16_t>(std::min(accesses++, 32767));
            draft[b].push_back(std::move(item));
        }
    }
    return draft;
}

/// What every kernel begins with: its stack pointer, and the descriptor that accesses to global memory go by.
Op prologue() {
    Op op;
    op.issues = 2;
    op.space = simt::Space::constant;
    return op;
}

/// The block where a branch and a few instructions behind it meet again, which are run under its predicate; kNone: they
/// are branched around. They may be several blocks: compilers leave empty ones.
simt::BlockId guarded_until(const simt::Function& f, simt::BlockId b, const std::vector<unsigned>& slots) {
    const auto& end = f.blocks[b].end;
    if (end.kind != TK::branch) return simt::kNone;
    const auto join = std::max(end.targets[0], end.targets[1]);
    if (std::min(end.targets[0], end.targets[1]) != b + 1 || join <= b + 1) return simt::kNone;
    unsigned all = 0;
    for (simt::BlockId j = b + 1; j < join; ++j) {
        all += slots[j];
        if (all > kPredicated || f.blocks[j].end.kind != TK::jump || f.blocks[j].end.targets[0] != j + 1)
            return simt::kNone;
    }
    return join;
}

/// What the end of a block costs: nothing where the next block follows, or where a few instructions are skipped under a
/// predicate.
unsigned end_slots(const simt::Function& f, simt::BlockId b, const std::vector<unsigned>& slots) {
    const auto& end = f.blocks[b].end;
    switch (end.kind) {
        case TK::jump:
            return end.targets[0] == b + 1 || (end.targets[0] > b && slots[b] <= kPredicated) ? 0 : 1;
        case TK::branch: {
            if (guarded_until(f, b, slots) != simt::kNone) return 0;
            const auto next = end.targets[0] == b + 1 ? end.targets[1] : end.targets[0];
            const bool forward = end.targets[0] > b && end.targets[1] > b;
            if (forward && b + 1 < f.blocks.size() && next == b + 2 && slots[b + 1] <= kPredicated &&
                f.blocks[b + 1].end.kind == TK::jump)
                return 0;
            return 1;
        }
        case TK::multiway:
            return 4;
        default:
            return 1;
    }
}

bool in_multiplier(Pipe p) { return p == Pipe::fp32 || p == Pipe::multiply || p == Pipe::half; }
bool in_logic(Pipe p) { return p == Pipe::alu || p == Pipe::add; }

/// How the operations read their values, given what made each.
void find_uses(std::vector<Op>& ops, const std::unordered_map<std::uint32_t, Pipe>& made_by) {
    for (Op& op : ops) {
        op.uses.assign(op.in.size(), Use::plain);
        for (std::size_t k = 0; k < op.in.size(); ++k) {
            const auto from = made_by.find(op.in[k]);
            if (from == made_by.end()) continue;
            const bool together = from->second == op.pipe || (in_multiplier(from->second) && in_multiplier(op.pipe)) ||
                                  (in_logic(from->second) && in_logic(op.pipe));
            op.uses[k] = op.pipe == Pipe::branch ? Use::guard : together ? Use::plain : Use::elsewhere;
        }
    }
}

/// The order of a block's operations, and its issue slots.
unsigned finish(Block& block, const std::unordered_map<std::uint32_t, Pipe>& made_by, Order order, const Rooms* rooms,
                simt::BlockId b, unsigned room = 0) {
    find_uses(block.ops, made_by);
    if (order == Order::scheduled && room > 0) schedule(block.ops, room);
    if (order == Order::scheduled && room == 0) schedule(block.ops, rooms->words(b, b, block.ops), Early::not_shared);
    for (const auto& op : block.ops) block.slots += op.issues;
    return block.slots;
}

/// Whether the block is a short side of a branch that nothing is branched around.
bool is_predicated(const Code& code, const simt::Function& f, simt::BlockId b, std::uint32_t first_block,
                   const std::vector<unsigned>& slots) {
    if (f.blocks[b].preds.size() != 1 || slots[b] > kPredicated) return false;
    const auto from = f.blocks[b].preds[0];
    if (from >= b || end_slots(f, from, slots) != 0) return false;
    return f.blocks[from].end.kind == TK::branch || code.blocks[first_block + from].predicated;
}

/// Finds the regions of a function, and puts their operations in order.
void join_blocks(Code& code, const simt::Function& f, std::uint32_t first_block, const std::vector<unsigned>& slots,
                 const Rooms& rooms) {
    std::vector<simt::BlockId> until(f.blocks.size(), simt::kNone);
    for (simt::BlockId b = 0; b < f.blocks.size(); ++b) until[b] = guarded_until(f, b, slots);
    const std::size_t before = code.regions.size();
    find_regions(code, {f, first_block, until});
    for (std::size_t k = before; k < code.regions.size(); ++k) {
        Block& body = code.regions[k].body;
        const auto& parts = code.regions[k].parts;
        const auto room = rooms.words(parts.front().block - first_block, parts.back().block - first_block, body.ops);
        schedule(body.ops, room, Early::not_shared);
        for (const auto& op : body.ops) body.slots += op.issues;
    }
}

}  // namespace

std::vector<std::pair<simt::BlockId, const simt::Details*>> joined(const simt::Function& f) {
    Draft draft = draft_of(f);
    std::vector<std::pair<simt::BlockId, const simt::Details*>> out;
    fold(draft, f);
    join_loads(draft, f);
    place_constants(draft, f);
    for (std::size_t b = 0; b < draft.size(); ++b)
        for (const auto& item : draft[b])
            if (item.op.issues == 0 && item.inst->ptx) out.push_back({static_cast<simt::BlockId>(b), item.inst->ptx});
    std::sort(out.begin(), out.end());
    return out;
}

void append(Code& code, const simt::Function& f, Order order) {
    const auto first_block = static_cast<std::uint32_t>(code.blocks.size());
    const auto first_value = code.values;
    code.keeps.push_back(f.decoded);
    code.keeps.push_back(f.placed);
    auto values = first_value + static_cast<std::uint32_t>(f.values.size());
    Draft draft = draft_of(f);
    fold(draft, f);
    join_loads(draft, f);
    place_constants(draft, f);
    const Roots roots(draft, f);
    std::optional<Rooms> rooms;
    if (order == Order::scheduled) rooms.emplace(f);
    std::vector<unsigned> slots(f.blocks.size());
    for (std::size_t b = 0; b < draft.size(); ++b)
        for (const auto& item : draft[b]) slots[b] += item.op.issues;
    std::unordered_map<std::uint32_t, Pipe> made_by;  // of what has a fixed latency
    for (const auto& items : draft)
        for (const auto& item : items)
            if (item.op.issues != 0 && item.op.effect == Effect::none &&
                (in_multiplier(item.op.pipe) || in_logic(item.op.pipe) || item.op.pipe == Pipe::fp64))
                for (auto v : item.inst->out)
                    if (v != simt::kNone) made_by[first_value + v] = item.op.pipe;
    for (simt::BlockId b = 0; b < f.blocks.size(); ++b) {
        Block block;
        for (const auto& i : f.blocks[b].insts) {
            if (i.kind != InstKind::phi) break;
            if (i.out[0] == simt::kNone) continue;
            Phi phi{first_value + i.out[0], {}};
            for (std::size_t k = 0; k < i.in.size(); ++k)
                if (i.in[k].is_value())
                    if (const auto v = roots.one(i.in[k].value); v != simt::kNone)
                        phi.in.push_back({first_block + i.from[k], first_value + v});
            block.phis.push_back(std::move(phi));
        }
        for (const auto& i : f.blocks[b].insts) block.counted += i.counted && i.ptx;
        block.counted += f.blocks[b].end.counted && f.blocks[b].end.ptx;
        if (b == 0 && f.kernel) block.ops.push_back(prologue());
        for (auto& item : draft[b]) {
            if (item.op.access >= 0) block.accesses = static_cast<std::uint16_t>(item.op.access + 1);
            if (item.op.issues == 0) continue;
            for (const auto& o : item.inst->in)
                if (o.is_value()) roots.add(item.op.in, o.value);
            for (auto& v : item.op.in) v += first_value;
            for (auto v : item.inst->out)
                if (v != simt::kNone) item.op.out.push_back(first_value + v);
            for (auto v : item.more)
                if (v != simt::kNone) item.op.out.push_back(first_value + v);
            block.ops.push_back(std::move(item.op));
        }
        if (const unsigned n = end_slots(f, b, slots)) {
            Op end;
            end.pipe = Pipe::branch;
            end.issues = static_cast<std::uint8_t>(n);
            end.ptx = f.blocks[b].end.ptx;
            if (f.blocks[b].end.condition.is_value()) roots.add(end.in, f.blocks[b].end.condition.value);
            for (auto& v : end.in) v += first_value;
            block.ops.push_back(std::move(end));
        }
        if (b > 0 && f.blocks[b - 1].end.kind == TK::branch && end_slots(f, b - 1, slots) == 0 &&
            f.blocks[b - 1].end.condition.is_value()) {
            roots.add(block.guards, f.blocks[b - 1].end.condition.value);
            for (auto& v : block.guards) v += first_value;
        }
        block.predicated = is_predicated(code, f, b, first_block, slots);
        if (order == Order::scheduled)
            if (auto turns = unroll(block, f, b, first_block, first_value, values)) {
                block.unrolled = static_cast<std::int32_t>(code.unrolled.size());
                code.instructions += finish(turns->body, made_by, order, nullptr, b, turns->room);
                code.unrolled.push_back(std::move(*turns));
            }
        code.instructions += finish(block, made_by, order, rooms ? &*rooms : nullptr, b);
        code.blocks.push_back(std::move(block));
    }
    code.values = values;
    if (rooms) join_blocks(code, f, first_block, slots, *rooms);
}

}  // namespace warpwright::machine
