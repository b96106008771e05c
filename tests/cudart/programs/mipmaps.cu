// Mipmapped arrays: levels given, by gradients, between two levels, with a bias and clamped; one, two and three dimensions, layers; queries.
#include <cmath>
#include "check.h"
__global__ void at1(cudaTextureObject_t t, float x, float level, float* out) {
    out[0] = tex1DLod<float>(t, x, level);
    out[1] = tex1DGrad<float>(t, x, 0.0f, exp2f(level) / 16);
    out[2] = tex1D<float>(t, x);
}
__global__ void at2(cudaTextureObject_t t, float x, float y, float level, float* out) {
    out[0] = tex2DLod<float>(t, x, y, level);
    bool there = false;
    out[1] = tex2DLod<float>(t, x, y, level, &there);
    out[2] = there;
}
__global__ void gradient(cudaTextureObject_t t, float x, float y, float2 dx, float2 dy, float* out) { *out = tex2DGrad<float>(t, x, y, dx, dy); }
__global__ void at3(cudaTextureObject_t t, float level, float* out) {
    out[0] = tex3DLod<float>(t, 0.5f, 0.5f, 0.5f, level);
    out[1] = tex3DGrad<float>(t, 0.5f, 0.5f, 0.5f, make_float4(exp2f(level) / 8, 0, 0, 0), make_float4(0, 0, 0, 0));
}
__global__ void layers(cudaTextureObject_t t, int layer, float level, float* out) {
    out[0] = tex2DLayeredLod<float>(t, 0.5f, 0.5f, layer, level);
    float2 g = make_float2(exp2f(level) / 8, 0), none = make_float2(0, 0);
    out[1] = tex2DLayeredGrad<float>(t, 0.5f, 0.5f, layer, none, g);
    out[2] = tex2DLayered<float>(t, 0.5f, 0.5f, layer);
}
__global__ void ask(cudaTextureObject_t t, unsigned* out) {
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm volatile("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
    asm volatile("txq.level.width.b32 %0, [%1], 2;" : "=r"(out[3]) : "l"(t));
    asm volatile("txq.channel_data_type.b32 %0, [%1];" : "=r"(out[4]) : "l"(t));
    asm volatile("txq.array_size.b32 %0, [%1];" : "=r"(out[5]) : "l"(t));
}
float *out, got[8];
void take(int n) { OK(cudaMemcpy(got, out, n * sizeof(float), cudaMemcpyDeviceToHost)); }
// Level l holds 1000 l, plus 10 for a row, plus 1 for a column.
cudaMipmappedArray_t make(cudaExtent e, unsigned levels, unsigned flags = 0) {
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &f, e, levels, flags));
    cudaArray_t level;
    for (unsigned l = 0; cudaGetMipmappedArrayLevel(&level, m, l) == cudaSuccess; ++l) {
        cudaExtent own;
        OK(cudaArrayGetInfo(nullptr, &own, nullptr, level));
        const size_t h = own.height ? own.height : 1, d = own.depth ? own.depth : 1;
        float* data = new float[own.width * h * d];
        for (size_t z = 0; z < d; ++z)
            for (size_t y = 0; y < h; ++y)
                for (size_t x = 0; x < own.width; ++x) data[(z * h + y) * own.width + x] = 1000.0f * l + 100.0f * z + 10.0f * y + x;
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(data, own.width * 4, own.width, h), p.dstArray = level, p.extent = make_cudaExtent(own.width, h, d);
        p.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&p));
        delete[] data;
    }
    cudaGetLastError();  // the level after the last
    return m;
}
cudaTextureObject_t object(cudaMipmappedArray_t m, const cudaTextureDesc& d, const cudaResourceViewDesc* view = nullptr) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, view));
    return t;
}
int main() {
    OK(cudaMalloc(&out, 64));
    cudaTextureDesc d = {};
    d.normalizedCoords = 1;
    for (auto& m : d.addressMode) m = cudaAddressModeClamp;
    d.maxMipmapLevelClamp = 100;

    // One dimension, 16 elements, 5 levels.
    auto line = make(make_cudaExtent(16, 0, 0), 99);
    cudaArray_t level;
    OK(cudaGetMipmappedArrayLevel(&level, line, 4));
    CHECK(cudaGetMipmappedArrayLevel(&level, line, 5) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    auto t = object(line, d);
    for (int l = 0; l < 7; ++l) {
        at1<<<1, 1>>>(t, 0.99f, (float)l, out);
        take(3);
        const int in = l < 4 ? l : 4;
        CHECK(got[0] == 1000 * in + (16 >> in) - 1 && got[1] == got[0] && got[2] == 15);
    }
    at1<<<1, 1>>>(t, 0.0f, 1.4f, out);
    take(1);
    CHECK(got[0] == 1000);
    at1<<<1, 1>>>(t, 0.0f, 1.6f, out);
    take(1);
    CHECK(got[0] == 2000);
    OK(cudaDestroyTextureObject(t));
    d.mipmapFilterMode = cudaFilterModeLinear;
    t = object(line, d);
    at1<<<1, 1>>>(t, 0.0f, 1.25f, out);
    take(2);
    CHECK(got[0] == 1250 && std::fabs(got[1] - 1250) <= 1000.0f / 256);
    at1<<<1, 1>>>(t, 0.0f, 1.001f, out);  // 0.001 is nearer to 0 than to 1/256
    take(1);
    CHECK(got[0] == 1000);
    OK(cudaDestroyTextureObject(t));
    // Bias and clamps, also for a fetch that names no level.
    d.mipmapLevelBias = 0.5f, d.minMipmapLevelClamp = 0.75f, d.maxMipmapLevelClamp = 2.5f;
    t = object(line, d);
    at1<<<1, 1>>>(t, 0.0f, 1.0f, out);
    take(3);
    CHECK(got[0] == 1500 && got[2] == 750);
    at1<<<1, 1>>>(t, 0.0f, 4.0f, out);
    take(1);
    CHECK(got[0] == 2500);
    at1<<<1, 1>>>(t, 0.0f, -9.0f, out);
    take(1);
    CHECK(got[0] == 750);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(line));
    d.mipmapLevelBias = d.minMipmapLevelClamp = 0, d.maxMipmapLevelClamp = 100;

    // Two dimensions, 8 x 4: filtered within levels and between them.
    auto image = make(make_cudaExtent(8, 4, 0), 4);
    d.filterMode = cudaFilterModeLinear;
    t = object(image, d);
    at2<<<1, 1>>>(t, 0.5f, 0.5f, 0.5f, out);
    take(3);
    // Level 0: between columns 3 and 4, rows 1 and 2; level 1: columns 1 and 2, rows 0 and 1.
    CHECK(got[0] == ((3.5f + 15) + (1000 + 1.5f + 5)) / 2 && got[1] == got[0] && got[2] == 1);
    // The longer gradient counts, in elements: max(8 * 0.25, 4 * 0.25) = 2, level 1; and by Pythagoras.
    gradient<<<1, 1>>>(t, 0.5f, 0.5f, make_float2(0.25f, 0), make_float2(0, 0.25f), out);
    take(1);
    CHECK(got[0] == 1006.5f);
    gradient<<<1, 1>>>(t, 0.5f, 0.5f, make_float2(0, 0), make_float2(3 * 0.125f * 0.8f, 4 * 0.25f * 0.8f), out);  // 2.4, 3.2: length 4
    take(1);
    CHECK(std::fabs(got[0] - (2000 + 0.5f)) <= 1000.0f / 256);
    gradient<<<1, 1>>>(t, 0.5f, 0.5f, make_float2(0, 0), make_float2(0, 0), out);
    take(1);
    CHECK(got[0] == 18.5f);
    unsigned asked[6];
    ask<<<1, 1>>>(t, (unsigned*)out);
    OK(cudaMemcpy(asked, out, sizeof asked, cudaMemcpyDeviceToHost));
    CHECK(asked[0] == 8 && asked[1] == 4 && asked[2] == 4 && asked[3] == 2 && asked[4] == 0x10DE && asked[5] == 0);
    OK(cudaDestroyTextureObject(t));
    // With anisotropy the shorter gradient sets the level: 4 elements by 1, so four samples of level 0, in a line on which the mean is the middle.
    d.maxAnisotropy = 8;
    t = object(image, d);
    gradient<<<1, 1>>>(t, 0.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.25f), out);
    take(1);
    CHECK(std::fabs(got[0] - 18.5f) < 0.02f);
    OK(cudaDestroyTextureObject(t));
    d.maxAnisotropy = 0;
    // A view of levels 1 and 2 as whole numbers of the same width.
    cudaResourceViewDesc v = {}, same;
    v.format = cudaResViewFormatUnsignedInt1, v.width = 8, v.height = 4, v.firstMipmapLevel = 1, v.lastMipmapLevel = 2;
    d.filterMode = d.mipmapFilterMode = cudaFilterModePoint;
    t = object(image, d, &v);
    at2<<<1, 1>>>(t, 0.0f, 0.0f, 0.0f, out);
    take(1);
    CHECK(got[0] == 1000);  // the bits of a float, wherever they are read
    ask<<<1, 1>>>(t, (unsigned*)out);
    OK(cudaMemcpy(asked, out, sizeof asked, cudaMemcpyDeviceToHost));
    CHECK(asked[0] == 4 && asked[2] == 2 && asked[4] == 0x10DC);
    OK(cudaGetTextureObjectResourceViewDesc(&same, t));
    CHECK(same.firstMipmapLevel == 1 && same.format == v.format);
    OK(cudaDestroyTextureObject(t));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = image;
    v.lastMipmapLevel = 4;
    CHECK(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
    v.lastMipmapLevel = 2, v.format = cudaResViewFormatUnsignedShort1;
    CHECK(cudaCreateTextureObject(&t, &r, &d, &v) == cudaErrorInvalidValue);
    d.normalizedCoords = 0;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidValue);
    d.normalizedCoords = 1;
    // A level is an array, but not one to be freed.
    OK(cudaGetMipmappedArrayLevel(&level, image, 1));
    CHECK(cudaFreeArray(level) == cudaErrorInvalidValue);
    OK(cudaFreeMipmappedArray(image));

    auto volume = make(make_cudaExtent(8, 8, 8), 3);
    t = object(volume, d);
    for (int l = 0; l < 3; ++l) {
        at3<<<1, 1>>>(t, (float)l, out);
        take(2);
        const int middle = 4 >> l;
        CHECK(got[0] == 1000 * l + 111 * middle && got[1] == got[0]);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(volume));

    auto stack = make(make_cudaExtent(8, 8, 3), 4, cudaArrayLayered);
    t = object(stack, d);
    for (int l = 0; l < 4; ++l) {
        layers<<<1, 1>>>(t, 2, (float)l, out);
        take(3);
        CHECK(got[0] == 1000 * l + 200 + 11 * (l < 3 ? 4 >> l : 0) && got[1] == got[0] && got[2] == 244);
    }
    OK(cudaDestroyTextureObject(t));
    // Layers 1 and 2 of it.
    v = {};
    v.format = cudaResViewFormatFloat1, v.width = v.height = 8, v.depth = 3, v.lastMipmapLevel = 3, v.firstLayer = 1, v.lastLayer = 2;
    t = object(stack, d, &v);
    layers<<<1, 1>>>(t, 0, 0.0f, out);
    take(1);
    CHECK(got[0] == 144);
    layers<<<1, 1>>>(t, 7, 0.0f, out);
    take(1);
    CHECK(got[0] == 244);
    ask<<<1, 1>>>(t, (unsigned*)out);
    OK(cudaMemcpy(asked, out, sizeof asked, cudaMemcpyDeviceToHost));
    CHECK(asked[5] == 2);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(stack));
    std::puts("passed");
}
