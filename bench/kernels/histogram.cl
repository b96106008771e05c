// The same kernel as histogram.cu.
__kernel void histogram(__global const uint* in, __global uint* bins, int n) {
    __local uint counts[256];
    int thread = get_local_id(0);
    counts[thread] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_group_id(0) * 256 + thread; i < n; i += get_num_groups(0) * 256) atomic_add(&counts[in[i]], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[thread], counts[thread]);
}
