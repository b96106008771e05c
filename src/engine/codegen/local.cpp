// Local memory at an address that all lanes share: whole rows of words, in place. Any other goes to the runtime.
#include <algorithm>

#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using simt::kNone;

void Codegen::local_load(Access& a) {
    // Words of a lane's local memory are interleaved over the lanes: an address that all lanes share is one vector.
    if (!uniform(a.inst->in[0]) || options_.check) return runtime_load(a);
    V address = address_scalar(a);
    V size = load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, local_size));
    check_local(a, address, size);
    auto word = b_.getInt32Ty();
    for (unsigned e = 0; e < a.count; ++e) {
        if (a.inst->out[e] == kNone) continue;
        V p = local_words(a, address, e);
        V x = b_.CreateAlignedLoad(vec(word), p, llvm::Align(64));
        if (a.bytes < 4) {
            x = b_.CreateTrunc(b_.CreateLShr(x, splat(bits_before(a, address, e))), vec(b_.getIntNTy(8 * a.bytes)));
        } else if (a.bytes == 8) {
            V high = b_.CreateAlignedLoad(vec(word), field(p, 4 * lanes_), llvm::Align(64));
            auto wide = vec(b_.getInt64Ty());
            x = b_.CreateOr(b_.CreateZExt(x, wide), b_.CreateShl(b_.CreateZExt(high, wide), splat(i64(32))));
        }
        define(a.inst->out[e], extend_loaded(x, a.inst->type, a.inst->out[e]));
    }
    count_local(a);
}

/// The words of all lanes that element e of an access at one address is in, or starts with.
Codegen::V Codegen::local_words(const Access& a, V address, unsigned e) {
    V at = b_.CreateAdd(address, i64(std::uint64_t{e} * a.bytes));
    if (a.bytes < 4) at = b_.CreateAnd(at, i64(~std::uint64_t{3}));
    return b_.CreateGEP(b_.getInt8Ty(), local_, {b_.CreateMul(at, i64(lanes_))});
}

/// Where in its word an element of less than 4 bytes begins.
Codegen::V Codegen::bits_before(const Access& a, V address, unsigned e) {
    V at = b_.CreateAdd(b_.CreateTrunc(address, b_.getInt32Ty()), i32(e * a.bytes));
    return b_.CreateShl(b_.CreateAnd(at, i32(3)), i32(3));
}

void Codegen::check_local(const Access& a, V address, V size) {
    V low = b_.CreateAnd(address, i64(a.total() - 1));
    V end = b_.CreateAdd(address, i64(a.total()));
    V bad = b_.CreateOr(b_.CreateICmpNE(low, i64(0)),
                        b_.CreateOr(b_.CreateICmpUGT(end, size), b_.CreateICmpUGT(address, size)));
    auto look = new_block("local_fault"), fine = new_block("in");
    b_.CreateCondBr(bad, look, fine, weights(false));
    b_.SetInsertPoint(look);
    V lanes = copy_ == kFull ? full_mask() : mask_;
    rare<ww_rt_local_fault>({i32(layout_.first_site + a.site), address, mask64(lanes)});
    b_.CreateBr(error_);
    b_.SetInsertPoint(fine);
}

void Codegen::count_local(const Access& a) {
    auto& info = layout_.sites[a.site];
    const unsigned words = std::max(1u, a.total() / 4);
    info.full_passes = static_cast<int>(words * lanes_ * 4 / 32);
    if (copy_ == kPartial && a.inst->counted && options_.counters) {
        // Sectors of 8 lanes each with an active lane, for every word.
        V groups = mask_;
        for (unsigned s : {1u, 2u, 4u})
            groups = b_.CreateOr(groups, b_.CreateLShr(groups, llvm::ConstantInt::get(mask_type_, s)));
        groups = b_.CreateAnd(groups, mask_constant(0x0101010101010101ull & (lanes_ == 64 ? ~0ull : 0xffffffffull)));
        V n = mask64(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, groups));
        bump(site_field(a.site, offsetof(Site, passes)), b_.CreateMul(n, i64(words)));
    }
}

void Codegen::local_store(Access& a) {
    if (!uniform(a.inst->in[0]) || options_.check) return runtime_store(a);
    auto values = store_values(a);
    V address = address_scalar(a);
    check_local(a, address, load_field(b_.getInt64Ty(), frame_, offsetof(WarpFrame, local_size)));
    auto put = [&](V p, V x) {
        if (copy_ == kFull)
            b_.CreateAlignedStore(x, p, llvm::Align(64));
        else
            b_.CreateMaskedStore(x, p, llvm::Align(64), mask_vector(mask_));
    };
    for (unsigned e = 0; e < a.count; ++e) {
        V p = local_words(a, address, e);
        V x = adapt(values[e], b_.getIntNTy(8 * a.bytes));
        if (a.bytes < 4) {
            auto word = vec(b_.getInt32Ty());
            V shift = bits_before(a, address, e);
            V others = b_.CreateNot(b_.CreateShl(i32((1u << 8 * a.bytes) - 1), shift));
            V old = b_.CreateAnd(b_.CreateAlignedLoad(word, p, llvm::Align(64)), splat(others));
            put(p, b_.CreateOr(old, b_.CreateShl(b_.CreateZExt(x, word), splat(shift))));
        } else if (a.bytes == 8) {
            put(p, b_.CreateTrunc(x, vec(b_.getInt32Ty())));
            put(field(p, 4 * lanes_), b_.CreateTrunc(b_.CreateLShr(x, splat(i64(32))), vec(b_.getInt32Ty())));
        } else {
            put(p, x);
        }
    }
    count_local(a);
}

}  // namespace warpwright::engine
