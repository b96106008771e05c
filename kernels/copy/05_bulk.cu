// No thread touches the data: one thread a block asks for stretches of CHUNK bytes, global to shared memory and back
// to global memory (cp.async.bulk), STAGES of them on their way at a time.
#include "../common/stream.cuh"

#ifndef CHUNK
#define CHUNK 16384
#endif
#ifndef STAGES
#define STAGES 4
#endif

extern "C" __global__ void __launch_bounds__(32) copy_bulk(const unsigned char* in, unsigned char* out, unsigned long long bytes) {
    using u64 = unsigned long long;
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(8) u64 full[STAGES];
    const u64 whole = bytes / 16 * 16, pieces = (whole + CHUNK - 1) / CHUNK;
    if (threadIdx.x == 0) {
        const unsigned base = stream::shared_address(ring), barriers = stream::shared_address(full);
        const auto size = [&](u64 piece) { return static_cast<unsigned>(whole - piece * CHUNK < CHUNK ? whole - piece * CHUNK : CHUNK); };
        const auto fetch = [&](u64 piece, unsigned s) {
            if (piece < pieces) stream::bulk_load(base + s * CHUNK, in + piece * CHUNK, size(piece), barriers + s * 8);
        };
        for (unsigned s = 0; s < STAGES; ++s) stream::barrier_init(barriers + s * 8);
        stream::barrier_init_done();
        for (unsigned s = 0; s < STAGES; ++s) fetch(blockIdx.x + static_cast<u64>(s) * gridDim.x, s);
        unsigned s = 0, parity = 0, before = 0;
        for (u64 piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
            stream::barrier_wait(barriers + s * 8, parity);
            stream::bulk_store(out + piece * CHUNK, base + s * CHUNK, size(piece));
            if (piece != blockIdx.x) {  // the store before this one has read its stage by now, most likely
                stream::bulk_wait_read<1>();
                fetch(piece + static_cast<u64>(STAGES - 1) * gridDim.x, before);
            }
            before = s;
            if (++s == STAGES) s = 0, parity ^= 1;
        }
        stream::bulk_wait();
    }
    if (blockIdx.x == 0 && whole + threadIdx.x < bytes) out[whole + threadIdx.x] = in[whole + threadIdx.x];
}
