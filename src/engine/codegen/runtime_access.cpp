// Of an affine address only the scalars are passed, and the runtime computes the lanes from the form in the layout, so
// that the code around the call stays small.
#include "engine/codegen/runtime_access.hpp"

#include <algorithm>

#include "engine/codegen/access_costs.hpp"
#include "engine/codegen/affine_values.hpp"
#include "engine/codegen/code_places.hpp"
#include "engine/codegen/runtime_call.hpp"
#include "engine/codegen/sites.hpp"
#include "engine/codegen/two_ways.hpp"
#include "engine/codegen/values.hpp"
#include "engine/shared/abi.hpp"
#include "simt/affine.hpp"

namespace warpwright::engine::codegen {

using simt::kNone;

namespace {

/// The lanes' addresses for the runtime: the vector, or an affine form's scalars.
V runtime_address(FunctionState& fn, const Access& a) {
    if (!a.affine) {
        V addresses = fn.buffer(0, 8 * fn.lanes);
        fn.b.CreateAlignedStore(address_vector(fn, a.inst->in[0], a.inst->offset), addresses, llvm::Align(64));
        return addresses;
    }
    V scalars = fn.buffer(7, 8 * 64);
    unsigned at = 0;
    auto put = [&](V x) { fn.b.CreateAlignedStore(x, fn.field(scalars, 8 * at++), llvm::Align(8)); };
    auto form = std::make_shared<AddressForm>();
    form->constant = a.affine->constant;
    put(address_scalar(fn, a));
    for (const auto& t : a.affine->terms) {
        form->terms.push_back(t.lanes);
        put(factor(fn, t.scalar, 64));
    }
    for (const auto& [assumed, times] : a.affine->assumes) {
        const auto& w = assumed.widening;
        auto wide = simt::widened(simt::Operand::of(w.value), fn.shapes.affine.at(w.value), w.is_signed);
        V base = scalar(fn, simt::Operand::of(w.value), fn.b.getInt32Ty());
        put(w.is_signed ? fn.b.CreateSExt(base, fn.b.getInt64Ty()) : fn.b.CreateZExt(base, fn.b.getInt64Ty()));
        AddressForm::Widened x{times, w.is_signed, !assumed.scalar.empty(), wide->constant, {}};
        if (x.is_scaled) put(factor(fn, assumed.scalar, 64));
        for (const auto& t : wide->terms) {
            x.terms.push_back(t.lanes);
            put(factor(fn, t.scalar, 64));
        }
        form->widened.push_back(std::move(x));
    }
    form->find_lines(fn.lanes);
    fn.layout.sites[a.site].form = std::move(form);
    return scalars;
}

template <auto* F, std::size_t N>
V call_either(FunctionState& fn, const V (&arguments)[N], bool hardly_ever) {
    return hardly_ever ? call_rarely<F>(fn, arguments) : call<F>(fn, arguments);
}

}  // namespace

host_time::Work irregular_work(const Access& a) {
    return a.space == simt::Space::shared ? host_time::Work::shared : host_time::Work::gathers;
}

void runtime_store_values(FunctionState& fn, const Access& a, const std::vector<V>& values, bool hardly_ever) {
    const PlacedAs as(fn, irregular_work(a));
    V data = fn.buffer(3, 32 * fn.lanes);
    for (unsigned e = 0; e < a.count; ++e)
        fn.b.CreateAlignedStore(values[e], fn.field(data, e * a.bytes * fn.lanes), llvm::Align(a.bytes));
    V mask = fn.active();
    const V arguments[] = {site_number(fn, a.site), runtime_address(fn, a), fn.mask64(mask), data};
    fail_if_zero(fn, a.affine ? call_either<ww_rt_store_affine>(fn, arguments, hardly_ever)
                              : call_either<ww_rt_store>(fn, arguments, hardly_ever));
}

std::vector<V> runtime_load_values(FunctionState& fn, const Access& a, bool hardly_ever) {
    const PlacedAs as(fn, irregular_work(a));
    V out = fn.buffer(3, 32 * fn.lanes);
    V mask = fn.active();
    const V arguments[] = {site_number(fn, a.site), runtime_address(fn, a), fn.mask64(mask), out};
    fail_if_zero(fn, a.affine ? call_either<ww_rt_load_affine>(fn, arguments, hardly_ever)
                              : call_either<ww_rt_load>(fn, arguments, hardly_ever));
    std::vector<V> values;
    auto t = element(fn, a.inst->type);
    for (unsigned e = 0; e < a.count; ++e)
        values.push_back(
            fn.b.CreateAlignedLoad(fn.vec(t), fn.field(out, e * a.bytes * fn.lanes), llvm::Align(a.bytes)));
    return values;
}

void runtime_load(FunctionState& fn, const Access& a) {
    auto values = runtime_load_values(fn, a, false);
    for (unsigned e = 0; e < a.count; ++e)
        if (a.inst->out[e] != kNone)
            define(fn, a.inst->out[e], extend_loaded(fn, values[e], a.inst->type, a.inst->out[e]));
}

void runtime_store(FunctionState& fn, const Access& a) { runtime_store_values(fn, a, store_values(fn, a), false); }

V irregular_load(FunctionState& fn, const Access& a) {
    count_irregular(fn, a);
    return bundle(fn, runtime_load_values(fn, a, true));
}

void irregular_store(FunctionState& fn, const Access& a, const std::vector<V>& values) {
    count_irregular(fn, a);
    runtime_store_values(fn, a, values, true);
}

}  // namespace warpwright::engine::codegen
