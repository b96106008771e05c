// Every thread divides; every other one does not use the quotient.
extern "C" __global__ void by_all(const float* x, float* out, float d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float quotient = x[i] / d;
    asm volatile("" : "+f"(quotient));  // so that no compiler moves the division into a branch
    out[i] = threadIdx.x % 2 == 0 ? quotient : 1.0f;
}
