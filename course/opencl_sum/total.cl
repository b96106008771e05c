// sum[0] becomes the sum of n elements; it is 0 before the launch. A work-group has 256 work-items.
__kernel void total(__global const int* x, __global int* sum, int n) {
    const int i = get_global_id(0);
    if (i < n) atomic_add(sum, x[i]);
}
