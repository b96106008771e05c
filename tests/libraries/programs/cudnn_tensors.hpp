// Tensors of a program of cuDNN, with the values that they were made from, in double.
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "program_checks.hpp"

#define OK(call) SAME(call, CUDNN_STATUS_SUCCESS)

static cudnnHandle_t handle;

static void near(const char* what, const std::vector<double>& is, const std::vector<double>& wanted, double tolerance) {
    double worst = 0;
    for (size_t k = 0; k < wanted.size(); ++k) {
        const double off = std::fabs(is[k] - wanted[k]) / std::max(1.0, std::fabs(wanted[k]));
        if (!(off <= worst)) worst = off;
    }
    if (worst <= tolerance && is.size() == wanted.size()) return;
    printf("%s: off by %g\n", what, worst);
    failed = 1;
}

/// Numbers in [-1, 1] with three digits of 2, so that 16-bit types hold them.
static std::vector<double> numbers(size_t count, unsigned seed) {
    std::vector<double> out(count);
    for (size_t k = 0; k < count; ++k) {
        seed = seed * 1664525u + 1013904223u;
        out[k] = (static_cast<int>(seed >> 24) - 128) / 128.0;
    }
    return out;
}

using Sizes = std::vector<int>;
static size_t count_of(const Sizes& size) {
    size_t all = 1;
    for (const int n : size) all *= static_cast<size_t>(n);
    return all;
}
static Sizes packed(const Sizes& size, bool channels_last) {
    Sizes apart(size.size());
    int next = 1;
    if (channels_last) apart[1] = next, next *= size[1];
    for (size_t d = size.size(); d-- > 0;)
        if (!channels_last || d != 1) apart[d] = next, next *= size[d];
    return apart;
}
/// Calls `of(position, number)` for each position, in the order of the dimensions.
static void each(const Sizes& size, const std::function<void(const Sizes&, size_t)>& of) {
    Sizes at(size.size());
    for (size_t k = 0; k < count_of(size); ++k) {
        size_t rest = k;
        for (size_t d = size.size(); d-- > 0;) at[d] = static_cast<int>(rest % size[d]), rest /= size[d];
        of(at, k);
    }
}

static unsigned short to_half(double x) {
    const float f = static_cast<float>(x);
    unsigned bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) == 0) return static_cast<unsigned short>(bits >> 16);
    return static_cast<unsigned short>((bits >> 16 & 0x8000) | (((bits >> 13) - 0x1c000) & 0x7fff));
}
static double from_half(unsigned short h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double x = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return h & 0x8000 ? -x : x;
}
static size_t bytes_of(cudnnDataType_t type) {
    return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}
static void put(void* to, size_t k, cudnnDataType_t type, double x) {
    auto* const at = static_cast<char*>(to) + k * bytes_of(type);
    const float f = static_cast<float>(x);
    unsigned bits;
    memcpy(&bits, &f, 4);
    const unsigned short h = to_half(x), b = static_cast<unsigned short>(bits >> 16);
    memcpy(at,
           type == CUDNN_DATA_DOUBLE  ? static_cast<const void*>(&x)
           : type == CUDNN_DATA_FLOAT ? static_cast<const void*>(&f)
           : type == CUDNN_DATA_HALF  ? static_cast<const void*>(&h)
                                      : &b,
           bytes_of(type));
}
static double take(const void* from, size_t k, cudnnDataType_t type) {
    const auto* const at = static_cast<const char*>(from) + k * bytes_of(type);
    double x;
    float f;
    unsigned short h;
    if (type == CUDNN_DATA_DOUBLE) return memcpy(&x, at, 8), x;
    if (type == CUDNN_DATA_FLOAT) return memcpy(&f, at, 4), f;
    memcpy(&h, at, 2);
    if (type == CUDNN_DATA_HALF) return from_half(h);
    const unsigned bits = static_cast<unsigned>(h) << 16;
    return memcpy(&f, &bits, 4), f;
}

/// A tensor in device memory, with the values that it was made from, in the order of its dimensions.
struct Tensor {
    Sizes size, apart;
    cudnnDataType_t type;
    std::vector<double> x;
    cudnnTensorDescriptor_t desc;
    void* at = nullptr;
    Tensor(const Sizes& s, unsigned seed, cudnnDataType_t t = CUDNN_DATA_FLOAT, bool channels_last = false)
        : size(s), apart(packed(s, channels_last)), type(t), x(numbers(count_of(s), seed)) {
        OK(cudnnCreateTensorDescriptor(&desc));
        OK(cudnnSetTensorNdDescriptor(desc, type, static_cast<int>(size.size()), size.data(), apart.data()));
        (void)cudaMalloc(&at, x.size() * bytes_of(type));
        write();
    }
    Tensor(const Tensor&) = delete;
    ~Tensor() {
        cudnnDestroyTensorDescriptor(desc);
        (void)cudaFree(at);
    }
    size_t place(const Sizes& p) const {
        size_t out = 0;
        for (size_t d = 0; d < p.size(); ++d) out += static_cast<size_t>(p[d]) * static_cast<size_t>(apart[d]);
        return out;
    }
    void write() {
        std::vector<char> bytes(x.size() * bytes_of(type));
        each(size, [&](const Sizes& p, size_t k) { put(bytes.data(), place(p), type, x[k]); });
        (void)cudaMemcpy(at, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    }
    std::vector<double> get() const {
        std::vector<char> bytes(x.size() * bytes_of(type));
        (void)cudaMemcpy(bytes.data(), at, bytes.size(), cudaMemcpyDeviceToHost);
        std::vector<double> out(x.size());
        each(size, [&](const Sizes& p, size_t k) { out[k] = take(bytes.data(), place(p), type); });
        return out;
    }
    double& operator()(const Sizes& p) {
        size_t k = 0;
        for (size_t d = 0; d < p.size(); ++d) k = k * static_cast<size_t>(size[d]) + static_cast<size_t>(p[d]);
        return x[k];
    }
};

/// A factor in the type that a tensor's functions take it in.
struct Factor {
    double d;
    float f;
    bool doubles;
    Factor(double x, cudnnDataType_t type = CUDNN_DATA_FLOAT)
        : d(x), f(static_cast<float>(x)), doubles(type == CUDNN_DATA_DOUBLE) {}
    const void* at() const { return doubles ? static_cast<const void*>(&d) : &f; }
};
static inline double tolerance(cudnnDataType_t type) {
    return type == CUDNN_DATA_DOUBLE ? 1e-12 : type == CUDNN_DATA_FLOAT ? 2e-5 : type == CUDNN_DATA_HALF ? 4e-3 : 3e-2;
}
