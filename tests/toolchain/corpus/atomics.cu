// PTX: atom.global.add.u32|red.global.add.u32  atom.global.add.f32  atom.global.add.f64  atom.global.add.u64  atom.global.min.s32
// PTX: atom.global.max.u64  atom.global.exch.b32  atom.global.cas.b32  atom.global.cas.b64  atom.inc.u32|atom.global.inc.u32  atom.dec.u32|atom.global.dec.u32
// PTX: atom.global.and.b32  atom.global.or.b32  atom.global.xor.b64  atom.shared.add.u32  .cta.  .sys.  cas.b16
struct Cells {
    int i[8];
    unsigned u[8];
    unsigned long long l[8];
    long long s[4];
    float f[4];
    double d[4];
    unsigned short h[4];
};
__global__ void each(Cells* c) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) counter = 0;
    __syncthreads();
    atomicAdd(&counter, 1u);
    __syncthreads();
    c->u[0] = atomicAdd(&c->u[1], counter);
    c->f[0] = atomicAdd(&c->f[1], 1.5f);
    c->d[0] = atomicAdd(&c->d[1], 2.5);
    c->l[0] = atomicAdd(&c->l[1], 3ull);
    c->i[0] = atomicSub(&c->i[1], 3) + atomicMin(&c->i[2], 4) + atomicMax(&c->i[3], 5) + atomicExch(&c->i[4], 6);
    c->u[2] = atomicInc(&c->u[3], 100u) + atomicDec(&c->u[4], 100u) + atomicMin(&c->u[5], 2u) + atomicMax(&c->u[6], 9u);
    c->l[2] = atomicMax(&c->l[3], 7ull) + atomicMin(&c->l[4], 5ull) + atomicExch(&c->l[5], 6ull) + atomicXor(&c->l[6], 0xffull);
    c->i[5] = atomicAnd(&c->i[6], 0xff) + atomicOr(&c->i[6], 3) + atomicXor(&c->i[7], 5) + atomicCAS(&c->i[7], 1, 2);
    c->l[7] = atomicCAS(&c->l[6], 5ull, 9ull) + atomicOr(&c->l[5], 1ull) + atomicAnd(&c->l[4], 7ull);
    c->s[0] = atomicMin(&c->s[1], -4ll) + atomicMax(&c->s[2], 4ll);
    c->f[2] = atomicExch(&c->f[3], 2.0f);
    c->h[0] = atomicCAS(&c->h[1], (unsigned short)2, (unsigned short)3);
    c->u[7] = atomicAdd_block(&c->u[6], 1u) + atomicAdd_system(&c->u[5], 1u) + atomicCAS_system(&c->u[4], 1u, 2u) + atomicMax_block(&c->u[3], 8u);
    c->d[2] = atomicAdd_system(&c->d[3], 1.0) + atomicAdd_block(&c->f[1], 1.0f);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned bins[16], low, high;
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) low = ~0u, high = 0;
    __syncthreads();
    if (i < n) {
        atomicAdd(&bins[in[i] & 15], 1u);
        atomicMin(&low, in[i]);
        atomicMax(&high, in[i]);
    }
    __syncthreads();
    if (i < n) out[i] = bins[threadIdx.x & 15] + low + high;
}
