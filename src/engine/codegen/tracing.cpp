#include "engine/codegen/tracing.hpp"

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

void trace_access(FunctionState& fn, const simt::Inst& i) {
    if (!fn.options.trace || !machine::is_traced(i)) return;
    TracedAccess what;
    what.bytes = static_cast<std::uint8_t>(machine::traced_bytes(i));
    what.space = i.space;
    if (i.kind == InstKind::copy_async) what.space = ptx::Space::global;
    if (i.kind == InstKind::matrix_load || i.kind == InstKind::matrix_store)
        what.space = i.ptx && i.ptx->op == ptx::Op::wmma ? i.space : ptx::Space::shared;
    what.kind = i.kind == InstKind::atomic                                      ? TracedAccess::Kind::atomic
                : i.kind == InstKind::store || i.kind == InstKind::matrix_store ? TracedAccess::Kind::store
                                                                                : TracedAccess::Kind::load;
    const auto& address = i.kind == InstKind::copy_async ? i.in[1] : i.in[0];
    V addresses = fn.buffer(9, 8 * fn.lanes);
    fn.b.CreateAlignedStore(address_vector(fn, address, i.kind == InstKind::copy_async ? 0 : i.offset), addresses,
                            llvm::Align(64));
    V lanes = fn.active();
    call<ww_rt_trace_access>(fn, {fn.i32(what.packed()), addresses, fn.mask64(lanes)});
}

}  // namespace warpwright::engine::codegen
