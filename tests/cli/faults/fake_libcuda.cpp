// A libcuda.so.1 that is none, for the program as a whole: kernels do nothing, but one whose name begins with "stray"
// breaks the process as a real fault does, one whose name begins with "hangs" never ends, nor lets the process end by
// itself, and in one whose name begins with "stops" the user presses Ctrl-C.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "device/cuda/api.hpp"

using namespace warpwright::device::cuda;

namespace {

Status broken = 0, coming = 0;  ///< `coming`: of a kernel that runs still; who waits for it meets it
bool hangs = false;
std::map<Function, std::string> names;
std::map<Event, double> events;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Status run(Function f) {
    const std::string& name = names[f];
    if (name.starts_with("stray")) coming = status::illegal_address;
    if (name.starts_with("stops")) ::raise(SIGINT);
    if (name.starts_with("hangs") && !hangs) {
        hangs = true;
        std::atexit([] { ::sleep(600); });
    }
    return 0;
}

}  // namespace

extern "C" {
Status cuInit(unsigned) { return 0; }
Status cuDriverGetVersion(int* v) { return *v = 12080, 0; }
Status cuGetErrorName(Status, const char** s) { return *s = "CUDA_ERROR_FAKE", 0; }
Status cuGetErrorString(Status, const char** s) { return *s = "fake", 0; }
Status cuDeviceGetCount(int* n) { return *n = 1, 0; }
Status cuDeviceGet(DeviceId* d, int n) { return *d = n, 0; }
Status cuDeviceGetName(char* to, int n, DeviceId) { return std::strncpy(to, "Fake", std::size_t(n)), 0; }
Status cuDeviceTotalMem_v2(std::size_t* n, DeviceId) { return *n = 1 << 30, 0; }
Status cuDeviceGetAttribute(int* value, DeviceAttribute a, DeviceId) {
    using A = DeviceAttribute;
    switch (a) {
        case A::threads_per_block:
        case A::block_x:
        case A::block_y:
        case A::block_z:
            return *value = 1024, 0;
        case A::grid_x:
        case A::grid_y:
        case A::grid_z:
            return *value = 65535, 0;
        case A::shared_per_block:
        case A::shared_per_block_optin:
            return *value = 49152, 0;
        case A::warp:
            return *value = 32, 0;
        case A::multiprocessors:
            return *value = 4, 0;
        case A::capability_major:
            return *value = 8, 0;
        default:
            return *value = 0, 0;
    }
}
Status cuDevicePrimaryCtxRetain(Context* c, DeviceId) { return *c = reinterpret_cast<Context>(1), broken; }
Status cuDevicePrimaryCtxRelease_v2(DeviceId) { return 0; }
Status cuDevicePrimaryCtxReset_v2(DeviceId) { return broken; }
Status cuCtxSetCurrent(Context) { return broken; }
Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) { return *free = *total = 1 << 30, broken; }
Status cuMemAlloc_v2(DevicePointer* p, std::size_t n) {
    if (broken) return broken;
    if (n > std::size_t{1} << 30) return status::out_of_memory;
    return *p = reinterpret_cast<DevicePointer>(std::calloc(n, 1)), 0;
}
Status cuMemFree_v2(DevicePointer p) { return std::free(reinterpret_cast<void*>(p)), broken; }
Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t n, Stream) {
    return std::memcpy(reinterpret_cast<void*>(to), from, n), broken;
}
Status cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t n, Stream) {
    return std::memcpy(to, reinterpret_cast<void*>(from), n), broken;
}
Status cuMemcpyDtoDAsync_v2(DevicePointer, DevicePointer, std::size_t, Stream) { return broken; }
Status cuMemHostAlloc(void** p, std::size_t n, unsigned) { return *p = std::malloc(n), broken; }
Status cuMemFreeHost(void* p) { return std::free(p), 0; }
Status cuMemsetD8Async(DevicePointer to, unsigned char v, std::size_t n, Stream) {
    return std::memset(reinterpret_cast<void*>(to), v, n), broken;
}
Status cuModuleLoadDataEx(ModuleHandle* m, const void*, unsigned, JitOption*, void**) {
    return *m = reinterpret_cast<ModuleHandle>(1), broken;
}
Status cuModuleUnload(ModuleHandle) { return 0; }
Status cuModuleGetFunction(Function* f, ModuleHandle, const char* name) {
    static std::uintptr_t next = 0;
    *f = reinterpret_cast<Function>(++next);
    names[*f] = name;
    return broken;
}
Status cuModuleGetGlobal_v2(DevicePointer*, std::size_t*, ModuleHandle, const char*) { return status::not_found; }
Status cuLinkCreate_v2(unsigned, JitOption*, void**, LinkState*) { return status::jit_missing; }
Status cuLinkAddData_v2(LinkState, int, void*, std::size_t, const char*, unsigned, JitOption*, void**) { return 1; }
Status cuLinkComplete(LinkState, void**, std::size_t*) { return 1; }
Status cuLinkDestroy(LinkState) { return 0; }
Status cuFuncGetAttribute(int* v, FunctionAttribute, Function) { return *v = 0, 0; }
Status cuFuncSetAttribute(Function, FunctionAttribute, int) { return 0; }
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, Function, int, std::size_t) { return *n = 1, 0; }
Status cuStreamCreate(Stream* s, unsigned) { return *s = reinterpret_cast<Stream>(1), broken; }
Status cuStreamDestroy_v2(Stream) { return 0; }
Status cuStreamSynchronize(Stream) {
    while (hangs) ::sleep(1);
    if (coming) broken = coming;
    return broken;
}
Status cuStreamWaitEvent(Stream, Event, unsigned) { return broken; }
Status cuEventCreate(Event* e, unsigned) {
    static std::uintptr_t next = 0;
    return *e = reinterpret_cast<Event>(++next), broken;
}
Status cuEventDestroy_v2(Event e) { return events.erase(e), 0; }
Status cuEventRecord(Event e, Stream) { return events[e] = now(), broken; }
Status cuEventQuery(Event) { return hangs ? status::not_ready : cuStreamSynchronize(nullptr); }
Status cuEventSynchronize(Event) { return cuStreamSynchronize(nullptr); }
Status cuEventElapsedTime(float* ms, Event a, Event b) {
    return *ms = float(1e3 * (events[b] - events[a]) + 1), broken;
}
Status cuLaunchKernel(Function f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                      void**) {
    return broken ? broken : run(f);
}
Status cuLaunchCooperativeKernel(Function f, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 Stream, void**) {
    return broken ? broken : run(f);
}
}
