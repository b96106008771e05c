// sum[0] becomes the sum of n elements; it is 0 before the launch. A work-group of 256 work-items has 1024 elements.
__kernel void total(__global const int* x, __global int* sum, int n) {
    __local int words[256];
    const int t = get_local_id(0), i = get_global_id(0);
    int mine = 0;
    for (int k = 0; k < 4; ++k) {
        const int at = get_group_id(0) * 1024 + k * 256 + t;
        if (at < n) mine += x[at];
    }
    words[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) atomic_add(sum, words[0]);
}
