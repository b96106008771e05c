// A block tells another that its data is there, without a fence.
// check: --grid 2 --block 32 --arg i32[32]=zero --arg i32[1]=zero --arg i32[32]=zero
extern "C" __global__ void wrong(int* data, int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;  // FINDING race-global
        __syncthreads();
        if (t == 0) atomicExch(flag, 1);
    } else {
        if (t == 0)
            while (atomicAdd(flag, 0) == 0) {}
        __syncthreads();
        out[t] = data[t];  // FINDING race-global
    }
}
extern "C" __global__ void right(int* data, int* flag, int* out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
        __syncthreads();
        out[t] = data[t];
    }
}
