// A small table pairs the plain formats, and the normalized ones are converted by their position, because both
// enumerations list them in the same order.
#include "cuda_driver/state/formats.hpp"

namespace warpwright::cuda_driver {
namespace {

struct Plain {
    CUarray_format driver;
    cudaChannelFormatKind kind;
    int bits;
};
constexpr Plain kPlain[] = {{CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
                            {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
                            {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
                            {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
                            {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
                            {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
                            {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
                            {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32}};

/// Numbers from 0 (or -1) to 1. The driver's and the runtime's stand in the same order.
constexpr int kNormalized = 12;
constexpr int kWidths[] = {1, 2, 4};

}  // namespace

bool channel_format(CUarray_format format, unsigned channels, cudaChannelFormatDesc& out) {
    const int k = static_cast<int>(format) - static_cast<int>(CU_AD_FORMAT_UNORM_INT8X1);
    if (k >= 0 && k < kNormalized) {
        const int bits = k % 6 < 3 ? 8 : 16, wide = kWidths[k % 3];
        out = {bits, wide > 1 ? bits : 0, wide > 2 ? bits : 0, wide > 2 ? bits : 0,
               static_cast<cudaChannelFormatKind>(cudaChannelFormatKindUnsignedNormalized8X1 + k)};
        return true;
    }
    if (channels != 1 && channels != 2 && channels != 4) return false;
    for (const auto& p : kPlain)
        if (p.driver == format) {
            out = {p.bits, channels > 1 ? p.bits : 0, channels > 2 ? p.bits : 0, channels > 2 ? p.bits : 0, p.kind};
            return true;
        }
    return false;
}

bool driver_format(const cudaChannelFormatDesc& format, CUarray_format& out, unsigned& channels) {
    channels = format.w ? 4 : format.z ? 3 : format.y ? 2 : 1;
    const int k = static_cast<int>(format.f) - static_cast<int>(cudaChannelFormatKindUnsignedNormalized8X1);
    if (k >= 0 && k < kNormalized) {
        out = static_cast<CUarray_format>(CU_AD_FORMAT_UNORM_INT8X1 + k);
        return true;
    }
    for (const auto& p : kPlain)
        if (p.kind == format.f && p.bits == format.x) {
            out = p.driver;
            return true;
        }
    return false;
}

}  // namespace warpwright::cuda_driver
