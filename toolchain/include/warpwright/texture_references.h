// Texture and surface references, which CUDA had until version 11: `texture<float, 2> t;` and `surface<void, 2> s;` at file
// scope. Only where a program has them (the compile room looks, and says so): to others `texture` and `surface` are names like any.
#pragma once

#include "../driver_types.h"

#ifdef WARPWRIGHT_TEXTURE_REFERENCES
#define WW_TEXTURE_REFERENCES 1

template <class ww_T> inline cudaChannelFormatDesc cudaCreateChannelDesc();

/// Both sides know the variable: the host describes it, and on the device it is the object that is bound to it.
template <class ww_T, int ww_kind = cudaTextureType1D, cudaTextureReadMode ww_mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    __host__ texture(int normalized_coordinates = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(normalized_coordinates, filter, address, cudaCreateChannelDesc<ww_T>()) {}
    __host__ texture(int normalized_coordinates, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc format)
        : textureReference{normalized_coordinates, filter, {address, address, address}, format} {}
};
#endif

#ifdef WARPWRIGHT_SURFACE_REFERENCES
#define WW_SURFACE_REFERENCES 1

template <class ww_T, int ww_kind = cudaSurfaceType1D> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
    __host__ surface() : surfaceReference{{0, 0, 0, 0, cudaChannelFormatKindNone}} {}
};
template <int ww_kind> struct __attribute__((device_builtin_surface_type)) surface<void, ww_kind> : public surfaceReference {
    __host__ surface() : surfaceReference{{0, 0, 0, 0, cudaChannelFormatKindNone}} {}
};
#endif
