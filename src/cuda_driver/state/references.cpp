#include "cuda_driver/state/references.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>

#include "cuda_driver/state/sampling.hpp"
#include "cudart/memory/texture.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/state/runtime.hpp"
#include "cudart/stream/stream.hpp"

namespace warpwright::cuda_driver::references {
namespace {

std::mutex mutex;
std::list<Reference>& all() {
    static auto* references = new std::list<Reference>;
    return *references;
}

/// nullptr: the handle is none, or of the other kind.
Reference* find(const void* handle, bool surface) {
    for (auto& r : all())
        if (&r == handle && r.surface == surface) return &r;
    return nullptr;
}

Reference fresh(bool surface) {
    Reference r;
    r.surface = surface;
    for (auto& mode : r.sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    return r;
}

/// The object for what was said, 0 if that makes none: nothing is bound, or the modes do not go together (yet; a
/// program says one after the other). A kernel that reads through it then reports an unbound reference.
CUresult object_of(const Reference& r, unsigned long long& object) {
    object = 0;
    if (!r.bound) return CUDA_SUCCESS;
    cudaResourceDesc resource;
    if (auto e = resource_of(r.resource, resource); e != CUDA_SUCCESS) return e;
    if (r.surface) return code_of(rt::cudaCreateSurfaceObject(&object, &resource));
    device::Texture t;
    if (auto e = cudart::set_resource(resource, t); e != cudaSuccess) return code_of(e);
    const auto sampling = sampling_of(r.sampling, resource);
    if (cudart::set_sampling(sampling, resource, t) != cudaSuccess) return CUDA_SUCCESS;
    return code_of(rt::cudaCreateTextureObject(&object, &resource, &sampling, nullptr));
}

void drop(bool surface, unsigned long long object) {
    if (object == 0) return;
    (void)(surface ? rt::cudaDestroySurfaceObject(object) : rt::cudaDestroyTextureObject(object));
}

/// Kernels queued before still use the object that was bound then.
void put(Reference& r, unsigned long long object) {
    const auto before = r.object;
    r.object = object;
    if (r.variable) {
        cudart::Scheduler::get().wait_all();
        std::memcpy(reinterpret_cast<void*>(r.variable), &object, sizeof object);
        cudart::Runtime::get().device()->written(r.variable, sizeof object);
    }
    drop(r.surface, before);
}

}  // namespace

CUresult of_module(Reference** reference, CUmodule module, const char* name, bool surface) {
    if (!reference || !name) return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr variable = 0;
    if (auto e = impl::cuModuleGetGlobal_v2(&variable, nullptr, module, name); e != CUDA_SUCCESS) return e;
    const auto holds = reinterpret_cast<cudart::Binary*>(module)->module->holds(name);
    if (holds != (surface ? device::Module::Holds::surface : device::Module::Holds::texture))
        return CUDA_ERROR_NOT_FOUND;
    std::lock_guard lock(mutex);
    for (auto& r : all())
        if (r.module == module && r.name == name) {
            *reference = &r;
            return CUDA_SUCCESS;
        }
    all().push_back(fresh(surface));
    *reference = &all().back();
    (*reference)->name = name, (*reference)->module = module, (*reference)->variable = variable;
    return CUDA_SUCCESS;
}

Reference* create() {
    std::lock_guard lock(mutex);
    all().push_back(fresh(false));
    return &all().back();
}

CUresult destroy(Reference* reference) {
    std::lock_guard lock(mutex);
    const auto* known = find(reference, false);
    // One of a module goes with the module.
    if (!known || known->module) return CUDA_ERROR_INVALID_VALUE;
    drop(false, known->object);
    all().remove_if([&](const Reference& r) { return &r == known; });
    return CUDA_SUCCESS;
}

void forget(CUmodule module) {
    std::lock_guard lock(mutex);
    for (auto& r : all())
        if (r.module == module) put(r, 0);
    all().remove_if([&](const Reference& r) { return r.module == module; });
}

CUresult change(void* handle, bool surface, CUresult (*work)(Reference&, void*), void* data) {
    std::lock_guard lock(mutex);
    auto* known = find(handle, surface);
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    Reference wanted = *known;
    if (auto e = work(wanted, data); e != CUDA_SUCCESS) return e;
    if (wanted.bound && wanted.resource.resType == CU_RESOURCE_TYPE_LINEAR)
        wanted.resource.res.linear.format = wanted.format, wanted.resource.res.linear.numChannels = wanted.channels;
    unsigned long long object = 0;
    if (auto e = object_of(wanted, object); e != CUDA_SUCCESS) return e;
    const auto before = known->object;
    *known = wanted;
    known->object = before;
    put(*known, object);
    return CUDA_SUCCESS;
}

CUresult ask(void* handle, bool surface, CUresult (*work)(const Reference&, void*), void* data) {
    std::lock_guard lock(mutex);
    const auto* known = find(handle, surface);
    return known ? work(*known, data) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace warpwright::cuda_driver::references
