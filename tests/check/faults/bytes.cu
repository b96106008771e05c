// Neighbouring bytes belong to different threads; each has its own.
// check: --grid 2 --block 64 --arg u8[128]=iota --arg u8[128]=zero
extern "C" __global__ void wrong(unsigned char* a, unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += 1;                                   // FINDING race-global race-lanes
    out[i] = a[i + 1 < 128 ? i + 1 : 0];         // FINDING race-global race-lanes
}
extern "C" __global__ void right(unsigned char* a, unsigned char* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += 1;
    out[i] = a[i];
}
