// A generator: its settings, its place in the sequence, and the functions behind the entry points.
#pragma once

#include <curand.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "libraries/curand/streams.hpp"

struct curandGenerator_st {
    curandGenerator_t handle = nullptr;  ///< by which the program knows it: a number
    curandRngType_t type;
    bool on_host;
    cudaStream_t stream = nullptr;
    std::uint64_t seed = 0, offset = 0;
    unsigned dimensions = 1;

    bool ready = false;       ///< the states are those of the settings
    std::uint64_t place = 0;  ///< what has been generated, in what the sequence counts by
    void* states = nullptr;   ///< of the streams, or direction numbers: memory of the device, or of the host

    bool quasi() const { return type == CURAND_RNG_QUASI_SOBOL32; }
    /// Makes the states by the settings, if they are not.
    curandStatus_t prepare();
    /// `n` numbers of this kind (ww_rand::Kind).
    curandStatus_t generate(int kind, void* out, std::size_t n, ww_rand::Shape shape);
    ~curandGenerator_st();
};

namespace warpwright::libraries::rand_impl {

#define WW_CURAND(name, parameters, arguments) curandStatus_t name parameters;
#include "warpwright/curand_api.inc"
#undef WW_CURAND

/// What a program's handle stands for; null where it stands for nothing. Behind the entry points a curandGenerator_t is
/// the generator's address.
std::shared_ptr<curandGenerator_st> generator_of(curandGenerator_t handle);

}  // namespace warpwright::libraries::rand_impl
