// Textures over linear memory and arrays: nearest and linear filtering, address modes, formats; surfaces.
#include <cmath>
#include "check.h"
__global__ void fetch(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x - 1); }
__global__ void at(cudaTextureObject_t t, float x, float y, float* out) { *out = tex2D<float>(t, x, y); }
__global__ void at4(cudaTextureObject_t t, float x, float y, float4* out) { *out = tex2D<float4>(t, x, y); }
__global__ void at3(cudaTextureObject_t t, float x, float y, float z, float* out) { *out = tex3D<float>(t, x, y, z); }
__global__ void invert(cudaSurfaceObject_t s, int w, int h) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= w || y >= h) return;
    float v;
    surf2Dread(&v, s, x * (int)sizeof(float), y);
    surf2Dwrite(-v, s, x * (int)sizeof(float), y);
}
float* out;
float look(cudaTextureObject_t t, float x, float y) {
    float v;
    at<<<1, 1>>>(t, x, y, out);
    OK(cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost));
    return v;
}
int main() {
    OK(cudaMalloc(&out, 64));
    float line[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *memory, got[10];
    OK(cudaMalloc(&memory, sizeof line));
    OK(cudaMemcpy(memory, line, sizeof line, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory, r.res.linear.desc = cudaCreateChannelDesc<float>(), r.res.linear.sizeInBytes = sizeof line;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    fetch<<<1, 10>>>(t, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 10; ++i) CHECK(got[i] == (i >= 1 && i <= 8 ? i - 1 : 0));
    OK(cudaDestroyTextureObject(t));

    float image[3][4];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) image[y][x] = 10 * y + x;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &f, 4, 3, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(array, 0, 0, image, 16, 16, 3, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeArray, r.res.array.array = array;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CHECK(look(t, 2.9f, 1.1f) == 12 && look(t, -5, 99) == 20);
    OK(cudaDestroyTextureObject(t));
    d.filterMode = cudaFilterModeLinear;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CHECK(look(t, 2.5f, 1.5f) == 12 && look(t, 3.0f, 2.0f) == 17.5f && look(t, 0, 0) == 0);
    OK(cudaDestroyTextureObject(t));
    d.filterMode = cudaFilterModePoint, d.addressMode[0] = d.addressMode[1] = cudaAddressModeBorder;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CHECK(look(t, 4.5f, 1) == 0 && look(t, 3.5f, 2.5f) == 23);
    OK(cudaDestroyTextureObject(t));
    d.normalizedCoords = 1, d.addressMode[0] = cudaAddressModeWrap, d.addressMode[1] = cudaAddressModeMirror;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    CHECK(look(t, 1.125f, 0.1f) == 0 && look(t, -0.125f, -0.1f) == 3 && look(t, 0.3f, 1.1f) == 21);
    OK(cudaDestroyTextureObject(t));

    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    invert<<<1, dim3(4, 3)>>>(s, 4, 3);
    OK(cudaDestroySurfaceObject(s));
    float back[3][4];
    OK(cudaMemcpy2DFromArray(back, 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) CHECK(back[y][x] == -image[y][x]);

    // Bytes read as numbers from 0 to 1.
    uchar4 pixels[2] = {make_uchar4(0, 51, 102, 255), make_uchar4(255, 0, 0, 0)};
    f = cudaCreateChannelDesc<uchar4>();
    cudaArray_t bytes;
    OK(cudaMallocArray(&bytes, &f, 2, 1));
    OK(cudaMemcpy2DToArray(bytes, 0, 0, pixels, 8, 8, 1, cudaMemcpyHostToDevice));
    cudaTextureDesc n = {};
    n.readMode = cudaReadModeNormalizedFloat;
    r.res.array.array = bytes;
    OK(cudaCreateTextureObject(&t, &r, &n, nullptr));
    float4 v;
    at4<<<1, 1>>>(t, 0.5f, 0.5f, (float4*)out);
    OK(cudaMemcpy(&v, out, 16, cudaMemcpyDeviceToHost));
    CHECK(v.x == 0 && std::fabs(v.y - 0.2f) < 1e-6f && std::fabs(v.z - 0.4f) < 1e-6f && v.w == 1);

    float cube[2][2][2] = {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}};
    f = cudaCreateChannelDesc<float>();
    cudaArray_t volume;
    OK(cudaMalloc3DArray(&volume, &f, make_cudaExtent(2, 2, 2)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube, 8, 2, 2), p.dstArray = volume, p.extent = make_cudaExtent(2, 2, 2), p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    cudaTextureDesc l = {};
    l.filterMode = cudaFilterModeLinear;
    for (auto& m : l.addressMode) m = cudaAddressModeClamp;
    r.res.array.array = volume;
    OK(cudaCreateTextureObject(&t, &r, &l, nullptr));
    at3<<<1, 1>>>(t, 1, 1, 1, out);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 3.5f);
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(bytes));
    OK(cudaFreeArray(volume));
    std::puts("passed");
}
