// The loop over the lanes is a template of type and operation, so that it has no switch inside. Global memory takes the
// host's atomics, because other host threads may access it, and adds floats as the L2 cache does; shared memory needs
// neither.
#include "engine/runtime/apply_atomic.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/runtime/half_number.hpp"
#include "engine/shared/host_nan.hpp"

namespace warpwright::engine {

namespace {

template <class T>
T combine(AtomicOp op, T old, T b, T c, bool global) {
    using S = std::make_signed_t<T>;
    auto pairs = [&](auto&& f) {
        if constexpr (sizeof(T) == 4)
            return static_cast<T>(
                f(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)) |
                static_cast<T>(f(static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(b >> 16))) << 16);
        else
            return old;
    };
    auto one = [&](auto&& f) {
        return static_cast<T>(f(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b)));
    };
    switch (op) {
        case AtomicOp::exch:
            return b;
        case AtomicOp::cas:
            return old == b ? c : old;
        case AtomicOp::add_int:
            return static_cast<T>(old + b);
        case AtomicOp::min_s:
            return static_cast<T>(std::min(static_cast<S>(old), static_cast<S>(b)));
        case AtomicOp::max_s:
            return static_cast<T>(std::max(static_cast<S>(old), static_cast<S>(b)));
        case AtomicOp::min_u:
            return std::min(old, b);
        case AtomicOp::max_u:
            return std::max(old, b);
        case AtomicOp::inc:
            return old >= b ? T{0} : static_cast<T>(old + 1);
        case AtomicOp::dec:
            return old == 0 || old > b ? b : static_cast<T>(old - 1);
        case AtomicOp::and_:
            return old & b;
        case AtomicOp::or_:
            return old | b;
        case AtomicOp::xor_:
            return old ^ b;
        case AtomicOp::add_f32:
            if constexpr (sizeof(T) == 4) {
                // The L2 cache's adder flushes denormals, operands and result; shared memory adds in the
                // multiprocessor.
                auto flush = [&](T x) {
                    return global && (x & 0x7f800000u) == 0 ? static_cast<T>(x & 0x80000000u) : x;
                };
                const float r = __builtin_bit_cast(float, flush(old)) + __builtin_bit_cast(float, flush(b));
                return r != r ? T{0x7fffffff} : flush(__builtin_bit_cast(T, r));
            }
            return old;
        case AtomicOp::add_f64:
            if constexpr (sizeof(T) == 8) {
                const double x = __builtin_bit_cast(double, old), y = __builtin_bit_cast(double, b);
                // The L2 cache's adder returns a NaN unchanged, signalling or not; the operand's before the memory's.
                if (global && y != y) return b;
                if (global && x != x) return old;
                const double sum = x + y;
                return __builtin_bit_cast(T, kHostNansAreTheGpus ? sum : host_result(sum, x, y, true));
            }
            return old;
        case AtomicOp::add_f16:
            return one(half::add);
        case AtomicOp::add_f16x2:
            return pairs(half::add);
        case AtomicOp::add_bf16:
            return one(brain::add);
        case AtomicOp::add_bf16x2:
            return pairs(brain::add);
        case AtomicOp::min_f16:
            return one(half::min);
        case AtomicOp::max_f16:
            return one(half::max);
        case AtomicOp::min_f16x2:
            return pairs(half::min);
        case AtomicOp::max_f16x2:
            return pairs(half::max);
        case AtomicOp::min_bf16:
            return one(brain::min);
        case AtomicOp::max_bf16:
            return one(brain::max);
        case AtomicOp::min_bf16x2:
            return pairs(brain::min);
        case AtomicOp::max_bf16x2:
            return pairs(brain::max);
    }
    return old;
}

template <class T, AtomicOp op>
T apply_one(T& place, T b, T c, bool shared) {
    if (shared) {
        const T old = place;
        place = combine<T>(op, old, b, c, false);
        return old;
    }
    std::atomic_ref<T> ref(place);
    if constexpr (op == AtomicOp::add_int) return ref.fetch_add(b, std::memory_order_relaxed);
    if constexpr (op == AtomicOp::exch) return ref.exchange(b);
    if constexpr (op == AtomicOp::cas) {
        T old = b;  // no branch on the outcome, which is as good as drawn where threads look for a free place
        ref.compare_exchange_strong(old, c);
        return old;
    }
    T old = ref.load(std::memory_order_acquire);
    while (true) {
        // What stays as it is need not be written (a maximum below the one there).
        const T now = combine<T>(op, old, b, c, true);
        if (now == old || ref.compare_exchange_weak(old, now)) return old;
    }
}

/// Lanes in the order of the mask. Neighbouring lanes at one place are applied together: no other thread comes between
/// them.
template <class T, AtomicOp op>
void apply_each(std::uint8_t* const* places, std::uint64_t mask, const T* b, const T* c, T* out, std::uint64_t shared) {
    while (mask) {
        const auto l = static_cast<unsigned>(__builtin_ctzll(mask));
        auto& place = *reinterpret_cast<T*>(places[l]);
        mask &= mask - 1;
        std::uint64_t same = 0;
        for (auto rest = mask; rest && places[__builtin_ctzll(rest)] == places[l]; rest &= rest - 1)
            same |= rest & -rest;
        if (!same || (shared >> l & 1)) {
            out[l] = apply_one<T, op>(place, b[l], c[l], shared >> l & 1);
            continue;
        }
        mask &= ~same;
        std::atomic_ref<T> ref(place);
        if constexpr (op == AtomicOp::add_int) {
            T sum = b[l];
            for (auto rest = same; rest; rest &= rest - 1) sum = static_cast<T>(sum + b[__builtin_ctzll(rest)]);
            T now = ref.fetch_add(sum, std::memory_order_relaxed);
            out[l] = now;
            now = static_cast<T>(now + b[l]);
            for (auto rest = same; rest; rest &= rest - 1) {
                const auto k = static_cast<unsigned>(__builtin_ctzll(rest));
                out[k] = now;
                now = static_cast<T>(now + b[k]);
            }
            continue;
        }
        T old = ref.load(std::memory_order_relaxed), now;
        do {
            now = combine<T>(op, old, b[l], c[l], true);
            out[l] = old;
            for (auto rest = same; rest; rest &= rest - 1) {
                const auto k = static_cast<unsigned>(__builtin_ctzll(rest));
                out[k] = now;
                now = combine<T>(op, now, b[k], c[k], true);
            }
        } while (!ref.compare_exchange_weak(old, now));
    }
}

template <class T>
void apply_lanes(AtomicOp op, std::uint8_t* const* places, std::uint64_t mask, const T* b, const T* c, T* out,
                 std::uint64_t shared) {
    auto go = [&]<AtomicOp o>() { apply_each<T, o>(places, mask, b, c, out, shared); };
    switch (op) {
        case AtomicOp::exch:
            return go.template operator()<AtomicOp::exch>();
        case AtomicOp::cas:
            return go.template operator()<AtomicOp::cas>();
        case AtomicOp::add_int:
            return go.template operator()<AtomicOp::add_int>();
        case AtomicOp::min_s:
            return go.template operator()<AtomicOp::min_s>();
        case AtomicOp::max_s:
            return go.template operator()<AtomicOp::max_s>();
        case AtomicOp::min_u:
            return go.template operator()<AtomicOp::min_u>();
        case AtomicOp::max_u:
            return go.template operator()<AtomicOp::max_u>();
        case AtomicOp::inc:
            return go.template operator()<AtomicOp::inc>();
        case AtomicOp::dec:
            return go.template operator()<AtomicOp::dec>();
        case AtomicOp::and_:
            return go.template operator()<AtomicOp::and_>();
        case AtomicOp::or_:
            return go.template operator()<AtomicOp::or_>();
        case AtomicOp::xor_:
            return go.template operator()<AtomicOp::xor_>();
        case AtomicOp::add_f32:
            return go.template operator()<AtomicOp::add_f32>();
        case AtomicOp::add_f64:
            return go.template operator()<AtomicOp::add_f64>();
        case AtomicOp::add_f16:
            return go.template operator()<AtomicOp::add_f16>();
        case AtomicOp::add_f16x2:
            return go.template operator()<AtomicOp::add_f16x2>();
        case AtomicOp::add_bf16:
            return go.template operator()<AtomicOp::add_bf16>();
        case AtomicOp::add_bf16x2:
            return go.template operator()<AtomicOp::add_bf16x2>();
        case AtomicOp::min_f16:
            return go.template operator()<AtomicOp::min_f16>();
        case AtomicOp::max_f16:
            return go.template operator()<AtomicOp::max_f16>();
        case AtomicOp::min_f16x2:
            return go.template operator()<AtomicOp::min_f16x2>();
        case AtomicOp::max_f16x2:
            return go.template operator()<AtomicOp::max_f16x2>();
        case AtomicOp::min_bf16:
            return go.template operator()<AtomicOp::min_bf16>();
        case AtomicOp::max_bf16:
            return go.template operator()<AtomicOp::max_bf16>();
        case AtomicOp::min_bf16x2:
            return go.template operator()<AtomicOp::min_bf16x2>();
        case AtomicOp::max_bf16x2:
            return go.template operator()<AtomicOp::max_bf16x2>();
    }
}

template <class T>
std::uint64_t apply(AtomicOp op, void* at, std::uint64_t b, std::uint64_t c, bool shared) {
    auto* place = static_cast<std::uint8_t*>(at);
    const T first = static_cast<T>(b), second = static_cast<T>(c);
    T out = 0;
    apply_lanes<T>(op, &place, 1, &first, &second, &out, shared);
    return out;
}

}  // namespace

std::uint64_t apply_atomic(AtomicOp op, unsigned bytes, void* at, std::uint64_t b, std::uint64_t c, bool shared) {
    switch (bytes) {
        case 2:
            return apply<std::uint16_t>(op, at, b, c, shared);
        case 4:
            return apply<std::uint32_t>(op, at, b, c, shared);
        default:
            return apply<std::uint64_t>(op, at, b, c, shared);
    }
}

void apply_atomics(AtomicOp op, unsigned bytes, std::uint8_t* const* places, std::uint64_t mask, const void* b,
                   const void* c, void* out, std::uint64_t shared) {
    auto go = [&](auto zero) {
        using T = decltype(zero);
        apply_lanes<T>(op, places, mask, static_cast<const T*>(b), static_cast<const T*>(c), static_cast<T*>(out),
                       shared);
    };
    switch (bytes) {
        case 2:
            return go(std::uint16_t{});
        case 4:
            return go(std::uint32_t{});
        default:
            return go(std::uint64_t{});
    }
}

}  // namespace warpwright::engine
