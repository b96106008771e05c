// The sum of a work-group in local memory that the host sizes, halved until one element is left.
__kernel void sum(__global double* res, __global const double* x, int n, __local double* buf, __local int* steps) {
    const int l = get_local_id(0);
    double own = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) own += x[i];
    buf[l] = own;
    if (l == 0) *steps = 0;
    for (int k = get_local_size(0); k > 1;) {
        const int m = (k + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l + m < k) buf[l] += buf[m + l];
        if (l == 0) ++*steps;
        k = m;
    }
    if (l == 0) res[get_group_id(0)] = buf[0] + *steps;
}
