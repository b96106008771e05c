// Texture fetches through objects, and through references where a program has them (texture_references.h). A fetch gives
// four channels, of which the type asked for takes its own.
#pragma once

#include "../driver_types.h"
#include "texture_references.h"

struct ww_texel_f { float v[4]; };
struct ww_texel_i { unsigned int v[4]; };

/// How a type is made of what a fetch gives; `number`: the type of the same channels as floats.
template <class ww_T> struct ww_channels;
#define WW_CHANNELS_OF(type, number_type, texel, ...)                                                              \
    template <> struct ww_channels<type> {                                                                         \
        typedef texel raw;                                                                                         \
        typedef number_type number;                                                                                \
        static __device__ WW_INLINE type make(const texel& t) { return __VA_ARGS__; }                              \
    };
#define WW_CHANNELS_FAMILY(scalar, vector, texel)                                                                  \
    WW_CHANNELS_OF(vector##1, float1, texel, vector##1{(scalar)t.v[0]})                                            \
    WW_CHANNELS_OF(vector##2, float2, texel, vector##2{(scalar)t.v[0], (scalar)t.v[1]})                            \
    WW_CHANNELS_OF(vector##4, float4, texel, vector##4{(scalar)t.v[0], (scalar)t.v[1], (scalar)t.v[2], (scalar)t.v[3]})
WW_CHANNELS_OF(float, float, ww_texel_f, t.v[0])
WW_CHANNELS_OF(int, float, ww_texel_i, (int)t.v[0])
WW_CHANNELS_OF(unsigned int, float, ww_texel_i, t.v[0])
WW_CHANNELS_OF(short, float, ww_texel_i, (short)t.v[0])
WW_CHANNELS_OF(unsigned short, float, ww_texel_i, (unsigned short)t.v[0])
WW_CHANNELS_OF(char, float, ww_texel_i, (char)t.v[0])
WW_CHANNELS_OF(signed char, float, ww_texel_i, (signed char)t.v[0])
WW_CHANNELS_OF(unsigned char, float, ww_texel_i, (unsigned char)t.v[0])
WW_CHANNELS_FAMILY(float, float, ww_texel_f)
WW_CHANNELS_FAMILY(int, int, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned int, uint, ww_texel_i)
WW_CHANNELS_FAMILY(short, short, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned short, ushort, ww_texel_i)
WW_CHANNELS_FAMILY(signed char, char, ww_texel_i)
WW_CHANNELS_FAMILY(unsigned char, uchar, ww_texel_i)
#undef WW_CHANNELS_OF
#undef WW_CHANNELS_FAMILY

#ifdef WW_TEXTURE_REFERENCES
template <class ww_T, int ww_mode> struct ww_fetched { typedef ww_T type; };
template <class ww_T> struct ww_fetched<ww_T, cudaReadModeNormalizedFloat> { typedef typename ww_channels<ww_T>::number type; };
template <class ww_R> static __device__ WW_INLINE cudaTextureObject_t ww_handle(ww_R reference) {
    cudaTextureObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}
#define WW_REFERENCE_FETCH(name, kind, parameters, arguments)                                                       \
    template <class ww_T, cudaTextureReadMode ww_mode>                                                              \
    static __device__ WW_INLINE typename ww_fetched<ww_T, ww_mode>::type name(texture<ww_T, kind, ww_mode> t, WW_UNWRAP parameters) { \
        return name<typename ww_fetched<ww_T, ww_mode>::type>(ww_handle(t), WW_UNWRAP arguments);                   \
    }
#else
#define WW_REFERENCE_FETCH(name, kind, parameters, arguments)
#endif

#define WW_UNWRAP(...) __VA_ARGS__
/// name<T>(object, ...) and the form that writes through a pointer; over ww_name, which fetches raw channels.
#define WW_FETCH_FORMS(name, parameters, arguments)                                                                 \
    template <class ww_T> static __device__ WW_INLINE ww_T name(cudaTextureObject_t t, WW_UNWRAP parameters) {      \
        typename ww_channels<ww_T>::raw r;                                                                          \
        ww_##name(r, t, WW_UNWRAP arguments);                                                                       \
        return ww_channels<ww_T>::make(r);                                                                          \
    }                                                                                                               \
    template <class ww_T> static __device__ WW_INLINE void name(ww_T* to, cudaTextureObject_t t, WW_UNWRAP parameters) { \
        *to = name<ww_T>(t, WW_UNWRAP arguments);                                                                   \
    }
#define WW_FETCH_RAW(name, texel, letter, spelling, brackets, tail, parameters, ...)                                \
    WW_DEVICE void ww_##name(texel& r, cudaTextureObject_t t, WW_UNWRAP parameters) {                               \
        __asm__ volatile(spelling " {%0, %1, %2, %3}, [%[t], {" brackets "}]" tail ";"                              \
                         : "=" letter(r.v[0]), "=" letter(r.v[1]), "=" letter(r.v[2]), "=" letter(r.v[3])           \
                         : [t] "l"(t), __VA_ARGS__);                                                                \
    }
#define WW_FETCH_RAW_RESIDENT(name, texel, letter, spelling, brackets, tail, parameters, ...)                       \
    WW_DEVICE void ww_##name(texel& r, cudaTextureObject_t t, WW_UNWRAP parameters, bool* resident) {               \
        unsigned int there;                                                                                         \
        __asm__ volatile("{.reg .pred p; " spelling " {%0, %1, %2, %3}|p, [%[t], {" brackets "}]" tail "; selp.u32 %4, 1, 0, p;}" \
                         : "=" letter(r.v[0]), "=" letter(r.v[1]), "=" letter(r.v[2]), "=" letter(r.v[3]), "=r"(there) \
                         : [t] "l"(t), __VA_ARGS__);                                                                \
        *resident = there != 0;                                                                                     \
    }
#define WW_FETCH(name, kind, form, coordinate, brackets, tail, parameters, arguments, ...)                                  \
    WW_FETCH_RAW(name, ww_texel_f, "f", form ".v4.f32." coordinate, brackets, tail, parameters, __VA_ARGS__)                \
    WW_FETCH_RAW(name, ww_texel_i, "r", form ".v4.u32." coordinate, brackets, tail, parameters, __VA_ARGS__)                \
    WW_FETCH_FORMS(name, parameters, arguments)                                                                             \
    WW_REFERENCE_FETCH(name, kind, parameters, arguments)
/// And the form that says whether the elements are resident, which sparse arrays may lack.
#define WW_FETCH_BOTH(name, kind, form, coordinate, brackets, tail, parameters, arguments, ...)                             \
    WW_FETCH(name, kind, form, coordinate, brackets, tail, parameters, arguments, __VA_ARGS__)                              \
    WW_FETCH_RAW_RESIDENT(name, ww_texel_f, "f", form ".v4.f32." coordinate, brackets, tail, parameters, __VA_ARGS__)       \
    WW_FETCH_RAW_RESIDENT(name, ww_texel_i, "r", form ".v4.u32." coordinate, brackets, tail, parameters, __VA_ARGS__)       \
    WW_FETCH_FORMS(name, (WW_UNWRAP parameters, bool* resident), (WW_UNWRAP arguments, resident))

#define WW_X [x] "f"(x)
#define WW_XY WW_X, [y] "f"(y)
#define WW_XYZ WW_XY, [z] "f"(z)
#define WW_LEVEL [level] "f"(level)
#define WW_LAYER [layer] "r"(layer)
#define WW_GRADIENTS_2 [ax] "f"(dx.x), [ay] "f"(dx.y), [bx] "f"(dy.x), [by] "f"(dy.y)
#define WW_GRADIENTS_3 WW_GRADIENTS_2, [az] "f"(dx.z), [bz] "f"(dy.z)
#define WW_TAIL_1 ", {%[ax]}, {%[bx]}"
#define WW_TAIL_2 ", {%[ax], %[ay]}, {%[bx], %[by]}"
#define WW_TAIL_3 ", {%[ax], %[ay], %[az], %[az]}, {%[bx], %[by], %[bz], %[bz]}"
#define WW_PLACE_2 "%[x], %[y]"
#define WW_PLACE_3 "%[x], %[y], %[z], %[z]"
#define WW_PLACE_A1 "%[layer], %[x]"
#define WW_PLACE_A2 "%[layer], %[x], %[y], %[y]"
#define WW_PLACE_A3 "%[layer], %[x], %[y], %[z]"

WW_FETCH(tex1Dfetch, cudaTextureType1D, "tex.1d", "s32", "%[x]", "", (int x), (x), [x] "r"(x))
WW_FETCH(tex1D, cudaTextureType1D, "tex.1d", "f32", "%[x]", "", (float x), (x), WW_X)
WW_FETCH(tex1DLod, cudaTextureType1D, "tex.level.1d", "f32", "%[x]", ", %[level]", (float x, float level), (x, level), WW_X, WW_LEVEL)
WW_FETCH(tex1DGrad, cudaTextureType1D, "tex.grad.1d", "f32", "%[x]", WW_TAIL_1, (float x, float dx, float dy), (x, dx, dy), WW_X, [ax] "f"(dx), [bx] "f"(dy))
WW_FETCH(tex1DLayered, cudaTextureType1DLayered, "tex.a1d", "f32", WW_PLACE_A1, "", (float x, int layer), (x, layer), WW_X, WW_LAYER)
WW_FETCH(tex1DLayeredLod, cudaTextureType1DLayered, "tex.level.a1d", "f32", WW_PLACE_A1, ", %[level]", (float x, int layer, float level), (x, layer, level),
         WW_X, WW_LAYER, WW_LEVEL)
WW_FETCH(tex1DLayeredGrad, cudaTextureType1DLayered, "tex.grad.a1d", "f32", WW_PLACE_A1, WW_TAIL_1, (float x, int layer, float dx, float dy),
         (x, layer, dx, dy), WW_X, WW_LAYER, [ax] "f"(dx), [bx] "f"(dy))
WW_FETCH_BOTH(tex2D, cudaTextureType2D, "tex.2d", "f32", WW_PLACE_2, "", (float x, float y), (x, y), WW_XY)
WW_FETCH_BOTH(tex2DLod, cudaTextureType2D, "tex.level.2d", "f32", WW_PLACE_2, ", %[level]", (float x, float y, float level), (x, y, level), WW_XY, WW_LEVEL)
WW_FETCH_BOTH(tex2DGrad, cudaTextureType2D, "tex.grad.2d", "f32", WW_PLACE_2, WW_TAIL_2, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), WW_XY,
              WW_GRADIENTS_2)
WW_FETCH_BOTH(tex2DLayered, cudaTextureType2DLayered, "tex.a2d", "f32", WW_PLACE_A2, "", (float x, float y, int layer), (x, y, layer), WW_XY, WW_LAYER)
WW_FETCH_BOTH(tex2DLayeredLod, cudaTextureType2DLayered, "tex.level.a2d", "f32", WW_PLACE_A2, ", %[level]", (float x, float y, int layer, float level),
              (x, y, layer, level), WW_XY, WW_LAYER, WW_LEVEL)
WW_FETCH_BOTH(tex2DLayeredGrad, cudaTextureType2DLayered, "tex.grad.a2d", "f32", WW_PLACE_A2, WW_TAIL_2,
              (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy), WW_XY, WW_LAYER, WW_GRADIENTS_2)
WW_FETCH_BOTH(tex3D, cudaTextureType3D, "tex.3d", "f32", WW_PLACE_3, "", (float x, float y, float z), (x, y, z), WW_XYZ)
WW_FETCH_BOTH(tex3DLod, cudaTextureType3D, "tex.level.3d", "f32", WW_PLACE_3, ", %[level]", (float x, float y, float z, float level), (x, y, z, level), WW_XYZ,
              WW_LEVEL)
WW_FETCH_BOTH(tex3DGrad, cudaTextureType3D, "tex.grad.3d", "f32", WW_PLACE_3, WW_TAIL_3, (float x, float y, float z, float4 dx, float4 dy),
              (x, y, z, dx, dy), WW_XYZ, WW_GRADIENTS_3)
WW_FETCH(texCubemap, cudaTextureTypeCubemap, "tex.cube", "f32", WW_PLACE_3, "", (float x, float y, float z), (x, y, z), WW_XYZ)
WW_FETCH(texCubemapLod, cudaTextureTypeCubemap, "tex.level.cube", "f32", WW_PLACE_3, ", %[level]", (float x, float y, float z, float level), (x, y, z, level),
         WW_XYZ, WW_LEVEL)
WW_FETCH(texCubemapGrad, cudaTextureTypeCubemap, "tex.grad.cube", "f32", WW_PLACE_3, WW_TAIL_3, (float x, float y, float z, float4 dx, float4 dy),
         (x, y, z, dx, dy), WW_XYZ, WW_GRADIENTS_3)
WW_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, "tex.acube", "f32", WW_PLACE_A3, "", (float x, float y, float z, int layer), (x, y, z, layer), WW_XYZ,
         WW_LAYER)
WW_FETCH(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "tex.level.acube", "f32", WW_PLACE_A3, ", %[level]",
         (float x, float y, float z, int layer, float level), (x, y, z, layer, level), WW_XYZ, WW_LAYER, WW_LEVEL)
WW_FETCH(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, "tex.grad.acube", "f32", WW_PLACE_A3, WW_TAIL_3,
         (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy), WW_XYZ, WW_LAYER, WW_GRADIENTS_3)

// Gathers name their channel in the instruction.
#define WW_GATHER(channel) WW_FETCH_BOTH(ww_gather_##channel, cudaTextureType2D, "tld4." #channel ".2d", "f32", WW_PLACE_2, "", (float x, float y), (x, y), WW_XY)
WW_GATHER(r)
WW_GATHER(g)
WW_GATHER(b)
WW_GATHER(a)
#undef WW_GATHER
#define WW_GATHER_FORMS(parameters, arguments)                                                                                               \
    template <class ww_T> static __device__ WW_INLINE ww_T tex2Dgather(cudaTextureObject_t t, WW_UNWRAP parameters, int channel = 0) {       \
        if (channel == 1) return ww_gather_g<ww_T>(t, WW_UNWRAP arguments);                                                                  \
        if (channel == 2) return ww_gather_b<ww_T>(t, WW_UNWRAP arguments);                                                                  \
        if (channel == 3) return ww_gather_a<ww_T>(t, WW_UNWRAP arguments);                                                                  \
        return ww_gather_r<ww_T>(t, WW_UNWRAP arguments);                                                                                    \
    }                                                                                                                                        \
    template <class ww_T> static __device__ WW_INLINE void tex2Dgather(ww_T* to, cudaTextureObject_t t, WW_UNWRAP parameters, int channel = 0) { \
        *to = tex2Dgather<ww_T>(t, WW_UNWRAP arguments, channel);                                                                            \
    }
WW_GATHER_FORMS((float x, float y), (x, y))
WW_GATHER_FORMS((float x, float y, bool* resident), (x, y, resident))
#undef WW_GATHER_FORMS
#ifdef WW_TEXTURE_REFERENCES
template <class ww_V> struct ww_four;
#define WW_FOUR(scalar, vector)                               \
    template <> struct ww_four<scalar> { typedef vector##4 type; };    \
    template <> struct ww_four<vector##1> { typedef vector##4 type; }; \
    template <> struct ww_four<vector##2> { typedef vector##4 type; }; \
    template <> struct ww_four<vector##4> { typedef vector##4 type; };
WW_FOUR(float, float)
WW_FOUR(int, int)
WW_FOUR(unsigned int, uint)
WW_FOUR(short, short)
WW_FOUR(unsigned short, ushort)
WW_FOUR(signed char, char)
WW_FOUR(unsigned char, uchar)
#undef WW_FOUR
template <class ww_T, cudaTextureReadMode ww_mode>
static __device__ WW_INLINE typename ww_four<typename ww_fetched<ww_T, ww_mode>::type>::type tex2Dgather(texture<ww_T, cudaTextureType2D, ww_mode> t, float x,
                                                                                                     float y, int channel = 0) {
    return tex2Dgather<typename ww_four<typename ww_fetched<ww_T, ww_mode>::type>::type>(ww_handle(t), x, y, channel);
}
#endif
#undef WW_FETCH
#undef WW_FETCH_BOTH
#undef WW_FETCH_FORMS
#undef WW_FETCH_RAW
#undef WW_FETCH_RAW_RESIDENT
#undef WW_REFERENCE_FETCH
#undef WW_X
#undef WW_XY
#undef WW_XYZ
#undef WW_LEVEL
#undef WW_LAYER
#undef WW_GRADIENTS_2
#undef WW_GRADIENTS_3
#undef WW_TAIL_1
#undef WW_TAIL_2
#undef WW_TAIL_3
#undef WW_PLACE_2
#undef WW_PLACE_3
#undef WW_PLACE_A1
#undef WW_PLACE_A2
#undef WW_PLACE_A3
#undef WW_UNWRAP
