// slow_math: a logistic function in exact forms.
extern "C" __global__ void planted_logistic(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 24; k++) x = 1.f / (1.f + expf(-x)) + logf(x + 1.f);
    o[i] = x;
}
extern "C" __global__ void mended_logistic(float* o, const float* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 24; k++) x = __fdividef(1.f, 1.f + __expf(-x)) + __logf(x + 1.f);
    o[i] = x;
}
