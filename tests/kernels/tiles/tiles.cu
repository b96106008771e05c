// Copies a matrix tile by tile through a tensor map, in clusters of `blocks` blocks; without, the first element is wrong.
// The map's address comes by the parameter's name: clang 19 would copy a parameter whose address is taken.
struct alignas(64) TensorMap { unsigned long long words[16]; };

extern "C" __global__ void __launch_bounds__(128)
    tiles(const __grid_constant__ TensorMap map, float* out, int columns, unsigned blocks) {
    __shared__ alignas(1024) float tile[8 * 32];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    const unsigned full = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    unsigned long long address;
    asm("{\n.reg .b64 p;\nmov.b64 p, tiles_param_0;\ncvta.param.u64 %0, p;\n}" : "=l"(address));
    unsigned resident;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(resident));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(full) : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
            "[%2];" ::"r"(at), "l"(address), "r"(full), "r"(blockIdx.x * 32), "r"(blockIdx.y * 8)
            : "memory");
    }
    __syncthreads();
    asm volatile(
        "{\n.reg .pred over;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0;\n@over bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(full)
        : "memory");
    for (int i = threadIdx.x; i < 256; i += 128) {
        const int row = i / 32, column = i % 32;
        // The map's swizzle: 16-byte pieces of a row are permuted by the row's number.
        const int piece = column / 4 ^ row % 8;
        out[(blockIdx.y * 8 + row) * columns + blockIdx.x * 32 + column] = tile[row * 32 + piece * 4 + column % 4];
    }
    __syncthreads();
    if (resident != blocks && threadIdx.x == 0 && blockIdx.x + blockIdx.y == 0) out[0] = -1;
}
