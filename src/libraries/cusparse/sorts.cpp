// Sorts and changes of whole numbers of 32 bits. Entries are sorted by keys of 64 bits: their line above their place.
#include "libraries/cusparse/work.hpp"

namespace warpwright::libraries::sparse {
namespace {

bool sides_are_good(int m, int n, int nnz) { return m >= 0 && n >= 0 && nnz >= 0; }

/// What a sort of `nnz` entries of an m by n matrix has in the program's memory, behind a copy of the permutation.
/// Entries that are sorted by both numbers tell no base: they may count from one, so that m and n are numbers too.
struct EntrySort {
    Room room;
    int* copy;
    Sort sort;
    int place_bits;
    EntrySort(void* memory, int m, int n, int nnz)
        : room(memory),
          copy(room.take<int>(nnz)),
          sort(room, nnz, bits_of(m + std::int64_t{1}) + bits_of(n + std::int64_t{1})),
          place_bits(bits_of(n + std::int64_t{1})) {}
};

/// Sorts entries by line and place, and a permutation with them.
Status run(const Context& context, EntrySort& work, const ww_sparse::Matrix& entries, ww_sparse::Indices lines,
           int* p) {
    auto& sort = work.sort;
    const std::int64_t none = 0, count = entries.entries;
    WW_STEP(launch(context, "sparse_keys", count, 1, entries, work.place_bits, none, sort.keys, sort.order));
    WW_STEP(sort.run(context));
    WW_STEP(launch(context, "sparse_of_keys", count, 1, sort.keys, count, work.place_bits, lines, entries.places));
    if (!p) return CUSPARSE_STATUS_SUCCESS;
    const auto bytes = static_cast<std::size_t>(count) * sizeof(int);
    WW_STEP(status_of(cudart::impl::cudaMemcpyAsync(work.copy, p, bytes, cudaMemcpyDeviceToDevice, context.stream)));
    return launch(context, "sparse_numbers_in_order", count, 1, work.copy, sort.order, count, p);
}

}  // namespace

Status count_up(Handle h, int n, int* p) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || (n > 0 && !p)) return CUSPARSE_STATUS_INVALID_VALUE;
    return n == 0 ? CUSPARSE_STATUS_SUCCESS : launch(*context, "sparse_count_up", n, 1, p, std::int64_t{n});
}
Status starts_of(Handle h, const int* lines, int nnz, int m, int* starts, cusparseIndexBase_t base) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!sides_are_good(m, 0, nnz) || !starts || (nnz > 0 && !lines)) return CUSPARSE_STATUS_INVALID_VALUE;
    return launch(*context, "sparse_starts", m + std::int64_t{1}, 1, indices_of(lines, false, base), std::int64_t{nnz},
                  std::int64_t{m}, indices_of(starts, false, base));
}
Status lines_of(Handle h, const int* starts, int nnz, int m, int* lines, cusparseIndexBase_t base) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!sides_are_good(m, 0, nnz) || !starts || (nnz > 0 && !lines)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (nnz == 0) return CUSPARSE_STATUS_SUCCESS;
    const auto matrix = matrix_of(Rows{nullptr, nnz, nullptr, starts, nullptr}, m, 0, base, CUDA_R_32F);
    return launch(*context, "sparse_lines", nnz, 1, matrix, indices_of(lines, false, base));
}

Status sort_room(Handle h, int m, int n, int nnz, std::size_t* bytes) {
    if (!find(h)) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!sides_are_good(m, n, nnz) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    // Either side may be the line.
    *bytes = EntrySort(nullptr, m, n, nnz).room.bytes();
    return CUSPARSE_STATUS_SUCCESS;
}
Status sort_entries(Handle h, int m, int n, int nnz, int* lines, int* places, int* p, void* room) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!sides_are_good(m, n, nnz)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (nnz == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!lines || !places || !room) return CUSPARSE_STATUS_INVALID_VALUE;
    EntrySort work(room, m, n, nnz);
    auto entries = matrix_of(Rows{nullptr, nnz, nullptr, lines, places}, m, n, 0, CUDA_R_32F);
    entries.compressed = 0;
    return run(*context, work, entries, entries.starts, p);
}
Status sort_lines(Handle h, int m, int n, int nnz, cusparseMatDescr_t descr, const int* starts, int* places, int* p,
                  void* room) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const auto d = find(descr);
    if (!d || !sides_are_good(m, n, nnz)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (nnz == 0) return CUSPARSE_STATUS_SUCCESS;
    if (!starts || !places || !room) return CUSPARSE_STATUS_INVALID_VALUE;
    EntrySort work(room, m, n, nnz);
    return run(*context, work, matrix_of(Rows{nullptr, nnz, nullptr, starts, places}, m, n, d->base, CUDA_R_32F),
               indices_of(nullptr), p);
}

Status transpose_room(Handle h, const Transposition& t, std::size_t* bytes) {
    if (!find(h)) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!sides_are_good(t.m, t.n, t.nnz) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    Room room(nullptr);
    const Sort sort(room, t.nnz, bits_of(t.n));
    *bytes = room.bytes();
    return CUSPARSE_STATUS_SUCCESS;
}
Status transpose(Handle h, const Transposition& t, void* memory) {
    const auto context = find(h);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    const bool with_values = t.action == CUSPARSE_ACTION_NUMERIC;
    if (!sides_are_good(t.m, t.n, t.nnz) || !t.starts || !t.to_starts || !memory ||
        (t.nnz > 0 && (!t.places || !t.to_places || (with_values && (!t.values || !t.to_values)))))
        return CUSPARSE_STATUS_INVALID_VALUE;
    const int compute = bytes_of(t.type) <= 2 ? int{CUDA_R_32F} : int{t.type};
    if (with_values && (bytes_of(t.type) == 0 || t.type == CUDA_R_8I || !name_of(compute) || compute == CUDA_R_32I))
        return not_supported("csr2csc of this type");
    Room room(memory);
    Sort sort(room, t.nnz, bits_of(t.n));
    const auto from = matrix_of(Rows{nullptr, t.nnz, t.values, t.starts, t.places}, t.m, t.n, t.base, t.type);
    const std::int64_t none = 0, count = t.nnz;
    if (count > 0) {
        WW_STEP(launch(*context, "sparse_keys", count, 1, from, -1, none, sort.keys, sort.order));
        WW_STEP(sort.run(*context));
    }
    WW_STEP(launch(*context, "sparse_starts_of_keys", t.n + std::int64_t{1}, 1, sort.keys, count, 0, std::int64_t{t.n},
                   indices_of(t.to_starts, false, t.base)));
    if (count == 0) return CUSPARSE_STATUS_SUCCESS;
    WW_STEP(
        launch(*context, "sparse_lines_in_order", count, 1, from, sort.order, indices_of(t.to_places, false, t.base)));
    if (!with_values) return CUSPARSE_STATUS_SUCCESS;
    return launch(*context, std::string("sparse_in_order_") + name_of(compute), count, 1, t.values, sort.order, count,
                  int{t.type}, t.to_values);
}

}  // namespace warpwright::libraries::sparse
