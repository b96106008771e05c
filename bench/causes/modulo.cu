// integer_division: a hash modulo a number from the host.
extern "C" __global__ void planted_modulo(int* o, const unsigned* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = a[i];
    unsigned s = 0;
    for (int k = 0; k < 40; k++) {
        h = h * 1664525u + 1013904223u;
        s += h % (unsigned)n;
    }
    o[i] = s;
}
extern "C" __global__ void mended_modulo(int* o, const unsigned* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = a[i];
    unsigned s = 0;
    for (int k = 0; k < 40; k++) {
        h = h * 1664525u + 1013904223u;
        s += h & (unsigned)(n - 1);
    }
    o[i] = s;
}
