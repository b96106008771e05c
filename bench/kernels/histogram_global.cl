// The same kernel as histogram_global.cu.
__kernel void histogram_global(__global const uint* in, __global uint* bins, int n) {
    for (int i = get_global_id(0); i < n; i += get_num_groups(0) * 256) atomic_add(&bins[in[i]], 1u);
}
