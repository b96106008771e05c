// Handles of cuSOLVER, and what it says of itself.
#include <memory>

#include "libraries/common/host_work.hpp"
#include "libraries/cusolver/functions.hpp"
#include "support/handle_table.hpp"

namespace warpwright::libraries::solver_impl {
namespace {

struct Context {
    cudaStream_t stream = nullptr;
};
HandleTable<Handle, Context>& contexts() {
    static auto* all = new HandleTable<Handle, Context>;
    return *all;
}
constexpr int kVersion[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};

}  // namespace

Status create(Handle* handle) {
    if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
    *handle = contexts().add(std::make_shared<Context>());
    return CUSOLVER_STATUS_SUCCESS;
}
Status destroy(Handle handle) {
    return contexts().take(handle) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_INITIALIZED;
}
Status set_stream(Handle handle, cudaStream_t stream) {
    const auto context = contexts().find(handle);
    if (!context) return CUSOLVER_STATUS_NOT_INITIALIZED;
    context->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
Status get_stream(Handle handle, cudaStream_t* stream) {
    const auto context = contexts().find(handle);
    if (!context) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!stream) return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = context->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
Status get_version(int* version) {
    if (!version) return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
Status get_property(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUSOLVER_STATUS_INVALID_VALUE;
    *value = kVersion[type];
    return CUSOLVER_STATUS_SUCCESS;
}

Status rooms(Handle h, std::int64_t m, std::int64_t n, std::int64_t lda, size_t* device, size_t* host) {
    if (!contexts().find(h)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < m || !device || !host) return CUSOLVER_STATUS_INVALID_VALUE;
    *device = *host = 16;
    return CUSOLVER_STATUS_SUCCESS;
}
Status room(Handle h, std::int64_t m, std::int64_t n, std::int64_t lda, int* size) {
    size_t device = 0, host = 0;
    if (!size) return CUSOLVER_STATUS_INVALID_VALUE;
    const auto s = rooms(h, m, n, lda, &device, &host);
    if (s == CUSOLVER_STATUS_SUCCESS) *size = 1;
    return s;
}

Status queue(Handle h, const char* function, std::vector<Touched> touched, std::function<void()> work) {
    const auto context = contexts().find(h);
    if (!context) return CUSOLVER_STATUS_NOT_INITIALIZED;
    const auto e = on_host("cuSOLVER", function, context->stream,
                           [who = who(function), touched = std::move(touched), work = std::move(work)] {
                               if (may_touch(who, touched)) work();
                           });
    return e == cudaSuccess                 ? CUSOLVER_STATUS_SUCCESS
           : e == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED
                                            : CUSOLVER_STATUS_EXECUTION_FAILED;
}

}  // namespace warpwright::libraries::solver_impl
