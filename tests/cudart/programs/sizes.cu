// Sizes that no memory has: each call answers with an error, and touches nothing.
#include "check.h"
#define BAD(call)                                                                                \
    do {                                                                                         \
        const cudaError_t code = (call);                                                         \
        CHECK(code == cudaErrorInvalidValue || code == cudaErrorInvalidPitchValue);              \
        cudaGetLastError();                                                                      \
    } while (0)
int main() {
    const size_t bytes = 1 << 20, top = size_t{1} << 63, all = ~size_t{0};
    char *p, *h = (char*)std::calloc(1 << 16, 1);
    OK(cudaMalloc(&p, bytes));
    OK(cudaMemset(p, 0, bytes));
    BAD(cudaMemset(p, 1, all));
    BAD(cudaMemset(p, 1, bytes + 1));
    BAD(cudaMemset(p, 1, size_t{0} - bytes));
    BAD(cudaMemset2D(p + 4096, all, 1, 1, 2));
    BAD(cudaMemset2D(p, top, 1, 1, 3));
    BAD(cudaMemset2D(p, size_t{1} << 32, 1, 1, size_t{1} << 40));
    BAD(cudaMemset2D(p, 16, 1, 16, all));
    BAD(cudaMemset2D(p, 0, 1, 1, size_t{1} << 62));
    BAD(cudaMemset3D(make_cudaPitchedPtr(p, 0, 1, 1), 1, make_cudaExtent(1, 1, size_t{1} << 40)));
    BAD(cudaMemset3D(make_cudaPitchedPtr(p, 0, 1, 1), 1, make_cudaExtent(1, 1, 2)));
    BAD(cudaMemset3D(make_cudaPitchedPtr(p, 16, 1, 2), 1, make_cudaExtent(1, 4, 2)));
    BAD(cudaMemset3D(make_cudaPitchedPtr(p, 16, 1, size_t{1} << 61), 1, make_cudaExtent(1, 4, 9)));
    BAD(cudaMemcpy(p, h, all, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy(p + bytes - 4, h, 16, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy2D(p, top, h, 16, 16, 3, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy2D(p, 16, h, top, 16, 3, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy2D(p, 16, h, 16, 16, size_t{1} << 60, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy2D(p, 16, h, 16, 32, 4, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms q = {};
    q.srcPtr = make_cudaPitchedPtr(h, 16, 16, 16);
    q.extent = make_cudaExtent(16, 4, 4);
    q.kind = cudaMemcpyHostToDevice;
    q.dstPtr = make_cudaPitchedPtr(p, size_t{1} << 62, 16, 4);
    BAD(cudaMemcpy3D(&q));
    q.dstPtr = make_cudaPitchedPtr(p, 16, 16, 4);
    q.dstPos = make_cudaPos(all - 15, 0, 0);
    BAD(cudaMemcpy3D(&q));
    q.dstPos = make_cudaPos(0, top, 2);
    BAD(cudaMemcpy3D(&q));
    q.dstPos = make_cudaPos(0, 0, 0);
    OK(cudaMemcpy3D(&q));
    q.dstPtr.ysize = 2;
    BAD(cudaMemcpy3D(&q));
    cudaArray_t array;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &f, 16, 16));
    BAD(cudaMemcpy2DToArray(array, all - 3, 0, h, 64, 8, 1, cudaMemcpyHostToDevice));
    BAD(cudaMemcpy2DToArray(array, 0, all, h, 64, 64, 2, cudaMemcpyHostToDevice));
    BAD(cudaMemcpyToArray(array, all - 3, 0, h, 8, cudaMemcpyHostToDevice));
    BAD(cudaMemcpyToArray(array, 0, size_t{1} << 58, h, 8, cudaMemcpyHostToDevice));
    q = {};
    q.srcPtr = make_cudaPitchedPtr(h, 64, 64, 16);
    q.dstArray = array;
    q.extent = make_cudaExtent(8, 4, 1);
    q.dstPos = make_cudaPos(all - 3, 0, 0);
    q.kind = cudaMemcpyHostToDevice;
    BAD(cudaMemcpy3D(&q));
    q.dstPos = make_cudaPos(0, all - 1, 0);
    BAD(cudaMemcpy3D(&q));
    size_t pitch;
    void* none;
    CHECK(cudaMallocPitch(&none, &pitch, all, all) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocPitch(&none, &pitch, size_t{1} << 33, size_t{1} << 33) == cudaErrorMemoryAllocation);
    cudaPitchedPtr pitched;
    CHECK(cudaMalloc3D(&pitched, make_cudaExtent(size_t{1} << 32, size_t{1} << 32, 1)) == cudaErrorMemoryAllocation);
    BAD(cudaHostRegister(h, all, 0));
    BAD(cudaHostRegister((void*)16, 4096, 0));
    cudaGetLastError();
    for (size_t k = 0; k < 256; ++k) CHECK(h[k] == 0);
    OK(cudaDeviceSynchronize());
    std::puts("passed");
}
