// The sum of n doubles, step by step (OpenCL C; sum.cu is the same in CUDA C++).
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef MOST
#define MOST 1024  // work-items of a group, at most
#endif

// Each work-item adds m neighbours. Neighbouring work-items read m elements apart: every one another cache line.
__kernel void sum_rows(__global double *sums, __global const double *x, int n, int m) {
    const int id = get_global_id(0);
    const int begin = id * m, end = min(n, begin + m);
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += x[i];
    sums[id] = sum;
}

// Neighbouring work-items read neighbouring elements, and go on by the whole grid.
__kernel void sum_stride(__global double *sums, __global const double *x, int n) {
    const int id = get_global_id(0), all = get_global_size(0);
    double sum = 0;
    for (int i = id; i < n; i += all) sum += x[i];
    sums[id] = sum;
}

// Adds `count` values in local memory, of any number: the first half, one longer where count is odd, takes the second.
double add_group(__local double *part, int count) {
    const int id = get_local_id(0);
    while (count > 1) {
        const int first = (count + 1) / 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id + first < count) part[id] += part[id + first];
        count = first;
    }
    return part[0];  // of work-item 0, which wrote it last
}

// As before, then each group adds its own sums: one value per group is left.
__kernel void sum_tree(__global double *sums, __global const double *x, int n) {
    __local double part[MOST];
    const int id = get_global_id(0), all = get_global_size(0);
    double sum = 0;
    for (int i = id; i < n; i += all) sum += x[i];
    part[get_local_id(0)] = sum;
    const double group = add_group(part, get_local_size(0));
    if (get_local_id(0) == 0) sums[get_group_id(0)] = group;
}

// One group adds the values that are left, one a work-item.
__kernel void sum_last(__global double *sum, __global const double *sums, int n) {
    __local double part[MOST];
    const int id = get_local_id(0);
    part[id] = id < n ? sums[id] : 0;
    const double all = add_group(part, get_local_size(0));
    if (id == 0) sum[0] = all;
}
