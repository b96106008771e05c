// Warp-matrix instructions: fragments go through memory to C++ functions, which know the layouts (tensor/).
#include "engine/codegen/codegen.hpp"
#include "engine/tensor/tensor.hpp"

namespace warpwright::engine {

using ptx::Op;
using simt::InstKind;
using simt::kNone;

/// Puts a register of every lane into a fragment buffer; gives the words it took.
unsigned Codegen::put_fragment(V buffer, unsigned word, const simt::Operand& o) {
    const unsigned bits = o.is_value() ? value_type(o.value)->getScalarSizeInBits() : 32;
    if (bits == 64) {
        V x = vector_bits(o, b_.getInt64Ty());
        b_.CreateAlignedStore(b_.CreateTrunc(x, vec(b_.getInt32Ty())), field(buffer, word * 4 * lanes_),
                              llvm::Align(64));
        b_.CreateAlignedStore(b_.CreateTrunc(b_.CreateLShr(x, splat(i64(32))), vec(b_.getInt32Ty())),
                              field(buffer, (word + 1) * 4 * lanes_), llvm::Align(64));
        return 2;
    }
    b_.CreateAlignedStore(vector_bits(o, b_.getInt32Ty()), field(buffer, word * 4 * lanes_), llvm::Align(64));
    return 1;
}

void Codegen::take_fragment(V buffer, const std::vector<simt::ValueId>& outs) {
    unsigned word = 0;
    for (auto v : outs) {
        auto t = vec(b_.getInt32Ty());
        const unsigned bits = v == kNone ? 32 : value_type(v)->getScalarSizeInBits();
        V x = b_.CreateAlignedLoad(t, field(buffer, word++ * 4 * lanes_), llvm::Align(64));
        if (bits == 64) {
            V high = b_.CreateAlignedLoad(t, field(buffer, word++ * 4 * lanes_), llvm::Align(64));
            auto wide = vec(b_.getInt64Ty());
            x = b_.CreateOr(b_.CreateZExt(x, wide), b_.CreateShl(b_.CreateZExt(high, wide), splat(i64(32))));
        }
        if (v != kNone) define(v, x);
    }
}

unsigned Codegen::form_index(const simt::Inst& i, std::shared_ptr<void> form) {
    auto found = form_of_.find(&i);
    if (found != form_of_.end()) return found->second;
    layout_.forms.push_back(std::move(form));
    const auto index = layout_.first_form + static_cast<unsigned>(layout_.forms.size()) - 1;
    form_of_[&i] = index;
    return index;
}

Result<void> Codegen::matrix(const simt::Inst& i) {
    if (lanes_ != 32) return unsupported(i, "matrix instructions need warps of 32 lanes");
    constexpr std::uint64_t kFragment = 4 * 64 * 32;
    V a = buffer(10, kFragment), b = buffer(11, kFragment), c = buffer(12, kFragment), d = buffer(13, kFragment);
    if (i.kind == InstKind::matrix_move) {
        put_fragment(a, 0, i.in[0]);
        runtime<ww_rt_movmatrix>({a, d});
        take_fragment(d, i.out);
        return {};
    }
    auto form = decode_mma(*i.ptx);
    if (!form) {
        auto e = form.error();
        if (e.where.file.empty()) e.where = {f_.module->name, i.ptx->line, i.ptx->column};
        return e;
    }
    const auto counts = register_counts(*form);
    if (!layout_.insts.empty() && layout_.insts.back().ptx == i.ptx) layout_.insts.back().matrix_flops = flops(*form);
    std::size_t next = 0;
    auto take = [&](V to, unsigned words) -> bool {
        for (unsigned w = 0; w < words;) {
            if (next >= i.in.size()) return false;
            w += put_fragment(to, w, i.in[next++]);
        }
        return true;
    };
    if (!take(a, counts.a) || !take(b, counts.b) || !take(c, counts.c))
        return unsupported(i, "has too few registers for its shape");
    V metadata = llvm::ConstantPointerNull::get(b_.getPtrTy());
    if (form->sparse && next < i.in.size()) {
        metadata = buffer(14, 4 * lanes_);
        put_fragment(metadata, 0, i.in[next]);
    }
    const auto index = form_index(i, std::make_shared<MmaForm>(*form));
    runtime<ww_rt_matrix>({i32(index), a, b, c, d, metadata});
    take_fragment(d, i.out);
    return {};
}

Result<void> Codegen::matrix_memory(const simt::Inst& i) {
    if (lanes_ != 32) return unsupported(i, "matrix instructions need warps of 32 lanes");
    const bool store = i.kind == InstKind::matrix_store, wmma = i.ptx->op == Op::wmma;
    std::shared_ptr<void> form;
    std::uint32_t requests = 1, bytes = 16;
    auto located = [&](Error e) {
        if (e.where.file.empty()) e.where = {f_.module->name, i.ptx->line, i.ptx->column};
        return e;
    };
    std::size_t first_data = 1;
    V stride = buffer(2, 8 * lanes_);
    if (wmma) {
        auto map = decode_wmma_memory(*i.ptx);
        if (!map) return located(map.error());
        const std::size_t registers = map->registers;
        const bool given = store ? i.in.size() > registers + 1 : i.in.size() > 1;
        if (given) first_data = 2;
        V s = given ? vector(i.in[1], b_.getInt32Ty()) : splat(i32(map->default_stride));
        b_.CreateAlignedStore(b_.CreateZExt(s, vec(b_.getInt64Ty())), stride, llvm::Align(64));
        const bool whole = map->register_contiguous() || map->element_bits < 8;
        requests = map->registers * (whole ? 1 : map->per_register);
        bytes = std::max(1u, (whole ? map->element_bits * map->per_register : map->element_bits) / 8);
        form = std::make_shared<WmmaMap>(*map);
    } else {
        auto move = decode_matrix_move(*i.ptx);
        if (!move) return located(move.error());
        form = std::make_shared<MatrixMove>(*move);
    }
    const auto index = form_index(i, form);
    auto found = site_of_.find(&i);
    if (found == site_of_.end()) {
        SiteInfo s;
        s.ptx = i.ptx;
        s.block = at_;
        s.space = wmma ? i.space : ptx::Space::shared;
        s.bytes = bytes;
        s.kind = store ? SiteInfo::Kind::store : SiteInfo::Kind::load;
        s.counted = options_.counters;
        s.requests = requests;
        layout_.sites.push_back(s);
        found = site_of_.emplace(&i, static_cast<unsigned>(layout_.sites.size() - 1)).first;
    }
    constexpr std::uint64_t kFragment = 4 * 64 * 32;
    V addresses = buffer(0, 8 * lanes_), data = buffer(10, kFragment);
    b_.CreateAlignedStore(address_vector(i, i.in[0], i.offset), addresses, llvm::Align(64));
    if (store) {
        unsigned word = 0;
        for (std::size_t k = first_data; k < i.in.size(); ++k) word += put_fragment(data, word, i.in[k]);
    }
    V mask = copy_ == kFull ? full_mask() : mask_;
    const V arguments[] = {i32(layout_.first_site + found->second), i32(index), addresses, stride, mask64(mask), data};
    fail_if_zero(wmma ? runtime<ww_rt_wmma>(arguments) : runtime<ww_rt_matrix_rows>(arguments));
    if (!store) take_fragment(data, i.out);
    return {};
}

}  // namespace warpwright::engine
