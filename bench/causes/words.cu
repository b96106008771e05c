// divergence: each lane compares two words of its own length of up to 96 letters; mended: words sorted by length.
__device__ int same(const unsigned* text, int at, int length) {
    unsigned h = 7;
    for (int k = 0; k < length; ++k) h = (h ^ (text[at & 1023] >> (k & 15))) * 16777619u + (h >> 13);
    return h;
}
extern "C" __global__ void planted_words(int* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = same(in, i, (i * 2654435761u >> 20) % 96);
}
extern "C" __global__ void mended_words(int* out, const unsigned* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = same(in, i, ((i / 32) * 2654435761u >> 20) % 96);
}
