// Atomics on global memory: how many a second the whole device does by pattern of addresses, and how long one takes.
#include <cstdint>

#include "calibrate.hpp"

namespace {

enum Pattern { same, per_block, per_warp, line, coalesced, spread };
const char* const kPatterns[] = {"one address of all threads", "one address a block", "one address a warp",
                                 "32 addresses of one line",   "consecutive",         "spread at random"};
enum Kind { red_add, atom_add, red_f32, atom_cas, red_f64, red_max };
const char* const kKinds[] = {"red.add.u32",  "atom.add.u32", "red.add.f32",
                              "atom.cas.b32", "red.add.f64",  "red.max.u32"};

template <int K>
__global__ void operate(unsigned long long* memory, unsigned* sink, int pattern, int repeats) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = 0;
    for (int i = 0; i < repeats; ++i) {
        unsigned index = 0;
        switch (pattern) {
            case same:
                index = 0;
                break;
            case per_block:
                index = blockIdx.x * 16;
                break;
            case per_warp:
                index = thread / 32 * 16;
                break;
            case line:
                index = threadIdx.x % 32;
                break;
            case coalesced:
                index = thread;
                break;
            default:
                index = ((thread * 2654435761u) ^ (i * 40503u)) % (1u << 22);
        }
        auto* word = reinterpret_cast<unsigned*>(memory) + index;
        if (K == red_add) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
        if (K == red_max) asm volatile("red.global.max.u32 [%0], 1;" ::"l"(word) : "memory");
        if (K == atom_add) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(word) : "memory");
        if (K == red_f32) asm volatile("red.global.add.f32 [%0], 0f3F800000;" ::"l"(word) : "memory");
        if (K == atom_cas) asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(x) : "l"(word) : "memory");
        if (K == red_f64) asm volatile("red.global.add.f64 [%0], 0d3FF0000000000000;" ::"l"(memory + index) : "memory");
    }
    if (x == 0xffffffffu) sink[0] = x;
}

__global__ void chain(long long* cycles, unsigned* word, unsigned* sink) {
    unsigned x = 0;
    const long long start = clock64();
    for (int i = 0; i < 64; ++i) {
        unsigned* at = word + (x >> 31);
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(x) : "l"(at) : "memory");
    }
    cycles[0] = clock64() - start;
    sink[0] = x;
}

unsigned long long* memory_buffer = nullptr;
unsigned* sink_buffer = nullptr;

template <int K>
void measure(Rows& rows) {
    for (int pattern = same; pattern <= spread; ++pattern) {
        for (const int warps : {4, 32}) {
            const int repeats = pattern == same ? 16 : 32;
            const int blocks = 132 * (warps == 32 ? 2 : 1);
            const double time =
                seconds([&] { operate<K><<<blocks, warps * 32>>>(memory_buffer, sink_buffer, pattern, repeats); });
            rows.begin("global_atomic").field("name", kKinds[K]).field("pattern", kPatterns[pattern]);
            rows.field("blocks", blocks).field("warps_per_block", warps).field("repeats", repeats);
            rows.field("seconds", time);
            rows.field("thread_atomics_per_second", double(blocks) * warps * 32 * repeats / time).end();
        }
    }
}

}  // namespace

void measure_atomics(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&memory_buffer, std::size_t{1} << 27));
    CUDA_CHECK(cudaMemset(memory_buffer, 0, std::size_t{1} << 27));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 65536));
    measure<red_add>(rows);
    measure<atom_add>(rows);
    measure<red_f32>(rows);
    measure<atom_cas>(rows);
    measure<red_f64>(rows);
    measure<red_max>(rows);
    long long* cycles = nullptr;
    CUDA_CHECK(cudaMalloc(&cycles, 64));
    for (int i = 0; i < 2; ++i) chain<<<1, 1>>>(cycles, reinterpret_cast<unsigned*>(memory_buffer), sink_buffer);
    long long result = 0;
    CUDA_CHECK(cudaMemcpy(&result, cycles, sizeof result, cudaMemcpyDeviceToHost));
    rows.begin("global_atomic_latency").field("latency_cycles", result / 64.0).end();
    CUDA_CHECK(cudaFree(memory_buffer));
}
