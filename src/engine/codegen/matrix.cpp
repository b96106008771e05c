// Shapes and types are checked when the code is generated. A register becomes one or two words of a fragment's buffer,
// and a load or store of a matrix is counted as ordinary requests.
#include "engine/codegen/matrix.hpp"

#include "engine/codegen/access.hpp"
#include "engine/codegen/counting.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/tensor/tensor.hpp"

namespace warpwright::engine::codegen {

using simt::InstKind;
using simt::kNone;
using simt::Op;

unsigned put_fragment(FunctionState& fn, V buffer, unsigned word, const simt::Operand& o) {
    const unsigned bits = o.is_value() ? value_type(fn, o.value)->getScalarSizeInBits() : 32;
    if (bits == 64) {
        V x = vector_bits(fn, o, fn.b.getInt64Ty());
        V lower = fn.b.CreateTrunc(x, fn.vec(fn.b.getInt32Ty()));
        V upper = fn.b.CreateTrunc(fn.b.CreateLShr(x, fn.splat(fn.i64(32))), fn.vec(fn.b.getInt32Ty()));
        fn.b.CreateAlignedStore(lower, fn.field(buffer, word * 4 * fn.lanes), llvm::Align(64));
        fn.b.CreateAlignedStore(upper, fn.field(buffer, (word + 1) * 4 * fn.lanes), llvm::Align(64));
        return 2;
    }
    V x = vector_bits(fn, o, fn.b.getInt32Ty());
    fn.b.CreateAlignedStore(x, fn.field(buffer, word * 4 * fn.lanes), llvm::Align(64));
    return 1;
}

void take_fragment(FunctionState& fn, V buffer, const std::vector<simt::ValueId>& outs) {
    unsigned word = 0;
    for (auto v : outs) {
        auto t = fn.vec(fn.b.getInt32Ty());
        const unsigned bits = v == kNone ? 32 : value_type(fn, v)->getScalarSizeInBits();
        V x = fn.b.CreateAlignedLoad(t, fn.field(buffer, word++ * 4 * fn.lanes), llvm::Align(64));
        if (bits == 64) {
            V high = fn.b.CreateAlignedLoad(t, fn.field(buffer, word++ * 4 * fn.lanes), llvm::Align(64));
            auto wide = fn.vec(fn.b.getInt64Ty());
            V lower = fn.b.CreateZExt(x, wide);
            V upper = fn.b.CreateShl(fn.b.CreateZExt(high, wide), fn.splat(fn.i64(32)));
            x = fn.b.CreateOr(lower, upper);
        }
        if (v != kNone) define(fn, v, x);
    }
}

namespace {

/// Bytes of a fragment buffer: 64 words of 32 lanes.
constexpr std::uint64_t kFragment = 4 * 64 * 32;

/// The site of a matrix load or store: `requests` ordinary accesses of `bytes` per lane.
unsigned matrix_site(FunctionState& fn, const simt::Inst& i, std::uint32_t requests, std::uint32_t bytes) {
    if (auto found = fn.site_of.find(&i); found != fn.site_of.end()) return found->second;
    auto s = site_at(fn, i, i.ptx->op == Op::wmma ? i.space : simt::Space::shared);
    s.bytes = bytes;
    s.kind = i.kind == InstKind::matrix_store ? SiteInfo::Kind::store : SiteInfo::Kind::load;
    s.counted = fn.options.counters;
    s.requests = requests;
    return fn.site_of[&i] = add_site(fn, s);
}

}  // namespace

Result<void> emit_matrix(FunctionState& fn, const simt::Inst& i) {
    if (fn.lanes != 32) return fn.unsupported(i, "matrix instructions need warps of 32 lanes");
    V a = fn.buffer(10, kFragment), b = fn.buffer(11, kFragment), c = fn.buffer(12, kFragment),
      d = fn.buffer(13, kFragment);
    if (i.kind == InstKind::matrix_move) {
        put_fragment(fn, a, 0, i.in[0]);
        call<ww_rt_movmatrix>(fn, {a, d});
        take_fragment(fn, d, i.out);
        return {};
    }
    auto form = decode_mma(*i.ptx);
    if (!form) return fn.located(form.error(), i);
    const auto counts = register_counts(*form);
    count_matrix_flops(fn, i, flops(*form));
    std::size_t next = 0;
    auto take = [&](V to, unsigned words) -> bool {
        for (unsigned w = 0; w < words;) {
            if (next >= i.in.size()) return false;
            w += put_fragment(fn, to, w, i.in[next++]);
        }
        return true;
    };
    if (!take(a, counts.a) || !take(b, counts.b) || !take(c, counts.c))
        return fn.unsupported(i, "has too few registers for its shape");
    V metadata = llvm::ConstantPointerNull::get(fn.b.getPtrTy());
    if (form->sparse && next < i.in.size()) {
        metadata = fn.buffer(14, 4 * fn.lanes);
        put_fragment(fn, metadata, 0, i.in[next]);
    }
    const auto index = form_index(fn, i, std::make_shared<MmaForm>(*form));
    call<ww_rt_matrix>(fn, {fn.i32(index), a, b, c, d, metadata});
    take_fragment(fn, d, i.out);
    return {};
}

Result<void> emit_matrix_memory(FunctionState& fn, const simt::Inst& i) {
    if (fn.lanes != 32) return fn.unsupported(i, "matrix instructions need warps of 32 lanes");
    const bool store = i.kind == InstKind::matrix_store, wmma = i.ptx->op == Op::wmma;
    std::shared_ptr<void> form;
    std::uint32_t requests = 1, bytes = 16;
    std::size_t first_data = 1;
    V stride = fn.buffer(2, 8 * fn.lanes);
    if (wmma) {
        auto map = decode_wmma_memory(*i.ptx);
        if (!map) return fn.located(map.error(), i);
        const std::size_t registers = map->registers;
        const bool given = store ? i.in.size() > registers + 1 : i.in.size() > 1;
        if (given) first_data = 2;
        V s = given ? vector(fn, i.in[1], fn.b.getInt32Ty()) : fn.splat(fn.i32(map->default_stride));
        fn.b.CreateAlignedStore(fn.b.CreateZExt(s, fn.vec(fn.b.getInt64Ty())), stride, llvm::Align(64));
        const bool whole = map->register_contiguous() || map->element_bits < 8;
        requests = map->registers * (whole ? 1 : map->per_register);
        bytes = std::max(1u, (whole ? map->element_bits * map->per_register : map->element_bits) / 8);
        form = std::make_shared<WmmaMap>(*map);
    } else {
        auto move = decode_matrix_move(*i.ptx);
        if (!move) return fn.located(move.error(), i);
        form = std::make_shared<MatrixMove>(*move);
    }
    const auto index = form_index(fn, i, form);
    const auto site = matrix_site(fn, i, requests, bytes);
    V addresses = fn.buffer(0, 8 * fn.lanes), data = fn.buffer(10, kFragment);
    fn.b.CreateAlignedStore(address_vector(fn, i.in[0], i.offset), addresses, llvm::Align(64));
    if (store) {
        unsigned word = 0;
        for (std::size_t k = first_data; k < i.in.size(); ++k) word += put_fragment(fn, data, word, i.in[k]);
    }
    V mask = fn.active();
    const V arguments[] = {site_number(fn, site), fn.i32(index), addresses, stride, fn.mask64(mask), data};
    fail_if_zero(fn, wmma ? call<ww_rt_wmma>(fn, arguments) : call<ww_rt_matrix_rows>(fn, arguments));
    if (!store) take_fragment(fn, data, i.out);
    return {};
}

}  // namespace warpwright::engine::codegen
