// Prints digests of cuRAND's sequences: of the host's generators with the word "host", else of the device's. The golden
// file was printed by this program with "host", linked to NVIDIA's libcurand.so.10 (CUDA 13.0), which makes the same
// sequences on host and device.
#include <cuda_runtime_api.h>
#include <curand.h>
#include <stdio.h>
#include <string.h>

#include <vector>

static int failed;
static void check(curandStatus_t status, const char* what) {
    if (status != CURAND_STATUS_SUCCESS) printf("%s: status %d\n", what, status), failed = 1;
}

static unsigned long long digest(const void* bytes, size_t size) {  // FNV-1a
    unsigned long long hash = 14695981039346656037ull;
    for (size_t k = 0; k < size; ++k) hash = (hash ^ static_cast<const unsigned char*>(bytes)[k]) * 1099511628211ull;
    return hash;
}

struct Memory {
    bool host;
    size_t bytes;
    void* at = nullptr;
    std::vector<char> copy;
    Memory(bool on_host, size_t size) : host(on_host), bytes(size), copy(size) {
        if (!host) cudaMalloc(&at, bytes);
    }
    ~Memory() {
        if (!host) cudaFree(at);
    }
    void* place() { return host ? copy.data() : at; }
    const void* get() {
        if (!host) cudaMemcpy(copy.data(), at, bytes, cudaMemcpyDeviceToHost);
        return copy.data();
    }
};

int main(int argc, char** argv) {
    const bool host = argc > 1 && !strcmp(argv[1], "host");
    struct Case {
        curandRngType_t type;
        unsigned long long seed, offset;  // of a quasirandom generator: the dimensions
    };
    const Case cases[] = {
        {CURAND_RNG_PSEUDO_XORWOW, 0, 0},
        {CURAND_RNG_PSEUDO_XORWOW, 0x123456789abcdefull, 0},
        {CURAND_RNG_PSEUDO_XORWOW, 7, (1ull << 33) + 7},
        {CURAND_RNG_PSEUDO_MRG32K3A, 0, 0},
        {CURAND_RNG_PSEUDO_MRG32K3A, 0x123456789abcdefull, 0},
        {CURAND_RNG_PSEUDO_MRG32K3A, 7, (1ull << 33) + 7},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0, 0},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0x123456789abcdefull, 0},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 7, (1ull << 33) + 7},
        {CURAND_RNG_QUASI_SOBOL32, 1, 0},
        {CURAND_RNG_QUASI_SOBOL32, 40, 77777},
        {CURAND_RNG_QUASI_SOBOL32, 1024, 3},
    };
    for (const auto& c : cases) {
        const bool quasi = c.type == CURAND_RNG_QUASI_SOBOL32;
        const size_t n = quasi ? c.seed * 80 : 170000;
        curandGenerator_t g;
        check(host ? curandCreateGeneratorHost(&g, c.type) : curandCreateGenerator(&g, c.type), "create");
        check(quasi ? curandSetQuasiRandomGeneratorDimensions(g, static_cast<unsigned>(c.seed))
                    : curandSetPseudoRandomGeneratorSeed(g, c.seed),
              "seed");
        printf("type %d seed %llx offset %llx\n", c.type, c.seed, c.offset);
        Memory m(host, n * 8);
        const auto again = [&] { check(curandSetGeneratorOffset(g, c.offset), "offset"); };
        again();
        // In two calls, the first of which ends amid the streams: the sequence goes on.
        auto* bits = static_cast<unsigned*>(m.place());
        const size_t part = quasi ? n : 70001;
        check(curandGenerate(g, bits, part), "generate");
        if (part < n) check(curandGenerate(g, bits + part, n - part), "generate");
        unsigned first[4];
        memcpy(first, m.get(), sizeof first);
        printf("  bits %08x %08x %08x %08x digest %016llx\n", first[0], first[1], first[2], first[3],
               digest(m.get(), n * 4));
        again();
        check(curandGenerateUniform(g, static_cast<float*>(m.place()), n), "uniform");
        printf("  uniform digest %016llx\n", digest(m.get(), n * 4));
        again();
        check(curandGenerateUniformDouble(g, static_cast<double*>(m.place()), n), "uniform double");
        printf("  uniform double digest %016llx\n", digest(m.get(), n * 8));
        // Normal numbers pass through functions that may differ in the last bits.
        const auto show = [&](const char* what, bool wide) {
            printf("  %s", what);
            for (size_t k : {size_t{2}, size_t{3}, n / 2, n - 1})
                printf(" %.4f", wide ? static_cast<const double*>(m.get())[k] : static_cast<const float*>(m.get())[k]);
            printf("\n");
        };
        again();
        check(curandGenerateNormal(g, static_cast<float*>(m.place()), n, 1.0f, 2.0f), "normal");
        show("normal", false);
        again();
        check(curandGenerateLogNormalDouble(g, static_cast<double*>(m.place()), n, 0.5, 0.25), "log normal double");
        show("log normal double", true);
        check(curandDestroyGenerator(g), "destroy");
    }
    return failed;
}
