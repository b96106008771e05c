// Values: where they live, how a uniform or affine one becomes a vector, when a NaN is made canonical.
#include <llvm/IR/Constants.h>

#include <algorithm>

#include "engine/arith/arith.hpp"
#include "engine/codegen/codegen.hpp"
#include "simt/affine.hpp"

namespace warpwright::engine {

using simt::InstKind;
using simt::kNone;
using simt::Operand;
using simt::Shape;

namespace {
/// Blocks times what would have to be merged at the start of each: above this, LLVM's register coalescer takes longer
/// than everything else. No more than a load or a store is saved by registers, of which there are 16.
constexpr std::uint64_t kMostMerges = 4096;
}  // namespace

llvm::Type* Codegen::element(ptx::Type type) {
    switch (type) {
        case ptx::Type::f32:
            return b_.getFloatTy();
        case ptx::Type::f64:
            return b_.getDoubleTy();
        case ptx::Type::pred:
            return b_.getInt1Ty();
        default:
            return b_.getIntNTy(std::max(8u, ptx::bits(type)));
    }
}

llvm::Type* Codegen::value_type(simt::ValueId v) {
    const auto t = f_.values[v].type;
    return t == ptx::Type::b16 ? b_.getInt16Ty() : element(t);
}

/// A slot for every value that another block reads, in whatever way: operands, phi edges, parts of affine forms.
void Codegen::find_slots() {
    crosses_.assign(f_.values.size(), false);
    slots_.assign(f_.values.size(), nullptr);
    local_values_.assign(f_.values.size(), nullptr);
    save_offset_.assign(f_.values.size(), 0);
    auto use = [&](const Operand& o, simt::BlockId b) {
        if (!o.is_value()) return;
        if (f_.values[o.value].block != b) crosses_[o.value] = true;
        for (auto e : extra_[o.value])
            if (f_.values[e].block != b) crosses_[e] = true;
    };
    for (simt::BlockId b = 0; b < f_.blocks.size(); ++b) {
        for (const auto& i : f_.blocks[b].insts) {
            if (i.kind == InstKind::phi) {
                if (i.out[0] != kNone) crosses_[i.out[0]] = true;
                for (std::size_t k = 0; k < i.in.size(); ++k) use(i.in[k], i.from[k]);
            } else {
                for (const auto& o : i.in) use(o, b);
            }
        }
        use(f_.blocks[b].end.condition, b);
    }
    std::uint64_t at = (sizeof(WarpFrame) + 63) / 64 * 64;
    layout_.pending_offset = at;
    if (pending_in_frame_ || !stub_.empty()) at += 8 * f_.blocks.size();
    at = (at + 63) / 64 * 64;
    // Each scalar that is a register is one of LLVM's merges at the start of each block.
    std::uint64_t scalars = 0;
    for (simt::ValueId v = 0; v < f_.values.size(); ++v) scalars += crosses_[v] && scalar_kind(v);
    many_merges_ = !options_.function && f_.blocks.size() * scalars > kMostMerges;
    for (simt::ValueId v = 0; v < f_.values.size(); ++v) {
        if (!crosses_[v]) continue;
        const auto bits =
            std::max<std::uint64_t>(8, f_.values[v].type == ptx::Type::pred ? 8 : ptx::bits(f_.values[v].type));
        const std::uint64_t bytes = scalar_kind(v) ? 16 : bits / 8 * lanes_;
        // Vectors at their natural alignment: loads and stores of slots in the frame say nothing else.
        if (!scalar_kind(v)) at = (at + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
        save_offset_[v] = at;
        at += (bytes + 15) / 16 * 16;
    }
    layout_.frame_bytes = (at + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
}

/// Which values may be a NaN with the host's bits: results of float arithmetic, and what copies them.
void Codegen::find_nans() {
    nan_.assign(f_.values.size(), false);
    bool changed = true;
    while (changed) {
        changed = false;
        for (const auto& block : f_.blocks)
            for (const auto& i : block.insts) {
                bool may = false;
                if (i.kind == InstKind::data) {
                    may = i.ptx && is_arith(*i.ptx) && result_needs_canonical_nan(*i.ptx);
                    if (i.ptx && i.ptx->op == ptx::Op::selp)
                        for (const auto& o : i.in) may |= o.is_value() && nan_[o.value];
                }
                if (i.kind == InstKind::phi || i.kind == InstKind::select || i.kind == InstKind::move)
                    for (const auto& o : i.in) may |= o.is_value() && nan_[o.value];
                if (!may) continue;
                for (auto v : i.out)
                    if (v != kNone && !nan_[v]) nan_[v] = changed = true;
            }
    }
}

bool Codegen::uniform(const Operand& o) const { return !o.is_value() || shapes_.of[o.value] == Shape::uniform; }

Codegen::V Codegen::adapt(V value, llvm::Type* to) {
    auto from = value->getType()->getScalarType();
    if (from == to) return value;
    auto shaped = [&](llvm::Type* t) { return value->getType()->isVectorTy() ? vec(t) : t; };
    if (!from->isIntegerTy()) {
        value = b_.CreateBitCast(value, shaped(b_.getIntNTy(from->getScalarSizeInBits())));
        return adapt(value, to);
    }
    if (!to->isIntegerTy()) {
        auto bits = b_.getIntNTy(to->getScalarSizeInBits());
        return b_.CreateBitCast(adapt(value, bits), shaped(to));
    }
    return b_.CreateZExtOrTrunc(value, shaped(to));
}

Codegen::V Codegen::read(simt::ValueId v) {
    if (local_values_[v]) return local_values_[v];
    if (!slots_[v]) return llvm::Constant::getNullValue(scalar_kind(v) ? value_type(v) : vec(value_type(v)));
    auto value = b_.CreateLoad(slot_type(v), slots_[v]);
    // Not remembered: the place it is loaded may not dominate the next use. SROA makes repeated loads free.
    return value;
}

void Codegen::define(simt::ValueId v, V value) {
    if (v == kNone) return;
    value = adapt(value, value_type(v));
    if (scalar_kind(v)) {
        if (value->getType()->isVectorTy()) value = b_.CreateExtractElement(value, std::uint64_t{0});
    } else if (!value->getType()->isVectorTy()) {
        value = splat(value);
    }
    V keep = value;
    if (slots_[v]) {
        if (copy_ == kPartial && !scalar_kind(v) && (f_.strict || shapes_.escapes[v]))
            keep = blend(mask_, value, b_.CreateLoad(slot_type(v), slots_[v]));
        b_.CreateStore(keep, slots_[v]);
    }
    local_values_[v] = keep;
    local_set_.push_back(v);
}

Codegen::V Codegen::constant(const Operand& o, llvm::Type* type) {
    if (o.kind == Operand::Kind::none) return llvm::Constant::getNullValue(type);
    if (o.kind == Operand::Kind::real) {
        double d;
        float f;
        if (o.f32_bits) {
            auto bits = static_cast<std::uint32_t>(o.bits);
            if (type->isFloatTy()) return b_.CreateBitCast(i32(bits), type);
            __builtin_memcpy(&f, &bits, 4);
            d = f;
        } else {
            __builtin_memcpy(&d, &o.bits, 8);
        }
        if (type->isDoubleTy()) return b_.CreateBitCast(i64(__builtin_bit_cast(std::uint64_t, d)), type);
        f = static_cast<float>(d);
        auto bits = __builtin_bit_cast(std::uint32_t, f);
        if (type->isFloatTy()) return b_.CreateBitCast(i32(bits), type);
        if (type->getScalarSizeInBits() == 64) return i64(o.f32_bits ? o.bits : __builtin_bit_cast(std::uint64_t, d));
        return adapt(i32(bits), type);
    }
    if (type->isFloatTy()) return b_.CreateBitCast(i32(o.bits), type);
    if (type->isDoubleTy()) return b_.CreateBitCast(i64(o.bits), type);
    return llvm::ConstantInt::get(c_, llvm::APInt(64, o.bits).zextOrTrunc(type->getIntegerBitWidth()));
}

Codegen::V Codegen::scalar(const Operand& o, llvm::Type* type) {
    V x;
    if (!o.is_value()) {
        x = constant(o, type);
    } else {
        x = read(o.value);
        if (x->getType()->isVectorTy()) x = b_.CreateExtractElement(x, std::uint64_t{0});
        x = adapt(x, type);
    }
    if (o.negated) x = b_.CreateNot(x);
    return x;
}

Codegen::V Codegen::vector(const Operand& o, llvm::Type* type) {
    V x;
    if (!o.is_value()) {
        x = splat(constant(o, type));
    } else if (shapes_.of[o.value] == Shape::affine) {
        x = adapt(affine_vector(o.value), type);
    } else {
        x = read(o.value);
        if (!x->getType()->isVectorTy()) x = splat(x);
        x = adapt(x, type);
    }
    if (o.negated) x = b_.CreateNot(x);
    return x;
}

Codegen::V Codegen::factor(const simt::Product& p, unsigned bits) {
    V product = nullptr;
    auto type = b_.getIntNTy(bits);
    for (const auto& f : p) {
        V x = scalar(Operand::of(f.value), value_type(f.value));
        x = adapt(x, b_.getIntNTy(x->getType()->getScalarSizeInBits()));
        if (x->getType()->getIntegerBitWidth() < bits)
            x = f.extend == simt::Factor::Extend::zero ? b_.CreateZExt(x, type) : b_.CreateSExt(x, type);
        else
            x = b_.CreateTrunc(x, type);
        product = product ? b_.CreateMul(product, x) : x;
    }
    return product;
}

Codegen::V Codegen::lane_constant(const simt::LaneVector& v, unsigned bits) {
    std::vector<llvm::Constant*> c;
    for (unsigned l = 0; l < lanes_; ++l)
        c.push_back(llvm::ConstantInt::get(c_, llvm::APInt(64, static_cast<std::uint64_t>(v[l])).trunc(bits)));
    return llvm::ConstantVector::get(c);
}

Codegen::V Codegen::approximate(const simt::Affine& a, V base, unsigned bits) {
    base = adapt(base, b_.getIntNTy(bits));
    V x = b_.CreateAdd(splat(base), lane_constant(a.constant, bits));
    for (const auto& t : a.terms)
        x = b_.CreateAdd(x, b_.CreateMul(splat(factor(t.scalar, bits)), lane_constant(t.lanes, bits)));
    return x;
}

/// Lane by lane exact: where the form assumes that 32-bit indices did not wrap, adds what they differ by if they did.
Codegen::V Codegen::affine_vector(simt::ValueId v) {
    const auto& a = shapes_.affine.at(v);
    const unsigned bits = value_type(v)->getIntegerBitWidth();
    V x = approximate(a, read(v), bits);
    for (const auto& [w, times] : a.assumes) {
        const auto type = b_.getInt64Ty();
        auto extend = [&](V y) {
            return w.is_signed ? b_.CreateSExt(y, y->getType()->isVectorTy() ? vec(type) : type)
                               : b_.CreateZExt(y, y->getType()->isVectorTy() ? vec(type) : type);
        };
        V base32 = scalar(Operand::of(w.value), b_.getInt32Ty());
        V exact = extend(vector(Operand::of(w.value), b_.getInt32Ty()));
        auto wide = simt::widened(Operand::of(w.value), shapes_.affine.at(w.value), w.is_signed);
        V taken = approximate(*wide, extend(base32), 64);
        x = b_.CreateAdd(x, b_.CreateMul(b_.CreateSub(exact, taken), splat(i64(static_cast<std::uint64_t>(times)))));
    }
    return x;
}

/// True when no widened 32-bit value wraps in any lane (of the whole warp, active or not).
Codegen::V Codegen::assumptions_hold(const simt::Affine& a) {
    V holds = b_.getTrue();
    for (const auto& [w, times] : a.assumes) {
        auto wide = simt::widened(Operand::of(w.value), shapes_.affine.at(w.value), w.is_signed);
        V base = scalar(Operand::of(w.value), b_.getInt32Ty());
        base = w.is_signed ? b_.CreateSExt(base, b_.getInt64Ty()) : b_.CreateZExt(base, b_.getInt64Ty());
        auto range = [&](const simt::LaneVector& v) { return std::minmax_element(v.begin(), v.begin() + lanes_); };
        auto [low, high] = range(wide->constant);
        V lo = b_.CreateAdd(base, i64(static_cast<std::uint64_t>(*low)));
        V hi = b_.CreateAdd(base, i64(static_cast<std::uint64_t>(*high)));
        for (const auto& t : wide->terms) {
            V s = factor(t.scalar, 64);
            auto [tl, th] = range(t.lanes);
            V x = b_.CreateMul(s, i64(static_cast<std::uint64_t>(*tl))),
              y = b_.CreateMul(s, i64(static_cast<std::uint64_t>(*th)));
            lo = b_.CreateAdd(lo, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y));
            hi = b_.CreateAdd(hi, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y));
        }
        const std::int64_t least = w.is_signed ? -(std::int64_t{1} << 31) : 0;
        const std::int64_t most = w.is_signed ? (std::int64_t{1} << 31) - 1 : (std::int64_t{1} << 32) - 1;
        V fits = b_.CreateAnd(b_.CreateICmpSGE(lo, i64(static_cast<std::uint64_t>(least))),
                              b_.CreateICmpSLE(hi, i64(static_cast<std::uint64_t>(most))));
        holds = b_.CreateAnd(holds, fits);
    }
    return holds;
}

Codegen::V Codegen::mask_vector(V mask) {
    return b_.CreateBitCast(mask, llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_));
}
Codegen::V Codegen::mask_bits(V lanes) { return b_.CreateBitCast(lanes, mask_type_); }

Codegen::V Codegen::blend(V mask, V fresh, V old) {
    if (!mask) return fresh;
    return b_.CreateSelect(mask_vector(mask), fresh, old);
}

}  // namespace warpwright::engine
