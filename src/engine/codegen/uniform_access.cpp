// A load that must see what other threads store is volatile to LLVM, so that a loop reads memory each time. A checked
// load that is not in order goes to the runtime and takes the first active lane's value.
#include "engine/codegen/uniform_access.hpp"

#include <llvm/IR/Intrinsics.h>

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

namespace warpwright::engine::codegen {

using simt::kNone;

namespace {

/// Under the checkers: lets the runtime load, if the access is not in order.
void checked_uniform_load(FunctionState& fn, const Access& a) {
    auto result = in_two_ways(
        fn, regular_in_order(fn, a),
        [&] {
            V p = host_pointer(fn, a, address_scalar(fn, a));
            std::vector<V> parts;
            for (unsigned k = 0; k < a.count; ++k)
                parts.push_back(
                    fn.b.CreateAlignedLoad(element(fn, a.inst->type), fn.field(p, k * a.bytes), llvm::Align(a.bytes)));
            return bundle(fn, parts);
        },
        [&] {
            V lane = fn.at.converged ? static_cast<V>(fn.i64(0))
                                     : fn.b.CreateIntrinsic(fn.b.getInt64Ty(), llvm::Intrinsic::cttz,
                                                            {fn.mask64(fn.at.mask), fn.b.getTrue()});
            auto values = runtime_load_values(fn, a, true);
            for (auto& v : values) v = fn.b.CreateExtractElement(v, lane);
            return bundle(fn, values);
        });
    define_loaded(fn, a, result);
}

}  // namespace

void uniform_load(FunctionState& fn, const Access& a) {
    if (fn.options.check) return checked_uniform_load(fn, a);
    V address = address_scalar(fn, a);
    check_bounds(fn, a, address, a.total(), fn.active(), a.total());
    V p = host_pointer(fn, a, address);
    count_uniform_load(fn, a);
    auto t = element(fn, a.inst->type);
    for (unsigned k = 0; k < a.count; ++k) {
        const auto v = a.inst->out[k];
        if (v == kNone) continue;
        auto load = fn.b.CreateAlignedLoad(t, fn.field(p, k * a.bytes), llvm::Align(a.bytes), looks_again(*a.inst));
        define(fn, v, extend_loaded(fn, load, a.inst->type, v));
    }
}

void uniform_store(FunctionState& fn, const Access& a) {
    V address = address_scalar(fn, a);
    check_bounds(fn, a, address, a.total(), fn.full_mask(), a.total());
    V p = host_pointer(fn, a, address);
    count_uniform_store(fn, a);
    for (unsigned k = 0; k < a.count; ++k) {
        const auto& o = a.inst->in[1 + k];
        V x = fn.uniform(o) ? scalar_bits(fn, o, element(fn, a.inst->type))
                            : fn.b.CreateExtractElement(vector_bits(fn, o, element(fn, a.inst->type)),
                                                        std::uint64_t{fn.lanes - 1});
        fn.b.CreateAlignedStore(x, fn.field(p, k * a.bytes), llvm::Align(a.bytes));
    }
}

}  // namespace warpwright::engine::codegen
