// The same kernels as scan.cu.
__kernel void scan(__global const int* in, __global int* out, __global int* totals) {
    __local int sums[2][256];
    int thread = get_local_id(0), now = 0;
    sums[0][thread] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < 256; distance *= 2) {
        int sum = sums[now][thread];
        if (thread >= distance) sum += sums[now][thread - distance];
        now = 1 - now;
        sums[now][thread] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sums[now][thread];
    if (thread == 255) totals[get_group_id(0)] = sums[now][thread];
}

__kernel void scan_add(__global int* out, __global const int* totals) {
    if (get_group_id(0) > 0) out[get_global_id(0)] += totals[get_group_id(0) - 1];
}
