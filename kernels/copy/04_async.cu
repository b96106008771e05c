// Global to shared memory without registers (cp.async, 16 bytes per thread), STAGES steps ahead of the stores. Blocks stay
// and walk over the data. A thread reads back only what it has asked for itself, so no barrier is needed.
#define STAGES 8

extern "C" __global__ void __launch_bounds__(256) copy_async(const unsigned char* in, unsigned char* out, unsigned long long bytes) {
    __shared__ __align__(16) uint4 ring[STAGES][256];
    const unsigned t = threadIdx.x;
    const unsigned long long chunks = bytes / 16, step = static_cast<unsigned long long>(gridDim.x) * 256;
    unsigned long long ask = static_cast<unsigned long long>(blockIdx.x) * 256 + t, at = ask;
    const auto fetch = [&](unsigned s) {
        if (ask < chunks)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(&ring[s][t]))), "l"(in + ask * 16) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        ask += step;
    };
    for (unsigned s = 0; s < STAGES - 1; ++s) fetch(s);
    for (unsigned s = 0; at < chunks; s = (s + 1) % STAGES, at += step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        const uint4 v = ring[s][t];
        fetch((s + STAGES - 1) % STAGES);
        reinterpret_cast<uint4*>(out)[at] = v;
    }
    const unsigned long long rest = chunks * 16 + t;
    if (blockIdx.x == 0 && rest < bytes) out[rest] = in[rest];
}
