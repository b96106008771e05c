// The same kernel as softmax.cu.
float over_block(__local float* part, float mine, int largest) {
    int thread = get_local_id(0);
    part[thread] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int width = 128; width > 0; width /= 2) {
        if (thread < width) {
            float other = part[thread + width];
            part[thread] = largest ? fmax(part[thread], other) : part[thread] + other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float all = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

__kernel void softmax(__global const float* in, __global float* out, int columns) {
    __local float part[256];
    int thread = get_local_id(0);
    __global const float* row = in + get_group_id(0) * columns;
    float top = row[thread];
    for (int k = thread; k < columns; k += 256) top = fmax(top, row[k]);
    top = over_block(part, top, 1);
    float sum = 0.0f;
    for (int k = thread; k < columns; k += 256) sum += exp(row[k] - top);
    sum = over_block(part, sum, 0);
    for (int k = thread; k < columns; k += 256) out[get_group_id(0) * columns + k] = exp(row[k] - top) / sum;
}
