// Matrices of the host and of the device for programs of cuSPARSE, and how both are compared.
#pragma once

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

using Complex = std::complex<double>;

static int failures;
static void expect(bool good, const char* what, long a = 0, long b = 0, long c = 0) {
    if (!good && ++failures < 30) printf("failed: %s (%ld, %ld, %ld)\n", what, a, b, c);
}
static void ok(cusparseStatus_t s, const char* what, long a = 0, long b = 0) {
    expect(s == CUSPARSE_STATUS_SUCCESS, what, s, a, b);
}

static unsigned seed = 1;
static unsigned drawn(unsigned below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/// Numbers in device memory.
template <class T>
struct Device {
    T* at = nullptr;
    size_t count;
    explicit Device(size_t n) : count(n) {
        expect(cudaMalloc(reinterpret_cast<void**>(&at), (n + 1) * sizeof(T)) == cudaSuccess, "cudaMalloc");
        cudaMemset(at, 0, (n + 1) * sizeof(T));
    }
    explicit Device(const std::vector<T>& v) : Device(v.size()) {
        cudaMemcpy(at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    std::vector<T> host() const {
        std::vector<T> out(count);
        cudaMemcpy(out.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }
    Device(const Device&) = delete;
    ~Device() { cudaFree(at); }
};

/// What a type is called, and how a number of it is made from a complex one.
template <class T>
struct Type;
template <>
struct Type<float> {
    static constexpr cudaDataType name = CUDA_R_32F;
    static constexpr double error = 1e-5;
    static float of(Complex z) { return float(z.real()); }
    static Complex back(float x) { return x; }
};
template <>
struct Type<double> {
    static constexpr cudaDataType name = CUDA_R_64F;
    static constexpr double error = 1e-12;
    static double of(Complex z) { return z.real(); }
    static Complex back(double x) { return x; }
};
template <>
struct Type<std::complex<float>> {
    static constexpr cudaDataType name = CUDA_C_32F;
    static constexpr double error = 1e-5;
    static std::complex<float> of(Complex z) { return std::complex<float>(z); }
    static Complex back(std::complex<float> z) { return Complex(z); }
};
template <>
struct Type<Complex> {
    static constexpr cudaDataType name = CUDA_C_64F;
    static constexpr double error = 1e-12;
    static Complex of(Complex z) { return z; }
    static Complex back(Complex z) { return z; }
};
template <class T>
static Complex rounded(Complex z) {
    return Type<T>::back(Type<T>::of(z));
}

/// A matrix of the host, by rows, with zeros.
struct Host {
    long rows, columns;
    std::vector<Complex> at;
    Host(long r, long c) : rows(r), columns(c), at(size_t(r * c)) {}
    Complex& operator()(long r, long c) { return at[size_t(r * columns + c)]; }
    Complex operator()(long r, long c) const { return at[size_t(r * columns + c)]; }
};
template <class T>
static Host random(long rows, long columns, unsigned one_of) {
    Host h(rows, columns);
    for (auto& x : h.at)
        if (drawn(one_of) == 0)
            x = rounded<T>({(1 + drawn(2000)) / 1000.0 - 1.0005, (1 + drawn(2000)) / 1000.0 - 1.0005});
    return h;
}
static Host operated(const Host& a, cusparseOperation_t op) {
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return a;
    Host t(a.columns, a.rows);
    for (long r = 0; r < a.rows; ++r)
        for (long c = 0; c < a.columns; ++c)
            t(c, r) = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(a(r, c)) : a(r, c);
    return t;
}
static Host product(const Host& a, const Host& b) {
    Host c(a.rows, b.columns);
    for (long r = 0; r < a.rows; ++r)
        for (long k = 0; k < a.columns; ++k)
            if (a(r, k) != 0.0)
                for (long j = 0; j < b.columns; ++j) c(r, j) += a(r, k) * b(k, j);
    return c;
}
template <class T>
static void compare(const std::vector<T>& got, const std::vector<Complex>& wanted, const char* what, long a = 0,
                    long b = 0) {
    double error = 0, size = 1;
    for (size_t k = 0; k < wanted.size(); ++k) {
        const double d = std::abs(Type<T>::back(got[k]) - wanted[k]);
        error = d == d ? fmax(error, d) : INFINITY;
        size = fmax(size, std::abs(wanted[k]));
    }
    if (!(error <= Type<T>::error * size) && failures < 30) printf("error %g of %g\n", error, size);
    expect(got.size() >= wanted.size() && error <= Type<T>::error * size, what, a, b);
}

/// A sparse matrix in device memory, in one of three forms, with whole numbers of type I.
template <class T, class I>
struct Sparse {
    cusparseFormat_t format;
    cusparseIndexBase_t base;
    std::vector<I> lines, places, starts;
    std::vector<T> values;
    Device<I> first, second;
    Device<T> third;
    cusparseSpMatDescr_t descr = nullptr;
    static constexpr cusparseIndexType_t index = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    static std::vector<I> list(const Host& h, cusparseFormat_t f, int base, int which) {
        std::vector<I> l, p, s(1, I(base));
        const bool turned = f == CUSPARSE_FORMAT_CSC;
        for (long r = 0; r < (turned ? h.columns : h.rows); ++r) {
            for (long c = 0; c < (turned ? h.rows : h.columns); ++c)
                if ((turned ? h(c, r) : h(r, c)) != 0.0) l.push_back(I(r + base)), p.push_back(I(c + base));
            s.push_back(I(l.size()) + I(base));
        }
        return which == 0 ? (f == CUSPARSE_FORMAT_COO ? l : s) : p;
    }
    static std::vector<T> numbers(const Host& h, cusparseFormat_t f) {
        std::vector<T> v;
        const Host t = f == CUSPARSE_FORMAT_CSC ? operated(h, CUSPARSE_OPERATION_TRANSPOSE) : h;
        for (const auto& x : t.at)
            if (x != 0.0) v.push_back(Type<T>::of(x));
        return v;
    }
    Sparse(const Host& h, cusparseFormat_t f, cusparseIndexBase_t b = CUSPARSE_INDEX_BASE_ZERO)
        : format(f), base(b), first(list(h, f, b, 0)), second(list(h, f, b, 1)), third(numbers(h, f)) {
        const int64_t nnz = int64_t(third.count);
        cusparseStatus_t s;
        if (f == CUSPARSE_FORMAT_CSR)
            s = cusparseCreateCsr(&descr, h.rows, h.columns, nnz, first.at, second.at, third.at, index, index, b,
                                  Type<T>::name);
        else if (f == CUSPARSE_FORMAT_CSC)
            s = cusparseCreateCsc(&descr, h.rows, h.columns, nnz, first.at, second.at, third.at, index, index, b,
                                  Type<T>::name);
        else
            s = cusparseCreateCoo(&descr, h.rows, h.columns, nnz, first.at, second.at, third.at, index, b,
                                  Type<T>::name);
        ok(s, "a sparse matrix", f);
    }
    ~Sparse() { ok(cusparseDestroySpMat(descr), "destroy"); }
};

/// A dense matrix in device memory, with an edge that nobody may touch.
template <class T>
struct Dense {
    Host host;
    cusparseOrder_t order;
    long ld;
    Device<T> device;
    cusparseDnMatDescr_t descr = nullptr;
    static std::vector<T> numbers(const Host& h, cusparseOrder_t o, long ld) {
        std::vector<T> v(size_t(ld * (o == CUSPARSE_ORDER_COL ? h.columns : h.rows)), T(7));
        for (long r = 0; r < h.rows; ++r)
            for (long c = 0; c < h.columns; ++c)
                v[size_t(o == CUSPARSE_ORDER_COL ? r + c * ld : c + r * ld)] = Type<T>::of(h(r, c));
        return v;
    }
    Dense(const Host& h, cusparseOrder_t o)
        : host(h), order(o), ld((o == CUSPARSE_ORDER_COL ? h.rows : h.columns) + 3), device(numbers(h, o, ld)) {
        ok(cusparseCreateDnMat(&descr, h.rows, h.columns, ld, device.at, Type<T>::name, o), "a dense matrix", o);
    }
    void compare_with(const Host& wanted, const char* what, long a, long b) const {
        const auto expected = numbers(wanted, order, ld);
        std::vector<Complex> all;
        for (const auto& x : expected) all.push_back(Type<T>::back(x));
        compare(device.host(), all, what, a, b);
    }
    ~Dense() { ok(cusparseDestroyDnMat(descr), "destroy"); }
};

static cusparseHandle_t handle;
