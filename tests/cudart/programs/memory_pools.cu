// Pools of the device's, the host's and managed memory: what they give, what they count, and what is refused.
#include "check.h"
__global__ void fill(int* p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = i * i;
}
cudaMemPool_t make(cudaMemAllocationType type, cudaMemLocationType place) {
    cudaMemPoolProps p = {};
    p.allocType = type;
    p.location.type = place;
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &p));
    return pool;
}
unsigned long long used(cudaMemPool_t pool, cudaMemPoolAttr attribute = cudaMemPoolAttrUsedMemCurrent) {
    unsigned long long bytes = 0;
    OK(cudaMemPoolGetAttribute(pool, attribute, &bytes));
    return bytes;
}
/// Memory that a kernel writes and, of host pools, the host reads in place.
void use(cudaMemPool_t pool, cudaMemoryType expected, bool by_host) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *p, *q;
    OK(cudaMallocFromPoolAsync(&p, 400, pool, stream));
    OK(cudaMallocFromPoolAsync(&q, 800, pool, stream));
    CHECK(used(pool) == 1200);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == expected);
    fill<<<1, 32, 0, stream>>>(p, 100);
    OK(cudaStreamSynchronize(stream));
    int last = 0;
    if (by_host) last = p[99];
    else OK(cudaMemcpy(&last, p + 99, 4, cudaMemcpyDeviceToHost));
    CHECK(last == 9801);
    OK(cudaFreeAsync(p, stream));
    OK(expected == cudaMemoryTypeHost ? cudaFreeHost(q) : cudaFree(q));
    CHECK(used(pool) == 0);
    CHECK(used(pool, cudaMemPoolAttrUsedMemHigh) == 1200);
    unsigned long long zero = 0;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CHECK(used(pool, cudaMemPoolAttrUsedMemHigh) == 0);
    // A pool may go before its memory does.
    OK(cudaMallocFromPoolAsync(&p, 400, pool, stream));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaFreeAsync(p, stream));
    OK(cudaStreamDestroy(stream));
}
int main() {
    use(make(cudaMemAllocationTypePinned, cudaMemLocationTypeDevice), cudaMemoryTypeDevice, false);
    use(make(cudaMemAllocationTypePinned, cudaMemLocationTypeHost), cudaMemoryTypeHost, true);
    use(make(cudaMemAllocationTypePinned, cudaMemLocationTypeHostNuma), cudaMemoryTypeHost, true);
    use(make(cudaMemAllocationTypeManaged, cudaMemLocationTypeDevice), cudaMemoryTypeManaged, true);

    // A chosen pool is the one from which the device's allocations come.
    auto pool = make(cudaMemAllocationTypePinned, cudaMemLocationTypeDevice);
    OK(cudaDeviceSetMemPool(0, pool));
    int* p;
    OK(cudaMallocAsync(&p, 256, nullptr));
    CHECK(used(pool) == 256);
    OK(cudaFreeAsync(p, nullptr));
    cudaMemPool_t now, usual;
    OK(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == pool);
    OK(cudaMemPoolDestroy(pool));
    OK(cudaDeviceGetMemPool(&now, 0));
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    CHECK(now == usual);
    CHECK(cudaMemPoolDestroy(usual) == cudaErrorInvalidValue);

    // The host has a default pool too.
    cudaMemLocation host = {};
    host.type = cudaMemLocationTypeHost;
    OK(cudaMemGetDefaultMemPool(&now, &host, cudaMemAllocationTypePinned));
    CHECK(now != usual);
    CHECK(cudaDeviceSetMemPool(0, now) == cudaErrorInvalidValue);
    OK(cudaMallocFromPoolAsync(&p, 64, now, nullptr));
    p[15] = 3;
    OK(cudaFreeAsync(p, nullptr));

    cudaMemPoolProps wrong = {};
    CHECK(cudaMemPoolCreate(&now, &wrong) == cudaErrorInvalidValue);
    wrong.allocType = cudaMemAllocationTypePinned;
    wrong.location.type = cudaMemLocationTypeDevice;
    wrong.location.id = 7;
    CHECK(cudaMemPoolCreate(&now, &wrong) == cudaErrorInvalidDevice);
    wrong.location.id = 0;
    wrong.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK(cudaMemPoolCreate(&now, &wrong) == cudaErrorNotSupported);
    // Only memory of a pool, or of the device, can be freed in a stream's order.
    int* pinned;
    OK(cudaMallocHost(&pinned, 64));
    CHECK(cudaFreeAsync(pinned, nullptr) == cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
    std::puts("passed");
}
