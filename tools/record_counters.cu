// Runs one memory instruction of one warp per launch, for a profiler to count: each line of the pattern file names the
// instruction, the active lanes and every lane's byte offset. Nothing else in the kernels touches the counted unit:
// the pattern travels in the kernel's parameters (constant memory), and the result is stored only if it equals a
// number it never has.
//
// Build: nvcc -std=c++17 -O2 -arch=sm_90 record_counters.cu -o record_counters
// Use:   record_counters PATTERNS OPERATION   (launches every pattern of that operation, in file order)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct Pattern {
    unsigned mask;
    unsigned offset[32];
};

constexpr unsigned kSharedBytes = 32768;
constexpr unsigned kMagic = 0x2545F491u;

__device__ __forceinline__ unsigned shared_address() {
    __shared__ __align__(1024) unsigned char memory[kSharedBytes];
    return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

#define BEGIN                                                  \
    if (!(pattern.mask >> threadIdx.x & 1)) return;            \
    const unsigned offset = pattern.offset[threadIdx.x];       \
    [[maybe_unused]] const unsigned s = shared_address() + offset; \
    [[maybe_unused]] const unsigned char* g = memory + offset; \
    [[maybe_unused]] const unsigned v = magic + threadIdx.x;   \
    [[maybe_unused]] const unsigned long long w = magic * 3ull + threadIdx.x;
#define ARGUMENTS Pattern pattern, unsigned char *memory, unsigned magic, unsigned *sink
#define KEEP(r) \
    if ((r) == 0x9E3779B9u * magic) *sink = (r);

// NAME, asm text, operands
#define LOAD32(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {           \
        BEGIN unsigned r;                       \
        asm volatile(text : "=r"(r) : constraint(address) : "memory"); \
        KEEP(r)                                 \
    }
#define LOAD16(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {           \
        BEGIN unsigned short r;                 \
        asm volatile(text : "=h"(r) : constraint(address) : "memory"); \
        if (magic == 0x12345678u + r) *sink = r; \
    }
#define LOAD64(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {           \
        BEGIN unsigned long long r;             \
        asm volatile(text : "=l"(r) : constraint(address) : "memory"); \
        KEEP(unsigned(r) ^ unsigned(r >> 32))   \
    }
#define LOAD128(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {            \
        BEGIN unsigned a, b, c, d;               \
        asm volatile(text : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : constraint(address) : "memory"); \
        KEEP(a ^ b ^ c ^ d)                      \
    }
#define STORE16(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) { BEGIN asm volatile(text ::constraint(address), "h"((unsigned short)v) : "memory"); }
#define STORE32(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) { BEGIN asm volatile(text ::constraint(address), "r"(v) : "memory"); }
#define STORE64(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) { BEGIN asm volatile(text ::constraint(address), "l"(w) : "memory"); }
#define STORE128(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) { BEGIN asm volatile(text ::constraint(address), "r"(v), "r"(v + 1), "r"(v + 2), "r"(v + 3) : "memory"); }
#define ATOM32(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {           \
        BEGIN unsigned r;                       \
        asm volatile(text : "=r"(r) : constraint(address), "r"(v), "r"(v + 7) : "memory"); \
        KEEP(r)                                 \
    }
#define ATOM64(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {           \
        BEGIN unsigned long long r;             \
        asm volatile(text : "=l"(r) : constraint(address), "l"(w), "l"(w + 7) : "memory"); \
        KEEP(unsigned(r) ^ unsigned(r >> 32))   \
    }
#define RED32 STORE32
#define RED_ONE(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) { BEGIN asm volatile(text ::constraint(address) : "memory"); }
#define RED64 STORE64

#define KERNELS(X)                                                                              \
    X(LOAD16, shared_ld_8, "ld.shared.u8 %0, [%1];", s, "r")                                    \
    X(LOAD16, shared_ld_16, "ld.shared.u16 %0, [%1];", s, "r")                                  \
    X(LOAD32, shared_ld_32, "ld.shared.u32 %0, [%1];", s, "r")                                  \
    X(LOAD64, shared_ld_64, "ld.shared.u64 %0, [%1];", s, "r")                                  \
    X(LOAD128, shared_ld_128, "ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];", s, "r")                  \
    X(STORE16, shared_st_8, "st.shared.u8 [%0], %1;", s, "r")                                   \
    X(STORE16, shared_st_16, "st.shared.u16 [%0], %1;", s, "r")                                 \
    X(STORE32, shared_st_32, "st.shared.u32 [%0], %1;", s, "r")                                 \
    X(STORE64, shared_st_64, "st.shared.u64 [%0], %1;", s, "r")                                 \
    X(STORE128, shared_st_128, "st.shared.v4.u32 [%0], {%1,%2,%3,%4};", s, "r")                 \
    X(ATOM32, shared_atom_add_u32, "atom.shared.add.u32 %0, [%1], %2;", s, "r")                 \
    X(ATOM32, shared_atom_inc_u32, "atom.shared.inc.u32 %0, [%1], %2;", s, "r")                 \
    X(ATOM32, shared_atom_max_s32, "atom.shared.max.s32 %0, [%1], %2;", s, "r")                 \
    X(ATOM32, shared_atom_and_b32, "atom.shared.and.b32 %0, [%1], %2;", s, "r")                 \
    X(ATOM32, shared_atom_exch_b32, "atom.shared.exch.b32 %0, [%1], %2;", s, "r")               \
    X(ATOM32, shared_atom_cas_b32, "atom.shared.cas.b32 %0, [%1], %2, %3;", s, "r")             \
    X(ATOM64, shared_atom_add_u64, "atom.shared.add.u64 %0, [%1], %2;", s, "r")                 \
    X(ATOM64, shared_atom_max_u64, "atom.shared.max.u64 %0, [%1], %2;", s, "r")                 \
    X(ATOM64, shared_atom_exch_b64, "atom.shared.exch.b64 %0, [%1], %2;", s, "r")               \
    X(ATOM64, shared_atom_cas_b64, "atom.shared.cas.b64 %0, [%1], %2, %3;", s, "r")             \
    X(ATOMF32, shared_atom_add_f32, "atom.shared.add.f32 %0, [%1], %2;", s, "r")                \
    X(ATOMF64, shared_atom_add_f64, "atom.shared.add.f64 %0, [%1], %2;", s, "r")                \
    X(RED32, shared_red_add_u32, "red.shared.add.u32 [%0], %1;", s, "r")                        \
    X(RED_ONE, shared_red_add_1, "red.shared.add.u32 [%0], 1;", s, "r")                         \
    X(RED32, shared_red_max_s32, "red.shared.max.s32 [%0], %1;", s, "r")                        \
    X(RED64, shared_red_add_u64, "red.shared.add.u64 [%0], %1;", s, "r")                        \
    X(LOAD16, global_ld_8, "ld.global.u8 %0, [%1];", g, "l")                                    \
    X(LOAD16, global_ld_16, "ld.global.u16 %0, [%1];", g, "l")                                  \
    X(LOAD32, global_ld_32, "ld.global.u32 %0, [%1];", g, "l")                                  \
    X(LOAD32, global_ldnc_32, "ld.global.nc.u32 %0, [%1];", g, "l")                             \
    X(LOAD32, global_ldcg_32, "ld.global.cg.u32 %0, [%1];", g, "l")                             \
    X(LOAD32, global_ldvol_32, "ld.volatile.global.u32 %0, [%1];", g, "l")                      \
    X(LOAD32, generic_ld_32, "ld.u32 %0, [%1];", g, "l")                                        \
    X(LOAD64, global_ld_64, "ld.global.u64 %0, [%1];", g, "l")                                  \
    X(LOAD128, global_ld_128, "ld.global.v4.u32 {%0,%1,%2,%3}, [%4];", g, "l")                  \
    X(STORE16, global_st_8, "st.global.u8 [%0], %1;", g, "l")                                   \
    X(STORE16, global_st_16, "st.global.u16 [%0], %1;", g, "l")                                 \
    X(STORE32, global_st_32, "st.global.u32 [%0], %1;", g, "l")                                 \
    X(STORE64, global_st_64, "st.global.u64 [%0], %1;", g, "l")                                 \
    X(STORE128, global_st_128, "st.global.v4.u32 [%0], {%1,%2,%3,%4};", g, "l")                 \
    X(ATOM32, global_atom_add_u32, "atom.global.add.u32 %0, [%1], %2;", g, "l")                 \
    X(ATOM32, global_atom_cas_b32, "atom.global.cas.b32 %0, [%1], %2, %3;", g, "l")             \
    X(ATOM64, global_atom_add_u64, "atom.global.add.u64 %0, [%1], %2;", g, "l")                 \
    X(ATOMF32, global_atom_add_f32, "atom.global.add.f32 %0, [%1], %2;", g, "l")                \
    X(RED32, global_red_add_u32, "red.global.add.u32 [%0], %1;", g, "l")                        \
    X(RED64, global_red_add_u64, "red.global.add.u64 [%0], %1;", g, "l")

#define ATOMF32(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {            \
        BEGIN float r;                           \
        asm volatile(text : "=f"(r) : constraint(address), "f"((float)v) : "memory"); \
        KEEP(__float_as_uint(r))                 \
    }
#define ATOMF64(name, text, address, constraint) \
    __global__ void name(ARGUMENTS) {            \
        BEGIN double r;                          \
        asm volatile(text : "=d"(r) : constraint(address), "d"((double)v) : "memory"); \
        KEEP((unsigned)__double_as_longlong(r))  \
    }
#define DEFINE(kind, name, text, address, constraint) kind(name, text, address, constraint)
KERNELS(DEFINE)

// Local memory: one store and one load at the lane's offset of a local array. The load's offset comes by way of a
// number only known at run time, so that the assembler cannot answer the load from the store.
#define LOCAL(name, type, constraint, ctype)                                                                    \
    __global__ void name(ARGUMENTS) {                                                                           \
        BEGIN ctype r;                                                                                          \
        asm volatile("{\n.local .align 16 .b8 array[2048];\n.reg .u64 a, b, o;\nmov.u64 a, array;\n"            \
                     "cvt.u64.u32 o, %1;\nadd.u64 b, a, o;\nst.local." type " [b], %2;\n"                       \
                     "cvt.u64.u32 o, %3;\nadd.u64 b, a, o;\nld.local." type " %0, [b];\n}"                      \
                     : "=" constraint(r)                                                                        \
                     : "r"(offset), constraint((ctype)w), "r"(offset + (magic - kMagic))                        \
                     : "memory");                                                                               \
        const unsigned folded = unsigned(r ^ (r >> (sizeof r * 4)));                                            \
        if (magic == 0x12345678u + folded) *sink = folded;                                                      \
    }
LOCAL(local_8, "u8", "h", unsigned short)
LOCAL(local_16, "u16", "h", unsigned short)
LOCAL(local_32, "u32", "r", unsigned)
LOCAL(local_64, "u64", "l", unsigned long long)
__global__ void local_128(ARGUMENTS) {
    BEGIN unsigned a, b, c, d;
    asm volatile("{\n.local .align 16 .b8 array[2048];\n.reg .u64 a, b, o;\nmov.u64 a, array;\n"
                 "cvt.u64.u32 o, %4;\nadd.u64 b, a, o;\nst.local.v4.u32 [b], {%5, %5, %5, %5};\n"
                 "cvt.u64.u32 o, %6;\nadd.u64 b, a, o;\nld.local.v4.u32 {%0, %1, %2, %3}, [b];\n}"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(offset), "r"(v), "r"(offset + (magic - kMagic))
                 : "memory");
    KEEP(a ^ b ^ c ^ d)
}
__global__ void nothing(ARGUMENTS) {
    BEGIN
    KEEP(s + v)
}

struct Kernel {
    const char* name;
    void (*run)(ARGUMENTS);
};
#define ENTRY(kind, name, text, address, constraint) {#name, name},
static const Kernel kKernels[] = {KERNELS(ENTRY){"local_8", local_8}, {"local_16", local_16}, {"local_32", local_32},
                                  {"local_64", local_64}, {"local_128", local_128}, {"nothing", nothing}};

#define CHECK(call)                                                                      \
    do {                                                                                 \
        const cudaError_t e = (call);                                                    \
        if (e != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));              \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: record_counters PATTERNS OPERATION\n");
        return 2;
    }
    unsigned char* memory = nullptr;
    unsigned* sink = nullptr;
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMemset(memory, 1, 64 << 20));
    CHECK(cudaMalloc(&sink, 256));
    std::ifstream file(argv[1]);
    std::string line;
    unsigned launched = 0;
    while (std::getline(file, line)) {
        // operation,mask,offset offset ...   (hexadecimal)
        if (line.empty() || line[0] == '#') continue;
        const auto first = line.find(','), second = line.find(',', first + 1);
        const std::string name = line.substr(0, first);
        if (name != argv[2]) continue;
        Pattern pattern{};
        pattern.mask = static_cast<unsigned>(std::stoul(line.substr(first + 1, second - first - 1), nullptr, 16));
        std::istringstream offsets(line.substr(second + 1));
        for (unsigned& o : pattern.offset) offsets >> std::hex >> o;
        const Kernel* kernel = nullptr;
        for (const Kernel& k : kKernels)
            if (name == k.name) kernel = &k;
        if (!kernel || !offsets) {
            std::fprintf(stderr, "bad pattern: %s\n", line.c_str());
            return 2;
        }
        kernel->run<<<1, 32>>>(pattern, memory, kMagic, sink);
        CHECK(cudaGetLastError());
        ++launched;
    }
    CHECK(cudaDeviceSynchronize());
    std::printf("launched %u\n", launched);
    return 0;
}
