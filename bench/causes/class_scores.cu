// uncoalesced_store: each thread writes the nine scores of its sample next to each other; mended: score by score.
extern "C" __global__ void planted_class_scores(float* scores, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], p = 1.0f;
    for (int c = 0; c < 9; ++c) {
        p = p * x + 0.25f;
        scores[i * 9 + c] = p;
    }
}
extern "C" __global__ void mended_class_scores(float* scores, const float* in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], p = 1.0f;
    for (int c = 0; c < 9; ++c) {
        p = p * x + 0.25f;
        scores[c * n + i] = p;
    }
}
