// Structures with holes are copied in bulk, each by two threads: the bytes between were never written, and nobody looks at
// them; what both copies write is the same. Wrong: what they write differs, and somebody looks at what is between.
// check: --grid 1 --block 64 --arg u8[1024]=none --arg u8[1024]=none --arg u8[64]=zero
struct alignas(16) Holes { char a; int b; char c; };
static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
static __device__ void load(unsigned barrier, void* to, const void* from) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(barrier) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(address(to)), "l"(from), "r"(barrier) : "memory");  // FINDING unfinished-copy
}
static __device__ void store(void* to, const void* from) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(to), "r"(address(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}
static __device__ void wait(unsigned barrier) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(barrier) : "memory");
}
template <bool Right> static __device__ void run(Holes* x, Holes* y, unsigned char* out) {
    __shared__ alignas(128) Holes s[32];
    __shared__ alignas(8) unsigned long long full;
    const unsigned barrier = address(&full);
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(barrier) : "memory");
    if (t < 64) x[t].a = Right ? t % 32 : t, x[t].c = 3;
    __syncthreads();
    if (t < 2) load(barrier, s, x + 32 * t);
    wait(barrier);
    if (t == 32) store(y, s);
    __syncthreads();
    if (t < 32) out[t] = Right ? y[t].a : y[t].b != 0;  // FINDING uninitialised
}
extern "C" __global__ void wrong(Holes* x, Holes* y, unsigned char* out) { run<false>(x, y, out); }
extern "C" __global__ void right(Holes* x, Holes* y, unsigned char* out) { run<true>(x, y, out); }
