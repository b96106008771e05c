// Two blocks wait for each other's flag, and each would set its own only afterwards.
// check: --grid 2 --block 32 --arg i32[2]=zero --arg i32[2]=zero
extern "C" __global__ void wrong(int* flags, int* out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (atomicAdd(&flags[1 - b], 0) == 0) {}  // FINDING deadlock
        atomicExch(&flags[b], 1);
        out[b] = 1;
    }
}
extern "C" __global__ void right(int* flags, int* out) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        atomicExch(&flags[b], 1);
        while (atomicAdd(&flags[1 - b], 0) == 0) {}
        out[b] = 1;
    }
}
