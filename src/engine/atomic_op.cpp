#include "engine/atomic_op.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/half_number.hpp"

namespace warpwright::engine {

Result<AtomicOp> atomic_op(const ptx::Instruction& inst, ptx::Type type) {
    using ptx::Mod;
    using T = ptx::Type;
    auto bad = [&] { return Error{ErrorKind::input, "this atomic operation and type is not supported", {}, ""}; };
    if (inst.has(Mod::cas)) return AtomicOp::cas;
    if (inst.has(Mod::exch)) return AtomicOp::exch;
    if (inst.has(Mod::and_)) return AtomicOp::and_;
    if (inst.has(Mod::or_)) return AtomicOp::or_;
    if (inst.has(Mod::xor_)) return AtomicOp::xor_;
    if (inst.has(Mod::inc)) return AtomicOp::inc;
    if (inst.has(Mod::dec)) return AtomicOp::dec;
    if (inst.has(Mod::add)) switch (type) {
            case T::f16: return AtomicOp::add_f16;
            case T::f16x2: return AtomicOp::add_f16x2;
            case T::bf16: return AtomicOp::add_bf16;
            case T::bf16x2: return AtomicOp::add_bf16x2;
            case T::f32: return AtomicOp::add_f32;
            case T::f64: return AtomicOp::add_f64;
            default: return AtomicOp::add_int;
        }
    const bool min = inst.has(Mod::min);
    if (!min && !inst.has(Mod::max)) return bad();
    switch (type) {
        case T::s32:
        case T::s64: return min ? AtomicOp::min_s : AtomicOp::max_s;
        case T::u32:
        case T::u64: return min ? AtomicOp::min_u : AtomicOp::max_u;
        case T::f16: return min ? AtomicOp::min_f16 : AtomicOp::max_f16;
        case T::f16x2: return min ? AtomicOp::min_f16x2 : AtomicOp::max_f16x2;
        case T::bf16: return min ? AtomicOp::min_bf16 : AtomicOp::max_bf16;
        case T::bf16x2: return min ? AtomicOp::min_bf16x2 : AtomicOp::max_bf16x2;
        default: return bad();
    }
}

namespace {

template <class T>
T combine(AtomicOp op, T old, T b, T c, bool global) {
    using S = std::make_signed_t<T>;
    auto pairs = [&](auto&& f) {
        if constexpr (sizeof(T) == 4)
            return static_cast<T>(f(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)) |
                                  static_cast<T>(f(static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16))) << 16);
        else
            return old;
    };
    auto one = [&](auto&& f) {
        return static_cast<T>(f(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)));
    };
    switch (op) {
        case AtomicOp::exch: return b;
        case AtomicOp::cas: return old == b ? c : old;
        case AtomicOp::add_int: return static_cast<T>(old + b);
        case AtomicOp::min_s: return static_cast<T>(std::min(static_cast<S>(old), static_cast<S>(b)));
        case AtomicOp::max_s: return static_cast<T>(std::max(static_cast<S>(old), static_cast<S>(b)));
        case AtomicOp::min_u: return std::min(old, b);
        case AtomicOp::max_u: return std::max(old, b);
        case AtomicOp::inc: return old >= b ? T{0} : static_cast<T>(old + 1);
        case AtomicOp::dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
        case AtomicOp::and_: return old & b;
        case AtomicOp::or_: return old | b;
        case AtomicOp::xor_: return old ^ b;
        case AtomicOp::add_f32:
            if constexpr (sizeof(T) == 4) {
                // The L2 cache's adder flushes denormals, operands and result; shared memory adds in the multiprocessor.
                auto flush = [&](T x) { return global && (x & 0x7f800000u) == 0 ? static_cast<T>(x & 0x80000000u) : x; };
                const float r = __builtin_bit_cast(float, flush(old)) + __builtin_bit_cast(float, flush(b));
                return r != r ? T{0x7fffffff} : flush(__builtin_bit_cast(T, r));
            }
            return old;
        case AtomicOp::add_f64:
            if constexpr (sizeof(T) == 8) {
                const double x = __builtin_bit_cast(double, old), y = __builtin_bit_cast(double, b);
                // The L2 cache's adder hands a NaN on as it came, signalling or not.
                if (global && x != x) return old;
                if (global && y != y) return b;
                return __builtin_bit_cast(T, x + y);
            }
            return old;
        case AtomicOp::add_f16: return one(half::add);
        case AtomicOp::add_f16x2: return pairs(half::add);
        case AtomicOp::add_bf16: return one(brain::add);
        case AtomicOp::add_bf16x2: return pairs(brain::add);
        case AtomicOp::min_f16: return one(half::min);
        case AtomicOp::max_f16: return one(half::max);
        case AtomicOp::min_f16x2: return pairs(half::min);
        case AtomicOp::max_f16x2: return pairs(half::max);
        case AtomicOp::min_bf16: return one(brain::min);
        case AtomicOp::max_bf16: return one(brain::max);
        case AtomicOp::min_bf16x2: return pairs(brain::min);
        case AtomicOp::max_bf16x2: return pairs(brain::max);
    }
    return old;
}

template <class T>
std::uint64_t apply(AtomicOp op, void* at, std::uint64_t b, std::uint64_t c, bool shared) {
    auto& place = *static_cast<T*>(at);
    if (shared) {
        const T old = place;
        place = combine<T>(op, old, static_cast<T>(b), static_cast<T>(c), false);
        return old;
    }
    std::atomic_ref<T> ref(place);
    if (op == AtomicOp::add_int) return ref.fetch_add(static_cast<T>(b), std::memory_order_relaxed);
    if (op == AtomicOp::exch) return ref.exchange(static_cast<T>(b));
    T old = ref.load(std::memory_order_relaxed);
    while (!ref.compare_exchange_weak(old, combine<T>(op, old, static_cast<T>(b), static_cast<T>(c), true))) {
    }
    return old;
}

}  // namespace

std::uint64_t apply_atomic(AtomicOp op, unsigned bytes, void* at, std::uint64_t b, std::uint64_t c, bool shared) {
    switch (bytes) {
        case 2: return apply<std::uint16_t>(op, at, b, c, shared);
        case 4: return apply<std::uint32_t>(op, at, b, c, shared);
        default: return apply<std::uint64_t>(op, at, b, c, shared);
    }
}

}  // namespace warpwright::engine
