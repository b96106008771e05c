// Decodes instructions to AsyncForms: checks them against the ISA and selects the operation that they are.
#include "engine/shared/async_form.hpp"

#include "engine/shared/atomic_op.hpp"

namespace warpwright::engine {

using simt::Mod;
using simt::Op;

namespace {

Error wrong(const simt::Details& i, const std::string& why) {
    return Error{ErrorKind::input, i.spelling() + ": " + why, {"", i.line, i.column}, ""};
}

/// The fewest and the most inputs of an operation on an mbarrier, by its modifier.
struct MbarrierInputs {
    Mod mod;
    unsigned fewest, most;
};
constexpr MbarrierInputs kMbarrierInputs[] = {
    {Mod::pending_count, 1, 1}, {Mod::init, 3, 3},     {Mod::inval, 2, 2},
    {Mod::test_wait, 3, 3},     {Mod::try_wait, 3, 4}, {Mod::expect_tx, 3, 3},
    {Mod::complete_tx, 3, 3},   {Mod::arrive, 2, 3},   {Mod::arrive_drop, 2, 3},
};

Result<AsyncForm> decode_mbarrier(AsyncForm f) {
    const auto& i = *f.ptx;
    f.op = AsyncOp::mbarrier;
    if (i.op == Op::cp_async_mbarrier_arrive) {
        if (f.inputs != 2) return wrong(i, "takes the address of an mbarrier");
        return f;
    }
    for (const auto& [mod, fewest, most] : kMbarrierInputs) {
        if (!i.has(mod)) continue;
        if (f.inputs < fewest || f.inputs > most) return wrong(i, "has the wrong number of operands");
        return f;
    }
    return wrong(i, "is no operation on an mbarrier");
}

/// st.async and red.async.
Result<AsyncForm> decode_remote_store(AsyncForm f) {
    const auto& i = *f.ptx;
    f.op = AsyncOp::remote_store;
    f.shared = true;  // its addresses are of .shared::cluster, named or not
    if (i.types.empty()) return wrong(i, "needs a type");
    f.element_bytes = simt::bytes(i.types.back());
    if (f.inputs < 5 || f.element_bytes > 8) return wrong(i, "this form is not executed");
    if (i.op == Op::red) {
        auto op = atomic_op(i, i.types.back());
        if (!op) return wrong(i, op.error().what);
        f.operation = static_cast<std::uint32_t>(*op);
    }
    return f;
}

Result<AsyncForm> decode_bulk(AsyncForm f) {
    const auto& i = *f.ptx;
    f.op = AsyncOp::nothing;
    // A copy has its effect when it starts: there is nothing to commit and nothing to wait for.
    if (i.has(Mod::commit_group) || i.has(Mod::wait_group) || i.has(Mod::prefetch_)) return f;
    for (auto [mod, n] : {std::pair{Mod::d1, 1u}, {Mod::d2, 2u}, {Mod::d3, 3u}, {Mod::d4, 4u}, {Mod::d5, 5u}})
        if (i.has(mod)) f.dimensions = n;
    for (auto mod : {Mod::im2col_w, Mod::im2col_w_128, Mod::tile_gather4, Mod::tile_scatter4, Mod::cp_mask,
                     Mod::ignore_oob, Mod::cta_group_1, Mod::cta_group_2})
        if (i.has(mod))
            return wrong(
                i, "." + std::string(simt::spelling(mod)) + " is not executed by this version of the emulated GPU");
    f.multicast = i.has(Mod::multicast_cluster);
    const bool tensor = i.has(Mod::tensor), store = i.has(Mod::bulk_group);
    if (tensor && f.dimensions == 0) return wrong(i, "needs .1d to .5d");
    f.im2col = i.has(Mod::im2col) || i.has(Mod::im2col_no_offs);
    if (f.im2col && (!tensor || f.dimensions < 3 || i.has(Mod::im2col) == store))
        return wrong(i, "no such copy of pixels: .im2col loads and .im2col_no_offs stores, of 3 to 5 dimensions");
    f.shifts = i.has(Mod::im2col) ? f.dimensions - 2 : 0;
    if (!store && !i.has(Mod::mbarrier_complete)) return wrong(i, "needs .mbarrier::complete_tx::bytes or .bulk_group");
    f.op = tensor ? AsyncOp::tensor_copy : AsyncOp::bulk_copy;
    const unsigned operands = tensor ? 4 + f.dimensions + f.shifts + (store ? 0 : 2) : store ? 5 : 7;
    if (f.inputs != operands + (f.multicast ? 1 : 0)) return wrong(i, "has the wrong number of operands");
    if (i.op == Op::cp_reduce_async_bulk) {
        // A tensor reduction names no type: the tensor map has it.
        const auto type = i.types.empty() ? simt::Type::none : i.types.back();
        f.typed = !tensor;
        auto op = atomic_op(i, tensor ? simt::Type::u32 : type);
        if (!op) return wrong(i, op.error().what);
        f.operation = static_cast<std::uint32_t>(*op);
        f.element_bytes = tensor ? 4 : simt::bytes(type);
    }
    f.moves = true;
    return f;
}

}  // namespace

Result<AsyncForm> decode_async(const simt::Details& i, unsigned inputs) {
    AsyncForm f;
    f.ptx = &i;
    f.inputs = inputs;
    f.shared = i.has(Mod::shared) || i.has(Mod::shared_cta) || i.has(Mod::shared_cluster);
    switch (simt::facts(i.op).form) {
        case simt::Form::mbarrier:
            return decode_mbarrier(f);
        case simt::Form::cluster_barrier:
            f.op = i.has(Mod::arrive) ? AsyncOp::cluster_arrive : AsyncOp::nothing;
            if (!i.has(Mod::arrive) && !i.has(Mod::wait)) return wrong(i, "needs .arrive or .wait");
            return f;
        case simt::Form::store:
        case simt::Form::atomic:
            return decode_remote_store(f);
        case simt::Form::bulk_copy:
            return decode_bulk(f);
        case simt::Form::policy:
            f.op = AsyncOp::cache_policy;
            if (inputs != (i.has(Mod::range) ? 4u : 1u)) return wrong(i, "has the wrong number of operands");
            return f;
        case simt::Form::texture:
            return decode_texture(i, inputs);
        case simt::Form::tensor_map:
            return decode_tensor_map(i, inputs);
        default:
            return wrong(i, "is not executed by this version of the emulated GPU");
    }
}

}  // namespace warpwright::engine
