// Launches that the device refuses: the program reads the codes, which do not say why.
#include <cstdio>

const int N = 2048;
__device__ float row[N];

__global__ void take_row() { row[threadIdx.x] = 1; }
__global__ void take_shared() {
    extern __shared__ float all[];
    all[threadIdx.x] = 1;
    row[threadIdx.x] = all[threadIdx.x];
}

int main() {
    take_row<<<dim3(N), dim3(N)>>>();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    take_shared<<<1, 32, 100 * 1024>>>();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
