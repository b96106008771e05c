// A program of cuFFT that checks itself: each transform against its definition, computed by the host in double
// precision. It was also run with NVIDIA's library on a device; what it says of errors is what that library answers.
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <cufftXt.h>
#include <math.h>
#include <stdio.h>

#include <complex>
#include <cstddef>
#include <vector>

using Numbers = std::vector<std::complex<double>>;

static int failures;
static void expect(bool good, const char* what, long a = 0, long b = 0) {
    if (!good) printf("failed: %s (%ld, %ld)\n", what, a, b), ++failures;
}

/// The transform of lines that lie `stride` apart.
static void transform_axis(Numbers& x, size_t n, size_t stride, int sign) {
    std::vector<std::complex<double>> roots(n), line(n);
    for (size_t k = 0; k < n; ++k) roots[k] = std::polar(1.0, sign * 2 * M_PI * double(k) / double(n));
    for (size_t first = 0; first < x.size(); ++first) {
        if (first / stride % n != 0) continue;
        for (size_t k = 0; k < n; ++k) {
            std::complex<double> sum = 0;
            for (size_t j = 0, turn = 0; j < n; ++j, turn = (turn + k) % n) sum += x[first + j * stride] * roots[turn];
            line[k] = sum;
        }
        for (size_t k = 0; k < n; ++k) x[first + k * stride] = line[k];
    }
}

static Numbers transformed(Numbers x, const std::vector<int>& n, int sign) {
    size_t stride = 1;
    for (size_t d = n.size(); d-- > 0; stride *= n[d]) transform_axis(x, n[d], stride, sign);
    return x;
}

static double number(size_t k) { return double((k * 2654435761u >> 7) % 2001) / 1000 - 1; }

template <class T>
struct Types;
template <>
struct Types<float> {
    static constexpr cufftType c2c = CUFFT_C2C, r2c = CUFFT_R2C, c2r = CUFFT_C2R;
    static constexpr double error = 2e-6;
};
template <>
struct Types<double> {
    static constexpr cufftType c2c = CUFFT_Z2Z, r2c = CUFFT_D2Z, c2r = CUFFT_Z2D;
    static constexpr double error = 4e-15;
};

/// A plan and the memory that it works on, one side behind the other unless it works in place.
template <class T>
struct Work {
    cufftHandle plan = 0;
    T *in = nullptr, *out = nullptr;
    bool in_place;
    Work(const std::vector<int>& n, int batch, cufftType type, bool same, size_t ins, size_t outs) : in_place(same) {
        const size_t bytes = (ins > outs ? ins : outs) * sizeof(T);
        expect(cudaMalloc(reinterpret_cast<void**>(&in), bytes) == cudaSuccess, "cudaMalloc");
        out = in;
        if (!same) expect(cudaMalloc(reinterpret_cast<void**>(&out), bytes) == cudaSuccess, "cudaMalloc");
        std::vector<int> lengths = n;
        const auto s = cufftPlanMany(&plan, int(n.size()), lengths.data(), nullptr, 1, 0, nullptr, 1, 0, type, batch);
        expect(s == CUFFT_SUCCESS, "cufftPlanMany", s, n.back());
    }
    std::vector<T> run(const std::vector<T>& from, size_t outs, int direction) {
        cudaMemcpy(in, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
        const auto s = cufftXtExec(plan, in, out, direction);
        expect(s == CUFFT_SUCCESS, "cufftXtExec", s);
        std::vector<T> result(outs);
        cudaMemcpy(result.data(), out, outs * sizeof(T), cudaMemcpyDeviceToHost);
        return result;
    }
    ~Work() {
        cufftDestroy(plan);
        if (!in_place) cudaFree(out);
        cudaFree(in);
    }
};

/// The error against the definition, of all elements, by the size of the largest.
template <class T>
static void compare(const std::vector<T>& got, const std::vector<double>& wanted, const char* what, long a, long b) {
    double error = 0, size = 0;
    for (size_t k = 0; k < wanted.size(); ++k) {
        error = fmax(error, fabs(double(got[k]) - wanted[k]));
        size = fmax(size, fabs(wanted[k]));
        if (!(got[k] == got[k])) error = INFINITY;
    }
    if (!(error <= Types<T>::error * size)) printf("error %g of %g\n", error, size);
    expect(error <= Types<T>::error * size, what, a, b);
}

static size_t elements(const std::vector<int>& n, int batch) {
    size_t all = batch;
    for (int x : n) all *= x;
    return all;
}

/// The transform of each of the batch.
static Numbers batch_transformed(const Numbers& x, const std::vector<int>& n, int batch, int sign) {
    const size_t each = x.size() / batch;
    Numbers all;
    for (int b = 0; b < batch; ++b) {
        const auto one = transformed(Numbers(x.begin() + b * each, x.begin() + (b + 1) * each), n, sign);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

template <class T>
static void complex_both_ways(const std::vector<int>& n, int batch, bool in_place) {
    const size_t all = elements(n, batch);
    Numbers x(all);
    std::vector<T> from(2 * all);
    for (size_t k = 0; k < all; ++k) {
        from[2 * k] = T(number(2 * k));
        from[2 * k + 1] = T(number(2 * k + 1));
        x[k] = {from[2 * k], from[2 * k + 1]};
    }
    Work<T> work(n, batch, Types<T>::c2c, in_place, 2 * all, 2 * all);
    for (int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        const auto y = batch_transformed(x, n, batch, direction);
        std::vector<double> wanted;
        for (const auto& v : y) wanted.push_back(v.real()), wanted.push_back(v.imag());
        compare(work.run(from, 2 * all, direction), wanted, "complex", n[0], direction);
    }
}

/// Real numbers forwards and back: rows have `pitch` numbers.
template <class T>
static void real_both_ways(const std::vector<int>& n, int batch, bool in_place) {
    const size_t last = n.back(), half = last / 2 + 1, rows = elements(n, batch) / last,
                 pitch = in_place ? 2 * half : last;
    Numbers x;
    std::vector<T> from(rows * pitch);
    for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < last; ++k) x.push_back(from[r * pitch + k] = T(number(r * last + k)));
    const auto y = batch_transformed(x, n, batch, -1);
    std::vector<double> halves;
    for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < half; ++k)
            halves.push_back(y[r * last + k].real()), halves.push_back(y[r * last + k].imag());
    Work<T> forward(n, batch, Types<T>::r2c, in_place, rows * pitch, rows * half * 2);
    const auto got = forward.run(from, rows * half * 2, CUFFT_FORWARD);
    compare(got, halves, "real to complex", n[0], long(last));
    Work<T> back(n, batch, Types<T>::c2r, in_place, rows * half * 2, rows * pitch);
    const auto again = back.run(got, rows * pitch, CUFFT_INVERSE);
    std::vector<T> rows_only;
    std::vector<double> wanted;
    for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; k < last; ++k) {
            rows_only.push_back(again[r * pitch + k]);
            wanted.push_back(x[r * last + k].real() * double(elements(n, 1)));
        }
    compare(rows_only, wanted, "complex to real", n[0], long(last));
}

/// Columns of a matrix as lines: elements `batch` apart, lines beside each other, within rows of more elements.
static void embedded_columns() {
    const int n = 12, columns = 5, width = 7;
    std::vector<float> from(2 * n * width);
    for (size_t k = 0; k < from.size(); ++k) from[k] = float(number(k));
    Numbers x;
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < n; ++r) x.push_back({from[2 * (r * width + c)], from[2 * (r * width + c) + 1]});
    const auto y = batch_transformed(x, {n}, columns, -1);
    std::vector<double> wanted;
    for (const auto& v : y) wanted.push_back(v.real()), wanted.push_back(v.imag());
    float *in, *out;
    cudaMalloc(reinterpret_cast<void**>(&in), from.size() * sizeof(float));
    cudaMalloc(reinterpret_cast<void**>(&out), wanted.size() * sizeof(float));
    cudaMemcpy(in, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice);
    cufftHandle plan;
    expect(cufftCreate(&plan) == CUFFT_SUCCESS, "cufftCreate");
    long long length = n, in_embedding = n, out_embedding = n;
    size_t bytes = 0;
    auto s = cufftXtMakePlanMany(plan, 1, &length, &in_embedding, width, 1, CUDA_C_32F, &out_embedding, 1, n,
                                 CUDA_C_32F, columns, &bytes, CUDA_C_32F);
    expect(s == CUFFT_SUCCESS, "cufftXtMakePlanMany", s);
    s = cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(in), reinterpret_cast<cufftComplex*>(out), CUFFT_FORWARD);
    expect(s == CUFFT_SUCCESS, "cufftExecC2C", s);
    std::vector<float> got(wanted.size());
    cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
    compare(got, wanted, "embedded columns", n, columns);
    cufftDestroy(plan);
    cudaFree(in);
    cudaFree(out);
}

static void errors() {
    cufftHandle plan;
    expect(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "no elements");
    expect(cufftPlan1d(&plan, -8, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "fewer than none");
    expect(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE, "no batch");
    expect(cufftPlan1d(&plan, 8, static_cast<cufftType>(7), 1) == CUFFT_INVALID_TYPE, "no such type");
    expect(cufftCreate(&plan) == CUFFT_SUCCESS, "cufftCreate");
    cufftComplex* memory;
    cudaMalloc(reinterpret_cast<void**>(&memory), 8 * sizeof(cufftComplex));
    expect(cufftExecC2C(plan, memory, memory, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "not made yet");
    size_t bytes = 7;
    expect(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes) == CUFFT_SUCCESS, "cufftMakePlan1d");
    expect(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes) == CUFFT_INVALID_PLAN, "made twice");
    expect(cufftExecC2C(plan, memory, memory, 2) == CUFFT_INVALID_VALUE, "no direction");
    expect(cufftDestroy(plan) == CUFFT_SUCCESS, "cufftDestroy");
    expect(cufftDestroy(plan) == CUFFT_INVALID_PLAN, "destroyed twice");
    expect(cufftExecC2C(plan, memory, memory, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "destroyed before");
    cudaFree(memory);
}

int main() {
    for (int n : {1, 2, 3, 8, 60, 61, 97, 121, 210, 1000, 2048, 2062}) {
        complex_both_ways<float>({n}, n < 100 ? 7 : 2, n % 2 == 0);
        complex_both_ways<double>({n}, n < 100 ? 3 : 1, n % 2 != 0);
    }
    for (int n : {1, 2, 9, 16, 67, 1024}) {
        for (bool in_place : {false, true}) real_both_ways<float>({n}, 3, in_place);
        real_both_ways<double>({n}, 2, n % 2 == 0);
    }
    complex_both_ways<float>({3000}, 1, true);
    complex_both_ways<float>({12, 20}, 2, false);
    complex_both_ways<double>({4, 6, 10}, 2, true);
    for (bool in_place : {false, true}) {
        real_both_ways<float>({4, 6, 10}, 2, in_place);
        real_both_ways<float>({9, 7}, 2, in_place);
    }
    real_both_ways<float>({4098}, 1, false);
    embedded_columns();
    errors();
    printf(failures ? "%d failed\n" : "passed\n", failures);
    return failures != 0;
}
