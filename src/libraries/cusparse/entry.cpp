// The entry points of libcusparse, made from the table.
#include "libraries/common/enter.hpp"
#include "libraries/cusparse/functions.hpp"

namespace warpwright::libraries {
constexpr Statuses<cusparseStatus_t> kStatuses{CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED,
                                               CUSPARSE_STATUS_EXECUTION_FAILED};
using namespace sparse;
}  // namespace warpwright::libraries

#define WW_CUSPARSE(name, parameters, call) WW_FUNCTION(name, parameters, sparse::call)
#define WW_CUSPARSE_MISSING(name) WW_FUNCTION_MISSING(name)
#define WW_TABLE "warpwright/cusparse_api.inc"
#define WW_STATUS cusparseStatus_t
#define WW_DESTROY cusparseDestroy
#define WW_TITLE "cuSPARSE"
#define WW_NOT_THERE CUSPARSE_STATUS_NOT_SUPPORTED
#include "libraries/common/entry_points.inc"

namespace {

struct Name {
    const char *name, *text;
};
Name name_of(cusparseStatus_t status) {
    switch (status) {
#define WW_NAME(name, text) \
    case name:              \
        return {#name, text};
        WW_NAME(CUSPARSE_STATUS_SUCCESS, "success")
        WW_NAME(CUSPARSE_STATUS_NOT_INITIALIZED, "initialization error")
        WW_NAME(CUSPARSE_STATUS_ALLOC_FAILED, "out of memory")
        WW_NAME(CUSPARSE_STATUS_INVALID_VALUE, "invalid value")
        WW_NAME(CUSPARSE_STATUS_ARCH_MISMATCH, "architecture mismatch")
        WW_NAME(CUSPARSE_STATUS_MAPPING_ERROR, "mapping error")
        WW_NAME(CUSPARSE_STATUS_EXECUTION_FAILED, "kernel launch failure")
        WW_NAME(CUSPARSE_STATUS_INTERNAL_ERROR, "internal error")
        WW_NAME(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported")
        WW_NAME(CUSPARSE_STATUS_ZERO_PIVOT, "zero pivot")
        WW_NAME(CUSPARSE_STATUS_NOT_SUPPORTED, "operation not supported")
        WW_NAME(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "insufficient resources")
#undef WW_NAME
    }
    return {"unrecognized error code", "unrecognized error code"};
}

template <class Value>
Value plain(cusparseMatDescr_t descr, int PlainDescr::* member) {
    const auto found = sparse::find(descr);
    return static_cast<Value>(found ? (*found).*member : 0);
}

}  // namespace

WW_ENTRY const char* cusparseGetErrorName(cusparseStatus_t status) { return name_of(status).name; }
WW_ENTRY const char* cusparseGetErrorString(cusparseStatus_t status) { return name_of(status).text; }
WW_ENTRY cusparseMatrixType_t cusparseGetMatType(cusparseMatDescr_t descr) {
    return plain<cusparseMatrixType_t>(descr, &PlainDescr::type);
}
WW_ENTRY cusparseFillMode_t cusparseGetMatFillMode(cusparseMatDescr_t descr) {
    return plain<cusparseFillMode_t>(descr, &PlainDescr::fill);
}
WW_ENTRY cusparseDiagType_t cusparseGetMatDiagType(cusparseMatDescr_t descr) {
    return plain<cusparseDiagType_t>(descr, &PlainDescr::diagonal);
}
WW_ENTRY cusparseIndexBase_t cusparseGetMatIndexBase(cusparseMatDescr_t descr) {
    return plain<cusparseIndexBase_t>(descr, &PlainDescr::base);
}
