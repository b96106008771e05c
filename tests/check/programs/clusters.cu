// Blocks of a cluster, and copies of the asynchronous proxy. Each kernel forgets an order of its own, which its repaired twin
// has. All run in clusters of two blocks of 32 or 64 threads.
#include <cstdio>
#ifdef RIGHT
    #define IF_RIGHT(...) __VA_ARGS__
    #define IF_WRONG(...)
#else
    #define IF_RIGHT(...)
    #define IF_WRONG(...) __VA_ARGS__
#endif
#define SCOPE(right, wrong) IF_RIGHT(right) IF_WRONG(wrong)
static __device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
static __device__ unsigned rank() {
    unsigned r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
static __device__ unsigned at(const void* p, unsigned block) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address(p)), "r"(block));
    return there;
}
#define STORE_AT(a, v) asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(a), "r"(v) : "memory")
#define LOAD_AT(v, a) asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(a) : "memory")
#define CLUSTER_BARRIER() asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory")
#define ARRIVE(how, a) asm volatile("mbarrier.arrive." how ".shared::cluster.b64 _, [%0];" ::"r"(a) : "memory")
#define WAIT(how, a)                                                                                                     \
    for (unsigned over = 0; !over;)                                                                                      \
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity." how ".shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}" \
                 : "=r"(over) : "r"(a) : "memory")
static __device__ void initialise(unsigned long long* m, int count) {
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(m)), "r"(count) : "memory");
}

__global__ void peer_value(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    slot[t] = -1;
    IF_RIGHT(CLUSTER_BARRIER();)
    STORE_AT(at(&slot[t], me ^ 1), me * 100 + t);  // FINDING race-shared peer-not-started
    CLUSTER_BARRIER();
    out[me * 32 + t] = slot[t];
}
__global__ void entry(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    IF_RIGHT(CLUSTER_BARRIER();)
    STORE_AT(at(&slot[t], me ^ 1), me * 100 + t);  // FINDING peer-not-started
    CLUSTER_BARRIER();
    out[me * 32 + t] = slot[t];
}
__global__ void end(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    slot[t] = me * 100 + t;
    CLUSTER_BARRIER();
    int v;
    LOAD_AT(v, at(&slot[t], me ^ 1));  // FINDING peer-ended
    out[me * 32 + t] = v;
    IF_RIGHT(CLUSTER_BARRIER();)
}
__global__ void read_too_early(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    CLUSTER_BARRIER();
    STORE_AT(at(&slot[t], me ^ 1), me * 100 + t);
    IF_RIGHT(CLUSTER_BARRIER();) IF_WRONG(__syncthreads();)
    out[me * 32 + t] = slot[t];  // FINDING race-shared
    CLUSTER_BARRIER();
}
// An arrival that is relaxed hands on nothing but what a fence before it has released.
__global__ void relaxed_cluster_arrival(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    CLUSTER_BARRIER();
    STORE_AT(at(&slot[t], me ^ 1), me * 100 + t);
    IF_RIGHT(asm volatile("barrier.cluster.arrive.release;" ::: "memory");)
    IF_WRONG(asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");)
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    out[me * 32 + t] = slot[t];  // FINDING race-shared
    CLUSTER_BARRIER();
}
__global__ void fenced_arrival(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");  // that the peer has started needs no order
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    STORE_AT(at(&slot[t], me ^ 1), me * 100 + t);
    IF_RIGHT(asm volatile("fence.acq_rel.cluster;" ::: "memory");)
    IF_WRONG(asm volatile("fence.acq_rel.cta;" ::: "memory");)
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    out[me * 32 + t] = slot[t];  // FINDING race-shared
    CLUSTER_BARRIER();
}
__global__ void one_ends_alone(int* out) {
    __shared__ int slot[32];
    const int me = rank(), t = threadIdx.x;
    slot[t] = t;
    CLUSTER_BARRIER();
    if (me == 0) {
        int v;
        LOAD_AT(v, at(&slot[t], 1));  // FINDING peer-ended
        out[t] = v;
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        IF_RIGHT(asm volatile("barrier.cluster.wait.acquire;" ::: "memory");)
    }
}

// Block 1 fills a box and arrives at an mbarrier of block 0, which reads the box.
#define HAND_OVER()                                                   \
    __shared__ __align__(8) unsigned long long full;                                 \
    __shared__ int box[32];                                                          \
    const int me = rank(), t = threadIdx.x;                                          \
    if (me == 0) {                                                                   \
        initialise(&full, 32);                                                       \
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");           \
    }                                                                                \
    CLUSTER_BARRIER();
__global__ void narrow_both(int* out) {
    HAND_OVER()
    if (me == 1) {
        box[t] = t;
        ARRIVE(SCOPE("release.cluster", "release.cta"), at(&full, 0));
    } else {
        WAIT(SCOPE("acquire.cluster", "acquire.cta"), address(&full));
        int v;
        LOAD_AT(v, at(&box[t], 1));  // FINDING race-shared
        out[t] = v;
    }
    CLUSTER_BARRIER();
}
__global__ void narrow_arrival(int* out) {
    HAND_OVER()
    if (me == 1) {
        box[t] = t;
        ARRIVE(SCOPE("release.cluster", "release.cta"), at(&full, 0));
    } else {
        WAIT("acquire.cluster", address(&full));
        int v;
        LOAD_AT(v, at(&box[t], 1));  // FINDING race-shared
        out[t] = v;
    }
    CLUSTER_BARRIER();
}
__global__ void narrow_wait(int* out) {
    HAND_OVER()
    if (me == 1) {
        STORE_AT(at(&box[t], 0), t);
        ARRIVE("release.cluster", at(&full, 0));
    } else {
        WAIT(SCOPE("acquire.cluster", "acquire.cta"), address(&full));
        out[t] = box[t];  // FINDING race-shared
    }
    CLUSTER_BARRIER();
}
#define ARRIVE_UNSCOPED(a) asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(a) : "memory")
#define WAIT_UNSCOPED(a)                                                                                                 \
    for (unsigned over = 0; !over;)                                                                                      \
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"     \
                 : "=r"(over) : "r"(a) : "memory")
__global__ void unscoped_arrival(int* out) {
    HAND_OVER()
    if (me == 1) {
        box[t] = t;
        IF_RIGHT(ARRIVE("release.cluster", at(&full, 0));) IF_WRONG(ARRIVE_UNSCOPED(at(&full, 0));)
    } else {
        WAIT("acquire.cluster", address(&full));
        int v;
        LOAD_AT(v, at(&box[t], 1));  // FINDING race-shared
        out[t] = v;
    }
    CLUSTER_BARRIER();
}
__global__ void unscoped_wait(int* out) {
    HAND_OVER()
    if (me == 1) {
        STORE_AT(at(&box[t], 0), t);
        ARRIVE("release.cluster", at(&full, 0));
    } else {
        IF_RIGHT(WAIT("acquire.cluster", address(&full));) IF_WRONG(WAIT_UNSCOPED(address(&full)));
        out[t] = box[t];  // FINDING race-shared
    }
    CLUSTER_BARRIER();
}
// Within a block the scope that PTX takes is wide enough; and so it is where copies fill what has been read.
__global__ void unscoped_and_right(const int* in, int* out) {
    __shared__ __align__(8) unsigned long long full, empty, here;
    __shared__ alignas(128) int stage[32];
    __shared__ int box[64];
    const int me = rank(), t = threadIdx.x;
    initialise(&full, 1), initialise(&empty, 2), initialise(&here, 64);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    CLUSTER_BARRIER();
    box[t] = t;
    ARRIVE_UNSCOPED(address(&here));
    WAIT_UNSCOPED(address(&here));
    int sum = box[63 - t];
    for (int k = 0; k < 2; ++k) {
        if (t == 0) {
            if (k == 1 && me == 0) WAIT_UNSCOPED(address(&empty));
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(address(&full)) : "memory");
            if (me == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                             "[%0], [%1], 128, [%2], %3;" ::"r"(address(stage)), "l"(in + 32 * k), "r"(address(&full)), "h"((unsigned short)3) : "memory");
        }
        for (unsigned over = 0; !over;)
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(address(&full)), "r"(k) : "memory");
        sum += stage[t % 32];
        __syncthreads();
        if (t == 0 && k == 0) ARRIVE_UNSCOPED(at(&empty, 0));
    }
    out[me * 64 + t] = sum;
    CLUSTER_BARRIER();
}
__global__ void relaxed_arrival(int* out) {
    HAND_OVER()
    if (me == 1) {
        box[t] = t;
        ARRIVE(SCOPE("release.cluster", "relaxed.cluster"), at(&full, 0));
    } else {
        WAIT("acquire.cluster", address(&full));
        int v;
        LOAD_AT(v, at(&box[t], 1));  // FINDING race-shared
        out[t] = v;
    }
    CLUSTER_BARRIER();
}
__global__ void relaxed_in_block(int* out) {
    __shared__ __align__(8) unsigned long long full;
    __shared__ int box[64];
    const int t = threadIdx.x;
    initialise(&full, 32);
    __syncthreads();
    if (t < 32) {
        box[t] = t;
        ARRIVE(SCOPE("release.cta", "relaxed.cta"), address(&full));
    } else {
        WAIT("acquire.cta", address(&full));
        out[t] = box[t - 32];  // FINDING race-shared
    }
}

// What threads wrote goes out in bulk.
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define SEND(to, from, bytes)                                                                                              \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], " bytes ";\ncp.async.bulk.commit_group;\n"       \
                 "cp.async.bulk.wait_group 0;" ::"l"(to), "r"(address(from)) : "memory")
__global__ void no_fence(int* out) {
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    IF_RIGHT(FENCE();)
    __syncthreads();
    if (threadIdx.x == 0) SEND(out + 64 * blockIdx.x, s, "256");  // FINDING proxy-fence
}
__global__ void fence_too_early(int* out) {
    __shared__ alignas(128) int s[64];
    IF_WRONG(FENCE();)
    s[threadIdx.x] = threadIdx.x;
    IF_RIGHT(FENCE();)
    __syncthreads();
    if (threadIdx.x == 0) SEND(out + 64 * blockIdx.x, s, "256");  // FINDING proxy-fence
}
__global__ void fence_of_one(int* out) {
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    IF_RIGHT(__syncthreads();)
    if (threadIdx.x == 0) FENCE();
    IF_WRONG(__syncthreads();)
    if (threadIdx.x == 0) SEND(out + 64 * blockIdx.x, s, "256");  // FINDING proxy-fence
}
__global__ void fence_of_a_warp(int* out) {
    __shared__ alignas(128) int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    if (t % 32 == 0) {
        IF_RIGHT(FENCE();)
        SEND(out + 64 * blockIdx.x + t, s + t, "128");  // FINDING proxy-fence
    }
}

// What reads in bulk reads until it has been waited for: the source of a copy to another block, and a stage of products that both
// blocks of the cluster hand back to the one that loads for both.
#define EXPECT(a, bytes) asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], " bytes ";" ::"r"(a) : "memory")
__global__ void source_overwritten(int* out) {
    __shared__ __align__(8) unsigned long long full;
    __shared__ alignas(128) int from[64], to[64];
    const int me = rank(), t = threadIdx.x;
    if (me == 1) initialise(&full, 1);
    from[t] = t;
    FENCE();
    CLUSTER_BARRIER();
    if (me == 0 && t == 0) {
        EXPECT(at(&full, 1), "256");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(at(to, 1)),
                     "r"(address(from)), "r"(at(&full, 1)) : "memory");
    }
    if (me == 1) WAIT("acquire.cluster", address(&full));
    IF_RIGHT(CLUSTER_BARRIER();)
    if (me == 0) from[t] = -t;  // FINDING unfinished-copy
    out[me * 64 + t] = me ? to[t] : from[t];
    CLUSTER_BARRIER();
}
static __device__ void wait_phase(const void* barrier, unsigned parity) {
    for (unsigned over = 0; !over;)
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(address(barrier)), "r"(parity) : "memory");
}
__global__ void handed_back_too_early(const int* in, int* out) {
    __shared__ alignas(1024) unsigned char stages[2][9216];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    const int me = rank(), t = threadIdx.x;
    for (int s = 0; s < 2; ++s) initialise(full + s, 1), initialise(empty + s, 2);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    CLUSTER_BARRIER();
    float d[4] = {};
    for (int k = 0; k < 6; ++k) {
        const unsigned s = k % 2, phase = k / 2 & 1, stage = address(stages[s]);
        if (t == 128) {
            wait_phase(me == 0 ? empty + s : full + s, phase ^ 1);
            EXPECT(address(full + s), "9216");
            if (me == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 9216, [%2], %3;"
                             ::"r"(stage), "l"(in), "r"(address(full + s)), "h"((unsigned short)3) : "memory");
        } else if (t < 128) {
            wait_phase(full + s, phase);
            const auto rows = [](unsigned from) { return 0x4000004000010000ull | (from & 0x3ffff) >> 4; };
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"  // FINDING unfinished-copy
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(rows(stage)), "l"(rows(stage + 8192)));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            IF_RIGHT(asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");)
            if (t == 0) ARRIVE("release.cluster", at(empty + s, 0));
            IF_WRONG(asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");)
        }
    }
    if (t < 128) out[me * 128 + t] = (int)d[0];
    CLUSTER_BARRIER();
}

// cp.async and its waits.
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address(to)), "l"(from) : "memory")
__global__ void last_group_not_waited(const int* in, int* out) {
    __shared__ int s[2][64];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        COPY(&s[k][t], in + 64 * k + t);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group %0;" ::"n"(IF_RIGHT(0) IF_WRONG(1)) : "memory");
    out[t] = s[0][t] + s[1][t];  // FINDING unfinished-copy
}
__global__ void copies_of_others(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    COPY(&s[t], in + t);
    asm volatile("cp.async.wait_all;" ::: "memory");
    IF_RIGHT(__syncthreads();)
    out[t] = s[(t + 32) % 64];  // FINDING race-shared
}
__global__ void refilled_too_early(const int* in, int* out) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
    IF_RIGHT(__syncthreads();)
    COPY(&s[t], in + t);  // FINDING race-shared
    asm volatile("cp.async.wait_all;" ::: "memory");
}

template <class... Parameters, class... Arguments>
static void launch(void (*kernel)(Parameters...), int threads, Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2, attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2), config.blockDim = dim3(threads), config.attrs = &attribute, config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...) != cudaSuccess) std::printf("failed\n");
}
int main() {
    int *out, *in;
    cudaMalloc(&out, 1024), cudaMalloc(&in, 9216);
    cudaMemset(in, 0, 9216);
    launch(peer_value, 32, out), launch(entry, 32, out), launch(end, 32, out), launch(read_too_early, 32, out);
    launch(one_ends_alone, 32, out), launch(relaxed_cluster_arrival, 32, out), launch(fenced_arrival, 32, out);
    launch(narrow_both, 32, out), launch(narrow_arrival, 32, out), launch(narrow_wait, 32, out);
    launch(unscoped_arrival, 32, out), launch(unscoped_wait, 32, out), launch(unscoped_and_right, 64, in, out);
    launch(relaxed_arrival, 32, out), launch(relaxed_in_block, 64, out);
    launch(no_fence, 64, out), launch(fence_too_early, 64, out), launch(fence_of_one, 64, out);
    launch(fence_of_a_warp, 64, out), launch(source_overwritten, 64, out), launch(handed_back_too_early, 160, in, out);
    last_group_not_waited<<<1, 64>>>(in, out), copies_of_others<<<1, 64>>>(in, out);
    refilled_too_early<<<1, 64>>>(in, out);
    const cudaError_t e = cudaDeviceSynchronize();
    cudaFree(out), cudaFree(in);
    return e != cudaSuccess;
}
