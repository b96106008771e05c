// Work on sparse vectors, whose places are each there once.
#include "libraries/cusparse/work.hpp"

namespace warpwright::libraries::sparse {
namespace {

struct Both {
    std::shared_ptr<Context> context;
    ww_sparse::WithVector work{};
    int compute = 0;
    Status status = CUSPARSE_STATUS_SUCCESS;
};

/// x and y, checked; `compute` is the type of the arithmetic, or that of x or float for halves.
Both both(Handle h, cusparseConstSpVecDescr_t x_descr, cusparseConstDnVecDescr_t y_descr, int compute = -1) {
    Both out;
    out.context = find(h);
    const auto x = find(x_descr);
    const auto y = find(y_descr);
    if (!out.context) {
        out.status = no_context(h);
    } else if (!x || !y || x->size != y->size || (x->nnz > 0 && (!x->indices || !x->values || !y->values))) {
        out.status = CUSPARSE_STATUS_INVALID_VALUE;
    } else {
        out.compute = compute >= 0 ? compute : bytes_of(x->type) <= 2 ? int{CUDA_R_32F} : int{x->type};
        if (!name_of(out.compute) || out.compute == CUDA_R_32I || !is_result(x->type, out.compute) ||
            !is_result(y->type, out.compute)) {
            out.status = not_supported("a sparse vector of these types");
            return out;
        }
        auto& w = out.work;
        w.x = {x->nnz, indices_of(x->indices, x->index == CUSPARSE_INDEX_64I, x->base), x->values, x->type};
        w.y = y->values;
        w.y_type = y->type;
        w.size = y->size;
    }
    return out;
}
Status start(const Both& b, const char* kernel, std::int64_t work) {
    if (work == 0) return CUSPARSE_STATUS_SUCCESS;
    return launch(*b.context, std::string(kernel) + name_of(b.compute), work, 1, b.work);
}

}  // namespace

Status axpby(Handle h, const void* alpha, cusparseConstSpVecDescr_t x, const void* beta, cusparseDnVecDescr_t y) {
    auto b = both(h, x, y);
    WW_STEP(b.status);
    if (!alpha || !beta) return CUSPARSE_STATUS_INVALID_VALUE;
    b.work.alpha = factor(*b.context, alpha, b.compute);
    b.work.beta = factor(*b.context, beta, b.compute);
    WW_STEP(start(b, "sparse_scale_", b.work.size));
    return start(b, "sparse_add_", b.work.x.entries);
}
Status gather(Handle h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
    const auto b = both(h, x, y);
    WW_STEP(b.status);
    return start(b, "sparse_gather_", b.work.x.entries);
}
Status scatter(Handle h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
    const auto b = both(h, x, y);
    WW_STEP(b.status);
    return start(b, "sparse_scatter_", b.work.x.entries);
}
Status rotate(Handle h, const void* c, const void* s, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y) {
    auto b = both(h, x, y);
    WW_STEP(b.status);
    if (!c || !s) return CUSPARSE_STATUS_INVALID_VALUE;
    b.work.alpha = factor(*b.context, c, b.compute);
    b.work.beta = factor(*b.context, s, b.compute);
    return start(b, "sparse_rotate_", b.work.x.entries);
}

Status dot_room(Handle h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                cudaDataType compute, std::size_t* bytes) {
    WW_STEP(both(h, x, y, compute).status);
    if (!is_operation(op) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 16;
    return CUSPARSE_STATUS_SUCCESS;
}
Status dot(Handle h, cusparseOperation_t op, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void* result,
           cudaDataType compute, void* room) {
    auto b = both(h, x, y, compute);
    WW_STEP(b.status);
    const bool on_device = b.context->mode == CUSPARSE_POINTER_MODE_DEVICE;
    if (!is_operation(op) || !result || (!on_device && !room)) return CUSPARSE_STATUS_INVALID_VALUE;
    b.work.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    b.work.result = on_device ? result : room;
    b.work.result_type = compute;
    WW_STEP(launch(*b.context, std::string("sparse_dot_") + name_of(compute), 1, 1, b.work));
    if (on_device) return CUSPARSE_STATUS_SUCCESS;
    const auto e =
        cudart::impl::cudaMemcpyAsync(result, room, bytes_of(compute), cudaMemcpyDeviceToHost, b.context->stream);
    return status_of(e == cudaSuccess ? cudart::impl::cudaStreamSynchronize(b.context->stream) : e);
}

}  // namespace warpwright::libraries::sparse
