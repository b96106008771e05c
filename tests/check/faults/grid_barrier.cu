// All blocks exchange values between two phases. Wrong: each block waits for itself only.
// check: --grid 6 --block 64 --cooperative --arg i32[384]=iota --arg i32[384]=zero
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void wrong(int* a, int* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] += 1;  // FINDING race-global
    cg::this_thread_block().sync();
    b[i] = a[(i + 64) % n];  // FINDING race-global
}
extern "C" __global__ void right(int* a, int* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] += 1;
    cg::this_grid().sync();
    b[i] = a[(i + 64) % n];
    cg::this_grid().sync();
    a[i] = b[(i + 128) % n];
}
