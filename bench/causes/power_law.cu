// imbalance: a block for each vertex of a graph, of which every hundredth has far more edges; mended: equal pieces.
extern "C" __global__ void planted_power_law(float* out, const float* in, int n) {
    int v = blockIdx.x, edges = v % 100 == 7 ? 200000 : 512;
    float s = 0.0f;
    for (int e = threadIdx.x; e < edges; e += blockDim.x) s += in[(v * 64 + e) & 0xfffff];
    atomicAdd(&out[v], s);
}
extern "C" __global__ void mended_power_law(float* out, const float* in, int n) {
    int v = blockIdx.x, edges = 2507;
    float s = 0.0f;
    for (int e = threadIdx.x; e < edges; e += blockDim.x) s += in[(v * 64 + e) & 0xfffff];
    atomicAdd(&out[v], s);
}
