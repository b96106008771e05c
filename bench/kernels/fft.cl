// The same kernel as fft.cu.
__kernel void fft(__global const float2* in, __global float2* out, __global const float2* turns) {
    __local float2 data[2][512];
    int thread = get_local_id(0), now = 0;
    in += get_group_id(0) * 512;
    out += get_group_id(0) * 512;
    data[0][thread] = in[thread];
    data[0][thread + 256] = in[thread + 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 1; half_size < 512; half_size *= 2) {
        int k = thread & half_size - 1, to = (thread - k) * 2 + k;
        float2 a = data[now][thread], b = data[now][thread + 256], w = turns[k * (256 / half_size)];
        float re = b.x * w.x - b.y * w.y, im = b.x * w.y + b.y * w.x;
        now = 1 - now;
        data[now][to] = (float2)(a.x + re, a.y + im);
        data[now][to + half_size] = (float2)(a.x - re, a.y - im);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[thread] = data[now][thread];
    out[thread + 256] = data[now][thread + 256];
}
