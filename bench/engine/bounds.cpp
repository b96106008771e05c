// Each rate is the best of a few short loops, so that what else the machine does lengthens a bound little.
#include "bounds.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>

namespace warpwright::bench {
namespace {

constexpr int kLanes = 16;
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t Words __attribute__((vector_size(4 * kLanes)));

/// Units of work per second: `work` does `units` on each of the threads.
double rate(unsigned cores, double units, const std::function<void(int)>& work) {
    constexpr int kTakes = 7;
    double best = 0;
    for (int take = 0; take < kTakes; ++take) {
        double longest = 0;
#pragma omp parallel num_threads(cores) reduction(max : longest)
        {
#pragma omp barrier
            const auto start = std::chrono::steady_clock::now();
            work(omp_get_thread_num());
            longest = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
        best = std::max(best, units * cores / longest);
    }
    return best;
}

template <class T>
void keep(T& value) {
    asm volatile("" : "+m"(value));
}

double operation_rate(unsigned cores) {
    constexpr int kChains = 12, kRounds = 100'000;
    return rate(cores, double{kChains} * kRounds * kLanes, [](int) {
        Floats chains[kChains], factor = {}, term = {};
        for (auto& chain : chains) chain = Floats{} + 1.0f;
        factor += 0.999f, term += 0.5f;
        keep(factor), keep(term);
        for (int i = 0; i < kRounds; ++i)
#pragma GCC unroll 12
            for (auto& chain : chains) chain = chain * factor + term;
        for (auto& chain : chains) keep(chain);
    });
}

double word_rate(unsigned cores) {
    constexpr int kVectors = 256, kRounds = 4000;  // 16 KiB
    return rate(cores, double{kVectors} * kRounds * kLanes, [](int) {
        alignas(64) Words data[kVectors] = {};
        Words sums[8] = {};
        for (int i = 0; i < kRounds; ++i) {
            asm volatile("" ::: "memory");
            keep(data);
            for (int v = 0; v < kVectors; v += 8)
#pragma GCC unroll 8
                for (int s = 0; s < 8; ++s) sums[s] ^= data[v + s];
        }
        for (auto& sum : sums) keep(sum);
    });
}

/// Bytes read and written by a copy whose two sides together are as large as the problem's buffers.
double byte_rate(unsigned cores, double footprint) {
    const auto words = static_cast<std::size_t>(std::max(footprint, 65536.0) / cores / 8);
    const int rounds = static_cast<int>(std::max(1.0, 16e6 / (words * 8.0 * cores)));
    std::vector<std::vector<std::uint32_t>> from(cores, std::vector<std::uint32_t>(words, 1)), to = from;
    return rate(cores, 8.0 * words * rounds, [&](int t) {
        for (int i = 0; i < rounds; ++i) {
            std::memcpy(to[t].data(), from[t].data(), 4 * words);
            asm volatile("" ::: "memory");
        }
    });
}

/// Runs `each` on random places of a table.
double place_rate(unsigned cores, double table,
                  const std::function<void(std::uint32_t*, const std::uint32_t*, int)>& each) {
    constexpr int kCount = 1 << 17;
    const auto words = static_cast<std::size_t>(std::max(table, 1024.0) / 4);
    std::vector<std::uint32_t> places(kCount), all(words);
    std::mt19937 generator(1);
    for (auto& place : places) place = static_cast<std::uint32_t>(generator() % words);
    return rate(cores, kCount, [&](int) { each(all.data(), places.data(), kCount); });
}

double gather_rate(unsigned cores, double table) {
    return place_rate(cores, table, [](std::uint32_t* all, const std::uint32_t* places, int count) {
        std::uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < count; ++i) sum += all[places[i]];
        keep(sum);
    });
}

/// Shared memory belongs to one host thread: a load, an addition and a store.
double shared_atomic_rate(unsigned cores) {
    return rate(cores, 1 << 20, [](int) {
        std::uint32_t bins[256] = {}, x = 1;
        for (int i = 0; i < 1 << 20; ++i) {
            x = x * 5 + 1;
            ++bins[x >> 24];
        }
        keep(bins);
    });
}

/// Global memory: the host's own atomics.
double global_atomic_rate(unsigned cores, double table) {
    return place_rate(cores, table, [](std::uint32_t* all, const std::uint32_t* places, int count) {
        for (int i = 0; i < count; ++i) std::atomic_ref(all[places[i]]).fetch_add(1, std::memory_order_relaxed);
    });
}

}  // namespace

Bound bound_of(const Work& work, double footprint, unsigned cores) {
    Bound longest;
    const auto add = [&](double amount, const char* by, auto&& measure) {
        if (amount == 0) return;
        const double seconds = amount / measure();
        if (seconds > longest.seconds) longest = {seconds, by};
    };
    static const double operations = operation_rate(cores), words = word_rate(cores);
    add(work.operations, "vector units", [&] { return operations; });
    add(work.words, "L1", [&] { return words; });
    add(work.bytes, "memory", [&] { return byte_rate(cores, footprint); });
    add(work.gathers, "gathers", [&] { return gather_rate(cores, work.table); });
    add(work.shared_atomics, "atomics", [&] { return shared_atomic_rate(cores); });
    add(work.global_atomics, "atomics", [&] { return global_atomic_rate(cores, work.table); });
    return longest;
}

}  // namespace warpwright::bench
