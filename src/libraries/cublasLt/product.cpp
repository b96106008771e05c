// The same checks serve the heuristic, which programs ask first and which must not promise what the product then
// refuses.
#include "libraries/cublasLt/product.hpp"

#include <algorithm>
#include <limits>

#include "libraries/cublasLt/functions.hpp"

namespace warpwright::libraries::lt {
namespace {

constexpr unsigned kBias = 4, kGradientOfBias = 16, kAux = 128;

/// The arithmetic: which kernel, or null where the types do not go together.
const char* kernel_of(const MatmulDesc& desc, int a, int b, int c, int d) {
    for (const int type : {a, b, c, d})
        if (!is_known(type)) return nullptr;
    const bool complex = is_complex(a);
    if (is_complex(b) != complex || is_complex(c) != complex || is_complex(d) != complex) return nullptr;
    const bool bytes = a == CUDA_R_8I && b == CUDA_R_8I;
    switch (desc.compute) {
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC:
            return complex ? "c64" : "f64";
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC:
            if (!bytes) return nullptr;
            return desc.scale == CUDA_R_32I ? (d == CUDA_R_32I ? "i32" : nullptr) : "i32_f32";
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC:
        case CUBLAS_COMPUTE_32F:
        case CUBLAS_COMPUTE_32F_PEDANTIC:
        case CUBLAS_COMPUTE_32F_FAST_16F:
        case CUBLAS_COMPUTE_32F_FAST_16BF:
        case CUBLAS_COMPUTE_32F_FAST_TF32:
        case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
            return complex ? "c32" : "f32";
        default:
            return nullptr;
    }
}

/// Factors of FP8: one for all, or one for each row of op(A) and column of op(B).
bool scales_are_known(const MatmulDesc& d) {
    const auto side = [](int mode) {
        return mode == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F || mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    };
    return side(d.a_scale_mode) && side(d.b_scale_mode) && d.c_scale_mode == 0 && d.d_scale_mode == 0 &&
           d.aux_scale_mode == 0 && d.d_out_scale_mode == 0 && !d.d_out_scale && !d.aux_scale && !d.aux_largest &&
           !d.emulation;
}

/// What the epilogue's bits ask for; false where no kernel does it.
bool set_epilogue(const MatmulDesc& desc, bool complex, int d_type, Plan& plan) {
    auto& p = plan.product;
    const unsigned bits = desc.epilogue;
    const unsigned known =
        1 | 2 | kBias | 8 | kGradientOfBias | 32 | 64 | kAux | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB;
    if ((bits & ~known) != 0 || (complex && bits != CUBLASLT_EPILOGUE_DEFAULT)) return false;
    p.activation = bits & 2    ? ww_lt::kRelu
                   : bits & 32 ? ww_lt::kGelu
                   : bits & 8  ? ww_lt::kReluGradient
                   : bits & 64 ? ww_lt::kGeluGradient
                               : ww_lt::kNone;
    p.aux_written = (bits & kAux) != 0 && (bits & (2 | 32)) != 0;
    p.aux = bits & kAux ? desc.aux : nullptr;
    p.aux_type = desc.aux_type >= 0 ? desc.aux_type : d_type;
    p.aux_ld = desc.aux_ld;
    p.aux_apart = desc.aux_batch;
    const bool bytes = d_type == CUDA_R_8F_E4M3 || d_type == CUDA_R_8F_E5M2;
    p.bias_type = desc.bias_type >= 0 ? desc.bias_type : bytes ? int{CUDA_R_16BF} : d_type;
    p.bias_apart = desc.bias_batch;
    p.bias = bits & kBias ? desc.bias : nullptr;
    plan.sums = static_cast<int>(bits & (kGradientOfBias | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB));
    const bool reads_bias = p.bias || plan.sums, reads_aux = p.aux_written || p.activation == ww_lt::kGeluGradient;
    return (!reads_bias || is_plain(p.bias_type)) &&
           (!reads_aux || p.activation == ww_lt::kRelu || is_plain(p.aux_type));
}

/// Pointers that the epilogue needs.
bool has_memory(const MatmulDesc& desc, const Plan& plan) {
    if (((desc.epilogue & kBias) || plan.sums) && !desc.bias) return false;
    const bool aux = (desc.epilogue & kAux) != 0;
    return !aux ||
           (desc.aux && desc.aux_ld >= plan.product.m && (plan.product.activation % 2 == 0 || desc.aux_ld % 8 == 0));
}

}  // namespace

cublasStatus_t plan(const Request& r, Plan& plan, bool say) {
    const auto refuse = [say](const char* what) { return say ? not_supported(what) : CUBLAS_STATUS_NOT_SUPPORTED; };
    if (!r.desc || !r.a || !r.b || !r.c || !r.d) return CUBLAS_STATUS_INVALID_VALUE;
    const auto& desc = *r.desc;
    for (const Layout* l : {&*r.a, &*r.b, &*r.c, &*r.d}) {
        if (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW)
            return refuse("an order of elements other than COL and ROW");
        if (l->batch_mode != CUBLASLT_BATCH_MODE_STRIDED) return refuse("a batch by an array of pointers");
        if (l->plane_offset != 0) return refuse("a matrix of two planes");
        if (l->batch_count != r.d->batch_count) return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (desc.op_c != CUBLAS_OP_N || desc.fill != CUBLAS_FILL_MODE_FULL) return refuse("a transposed or triangular C");
    const auto a = operand(*r.a, nullptr, desc.op_a), b = operand(*r.b, nullptr, desc.op_b);
    const auto c = operand(*r.c, nullptr, CUBLAS_OP_N), d = operand(*r.d, nullptr, CUBLAS_OP_N);
    if (!a || !b || !c || !d) return CUBLAS_STATUS_INVALID_VALUE;
    if (a->rows != d->rows || b->columns != d->columns || a->columns != b->rows || c->rows != d->rows ||
        c->columns != d->columns)
        return CUBLAS_STATUS_INVALID_VALUE;
    const char* kernel = kernel_of(desc, a->matrix.type, b->matrix.type, c->matrix.type, d->matrix.type);
    if (!kernel) return refuse("a product of these types");
    if (!scales_are_known(desc)) return refuse("a product with factors for blocks of elements");
    plan.kernel = std::string("lt_product_") + kernel;
    auto& p = plan.product;
    p.m = static_cast<int>(d->rows);
    p.n = static_cast<int>(d->columns);
    p.k = static_cast<int>(a->columns);
    p.batches = r.d->batch_count;
    p.a = a->matrix;
    p.b = b->matrix;
    p.c = c->matrix;
    p.d = d->matrix;
    if (!set_epilogue(desc, is_complex(p.d.type), p.d.type, plan)) return refuse("this epilogue");
    p.scale_a = static_cast<const float*>(desc.a_scale);
    p.scale_b = static_cast<const float*>(desc.b_scale);
    p.scale_c = static_cast<const float*>(desc.c_scale);
    p.scale_d = static_cast<const float*>(desc.d_scale);
    p.scale_a_per_row = desc.a_scale_mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    p.scale_b_per_column = desc.b_scale_mode == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    p.largest = static_cast<float*>(desc.d_largest);
    const std::uint64_t tile = ww_lt::kTile, tiles = (d->rows + tile - 1) / tile * ((d->columns + tile - 1) / tile);
    if (tiles > std::numeric_limits<int>::max()) return refuse("a product of this size");
    plan.tiles = static_cast<unsigned>(tiles);
    plan.batches = static_cast<unsigned>(std::min(p.batches, 65535));
    return CUBLAS_STATUS_SUCCESS;
}

namespace {

/// The factors by the pointer mode.
bool set_factors(const MatmulDesc& desc, const void* alpha, const void* beta, ww_lt::Product& p) {
    const int mode = desc.pointers;
    const bool vector = mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR,
               no_beta = mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
    if (mode < CUBLASLT_POINTER_MODE_HOST || mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST) return false;
    if (!alpha || (!beta && !no_beta)) return false;
    const bool beta_vector = mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR;
    p.alpha = factor(alpha, desc.scale, mode != CUBLASLT_POINTER_MODE_HOST, vector, desc.alpha_batch);
    p.beta = no_beta ? no_factor()
                     : factor(beta, desc.scale, beta_vector || mode == CUBLASLT_POINTER_MODE_DEVICE, beta_vector,
                              desc.alpha_batch);
    return true;
}

/// The gradient of a bias: sums over D's columns, or over k of op(A) or op(B).
cublasStatus_t sum_rows(const MatmulDesc& desc, const Plan& plan, cudaStream_t stream) {
    const auto& p = plan.product;
    ww_lt::RowSums s{};
    s.rows = plan.sums == CUBLASLT_EPILOGUE_BGRADB ? p.n : p.m;
    s.columns = plan.sums == static_cast<int>(kGradientOfBias) ? p.n : p.k;
    s.batches = p.batches;
    s.in = plan.sums == CUBLASLT_EPILOGUE_BGRADA ? p.a : plan.sums == CUBLASLT_EPILOGUE_BGRADB ? p.b : p.d;
    if (plan.sums == CUBLASLT_EPILOGUE_BGRADB) std::swap(s.in.rows_apart, s.in.columns_apart);
    s.out = const_cast<void*>(desc.bias);
    s.out_type = p.bias_type;
    s.out_apart = p.bias_apart;
    const auto blocks =
        static_cast<unsigned>(std::min<std::int64_t>((s.rows + ww_lt::kThreads - 1) / ww_lt::kThreads, 1 << 20));
    return launch("lt_row_sums", dim3(blocks, 1, plan.batches), &s, stream);
}

}  // namespace
}  // namespace warpwright::libraries::lt

namespace warpwright::libraries::lt_impl {

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo, void*, size_t,
                              cudaStream_t stream) {
    if (!lt::is_context(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (algo && !lt::read(algo)) return CUBLAS_STATUS_INVALID_VALUE;
    const lt::Request request{lt::read(desc), lt::read(a_layout), lt::read(b_layout), lt::read(c_layout),
                              lt::read(d_layout)};
    lt::Plan plan;
    if (const auto s = lt::plan(request, plan, true); s != CUBLAS_STATUS_SUCCESS) return s;
    auto& p = plan.product;
    if (p.m == 0 || p.n == 0) return CUBLAS_STATUS_SUCCESS;
    if (!lt::set_factors(*request.desc, alpha, beta, p) || !d || (p.k > 0 && (!a || !b)) ||
        !lt::has_memory(*request.desc, plan))
        return CUBLAS_STATUS_INVALID_VALUE;
    const bool reads_c = p.beta.at || p.beta.value[0] != 0 || p.beta.value[1] != 0;
    if (reads_c && !c) return CUBLAS_STATUS_INVALID_VALUE;
    p.a.at = const_cast<void*>(a);
    p.b.at = const_cast<void*>(b);
    p.c.at = const_cast<void*>(c);
    p.d.at = d;
    const auto s = lt::launch(plan.kernel, dim3(plan.tiles, 1, plan.batches), &p, stream);
    return s == CUBLAS_STATUS_SUCCESS && plan.sums ? lt::sum_rows(*request.desc, plan, stream) : s;
}

}  // namespace warpwright::libraries::lt_impl
