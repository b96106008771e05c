// The words of a warp's lanes are interleaved, so that one address for all lanes is one aligned vector. An element
// narrower than a word is shifted out of it, or merged into it.
#include "engine/codegen/local_access.hpp"

#include <algorithm>

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/local_addresses.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;

namespace {

/// The words of all lanes that hold element e of an access at one address, or its first part.
V local_words(FunctionState& fn, const Access& a, V address, unsigned e) {
    V at = fn.b.CreateAdd(address, fn.i64(std::uint64_t{e} * a.bytes));
    if (a.bytes < 4) at = fn.b.CreateAnd(at, fn.i64(~std::uint64_t{3}));
    return fn.b.CreateGEP(fn.b.getInt8Ty(), fn.local, {fn.b.CreateMul(at, fn.i64(fn.lanes))});
}

/// The bit at which an element of less than 4 bytes begins in its word.
V bits_before(FunctionState& fn, const Access& a, V address, unsigned e) {
    V at = fn.b.CreateAdd(fn.b.CreateTrunc(address, fn.b.getInt32Ty()), fn.i32(e * a.bytes));
    return fn.b.CreateShl(fn.b.CreateAnd(at, fn.i32(3)), fn.i32(3));
}

void check_local(FunctionState& fn, const Access& a, V address, V size) {
    V low = fn.b.CreateAnd(address, fn.i64(a.total() - 1));
    V end = fn.b.CreateAdd(address, fn.i64(a.total()));
    V misaligned = fn.b.CreateICmpNE(low, fn.i64(0));
    V ends_beyond = fn.b.CreateICmpUGT(end, size), begins_beyond = fn.b.CreateICmpUGT(address, size);
    V bad = fn.b.CreateOr(misaligned, fn.b.CreateOr(ends_beyond, begins_beyond));
    auto look = fn.new_block("local_fault"), fine = fn.new_block("in");
    fn.b.CreateCondBr(bad, look, fine, fn.weights(false));
    fn.b.SetInsertPoint(look);
    V lanes = fn.active();
    call_rarely<ww_rt_local_fault>(fn, {site_number(fn, a.site), address, fn.mask64(lanes)});
    fn.b.CreateBr(fn.flow.error);
    fn.b.SetInsertPoint(fine);
}

/// The same as the runtime's local_address().
V local_address(FunctionState& fn, V address) {
    V sum = fn.b.CreateICmpULT(fn.b.CreateAdd(address, fn.i64(kMostBelowLocal)), fn.i64(kLocalSums));
    return fn.b.CreateSelect(sum, fn.b.CreateAnd(address, fn.i64(0xffffffff)), address);
}

}  // namespace

void local_load(FunctionState& fn, const Access& a) {
    // Words of a lane's local memory are interleaved over the lanes: an address that all lanes share selects one
    // vector.
    if (!fn.uniform(a.inst->in[0]) || fn.options.check) return runtime_load(fn, a);
    V address = local_address(fn, address_scalar(fn, a));
    V size = fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, local_size));
    check_local(fn, a, address, size);
    auto word = fn.b.getInt32Ty();
    for (unsigned e = 0; e < a.count; ++e) {
        if (a.inst->out[e] == kNone) continue;
        V p = local_words(fn, a, address, e);
        V x = fn.b.CreateAlignedLoad(fn.vec(word), p, llvm::Align(64));
        if (a.bytes < 4) {
            x = fn.b.CreateTrunc(fn.b.CreateLShr(x, fn.splat(bits_before(fn, a, address, e))),
                                 fn.vec(fn.b.getIntNTy(8 * a.bytes)));
        } else if (a.bytes == 8) {
            V high = fn.b.CreateAlignedLoad(fn.vec(word), fn.field(p, 4 * fn.lanes), llvm::Align(64));
            auto wide = fn.vec(fn.b.getInt64Ty());
            V lower = fn.b.CreateZExt(x, wide);
            V upper = fn.b.CreateShl(fn.b.CreateZExt(high, wide), fn.splat(fn.i64(32)));
            x = fn.b.CreateOr(lower, upper);
        }
        define(fn, a.inst->out[e], extend_loaded(fn, x, a.inst->type, a.inst->out[e]));
    }
    count_local(fn, a);
}

void local_store(FunctionState& fn, const Access& a) {
    if (!fn.uniform(a.inst->in[0]) || fn.options.check) return runtime_store(fn, a);
    auto values = store_values(fn, a);
    V address = local_address(fn, address_scalar(fn, a));
    check_local(fn, a, address, fn.load_field(fn.b.getInt64Ty(), fn.frame, offsetof(WarpFrame, local_size)));
    auto put = [&](V p, V x) {
        if (fn.at.converged)
            fn.b.CreateAlignedStore(x, p, llvm::Align(64));
        else
            fn.b.CreateMaskedStore(x, p, llvm::Align(64), mask_vector(fn, fn.at.mask));
    };
    for (unsigned e = 0; e < a.count; ++e) {
        V p = local_words(fn, a, address, e);
        V x = adapt(fn, values[e], fn.b.getIntNTy(8 * a.bytes));
        if (a.bytes < 4) {
            auto word = fn.vec(fn.b.getInt32Ty());
            V shift = bits_before(fn, a, address, e);
            V others = fn.b.CreateNot(fn.b.CreateShl(fn.i32((1u << 8 * a.bytes) - 1), shift));
            V there = fn.b.CreateAlignedLoad(word, p, llvm::Align(64));
            V old = fn.b.CreateAnd(there, fn.splat(others));
            V wide = fn.b.CreateZExt(x, word);
            put(p, fn.b.CreateOr(old, fn.b.CreateShl(wide, fn.splat(shift))));
        } else if (a.bytes == 8) {
            put(p, fn.b.CreateTrunc(x, fn.vec(fn.b.getInt32Ty())));
            V upper = fn.b.CreateTrunc(fn.b.CreateLShr(x, fn.splat(fn.i64(32))), fn.vec(fn.b.getInt32Ty()));
            put(fn.field(p, 4 * fn.lanes), upper);
        } else {
            put(p, x);
        }
    }
    count_local(fn, a);
}

}  // namespace warpwright::engine::codegen
