// The lanes of an affine address are divided into runs by comparing their offsets. One comparison tests bounds and
// alignment together: the distance is rotated by the width's bits, so that a misaligned one becomes huge.
#include "engine/codegen/access.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Shape;
using simt::Space;

namespace {

std::vector<Run> find_runs(const FunctionState& fn, const simt::Affine& a, unsigned bytes) {
    std::vector<Run> runs;
    auto scale = [&](unsigned l) {
        std::vector<std::int64_t> s;
        for (const auto& t : a.terms) s.push_back(t.lanes[l]);
        return s;
    };
    for (unsigned l = 0; l < fn.lanes;) {
        Run r;
        r.first = l;
        r.offset = a.constant[l];
        r.scale = scale(l);
        unsigned n = 1;
        if (l + 1 < fn.lanes && scale(l + 1) == r.scale) {
            const auto step = a.constant[l + 1] - a.constant[l];
            if (step == 0 || step == bytes) {
                r.contiguous = step == bytes;
                while (l + n < fn.lanes && scale(l + n) == r.scale && a.constant[l + n] - a.constant[l + n - 1] == step)
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

}  // namespace

std::vector<const Run*> Access::distinct_runs() const {
    std::vector<const Run*> out;
    for (unsigned k = 0; k < runs.size(); ++k)
        if (runs[k].same_as == k) out.push_back(&runs[k]);
    return out;
}

bool Access::has_two_places() const {
    const auto distinct = distinct_runs();
    return distinct.size() == 2 &&
           std::ranges::all_of(distinct, [&](const Run* r) { return run_bytes(*r) == total(); });
}

Access classify(FunctionState& fn, const simt::Inst& i) {
    Access a;
    a.inst = &i;
    a.space = i.space;
    a.bytes = simt::bytes(i.type);
    a.store = i.kind == InstKind::store;
    a.count = static_cast<unsigned>(a.store ? i.in.size() - 1 : i.out.size());
    a.site = site_index(fn, i);
    const auto& address = i.in[0];
    if (address.is_value() && fn.shapes.of[address.value] == Shape::affine) {
        a.affine = &fn.shapes.affine.at(address.value);
        bool aligned = true;
        for (unsigned l = 0; l < fn.lanes; ++l) {
            aligned &= (a.affine->constant[l] - a.affine->constant[0]) % a.total() == 0;
            for (const auto& t : a.affine->terms) aligned &= t.lanes[l] % a.total() == 0;
        }
        a.aligned = aligned;
        if (aligned) a.runs = find_runs(fn, *a.affine, a.total());
        // Shared addresses are 32 bits wide and must not wrap; patterns scaled at run time go the general way.
        if (a.space != Space::global && a.space != Space::constant && !a.affine->terms.empty() && a.runs.size() > 4)
            a.runs.clear();
    }
    return a;
}

bool is_narrow(FunctionState& fn, const Access& a) {
    const auto& address = a.inst->in[0];
    return a.space == Space::shared && address.is_value() && value_type(fn, address.value)->getIntegerBitWidth() == 32;
}

bool looks_again(const simt::Inst& i) { return i.ptx && i.ptx->access.looks_again(); }

V address_scalar(FunctionState& fn, const Access& a) {
    V x = scalar(fn, a.inst->in[0], fn.b.getInt64Ty());
    if (!a.inst->offset) return x;
    x = fn.b.CreateAdd(x, fn.i64(static_cast<std::uint64_t>(a.inst->offset)));
    // A register of 32 bits may be below zero, and the sum a place in shared memory.
    return is_narrow(fn, a) ? fn.b.CreateZExt(fn.b.CreateTrunc(x, fn.b.getInt32Ty()), fn.b.getInt64Ty()) : x;
}

V address_vector(FunctionState& fn, const simt::Operand& o, std::int64_t offset) {
    V x = vector(fn, o, fn.b.getInt64Ty());
    return offset ? fn.b.CreateAdd(x, fn.splat(fn.i64(static_cast<std::uint64_t>(offset)))) : x;
}

V run_address(FunctionState& fn, const Access& a, const Run& r, V base) {
    V x = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(r.offset)));
    for (std::size_t k = 0; k < r.scale.size(); ++k) {
        if (r.scale[k] == 0) continue;
        V s = factor(fn, a.affine->terms[k].scalar, 64);
        x = fn.b.CreateAdd(x, fn.b.CreateMul(s, fn.i64(static_cast<std::uint64_t>(r.scale[k]))));
    }
    // Shared addresses live in 32 bits: the base register may have wrapped around on the way. A run whose first lanes
    // are not active may begin below zero.
    if (is_narrow(fn, a)) x = fn.b.CreateSExt(fn.b.CreateTrunc(x, fn.b.getInt32Ty()), fn.b.getInt64Ty());
    return x;
}

V host_pointer(FunctionState& fn, const Access& a, V address) {
    if (a.space == Space::shared) return fn.b.CreateGEP(fn.b.getInt8Ty(), fn.shared, {address});
    return fn.b.CreateIntToPtr(address, fn.b.getPtrTy());
}

std::uint64_t longest_run(const Access& a) {
    std::uint64_t most = a.total();
    for (const auto& r : a.runs) most = std::max(most, a.run_bytes(r));
    return most;
}

bool is_regular(const FunctionState& fn, const Access& a) {
    return !fn.options.check && (a.affine->assumes.empty() || fn.at.in_bounds.contains(a.inst));
}

namespace {

/// Bytes of shared memory that every launch has: the kernel's variables.
std::uint64_t own_shared(const FunctionState& fn) { return fn.options.function ? 0 : fn.ir.static_shared; }

}  // namespace

bool is_inside(const FunctionState& fn, const Access& a) {
    const auto& o = a.inst->in[0];
    if (a.space != Space::shared || a.inst->offset < 0) return false;
    if (a.affine && (!a.aligned || a.affine->constant[0] % a.total() != 0)) return false;
    if (o.is_value() ? !fn.scalar_kind(o.value) : !o.is_integer()) return false;
    const auto most = o.is_value() ? fn.shapes.bound[o.value] : o.bits;
    const auto unit = o.is_value() ? fn.shapes.align[o.value] : o.bits & -o.bits;
    const auto offset = static_cast<std::uint64_t>(a.inst->offset), size = own_shared(fn);
    return most < size && offset < size && most + offset + a.total() <= size && unit % a.total() == 0 &&
           offset % a.total() == 0;
}

V out_of_bounds(FunctionState& fn, const Access& a, unsigned site, V address, std::uint64_t span) {
    const unsigned shift = static_cast<unsigned>(__builtin_ctz(a.total()));
    auto rotated = [&](V distance) {
        return shift ? static_cast<V>(fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::fshr,
                                                           {distance, distance, fn.i64(shift)}))
                     : distance;
    };
    if (a.space == Space::shared) {
        V room = fn.b.CreateSub(fn.shared_size, fn.i64(span));
        V beyond = fn.b.CreateICmpUGT(rotated(address), fn.b.CreateLShr(room, fn.i64(shift)));
        if (span <= own_shared(fn)) return beyond;
        // The difference is negative, and so huge, if the block has less shared memory than the span.
        return fn.b.CreateOr(beyond, fn.b.CreateICmpULT(fn.shared_size, fn.i64(span)));
    }
    V base = fn.b.CreateLoad(fn.b.getInt64Ty(), site_field(fn, site, offsetof(Site, base)));
    V limit = fn.b.CreateLoad(fn.b.getInt64Ty(), site_field(fn, site, offsetof(Site, limit)));
    return fn.b.CreateICmpUGT(rotated(fn.b.CreateSub(address, base)), limit);
}

/// Checks that [address, address + span) may be accessed; the fault would name one of `lanes`. On a miss the runtime
/// looks the address up and either remembers the allocation or records the fault.
void check_bounds(FunctionState& fn, const Access& a, V address, std::uint64_t span, V lanes, std::uint64_t most) {
    // Under the checkers regular_in_order() has checked them; within a stretch it may be one check for several.
    if (fn.options.check || fn.at.in_bounds.contains(a.inst) || is_inside(fn, a)) return;
    V bad = out_of_bounds(fn, a, a.site, address, span);
    auto look = fn.new_block("look"), fine = fn.new_block("in");
    fn.b.CreateCondBr(bad, look, fine, fn.weights(false));
    fn.b.SetInsertPoint(look);
    V ok = call_rarely<ww_rt_resolve>(fn, {fn.i32(fn.layout.first_site + a.site), address, fn.i64(span), fn.i64(most),
                                           fn.mask64(lanes), fn.i32(fn.at.first_lane)});
    fn.b.CreateCondBr(fn.b.CreateICmpNE(ok, fn.i32(0)), fine, fn.flow.error);
    fn.b.SetInsertPoint(fine);
}

std::vector<V> store_values(FunctionState& fn, const Access& a) {
    std::vector<V> values;
    for (unsigned k = 0; k < a.count; ++k) {
        auto t = element(fn, a.inst->type);
        values.push_back(vector_bits(fn, a.inst->in[1 + k], t));
    }
    return values;
}

void define_loaded(FunctionState& fn, const Access& a, V bundled) {
    for (unsigned e = 0; e < a.count; ++e) {
        const auto v = a.inst->out[e];
        if (v == kNone) continue;
        define(fn, v, extend_loaded(fn, unbundle(fn, bundled, e, a.count), a.inst->type, v));
    }
}

}  // namespace warpwright::engine::codegen
