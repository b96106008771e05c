// Reads that never end, because a handler of signals jumps out of them: more often than calls are kept at once. What the program
// hands to the system after that is watched as before.
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <cstdio>
static sigjmp_buf back;
static void leave(int) { siglongjmp(back, 1); }
__global__ void fill(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
int main() {
    int* p = nullptr;
    int empty[2], ends[2];
    if (pipe(empty) || pipe(ends) || cudaMallocManaged(&p, 4096)) return 9;
    p[0] = 1;
    signal(SIGALRM, leave);
    volatile int left = 0;
    for (volatile int k = 0; k < 400; k = k + 1) {
        if (sigsetjmp(back, 1)) {
            left = left + 1;
            continue;
        }
        const itimerval soon = {{0, 0}, {0, 200}};
        setitimer(ITIMER_REAL, &soon, nullptr);
        if (read(empty[0], p, 4096) != -2) return 8;
    }
    fill<<<4, 256>>>(p);
#ifdef RIGHT
    cudaDeviceSynchronize();
#endif
    const bool all = write(ends[1], p, 4096) == 4096;  // FINDING race-host
    cudaDeviceSynchronize();
    std::printf("%d left\n", left);
    return all && left == 400 && !cudaFree(p) ? 0 : 7;
}
