// Kernels are launched as a program would, so that profiles and checkers see them; memory for the work is the
// program's.
#include "libraries/cusparse/work.hpp"

#include <bit>
#include <limits>

#include "cudart/state/runtime.hpp"
#include "libraries/common/kernels.hpp"

// Made by the build (CMakeLists.txt).
extern "C" const char ww_sparse_products[];
extern "C" const char ww_sparse_orders[];
extern "C" const char ww_sparse_values[];
extern "C" const char ww_sparse_factors[];

namespace warpwright::libraries::sparse {

Status status_of(cudaError_t error) {
    if (error == cudaSuccess) return CUSPARSE_STATUS_SUCCESS;
    if (error == cudaErrorMemoryAllocation) return CUSPARSE_STATUS_ALLOC_FAILED;
    if (error == cudaErrorNoKernelImageForDevice) return CUSPARSE_STATUS_ARCH_MISMATCH;
    return CUSPARSE_STATUS_EXECUTION_FAILED;
}
Status not_supported(const std::string& what) {
    cudart::Runtime::get().say("cuSPARSE: " + what + " is not supported by the emulated GPU's library");
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

Status launch_blocks(const Context& context, const std::string& kernel, std::int64_t blocks, unsigned batches,
                     void** arguments) {
    static auto* const kernels = new Kernels{ww_sparse_products, ww_sparse_orders, ww_sparse_values, ww_sparse_factors};
    return status_of(
        kernels->launch(kernel, dim3(static_cast<unsigned>(blocks), 1, batches), arguments, context.stream));
}

const char* name_of(int compute) {
    switch (compute) {
        case CUDA_R_32F:
            return "f32";
        case CUDA_R_64F:
            return "f64";
        case CUDA_C_32F:
            return "c32";
        case CUDA_C_64F:
            return "c64";
        case CUDA_R_32I:
            return "i32";
        default:
            return nullptr;
    }
}
bool goes(int type, int compute) {
    switch (compute) {
        case CUDA_R_32F:
            return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_8I;
        case CUDA_R_64F:
            return type == CUDA_R_64F || type == CUDA_R_32F;
        case CUDA_C_32F:
            return type == CUDA_C_32F;
        case CUDA_C_64F:
            return type == CUDA_C_64F || type == CUDA_C_32F;
        case CUDA_R_32I:
            return type == CUDA_R_32I || type == CUDA_R_8I;
        default:
            return false;
    }
}
ww_lt::Factor factor(const Context& context, const void* at, int type) {
    return factor_of(at, type, context.mode == CUSPARSE_POINTER_MODE_DEVICE);
}

ww_sparse::Indices indices_of(const void* at, bool wide, int base) { return {const_cast<void*>(at), wide, base}; }

ww_sparse::Matrix matrix_of(const SpMat& m) {
    const bool by_columns = m.format == CUSPARSE_FORMAT_CSC;
    ww_sparse::Matrix out{};
    out.lines = by_columns ? m.cols : m.rows;
    out.across = by_columns ? m.rows : m.cols;
    out.entries = m.nnz;
    out.compressed = m.format != CUSPARSE_FORMAT_COO;
    out.type = m.type;
    out.starts = indices_of(m.lines, m.line == CUSPARSE_INDEX_64I, m.base);
    out.places = indices_of(m.places, m.place == CUSPARSE_INDEX_64I, m.base);
    out.values = m.values;
    out.starts_apart = m.batches > 1 ? m.lines_apart : 0;
    out.entries_apart = m.batches > 1 ? m.entries_apart : 0;
    return out;
}
ww_sparse::Matrix matrix_of(const Rows& rows, int m, int n, int base, int type) {
    ww_sparse::Matrix out{};
    out.lines = m;
    out.across = n;
    out.entries = rows.nnz;
    out.compressed = 1;
    out.type = type;
    out.starts = indices_of(rows.starts, false, base);
    out.places = indices_of(rows.places, false, base);
    out.values = const_cast<void*>(rows.values);
    return out;
}
bool has_memory(const SpMat& m) {
    const bool has_lines = m.lines || (m.format == CUSPARSE_FORMAT_COO && m.nnz == 0);
    return has_lines && (m.nnz == 0 || (m.places && m.values));
}

ww_lt::Matrix dense_of(const DnMat& m, cusparseOperation_t op) {
    ww_lt::Matrix out{};
    out.at = m.values;
    out.type = m.type;
    out.conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    out.rows_apart = m.order == CUSPARSE_ORDER_COL ? 1 : m.ld;
    out.columns_apart = m.order == CUSPARSE_ORDER_COL ? m.ld : 1;
    out.batch_apart = m.batches > 1 ? m.apart : 0;
    if (op != CUSPARSE_OPERATION_NON_TRANSPOSE) std::swap(out.rows_apart, out.columns_apart);
    return out;
}
ww_lt::Matrix dense_of(const DnVec& v) {
    ww_lt::Matrix out{};
    out.at = v.values;
    out.type = v.type;
    out.rows_apart = 1;
    return out;
}

Status read(const Context& context, const std::int64_t* device, std::int64_t& value) {
    const auto e = cudart::impl::cudaMemcpyAsync(&value, device, sizeof value, cudaMemcpyDeviceToHost, context.stream);
    return status_of(e == cudaSuccess ? cudart::impl::cudaStreamSynchronize(context.stream) : e);
}
Status give(const Context& context, std::int64_t value, int* to) {
    if (value > std::numeric_limits<int>::max()) return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    const int narrow = static_cast<int>(value);
    if (context.mode == CUSPARSE_POINTER_MODE_DEVICE)
        return status_of(cudart::impl::cudaMemcpy(to, &narrow, sizeof narrow, cudaMemcpyHostToDevice));
    *to = narrow;
    return CUSPARSE_STATUS_SUCCESS;
}

Scan::Scan(Room& room, std::int64_t n) : count(n) {
    do {
        n = (n + ww_sparse::kTile - 1) / ww_sparse::kTile;
        sums.push_back(room.take<std::int64_t>(n));
    } while (n > 1);
}
Status Scan::run(const Context& context, std::int64_t* numbers) const {
    std::vector<std::pair<std::int64_t*, std::int64_t>> levels{{numbers, count}};
    for (auto* of_level : sums) {
        auto [at, n] = levels.back();
        const std::int64_t tiles = (n + ww_sparse::kTile - 1) / ww_sparse::kTile;
        if (tiles == 0) return CUSPARSE_STATUS_SUCCESS;
        void* arguments[] = {&at, &n, &of_level};
        WW_STEP(launch_blocks(context, "sparse_scan_tiles", tiles, 1, arguments));
        levels.push_back({of_level, tiles});
    }
    // From the highest level down, each tile learns what is before it. The highest has one tile.
    for (std::size_t k = sums.size() - 1; k-- > 0;) {
        auto [at, n] = levels[k];
        auto* before = levels[k + 1].first;
        void* arguments[] = {&at, &n, &before};
        WW_STEP(launch_blocks(context, "sparse_scan_add", levels[k + 1].second, 1, arguments));
    }
    return CUSPARSE_STATUS_SUCCESS;
}

namespace {
std::int64_t tiles_of(std::int64_t count) { return (count + ww_sparse::kTile - 1) / ww_sparse::kTile; }
}  // namespace

Sort::Sort(Room& room, std::int64_t n, int key_bits)
    : count(n),
      bits(key_bits),
      keys(room.take<std::int64_t>(n)),
      other_keys(room.take<std::int64_t>(n)),
      counts(room.take<std::int64_t>(tiles_of(n) << ww_sparse::kDigit)),
      order(room.take<unsigned>(n)),
      other_order(room.take<unsigned>(n)),
      scan(room, tiles_of(n) << ww_sparse::kDigit) {}

Status Sort::run(const Context& context) {
    const std::int64_t tiles = tiles_of(count);
    if (tiles == 0) return CUSPARSE_STATUS_SUCCESS;
    for (int shift = 0; shift < bits; shift += ww_sparse::kDigit) {
        void* counting[] = {&keys, &count, &shift, &counts};
        WW_STEP(launch_blocks(context, "sparse_digits", tiles, 1, counting));
        WW_STEP(scan.run(context, counts));
        void* placing[] = {&keys, &order, &count, &shift, &counts, &other_keys, &other_order};
        WW_STEP(launch_blocks(context, "sparse_sort_pass", tiles, 1, placing));
        std::swap(keys, other_keys);
        std::swap(order, other_order);
    }
    return CUSPARSE_STATUS_SUCCESS;
}

int bits_of(std::int64_t n) { return n <= 1 ? 1 : std::bit_width(static_cast<std::uint64_t>(n - 1)); }

}  // namespace warpwright::libraries::sparse
