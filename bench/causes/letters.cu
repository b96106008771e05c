// local_array: each thread counts the letters of its text in an array of its own; mended: in four bytes of a register.
extern "C" __global__ void planted_letters(unsigned* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count[4] = {0, 0, 0, 0};
    for (int w = 0; w < 8; ++w) {
        unsigned letters = in[w * n + i];
        for (int k = 0; k < 11; ++k) count[letters >> (2 * k) & 3]++;
    }
    out[i] = count[0] + count[1] * 256 + count[2] * 65536 + (count[3] << 24);
}
extern "C" __global__ void mended_letters(unsigned* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    for (int w = 0; w < 8; ++w) {
        unsigned letters = in[w * n + i];
        for (int k = 0; k < 11; ++k) count += 1u << ((letters >> (2 * k) & 3) * 8);
    }
    out[i] = count;
}
