// One reserved range of addresses into which memory of two devices is mapped (cuMemMap): whose memory an address is, who has
// access to which part, and what an unmapped part becomes. It needs two devices.
#include <cuda.h>

#include <cstdlib>

#include "check.h"

#define DRIVER(call) CHECK((call) == CUDA_SUCCESS)

__global__ void set(int* to, int value) { to[threadIdx.x + blockIdx.x * blockDim.x] = value; }
__global__ void sum_of_both(int* to, const int* a, const int* b) { to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

static CUmemAllocationProp on(int device) {
    CUmemAllocationProp p{};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = device;
    return p;
}
static CUmemAccessDesc access_of(int device) {
    CUmemAccessDesc a{};
    a.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    a.location.id = device;
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return a;
}

int main() {
    CHECK(cudaSetDevice(1) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);
    OK(cudaSetDevice(0));
    OK(cudaFree(nullptr));
    size_t piece = 0;
    const CUmemAllocationProp first = on(0), second = on(1);
    DRIVER(cuMemGetAllocationGranularity(&piece, &first, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUdeviceptr range = 0;
    DRIVER(cuMemAddressReserve(&range, 3 * piece, 0, 0, 0));
    CUmemGenericAllocationHandle a, b;
    DRIVER(cuMemCreate(&a, piece, &first, 0));
    DRIVER(cuMemCreate(&b, piece, &second, 0));
    DRIVER(cuMemMap(range, piece, 0, a, 0));
    DRIVER(cuMemMap(range + piece, piece, 0, b, 0));
    const CUmemAccessDesc both[] = {access_of(0), access_of(1)};
    DRIVER(cuMemSetAccess(range, piece, both, 1));          // device 0's: for itself
    DRIVER(cuMemSetAccess(range + piece, piece, both, 2));  // device 1's: for both
    int *const of0 = reinterpret_cast<int*>(range), *const of1 = reinterpret_cast<int*>(range + piece);
    if (std::getenv("WITHOUT_ACCESS")) {
        OK(cudaSetDevice(1));
        set<<<1, 32>>>(of1, 2);
        OK(cudaDeviceSynchronize());
        set<<<1, 32>>>(of0, 1);  // device 0 has not opened it
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        std::printf("refused\n");
        return 0;
    }
    set<<<1, 32>>>(of0, 40);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    set<<<1, 32>>>(of1, 2);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(0));
    int* out;
    OK(cudaMalloc(&out, 32 * sizeof(int)));
    sum_of_both<<<1, 32>>>(out, of0, of1);  // reads its own part and, over the link, the other's
    int host[32];
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault));
    for (int x : host) CHECK(x == 42);
    // The parts change places: each is its own device's again.
    DRIVER(cuMemUnmap(range, 2 * piece));
    DRIVER(cuMemMap(range, piece, 0, b, 0));
    DRIVER(cuMemMap(range + 2 * piece, piece, 0, a, 0));
    DRIVER(cuMemSetAccess(range, piece, both + 1, 1));
    DRIVER(cuMemSetAccess(range + 2 * piece, piece, both, 1));
    OK(cudaSetDevice(1));
    set<<<1, 32>>>(of0, 7);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, of0 + 0, sizeof host, cudaMemcpyDefault));
    for (int x : host) CHECK(x == 7);
    OK(cudaMemcpy(host, reinterpret_cast<int*>(range + 2 * piece), sizeof host, cudaMemcpyDefault));
    for (int x : host) CHECK(x == 40);
    DRIVER(cuMemUnmap(range, piece));
    DRIVER(cuMemUnmap(range + 2 * piece, piece));
    DRIVER(cuMemRelease(a));
    DRIVER(cuMemRelease(b));
    DRIVER(cuMemAddressFree(range, 3 * piece));
    std::printf("passed\n");
}
