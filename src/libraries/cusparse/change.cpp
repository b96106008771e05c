// Between dense and sparse matrices. The analysis counts what is not zero in each line, whose running sum the
// conversion finds in the program's memory.
#include "libraries/cusparse/work.hpp"

namespace warpwright::libraries::sparse {
namespace {

struct Pair {
    std::shared_ptr<Context> context;
    std::shared_ptr<SpMat> sparse;
    ww_sparse::Change change{};
    std::string type;
    Status status = CUSPARSE_STATUS_SUCCESS;
};

Pair pair(Handle h, cusparseConstSpMatDescr_t sparse, cusparseConstDnMatDescr_t dense) {
    Pair out;
    out.context = find(h);
    out.sparse = find(sparse);
    const auto d = find(dense);
    if (!out.context) {
        out.status = no_context(h);
        return out;
    }
    if (!out.sparse || !d || out.sparse->rows != d->rows || out.sparse->cols != d->cols ||
        (!d->values && d->rows * d->cols > 0)) {
        out.status = CUSPARSE_STATUS_INVALID_VALUE;
        return out;
    }
    const int compute = bytes_of(d->type) <= 2 ? int{CUDA_R_32F} : int{d->type};
    if (out.sparse->type != d->type || d->type == CUDA_R_32I || d->type == CUDA_R_8I || out.sparse->batches != 1 ||
        d->batches != 1) {
        out.status = not_supported("a change of form of these types or batches");
        return out;
    }
    out.type = name_of(compute);
    out.change.sparse = matrix_of(*out.sparse);
    out.change.dense = dense_of(*d, out.sparse->format == CUSPARSE_FORMAT_CSC ? CUSPARSE_OPERATION_TRANSPOSE
                                                                              : CUSPARSE_OPERATION_NON_TRANSPOSE);
    return out;
}

/// The running sum of each line's count; the last one is that of all.
Status count(const Context& context, const std::string& type, ww_sparse::Change& change, const Scan& scan,
             std::int64_t& total) {
    WW_STEP(launch(context, "sparse_count_dense_" + type, 32 * (change.sparse.lines + 1), 1, change));
    WW_STEP(scan.run(context, reinterpret_cast<std::int64_t*>(change.counts)));
    return read(context, reinterpret_cast<std::int64_t*>(change.counts) + change.sparse.lines, total);
}

}  // namespace

Status to_dense_room(Handle h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b, std::size_t* bytes) {
    WW_STEP(pair(h, a, b).status);
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 16;
    return CUSPARSE_STATUS_SUCCESS;
}
Status to_dense(Handle h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b) {
    const auto p = pair(h, a, b);
    WW_STEP(p.status);
    const auto& s = p.change.sparse;
    if (!has_memory(*p.sparse)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (s.lines * s.across == 0) return CUSPARSE_STATUS_SUCCESS;
    WW_STEP(launch(*p.context, "sparse_zero_dense_" + p.type, s.lines * s.across, 1, p.change));
    if (s.entries == 0) return CUSPARSE_STATUS_SUCCESS;
    return launch(*p.context, "sparse_to_dense_" + p.type, s.entries, 1, p.change);
}

Status from_dense_room(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, std::size_t* bytes) {
    const auto p = pair(h, b, a);
    WW_STEP(p.status);
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(nullptr);
    room.take<std::int64_t>(p.change.sparse.lines + 1);
    const Scan scan(room, p.change.sparse.lines + 1);
    *bytes = room.bytes();
    return CUSPARSE_STATUS_SUCCESS;
}
Status from_dense_count(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, void* memory) {
    auto p = pair(h, b, a);
    WW_STEP(p.status);
    if (!memory) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(memory);
    p.change.counts = reinterpret_cast<ww_sparse::i64*>(room.take<std::int64_t>(p.change.sparse.lines + 1));
    const Scan scan(room, p.change.sparse.lines + 1);
    std::int64_t total = 0;
    WW_STEP(count(*p.context, p.type, p.change, scan, total));
    p.sparse->nnz = total;
    return CUSPARSE_STATUS_SUCCESS;
}
Status from_dense(Handle h, cusparseConstDnMatDescr_t a, cusparseSpMatDescr_t b, void* memory) {
    auto p = pair(h, b, a);
    WW_STEP(p.status);
    if (!memory || !has_memory(*p.sparse)) return CUSPARSE_STATUS_INVALID_VALUE;
    p.change.counts = static_cast<ww_sparse::i64*>(memory);
    return launch(*p.context, "sparse_from_dense_" + p.type, 32 * (p.change.sparse.lines + 1), 1, p.change);
}

Status count_dense(Handle h, cusparseDirection_t direction, int m, int n, cusparseMatDescr_t descr, cudaDataType type,
                   const void* a, int lda, int* counts, int* total) {
    const auto context = find(h);
    if (!context) return no_context(h);
    if (!find(descr) || m < 0 || n < 0 || lda < std::max(m, 1) || !total) return CUSPARSE_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0) return give(*context, 0, total);
    if (!a || !counts) return CUSPARSE_STATUS_INVALID_VALUE;
    const bool by_columns = direction == CUSPARSE_DIRECTION_COLUMN;
    ww_sparse::Change change{};
    change.sparse.lines = by_columns ? n : m;
    change.sparse.across = by_columns ? m : n;
    const DnMat dense{m, n, lda, const_cast<void*>(a), type, CUSPARSE_ORDER_COL};
    change.dense = dense_of(dense, by_columns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE);
    // The interface has no memory for the work.
    void* memory = nullptr;
    Room sizes(nullptr);
    sizes.take<std::int64_t>(change.sparse.lines + 1);
    const Scan sized(sizes, change.sparse.lines + 1);
    WW_STEP(status_of(cudart::impl::cudaMallocAsync(&memory, sizes.bytes(), context->stream)));
    Room room(memory);
    change.counts = reinterpret_cast<ww_sparse::i64*>(room.take<std::int64_t>(change.sparse.lines + 1));
    const Scan scan(room, change.sparse.lines + 1);
    std::int64_t all = 0;
    auto s = count(*context, name_of(type), change, scan, all);
    if (s == CUSPARSE_STATUS_SUCCESS)
        s = launch(*context, "sparse_differences", change.sparse.lines, 1, change.counts, change.sparse.lines, counts);
    const auto freed = status_of(cudart::impl::cudaFreeAsync(memory, context->stream));
    WW_STEP(s);
    WW_STEP(freed);
    return give(*context, all, total);
}

}  // namespace warpwright::libraries::sparse
