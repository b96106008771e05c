// Incomplete factors: of the functions for matrices by rows, in their analysis and their numbers. What an analysis
// finds elsewhere, the order in which rows can be done, is not needed: a warp does them one after the other.
#include "cudart/api/api.hpp"
#include "libraries/cusparse/work.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::sparse {
namespace {

struct Factoring {
    std::int64_t* zero = nullptr;  ///< in device memory: the row of the first pivot that is zero; -1: none
    bool analysed = false, boosts = false;
    double tolerance = 0, boost[2] = {};
    ~Factoring() {
        if (zero) (void)cudart::impl::cudaFree(zero);
    }
};
template <class Info>
HandleTable<Info, Factoring>& table() {
    static auto* all = new HandleTable<Info, Factoring>;
    return *all;
}
template <class Info>
Status make(Info* info) {
    if (!info) return CUSPARSE_STATUS_INVALID_VALUE;
    *info = table<Info>().add(std::make_shared<Factoring>());
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Info>
Status unmake(Info info) {
    return !info || table<Info>().take(info) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

bool are_good(int m, const Rows& a) {
    return m >= 0 && a.nnz >= 0 && find(a.descr) && (m == 0 || a.starts) && (a.nnz == 0 || (a.values && a.places));
}

template <class Info>
Status analyse(Handle h, int m, const Rows& a, Info info) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto state = table<Info>().find(info);
    if (!state || !are_good(m, a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!state->zero) {
        void* at = nullptr;
        WW_STEP(status_of(cudart::impl::cudaMalloc(&at, sizeof(std::int64_t))));
        state->zero = static_cast<std::int64_t*>(at);
    }
    // All bits: -1.
    WW_STEP(status_of(cudart::impl::cudaMemsetAsync(state->zero, 0xff, sizeof(std::int64_t), context->stream)));
    state->analysed = true;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Info>
Status factorise(Handle h, int m, const Rows& a, cudaDataType type, Info info, const char* kernel) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto state = table<Info>().find(info);
    if (!state || !state->analysed || !are_good(m, a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (m == 0) return CUSPARSE_STATUS_SUCCESS;
    WW_STEP(status_of(cudart::impl::cudaMemsetAsync(state->zero, 0xff, sizeof(std::int64_t), context->stream)));
    ww_sparse::Factors f{};
    f.a = matrix_of(a, m, m, find(a.descr)->base, type);
    f.boosts = state->boosts, f.tolerance = state->tolerance;
    f.boost[0] = state->boost[0], f.boost[1] = state->boost[1];
    f.zero = reinterpret_cast<ww_sparse::i64*>(state->zero);
    return launch(*context, std::string(kernel) + name_of(type), 32, 1, f);
}

template <class Info>
Status position(Handle h, Info info, int* to) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto state = table<Info>().find(info);
    if (!state || !state->analysed || !to) return CUSPARSE_STATUS_INVALID_VALUE;
    std::int64_t row = -1;
    WW_STEP(read(*context, state->zero, row));
    WW_STEP(give(*context, row, to));
    return row < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

}  // namespace

Status create_factors(csrilu02Info_t* info) { return make(info); }
Status create_factors(csric02Info_t* info) { return make(info); }
Status destroy_factors(csrilu02Info_t info) { return unmake(info); }
Status destroy_factors(csric02Info_t info) { return unmake(info); }

Status factors_room(Handle h, int m, const Rows& a, bool known, int* bytes) {
    if (!find(h)) return no_context(h);
    if (!known || !bytes || !are_good(m, a)) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 16;
    return CUSPARSE_STATUS_SUCCESS;
}
Status factors_room(Handle h, int m, const Rows& a, csrilu02Info_t info, int* bytes) {
    return factors_room(h, m, a, table<csrilu02Info_t>().find(info) != nullptr, bytes);
}
Status factors_room(Handle h, int m, const Rows& a, csric02Info_t info, int* bytes) {
    return factors_room(h, m, a, table<csric02Info_t>().find(info) != nullptr, bytes);
}
Status analyse_factors(Handle h, int m, const Rows& a, csrilu02Info_t info) { return analyse(h, m, a, info); }
Status analyse_factors(Handle h, int m, const Rows& a, csric02Info_t info) { return analyse(h, m, a, info); }
Status factor_rows(Handle h, int m, const Rows& a, cudaDataType type, csrilu02Info_t info) {
    return factorise(h, m, a, type, info, "sparse_lower_and_upper_");
}
Status factor_rows(Handle h, int m, const Rows& a, cudaDataType type, csric02Info_t info) {
    return factorise(h, m, a, type, info, "sparse_lower_alone_");
}
Status zero_pivot(Handle h, csrilu02Info_t info, int* to) { return position(h, info, to); }
Status zero_pivot(Handle h, csric02Info_t info, int* to) { return position(h, info, to); }
Status boost_pivots(Handle h, csrilu02Info_t info, cudaDataType type, int wanted, const double* tolerance,
                    const void* boost) {
    if (!find(h)) return no_context(h);
    const auto state = table<csrilu02Info_t>().find(info);
    if (!state || (wanted && (!tolerance || !boost))) return CUSPARSE_STATUS_INVALID_VALUE;
    state->boosts = wanted != 0;
    if (!wanted) return CUSPARSE_STATUS_SUCCESS;
    state->tolerance = *tolerance;
    state->boost[0] = real_at(boost, type, 0);
    state->boost[1] = type == CUDA_C_32F || type == CUDA_C_64F ? real_at(boost, type, 1) : 0;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace warpwright::libraries::sparse
