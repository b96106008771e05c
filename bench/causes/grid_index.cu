// integer_division: each of 12 steps of a walk takes cell and column apart by a width from memory; mended: 2D steps.
extern "C" __global__ void planted_grid_index(int* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i, width = 500 + (int)in[0];
    int turns = 0;
    for (int k = 0; k < 12; ++k) {
        int x = at % width, y = at / width;
        turns += (x ^ y) & 1;
        at = (y + 1) * width + x + 1 - (at > n ? n : 0);
    }
    out[i] = turns;
}
extern "C" __global__ void mended_grid_index(int* out, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, width = 500 + (int)in[0];
    int x = i % width, y = i / width, turns = 0;
    for (int k = 0; k < 12; ++k) {
        turns += (x ^ y) & 1;
        ++x, ++y;
        if (y * width + x > n) y -= n / width;
        if (x >= width) x -= width, ++y;
    }
    out[i] = turns;
}
