// Cube maps: faces and coordinates as the Programming Guide's table has them, layers, levels, filtering within faces and over their edges.
#include <cmath>
#include <cstdlib>
#include "check.h"
constexpr int N = 4;
__global__ void look(cudaTextureObject_t t, const float4* at, float* out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = texCubemap<float>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void look_level(cudaTextureObject_t t, float4 at, float* out) {
    out[0] = texCubemapLod<float>(t, at.x, at.y, at.z, at.w);
    float4 none = make_float4(0, 0, 0, 0), wide = make_float4(0, 1.0f, 0, 0);
    out[1] = texCubemapGrad<float>(t, at.x, at.y, at.z, none, wide);
}
__global__ void look_layer(cudaTextureObject_t t, float4 at, float* out) {
    out[0] = texCubemapLayered<float>(t, at.x, at.y, at.z, (int)at.w);
    out[1] = texCubemapLayeredLod<float>(t, at.x, at.y, at.z, (int)at.w, 1.0f);
    texCubemapLayeredGrad(out + 2, t, at.x, at.y, at.z, (int)at.w, make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0));
}
__global__ void paint(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    float v = surfCubemapread<float>(s, x * 4, y, face);
    surfCubemapwrite(v + 1000, s, x * 4, y, face);
}
float value(int face, int y, int x) { return face * 100 + y * 10 + x; }
// The table, line by line.
int face_of(double x, double y, double z, double& m, double& s, double& t) {
    double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    if (ax > ay && ax > az) return m = ax, t = -y, x >= 0 ? (s = -z, 0) : (s = z, 1);
    if (ay > ax && ay > az) return m = ay, s = x, y >= 0 ? (t = z, 2) : (t = -z, 3);
    return m = az, t = -y, z >= 0 ? (s = x, 4) : (s = -x, 5);
}
int inside(int i) { return i < 0 ? 0 : i >= N ? N - 1 : i; }
double expected(float4 d, bool linear) {
    double m, s, t;
    int f = face_of(d.x, d.y, d.z, m, s, t);
    double u = (s / m + 1) / 2 * N, v = (t / m + 1) / 2 * N;
    if (!linear) return value(f, inside((int)std::floor(v)), inside((int)std::floor(u)));
    u -= 0.5, v -= 0.5;
    int x = (int)std::floor(u), y = (int)std::floor(v);
    double a = std::floor((u - x) * 256 + 0.5) / 256, b = std::floor((v - y) * 256 + 0.5) / 256;
    return (1 - b) * ((1 - a) * value(f, inside(y), inside(x)) + a * value(f, inside(y), inside(x + 1))) +
           b * ((1 - a) * value(f, inside(y + 1), inside(x)) + a * value(f, inside(y + 1), inside(x + 1)));
}
void fill(cudaArray_t to, int size, int faces, float add) {
    float* data = new float[size * size * faces];
    for (int f = 0; f < faces; ++f)
        for (int i = 0; i < size * size; ++i) data[f * size * size + i] = value(f % 6, i / size, i % size) + (f / 6) * 10000 + add;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(data, size * 4, size, size), p.dstArray = to, p.extent = make_cudaExtent(size, size, faces), p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    delete[] data;
}
int main() {
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t cube;
    OK(cudaMalloc3DArray(&cube, &f, make_cudaExtent(N, N, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore));
    fill(cube, N, 6, 0);
    constexpr int many = 2000;
    float4 *at, *host = new float4[many];
    float *out, *got = new float[many];
    OK(cudaMalloc(&at, many * sizeof *at));
    OK(cudaMalloc(&out, many * sizeof *out));
    std::srand(3);
    auto draw = [] { return std::rand() / (float)RAND_MAX * 2 - 1; };
    for (int i = 0; i < many; ++i) host[i] = make_float4(draw(), draw(), draw(), 0);
    OK(cudaMemcpy(at, host, many * sizeof *at, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray, r.res.array.array = cube;
    cudaTextureDesc d = {};
    for (auto& m : d.addressMode) m = cudaAddressModeClamp;
    d.normalizedCoords = 1;
    cudaTextureObject_t t;
    for (int linear = 0; linear < 2; ++linear) {
        d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        look<<<(many + 127) / 128, 128>>>(t, at, out, many);
        OK(cudaMemcpy(got, out, many * 4, cudaMemcpyDeviceToHost));
        int differ = 0;
        // A weight may be rounded the other way where the sum in the kernel ends just beside it: 1/256 of the difference of two rows.
        for (int i = 0; i < many; ++i) differ += !(std::fabs(got[i] - expected(host[i], linear)) <= (linear ? 0.05 : 0));
        CHECK(differ == 0);
        OK(cudaDestroyTextureObject(t));
    }
    // Over the edges: half of an element of either face, and the same from both sides.
    d.seamlessCubemap = 1;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    const float h = 0.25f;  // the middle of element 2 of 4
    const float4 edges[] = {{1, -h, -1, 0}, {-1, -h, 1, 0}, {h, 1, -1, 0}, {h, -1, 1, 0}, {1, 1, h, 0}};
    OK(cudaMemcpy(at, edges, sizeof edges, cudaMemcpyHostToDevice));
    look<<<1, 32>>>(t, at, out, 5);
    OK(cudaMemcpy(got, out, sizeof edges / 4, cudaMemcpyDeviceToHost));
    CHECK(got[0] == (value(0, 2, 3) + value(5, 2, 0)) / 2);
    CHECK(got[1] == (value(1, 2, 3) + value(4, 2, 0)) / 2);
    CHECK(got[2] == (value(2, 0, 2) + value(5, 0, 1)) / 2);
    CHECK(got[3] == (value(3, 0, 2) + value(4, 3, 2)) / 2);
    CHECK(got[4] == (value(2, 2, 3) + value(0, 0, 1)) / 2);
    // At a corner three faces meet: each has a third. (The mean of three stands for the fourth.)
    const float4 corner[] = {{1, 1, 1, 0}};
    OK(cudaMemcpy(at, corner, sizeof corner, cudaMemcpyHostToDevice));
    look<<<1, 1>>>(t, at, out, 1);
    OK(cudaMemcpy(got, out, 4, cudaMemcpyDeviceToHost));
    CHECK(std::fabs(got[0] - (value(0, 0, 0) + value(2, 3, 3) + value(4, 0, 3)) / 3) < 1e-3f);
    OK(cudaDestroyTextureObject(t));
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    paint<<<6, dim3(N, N)>>>(s);
    OK(cudaDestroySurfaceObject(s));
    float back[6][N][N];
    cudaMemcpy3DParms p = {};
    p.srcArray = cube, p.dstPtr = make_cudaPitchedPtr(back, N * 4, N, N), p.extent = make_cudaExtent(N, N, 6), p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int i = 0; i < 6 * N * N; ++i) CHECK(back[i / N / N][i / N % N][i % N] == value(i / N / N, i / N % N, i % N) + 1000);

    // Three levels of two layers.
    cudaMipmappedArray_t levels;
    OK(cudaMallocMipmappedArray(&levels, &f, make_cudaExtent(N, N, 12), 9, cudaArrayCubemap | cudaArrayLayered));
    for (int l = 0; l < 3; ++l) {
        cudaArray_t level;
        cudaExtent e;
        OK(cudaGetMipmappedArrayLevel(&level, levels, l));
        OK(cudaArrayGetInfo(nullptr, &e, nullptr, level));
        CHECK(e.width == N >> l && e.height == N >> l && e.depth == 12);
        fill(level, N >> l, 12, l * 2000);
    }
    cudaArray_t none;
    CHECK(cudaGetMipmappedArrayLevel(&none, levels, 3) == cudaErrorInvalidValue);
    r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = levels;
    d.filterMode = cudaFilterModePoint, d.maxMipmapLevelClamp = 10;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    // -x, and on it the third of four columns, the first row.
    look_layer<<<1, 1>>>(t, make_float4(-1, 0.9f, 0.1f, 1), out);
    OK(cudaMemcpy(got, out, 12, cudaMemcpyDeviceToHost));
    CHECK(got[0] == value(1, 0, 2) + 10000 && got[1] == value(1, 0, 1) + 10000 + 2000 && got[2] == got[0]);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(levels));
    OK(cudaMallocMipmappedArray(&levels, &f, make_cudaExtent(N, N, 6), 3, cudaArrayCubemap));
    for (int l = 0; l < 3; ++l) {
        cudaArray_t level;
        OK(cudaGetMipmappedArrayLevel(&level, levels, l));
        fill(level, N >> l, 6, l * 2000);
    }
    r.res.mipmap.mipmap = levels;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    // The gradient: y changes by 1 where the face is 2 wide, so by half of its 4 elements: level 1.
    look_level<<<1, 1>>>(t, make_float4(1, 0.1f, 0.1f, 2), out);
    OK(cudaMemcpy(got, out, 8, cudaMemcpyDeviceToHost));
    CHECK(got[0] == value(0, 0, 0) + 4000 && got[1] == value(0, 0, 0) + 2000);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(levels));

    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap) == cudaErrorInvalidValue);
    CHECK(cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 4, 8), cudaArrayCubemap | cudaArrayLayered) == cudaErrorInvalidValue);
    OK(cudaFreeArray(cube));
    std::puts("passed");
}
