// A change is tried on a copy of the reference, and only a copy that gives a valid object replaces the old one. The
// object's handle is then stored in the module's variable, from which kernels read it.
#include "cuda_driver/state/references.hpp"

#include <list>
#include <mutex>
#include <utility>

#include "cuda_driver/state/sampling.hpp"
#include "cudart/registry/registry.hpp"
#include "cudart/work/texture_objects.hpp"

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

/// Looks at the memory that is bound.
CUresult look(Reference& r) {
    cudaResourceDesc resource;
    device::Texture t;
    if (auto e = resource_of(r.resource, resource); e != CUDA_SUCCESS) return e;
    if (auto e = cudart::set_resource(resource, t); e != cudaSuccess) return code_of(e);
    t.surface = r.surface;
    r.memory = std::move(t);
    r.narrow = narrow_integers(resource);
    return CUDA_SUCCESS;
}

/// The object for what was said, 0 if that makes none: nothing is bound, or the modes do not go together (yet; a
/// program says one after the other). A kernel that reads through it then reports an unbound reference.
CUresult object_of(const Reference& r, unsigned long long& object) {
    object = 0;
    if (!r.bound) return CUDA_SUCCESS;
    auto t = r.memory;
    if (!r.surface) {
        cudaResourceDesc kind{};
        kind.resType = static_cast<cudaResourceType>(r.resource.resType);
        if (cudart::set_sampling(sampling_of(r.sampling, r.narrow), kind, t) != cudaSuccess) return CUDA_SUCCESS;
    }
    return code_of(cudart::make_object(t, &object));
}

void drop(unsigned long long object) {
    if (object) (void)cudart::destroy_object(object);
}

/// An object that cannot be bound (in a function that a stream runs) is gone, and the reference stays what it was.
CUresult put(Reference& r, unsigned long long object) {
    if (r.variable)
        if (auto e = cudart::bind_object(r.variable, object); e != cudaSuccess) {
            drop(object);
            return code_of(e);
        }
    drop(std::exchange(r.object, object));
    return CUDA_SUCCESS;
}

}  // namespace

CUresult of_module(Reference** reference, CUmodule module, const char* name, bool surface) {
    if (!reference || !name) return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr variable = 0;
    if (auto e = rt::cudaLibraryGetGlobal(at(&variable), nullptr, library_of(module), name); e != cudaSuccess)
        return code_of(e);
    const auto holds = reinterpret_cast<cudart::Binary*>(module)->module()->holds(name);
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
    drop(known->object);
    all().remove_if([&](const Reference& r) { return &r == known; });
    return CUDA_SUCCESS;
}

void forget(CUmodule module) {
    std::lock_guard lock(mutex);
    for (auto& r : all())
        // Its variable cannot be set where the program may not wait (a function that a stream runs): it goes all the
        // same.
        if (r.module == module && put(r, 0) != CUDA_SUCCESS) drop(std::exchange(r.object, 0));
    all().remove_if([&](const Reference& r) { return r.module == module; });
}

CUresult change(void* handle, bool surface, CUresult (*work)(Reference&, void*), void* data) {
    std::lock_guard lock(mutex);
    auto* known = find(handle, surface);
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    Reference wanted = *known;
    if (auto e = work(wanted, data); e != CUDA_SUCCESS) return e;
    const bool linear = wanted.bound && wanted.resource.resType == CU_RESOURCE_TYPE_LINEAR;
    if (linear)
        wanted.resource.res.linear.format = wanted.format, wanted.resource.res.linear.numChannels = wanted.channels;
    if (linear || wanted.fresh) {
        const auto e = look(wanted);
        if (wanted.fresh && e != CUDA_SUCCESS) return e;
        // The memory is gone, and the program binds another next.
        if (e != CUDA_SUCCESS) wanted.bound = false;
    }
    wanted.fresh = false;
    unsigned long long object = 0;
    if (auto e = object_of(wanted, object); e != CUDA_SUCCESS) return e;
    if (auto e = put(*known, object); e != CUDA_SUCCESS) return e;
    wanted.object = object;
    *known = wanted;
    return CUDA_SUCCESS;
}

CUresult ask(void* handle, bool surface, CUresult (*work)(const Reference&, void*), void* data) {
    std::lock_guard lock(mutex);
    const auto* known = find(handle, surface);
    return known ? work(*known, data) : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace warpwright::cuda_driver::references
