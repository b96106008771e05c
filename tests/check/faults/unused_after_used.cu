// A thread reads an element, and then the vector that holds it, of which it uses the other three: what it does not use does not
// take the place of what it has used, and the store of another warp meets the first read.
// check: --grid 1 --block 128 --arg f32[128]=zero --arg f32[256]=zero
static __device__ float three_of(const float* p) {
    float x, y, z, w;
    asm volatile("ld.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p) : "memory");
    return x + y + z;
}
template <bool kRight>
static __device__ void use(float* points, float* out) {
    const int warp = threadIdx.x / 32, t = threadIdx.x % 32;
    if (warp == 0) out[32 * warp + t] = points[4 * t + 3];  // FINDING race-global race-shared
    if (warp == 0) out[32 * warp + t] += three_of(points + 4 * t);
    if (kRight) __syncthreads();
    if (warp == 3) points[4 * t + 3] = t;  // FINDING race-global race-shared
}
template <bool kRight>
static __device__ void both(float* points, float* out) {
    __shared__ __align__(16) float tile[128];
    tile[threadIdx.x] = 0;
    __syncthreads();
    use<kRight>(points, out);
    use<kRight>(tile, out + 128);
}
extern "C" __global__ void wrong(float* points, float* out) { both<false>(points, out); }
extern "C" __global__ void right(float* points, float* out) { both<true>(points, out); }
