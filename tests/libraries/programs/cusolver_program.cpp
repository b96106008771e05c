// A program of cuSOLVER that checks itself: what each factorisation gives is multiplied again, in double precision. It
// knows nothing of how they are computed, so it can be run with NVIDIA's library as well.
#include <cuda_runtime_api.h>
#include <cusolverDn.h>
#include <math.h>
#include <stdio.h>

#include <algorithm>
#include <complex>
#include <vector>

static int failures;
static void expect(bool good, const char* what, double value = 0) {
    if (!good) printf("failed: %s (%g)\n", what, value), ++failures;
}
/// Matrices of numbers that follow a line would be nearly singular.
static double number(size_t k) {
    unsigned long long x = (k + 1) * 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    return double((x ^ (x >> 27)) >> 11 & 0xFFFFF) / 0x80000 - 1;
}

/// Memory of the device, filled and read.
template <class T>
struct Device {
    T* at = nullptr;
    size_t n;
    explicit Device(size_t count) : n(count) { (void)cudaMalloc(reinterpret_cast<void**>(&at), count * sizeof(T)); }
    explicit Device(const std::vector<T>& from) : Device(from.size()) {
        (void)cudaMemcpy(at, from.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Device() { (void)cudaFree(at); }
    std::vector<T> get() const {
        std::vector<T> out(n);
        (void)cudaMemcpy(out.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }
};

/// A matrix by columns, complex in double precision.
struct Matrix {
    int m, n;
    std::vector<std::complex<double>> x;
    Matrix(int rows, int columns) : m(rows), n(columns), x(size_t(rows) * columns) {}
    template <class T>
    Matrix(int rows, int columns, const std::vector<T>& from) : Matrix(rows, columns) {
        for (size_t k = 0; k < x.size(); ++k) x[k] = from[k];
    }
    std::complex<double>& operator()(int i, int j) { return x[i + size_t(j) * m]; }
    std::complex<double> operator()(int i, int j) const { return x[i + size_t(j) * m]; }
    Matrix turned() const {
        Matrix out(n, m);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) out(j, i) = std::conj((*this)(i, j));
        return out;
    }
};
static Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c(a.m, b.n);
    for (int i = 0; i < a.m; ++i)
        for (int j = 0; j < b.n; ++j)
            for (int k = 0; k < a.n; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}
static double distance(const Matrix& a, const Matrix& b) {
    double worst = a.m == b.m && a.n == b.n ? 0 : INFINITY;
    for (size_t k = 0; k < a.x.size() && worst < INFINITY; ++k) worst = std::max(worst, std::abs(a.x[k] - b.x[k]));
    return worst;
}

template <class T>
static T value(size_t k) {
    if constexpr (std::is_floating_point_v<T>)
        return T(number(k));
    else
        return T(number(k), number(k + 77));
}
template <class T>
static std::vector<T> random_matrix(int m, int n, size_t seed) {
    std::vector<T> out(size_t(m) * n);
    for (size_t k = 0; k < out.size(); ++k) out[k] = value<T>(seed + k);
    return out;
}
/// Of n by n, its own conjugate transpose, and positive.
template <class T>
static std::vector<T> positive(int n, size_t seed) {
    const Matrix a(n, n, random_matrix<T>(n, n, seed)), p = a * a.turned();
    std::vector<T> out(p.x.size());
    for (size_t k = 0; k < out.size(); ++k) {
        if constexpr (std::is_floating_point_v<T>)
            out[k] = T(p.x[k].real());
        else
            out[k] = T(p.x[k]);
        if (int(k % n) == int(k / n)) out[k] += T(n);
    }
    return out;
}

static cusolverDnHandle_t handle;
static const double kDouble = 1e-11, kFloat = 2e-4;

static void solves() {
    const int n = 7, columns = 2;
    const auto a = random_matrix<double>(n, n, 1), b = random_matrix<double>(n, columns, 500);
    Device<double> da(a), db(b);
    Device<int> pivots(n), info(1);
    int size = 0;
    expect(cusolverDnDgetrf_bufferSize(handle, n, n, da.at, n, &size) == 0, "getrf_bufferSize");
    Device<double> work(std::max(1, size));
    expect(cusolverDnDgetrf(handle, n, n, da.at, n, work.at, pivots.at, info.at) == 0, "getrf");
    expect(cusolverDnDgetrs(handle, CUBLAS_OP_N, n, columns, da.at, n, pivots.at, db.at, n, info.at) == 0, "getrs");
    const double off = distance(Matrix(n, n, a) * Matrix(n, columns, db.get()), Matrix(n, columns, b));
    expect(off < kDouble && info.get()[0] == 0, "a solution", off);

    // The newer interface gives the same factors, with wide pivots.
    Device<double> again(a);
    Device<int64_t> wide(n);
    size_t device = 0, host = 0;
    cusolverDnParams_t params = nullptr;
    expect(cusolverDnCreateParams(&params) == 0, "CreateParams");
    expect(cusolverDnXgetrf_bufferSize(handle, params, n, n, CUDA_R_64F, again.at, n, CUDA_R_64F, &device, &host) == 0,
           "Xgetrf_bufferSize");
    Device<char> room(device + 1);
    std::vector<char> host_room(host + 1);
    expect(cusolverDnXgetrf(handle, params, n, n, CUDA_R_64F, again.at, n, wide.at, CUDA_R_64F, room.at, device,
                            host_room.data(), host, info.at) == 0,
           "Xgetrf");
    expect(again.get() == da.get() && wide.get()[0] == pivots.get()[0], "the same factors");
    expect(cusolverDnDestroyParams(params) == 0, "DestroyParams");
}

static void factorises_positive() {
    const int n = 6;
    const auto a = positive<std::complex<float>>(n, 40);
    Device<std::complex<float>> da(a);
    Device<int> info(1);
    int size = 0;
    auto* const at = reinterpret_cast<cuComplex*>(da.at);
    expect(cusolverDnCpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, at, n, &size) == 0, "potrf_bufferSize");
    Device<cuComplex> work(std::max(1, size));
    expect(cusolverDnCpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, at, n, work.at, size, info.at) == 0, "potrf");
    Matrix l(n, n, da.get());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) l(i, j) = 0;
    const double off = distance(l * l.turned(), Matrix(n, n, a));
    expect(off < kFloat && info.get()[0] == 0, "L L* is the matrix", off);
}

static void orthogonal() {
    const int m = 8, n = 5;
    const auto a = random_matrix<double>(m, n, 900);
    Device<double> da(a), tau(n);
    Device<int> info(1);
    int size = 0, more = 0;
    expect(cusolverDnDgeqrf_bufferSize(handle, m, n, da.at, m, &size) == 0, "geqrf_bufferSize");
    expect(cusolverDnDorgqr_bufferSize(handle, m, n, n, da.at, m, tau.at, &more) == 0, "orgqr_bufferSize");
    size = std::max({1, size, more});
    Device<double> work(size);
    expect(cusolverDnDgeqrf(handle, m, n, da.at, m, tau.at, work.at, size, info.at) == 0, "geqrf");
    const Matrix factors(m, n, da.get());
    expect(cusolverDnDorgqr(handle, m, n, n, da.at, m, tau.at, work.at, size, info.at) == 0, "orgqr");
    const Matrix q(m, n, da.get());
    Matrix r(n, n), one(n, n);
    for (int j = 0; j < n; ++j) {
        one(j, j) = 1;
        for (int i = 0; i <= j; ++i) r(i, j) = factors(i, j);
    }
    expect(distance(q * r, Matrix(m, n, a)) < kDouble, "Q R is the matrix");
    expect(distance(q.turned() * q, one) < kDouble, "Q is orthogonal");
}

static void eigenvalues() {
    const int n = 6;
    const auto a = positive<std::complex<double>>(n, 3);
    Device<std::complex<double>> da(a);
    Device<double> w(n);
    Device<int> info(1);
    int size = 0;
    auto* const at = reinterpret_cast<cuDoubleComplex*>(da.at);
    expect(cusolverDnZheevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, at, n, w.at,
                                       &size) == 0,
           "heevd_bufferSize");
    Device<cuDoubleComplex> work(std::max(1, size));
    expect(cusolverDnZheevd(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, at, n, w.at, work.at, size,
                            info.at) == 0,
           "heevd");
    const Matrix v(n, n, da.get());
    Matrix scaled = v;
    const auto values = w.get();
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) scaled(i, j) *= values[j];
    expect(distance(Matrix(n, n, a) * v, scaled) < kDouble * 10, "A v is w v");
    expect(std::is_sorted(values.begin(), values.end()), "eigenvalues are in order");
}

/// Values and right vectors of a general matrix: of a real one that turns, with complex pairs, and of a complex one.
template <class T>
static void general_values(cudaDataType type, cudaDataType values, cudaDataType vectors) {
    using C = std::complex<double>;
    const int n = 6;
    const auto a = random_matrix<T>(n, n, 11);
    Device<T> da(a);
    Device<double> w(2 * n), v(2 * n * n);
    Device<int> info(1);
    size_t device = 0, host = 0;
    cusolverDnParams_t params = nullptr;
    expect(cusolverDnCreateParams(&params) == 0, "CreateParams");
    expect(
        cusolverDnXgeev_bufferSize(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n, type, da.at,
                                   n, values, w.at, vectors, nullptr, 1, vectors, v.at, n, type, &device, &host) == 0,
        "Xgeev_bufferSize");
    Device<char> room(device + 1);
    std::vector<char> host_room(host + 1);
    expect(cusolverDnXgeev(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n, type, da.at, n,
                           values, w.at, vectors, nullptr, 1, vectors, v.at, n, type, room.at, device, host_room.data(),
                           host, info.at) == 0,
           "Xgeev");
    expect(info.get()[0] == 0, "its info", info.get()[0]);
    const auto got = w.get(), parts = v.get();
    std::vector<C> value(n);
    for (int k = 0; k < n; ++k) value[k] = values == CUDA_C_64F ? C(got[2 * k], got[2 * k + 1]) : C(got[k], got[n + k]);
    Matrix x(n, n);
    int pairs = 0;
    for (int j = 0; j < n; ++j) {
        const bool second = type == CUDA_R_64F && j > 0 && value[j] == std::conj(value[j - 1]) && value[j].imag() < 0;
        pairs += second;
        for (int i = 0; i < n; ++i) {
            if (vectors == CUDA_C_64F)
                x(i, j) = {parts[2 * (i + j * n)], parts[2 * (i + j * n) + 1]};
            else if (second)
                x(i, j) = std::conj(x(i, j - 1));
            else  // real and imaginary part stand in two columns
                x(i, j) = {parts[i + j * n], value[j].imag() != 0 ? parts[i + (j + 1) * n] : 0};
        }
    }
    Matrix scaled = x;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) scaled(i, j) *= value[j];
    expect(distance(Matrix(n, n, a) * x, scaled) < kDouble * 10, "A v is w v of a general matrix");
    expect(type != CUDA_R_64F || pairs > 0, "this matrix has pairs");
    expect(cusolverDnXgeev(handle, params, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR, n, type, da.at, n - 1,
                           values, w.at, vectors, nullptr, 1, vectors, v.at, n, type, room.at, device, host_room.data(),
                           host, info.at) == CUSOLVER_STATUS_INVALID_VALUE,
           "a short column of Xgeev");
    expect(cusolverDnDestroyParams(params) == 0, "DestroyParams");
}

static void triangle_inverted() {
    const int n = 5;
    auto a = random_matrix<float>(n, n, 8);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a[i + j * n] = i > j ? 0 : i == j ? 3 : a[i + j * n];
    Device<float> da(a);
    Device<int> info(1);
    size_t device = 0, host = 0;
    expect(cusolverDnXtrtri_bufferSize(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, n, CUDA_R_32F, da.at, n,
                                       &device, &host) == 0,
           "Xtrtri_bufferSize");
    Device<char> room(device + 1);
    std::vector<char> host_room(host + 1);
    expect(cusolverDnXtrtri(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT, n, CUDA_R_32F, da.at, n, room.at,
                            device, host_room.data(), host, info.at) == 0,
           "Xtrtri");
    Matrix one(n, n);
    for (int k = 0; k < n; ++k) one(k, k) = 1;
    expect(distance(Matrix(n, n, a) * Matrix(n, n, da.get()), one) < kFloat, "a triangle and its inverse");
}

static void singular_values() {
    const int m = 7, n = 4;
    const auto a = random_matrix<float>(m, n, 60);
    Device<float> da(a), s(n), u(m * m), vt(n * n), again(a), s2(n), u2(m * n), v(n * n);
    Device<int> info(1);
    int size = 0;
    expect(cusolverDnSgesvd_bufferSize(handle, m, n, &size) == 0, "gesvd_bufferSize");
    Device<float> work(std::max(1, size));
    expect(cusolverDnSgesvd(handle, 'A', 'A', m, n, da.at, m, s.at, u.at, m, vt.at, n, work.at, size, nullptr,
                            info.at) == 0,
           "gesvd");
    gesvdjInfo_t how = nullptr;
    expect(cusolverDnCreateGesvdjInfo(&how) == 0, "CreateGesvdjInfo");
    expect(cusolverDnSgesvdj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, again.at, m, s2.at, u2.at, m, v.at,
                                        n, &size, how) == 0,
           "gesvdj_bufferSize");
    Device<float> more(std::max(1, size));
    expect(cusolverDnSgesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, again.at, m, s2.at, u2.at, m, v.at, n, more.at,
                             size, info.at, how) == 0,
           "gesvdj");
    expect(cusolverDnDestroyGesvdjInfo(how) == 0, "DestroyGesvdjInfo");
    const auto one = s.get(), two = s2.get();
    for (int k = 0; k < n; ++k) expect(fabsf(one[k] - two[k]) < kFloat, "the same singular values", one[k] - two[k]);
    Matrix us(m, n, u2.get());
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) us(i, j) *= two[j];
    expect(distance(us * Matrix(n, n, v.get()).turned(), Matrix(m, n, a)) < kFloat, "U S V* is the matrix");
}

static void wrong_input() {
    int size = 0;
    Device<float> a(16);
    Device<int> pivots(4), info(1);
    expect(cusolverDnSgetrf_bufferSize(handle, 4, 4, a.at, 3, &size) == CUSOLVER_STATUS_INVALID_VALUE,
           "a short column");
    expect(cusolverDnSgetrf(handle, -1, 4, a.at, 4, a.at, pivots.at, info.at) == CUSOLVER_STATUS_INVALID_VALUE,
           "a negative size");
    expect(cusolverDnSgetrf(nullptr, 4, 4, a.at, 4, a.at, pivots.at, info.at) == CUSOLVER_STATUS_NOT_INITIALIZED,
           "no handle");
    expect(cusolverDnSgetrf(handle, 4, 4, a.at, 4, a.at, pivots.at, nullptr) == CUSOLVER_STATUS_INVALID_VALUE,
           "no place for info");
    expect(cusolverDnSgetrs(handle, CUBLAS_OP_N, 4, 1, a.at, 4, pivots.at, a.at, 4, nullptr) ==
               CUSOLVER_STATUS_INVALID_VALUE,
           "none for that of a solution");
    // A singular matrix: its first zero pivot.
    Device<float> zeros(std::vector<float>(16));
    expect(cusolverDnSgetrf(handle, 4, 4, zeros.at, 4, a.at, pivots.at, info.at) == 0, "a singular matrix");
    expect(info.get()[0] == 1, "its first pivot that is zero", info.get()[0]);
}

/// Eigenvalues of a pair, and those in a part of their order or of the numbers.
static void pairs_and_parts() {
    const int n = 4;
    int size = 0, found = -1;
    // Of diagonal matrices all is known: 1/1, 4/2, 9/3, 16/4.
    std::vector<double> a(16), b(16), full(16);
    for (int k = 0; k < n; ++k) {
        a[size_t(5 * k)] = (k + 1) * (k + 1);
        b[size_t(5 * k)] = k + 1;
        for (int i = 0; i < n; ++i) full[size_t(4 * k + i)] = 1 + (i == k) * (1 + k);
    }
    Device<double> da(a), db(b), w(n), work(16);
    Device<int> info(1);
    expect(cusolverDnDsygvd_bufferSize(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                                       da.at, n, db.at, n, w.at, &size) == 0,
           "sygvd_bufferSize");
    expect(cusolverDnDsygvd(handle, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.at, n,
                            db.at, n, w.at, work.at, size, info.at) == 0,
           "sygvd");
    for (int k = 0; k < n; ++k)
        expect(fabs(w.get()[size_t(k)] - (k + 1)) < kDouble, "an eigenvalue of a pair", w.get()[size_t(k)]);
    Device<double> all(full), some(full), between(full), values(n), part(n), inside(n);
    expect(cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, all.at, n, values.at,
                            work.at, 16, info.at) == 0,
           "syevd");
    expect(cusolverDnDsyevdx(handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, some.at,
                             n, 0, 0, 2, 3, &found, part.at, work.at, 16, info.at) == 0,
           "syevdx");
    expect(found == 2, "two of them", found);
    const auto of = values.get(), got = part.get(), vectors = some.get();
    for (int k = 0; k < 2; ++k) {
        expect(fabs(got[size_t(k)] - of[size_t(k + 1)]) < kDouble, "the second and the third", got[size_t(k)]);
        double off = 0;
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < n; ++j) sum += full[size_t(4 * j + i)] * vectors[size_t(4 * k + j)];
            off = fmax(off, fabs(sum - got[size_t(k)] * vectors[size_t(4 * k + i)]));
        }
        expect(off < kDouble, "A v is w v", off);
    }
    expect(cusolverDnDsyevdx(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_V, CUBLAS_FILL_MODE_LOWER, n,
                             between.at, n, of[2] + 1e-3, 100, 0, 0, &found, inside.at, work.at, 16, info.at) == 0,
           "syevdx by values");
    expect(found == 1 && fabs(inside.get()[0] - of[3]) < kDouble, "one that is larger", found);
    expect(cusolverDnDsyevdx(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n,
                             between.at, n, 0, 0, 3, 5, &found, inside.at, work.at, 16,
                             info.at) == CUSOLVER_STATUS_INVALID_VALUE,
           "a fifth of four");
}

/// A symmetric matrix that is not positive: its inverse by factors with blocks of two.
static void symmetric_inverted() {
    const int n = 6;
    auto a = random_matrix<double>(n, n, 900);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) a[size_t(i + n * j)] = a[size_t(j + n * i)];
    // Nothing on the diagonal: no factors without such blocks.
    for (int i = 0; i < n; ++i) a[size_t(i + n * i)] = 0;
    Device<double> da(a);
    Device<int> pivots(n), info(1);
    int size = 0, more = 0;
    expect(cusolverDnDsytrf_bufferSize(handle, n, da.at, n, &size) == 0, "sytrf_bufferSize");
    expect(cusolverDnDsytri_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, n, da.at, n, pivots.at, &more) == 0,
           "sytri_bufferSize");
    size = std::max(size, more);
    Device<double> work(std::max(1, size));
    expect(cusolverDnDsytrf(handle, CUBLAS_FILL_MODE_LOWER, n, da.at, n, pivots.at, work.at, size, info.at) == 0,
           "sytrf");
    expect(info.get()[0] == 0, "sytrf's info");
    expect(cusolverDnDsytri(handle, CUBLAS_FILL_MODE_LOWER, n, da.at, n, pivots.at, work.at, size, info.at) == 0,
           "sytri");
    Matrix inverse(n, n, da.get()), one(n, n);
    for (int j = 0; j < n; ++j) {
        one(j, j) = 1;
        for (int i = 0; i < j; ++i) inverse(i, j) = inverse(j, i);
    }
    const double off = distance(Matrix(n, n, a) * inverse, one);
    expect(off < kDouble, "a symmetric inverse", off);
}

/// To two diagonals and back; to three, by the products of Q.
static void diagonals() {
    const int m = 7, n = 5;
    const auto a = random_matrix<double>(m, n, 300);
    Device<double> da(a), d(n), e(n), tau_q(n), tau_p(n);
    Device<int> info(1);
    int size = 0;
    expect(cusolverDnDgebrd_bufferSize(handle, m, n, &size) == 0, "gebrd_bufferSize");
    size = std::max(size, 4096);
    Device<double> work(size);
    expect(cusolverDnDgebrd(handle, m, n, da.at, m, d.at, e.at, tau_q.at, tau_p.at, work.at, size, info.at) == 0,
           "gebrd");
    Device<double> q(da.get()), p(size_t(n) * n);
    for (int j = 0; j < n; ++j)
        (void)cudaMemcpy(p.at + j * n, da.at + j * m, n * sizeof(double), cudaMemcpyDeviceToDevice);
    expect(cusolverDnDorgbr(handle, CUBLAS_SIDE_LEFT, m, n, n, q.at, m, tau_q.at, work.at, size, info.at) == 0,
           "orgbr of Q");
    expect(cusolverDnDorgbr(handle, CUBLAS_SIDE_RIGHT, n, n, m, p.at, n, tau_p.at, work.at, size, info.at) == 0,
           "orgbr of P");
    Matrix b(n, n);
    const auto main_one = d.get(), above = e.get();
    for (int k = 0; k < n; ++k) b(k, k) = main_one[size_t(k)];
    for (int k = 0; k + 1 < n; ++k) b(k, k + 1) = above[size_t(k)];
    const double off = distance(Matrix(m, n, q.get()) * b * Matrix(n, n, p.get()), Matrix(m, n, a));
    expect(off < kDouble, "Q B P is the matrix", off);

    const auto s = positive<double>(n, 70);
    std::vector<double> unit(size_t(n) * n);
    for (int k = 0; k < n; ++k) unit[size_t(k + n * k)] = 1;
    Device<double> ds(s), tau(n), as_product(unit);
    expect(
        cusolverDnDsytrd(handle, CUBLAS_FILL_MODE_LOWER, n, ds.at, n, d.at, e.at, tau.at, work.at, size, info.at) == 0,
        "sytrd");
    expect(cusolverDnDormtr(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, ds.at, n, tau.at,
                            as_product.at, n, work.at, size, info.at) == 0,
           "ormtr");
    expect(cusolverDnDorgtr(handle, CUBLAS_FILL_MODE_LOWER, n, ds.at, n, tau.at, work.at, size, info.at) == 0, "orgtr");
    const Matrix whole(n, n, ds.get());
    Matrix three(n, n);
    const auto on = d.get(), beside = e.get();
    for (int k = 0; k < n; ++k) three(k, k) = on[size_t(k)];
    for (int k = 0; k + 1 < n; ++k) three(k, k + 1) = three(k + 1, k) = beside[size_t(k)];
    expect(distance(whole, Matrix(n, n, as_product.get())) < kDouble, "Q as a product");
    expect(distance(whole * three * whole.turned(), Matrix(n, n, s)) < 100 * kDouble, "Q T Q* is the matrix");
}

/// Systems solved at once, and one of more equations than unknowns.
static void solved_at_once() {
    const int m = 8, n = 5, columns = 2;
    auto a = random_matrix<double>(n, n, 11), tall = random_matrix<double>(m, n, 222);
    for (int k = 0; k < n; ++k) a[size_t(k + n * k)] += 4;
    const auto b = random_matrix<double>(n, columns, 33);
    const Matrix exact(n, columns, b), right = Matrix(m, n, tall) * exact;
    std::vector<double> of_tall;
    for (const auto& v : right.x) of_tall.push_back(v.real());
    Device<double> da(a), db(b), x(size_t(n) * columns), dt(tall), dr(of_tall), y(size_t(n) * columns);
    Device<int> pivots(n), info(1);
    int rounds = -77;
    size_t bytes = 0, more = 0;
    expect(
        cusolverDnDSgesv_bufferSize(handle, n, columns, da.at, n, pivots.at, db.at, n, x.at, n, nullptr, &bytes) == 0,
        "DSgesv_bufferSize");
    expect(cusolverDnDDgels_bufferSize(handle, m, n, columns, dt.at, m, dr.at, m, y.at, n, nullptr, &more) == 0,
           "DDgels_bufferSize");
    Device<char> work(std::max(bytes, more) + 1);
    expect(cusolverDnDSgesv(handle, n, columns, da.at, n, pivots.at, db.at, n, x.at, n, work.at, bytes, &rounds,
                            info.at) == 0,
           "DSgesv");
    expect(cudaDeviceSynchronize() == cudaSuccess && info.get()[0] == 0, "DSgesv's info");
    expect(rounds != -77, "rounds of refinement");
    const double off = distance(Matrix(n, n, a) * Matrix(n, columns, x.get()), exact);
    expect(off < kDouble, "a system solved at once", off);
    expect(cusolverDnDDgels(handle, m, n, columns, dt.at, m, dr.at, m, y.at, n, work.at, more, &rounds, info.at) == 0,
           "DDgels");
    const double of_least = distance(Matrix(n, columns, y.get()), exact);
    expect(of_least < kDouble, "least squares", of_least);
    expect(cusolverDnDDgels(handle, 2, n, columns, dt.at, m, dr.at, m, y.at, n, work.at, more, &rounds, info.at) != 0,
           "more unknowns than equations");
}

/// What a kernel may have left where the host's routine would follow it; the device has failed then, as by a kernel.
static void wrong_values(const std::string& which) {
    Device<float> a(std::vector<float>{1, 0, 0, 1}), b(2);
    Device<int> pivots(std::vector<int>{1, 1 << 30}), info(1);
    if (which == "pivot")
        expect(cusolverDnSgetrs(handle, CUBLAS_OP_N, 2, 1, a.at, 2, pivots.at, b.at, 2, info.at) == 0, "a wild pivot");
    else if (which == "block") {
        // Of a block of two the second row is behind the matrix.
        Device<int> blocks(std::vector<int>{1, -2});
        expect(cusolverDnSsytri(handle, CUBLAS_FILL_MODE_UPPER, 2, a.at, 2, blocks.at, b.at, 2, info.at) == 0,
               "half a block");
    } else if (which == "short")
        expect(cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, 2000, a.at, 2000, a.at, 1, info.at) == 0,
               "a short matrix");
    else
        expect(cusolverDnSgetrf(handle, 2, 2, a.at, 2, a.at, pivots.at, reinterpret_cast<int*>(&handle)) == 0,
               "info in the host's memory");
    expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the device has failed");
    printf(failures ? "%d failed\n" : "refused\n", failures);
}

int main(int count, char** arguments) {
    expect(cusolverDnCreate(&handle) == 0, "cusolverDnCreate");
    if (count > 1) {
        wrong_values(arguments[1]);
        return failures != 0;
    }
    solves();
    factorises_positive();
    orthogonal();
    eigenvalues();
    general_values<double>(CUDA_R_64F, CUDA_R_64F, CUDA_R_64F);
    general_values<double>(CUDA_R_64F, CUDA_C_64F, CUDA_C_64F);
    general_values<std::complex<double>>(CUDA_C_64F, CUDA_C_64F, CUDA_C_64F);
    triangle_inverted();
    singular_values();
    pairs_and_parts();
    symmetric_inverted();
    diagonals();
    solved_at_once();
    wrong_input();
    expect(cusolverDnDestroy(handle) == 0, "cusolverDnDestroy");
    printf(failures ? "%d failed\n" : "passed\n", failures);
    return failures != 0;
}
