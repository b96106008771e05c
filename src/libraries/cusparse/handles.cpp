// Handles and descriptors of cuSPARSE. A descriptor is checked when it is made, so that work on it can rely on it:
// sizes are not negative and fit the kernels' arithmetic, types are those that kernels know.
#include <algorithm>
#include <cstring>
#include <limits>

#include "cudart/state/runtime.hpp"
#include "libraries/cusparse/functions.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::sparse {
namespace {

template <class Handle, class Object>
HandleTable<Handle, Object>& table() {
    static auto* all = new HandleTable<Handle, Object>;
    return *all;
}
constexpr int kVersion[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
constexpr auto kInvalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr auto kSuccess = CUSPARSE_STATUS_SUCCESS;

template <class Descr, class Object>
Status add(Descr* handle, const Object& object) {
    if (!handle) return kInvalid;
    *handle = table<Descr, Object>().add(std::make_shared<Object>(object));
    return kSuccess;
}
template <class Object, class Descr>
Status take(Descr handle) {
    return table<Descr, Object>().take(handle) ? kSuccess : kInvalid;
}

bool is_index(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I; }
bool is_base(cusparseIndexBase_t base) { return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE; }
/// Two sides may be multiplied.
bool is_side(std::int64_t n) { return n >= 0 && n <= std::numeric_limits<int>::max(); }
bool is_count(std::int64_t n) { return n >= 0 && n < std::int64_t{1} << 40; }
bool is_apart(std::int64_t n) { return n > -(std::int64_t{1} << 40) && is_count(std::max<std::int64_t>(n, 0)); }

template <class To, class From>
void tell(To* to, const From& from) {
    if (to) *to = from;
}
void* writable(const void* p) { return const_cast<void*>(p); }

template <class Descr>
Status values_of(Descr d, const void** values) {
    const auto found = find(d);
    if (!found || !values) return kInvalid;
    *values = found->values;
    return kSuccess;
}
template <class Descr>
Status give_values(Descr d, void* values) {
    const auto found = find(d);
    if (!found) return kInvalid;
    found->values = values;
    return kSuccess;
}
template <class Descr>
Status base_of(Descr d, cusparseIndexBase_t* base) {
    const auto found = find(d);
    if (!found || !base) return kInvalid;
    *base = found->base;
    return kSuccess;
}

}  // namespace

std::shared_ptr<Context> find(Handle h) { return table<Handle, Context>().find(h); }
std::shared_ptr<PlainDescr> find(cusparseMatDescr_t d) { return table<cusparseMatDescr_t, PlainDescr>().find(d); }
std::shared_ptr<SpVec> find(cusparseConstSpVecDescr_t d) { return table<cusparseConstSpVecDescr_t, SpVec>().find(d); }
std::shared_ptr<DnVec> find(cusparseConstDnVecDescr_t d) { return table<cusparseConstDnVecDescr_t, DnVec>().find(d); }
std::shared_ptr<SpMat> find(cusparseConstSpMatDescr_t d) { return table<cusparseConstSpMatDescr_t, SpMat>().find(d); }
std::shared_ptr<DnMat> find(cusparseConstDnMatDescr_t d) { return table<cusparseConstDnMatDescr_t, DnMat>().find(d); }

std::size_t bytes_of(int type) {
    switch (type) {
        case CUDA_R_8I:
            return 1;
        case CUDA_R_16F:
        case CUDA_R_16BF:
            return 2;
        case CUDA_R_32F:
        case CUDA_R_32I:
            return 4;
        case CUDA_R_64F:
        case CUDA_C_32F:
            return 8;
        case CUDA_C_64F:
            return 16;
        default:
            return 0;
    }
}
bool is_complex(int type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

Status create(Handle* handle) { return add(handle, Context{}); }
Status destroy(Handle handle) {
    return table<Handle, Context>().take(handle) ? kSuccess : CUSPARSE_STATUS_NOT_INITIALIZED;
}
Status get_version(Handle handle, int* version) {
    if (!find(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!version) return kInvalid;
    *version = CUSPARSE_VERSION;
    return kSuccess;
}
Status get_property(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return kInvalid;
    *value = kVersion[type];
    return kSuccess;
}
Status set_stream(Handle handle, cudaStream_t stream) {
    const auto context = find(handle);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    context->stream = stream;
    return kSuccess;
}
Status get_stream(Handle handle, cudaStream_t* stream) {
    const auto context = find(handle);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!stream) return kInvalid;
    *stream = context->stream;
    return kSuccess;
}
Status set_pointer_mode(Handle handle, cusparsePointerMode_t mode) {
    const auto context = find(handle);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE) return kInvalid;
    context->mode = mode;
    return kSuccess;
}
Status get_pointer_mode(Handle handle, cusparsePointerMode_t* mode) {
    const auto context = find(handle);
    if (!context) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!mode) return kInvalid;
    *mode = context->mode;
    return kSuccess;
}

Status create_plain(cusparseMatDescr_t* descr) { return add(descr, PlainDescr{}); }
Status destroy_plain(cusparseMatDescr_t descr) { return take<PlainDescr>(descr); }
Status set_plain(cusparseMatDescr_t descr, int PlainDescr::* member, int value, int most) {
    const auto found = find(descr);
    if (!found || value < 0 || value > most) return kInvalid;
    (*found).*member = value;
    return kSuccess;
}

Status create_vector(cusparseConstSpVecDescr_t* d, std::int64_t size, std::int64_t nnz, const void* indices,
                     const void* values, cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type) {
    if (!is_count(size) || nnz < 0 || nnz > size || !is_index(index) || !is_base(base) || bytes_of(type) == 0)
        return kInvalid;
    return add(d, SpVec{size, nnz, writable(indices), writable(values), index, base, type});
}
Status get_vector(cusparseConstSpVecDescr_t d, std::int64_t* size, std::int64_t* nnz, const void** indices,
                  const void** values, cusparseIndexType_t* index, cusparseIndexBase_t* base, cudaDataType* type) {
    const auto v = find(d);
    if (!v) return kInvalid;
    tell(size, v->size), tell(nnz, v->nnz), tell(indices, v->indices), tell(values, v->values);
    tell(index, v->index), tell(base, v->base), tell(type, v->type);
    return kSuccess;
}
Status create_dense(cusparseConstDnVecDescr_t* d, std::int64_t size, const void* values, cudaDataType type) {
    if (!is_side(size) || bytes_of(type) == 0) return kInvalid;
    return add(d, DnVec{size, writable(values), type});
}
Status get_dense(cusparseConstDnVecDescr_t d, std::int64_t* size, const void** values, cudaDataType* type) {
    const auto v = find(d);
    if (!v) return kInvalid;
    tell(size, v->size), tell(values, v->values), tell(type, v->type);
    return kSuccess;
}
Status create_dense(cusparseConstDnMatDescr_t* d, std::int64_t rows, std::int64_t cols, std::int64_t ld,
                    const void* values, cudaDataType type, cusparseOrder_t order) {
    if (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) return kInvalid;
    if (!is_side(rows) || !is_side(cols) || !is_side(ld) || bytes_of(type) == 0) return kInvalid;
    if (ld < (order == CUSPARSE_ORDER_COL ? rows : cols)) return kInvalid;
    return add(d, DnMat{rows, cols, ld, writable(values), type, order});
}
Status get_dense(cusparseConstDnMatDescr_t d, std::int64_t* rows, std::int64_t* cols, std::int64_t* ld,
                 const void** values, cudaDataType* type, cusparseOrder_t* order) {
    const auto m = find(d);
    if (!m) return kInvalid;
    tell(rows, m->rows), tell(cols, m->cols), tell(ld, m->ld), tell(values, m->values);
    tell(type, m->type), tell(order, m->order);
    return kSuccess;
}
Status create_matrix(cusparseConstSpMatDescr_t* d, cusparseFormat_t format, std::int64_t rows, std::int64_t cols,
                     std::int64_t nnz, const void* lines, const void* places, const void* values,
                     cusparseIndexType_t line, cusparseIndexType_t place, cusparseIndexBase_t base, cudaDataType type) {
    if (!is_side(rows) || !is_side(cols) || !is_count(nnz) || nnz > rows * cols) return kInvalid;
    if (!is_index(line) || !is_index(place) || !is_base(base) || bytes_of(type) == 0) return kInvalid;
    return add(d, SpMat{format, rows, cols, nnz, writable(lines), writable(places), writable(values), line, place, base,
                        type});
}
Status get_matrix(cusparseConstSpMatDescr_t d, cusparseFormat_t format, std::int64_t* rows, std::int64_t* cols,
                  std::int64_t* nnz, const void** lines, const void** places, const void** values,
                  cusparseIndexType_t* line, cusparseIndexType_t* place, cusparseIndexBase_t* base,
                  cudaDataType* type) {
    const auto m = find(d);
    if (!m || m->format != format) return kInvalid;
    tell(rows, m->rows), tell(cols, m->cols), tell(nnz, m->nnz), tell(lines, m->lines), tell(places, m->places);
    tell(values, m->values), tell(line, m->line), tell(place, m->place), tell(base, m->base), tell(type, m->type);
    return kSuccess;
}
Status get_values(cusparseConstSpVecDescr_t d, const void** values) { return values_of(d, values); }
Status get_values(cusparseConstDnVecDescr_t d, const void** values) { return values_of(d, values); }
Status get_values(cusparseConstDnMatDescr_t d, const void** values) { return values_of(d, values); }
Status get_values(cusparseConstSpMatDescr_t d, const void** values) { return values_of(d, values); }
Status set_values(cusparseSpVecDescr_t d, void* values) { return give_values<cusparseConstSpVecDescr_t>(d, values); }
Status set_values(cusparseDnVecDescr_t d, void* values) { return give_values<cusparseConstDnVecDescr_t>(d, values); }
Status set_values(cusparseDnMatDescr_t d, void* values) { return give_values<cusparseConstDnMatDescr_t>(d, values); }
Status set_values(cusparseSpMatDescr_t d, void* values) { return give_values<cusparseConstSpMatDescr_t>(d, values); }
// No descriptor is none to destroy.
Status destroy(cusparseConstSpVecDescr_t d) { return d ? take<SpVec>(d) : kSuccess; }
Status destroy(cusparseConstDnVecDescr_t d) { return d ? take<DnVec>(d) : kSuccess; }
Status destroy(cusparseConstDnMatDescr_t d) { return d ? take<DnMat>(d) : kSuccess; }
Status destroy(cusparseConstSpMatDescr_t d) { return d ? take<SpMat>(d) : kSuccess; }
Status get_base(cusparseConstSpVecDescr_t d, cusparseIndexBase_t* base) { return base_of(d, base); }
Status get_base(cusparseConstSpMatDescr_t d, cusparseIndexBase_t* base) { return base_of(d, base); }
Status get_format(cusparseConstSpMatDescr_t d, cusparseFormat_t* format) {
    const auto m = find(d);
    if (!m || !format) return kInvalid;
    *format = m->format;
    return kSuccess;
}
Status get_size(cusparseConstSpMatDescr_t d, std::int64_t* rows, std::int64_t* cols, std::int64_t* nnz) {
    const auto m = find(d);
    if (!m) return kInvalid;
    tell(rows, m->rows), tell(cols, m->cols), tell(nnz, m->nnz);
    return kSuccess;
}
Status set_batch(cusparseDnMatDescr_t d, int count, std::int64_t apart) {
    const auto m = find(cusparseConstDnMatDescr_t{d});
    if (!m || count < 1 || !is_apart(apart)) return kInvalid;
    m->batches = count, m->apart = apart;
    return kSuccess;
}
Status get_batch(cusparseConstDnMatDescr_t d, int* count, std::int64_t* apart) {
    const auto m = find(d);
    if (!m) return kInvalid;
    tell(count, m->batches), tell(apart, m->apart);
    return kSuccess;
}
Status set_batch(cusparseSpMatDescr_t d, cusparseFormat_t format, int count, std::int64_t lines, std::int64_t entries) {
    const auto m = find(cusparseConstSpMatDescr_t{d});
    if (!m || m->format != format || count < 1 || !is_apart(lines) || !is_apart(entries)) return kInvalid;
    m->batches = count, m->lines_apart = lines, m->entries_apart = entries;
    return kSuccess;
}
Status get_batch(cusparseConstSpMatDescr_t d, int* count) {
    const auto m = find(d);
    if (!m || !count) return kInvalid;
    *count = m->batches;
    return kSuccess;
}
Status set_pointers(cusparseSpMatDescr_t d, cusparseFormat_t format, void* lines, void* places, void* values) {
    const auto m = find(cusparseConstSpMatDescr_t{d});
    if (!m || m->format != format) return kInvalid;
    m->lines = lines, m->places = places, m->values = values;
    return kSuccess;
}

namespace {
int* attribute(SpMat& m, cusparseSpMatAttribute_t which) {
    if (which == CUSPARSE_SPMAT_FILL_MODE) return &m.fill;
    return which == CUSPARSE_SPMAT_DIAG_TYPE ? &m.diagonal : nullptr;
}
}  // namespace
Status get_attribute(cusparseConstSpMatDescr_t d, cusparseSpMatAttribute_t which, void* data, std::size_t bytes) {
    const auto m = find(d);
    const int* from = m ? attribute(*m, which) : nullptr;
    if (!from || !data || bytes != sizeof *from) return kInvalid;
    std::memcpy(data, from, bytes);
    return kSuccess;
}
Status set_attribute(cusparseSpMatDescr_t d, cusparseSpMatAttribute_t which, const void* data, std::size_t bytes) {
    const auto m = find(cusparseConstSpMatDescr_t{d});
    int* to = m ? attribute(*m, which) : nullptr;
    int value = 0;
    if (!to || !data || bytes != sizeof value) return kInvalid;
    std::memcpy(&value, data, bytes);
    if (value != 0 && value != 1) return kInvalid;
    *to = value;
    return kSuccess;
}

}  // namespace warpwright::libraries::sparse
