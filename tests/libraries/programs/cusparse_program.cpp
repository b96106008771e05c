// A program of cuSPARSE that checks itself: products, solutions, changes of form and sorts against sums by the host. It
// was also run with NVIDIA's library on a device; what it says of errors is what that library answers.
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
static const cusparseFormat_t kFormats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
static const cusparseOperation_t kOperations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                                  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
template <class T>
static constexpr bool is_complex = !std::is_floating_point<T>::value;

static Host combined(Complex alpha, const Host& p, Complex beta, const Host& old) {
    Host out = p;
    for (size_t k = 0; k < p.at.size(); ++k) out.at[k] = alpha * p.at[k] + beta * old.at[k];
    return out;
}

template <class T, class I>
static void vectors_times(cusparseFormat_t format, cusparseOperation_t op, cusparseIndexBase_t base) {
    const Host a = random<T>(70, 43, 6), aa = operated(a, op);
    const Host x = random<T>(aa.columns, 1, 1), old = random<T>(aa.rows, 1, 1);
    Sparse<T, I> s(a, format, base);
    Dense<T> dx(x, CUSPARSE_ORDER_COL), dy(old, CUSPARSE_ORDER_COL);
    cusparseDnVecDescr_t vx, vy;
    ok(cusparseCreateDnVec(&vx, x.rows, dx.device.at, Type<T>::name), "a vector");
    ok(cusparseCreateDnVec(&vy, old.rows, dy.device.at, Type<T>::name), "a vector");
    const Complex f = is_complex<T> ? Complex(0.5, 0.25) : 0.5, g = is_complex<T> ? Complex(1, -2) : -2;
    const T alpha = Type<T>::of(f), beta = Type<T>::of(g);
    size_t bytes = 0;
    ok(cusparseSpMV_bufferSize(handle, op, &alpha, s.descr, vx, &beta, vy, Type<T>::name, CUSPARSE_SPMV_ALG_DEFAULT,
                               &bytes),
       "size for SpMV", format, op);
    Device<char> room(bytes);
    ok(cusparseSpMV(handle, op, &alpha, s.descr, vx, &beta, vy, Type<T>::name, CUSPARSE_SPMV_ALG_DEFAULT, room.at),
       "SpMV", format, op);
    dy.compare_with(combined(f, product(aa, x), g, old), "SpMV", format, op);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
}

template <class T, class I>
static void matrices_times(cusparseFormat_t format, cusparseOperation_t op_a, cusparseOperation_t op_b,
                           cusparseOrder_t order) {
    const Host a = random<T>(37, 29, 5), aa = operated(a, op_a);
    const Host b = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE ? random<T>(aa.columns, 8, 1) : random<T>(8, aa.columns, 1);
    const Host old = random<T>(aa.rows, 8, 1);
    Sparse<T, I> s(a, format);
    Dense<T> db(b, order), dc(old, order);
    const T alpha = Type<T>::of(2), beta = Type<T>::of(0.5);
    size_t bytes = 0;
    ok(cusparseSpMM_bufferSize(handle, op_a, op_b, &alpha, s.descr, db.descr, &beta, dc.descr, Type<T>::name,
                               CUSPARSE_SPMM_ALG_DEFAULT, &bytes),
       "size for SpMM", format, op_a);
    Device<char> room(bytes);
    ok(cusparseSpMM(handle, op_a, op_b, &alpha, s.descr, db.descr, &beta, dc.descr, Type<T>::name,
                    CUSPARSE_SPMM_ALG_DEFAULT, room.at),
       "SpMM", format, op_a);
    dc.compare_with(combined(2, product(aa, operated(b, op_b)), 0.5, old), "SpMM", format, op_a * 3 + op_b);
}

/// Three products of one sparse matrix, by a batch.
static void batch_times() {
    const Host a = random<float>(20, 15, 4), b = random<float>(15, 3 * 4, 1), c = Host(20, 3 * 4);
    Sparse<float, int> s(a, CUSPARSE_FORMAT_CSR);
    Dense<float> db(b, CUSPARSE_ORDER_COL), dc(c, CUSPARSE_ORDER_COL);
    cusparseDnMatDescr_t mb, mc;
    cusparseCreateDnMat(&mb, 15, 4, db.ld, db.device.at, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&mc, 20, 4, dc.ld, dc.device.at, CUDA_R_32F, CUSPARSE_ORDER_COL);
    ok(cusparseDnMatSetStridedBatch(mb, 3, 4 * db.ld), "batch");
    ok(cusparseDnMatSetStridedBatch(mc, 3, 4 * dc.ld), "batch");
    ok(cusparseCsrSetStridedBatch(s.descr, 3, 0, 0), "batch");
    const float one = 1, zero = 0;
    size_t bytes = 0;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    ok(cusparseSpMM_bufferSize(handle, n, n, &one, s.descr, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes),
       "size");
    Device<char> room(bytes);
    ok(cusparseSpMM(handle, n, n, &one, s.descr, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, room.at),
       "batched SpMM");
    dc.compare_with(product(a, b), "batched SpMM", 0, 0);
    cusparseDestroyDnMat(mb);
    cusparseDestroyDnMat(mc);
}

/// Halves and bytes, whose sums are wider.
static void narrow_types() {
    const std::vector<uint16_t> halves = {0x3c00, 0x4000, 0xc200, 0x3800},
                                x = {0x3c00, 0x4000, 0x4200};  // 1 2 -3 0.5; 1 2 3
    const std::vector<int8_t> bytes = {1, 2, -3, 100}, y = {1, 2, 100};
    Device<int> starts(std::vector<int>{0, 2, 3, 4}), places(std::vector<int>{0, 2, 1, 2});
    Device<uint16_t> hv(halves), hx(x);
    Device<int8_t> bv(bytes), bx(y);
    Device<float> out(3);
    Device<int> sums(3);
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto times = [&](void* values, cudaDataType type, void* vector, void* result, cudaDataType of,
                           const void* alpha, const void* beta) {
        cusparseSpMatDescr_t a;
        cusparseDnVecDescr_t vx, vy;
        cusparseCreateCsr(&a, 3, 3, 4, starts.at, places.at, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, type);
        cusparseCreateDnVec(&vx, 3, vector, type);
        cusparseCreateDnVec(&vy, 3, result, of);
        size_t size = 0;
        ok(cusparseSpMV_bufferSize(handle, n, alpha, a, vx, beta, vy, of, CUSPARSE_SPMV_ALG_DEFAULT, &size), "size",
           type);
        Device<char> room(size);
        ok(cusparseSpMV(handle, n, alpha, a, vx, beta, vy, of, CUSPARSE_SPMV_ALG_DEFAULT, room.at),
           "SpMV of narrow types", type);
        cusparseDestroySpMat(a);
        cusparseDestroyDnVec(vx);
        cusparseDestroyDnVec(vy);
    };
    const float one = 1, zero = 0;
    const int i_one = 1, i_zero = 0;
    times(hv.at, CUDA_R_16F, hx.at, out.at, CUDA_R_32F, &one, &zero);
    expect(out.host() == std::vector<float>{7, -6, 1.5}, "halves");
    times(bv.at, CUDA_R_8I, bx.at, sums.at, CUDA_R_32I, &i_one, &i_zero);
    expect(sums.host() == std::vector<int>{201, -6, 10000}, "bytes");
}

template <class T>
static void sparse_times_sparse() {
    const Host a = random<T>(31, 24, 5), b = random<T>(24, 40, 6), c = product(a, b);
    Sparse<T, int> sa(a, CUSPARSE_FORMAT_CSR), sb(b, CUSPARSE_FORMAT_CSR);
    Device<int> starts(32);
    cusparseSpMatDescr_t sc;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    ok(cusparseCreateCsr(&sc, 31, 40, 0, starts.at, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, Type<T>::name),
       "an empty matrix");
    cusparseSpGEMMDescr_t d;
    ok(cusparseSpGEMM_createDescr(&d), "descriptor");
    const T alpha = Type<T>::of(1.5), beta = Type<T>::of(0);
    const auto type = Type<T>::name;
    const auto alg = CUSPARSE_SPGEMM_DEFAULT;
    size_t one = 0, two = 0;
    ok(cusparseSpGEMM_workEstimation(handle, n, n, &alpha, sa.descr, sb.descr, &beta, sc, type, alg, d, &one, nullptr),
       "size 1");
    Device<char> room(one);
    ok(cusparseSpGEMM_workEstimation(handle, n, n, &alpha, sa.descr, sb.descr, &beta, sc, type, alg, d, &one, room.at),
       "estimate");
    ok(cusparseSpGEMM_compute(handle, n, n, &alpha, sa.descr, sb.descr, &beta, sc, type, alg, d, &two, nullptr),
       "size 2");
    Device<char> more(two);
    ok(cusparseSpGEMM_compute(handle, n, n, &alpha, sa.descr, sb.descr, &beta, sc, type, alg, d, &two, more.at),
       "compute");
    int64_t rows = 0, columns = 0, nnz = 0;
    ok(cusparseSpMatGetSize(sc, &rows, &columns, &nnz), "its size");
    std::vector<Complex> wanted;
    std::vector<int> at, first(1, 0);
    for (long r = 0; r < 31; ++r) {
        for (long j = 0; j < 40; ++j)
            if (c(r, j) != 0.0) wanted.push_back(1.5 * c(r, j)), at.push_back(int(j));
        first.push_back(int(at.size()));
    }
    expect(rows == 31 && columns == 40 && nnz == int64_t(at.size()), "entries of the product", long(nnz),
           long(at.size()));
    Device<int> places{size_t(nnz)};
    Device<T> values{size_t(nnz)};
    ok(cusparseCsrSetPointers(sc, starts.at, places.at, values.at), "pointers");
    ok(cusparseSpGEMM_copy(handle, n, n, &alpha, sa.descr, sb.descr, &beta, sc, type, alg, d), "copy");
    expect(starts.host() == first, "its rows");
    expect(places.host() == at, "its columns");
    if (nnz == int64_t(wanted.size())) compare(values.host(), wanted, "SpGEMM");
    cusparseSpGEMM_destroyDescr(d);
    cusparseDestroySpMat(sc);
}

template <class T, class I>
static void sampled(cusparseFormat_t format, cusparseOrder_t order) {
    const Host a = random<T>(18, 21, 1), b = random<T>(21, 25, 1), old = random<T>(18, 25, 4);
    Sparse<T, I> c(old, format);
    Dense<T> da(a, order), db(b, order);
    const T alpha = Type<T>::of(0.5), beta = Type<T>::of(2);
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    ok(cusparseSDDMM_bufferSize(handle, n, n, &alpha, da.descr, db.descr, &beta, c.descr, Type<T>::name,
                                CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
       "size for SDDMM", format);
    Device<char> room(bytes);
    ok(cusparseSDDMM(handle, n, n, &alpha, da.descr, db.descr, &beta, c.descr, Type<T>::name,
                     CUSPARSE_SDDMM_ALG_DEFAULT, room.at),
       "SDDMM", format);
    const Host p = product(a, b);
    std::vector<Complex> wanted;
    for (long r = 0; r < 18; ++r)
        for (long j = 0; j < 25; ++j)
            if (old(r, j) != 0.0) wanted.push_back(0.5 * p(r, j) + 2.0 * old(r, j));
    compare(c.third.host(), wanted, "SDDMM", format, order);
}

/// A triangle, whose other half is to be ignored.
template <class T, class I>
static void solved(cusparseFormat_t format, cusparseOperation_t op, bool lower, bool unit) {
    const long n = 33, columns = 5;
    Host a = random<T>(n, n, 5);
    for (long k = 0; k < n; ++k) a(k, k) = Complex(3 + double(k % 4), 0);
    Host triangle = a;
    for (long r = 0; r < n; ++r)
        for (long c = 0; c < n; ++c)
            if (r == c ? unit : lower ? c > r : c < r) triangle(r, c) = r == c;
    const Host x = random<T>(n, columns, 1), b = product(operated(triangle, op), x);
    Sparse<T, I> s(a, format);
    const cusparseFillMode_t fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    const cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    auto f = fill;
    auto d = diagonal;
    ok(cusparseSpMatSetAttribute(s.descr, CUSPARSE_SPMAT_FILL_MODE, &f, sizeof f), "fill mode");
    ok(cusparseSpMatSetAttribute(s.descr, CUSPARSE_SPMAT_DIAG_TYPE, &d, sizeof d), "diagonal");
    Dense<T> db(b, CUSPARSE_ORDER_COL), dx(Host(n, columns), CUSPARSE_ORDER_COL);
    const T alpha = Type<T>::of(2);
    Host twice = x;
    for (auto& z : twice.at) z *= 2;
    const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpSMDescr_t sm;
    ok(cusparseSpSM_createDescr(&sm), "descriptor");
    size_t bytes = 0;
    ok(cusparseSpSM_bufferSize(handle, op, none, &alpha, s.descr, db.descr, dx.descr, Type<T>::name,
                               CUSPARSE_SPSM_ALG_DEFAULT, sm, &bytes),
       "size for SpSM", format, op);
    Device<char> room(bytes);
    ok(cusparseSpSM_analysis(handle, op, none, &alpha, s.descr, db.descr, dx.descr, Type<T>::name,
                             CUSPARSE_SPSM_ALG_DEFAULT, sm, room.at),
       "analysis", format, op);
    ok(cusparseSpSM_solve(handle, op, none, &alpha, s.descr, db.descr, dx.descr, Type<T>::name,
                          CUSPARSE_SPSM_ALG_DEFAULT, sm),
       "SpSM", format, op);
    dx.compare_with(twice, "SpSM", format, op * 4 + lower * 2 + unit);
    cusparseSpSM_destroyDescr(sm);

    Dense<T> dy(Host(n, 1), CUSPARSE_ORDER_COL);
    cusparseDnVecDescr_t vb, vx;
    cusparseCreateDnVec(&vb, n, db.device.at, Type<T>::name);
    cusparseCreateDnVec(&vx, n, dy.device.at, Type<T>::name);
    cusparseSpSVDescr_t sv;
    ok(cusparseSpSV_createDescr(&sv), "descriptor");
    ok(cusparseSpSV_bufferSize(handle, op, &alpha, s.descr, vb, vx, Type<T>::name, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                               &bytes),
       "size for SpSV", format, op);
    Device<char> space(bytes);
    ok(cusparseSpSV_analysis(handle, op, &alpha, s.descr, vb, vx, Type<T>::name, CUSPARSE_SPSV_ALG_DEFAULT, sv,
                             space.at),
       "analysis", format, op);
    ok(cusparseSpSV_solve(handle, op, &alpha, s.descr, vb, vx, Type<T>::name, CUSPARSE_SPSV_ALG_DEFAULT, sv), "SpSV",
       format, op);
    Host first(n, 1);
    for (long k = 0; k < n; ++k) first(k, 0) = twice(k, 0);
    dy.compare_with(first, "SpSV", format, op * 4 + lower * 2 + unit);
    cusparseSpSV_destroyDescr(sv);
    cusparseDestroyDnVec(vb);
    cusparseDestroyDnVec(vx);
}

template <class T, class I>
static void dense_and_back(cusparseFormat_t format, cusparseOrder_t order) {
    const Host a = random<T>(45, 70, 7);
    Dense<T> from(a, order), to(random<T>(45, 70, 1), order);
    Sparse<T, I> known(a, format);
    Device<I> starts(known.first.count);
    cusparseSpMatDescr_t s;
    const auto index = Sparse<T, I>::index;
    if (format == CUSPARSE_FORMAT_CSR)
        cusparseCreateCsr(&s, 45, 70, 0, starts.at, nullptr, nullptr, index, index, CUSPARSE_INDEX_BASE_ZERO,
                          Type<T>::name);
    else if (format == CUSPARSE_FORMAT_CSC)
        cusparseCreateCsc(&s, 45, 70, 0, starts.at, nullptr, nullptr, index, index, CUSPARSE_INDEX_BASE_ZERO,
                          Type<T>::name);
    else
        cusparseCreateCoo(&s, 45, 70, 0, nullptr, nullptr, nullptr, index, CUSPARSE_INDEX_BASE_ZERO, Type<T>::name);
    size_t bytes = 0;
    const auto alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    ok(cusparseDenseToSparse_bufferSize(handle, from.descr, s, alg, &bytes), "size for DenseToSparse", format);
    Device<char> room(bytes);
    ok(cusparseDenseToSparse_analysis(handle, from.descr, s, alg, room.at), "analysis", format);
    int64_t rows, columns, nnz = 0;
    ok(cusparseSpMatGetSize(s, &rows, &columns, &nnz), "size");
    expect(nnz == int64_t(known.third.count), "entries", long(nnz), long(known.third.count), format);
    Device<I> places{size_t(nnz)};
    Device<T> values{size_t(nnz)};
    if (format == CUSPARSE_FORMAT_CSR) ok(cusparseCsrSetPointers(s, starts.at, places.at, values.at), "pointers");
    if (format == CUSPARSE_FORMAT_CSC) ok(cusparseCscSetPointers(s, starts.at, places.at, values.at), "pointers");
    if (format == CUSPARSE_FORMAT_COO) ok(cusparseCooSetPointers(s, starts.at, places.at, values.at), "pointers");
    ok(cusparseDenseToSparse_convert(handle, from.descr, s, alg, room.at), "DenseToSparse", format);
    // NVIDIA's entries are in no order within a line, which the dense matrix that is made of them again does not show.
    expect(starts.host() == known.first.host(), "lines of DenseToSparse", format, order);
    const auto sorted = [](auto v) {
        std::sort(v.begin(), v.end());
        return v;
    };
    expect(sorted(places.host()) == sorted(known.second.host()), "places of DenseToSparse", format, order);
    ok(cusparseSparseToDense_bufferSize(handle, s, to.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes), "size");
    Device<char> space(bytes);
    ok(cusparseSparseToDense(handle, s, to.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, space.at), "SparseToDense",
       format);
    to.compare_with(a, "SparseToDense", format, order);
    cusparseDestroySpMat(s);
}

static void sorts() {
    const int m = 50, n = 60, nnz = 1700;
    std::vector<int> rows, columns;
    for (int k = 0; k < nnz; ++k) {  // no place twice
        const int at = (k * 1237) % (m * n);
        rows.push_back(at / n), columns.push_back(at % n);
    }
    std::vector<int> by_row(nnz);
    std::iota(by_row.begin(), by_row.end(), 0);
    auto by_column = by_row;
    std::sort(by_row.begin(), by_row.end(),
              [&](int a, int b) { return std::pair(rows[a], columns[a]) < std::pair(rows[b], columns[b]); });
    std::sort(by_column.begin(), by_column.end(),
              [&](int a, int b) { return std::pair(columns[a], rows[a]) < std::pair(columns[b], rows[b]); });
    const auto at = [](const std::vector<int>& v, const std::vector<int>& order) {
        std::vector<int> out;
        for (int k : order) out.push_back(v[size_t(k)]);
        return out;
    };
    Device<int> r(rows), c(columns), p(size_t{nnz}), back{size_t{nnz}}, starts{size_t{m + 1}};
    size_t bytes = 0;
    ok(cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, r.at, c.at, &bytes), "size for coosort");
    Device<char> room(bytes);
    ok(cusparseCreateIdentityPermutation(handle, nnz, p.at), "identity");
    ok(cusparseXcoosortByRow(handle, m, n, nnz, r.at, c.at, p.at, room.at), "coosortByRow");
    expect(p.host() == by_row, "order by rows");
    expect(r.host() == at(rows, by_row) && c.host() == at(columns, by_row), "entries by rows");
    ok(cusparseXcoo2csr(handle, r.at, nnz, m, starts.at, CUSPARSE_INDEX_BASE_ZERO), "coo2csr");
    const auto first = starts.host();
    bool good = first[0] == 0 && first[m] == nnz;
    for (int k = 0; k < m; ++k) good = good && first[k + 1] - first[k] == std::count(rows.begin(), rows.end(), k);
    expect(good, "coo2csr");
    ok(cusparseXcsr2coo(handle, starts.at, nnz, m, back.at, CUSPARSE_INDEX_BASE_ZERO), "csr2coo");
    expect(back.host() == r.host(), "csr2coo");

    // Rows whose columns are not in order.
    std::vector<int> mixed = c.host();
    for (int k = 0; k < m; ++k) std::reverse(mixed.begin() + first[k], mixed.begin() + first[k + 1]);
    Device<int> unsorted(mixed);
    cusparseMatDescr_t descr;
    ok(cusparseCreateMatDescr(&descr), "descriptor");
    ok(cusparseXcsrsort_bufferSizeExt(handle, m, n, nnz, starts.at, unsorted.at, &bytes), "size for csrsort");
    Device<char> space(bytes);
    ok(cusparseCreateIdentityPermutation(handle, nnz, p.at), "identity");
    ok(cusparseXcsrsort(handle, m, n, nnz, descr, starts.at, unsorted.at, p.at, space.at), "csrsort");
    expect(unsorted.host() == c.host(), "csrsort");
    const auto order = p.host();
    for (int k = 0; k < nnz; ++k) good = good && mixed[size_t(order[k])] == c.host()[size_t(k)];
    expect(good, "the order of csrsort");
    cusparseDestroyMatDescr(descr);

    Device<int> r2(rows), c2(columns);
    ok(cusparseCreateIdentityPermutation(handle, nnz, p.at), "identity");
    ok(cusparseXcoosortByColumn(handle, m, n, nnz, r2.at, c2.at, p.at, room.at), "coosortByColumn");
    expect(p.host() == by_column, "order by columns");
}

template <class T>
static void transposed() {
    const Host a = random<T>(30, 41, 5);
    Sparse<T, int> sa(a, CUSPARSE_FORMAT_CSR), wanted(a, CUSPARSE_FORMAT_CSC);
    const int nnz = int(sa.third.count);
    Device<int> starts(42), places{size_t(nnz)};
    Device<T> values{size_t(nnz)};
    size_t bytes = 0;
    const auto zero = CUSPARSE_INDEX_BASE_ZERO;
    ok(cusparseCsr2cscEx2_bufferSize(handle, 30, 41, nnz, sa.third.at, sa.first.at, sa.second.at, values.at, starts.at,
                                     places.at, Type<T>::name, CUSPARSE_ACTION_NUMERIC, zero, CUSPARSE_CSR2CSC_ALG1,
                                     &bytes),
       "size for csr2csc");
    Device<char> room(bytes);
    ok(cusparseCsr2cscEx2(handle, 30, 41, nnz, sa.third.at, sa.first.at, sa.second.at, values.at, starts.at, places.at,
                          Type<T>::name, CUSPARSE_ACTION_NUMERIC, zero, CUSPARSE_CSR2CSC_ALG1, room.at),
       "csr2csc");
    expect(starts.host() == wanted.first.host() && places.host() == wanted.second.host() &&
               values.host() == wanted.third.host(),
           "csr2csc");
}

/// The function for floats, or that for doubles.
template <class T, class Single, class Double>
static auto named(Single single, Double doubled) {
    if constexpr (std::is_same<T, float>::value)
        return single;
    else
        return doubled;
}

/// C = alpha A + beta B, whose entries are those of both.
template <class T>
static void added() {
    const Host a = random<T>(30, 41, 5), b = random<T>(30, 41, 6);
    Sparse<T, int> sa(a, CUSPARSE_FORMAT_CSR), sb(b, CUSPARSE_FORMAT_CSR);
    const int na = int(sa.third.count), nb = int(sb.third.count);
    cusparseMatDescr_t d;
    ok(cusparseCreateMatDescr(&d), "descriptor");
    Device<int> starts(31);
    const T alpha = 2, beta = -1;
    size_t bytes = 0;
    ok(named<T>(cusparseScsrgeam2_bufferSizeExt, cusparseDcsrgeam2_bufferSizeExt)(
           handle, 30, 41, &alpha, d, na, sa.third.at, sa.first.at, sa.second.at, &beta, d, nb, sb.third.at,
           sb.first.at, sb.second.at, d, nullptr, starts.at, nullptr, &bytes),
       "size for csrgeam2");
    Device<char> room(bytes);
    int nnz = 0;
    ok(cusparseXcsrgeam2Nnz(handle, 30, 41, d, na, sa.first.at, sa.second.at, d, nb, sb.first.at, sb.second.at, d,
                            starts.at, &nnz, room.at),
       "csrgeam2Nnz");
    std::vector<Complex> wanted;
    std::vector<int> at;
    for (long r = 0; r < 30; ++r)
        for (long c = 0; c < 41; ++c)
            if (a(r, c) != 0.0 || b(r, c) != 0.0) wanted.push_back(2.0 * a(r, c) - b(r, c)), at.push_back(int(c));
    expect(nnz == int(at.size()), "entries of the sum", nnz, long(at.size()));
    Device<int> places{size_t(nnz)};
    Device<T> values{size_t(nnz)};
    ok(named<T>(cusparseScsrgeam2, cusparseDcsrgeam2)(handle, 30, 41, &alpha, d, na, sa.third.at, sa.first.at,
                                                      sa.second.at, &beta, d, nb, sb.third.at, sb.first.at,
                                                      sb.second.at, d, values.at, starts.at, places.at, room.at),
       "csrgeam2");
    expect(places.host() == at && starts.host()[0] == 0, "columns of the sum");
    compare(values.host(), wanted, "csrgeam2");

    // What is larger than one half stays.
    Device<int> counts(30), few_starts(31);
    int few = 0, large = 0;
    ok(named<T>(cusparseSnnz_compress, cusparseDnnz_compress)(handle, 30, d, sa.third.at, sa.first.at, counts.at, &few,
                                                              T(0.5)),
       "nnz_compress");
    for (const T x : sa.third.host()) large += fabs(x) > 0.5;
    expect(few == large, "what is large", few, large);
    Device<int> few_places{size_t(few)};
    Device<T> few_values{size_t(few)};
    ok(named<T>(cusparseScsr2csr_compress, cusparseDcsr2csr_compress)(handle, 30, 41, d, sa.third.at, sa.second.at,
                                                                      sa.first.at, na, counts.at, few_values.at,
                                                                      few_places.at, few_starts.at, T(0.5)),
       "csr2csr_compress");
    std::vector<T> kept;
    for (const T x : sa.third.host())
        if (fabs(x) > 0.5) kept.push_back(x);
    auto left = few_values.host();
    std::sort(left.begin(), left.end());
    std::sort(kept.begin(), kept.end());
    expect(left == kept, "csr2csr_compress");

    Dense<T> dense(a, CUSPARSE_ORDER_COL);
    int total = 0;
    ok(named<T>(cusparseSnnz, cusparseDnnz)(handle, CUSPARSE_DIRECTION_ROW, 30, 41, d, dense.device.at, int(dense.ld),
                                            counts.at, &total),
       "nnz");
    const auto s = sa.first.host();
    bool good = total == na;
    for (size_t k = 0; k + 1 < s.size(); ++k) good = good && counts.host()[k] == s[k + 1] - s[k];
    expect(good, "nnz");
    cusparseDestroyMatDescr(d);
}

template <class T>
static void sparse_vectors() {
    const std::vector<int> at = {1, 4, 5, 11, 30};
    const Host xs = random<T>(5, 1, 1), ys = random<T>(32, 1, 1);
    Device<int> places(at);
    const Complex f = is_complex<T> ? Complex(0.5, 1) : 0.5;
    const T alpha = Type<T>::of(f), beta = Type<T>::of(2);
    Dense<T> x(xs, CUSPARSE_ORDER_COL), y(ys, CUSPARSE_ORDER_COL);
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    ok(cusparseCreateSpVec(&vx, 32, 5, places.at, x.device.at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                           Type<T>::name),
       "sparse vector");
    ok(cusparseCreateDnVec(&vy, 32, y.device.at, Type<T>::name), "vector");
    T got{};
    size_t bytes = 0;
    const auto op = is_complex<T> ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    ok(cusparseSpVV_bufferSize(handle, op, vx, vy, &got, Type<T>::name, &bytes), "size for SpVV");
    Device<char> room(bytes);
    ok(cusparseSpVV(handle, op, vx, vy, &got, Type<T>::name, room.at), "SpVV");
    Complex sum = 0;
    for (long k = 0; k < 5; ++k) sum += (is_complex<T> ? std::conj(xs(k, 0)) : xs(k, 0)) * ys(at[size_t(k)], 0);
    compare(std::vector<T>{got}, {sum}, "SpVV");
    ok(cusparseAxpby(handle, &alpha, vx, &beta, vy), "Axpby");
    Host wanted = ys;
    for (auto& z : wanted.at) z *= 2;
    for (long k = 0; k < 5; ++k) wanted(at[size_t(k)], 0) += f * xs(k, 0);
    y.compare_with(wanted, "Axpby", 0, 0);
    ok(cusparseGather(handle, vy, vx), "Gather");
    Host taken(5, 1);
    for (long k = 0; k < 5; ++k) taken(k, 0) = wanted(at[size_t(k)], 0);
    x.compare_with(taken, "Gather", 0, 0);
    const std::vector<T> numbers = {T(1), T(2), T(3), T(4), T(5)};
    cudaMemcpy(x.device.at, numbers.data(), 5 * sizeof(T), cudaMemcpyHostToDevice);
    ok(cusparseScatter(handle, vx, vy), "Scatter");
    for (long k = 0; k < 5; ++k) wanted(at[size_t(k)], 0) = double(k + 1);
    y.compare_with(wanted, "Scatter", 0, 0);
    cusparseDestroySpVec(vx);
    cusparseDestroyDnVec(vy);
}

static void three_diagonals(bool exchange) {
    const int m = 40, columns = 3;
    std::vector<float> low(m), mid(m), up(m);
    Host a(m, m);
    for (int k = 0; k < m; ++k) {
        low[size_t(k)] = k ? float(drawn(1000)) / 500 - 1 : 0,
        up[size_t(k)] = k + 1 < m ? float(drawn(1000)) / 500 - 1 : 0;
        mid[size_t(k)] = exchange ? float(k % 3) * 0.25f : 3;
        a(k, k) = mid[size_t(k)];
        if (k) a(k, k - 1) = low[size_t(k)];
        if (k + 1 < m) a(k, k + 1) = up[size_t(k)];
    }
    const Host x = random<float>(m, columns, 1), b = product(a, x);
    Device<float> l(low), d(mid), u(up);
    Dense<float> right(b, CUSPARSE_ORDER_COL);
    size_t bytes = 0;
    ok(cusparseSgtsv2_bufferSizeExt(handle, m, columns, l.at, d.at, u.at, right.device.at, int(right.ld), &bytes),
       "size for gtsv2");
    Device<char> room(bytes);
    ok(cusparseSgtsv2(handle, m, columns, l.at, d.at, u.at, right.device.at, int(right.ld), room.at), "gtsv2");
    // What is left of each equation, since the solution itself may be far off where the matrix is nearly singular.
    const auto got = right.device.host();
    double worst = 0, size = 1;
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < m; ++r) {
            double rest = b(r, c).real();
            for (int k = 0; k < m; ++k) {
                const double y = double(got[size_t(k + c * right.ld)]);
                rest -= a(r, k).real() * y;
                size = fmax(size, fabs(y));
            }
            worst = rest == rest ? fmax(worst, fabs(rest)) : INFINITY;
        }
    expect(worst <= 3e-6 * size, "gtsv2", exchange);
}

static void by_the_device() {
    const Host a = random<float>(20, 20, 3), x = random<float>(20, 1, 1);
    Sparse<float, int> s(a, CUSPARSE_FORMAT_CSR);
    Dense<float> dx(x, CUSPARSE_ORDER_COL), dy(Host(20, 1), CUSPARSE_ORDER_COL);
    Device<float> factors(std::vector<float>{3, 0});
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateDnVec(&vx, 20, dx.device.at, CUDA_R_32F);
    cusparseCreateDnVec(&vy, 20, dy.device.at, CUDA_R_32F);
    ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), "pointer mode");
    size_t bytes = 0;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpMV_bufferSize(handle, n, factors.at, s.descr, vx, factors.at + 1, vy, CUDA_R_32F,
                            CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    Device<char> room(bytes);
    ok(cusparseSpMV(handle, n, factors.at, s.descr, vx, factors.at + 1, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                    room.at),
       "factors of the device");
    ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "pointer mode");
    Host wanted = product(a, x);
    for (auto& z : wanted.at) z *= 3;
    dy.compare_with(wanted, "factors of the device", 0, 0);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
}

static void errors() {
    cusparseSpMatDescr_t s = nullptr;
    cusparseDnVecDescr_t v = nullptr, w = nullptr;
    Device<int> numbers(8);
    Device<float> values(8);
    const auto i = CUSPARSE_INDEX_32I;
    const auto b = CUSPARSE_INDEX_BASE_ZERO;
    auto status = cusparseCreateCsr(&s, -1, 4, 2, numbers.at, numbers.at, values.at, i, i, b, CUDA_R_32F);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "fewer rows than none", status);
    status = cusparseCreateCsr(nullptr, 4, 4, 2, numbers.at, numbers.at, values.at, i, i, b, CUDA_R_32F);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "no descriptor", status);
    status = cusparseCreateDnVec(&v, -4, values.at, CUDA_R_32F);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "a vector of less than nothing", status);
    cusparseDnMatDescr_t d;
    status = cusparseCreateDnMat(&d, 4, 2, 3, values.at, CUDA_R_32F, CUSPARSE_ORDER_COL);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "a leading dimension that is too small", status);
    ok(cusparseCreateCsr(&s, 4, 4, 2, numbers.at, numbers.at, values.at, i, i, b, CUDA_R_32F), "create");
    ok(cusparseCreateDnVec(&v, 4, values.at, CUDA_R_32F), "create");
    ok(cusparseCreateDnVec(&w, 5, values.at, CUDA_R_32F), "create");
    const float one = 1;
    size_t bytes = 0;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    status = cusparseSpMV_bufferSize(handle, n, &one, s, v, &one, w, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "sides that do not fit", status);
    status =
        cusparseSpMV_bufferSize(handle, n, &one, nullptr, v, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "no matrix", status);
    status = cusparseSpMV_bufferSize(nullptr, n, &one, s, v, &one, v, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    expect(status == CUSPARSE_STATUS_INVALID_VALUE, "no handle", status);
    status = cusparseCscSetPointers(s, numbers.at, numbers.at, values.at);
    expect(status != CUSPARSE_STATUS_SUCCESS, "pointers of another form", status);
    expect(strcmp(cusparseGetErrorName(CUSPARSE_STATUS_INVALID_VALUE), "CUSPARSE_STATUS_INVALID_VALUE") == 0, "a name");
    cusparseDestroySpMat(s);
    cusparseDestroyDnVec(v);
    cusparseDestroyDnVec(w);
}

/// With an argument, in every type; without, in those that between them need each kernel's text once.
int main(int arguments, char**) {
    const bool all = arguments > 1;
    ok(cusparseCreate(&handle), "create");
    const auto zero = CUSPARSE_INDEX_BASE_ZERO, one = CUSPARSE_INDEX_BASE_ONE;
    for (const auto format : kFormats)
        for (const auto op : kOperations) {
            const bool adjoint = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;  // of complex numbers alone
            if (!adjoint) vectors_times<float, int>(format, op, zero);
            vectors_times<Complex, int64_t>(format, op, one);
            if (all && !adjoint) vectors_times<double, int64_t>(format, op, one);
            if (all) vectors_times<std::complex<float>, int>(format, op, one);
        }
    for (const auto format : kFormats)
        for (const auto order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
            matrices_times<float, int>(format, kOperations[0], kOperations[0], order);
            matrices_times<Complex, int>(format, kOperations[1], kOperations[0], order);
            if (all) matrices_times<double, int>(format, kOperations[1], kOperations[0], order);
            dense_and_back<float, int>(format, order);
            if (all) dense_and_back<double, int>(format, order);
        }
    matrices_times<float, int>(CUSPARSE_FORMAT_CSR, kOperations[0], kOperations[1], CUSPARSE_ORDER_COL);
    matrices_times<Complex, int64_t>(CUSPARSE_FORMAT_CSR, kOperations[2], kOperations[0], CUSPARSE_ORDER_ROW);
    if (all) dense_and_back<Complex, int64_t>(CUSPARSE_FORMAT_CSR, CUSPARSE_ORDER_ROW);
    batch_times();
    narrow_types();
    sparse_times_sparse<float>();
    if (all) sparse_times_sparse<double>();
    if (all) sparse_times_sparse<Complex>();
    sampled<float, int>(CUSPARSE_FORMAT_CSR, CUSPARSE_ORDER_COL);
    if (all) sampled<Complex, int>(CUSPARSE_FORMAT_CSR, CUSPARSE_ORDER_ROW);
    for (const bool lower : {false, true})
        for (const auto op : {kOperations[0], kOperations[1]}) {
            solved<float, int>(CUSPARSE_FORMAT_CSR, op, lower, false);
            solved<float, int>(CUSPARSE_FORMAT_COO, op, lower, true);
            if (all) solved<Complex, int>(CUSPARSE_FORMAT_COO, op, lower, true);
        }
    solved<Complex, int64_t>(CUSPARSE_FORMAT_CSR, kOperations[2], true, false);
    sorts();
    transposed<float>();
    if (all) transposed<Complex>();
    added<float>();
    if (all) added<double>();
    sparse_vectors<float>();
    if (all) sparse_vectors<Complex>();
    three_diagonals(false);
    three_diagonals(true);
    by_the_device();
    errors();
    ok(cusparseDestroy(handle), "destroy");
    printf(failures ? "%d failed\n" : "passed\n", failures);
    return failures != 0;
}
