// PTX: call|bra  .local|ld.const|ld.global
__device__ __noinline__ unsigned collatz(unsigned x) {
    unsigned steps = 0;
    while (x > 1 && steps < 200) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        ++steps;
    }
    return steps;
}
__device__ unsigned ackermann(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
typedef unsigned (*Function)(unsigned);
__device__ unsigned twice(unsigned x) { return 2 * x; }
__device__ unsigned thrice(unsigned x) { return 3 * x; }
__device__ Function functions[2] = {twice, thrice};
struct Shape {
    __device__ virtual unsigned area() const { return 1; }
    unsigned side = 3;
};
struct Square : Shape {
    __device__ unsigned area() const override { return side * side; }
};
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = in[i], r = 0, local[8];
    for (int k = 0; k < 8; ++k) local[k] = a >> k;
    switch (a % 7) {
        case 0: r = 5; break;
        case 1: r = a * 3; break;
        case 2: r = collatz(a & 255); break;
        case 3: r = local[a & 7]; break;
        case 4: r = a ^ 0x55; break;
        case 5: r = ackermann(1, a & 3); break;
        default: r = 9;
    }
    Square square;
    Shape* shape = &square;
    auto add = [=](unsigned x) { return x + a; };
    out[i] = r + functions[a & 1](a) + shape->area() + add(2);
}
