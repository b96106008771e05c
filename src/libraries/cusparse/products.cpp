// Products by lines need no memory: each row of the result is a sum over a line. Where an entry of a line goes to a row
// of its own (a transposed matrix by rows, coordinates), sums are added up by atomics in the program's memory and then
// combined.
#include "libraries/cusparse/work.hpp"

namespace warpwright::libraries::sparse {
namespace {

/// Of a grid.
constexpr int kMostBatches = 65535;

struct Sides {
    std::int64_t rows, columns;
};

/// The product without its memory; what does not fit together is an invalid value.
Status describe(cusparseOperation_t op, const SpMat& a, const Sides& b, const Sides& c, const ww_lt::Matrix& dense_b,
                const ww_lt::Matrix& dense_c, int compute, ww_sparse::Product& p) {
    if (!is_operation(op)) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const std::int64_t rows = turned ? a.cols : a.rows, inner = turned ? a.rows : a.cols;
    if (rows != c.rows || inner != b.rows || b.columns != c.columns) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!name_of(compute) || !goes(a.type, compute) || !goes(dense_b.type, compute) ||
        !is_result(dense_c.type, compute))
        return not_supported("a product of these types");
    p.a = matrix_of(a);
    p.a.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    p.by_lines = turned == (a.format == CUSPARSE_FORMAT_CSC);
    p.rows = rows;
    p.columns = c.columns;
    p.b = dense_b;
    p.c = dense_c;
    return CUSPARSE_STATUS_SUCCESS;
}

Status run(const Context& context, const SpMat& a, ww_sparse::Product p, int compute, const void* alpha,
           const void* beta, void* room, Step step) {
    const bool direct = p.by_lines && p.a.compressed;
    const std::int64_t elements = p.rows * p.columns;
    // What follows must not wrap.
    constexpr std::int64_t kMostElements = std::int64_t{1} << 40, kMostWork = std::int64_t{1} << 60;
    if (!direct &&
        (elements > kMostElements / p.batches || p.a.entries > kMostWork / std::max<std::int64_t>(p.columns, 1)))
        return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    const std::size_t bytes = direct ? 0 : static_cast<std::size_t>(elements * p.batches) * bytes_of(compute);
    if (step == Step::size) {
        if (!room) return CUSPARSE_STATUS_INVALID_VALUE;
        *static_cast<std::size_t*>(room) = std::max<std::size_t>(bytes, 16);
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (step == Step::analyse || elements == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!alpha || !beta || !has_memory(a) || !p.c.at || (p.a.entries > 0 && !p.b.at) || (!direct && !room))
        return CUSPARSE_STATUS_INVALID_VALUE;
    p.alpha = factor(context, alpha, compute);
    p.beta = factor(context, beta, compute);
    const std::string type = name_of(compute);
    const auto batches = static_cast<unsigned>(p.batches);
    if (direct && p.columns == 1) return launch(context, "sparse_rows_vector_" + type, 32 * p.rows, batches, p);
    if (direct) return launch(context, "sparse_rows_" + type, elements, batches, p);
    p.sums = room;
    WW_STEP(status_of(cudart::impl::cudaMemsetAsync(room, 0, bytes, context.stream)));
    if (p.a.entries > 0) WW_STEP(launch(context, "sparse_entries_" + type, p.a.entries * p.columns, batches, p));
    return launch(context, "sparse_finish_" + type, elements, batches, p);
}

Sides sides(const DnMat& m, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? Sides{m.rows, m.cols} : Sides{m.cols, m.rows};
}

}  // namespace

Status product(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
               cusparseConstSpMatDescr_t a_descr, cusparseConstDnMatDescr_t b_descr, const void* beta,
               cusparseConstDnMatDescr_t c_descr, cudaDataType compute, void* room, Step step) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto a = find(a_descr);
    const auto b = find(b_descr), c = find(c_descr);
    if (!a || !b || !c || !is_operation(op_b)) return CUSPARSE_STATUS_INVALID_VALUE;
    ww_sparse::Product p{};
    // One matrix serves all products of a batch.
    p.batches = c->batches;
    for (const int n : {a->batches, b->batches})
        if ((n != 1 && n != p.batches) || p.batches > kMostBatches) return CUSPARSE_STATUS_INVALID_VALUE;
    WW_STEP(describe(op_a, *a, sides(*b, op_b), sides(*c, CUSPARSE_OPERATION_NON_TRANSPOSE), dense_of(*b, op_b),
                     dense_of(*c, CUSPARSE_OPERATION_NON_TRANSPOSE), compute, p));
    return run(*context, *a, p, compute, alpha, beta, room, step);
}

Status product(Handle h, cusparseOperation_t op_a, cusparseOperation_t, const void* alpha,
               cusparseConstSpMatDescr_t a_descr, cusparseConstDnVecDescr_t b_descr, const void* beta,
               cusparseConstDnVecDescr_t c_descr, cudaDataType compute, void* room, Step step) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto a = find(a_descr);
    const auto b = find(b_descr), c = find(c_descr);
    if (!a || !b || !c || a->batches != 1) return CUSPARSE_STATUS_INVALID_VALUE;
    // As NVIDIA's library has it.
    if (op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(compute)) return CUSPARSE_STATUS_INVALID_VALUE;
    ww_sparse::Product p{};
    p.batches = 1;
    WW_STEP(describe(op_a, *a, {b->size, 1}, {c->size, 1}, dense_of(*b), dense_of(*c), compute, p));
    return run(*context, *a, p, compute, alpha, beta, room, step);
}

Status sampled(Handle h, cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
               cusparseConstDnMatDescr_t a_descr, cusparseConstDnMatDescr_t b_descr, const void* beta,
               cusparseSpMatDescr_t c_descr, cudaDataType compute, void* room, Step step) {
    const auto context = find(h);
    if (!context) return no_context(h);
    const auto a = find(a_descr), b = find(b_descr);
    const auto c = find(cusparseConstSpMatDescr_t{c_descr});
    if (!a || !b || !c || !is_operation(op_a) || !is_operation(op_b)) return CUSPARSE_STATUS_INVALID_VALUE;
    const Sides sa = sides(*a, op_a), sb = sides(*b, op_b);
    if (sa.rows != c->rows || sb.columns != c->cols || sa.columns != sb.rows || a->batches != c->batches ||
        b->batches != c->batches)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!name_of(compute) || compute == CUDA_R_32I || !goes(a->type, compute) || !goes(b->type, compute) ||
        !is_result(c->type, compute))
        return not_supported("a sampled product of these types");
    if (step == Step::size) {
        if (!room) return CUSPARSE_STATUS_INVALID_VALUE;
        *static_cast<std::size_t*>(room) = 16;
        return CUSPARSE_STATUS_SUCCESS;
    }
    if (step == Step::analyse || c->nnz == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!alpha || !beta || !has_memory(*c) || (sa.columns > 0 && (!a->values || !b->values)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    ww_sparse::Sampled s{};
    s.c = matrix_of(*c);
    s.by_lines = c->format != CUSPARSE_FORMAT_CSC;
    s.batches = c->batches;
    s.k = sa.columns;
    s.a = dense_of(*a, op_a);
    s.b = dense_of(*b, op_b);
    s.alpha = factor(*context, alpha, compute);
    s.beta = factor(*context, beta, compute);
    return launch(*context, std::string("sparse_sampled_") + name_of(compute), 32 * c->nnz,
                  static_cast<unsigned>(std::min(c->batches, kMostBatches)), s);
}

}  // namespace warpwright::libraries::sparse
