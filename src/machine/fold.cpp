// An operation is joined to its reader only where nobody else needs its result. Sums of 64 bits come first, because an
// access adds a constant to its address by itself.
#include "machine/fold.hpp"

#include <algorithm>

namespace warpwright::machine {

namespace {

using simt::InstKind;
using simt::Mod;
using simt::Type;
using POp = simt::Op;

class Folder {
public:
    Folder(Draft& draft, const simt::Function& f)
        : draft_(draft), f_(f), uses_(f.values.size()), from_(f.values.size()) {
        for (auto& block : draft_)
            for (auto& item : block)
                for (auto v : item.inst->out)
                    if (v != simt::kNone) from_[v] = &item;
        for (std::size_t b = 0; b < f.blocks.size(); ++b) {
            for (const auto& i : f.blocks[b].insts)
                for (const auto& o : i.in)
                    if (o.is_value()) ++uses_[o.value];
            if (f.blocks[b].end.condition.is_value()) ++uses_[f.blocks[b].end.condition.value];
        }
    }

    void run() {
        addresses();
        for (auto& block : draft_)
            for (auto& item : block) join(item);
    }

private:
    static bool is(const DraftInst* item, POp op) {
        return item && item->inst->kind == InstKind::data && item->inst->ptx && item->inst->ptx->op == op;
    }
    static bool is_word_logic(const DraftInst* item) {
        if (!item || item->inst->kind != InstKind::data || !item->inst->ptx) return false;
        const auto op = item->inst->ptx->op;
        return (op == POp::and_ || op == POp::or_ || op == POp::xor_ || op == POp::not_) &&
               simt::bits(item->inst->ptx->type()) <= 32;
    }
    static bool is_predicate(const DraftInst& item) { return item.inst->ptx && item.inst->ptx->type() == Type::pred; }
    DraftInst* source(const simt::Operand& o) const { return o.is_value() ? from_[o.value] : nullptr; }
    bool only_here(const simt::Operand& o) const { return o.is_value() && uses_[o.value] == 1; }

    /// The operand's producer, where this is its only reader: it goes away, and this one reads what it read.
    void absorb(const simt::Operand& o) {
        DraftInst* item = source(o);
        item->op.issues = 0;
        item->op.pipe = Pipe::none;
    }

    /// 64-bit additions: of a constant, which every access adds for itself; of a wide product, which is one
    /// multiply-add.
    void addresses() {
        std::vector<unsigned> as_address(f_.values.size()), in_sums(f_.values.size());
        for (auto& block : draft_)
            for (auto& item : block) {
                const auto& i = *item.inst;
                const bool accesses =
                    i.kind == InstKind::load || i.kind == InstKind::store || i.kind == InstKind::atomic;
                if (accesses && !i.in.empty() && i.in[0].is_value()) ++as_address[i.in[0].value];
                if (is(&item, POp::add) && i.ptx->type() != Type::f64 && simt::bits(i.ptx->type()) == 64)
                    for (const auto& o : i.in)
                        if (is(source(o), POp::mul) && source(o)->inst->ptx->has(Mod::wide)) ++in_sums[o.value];
            }
        for (auto& block : draft_)
            for (auto& item : block) {
                const auto& i = *item.inst;
                if (!is(&item, POp::add) || simt::bits(i.ptx->type()) != 64 || simt::is_float(i.ptx->type())) continue;
                const auto out = i.out[0];
                const bool constant = i.in[0].is_integer() || i.in[1].is_integer();
                if (constant && as_address[out] == uses_[out]) {
                    item.op.issues = 0, item.op.pipe = Pipe::none;
                    continue;
                }
                for (const auto& o : i.in) {
                    DraftInst* product = source(o);
                    if (!is(product, POp::mul) || !product->inst->ptx->has(Mod::wide)) continue;
                    item.op.pipe = Pipe::multiply, item.op.issues = 1, item.op.chain = 0, item.op.work = 2;
                    if (in_sums[o.value] == uses_[o.value]) absorb(o);
                    break;
                }
                if (item.op.pipe == Pipe::add) join_shift(i);
            }
    }

    /// A pair that is shifted by a constant is shifted where it is added: two instructions in all.
    void join_shift(const simt::Inst& sum) {
        for (const auto& o : sum.in) {
            DraftInst* from = source(o);
            if (!is(from, POp::shl) || !from->inst->in[1].is_integer() || !only_here(o)) continue;
            return absorb(o);
        }
    }

    void join(DraftInst& item) {
        const auto& i = *item.inst;
        if (item.op.issues == 0) return;
        if (is_predicate(item) && i.kind == InstKind::data && item.op.pipe == Pipe::alu) return join_predicate(item);
        if (is(&item, POp::add) || is(&item, POp::sub)) return join_sum(item);
        if (is_word_logic(&item)) join_logic(item);
    }

    /// A compare takes one more predicate in; only logic of two predicates that have other readers is an operation.
    void join_predicate(DraftInst& item) {
        for (const auto& o : item.inst->in)
            if (is(source(o), POp::setp) && only_here(o)) {
                item.op.issues = 0, item.op.pipe = Pipe::none;
                return;
            }
    }

    void join_sum(DraftInst& item) {
        const auto t = item.inst->ptx->type();
        if (simt::is_float(t) || simt::bits(t) > 32 || item.inst->ptx->has(Mod::cc)) return;
        for (const auto& o : item.inst->in) {
            DraftInst* from = source(o);
            if (!from || !only_here(o) || from->op.issues != 1) continue;
            const bool shift = is(from, POp::shl) && from->inst->in[1].is_integer() && from->op.pipe == Pipe::alu;
            const bool sum = (is(from, POp::add) || is(from, POp::sub)) && from->op.pipe == Pipe::add && !joined(item);
            if (!shift && !sum) continue;
            item.op.pipe = Pipe::alu;  // three inputs, or a shifted one
            return absorb(o);
        }
    }
    static bool joined(const DraftInst& item) { return item.op.pipe == Pipe::alu; }

    void join_logic(DraftInst& item) {
        unsigned inputs = 0;
        for (const auto& o : item.inst->in) inputs += o.is_value();
        for (const auto& o : item.inst->in) {
            DraftInst* from = source(o);
            if (!is_word_logic(from) || !only_here(o) || from->op.issues != 1) continue;
            unsigned more = 0;
            for (const auto& p : from->inst->in) more += p.is_value();
            if (inputs - 1 + more > 3) continue;
            inputs += more - 1;
            absorb(o);
        }
    }

    Draft& draft_;
    const simt::Function& f_;
    std::vector<unsigned> uses_;
    std::vector<DraftInst*> from_;
};

}  // namespace

void fold(Draft& draft, const simt::Function& f) { Folder(draft, f).run(); }

}  // namespace warpwright::machine
