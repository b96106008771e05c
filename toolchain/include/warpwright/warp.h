// Barriers, votes, shuffles, matches and reductions over a warp, and memory fences.
#pragma once

// __syncthreads() itself is a builtin of clang.
WW_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
WW_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
WW_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
WW_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
WW_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
WW_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) { __nvvm_barrier_sync_cnt(id, threads); }

WW_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
WW_DEVICE void __threadfence() { __nvvm_membar_gl(); }
WW_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

WW_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }
WW_DEVICE int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WW_DEVICE int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p); }
WW_DEVICE int __uni_sync(unsigned int mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
WW_DEVICE unsigned int __ballot_sync(unsigned int mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }

// The segment operand of shfl: the clamp lane in bits 0-4, the lanes that are the same for a segment in bits 8-12.
#define WW_SEGMENT(width, clamp) (((32 - (width)) << 8) | (clamp))
#define WW_SHUFFLE(name, kind, clamp, control)                                                                        \
    WW_DEVICE int name(unsigned int mask, int v, control c, int width = 32) {                                         \
        return __nvvm_shfl_sync_##kind##_i32(mask, v, (int)c, WW_SEGMENT(width, clamp));                              \
    }                                                                                                                 \
    WW_DEVICE unsigned int name(unsigned int mask, unsigned int v, control c, int width = 32) {                       \
        return (unsigned int)__nvvm_shfl_sync_##kind##_i32(mask, (int)v, (int)c, WW_SEGMENT(width, clamp));           \
    }                                                                                                                 \
    WW_DEVICE float name(unsigned int mask, float v, control c, int width = 32) {                                     \
        return __int_as_float(__nvvm_shfl_sync_##kind##_i32(mask, __float_as_int(v), (int)c, WW_SEGMENT(width, clamp))); \
    }                                                                                                                 \
    WW_DEVICE unsigned long long name(unsigned int mask, unsigned long long v, control c, int width = 32) {           \
        unsigned int lo = name(mask, (unsigned int)v, c, width);                                                      \
        unsigned int hi = name(mask, (unsigned int)(v >> 32), c, width);                                              \
        return ((unsigned long long)hi << 32) | lo;                                                                   \
    }                                                                                                                 \
    WW_DEVICE long long name(unsigned int mask, long long v, control c, int width = 32) {                             \
        return (long long)name(mask, (unsigned long long)v, c, width);                                                \
    }                                                                                                                 \
    WW_DEVICE long name(unsigned int mask, long v, control c, int width = 32) {                                       \
        return (long)name(mask, (unsigned long long)v, c, width);                                                     \
    }                                                                                                                 \
    WW_DEVICE unsigned long name(unsigned int mask, unsigned long v, control c, int width = 32) {                     \
        return (unsigned long)name(mask, (unsigned long long)v, c, width);                                            \
    }                                                                                                                 \
    WW_DEVICE double name(unsigned int mask, double v, control c, int width = 32) {                                   \
        return __longlong_as_double((long long)name(mask, (unsigned long long)__double_as_longlong(v), c, width));    \
    }
WW_SHUFFLE(__shfl_sync, idx, 0x1f, int)
WW_SHUFFLE(__shfl_up_sync, up, 0, unsigned int)
WW_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned int)
WW_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)
#undef WW_SHUFFLE

#if WW_ARCH >= 700
#define WW_MATCH(type, bits, raw)                                                                       \
    WW_DEVICE unsigned int __match_any_sync(unsigned int mask, type v) {                                \
        return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(raw, v));                         \
    }                                                                                                   \
    WW_DEVICE unsigned int __match_all_sync(unsigned int mask, type v, int* p) {                        \
        return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(raw, v), p);                   \
    }
WW_MATCH(int, 32, unsigned int)
WW_MATCH(unsigned int, 32, unsigned int)
WW_MATCH(float, 32, unsigned int)
WW_MATCH(long, 64, unsigned long long)
WW_MATCH(unsigned long, 64, unsigned long long)
WW_MATCH(long long, 64, unsigned long long)
WW_MATCH(unsigned long long, 64, unsigned long long)
WW_MATCH(double, 64, unsigned long long)
#undef WW_MATCH
#endif

#if WW_ARCH >= 800
WW_DEVICE int __reduce_add_sync(unsigned int mask, int v) { return __nvvm_redux_sync_add(v, (int)mask); }
WW_DEVICE int __reduce_min_sync(unsigned int mask, int v) { return __nvvm_redux_sync_min(v, (int)mask); }
WW_DEVICE int __reduce_max_sync(unsigned int mask, int v) { return __nvvm_redux_sync_max(v, (int)mask); }
WW_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int v) {
    return (unsigned int)__nvvm_redux_sync_add((int)v, (int)mask);
}
WW_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umin(v, (int)mask); }
WW_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umax(v, (int)mask); }
WW_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) {
    return (unsigned int)__nvvm_redux_sync_and((int)v, (int)mask);
}
WW_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) {
    return (unsigned int)__nvvm_redux_sync_or((int)v, (int)mask);
}
WW_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) {
    return (unsigned int)__nvvm_redux_sync_xor((int)v, (int)mask);
}
#endif

WW_DEVICE unsigned int __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
