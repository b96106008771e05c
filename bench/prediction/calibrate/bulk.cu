// Bulk copies into shared memory (compute capability 9.0): their latency from the second level and from DRAM, and their
// rate where several multiprocessors copy the same, neighbours or such as are far apart, beside plain loads.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr unsigned kDepth = 4;  ///< copies under way
constexpr unsigned kPiece = 32768;

__device__ std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

#if __CUDA_ARCH__ >= 900
__device__ void prepare(std::uint64_t* barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)));
    asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ void copy(char* to, const char* from, unsigned bytes, std::uint64_t* barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ void wait(std::uint64_t* barrier, unsigned parity) {
    unsigned over = 0;
    while (!over)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}
#else
__device__ void prepare(std::uint64_t*) {}
__device__ void copy(char*, const char*, unsigned, std::uint64_t*) {}
__device__ void wait(std::uint64_t*, unsigned) {}
#endif

__global__ void one_by_one(const char* from, unsigned bytes, std::size_t step, int repeats, long long* cycles) {
    extern __shared__ __align__(128) char room[];
    __shared__ std::uint64_t barrier;
    prepare(&barrier);
    const long long begin = clock64();
    for (int k = 0; k < repeats; ++k) {
        copy(room, from + k * step, bytes, &barrier);
        wait(&barrier, k & 1);
    }
    *cycles = clock64() - begin;
}

/// What the block reads: the same as `sharers` blocks in all, its neighbours or blocks at equal distances.
__device__ std::size_t region_of(unsigned sharers, bool far, std::size_t bytes) {
    const unsigned groups = (gridDim.x + sharers - 1) / sharers;
    return (far ? blockIdx.x % groups : blockIdx.x / sharers) * bytes;
}

__global__ void in_a_row(const char* from, std::size_t bytes, unsigned sharers, bool far, int pieces,
                         long long* cycles) {
    extern __shared__ __align__(128) char room[];
    __shared__ std::uint64_t barriers[kDepth];
    const char* const region = from + region_of(sharers, far, bytes);
    for (unsigned k = 0; k < kDepth; ++k) prepare(&barriers[k]);
    const long long begin = clock64();
    const auto start = [&](int k) {
        copy(room + k % kDepth * kPiece, region + k * std::size_t{kPiece} % bytes, kPiece, &barriers[k % kDepth]);
    };
    for (unsigned k = 0; k < kDepth; ++k) start(k);
    for (int k = 0; k < pieces; ++k) {
        wait(&barriers[k % kDepth], k / kDepth & 1);
        if (k + static_cast<int>(kDepth) < pieces) start(k + kDepth);
    }
    cycles[blockIdx.x] = clock64() - begin;
}

__global__ void loads(const uint4* from, std::size_t bytes, unsigned sharers, bool far, int steps, uint4* sink,
                      long long* cycles) {
    const std::size_t words = bytes / 16, region = region_of(sharers, far, words);
    uint4 sum{};
    const long long begin = clock64();
#pragma unroll 8
    for (int k = 0; k < steps; ++k) {
        const std::size_t at = (static_cast<std::size_t>(k) * blockDim.x + threadIdx.x) % words;
        uint4 v;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from + region + at));
        sum.x ^= v.x ^ v.y ^ v.z ^ v.w;
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - begin;
    if (sum.x == 1) *sink = sum;  // never: memory is zero
}

}  // namespace

void measure_bulk(Rows& rows) {
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    if (properties.major < 9) return;
    const auto blocks = static_cast<unsigned>(properties.multiProcessorCount);
    constexpr std::size_t kMemory = std::size_t{512} << 20, kInSecondLevel = std::size_t{24} << 20;
    char* memory = nullptr;
    long long* cycles = nullptr;
    CUDA_CHECK(cudaMalloc(&memory, kMemory));
    CUDA_CHECK(cudaMemset(memory, 0, kMemory));
    CUDA_CHECK(cudaMallocManaged(&cycles, blocks * sizeof *cycles));
    CUDA_CHECK(cudaFuncSetAttribute(one_by_one, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CUDA_CHECK(cudaFuncSetAttribute(in_a_row, cudaFuncAttributeMaxDynamicSharedMemorySize, kDepth * kPiece));
    for (const unsigned bytes : {16u, 128u, 1024u, 4096u, 16384u, 65536u})
        for (const bool dram : {false, true}) {
            constexpr int kRepeats = 64;
            one_by_one<<<1, 1, bytes>>>(memory, bytes, dram ? std::size_t{1} << 20 : 0, kRepeats, cycles);
            CUDA_CHECK(cudaDeviceSynchronize());
            rows.begin("bulk latency").field("bytes", bytes).field("from", dram ? "DRAM" : "L2");
            rows.field("cycles", static_cast<double>(*cycles) / kRepeats).end();
        }
    const auto per_cycle = [&](double bytes) {
        CUDA_CHECK(cudaDeviceSynchronize());
        return bytes / median({cycles, cycles + blocks});
    };
    for (const bool far : {false, true})
        for (const unsigned sharers : {1u, 2u, 4u, 8u, 16u, 33u, 66u, 132u}) {
            const std::size_t region = kInSecondLevel / blocks * sharers / kPiece * kPiece;
            constexpr int kPieces = 256, kSteps = 512, kThreads = 512;
            double bulk = 0, plain = 0;
            for (int warm = 0; warm < 2; ++warm) {
                in_a_row<<<blocks, 1, kDepth * kPiece>>>(memory, region, sharers, far, kPieces, cycles);
                bulk = per_cycle(double{kPieces} * kPiece);
                loads<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(memory), region, sharers, far, kSteps,
                                            reinterpret_cast<uint4*>(memory), cycles);
                plain = per_cycle(16.0 * kSteps * kThreads);
            }
            rows.begin("shared reads").field("sharers", sharers).field("sharers_are", far ? "far" : "neighbours");
            rows.field("bulk_bytes_per_cycle", bulk).field("load_bytes_per_cycle", plain).end();
        }
    CUDA_CHECK(cudaFree(memory));
    CUDA_CHECK(cudaFree(cycles));
}
