// Times the rungs that prepare.py wrote into a plan, as `warpwright lab --device cuda` does: a sample repeats a rung's
// launches as one graph, over so many sets of buffers that none is in the second-level cache when it is used again
// ("cold"), or always over the same set ("warm"). It prints a JSON object for each rung.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        const cudaError_t error_ = (call);                                                                \
        if (error_ != cudaSuccess) {                                                                      \
            std::fprintf(stderr, "%s: %s (line %d)\n", #call, cudaGetErrorString(error_), __LINE__);      \
            std::exit(3);                                                                                 \
        }                                                                                                 \
    } while (0)

namespace {

struct Buffer {
    std::string name, kind, contents, role;
    std::size_t bytes = 0;
};

struct Argument {
    int buffer = -1;
    std::vector<unsigned char> bytes;
};

struct Launch {
    std::string kernel;
    unsigned grid[3], block[3], cluster[3], shared, cooperative, programmatic;
    std::vector<Argument> arguments;
};

struct Rung {
    std::string problem, name, module;
    std::vector<Launch> launches;
};

struct Problem {
    std::string name;
    std::vector<Buffer> buffers;
    std::vector<Rung> rungs;
};

std::vector<Problem> read_plan(const std::string& path) {
    std::ifstream in(path);
    if (!in) {
        std::fprintf(stderr, "%s cannot be read\n", path.c_str());
        std::exit(2);
    }
    std::vector<Problem> out;
    std::string line, word;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        words >> word;
        if (word == "problem") {
            out.emplace_back();
            words >> out.back().name;
        } else if (word == "buffer") {
            Buffer b;
            words >> b.name >> b.bytes >> b.kind >> b.contents >> b.role;
            out.back().buffers.push_back(b);
        } else if (word == "rung") {
            out.back().rungs.push_back({out.back().name, {}, {}, {}});
            words >> out.back().rungs.back().name;
        } else if (word == "module") {
            words >> out.back().rungs.back().module;
        } else if (word == "launch") {
            Launch l;
            words >> l.kernel;
            for (unsigned* three : {l.grid, l.block, l.cluster})
                for (int i = 0; i < 3; ++i) words >> three[i];
            words >> l.shared >> l.cooperative >> l.programmatic;
            out.back().rungs.back().launches.push_back(l);
        } else if (word == "arg") {
            Argument a;
            std::string kind, text;
            words >> kind >> text;
            const auto& known = out.back().buffers;
            if (kind == "buffer")
                for (std::size_t i = 0; i < known.size(); ++i) a.buffer = known[i].name == text ? int(i) : a.buffer;
            else
                for (std::size_t i = 0; i + 1 < text.size(); i += 2)
                    a.bytes.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
            out.back().rungs.back().launches.back().arguments.push_back(a);
        }
    }
    return out;
}

/// Uniform numbers of a buffer's type: floats in [-1, 1), integers in [0, 100).
std::vector<unsigned char> contents_of(const Buffer& b) {
    std::vector<unsigned char> out(b.bytes, 0);
    if (b.contents == "zero") return out;
    if (b.contents == "iota" && b.kind == "i32") {
        for (std::size_t i = 0; i < b.bytes / 4; ++i) reinterpret_cast<std::int32_t*>(out.data())[i] = std::int32_t(i);
        return out;
    }
    std::uint64_t state = 88172645463325252ull;
    const auto next = [&] {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return state;
    };
    const auto fill = [&](auto type, auto make) {
        auto* at = reinterpret_cast<decltype(type)*>(out.data());
        for (std::size_t i = 0; i < b.bytes / sizeof(type); ++i) at[i] = decltype(type)(make());
    };
    const auto real = [&] { return double(next() >> 11) / double(1ull << 52) - 1; };
    const auto whole = [&] { return next() % 100; };
    const bool floating = b.kind.find("float") == 0 || b.kind[0] == 'f';
    if (floating && (b.kind == "float32" || b.kind == "f32")) fill(float{}, real);
    else if (floating && (b.kind == "float64" || b.kind == "f64")) fill(double{}, real);
    else if (floating || b.kind[0] == 'b') fill(std::uint16_t{}, [&] { return 0x3c00 + next() % 64; });
    else if (b.kind.find("64") != std::string::npos) fill(std::uint64_t{}, whole);
    else if (b.kind.find("32") != std::string::npos) fill(std::uint32_t{}, whole);
    else fill(std::uint8_t{}, whole);
    return out;
}

class Timing {
public:
    Timing(const std::string& folder, const Problem& problem, int cache) : folder_(folder), problem_(problem) {
        std::size_t footprint = 0;
        for (const Buffer& b : problem.buffers)
            if (b.role != "scratch") footprint += b.bytes;
        const std::size_t wanted = 3 * std::size_t(cache) / std::max<std::size_t>(footprint, 1) + 2;
        std::size_t all = 0, free = 0, total = 0;
        for (const Buffer& b : problem.buffers) all += b.bytes;
        CHECK(cudaMemGetInfo(&free, &total));
        sets_.resize(std::clamp<std::size_t>(std::min(wanted, free / 2 / std::max<std::size_t>(all, 1)), 1, 512));
        for (auto& set : sets_)
            for (const Buffer& b : problem.buffers) {
                void* at = nullptr;
                CHECK(cudaMalloc(&at, std::max<std::size_t>(b.bytes, 256)));
                set.push_back(at);
            }
        for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
            const auto bytes = contents_of(problem.buffers[i]);
            for (auto& set : sets_) CHECK(cudaMemcpy(set[i], bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        }
        CHECK(cudaStreamCreate(&stream_));
        CHECK(cudaEventCreate(&begin_));
        CHECK(cudaEventCreate(&end_));
    }
    ~Timing() {
        for (auto& set : sets_)
            for (void* at : set) cudaFree(at);
    }

    void time(const Rung& rung, int samples) {
        const std::string path = folder_ + "/" + rung.module;
        cudaLibrary_t library{};
        if (const cudaError_t error = cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
            error != cudaSuccess) {
            std::fprintf(stderr, "%s: %s\n", path.c_str(), cudaGetErrorString(error));
            return;
        }
        kernels_.clear();
        for (const Launch& l : rung.launches) {
            cudaKernel_t kernel{};
            CHECK(cudaLibraryGetKernel(&kernel, library, l.kernel.c_str()));
            CHECK(cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(l.shared)));
            kernels_.push_back(kernel);
        }
        launch_all(rung, 0);
        CHECK(cudaStreamSynchronize(stream_));
        const double sum = checksum();
        const double once = seconds(rung, 1, sets_.size(), 1).front();
        // A graph is launched again and again: it must go through all sets, or those that it has stay in the cache.
        const unsigned runs = unsigned(std::max<std::size_t>(repeats(once), sets_.size()));
        const double cold = median(seconds(rung, runs, sets_.size(), runs * once > 0.02 ? 3 : samples));
        const double warm = median(seconds(rung, repeats(once), 1, samples));
        std::printf("{\"problem\": \"%s\", \"rung\": \"%s\", \"launches\": %zu, \"cold\": %.6g, \"warm\": %.6g, \"sets\": %zu, \"sum\": %.9g}\n",
                    rung.problem.c_str(), rung.name.c_str(), rung.launches.size(), cold, warm, sets_.size(), sum);
        std::fflush(stdout);
        CHECK(cudaLibraryUnload(library));
    }

private:
    static unsigned repeats(double once) { return unsigned(std::clamp(1e-3 / std::max(once, 1e-7), 2.0, 300.0)); }
    static double median(std::vector<double> v) {
        std::sort(v.begin(), v.end());
        return v[v.size() / 2];
    }

    void launch_all(const Rung& rung, std::size_t set) {
        for (std::size_t n = 0; n < rung.launches.size(); ++n) {
            const Launch& l = rung.launches[n];
            std::vector<void*> pointers;
            for (const Argument& a : l.arguments)
                pointers.push_back(a.buffer >= 0 ? static_cast<void*>(&sets_[set][std::size_t(a.buffer)])
                                                 : const_cast<unsigned char*>(a.bytes.data()));
            cudaLaunchConfig_t config{};
            config.gridDim = dim3(l.grid[0], l.grid[1], l.grid[2]);
            config.blockDim = dim3(l.block[0], l.block[1], l.block[2]);
            config.dynamicSmemBytes = l.shared;
            config.stream = stream_;
            cudaLaunchAttribute attributes[3];
            config.attrs = attributes;
            if (l.cluster[0] * l.cluster[1] * l.cluster[2] > 1) {
                auto& a = attributes[config.numAttrs++];
                a.id = cudaLaunchAttributeClusterDimension;
                a.val.clusterDim = {l.cluster[0], l.cluster[1], l.cluster[2]};
            }
            if (l.cooperative) {
                auto& a = attributes[config.numAttrs++];
                a.id = cudaLaunchAttributeCooperative;
                a.val.cooperative = 1;
            }
            if (l.programmatic) {
                auto& a = attributes[config.numAttrs++];
                a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
                a.val.programmaticStreamSerializationAllowed = 1;
            }
            CHECK(cudaLaunchKernelExC(&config, (const void*)kernels_[n], pointers.data()));
        }
    }

    /// Seconds of one run of the rung, in each of the samples: a graph of so many runs is launched once for each.
    std::vector<double> seconds(const Rung& rung, unsigned runs, std::size_t sets, int samples) {
        cudaGraph_t graph{};
        cudaGraphExec_t ready{};
        CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (unsigned i = 0; i < runs; ++i) launch_all(rung, next_set_++ % sets);
        CHECK(cudaStreamEndCapture(stream_, &graph));
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        std::vector<double> out;
        for (int i = -2; i < samples; ++i) {
            CHECK(cudaEventRecord(begin_, stream_));
            CHECK(cudaGraphLaunch(ready, stream_));
            CHECK(cudaEventRecord(end_, stream_));
            CHECK(cudaEventSynchronize(end_));
            float milliseconds = 0;
            CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
            if (i >= 0) out.push_back(double(milliseconds) / 1000 / runs);
        }
        CHECK(cudaGraphExecDestroy(ready));
        CHECK(cudaGraphDestroy(graph));
        return out;
    }

    /// Of the output, so that rungs can be compared with each other: the sum of its bytes' values at odd weights.
    double checksum() {
        for (std::size_t i = 0; i < problem_.buffers.size(); ++i) {
            const Buffer& b = problem_.buffers[i];
            if (b.role != "output") continue;
            std::vector<unsigned char> bytes(b.bytes);
            CHECK(cudaMemcpy(bytes.data(), sets_[0][i], b.bytes, cudaMemcpyDeviceToHost));
            double sum = 0;
            const bool real = b.kind == "float32" || b.kind == "f32", wide = b.kind == "float64" || b.kind == "f64";
            if (real)
                for (std::size_t k = 0; k < b.bytes / 4; ++k) sum += double(reinterpret_cast<float*>(bytes.data())[k]) * double(1 + k % 7);
            else if (wide)
                for (std::size_t k = 0; k < b.bytes / 8; ++k) sum += reinterpret_cast<double*>(bytes.data())[k] * double(1 + k % 7);
            else
                for (std::size_t k = 0; k < b.bytes; ++k) sum += double(bytes[k]) * double(1 + k % 7);
            return sum;
        }
        return 0;
    }

    std::string folder_;
    const Problem& problem_;
    std::vector<std::vector<void*>> sets_;
    std::vector<cudaKernel_t> kernels_;
    std::size_t next_set_ = 0;
    cudaStream_t stream_{};
    cudaEvent_t begin_{}, end_{};
};

}  // namespace

int main(int count, char** words) {
    if (count < 2) {
        std::fprintf(stderr, "usage: time_rungs PLAN [SAMPLES [PROBLEM]]\n");
        return 2;
    }
    const std::string path = words[1];
    const std::string folder = path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/'));
    cudaDeviceProp facts{};
    CHECK(cudaGetDeviceProperties(&facts, 0));
    int driver = 0;
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("{\"device\": \"%s\", \"driver\": %d, \"l2\": %d}\n", facts.name, driver, facts.l2CacheSize);
    for (const Problem& problem : read_plan(path)) {
        if (count > 3 && problem.name != words[3]) continue;
        Timing timing(folder, problem, facts.l2CacheSize);
        for (const Rung& rung : problem.rungs) timing.time(rung, count > 2 ? std::atoi(words[2]) : 9);
    }
    return 0;
}
