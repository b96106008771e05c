// What the kernels of this folder share: buffers filled with repeatable values, and the check of CUDA calls.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                                    \
    do {                                                                                                    \
        const cudaError_t error_ = (call);                                                                  \
        if (error_ != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            std::exit(1);                                                                                   \
        }                                                                                                   \
    } while (0)

inline std::uint32_t next_random(std::uint32_t& state) {
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/// A buffer of `count` elements on the device, each made by `make(index, random)`.
template <class T, class Make>
T* filled(std::size_t count, const Make& make) {
    std::vector<T> host(count);
    std::uint32_t state = 2463534242u;
    for (std::size_t i = 0; i < count; ++i) host[i] = make(i, next_random(state));
    T* device = nullptr;
    CUDA_CHECK(cudaMalloc(&device, count * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

inline float* floats(std::size_t count) {
    return filled<float>(count,
                         [](std::size_t, std::uint32_t r) { return static_cast<float>(r % 1000) * 0.001f + 0.5f; });
}

inline void finish() {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}
