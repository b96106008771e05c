__kernel void total(__global const int* x, __global int* sum, int n) {
    __local int words[256];
    const int t = get_local_id(0), i = get_global_id(0);
    int mine = 0;
    if (4 * i < n) {
        const int4 v = ((__global const int4*)x)[i];
        mine = v.x + v.y + v.z + v.w;
    }
    words[t] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) words[t] += words[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) atomic_add(sum, words[0]);
}
