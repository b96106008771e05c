// With two_files_managed_other.cu, on two devices: a managed variable of the other file, which a kernel of this file
// uses first, on the second device. It is one variable for both devices, files and the host.
#include "check.h"

extern __managed__ int total;

__global__ void add(int n) { atomicAdd(&total, n); }
int add_in_the_other_file(int n);

int main() {
    OK(cudaSetDevice(1));
    add<<<1, 32>>>(1);
    OK(cudaDeviceSynchronize());
    CHECK(add_in_the_other_file(0) == 7 + 32);
    OK(cudaSetDevice(0));
    add<<<1, 32>>>(10);
    OK(cudaDeviceSynchronize());
    CHECK(add_in_the_other_file(0) == 7 + 32 + 320);
    CHECK(add_in_the_other_file(100) == 7 + 32 + 320 + 100);
    OK(cudaSetDevice(1));
    CHECK(add_in_the_other_file(1000) == 7 + 32 + 320 + 100 + 1000);
    // The host's code reaches it too.
    CHECK(total == 7 + 32 + 320 + 100 + 1000);
    total = 5;
    add<<<1, 32>>>(1);
    OK(cudaDeviceSynchronize());
    CHECK(total == 5 + 32 && add_in_the_other_file(0) == 5 + 32);
    std::printf("passed\n");
}
