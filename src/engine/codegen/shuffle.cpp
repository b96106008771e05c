// Source lanes and the predicate follow the ISA's definition of shfl.sync. Operands that are constant give a fixed
// permutation of LLVM's, others an instruction of AVX-512 or a call.
#include "engine/codegen/shuffle.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/values.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;
using simt::Mod;

std::uint32_t shuffle_mode(const simt::Details& i) {
    return i.has(Mod::up) ? 0 : i.has(Mod::down) ? 1 : i.has(Mod::bfly) ? 2 : 3;
}

namespace {

/// The source lane of every lane within its 32, computed at run time; `in`: whether it was in range.
V shuffle_sources(FunctionState& fn, const simt::Inst& i, V& in) {
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    auto word = fn.b.getInt32Ty();
    simt::LaneVector own{};
    for (unsigned k = 0; k < fn.lanes; ++k) own[k] = k & 31;
    V lane = lane_constant(fn, own, 32), five = fn.splat(fn.i32(31));
    V by = fn.b.CreateAnd(vector(fn, i.in[1], word), five), c = vector(fn, i.in[2], word);
    V segment = fn.b.CreateAnd(fn.b.CreateLShr(c, fn.splat(fn.i32(8))), five), rest = fn.b.CreateNot(segment);
    V first = fn.b.CreateAnd(lane, segment);
    V top = fn.b.CreateOr(first, fn.b.CreateAnd(fn.b.CreateAnd(c, five), rest));
    V j = up     ? fn.b.CreateSub(lane, by)
          : down ? fn.b.CreateAdd(lane, by)
          : bfly ? fn.b.CreateXor(lane, by)
                 : fn.b.CreateOr(first, fn.b.CreateAnd(by, rest));
    in = up ? fn.b.CreateICmpSGE(j, top) : fn.b.CreateICmpSLE(j, top);
    return fn.b.CreateSelect(in, j, lane);
}

/// Permutes words within each 32 lanes, by AVX-512's permutation of 16 from 32.
V permute(FunctionState& fn, V words, V from) {
    auto sixteen = [&](V x, unsigned first) {
        std::vector<int> lanes(16);
        for (unsigned k = 0; k < 16; ++k) lanes[k] = static_cast<int>(first + k);
        return fn.b.CreateShuffleVector(x, lanes);
    };
    std::vector<V> parts;
    for (unsigned first = 0; first < fn.lanes; first += 16)
        parts.push_back(fn.b.CreateIntrinsic(
            llvm::Intrinsic::x86_avx512_vpermi2var_d_512, {},
            {sixteen(words, first & ~31u), sixteen(from, first), sixteen(words, (first & ~31u) + 16)}));
    while (parts.size() > 1) {
        std::vector<V> joined;
        for (std::size_t k = 0; k < parts.size(); k += 2) {
            std::vector<int> both(2 * llvm::cast<llvm::FixedVectorType>(parts[k]->getType())->getNumElements());
            for (std::size_t n = 0; n < both.size(); ++n) both[n] = static_cast<int>(n);
            joined.push_back(fn.b.CreateShuffleVector(parts[k], parts[k + 1], both));
        }
        parts = joined;
    }
    return parts[0];
}

/// A shuffle whose source lanes are known at compile time (ISA: shfl.sync).
void known_shuffle(FunctionState& fn, const simt::Inst& i, V a) {
    const bool up = i.ptx->has(Mod::up), down = i.ptx->has(Mod::down), bfly = i.ptx->has(Mod::bfly);
    std::vector<int> from;
    std::vector<llvm::Constant*> good;
    const unsigned b = i.in[1].bits & 31, c = static_cast<unsigned>(i.in[2].bits);
    const unsigned clamp = c & 31, segment = c >> 8 & 31;
    for (unsigned lane = 0; lane < fn.lanes; ++lane) {
        const unsigned l = lane & 31, top = (l & segment) | (clamp & ~segment), low = l & segment;
        int j;
        bool p;
        if (up) {
            j = static_cast<int>(l) - static_cast<int>(b);
            p = j >= static_cast<int>(top);
        } else if (down) {
            j = static_cast<int>(l + b);
            p = j <= static_cast<int>(top);
        } else if (bfly) {
            j = static_cast<int>(l ^ b);
            p = j <= static_cast<int>(top);
        } else {
            j = static_cast<int>(low | (b & ~segment));
            p = j <= static_cast<int>(top);
        }
        from.push_back(p ? j + static_cast<int>(lane & ~31u) : static_cast<int>(lane));
        good.push_back(p ? fn.b.getTrue() : fn.b.getFalse());
    }
    if (i.out[0] != kNone) define(fn, i.out[0], fn.b.CreateShuffleVector(a, from));
    if (i.out.size() > 1 && i.out[1] != kNone) define(fn, i.out[1], llvm::ConstantVector::get(good));
}

/// Permutes the warp's words with two instructions.
void permuted_shuffle(FunctionState& fn, const simt::Inst& i, V a) {
    V in = nullptr, from = shuffle_sources(fn, i, in);
    if (i.out[0] != kNone) define(fn, i.out[0], permute(fn, a, from));
    if (i.out.size() > 1 && i.out[1] != kNone) define(fn, i.out[1], in);
}

void runtime_shuffle(FunctionState& fn, const simt::Inst& i, V a) {
    auto word = fn.b.getInt32Ty();
    V values = fn.buffer(0, 8 * fn.lanes), lanes = fn.buffer(1, 8 * fn.lanes), clamps = fn.buffer(2, 8 * fn.lanes),
      out = fn.buffer(3, 8 * fn.lanes), flags = fn.buffer(5, 8 * fn.lanes);
    fn.b.CreateAlignedStore(a, values, llvm::Align(64));
    fn.b.CreateAlignedStore(vector(fn, i.in[1], word), lanes, llvm::Align(64));
    fn.b.CreateAlignedStore(vector(fn, i.in[2], word), clamps, llvm::Align(64));
    call<ww_rt_shuffle>(fn, {fn.i32(shuffle_mode(*i.ptx)), fn.i32(fn.lanes), values, lanes, clamps, out, flags});
    if (i.out[0] != kNone) define(fn, i.out[0], fn.b.CreateAlignedLoad(fn.vec(word), out, llvm::Align(64)));
    if (i.out.size() > 1 && i.out[1] != kNone)
        define(fn, i.out[1],
               fn.b.CreateICmpNE(fn.b.CreateAlignedLoad(fn.vec(word), flags, llvm::Align(64)), fn.splat(fn.i32(0))));
}
}  // namespace

Result<void> emit_shuffle(FunctionState& fn, const simt::Inst& i) {
    V a = vector_bits(fn, i.in[0], fn.b.getInt32Ty());
    if (i.in[1].is_integer() && i.in[2].is_integer())
        known_shuffle(fn, i, a);
    else if (fn.options.permutes && fn.lanes % 32 == 0)
        permuted_shuffle(fn, i, a);
    else
        runtime_shuffle(fn, i, a);
    return {};
}

}  // namespace warpwright::engine::codegen
