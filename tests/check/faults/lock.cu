// A lock that is handed on without a fence, and one that is done right.
// check: --grid 4 --block 32 --arg i32[1]=zero --arg i32[1]=zero
extern "C" __global__ void wrong(int* lock, int* sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        *sum += 1;  // FINDING race-global
        atomicExch(lock, 0);
    }
}
extern "C" __global__ void right(int* lock, int* sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
