// integer_division: a rolling hash modulo a prime from the host; mended: modulo a power of two by a mask.
extern "C" __global__ void planted_rabin_karp(unsigned* out, const unsigned* text, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 0, m = n - 27;
    for (int k = 0; k < 16; ++k) h = (h * 257u + (text[(i + k) & 0xffff] & 255u)) % m;
    out[i] = h;
}
extern "C" __global__ void mended_rabin_karp(unsigned* out, const unsigned* text, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 0, m = n - 1;
    for (int k = 0; k < 16; ++k) h = (h * 257u + (text[(i + k) & 0xffff] & 255u)) & m;
    out[i] = h;
}
