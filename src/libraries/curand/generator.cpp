// States are prepared at the first numbers, because seed and offset may change until then. The same functions compute a
// value on the host and in a kernel, so that both kinds of generators give equal numbers.
#include "libraries/curand/generator.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "cudart/memory/memory_table.hpp"
#include "cudart/state/runtime.hpp"
#include "libraries/common/kernels.hpp"
#include "support/handle_table.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_rand_generators[];

namespace warpwright::libraries {
namespace {

using ww_rand::Shape;
using u64 = ww_rand::u64;

HandleTable<curandGenerator_t, curandGenerator_st>& generators() {
    static auto* all = new HandleTable<curandGenerator_t, curandGenerator_st>;
    return *all;
}

curandStatus_t status_of(cudaError_t e) {
    if (e == cudaSuccess) return CURAND_STATUS_SUCCESS;
    if (e == cudaErrorMemoryAllocation) return CURAND_STATUS_ALLOCATION_FAILED;
    if (e == cudaErrorNoKernelImageForDevice) return CURAND_STATUS_ARCH_MISMATCH;
    return CURAND_STATUS_LAUNCH_FAILURE;
}

template <class... A>
curandStatus_t launch(cudaStream_t stream, const char* name, std::uint64_t threads, A... arguments) {
    static auto* const kernels = new Kernels{ww_rand_generators};
    void* pointers[] = {static_cast<void*>(&arguments)...};
    const std::uint64_t blocks = std::min<std::uint64_t>((threads + 255) / 256, 1 << 20);
    return status_of(kernels->launch(name, dim3(static_cast<unsigned>(blocks)), pointers, stream));
}

/// Puts the bytes where the generator's numbers are made.
template <class T>
curandStatus_t keep(curandGenerator_st& g, const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    if (g.on_host) {
        ::operator delete(g.states);
        std::memcpy(g.states = ::operator new(bytes), values.data(), bytes);
        return CURAND_STATUS_SUCCESS;
    }
    if (g.states) (void)cudart::impl::cudaFree(g.states);
    g.states = nullptr;
    if (auto e = cudart::impl::cudaMalloc(&g.states, bytes); e != cudaSuccess) return status_of(e);
    cudart::MemoryTable::get().set_own_of_library(g.states);
    return status_of(cudart::impl::cudaMemcpyAsync(g.states, values.data(), bytes, cudaMemcpyHostToDevice, g.stream));
}

template <class S>
curandStatus_t run_streams(curandGenerator_st& g, const char* kernel, int kind, void* out, u64 n, Shape shape) {
    const bool pairs = kind == ww_rand::kNormal || kind == ww_rand::kNormal64;
    const u64 units = pairs ? n / 2 : n, first = g.place;
    g.place += units;
    auto* states = static_cast<S*>(g.states);
    if (!g.on_host) return launch(g.stream, kernel, S::kStreams, states, kind, out, first, units, shape);
    for (unsigned k = 0; k < S::kStreams; ++k) ww_rand::run_stream(states[k], k, kind, out, first, units, shape);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t run_philox(curandGenerator_st& g, int kind, void* out, u64 n, Shape shape) {
    const u64 first = g.place, seed = g.seed;
    g.place += n;
    if (!g.on_host) return launch(g.stream, "rand_philox", n / 4 + 2, seed, kind, out, first, n, shape);
    for (u64 group = first / 4; group <= (first + n - 1) / 4; ++group)
        ww_rand::philox_group(seed, group, kind, out, first, n, shape);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t run_sobol(curandGenerator_st& g, int kind, void* out, u64 n, Shape shape) {
    const u64 each = n / g.dimensions, first = g.place;
    g.place += each;
    const auto* directions = static_cast<const ww_rand::u32*>(g.states);
    if (!g.on_host) return launch(g.stream, "rand_sobol", n, directions, kind, out, first, each, n, shape);
    for (u64 at = 0; at < n; ++at)
        ww_rand::sobol_element(directions + at / each * 32, first + at % each, kind, out, at, shape);
    return CURAND_STATUS_SUCCESS;
}

}  // namespace

namespace rand_impl {

std::shared_ptr<curandGenerator_st> generator_of(curandGenerator_t handle) { return generators().find(handle); }

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
    if (!generator) return CURAND_STATUS_TYPE_ERROR;
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
    if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
        type != CURAND_RNG_PSEUDO_PHILOX4_32_10 && type != CURAND_RNG_QUASI_SOBOL32) {
        cudart::Runtime::get().say("curandCreateGenerator: the generator type " + std::to_string(type) +
                                   " is not supported; there are XORWOW, MRG32K3A, PHILOX4_32_10 and SOBOL32");
        return CURAND_STATUS_TYPE_ERROR;
    }
    const auto made = std::make_shared<curandGenerator_st>(nullptr, type, on_host);
    *generator = made->handle = generators().add(made);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
    return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    // Of two threads one is first.
    return generators().take(generator->handle) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

}  // namespace rand_impl
}  // namespace warpwright::libraries

using namespace warpwright::libraries;

curandGenerator_st::~curandGenerator_st() {
    if (on_host)
        ::operator delete(states);
    else if (states)
        (void)warpwright::cudart::impl::cudaFree(states);
}

curandStatus_t curandGenerator_st::prepare() {
    if (ready) return CURAND_STATUS_SUCCESS;
    curandStatus_t s = CURAND_STATUS_SUCCESS;
    if (type == CURAND_RNG_PSEUDO_XORWOW) s = keep(*this, xorwow_streams(seed, offset));
    if (type == CURAND_RNG_PSEUDO_MRG32K3A) s = keep(*this, mrg32k3a_streams(seed, offset));
    if (quasi()) s = keep(*this, sobol_directions(dimensions));
    place = offset;
    ready = s == CURAND_STATUS_SUCCESS;
    return s;
}

curandStatus_t curandGenerator_st::generate(int kind, void* out, std::size_t n, ww_rand::Shape shape) {
    const bool normal = kind == ww_rand::kNormal || kind == ww_rand::kNormal64;
    if ((normal && !quasi() && n % 2 != 0) || (quasi() && n % dimensions != 0))
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (auto s = prepare(); s != CURAND_STATUS_SUCCESS || n == 0) return s;
    switch (type) {
        case CURAND_RNG_PSEUDO_XORWOW:
            return run_streams<ww_rand::Xorwow>(*this, "rand_xorwow", kind, out, n, shape);
        case CURAND_RNG_PSEUDO_MRG32K3A:
            return run_streams<ww_rand::Mrg32k3a>(*this, "rand_mrg32k3a", kind, out, n, shape);
        case CURAND_RNG_PSEUDO_PHILOX4_32_10:
            return run_philox(*this, kind, out, n, shape);
        default:
            return run_sobol(*this, kind, out, n, shape);
    }
}
