// The moves of all lanes are one function for each pattern of offsets, which all accesses of that pattern call:
// inlined, they would be most of a kernel. Patterns that span too much go to the runtime, because a single check would
// seldom succeed.
#include "engine/codegen/scattered_access.hpp"

#include <algorithm>

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/checked_access.hpp"
#include "engine/codegen/place_counts.hpp"
#include "engine/codegen/runtime_access.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;
using simt::Space;

namespace {

/// Beyond this span the lanes are too far apart for one check to be the usual case.
constexpr std::uint64_t kMostSpan = 1 << 20;

}  // namespace

V scattered_address(FunctionState& fn, const Access& a, V base) {
    const bool narrow = a.space == Space::shared && value_type(fn, a.inst->in[0].value)->getIntegerBitWidth() == 32;
    V start = fn.b.CreateAdd(base, fn.i64(static_cast<std::uint64_t>(lowest_offset(fn, *a.affine))));
    return narrow ? fn.b.CreateAnd(start, fn.i64(0xffffffff)) : start;
}

std::uint64_t scattered_span(const FunctionState& fn, const Access& a) {
    const auto [low, high] = std::minmax_element(a.affine->constant.begin(), a.affine->constant.begin() + fn.lanes);
    return static_cast<std::uint64_t>(*high - *low) + a.total();
}

namespace {

/// The address of the lowest lane's bytes, after one check for all lanes.
V scattered_start(FunctionState& fn, const Access& a, V base) {
    const auto& form = *a.affine;
    auto [low, high] = std::minmax_element(form.constant.begin(), form.constant.begin() + fn.lanes);
    const auto span = scattered_span(fn, a);
    V start = scattered_address(fn, a, base);
    fn.at.first_lane = kAnyLane | static_cast<unsigned>(low - form.constant.begin()) << 8 |
                       static_cast<unsigned>(high - form.constant.begin());
    check_bounds(fn, a, start, span, fn.full_mask(), span);
    return host_pointer(fn, a, start);
}

/// A function that moves every lane's bytes between its place (start + offset) and a buffer of lanes. All accesses of a
/// pattern share one: inlined at each it would be most of the kernel. It keeps all of the caller's vector registers.
/// What is loaded goes to the buffer as whole vectors, as it is read from there: to read what several stores have
/// written waits until all stores before them are done.
llvm::Function* lane_mover(FunctionState& fn, const Access& a, bool store) {
    const auto& form = *a.affine;
    const auto low = *std::min_element(form.constant.begin(), form.constant.begin() + fn.lanes);
    std::string name = (store ? "scatter" : "gather") + std::to_string(a.bytes) + "x" + std::to_string(a.count);
    for (unsigned l = 0; l < fn.lanes; ++l) name += "_" + std::to_string(form.constant[l] - low);
    if (auto f = fn.module.getFunction(name)) return f;
    auto ptr = fn.b.getPtrTy();
    auto f = llvm::Function::Create(llvm::FunctionType::get(fn.b.getVoidTy(), {ptr, ptr}, false),
                                    llvm::GlobalValue::InternalLinkage, name, fn.module);
    f->setCallingConv(llvm::CallingConv::PreserveAll);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->setDoesNotThrow();
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(fn.context, "entry", f));
    auto t = at.getIntNTy(8 * a.bytes);
    auto place = [&](V p, std::uint64_t offset) { return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), p, offset); };
    const auto there = [&](unsigned l, unsigned e) {
        return place(f->getArg(0), static_cast<std::uint64_t>(form.constant[l] - low) + e * a.bytes);
    };
    const auto here = [&](unsigned l, unsigned e) {
        return place(f->getArg(1), (std::uint64_t{e} * fn.lanes + l) * a.bytes);
    };
    if (!store) {
        auto vectors = llvm::BasicBlock::Create(fn.context, "vectors", f);
        auto words = llvm::BasicBlock::Create(fn.context, "words", f);
        begin_versions(at, vectors, words);
        at.SetInsertPoint(vectors);
        for (unsigned e = 0; e < a.count; ++e) {
            V all = llvm::PoisonValue::get(fn.vec(t));
            for (unsigned l = 0; l < fn.lanes; ++l)
                all = at.CreateInsertElement(all, at.CreateAlignedLoad(t, there(l, e), llvm::Align(a.bytes)),
                                             std::uint64_t{l});
            at.CreateAlignedStore(all, here(0, e), llvm::Align(a.bytes));
        }
        at.CreateRetVoid();
        add_versions_size(fn.module, vectors->size());
        at.SetInsertPoint(words);
    }
    // In lane order: where lanes store to one place, the highest lane's value stays.
    for (unsigned l = 0; l < fn.lanes; ++l)
        for (unsigned e = 0; e < a.count; ++e) {
            V from = store ? here(l, e) : there(l, e), to = store ? there(l, e) : here(l, e);
            at.CreateAlignedStore(at.CreateAlignedLoad(t, from, llvm::Align(a.bytes)), to, llvm::Align(a.bytes));
        }
    at.CreateRetVoid();
    return f;
}

/// The most bytes that are loaded as a whole, so that the lanes' are picked out of them: on a CPU that has an
/// instruction for any order of words.
constexpr std::uint64_t kMostPicked = 512;

/// Whether the lanes are to be picked out of all of the span.
bool may_pick(const FunctionState& fn, const Access& a) {
    return fn.options.permutes && a.bytes >= 4 && scattered_span(fn, a) <= kMostPicked;
}

/// Element e of each lane, by its vector: out of vectors that cover the span, the last of which ends with it.
std::vector<V> pick(FunctionState& fn, const Access& a, V start) {
    const auto& constant = a.affine->constant;
    const auto low = lowest_offset(fn, *a.affine);
    const auto most = static_cast<unsigned>(scattered_span(fn, a) / a.bytes), width = std::min(fn.lanes, most);
    auto* const type = llvm::FixedVectorType::get(element(fn, a.inst->type), width);
    std::vector<unsigned> begins;
    for (unsigned at = 0; at < most; at += width) begins.push_back(std::min(at, most - width));
    std::vector<V> pieces;
    for (const auto at : begins)
        pieces.push_back(fn.b.CreateAlignedLoad(type, fn.field(start, std::uint64_t{at} * a.bytes),
                                                llvm::Align(a.bytes), looks_again(*a.inst)));
    std::vector<V> parts;
    for (unsigned e = 0; e < a.count; ++e) {
        V all = pieces[0];
        for (unsigned k = 0; k < pieces.size(); ++k) {
            if (k == 0 && pieces.size() > 1) continue;  // picked with the next one
            std::vector<int> order;
            for (unsigned l = 0; l < fn.lanes; ++l) {
                const auto at = static_cast<unsigned>((constant[l] - low) / a.bytes) + e, piece = at / width;
                const auto there = k <= 1 ? at : l, fresh = width + at - begins[k];
                order.push_back(piece < k || k == 0 ? static_cast<int>(there)
                                : piece == k        ? static_cast<int>(fresh)
                                                    : -1);
            }
            all = k == 0 ? fn.b.CreateShuffleVector(all, order) : fn.b.CreateShuffleVector(all, pieces[k], order);
        }
        parts.push_back(all);
    }
    return parts;
}

/// As whole vectors, by way of a buffer.
std::vector<V> gather(FunctionState& fn, const Access& a, V start) {
    const auto t = element(fn, a.inst->type);
    V data = fn.buffer(3, 32 * fn.lanes);
    fn.b.CreateCall(lane_mover(fn, a, false), {start, data})->setCallingConv(llvm::CallingConv::PreserveAll);
    std::vector<V> parts;
    for (unsigned e = 0; e < a.count; ++e)
        parts.push_back(fn.b.CreateAlignedLoad(fn.vec(t), fn.field(data, std::uint64_t{e} * fn.lanes * a.bytes),
                                               llvm::Align(a.bytes)));
    return parts;
}

}  // namespace

bool scatterable(const FunctionState& fn, const Access& a) {
    if (!a.affine || !a.aligned || !a.affine->terms.empty() || a.space == Space::generic || a.space == Space::local)
        return false;
    // The checkers are called for each stretch of lanes; for many stretches the runtime's lane-by-lane check is as
    // fast.
    if (fn.options.check && strided(a, fn.lanes).size() > 4) return false;
    return scattered_span(fn, a) < kMostSpan + a.total();
}

bool scattered_load(FunctionState& fn, const Access& a) {
    if (!scatterable(fn, a)) return false;
    V base = address_scalar(fn, a);
    auto fast = [&]() -> V {
        V start = scattered_start(fn, a, base);
        count_converged(fn, a, base);
        return bundle(fn, may_pick(fn, a) ? pick(fn, a, start) : gather(fn, a, start));
    };
    if (is_regular(fn, a)) {
        define_loaded(fn, a, fast());
        return true;
    }
    V regular = fn.options.check ? strided_in_order(fn, a, base) : assumptions_hold(fn, *a.affine);
    define_loaded(fn, a, in_two_ways(fn, regular, fast, [&] { return irregular_load(fn, a); }));
    return true;
}

bool scattered_store(FunctionState& fn, const Access& a) {
    if (!scatterable(fn, a)) return false;
    auto values = store_values(fn, a);
    V base = address_scalar(fn, a);
    auto fast = [&]() -> V {
        V start = scattered_start(fn, a, base);
        count_converged(fn, a, base);
        V data = fn.buffer(3, 32 * fn.lanes);
        for (unsigned e = 0; e < a.count; ++e)
            fn.b.CreateAlignedStore(values[e], fn.field(data, std::uint64_t{e} * fn.lanes * a.bytes),
                                    llvm::Align(a.bytes));
        auto mover = lane_mover(fn, a, true);
        fn.b.CreateCall(mover, {start, data})->setCallingConv(llvm::CallingConv::PreserveAll);
        return nullptr;
    };
    if (is_regular(fn, a)) {
        fast();
        return true;
    }
    V regular = fn.options.check ? strided_in_order(fn, a, base) : assumptions_hold(fn, *a.affine);
    in_two_ways(fn, regular, fast, [&]() -> V {
        irregular_store(fn, a, values);
        return nullptr;
    });
    return true;
}

}  // namespace warpwright::engine::codegen
