// Structures of 16 and 32 bytes copied whole, and shared memory declared as bytes and used by other types: the right values,
// however wide the accesses are.
#include "check.h"
struct __align__(16) record { int a; float b; double c; };
struct __align__(16) twice { record r[2]; };
__global__ void copies(float4* f, record* r, twice* t, int n) {
    const int i = threadIdx.x;
    f[n + i] = f[i];
    r[n + i] = r[i];
    t[n + i] = t[i];
}
__global__ void bytes(float4* f, double* d, char* c, int n, int by) {
    extern __shared__ char raw[];
    __shared__ char odd[3], fixed[2048];
    __shared__ unsigned short halves[1024];
    const int i = threadIdx.x;
    if (i < 3) odd[i] = (char)i;
    ((float4*)raw)[i] = f[i];
    ((double*)(raw + 16 * n))[i] = d[i];
    ((float4*)fixed)[i] = f[i];
    *(float4*)&halves[i * 8] = f[i];
    __syncthreads();
    f[n + i] = ((float4*)raw)[i ^ 1];
    f[2 * n + i] = ((float4*)fixed)[i ^ 2];
    f[3 * n + i] = *(float4*)&halves[(i ^ 4) * 8];
    d[n + i] = ((double*)(raw + 16 * n))[i ^ 1];
    __syncthreads();
    if (i == 0) {
        const float4 v = f[5];
        memcpy(fixed + by, &v, sizeof v);  // at an odd address
        memcpy(c, fixed + by, sizeof v);
        c[16] = odd[2];
    }
}
int main() {
    const int n = 64;
    float4* f; record* r; twice* t; double* d; char* c;
    OK(cudaMallocManaged(&f, 4 * n * sizeof *f)); OK(cudaMallocManaged(&r, 2 * n * sizeof *r)); OK(cudaMallocManaged(&t, 2 * n * sizeof *t));
    OK(cudaMallocManaged(&d, 2 * n * sizeof *d)); OK(cudaMallocManaged(&c, 32));
    for (int i = 0; i < n; ++i) {
        f[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
        r[i] = {i, i * 2.0f, i * 3.0};
        t[i].r[0] = r[i], t[i].r[1] = {-i, i * 4.0f, i * 5.0};
        d[i] = i / 3.0;
    }
    copies<<<1, n>>>(f, r, t, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i)
        CHECK(f[n + i].w == i + 0.75f && r[n + i].a == i && r[n + i].c == i * 3.0 && t[n + i].r[0].b == i * 2.0f && t[n + i].r[1].c == i * 5.0);
    bytes<<<1, n, 24 * n>>>(f, d, c, n, 37);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i)
        CHECK(f[n + i].x == (i ^ 1) && f[2 * n + i].y == (i ^ 2) + 0.25f && f[3 * n + i].z == (i ^ 4) + 0.5f && d[n + i] == (i ^ 1) / 3.0);
    CHECK(((float*)c)[1] == 5.25f && c[16] == 2);
    std::puts("passed");
}
