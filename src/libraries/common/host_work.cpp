// The BLAS library is opened when a routine first needs it, so that programs without such routines do not depend on it.
#include "libraries/common/host_work.hpp"

#include <dlfcn.h>

#include <memory>

#include "cudart/state/runtime.hpp"

namespace warpwright::libraries {
namespace {

/// OpenBLAS, or another library with the BLAS of Fortran and C.
void* host_blas() {
    static void* const found = [] {
        for (const char* name : {"libopenblas.so.0", "libopenblas.so", "libblas.so.3"})
            if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
        return static_cast<void*>(nullptr);
    }();
    return found;
}

struct Work {
    std::function<void()> run;
    bool again;  ///< a graph may run it several times
};

void run(void* data) {
    auto* work = static_cast<Work*>(data);
    work->run();
    if (!work->again) delete work;
}

}  // namespace

void* host_routine(const char* of, const std::string& name) {
    void* const library = host_blas();
    if (!library) {
        cudart::Runtime::get().say(std::string(of) + ": there is no OpenBLAS, which the routine " + name +
                                   " needs (apt-get install libopenblas0)");
        return nullptr;
    }
    void* const found = ::dlsym(library, name.c_str());
    if (!found) cudart::Runtime::get().say(std::string(of) + ": this system's BLAS library has no routine " + name);
    return found;
}

cudaError_t on_host(const char* library, const char* function, cudaStream_t stream, std::function<void()> work) {
    cudart::Runtime::get().say(std::string(library) + ": OpenBLAS computes " + function +
                               " on this machine; it has no counts, and takes no time on the modelled clock");
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    (void)cudart::impl::cudaStreamIsCapturing(stream, &capture);
    auto queued = std::make_unique<Work>(Work{std::move(work), capture != cudaStreamCaptureStatusNone});
    const cudaError_t e = cudart::impl::cudaLaunchHostFunc(stream, &run, queued.get());
    if (e == cudaSuccess) (void)queued.release();
    return e;
}

}  // namespace warpwright::libraries
