// The work of a product and the bytes of its operands follow from the instruction's shape. Instructions that end or
// await a group become operations with an effect, which occupy no pipe.
#include "machine/asynchronous.hpp"

#include <algorithm>

#include "machine/view.hpp"
#include "simt/details.hpp"

namespace warpwright::machine {

namespace {

using simt::InstKind;
using simt::Mod;
using simt::Type;
using POp = simt::Op;

Op slots(Pipe pipe, unsigned issues, Effect effect = Effect::none) {
    Op op;
    op.pipe = pipe;
    op.issues = static_cast<std::uint8_t>(issues);
    op.effect = effect;
    return op;
}

MatrixType matrix_type(Type t) {
    switch (t) {
        case Type::bf16:
            return MatrixType::bf16;
        case Type::tf32:
            return MatrixType::tf32;
        case Type::f64:
            return MatrixType::f64;
        case Type::s8:
        case Type::u8:
            return MatrixType::int8;
        case Type::s4:
        case Type::u4:
        case Type::b1:
            return MatrixType::int4;
        case Type::e4m3:
        case Type::e5m2:
            return MatrixType::fp8;
        default:
            return MatrixType::f16;
    }
}

/// A product of `warps` warps together.
Op product(const simt::Details& i, double warps) {
    Op op = slots(Pipe::tensor, 1);
    const simt::Extent e = i.extent;
    op.matrix = matrix_type(i.types.size() > 2 ? i.types[1] : Type::f16);
    // Two zeros in four of A: half of the products are left.
    op.flops = 2.0 * e.m * e.n * e.k / warps / (i.has(Mod::sp) ? 2 : 1);
    return op;
}

/// The four warps read B together, and A where it is not in registers: its descriptor is then the first operand behind
/// D.
Op warpgroup_product(const simt::Inst& i) {
    Op op = product(*i.ptx, 4);
    op.effect = Effect::product;
    const simt::Extent e = i.ptx->extent;
    const double bits = i.ptx->types.size() > 1 ? simt::bits(i.ptx->types[1]) : 16;
    const auto& operands = i.ptx->operands;
    const bool a_in_shared = operands.size() > 1 && operands[1].kind != simt::Written::Kind::vector;
    op.operand_bytes = bits / 8 * e.k * (e.n + (a_in_shared ? e.m / (i.ptx->has(Mod::sp) ? 2.0 : 1.0) : 0));
    return op;
}

std::uint16_t groups_left(const simt::Details& i) {
    for (const auto& o : i.operands)
        if (o.kind == simt::Written::Kind::integer)
            return static_cast<std::uint16_t>(std::min<std::uint64_t>(o.value, 0xffff));
    return 0;
}

Op wait_for_groups(const simt::Details& i, Effect effect) {
    Op op = slots(Pipe::none, 1, effect);
    op.pending = groups_left(i);
    return op;
}

Op copy_group(const simt::Details& i) {
    return i.op == POp::cp_async_commit_group ? slots(Pipe::none, 1, Effect::copy_group)
                                              : wait_for_groups(i, Effect::copy_wait);
}

/// A surface is read and written where its bytes are; a fetch gives up to four registers.
Op texture_access(const simt::Details& i) {
    Op op = slots(Pipe::texture, 1,
                  i.op == POp::sust    ? Effect::store
                  : i.op == POp::sured ? Effect::atomic
                                       : Effect::load);
    op.space = simt::Space::global;
    op.by_element = reads_elements(i);
    const unsigned values = i.access.vector;
    op.bytes = static_cast<std::uint8_t>(std::min(16u, values * (i.types.empty() ? 4u : simt::bytes(i.types.back()))));
    op.returns = i.op != POp::sured;
    return op;
}

Op asynchronous(const simt::Details& i) {
    if (is_texture_access(i)) return texture_access(i);
    if (simt::facts(i.op).form == simt::Form::bulk_copy) {
        if (i.has(Mod::commit_group)) return slots(Pipe::none, 1, Effect::bulk_group);
        if (i.has(Mod::wait_group)) {
            Op op = wait_for_groups(i, Effect::bulk_wait);
            op.source_only = i.has(Mod::read);
            return op;
        }
    }
    return slots(Pipe::exchange, 2, tells_steps(i) ? Effect::async : Effect::none);
}

}  // namespace

bool tells_steps(const simt::Details& i) {
    switch (simt::facts(i.op).form) {
        case simt::Form::mbarrier:
            return !i.has(Mod::pending_count);
        case simt::Form::bulk_copy:
            return !i.has(Mod::commit_group) && !i.has(Mod::wait_group) && !i.has(Mod::prefetch_);
        case simt::Form::store:
        case simt::Form::atomic:
            return i.has(Mod::async);
        default:
            return false;
    }
}

bool is_texture_access(const simt::Details& i) {
    switch (i.op) {
        case POp::tex:
        case POp::tld4:
        case POp::suld:
        case POp::sust:
        case POp::sured:
            return true;
        default:
            return false;
    }
}

bool reads_elements(const simt::Details& i) {
    if (i.op == POp::tld4) return false;
    return i.op != POp::tex || (i.types.size() > 1 && !simt::is_float(i.type(1)));
}

Op translate_asynchronous(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::matrix:
            return i.ptx ? product(*i.ptx, 1) : slots(Pipe::tensor, 1);
        case InstKind::matrix_async:
            return warpgroup_product(i);
        case InstKind::copy_group:
            return i.ptx ? copy_group(*i.ptx) : slots(Pipe::none, 1);
        case InstKind::async_op:
            return i.ptx ? asynchronous(*i.ptx) : slots(Pipe::exchange, 2);
        case InstKind::async_wait: {
            Op op = slots(Pipe::branch, 2, Effect::barrier);
            op.waits_phase = true;
            return op;
        }
        default:
            if (!i.ptx || i.ptx->op != POp::wgmma) return slots(Pipe::none, 0);
            if (i.ptx->has(Mod::commit_group)) return slots(Pipe::none, 1, Effect::product_group);
            return i.ptx->has(Mod::wait_group) ? wait_for_groups(*i.ptx, Effect::product_wait) : slots(Pipe::none, 1);
    }
}

}  // namespace warpwright::machine
