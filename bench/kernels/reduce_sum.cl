// The same kernel as reduce_sum.cu.
#define BLOCK 256

__kernel void reduce_sum(__global const int* in, __global int* partial, int n) {
    __local int sums[BLOCK];
    int thread = get_local_id(0);
    int sum = 0;
    for (int i = get_group_id(0) * BLOCK + thread; i < n; i += get_num_groups(0) * BLOCK) sum += in[i];
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = BLOCK / 2; width > 0; width >>= 1) {
        if (thread < width) sums[thread] += sums[thread + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0) partial[get_group_id(0)] = sums[0];
}
