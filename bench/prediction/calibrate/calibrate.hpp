// What the parts of the calibration share: the check of CUDA calls, the JSON that they write, and the timing of
// launches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CUDA_CHECK(call)                                                                                    \
    do {                                                                                                    \
        const cudaError_t error_ = (call);                                                                  \
        if (error_ != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            std::exit(1);                                                                                   \
        }                                                                                                   \
    } while (0)

/// Rows of the output: one JSON object on a line each, so that a run that is cut short leaves what it had.
class Rows {
public:
    explicit Rows(std::FILE* file) : file_(file) {}

    /// Begins a row of one experiment; `field` adds to it, `end` writes it.
    Rows& begin(const char* experiment) {
        line_ = std::string("{\"experiment\": \"") + experiment + "\"";
        return *this;
    }
    Rows& field(const char* key, const std::string& value) {
        line_ += std::string(", \"") + key + "\": \"" + value + "\"";
        return *this;
    }
    Rows& field(const char* key, double value) {
        char text[64];
        std::snprintf(text, sizeof text, "%.6g", value);
        line_ += std::string(", \"") + key + "\": " + text;
        return *this;
    }
    void end() {
        std::fprintf(file_, "%s}\n", line_.c_str());
        std::fflush(file_);
    }

private:
    std::FILE* file_;
    std::string line_;
};

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Median seconds of a launch by CUDA events, after one launch that warms up.
template <class Launch>
double seconds(const Launch& launch, int samples = 3) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    launch();
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        CUDA_CHECK(cudaEventRecord(start));
        launch();
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        times.push_back(milliseconds * 1e-3);
    }
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return median(times);
}

void measure_operations(Rows& rows);
void measure_shared(Rows& rows);
void measure_tensor(Rows& rows);
void measure_memory(Rows& rows);
void measure_atomics(Rows& rows);
void measure_contention(Rows& rows);
void measure_joining(Rows& rows);
void measure_textures(Rows& rows);
void measure_bulk(Rows& rows);
void measure_launches(Rows& rows);
void measure_copies(Rows& rows);
void launch_empty_kernels();
