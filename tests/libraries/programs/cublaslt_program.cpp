// A program of cublasLt that checks itself: products in several types and orders with their epilogues, against sums by
// the host. It was also run with NVIDIA's library on a device; what it says of errors is what that library answers.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vector>

static int failures;
static void expect(bool good, const char* what, long a = 0, long b = 0) {
    if (!good && ++failures < 20) printf("failed: %s (%ld, %ld)\n", what, a, b);
}

/// Numbers as the device has them: each type's bytes from doubles and back.
static uint16_t bfloat16_of(double x) {
    float f = float(x);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static double of_bfloat16(uint16_t b) {
    const uint32_t bits = uint32_t(b) << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static double of_e4m3(uint8_t b) {
    const int e = b >> 3 & 15, m = b & 7;
    const double x = e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
    return b & 128 ? -x : x;
}
static size_t size_of(cudaDataType t) {
    return t == CUDA_R_64F ? 8 : t == CUDA_R_32F || t == CUDA_R_32I ? 4 : t == CUDA_R_16BF || t == CUDA_R_16F ? 2 : 1;
}
static void put(void* p, size_t k, cudaDataType t, double x) {
    if (t == CUDA_R_64F) static_cast<double*>(p)[k] = x;
    if (t == CUDA_R_32F) static_cast<float*>(p)[k] = float(x);
    if (t == CUDA_R_32I) static_cast<int*>(p)[k] = int(x);
    if (t == CUDA_R_16BF) static_cast<uint16_t*>(p)[k] = bfloat16_of(x);
    if (t == CUDA_R_8I) static_cast<int8_t*>(p)[k] = int8_t(x);
    if (t == CUDA_R_8F_E4M3) {  // small integers alone
        uint8_t best = 0;
        for (int b = 0; b < 256; ++b)
            if ((b & 127) != 127 && fabs(of_e4m3(uint8_t(b)) - x) < fabs(of_e4m3(best) - x)) best = uint8_t(b);
        static_cast<uint8_t*>(p)[k] = best;
    }
}
static double get(const void* p, size_t k, cudaDataType t) {
    if (t == CUDA_R_64F) return static_cast<const double*>(p)[k];
    if (t == CUDA_R_32F) return static_cast<const float*>(p)[k];
    if (t == CUDA_R_32I) return static_cast<const int*>(p)[k];
    if (t == CUDA_R_16BF) return of_bfloat16(static_cast<const uint16_t*>(p)[k]);
    if (t == CUDA_R_8I) return static_cast<const int8_t*>(p)[k];
    return of_e4m3(static_cast<const uint8_t*>(p)[k]);
}

/// A matrix in device memory, with a copy of its numbers; `rows` and `columns` as they are stored.
struct Matrix {
    cudaDataType type;
    long rows, columns, batch;
    bool by_rows;
    long ld;
    void* at = nullptr;
    std::vector<char> bytes;
    cublasLtMatrixLayout_t layout = nullptr;
    Matrix(cudaDataType t, long r, long c, bool row_order = false, long b = 1)
        : type(t),
          rows(r),
          columns(c),
          batch(b),
          by_rows(row_order),
          ld((row_order ? c : r) + 16),
          bytes(size() * size_of(t)) {
        cudaMalloc(&at, bytes.size());
        expect(cublasLtMatrixLayoutCreate(&layout, t, uint64_t(r), uint64_t(c), ld) == CUBLAS_STATUS_SUCCESS, "layout");
        const int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, count = int32_t(b);
        const int64_t apart = int64_t(size() / b);
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart, sizeof apart);
    }
    size_t size() const { return size_t(ld) * size_t(by_rows ? rows : columns) * size_t(batch); }
    size_t place(long r, long c, long z) const {
        return size_t(z) * (size() / size_t(batch)) + size_t(by_rows ? r * ld + c : r + c * ld);
    }
    void fill(int seed) {
        for (size_t k = 0; k < size(); ++k) put(bytes.data(), k, type, double((k * 7919 + size_t(seed) * 31) % 9) - 4);
        cudaMemcpy(at, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    }
    void fetch() { cudaMemcpy(bytes.data(), at, bytes.size(), cudaMemcpyDeviceToHost); }
    double operator()(long r, long c, long z) const { return get(bytes.data(), place(r, c, z), type); }
    ~Matrix() {
        cublasLtMatrixLayoutDestroy(layout);
        cudaFree(at);
    }
};

struct Case {
    cudaDataType ab, cd, scale;
    cublasComputeType_t compute;
    cublasOperation_t op_a, op_b;
    bool rows;
    long batch;
    uint32_t epilogue;
    double error;
};

static double gelu(double x) { return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }

/// D as it must be, without what the epilogue makes of it.
static double sum_of(const Case& c, const Matrix& a, const Matrix& b, const Matrix& old, long i, long j, long k, long z,
                     double alpha, double beta) {
    double sum = 0;
    for (long l = 0; l < k; ++l)
        sum += (c.op_a == CUBLAS_OP_N ? a(i, l, z) : a(l, i, z)) * (c.op_b == CUBLAS_OP_N ? b(l, j, z) : b(j, l, z));
    return alpha * sum + beta * old(i, j, z);
}

static void product(cublasLtHandle_t handle, const Case& c, int number) {
    const long m = 80, n = 48, k = 32;
    Matrix a(c.ab, c.op_a == CUBLAS_OP_N ? m : k, c.op_a == CUBLAS_OP_N ? k : m, c.rows, c.batch);
    Matrix b(c.ab, c.op_b == CUBLAS_OP_N ? k : n, c.op_b == CUBLAS_OP_N ? n : k, c.rows, c.batch);
    Matrix old(c.cd, m, n, c.rows, c.batch), d(c.cd, m, n, c.rows, c.batch), bias(c.cd, m, 1);
    a.fill(1), b.fill(2), old.fill(3), bias.fill(4);
    cublasLtMatmulDesc_t desc;
    expect(cublasLtMatmulDescCreate(&desc, c.compute, c.scale) == CUBLAS_STATUS_SUCCESS, "desc");
    const int32_t op_a = c.op_a, op_b = c.op_b;
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &c.epilogue, sizeof c.epilogue);
    const void* at = bias.at;
    if (c.epilogue & 4) cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at, sizeof at);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t found[4];
    int count = 0;
    auto s = cublasLtMatmulAlgoGetHeuristic(handle, desc, a.layout, b.layout, old.layout, d.layout, preference, 4,
                                            found, &count);
    expect(s == CUBLAS_STATUS_SUCCESS && count > 0, "heuristic", s, number);
    const double alpha = c.scale == CUDA_R_32I ? 1 : 0.5, beta = c.scale == CUDA_R_32I ? 0 : 2;
    char alphas[8], betas[8];
    put(alphas, 0, c.scale, alpha), put(betas, 0, c.scale, beta);
    if (count > 0)
        s = cublasLtMatmul(handle, desc, alphas, a.at, a.layout, b.at, b.layout, betas, old.at, old.layout, d.at,
                           d.layout, &found[0].algo, nullptr, 0, nullptr);
    expect(s == CUBLAS_STATUS_SUCCESS, "product", s, number);
    d.fetch();
    for (long z = 0; z < c.batch; ++z)
        for (long j = 0; j < n; ++j)
            for (long i = 0; i < m; ++i) {
                double wanted = sum_of(c, a, b, old, i, j, k, z, alpha, beta);
                if (c.epilogue & 4) wanted += bias(i, 0, 0);
                if (c.epilogue & 2) wanted = wanted > 0 ? wanted : 0;
                if (c.epilogue & 32) wanted = gelu(wanted);
                if (c.cd == CUDA_R_8I) wanted = fmin(fmax(nearbyint(wanted), -128), 127);
                if (fabs(d(i, j, z) - wanted) > c.error * (1 + fabs(wanted))) {
                    if (failures < 20)
                        printf("case %d: %g for %g at %ld %ld %ld\n", number, d(i, j, z), wanted, i, j, z);
                    ++failures;
                }
            }
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(desc);
}

/// FP8 with factors for each tensor, to bfloat16.
static void bytes_with_factors(cublasLtHandle_t handle) {
    Case c{CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_OP_T, CUBLAS_OP_N, false, 1, 1, 0.02};
    const long m = 64, n = 32, k = 32;
    Matrix a(c.ab, k, m), b(c.ab, k, n), old(c.cd, m, n), d(c.cd, m, n), factors(CUDA_R_32F, 2, 1);
    a.fill(1), b.fill(2), old.fill(3), factors.fill(0);
    const float both[5] = {0.5f, 0, 0, 0, 4.0f};  // NVIDIA's library wants them at multiples of 16 bytes
    cudaMemcpy(factors.at, both, sizeof both, cudaMemcpyHostToDevice);
    cublasLtMatmulDesc_t desc;
    cublasLtMatmulDescCreate(&desc, c.compute, c.scale);
    const int32_t op = CUBLAS_OP_T;
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op);
    const float *scale_a = static_cast<float*>(factors.at), *scale_b = scale_a + 4;
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale_a, sizeof scale_a);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale_b, sizeof scale_b);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    auto s = cublasLtMatmulAlgoGetHeuristic(handle, desc, a.layout, b.layout, old.layout, d.layout, preference, 1,
                                            &found, &count);
    expect(s == CUBLAS_STATUS_SUCCESS && count == 1, "heuristic of FP8", s);
    const float one = 1, zero = 0;
    if (count)
        s = cublasLtMatmul(handle, desc, &one, a.at, a.layout, b.at, b.layout, &zero, old.at, old.layout, d.at,
                           d.layout, &found.algo, nullptr, 0, nullptr);
    expect(s == CUBLAS_STATUS_SUCCESS, "product of FP8", s);
    d.fetch();
    for (long j = 0; j < n; ++j)
        for (long i = 0; i < m; ++i) {
            const double wanted = sum_of(c, a, b, old, i, j, k, 0, 2.0, 0);
            expect(fabs(d(i, j, 0) - wanted) <= c.error * (1 + fabs(wanted)), "FP8", i, j);
        }
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(desc);
}

/// From columns to rows, times two.
static void transform(cublasLtHandle_t handle) {
    Matrix from(CUDA_R_32F, 40, 24), to(CUDA_R_32F, 40, 24, true);
    from.fill(5), to.fill(6);
    cublasLtMatrixTransformDesc_t desc;
    expect(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS, "transform desc");
    const float two = 2, zero = 0;
    const auto s = cublasLtMatrixTransform(handle, desc, &two, from.at, from.layout, &zero, nullptr, nullptr, to.at,
                                           to.layout, nullptr);
    expect(s == CUBLAS_STATUS_SUCCESS, "transform", s);
    to.fetch();
    for (long j = 0; j < 24; ++j)
        for (long i = 0; i < 40; ++i) expect(to(i, j, 0) == 2 * from(i, j, 0), "transformed", i, j);
    cublasLtMatrixTransformDescDestroy(desc);
}

static void errors(cublasLtHandle_t handle) {
    Matrix a(CUDA_R_32F, 32, 16), b(CUDA_R_32F, 8, 16), d(CUDA_R_32F, 32, 16);
    cublasLtMatmulDesc_t desc;
    cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const float one = 1;
    auto s = cublasLtMatmul(handle, desc, &one, a.at, a.layout, b.at, b.layout, &one, d.at, d.layout, d.at, d.layout,
                            nullptr, nullptr, 0, nullptr);
    expect(s == CUBLAS_STATUS_INVALID_VALUE, "sides that do not fit", s);
    int32_t value = 0;
    size_t written = 0;
    s = cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &value, 2);
    expect(s == CUBLAS_STATUS_INVALID_VALUE, "an attribute of another size", s);
    s = cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &value, sizeof value, &written);
    expect(s == CUBLAS_STATUS_SUCCESS && value == CUBLAS_COMPUTE_32F && written == 4, "an attribute read", s, value);
    cublasLtMatmulDescOpaque_t own;
    s = cublasLtMatmulDescInit(&own, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    expect(s == CUBLAS_STATUS_SUCCESS, "in the program's memory", s);
    s = cublasLtMatmulDescGetAttribute(&own, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &value, sizeof value, &written);
    expect(s == CUBLAS_STATUS_SUCCESS && value == CUDA_R_32F, "read from there", s, value);
    cublasLtMatmulDescDestroy(desc);
}

int main() {
    cublasLtHandle_t handle;
    expect(cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS, "create");
    const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
    const Case cases[] = {
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, N, N, false, 1, CUBLASLT_EPILOGUE_DEFAULT, 1e-6},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, T, N, true, 3, CUBLASLT_EPILOGUE_DEFAULT, 1e-6},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, N, T, false, 2, CUBLASLT_EPILOGUE_DEFAULT, 1e-6},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, N, T, false, 1, CUBLASLT_EPILOGUE_DEFAULT, 1e-14},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, T, N, false, 1, CUBLASLT_EPILOGUE_BIAS, 0.01},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, T, N, false, 1, CUBLASLT_EPILOGUE_RELU_BIAS, 0.01},
        {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, T, N, false, 1, CUBLASLT_EPILOGUE_GELU_BIAS, 2e-3},
        {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, T, N, false, 1, CUBLASLT_EPILOGUE_DEFAULT, 0},
        {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32I, T, N, false, 1, CUBLASLT_EPILOGUE_DEFAULT, 0},
    };
    int number = 0;
    for (const Case& c : cases) product(handle, c, number++);
    bytes_with_factors(handle);
    transform(handle);
    errors(handle);
    expect(cublasLtDestroy(handle) == CUBLAS_STATUS_SUCCESS, "destroy");
    printf(failures ? "%d failed\n" : "passed\n", failures);
    return failures != 0;
}
