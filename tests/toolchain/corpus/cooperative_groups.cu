// PTX: shfl.sync.down.b32|shfl.sync.bfly.b32  redux.sync.add  vote.sync.ballot.b32  bar.warp.sync  ld.acquire.gpu.u32  activemask.b32
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void whole(unsigned* p) {
    cg::grid_group grid = cg::this_grid();
    p[grid.thread_rank()] = 1;
    grid.sync();
    if (grid.thread_rank() == 0) p[0] = (unsigned)grid.size();
}
template <class Group> __device__ unsigned sum(const Group& g, unsigned v) {
    for (int d = g.size() / 2; d > 0; d /= 2) v += g.shfl_down(v, d);
    return g.shfl(v, 0);
}
extern "C" __global__ void test(const unsigned* in, unsigned* out, int n) {
    cg::thread_block block = cg::this_thread_block();
    int i = block.group_index().x * block.size() + block.thread_rank();
    unsigned a = i < n ? in[i] : 0;
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto quarter = cg::tiled_partition<8>(warp);
    unsigned r = sum(warp, a) + 3 * sum(quarter, a) + 5 * cg::reduce(quarter, (int)a, cg::plus<int>());
    r = r * 31 + __float_as_uint(cg::reduce(warp, a * 0.5f, cg::greater<float>())) + cg::inclusive_scan(quarter, a) + cg::exclusive_scan(warp, a);
    r = r * 31 + quarter.ballot(a & 1) + quarter.any(a > 100) + warp.all(a > 0) + quarter.meta_group_rank() + quarter.thread_rank();
    r = r * 31 + quarter.shfl_xor(a, 1) + warp.shfl_up(a, 1) + quarter.match_any(a & 1);
    if (a & 1) {
        auto active = cg::coalesced_threads();
        r += active.size() + active.thread_rank() + active.shfl(a, 0) + cg::reduce(active, a, cg::bit_xor<unsigned>());
    }
    block.sync();
    cg::sync(warp);
    if (i < n) out[i] = r;
}
