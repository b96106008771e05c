// Triangular systems are solved row by row, by a warp for each column of the unknowns. Coordinates need where each row
// begins, which the analysis puts into the program's memory. Systems with three diagonals are solved by a thread each.
#include "libraries/cusparse/work.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::sparse {
namespace {

struct Solving {
    void* starts = nullptr;  ///< of coordinates
    void* values = nullptr;  ///< in the place of the matrix's
    bool analysed = false;
};
template <class Descr>
HandleTable<Descr, Solving>& table() {
    static auto* all = new HandleTable<Descr, Solving>;
    return *all;
}
template <class Descr>
Status make(Descr* d) {
    if (!d) return CUSPARSE_STATUS_INVALID_VALUE;
    *d = table<Descr>().add(std::make_shared<Solving>());
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Descr>
Status unmake(Descr d) {
    return !d || table<Descr>().take(d) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

Status run(const Context& context, Solving& state, cusparseOperation_t op, const SpMat& a, ww_sparse::Solve s,
           std::int64_t rows, int compute, const void* alpha, void* room, Step step) {
    if (!is_operation(op) || a.rows != a.cols || rows != a.rows || a.batches != 1) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!name_of(compute) || compute == CUDA_R_32I || a.type != compute || s.b.type != compute || s.x.type != compute)
        return not_supported("a triangular system of these types");
    const bool by_coordinates = a.format == CUSPARSE_FORMAT_COO;
    Room own(step == Step::analyse ? room : nullptr);
    void* const starts = by_coordinates ? own.take<std::int64_t>(a.rows + 1) : nullptr;
    if (step == Step::size) {
        if (!room) return CUSPARSE_STATUS_INVALID_VALUE;
        *static_cast<std::size_t*>(room) = own.bytes();
        return CUSPARSE_STATUS_SUCCESS;
    }
    s.a = matrix_of(a);
    if (step == Step::analyse) {
        if (!has_memory(a) || (by_coordinates && !room)) return CUSPARSE_STATUS_INVALID_VALUE;
        state = {starts, nullptr, true};
        if (!by_coordinates) return CUSPARSE_STATUS_SUCCESS;
        return launch(context, "sparse_starts", a.rows + 1, 1, s.a.starts, s.a.entries, s.a.lines,
                      indices_of(starts, true));
    }
    if (!state.analysed || !alpha || !has_memory(a)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (a.rows == 0 || s.columns == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!s.b.at || !s.x.at) return CUSPARSE_STATUS_INVALID_VALUE;
    if (by_coordinates) {
        s.a.starts = indices_of(state.starts, true);
        s.a.compressed = 1;
    }
    if (state.values) s.a.values = state.values;
    const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    s.a.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    s.by_lines = turned == (a.format == CUSPARSE_FORMAT_CSC);
    s.lower = (a.fill == CUSPARSE_FILL_MODE_LOWER) != turned;
    s.unit = a.diagonal == CUSPARSE_DIAG_TYPE_UNIT;
    s.alpha = factor(context, alpha, compute);
    return launch(context, std::string(s.by_lines ? "sparse_solve_rows_" : "sparse_solve_columns_") + name_of(compute),
                  32 * s.columns, 1, s);
}

template <class Descr, class Part>
Status update(Handle h, Descr d, void* values, Part part) {
    if (!find(h)) return no_context(h);
    const auto state = table<Descr>().find(d);
    if (!state || !values || !state->analysed) return CUSPARSE_STATUS_INVALID_VALUE;
    if (part != 0) return not_supported("the change of a diagonal");
    state->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

Status create_solve(cusparseSpSVDescr_t* d) { return make(d); }
Status create_solve(cusparseSpSMDescr_t* d) { return make(d); }
Status destroy_solve(cusparseSpSVDescr_t d) { return unmake(d); }
Status destroy_solve(cusparseSpSMDescr_t d) { return unmake(d); }
Status update_solve(Handle h, cusparseSpSVDescr_t d, void* values, cusparseSpSVUpdate_t part) {
    return update(h, d, values, part);
}
Status update_solve(Handle h, cusparseSpSMDescr_t d, void* values, cusparseSpSMUpdate_t part) {
    return update(h, d, values, part);
}

Status solve(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
             cusparseConstSpMatDescr_t a_descr, cusparseConstDnMatDescr_t b_descr, cusparseConstDnMatDescr_t x_descr,
             cudaDataType compute, cusparseSpSMDescr_t d, void* room, Step step) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto a = find(a_descr);
    const auto b = find(b_descr), x = find(x_descr);
    const auto state = table<cusparseSpSMDescr_t>().find(d);
    if (!a || !b || !x || !state || !is_operation(op_b)) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    if ((turned ? b->cols : b->rows) != x->rows || (turned ? b->rows : b->cols) != x->cols || b->batches != 1 ||
        x->batches != 1)
        return CUSPARSE_STATUS_INVALID_VALUE;
    ww_sparse::Solve s{};
    s.b = dense_of(*b, op_b);
    s.x = dense_of(*x, CUSPARSE_OPERATION_NON_TRANSPOSE);
    s.columns = x->cols;
    return run(*context, *state, op_a, *a, s, x->rows, compute, alpha, room, step);
}
Status solve(Handle h, cusparseOperation_t op_a, cusparseOperation_t, const void* alpha,
             cusparseConstSpMatDescr_t a_descr, cusparseConstDnVecDescr_t b_descr, cusparseConstDnVecDescr_t x_descr,
             cudaDataType compute, cusparseSpSVDescr_t d, void* room, Step step) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto a = find(a_descr);
    const auto b = find(b_descr), x = find(x_descr);
    const auto state = table<cusparseSpSVDescr_t>().find(d);
    if (!a || !b || !x || !state || b->size != x->size) return CUSPARSE_STATUS_INVALID_VALUE;
    ww_sparse::Solve s{};
    s.b = dense_of(*b);
    s.x = dense_of(*x);
    s.columns = 1;
    return run(*context, *state, op_a, *a, s, x->size, compute, alpha, room, step);
}

Status tridiagonal_room(Handle h, cudaDataType type, int m, int systems, int apart, std::size_t* bytes) {
    if (!find(h)) return no_context(h);
    if (m < 3 || systems < 0 || apart < m || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    if (std::int64_t{m} * systems > std::int64_t{1} << 40) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    *bytes =
        std::max<std::size_t>(3 * static_cast<std::size_t>(m) * static_cast<std::size_t>(systems) * bytes_of(type), 16);
    return CUSPARSE_STATUS_SUCCESS;
}
Status tridiagonal(Handle h, cudaDataType type, int m, int systems, int matrix_apart, const void* lower,
                   const void* diagonal, const void* upper, void* x, int x_apart, void* room) {
    std::size_t bytes = 0;
    WW_STEP(tridiagonal_room(h, type, m, systems, x_apart, &bytes));
    if (systems == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!lower || !diagonal || !upper || !x || !room) return CUSPARSE_STATUS_INVALID_VALUE;
    const ww_sparse::Tridiagonal t{m, systems, matrix_apart ? x_apart : 0, x_apart, lower, diagonal, upper, x, room};
    return launch(*find(h), std::string("sparse_tridiagonal_") + name_of(type), systems, 1, t);
}

}  // namespace warpwright::libraries::sparse
