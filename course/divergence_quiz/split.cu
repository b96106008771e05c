// Two loops, of which a thread takes one.
__global__ void split(const float* x, float* y, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
#if WHICH == 1
    const bool first = threadIdx.x % 2 == 0;
#elif WHICH == 2
    const bool first = threadIdx.x < 128;
#elif WHICH == 3
    const bool first = threadIdx.x < 100;
#else
    const bool first = blockIdx.x % 2 == 0;
#endif
    if (first)
        for (int k = 0; k < rounds; ++k) v = v * v + 0.25f;
    else
        for (int k = 0; k < rounds; ++k) v = sqrtf(v * 0.5f + 1);
    y[i] = v;
}
