// What no unit does in one instruction has the cost of the sequence that an assembler writes for it, counted in machine
// code of compute capability 9.0. Which rule holds for an opcode stands in the opcode's row.
#include "machine/translate.hpp"

#include <algorithm>

#include "machine/asynchronous.hpp"
#include "machine/view.hpp"

namespace warpwright::machine {

namespace {

using simt::Cost;
using simt::InstKind;
using simt::Mod;
using simt::Type;
using POp = simt::Op;

struct Shape {
    Pipe pipe = Pipe::alu;
    unsigned issues = 1;
    unsigned chain = 0;    ///< cycles of an expansion beyond one operation's
    unsigned special = 0;  ///< operations of the special function unit among them
    double work = 1;
    bool splits = false;  ///< a branch around a slow path is among them
    unsigned takes = 0;   ///< registers, as Op::takes
};

bool wide(Type t) { return simt::bits(t) == 64 && !simt::is_float(t); }

/// Sequences that the assembler writes for what no unit does: instructions and cycles as they were counted in machine
/// code of compute capability 9.0 (the fast path; denormals and the like take a call that hardly ever happens). The
/// registers that they take were measured with ptxas 13.0 for 9.0: how many values fit beside them.
Shape division(const simt::Details& i, Type t) {
    if (t == Type::f32) {
        if (i.has(Mod::approx)) return {Pipe::fp32, i.arithmetic.flush ? 2u : 6u, 30, 1};
        if (i.has(Mod::full)) return {Pipe::fp32, i.arithmetic.flush ? 4u : 8u, 34, 1};
        return {Pipe::fp32, 11, 54, 2, 1, true, 9};
    }
    if (t == Type::f64) return {Pipe::fp64, 16, 117, 1, 1, true, 18};
    if (simt::bits(t) == 64) return {Pipe::multiply, 75, 300, 2, 1, true, simt::is_signed(t) ? 13u : 11u};
    if (simt::bits(t) <= 16) return {Pipe::fp32, 12, 60, 3};
    return {Pipe::multiply, simt::is_signed(t) ? 22u : 17u, 90, 3, 1, false, simt::is_signed(t) ? 8u : 5u};
}

/// Latency of the special function unit over that of the unit for floats, in cycles.
constexpr unsigned kSpecialLatency = 14;

/// One operation of the special function unit among `issues`, of which the others go to the unit for floats; `chain`:
/// what these add to the latency.
Shape with_special(unsigned issues, unsigned chain) {
    if (issues == 1) return {Pipe::special, 1, chain, 1};
    return {Pipe::fp32, issues, chain + kSpecialLatency, 1};
}

/// Of the special function unit, exact or with denormals scaled before and after where they are not flushed.
Shape special_function(const simt::Details& i, Type t, Cost cost) {
    const bool flush = i.arithmetic.flush, exact = !i.has(Mod::approx);
    if (t == Type::f64)
        return cost == Cost::reciprocal ? Shape{Pipe::fp64, 12, 66, 1, 1, exact, 9}
                                        : Shape{Pipe::fp64, 18, 85, 1, 1, exact, 14};
    if (simt::is_half(t)) return {Pipe::special, 1, 0, 1};
    switch (cost) {
        case Cost::reciprocal:
            return exact ? Shape{Pipe::fp32, 10, 72, 1, 1, true, 7} : with_special(flush ? 1 : 4, flush ? 0 : 12);
        case Cost::root:
            return exact ? Shape{Pipe::fp32, 10, 52, 1, 1, true, 6} : with_special(flush ? 2 : 5, flush ? 4 : 14);
        case Cost::sine:
            return with_special(2, 4);
        case Cost::direct:
            return {Pipe::special, 1, 0, 1};
        default:  // scaled
            return with_special(flush ? 1 : 4, flush ? 0 : 12);
    }
}

Shape multiply(const simt::Details& i, Type t) {
    if (i.has(Mod::wide)) return {Pipe::multiply, 1, 0, 0, 2};
    if (wide(t))
        return i.has(Mod::hi) ? Shape{Pipe::multiply, 8, 20, 0, 1, false, 8}
                              : Shape{Pipe::multiply, 4, 8, 0, 1, false, 6};
    if (i.has(Mod::hi)) return {Pipe::multiply, 1, 0, 0, 2};
    return {Pipe::multiply, 1};
}

Shape floating(Type t, Cost cost) {
    if (cost == Cost::sign) return {Pipe::none, 0};  // a modifier of whoever reads it
    if (t == Type::f64) return cost == Cost::choose ? Shape{Pipe::fp64, 4, 16} : Shape{Pipe::fp64, 1};
    if (simt::is_half(t)) return {Pipe::half, 1};
    if (cost == Cost::choose) return {Pipe::alu, 1};
    return {Pipe::fp32, t == Type::f32x2 ? 2u : 1u};
}

Shape conversion(const simt::Details& i) {
    const Type to = i.type(0), from = i.type(1);
    const bool float_to = simt::is_float(to), float_from = simt::is_float(from);
    if (!float_to && !float_from) {
        if (i.arithmetic.saturate) return {Pipe::alu, 2, 4};
        const bool widens = simt::bits(to) > simt::bits(from);
        if (simt::bits(to) == 64 && widens) return {Pipe::alu, simt::is_signed(from) ? 1u : 0u};
        if (simt::bits(from) == 64) return {Pipe::none, simt::bits(to) < 32 ? 1u : 0u};
        return {Pipe::alu, simt::bits(to) < 32 || simt::bits(from) < 32 ? 1u : 0u};
    }
    const bool wide_one = simt::bits(to) == 64 || simt::bits(from) == 64;
    if (float_to && float_from) {
        if (to == from) return {Pipe::convert, 1};  // rounding to whole numbers
        if (simt::is_half(to) || simt::is_half(from)) return {Pipe::alu, 1};
        return {Pipe::convert, 1, 0, 0, wide_one ? 4.0 : 1.0};
    }
    return {Pipe::convert, 1, 0, 0, wide_one ? 4.0 : 1.0};
}

Shape comparison(const simt::Details& i, Type t) {
    const Type of = i.types.empty() ? t : i.types.back();
    if (of == Type::f64 && i.op != POp::selp) return {Pipe::fp64, 1};
    if (simt::is_half(of) && i.op != POp::selp) return {Pipe::half, 1};
    const unsigned words = simt::bits(of) == 64 ? 2 : 1;
    return {Pipe::alu, words, words == 2 ? 4u : 0u};
}

/// What a data instruction costs, by the rule that its row of ptx/opcodes.inc names; a row without one does not
/// compile.
Shape data_shape(const simt::Details& i) {
    const Type t = i.type();
    const Cost cost = simt::facts(i.op).cost;
    const bool two = wide(t) || t == Type::b64;  // words
    switch (cost) {
        case Cost::none:
            return {Pipe::none, 0};
        case Cost::divide:
            return division(i, t);
        case Cost::floating:
            return floating(t, cost);
        case Cost::add:
            if (simt::is_float(t)) return floating(t, cost);
            return wide(t) ? Shape{Pipe::add, 2, 4} : Shape{Pipe::add, 1};
        case Cost::multiply:
            return simt::is_float(t) ? floating(t, cost) : multiply(i, t);
        case Cost::multiply24:
            return {Pipe::multiply, 3, 8};
        case Cost::sign:
            if (simt::is_float(t)) return floating(t, cost);
            return wide(t) ? Shape{Pipe::add, 2, 4} : Shape{Pipe::alu, 1};
        case Cost::choose:
            if (simt::is_float(t)) return floating(t, cost);
            return wide(t) ? Shape{Pipe::alu, 4, 10} : Shape{Pipe::alu, 1};
        case Cost::reciprocal:
        case Cost::root:
        case Cost::sine:
        case Cost::scaled:
        case Cost::direct:
            return special_function(i, t, cost);
        case Cost::logic:
            return {Pipe::alu, two ? 2u : 1u, two ? 1u : 0u};
        case Cost::simple:
        case Cost::pack:
            return {Pipe::alu, 1};
        case Cost::shift:
            return {Pipe::alu, two ? 2u : 1u, two ? 4u : 0u};
        case Cost::field:
            return {Pipe::alu, two ? 5u : 2u, 4};
        case Cost::count:
            return {Pipe::special, two ? 3u : 1u, two ? 16u : 0u, two ? 2u : 1u};
        case Cost::leading:
            return {Pipe::special, two ? 4u : 2u, two ? 18u : 4u, two ? 2u : 1u};
        case Cost::reverse:
            return {Pipe::special, two ? 2u : 1u, 0, two ? 2u : 1u};
        case Cost::find_nth:
            return {Pipe::alu, 40, 200};
        case Cost::dot:
            return {Pipe::multiply, 1};
        case Cost::compare:
            return comparison(i, t);
        case Cost::convert:
            return conversion(i);
        case Cost::video:
            return {Pipe::alu, 6, 24};
    }
    return {Pipe::none, 0};
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

/// What the memory model asks of caches. Threads of other blocks, which may be on another multiprocessor, meet in the
/// second level: strong accesses of their scope go there, and whoever acquires drops what the first level has.
void order(Op& op, const simt::Inst& i) {
    if (!i.ptx) return;
    const simt::Access& a = i.ptx->access;
    using simt::Scope, simt::CacheOperator;
    const bool beyond_block = a.scope != Scope::block;
    op.past_first = (a.strong() && beyond_block) || a.cache == CacheOperator::global || a.cache == CacheOperator::again;
    op.invalidates = a.acquires() && beyond_block;
    op.waits_stores = a.releases() && beyond_block;
}

Op access(const simt::Inst& i) {
    Op op = shaped({Pipe::memory, 1});
    order(op, i);
    op.space = i.space;
    op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
    op.effect = i.kind == InstKind::load ? Effect::load : Effect::store;
    if (i.space == simt::Space::constant || i.space == simt::Space::param) {
        op.pipe = Pipe::exchange;
        op.effect = Effect::none;
        op.space = simt::Space::constant;
    }
    return op;
}

/// What lies in the constant bank: parameters, the sizes of block and grid.
Op constant() {
    Op op = shaped({Pipe::none, 1});
    op.space = simt::Space::constant;
    return op;
}

Op special_register(const simt::Inst& i) {
    using S = simt::SpecialReg;
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

/// Loads and stores of a fragment (wmma): a word each where the elements of a register lie side by side in memory,
/// else one for each element. Registers of f16 factors hold each word twice.
void as_pieces(Op& op, const simt::Inst& i) {
    const bool factor = i.ptx->has(Mod::a) || i.ptx->has(Mod::b), load = i.kind == InstKind::matrix_load;
    const simt::Type type = i.ptx->type();
    const bool side_by_side = i.ptx->has(i.ptx->has(Mod::b) ? Mod::col : Mod::row);
    std::size_t words = load ? i.out.size() : i.in.size() - 1;  // (of a store, the stride is among the operands)
    if (!load && words % 2 != 0) --words;
    if (factor && type == simt::Type::f16) words /= 2;
    const unsigned bits = simt::bits(type), pieces = side_by_side || bits < 8 ? 1 : std::max(1u, 32 / bits);
    op.issues = static_cast<decltype(op.issues)>(std::clamp<std::size_t>(words * pieces, 1, 32));
    op.bytes = static_cast<std::uint8_t>(side_by_side ? std::max(4u, bits / 8) : std::max(1u, bits / 8));
}

}  // namespace

bool is_traced(const simt::Inst& i) {
    switch (i.kind) {
        case InstKind::load:
            return (i.space != simt::Space::constant && i.space != simt::Space::param) || i.in[0].is_value();
        case InstKind::store:
            return i.space != simt::Space::constant && i.space != simt::Space::param;
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
    return i.space == simt::Space::shared && !i.ptx->has(Mod::exch) &&
           (simt::is_float(i.type) || simt::bits(i.type) == 64);
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
                32, simt::bytes(i.type) * static_cast<unsigned>(std::max<std::size_t>(1, i.out.size())));
        case InstKind::store:
            return std::min<unsigned>(
                32, simt::bytes(i.type) * static_cast<unsigned>(std::max<std::size_t>(1, i.in.size() - 1)));
        default:
            return std::min(32u, simt::bytes(i.type));
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
            op.wide_constant = simt::bits(i.type) * i.out.size() >= 64;
            return op;
        }
        case InstKind::load:
        case InstKind::store:
            return access(i);
        case InstKind::atomic: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = Effect::atomic;
            order(op, i);
            op.space = i.space;
            op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
            op.compares = is_compare_and_swap(i);
            op.repeats = op.compares && !i.ptx->has(Mod::cas);
            op.adds_float = i.ptx && simt::is_float(i.type);
            if (op.repeats) op.issues = 5;  // load, add, compare-and-swap, test, branch
            op.returns = std::any_of(i.out.begin(), i.out.end(), [](auto v) { return v != simt::kNone; });
            return op;
        }
        case InstKind::copy_async: {
            Op op = shaped({Pipe::memory, 1});
            op.effect = Effect::copy;
            op.space = simt::Space::global;
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
            op.space = i.space == simt::Space::generic ? simt::Space::shared : i.space;
            op.bytes = static_cast<std::uint8_t>(traced_bytes(i));
            if (i.ptx && i.ptx->op == simt::Op::wmma) as_pieces(op, i);
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
            // (A fence without a scope of PTX's, of the proxies, orders as one of the device.)
            op.waits_stores = op.invalidates = !i.ptx || i.ptx->access.scope != simt::Scope::block;
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
        case InstKind::move:  // operands of whoever reads them
        case InstKind::pack:
        case InstKind::unpack:
        case InstKind::address:
        case InstKind::to_generic:
        case InstKind::from_generic:
        case InstKind::add_offset:
        case InstKind::prefetch:
        case InstKind::trap:
        case InstKind::phi:
            return shaped({Pipe::none, 0});
    }
    return shaped({Pipe::none, 0});
}

bool is_short_division(const simt::Inst& i) {
    if (i.kind != simt::InstKind::data || !i.ptx || simt::facts(i.ptx->op).cost != Cost::divide) return false;
    return !simt::is_float(i.ptx->type()) && simt::bits(i.ptx->type()) == 32;
}

void leave_out_divisor(Op& op) {
    // The conversion to a float, its reciprocal, the way back and a step of Newton are the divisor's.
    constexpr unsigned kOfDivisor = 8, kChainOfDivisor = 54;
    op.issues = static_cast<std::uint8_t>(op.issues - kOfDivisor);
    op.chain = static_cast<std::uint16_t>(op.chain - kChainOfDivisor);
    op.special = 0;
}

}  // namespace warpwright::machine
