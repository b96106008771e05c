// Loads, stores and atomics: which pattern an access has, and the way each is done. What is regular is done in
// place, on scalars and whole vectors; what is not goes to the runtime with a vector of addresses.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/checked/regular_access.hpp"
#include "engine/codegen/codegen.hpp"
#include "engine/runtime/atomic_op.hpp"

namespace warpwright::engine {

using ptx::Space;
using simt::InstKind;
using simt::kNone;
using simt::Shape;

std::vector<Codegen::Run> Codegen::find_runs(const simt::Affine& a, unsigned bytes) const {
    std::vector<Run> runs;
    auto scale = [&](unsigned l) {
        std::vector<std::int64_t> s;
        for (const auto& t : a.terms) s.push_back(t.lanes[l]);
        return s;
    };
    for (unsigned l = 0; l < lanes_;) {
        Run r;
        r.first = l;
        r.offset = a.constant[l];
        r.scale = scale(l);
        unsigned n = 1;
        if (l + 1 < lanes_ && scale(l + 1) == r.scale) {
            const auto step = a.constant[l + 1] - a.constant[l];
            if (step == 0 || step == bytes) {
                r.contiguous = step == bytes;
                while (l + n < lanes_ && scale(l + n) == r.scale && a.constant[l + n] - a.constant[l + n - 1] == step)
                    ++n;
            }
        }
        r.count = n;
        r.same_as = static_cast<unsigned>(runs.size());
        for (unsigned k = 0; k < runs.size(); ++k)
            if (runs[k].offset == r.offset && runs[k].scale == r.scale && runs[k].count == r.count &&
                runs[k].contiguous == r.contiguous) {
                r.same_as = k;
                break;
            }
        runs.push_back(r);
        l += n;
        if (runs.size() > 8) return {};
    }
    return runs;
}

Codegen::Access Codegen::classify(const simt::Inst& i) {
    Access a;
    a.inst = &i;
    a.space = i.space;
    a.bytes = ptx::bytes(i.type);
    a.store = i.kind == InstKind::store;
    a.count = static_cast<unsigned>(a.store ? i.in.size() - 1 : i.out.size());
    a.site = static_index(i);
    const auto& address = i.in[0];
    if (address.is_value() && shapes_.of[address.value] == Shape::affine) {
        a.affine = &shapes_.affine.at(address.value);
        bool aligned = true;
        for (unsigned l = 0; l < lanes_; ++l) {
            aligned &= (a.affine->constant[l] - a.affine->constant[0]) % a.total() == 0;
            for (const auto& t : a.affine->terms) aligned &= t.lanes[l] % a.total() == 0;
        }
        a.aligned = aligned;
        if (aligned) a.runs = find_runs(*a.affine, a.total());
        // Shared addresses are 32 bits wide and must not wrap; patterns scaled at run time go the general way.
        if (a.space != Space::global && a.space != Space::constant && !a.affine->terms.empty() && a.runs.size() > 4)
            a.runs.clear();
    }
    return a;
}

unsigned Codegen::static_index(const simt::Inst& i) {
    auto found = site_of_.find(&i);
    if (found != site_of_.end()) return found->second;
    SiteInfo s;
    s.ptx = i.ptx;
    s.block = at_;
    s.space = i.space;
    s.bytes = ptx::bytes(i.type);
    s.count = static_cast<std::uint32_t>(i.kind == InstKind::store ? i.in.size() - 1
                                                                   : std::max<std::size_t>(1, i.out.size()));
    s.kind = i.kind == InstKind::store    ? SiteInfo::Kind::store
             : i.kind == InstKind::atomic ? SiteInfo::Kind::atomic
                                          : SiteInfo::Kind::load;
    // Local memory is interleaved by words: an access of several words is a request for each.
    if (s.space == Space::local) s.requests = std::max(1u, s.bytes * s.count / 4);
    s.counted = i.counted && options_.counters;
    s.type = i.type;
    if (options_.check && i.ptx) {
        const auto order = order_of(*i.ptx, i.kind == InstKind::atomic);
        s.strength = order.strength, s.acquire = order.acquire, s.release = order.release, s.wide = order.wide;
        if (i.kind == InstKind::load) s.copied = copied_elements(i);
    }
    layout_.sites.push_back(s);
    const auto index = static_cast<unsigned>(layout_.sites.size() - 1);
    site_of_[&i] = index;
    return index;
}

Codegen::V Codegen::site_field(unsigned site, unsigned offset) { return field(sites_, site * sizeof(Site) + offset); }

void Codegen::bump(V pointer, V by) {
    b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), pointer), by), pointer);
}

Codegen::V Codegen::buffer(unsigned which, std::uint64_t bytes) {
    auto& slot = buffers_[which];
    if (!slot) {
        llvm::IRBuilder<> at(entry_, entry_->begin());
        slot = at.CreateAlloca(at.getInt8Ty(), at.getInt64(bytes));
        slot->setAlignment(llvm::Align(64));
    } else if (llvm::cast<llvm::ConstantInt>(slot->getArraySize())->getZExtValue() < bytes) {
        slot->setOperand(0, llvm::ConstantInt::get(b_.getInt64Ty(), bytes));  // the largest user decides
    }
    return slot;
}

Codegen::V Codegen::address_scalar(const Access& a) {
    V x = scalar(a.inst->in[0], b_.getInt64Ty());
    return a.inst->offset ? b_.CreateAdd(x, i64(static_cast<std::uint64_t>(a.inst->offset))) : x;
}

Codegen::V Codegen::address_vector(const simt::Inst&, const simt::Operand& o, std::int64_t offset) {
    V x = vector(o, b_.getInt64Ty());
    return offset ? b_.CreateAdd(x, splat(i64(static_cast<std::uint64_t>(offset)))) : x;
}

Codegen::V Codegen::host_pointer(const Access& a, V address) {
    if (a.space == Space::shared) return b_.CreateGEP(b_.getInt8Ty(), shared_, {address});
    return b_.CreateIntToPtr(address, b_.getPtrTy());
}

/// Makes sure that [address, address + span) may be accessed; `lanes`: who would be to blame. On a miss the runtime
/// looks the address up and either remembers the allocation or records the fault.
void Codegen::check(const Access& a, V address, std::uint64_t span, V lanes, std::uint64_t most) {
    if (options_.check) return;  // in_order() has seen to it
    const unsigned shift = static_cast<unsigned>(__builtin_ctz(a.total()));
    auto rotated = [&](V distance) {
        return shift ? static_cast<V>(
                           b_.CreateIntrinsic(b_.getInt64Ty(), llvm::Intrinsic::fshr, {distance, distance, i64(shift)}))
                     : distance;
    };
    V bad;
    if (a.space == Space::shared) {
        // Wrong when the block has less shared memory than the span: the difference is then negative, and huge.
        V room = b_.CreateSub(shared_size_, i64(span));
        V wraps = b_.CreateICmpULT(shared_size_, i64(span));
        bad = b_.CreateOr(b_.CreateICmpUGT(rotated(address), b_.CreateLShr(room, i64(shift))), wraps);
    } else {
        V base = b_.CreateLoad(b_.getInt64Ty(), site_field(a.site, offsetof(Site, base)));
        V limit = b_.CreateLoad(b_.getInt64Ty(), site_field(a.site, offsetof(Site, limit)));
        bad = b_.CreateICmpUGT(rotated(b_.CreateSub(address, base)), limit);
    }
    auto look = new_block("look"), fine = new_block("in");
    b_.CreateCondBr(bad, look, fine, weights(false));
    b_.SetInsertPoint(look);
    V ok = rare<ww_rt_resolve>(
        {i32(layout_.first_site + a.site), address, i64(span), i64(most), mask64(lanes), i32(first_lane_)});
    b_.CreateCondBr(b_.CreateICmpNE(ok, i32(0)), fine, error_);
    b_.SetInsertPoint(fine);
}

Codegen::V Codegen::in_two_ways(V condition, const std::function<V()>& hot, const std::function<V()>& cold) {
    auto yes = new_block("hot"), no = new_block("cold"), join = new_block("join");
    b_.CreateCondBr(condition, yes, no, weights(true));
    b_.SetInsertPoint(yes);
    V x = hot();
    auto from_yes = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(no);
    V y = cold();
    auto from_no = b_.GetInsertBlock();
    b_.CreateBr(join);
    b_.SetInsertPoint(join);
    if (!x) return nullptr;
    auto phi = b_.CreatePHI(x->getType(), 2);
    phi->addIncoming(x, from_yes);
    phi->addIncoming(y, from_no);
    return phi;
}

Result<void> Codegen::memory(const simt::Inst& i) {
    if (i.space == Space::param) return unsupported(i, "this form of parameter access is not supported");
    // 128-bit elements come as two halves each; any that do not have no place here.
    if (i.type != ptx::Type::none && ptx::bytes(i.type) > 8)
        return unsupported(i, "128-bit elements are not supported");
    Access a = classify(i);
    if (a.total() > 32 || (a.total() & (a.total() - 1)) != 0)
        return unsupported(i, "this access width is not supported");
    if (a.store)
        store(a);
    else
        load(a);
    return {};
}

void Codegen::load(Access& a) {
    const auto& i = *a.inst;
    if (a.space == Space::local) return local_load(a);
    if (uniform(i.in[0]) && a.space != Space::generic) return uniform_load(a);
    const bool few = !a.runs.empty() && a.runs.size() <= 4 && a.space != Space::generic;
    if (few && (copy_ == kFull || (a.runs.size() == 1 && a.runs[0].contiguous))) return structured_load(a);
    if (copy_ == kFull && scattered_load(a)) return;
    runtime_load(a);
}

void Codegen::store(Access& a) {
    const auto& i = *a.inst;
    if (a.space == Space::local) return local_store(a);
    if (uniform(i.in[0]) && a.space != Space::generic && copy_ == kFull && !options_.check) return uniform_store(a);
    bool few = !a.runs.empty() && a.runs.size() <= 4 && a.space != Space::generic;
    for (const auto& r : a.runs) few &= r.contiguous && r.same_as == static_cast<unsigned>(&r - a.runs.data());
    if (few && (copy_ == kFull || a.runs.size() == 1)) return structured_store(a);
    if (copy_ == kFull && scattered_store(a)) return;
    runtime_store(a);
}

Result<void> Codegen::atomic(const simt::Inst& i) {
    auto op = atomic_op(*i.ptx, i.type);
    if (!op) return unsupported(i, op.error().what);
    const auto site = static_index(i);
    auto& info = layout_.sites[site];
    info.operation = static_cast<std::uint32_t>(*op);
    const unsigned bytes = ptx::bytes(i.type);
    if (bytes > 8) return unsupported(i, "128-bit atomics are not supported");
    using ptx::Mod;
    const unsigned operands = static_cast<unsigned>(i.in.size()) - 1;
    const bool vectored = i.out.size() > 1 || i.ptx->has(Mod::v2) || i.ptx->has(Mod::v4) || i.ptx->has(Mod::v8);
    info.count = vectored ? operands : 1;
    if (bytes * info.count > 16 || (info.count & (info.count - 1)) != 0)
        return unsupported(i, "this access width is not supported");
    const bool unused = std::all_of(i.out.begin(), i.out.end(), [](simt::ValueId v) { return v == kNone; });
    info.counts_ones = *op == AtomicOp::add_int && !vectored && unused && operands == 1 && is_one(i.in[1]);
    V mask = copy_ == kFull ? full_mask() : mask_;
    auto t = b_.getIntNTy(8 * bytes);
    V addresses = buffer(0, 8 * lanes_), b = buffer(1, 16 * lanes_), c = buffer(2, 16 * lanes_),
      out = buffer(3, 16 * lanes_);
    b_.CreateAlignedStore(address_vector(i, i.in[0], i.offset), addresses, llvm::Align(64));
    const auto place = [&](V where, unsigned e) { return field(where, std::uint64_t{e} * bytes * lanes_); };
    for (unsigned e = 0; e < info.count; ++e)
        b_.CreateAlignedStore(vector_bits(i.in[1 + e], t), place(b, e), llvm::Align(bytes));
    if (!vectored && operands > 1) b_.CreateAlignedStore(vector_bits(i.in[2], t), c, llvm::Align(64));
    fail_if_zero(runtime<ww_rt_atomic>({i32(layout_.first_site + site), addresses, mask64(mask), b, c, out}));
    for (unsigned e = 0; e < i.out.size(); ++e)
        if (i.out[e] != kNone) define(i.out[e], b_.CreateAlignedLoad(vec(t), place(out, e), llvm::Align(bytes)));
    return {};
}

/// The constant 1, also where it was put in a register first.
bool Codegen::is_one(simt::Operand o) const {
    for (unsigned steps = 0; o.is_value() && steps < 8; ++steps) {
        const auto& v = f_.values[o.value];
        if (v.block >= f_.blocks.size() || v.inst >= f_.blocks[v.block].insts.size()) return false;
        const auto& from = f_.blocks[v.block].insts[v.inst];
        if (from.kind != InstKind::move || from.in.size() != 1 || from.out[0] != o.value) return false;
        o = from.in[0];
    }
    return o.is_integer() && o.bits == 1;
}

Result<void> Codegen::copy_async(const simt::Inst& i) {
    // Done at once: a program may not look before it waits, and after that the effect is the same.
    auto found = site_of_.find(&i);
    if (found == site_of_.end()) {
        SiteInfo from;
        from.ptx = i.ptx;
        from.block = at_;
        from.space = Space::global;
        from.bytes = i.symbol;
        from.kind = SiteInfo::Kind::load;
        from.counted = options_.counters;
        layout_.sites.push_back(from);
        SiteInfo to = from;
        to.space = Space::shared;
        to.kind = SiteInfo::Kind::copy;
        layout_.sites.push_back(to);
        found = site_of_.emplace(&i, static_cast<unsigned>(layout_.sites.size() - 2)).first;
    }
    const auto site = found->second;
    V mask = copy_ == kFull ? full_mask() : mask_;
    V to = buffer(0, 8 * lanes_), from = buffer(1, 8 * lanes_), sizes = buffer(2, 8 * lanes_);
    b_.CreateAlignedStore(address_vector(i, i.in[0], i.offset), to, llvm::Align(64));
    b_.CreateAlignedStore(address_vector(i, i.in[1], 0), from, llvm::Align(64));
    V size = splat(i64(i.symbol));
    if (i.in.size() > 2) {
        const bool predicate = i.in[2].is_value() && f_.values[i.in[2].value].type == ptx::Type::pred;
        size = predicate ? b_.CreateSelect(vector(i.in[2], b_.getInt1Ty()), splat(i64(0)), size)
                         : vector(i.in[2], b_.getInt64Ty());
    }
    b_.CreateAlignedStore(size, sizes, llvm::Align(64));
    fail_if_zero(runtime<ww_rt_copy_async>({i32(layout_.first_site + site), to, from, sizes, mask64(mask)}));
    return {};
}

}  // namespace warpwright::engine
