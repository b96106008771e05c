// Affine accesses without runs (strides, transposed tiles): one bounds check for all lanes, then each lane's own
// scalar access at an offset from the base.
#include <algorithm>

#include "engine/codegen/codegen.hpp"

namespace warpwright::engine {

using ptx::Space;
using simt::kNone;

namespace {

/// Beyond this the lanes lie too far apart for one check to be the usual case.
constexpr std::uint64_t kMostSpan = 1 << 20;

}  // namespace

/// Where the lowest lane's bytes are, after one check of all lanes.
Codegen::V Codegen::scattered_start(Access& a, V base) {
    const auto& form = *a.affine;
    auto [low, high] = std::minmax_element(form.constant.begin(), form.constant.begin() + lanes_);
    const auto span = static_cast<std::uint64_t>(*high - *low) + a.total();
    const bool narrow = a.space == Space::shared && value_type(a.inst->in[0].value)->getIntegerBitWidth() == 32;
    V start = b_.CreateAdd(base, i64(static_cast<std::uint64_t>(*low)));
    if (narrow) start = b_.CreateAnd(start, i64(0xffffffff));
    first_lane_ = kAnyLane | static_cast<unsigned>(low - form.constant.begin()) << 8 |
                  static_cast<unsigned>(high - form.constant.begin());
    check(a, start, span, full_mask(), span);
    return host_pointer(a, start);
}

/// A function that moves every lane's bytes between its place (start + offset) and a buffer of lanes. One a pattern,
/// shared by all its accesses: written out at each it would be most of the kernel. It uses no vector register, so
/// those of the caller stay as they are.
llvm::Function* Codegen::lane_mover(const Access& a, bool store) {
    const auto& form = *a.affine;
    const auto low = *std::min_element(form.constant.begin(), form.constant.begin() + lanes_);
    std::string name = (store ? "scatter" : "gather") + std::to_string(a.bytes) + "x" + std::to_string(a.count);
    for (unsigned l = 0; l < lanes_; ++l) name += "_" + std::to_string(form.constant[l] - low);
    if (auto f = module_.getFunction(name)) return f;
    auto ptr = b_.getPtrTy();
    auto f = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr}, false),
                                    llvm::GlobalValue::InternalLinkage, name, module_);
    f->setCallingConv(llvm::CallingConv::PreserveAll);
    f->addFnAttr(llvm::Attribute::NoInline);
    f->setDoesNotThrow();
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(c_, "entry", f));
    auto t = at.getIntNTy(8 * a.bytes);
    auto place = [&](V p, std::uint64_t offset) { return at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), p, offset); };
    // In lane order: where lanes store to one place, the highest one's value stays.
    for (unsigned l = 0; l < lanes_; ++l)
        for (unsigned e = 0; e < a.count; ++e) {
            V there = place(f->getArg(0), static_cast<std::uint64_t>(form.constant[l] - low) + e * a.bytes);
            V here = place(f->getArg(1), (std::uint64_t{e} * lanes_ + l) * a.bytes);
            at.CreateAlignedStore(at.CreateAlignedLoad(t, store ? here : there, llvm::Align(a.bytes)),
                                  store ? there : here, llvm::Align(a.bytes));
        }
    at.CreateRetVoid();
    return f;
}

bool Codegen::scatterable(const Access& a) const {
    if (!a.affine || !a.aligned || !a.affine->terms.empty() || a.space == Space::generic || a.space == Space::local)
        return false;
    // The checkers are asked for each stretch of lanes: of many the runtime asks lane by lane as well.
    if (options_.check && (a.total() < 4 || strided(a).size() > 4)) return false;
    auto [low, high] = std::minmax_element(a.affine->constant.begin(), a.affine->constant.begin() + lanes_);
    return static_cast<std::uint64_t>(*high - *low) < kMostSpan;
}

bool Codegen::scattered_load(Access& a) {
    if (!scatterable(a)) return false;
    V base = address_scalar(a);
    const auto t = element(a.inst->type);
    auto fast = [&]() -> V {
        V start = scattered_start(a, base);
        count_passes(a, base);
        V data = buffer(3, 32 * lanes_);
        auto mover = lane_mover(a, false);
        b_.CreateCall(mover, {start, data})->setCallingConv(llvm::CallingConv::PreserveAll);
        std::vector<V> parts;
        for (unsigned e = 0; e < a.count; ++e)
            parts.push_back(
                b_.CreateAlignedLoad(vec(t), field(data, std::uint64_t{e} * lanes_ * a.bytes), llvm::Align(a.bytes)));
        return bundle(parts);
    };
    V result;
    if (a.affine->assumes.empty() && !options_.check)
        result = fast();
    else
        result = in_two_ways(options_.check ? strided_in_order(a, base) : assumptions_hold(*a.affine), fast, [&] {
            uncount(a);
            return bundle(runtime_load_values(a, true));
        });
    for (unsigned e = 0; e < a.count; ++e)
        if (a.inst->out[e] != kNone)
            define(a.inst->out[e], extend_loaded(unbundle(result, e, a.count), a.inst->type, a.inst->out[e]));
    return true;
}

bool Codegen::scattered_store(Access& a) {
    if (!scatterable(a)) return false;
    auto values = store_values(a);
    V base = address_scalar(a);
    auto fast = [&]() -> V {
        V start = scattered_start(a, base);
        count_passes(a, base);
        V data = buffer(3, 32 * lanes_);
        for (unsigned e = 0; e < a.count; ++e)
            b_.CreateAlignedStore(values[e], field(data, std::uint64_t{e} * lanes_ * a.bytes), llvm::Align(a.bytes));
        auto mover = lane_mover(a, true);
        b_.CreateCall(mover, {start, data})->setCallingConv(llvm::CallingConv::PreserveAll);
        return nullptr;
    };
    if (a.affine->assumes.empty() && !options_.check) {
        fast();
    } else {
        in_two_ways(options_.check ? strided_in_order(a, base) : assumptions_hold(*a.affine), fast, [&]() -> V {
            uncount(a);
            runtime_store_values(a, values, true);
            return nullptr;
        });
    }
    return true;
}

}  // namespace warpwright::engine
