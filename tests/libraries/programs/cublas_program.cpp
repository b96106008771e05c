// A program of cuBLAS: it compares what the library gives with loops in double, says "passed" and ends with 0. With the
// word "single", only in float.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdio.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "program_checks.hpp"

#define NEAR(a, b, tolerance)                                                                       \
    do {                                                                                            \
        const auto a_ = a, b_ = b;                                                                  \
        if (!(std::abs(a_ - b_) <= (tolerance))) printf("line %d: %s\n", __LINE__, #a), failed = 1; \
    } while (0)
#define OK(call) SAME(call, CUBLAS_STATUS_SUCCESS)

static cublasHandle_t handle;

/// A number made from whole ones, so that sums of products are exact or nearly so.
template <class T>
T number(int k) {
    return T((k * 37 + 11) % 19 - 9);
}
template <>
std::complex<float> number(int k) {
    return {number<float>(k), number<float>(k + 5)};
}
template <>
std::complex<double> number(int k) {
    return {number<double>(k), number<double>(k + 5)};
}

/// Device memory with these contents.
template <class T>
struct OnDevice {
    T* at = nullptr;
    size_t count;
    explicit OnDevice(const std::vector<T>& values) : count(values.size()) {
        cudaMalloc(reinterpret_cast<void**>(&at), count * sizeof(T));
        cudaMemcpy(at, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~OnDevice() { cudaFree(at); }
    std::vector<T> get() const {
        std::vector<T> out(count);
        cudaMemcpy(out.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }
};
template <class T>
std::vector<T> numbers(size_t count, int seed = 0) {
    std::vector<T> out(count);
    for (size_t k = 0; k < count; ++k) out[k] = number<T>(static_cast<int>(k) + seed);
    return out;
}

// One name for the functions of all types.
template <class T>
struct Blas;
#define WW_TYPE(T, C, L, N, l, DOT)                                        \
    template <>                                                            \
    struct Blas<T> {                                                       \
        using Cu = C;                                                      \
        static constexpr auto axpy = cublas##L##axpy;                      \
        static constexpr auto scal = cublas##L##scal;                      \
        static constexpr auto copy = cublas##L##copy;                      \
        static constexpr auto swap = cublas##L##swap;                      \
        static constexpr auto dot = cublas##L##DOT;                        \
        static constexpr auto nrm2 = cublas##N##nrm2;                      \
        static constexpr auto asum = cublas##N##asum;                      \
        static constexpr auto amax = cublasI##l##amax;                     \
        static constexpr auto amin = cublasI##l##amin;                     \
        static constexpr auto gemv = cublas##L##gemv;                      \
        static constexpr auto gemm = cublas##L##gemm;                      \
        static constexpr auto gemmBatched = cublas##L##gemmBatched;        \
        static constexpr auto gemmStrided = cublas##L##gemmStridedBatched; \
        static constexpr auto gemm64 = cublas##L##gemm_64;                 \
        static constexpr auto geam = cublas##L##geam;                      \
        static constexpr auto dgmm = cublas##L##dgmm;                      \
        static constexpr auto trsm = cublas##L##trsm;                      \
        static constexpr auto trmm = cublas##L##trmm;                      \
        static constexpr auto symm = cublas##L##symm;                      \
        static constexpr auto syrk = cublas##L##syrk;                      \
        static constexpr auto getrf = cublas##L##getrfBatched;             \
        static constexpr auto getri = cublas##L##getriBatched;             \
        static constexpr auto getrs = cublas##L##getrsBatched;             \
        static constexpr auto geqrf = cublas##L##geqrfBatched;             \
        static constexpr auto gels = cublas##L##gelsBatched;               \
        static constexpr auto matinv = cublas##L##matinvBatched;           \
    };
WW_TYPE(float, float, S, S, s, dot)
WW_TYPE(double, double, D, D, d, dot)
WW_TYPE(std::complex<float>, cuComplex, C, Sc, c, dotc)
WW_TYPE(std::complex<double>, cuDoubleComplex, Z, Dz, z, dotc)

template <class T>
T conjugate(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return x;
    else
        return std::conj(x);
}
template <class T>
double size_of(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(x);
    else
        return std::fabs(x.real()) + std::fabs(x.imag());
}

template <class T>
void vectors() {
    using B = Blas<T>;
    using Cu = typename B::Cu;
    const int n = 1000;
    const auto x = numbers<T>(n * 2), y = numbers<T>(n * 3, 7);
    const OnDevice<T> dx(x), dy(y);
    auto *px = reinterpret_cast<Cu*>(dx.at), *py = reinterpret_cast<Cu*>(dy.at);
    const T alpha = number<T>(2);
    // Strides, one of them negative: y runs from its end.
    OK(B::axpy(handle, n, reinterpret_cast<const Cu*>(&alpha), px, 2, py, -3));
    auto got = dy.get();
    for (int k = 0; k < n; ++k) NEAR(got[(n - 1 - k) * 3], y[(n - 1 - k) * 3] + alpha * x[k * 2], 0);
    NEAR(got[1], y[1], 0);

    T dot{}, expected{};
    OK(B::dot(handle, n, px, 1, px, 2, reinterpret_cast<Cu*>(&dot)));
    double norm = 0, sum = 0;
    for (int k = 0; k < n; ++k) {
        expected += conjugate(x[k]) * x[k * 2];
        norm += std::norm(x[k]);
        sum += size_of(x[k]);
    }
    NEAR(dot, expected, 1e-3);
    decltype(std::abs(T{})) r = 0;
    OK(B::nrm2(handle, n, px, 1, &r));
    NEAR(double(r), std::sqrt(norm), 1e-3);
    OK(B::asum(handle, n, px, 1, &r));
    NEAR(double(r), sum, 1e-2);
    int most = 0, least = 0, first_most = 0, first_least = 0;
    OK(B::amax(handle, n, px, 2, &most));
    OK(B::amin(handle, n, px, 2, &least));
    for (int k = 1; k < n; ++k) {
        if (size_of(x[k * 2]) > size_of(x[first_most * 2])) first_most = k;
        if (size_of(x[k * 2]) < size_of(x[first_least * 2])) first_least = k;
    }
    SAME(most, first_most + 1);
    SAME(least, first_least + 1);
    OK(B::amax(handle, 0, px, 1, &most));
    SAME(most, 0);

    // Results and scalars in device memory.
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    const OnDevice<T> scalars({alpha, T{}});
    auto* s = reinterpret_cast<Cu*>(scalars.at);
    OK(B::scal(handle, n, s, px, 2));
    OK(B::dot(handle, n, py, 3, py, 3, s + 1));
    OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    const auto scaled = dx.get();
    for (int k = 0; k < n; ++k) NEAR(scaled[k * 2], alpha * x[k * 2], 0);
    expected = {};
    for (int k = 0; k < n; ++k) expected += conjugate(got[k * 3]) * got[k * 3];
    NEAR(scalars.get()[1] / expected, T(1), 1e-5);
    OK(B::swap(handle, n, px, 1, py, 1));
    NEAR(dx.get()[5], got[5], 0);
    NEAR(dy.get()[5], scaled[5], 0);
    OK(B::copy(handle, n, px, 1, py, 1));
    NEAR(dy.get()[5], got[5], 0);
}

template <class T>
T at(const std::vector<T>& a, int lda, cublasOperation_t op, int i, int j) {
    if (op == CUBLAS_OP_N) return a[i + j * lda];
    const T v = a[j + i * lda];
    return op == CUBLAS_OP_C ? conjugate(v) : v;
}

template <class T>
void products() {
    using B = Blas<T>;
    using Cu = typename B::Cu;
    const int m = 67, n = 70, k = 33, ld = 80, batches = 3;
    const auto a = numbers<T>(ld * ld * batches), b = numbers<T>(ld * ld * batches, 3),
               c = numbers<T>(ld * ld * batches, 5);
    const T alpha = number<T>(3), beta = number<T>(4), zero{};
    const auto *pa = reinterpret_cast<const Cu*>(&alpha), *pb = reinterpret_cast<const Cu*>(&beta);
    const OnDevice<T> da(a), db(b);
    auto *xa = reinterpret_cast<Cu*>(da.at), *xb = reinterpret_cast<Cu*>(db.at);
    const auto product = [&](cublasOperation_t oa, cublasOperation_t ob, int i, int j, int z) {
        T sum{};
        const std::vector<T> va(a.begin() + z * ld * ld, a.end()), vb(b.begin() + z * ld * ld, b.end());
        for (int l = 0; l < k; ++l) sum += at(va, ld, oa, i, l) * at(vb, ld, ob, l, j);
        return sum;
    };
    for (auto oa : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (auto ob : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
            const OnDevice<T> dc(c);
            OK(B::gemm(handle, oa, ob, m, n, k, pa, xa, ld, xb, ld, pb, reinterpret_cast<Cu*>(dc.at), ld));
            const auto got = dc.get();
            for (int i : {0, 1, 40, m - 1})
                for (int j : {0, 2, 63, 64, n - 1})
                    NEAR(got[i + j * ld], alpha * product(oa, ob, i, j, 0) + beta * c[i + j * ld], 0.5);
            NEAR(got[m], c[m], 0);  // behind the matrix
        }
    {
        const OnDevice<T> dc(c);
        OK(B::gemmStrided(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, pa, xa, ld, ld * ld, xb, ld, ld * ld, pb,
                          reinterpret_cast<Cu*>(dc.at), ld, ld * ld, batches));
        const auto got = dc.get();
        for (int z = 0; z < batches; ++z)
            NEAR(got[z * ld * ld + 3], alpha * product(CUBLAS_OP_N, CUBLAS_OP_N, 3, 0, z) + beta * c[z * ld * ld + 3],
                 0.5);
        const OnDevice<T> dd(c);
        std::vector<Cu*> ha, hb, hc;
        for (int z = 0; z < batches; ++z) {
            ha.push_back(xa + z * ld * ld);
            hb.push_back(xb + z * ld * ld);
            hc.push_back(reinterpret_cast<Cu*>(dd.at) + z * ld * ld);
        }
        const OnDevice<Cu*> pointers_a(ha), pointers_b(hb), pointers_c(hc);
        OK(B::gemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, pa, pointers_a.at, ld, pointers_b.at, ld, pb,
                          pointers_c.at, ld, batches));
        SAME(std::memcmp(dd.get().data(), got.data(), got.size() * sizeof(T)), 0);
    }
    {
        // With beta 0 what C holds does not matter.
        const OnDevice<T> dc(std::vector<T>(ld * ld, T(std::nan(""))));
        OK(B::gemm64(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, pa, xa, ld, xb, ld, reinterpret_cast<const Cu*>(&zero),
                     reinterpret_cast<Cu*>(dc.at), ld));
        NEAR(dc.get()[1], alpha * product(CUBLAS_OP_N, CUBLAS_OP_N, 1, 0, 0), 0.5);
        SAME(B::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, pa, xa, m - 1, xb, ld, pb, xa, ld),
             CUBLAS_STATUS_INVALID_VALUE);
    }
    for (auto op : {CUBLAS_OP_N, CUBLAS_OP_C}) {
        const OnDevice<T> dy(c);
        OK(B::gemv(handle, op, m, k, pa, xa, ld, xb, 2, pb, reinterpret_cast<Cu*>(dy.at), 1));
        for (int i : {0, 31, 32}) {
            T sum{};
            for (int j = 0; j < (op == CUBLAS_OP_N ? k : m); ++j) sum += at(a, ld, op, i, j) * b[j * 2];
            NEAR(dy.get()[i], alpha * sum + beta * c[i], 0.5);
        }
    }
    const OnDevice<T> dc(c);
    auto* xc = reinterpret_cast<Cu*>(dc.at);
    OK(B::geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, pa, xa, ld, pb, xb, ld, xc, ld));
    NEAR(dc.get()[3 + 5 * ld], alpha * a[5 + 3 * ld] + beta * b[3 + 5 * ld], 0);
    OK(B::dgmm(handle, CUBLAS_SIDE_RIGHT, m, n, xa, ld, xb, 1, xc, ld));
    NEAR(dc.get()[3 + 5 * ld], a[3 + 5 * ld] * b[5], 0);
}

/// Factors of several matrices: an inverse and a solution by them, with pivots and without.
template <class T>
void factors() {
    using B = Blas<T>;
    using Cu = typename B::Cu;
    const int n = 5, ld = 7, batches = 3;
    auto a = numbers<T>(ld * n * batches);
    for (int z = 0; z < batches; ++z)
        for (int k = 0; k < n; ++k) a[z * ld * n + k * (ld + 1)] += T(40 + z);
    const auto b = numbers<T>(ld * n * batches, 5);
    const auto row = [&](const OnDevice<T>& of) {
        std::vector<Cu*> out;
        for (int z = 0; z < batches; ++z) out.push_back(reinterpret_cast<Cu*>(of.at) + z * ld * n);
        return OnDevice<Cu*>(out);
    };
    // The product of the matrix with column j of x.
    const auto times = [&](const std::vector<T>& x, int z, int i, int j) {
        T sum{};
        for (int k = 0; k < n; ++k) sum += a[z * ld * n + k * ld + i] * x[z * ld * n + j * ld + k];
        return sum;
    };
    {
        const OnDevice<T> da(a), db(b), dc(b);
        const auto pa = row(da), pb = row(db), pc = row(dc);
        const OnDevice<int> info(std::vector<int>(batches, 7));
        int wrong = 7;
        OK(B::matinv(handle, n, pa.at, ld, pc.at, ld, info.at, batches));
        OK(B::gels(handle, CUBLAS_OP_N, n, n, 3, pa.at, ld, pb.at, ld, &wrong, info.at, batches));
        SAME(wrong, 0);
        const auto inverse = dc.get(), x = db.get();
        for (int z = 0; z < batches; ++z)
            for (int i = 0; i < n; ++i) {
                SAME(info.get()[z], 0);
                NEAR(times(inverse, z, i, 1), T(i == 1), 1e-4);
                NEAR(times(x, z, i, 2), b[z * ld * n + 2 * ld + i], 1e-3);
            }
        SAME(B::gels(handle, CUBLAS_OP_N, n, n, 3, pa.at, n - 1, pb.at, ld, &wrong, info.at, batches),
             CUBLAS_STATUS_INVALID_VALUE);
        SAME(wrong, -6);
    }
    for (bool exchanged : {true, false}) {
        const OnDevice<T> da(a), db(b), dc(b);
        const auto pa = row(da), pb = row(db), pc = row(dc);
        const OnDevice<int> pivots(std::vector<int>(n * batches)), info(std::vector<int>(batches, 7));
        int* const p = exchanged ? pivots.at : nullptr;
        int wrong = 7;
        OK(B::getrf(handle, n, pa.at, ld, p, info.at, batches));
        OK(B::getri(handle, n, pa.at, ld, p, pc.at, ld, info.at, batches));
        OK(B::getrs(handle, CUBLAS_OP_N, n, n, pa.at, ld, p, pb.at, ld, &wrong, batches));
        SAME(wrong, 0);
        const auto x = db.get(), inverse = dc.get();
        for (int z = 0; z < batches; ++z) {
            SAME(info.get()[z], 0);
            for (int i = 0; i < n; ++i) {
                NEAR(times(x, z, i, 2), b[z * ld * n + 2 * ld + i], 1e-3);
                NEAR(times(inverse, z, i, 1), T(i == 1), 1e-4);
            }
        }
        // A zero on the diagonal is told by its place.
        const OnDevice<T> zeros(std::vector<T>(ld * n * batches));
        const auto pz = row(zeros);
        OK(B::getrf(handle, n, pz.at, ld, p, info.at, batches));
        SAME(info.get()[batches - 1], 1);
        SAME(B::getrf(handle, n, pz.at, n - 1, p, info.at, batches), CUBLAS_STATUS_INVALID_VALUE);
        SAME(B::getrs(handle, CUBLAS_OP_N, n, n, pa.at, n - 1, p, pb.at, ld, &wrong, batches),
             CUBLAS_STATUS_INVALID_VALUE);
        SAME(wrong, -5);
        // Arrays that are not there.
        SAME(B::getrf(handle, n, pz.at, ld, p, nullptr, batches), CUBLAS_STATUS_INVALID_VALUE);
        SAME(B::getri(handle, n, nullptr, ld, p, pc.at, ld, info.at, batches), CUBLAS_STATUS_INVALID_VALUE);
        SAME(B::getrs(handle, CUBLAS_OP_N, n, n, pa.at, ld, p, nullptr, ld, &wrong, batches),
             CUBLAS_STATUS_INVALID_VALUE);
        SAME(wrong, -7);
    }
    // The diagonal of R has the length of the matrix's first column.
    const OnDevice<T> da(a), tau(std::vector<T>(ld * n * batches));
    const auto pa = row(da), pt = row(tau);
    int wrong = 7;
    OK(B::geqrf(handle, n, n, pa.at, ld, pt.at, &wrong, batches));
    SAME(wrong, 0);
    double length = 0;
    for (int i = 0; i < n; ++i) length += std::norm(a[ld * n + i]);
    NEAR(std::abs(da.get()[ld * n]), std::sqrt(length), 1e-3);
}

// What OpenBLAS computes: each checked by what it undoes or repeats.
template <class T>
void triangles() {
    using B = Blas<T>;
    using Cu = typename B::Cu;
    const int n = 20;
    auto a = numbers<T>(n * n), b = numbers<T>(n * n, 3);
    for (int k = 0; k < n; ++k) a[k * (n + 1)] = T(50);
    const T one(1), zero{};
    const auto *p1 = reinterpret_cast<const Cu*>(&one), *p0 = reinterpret_cast<const Cu*>(&zero);
    const OnDevice<T> da(a), db(b), dc(b);
    auto *xa = reinterpret_cast<Cu*>(da.at), *xb = reinterpret_cast<Cu*>(db.at), *xc = reinterpret_cast<Cu*>(dc.at);
    OK(B::trmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n, p1, xa, n, xb,
               n, xc, n));
    T sum{};
    for (int l = 2; l < n; ++l) sum += a[2 + l * n] * b[l + 4 * n];
    NEAR(dc.get()[2 + 4 * n], sum, 1e-2);
    OK(B::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, n, p1, xa, n, xc,
               n));
    for (int k = 0; k < n * n; ++k) NEAR(dc.get()[k], b[k], 1e-2);
    OK(B::symm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, n, p1, xa, n, xb, n, p0, xc, n));
    sum = {};
    for (int l = 0; l < n; ++l) sum += a[l < 2 ? 2 + l * n : l + 2 * n] * b[l + 4 * n];
    NEAR(dc.get()[2 + 4 * n], sum, 1e-2);
    OK(B::syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, p1, xb, n, p0, xc, n));
    sum = {};
    for (int l = 0; l < n; ++l) sum += b[7 + l * n] * b[2 + l * n];
    NEAR(dc.get()[7 + 2 * n], sum, 1e-2);
    SAME(B::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, -1, n, p1, xa, n, xc,
                 n),
         CUBLAS_STATUS_INVALID_VALUE);
    // A leading dimension that does not hold a column.
    SAME(B::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, 1, p1, xa, n - 1,
                 xc, n),
         CUBLAS_STATUS_INVALID_VALUE);
    OK(B::trsm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, 1, p0, xa, 1, xc,
               n));
    SAME(B::symm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, n, n, p1, xa, n, xb, n, p0, xc, n - 1),
         CUBLAS_STATUS_INVALID_VALUE);
    SAME(B::syrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, n + 1, p1, xb, n, p0, xc, n),
         CUBLAS_STATUS_INVALID_VALUE);
}

static unsigned short half_of(int value) {  // a whole number up to 2048
    if (value == 0) return 0;
    const int size = value < 0 ? -value : value;
    int exponent = 0;
    while (size >> (exponent + 1)) ++exponent;
    return static_cast<unsigned short>((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 |
                                       ((size << 10 >> exponent) & 0x3ff));
}

static void other_types() {
    const int n = 24;
    std::vector<unsigned short> halves(n * n), brains(n * n);
    std::vector<signed char> bytes(n * n);
    std::vector<int> whole(n * n);
    for (int k = 0; k < n * n; ++k) {
        whole[k] = (k * 7) % 5 - 2;
        halves[k] = half_of(whole[k]);
        const float f = static_cast<float>(whole[k]);
        unsigned bits;
        std::memcpy(&bits, &f, 4);
        brains[k] = static_cast<unsigned short>(bits >> 16);
        bytes[k] = static_cast<signed char>(whole[k]);
    }
    const auto expected = [&](int i, int j) {
        int sum = 0;
        for (int l = 0; l < n; ++l) sum += whole[i + l * n] * whole[l + j * n];
        return sum;
    };
    const OnDevice<unsigned short> h(halves), b(brains), out(halves);
    const OnDevice<signed char> i8(bytes);
    const OnDevice<float> f(std::vector<float>(n * n));
    const OnDevice<int> i(std::vector<int>(n * n));
    const float one = 1, zero = 0;
    const int whole_one = 1, whole_zero = 0;
    const unsigned short half_one = half_of(1), half_zero = 0;
    const auto product = [&](const void* a, cudaDataType type, const void* alpha, const void* beta, void* c,
                             cudaDataType c_type, cublasComputeType_t compute) {
        return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, a, type, n, a, type, n, beta, c, c_type,
                            n, compute, CUBLAS_GEMM_DEFAULT);
    };
    OK(product(h.at, CUDA_R_16F, &one, &zero, f.at, CUDA_R_32F, CUBLAS_COMPUTE_32F));
    NEAR(f.get()[5 + 9 * n], float(expected(5, 9)), 0);
    OK(product(b.at, CUDA_R_16BF, &one, &zero, f.at, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16BF));
    NEAR(f.get()[6 + 9 * n], float(expected(6, 9)), 0);
    OK(product(h.at, CUDA_R_16F, &half_one, &half_zero, out.at, CUDA_R_16F, CUBLAS_COMPUTE_16F));
    SAME(out.get()[7 + 9 * n], half_of(expected(7, 9)));
    OK(product(i8.at, CUDA_R_8I, &whole_one, &whole_zero, i.at, CUDA_R_32I, CUBLAS_COMPUTE_32I));
    SAME(i.get()[8 + 9 * n], expected(8, 9));
    SAME(product(h.at, CUDA_R_16F, &one, &zero, f.at, CUDA_R_64F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
}

extern "C" cublasStatus_t cublasStpttr(...);

/// What a kernel may have left where a routine of the host's would follow it.
static int astray(const std::string& which) {
    OK(cublasCreate(&handle));
    const OnDevice<float> a({1, 0, 0, 1}), b({1, 2});
    const OnDevice<int> pivots({1, -5}), info({0});
    const OnDevice<float*> as({which == "astray-null" ? nullptr : a.at}), bs({b.at});
    int told = 0;
    const float one = 1;
    if (which == "astray-pivot") {
        OK(cublasSgetrsBatched(handle, CUBLAS_OP_N, 2, 1, as.at, 2, pivots.at, bs.at, 2, &told, 1));
    } else if (which == "astray-matrix") {
        OK(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 2000000,
                       &one, a.at, 2, b.at, 2));
    } else {
        OK(cublasSgetrfBatched(handle, 2, as.at, 2, nullptr, info.at, 1));
    }
    SAME(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    printf(failed ? "failed\n" : "refused\n");
    return failed;
}

int main(int count, char** arguments) {
    if (count > 1 && strncmp(arguments[1], "astray", 6) == 0) return astray(arguments[1]);
    SAME(cublasSaxpy(nullptr, 0, nullptr, nullptr, 1, nullptr, 1), CUBLAS_STATUS_NOT_INITIALIZED);
    OK(cublasCreate(&handle));
    int version = 0;
    OK(cublasGetVersion(handle, &version));
    SAME(version / 10000, 13);
    vectors<float>();
    products<float>();
    triangles<float>();
    factors<float>();
    factors<std::complex<double>>();
    if (count == 1) {
        vectors<double>();
        vectors<std::complex<float>>();
        vectors<std::complex<double>>();
        products<double>();
        products<std::complex<float>>();
        products<std::complex<double>>();
        other_types();
        triangles<double>();
        triangles<std::complex<float>>();
        triangles<std::complex<double>>();
    }

    // Vectors of 16-bit numbers (1, 2, -0.5), with scalars and sums in float.
    for (const auto& [type, bits] : {std::pair(CUDA_R_16F, std::vector<unsigned short>{0x3c00, 0x4000, 0xb800}),
                                     std::pair(CUDA_R_16BF, std::vector<unsigned short>{0x3f80, 0x4000, 0xbf00})}) {
        const OnDevice<unsigned short> x(bits), y(bits);
        unsigned short result = 0;
        const float two = 2;
        OK(cublasDotEx(handle, 3, x.at, type, 1, y.at, type, 1, &result, type, CUDA_R_32F));
        SAME(result, type == CUDA_R_16F ? 0x4540 : 0x40a8);  // 5.25
        OK(cublasAxpyEx(handle, 2, &two, CUDA_R_32F, x.at, type, 1, y.at, type, 1, CUDA_R_32F));
        SAME(y.get()[0], type == CUDA_R_16F ? 0x4200 : 0x4040);  // 3
        OK(cublasScalEx(handle, 1, &two, CUDA_R_32F, y.at, type, 1, CUDA_R_32F));
        SAME(y.get()[0], type == CUDA_R_16F ? 0x4600 : 0x40c0);  // 6
        OK(cublasNrm2Ex(handle, 1, y.at, type, 1, &result, type, CUDA_R_32F));
        SAME(result, type == CUDA_R_16F ? 0x4600 : 0x40c0);
        SAME(cublasDotEx(handle, 3, x.at, type, 1, y.at, CUDA_R_32F, 1, &result, type, CUDA_R_32F),
             CUBLAS_STATUS_NOT_SUPPORTED);
    }

    // A norm whose squares are not numbers of the type.
    const OnDevice<float> large({3e30f, 4e30f});
    float norm = 0;
    OK(cublasSnrm2(handle, 2, large.at, 1, &norm));
    NEAR(norm / 5e30f, 1.0f, 1e-6);

    // Matrices into the middle of larger ones.
    const auto small = numbers<float>(6 * 4);
    const OnDevice<float> wide(std::vector<float>(10 * 4, -1));
    OK(cublasSetMatrix(5, 4, 4, small.data(), 6, wide.at, 10));
    NEAR(wide.get()[4 + 10], small[4 + 6], 0);
    NEAR(wide.get()[5 + 10], -1.0f, 0);
    std::vector<float> back(6 * 4);
    OK(cublasGetMatrix(5, 4, 4, wide.at, 10, back.data(), 6));
    NEAR(back[4 + 18], small[4 + 18], 0);

    SAME(cublasStpttr(handle), CUBLAS_STATUS_NOT_SUPPORTED);
    SAME(cublasStpttr(handle), CUBLAS_STATUS_NOT_SUPPORTED);
    OK(cublasDestroy(handle));
    SAME(cublasDestroy(handle), CUBLAS_STATUS_NOT_INITIALIZED);
    puts(failed ? "failed" : "passed");
    return failed;
}
