// Older forms whose parameters are those of the newer ones: programs ask for them by the plain name.
#include "cuda_driver/api/api.hpp"

namespace warpwright::cuda_driver::impl {

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }
CUresult cuCtxPopCurrent(CUcontext* context) { return cuCtxPopCurrent_v2(context); }

CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    return cuLinkCreate_v2(count, options, values, state);
}
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name,
                       unsigned count, CUjit_option* options, void** values) {
    return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* file, unsigned count, CUjit_option* options,
                       void** values) {
    return cuLinkAddFile_v2(state, type, file, count, options, values);
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return cuMemHostRegister_v2(pointer, bytes, flags);
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(pointer, handle, flags);
}

CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
/// Before there were modes, a capture was of the global one.
CUresult cuStreamBeginCapture(CUstream stream) { return cuStreamBeginCapture_v2(stream, cudaStreamCaptureModeGlobal); }
CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

}  // namespace warpwright::cuda_driver::impl
