// The same kernel as nbody.cu.
__kernel void nbody(__global const float4* bodies, __global float4* accelerations, int n) {
    __local float4 tile[256];
    int thread = get_local_id(0);
    float4 me = bodies[get_global_id(0)];
    float x = 0.0f, y = 0.0f, z = 0.0f;
    for (int start = 0; start < n; start += 256) {
        tile[thread] = bodies[start + thread];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; ++k) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = other.w * inverse * inverse * inverse;
            x += dx * pull;
            y += dy * pull;
            z += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (float4)(x, y, z, 0.0f);
}
