// PTX: bar.sync  ld.shared.f32|ld.shared.u32  st.shared.u32|st.shared.f32  ld.global.nc
template <int TILE, class T>
__global__ void __launch_bounds__(TILE * TILE) transpose(const T* __restrict__ a, T* b, int n) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < n && y < n) b[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void transpose<16, float>(const float*, float*, int);
template __global__ void transpose<8, double>(const double*, double*, int);
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    extern __shared__ unsigned buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) buffer[threadIdx.x] += buffer[threadIdx.x + s];
        __syncthreads();
    }
    int many = __syncthreads_count(threadIdx.x % 3 == 0), all = __syncthreads_and(1), any = __syncthreads_or(threadIdx.x == 5);
    if (i < n) out[i] = buffer[0] + many + all * 1000 + (any != 0);
}
