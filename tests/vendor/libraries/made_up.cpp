// cuBLAS, cublasLt, cuSPARSELt and the driver's copy in one library, as their documentation has them: column-major
// products on host memory, in f32, int8 and double. Timing is a clock that the calls advance.
#include "made_up.hpp"

#include <cstdint>
#include <cstring>

#include "vendor/cublaslt_api.hpp"
#include "vendor/cusparselt_api.hpp"

using namespace warpwright::vendor;
using Recorded = warpwright::vendor::test::MadeUp;

Recorded* made_up() {
    static Recorded state;
    return &state;
}

namespace {

struct Matrix {
    const void* data;
    DataType type;
    bool transposed;
    std::int64_t stride;
    double at(std::int64_t row, std::int64_t column) const {
        const std::int64_t i = transposed ? row * stride + column : column * stride + row;
        if (type == DataType::f32) return static_cast<const float*>(data)[i];
        if (type == DataType::f64) return static_cast<const double*>(data)[i];
        return static_cast<const std::int8_t*>(data)[i];  // 8-bit floats are taken for integers: they are only moved
    }
};

void store(void* to, DataType type, std::int64_t i, double value) {
    if (type == DataType::f32) static_cast<float*>(to)[i] = static_cast<float>(value);
    if (type == DataType::f64) static_cast<double*>(to)[i] = value;
    if (type == DataType::i32) static_cast<std::int32_t*>(to)[i] = static_cast<std::int32_t>(value);
    if (type == DataType::bf16) static_cast<std::uint16_t*>(to)[i] = static_cast<std::uint16_t>(value);
}

double scalar(const void* p, DataType type) {
    if (type == DataType::f64) return *static_cast<const double*>(p);
    if (type == DataType::i32) return *static_cast<const std::int32_t*>(p);
    return static_cast<double>(*static_cast<const float*>(p));
}

void multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const Matrix& a, const Matrix& b, void* c,
              DataType type, std::int64_t stride) {
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
            store(c, type, j * stride + i, alpha * sum);
        }
}

void say(std::string text) { made_up()->calls.push_back(std::move(text)); }

struct MadeLayout {
    DataType type;
    std::uint64_t rows, columns;
    std::int64_t stride;
};
struct MadeOperation {
    ComputeType compute;
    DataType scale;
    std::map<int, std::uint64_t> attributes;
};

}  // namespace

extern "C" {

// cuBLAS
int cublasCreate_v2(void** handle) { return *handle = made_up(), ++made_up()->handles, made_up()->create_status; }
int cublasDestroy_v2(void*) { return --made_up()->handles, 0; }
int cublasGetVersion_v2(void*, int* version) { return *version = 130100, 0; }
const char* cublasGetStatusString(int s) { return s == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_OTHER"; }
int cublasSetStream_v2(void*, void* stream) {
    return say("stream " + std::to_string(reinterpret_cast<std::uintptr_t>(stream))), 0;
}
int cublasSetWorkspace_v2(void*, void* p, std::size_t bytes) { return p && bytes ? 0 : 7; }
int cublasGemmEx(void*, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, DataType at, int lda,
                 const void* b, DataType bt, int ldb, const void*, void* c, DataType ct, int ldc, ComputeType compute,
                 int) {
    made_up()->compute = static_cast<int>(compute);
    const DataType scale = compute == ComputeType::i32   ? DataType::i32
                           : compute == ComputeType::f64 ? DataType::f64
                                                         : DataType::f32;
    multiply(m, n, made_up()->wrong ? k - 1 : k, scalar(alpha, scale), {a, at, ta == 1, lda}, {b, bt, tb == 1, ldb}, c,
             ct, ldc);
    made_up()->clock += 5e-6;
    say("gemm");
    return 0;
}
int cublasSgeam(void*, int ta, int, int m, int n, const float* alpha, const float* a, int lda, const float* beta,
                const float*, int, float* c, int ldc) {
    if (ta != 1 || *beta != 0) return 7;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) c[j * ldc + i] = *alpha * a[i * lda + j];
    made_up()->clock += 2e-6;
    return say("geam"), 0;
}
int cublasDgeam(void*, int, int, int, int, const double*, const double*, int, const double*, const double*, int,
                double*, int) {
    return 15;
}

// cublasLt
int cublasLtCreate(void** handle) { return *handle = made_up(), ++made_up()->handles, made_up()->create_status; }
int cublasLtDestroy(void*) { return --made_up()->handles, 0; }
std::size_t cublasLtGetVersion() { return 130100; }
const char* cublasLtGetStatusString(int s) { return cublasGetStatusString(s); }
int cublasLtMatmulDescCreate(MadeOperation** out, ComputeType compute, DataType scale) {
    return *out = new MadeOperation{compute, scale, {}}, ++made_up()->descriptors, 0;
}
int cublasLtMatmulDescDestroy(MadeOperation* d) { return delete d, --made_up()->descriptors, 0; }
int cublasLtMatmulDescSetAttribute(MadeOperation* d, int attribute, const void* value, std::size_t bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, value, bytes);
    return d->attributes[attribute] = number, 0;
}
int cublasLtMatrixLayoutCreate(MadeLayout** out, DataType type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t stride) {
    return *out = new MadeLayout{type, rows, columns, stride}, ++made_up()->descriptors, 0;
}
int cublasLtMatrixLayoutDestroy(MadeLayout* l) { return delete l, --made_up()->descriptors, 0; }
int cublasLtMatmulPreferenceCreate(int** out) { return *out = new int(0), ++made_up()->descriptors, 0; }
int cublasLtMatmulPreferenceDestroy(int* p) { return delete p, --made_up()->descriptors, 0; }
int cublasLtMatmulPreferenceSetAttribute(int*, int, const void*, std::size_t) { return 0; }
int cublasLtMatmulAlgoGetHeuristic(void*, MadeOperation*, MadeLayout*, MadeLayout*, MadeLayout*, MadeLayout*, int*,
                                   int most, cublaslt::Proposal* out, int* found) {
    *found = 0;
    if (made_up()->propose_status != 0) return made_up()->propose_status;
    for (std::size_t i = 0; i < made_up()->seconds.size() && *found < most; ++i, ++*found) {
        out[i] = {};
        out[i].algorithm.data[0] = i;
    }
    return 0;
}
int cublasLtMatmul(void*, MadeOperation* d, const void* alpha, const void* a, MadeLayout* la, const void* b,
                   MadeLayout* lb, const void*, const void*, MadeLayout*, void* out, MadeLayout* lo,
                   const cublaslt::Algorithm* algorithm, void*, std::size_t, void* stream) {
    const auto number = algorithm->data[0];
    if (static_cast<int>(number) == made_up()->failing) return 15;
    if (!stream) return 7;
    const bool ta = d->attributes[3] == 1, tb = d->attributes[4] == 1;
    made_up()->compute = static_cast<int>(d->compute);
    multiply(static_cast<std::int64_t>(lo->rows), static_cast<std::int64_t>(lo->columns),
             static_cast<std::int64_t>(ta ? la->rows : la->columns), scalar(alpha, d->scale),
             {a, la->type, ta, la->stride}, {b, lb->type, tb, lb->stride}, out, lo->type, lo->stride);
    made_up()->clock += made_up()->seconds[number];
    say("matmul " + std::to_string(number) + (d->attributes.count(17) ? " scaled" : ""));
    return 0;
}

// cuSPARSELt: the "compressed" A is A, of int8.
int cusparseLtInit(void*) { return ++made_up()->handles, made_up()->create_status; }
int cusparseLtDestroy(const void*) { return --made_up()->handles, 0; }
int cusparseLtGetProperty(int which, int* value) { return *value = which == 1 ? made_up()->version : 0, 0; }
const char* cusparseLtGetErrorString(int) { return "operation not supported"; }
struct Described {
    std::int64_t rows, columns, stride;
    DataType type;
    int order;
};
int cusparseLtDenseDescriptorInit(const void*, void* out, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                                  std::uint32_t, DataType type, int order) {
    return *static_cast<Described*>(out) = {rows, columns, stride, type, order}, ++made_up()->descriptors, 0;
}
int cusparseLtStructuredDescriptorInit(const void* h, void* out, std::int64_t rows, std::int64_t columns,
                                       std::int64_t stride, std::uint32_t alignment, DataType type, int order, int) {
    if (made_up()->sparse_status) return made_up()->sparse_status;
    return cusparseLtDenseDescriptorInit(h, out, rows, columns, stride, alignment, type, order);
}
int cusparseLtMatDescriptorDestroy(const void*) { return --made_up()->descriptors, 0; }
struct Planned {
    int ta, tb;
    Described a, b, c;
};
int cusparseLtMatmulDescriptorInit(const void*, void* out, int ta, int tb, const void* a, const void* b, const void* c,
                                   const void*, int compute) {
    const auto d = [](const void* p) { return *static_cast<const Described*>(p); };
    made_up()->compute = compute;
    return *static_cast<Planned*>(out) = {ta, tb, d(a), d(b), d(c)}, 0;
}
int cusparseLtMatmulAlgSelectionInit(const void*, void* out, const void* operation, int) {
    return std::memcpy(out, operation, sizeof(Planned)), 0;
}
int cusparseLtMatmulPlanInit(const void*, void* plan, const void* operation, const void*) {
    return std::memcpy(plan, operation, sizeof(Planned)), ++made_up()->descriptors, 0;
}
int cusparseLtMatmulPlanDestroy(const void*) { return --made_up()->descriptors, 0; }
int cusparseLtMatmulGetWorkspace(const void*, const void*, std::size_t* bytes) { return *bytes = 64, 0; }
int cusparseLtSpMMACompressedSize(const void*, const void* plan, std::size_t* bytes, std::size_t* buffer) {
    const auto& x = *static_cast<const Planned*>(plan);
    return *bytes = static_cast<std::size_t>(x.a.rows * x.a.stride), *buffer = 16, 0;
}
int cusparseLtSpMMACompress(const void*, const void* plan, const void* a, void* out, void* buffer, void*) {
    const auto& x = *static_cast<const Planned*>(plan);
    if (!buffer) return 3;
    return std::memcpy(out, a, static_cast<std::size_t>(x.a.rows * x.a.stride)), say("compress"), 0;
}
int cusparseLtMatmul(const void*, const void* plan, const void* alpha, const void* a, const void* b, const void*,
                     const void*, void* out, void*, void** streams, std::int32_t count) {
    const auto& x = *static_cast<const Planned*>(plan);
    if (count != 1 || !*streams || x.a.order != 2) return 3;
    // Row-major: the transpose of a column-major one with the same stride.
    const std::int64_t k = x.ta ? x.a.rows : x.a.columns;
    multiply(x.c.columns, x.c.rows, k, scalar(alpha, DataType::f32), {b, x.b.type, x.tb == 1, x.b.stride},
             {a, x.a.type, x.ta == 1, x.a.stride}, out, x.c.type, x.c.stride);
    made_up()->clock += 5e-6;
    return say("sparse matmul"), 0;
}
int cusparseLtMatmulSearch(const void* h, void* plan, const void* alpha, const void* a, const void* b, const void* beta,
                           const void* c, void* d, void* workspace, void** streams, std::int32_t count) {
    say("search");
    if (made_up()->search_status) return made_up()->search_status;
    return cusparseLtMatmul(h, plan, alpha, a, b, beta, c, d, workspace, streams, count);
}

// The driver
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    made_up()->clock += bytes > made_up()->slow_copy ? 1e-5 : 1e-6;
    return say("copy " + std::to_string(bytes)), 0;
}
}
