// Shared memory on one multiprocessor: latency by width and degree of bank conflict, throughput, atomics, constant
// memory, local memory, and copies from global memory that bypass registers.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kSteps = 256;
__constant__ unsigned constants[4096];

__device__ unsigned load_first(unsigned address, int words) {
    unsigned x, y, z, w;
    if (words == 1) {
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
    } else if (words == 2) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address) : "memory");
    } else {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(address)
                     : "memory");
    }
    return x;
}

/// Lane l reads and reads again the words at l * stride: each holds its own address.
template <int Words>
__global__ void chase(long long* cycles, unsigned* sink, int stride_words) {
    extern __shared__ unsigned raw[];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(raw));
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) raw[i] = base + 4 * i;
    __syncthreads();
    unsigned x = base + 4 * ((threadIdx.x % 32) * stride_words);
    const long long start = clock64();
#pragma unroll 16
    for (int i = 0; i < kSteps; ++i) x = load_first(x, Words);
    const long long stop = clock64();
    sink[threadIdx.x] = x;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

/// Independent loads: eight at a time.
template <int Words>
__global__ void stream(long long* cycles, unsigned* sink, int stride_words) {
    extern __shared__ unsigned raw[];
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(raw));
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) raw[i] = 0;
    __syncthreads();
    const unsigned address = base + 4 * ((threadIdx.x % 32) * stride_words);
    unsigned sum = 0;
    const long long start = clock64();
    for (int i = 0; i < kSteps; i += 8) {
        unsigned x[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = load_first(address, Words);
#pragma unroll
        for (int k = 0; k < 8; ++k) sum ^= x[k];
    }
    const long long stop = clock64();
    sink[threadIdx.x] = sum;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

template <int Words>
__global__ void stores(long long* cycles, int stride_words) {
    extern __shared__ unsigned raw[];
    const unsigned address =
        static_cast<unsigned>(__cvta_generic_to_shared(raw)) + 4 * ((threadIdx.x % 32) * stride_words);
    __syncthreads();
    const long long start = clock64();
#pragma unroll 16
    for (int i = 0; i < kSteps; ++i) {
        if (Words == 1) asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(i) : "memory");
        if (Words == 2) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(i) : "memory");
        if (Words == 4) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(i) : "memory");
    }
    __syncthreads();
    const long long stop = clock64();
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

/// Kind 0: add, 1: add whose result is not used, 2: compare and swap, 3: add of floats, 4: maximum.
template <int Kind>
__global__ void atomics(long long* cycles, unsigned* sink, int stride_words) {
    extern __shared__ unsigned raw[];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) raw[i] = 0;
    __syncthreads();
    const unsigned address =
        static_cast<unsigned>(__cvta_generic_to_shared(raw)) + 4 * ((threadIdx.x % 32) * stride_words);
    unsigned x = 0;
    const long long start = clock64();
#pragma unroll 4
    for (int i = 0; i < kSteps; ++i) {
        const unsigned at = address + (x & 0x80000000u);
        if (Kind == 0) asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(at) : "memory");
        if (Kind == 1) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
        if (Kind == 2) asm volatile("atom.shared.cas.b32 %0, [%1], 0, 1;" : "=r"(x) : "r"(at) : "memory");
        if (Kind == 3) {
            float f;
            asm volatile("atom.shared.add.f32 %0, [%1], 0f3F800000;" : "=f"(f) : "r"(at) : "memory");
            x = __float_as_uint(f);
        }
        if (Kind == 4) asm volatile("atom.shared.max.u32 %0, [%1], 1;" : "=r"(x) : "r"(at) : "memory");
    }
    __syncthreads();
    const long long stop = clock64();
    sink[threadIdx.x] = x;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

/// Lane l reads constant l * stride + the value read before (zero).
__global__ void constant_chase(long long* cycles, unsigned* sink, int stride, int step) {
    unsigned x = 0;
    long long start = 0, stop = 0;
    for (int pass = 0; pass < 2; ++pass) {
        start = clock64();
#pragma unroll 8
        for (int i = 0; i < kSteps; ++i) x = constants[((threadIdx.x % 32) * stride + x + i * step) % 4096];
        stop = clock64();
    }
    sink[threadIdx.x] = x;
    cycles[2 * threadIdx.x] = start;
    cycles[2 * threadIdx.x + 1] = stop;
}

__global__ void async_copy(long long* cycles, const uint4* from, int bytes) {
    extern __shared__ unsigned raw[];
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(raw)) + threadIdx.x * 16;
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        const long long start = clock64();
#pragma unroll 1
        for (int i = 0; i < 32; ++i) {
            const uint4* source = from + threadIdx.x;
            if (bytes == 16) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(source) : "memory");
            } else {
                asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(source) : "memory");
            }
            asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        }
        const long long stop = clock64();
        cycles[2 * threadIdx.x] = start;
        cycles[2 * threadIdx.x + 1] = stop;
    }
}

__global__ void bulk_copy(long long* cycles, const unsigned char* from, int bytes, int copies) {
    extern __shared__ __align__(128) unsigned raw[];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(raw));
    const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
    long long start = 0, stop = 0;
    unsigned phase = 0;
    for (int pass = 0; pass < 2; ++pass) {
        start = clock64();
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes * copies)
                         : "memory");
            for (int c = 0; c < copies; ++c) {
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        to + c * bytes),
                    "l"(from + c * bytes), "r"(bytes), "r"(bar)
                    : "memory");
            }
            unsigned done = 0;
            while (!done) {
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                             : "=r"(done)
                             : "r"(bar), "r"(phase)
                             : "memory");
            }
            phase ^= 1;
        }
        stop = clock64();
    }
    cycles[0] = start;
    cycles[1] = stop;
}

long long* cycles_buffer = nullptr;
unsigned* sink_buffer = nullptr;

double span(int threads) {
    static long long host[2048];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(host, cycles_buffer, sizeof(long long) * 2 * threads, cudaMemcpyDeviceToHost));
    long long first = host[0], last = host[1];
    for (int t = 0; t < threads; ++t) {
        first = std::min(first, host[2 * t]);
        last = std::max(last, host[2 * t + 1]);
    }
    return static_cast<double>(last - first);
}

template <int Words>
void measure_width(Rows& rows) {
    for (int degree = 1; degree <= 32; degree *= 2) {
        // Lanes at a stride of `degree` elements fall on 32 / degree different places of a row of banks.
        const int stride = degree * Words;
        if (stride * 31 + Words > 8192) continue;
        chase<Words><<<1, 32, 32768>>>(cycles_buffer, sink_buffer, stride);
        const double latency = span(32) / kSteps;
        rows.begin("shared_load").field("bytes", 4 * Words).field("stride_elements", degree);
        rows.field("latency_cycles", latency);
        for (const int warps : {1, 4, 16, 32}) {
            stream<Words><<<1, warps * 32, 32768>>>(cycles_buffer, sink_buffer, stride);
            rows.field(("cycles_per_load_warps" + std::to_string(warps)).c_str(), span(warps * 32) / kSteps / warps);
        }
        stores<Words><<<1, 1024, 32768>>>(cycles_buffer, stride);
        rows.field("cycles_per_store_warps32", span(1024) / kSteps / 32).end();
    }
}

template <int Kind>
void measure_atomic(Rows& rows, const char* name) {
    for (const int stride : {0, 1, 2, 8, 32}) {
        rows.begin("shared_atomic").field("name", name).field("stride_words", stride);
        for (const int warps : {1, 4, 16, 32}) {
            atomics<Kind><<<1, warps * 32, 32768>>>(cycles_buffer, sink_buffer, stride);
            rows.field(("cycles_per_warp_atomic_warps" + std::to_string(warps)).c_str(),
                       span(warps * 32) / kSteps / warps);
        }
        rows.end();
    }
}

}  // namespace

void measure_shared(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&cycles_buffer, sizeof(long long) * 4096));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 65536));
    measure_width<1>(rows);
    measure_width<2>(rows);
    measure_width<4>(rows);
    measure_atomic<0>(rows, "add");
    measure_atomic<1>(rows, "add, result unused");
    measure_atomic<2>(rows, "cas");
    measure_atomic<3>(rows, "add f32");
    measure_atomic<4>(rows, "max");
    for (const int stride : {0, 1, 4, 32}) {
        for (const int step : {0, 16}) {
            constant_chase<<<1, 32>>>(cycles_buffer, sink_buffer, stride, step);
            rows.begin("constant_load").field("lane_stride_words", stride).field("step_words", step);
            rows.field("latency_cycles", span(32) / kSteps).end();
        }
    }
    void* source = nullptr;
    CUDA_CHECK(cudaMalloc(&source, 1 << 20));
    for (const int bytes : {4, 16}) {
        for (const int warps : {1, 8, 32}) {
            async_copy<<<1, warps * 32, 32768>>>(cycles_buffer, static_cast<const uint4*>(source), bytes);
            rows.begin("cp_async")
                .field("bytes", bytes)
                .field("warps", warps)
                .field("cycles", span(warps * 32) / 32)
                .end();
        }
    }
    CUDA_CHECK(cudaFuncSetAttribute(bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 131072));
    for (const int bytes : {128, 1024, 4096, 16384}) {
        for (const int copies : {1, 4}) {
            bulk_copy<<<1, 1, 65536>>>(cycles_buffer, static_cast<const unsigned char*>(source), bytes, copies);
            rows.begin("bulk_copy").field("bytes", bytes).field("copies", copies).field("cycles", span(1) / 16).end();
        }
    }
    CUDA_CHECK(cudaFree(source));
}
