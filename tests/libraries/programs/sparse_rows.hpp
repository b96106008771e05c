// Checks of the functions of cuSPARSE that take rows and entries as arrays: sorts, conversions and sums.
#pragma once

#include "sparse_matrices.hpp"

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

    // Numbers from one on, up to a power of two.
    Device<int> r3(std::vector<int>{4, 1, 2, 4, 1}), c3(std::vector<int>{4, 8, 1, 1, 3});
    ok(cusparseXcoosort_bufferSizeExt(handle, 4, 8, 5, r3.at, c3.at, &bytes), "size for coosort");
    Device<char> little(bytes);
    ok(cusparseXcoosortByRow(handle, 4, 8, 5, r3.at, c3.at, p.at, little.at), "coosortByRow from one on");
    expect(r3.host() == std::vector<int>{1, 1, 2, 4, 4} && c3.host() == std::vector<int>{3, 8, 1, 1, 4},
           "entries from one on");
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

/// A complex number is as large as its absolute value.
static void large_complex() {
    Device<std::complex<float>> values(std::vector<std::complex<float>>{{0.6f, 0.6f}, {1, 0.5f}, {-0.1f, -2}});
    Device<int> starts(std::vector<int>{0, 2, 3}), counts(2);
    cusparseMatDescr_t d;
    ok(cusparseCreateMatDescr(&d), "descriptor");
    cuComplex least;
    least.x = 1, least.y = 0;
    int few = 0;
    ok(cusparseCnnz_compress(handle, 2, d, reinterpret_cast<const cuComplex*>(values.at), starts.at, counts.at, &few,
                             least),
       "nnz_compress");
    expect(few == 2 && counts.host() == std::vector<int>{1, 1}, "large complex numbers", few);
    cusparseDestroyMatDescr(d);
}

/// A matrix of numbers beside the diagonal and far from it, whose incomplete factors are compared with the host's: L U,
/// or, of a symmetric one, L L'. One without a number on the diagonal has no pivot there.
static void incomplete_factors(bool symmetric, int without) {
    const int n = 40, far = 7;
    std::vector<int> starts{1}, places;
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
        for (const int j : {i - far, i - 1, i, i + 1, i + far}) {
            if (j < 0 || j >= n || (i == j && i == without)) continue;
            places.push_back(j + 1);
            values.push_back(i == j ? 6 + i % 3 : symmetric ? -1 - (i + j) % 2 * 0.25 : -1 - i % 4 * 0.25);
        }
        starts.push_back(int(places.size()) + 1);
    }
    const auto entry = [&](const std::vector<double>& v, int i, int j) {
        for (int e = starts[size_t(i)]; e < starts[size_t(i + 1)]; ++e)
            if (places[size_t(e - 1)] == j + 1) return v[size_t(e - 1)];
        return 0.0;
    };
    const int nnz = int(values.size());
    Device<int> s(starts), p(places);
    Device<double> v(values);
    cusparseMatDescr_t descr;
    ok(cusparseCreateMatDescr(&descr), "descriptor");
    ok(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE), "index base");
    int bytes = 0, zero = -7;
    const auto level = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    cusparseStatus_t pivot;
    if (symmetric) {
        csric02Info_t info;
        ok(cusparseCreateCsric02Info(&info), "info");
        ok(cusparseDcsric02_bufferSize(handle, n, nnz, descr, v.at, s.at, p.at, info, &bytes), "size for csric02");
        Device<char> room{size_t(bytes)};
        ok(cusparseDcsric02_analysis(handle, n, nnz, descr, v.at, s.at, p.at, info, level, room.at), "analysis");
        ok(cusparseDcsric02(handle, n, nnz, descr, v.at, s.at, p.at, info, level, room.at), "csric02");
        pivot = cusparseXcsric02_zeroPivot(handle, info, &zero);
        ok(cusparseDestroyCsric02Info(info), "info");
    } else {
        csrilu02Info_t info;
        ok(cusparseCreateCsrilu02Info(&info), "info");
        ok(cusparseDcsrilu02_bufferSize(handle, n, nnz, descr, v.at, s.at, p.at, info, &bytes), "size for csrilu02");
        Device<char> room{size_t(bytes)};
        ok(cusparseDcsrilu02_analysis(handle, n, nnz, descr, v.at, s.at, p.at, info, level, room.at), "analysis");
        ok(cusparseDcsrilu02(handle, n, nnz, descr, v.at, s.at, p.at, info, level, room.at), "csrilu02");
        pivot = cusparseXcsrilu02_zeroPivot(handle, info, &zero);
        ok(cusparseDestroyCsrilu02Info(info), "info");
    }
    cusparseDestroyMatDescr(descr);
    if (without >= 0) {
        expect(pivot == CUSPARSE_STATUS_ZERO_PIVOT && zero == without + 1, "the missing pivot");
        return;
    }
    expect(pivot == CUSPARSE_STATUS_SUCCESS && zero == -1, "no pivot is zero");
    // Where the matrix has an entry, the product of the factors is the matrix.
    const auto f = v.host();
    double worst = 0;
    for (int i = 0; i < n; ++i)
        for (int e = starts[size_t(i)]; e < starts[size_t(i + 1)]; ++e) {
            const int j = places[size_t(e - 1)] - 1;
            if (symmetric && j > i) continue;
            double sum = 0;
            for (int k = 0; k <= std::min(i, j); ++k)
                sum += symmetric ? entry(f, i, k) * entry(f, j, k) : (k == i ? 1 : entry(f, i, k)) * entry(f, k, j);
            worst = std::max(worst, std::fabs(sum - values[size_t(e - 1)]));
        }
    expect(worst < 1e-12, symmetric ? "L L'" : "L U");
}
