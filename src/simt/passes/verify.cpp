// The verifier of the warp IR: the properties on which each pass, and then the engine, may rely.
#include <algorithm>

#include "simt/analysis/dominators.hpp"
#include "simt/passes.hpp"

namespace warpwright::simt {

namespace {

/// Records the first violation; each check returns whether there is none so far.
class Verifier {
public:
    explicit Verifier(const Function& f) : f_(f) {}

    std::string run() {
        if (f_.blocks.empty()) return "there is no block";
        for (block_ = 0; block_ < f_.blocks.size(); ++block_)
            if (!terminator() || !instructions()) return broken_;
        if (f_.stage == Stage::built) return "";
        if (!predecessors() || !loops()) return broken_;
        if (f_.stage == Stage::ssa && (!single_definitions() || !uses())) return broken_;
        return "";
    }

private:
    bool fail(const std::string& what) {
        broken_ = "b" + std::to_string(block_) + ": " + what;
        return false;
    }
    static std::string name(ValueId v) { return "v" + std::to_string(v); }
    bool in_range(const Operand& o) const { return !o.is_value() || o.value < f_.values.size(); }
    ptx::Type type(const Operand& o) const { return f_.values[o.value].type; }

    bool terminator() {
        using Kind = Terminator::Kind;
        const auto& end = f_.blocks[block_].end;
        for (auto t : end.targets)
            if (t >= f_.blocks.size()) return fail("target out of range");
        const auto n = end.targets.size();
        if (end.kind == Kind::branch && n != 2) return fail("a branch has 2 targets");
        if (end.kind == Kind::jump && n != 1) return fail("a jump has 1 target");
        if (end.kind == Kind::multiway && n == 0) return fail("a multiway branch has no targets");
        if ((end.kind == Kind::exit || end.kind == Kind::ret || end.kind == Kind::trap) && n != 0)
            return fail("what leaves the function has targets");
        if (!in_range(end.condition)) return fail("condition out of range");
        if (end.kind == Kind::branch && end.condition.is_value() && type(end.condition) != ptx::Type::pred)
            return fail("the condition of a branch is not a predicate");
        return true;
    }

    bool instructions() {
        bool body = false;
        for (const auto& i : f_.blocks[block_].insts) {
            if (!counts(i) || !operands(i) || !types(i)) return false;
            if (i.kind == InstKind::phi) {
                if (body) return fail("phi after another instruction");
                if (f_.stage != Stage::ssa) return fail("phi before static single assignment");
            } else {
                body = true;
            }
            if (i.counted && !i.ptx) return fail("a counted instruction comes from no PTX instruction");
        }
        return true;
    }

    bool counts(const Inst& i) {
        const auto& kind = facts(i.kind);
        auto wrong = [&](const std::string& what) { return fail(std::string(kind.name) + " has " + what); };
        if (i.in.size() < kind.fewest_inputs) return wrong("too few inputs");
        switch (kind.results) {
            case Results::none:
                return i.out.empty() || wrong("a result");
            case Results::one:
                return i.out.size() == 1 || wrong(i.out.empty() ? "no result" : "more than one result");
            case Results::some:
                return !i.out.empty() || wrong("no result");
            case Results::any:
                return true;
        }
        return true;
    }

    bool operands(const Inst& i) {
        for (auto v : i.out)
            if (v != kNone && v >= f_.values.size()) return fail("result out of range");
        for (const auto& o : i.in)
            if (!in_range(o)) return fail("operand out of range");
        return true;
    }

    bool types(const Inst& i) {
        const bool storage = i.space == ptx::Space::param && f_.stage != Stage::ssa;
        const std::size_t address = storage ? 0 : 1;
        if (i.kind == InstKind::load && i.in.size() != address) return fail("a load has one address");
        if (i.kind == InstKind::store && i.in.size() <= address) return fail("a store has an address and values");

        auto same = [&](const Operand& o, ValueId v) { return !o.is_value() || type(o) == f_.values[v].type; };
        using ptx::Effect;
        // An instruction that represents a PTX instruction has the same effect on memory.
        const auto effect = i.counted && i.ptx ? ptx::facts(i.ptx->op).effect : Effect::none;
        switch (i.kind) {
            case InstKind::phi:
                for (const auto& o : i.in)
                    if (i.out[0] != kNone && !same(o, i.out[0])) return fail("a phi joins different types");
                return true;
            case InstKind::select:
                if (i.in[0].is_value() && type(i.in[0]) != ptx::Type::pred)
                    return fail("the condition of a select is not a predicate");
                if (i.out[0] != kNone && (!same(i.in[1], i.out[0]) || !same(i.in[2], i.out[0])))
                    return fail("a select joins different types");
                return true;
            case InstKind::load:
            case InstKind::param:
                return !i.counted || effect == Effect::reads || fail("a load of an instruction that does not read");
            case InstKind::store:
                return !i.counted || effect == Effect::writes || fail("a store of an instruction that does not write");
            case InstKind::atomic:
                return effect == Effect::updates || fail("an atomic of an instruction that does not update");
            case InstKind::fence:
                return effect == Effect::orders || fail("a fence of an instruction that does not order");
            default:
                return true;
        }
    }

    bool predecessors() {
        std::vector<std::vector<BlockId>> preds(f_.blocks.size());
        for (BlockId b = 0; b < f_.blocks.size(); ++b)
            for (auto t : f_.blocks[b].end.targets)
                if (preds[t].empty() || preds[t].back() != b) preds[t].push_back(b);
        for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
            if (preds[block_] != f_.blocks[block_].preds) return fail("the predecessors are not those of the graph");
            if (block_ != 0 && preds[block_].empty()) return fail("unreachable");
            for (const auto& i : f_.blocks[block_].insts)
                if (i.kind == InstKind::phi && (i.in.size() != i.from.size() || i.from != preds[block_]))
                    return fail("phi and predecessors differ");
        }
        return true;
    }

    bool loops() {
        block_ = 0;
        for (const auto& loop : f_.loops) {
            if (loop.header >= f_.blocks.size() || loop.blocks.empty()) return fail("a loop has no header");
            block_ = loop.header;
            if (f_.irreducible) continue;
            for (std::size_t k = 1; k < loop.blocks.size(); ++k)
                if (loop.blocks[k] != loop.blocks[k - 1] + 1) return fail("loop blocks are not contiguous");
            if (loop.blocks.front() != loop.header) return fail("the header is not the first block of its loop");
            if (loop.latch != loop.blocks.back()) return fail("the latch is not the last block of its loop");
        }
        return true;
    }

    bool single_definitions() {
        defined_.assign(f_.values.size(), false);
        for (block_ = 0; block_ < f_.blocks.size(); ++block_)
            for (std::uint32_t k = 0; k < f_.blocks[block_].insts.size(); ++k)
                for (auto v : f_.blocks[block_].insts[k].out) {
                    if (v == kNone) continue;
                    if (defined_[v]) return fail(name(v) + " is defined twice");
                    defined_[v] = true;
                    if (f_.values[v].block != block_) return fail(name(v) + " claims another block");
                    if (f_.values[v].inst != k) return fail(name(v) + " claims another instruction");
                }
        return true;
    }

    /// Definitions dominate their uses; a phi uses its inputs at the end of the predecessors.
    bool uses() {
        const auto tree = dominators(f_);
        auto use = [&](const Operand& o, BlockId at, std::size_t index) {
            if (!o.is_value()) return true;
            if (!defined_[o.value]) return fail("use of an undefined value");
            const auto& v = f_.values[o.value];
            if (v.block == at && v.inst >= index) return fail(name(o.value) + " used before its definition");
            return tree.dominates(v.block, at) || fail(name(o.value) + " does not dominate its use");
        };
        constexpr auto kEnd = static_cast<std::size_t>(-1);
        for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
            const auto& b = f_.blocks[block_];
            for (std::size_t k = 0; k < b.insts.size(); ++k) {
                const auto& i = b.insts[k];
                const bool phi = i.kind == InstKind::phi;
                for (std::size_t n = 0; n < i.in.size(); ++n)
                    if (!use(i.in[n], phi ? i.from[n] : block_, phi ? kEnd : k)) return false;
            }
            if (!use(b.end.condition, block_, kEnd)) return false;
        }
        return true;
    }

    const Function& f_;
    BlockId block_ = 0;
    std::string broken_;
    std::vector<bool> defined_;
};

}  // namespace

std::string verify(const Function& f) { return Verifier(f).run(); }

}  // namespace warpwright::simt
