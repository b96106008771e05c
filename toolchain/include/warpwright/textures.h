// Texture fetches and surface accesses through objects. A fetch gives four channels, of which the type asked for takes its own.
#pragma once

#include "../driver_types.h"

struct ww_texel_f { float v[4]; };
struct ww_texel_i { unsigned int v[4]; };

template <class ww_T> struct ww_channels;
#define WW_CHANNELS_OF(type, raw_type, texel, count, ...)                                                          \
    template <> struct ww_channels<type> {                                                                         \
        typedef texel raw;                                                                                         \
        static constexpr int channels = count;                                                                     \
        static __device__ WW_INLINE type make(const texel& t) { return __VA_ARGS__; }                              \
    };
#define WW_CHANNELS_FAMILY(scalar, vector, texel)                                                                  \
    WW_CHANNELS_OF(vector##1, scalar, texel, 1, vector##1{(scalar)t.v[0]})                                         \
    WW_CHANNELS_OF(vector##2, scalar, texel, 2, vector##2{(scalar)t.v[0], (scalar)t.v[1]})                         \
    WW_CHANNELS_OF(vector##4, scalar, texel, 4, vector##4{(scalar)t.v[0], (scalar)t.v[1], (scalar)t.v[2], (scalar)t.v[3]})
WW_CHANNELS_OF(float, float, ww_texel_f, 1, t.v[0])
WW_CHANNELS_OF(int, int, ww_texel_i, 1, (int)t.v[0])
WW_CHANNELS_OF(unsigned int, unsigned int, ww_texel_i, 1, t.v[0])
WW_CHANNELS_OF(short, short, ww_texel_i, 1, (short)t.v[0])
WW_CHANNELS_OF(unsigned short, unsigned short, ww_texel_i, 1, (unsigned short)t.v[0])
WW_CHANNELS_OF(char, char, ww_texel_i, 1, (char)t.v[0])
WW_CHANNELS_OF(signed char, signed char, ww_texel_i, 1, (signed char)t.v[0])
WW_CHANNELS_OF(unsigned char, unsigned char, ww_texel_i, 1, (unsigned char)t.v[0])
WW_CHANNELS_FAMILY(float, float, ww_texel_f)
WW_CHANNELS_FAMILY(int, int, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned int, uint, ww_texel_i)
WW_CHANNELS_FAMILY(short, short, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned short, ushort, ww_texel_i)
WW_CHANNELS_FAMILY(signed char, char, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned char, uchar, ww_texel_i)
#undef WW_CHANNELS_OF
#undef WW_CHANNELS_FAMILY

// name<T>(object, ...) and the form that writes through a pointer.
#define WW_FETCH(name, form, coordinate, brackets, tail, parameters, arguments, ...)                                               \
    WW_DEVICE void ww_##name(ww_texel_f& r, cudaTextureObject_t t, WW_UNWRAP parameters) {                                  \
        __asm__ volatile(form ".v4.f32." coordinate " {%0, %1, %2, %3}, [%4, {" brackets "}]" tail ";"                                \
                         : "=f"(r.v[0]), "=f"(r.v[1]), "=f"(r.v[2]), "=f"(r.v[3]) : "l"(t), __VA_ARGS__);                   \
    }                                                                                                                       \
    WW_DEVICE void ww_##name(ww_texel_i& r, cudaTextureObject_t t, WW_UNWRAP parameters) {                                  \
        __asm__ volatile(form ".v4.u32." coordinate " {%0, %1, %2, %3}, [%4, {" brackets "}]" tail ";"                                \
                         : "=r"(r.v[0]), "=r"(r.v[1]), "=r"(r.v[2]), "=r"(r.v[3]) : "l"(t), __VA_ARGS__);                   \
    }                                                                                                                       \
    template <class ww_T> static __device__ WW_INLINE ww_T name(cudaTextureObject_t t, WW_UNWRAP parameters) {                    \
        typename ww_channels<ww_T>::raw r;                                                                                     \
        ww_##name(r, t, WW_UNWRAP arguments);                                                                               \
        return ww_channels<ww_T>::make(r);                                                                                     \
    }                                                                                                                       \
    template <class ww_T> static __device__ WW_INLINE void name(ww_T* to, cudaTextureObject_t t, WW_UNWRAP parameters) {          \
        *to = name<ww_T>(t, WW_UNWRAP arguments);                                                                              \
    }
#define WW_UNWRAP(...) __VA_ARGS__
WW_FETCH(tex1Dfetch, "tex.1d", "s32", "%5", "", (int x), (x), "r"(x))
WW_FETCH(tex1D, "tex.1d", "f32", "%5", "", (float x), (x), "f"(x))
WW_FETCH(tex2D, "tex.2d", "f32", "%5, %6", "", (float x, float y), (x, y), "f"(x), "f"(y))
WW_FETCH(tex3D, "tex.3d", "f32", "%5, %6, %7, %7", "", (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
WW_FETCH(tex1DLod, "tex.level.1d", "f32", "%5", ", %6", (float x, float level), (x, level), "f"(x), "f"(level))
WW_FETCH(tex2DLod, "tex.level.2d", "f32", "%5, %6", ", %7", (float x, float y, float level), (x, y, level), "f"(x), "f"(y), "f"(level))
WW_FETCH(tex3DLod, "tex.level.3d", "f32", "%5, %6, %7, %7", ", %8", (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y),
              "f"(z), "f"(level))
WW_FETCH(tex1DLayered, "tex.a1d", "f32", "%6, %5", "", (float x, int layer), (x, layer), "f"(x), "r"(layer))
WW_FETCH(tex2DLayered, "tex.a2d", "f32", "%7, %5, %6, %6", "", (float x, float y, int layer), (x, y, layer), "f"(x), "f"(y), "r"(layer))
#undef WW_FETCH

// Surfaces: the first coordinate counts bytes.

#define WW_SURFACE_CASES(statement_trap, statement_clamp, statement_zero)  \
    if (mode == cudaBoundaryModeClamp) { statement_clamp; }                \
    else if (mode == cudaBoundaryModeZero) { statement_zero; }             \
    else { statement_trap; }
#define WW_SURFACE_READ(bits, geometry, mode_name, brackets, value, constraint, ...)                                                     \
    __asm__ volatile("suld.b." geometry "." bits "." mode_name " {%0}, [%1, {" brackets "}];" : constraint(value) : "l"(s), __VA_ARGS__ : "memory")
#define WW_SURFACE_WRITE(bits, geometry, mode_name, brackets, value, constraint, ...)                                                    \
    __asm__ volatile("sust.b." geometry "." bits "." mode_name " [%1, {" brackets "}], {%0};" ::constraint(value), "l"(s), __VA_ARGS__ : "memory")

// One piece of 1, 2, 4 or 8 bytes at a time: wider elements are several, next to each other.
#define WW_SURFACE_PIECES(name, geometry, brackets, parameters, ...)                                                                     \
    template <class ww_W> static __device__ WW_INLINE ww_W ww_read_##name(cudaSurfaceObject_t s, WW_UNWRAP parameters, cudaSurfaceBoundaryMode mode) { \
        if constexpr (sizeof(ww_W) == 1) {                                                                                                  \
            unsigned short v;                                                                                                            \
            WW_SURFACE_CASES(WW_SURFACE_READ("b8", geometry, "trap", brackets, v, "=h", __VA_ARGS__),                                    \
                             WW_SURFACE_READ("b8", geometry, "clamp", brackets, v, "=h", __VA_ARGS__),                                   \
                             WW_SURFACE_READ("b8", geometry, "zero", brackets, v, "=h", __VA_ARGS__))                                    \
            return (ww_W)v;                                                                                                                 \
        } else if constexpr (sizeof(ww_W) == 2) {                                                                                           \
            unsigned short v;                                                                                                            \
            WW_SURFACE_CASES(WW_SURFACE_READ("b16", geometry, "trap", brackets, v, "=h", __VA_ARGS__),                                   \
                             WW_SURFACE_READ("b16", geometry, "clamp", brackets, v, "=h", __VA_ARGS__),                                  \
                             WW_SURFACE_READ("b16", geometry, "zero", brackets, v, "=h", __VA_ARGS__))                                   \
            return (ww_W)v;                                                                                                                 \
        } else {                                                                                                                         \
            unsigned int v;                                                                                                              \
            WW_SURFACE_CASES(WW_SURFACE_READ("b32", geometry, "trap", brackets, v, "=r", __VA_ARGS__),                                   \
                             WW_SURFACE_READ("b32", geometry, "clamp", brackets, v, "=r", __VA_ARGS__),                                  \
                             WW_SURFACE_READ("b32", geometry, "zero", brackets, v, "=r", __VA_ARGS__))                                   \
            return (ww_W)v;                                                                                                                 \
        }                                                                                                                                \
    }                                                                                                                                    \
    template <class ww_W> static __device__ WW_INLINE void ww_write_##name(ww_W w, cudaSurfaceObject_t s, WW_UNWRAP parameters,                \
                                                                        cudaSurfaceBoundaryMode mode) {                                 \
        if constexpr (sizeof(ww_W) == 1) {                                                                                                  \
            const unsigned short v = w;                                                                                                  \
            WW_SURFACE_CASES(WW_SURFACE_WRITE("b8", geometry, "trap", brackets, v, "h", __VA_ARGS__),                                    \
                             WW_SURFACE_WRITE("b8", geometry, "clamp", brackets, v, "h", __VA_ARGS__),                                   \
                             WW_SURFACE_WRITE("b8", geometry, "zero", brackets, v, "h", __VA_ARGS__))                                    \
        } else if constexpr (sizeof(ww_W) == 2) {                                                                                           \
            const unsigned short v = w;                                                                                                  \
            WW_SURFACE_CASES(WW_SURFACE_WRITE("b16", geometry, "trap", brackets, v, "h", __VA_ARGS__),                                   \
                             WW_SURFACE_WRITE("b16", geometry, "clamp", brackets, v, "h", __VA_ARGS__),                                  \
                             WW_SURFACE_WRITE("b16", geometry, "zero", brackets, v, "h", __VA_ARGS__))                                   \
        } else {                                                                                                                         \
            const unsigned int v = w;                                                                                                    \
            WW_SURFACE_CASES(WW_SURFACE_WRITE("b32", geometry, "trap", brackets, v, "r", __VA_ARGS__),                                   \
                             WW_SURFACE_WRITE("b32", geometry, "clamp", brackets, v, "r", __VA_ARGS__),                                  \
                             WW_SURFACE_WRITE("b32", geometry, "zero", brackets, v, "r", __VA_ARGS__))                                   \
        }                                                                                                                                \
    }
WW_SURFACE_PIECES(1d, "1d", "%2", (int x), "r"(x))
WW_SURFACE_PIECES(2d, "2d", "%2, %3", (int x, int y), "r"(x), "r"(y))
WW_SURFACE_PIECES(3d, "3d", "%2, %3, %4, %4", (int x, int y, int z), "r"(x), "r"(y), "r"(z))
WW_SURFACE_PIECES(a2d, "a2d", "%4, %2, %3, %3", (int x, int y, int z), "r"(x), "r"(y), "r"(z))
#undef WW_SURFACE_PIECES
#undef WW_SURFACE_CASES
#undef WW_SURFACE_READ
#undef WW_SURFACE_WRITE

template <int Bytes> struct ww_piece { typedef unsigned int type; };
template <> struct ww_piece<1> { typedef unsigned char type; };
template <> struct ww_piece<2> { typedef unsigned short type; };

#define WW_SURFACE_FUNCTIONS(dimension, name, parameters, rest)                                                                          \
    template <class ww_T>                                                                                                                   \
    static __device__ WW_INLINE void surf##dimension##read(ww_T* to, cudaSurfaceObject_t s, WW_UNWRAP parameters,                           \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                        \
        typedef typename ww_piece<sizeof(ww_T)>::type ww_W;                                                                                    \
        ww_W w[sizeof(ww_T) / sizeof(ww_W)];                                                                                                      \
        for (int k = 0; k < (int)(sizeof(ww_T) / sizeof(ww_W)); ++k) w[k] = ww_read_##name<ww_W>(s, x + k * (int)sizeof(ww_W) WW_UNWRAP rest, mode); \
        __builtin_memcpy(to, w, sizeof(ww_T));                                                                                              \
    }                                                                                                                                    \
    template <class ww_T>                                                                                                                   \
    static __device__ WW_INLINE ww_T surf##dimension##read(cudaSurfaceObject_t s, WW_UNWRAP parameters,                                     \
                                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                           \
        ww_T value;                                                                                                                         \
        surf##dimension##read(&value, s, x WW_UNWRAP rest, mode);                                                                        \
        return value;                                                                                                                    \
    }                                                                                                                                    \
    template <class ww_T>                                                                                                                   \
    static __device__ WW_INLINE void surf##dimension##write(ww_T value, cudaSurfaceObject_t s, WW_UNWRAP parameters,                        \
                                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                       \
        typedef typename ww_piece<sizeof(ww_T)>::type ww_W;                                                                                    \
        ww_W w[sizeof(ww_T) / sizeof(ww_W)];                                                                                                      \
        __builtin_memcpy(w, &value, sizeof(ww_T));                                                                                          \
        for (int k = 0; k < (int)(sizeof(ww_T) / sizeof(ww_W)); ++k) ww_write_##name<ww_W>(w[k], s, x + k * (int)sizeof(ww_W) WW_UNWRAP rest, mode); \
    }
WW_SURFACE_FUNCTIONS(1D, 1d, (int x), ())
WW_SURFACE_FUNCTIONS(2D, 2d, (int x, int y), (, y))
WW_SURFACE_FUNCTIONS(3D, 3d, (int x, int y, int z), (, y, z))
WW_SURFACE_FUNCTIONS(2DLayered, a2d, (int x, int y, int z), (, y, z))
#undef WW_SURFACE_FUNCTIONS
#undef WW_UNWRAP
