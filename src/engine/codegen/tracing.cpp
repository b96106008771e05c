// The kind of an atomic is decided as an assembler would decide it, because the model of time needs the form that it
// has in machine code: summed over the warp first, a loop of compare-and-swap, a count, or plain.
#include "engine/codegen/tracing.hpp"
#include "engine/codegen/code_places.hpp"

#include <algorithm>

#include "engine/codegen/access.hpp"
#include "engine/codegen/atomic_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/self_timing.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/traced_access.hpp"
#include "machine/view.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;

void trace_block(FunctionState& fn, simt::BlockId b) {
    const PlacedAs as(fn, host_time::Work::tracing);
    if (!fn.options.trace) return;
    V lanes = fn.active();
    call<ww_rt_trace_block>(fn, {fn.i32(fn.layout.first_block + b), fn.mask64(lanes)});
}

namespace {

using Kind = TracedAccess::Kind;

/// Sums, extrema and logic of whole numbers of 32 bits: what the assembler sums over the lanes of a warp first where
/// it knows that they want one address.
bool sums_first(const simt::Inst& i) {
    using simt::Mod;
    return i.ptx && !simt::is_float(i.type) && simt::bits(i.type) == 32 && !i.ptx->has(Mod::cas) &&
           !i.ptx->has(Mod::exch) && !i.ptx->has(Mod::inc) && !i.ptx->has(Mod::dec);
}

/// Whether an assembler knows that all threads of a block have the same value: it follows from parameters, constants
/// and the block's place alone. (Our shapes know more: they depend on the block's size.)
bool same_in_block(const simt::Function& f, const simt::Operand& o, unsigned depth = 0) {
    constexpr unsigned kDeepest = 16;
    if (!o.is_value()) return true;
    const auto& value = f.values[o.value];
    if (depth == kDeepest || value.block == simt::kNone || value.inst == simt::kNone) return false;
    const auto& i = f.blocks[value.block].insts[value.inst];
    using S = simt::SpecialReg;
    switch (i.kind) {
        case InstKind::special:
            return i.special == S::ctaid_x || i.special == S::ctaid_y || i.special == S::ctaid_z ||
                   i.special == S::ntid_x || i.special == S::nctaid_x;
        case InstKind::load:
            if (i.space != simt::Space::param && i.space != simt::Space::constant) return false;
            break;
        case InstKind::data:
        case InstKind::move:
        case InstKind::select:
        case InstKind::pack:
        case InstKind::unpack:
        case InstKind::address:
        case InstKind::param:
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::add_offset:
            break;
        default:
            return false;
    }
    return std::all_of(i.in.begin(), i.in.end(), [&](const auto& in) { return same_in_block(f, in, depth + 1); });
}

Kind kind_of(const FunctionState& fn, const simt::Inst& i) {
    if (i.kind == InstKind::copy_async) return Kind::copy;
    if (i.kind == InstKind::store || i.kind == InstKind::matrix_store) return Kind::store;
    if (i.kind != InstKind::atomic) return Kind::load;
    if (same_in_block(fn.ir, i.in[0]) && sums_first(i)) return Kind::atomic_once;
    if (machine::is_compare_and_swap(i)) return Kind::atomic_cas;
    const bool one = i.ptx && i.ptx->has(simt::Mod::add) && i.in.size() > 1 && is_one(fn, i.in[1]);
    const bool read = std::any_of(i.out.begin(), i.out.end(), [](auto v) { return v != simt::kNone; });
    return one && !read && simt::bits(i.type) == 32 ? Kind::atomic_count : Kind::atomic;
}

}  // namespace

/// From where (null: nothing is read, zeros are written), and behind that to where.
static void trace_copy(FunctionState& fn, const simt::Inst& i, V addresses) {
    V from = address_vector(fn, i.in[1], 0);
    if (i.in.size() > 2) {
        const bool predicate = i.in[2].is_value() && fn.ir.values[i.in[2].value].type == simt::Type::pred;
        V none = predicate ? vector(fn, i.in[2], fn.b.getInt1Ty())
                           : fn.b.CreateICmpEQ(vector(fn, i.in[2], fn.b.getInt64Ty()), fn.splat(fn.i64(0)));
        from = fn.b.CreateSelect(none, fn.splat(fn.i64(0)), from);
    }
    fn.b.CreateAlignedStore(from, addresses, llvm::Align(64));
    fn.b.CreateAlignedStore(address_vector(fn, i.in[0], i.offset), fn.field(addresses, 8 * fn.lanes), llvm::Align(64));
}

void trace_access(FunctionState& fn, const simt::Inst& i) {
    const PlacedAs as(fn, host_time::Work::tracing);
    if ((!fn.options.trace && !fn.times.on) || !machine::is_traced(i)) return;
    if (i.kind == InstKind::async_op || i.kind == InstKind::async_wait) return;  // they tell of their steps
    if ((i.kind == InstKind::matrix_load || i.kind == InstKind::matrix_store) && i.ptx && i.ptx->op == simt::Op::wmma)
        return;  // its pieces are traced where they are moved
    TracedAccess what;
    what.bytes = static_cast<std::uint8_t>(machine::traced_bytes(i));
    what.space = i.space;
    if (i.kind == InstKind::copy_async) what.space = simt::Space::global;
    if (i.kind == InstKind::matrix_load || i.kind == InstKind::matrix_store) what.space = simt::Space::shared;
    what.kind = kind_of(fn, i);
    V addresses = fn.buffer(9, 16 * fn.lanes);
    if (i.kind == InstKind::copy_async)
        trace_copy(fn, i, addresses);
    else
        fn.b.CreateAlignedStore(address_vector(fn, i.in[0], i.offset), addresses, llvm::Align(64));
    V lanes = fn.mask64(fn.active());
    if (fn.options.trace) call<ww_rt_trace_access>(fn, {fn.i32(what.packed()), addresses, lanes});
    if (fn.times.on)
        time_result(
            fn, i,
            call<ww_rt_timed_access>(fn, {fn.i32(what.packed()), fn.i32(is_past_first(fn, i)), addresses, lanes}));
}

}  // namespace warpwright::engine::codegen
