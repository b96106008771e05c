// By which domain and number CUPTI tells a function.
#pragma once

#include <cstdint>

#include "libraries/cupti/records.hpp"

namespace warpwright::libraries::cupti {

/// More than the largest number of a function.
inline constexpr std::uint32_t kMostFunctions = 1024;

struct CallbackId {
    Domain domain;
    std::uint32_t number;
    bool by_name = true;  ///< false: it stands for the launches of another library's function
};
/// Of a function by its number among all of our libraries' (cudart/state/names.hpp). A call of cuBLAS, cuFFT and so on
/// that computes launches kernels, and so is cudaLaunchKernel; what CUPTI has no number for is 0 of the runtime.
CallbackId callback_of(unsigned function);
/// "cudaLaunchKernel_v7000"; null: there is no such function.
const char* callback_name(std::uint32_t domain, std::uint32_t number);

}  // namespace warpwright::libraries::cupti
