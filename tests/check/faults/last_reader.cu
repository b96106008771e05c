// The lane that reads a byte last writes it without waiting for the lane that read it before. Lanes of both warps read
// the byte before the barrier. Nothing is written first: only races are looked for.
// check: --grid 2 --block 64 --checkers race --arg i32[128]=iota --arg i32[64]=zero --arg i32[128]=zero
extern "C" __global__ void wrong(const int* in, const int* place, int* out) {
    __shared__ unsigned char bytes[64];
    int t = threadIdx.x, seen = in[blockIdx.x * 64 + t], at = place[t];
    if (t == 3 || t == 40) seen += bytes[at];
    __syncthreads();
    if (t == 33) seen += bytes[at];  // FINDING race-lanes
    if (t == 34) seen += bytes[at];
    if (t == 34) bytes[at] = 1;     // FINDING race-lanes
    out[blockIdx.x * 64 + t] = seen;
}
extern "C" __global__ void right(const int* in, const int* place, int* out) {
    __shared__ unsigned char bytes[64];
    int t = threadIdx.x, seen = in[blockIdx.x * 64 + t], at = place[t];
    if (t == 3 || t == 40) seen += bytes[at];
    __syncthreads();
    if (t == 33) seen += bytes[at];
    if (t == 34) seen += bytes[at];
    __syncwarp();
    if (t == 34) bytes[at] = 1;
    out[blockIdx.x * 64 + t] = seen;
}
