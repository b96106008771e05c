// Surface accesses through objects, and through references where a program has them. The first coordinate counts bytes.
// Faces of a cube are layers: face, or 6 * layer + face.
#pragma once

#include "textures.h"

#define WW_UNWRAP(...) __VA_ARGS__
#define WW_SURFACE_CASES(statement_trap, statement_clamp, statement_zero)  \
    if (mode == cudaBoundaryModeClamp) { statement_clamp; }                \
    else if (mode == cudaBoundaryModeZero) { statement_zero; }             \
    else { statement_trap; }
#define WW_SURFACE_READ(bits, geometry, mode_name, brackets, value, constraint, ...)                                                     \
    __asm__ volatile("suld.b." geometry "." bits "." mode_name " {%0}, [%1, {" brackets "}];" : constraint(value) : "l"(s), __VA_ARGS__ : "memory")
#define WW_SURFACE_WRITE(bits, geometry, mode_name, brackets, value, constraint, ...)                                                    \
    __asm__ volatile("sust.b." geometry "." bits "." mode_name " [%1, {" brackets "}], {%0};" ::constraint(value), "l"(s), __VA_ARGS__ : "memory")

#define WW_SURFACE_READ_AS(type, bits, letter, geometry, brackets, ...)                                                                   \
    {                                                                                                                                     \
        type v;                                                                                                                           \
        WW_SURFACE_CASES(WW_SURFACE_READ(bits, geometry, "trap", brackets, v, "=" letter, __VA_ARGS__),                                   \
                         WW_SURFACE_READ(bits, geometry, "clamp", brackets, v, "=" letter, __VA_ARGS__),                                  \
                         WW_SURFACE_READ(bits, geometry, "zero", brackets, v, "=" letter, __VA_ARGS__))                                   \
        return (ww_W)v;                                                                                                                   \
    }
#define WW_SURFACE_WRITE_AS(type, bits, letter, geometry, brackets, ...)                                                                  \
    {                                                                                                                                     \
        const type v = w;                                                                                                                 \
        WW_SURFACE_CASES(WW_SURFACE_WRITE(bits, geometry, "trap", brackets, v, letter, __VA_ARGS__),                                      \
                         WW_SURFACE_WRITE(bits, geometry, "clamp", brackets, v, letter, __VA_ARGS__),                                     \
                         WW_SURFACE_WRITE(bits, geometry, "zero", brackets, v, letter, __VA_ARGS__))                                      \
    }

// One piece of 1, 2 or 4 bytes at a time: wider elements are several, next to each other.
#define WW_SURFACE_PIECES(name, geometry, brackets, parameters, ...)                                                                      \
    template <class ww_W> static __device__ WW_INLINE ww_W ww_read_##name(cudaSurfaceObject_t s, WW_UNWRAP parameters, cudaSurfaceBoundaryMode mode) { \
        if constexpr (sizeof(ww_W) == 1) WW_SURFACE_READ_AS(unsigned short, "b8", "h", geometry, brackets, __VA_ARGS__)                   \
        else if constexpr (sizeof(ww_W) == 2) WW_SURFACE_READ_AS(unsigned short, "b16", "h", geometry, brackets, __VA_ARGS__)             \
        else WW_SURFACE_READ_AS(unsigned int, "b32", "r", geometry, brackets, __VA_ARGS__)                                                \
    }                                                                                                                                     \
    template <class ww_W> static __device__ WW_INLINE void ww_write_##name(ww_W w, cudaSurfaceObject_t s, WW_UNWRAP parameters, cudaSurfaceBoundaryMode mode) { \
        if constexpr (sizeof(ww_W) == 1) WW_SURFACE_WRITE_AS(unsigned short, "b8", "h", geometry, brackets, __VA_ARGS__)                  \
        else if constexpr (sizeof(ww_W) == 2) WW_SURFACE_WRITE_AS(unsigned short, "b16", "h", geometry, brackets, __VA_ARGS__)            \
        else WW_SURFACE_WRITE_AS(unsigned int, "b32", "r", geometry, brackets, __VA_ARGS__)                                               \
    }
WW_SURFACE_PIECES(1d, "1d", "%2", (int x), "r"(x))
WW_SURFACE_PIECES(2d, "2d", "%2, %3", (int x, int y), "r"(x), "r"(y))
WW_SURFACE_PIECES(3d, "3d", "%2, %3, %4, %4", (int x, int y, int z), "r"(x), "r"(y), "r"(z))
WW_SURFACE_PIECES(a1d, "a1d", "%3, %2", (int x, int layer), "r"(x), "r"(layer))
WW_SURFACE_PIECES(a2d, "a2d", "%4, %2, %3, %3", (int x, int y, int layer), "r"(x), "r"(y), "r"(layer))
#undef WW_SURFACE_PIECES
#undef WW_SURFACE_CASES
#undef WW_SURFACE_READ
#undef WW_SURFACE_WRITE
#undef WW_SURFACE_READ_AS
#undef WW_SURFACE_WRITE_AS

template <int Bytes> struct ww_piece { typedef unsigned int type; };
template <> struct ww_piece<1> { typedef unsigned char type; };
template <> struct ww_piece<2> { typedef unsigned short type; };
template <class ww_T> struct ww_pieces {
    typedef typename ww_piece<alignof(ww_T) < sizeof(ww_T) && alignof(ww_T) < 4 ? alignof(ww_T) : sizeof(ww_T)>::type type;
    static constexpr int count = sizeof(ww_T) / sizeof(type);
};

#ifdef WW_SURFACE_REFERENCES
template <class ww_R> static __device__ WW_INLINE cudaSurfaceObject_t ww_surface_handle(ww_R reference) {
    cudaSurfaceObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}
#define WW_SURFACE_REFERENCE(geometry, kind, parameters, rest)                                                                            \
    template <class ww_T, class ww_S>                                                                                                     \
    static __device__ WW_INLINE void surf##geometry##read(ww_T* to, surface<ww_S, kind> s, WW_UNWRAP parameters,                          \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        surf##geometry##read(to, ww_surface_handle(s), x WW_UNWRAP rest, mode);                                                           \
    }                                                                                                                                     \
    template <class ww_T, class ww_S>                                                                                                     \
    static __device__ WW_INLINE ww_T surf##geometry##read(surface<ww_S, kind> s, WW_UNWRAP parameters,                                    \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        return surf##geometry##read<ww_T>(ww_surface_handle(s), x WW_UNWRAP rest, mode);                                                  \
    }                                                                                                                                     \
    template <class ww_T, class ww_S>                                                                                                     \
    static __device__ WW_INLINE void surf##geometry##write(ww_T value, surface<ww_S, kind> s, WW_UNWRAP parameters,                       \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
        surf##geometry##write(value, ww_surface_handle(s), x WW_UNWRAP rest, mode);                                                       \
    }
#else
#define WW_SURFACE_REFERENCE(geometry, kind, parameters, rest)
#endif

#define WW_SURFACE_FUNCTIONS(geometry, name, kind, parameters, rest)                                                                      \
    template <class ww_T>                                                                                                                 \
    static __device__ WW_INLINE void surf##geometry##read(ww_T* to, cudaSurfaceObject_t s, WW_UNWRAP parameters,                          \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        typedef typename ww_pieces<ww_T>::type ww_W;                                                                                      \
        ww_W w[ww_pieces<ww_T>::count];                                                                                                   \
        for (int k = 0; k < ww_pieces<ww_T>::count; ++k) w[k] = ww_read_##name<ww_W>(s, x + k * (int)sizeof(ww_W) WW_UNWRAP rest, mode);  \
        __builtin_memcpy(to, w, sizeof(ww_T));                                                                                            \
    }                                                                                                                                     \
    template <class ww_T>                                                                                                                 \
    static __device__ WW_INLINE ww_T surf##geometry##read(cudaSurfaceObject_t s, WW_UNWRAP parameters,                                    \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                          \
        ww_T value;                                                                                                                       \
        surf##geometry##read(&value, s, x WW_UNWRAP rest, mode);                                                                          \
        return value;                                                                                                                     \
    }                                                                                                                                     \
    template <class ww_T>                                                                                                                 \
    static __device__ WW_INLINE void surf##geometry##write(ww_T value, cudaSurfaceObject_t s, WW_UNWRAP parameters,                       \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                         \
        typedef typename ww_pieces<ww_T>::type ww_W;                                                                                      \
        ww_W w[ww_pieces<ww_T>::count];                                                                                                   \
        __builtin_memcpy(w, &value, sizeof(ww_T));                                                                                        \
        for (int k = 0; k < ww_pieces<ww_T>::count; ++k) ww_write_##name<ww_W>(w[k], s, x + k * (int)sizeof(ww_W) WW_UNWRAP rest, mode);  \
    }                                                                                                                                     \
    WW_SURFACE_REFERENCE(geometry, kind, parameters, rest)
WW_SURFACE_FUNCTIONS(1D, 1d, cudaSurfaceType1D, (int x), ())
WW_SURFACE_FUNCTIONS(2D, 2d, cudaSurfaceType2D, (int x, int y), (, y))
WW_SURFACE_FUNCTIONS(3D, 3d, cudaSurfaceType3D, (int x, int y, int z), (, y, z))
WW_SURFACE_FUNCTIONS(1DLayered, a1d, cudaSurfaceType1DLayered, (int x, int layer), (, layer))
WW_SURFACE_FUNCTIONS(2DLayered, a2d, cudaSurfaceType2DLayered, (int x, int y, int layer), (, y, layer))
WW_SURFACE_FUNCTIONS(Cubemap, a2d, cudaSurfaceTypeCubemap, (int x, int y, int face), (, y, face))
WW_SURFACE_FUNCTIONS(CubemapLayered, a2d, cudaSurfaceTypeCubemapLayered, (int x, int y, int layer_face), (, y, layer_face))
#undef WW_SURFACE_FUNCTIONS
#undef WW_SURFACE_REFERENCE
#undef WW_UNWRAP
