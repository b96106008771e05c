// WIDTH bytes per thread (4, 8 or 16) in one load and one store; the bytes behind the last whole vector one by one.
#ifndef WIDTH
#define WIDTH 16
#endif

struct __align__(WIDTH) Vector {
    unsigned word[WIDTH / 4];
};

extern "C" __global__ void copy_vector(const unsigned char* in, unsigned char* out, unsigned long long bytes) {
    const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x, vectors = bytes / WIDTH;
    if (i < vectors) reinterpret_cast<Vector*>(out)[i] = reinterpret_cast<const Vector*>(in)[i];
    const unsigned long long rest = vectors * WIDTH + i;
    if (rest < bytes) out[rest] = in[rest];
}
