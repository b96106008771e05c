// Texture and surface references: variables of modules (.texref, .surfref) that a program binds to memory by the
// driver. The device's variable holds the handle of an object that is made anew whenever what the program has said
// changes.
#pragma once

#include <string>

#include "cuda_driver/state/handles.hpp"
#include "cudart/memory/texture.hpp"

namespace warpwright::cuda_driver {

/// What a program has said of a reference. `bound` says whether `resource` is set. Until it says otherwise, coordinates
/// are clamped, nothing is filtered, and linear memory consists of single floats.
struct Reference {
    bool surface = false, bound = false;
    CUDA_RESOURCE_DESC resource{};
    device::Texture memory;  ///< the same as the device has it, from when it was bound: it may not be there any more
    bool narrow = false;     ///< the elements are integers of 8 or 16 bits
    bool fresh = false;      ///< it is being bound
    CUarray_format format = CU_AD_FORMAT_FLOAT;  ///< of linear memory; an array has one of its own
    unsigned channels = 1;
    CUDA_TEXTURE_DESC sampling{};
    CUdeviceptr given = 0;  ///< the address that the program named, which may lie behind that of the texture

    std::string name;
    CUmodule module = nullptr;      ///< nullptr: made by cuTexRefCreate
    std::uint64_t variable = 0;     ///< its address on the device; 0: there is none
    unsigned long long object = 0;  ///< what the variable holds
};

namespace references {

CUresult of_module(Reference** reference, CUmodule module, const char* name, bool surface);
Reference* create();
CUresult destroy(Reference* reference);
/// Those of a module that is unloaded do not exist any more.
void forget(CUmodule module);

/// Calls `change` with what was said of the reference, and puts the object that this makes into the device's variable.
/// An error of `change` leaves all as it was.
CUresult change(void* handle, bool surface, CUresult (*work)(Reference&, void*), void* data);
/// The same for work that asks only.
CUresult ask(void* handle, bool surface, CUresult (*work)(const Reference&, void*), void* data);

template <class F>
CUresult change(void* handle, bool surface, F work) {
    return change(handle, surface, [](Reference& r, void* data) { return (*static_cast<F*>(data))(r); }, &work);
}
template <class F>
CUresult ask(void* handle, bool surface, F work) {
    return ask(handle, surface, [](const Reference& r, void* data) { return (*static_cast<F*>(data))(r); }, &work);
}

}  // namespace references
}  // namespace warpwright::cuda_driver
