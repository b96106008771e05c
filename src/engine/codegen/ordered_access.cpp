// For CPUs with AVX-512, whose permutations take any order of the words of two vectors: to compare the lanes' distances
// with those of the order, test the bounds, move the lanes and count them are some 35 instructions. Quick code does
// without.
#include "engine/codegen/ordered_access.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/codegen/counting.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "engine/shared/lane_order.hpp"

namespace warpwright::engine::codegen {

using llvm::Intrinsic::x86_avx512_permvar_di_512;
using llvm::Intrinsic::x86_avx512_permvar_si_512;
using llvm::Intrinsic::x86_avx512_vpermi2var_d_512;
using llvm::Intrinsic::x86_avx512_vpermi2var_q_512;
using simt::Space;

namespace {

constexpr unsigned kLanes = 32, kSectorBytes = 32, kVectorBytes = 64;

bool may_have_order(const FunctionState& fn, const Access& a) {
    return fn.options.permutes && !fn.options.check && !fn.at.again && fn.lanes == kLanes && fn.at.converged &&
           a.bytes >= 4 && (a.total() == 4 || a.total() == 8) && !looks_again(*a.inst) &&
           (a.space == Space::shared || fn.options.transaction_bytes == kSectorBytes);
}

bool is_counted(const FunctionState& fn, const Access& a) { return a.inst->counted && fn.options.counters; }

V lanes_of(FunctionState& fn, V x, unsigned first, unsigned count) {
    std::vector<int> lanes(count);
    for (unsigned k = 0; k < count; ++k) lanes[k] = static_cast<int>(first + k);
    return fn.b.CreateShuffleVector(x, lanes);
}

V joined(FunctionState& fn, V low, V high) {
    const auto each = llvm::cast<llvm::FixedVectorType>(low->getType())->getNumElements();
    std::vector<int> lanes(2 * each);
    for (unsigned k = 0; k < 2 * each; ++k) lanes[k] = static_cast<int>(k);
    return fn.b.CreateShuffleVector(low, high, lanes);
}

/// Whether all elements are 0: joined into one vector, which is compared.
V all_zero(FunctionState& fn, V x) {
    const auto vector = kVectorBytes * 8 / x->getType()->getScalarSizeInBits();
    for (auto n = kLanes / 2; n >= vector; n /= 2) x = fn.b.CreateOr(lanes_of(fn, x, 0, n), lanes_of(fn, x, n, n));
    V some = fn.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
    auto* const bits = fn.b.getIntNTy(vector);
    return fn.b.CreateICmpEQ(fn.b.CreateBitCast(some, bits), llvm::ConstantInt::get(bits, 0));
}

/// The order of the site's last request, and whether this request is like it.
struct Order {
    FunctionState& fn;
    const Access& access;
    bool words;  ///< else pairs of words
    unsigned per;
    llvm::FixedVectorType* type;
    V order, sectors = nullptr, from = nullptr;
    llvm::BasicBlock* other;

    Order(FunctionState& fn, const Access& a, V base, V apart)
        : fn(fn),
          access(a),
          words(a.total() == 4),
          per(words ? 16 : 8),
          type(llvm::FixedVectorType::get(words ? fn.b.getInt32Ty() : fn.b.getInt64Ty(), per)) {
        auto best = fn.new_block("ordered"), look = fn.new_block("look"), known = fn.new_block("known");
        other = fn.new_block("unordered");
        begin_versions(fn.b, best, other);
        fn.b.SetInsertPoint(best);
        order = fn.b.CreateLoad(fn.b.getPtrTy(), site_field(fn, a.site, offsetof(Site, order)));
        fn.b.CreateCondBr(fn.b.CreateIsNotNull(order), look, other);
        fn.b.SetInsertPoint(look);
        fn.b.CreateCondBr(is_like(base, apart), known, other, fn.weights(true));
        fn.b.SetInsertPoint(known);
        from = host_pointer(fn, a, base);
    }

    V number(unsigned offset) { return fn.load_field(fn.b.getInt64Ty(), order, offset); }

    V is_like(V base, V apart) {
        const bool narrow = apart->getType()->getScalarSizeInBits() == 32;
        const auto field = narrow ? offsetof(LaneOrder, low_distances) : offsetof(LaneOrder, distances);
        V distances = fn.b.CreateAlignedLoad(apart->getType(), fn.field(order, field), llvm::Align(kVectorBytes));
        V same = all_zero(fn, fn.b.CreateXor(apart, distances));
        // As in out_of_bounds(): what is not aligned becomes huge.
        V distance = fn.b.CreateSub(base, number(offsetof(LaneOrder, minus)));
        V rotated =
            fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::fshr,
                                 {distance, distance, fn.i64(static_cast<unsigned>(__builtin_ctz(access.total())))});
        V inside = fn.b.CreateICmpULE(rotated, number(offsetof(LaneOrder, limit)));
        V like = fn.b.CreateAnd(same, inside);
        if (!is_counted(fn, access) || access.space == Space::shared) return like;
        V place = fn.b.CreateAnd(fn.b.CreateLShr(base, fn.i64(2)), fn.i64(kSectorBytes / 4 - 1));
        V at = fn.b.CreateGEP(fn.b.getInt8Ty(), fn.field(order, offsetof(LaneOrder, sectors)), {place});
        sectors = fn.b.CreateZExt(fn.b.CreateLoad(fn.b.getInt8Ty(), at), fn.b.getInt64Ty());
        return fn.b.CreateAnd(like, fn.b.CreateICmpNE(sectors, fn.i64(0)));
    }

    void count() {
        if (!is_counted(fn, access)) return;
        const auto add = [&](unsigned field, V by) { bump(fn, site_field(fn, access.site, field), by); };
        if (sectors) return add(offsetof(Site, passes), sectors);
        add(offsetof(Site, passes), number(offsetof(LaneOrder, wavefronts)));
        add(offsetof(Site, excess), number(offsetof(LaneOrder, bank_conflicts)));
    }

    unsigned pieces() const { return kLanes / per; }
    V piece(unsigned k) { return fn.field(order, offsetof(LaneOrder, pieces) + k * sizeof(PatternPiece)); }
    V place(V piece) {
        return fn.b.CreateGEP(fn.b.getInt8Ty(), from,
                              {fn.load_field(fn.b.getInt64Ty(), piece, offsetof(PatternPiece, low))});
    }
    V numbers(V piece, unsigned offset) {
        return fn.b.CreateAlignedLoad(type, fn.field(piece, offset), llvm::Align(kVectorBytes));
    }
    V accessed(V piece, unsigned vector) {
        V bits = fn.load_field(fn.b.getIntNTy(per), piece, offsetof(PatternPiece, read) + 4 * vector);
        return fn.b.CreateBitCast(bits, llvm::FixedVectorType::get(fn.b.getInt1Ty(), per));
    }

    V load(unsigned k) {
        V own = piece(k), at = place(own);
        const auto part = [&](unsigned vector) {
            return fn.b.CreateMaskedLoad(type, fn.field(at, kVectorBytes * vector), llvm::Align(access.total()),
                                         accessed(own, vector), llvm::Constant::getNullValue(type));
        };
        return fn.b.CreateIntrinsic(words ? x86_avx512_vpermi2var_d_512 : x86_avx512_vpermi2var_q_512, {},
                                    {part(0), numbers(own, offsetof(PatternPiece, of_lane)), part(1)});
    }

    void store(unsigned k, V values) {
        V own = piece(k), at = place(own);
        for (unsigned vector = 0; vector < 2; ++vector) {
            V numbered = numbers(own, offsetof(PatternPiece, of_place) + kVectorBytes * vector);
            V moved = fn.b.CreateIntrinsic(words ? x86_avx512_permvar_si_512 : x86_avx512_permvar_di_512, {},
                                           {values, numbered});
            fn.b.CreateMaskedStore(moved, fn.field(at, kVectorBytes * vector), llvm::Align(access.total()),
                                   accessed(own, vector));
        }
    }
};

/// All lanes' elements, out of the pieces in their order.
V elements_of(FunctionState& fn, const Access& a, std::vector<V> parts) {
    while (parts.size() > 1) {
        std::vector<V> wider;
        for (std::size_t k = 0; k < parts.size(); k += 2) wider.push_back(joined(fn, parts[k], parts[k + 1]));
        parts = wider;
    }
    auto* const one = fn.vec(element(fn, a.inst->type));
    if (a.count == 1) return fn.b.CreateBitCast(parts[0], one);
    V both = fn.b.CreateBitCast(parts[0], llvm::FixedVectorType::get(fn.b.getInt32Ty(), 2 * kLanes));
    std::vector<V> each;
    for (int e = 0; e < 2; ++e) {
        std::vector<int> lanes;
        for (unsigned l = 0; l < kLanes; ++l) lanes.push_back(static_cast<int>(2 * l) + e);
        each.push_back(fn.b.CreateBitCast(fn.b.CreateShuffleVector(both, lanes), one));
    }
    return bundle(fn, each);
}

/// The values of eight or sixteen lanes from `first` on, as words or pairs of words.
V stored_by(FunctionState& fn, const Access& a, const std::vector<V>& values, unsigned first, llvm::Type* type) {
    const unsigned count = a.total() == 4 ? 16 : 8;
    V own = lanes_of(fn, values[0], first, count);
    if (a.count == 1) return fn.b.CreateBitCast(own, type);
    V second = lanes_of(fn, values[1], first, count);
    std::vector<int> lanes;
    for (unsigned k = 0; k < count; ++k)
        lanes.push_back(static_cast<int>(k)), lanes.push_back(static_cast<int>(count + k));
    return fn.b.CreateBitCast(fn.b.CreateShuffleVector(own, second, lanes), type);
}

}  // namespace

V load_in_order(FunctionState& fn, const Access& a, V base, V apart, const std::function<V()>& other) {
    if (!may_have_order(fn, a)) return other();
    Order order(fn, a, base, apart);
    std::vector<V> parts;
    for (unsigned k = 0; k < order.pieces(); ++k) parts.push_back(order.load(k));
    V ordered = elements_of(fn, a, parts);
    order.count();
    auto from_ordered = fn.b.GetInsertBlock(), join = fn.new_block("join");
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(order.other);
    V unordered = other();
    auto from_other = fn.b.GetInsertBlock();
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(join);
    auto phi = fn.b.CreatePHI(ordered->getType(), 2);
    phi->addIncoming(ordered, from_ordered);
    phi->addIncoming(unordered, from_other);
    return phi;
}

void store_in_order(FunctionState& fn, const Access& a, V base, V apart, const std::vector<V>& values,
                    const std::function<void()>& other) {
    if (!may_have_order(fn, a)) return other();
    Order order(fn, a, base, apart);
    for (unsigned k = 0; k < order.pieces(); ++k) order.store(k, stored_by(fn, a, values, k * order.per, order.type));
    order.count();
    auto join = fn.new_block("join");
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(order.other);
    other();
    fn.b.CreateBr(join);
    fn.b.SetInsertPoint(join);
}

}  // namespace warpwright::engine::codegen
