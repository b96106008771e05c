// Loads and stores with a stated cache behaviour. Each is one ld or st instruction that stays where it is written, as in
// nvcc's headers: __ldg too, beside which no value of memory is kept in a register.
#pragma once

#define WW_LOAD1(name, ptx, type, suffix, c, wide, ...)                                              \
    WW_DEVICE type name(const type* p) {                                                             \
        wide x;                                                                                      \
        __asm__ volatile("ld." ptx suffix " %0, [%1];" : "=" c(x) : "l"(__cvta_generic_to_global(p)) __VA_ARGS__); \
        return (type)x;                                                                              \
    }
#define WW_LOAD2(name, ptx, type, suffix, c, wide, part, ...)                                        \
    WW_DEVICE type name(const type* p) {                                                             \
        wide x, y;                                                                                   \
        __asm__ volatile("ld." ptx ".v2" suffix " {%0, %1}, [%2];"                                   \
                         : "=" c(x), "=" c(y) : "l"(__cvta_generic_to_global(p)) __VA_ARGS__);       \
        return type{(part)x, (part)y};                                                               \
    }
#define WW_LOAD4(name, ptx, type, suffix, c, wide, part, ...)                                        \
    WW_DEVICE type name(const type* p) {                                                             \
        wide x, y, z, w;                                                                             \
        __asm__ volatile("ld." ptx ".v4" suffix " {%0, %1, %2, %3}, [%4];"                           \
                         : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                                    \
                         : "l"(__cvta_generic_to_global(p)) __VA_ARGS__);                            \
        return type{(part)x, (part)y, (part)z, (part)w};                                             \
    }
#define WW_STORE1(name, ptx, type, suffix, c, wide)                                                  \
    WW_DEVICE void name(type* p, type v) {                                                           \
        __asm__ volatile("st." ptx suffix " [%0], %1;" ::"l"(__cvta_generic_to_global(p)), c((wide)v) : "memory"); \
    }
#define WW_STORE2(name, ptx, type, suffix, c, wide)                                                  \
    WW_DEVICE void name(type* p, type v) {                                                           \
        __asm__ volatile("st." ptx ".v2" suffix " [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(p)), \
                         c((wide)v.x), c((wide)v.y) : "memory");                                     \
    }
#define WW_STORE4(name, ptx, type, suffix, c, wide)                                                  \
    WW_DEVICE void name(type* p, type v) {                                                           \
        __asm__ volatile("st." ptx ".v4" suffix " [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), \
                         c((wide)v.x), c((wide)v.y), c((wide)v.z), c((wide)v.w) : "memory");         \
    }

// Every type the cache-hinted accesses exist for, in one list.
#define WW_LOADS(name, ptx, ...) \
    WW_LOAD1(name, ptx, char, ".s8", "r", int, __VA_ARGS__) \
    WW_LOAD1(name, ptx, signed char, ".s8", "r", int, __VA_ARGS__) \
    WW_LOAD1(name, ptx, short, ".s16", "h", short, __VA_ARGS__) \
    WW_LOAD1(name, ptx, int, ".s32", "r", int, __VA_ARGS__) \
    WW_LOAD1(name, ptx, long long, ".s64", "l", long long, __VA_ARGS__) \
    WW_LOAD1(name, ptx, long, ".s64", "l", long, __VA_ARGS__) \
    WW_LOAD1(name, ptx, unsigned char, ".u8", "r", unsigned int, __VA_ARGS__) \
    WW_LOAD1(name, ptx, unsigned short, ".u16", "h", unsigned short, __VA_ARGS__) \
    WW_LOAD1(name, ptx, unsigned int, ".u32", "r", unsigned int, __VA_ARGS__) \
    WW_LOAD1(name, ptx, unsigned long long, ".u64", "l", unsigned long long, __VA_ARGS__) \
    WW_LOAD1(name, ptx, unsigned long, ".u64", "l", unsigned long, __VA_ARGS__) \
    WW_LOAD1(name, ptx, float, ".f32", "f", float, __VA_ARGS__) \
    WW_LOAD1(name, ptx, double, ".f64", "d", double, __VA_ARGS__) \
    WW_LOAD2(name, ptx, char2, ".s8", "r", int, signed char, __VA_ARGS__) \
    WW_LOAD2(name, ptx, short2, ".s16", "h", short, short, __VA_ARGS__) \
    WW_LOAD2(name, ptx, int2, ".s32", "r", int, int, __VA_ARGS__) \
    WW_LOAD2(name, ptx, longlong2, ".s64", "l", long long, long long, __VA_ARGS__) \
    WW_LOAD2(name, ptx, uchar2, ".u8", "r", unsigned int, unsigned char, __VA_ARGS__) \
    WW_LOAD2(name, ptx, ushort2, ".u16", "h", unsigned short, unsigned short, __VA_ARGS__) \
    WW_LOAD2(name, ptx, uint2, ".u32", "r", unsigned int, unsigned int, __VA_ARGS__) \
    WW_LOAD2(name, ptx, ulonglong2, ".u64", "l", unsigned long long, unsigned long long, __VA_ARGS__) \
    WW_LOAD2(name, ptx, float2, ".f32", "f", float, float, __VA_ARGS__) \
    WW_LOAD2(name, ptx, double2, ".f64", "d", double, double, __VA_ARGS__) \
    WW_LOAD4(name, ptx, char4, ".s8", "r", int, signed char, __VA_ARGS__) \
    WW_LOAD4(name, ptx, short4, ".s16", "h", short, short, __VA_ARGS__) \
    WW_LOAD4(name, ptx, int4, ".s32", "r", int, int, __VA_ARGS__) \
    WW_LOAD4(name, ptx, uchar4, ".u8", "r", unsigned int, unsigned char, __VA_ARGS__) \
    WW_LOAD4(name, ptx, ushort4, ".u16", "h", unsigned short, unsigned short, __VA_ARGS__) \
    WW_LOAD4(name, ptx, uint4, ".u32", "r", unsigned int, unsigned int, __VA_ARGS__) \
    WW_LOAD4(name, ptx, float4, ".f32", "f", float, float, __VA_ARGS__)
#define WW_STORES(name, ptx) \
    WW_STORE1(name, ptx, char, ".s8", "r", int) \
    WW_STORE1(name, ptx, signed char, ".s8", "r", int) \
    WW_STORE1(name, ptx, short, ".s16", "h", short) \
    WW_STORE1(name, ptx, int, ".s32", "r", int) \
    WW_STORE1(name, ptx, long long, ".s64", "l", long long) \
    WW_STORE1(name, ptx, long, ".s64", "l", long) \
    WW_STORE1(name, ptx, unsigned char, ".u8", "r", unsigned int) \
    WW_STORE1(name, ptx, unsigned short, ".u16", "h", unsigned short) \
    WW_STORE1(name, ptx, unsigned int, ".u32", "r", unsigned int) \
    WW_STORE1(name, ptx, unsigned long long, ".u64", "l", unsigned long long) \
    WW_STORE1(name, ptx, unsigned long, ".u64", "l", unsigned long) \
    WW_STORE1(name, ptx, float, ".f32", "f", float) \
    WW_STORE1(name, ptx, double, ".f64", "d", double) \
    WW_STORE2(name, ptx, char2, ".s8", "r", int) \
    WW_STORE2(name, ptx, short2, ".s16", "h", short) \
    WW_STORE2(name, ptx, int2, ".s32", "r", int) \
    WW_STORE2(name, ptx, longlong2, ".s64", "l", long long) \
    WW_STORE2(name, ptx, uchar2, ".u8", "r", unsigned int) \
    WW_STORE2(name, ptx, ushort2, ".u16", "h", unsigned short) \
    WW_STORE2(name, ptx, uint2, ".u32", "r", unsigned int) \
    WW_STORE2(name, ptx, ulonglong2, ".u64", "l", unsigned long long) \
    WW_STORE2(name, ptx, float2, ".f32", "f", float) \
    WW_STORE2(name, ptx, double2, ".f64", "d", double) \
    WW_STORE4(name, ptx, char4, ".s8", "r", int) \
    WW_STORE4(name, ptx, short4, ".s16", "h", short) \
    WW_STORE4(name, ptx, int4, ".s32", "r", int) \
    WW_STORE4(name, ptx, uchar4, ".u8", "r", unsigned int) \
    WW_STORE4(name, ptx, ushort4, ".u16", "h", unsigned short) \
    WW_STORE4(name, ptx, uint4, ".u32", "r", unsigned int) \
    WW_STORE4(name, ptx, float4, ".f32", "f", float)

// __ldcv reads anew each time, so other memory accesses may not pass it; the rest are plain hints.
WW_LOADS(__ldcg, "global.cg", : "memory")
WW_LOADS(__ldca, "global.ca", : "memory")
WW_LOADS(__ldcs, "global.cs", : "memory")
WW_LOADS(__ldlu, "global.lu", : "memory")
WW_LOADS(__ldcv, "global.cv", : "memory")
WW_LOADS(__ldg, "global.nc")
WW_STORES(__stwb, "global.wb")
WW_STORES(__stcg, "global.cg")
WW_STORES(__stcs, "global.cs")
WW_STORES(__stwt, "global.wt")
#undef WW_LOAD1
#undef WW_LOAD2
#undef WW_LOAD4
#undef WW_STORE1
#undef WW_STORE2
#undef WW_STORE4
#undef WW_LOADS
#undef WW_STORES
