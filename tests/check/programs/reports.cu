// Public reports of races, told again in small from what their issues say: HeCBench, XGBoost, cuDF, Kokkos, cuDNN frontend, colibri,
// Numba, nvFuser, cuCollections, Triton, PyTorch, CuPy, VOTCA. Each has its repaired twin.
#include <cstdio>
#ifdef RIGHT
#define FIX(...) __VA_ARGS__
#define BUG(...)
#else
#define FIX(...)
#define BUG(...) __VA_ARGS__
#endif
// HeCBench 254: one thread writes two sums, all read without a barrier
__global__ void marching(int* out) {
    __shared__ unsigned sums[32];
    if (threadIdx.x < 32) sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) sums[31] = sums[0] + sums[30];  // FINDING race-lanes race-shared
    FIX(__syncthreads();)
    out[blockIdx.x * blockDim.x + threadIdx.x] = sums[31];  // FINDING race-lanes race-shared
}
// HeCBench 253: tile loop without trailing barrier
__global__ void surfel(const float* in, float* out, int n) {
    __shared__ float tile[64];
    float s = 0;
    for (int t = 0; t < n; t += 64) {
        tile[threadIdx.x] = in[t + threadIdx.x];  // FINDING race-lanes race-shared
        __syncthreads();
        for (int k = 0; k < 64; ++k) s += tile[k];  // FINDING race-lanes race-shared
        FIX(__syncthreads();)
    }
    out[blockIdx.x * 64 + threadIdx.x] = s;
}
// HeCBench 255: in-place Hillis-Steele with one barrier
__global__ void two_way(int* out) {
    __shared__ int a[128];
    const int t = threadIdx.x;
    a[t] = t;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? a[t - d] : 0;  // FINDING race-lanes race-shared
        FIX(__syncthreads();)
        a[t] += v;  // FINDING race-lanes race-shared
        __syncthreads();
    }
    out[t] = a[t];
}
// xgboost 3293 / cudf 24249: collective scratch reused in a loop
__device__ int block_sum(int v, int* scratch) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;  // FINDING race-lanes race-shared
    __syncthreads();
    int s = 0;
    for (int k = 0; k < 4; ++k) s += scratch[k];  // FINDING race-lanes race-shared
    return s;
}
__global__ void reused_scratch(int* out) {
    __shared__ int scratch[4];
    int s = 0;
    for (int k = 0; k < 3; ++k) { s += block_sum(k + threadIdx.x, scratch); FIX(__syncthreads();) }
    out[threadIdx.x] = s;
}
// kokkos 2681: last-block scan without __threadfence
__device__ unsigned arrived;
__global__ void last_block(int* part, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;  // FINDING race-global
        FIX(__threadfence();)
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
        FIX(__threadfence();)
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int s = 0;
        for (int k = 0; k < gridDim.x; ++k) s += part[k];  // FINDING race-global
        *out = s, arrived = 0;
    }
}
// cudnn-frontend 426: all lanes store, one lane arrives on the mbarrier
__global__ void one_lane_arrives(int* out) {
    __shared__ __align__(8) unsigned long long full;
    __shared__ int box[32];
    const unsigned a = (unsigned)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(a) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        box[threadIdx.x] = threadIdx.x;  // FINDING race-shared
        FIX(__syncwarp();)
        if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(a) : "memory");
    } else {
        for (unsigned over = 0; !over;)
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(over) : "r"(a) : "memory");
        out[threadIdx.x - 32] = box[threadIdx.x - 32];  // FINDING race-shared
    }
}
// colibri 1099: lanes read what other lanes stored, no __syncwarp
__global__ void lanes_tile(int* out) {
    __shared__ int tile[4][32];
    const int w = threadIdx.x / 32, l = threadIdx.x % 32;
    tile[w][l] = l;  // FINDING race-lanes
    FIX(__syncwarp();)
    out[threadIdx.x] = tile[w][31 - l];  // FINDING race-lanes
}
// numba 4907: shared counter added to without an atomic
__global__ void counter(int* out) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    BUG(n += threadIdx.x + 1;) FIX(atomicAdd(&n, threadIdx.x + 1);)  // FINDING race-lanes race-shared
    __syncthreads();
    if (threadIdx.x == 0) *out = n;
}
// numba 7502: checkerboard step with __syncthreads across blocks
__global__ void checker(int* a, int n, int parity, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; ++s) {
        const int p = BUG((s & 1)) FIX(parity);
        if (i > 0 && i < n - 1 && (i & 1) == p) { if (a[i] < a[i + 1]) a[i] = a[i + 1]; }  // FINDING race-global race-streams
        __syncthreads();
        FIX(break;)
    }
}
// Fuser 678: idle threads reset the accumulator before it is read
__global__ void idling(int* out) {
    __shared__ int acc;
    if (threadIdx.x == 0) acc = 0;
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
        if (threadIdx.x < 32) atomicAdd(&acc, 1);
        __syncthreads();
        if (threadIdx.x == 0) out[k] = acc;  // FINDING race-shared
        FIX(__syncthreads();)
        if (threadIdx.x == 96) acc = 0;  // FINDING race-shared
        __syncthreads();
    }
}
// cuCollections 337: per-tile counter reset, no barrier before others add
__global__ void cg_counter(int* out) {
    __shared__ int count[4];
    const int w = threadIdx.x / 32;
    for (int k = 0; k < 2; ++k) {
        if (threadIdx.x % 32 == 0) count[w] = 0;  // FINDING race-lanes
        FIX(__syncwarp();)
        if (threadIdx.x % 32 == 5) { count[w] += 1; }  // FINDING race-lanes
        __syncwarp();
        if (threadIdx.x % 32 == 0) out[w] = count[w];
        __syncwarp();
    }
}
// triton 10924: a thread reads back from global memory what another thread wrote
__global__ void read_back(float* buffer, float* out) {
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) buffer[t * 4 + k] = k;  // FINDING race-global race-lanes
    FIX(__syncthreads();)
    for (int k = 0; k < 4; ++k) out[k * 128 + t] = buffer[k * 128 + t];  // FINDING race-global race-lanes
}
// triton 1452 like: a lock kept as plain flag for the waiting block
__global__ void flag_wait(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) { if (threadIdx.x == 0) { *data = 7; FIX(__threadfence();) *flag = 1; } }  // FINDING race-global
    else if (threadIdx.x == 0) { while (*flag == 0) {} FIX(__threadfence();) *out = *data; }  // FINDING race-global
}
#define GO(...) do { __VA_ARGS__; cudaDeviceSynchronize(); } while (0)
int main() {
    int *out, *part; float *in, *f;
    cudaMalloc(&out, 4096), cudaMalloc(&part, 4096), cudaMalloc(&in, 4096), cudaMalloc(&f, 4096);
    for (int i = 0; i < 1024; ++i) { int v = i; cudaMemcpy(part + i, &v, 4, cudaMemcpyHostToDevice); }
    cudaMemset(in, 0, 4096), cudaMemset(out, 0, 4096);
    GO((marching<<<2, 128>>>(out)));
    GO((surfel<<<2, 64>>>(in, f, 256)));
    GO((two_way<<<1, 128>>>(out)));
    GO((reused_scratch<<<1, 128>>>(out)));
    GO((last_block<<<8, 64>>>(part, out)));
    GO((one_lane_arrives<<<1, 64>>>(out)));
    GO((lanes_tile<<<1, 128>>>(out)));
    GO((counter<<<1, 64>>>(out)));
#ifdef RIGHT
    for (int s = 0; s < 4; ++s) GO((checker<<<4, 64>>>(part, 256, s & 1, 4)));
#else
    GO((checker<<<4, 64>>>(part, 256, 0, 4)));
#endif
    GO((idling<<<1, 128>>>(out)));
    GO((cg_counter<<<1, 128>>>(out)));
    GO((read_back<<<1, 128>>>(f, in)));
    cudaMemset(part, 0, 4096);
    GO((flag_wait<<<2, 32>>>(part, part + 1, out)));
    // ROCm/pytorch 3194: a consumer in the default stream reads before an asynchronous copy in another is done
    cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    int* pinned; cudaMallocHost(&pinned, 4096); for (int i = 0; i < 1024; ++i) pinned[i] = i;
    cudaMemcpyAsync(part, pinned, 4096, cudaMemcpyHostToDevice, s);  // FINDING race-streams
    FIX(cudaStreamSynchronize(s);)
    GO((checker<<<4, 64>>>(part, 256, 0, 1)));
    // cupy 5155: the source is overwritten by the host while the copy may run
    cudaMemcpyAsync(part, pinned, 4096, cudaMemcpyHostToDevice, s);  // FINDING race-host
    FIX(cudaStreamSynchronize(s);)
    pinned[5] = 1;
    cudaStreamSynchronize(s);
    // votca 391: the host reads the result of an asynchronous copy
    cudaMemcpyAsync(pinned, part, 4096, cudaMemcpyDeviceToHost, s);  // FINDING race-host
    FIX(cudaStreamSynchronize(s);)
    int x = pinned[7];  // FINDING race-host
    cudaDeviceSynchronize();
    std::printf("%s %d\n", cudaGetErrorString(cudaGetLastError()), x);
    cudaStreamDestroy(s), cudaFreeHost(pinned);
    cudaFree(out), cudaFree(part), cudaFree(in), cudaFree(f);
}
