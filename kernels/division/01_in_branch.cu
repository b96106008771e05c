// Every other thread divides, the others take 1: the warp runs both sides.
extern "C" __global__ void in_branch(const float* x, float* out, float d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float y;
    if (threadIdx.x % 2 == 0)
        y = x[i] / d;
    else
        y = 1.0f;
    out[i] = y;
}
