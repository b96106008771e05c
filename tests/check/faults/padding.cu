// A struct with holes is copied whole: the holes were never written, and nobody looks at them. Wrong: somebody looks at
// what is between.
// check: --grid 1 --block 32 --arg u8[512]=none --arg u8[512]=none --arg u8[32]=zero
struct alignas(16) Holes { char a; int b; char c; };
extern "C" __global__ void wrong(Holes* x, Holes* y, unsigned char* out) {
    int t = threadIdx.x;
    x[t].a = 1, x[t].c = 3;
    __syncthreads();
    y[t] = x[t];
    __syncthreads();
    out[t] = x[t].b != 0;  // FINDING uninitialised
}
extern "C" __global__ void right(Holes* x, Holes* y, unsigned char* out) {
    int t = threadIdx.x;
    x[t].a = 1, x[t].c = 3;
    __syncthreads();
    y[t] = x[t];
    __syncthreads();
    out[t] = y[t].a;
}
