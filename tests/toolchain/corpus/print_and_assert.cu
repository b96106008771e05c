// PTX: vprintf  __assertfail  malloc  free  trap  nanosleep.u32  %clock64  %clock|%clock;  %globaltimer|mov
#include <assert.h>
#include <stdio.h>
__global__ void talk(int n, float f, long long* times) {
    long long start = clock64();
    if (n > 1000000) printf("%d %f %s\n", n, f, "text");
    assert(n >= 0 && "a message");
    int* p = (int*)malloc(16);
    if (p) p[0] = n, p[1] = p[0] + 1, times[2] = p[threadIdx.x & 1];
    free(p);
    if (n == 123456789) __trap();
    __nanosleep(10);
    times[0] = clock64() - start;
    times[1] = clock();
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] ^ 1;
}
