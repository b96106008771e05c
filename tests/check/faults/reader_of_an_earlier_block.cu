// Lanes that read a line last write it without waiting for those that read it before. The second block has the shared
// memory that the first one had, whose readers are no part of it. Nothing is written first: only races are looked for.
// check: --grid 2 --block 64 --checkers race --arg i32[128]=iota --arg i32[128]=zero
extern "C" __global__ void wrong(const int* in, int* out) {
    __shared__ int4 line[2];
    int t = threadIdx.x, seen = in[blockIdx.x * 64 + t];
    int4 mine = {seen, seen, seen, seen};
    if (blockIdx.x == 0) {
        if (t % 32 < 2) seen += line[t % 2].x + line[t % 2].y + line[t % 2].z + line[t % 2].w;
    } else {
        if (t == 32 || t == 33) mine = line[t % 2];  // FINDING race-lanes
        if (t == 34 || t == 35) mine.x += line[t % 2].x + line[t % 2].y + line[t % 2].z + line[t % 2].w;
        if (t == 34 || t == 35) line[t % 2] = mine;  // FINDING race-lanes
    }
    out[blockIdx.x * 64 + t] = seen + mine.x + mine.y + mine.z + mine.w;
}
extern "C" __global__ void right(const int* in, int* out) {
    __shared__ int4 line[2];
    int t = threadIdx.x, seen = in[blockIdx.x * 64 + t];
    int4 mine = {seen, seen, seen, seen};
    if (blockIdx.x == 0) {
        if (t % 32 < 2) seen += line[t % 2].x + line[t % 2].y + line[t % 2].z + line[t % 2].w;
    } else {
        if (t == 32 || t == 33) mine = line[t % 2];
        if (t == 34 || t == 35) mine.x += line[t % 2].x + line[t % 2].y + line[t % 2].z + line[t % 2].w;
        __syncwarp();
        if (t == 34 || t == 35) line[t % 2] = mine;
    }
    out[blockIdx.x * 64 + t] = seen + mine.x + mine.y + mine.z + mine.w;
}
