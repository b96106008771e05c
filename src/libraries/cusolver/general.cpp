// Eigenvalues of general matrices, and inverses of triangular ones.
#include <cstring>

#include "libraries/cusolver/functions.hpp"
#include "libraries/cusolver/lapack.hpp"
#include "libraries/cusolver/types.hpp"

namespace warpwright::libraries::solver_impl {
namespace {

cudaDataType complex_of(cudaDataType type) {
    return type == CUDA_R_32F ? CUDA_C_32F : type == CUDA_R_64F ? CUDA_C_64F : type;
}

bool wanted(const Vectors& v) { return v.mode == CUSOLVER_EIG_MODE_VECTOR; }

/// Whether these vectors of a matrix of `type` can be given so.
bool valid(const Vectors& v, std::int64_t n, cudaDataType type) {
    if (v.mode != CUSOLVER_EIG_MODE_NOVECTOR && !wanted(v)) return false;
    return !wanted(v) || (v.at && small(v.ld) && fits(n, n, v.ld) && (v.type == type || v.type == complex_of(type)));
}

/// The vectors of a real matrix as complex ones: those of a pair of values are stored as real and imaginary part.
template <class R>
void unpack(int n, const std::vector<R>& packed, const std::vector<R>& imaginary, R* to, std::int64_t ld) {
    const auto at = [&](int row, int column) { return packed[static_cast<std::size_t>(column) * n + row]; };
    for (int j = 0; j < n; ++j) {
        const bool pair = imaginary[static_cast<std::size_t>(j)] != 0 && j + 1 < n;
        for (int i = 0; i < n; ++i) {
            to[2 * (j * ld + i)] = at(i, j);
            to[2 * (j * ld + i) + 1] = pair ? at(i, j + 1) : R{0};
            if (!pair) continue;
            to[2 * ((j + 1) * ld + i)] = at(i, j);
            to[2 * ((j + 1) * ld + i) + 1] = -at(i, j + 1);
        }
        j += pair;
    }
}

/// Of a real matrix, whose values LAPACK gives in two arrays.
template <class T>
void real_geev(void* f, int n, T* a, int lda, bool complex_values, T* w, const Vectors& left, const Vectors& right,
               int* info) {
    const auto size = static_cast<std::size_t>(std::max(1, n));
    std::vector<T> real(size), imaginary(size), vectors[2];
    const Vectors* const sides[] = {&left, &right};
    T* at[2] = {real.data(), real.data()};  // not touched where they are not wanted
    int ld[2] = {1, 1};
    bool unpacked[2] = {};
    for (int k = 0; k < 2; ++k) {
        if (!wanted(*sides[k])) continue;
        unpacked[k] = sides[k]->type == CUDA_C_32F || sides[k]->type == CUDA_C_64F;
        if (unpacked[k]) vectors[k].resize(size * size);
        at[k] = unpacked[k] ? vectors[k].data() : static_cast<T*>(sides[k]->at);
        ld[k] = unpacked[k] ? static_cast<int>(size) : as_int(sides[k]->ld);
    }
    with_workspace<T>([&](T* work, int room) {
        fortran(f, letter(left.mode), letter(right.mode), n, a, lda, real.data(), imaginary.data(), at[0], ld[0], at[1],
                ld[1], work, room, info);
    });
    for (int k = 0; k < n; ++k) {
        const auto i = static_cast<std::size_t>(k);
        w[complex_values ? 2 * k : k] = real[i];
        w[complex_values ? 2 * k + 1 : n + k] = imaginary[i];
    }
    for (int k = 0; k < 2; ++k)
        if (unpacked[k]) unpack(n, vectors[k], imaginary, static_cast<T*>(sides[k]->at), sides[k]->ld);
}

template <class T, class R>
void complex_geev(void* f, int n, T* a, int lda, T* w, const Vectors& left, const Vectors& right, int* info) {
    std::vector<R> more(static_cast<std::size_t>(2) * std::max(1, n));
    const int ldvl = wanted(left) ? as_int(left.ld) : 1, ldvr = wanted(right) ? as_int(right.ld) : 1;
    with_workspace<T>([&](T* work, int room) {
        fortran(f, letter(left.mode), letter(right.mode), n, a, lda, w, static_cast<T*>(left.at), ldvl,
                static_cast<T*>(right.at), ldvr, work, room, more.data(), info);
    });
}

}  // namespace

Status x_geev(Handle h, std::int64_t n, cudaDataType type, void* a, std::int64_t lda, cudaDataType type_w, void* w,
              Vectors left, Vectors right, int* info) {
    if (!small(n, lda) || !fits(n, n, lda) || !valid(left, n, type) || !valid(right, n, type) ||
        (type_w != type && type_w != complex_of(type)) || !info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) -> Status {
        void* const f = routine<T>("geev");
        if (!f) return CUSOLVER_STATUS_INTERNAL_ERROR;
        // Two numbers each where they are of two parts.
        const auto parts = [&](cudaDataType other) { return other != type || kComplex<T> ? 2 : 1; };
        const auto vectors = [&](const char* name, const Vectors& v) {
            auto* const at = static_cast<R*>(v.at);
            return wanted(v) ? matrix_of(name, at, parts(v.type) * n, n, parts(v.type) * v.ld) : vector_of(name, at, 0);
        };
        return queue(h, "geev",
                     {matrix_of("A", static_cast<T*>(a), n, n, lda), vector_of("W", static_cast<R*>(w), 2 * n),
                      vectors("VL", left), vectors("VR", right), vector_of("info", info, 1)},
                     [=, n = as_int(n), lda = as_int(lda)] {
                         if constexpr (kComplex<T>)
                             complex_geev<T, R>(f, n, static_cast<T*>(a), lda, static_cast<T*>(w), left, right, info);
                         else
                             real_geev(f, n, static_cast<T*>(a), lda, type_w != type, static_cast<T*>(w), left, right,
                                       info);
                     });
    });
}

Status x_trtri(Handle h, cublasFillMode_t fill, cublasDiagType_t diagonal, std::int64_t n, cudaDataType type, void* a,
               std::int64_t lda, int* info) {
    if (!small(n, lda) || !fits(n, n, lda) || !info) return CUSOLVER_STATUS_INVALID_VALUE;
    return of_type(type, [&]<class T, class R>(T*, R*) -> Status {
        void* const f = routine<T>("trtri");
        if (!f) return CUSOLVER_STATUS_INTERNAL_ERROR;
        return queue(h, "trtri", {matrix_of("A", static_cast<T*>(a), n, n, lda), vector_of("devInfo", info, 1)},
                     [=, n = as_int(n), lda = as_int(lda)] {
                         fortran(f, letter(fill), diagonal == CUBLAS_DIAG_UNIT ? 'U' : 'N', n, static_cast<T*>(a), lda,
                                 info);
                     });
    });
}

}  // namespace warpwright::libraries::solver_impl
