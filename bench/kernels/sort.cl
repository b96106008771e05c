// The same kernels as sort.cu.
__kernel void sort_tile(__global uint* data, int first, int last) {
    __local uint tile[1024];
    int thread = get_local_id(0), group = get_group_id(0);
    __global uint* mine = data + group * 1024;
    tile[thread] = mine[thread];
    tile[thread + 512] = mine[thread + 512];
    for (int merge = first; merge <= last; merge *= 2) {
        for (int distance = min(merge / 2, 512); distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int low = thread & distance - 1, at = (thread - low) * 2 + low;
            int rising = ((group * 1024 + at) & merge) == 0;
            uint a = tile[at], b = tile[at + distance];
            tile[at] = rising ? min(a, b) : max(a, b);
            tile[at + distance] = rising ? max(a, b) : min(a, b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[thread] = tile[thread];
    mine[thread + 512] = tile[thread + 512];
}

__kernel void sort_step(__global uint* data, int merge, int distance) {
    int thread = get_global_id(0), low = thread & distance - 1, at = (thread - low) * 2 + low;
    int rising = (at & merge) == 0;
    uint a = data[at], b = data[at + distance];
    data[at] = rising ? min(a, b) : max(a, b);
    data[at + distance] = rising ? max(a, b) : min(a, b);
}
