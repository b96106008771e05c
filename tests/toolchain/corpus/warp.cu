// PTX: shfl.sync.idx.b32  shfl.sync.up.b32  shfl.sync.down.b32  shfl.sync.bfly.b32  vote.sync.all.pred  vote.sync.any.pred
// PTX: vote.sync.ballot.b32  match.any.sync.b32  match.all.sync.b32  match.any.sync.b64  redux.sync.add.s32  redux.sync.min.u32
// PTX: redux.sync.xor.b32  activemask.b32  bar.warp.sync
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    unsigned a = in[i], r = 0;
    r += __shfl_sync(mask, a, 3) + __shfl_up_sync(mask, a, 2) + __shfl_down_sync(mask, a, 1, 8) + __shfl_xor_sync(mask, a, 5, 16);
    r = r * 31 + (unsigned)__shfl_sync(mask, (long long)a * a, 7) + (unsigned)__float_as_int(__shfl_xor_sync(mask, a * 0.5f, 1));
    r = r * 31 + (unsigned)__double2hiint(__shfl_down_sync(mask, (double)a, 4));
    r = r * 31 + __all_sync(mask, a > 5) + 2 * __any_sync(mask, a < 1000) + __ballot_sync(mask, a & 1) + (__activemask() == mask);
    int same;
    r = r * 31 + __match_any_sync(mask, a & 3) + __match_all_sync(mask, a >> 31, &same) + same + __match_any_sync(mask, (unsigned long long)(a & 7));
    r = r * 31 + __reduce_add_sync(mask, (int)a) + __reduce_min_sync(mask, a) + __reduce_max_sync(mask, (int)a) + __reduce_and_sync(mask, a) +
        __reduce_or_sync(mask, a & 0xff) + __reduce_xor_sync(mask, a);
    __syncwarp();
    out[i] = r;
}
