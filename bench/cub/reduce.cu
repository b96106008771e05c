// What NVIDIA's CUB makes of a sum, least and largest element: the comparator of `warpwright lab reduce`, in a program of
// its own because CUB is a header library that only nvcc compiles. Nothing else of Warpwright needs it.
//
//     nvcc -O3 -std=c++17 -arch=native -o cub_reduce bench/cub/reduce.cu      # one type only: -DONLY=f32
//     ./cub_reduce --type i32,f32 --op sum --size 1024,1048576 --json cub.json
//
// Without options: every type and operation, sizes 2^10 to 2^33 by factors of 4 (what does not fit is left out). The table
// gives two times. `warm`: the same input again and again, so that small inputs lie in the L2 cache (`warpwright lab --cache warm`).
// `cold`: as `warpwright lab` times a rung by itself. Every call takes the next of up to 64 sets of input, result and scratch space,
// together more than three times the L2; where 64 are not enough for that, other data fills the L2 before each graph, and the graph goes
// through the sets once. Both through a graph of many calls, so that the host is not in it. The JSON file has records of schema 1 (docs/records.md):
// `time` is the warm one, with a record of its own (axis `inputs` = "cold") for the other.
//
// Each result is compared with a plain kernel's, exact for integers, to within rounding for the rest, before it is timed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cub/device/device_reduce.cuh>
#include <string>
#include <vector>

#define CHECK(call)                                                                                      \
    do {                                                                                                 \
        if (cudaError_t e = (call); e != cudaSuccess) {                                                  \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e));   \
            std::exit(1);                                                                                \
        }                                                                                                \
    } while (0)

namespace {

struct Options {
    std::string types = "all", ops = "all", json;
    std::vector<std::uint64_t> sizes;
    double seconds = 0.02;  ///< of a row's measuring, at least
    std::uint64_t seed = static_cast<std::uint64_t>(std::time(nullptr));
};

__host__ __device__ std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// Random: floating types in [-1, 1), integers in [-1000, 1000].
template <class T>
__global__ void fill(T* to, std::uint64_t n, std::uint64_t seed) {
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
         i += std::uint64_t{gridDim.x} * blockDim.x) {
        const std::uint64_t r = mixed(seed + i);
        if constexpr (std::is_integral_v<T>)
            to[i] = static_cast<T>(static_cast<int>(r % 2001) - 1000);
        else if constexpr (std::is_same_v<T, double>)
            to[i] = static_cast<double>(r >> 11) * 0x1p-52 - 1.0;
        else
            to[i] = static_cast<T>(static_cast<float>(r >> 40) * 0x1p-23f - 1.0f);
    }
}

/// The check: sums in double (integers: 64 bits), the sum of absolute values beside it.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, long long, double>;

template <class T>
__device__ Wide<T> widened(T v) {
    if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>)
        return v;
    else
        return static_cast<double>(static_cast<float>(v));
}

template <class T>
struct Partial {
    Wide<T> sum, magnitude, least, largest;
};

template <class T>
__global__ void plain(const T* from, std::uint64_t n, Partial<T>* out) {
    Partial<T> p{0, 0, widened(from[0]), widened(from[0])};
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
    const std::uint64_t me = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
    for (std::uint64_t i = me; i < n; i += step) {
        const Wide<T> v = widened(from[i]);
        p.sum += v;
        p.magnitude += v < 0 ? -v : v;
        p.least = v < p.least ? v : p.least;
        p.largest = v > p.largest ? v : p.largest;
    }
    out[me] = p;
}

struct Sum {
    static constexpr const char* name = "sum";
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, std::uint64_t n, cudaStream_t s) {
        return cub::DeviceReduce::Sum(scratch, bytes, in, out, n, s);
    }
    template <class W>
    static W of(const std::vector<W>& parts) {
        W sum = 0;
        for (W v : parts) sum += v;
        return sum;
    }
};
struct Min {
    static constexpr const char* name = "min";
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, std::uint64_t n, cudaStream_t s) {
        return cub::DeviceReduce::Min(scratch, bytes, in, out, n, s);
    }
};
struct Max {
    static constexpr const char* name = "max";
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, std::uint64_t n, cudaStream_t s) {
        return cub::DeviceReduce::Max(scratch, bytes, in, out, n, s);
    }
};

struct Time {
    double median = 0, least = 0, spread = 0;
    unsigned samples = 0;
};

double quantile(const std::vector<double>& sorted, double p) {
    const double at = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    if (below + 1 >= sorted.size()) return sorted.back();
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

Time summary(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    Time t;
    t.median = quantile(samples, 0.5);
    t.least = samples.front();
    t.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / t.median;
    t.samples = static_cast<unsigned>(samples.size());
    return t;
}

struct Device {
    cudaStream_t stream = nullptr;
    cudaEvent_t first = nullptr, last = nullptr;
    std::byte* memory = nullptr;   ///< inputs
    std::uint64_t bytes = 0;       ///< of them
    std::byte* scratch = nullptr;  ///< CUB's, of each set
    std::size_t scratch_bytes = 0; ///< of one
    std::byte* result = nullptr;   ///< of each set, kApart bytes apart
    std::byte* partial = nullptr;
    std::byte* other = nullptr;    ///< what fills the L2
    std::uint64_t l2 = 0;
    static constexpr unsigned kBlocks = 1056, kThreads = 256, kApart = 256;
    static constexpr std::uint64_t kMostSets = 64;
};

/// Reads zeros: nothing is ever stored.
__global__ void fill_cache(uint4* from, std::uint64_t n) {
    uint4 any{};
    for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n; i += std::uint64_t{gridDim.x} * blockDim.x)
        any.x |= from[i].x | from[i].y | from[i].z | from[i].w;
    if (any.x != 0) *from = any;
}

/// Seconds of one call. `sets`: of input, result and scratch, 1 = always the same. `flush`: fill the L2 with other data first.
template <class Op, class T>
Time measured(Device& d, std::uint64_t n, std::uint64_t sets, bool flush, const Options& o) {
    const std::uint64_t apart = (n * sizeof(T) + 255) / 256 * 256;
    const auto call = [&](std::uint64_t i) {
        const std::uint64_t set = i % sets;
        std::size_t bytes = d.scratch_bytes;
        CHECK(Op::run(d.scratch + set * d.scratch_bytes, bytes, reinterpret_cast<const T*>(d.memory + set * apart),
                      reinterpret_cast<T*>(d.result + set * Device::kApart), n, d.stream));
    };
    const double guess = 4e-6 + static_cast<double>(n * sizeof(T)) / 4e12;
    const auto repeat = static_cast<std::uint64_t>(std::clamp(2e-3 / guess, 1.0, 512.0));
    const std::uint64_t calls = flush ? sets : (repeat + sets - 1) / sets * sets;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(d.stream, cudaStreamCaptureModeThreadLocal));
    for (std::uint64_t i = 0; i < calls; ++i) call(i);
    CHECK(cudaStreamEndCapture(d.stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    std::vector<double> samples;
    double spent = 0;
    for (unsigned round = 0; round < 200; ++round) {
        if (flush) fill_cache<<<Device::kBlocks, Device::kThreads, 0, d.stream>>>(reinterpret_cast<uint4*>(d.other), 4 * d.l2 / 16);
        CHECK(cudaEventRecord(d.first, d.stream));
        CHECK(cudaGraphLaunch(exec, d.stream));
        CHECK(cudaEventRecord(d.last, d.stream));
        CHECK(cudaEventSynchronize(d.last));
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, d.first, d.last));
        if (round < 2) continue;
        samples.push_back(1e-3 * ms / static_cast<double>(calls));
        spent += 1e-3 * ms;
        if (samples.size() >= 7 && spent >= o.seconds) break;
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return summary(std::move(samples));
}

std::string records;

void add_record(const char* type, const char* op, std::uint64_t n, unsigned size, const char* inputs, const Time& t,
                bool verified, double error) {
    char text[1200];
    std::snprintf(text, sizeof text,
                  "%s    {\"experiment\": \"reduce\", \"rung\": \"cub\", \"title\": \"CUB DeviceReduce %d.%d\",\n"
                  "     \"axes\": {\"n\": %llu, \"T\": \"%s\", \"op\": \"%s\", \"inputs\": \"%s\"},\n"
                  "     \"device\": \"cuda:0\", \"model\": null, \"grid\": null, \"block\": null, \"verified\": %s,\n"
                  "     \"known_incorrect\": false, \"error\": null,\n"
                  "     \"verification\": {\"elements\": 1, \"mismatches\": %d, \"max_absolute_error\": 0,\n"
                  "       \"max_relative_error\": %.3g, \"tolerance\": 0, \"reference\": \"a plain kernel in higher precision\",\n"
                  "       \"first_mismatch\": \"\"},\n"
                  "     \"flops\": %llu, \"bytes\": %llu,\n"
                  "     \"time\": {\"median_s\": %.9g, \"min_s\": %.9g, \"spread\": %.4g, \"samples\": %u}}",
                  records.empty() ? "" : ",\n", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
                  static_cast<unsigned long long>(n), type, op, inputs, verified ? "true" : "false", verified ? 0 : 1,
                  error, static_cast<unsigned long long>(n), static_cast<unsigned long long>(n * size), t.median, t.least,
                  t.spread, t.samples);
    records += text;
}

template <class Op, class T>
bool row(Device& d, const char* type, std::uint64_t n, const Partial<T>& expected, const Options& o) {
    std::size_t need = 0;
    CHECK(Op::run(nullptr, need, reinterpret_cast<const T*>(d.memory), reinterpret_cast<T*>(d.result), n, d.stream));
    need = (need + 255) / 256 * 256;
    if (need > d.scratch_bytes) {
        CHECK(cudaFree(d.scratch));
        CHECK(cudaMalloc(&d.scratch, need * Device::kMostSets));
        d.scratch_bytes = need;
    }
    CHECK(cudaMemsetAsync(d.result, 0xff, 16, d.stream));
    CHECK(Op::run(d.scratch, need, reinterpret_cast<const T*>(d.memory), reinterpret_cast<T*>(d.result), n, d.stream));
    T host;
    CHECK(cudaMemcpyAsync(&host, d.result, sizeof host, cudaMemcpyDeviceToHost, d.stream));
    CHECK(cudaStreamSynchronize(d.stream));
    double error = 0;
    bool right;
    if constexpr (std::is_integral_v<T>) {
        const long long e = Op::name[1] == 'u' ? expected.sum : Op::name[1] == 'i' ? expected.least : expected.largest;
        right = host == static_cast<T>(e);  // sums wrap
    } else {
        double unit = 0x1p-53;
        if constexpr (sizeof(T) == 4) unit = 0x1p-24;
        if constexpr (std::is_same_v<T, __half>) unit = 0x1p-11;
        if constexpr (std::is_same_v<T, __nv_bfloat16>) unit = 0x1p-8;
        const double got = static_cast<double>(host);
        if (Op::name[1] == 'u') {
            error = std::abs(got - expected.sum) / expected.magnitude;
            // Of 2^33 halves the sum itself may be past the type's largest number.
            const bool overflow = std::is_same_v<T, __half> && std::abs(expected.sum) > 65000;
            right = error <= (8 + std::log2(static_cast<double>(n))) * unit || (overflow && std::isinf(got));
        } else {
            right = got == (Op::name[1] == 'i' ? expected.least : expected.largest);
        }
    }
    // Enough sets that one is gone from the L2 when its turn comes again.
    const std::uint64_t size = n * sizeof(T), wanted = 3 * d.l2 / size + 1;
    const std::uint64_t sets = std::min({wanted, Device::kMostSets, std::max<std::uint64_t>(d.bytes / (size + 255), 1)});
    const Time warm = measured<Op, T>(d, n, 1, false, o);
    const Time cold = wanted > 1 ? measured<Op, T>(d, n, sets, sets < wanted, o) : warm;
    add_record(type, Op::name, n, sizeof(T), "warm", warm, right, error);
    add_record(type, Op::name, n, sizeof(T), "cold", cold, right, error);
    std::printf("%-5s %-4s %11llu  %9.2f us %5.1f %% %8.1f GB/s  %9.2f us %5.1f %% %8.1f GB/s  %s\n", type, Op::name,
                static_cast<unsigned long long>(n), 1e6 * warm.median, 100 * warm.spread,
                static_cast<double>(size) / warm.median / 1e9, 1e6 * cold.median, 100 * cold.spread,
                static_cast<double>(size) / cold.median / 1e9, right ? "yes" : "NO");
    std::fflush(stdout);
    return right;
}

bool chosen(const std::string& list, const std::string& word) {
    return list == "all" || ("," + list + ",").find("," + word + ",") != std::string::npos;
}

template <class T>
bool type_rows(Device& d, const char* type, const Options& o) {
    if (!chosen(o.types, type)) return true;
    bool right = true;
    const std::uint64_t room = d.bytes / sizeof(T);
    fill<<<Device::kBlocks, Device::kThreads, 0, d.stream>>>(reinterpret_cast<T*>(d.memory), room, o.seed);
    CHECK(cudaGetLastError());
    for (std::uint64_t n : o.sizes) {
        if (n == 0 || n > room) {
            std::printf("%-5s      %11llu  left out: does not fit the device's memory\n", type,
                        static_cast<unsigned long long>(n));
            continue;
        }
        plain<T><<<Device::kBlocks, Device::kThreads, 0, d.stream>>>(reinterpret_cast<const T*>(d.memory), n,
                                                                     reinterpret_cast<Partial<T>*>(d.partial));
        CHECK(cudaGetLastError());
        std::vector<Partial<T>> parts(Device::kBlocks * Device::kThreads);
        CHECK(cudaMemcpyAsync(parts.data(), d.partial, parts.size() * sizeof parts[0], cudaMemcpyDeviceToHost, d.stream));
        CHECK(cudaStreamSynchronize(d.stream));
        Partial<T> e = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i) {
            e.sum += parts[i].sum;
            e.magnitude += parts[i].magnitude;
            e.least = std::min(e.least, parts[i].least);
            e.largest = std::max(e.largest, parts[i].largest);
        }
        if (chosen(o.ops, "sum")) right &= row<Sum, T>(d, type, n, e, o);
        if (chosen(o.ops, "min")) right &= row<Min, T>(d, type, n, e, o);
        if (chosen(o.ops, "max")) right &= row<Max, T>(d, type, n, e, o);
    }
    return right;
}

std::vector<std::uint64_t> numbers(const std::string& text) {
    std::vector<std::uint64_t> out;
    for (const char* at = text.c_str(); *at;) {
        char* end = nullptr;
        out.push_back(std::strtoull(at, &end, 10));
        if (end == at) return {};
        at = *end == ',' ? end + 1 : end;
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; i += 2) {
        const std::string key = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        if (key == "--type" && !value.empty()) o.types = value;
        else if (key == "--op" && !value.empty()) o.ops = value;
        else if (key == "--json" && !value.empty()) o.json = value;
        else if (key == "--seed" && !value.empty()) o.seed = std::strtoull(value.c_str(), nullptr, 10);
        else if (key == "--seconds" && !value.empty()) o.seconds = std::strtod(value.c_str(), nullptr);
        else if (key == "--size" && !numbers(value).empty()) o.sizes = numbers(value);
        else {
            std::fprintf(stderr, "usage: cub_reduce [--type i32,i64,f16,bf16,f32,f64] [--op sum,min,max] [--size N,N]\n"
                                 "                  [--seconds S] [--seed N] [--json FILE]\n");
            return 2;
        }
    }
    if (o.sizes.empty())
        for (unsigned e = 10; e <= 33; e += e < 32 ? 2 : 1) o.sizes.push_back(std::uint64_t{1} << e);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    Device d;
    d.l2 = static_cast<std::uint64_t>(properties.l2CacheSize);
    CHECK(cudaStreamCreate(&d.stream));
    CHECK(cudaEventCreate(&d.first));
    CHECK(cudaEventCreate(&d.last));
    // Room for the largest size, and for inputs that do not fit the L2 together.
    std::size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    const std::uint64_t largest = *std::max_element(o.sizes.begin(), o.sizes.end()) * 8;
    d.bytes = std::min<std::uint64_t>(std::max(largest, 8 * d.l2), static_cast<std::uint64_t>(free) / 16 * 13) & ~255ull;
    CHECK(cudaMalloc(&d.memory, d.bytes));
    CHECK(cudaMalloc(&d.result, Device::kMostSets * Device::kApart));
    CHECK(cudaMalloc(&d.other, 4 * d.l2));
    CHECK(cudaMemset(d.other, 0, 4 * d.l2));
    CHECK(cudaMalloc(&d.partial, Device::kBlocks * Device::kThreads * sizeof(Partial<double>)));
    std::printf("%s, CUB %d.%d.%d, seed %llu\n%-5s %-4s %11s  %s\n", properties.name, CUB_VERSION / 100000,
                CUB_VERSION / 100 % 1000, CUB_VERSION % 100, static_cast<unsigned long long>(o.seed), "type", "op", "n",
                "     warm, spread, rate              cold, spread, rate           verified");
    bool right = true;
#define TYPE(cuda, name) right &= type_rows<cuda>(d, #name, o);
#define TYPE_i32 TYPE(int, i32)
#define TYPE_i64 TYPE(long long, i64)
#define TYPE_f16 TYPE(__half, f16)
#define TYPE_bf16 TYPE(__nv_bfloat16, bf16)
#define TYPE_f32 TYPE(float, f32)
#define TYPE_f64 TYPE(double, f64)
#ifdef ONLY
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
    JOIN(TYPE_, ONLY)
#else
    TYPE_i32 TYPE_i64 TYPE_f16 TYPE_bf16 TYPE_f32 TYPE_f64
#endif
    if (!o.json.empty()) {
        std::FILE* file = std::fopen(o.json.c_str(), "w");
        if (!file) return std::perror(o.json.c_str()), 1;
        char date[32];
        const std::time_t now = std::time(nullptr);
        std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
        std::fprintf(file,
                     "{\n  \"schema\": 1,\n  \"environment\": {\"version\": \"\", \"date\": \"%s\", \"cpu\": \"\", \"target\": "
                     "\"nvcc\", \"host_threads\": 1, \"device\": \"cuda:0\", \"model\": \"\"},\n  \"records\": [\n%s\n  ]\n}\n",
                     date, records.c_str());
        std::fclose(file);
    }
    return right ? 0 : 1;
}
