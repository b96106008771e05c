// Instructions to AsyncForms: what is one of the ISA's, and which function runs it.
#include "engine/runtime/async_op.hpp"

#include "engine/runtime/atomic_op.hpp"

namespace warpwright::engine {

using ptx::Mod;
using ptx::Op;

Result<AsyncForm> decode_async(const ptx::Instruction& i, unsigned inputs) {
    auto wrong = [&](const std::string& why) {
        return Error{ErrorKind::input, i.spelling() + ": " + why, {"", i.line, i.column}, ""};
    };
    AsyncForm f;
    f.ptx = &i;
    f.inputs = inputs;
    f.shared = i.has(Mod::shared) || i.has(Mod::shared_cta) || i.has(Mod::shared_cluster);
    auto want = [&](unsigned fewest, unsigned most) { return inputs >= fewest && inputs <= most; };
    switch (i.op) {
        case Op::mbarrier: {
            f.run = run_mbarrier;
            bool good = false;
            if (i.has(Mod::pending_count))
                good = want(1, 1);
            else if (i.has(Mod::init))
                good = want(3, 3);
            else if (i.has(Mod::inval))
                good = want(2, 2);
            else if (i.has(Mod::test_wait))
                good = want(3, 3);
            else if (i.has(Mod::try_wait))
                good = want(3, 4);
            else if (i.has(Mod::expect_tx) || i.has(Mod::complete_tx))
                good = want(3, 3);
            else if (i.has(Mod::arrive) || i.has(Mod::arrive_drop))
                good = want(2, 3);
            else
                return wrong("is no operation on an mbarrier");
            if (!good) return wrong("has the wrong number of operands");
            return f;
        }
        case Op::cp_async_mbarrier_arrive:
            f.run = run_mbarrier;
            if (!want(2, 2)) return wrong("takes the address of an mbarrier");
            return f;
        case Op::barrier_cluster:
            f.run = i.has(Mod::arrive) ? run_cluster_arrive : run_nothing;
            if (!i.has(Mod::arrive) && !i.has(Mod::wait)) return wrong("needs .arrive or .wait");
            return f;
        case Op::st:
        case Op::red: {
            f.run = run_remote_store;
            f.shared = true;  // its addresses are of .shared::cluster, named or not
            if (i.types.empty()) return wrong("needs a type");
            f.element_bytes = ptx::bytes(i.types.back());
            if (inputs < 5 || f.element_bytes > 8) return wrong("this form is not executed");
            if (i.op == Op::red) {
                auto op = atomic_op(i, i.types.back());
                if (!op) return wrong(op.error().what);
                f.operation = static_cast<std::uint32_t>(*op);
            }
            return f;
        }
        case Op::cp_async_bulk:
        case Op::cp_reduce_async_bulk: {
            f.run = run_nothing;
            // What a copy does is done when it starts: nothing to commit, nothing to wait for.
            if (i.has(Mod::commit_group) || i.has(Mod::wait_group) || i.has(Mod::prefetch_)) return f;
            for (auto [mod, n] : {std::pair{Mod::d1, 1u}, {Mod::d2, 2u}, {Mod::d3, 3u}, {Mod::d4, 4u}, {Mod::d5, 5u}})
                if (i.has(mod)) f.dimensions = n;
            for (auto mod : {Mod::im2col, Mod::im2col_no_offs, Mod::im2col_w, Mod::im2col_w_128, Mod::tile_gather4,
                             Mod::tile_scatter4, Mod::cp_mask, Mod::ignore_oob, Mod::cta_group_1, Mod::cta_group_2})
                if (i.has(mod))
                    return wrong("." + std::string(ptx::spelling(mod)) +
                                 " is not executed by this version of the emulated GPU");
            f.multicast = i.has(Mod::multicast_cluster);
            const bool tensor = i.has(Mod::tensor), store = i.has(Mod::bulk_group);
            if (tensor && f.dimensions == 0) return wrong("needs .1d to .5d");
            if (!store && !i.has(Mod::mbarrier_complete))
                return wrong("needs .mbarrier::complete_tx::bytes or .bulk_group");
            f.run = tensor ? run_tensor_copy : run_bulk;
            const unsigned operands = tensor ? 4 + f.dimensions + (store ? 0 : 2) : store ? 5 : 7;
            if (inputs != operands + (f.multicast ? 1 : 0)) return wrong("has the wrong number of operands");
            if (i.op == Op::cp_reduce_async_bulk) {
                // A tensor reduction names no type: the map has it.
                const auto type = i.types.empty() ? ptx::Type::none : i.types.back();
                f.typed = !tensor;
                auto op = atomic_op(i, tensor ? ptx::Type::u32 : type);
                if (!op) return wrong(op.error().what);
                f.operation = static_cast<std::uint32_t>(*op);
                f.element_bytes = tensor ? 4 : ptx::bytes(type);
            }
            f.moves = true;
            return f;
        }
        case Op::tex:
        case Op::tld4:
        case Op::suld:
        case Op::sust:
        case Op::sured:
        case Op::txq:
        case Op::suq:
        case Op::istypep:
            return decode_texture(i, inputs);
        default:
            return wrong("is not executed by this version of the emulated GPU");
    }
}

}  // namespace warpwright::engine
