// Each warp has a ring of CHUNK-byte stages in shared memory that bulk copies fill (cp.async.bulk): lane 0 asks for a
// stretch STAGES ahead of the one that is added. Bytes on their way cost no registers, and a warp waits for no other.
#include "../common/hand_over.cuh"
#include "../common/stream.cuh"

#ifndef CHUNK
#define CHUNK 8192
#define STAGES 3
#endif

extern "C" __global__ void __launch_bounds__(128) reduce_bulk(const ELEMENT* in, ELEMENT* out, unsigned long long n,
                                                              unsigned long long* slots) {
    using Op = reduce::OPERATION;
    using V = reduce::Vector<ELEMENT>;
    using reduce::u64;
    constexpr unsigned threads = 128, warps = threads / 32, each = CHUNK / 512;  // vectors a lane and stage
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ __align__(8) u64 full[warps * STAGES];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const reduce::Split<ELEMENT> data(in, n);
    const V* stages = reinterpret_cast<const V*>(ring + warp * STAGES * CHUNK);
    const unsigned base = stream::shared_address(stages), barriers = stream::shared_address(full + warp * STAGES);
    const u64 chunks = data.count / (CHUNK / 16), step = static_cast<u64>(gridDim.x) * warps;
    u64 at = static_cast<u64>(blockIdx.x) * warps + warp, ask = at;
    const auto fetch = [&](unsigned s) {
        if (ask < chunks) stream::bulk_load(base + s * CHUNK, data.vectors + ask * (CHUNK / 16), CHUNK, barriers + s * 8);
        ask += step;
    };
    if (lane == 0) {
        for (unsigned s = 0; s < STAGES; ++s) stream::barrier_init(barriers + s * 8);
        stream::barrier_init_done();
        for (unsigned s = 0; s < STAGES; ++s) fetch(s);
    }
    __syncwarp();
    reduce::Accumulator<ELEMENT> x = data.edges<Op>(Op::identity<reduce::Accumulator<ELEMENT>>());
    for (u64 i = chunks * (CHUNK / 16) + static_cast<u64>(blockIdx.x) * threads + threadIdx.x; i < data.count; i += static_cast<u64>(gridDim.x) * threads)
        x = Op::apply(x, reduce::load(data.vectors + i).template reduced<Op>());  // less than a stage is left
    for (unsigned s = 0, parity = 0; at < chunks; at += step) {
        stream::barrier_wait(barriers + s * 8, parity);
        V v[each];
#pragma unroll
        for (unsigned j = 0; j < each; ++j) v[j] = stages[s * (CHUNK / 16) + j * 32 + lane];
#pragma unroll
        for (unsigned j = 0; j < each; ++j) x = Op::apply(x, v[j].template reduced<Op>());
        __syncwarp();  // all lanes have read the stage
        if (lane == 0) fetch(s);
        if (++s == STAGES) s = 0, parity ^= 1;
    }
    hand_over::finish<ELEMENT, Op, threads>(x, out, slots);
}
