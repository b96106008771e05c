#include "machine/translate.hpp"

#include <algorithm>

#include "machine/asynchronous.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

using ptx::Mod;
using ptx::Type;
using simt::InstKind;
using POp = ptx::Op;

struct Shape {
    Pipe pipe = Pipe::alu;
    unsigned issues = 1;
    unsigned chain = 0;    ///< cycles of an expansion beyond one operation's
    unsigned special = 0;  ///< operations of the special function unit among them
    double work = 1;
    bool splits = false;  ///< a branch around a slow path is among them
    unsigned takes = 0;   ///< registers, as Op::takes
};

bool half(Type t) { return t == Type::f16 || t == Type::f16x2 || t == Type::bf16 || t == Type::bf16x2; }
bool wide(Type t) { return ptx::bits(t) == 64 && !ptx::is_float(t); }

/// Sequences that the assembler writes for what no unit does: instructions and cycles as they were counted in machine
/// code of compute capability 9.0 (the fast path; denormals and the like take a call that hardly ever happens). The
/// registers that they take were measured with ptxas 13.0 for 9.0: how many values fit beside them.
Shape division(const ptx::Instruction& i, Type t) {
    if (t == Type::f32) {
        if (i.has(Mod::approx)) return {Pipe::fp32, i.has(Mod::ftz) ? 2u : 6u, 30, 1};
        if (i.has(Mod::full)) return {Pipe::fp32, i.has(Mod::ftz) ? 4u : 8u, 34, 1};
        return {Pipe::fp32, 11, 54, 2, 1, true, 9};
    }
    if (t == Type::f64) return {Pipe::fp64, 16, 117, 1, 1, true, 18};
    if (ptx::bits(t) == 64) return {Pipe::multiply, 75, 300, 2, 1, true, ptx::is_signed(t) ? 13u : 11u};
    if (ptx::bits(t) <= 16) return {Pipe::fp32, 12, 60, 3};
    return {Pipe::multiply, ptx::is_signed(t) ? 22u : 17u, 90, 3, 1, false, ptx::is_signed(t) ? 8u : 5u};
}

Shape root_or_reciprocal(const ptx::Instruction& i, Type t) {
    const bool flush = i.has(Mod::ftz), exact = !i.has(Mod::approx);
    if (t == Type::f64)
        return i.op == POp::rcp ? Shape{Pipe::fp64, 12, 66, 1, 1, exact, 9}
                                : Shape{Pipe::fp64, 18, 85, 1, 1, exact, 14};
    if (half(t)) return {Pipe::special, 1, 0, 1};
    switch (i.op) {
        case POp::rcp:
            return exact ? Shape{Pipe::fp32, 10, 72, 1, 1, true, 7}
                         : Shape{Pipe::special, flush ? 1u : 4u, flush ? 0u : 12u, 1};
        case POp::sqrt:
            return exact ? Shape{Pipe::fp32, 10, 52, 1, 1, true, 6}
                         : Shape{Pipe::special, flush ? 2u : 5u, flush ? 4u : 14u, 1};
        case POp::sin:
        case POp::cos:
            return {Pipe::special, 2, 4, 1};
        case POp::tanh:
            return {Pipe::special, 1, 0, 1};
        default:
            return {Pipe::special, flush ? 1u : 4u, flush ? 0u : 12u, 1};
    }
}

Shape multiply(const ptx::Instruction& i, Type t) {
    if (i.has(Mod::wide)) return {Pipe::multiply, 1, 0, 0, 2};
    if (wide(t))
        return i.has(Mod::hi) ? Shape{Pipe::multiply, 8, 20, 0, 1, false, 8}
                              : Shape{Pipe::multiply, 4, 8, 0, 1, false, 6};
    if (i.has(Mod::hi)) return {Pipe::multiply, 1, 0, 0, 2};
    return {Pipe::multiply, 1};
}

Shape floating(const ptx::Instruction& i, Type t) {
    const auto op = i.op;
    if (t == Type::f64) {
        if (op == POp::min || op == POp::max) return {Pipe::fp64, 4, 16};
        if (op == POp::abs || op == POp::neg) return {Pipe::none, 0};
        return {Pipe::fp64, 1};
    }
    if (op == POp::abs || op == POp::neg) return {Pipe::none, 0};  // a modifier of whoever reads it
    if (half(t)) return {Pipe::half, 1};
    if (op == POp::min || op == POp::max) return {Pipe::alu, 1};
    return {Pipe::fp32, t == Type::f32x2 ? 2u : 1u};
}

Shape arithmetic(const ptx::Instruction& i, Type t) {
    if (i.op == POp::div || i.op == POp::rem) return division(i, t);
    if (ptx::is_float(t)) return floating(i, t);
    switch (i.op) {
        case POp::mul:
        case POp::mad:
        case POp::madc:
        case POp::mul24:
        case POp::mad24:
            return multiply(i, t);
        case POp::add:
        case POp::sub:
        case POp::addc:
        case POp::subc:
            return wide(t) ? Shape{Pipe::add, 2, 4} : Shape{Pipe::add, 1};
        case POp::abs:
        case POp::neg:
            return wide(t) ? Shape{Pipe::add, 2, 4} : Shape{Pipe::alu, 1};
        default:
            return wide(t) ? Shape{Pipe::alu, 4, 10} : Shape{Pipe::alu, 1};  // min, max
    }
}

Shape conversion(const ptx::Instruction& i) {
    const Type to = i.type(0), from = i.type(1);
    const bool float_to = ptx::is_float(to), float_from = ptx::is_float(from);
    if (!float_to && !float_from) {
        if (i.has(Mod::sat)) return {Pipe::alu, 2, 4};
        const bool widens = ptx::bits(to) > ptx::bits(from);
        if (ptx::bits(to) == 64 && widens) return {Pipe::alu, ptx::is_signed(from) ? 1u : 0u};
        if (ptx::bits(from) == 64) return {Pipe::none, ptx::bits(to) < 32 ? 1u : 0u};
        return {Pipe::alu, ptx::bits(to) < 32 || ptx::bits(from) < 32 ? 1u : 0u};
    }
    const bool wide_one = ptx::bits(to) == 64 || ptx::bits(from) == 64;
    if (float_to && float_from) {
        if (to == from) return {Pipe::convert, 1};  // rounding to whole numbers
        if (half(to) || half(from)) return {Pipe::alu, 1};
        return {Pipe::convert, 1, 0, 0, wide_one ? 4.0 : 1.0};
    }
    return {Pipe::convert, 1, 0, 0, wide_one ? 4.0 : 1.0};
}

Shape bit_work(const ptx::Instruction& i, Type t) {
    const unsigned words = wide(t) || t == Type::b64 ? 2 : 1;
    switch (i.op) {
        case POp::popc:
        case POp::bfind:
            return {Pipe::special, words == 2 ? 3u : 1u, words == 2 ? 16u : 0u, words};
        case POp::clz:
            return {Pipe::special, words == 2 ? 4u : 2u, words == 2 ? 18u : 4u, words};
        case POp::brev:
            return {Pipe::special, words, 0, words};
        case POp::bfe:
        case POp::bfi:
            return {Pipe::alu, words == 2 ? 5u : 2u, 4};
        case POp::shl:
        case POp::shr:
            return {Pipe::alu, words == 2 ? 2u : 1u, words == 2 ? 4u : 0u};
        case POp::dp4a:
        case POp::dp2a:
            return {Pipe::multiply, 1};
        case POp::fns:
            return {Pipe::alu, 40, 200};
        default:
            return {Pipe::alu, words, words == 2 ? 1u : 0u};
    }
}

Shape data_shape(const ptx::Instruction& i) {
    const Type t = i.type();
    const auto& facts = ptx::facts(i.op);
    switch (facts.family) {
        case ptx::Family::by_type:
        case ptx::Family::add_or_carry:
        case ptx::Family::floating:
        case ptx::Family::divide:
        case ptx::Family::carry:
            return arithmetic(i, t);
        case ptx::Family::special:
            return root_or_reciprocal(i, t);
        case ptx::Family::convert:
            return conversion(i);
        case ptx::Family::convert_pack:
            return {Pipe::alu, 1};
        case ptx::Family::compare: {
            const Type of = i.types.empty() ? t : i.types.back();
            if (of == Type::f64 && i.op != POp::selp) return {Pipe::fp64, 1};
            if (half(of) && i.op != POp::selp) return {Pipe::half, 1};
            const unsigned words = ptx::bits(of) == 64 ? 2 : 1;
            return {Pipe::alu, words, words == 2 ? 4u : 0u};
        }
        case ptx::Family::video:
        case ptx::Family::video_simd:
            return {Pipe::alu, 6, 24};
        case ptx::Family::integer:
            return i.op == POp::mul24 || i.op == POp::mad24 ? Shape{Pipe::multiply, 3, 8} : Shape{Pipe::alu, 1};
        default:
            if (t == Type::pred) return {Pipe::alu, 1};
            return bit_work(i, t);
    }
}

Op shaped(const Shape& s) {
    Op op;
    op.pipe = s.pipe;
    op.issues = static_cast<std::uint8_t>(s.issues);
    op.chain = static_cast<std::uint16_t>(s.chain);
    op.special = static_cast<std::uint8_t>(s.special);
    op.work = s.work;
    op.splits = s.splits;
    op.takes = static_cast<std::uint8_t>(s.takes);
    return op;
}

/// Where parameters begin in the constant bank of compute capability 9.0. The program's own constants have another
/// bank; the trace tells where they lie.
constexpr std::int32_t kParameters = 0x210;

Op access(const simt::Inst& i) {
    Op op = shaped({Pipe::memory, 1});
    op.space = i.space;
    op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
    op.effect = i.kind == InstKind::load ? Effect::load : Effect::store;
    if (i.space == ptx::Space::constant || i.space == ptx::Space::param) {
        op.pipe = Pipe::exchange;
        op.effect = Effect::none;
        op.space = ptx::Space::constant;
    }
    return op;
}

/// What lies in the constant bank: parameters, the sizes of block and grid.
Op constant() {
    Op op = shaped({Pipe::none, 1});
    op.space = ptx::Space::constant;
    return op;
}

Op special_register(const simt::Inst& i) {
    using S = ptx::SpecialReg;
    switch (i.special) {
        case S::tid_x:
        case S::tid_y:
        case S::tid_z:
        case S::ctaid_x:
        case S::ctaid_y:
        case S::ctaid_z:
        case S::laneid:
        case S::warpid:
        case S::smid: {
            Op op = shaped({Pipe::exchange, 1});
            op.of_thread = true;
            return op;
        }
        case S::clock:
        case S::clock64:
        case S::globaltimer:
            return shaped({Pipe::alu, 1, 10});
        default:
            return constant();
    }
}

Op barrier(const simt::Inst& i) {
    Op op = shaped({Pipe::branch, 1});
    const bool arrives = i.ptx && i.ptx->has(Mod::arrive);
    op.effect = arrives ? Effect::arrive : Effect::barrier;
    if (i.in.empty() || i.in[0].is_integer())
        op.barrier = static_cast<std::int16_t>(i.in.empty() ? 0 : i.in[0].bits & 15);
    return op;
}

/// What a call by the ABI leaves its callee, beside what lives across it; measured as those of division() were.
std::uint8_t takes_of_call(const simt::Inst& i) {
    switch (i.system) {
        case simt::SystemCall::none:
        case simt::SystemCall::print:
        case simt::SystemCall::assert_fail:
        case simt::SystemCall::allocate:
        case simt::SystemCall::release:
            return 16;
        default:
            return 0;
    }
}

Op warp_operation(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::shuffle:
            return shaped({Pipe::exchange, 1});
        case InstKind::reduce:
            return shaped({Pipe::exchange, 1, 0, 0, 2});
        case InstKind::match:
            return shaped({Pipe::exchange, 1, 0, 0, 2});
        case InstKind::warp_barrier:
            return shaped({Pipe::none, 1});
        default:
            return shaped({Pipe::alu, 1, 6});
    }
}

}  // namespace

bool is_traced(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::load:
            return (i.space != ptx::Space::constant && i.space != ptx::Space::param) || i.in[0].is_value();
        case InstKind::store:
            return i.space != ptx::Space::constant && i.space != ptx::Space::param;
        case InstKind::atomic:
        case InstKind::copy_async:
        case InstKind::matrix_load:
        case InstKind::matrix_store:
            return true;
        case InstKind::async_op:
        case InstKind::async_wait:
            return i.ptx && (tells_steps(*i.ptx) || is_texture_access(*i.ptx));
        default:
            return false;
    }
}

bool is_compare_and_swap(const simt::Inst& i) {
    if (i.kind != InstKind::atomic || !i.ptx) return false;
    if (i.ptx->has(Mod::cas)) return true;
    // Shared memory adds whole numbers of 32 bits; all else is a loop around a compare-and-swap.
    return i.space == ptx::Space::shared && !i.ptx->has(Mod::exch) &&
           (ptx::is_float(i.type) || ptx::bits(i.type) == 64);
}

unsigned traced_bytes(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::copy_async:
            return i.copy_bytes;
        case InstKind::matrix_load:
        case InstKind::matrix_store:
            return 16;
        case InstKind::load:
            return std::min<unsigned>(
                32, ptx::bytes(i.type) * static_cast<unsigned>(std::max<std::size_t>(1, i.out.size())));
        case InstKind::store:
            return std::min<unsigned>(
                32, ptx::bytes(i.type) * static_cast<unsigned>(std::max<std::size_t>(1, i.in.size() - 1)));
        default:
            return std::min(32u, ptx::bytes(i.type));
    }
}

Op translate(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::data:
            return i.ptx ? shaped(data_shape(*i.ptx)) : shaped({Pipe::alu, 1});
        case InstKind::select:
            return shaped({Pipe::alu, 1});
        case InstKind::special:
            return special_register(i);
        case InstKind::param: {
            Op op = constant();
            op.constant_at = static_cast<std::int32_t>(std::clamp<std::int64_t>(i.offset, 0, 1 << 16)) + kParameters;
            op.wide_constant = ptx::bits(i.type) * i.out.size() >= 64;
            return op;
        }
        case InstKind::load:
        case InstKind::store:
            return access(i);
        case InstKind::atomic: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = Effect::atomic;
            op.space = i.space;
            op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
            op.compares = is_compare_and_swap(i);
            op.repeats = op.compares && !i.ptx->has(Mod::cas);
            op.adds_float = i.ptx && ptx::is_float(i.type);
            if (op.repeats) op.issues = 5;  // load, add, compare-and-swap, test, branch
            op.returns = std::any_of(i.out.begin(), i.out.end(), [](auto v) { return v != simt::kNone; });
            return op;
        }
        case InstKind::copy_async: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = Effect::copy;
            op.space = ptx::Space::global;
            op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
            return op;
        }
        case InstKind::copy_group:
        case InstKind::matrix:
        case InstKind::matrix_async:
        case InstKind::async_op:
        case InstKind::async_wait:
        case InstKind::nop:
            return translate_asynchronous(i);
        case InstKind::matrix_load:
        case InstKind::matrix_store: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = i.kind == InstKind::matrix_load ? Effect::load : Effect::store;
            op.space = i.space == ptx::Space::generic ? ptx::Space::shared : i.space;
            op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
            return op;
        }
        case InstKind::shuffle:
        case InstKind::vote:
        case InstKind::match:
        case InstKind::reduce:
        case InstKind::active_mask:
        case InstKind::elect:
        case InstKind::warp_barrier:
            return warp_operation(i);
        case InstKind::barrier:
            return barrier(i);
        case InstKind::fence: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = Effect::fence;
            return op;
        }
        case InstKind::sleep: {
            Op op = shaped({Pipe::none, 1});
            op.effect = Effect::sleep;
            return op;
        }
        case InstKind::matrix_move:
            return shaped({Pipe::exchange, 1});
        case InstKind::call:
        case InstKind::system_call: {
            Op op = shaped({Pipe::branch, 8, 40});
            op.takes = takes_of_call(i);
            return op;
        }
        case InstKind::function:
        case InstKind::in_space:
            return shaped({Pipe::alu, 1});
        default:  // moves, packs, parameters, addresses: operands of whoever reads them
            return shaped({Pipe::none, 0});
    }
}

}  // namespace warpwright::machine
