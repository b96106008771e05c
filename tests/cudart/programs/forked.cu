// A child that is forked from a process which has used the device cannot use it, as on a GPU; the parent goes on. And a device that
// is not there.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void more(int* p) { *p += 1; }

int main() {
    int *p, value = 0;
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaMemset(p, 0, sizeof *p));
    more<<<1, 1>>>(p);
    OK(cudaDeviceSynchronize());
    const pid_t child = fork();
    if (child == 0) {
        if (std::getenv("ONLY_ENDS")) _exit(cudaFree(p) == cudaErrorInitializationError ? 7 : 8);
        int* own;
        const bool refused = cudaMalloc(&own, 4) == cudaErrorInitializationError;
        more<<<1, 1>>>(p);
        _exit(refused && cudaGetLastError() == cudaErrorInitializationError ? 7 : 8);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    more<<<1, 1>>>(p);
    OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 2);
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
    std::printf("passed\n");
}
