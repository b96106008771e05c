#include "engine/codegen/tracing.hpp"

#include <algorithm>

#include "engine/codegen/access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/values.hpp"
#include "engine/runtime/tracing.hpp"
#include "machine/view.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;

void trace_block(FunctionState& fn, simt::BlockId b) {
    if (!fn.options.trace) return;
    V lanes = fn.active();
    call<ww_rt_trace_block>(fn, {fn.i32(fn.layout.first_block + b), fn.mask64(lanes)});
}

namespace {

using Kind = TracedAccess::Kind;

/// Sums, extrema and logic of whole numbers of 32 bits: what the assembler sums over the lanes of a warp first where
/// it knows that they want one address.
bool sums_first(const simt::Inst& i) {
    using ptx::Mod;
    return i.ptx && !ptx::is_float(i.type) && ptx::bits(i.type) == 32 && !i.ptx->has(Mod::cas) &&
           !i.ptx->has(Mod::exch) && !i.ptx->has(Mod::inc) && !i.ptx->has(Mod::dec);
}

Kind kind_of(const FunctionState& fn, const simt::Inst& i) {
    if (i.kind == InstKind::store || i.kind == InstKind::matrix_store) return Kind::store;
    if (i.kind != InstKind::atomic) return Kind::load;
    if (fn.uniform(i.in[0]) && sums_first(i)) return Kind::atomic_once;
    if (machine::is_compare_and_swap(i)) return Kind::atomic_cas;
    const bool one = i.ptx && i.ptx->has(ptx::Mod::add) && i.in.size() > 1 && i.in[1].is_integer() && i.in[1].bits == 1;
    const bool read = std::any_of(i.out.begin(), i.out.end(), [](auto v) { return v != simt::kNone; });
    return one && !read && ptx::bits(i.type) == 32 ? Kind::atomic_count : Kind::atomic;
}

}  // namespace

void trace_access(FunctionState& fn, const simt::Inst& i) {
    if (!fn.options.trace || !machine::is_traced(i)) return;
    TracedAccess what;
    what.bytes = static_cast<std::uint8_t>(machine::traced_bytes(i));
    what.space = i.space;
    if (i.kind == InstKind::copy_async) what.space = ptx::Space::global;
    if (i.kind == InstKind::matrix_load || i.kind == InstKind::matrix_store)
        what.space = i.ptx && i.ptx->op == ptx::Op::wmma ? i.space : ptx::Space::shared;
    what.kind = kind_of(fn, i);
    const auto& address = i.kind == InstKind::copy_async ? i.in[1] : i.in[0];
    V addresses = fn.buffer(9, 8 * fn.lanes);
    fn.b.CreateAlignedStore(address_vector(fn, address, i.kind == InstKind::copy_async ? 0 : i.offset), addresses,
                            llvm::Align(64));
    V lanes = fn.active();
    call<ww_rt_trace_access>(fn, {fn.i32(what.packed()), addresses, fn.mask64(lanes)});
}

}  // namespace warpwright::engine::codegen
