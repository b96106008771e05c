// Compilers load all four elements of a vector though a kernel uses three: while another thread writes the fourth,
// nothing depends on it. In `wrong` the fourth is used.
// check: --grid 1 --block 64 --arg f32[256]=zero --arg f32[64]=zero
static __device__ float sum_of(const float* p, bool all) {
    float x, y, z, w;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p) : "memory");  // FINDING race-global
    return all ? x + y + z + w : x + y + z;
}
extern "C" __global__ void wrong(float* points, float* out) {
    const int t = threadIdx.x;
    if (t < 32) out[t] = sum_of(points + 4 * t, true);
    else points[4 * (t - 32) + 3] = t;  // FINDING race-global
}
extern "C" __global__ void right(float* points, float* out) {
    const int t = threadIdx.x;
    if (t < 32) out[t] = sum_of(points + 4 * t, false);
    else points[4 * (t - 32) + 3] = t;
}
