// Kernels as texts on CUDA print them, which no ladder has in this form; kernels.toml launches them.
#define KERNEL extern "C" __global__ void
constexpr int kBlock = 256;

// Sums by the remainder, the tree with strided threads, and by halves: in int and as texts of unsigned counters have it.
KERNEL sum_remainder(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    data[tid] = in[i];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}
KERNEL sum_remainder_unsigned(float* in, float* out) {
    __shared__ float data[kBlock];
    unsigned t = threadIdx.x;
    data[t] = in[blockIdx.x * kBlock + t];
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) data[t] += data[t + stride];
    }
    if (t == 0) out[blockIdx.x] = data[0];
}
KERNEL sum_strided(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    data[tid] = in[i];
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x) data[index] += data[index + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}
KERNEL sum_halves(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    data[tid] = in[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}
KERNEL sum_first_add(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    data[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = data[0];
}
__device__ void last_warp(volatile int* data, int tid) {
    for (int s = 32; s > 0; s /= 2) data[tid] += data[tid + s];
}
KERNEL sum_last_warp(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    data[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) data[tid] += data[tid + s];
        __syncthreads();
    }
    if (tid < 32) last_warp(data, tid);
    if (tid == 0) out[blockIdx.x] = data[0];
}
KERNEL sum_unrolled(int* in, int* out) {
    __shared__ int data[kBlock];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    data[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    if (kBlock >= 256 && tid < 128) data[tid] += data[tid + 128];
    __syncthreads();
    if (kBlock >= 128 && tid < 64) data[tid] += data[tid + 64];
    __syncthreads();
    if (tid < 32) last_warp(data, tid);
    if (tid == 0) out[blockIdx.x] = data[0];
}

// What a compiler may take away: a quotient by a loop's variable, a series, a branch by parity, a choice of two.
KERNEL quotients(int* out, int n) {
    int x = 0;
    for (int s = 1; s < n; s *= 2) x += (int)threadIdx.x / s;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
KERNEL series(int* out, int n) {
    int t = threadIdx.x, x = 0;
    for (int k = 0; k < n; k++) x += k * t;
    out[blockIdx.x * blockDim.x + t] = x;
}
KERNEL parity(double* y1, double* y2, double x, double d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0)
        y1[i] = x / d;
    else
        y2[i] = 1.0;
}
KERNEL distance(float* out, const float* a, const float* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (a[i] > b[i])
        out[i] = a[i] - b[i];
    else
        out[i] = b[i] - a[i];
}
KERNEL ways(int* out, const int* a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v;
    switch (a[i] & 3) {
        case 0: v = 13; break;
        case 1: v = 5; break;
        case 2: v = a[i] / 3; break;
        case 3: v = a[i] * a[i]; break;
    }
    out[i] = v;
}
KERNEL powers(float* out, const float* a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = powf(a[i], 2.0f) + powf(a[i], 0.5f);
}
KERNEL lane_loops(float* a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = threadIdx.x % 32 * 16;
    float x = a[i];
    for (int k = 0; k < n; k++) x = x * 1.01f + 0.5f;
    a[i] = x;
}
KERNEL in_memory(float* out, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0;
    for (int k = 0; k < n; k++) out[i] += a[k];
}

// Memory: structures, neighbours, rows.
struct Particle {
    float x, y, z, vx, vy, vz, m, q;
};
KERNEL structures(Particle* p, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}
KERNEL neighbours(float* out, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 1 && i < n - 2) out[i] = a[i - 2] + a[i - 1] + a[i] + a[i + 1] + a[i + 2];
}
KERNEL rows(float* out, const float* a, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < width; k++) s += a[i * width + k];
    out[i] = s;
}

// Products as printed.
KERNEL product(float* M, float* N, float* P, int width) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if ((row < width) && (column < width)) {
        float sum = 0.0;
        for (int k = 0; k < width; ++k) sum += M[row * width + k] * N[k * width + column];
        P[row * width + column] = sum;
    }
}
KERNEL product_tiles(float* M, float* N, float* P, int width) {
    __shared__ float tm[16][16], tn[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int m = 0; m < width / 16; ++m) {
        tm[ty][tx] = M[row * width + (m * 16 + tx)];
        tn[ty][tx] = N[(m * 16 + ty) * width + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += tm[ty][k] * tn[k][tx];
        __syncthreads();
    }
    P[row * width + column] = sum;
}
