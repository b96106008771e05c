// Global memory: latency by a chase of pointers through L1, L2, DRAM and their page tables; bandwidth and latency under
// load against the warps resident, the loads in flight in a thread and the bytes of each.
#include <cstdint>

#include "calibrate.hpp"

namespace {

constexpr int kMultiprocessors = 132;

__global__ void link(unsigned* memory, std::uint64_t words, std::uint64_t step) {
    for (std::uint64_t i = (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) * 8; i < words;
         i += std::uint64_t{gridDim.x} * blockDim.x * 8) {
        memory[i] = static_cast<unsigned>((i + step) % words);
    }
}

template <bool L1>
__global__ void chase(const unsigned* memory, long long* cycles, unsigned* sink, unsigned start, int warm, int steps) {
    unsigned x = start;
    for (int i = 0; i < warm; ++i) {
        if (L1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(memory + x));
        if (!L1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(memory + x));
    }
    const long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < steps; ++i) {
        if (L1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(memory + x));
        if (!L1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(memory + x));
    }
    cycles[0] = clock64() - begin;
    sink[0] = x;
}

template <class Word>
__device__ unsigned fold(const Word& word);
template <>
__device__ unsigned fold(const unsigned& w) {
    return w;
}
template <>
__device__ unsigned fold(const uint2& w) {
    return w.x ^ w.y;
}
template <>
__device__ unsigned fold(const uint4& w) {
    return w.x ^ w.y ^ w.z ^ w.w;
}

/// Every thread keeps `Flight` loads in flight and passes over `window` words from `base`, again and again.
template <class Word, int Flight, bool L1>
__global__ void read(const Word* base, std::uint64_t window, unsigned* sink, int rounds, long long* cycles) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    std::uint64_t at = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
    if (L1) at = threadIdx.x;
    const std::uint64_t step = L1 ? blockDim.x : threads;
    unsigned sum = 0;
    const long long begin = clock64();
#pragma unroll 1  // as many loads in flight as the row says, and no more
    for (int r = 0; r < rounds; ++r) {
        Word word[Flight];
#pragma unroll
        for (int k = 0; k < Flight; ++k) {
            word[k] = L1 ? __ldca(base + at) : __ldcg(base + at);
            at += step;
            if (at >= window) at -= window;
        }
#pragma unroll
        for (int k = 0; k < Flight; ++k) sum ^= fold(word[k]);
    }
    const long long end = clock64();
    if (sum == 0x12345678u) sink[0] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = end - begin;
}

template <class Word>
__global__ void write(Word* base, std::uint64_t window, Word value, int rounds) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    std::uint64_t at = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
#pragma unroll 1  // as many loads in flight as the row says, and no more
    for (int r = 0; r < rounds; ++r) {
        base[at] = value;
        at += threads;
        if (at >= window) at -= window;
    }
}

template <class Word, int Flight>
__global__ void copy(const Word* from, Word* to, std::uint64_t window, int rounds) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    std::uint64_t at = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
#pragma unroll 1  // as many loads in flight as the row says, and no more
    for (int r = 0; r < rounds; ++r) {
        Word word[Flight];
        std::uint64_t place[Flight];
#pragma unroll
        for (int k = 0; k < Flight; ++k) {
            place[k] = at;
            word[k] = __ldcg(from + at);
            at += threads;
            if (at >= window) at -= window;
        }
#pragma unroll
        for (int k = 0; k < Flight; ++k) to[place[k]] = word[k];
    }
}

/// Loads of one sector each by every lane: `stride` words apart.
__global__ void strided(const unsigned* base, std::uint64_t window, unsigned* sink, int stride, int rounds) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    std::uint64_t at = (blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x) * stride % window;
    unsigned sum = 0;
#pragma unroll 1  // as many loads in flight as the row says, and no more
    for (int r = 0; r < rounds; ++r) {
        unsigned word[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            word[k] = __ldcg(base + at);
            at += threads * stride;
            while (at >= window) at -= window;
        }
        sum ^= word[0] ^ word[1] ^ word[2] ^ word[3];
    }
    if (sum == 0x12345678u) sink[0] = sum;
}

unsigned* memory_buffer = nullptr;
unsigned* sink_buffer = nullptr;
long long* cycles_buffer = nullptr;
constexpr std::uint64_t kBytes = std::uint64_t{8} << 30;
std::uint64_t next_place = 0;

/// A part of the buffer that was not read for long: what the caches cannot hold.
unsigned* fresh(std::uint64_t bytes) {
    if (next_place + bytes > kBytes) next_place = 0;
    unsigned* place = memory_buffer + next_place / 4;
    next_place += (bytes + 4095) / 4096 * 4096;
    return place;
}

void measure_chase(Rows& rows) {
    struct Case {
        const char* level;
        std::uint64_t bytes, step;
        bool l1;
    };
    const std::uint64_t K = 1024, M = K * K, G = K * M;
    const Case cases[] = {
        {"L1", 16 * K, 128, true},           {"L1", 128 * K, 128, true},           {"L2", 512 * K, 128, false},
        {"L2", 4 * M, 128, false},           {"L2", 16 * M, 4224, false},          {"L2", 24 * M, 4224, false},
        {"L2", 40 * M, 4224, false},         {"L2", 56 * M, 4224, false},          {"DRAM", 128 * M, 4224, false},
        {"DRAM", 512 * M, 32896, false},     {"DRAM", 2 * G, 131200, false},       {"DRAM", 2 * G, 2 * M + 128, false},
        {"DRAM", 8 * G, 2 * M + 128, false}, {"DRAM", 8 * G, 32 * M + 128, false},
    };
    for (const Case& c : cases) {
        link<<<1056, 256>>>(memory_buffer, c.bytes / 4, c.step / 4);
        CUDA_CHECK(cudaDeviceSynchronize());
        const int steps = 2048;
        const std::uint64_t lap = c.bytes / c.step;
        int warm = static_cast<int>(std::min<std::uint64_t>(lap + 64, 16384));
        if (std::string(c.level) == "DRAM") warm = 64;
        if (c.l1) {
            chase<true><<<1, 1>>>(memory_buffer, cycles_buffer, sink_buffer, 0, warm, steps);
        } else {
            chase<false><<<1, 1>>>(memory_buffer, cycles_buffer, sink_buffer, 0, warm, steps);
        }
        long long cycles = 0;
        CUDA_CHECK(cudaMemcpy(&cycles, cycles_buffer, sizeof cycles, cudaMemcpyDeviceToHost));
        rows.begin("chase").field("level", c.level).field("bytes", double(c.bytes)).field("step_bytes", double(c.step));
        rows.field("warm_steps", warm).field("latency_cycles", double(cycles) / steps).end();
    }
}

struct Shape {
    int blocks, threads;
};

Shape shape(int warps) {
    return warps <= 32 ? Shape{kMultiprocessors, warps * 32} : Shape{2 * kMultiprocessors, warps * 16};
}

template <class Word, int Flight>
void measure_read(Rows& rows) {
    for (const char* level : {"L1", "L2", "DRAM"}) {
        for (const int warps : {1, 2, 4, 8, 16, 32, 48, 64}) {
            const Shape s = shape(warps);
            const std::uint64_t threads = std::uint64_t(s.blocks) * s.threads;
            const bool dram = level[0] == 'D', l1 = level[1] == '1';
            const int rounds = dram ? std::max(16, 256 / Flight) : 512 / Flight;
            const std::uint64_t round_bytes = threads * sizeof(Word) * Flight;
            // Whole rounds, so that a thread's address stays on its grid.
            std::uint64_t window =
                threads * Flight * std::max<std::uint64_t>(1, (std::uint64_t{12} << 20) / round_bytes);
            if (dram) window = threads * Flight * rounds;
            if (l1)
                window = std::uint64_t(s.threads) * Flight *
                         std::max<std::uint64_t>(1, 65536 / (std::uint64_t(s.threads) * Flight * sizeof(Word)));
            double best = 0;
            long long cycles = 0;
            const double time = seconds(
                [&] {
                    const auto* base =
                        reinterpret_cast<const Word*>(dram ? fresh(window * sizeof(Word)) : memory_buffer);
                    if (l1) {
                        read<Word, Flight, true>
                            <<<s.blocks, s.threads>>>(base, window, sink_buffer, rounds, cycles_buffer);
                    } else {
                        read<Word, Flight, false>
                            <<<s.blocks, s.threads>>>(base, window, sink_buffer, rounds, cycles_buffer);
                    }
                },
                3);
            CUDA_CHECK(cudaMemcpy(&cycles, cycles_buffer, sizeof cycles, cudaMemcpyDeviceToHost));
            best = double(round_bytes) * rounds / time;
            rows.begin("read").field("level", level).field("warps_per_sm", warps).field("loads_in_flight", Flight);
            rows.field("bytes_per_load", sizeof(Word)).field("seconds", time).field("bytes_per_second", best);
            rows.field("cycles_per_round", double(cycles) / rounds);
            rows.field("bytes_per_cycle_sm", double(s.threads) * (s.blocks / kMultiprocessors) * sizeof(Word) * Flight *
                                                 rounds / double(cycles));
            rows.end();
        }
    }
}

template <class Word>
void measure_write_copy(Rows& rows, Word value) {
    for (const bool dram : {false, true}) {
        for (const int warps : {1, 4, 8, 16, 32, 64}) {
            const Shape s = shape(warps);
            const std::uint64_t threads = std::uint64_t(s.blocks) * s.threads;
            const int rounds = 256;
            const std::uint64_t laps =
                std::max<std::uint64_t>(1, (std::uint64_t{12} << 20) / (threads * sizeof(Word) * 4));
            const std::uint64_t window = dram ? threads * rounds : threads * 4 * laps;
            double time = seconds([&] {
                auto* base = reinterpret_cast<Word*>(dram ? fresh(window * sizeof(Word)) : memory_buffer);
                write<Word><<<s.blocks, s.threads>>>(base, window, value, rounds);
            });
            rows.begin("write").field("level", dram ? "DRAM" : "L2").field("warps_per_sm", warps);
            rows.field("bytes_per_store", sizeof(Word)).field("seconds", time);
            rows.field("bytes_per_second", double(threads) * sizeof(Word) * rounds / time).end();
            time = seconds([&] {
                auto* from = reinterpret_cast<Word*>(dram ? fresh(window * sizeof(Word)) : memory_buffer);
                auto* to = reinterpret_cast<Word*>(dram ? fresh(window * sizeof(Word)) : memory_buffer + (4u << 20));
                copy<Word, 4><<<s.blocks, s.threads>>>(from, to, window, rounds / 4);
            });
            rows.begin("copy").field("level", dram ? "DRAM" : "L2").field("warps_per_sm", warps);
            rows.field("bytes_per_load", sizeof(Word)).field("loads_in_flight", 4).field("seconds", time);
            rows.field("bytes_per_second", 2.0 * threads * sizeof(Word) * rounds / time).end();
        }
    }
}

}  // namespace

void measure_memory(Rows& rows) {
    CUDA_CHECK(cudaMalloc(&memory_buffer, kBytes));
    CUDA_CHECK(cudaMemset(memory_buffer, 0, kBytes));
    CUDA_CHECK(cudaMalloc(&sink_buffer, 4096));
    CUDA_CHECK(cudaMalloc(&cycles_buffer, 4096));
    measure_chase(rows);
    measure_read<unsigned, 1>(rows);
    measure_read<unsigned, 2>(rows);
    measure_read<unsigned, 4>(rows);
    measure_read<unsigned, 8>(rows);
    measure_read<uint2, 1>(rows);
    measure_read<uint2, 4>(rows);
    measure_read<uint4, 1>(rows);
    measure_read<uint4, 2>(rows);
    measure_read<uint4, 4>(rows);
    measure_read<uint4, 8>(rows);
    measure_write_copy<unsigned>(rows, 1u);
    measure_write_copy<uint4>(rows, make_uint4(1, 2, 3, 4));
    for (const int stride : {1, 2, 4, 8, 16, 32, 64, 256, 1024}) {
        for (const bool dram : {false, true}) {
            const std::uint64_t words = (dram ? std::uint64_t{4} << 30 : std::uint64_t{12} << 20) / 4;
            const double time = seconds([&] { strided<<<264, 1024>>>(memory_buffer, words, sink_buffer, stride, 16); });
            rows.begin("strided_read").field("level", dram ? "DRAM" : "L2").field("stride_bytes", 4 * stride);
            rows.field("seconds", time).field("loads_per_second", 264.0 * 1024 * 64 / time).end();
        }
    }
    CUDA_CHECK(cudaFree(memory_buffer));
}
