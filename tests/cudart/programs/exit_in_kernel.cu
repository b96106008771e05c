#include <cstdlib>
__global__ void forever(volatile int* p) { while (*p == 0) {} }
int main() {
    int* p;
    cudaMallocManaged(&p, 4);
    *p = 0;
    forever<<<4, 64>>>(p);
    std::exit(7);
}
