// Accelerations of n bodies {x, y, z, mass} on each other, softened; a tile of 256 bodies at a time lies in shared memory.
// Blocks of 256; n a multiple of 256.
extern "C" __global__ void nbody(const float4* bodies, float4* accelerations, int n) {
    __shared__ float4 tile[256];
    float4 me = bodies[blockIdx.x * 256 + threadIdx.x];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int start = 0; start < n; start += 256) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = other.w * inverse * inverse * inverse;
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        __syncthreads();
    }
    accelerations[blockIdx.x * 256 + threadIdx.x] = make_float4(x, y, z, 0.0f);
}
