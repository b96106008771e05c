// What lanes and warps do to each other: writes of parts of sectors, atomics on few words in global and shared memory,
// constants and local arrays at different places.
#include <cstdint>

#include "calibrate.hpp"

namespace {

__device__ unsigned mixed(unsigned x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/// Lanes write words that lie `stride` words apart; warps follow each other. Stride 0: each lane at random.
template <class Word>
__global__ void scatter(Word* memory, unsigned words, unsigned stride, int repeats, Word value) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = 0; i < repeats; ++i) {
        const unsigned k = thread + i * threads;
        // A warp's 32 lanes are `stride` apart; warps take the words in between, then the next 32 strides.
        const unsigned warp = k / 32,
                       place = stride ? (warp / stride * 32 + k % 32) * stride + warp % stride : mixed(k);
        memory[place & (words - 1)] = value;
    }
}

enum Kind { add, add_back, add_f32, cas };
const char* const kKinds[] = {"red.add.u32", "atom.add.u32", "red.add.f32", "atom.cas.b32"};

template <int K>
__device__ unsigned once(unsigned* word) {
    unsigned x = 0;
    if (K == add) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
    if (K == add_back) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(word) : "memory");
    if (K == add_f32) asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(word) : "memory");
    if (K == cas) asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(x) : "l"(word) : "memory");
    return x;
}

/// `lanes` of each warp are active; each at a random one of `words`.
template <int K>
__global__ void few_words(unsigned* memory, unsigned words, unsigned apart, int lanes, int repeats, unsigned* sink) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 >= lanes) return;
    unsigned x = 0;
    for (int i = 0; i < repeats; ++i) x ^= once<K>(memory + mixed(thread * 64 + i) % words * apart);
    if (x == 0x12345678u) sink[0] = x;
}

/// Loads past the first level, of few sectors: each lane at a random one of `words`, or a warp at a random line of
/// them.
__global__ void few_sectors(const unsigned* memory, unsigned words, bool lines, int repeats, unsigned* sink) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = 0;
#pragma unroll 4
    for (int i = 0; i < repeats; ++i) {
        const unsigned at =
            lines ? mixed(thread / 32 * 64 + i) % (words / 32) * 32 + thread % 32 : mixed(thread * 64 + i) % words;
        x ^= __ldcg(memory + at);
    }
    if (x == 0x12345678u) sink[0] = x;
}

template <int K>
__global__ void few_shared(long long* cycles, unsigned words, int repeats, unsigned* sink) {
    __shared__ unsigned room[4096];
    __shared__ float numbers[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) room[i] = 0, numbers[i] = 0;
    unsigned at[8], x = 0;
    for (int k = 0; k < 8; ++k) at[k] = mixed(threadIdx.x * 8 + k) % words;
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < repeats; ++i)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            if (K == add) atomicAdd(room + at[k], 1u);
            if (K == add_back) x ^= atomicAdd(room + at[k], 1u);
            if (K == add_f32) atomicAdd(numbers + at[k], 1.0f);
            if (K == cas) x ^= atomicCAS(room + at[k], x, x + 1);
        }
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = end - begin;
    if (x == 0x12345678u) sink[0] = x;
    if (threadIdx.x == 0) sink[1] = room[0] + static_cast<unsigned>(numbers[0]);
}

__constant__ unsigned table[4096];

__global__ void constants(long long* cycles, unsigned spread, int repeats, unsigned* sink) {
    unsigned x = threadIdx.x % 32 * spread & 4095;
    for (int i = 0; i < 8; ++i) x = table[x];
    const long long begin = clock64();
    for (int i = 0; i < repeats; ++i) x = table[x];
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = end - begin;
    if (x == 0x12345678u) sink[0] = x;
}

/// An array of a thread's own: all lanes at one index, or each at its own.
__global__ void own_array(long long* cycles, unsigned apart, int repeats, unsigned* sink) {
    unsigned own[32];
    for (int k = 0; k < 32; ++k) own[k] = (k + 1 + sink[2]) & 31;
    unsigned x = threadIdx.x * apart & 31;
    const long long begin = clock64();
    for (int i = 0; i < repeats; ++i) {
        x = own[x];
        own[(x + 7) & 31] = x + 8 & 31;
    }
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = end - begin;
    if (x == 0x12345678u) sink[0] = x;
}

unsigned* memory_buffer = nullptr;
unsigned* sink_buffer = nullptr;
long long* cycles_buffer = nullptr;

template <class Word>
void measure_scatter(Rows& rows, Word value) {
    for (const unsigned mib : {8u, 512u})
        for (const unsigned stride : {0u, 1u, 2u, 4u, 8u, 32u, 1024u})
            for (const int blocks : {1, 528}) {
                const int threads = blocks == 1 ? 1024 : 256, repeats = blocks == 1 ? 128 : 64;
                const unsigned words = mib * 1048576u / sizeof(Word);
                const double time = seconds([&] {
                    scatter<Word>
                        <<<blocks, threads>>>(reinterpret_cast<Word*>(memory_buffer), words, stride, repeats, value);
                });
                rows.begin("scattered_write")
                    .field("bytes", sizeof(Word))
                    .field("mib", mib)
                    .field("stride_words", stride);
                rows.field("blocks", blocks).field("seconds", time);
                rows.field("writes_per_second", double(blocks) * threads * repeats / time).end();
            }
}

template <int K>
void measure_words(Rows& rows) {
    for (const unsigned apart : {1u, 8u, 64u})
        for (const unsigned words : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 256u, 1024u, 4096u})
            for (const int lanes : {1, 32})
                for (const int blocks : {1, 264}) {
                    if (apart > 1 && (words < 8 || blocks == 1)) continue;
                    const int repeats = 8;
                    const double time = seconds([&] {
                        few_words<K><<<blocks, 1024>>>(memory_buffer, words, apart, lanes, repeats, sink_buffer);
                    });
                    rows.begin("atomics_on_words").field("name", kKinds[K]).field("words", words).field("apart", apart);
                    rows.field("lanes", lanes).field("blocks", blocks).field("seconds", time);
                    rows.field("atomics_per_second", double(blocks) * 32 * lanes * repeats / time).end();
                }
}

/// What the slices of the second level answer that all multiprocessors ask at once.
void measure_sectors(Rows& rows) {
    for (const bool lines : {false, true})
        for (unsigned words = 64; words <= 1u << 18; words *= 2)
            for (const int blocks : {1, 132, 264}) {
                const int repeats = 32;
                const double time =
                    seconds([&] { few_sectors<<<blocks, 1024>>>(memory_buffer, words, lines, repeats, sink_buffer); });
                rows.begin("loads_of_few_sectors").field("lines", lines).field("words", words).field("blocks", blocks);
                rows.field("seconds", time).field("loads_per_second", double(blocks) * 32 * repeats / time).end();
            }
}

double cycles_of_last() {
    long long c = 0;
    CUDA_CHECK(cudaMemcpy(&c, cycles_buffer, sizeof c, cudaMemcpyDeviceToHost));
    return static_cast<double>(c);
}

template <int K>
void measure_shared_words(Rows& rows) {
    for (const unsigned words : {1u, 2u, 8u, 32u, 128u, 1024u, 4096u})
        for (const int warps : {1, 8, 32}) {
            for (int i = 0; i < 2; ++i) few_shared<K><<<1, warps * 32>>>(cycles_buffer, words, 8, sink_buffer);
            rows.begin("shared_atomics_on_words").field("name", kKinds[K]).field("words", words).field("warps", warps);
            rows.field("cycles_per_warp_atomic", cycles_of_last() / (64.0 * warps)).end();
        }
}

}  // namespace

void measure_contention(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&memory_buffer, std::size_t{1} << 29));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 65536));
    CUDA_CHECK(cudaMalloc(&cycles_buffer, 64));
    CUDA_CHECK(cudaMemset(memory_buffer, 0, std::size_t{1} << 29));
    CUDA_CHECK(cudaMemset(sink_buffer, 0, 65536));
    measure_scatter<unsigned char>(rows, 1);
    measure_scatter<unsigned>(rows, 1u);
    measure_scatter<uint4>(rows, make_uint4(1, 2, 3, 4));
    CUDA_CHECK(cudaMemset(memory_buffer, 0, std::size_t{1} << 20));
    measure_words<add>(rows), measure_words<add_back>(rows), measure_words<add_f32>(rows), measure_words<cas>(rows);
    measure_sectors(rows);
    measure_shared_words<add>(rows), measure_shared_words<add_back>(rows), measure_shared_words<add_f32>(rows);
    measure_shared_words<cas>(rows);
    std::vector<unsigned> same(4096);
    for (unsigned k = 0; k < 4096; ++k) same[k] = k;
    CUDA_CHECK(cudaMemcpyToSymbol(table, same.data(), 16384));
    for (const unsigned spread : {0u, 1u, 2u, 8u, 16u, 64u})
        for (const int warps : {1, 4, 16, 32}) {
            for (int i = 0; i < 2; ++i) constants<<<1, warps * 32>>>(cycles_buffer, spread, 64, sink_buffer);
            rows.begin("spread_constants").field("words_apart", spread).field("warps", warps);
            rows.field("cycles_per_load", cycles_of_last() / 64).end();
        }
    for (const unsigned apart : {0u, 1u})
        for (const int warps : {1, 4, 16, 32}) {
            for (int i = 0; i < 2; ++i) own_array<<<1, warps * 32>>>(cycles_buffer, apart, 64, sink_buffer);
            rows.begin("own_array").field("apart", apart).field("warps", warps);
            rows.field("cycles_per_round", cycles_of_last() / 64).end();
        }
    CUDA_CHECK(cudaFree(memory_buffer));
}
