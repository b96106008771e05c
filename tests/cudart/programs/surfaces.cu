// Surface reads and writes of each geometry and width, boundary modes; layered textures; and wrong uses, each with the error that is documented for it.
#include <cmath>
#include "check.h"
struct Wide { double a, b; };
template <class T> __global__ void copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, y = threadIdx.y;
    T v = surf2Dread<T>(from, x * (int)sizeof(T), y);
    surf2Dwrite(v, to, (w - 1 - x) * (int)sizeof(T), y);
}
__global__ void modes(cudaSurfaceObject_t s, int* out) {
    out[0] = surf2Dread<int>(s, 400, -3, cudaBoundaryModeClamp);
    out[1] = surf2Dread<int>(s, 400, -3, cudaBoundaryModeZero);
    surf2Dwrite(-1, s, -4, 99, cudaBoundaryModeClamp);
    surf2Dwrite(-2, s, -4, 1, cudaBoundaryModeZero);
}
__global__ void trap(cudaSurfaceObject_t s) { surf1Dwrite(1, s, 4 * (int)threadIdx.x); }
__global__ void geometries(cudaSurfaceObject_t line, cudaSurfaceObject_t lines, cudaSurfaceObject_t images, cudaSurfaceObject_t volume, float* out) {
    surf1Dwrite(1.5f, line, 8);
    surf1DLayeredwrite(2.5f, lines, 8, 1);
    surf2DLayeredwrite(3.5f, images, 8, 1, 2);
    surf3Dwrite(4.5f, volume, 8, 1, 2);
    out[0] = surf1Dread<float>(line, 8);
    surf1DLayeredread(out + 1, lines, 8, 1);
    out[2] = surf2DLayeredread<float>(images, 8, 1, 2);
    out[3] = surf3Dread<float>(volume, 8, 1, 2);
}
__global__ void layers(cudaTextureObject_t lines, cudaTextureObject_t images, int layer, float* out) {
    out[0] = tex1DLayered<float>(lines, 2.5f, layer);
    out[1] = tex2DLayered<float>(images, 2.5f, 1.5f, layer);
    out[2] = tex1DLayeredLod<float>(lines, 2.5f, layer, 0.0f);
    out[3] = tex1DLayeredGrad<float>(lines, 2.5f, layer, 1.0f, 1.0f);
}
cudaArray_t array(cudaChannelFormatDesc f, cudaExtent e, unsigned flags = 0) {
    cudaArray_t a;
    OK(cudaMalloc3DArray(&a, &f, e, flags | cudaArraySurfaceLoadStore));
    return a;
}
cudaSurfaceObject_t surface_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}
cudaTextureObject_t texture_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}
template <class T> void mirrored() {
    constexpr int w = 8, h = 4;
    cudaArray_t a[2] = {array(cudaCreateChannelDesc<T>(), make_cudaExtent(w, h, 0)), array(cudaCreateChannelDesc<T>(), make_cudaExtent(w, h, 0))};
    unsigned char from[w * h * sizeof(T)], to[sizeof from];
    for (unsigned i = 0; i < sizeof from; ++i) from[i] = (unsigned char)(i * 37 + 5);
    OK(cudaMemcpy2DToArray(a[0], 0, 0, from, w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice));
    copy<T><<<1, dim3(w, h)>>>(surface_of(a[0]), surface_of(a[1]), w);
    OK(cudaMemcpy2DFromArray(to, w * sizeof(T), a[1], 0, 0, w * sizeof(T), h, cudaMemcpyDeviceToHost));
    for (unsigned y = 0; y < h; ++y)
        for (unsigned x = 0; x < w; ++x)
            for (unsigned b = 0; b < sizeof(T); ++b) CHECK(to[(y * w + x) * sizeof(T) + b] == from[(y * w + w - 1 - x) * sizeof(T) + b]);
    OK(cudaFreeArray(a[0]));
    OK(cudaFreeArray(a[1]));
}
template <class T> cudaError_t making(T change) {
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    cudaArray_t a;
    OK(cudaMallocArray(&a, &f, 4, 4));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaResourceViewDesc v = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = a;
    v.format = cudaResViewFormatSignedInt1, v.width = v.height = 4;
    const bool view = change(r, d, v);
    cudaTextureObject_t t = 0;
    const cudaError_t e = cudaCreateTextureObject(&t, &r, &d, view ? &v : nullptr);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
    return e;
}
int main() {
    mirrored<unsigned char>();
    mirrored<uchar2>();
    mirrored<uchar4>();
    mirrored<short>();
    mirrored<ushort4>();
    mirrored<int2>();
    mirrored<float4>();

    int host[16], got[16], *out;
    OK(cudaMalloc(&out, 64));
    for (int i = 0; i < 16; ++i) host[i] = 100 + i;
    cudaArray_t a = array(cudaCreateChannelDesc<int>(), make_cudaExtent(4, 4, 0));
    OK(cudaMemcpyToArray(a, 0, 0, host, 64, cudaMemcpyHostToDevice));
    modes<<<1, 1>>>(surface_of(a), out);
    OK(cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 103 && got[1] == 0);
    OK(cudaMemcpyFromArray(got, a, 0, 0, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; ++i) CHECK(got[i] == (i == 12 ? -1 : host[i]));

    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t line = array(f, make_cudaExtent(4, 0, 0)), lines = array(f, make_cudaExtent(4, 0, 3), cudaArrayLayered);
    cudaArray_t images = array(f, make_cudaExtent(4, 4, 3), cudaArrayLayered), volume = array(f, make_cudaExtent(4, 4, 3));
    float seen[4];
    geometries<<<1, 1>>>(surface_of(line), surface_of(lines), surface_of(images), surface_of(volume), (float*)out);
    OK(cudaMemcpy(seen, out, 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) CHECK(seen[i] == 1.5f + i);
    const cudaTextureObject_t both[] = {texture_of(lines), texture_of(images)};
    for (int layer = 0; layer < 3; ++layer) {
        layers<<<1, 1>>>(both[0], both[1], layer, (float*)out);
        OK(cudaMemcpy(seen, out, 16, cudaMemcpyDeviceToHost));
        CHECK(seen[0] == (layer == 1 ? 2.5f : 0) && seen[1] == (layer == 2 ? 3.5f : 0) && seen[2] == seen[0] && seen[3] == seen[0]);
    }

    // Wrong uses.
    using R = cudaResourceDesc;
    using D = cudaTextureDesc;
    using V = cudaResourceViewDesc;
    CHECK(making([](R&, D&, V&) { return true; }) == cudaSuccess);
    CHECK(making([](R&, D& d, V&) { return d.filterMode = cudaFilterModeLinear, false; }) == cudaErrorInvalidFilterSetting);
    CHECK(making([](R&, D& d, V&) { return d.readMode = cudaReadModeNormalizedFloat, false; }) == cudaErrorInvalidNormSetting);
    CHECK(making([](R&, D& d, V&) { return d.seamlessCubemap = 1, false; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D& d, V&) { return d.addressMode[1] = (cudaTextureAddressMode)4, false; }) == cudaErrorInvalidValue);
    CHECK(making([](R& r, D&, V&) { return r.res.array.array = nullptr, false; }) == cudaErrorInvalidValue);
    CHECK(making([](R& r, D&, V&) { return r.resType = (cudaResourceType)7, false; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D&, V& v) { return v.width = 3, true; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D&, V& v) { return v.format = cudaResViewFormatFloat2, true; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D&, V& v) { return v.lastMipmapLevel = 1, true; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D&, V& v) { return v.firstLayer = v.lastLayer = 1, true; }) == cudaErrorInvalidValue);
    CHECK(making([](R&, D&, V& v) { return v.format = cudaResViewFormatHalf2, true; }) == cudaSuccess);
    CHECK(making([&](R& r, D&, V&) {
              r.resType = cudaResourceTypePitch2D;
              r.res.pitch2D.devPtr = out, r.res.pitch2D.desc = cudaCreateChannelDesc<int>(), r.res.pitch2D.width = 4, r.res.pitch2D.height = 2;
              return r.res.pitch2D.pitchInBytes = 20, false;  // no multiple of the alignment
          }) == cudaErrorInvalidValue);
    CHECK(making([&](R& r, D&, V&) {
              r.resType = cudaResourceTypeLinear;
              r.res.linear.devPtr = host, r.res.linear.desc = cudaCreateChannelDesc<int>(), r.res.linear.sizeInBytes = 64;
              return false;
          }) == cudaErrorInvalidValue);
    cudaArray_t none;
    cudaMipmappedArray_t no_levels;
    const cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned), uneven = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    CHECK(cudaMallocArray(&none, &three, 4, 4) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaMallocArray(&none, &uneven, 4, 4) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaMallocArray(&none, &f, 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&none, &f, 200000) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 0, 4)) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 4, 0), cudaArrayLayered) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 4, 4), cudaArrayTextureGather) == cudaErrorInvalidValue);
    CHECK(cudaMallocMipmappedArray(&no_levels, &f, make_cudaExtent(4, 3, 6), 2, cudaArrayCubemap) == cudaErrorInvalidValue);
    CHECK(cudaMallocArray(&none, &f, 4, 4, cudaArraySparse) == cudaErrorNotSupported);
    cudaArrayMemoryRequirements needs;
    CHECK(cudaArrayGetMemoryRequirements(&needs, a, 0) == cudaErrorInvalidValue);  // it has its memory
    CHECK(cudaArrayGetPlane(&none, a, 0) == cudaErrorInvalidValue);                // it has one plane
    // A surface is of an array that was made for it.
    OK(cudaMallocArray(&none, &f, 4, 4));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = none;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r) == cudaErrorInvalidValue);
    cudaResourceDesc same;
    CHECK(cudaGetSurfaceObjectResourceDesc(&same, both[0]) == cudaErrorInvalidValue);
    OK(cudaGetTextureObjectResourceDesc(&same, both[0]));
    CHECK(same.res.array.array == lines);
    cudaTextureDesc how;
    OK(cudaGetTextureObjectTextureDesc(&how, both[0]));
    cudaResourceViewDesc view;
    CHECK(cudaGetTextureObjectResourceViewDesc(&view, both[0]) == cudaErrorInvalidValue);
    OK(cudaDestroyTextureObject(both[0]));
    CHECK(cudaDestroyTextureObject(both[0]) == cudaErrorInvalidValue);
    cudaGetLastError();
    trap<<<1, 32>>>(surface_of(line));
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    std::puts("passed");
}
