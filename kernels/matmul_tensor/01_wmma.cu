// The tensor cores as CUDA first offered them: a warp multiplies 16 x 16 fragments whose layout it need not know.
// A block stages 32 x 32 elements of A and of B in shared memory, zeros outside the matrices, and each of its four
// warps makes one 16 x 16 tile of C. Naive: no copy runs ahead, an element is used 32 times for each trip from global
// memory, and each fragment is loaded for a single product. wmma has no 8-bit floats.
#include "../common/mma.cuh"

#ifndef ELEMENT
#define ELEMENT bf16
#endif
#ifndef NT
#define NT 1  // B is stored N x K; 0: K x N
#endif
#define TILE 32
#if NT
#define B_ORDER "col"
#else
#define B_ORDER "row"
#endif

typedef ELEMENT T;
typedef sum_t<T> Sum;
typedef output_t<T> Output;
constexpr int kStep = sizeof(T) == 4 ? 8 : 16;  // k of one product
constexpr int kStride = TILE + 16 / sizeof(T);  // a multiple of 16 bytes, as wmma wants; no power of two, for the banks

// The registers of a fragment differ in number from type to type: 8 (f16 holds two copies), 4 or 2.
#define IN2(r) "r"(r[0]), "r"(r[1])
#define IN4(r) IN2(r), "r"(r[2]), "r"(r[3])
#define IN8(r) IN4(r), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define OUT2(r) "=r"(r[0]), "=r"(r[1])
#define OUT4(r) OUT2(r), "=r"(r[2]), "=r"(r[3])
#define OUT8(r) OUT4(r), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define LOAD2 "{%0, %1}, [%2], %3;"
#define LOAD4 "{%0, %1, %2, %3}, [%4], %5;"
#define LOAD8 "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define SUMS "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define MULTIPLY2 SUMS ", {%8, %9}, {%10, %11}, " SUMS ";"
#define MULTIPLY4 SUMS ", {%8, %9, %10, %11}, {%12, %13, %14, %15}, " SUMS ";"
#define MULTIPLY8 SUMS ", {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, " SUMS ";"

#define WMMA(TYPE, SHAPE, NAME, TYPES, COUNT, C)                                                                       \
    static __device__ __forceinline__ void load_a(TYPE, unsigned (&r)[8], unsigned at) {                               \
        asm volatile("wmma.load.a.sync.aligned.row." SHAPE ".shared." NAME " " LOAD##COUNT                             \
                     : OUT##COUNT(r)                                                                                   \
                     : "r"(at), "n"(kStride)                                                                           \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __device__ __forceinline__ void load_b(TYPE, unsigned (&r)[8], unsigned at) {                               \
        asm volatile("wmma.load.b.sync.aligned." B_ORDER "." SHAPE ".shared." NAME " " LOAD##COUNT                     \
                     : OUT##COUNT(r)                                                                                   \
                     : "r"(at), "n"(kStride)                                                                           \
                     : "memory");                                                                                      \
    }                                                                                                                  \
    static __device__ __forceinline__ void product(TYPE, sum_t<TYPE>(&d)[8], const unsigned (&a)[8],                   \
                                                   const unsigned (&b)[8]) {                                           \
        asm volatile("wmma.mma.sync.aligned.row." B_ORDER "." SHAPE "." TYPES " " MULTIPLY##COUNT                      \
                     : C(d[0]), C(d[1]), C(d[2]), C(d[3]), C(d[4]), C(d[5]), C(d[6]), C(d[7])                          \
                     : IN##COUNT(a), IN##COUNT(b));                                                                    \
    }
#define FLOAT(x) "+f"(x)
#define INT(x) "+r"(x)
WMMA(f16, "m16n16k16", "f16", "f32.f32", 8, FLOAT)
WMMA(bf16, "m16n16k16", "bf16", "f32.bf16.bf16.f32", 4, FLOAT)
WMMA(f32, "m16n16k8", "tf32", "f32.tf32.tf32.f32", 4, FLOAT)
WMMA(i8, "m16n16k16", "s8", "s32.s8.s8.s32", 2, INT)

static __device__ __forceinline__ void store(const float (&d)[8], unsigned at) {
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 32;" ::"r"(at),
                 "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]), "f"(d[5]), "f"(d[6]), "f"(d[7])
                 : "memory");
}
static __device__ __forceinline__ void store(const i32 (&d)[8], unsigned at) {
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 32;" ::"r"(at),
                 "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3]), "r"(d[4]), "r"(d[5]), "r"(d[6]), "r"(d[7])
                 : "memory");
}

static __device__ __forceinline__ f32 rounded(f32 v) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(v));
    return __uint_as_float(bits);
}
template <class X> static __device__ __forceinline__ X rounded(X v) { return v; }

extern "C" __global__ void __launch_bounds__(128)
    matmul_wmma(const T* __restrict__ A, const T* __restrict__ B, Output* __restrict__ C, int M, int N, int K) {
    __shared__ __align__(16) T a[TILE * kStride], b[TILE * kStride];
    __shared__ __align__(16) Sum c[TILE * TILE];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE, warp = threadIdx.x / 32;
    const int my_row = warp / 2 * 16, my_column = warp % 2 * 16;
    const unsigned at_a = shared_address(a), at_b = shared_address(b);

    Sum d[8] = {};
    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int i = threadIdx.x; i < TILE * TILE; i += 128) {
            const int r = i / TILE, s = i % TILE;
            a[r * kStride + s] = row0 + r < M && k0 + s < K ? rounded(A[(long long)(row0 + r) * K + k0 + s]) : T{};
#if NT
            b[r * kStride + s] = column0 + r < N && k0 + s < K ? rounded(B[(long long)(column0 + r) * K + k0 + s]) : T{};
#else
            b[r * kStride + s] = k0 + r < K && column0 + s < N ? rounded(B[(long long)(k0 + r) * N + column0 + s]) : T{};
#endif
        }
        __syncthreads();
        for (int k = 0; k < TILE; k += kStep) {
            unsigned fa[8], fb[8];
            load_a(T{}, fa, at_a + (my_row * kStride + k) * sizeof(T));
            load_b(T{}, fb, at_b + (NT ? my_column * kStride + k : k * kStride + my_column) * sizeof(T));
            product(T{}, d, fa, fb);
        }
        __syncthreads();
    }

    // Which element of C a register holds is not for us to know: through shared memory, then written in order.
    store(d, shared_address(c + my_row * TILE + my_column));
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * TILE / 2; i += 128) {
        const int r = i / (TILE / 2), s = i % (TILE / 2) * 2, row = row0 + r, column = column0 + s;
        if (row < M && column < N)
            store_pair(C + (long long)row * N + column, c[r * TILE + s], c[r * TILE + s + 1], column + 1 < N, N % 2 == 0);
    }
}
