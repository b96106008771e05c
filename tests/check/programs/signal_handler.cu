// A handler of signals that hands memory of the device's to the system, whatever it has interrupted: the allocator, the runtime
// library, the lock in which pages are closed. Kernels of the repaired twin only read that memory, as the handler does.
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int kInts = 4096;
static int file;
static int* watched;
static volatile sig_atomic_t calls, failed;
static void handle(int) {
    const int error = errno;
    failed += write(file, watched, kInts * 4) != kInts * 4;  // FINDING race-host
    ++calls;
    errno = error;
}
__global__ void use(int* p, int* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef RIGHT
    p[i] = i;
#endif
    atomicAdd(sum, p[i]);
}
int main() {
    file = open("/dev/null", O_WRONLY);
    int* sum;
    cudaMallocManaged(&watched, kInts * 4), cudaMalloc(&sum, 4);
    for (int i = 0; i < kInts; ++i) watched[i] = i;
    cudaMemset(sum, 0, 4);
    cudaDeviceSynchronize();
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often = {{0, 150}, {0, 150}}, never = {};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int k = 0; k < 60; ++k) {
        use<<<kInts / 64, 64>>>(watched, sum);
        raise(SIGALRM);
        std::vector<void*> pieces;
        for (int n = 0; n < 2000; ++n) pieces.push_back(std::malloc(1 + n % 700));
        for (void* p : pieces) std::free(p);
        cudaDeviceSynchronize();
    }
    setitimer(ITIMER_REAL, &never, nullptr);
    std::printf("%s\n", calls >= 60 && !failed ? "all written" : "not written");
    cudaFree(watched), cudaFree(sum);
    return calls < 60 || failed;
}
