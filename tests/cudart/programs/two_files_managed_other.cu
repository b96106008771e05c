// The other half of two_files_managed.cu.
#include "check.h"

__managed__ int total = 7;

__global__ void add_here(int n) { total += n; }

int add_in_the_other_file(int n) {
    add_here<<<1, 1>>>(n);
    OK(cudaDeviceSynchronize());
    return total;
}
