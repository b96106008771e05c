// Addresses and operands go through buffers, one element of all lanes after the other. An addition of the constant 1
// whose result is unused is noted at its site, because shared memory counts its lanes together.
#include "engine/codegen/atomic_access.hpp"

#include <algorithm>

#include "engine/codegen/access.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Space;

bool is_one(const FunctionState& fn, simt::Operand o) {
    for (unsigned steps = 0; o.is_value() && steps < 8; ++steps) {
        const auto& v = fn.ir.values[o.value];
        if (v.block >= fn.ir.blocks.size() || v.inst >= fn.ir.blocks[v.block].insts.size()) return false;
        const auto& from = fn.ir.blocks[v.block].insts[v.inst];
        if (from.kind != InstKind::move || from.in.size() != 1 || from.out[0] != o.value) return false;
        o = from.in[0];
    }
    return o.is_integer() && o.bits == 1;
}

namespace {

/// The site of the read; the site of the write follows it.
unsigned copy_site(FunctionState& fn, const simt::Inst& i) {
    if (auto found = fn.site_of.find(&i); found != fn.site_of.end()) return found->second;
    auto from = site_at(fn, i, Space::global);
    from.bytes = i.copy_bytes;
    from.kind = SiteInfo::Kind::load;
    from.counted = fn.options.counters;
    auto to = from;
    to.space = Space::shared;
    to.kind = SiteInfo::Kind::copy;
    const auto site = add_site(fn, from);
    add_site(fn, to);
    return fn.site_of[&i] = site;
}

}  // namespace

Result<void> emit_atomic(FunctionState& fn, const simt::Inst& i) {
    auto op = atomic_op(*i.ptx, i.type);
    if (!op) return fn.unsupported(i, op.error().what);
    const auto site = site_index(fn, i);
    auto& info = fn.layout.sites[site];
    info.operation = static_cast<std::uint32_t>(*op);
    const unsigned bytes = simt::bytes(i.type);
    if (bytes > 8) return fn.unsupported(i, "128-bit atomics are not supported");
    using simt::Mod;
    const unsigned operands = static_cast<unsigned>(i.in.size()) - 1;
    const bool vectored = i.out.size() > 1 || i.ptx->access.vector > 1;
    info.count = vectored ? operands : 1;
    if (bytes * info.count > 16 || (info.count & (info.count - 1)) != 0)
        return fn.unsupported(i, "this access width is not supported");
    const bool unused = std::all_of(i.out.begin(), i.out.end(), [](simt::ValueId v) { return v == kNone; });
    info.counts_ones = *op == AtomicOp::add_int && !vectored && unused && operands == 1 && is_one(fn, i.in[1]);
    V mask = fn.active();
    auto t = fn.b.getIntNTy(8 * bytes);
    V addresses = fn.buffer(0, 8 * fn.lanes), b = fn.buffer(1, 16 * fn.lanes), c = fn.buffer(2, 16 * fn.lanes),
      out = fn.buffer(3, 16 * fn.lanes);
    fn.b.CreateAlignedStore(address_vector(fn, i.in[0], i.offset), addresses, llvm::Align(64));
    const auto place = [&](V where, unsigned e) { return fn.field(where, std::uint64_t{e} * bytes * fn.lanes); };
    for (unsigned e = 0; e < info.count; ++e) {
        V x = vector_bits(fn, i.in[1 + e], t);
        fn.b.CreateAlignedStore(x, place(b, e), llvm::Align(bytes));
    }
    if (!vectored && operands > 1) fn.b.CreateAlignedStore(vector_bits(fn, i.in[2], t), c, llvm::Align(64));
    fail_if_zero(fn, call<ww_rt_atomic>(fn, {site_number(fn, site), addresses, fn.mask64(mask), b, c, out}));
    for (unsigned e = 0; e < i.out.size(); ++e)
        if (i.out[e] != kNone)
            define(fn, i.out[e], fn.b.CreateAlignedLoad(fn.vec(t), place(out, e), llvm::Align(bytes)));
    return {};
}

Result<void> emit_copy_async(FunctionState& fn, const simt::Inst& i) {
    const auto site = copy_site(fn, i);
    V mask = fn.active();
    V to = fn.buffer(0, 8 * fn.lanes), from = fn.buffer(1, 8 * fn.lanes), sizes = fn.buffer(2, 8 * fn.lanes);
    fn.b.CreateAlignedStore(address_vector(fn, i.in[0], i.offset), to, llvm::Align(64));
    fn.b.CreateAlignedStore(address_vector(fn, i.in[1], 0), from, llvm::Align(64));
    V size = fn.splat(fn.i64(i.copy_bytes));
    if (i.in.size() > 2) {
        const bool predicate = i.in[2].is_value() && fn.ir.values[i.in[2].value].type == simt::Type::pred;
        size = predicate ? fn.b.CreateSelect(vector(fn, i.in[2], fn.b.getInt1Ty()), fn.splat(fn.i64(0)), size)
                         : vector(fn, i.in[2], fn.b.getInt64Ty());
    }
    fn.b.CreateAlignedStore(size, sizes, llvm::Align(64));
    fail_if_zero(fn, call<ww_rt_copy_async>(fn, {site_number(fn, site), to, from, sizes, fn.mask64(mask)}));
    return {};
}

}  // namespace warpwright::engine::codegen
