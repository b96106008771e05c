// Texture and surface objects.
#include <cstring>

#include "api.hpp"
#include "memory_table.hpp"
#include "runtime.hpp"

namespace warpwright::cudart::impl {
namespace {

cudaError_t not_there() {
    Runtime::get().say("textures and surfaces are not supported by the emulated GPU's runtime library");
    return cudaErrorNotSupported;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*, const cudaResourceViewDesc*) { return not_there(); }
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) { return not_there(); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc*, cudaTextureObject_t) { return not_there(); }
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc*, cudaTextureObject_t) { return not_there(); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*) { return not_there(); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return not_there(); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc*, cudaSurfaceObject_t) { return not_there(); }

}  // namespace warpwright::cudart::impl
