// Each function converts one of CUDA's descriptions to a part of the device's texture and refuses combinations that
// CUDA refuses. Enumerations are read as plain integers, since a program may have put any number into them.
#include "cudart/memory/texture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cudart/state/properties.hpp"
#include "cudart/state/runtime.hpp"

namespace warpwright::cudart {
namespace {

using Kind = device::Texture::Kind;

struct Normalized {
    cudaChannelFormatKind kind;
    Kind sign;
    unsigned bits, channels;
};
constexpr Normalized kNormalized[] = {
    {cudaChannelFormatKindUnsignedNormalized8X1, Kind::unsigned_integer, 8, 1},
    {cudaChannelFormatKindUnsignedNormalized8X2, Kind::unsigned_integer, 8, 2},
    {cudaChannelFormatKindUnsignedNormalized8X4, Kind::unsigned_integer, 8, 4},
    {cudaChannelFormatKindUnsignedNormalized16X1, Kind::unsigned_integer, 16, 1},
    {cudaChannelFormatKindUnsignedNormalized16X2, Kind::unsigned_integer, 16, 2},
    {cudaChannelFormatKindUnsignedNormalized16X4, Kind::unsigned_integer, 16, 4},
    {cudaChannelFormatKindSignedNormalized8X1, Kind::signed_integer, 8, 1},
    {cudaChannelFormatKindSignedNormalized8X2, Kind::signed_integer, 8, 2},
    {cudaChannelFormatKindSignedNormalized8X4, Kind::signed_integer, 8, 4},
    {cudaChannelFormatKindSignedNormalized16X1, Kind::signed_integer, 16, 1},
    {cudaChannelFormatKindSignedNormalized16X2, Kind::signed_integer, 16, 2},
    {cudaChannelFormatKindSignedNormalized16X4, Kind::signed_integer, 16, 4},
};

/// The formats that a view can have, three widths (1, 2 and 4 channels) of each.
cudaChannelFormatDesc format_of(cudaResourceViewFormat view) {
    struct Family {
        int bits;
        cudaChannelFormatKind kind;
    };
    constexpr Family kFamilies[] = {{8, cudaChannelFormatKindUnsigned},  {8, cudaChannelFormatKindSigned},
                                    {16, cudaChannelFormatKindUnsigned}, {16, cudaChannelFormatKindSigned},
                                    {32, cudaChannelFormatKindUnsigned}, {32, cudaChannelFormatKindSigned},
                                    {16, cudaChannelFormatKindFloat},    {32, cudaChannelFormatKindFloat}};
    const int k = static_cast<int>(view) - 1, family = k / 3, wide = k % 3;
    if (k < 0 || family >= 8) return {0, 0, 0, 0, cudaChannelFormatKindNone};
    const int bits = kFamilies[family].bits;
    return {bits, wide >= 1 ? bits : 0, wide == 2 ? bits : 0, wide == 2 ? bits : 0, kFamilies[family].kind};
}

device::Texture::Level level_of(const Array& a) {
    return {reinterpret_cast<device::Address>(a.data),
            a.pitch(),
            a.slice(),
            static_cast<std::uint32_t>(a.width()),
            static_cast<std::uint32_t>(a.height()),
            static_cast<std::uint32_t>(a.depth())};
}

void set_shape(unsigned flags, device::Texture& t) {
    t.layered = (flags & cudaArrayLayered) != 0;
    t.cube = (flags & cudaArrayCubemap) != 0;
}

}  // namespace

cudaError_t set_format(const cudaChannelFormatDesc& f, device::Texture& t) {
    const int each[4] = {f.x, f.y, f.z, f.w};
    unsigned channels = 0;
    while (channels < 4 && each[channels] > 0) ++channels;
    for (unsigned k = 0; k < 4; ++k)
        if (each[k] < 0 || (k >= channels && each[k] != 0)) return cudaErrorInvalidChannelDescriptor;
    t.packed = false;
    if (f.f == cudaChannelFormatKindUnsignedNormalized1010102) {
        if (f.x != 10 || f.y != 10 || f.z != 10 || f.w != 2) return cudaErrorInvalidChannelDescriptor;
        t.channels = 4, t.bits = 16, t.packed = true, t.kind = Kind::unsigned_integer, t.normalized_floats = true;
        return cudaSuccess;
    }
    for (unsigned k = 1; k < channels; ++k)
        if (each[k] != each[0]) return cudaErrorInvalidChannelDescriptor;
    if (channels == 0 || channels == 3 || (f.x != 8 && f.x != 16 && f.x != 32))
        return cudaErrorInvalidChannelDescriptor;
    t.channels = channels, t.bits = static_cast<unsigned>(f.x);
    switch (f.f) {
        case cudaChannelFormatKindSigned:
            t.kind = Kind::signed_integer;
            return cudaSuccess;
        case cudaChannelFormatKindUnsigned:
            t.kind = Kind::unsigned_integer;
            return cudaSuccess;
        case cudaChannelFormatKindFloat:
            t.kind = Kind::real;
            return t.bits == 8 ? cudaErrorInvalidChannelDescriptor : cudaSuccess;
        default:
            break;
    }
    for (const auto& n : kNormalized)
        if (n.kind == f.f) {
            if (n.bits != t.bits || n.channels != t.channels) return cudaErrorInvalidChannelDescriptor;
            t.kind = n.sign, t.normalized_floats = true;
            return cudaSuccess;
        }
    if (f.f < cudaChannelFormatKindSigned || f.f > cudaChannelFormatKindUnsignedNormalized1010102 ||
        f.f == cudaChannelFormatKindNone)
        return cudaErrorInvalidChannelDescriptor;
    Runtime::get().say(
        "block-compressed and multi-planar arrays are not supported by the emulated GPU's runtime library");
    return cudaErrorNotSupported;
}

std::size_t element_bytes(const cudaChannelFormatDesc& format) {
    device::Texture t;
    if (set_format(format, t) != cudaSuccess) return 0;
    return t.packed ? 4 : t.channels * t.bits / 8;
}

cudaError_t set_resource(const cudaResourceDesc& r, device::Texture& t) {
    cudaDeviceProp limits;
    switch (r.resType) {
        case cudaResourceTypeArray: {
            const auto a = arrays::find(r.res.array.array);
            if (!a) return cudaErrorInvalidValue;
            t.levels = {level_of(*a)};
            t.tiled = true;
            set_shape(a->flags, t);
            return set_format(a->format, t);
        }
        case cudaResourceTypeMipmappedArray: {
            const auto m = arrays::find(r.res.mipmap.mipmap);
            if (!m) return cudaErrorInvalidValue;
            t.levels.clear();
            for (const auto& level : m->levels) t.levels.push_back(level_of(*level));
            t.tiled = true;
            set_shape(m->flags, t);
            return set_format(m->format, t);
        }
        case cudaResourceTypeLinear: {
            const auto& l = r.res.linear;
            if (auto e = set_format(l.desc, t); e != cudaSuccess) return e;
            const auto block = MemoryTable::get().find(l.devPtr);
            if (!block) return cudaErrorInvalidValue;
            fill_properties_of(limits, 0);
            if (reinterpret_cast<std::uintptr_t>(l.devPtr) % limits.textureAlignment) return cudaErrorInvalidValue;
            const auto elements = l.sizeInBytes / element_bytes(l.desc);
            if (elements > static_cast<std::size_t>(limits.maxTexture1DLinear)) return cudaErrorInvalidValue;
            // Bytes that the description claims beyond the allocation read as outside the texture.
            const auto there = block->address + block->bytes - reinterpret_cast<std::uint64_t>(l.devPtr);
            t.levels = {{reinterpret_cast<device::Address>(l.devPtr), l.sizeInBytes, l.sizeInBytes,
                         static_cast<std::uint32_t>(std::min<std::size_t>(elements, there / element_bytes(l.desc))), 1,
                         1}};
            return cudaSuccess;
        }
        case cudaResourceTypePitch2D: {
            const auto& p = r.res.pitch2D;
            if (auto e = set_format(p.desc, t); e != cudaSuccess) return e;
            fill_properties_of(limits, 0);
            if (!MemoryTable::get().find(p.devPtr) || p.width == 0 || p.height == 0 ||
                p.width * element_bytes(p.desc) > p.pitchInBytes ||
                p.pitchInBytes % limits.texturePitchAlignment != 0 ||
                p.width > static_cast<std::size_t>(limits.maxTexture2DLinear[0]) ||
                p.height > static_cast<std::size_t>(limits.maxTexture2DLinear[1]))
                return cudaErrorInvalidValue;
            t.levels = {{reinterpret_cast<device::Address>(p.devPtr), p.pitchInBytes, p.pitchInBytes * p.height,
                         static_cast<std::uint32_t>(p.width), static_cast<std::uint32_t>(p.height), 1}};
            return cudaSuccess;
        }
        default:
            return cudaErrorInvalidValue;
    }
}

namespace {

/// What a program put into an enumeration of C, which may be no enumerator.
template <class E>
int raw(const E& value) {
    static_assert(sizeof(E) == sizeof(int));
    int number;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

}  // namespace

cudaError_t set_sampling(const cudaTextureDesc& d, const cudaResourceDesc& r, device::Texture& t) {
    const auto is_filter = [](int m) { return m == cudaFilterModePoint || m == cudaFilterModeLinear; };
    const int read = raw(d.readMode);
    if (!is_filter(raw(d.filterMode)) || !is_filter(raw(d.mipmapFilterMode)) ||
        (read != cudaReadModeElementType && read != cudaReadModeNormalizedFloat))
        return cudaErrorInvalidValue;
    for (unsigned k = 0; k < 3; ++k) {
        const int mode = raw(d.addressMode[k]);
        if (mode < cudaAddressModeWrap || mode > cudaAddressModeBorder) return cudaErrorInvalidValue;
        t.mode[k] = static_cast<device::Texture::Mode>(mode);
    }
    const bool mipmap = r.resType == cudaResourceTypeMipmappedArray;
    if (mipmap && !d.normalizedCoords) return cudaErrorInvalidValue;
    if (d.seamlessCubemap && !t.cube) return cudaErrorInvalidValue;
    const bool integers = t.kind != Kind::real && !t.normalized_floats;
    if (integers && t.bits == 32 && d.readMode == cudaReadModeNormalizedFloat) return cudaErrorInvalidNormSetting;
    t.normalized_floats |= d.readMode == cudaReadModeNormalizedFloat;
    // Linear memory is not filtered: the mode has no meaning there.
    t.linear = d.filterMode == cudaFilterModeLinear && r.resType != cudaResourceTypeLinear;
    t.mip_linear = mipmap && d.mipmapFilterMode == cudaFilterModeLinear;
    if (t.kind != Kind::real && !t.normalized_floats && (t.linear || t.mip_linear))
        return cudaErrorInvalidFilterSetting;
    t.normalized_coordinates = d.normalizedCoords != 0;
    t.srgb = d.sRGB != 0;
    t.seamless = d.seamlessCubemap != 0;
    t.anisotropy = std::clamp(d.maxAnisotropy, 1u, 16u);
    t.bias = d.mipmapLevelBias, t.least_level = d.minMipmapLevelClamp, t.most_level = d.maxMipmapLevelClamp;
    for (unsigned k = 0; k < 4; ++k) t.border[k] = d.borderColor[k];
    return cudaSuccess;
}

cudaError_t set_view(const cudaResourceViewDesc& v, const cudaResourceDesc& r, device::Texture& t) {
    if (r.resType != cudaResourceTypeArray && r.resType != cudaResourceTypeMipmappedArray) return cudaErrorInvalidValue;
    const auto& first = t.levels[0];
    // A missing dimension is 0, or 1.
    const auto same = [](std::size_t wanted, std::size_t there) { return std::max<std::size_t>(wanted, 1) == there; };
    if (v.width != first.width || !same(v.height, first.height) || !same(v.depth, first.depth))
        return cudaErrorInvalidValue;
    if (v.format != cudaResViewFormatNone) {
        if (v.format >= cudaResViewFormatUnsignedBlockCompressed1) {
            Runtime::get().say(
                "block-compressed views of arrays are not supported by the emulated GPU's runtime library");
            return cudaErrorNotSupported;
        }
        const auto format = format_of(v.format);
        cudaChannelFormatDesc own{};
        if (r.resType == cudaResourceTypeArray) {
            const auto array = arrays::find(r.res.array.array);
            if (!array) return cudaErrorInvalidValue;
            own = array->format;
        } else {
            const auto mipmap = arrays::find(r.res.mipmap.mipmap);
            if (!mipmap) return cudaErrorInvalidValue;
            own = mipmap->format;
        }
        if (element_bytes(format) != element_bytes(own)) return cudaErrorInvalidValue;
        t.normalized_floats = false;
        if (auto e = set_format(format, t); e != cudaSuccess) return e;
    }
    if (v.firstMipmapLevel > v.lastMipmapLevel || v.lastMipmapLevel >= t.levels.size()) return cudaErrorInvalidValue;
    t.levels = {t.levels.begin() + v.firstMipmapLevel, t.levels.begin() + v.lastMipmapLevel + 1};
    if (v.firstLayer > v.lastLayer) return cudaErrorInvalidValue;
    if (!t.layered) return v.lastLayer > 0 ? cudaErrorInvalidValue : cudaSuccess;
    const unsigned faces = t.cube ? 6 : 1;
    for (auto& level : t.levels) {
        if ((v.lastLayer + 1) * faces > level.depth) return cudaErrorInvalidValue;
        level.data += v.firstLayer * faces * level.slice;
        level.depth = (v.lastLayer - v.firstLayer + 1) * faces;
    }
    return cudaSuccess;
}

std::size_t behind_alignment(const void* pointer) {
    cudaDeviceProp p;
    fill_properties_of(p, 0);
    // Alignment counts from the start of the allocation, which is aligned as the device requires.
    const auto block = MemoryTable::get().find(pointer);
    return (reinterpret_cast<std::uint64_t>(pointer) - (block ? block->address : 0)) % p.textureAlignment;
}

}  // namespace warpwright::cudart
