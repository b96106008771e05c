// A program of cuSPARSE that checks itself: products, solutions, changes of form and sorts against sums by the host. It
// was also run with NVIDIA's library on a device; what it says of errors is what that library answers.
#include "sparse_matrices.hpp"
#include "sparse_rows.hpp"

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

/// A triangle by its columns of which one place has two entries, which two lanes of a warp take at once; and divisors
/// whose squares are no floats.
static void solved_with_care() {
    using C = std::complex<float>;
    const float big = 2e30f;
    // Row 0 of the stored matrix, a column of what is solved: the diagonal, and three times row 1.
    const Device<int> starts(std::vector<int>{0, 4, 5, 6}), places(std::vector<int>{0, 1, 1, 1, 1, 2});
    const Device<C> values(std::vector<C>{{big, big}, {1, 0}, {2, 0}, {4, 0}, {1, 0}, {2, 0}});
    const Device<C> b(std::vector<C>{{2 * big, 0}, {10, 0}, {8, 0}}), x(size_t{3});
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vb, vx;
    const auto index = CUSPARSE_INDEX_32I;
    ok(cusparseCreateCsr(&a, 3, 3, 6, starts.at, places.at, values.at, index, index, CUSPARSE_INDEX_BASE_ZERO,
                         Type<C>::name),
       "a triangle");
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
    ok(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill), "fill mode");
    cusparseCreateDnVec(&vb, 3, b.at, Type<C>::name);
    cusparseCreateDnVec(&vx, 3, x.at, Type<C>::name);
    cusparseSpSVDescr_t d;
    ok(cusparseSpSV_createDescr(&d), "descriptor");
    const C one(1, 0);
    const auto op = CUSPARSE_OPERATION_TRANSPOSE;
    const auto alg = CUSPARSE_SPSV_ALG_DEFAULT;
    size_t bytes = 0;
    ok(cusparseSpSV_bufferSize(handle, op, &one, a, vb, vx, Type<C>::name, alg, d, &bytes), "size for SpSV");
    Device<char> room(bytes);
    ok(cusparseSpSV_analysis(handle, op, &one, a, vb, vx, Type<C>::name, alg, d, room.at), "analysis");
    ok(cusparseSpSV_solve(handle, op, &one, a, vb, vx, Type<C>::name, alg, d), "SpSV");
    // 2 b / (b + b i) is 1 - i; 10 - 7 (1 - i) is 3 + 7 i.
    compare(x.host(), {{1, -1}, {3, 7}, {4, 0}}, "SpSV with two entries of a place");
    cusparseSpSV_destroyDescr(d);
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vb);
    cusparseDestroyDnVec(vx);
}

/// More batches than a grid has.
static void many_sampled() {
    const int batches = 65540;
    std::vector<float> numbers;
    for (int k = 0; k < batches; ++k) numbers.push_back(float(k % 100));
    const Device<int> starts(std::vector<int>{0, 1}), places(std::vector<int>(size_t(batches), 0));
    const Device<float> from(numbers), values(std::vector<float>(size_t(batches), 1.f));
    cusparseSpMatDescr_t c;
    cusparseDnMatDescr_t a, b;
    const auto index = CUSPARSE_INDEX_32I;
    ok(cusparseCreateCsr(&c, 1, 1, 1, starts.at, places.at, values.at, index, index, CUSPARSE_INDEX_BASE_ZERO,
                         CUDA_R_32F),
       "an entry");
    ok(cusparseCsrSetStridedBatch(c, batches, 0, 1), "its batches");
    for (auto* m : {&a, &b}) {
        ok(cusparseCreateDnMat(m, 1, 1, 1, from.at, CUDA_R_32F, CUSPARSE_ORDER_COL), "a number");
        ok(cusparseDnMatSetStridedBatch(*m, batches, 1), "its batches");
    }
    const float one = 1;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    ok(cusparseSDDMM_bufferSize(handle, n, n, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
       "size for SDDMM");
    Device<char> room(bytes);
    ok(cusparseSDDMM(handle, n, n, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, room.at), "SDDMM");
    const auto got = values.host();
    long wrong = 0;
    for (int k = 0; k < batches; ++k) wrong += got[size_t(k)] != numbers[size_t(k)] * numbers[size_t(k)] + 1;
    expect(wrong == 0, "SDDMM of many batches", wrong);
    cusparseDestroySpMat(c);
    cusparseDestroyDnMat(a);
    cusparseDestroyDnMat(b);
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
    solved_with_care();
    many_sampled();
    sorts();
    transposed<float>();
    if (all) transposed<Complex>();
    added<float>();
    if (all) added<double>();
    large_complex();
    sparse_vectors<float>();
    if (all) sparse_vectors<Complex>();
    three_diagonals(false);
    three_diagonals(true);
    incomplete_factors(false, -1);
    incomplete_factors(true, -1);
    incomplete_factors(false, 5);
    by_the_device();
    errors();
    ok(cusparseDestroy(handle), "destroy");
    printf(failures ? "%d failed\n" : "passed\n", failures);
    return failures != 0;
}
