// Each element goes one of eight ways by its low bits, which neighbours do not share: loops of eight lengths. Blocks of 256.
extern "C" __global__ void eight_ways(const unsigned* in, unsigned* out) {
    unsigned i = blockIdx.x * 256 + threadIdx.x, x = in[i], way = x & 7;
    if (way == 0) {
        for (int k = 0; k < 8; ++k) x = x * 5 + 1;
    } else if (way == 1) {
        for (int k = 0; k < 16; ++k) x ^= x >> 3 ^ k;
    } else if (way == 2) {
        for (int k = 0; k < 24; ++k) x += x << 2 ^ 7;
    } else if (way == 3) {
        for (int k = 0; k < 32; ++k) x = (x ^ 0x55) * 3;
    } else if (way == 4) {
        for (int k = 0; k < 40; ++k) x = (x >> 1) + k * 11;
    } else if (way == 5) {
        for (int k = 0; k < 48; ++k) x = x * 9 ^ k;
    } else if (way == 6) {
        for (int k = 0; k < 56; ++k) x = (x & 0xffff) * 7 + (x >> 16);
    } else {
        for (int k = 0; k < 64; ++k) x ^= x * 2 + 3;
    }
    out[i] = x;
}
