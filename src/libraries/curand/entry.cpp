// The entry points of libcurand, made from the table, and what they do beside generating.
#include <string>
#include <type_traits>

#include "cudart/state/names.hpp"
#include "libraries/common/enter.hpp"
#include "libraries/curand/generator.hpp"

namespace warpwright::libraries {
namespace rand_impl {
namespace {

/// A setting that the states depend on.
template <class T, class V>
curandStatus_t set(curandGenerator_t g, T& to, V value) {
    to = value;
    g->ready = false;
    return CURAND_STATUS_SUCCESS;
}
constexpr ww_rand::Shape kPlain{0, 1, 0};
constexpr int kVersion[] = {10, 4, 0};

}  // namespace

curandStatus_t curandGetVersion(int* version) {
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
    *value = kVersion[type];
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
    return g->quasi() ? CURAND_STATUS_TYPE_ERROR : set(g, g->seed, seed);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
    return set(g, g->offset, offset);
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
    const bool pseudo = order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (g->quasi() ? order != CURAND_ORDERING_QUASI_DEFAULT : !pseudo) return CURAND_STATUS_OUT_OF_RANGE;
    if (order == CURAND_ORDERING_PSEUDO_SEEDED || order == CURAND_ORDERING_PSEUDO_DYNAMIC) {
        cudart::Runtime::get().say(
            "curandSetGeneratorOrdering: the orders SEEDED and DYNAMIC are not supported; there are DEFAULT, BEST and "
            "LEGACY, which are the same");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions) {
    if (!g->quasi()) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions > kSobolDimensions && dimensions <= 20000)
        cudart::Runtime::get().say("curandSetQuasiRandomGeneratorDimensions: there are " +
                                   std::to_string(kSobolDimensions) + " dimensions");
    if (dimensions == 0 || dimensions > kSobolDimensions) return CURAND_STATUS_OUT_OF_RANGE;
    return set(g, g->dimensions, dimensions);
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int* out, size_t n) {
    return g->generate(ww_rand::kBits, out, n, kPlain);
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float* out, size_t n) {
    return g->generate(ww_rand::kUniform, out, n, kPlain);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* out, size_t n) {
    return g->generate(ww_rand::kUniform64, out, n, kPlain);
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, size_t n, float mean, float deviation) {
    return g->generate(ww_rand::kNormal, out, n, {mean, deviation, 0});
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t n, double mean, double deviation) {
    return g->generate(ww_rand::kNormal64, out, n, {mean, deviation, 0});
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t n, float mean, float deviation) {
    return g->generate(ww_rand::kNormal, out, n, {mean, deviation, 1});
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, size_t n, double mean,
                                             double deviation) {
    return g->generate(ww_rand::kNormal64, out, n, {mean, deviation, 1});
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) { return g->prepare(); }

}  // namespace rand_impl

namespace {

enum class Function : unsigned {
#define WW_CURAND(name, parameters, arguments) name,
#include "warpwright/curand_api.inc"
#undef WW_CURAND
    size_
};
constexpr const char* kNames[] = {
#define WW_CURAND(name, parameters, arguments) #name,
#include "warpwright/curand_api.inc"
#undef WW_CURAND
};
const unsigned first_number = cudart::add_api_names(kNames, static_cast<unsigned>(Function::size_));

constexpr Statuses<curandStatus_t> kStatuses{CURAND_STATUS_SUCCESS, CURAND_STATUS_NOT_INITIALIZED,
                                             CURAND_STATUS_PREEXISTING_FAILURE};

template <class Work>
curandStatus_t enter(Function function, bool generator_is_good, Work work) {
    return enter(kStatuses, first_number + static_cast<unsigned>(function), generator_is_good,
                 function == Function::curandDestroyGenerator, work);
}

/// Calls a function of rand_impl. A generator in front, which the program knows by a number, is kept while it works.
template <class F, class First, class... Rest>
curandStatus_t call(Function function, F implementation, First first, Rest... rest) {
    if constexpr (std::is_same_v<First, curandGenerator_t>) {
        const auto generator = rand_impl::generator_of(first);
        return enter(function, generator != nullptr, [&] { return implementation(generator.get(), rest...); });
    } else {
        return enter(function, true, [&] { return implementation(first, rest...); });
    }
}

}  // namespace
}  // namespace warpwright::libraries

using namespace warpwright::libraries;

#define WW_ENTRY extern "C" __attribute__((visibility("default")))
#define WW_LIST(...) __VA_ARGS__
#define WW_CURAND(name, parameters, arguments) \
    WW_ENTRY curandStatus_t name parameters { return call(Function::name, rand_impl::name, WW_LIST arguments); }
// Functions that are not implemented report it: once on standard error, and each time with a status.
#define WW_CURAND_MISSING(name)                                                                                 \
    WW_ENTRY curandStatus_t name() {                                                                            \
        warpwright::cudart::Runtime::get().say(#name " is not supported by the emulated GPU's cuRAND library"); \
        return CURAND_STATUS_INTERNAL_ERROR;                                                                    \
    }
#include "warpwright/curand_api.inc"
