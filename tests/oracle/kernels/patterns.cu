// Small kernels, one access pattern each, whose counts are compared with a real GPU's. The .ptx files beside this one are
// what nvcc makes of it and of the ladders' kernels (tools/kernel_cases.py), so that both sides run the same PTX.

extern "C" __global__ void copy4(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void copy4_offset(const float* in, float* out, int n, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + offset] = in[i + offset];
}

extern "C" __global__ void copy16(const float4* in, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void copy1(const unsigned char* in, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

extern "C" __global__ void strided(const float* in, float* out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[static_cast<long long>(i) * stride];
}

extern "C" __global__ void gather(const int* index, const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i] & 4095];
}

extern "C" __global__ void transpose_naive(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) out[x * n + y + j] = in[(y + j) * n + x];
}

template <int PAD>
__device__ void transpose_tiled(const float* in, float* out, int n) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < n && y + j < n) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void transpose_shared(const float* in, float* out, int n) { transpose_tiled<0>(in, out, n); }
extern "C" __global__ void transpose_padded(const float* in, float* out, int n) { transpose_tiled<1>(in, out, n); }

extern "C" __global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

extern "C" __global__ void shared_max(const int* in, int* out, int n) {
    __shared__ int best[8];
    if (threadIdx.x < 8) best[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int old = 0;
    if (i < n) old = atomicMax(&best[in[i] & 7], in[i]);
    __syncthreads();
    out[i] = old + best[threadIdx.x & 7];
}

extern "C" __global__ void mandelbrot(unsigned* out, int width, int height, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cr = -2.0f + 3.0f * x / width, ci = -1.0f + 2.0f * y / height, zr = 0, zi = 0;
    int i = 0;
    while (i < most && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        ++i;
    }
    out[y * width + x] = i;
}

extern "C" __global__ void switch_by_lane(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    switch (v & 3) {
        case 0: for (int k = 0; k < 4; ++k) v = v * 3 + out[(v & 63) + k]; break;
        case 1: v = v ^ out[v & 127]; break;
        case 2: if (v & 4) v += out[5]; else v -= out[7]; break;
        default: break;
    }
    out[i + 256] = v;
}

extern "C" __global__ void local_array(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[16];
    for (int k = 0; k < 16; ++k) stack[(in[i] + k) & 15] = k * i;
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += stack[(in[i] * k) & 15] * k;
    out[i] = sum;
}

extern "C" __global__ void shared_vector(const float4* in, float4* out, int stride) {
    __shared__ float4 data[256];
    data[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = data[(threadIdx.x * stride) & 255];
}

extern "C" __global__ void shared_double(const double* in, double* out, int stride) {
    __shared__ double data[256];
    data[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = data[(threadIdx.x * stride) & 255];
}
