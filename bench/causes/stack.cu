// local_array: a walk down a tree keeps what is left to visit on a stack of its own; mended: in the bits of a register.
extern "C" __global__ void planted_stack(int* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned ways = __float_as_uint(in[i]);
    unsigned stack[12];
    int top = 0, visited = 0;
    stack[top++] = 1;
    while (top > 0) {
        const unsigned node = stack[--top];
        ++visited;
        if (node >= 64) continue;
        stack[top++] = 2 * node;
        if (ways >> (node % 23) & 1) stack[top++] = 2 * node + 1;
    }
    out[i] = visited;
}
extern "C" __global__ void mended_stack(int* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const unsigned ways = __float_as_uint(in[i]);
    unsigned left = 0, node = 1;  // levels on which the left side is still to be visited
    int visited = 0, level = 0;
    for (;;) {
        ++visited;
        if (node < 64) {
            const bool both = ways >> (node % 23) & 1;
            left |= (both ? 1u : 0u) << level;
            node = 2 * node + both, ++level;
            continue;
        }
        if (!left) break;
        const int up = 31 - __clz(left);
        node = (node >> (level - up)) * 2, level = up + 1, left ^= 1u << up;
    }
    out[i] = visited;
}
